//! Keys that name their maker, of makers that have no rule of their own.
//!
//! Prefixes and lengths are those that the makers publish in their documentation or for secret
//! scanning. A body that is shorter than issued is none.

use super::ascii::{at, before, is_url_safe, run, run_back};
use super::found::Found;
use super::placeholder::is_stub;
use super::rule::Rule;
use super::shape::{Shape, is_wordy};

/// Bytes of a body that are read at most.
const LONGEST: usize = 1024;

/// What a body is written in.
#[derive(Debug, Clone, Copy)]
enum Alphabet {
    /// Hexadecimal digits.
    Hex,
    /// Letters and digits.
    Alnum,
    /// Letters, digits, `_` and `-`.
    UrlSafe,
    /// The same and `.`.
    Dotted,
    /// The same and `+`, `/`, `=`.
    Base64,
}

impl Alphabet {
    const fn has(self, byte: u8) -> bool {
        match self {
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Alnum => byte.is_ascii_alphanumeric(),
            Self::UrlSafe => is_url_safe(byte),
            Self::Dotted => is_url_safe(byte) || byte == b'.',
            Self::Base64 => is_url_safe(byte) || matches!(byte, b'.' | b'+' | b'/' | b'='),
        }
    }
}

use Alphabet::{Alnum, Base64, Dotted, Hex, UrlSafe};

/// Prefixes, what follows them, and how many characters of it at least.
const PREFIXES: &[(&str, Alphabet, usize)] = &[
    // DigitalOcean.
    ("dop_v1_", Hex, 60),
    ("doo_v1_", Hex, 60),
    ("dor_v1_", Hex, 60),
    // SendGrid, Brevo, Mailgun.
    ("SG.", Dotted, 50),
    ("xkeysib-", UrlSafe, 60),
    ("key-", Hex, 32),
    // Shopify, Square, Shippo.
    ("shpat_", Hex, 32),
    ("shpss_", Hex, 32),
    ("shpca_", Hex, 32),
    ("shppa_", Hex, 32),
    ("sq0atp-", UrlSafe, 20),
    ("sq0csp-", UrlSafe, 36),
    ("shippo_live_", Hex, 40),
    // Linear, Notion, Figma, Postman, Airtable, Asana.
    ("lin_api_", Alnum, 32),
    ("ntn_", Alnum, 40),
    ("figd_", UrlSafe, 36),
    ("PMAK-", UrlSafe, 50),
    ("CFPAT-", UrlSafe, 40),
    // Databricks, HashiCorp, Pulumi, Doppler, 1Password, age.
    ("dapi", Hex, 32),
    ("hvs.", UrlSafe, 24),
    ("hvb.", UrlSafe, 24),
    ("pul-", Hex, 40),
    ("dp.pt.", Alnum, 40),
    ("dp.st.", Dotted, 40),
    ("ops_eyJ", Base64, 100),
    ("AGE-SECRET-KEY-1", Alnum, 50),
    // New Relic, Grafana, Sentry, Dynatrace.
    ("NRAK-", Alnum, 24),
    ("glsa_", UrlSafe, 32),
    ("glc_", Base64, 40),
    ("sntrys_", Base64, 40),
    ("sntryu_", Hex, 60),
    ("dt0c01.", Dotted, 80),
    // Docker, Atlassian, RubyGems, NuGet, Clojars, JFrog.
    ("dckr_pat_", UrlSafe, 24),
    ("dckr_oat_", UrlSafe, 24),
    ("ATATT3", Base64, 60),
    ("ATCTT3", Base64, 60),
    ("ATBB", Alnum, 28),
    ("rubygems_", Hex, 40),
    ("oy2", Alnum, 43),
    ("CLOJARS_", Hex, 50),
    ("AKCp", Alnum, 60),
    // Groq, Replicate, xAI, Perplexity, Fireworks.
    ("gsk_", Alnum, 40),
    ("r8_", Alnum, 36),
    ("xai-", Alnum, 60),
    ("pplx-", Alnum, 40),
    ("fw_", Alnum, 22),
    // Fly, Supabase, Tailscale, Netlify, Heroku, PlanetScale, Prefect, Buildkite, CircleCI.
    ("fo1_", UrlSafe, 36),
    ("sbp_", Hex, 40),
    ("tskey-", UrlSafe, 20),
    ("nfp_", Alnum, 36),
    ("HRKU-", UrlSafe, 36),
    ("pscale_tkn_", UrlSafe, 30),
    ("pscale_pw_", UrlSafe, 30),
    ("pnu_", Alnum, 36),
    ("bkua_", Hex, 40),
    ("CCIPAT_", UrlSafe, 40),
    // Sonar, Typeform, ReadMe, PostHog, Segment, Adafruit, EasyPost, Plaid, Mapbox, Firebase.
    ("sqp_", Hex, 40),
    ("squ_", Hex, 40),
    ("sqa_", Hex, 40),
    ("tfp_", Dotted, 40),
    ("rdme_", Alnum, 60),
    ("phx_", Alnum, 40),
    ("sgp_", Alnum, 40),
    ("aio_", Alnum, 28),
    ("EZAK", Alnum, 54),
    ("access-production-", UrlSafe, 36),
    ("sk.eyJ", Dotted, 60),
    // Notion, Meta, Dropbox, Google, Amazon, Airtable, HubSpot, LaunchDarkly.
    ("secret_", Alnum, 40),
    ("nsec1", Alnum, 50),
    ("EAA", Alnum, 80),
    ("sl.", Dotted, 100),
    ("1//0", UrlSafe, 40),
    ("amzn.mws.", UrlSafe, 36),
    ("amzn1.oa2-cs.v1.", Hex, 60),
    ("pat", Dotted, 78),
    ("pat-na1-", UrlSafe, 36),
    ("pat-eu1-", UrlSafe, 36),
    ("sdk-", UrlSafe, 36),
    // Alibaba, Tencent, Cloudflare, Flutterwave, Mollie, Braintree, Twilio.
    ("LTAI", Alnum, 16),
    ("AKID", Alnum, 32),
    ("v1.0-", UrlSafe, 140),
    ("FLWSECK-", UrlSafe, 32),
    ("FLWSECK_TEST-", UrlSafe, 16),
    ("live_", Alnum, 30),
    ("access_token$production$", Dotted, 32),
    ("SK", Hex, 32),
    // ElevenLabs, Resend, Pinecone, LangSmith, Neon, Render, New Relic.
    ("sk_", Hex, 40),
    ("re_", UrlSafe, 32),
    ("pcsk_", UrlSafe, 60),
    ("lsv2_", UrlSafe, 40),
    ("napi_", Alnum, 40),
    ("rnd_", Alnum, 28),
    ("NRII-", UrlSafe, 30),
];

/// Marks that stand in the middle of a key.
const INNER: [&str; 4] = [
    ":AA",
    ".atlasv1.",
    "/api/webhooks/",
    "hooks.zapier.com/hooks/catch/",
];

/// Returns the marks, in the order of the numbers that [`at_mark`] takes.
pub(super) fn marks() -> impl Iterator<Item = &'static str> {
    PREFIXES.iter().map(|(prefix, _, _)| *prefix).chain(INNER)
}

/// Reads the key whose mark, of some number, is from `start` to `end`.
pub(super) fn at_mark(text: &[u8], mark: usize, start: usize, end: usize) -> Option<Found> {
    let Some((_, alphabet, least)) = PREFIXES.get(mark) else {
        return match mark - PREFIXES.len() {
            0 => telegram(text, start),
            1 => terraform(text, start, end),
            _ => webhook(text, end),
        };
    };
    if is_url_safe(before(text, start)) {
        return None;
    }
    let stop = run(text, end, LONGEST, |byte| alphabet.has(byte));
    let stop = run_back(text, stop, 1, |byte| byte == b'.').max(end);
    (stop - end >= *least && is_made(&text[end..stop])).then(|| claim(text, start, stop))?
}

fn is_made(body: &[u8]) -> bool {
    let shape = Shape::of(&body[..body.len().min(160)]);
    shape.digits > 1 && shape.letters() > 1 && !is_wordy(body) && !shape.counts_up()
}

fn claim(text: &[u8], start: usize, end: usize) -> Option<Found> {
    (!is_stub(&text[start..end])).then_some(Found::new(Rule::VendorToken, start, end))
}

/// Reads a Telegram bot token: digits, `:AA`, and letters.
fn telegram(text: &[u8], colon: usize) -> Option<Found> {
    let start = run_back(text, colon, 12, |byte| byte.is_ascii_digit());
    let end = run(text, colon + 1, 64, is_url_safe);
    ((8..=11).contains(&(colon - start))
        && (!before(text, start).is_ascii_alphanumeric() || text[..start].ends_with(b"/bot"))
        && (33..=37).contains(&(end - colon - 1))
        && is_made(&text[colon + 1..end]))
    .then(|| claim(text, start, end))?
}

/// Reads the path of a webhook, of a number and a key or of two keys, that starts at `from`.
fn webhook(text: &[u8], from: usize) -> Option<Found> {
    let middle = run(text, from, 32, |byte| byte.is_ascii_alphanumeric());
    let end = run(text, middle + 1, 128, is_url_safe);
    let made = is_made(&text[from..end.max(from)]);
    (middle > from && at(text, middle) == b'/' && end - middle > 5 && made)
        .then(|| claim(text, from, end))?
}

/// Reads a Terraform Cloud token: fourteen characters, `.atlasv1.`, and sixty or more.
fn terraform(text: &[u8], point: usize, from: usize) -> Option<Found> {
    let start = run_back(text, point, 20, |byte| byte.is_ascii_alphanumeric());
    let end = run(text, from, 128, is_url_safe);
    (point - start >= 12 && end - from >= 50 && is_made(&text[from..end]))
        .then(|| claim(text, start, end))?
}

/// Reads a Discord bot token whose first point is at `point`: an id in base64, six characters, and
/// the signature.
pub(super) fn at_point(text: &[u8], point: usize) -> Option<Found> {
    let second = [7, 8]
        .into_iter()
        .map(|on| point + on)
        .find(|on| at(text, *on) == b'.')?;
    let start = run_back(text, point, 32, |byte| byte.is_ascii_alphanumeric());
    if !(23..=28).contains(&(point - start))
        || !matches!(text[start], b'M' | b'N' | b'O')
        || is_url_safe(before(text, start))
    {
        return None;
    }
    let end = run(text, second + 1, 64, is_url_safe);
    let middle = text[point + 1..second]
        .iter()
        .all(|byte| is_url_safe(*byte));
    (middle && (27..=40).contains(&(end - second - 1)) && is_made(&text[start..end]))
        .then(|| claim(text, start, end))?
}

/// Reads a Mailchimp key whose hyphen is at `hyphen`: 32 hexadecimal digits and a data centre.
pub(super) fn at_hyphen(text: &[u8], hyphen: usize) -> Option<Found> {
    if at(text, hyphen + 1) != b'u' || at(text, hyphen + 2) != b's' {
        return None;
    }
    let end = run(text, hyphen + 3, 2, |byte| byte.is_ascii_digit());
    let start = run_back(text, hyphen, 33, |byte| byte.is_ascii_hexdigit());
    (end > hyphen + 3
        && hyphen - start == 32
        && !is_url_safe(at(text, end))
        && is_made(&text[start..hyphen]))
    .then(|| claim(text, start, end))?
}

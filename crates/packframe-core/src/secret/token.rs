//! Keys that name their maker: a prefix that is published, then what a machine made.
//!
//! A prefix counts where no letter, digit or joiner stands before it. The forms:
//!
//! - AWS: four letters for the kind and sixteen letters and digits (IAM User Guide, "IAM
//!   identifiers", unique IDs); the secret key has forty characters of base64 (same guide,
//!   "Manage access keys").
//! - GitHub: `ghp_`, `gho_`, `ghu_`, `ghs_`, `ghr_` and 36 characters or, as announced, up to 255
//!   (GitHub changelog of 2021-03-31); `github_pat_` and 82 characters (GitHub documentation,
//!   "Supported secret scanning patterns").
//! - Slack: `xoxb-`, `xoxp-`, `xapp-` and their kin with numbers and letters between hyphens;
//!   webhooks at `hooks.slack.com` (Slack API documentation, "Token types", "Incoming webhooks").
//! - Google: `AIza` and 35 URL-safe characters (Google Cloud documentation, "Manage API keys");
//!   `GOCSPX-` and 28 for OAuth clients, `ya29.` for access tokens (Google Identity
//!   documentation).
//! - Stripe: `sk_live_`, `rk_live_`, the same with `test`, with ten to 128 letters and digits
//!   (Stripe documentation, "API keys"; its makers to GitLab, issue 458019); `whsec_` (Stripe
//!   documentation, "Webhooks"). Publishable keys, `pk_`, are no secrets.
//! - `OpenAI`: `sk-` and 48 letters and digits, `sk-proj-`, `sk-svcacct-`, `sk-admin-` and longer
//!   URL-safe bodies (`OpenAI` documentation, "Production best practices"; keys as issued); others
//!   issue `sk-` keys of their own length.
//! - Anthropic: `sk-ant-`, a kind such as `api03-`, and about 95 URL-safe characters (Anthropic
//!   documentation, "API overview"; keys as issued).
//! - GitLab: `glpat-` and its kin, twenty URL-safe characters or more (GitLab documentation,
//!   "Token overview"). npm: `npm_` and 36 (npm documentation, "About access tokens"). `PyPI`:
//!   `pypi-AgEI`, the start of a macaroon (`PyPI` help, "How can I use API tokens"). Hugging Face:
//!   `hf_` and 34 letters (Hugging Face documentation, "User access tokens").

use super::ascii::{at, before, is_base64, is_blank, is_quote, is_url_safe, run, run_back, starts};
use super::found::Found;
use super::placeholder::is_stub;
use super::rule::Rule;
use super::shape::{LOOKED_AT, Shape, is_camel, is_wordy};

/// Bytes of a key that are read at most.
const LONGEST: usize = 4096;

/// Says whether a prefix that starts here starts a word.
fn is_border(text: &[u8], start: usize) -> bool {
    !is_url_safe(before(text, start))
}

/// Returns a claim on a prefix and its body, unless the key is a stub.
fn claim(text: &[u8], rule: Rule, start: usize, end: usize) -> Option<Found> {
    (!is_stub(&text[start..end])).then_some(Found::new(rule, start, end))
}

/// Counts the bytes of a body.
fn shape(text: &[u8], start: usize, end: usize) -> Shape {
    Shape::of(&text[start..end.min(start + LOOKED_AT)])
}

/// Says whether a body has letters and digits and is not made of words.
fn is_made(text: &[u8], start: usize, end: usize, digits: usize) -> bool {
    let shape = shape(text, start, end);
    let long = shape.len > 20 && shape.joiners == 0;
    let mixed = shape.digits >= digits || shape.mixed_case() || long;
    let head = &text[start..end.min(start + LOOKED_AT)];
    mixed && shape.letters() > 0 && !is_wordy(head) && !is_camel(head)
}

/// Says whether a body of a GitHub token is one: no words with underscores between them, as names
/// of branches and functions have them.
fn is_github(text: &[u8], start: usize, end: usize) -> bool {
    let longest = text[start..end]
        .split(|byte| *byte == b'_')
        .map(<[u8]>::len)
        .max();
    longest.is_some_and(|len| len >= 30)
        && shape(text, start, end).digits > 0
        && is_made(text, start, end, 1)
}

/// Finds the keys whose prefix ends with, or has, the underscore at `place`.
pub(super) fn at_underscore(text: &[u8], place: usize) -> Option<Found> {
    let body = place + 1;
    let back = |word: &[u8]| {
        let start = place.checked_sub(word.len())?;
        (text[start..place] == *word && is_border(text, start)).then_some(start)
    };
    match before(text, place) {
        b'p' | b'o' | b'u' | b's' | b'r' if place >= 3 && at(text, place - 3) == b'g' => {
            let start = [b"ghp", b"gho", b"ghu", b"ghs", b"ghr"]
                .into_iter()
                .find_map(|prefix| back(prefix))?;
            let end = run(text, body, LONGEST, is_word);
            (end - body >= 36 && is_github(text, body, end))
                .then(|| claim(text, Rule::GithubToken, start, end))?
        }
        b'b' if starts(text, body, b"pat_") => {
            let start = back(b"github")?;
            let end = run(text, body, LONGEST, is_word);
            (end - body >= 64 && is_github(text, body, end))
                .then(|| claim(text, Rule::GithubToken, start, end))?
        }
        b'k' => {
            let start = back(b"sk").or_else(|| back(b"rk"))?;
            if !starts(text, body, b"live_") && !starts(text, body, b"test_") {
                return None;
            }
            let key = body + 5;
            let end = run(text, key, LONGEST, |byte| byte.is_ascii_alphanumeric());
            (end - key >= 16 && is_made(text, key, end, 1))
                .then(|| claim(text, Rule::StripeKey, start, end))?
        }
        b'c' => {
            let start = back(b"whsec")?;
            let end = run(text, body, LONGEST, |byte| is_base64(byte) || byte == b'_');
            (end - body >= 20 && is_made(text, body, end, 1))
                .then(|| claim(text, Rule::StripeKey, start, end))?
        }
        b'm' => {
            let start = back(b"npm")?;
            let end = run(text, body, LONGEST, |byte| byte.is_ascii_alphanumeric());
            (end - body >= 36 && is_made(text, body, end, 1))
                .then(|| claim(text, Rule::NpmToken, start, end))?
        }
        b'f' => {
            let start = back(b"hf")?;
            let end = run(text, body, LONGEST, |byte| byte.is_ascii_alphanumeric());
            (end - body >= 30 && is_made(text, body, end, 2))
                .then(|| claim(text, Rule::HuggingFaceToken, start, end))?
        }
        _ => None,
    }
}

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Kinds of GitLab tokens, as they stand before the hyphen.
const GITLAB: [&[u8]; 12] = [
    b"glpat", b"gldt", b"glrt", b"glcbt", b"glptt", b"glft", b"glimt", b"glagent", b"glsoat",
    b"glffct", b"gloas", b"glrtr",
];

/// Finds the keys whose prefix ends with, or has, the hyphen at `place`.
pub(super) fn at_hyphen(text: &[u8], place: usize) -> Option<Found> {
    let body = place + 1;
    let start = run_back(text, place, 12, |byte| {
        byte.is_ascii_alphanumeric() || byte == b'.'
    });
    let prefix = &text[start..place];
    match prefix {
        [.., b's', b'k'] => sk(text, place),
        [.., b'x', b'o', b'x', b'a'..=b's'] | b"xapp" => slack(text, start, place),
        b"GOCSPX" if is_border(text, start) => {
            let end = run(text, body, LONGEST, is_url_safe);
            (end - body >= 20 && is_made(text, body, end, 1))
                .then(|| claim(text, Rule::GoogleOauth, start, end))?
        }
        b"pypi" if is_border(text, start) && starts(text, body, b"AgE") => {
            let end = run(text, body, LONGEST, is_url_safe);
            (end - body >= 50 && is_made(text, body, end, 1))
                .then(|| claim(text, Rule::PypiToken, start, end))?
        }
        _ if prefix.starts_with(b"gl") && GITLAB.contains(&prefix) && is_border(text, start) => {
            let end = run(text, body, LONGEST, |byte| {
                is_url_safe(byte) || byte == b'.'
            });
            let end = run_back(text, end, 1, |byte| byte == b'.');
            (end - body >= 20 && is_made(text, body, end, 1))
                .then(|| claim(text, Rule::GitlabToken, start, end))?
        }
        _ => None,
    }
}

/// Reads a key that starts with `sk-`.
fn sk(text: &[u8], place: usize) -> Option<Found> {
    let start = place - 2;
    if !is_border(text, start) {
        return None;
    }
    let body = place + 1;
    let end = run(text, body, LONGEST, is_url_safe);
    if starts(text, body, b"ant-") {
        return (end - body >= 24 && is_made(text, body + 4, end, 2))
            .then(|| claim(text, Rule::AnthropicKey, start, end))?;
    }
    let named: [&[u8]; 6] = [
        b"proj-",
        b"svcacct-",
        b"admin-",
        b"None-",
        b"or-v1-",
        b"service-",
    ];
    let key = named
        .into_iter()
        .find(|kind| starts(text, body, kind))
        .map(|kind| body + kind.len());
    let made = if let Some(key) = key {
        end - key >= 20 && is_made(text, key, end, 1)
    } else {
        let longest = text[body..end.min(body + LOOKED_AT)]
            .split(|byte| matches!(byte, b'-' | b'_'))
            .map(<[u8]>::len)
            .max()
            .unwrap_or(0);
        longest >= 20 && is_made(text, body, end, 1)
    };
    made.then(|| claim(text, Rule::OpenAiKey, start, end))?
}

/// Reads a Slack token; `xoxe.` may stand before a token of another kind.
fn slack(text: &[u8], start: usize, place: usize) -> Option<Found> {
    let kind = &text[start..place];
    let known = matches!(kind, b"xapp")
        || matches!(kind, [b'x', b'o', b'x', kind] if b"abcdeoprs".contains(kind))
        || matches!(kind, [b'x', b'o', b'x', b'e', b'.', b'x', b'o', b'x', kind] if b"bp".contains(kind));
    if !known || !is_border(text, start) {
        return None;
    }
    let body = place + 1;
    let end = run(text, body, LONGEST, |byte| {
        is_url_safe(byte) || byte == b'%'
    });
    let shape = shape(text, body, end);
    let made = shape.digits >= 4 && !is_wordy(&text[body..end.min(body + LOOKED_AT)]);
    (end - body >= 16 && made && !is_stub(&text[body..end])).then_some(Found::new(
        Rule::SlackToken,
        start,
        end,
    ))
}

/// Reads a Slack webhook whose host starts at `place`; the path after it is the secret.
pub(super) fn slack_webhook(text: &[u8], place: usize) -> Option<Found> {
    let path = place + b"hooks.slack.com/".len();
    if !starts(text, place, b"hooks.slack.com/") {
        return None;
    }
    let kinds: [&[u8]; 4] = [b"services/", b"workflows/", b"triggers/", b"actions/"];
    let kind = kinds.into_iter().find(|kind| starts(text, path, kind))?;
    let start = path + kind.len();
    let end = run(text, start, 512, |byte| is_url_safe(byte) || byte == b'/');
    let last = run_back(text, end, 512, is_url_safe);
    let key = &text[start..end];
    (end - last >= 16
        && last > start
        && !is_wordy(&text[last..end])
        && !is_stub(key)
        && !is_stub(&text[last..end]))
    .then_some(Found::new(Rule::SlackWebhook, start, end))
}

/// Reads an AWS access key id that starts at `place`.
pub(super) fn aws_id(text: &[u8], place: usize) -> Option<Found> {
    let end = run(text, place, 32, |byte| {
        byte.is_ascii_uppercase() || byte.is_ascii_digit()
    });
    (end - place == 20 && !is_word(before(text, place)) && !is_word(at(text, end)))
        .then(|| claim(text, Rule::AwsAccessKeyId, place, end))?
}

/// Reads the secret key that stands right behind an access key id, as in the file that the
/// console offers.
pub(super) fn aws_secret_after(text: &[u8], end: usize) -> Option<Found> {
    let start = run(text, end, 6, |byte| {
        is_blank(byte) || is_quote(byte) || matches!(byte, b',' | b':' | b';' | b'|' | b'/')
    });
    if start == end {
        return None;
    }
    let stop = run(text, start, 64, is_base64);
    is_aws_secret(&text[start..stop]).then(|| claim(text, Rule::AwsSecretKey, start, stop))?
}

/// Says whether a value has the form of an AWS secret key: forty characters of base64, of every
/// kind of letter and with digits.
pub(super) fn is_aws_secret(value: &[u8]) -> bool {
    let shape = Shape::of(&value[..value.len().min(LOOKED_AT)]);
    value.len() == 40
        && value.iter().all(|byte| is_base64(*byte))
        && shape.lower > 4
        && shape.upper > 4
        && shape.digits > 0
}

/// Reads a Google API key that starts at `place`.
pub(super) fn google_key(text: &[u8], place: usize) -> Option<Found> {
    let end = run(text, place, 64, is_url_safe);
    // 39 as issued; one written by hand may be a little shorter or longer.
    ((36..=42).contains(&(end - place))
        && !is_word(before(text, place))
        && is_made(text, place + 4, end, 1))
    .then(|| claim(text, Rule::GoogleApiKey, place, end))?
}

/// Reads a Google access token that starts at `place`.
pub(super) fn google_access(text: &[u8], place: usize) -> Option<Found> {
    let body = place + b"ya29.".len();
    let end = run(text, body, LONGEST, |byte| {
        is_url_safe(byte) || byte == b'.'
    });
    let end = run_back(text, end, 1, |byte| byte == b'.');
    (end >= body + 20 && is_border(text, place) && is_made(text, body, end, 1))
        .then(|| claim(text, Rule::GoogleOauth, place, end))?
}

/// Reads a JSON Web Token that starts at `place` (RFC 7519; three parts, or the five of RFC 7516).
///
/// Header and claims are JSON objects, so both start with `eyJ`, the base64 of `{"`.
pub(super) fn jwt(text: &[u8], place: usize) -> Option<Found> {
    if !is_border(text, place) {
        return None;
    }
    let mut ends = [place; 5];
    let mut parts = 0;
    let mut from = place;
    while parts < 5 {
        let end = run(text, from, usize::MAX, is_url_safe);
        ends[parts] = end;
        parts += 1;
        if at(text, end) != b'.' {
            break;
        }
        from = end + 1;
    }
    let signed = parts >= 3
        && ends[0] - place >= 10
        && starts(text, ends[0] + 1, b"eyJ")
        && ends[1] - ends[0] > 10
        && ends[2] - ends[1] > 10;
    let sealed =
        parts == 5 && ends[0] - place >= 10 && ends[2] - ends[1] > 4 && ends[4] - ends[3] > 10;
    let end = if signed {
        ends[2]
    } else if sealed {
        ends[4]
    } else {
        return None;
    };
    claim(text, Rule::Jwt, place, end)
}

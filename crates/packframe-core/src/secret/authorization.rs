//! What an `Authorization` header carries: bearer tokens (RFC 6750) and basic credentials
//! (RFC 7617).

use super::ascii::{at, before, is_base64, is_blank, run, run_back, starts_any_case};
use super::found::Found;
use super::placeholder::{is_placeholder, is_stub};
use super::published::is_published;
use super::rule::Rule;
use super::shape::{LOOKED_AT, Shape, is_place, is_wordy};

/// Bytes of a token that are read at most.
const LONGEST: usize = 8192;

/// A token68 of RFC 7235: letters, digits, `-._~+/=`.
const fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~' | b'+' | b'/' | b'=')
}

/// Reads a bearer token behind the word `Bearer` that ends at `end`.
///
/// In prose the word is followed by words, so a token without a header has sixteen characters.
pub(super) fn bearer(text: &[u8], word: usize, end: usize) -> Option<Found> {
    if before(text, word).is_ascii_alphanumeric() || before(text, word) == b'_' {
        return None;
    }
    token(text, end, 16)
}

/// Reads what stands in an authorization header, from its value on.
pub(super) fn header(text: &[u8], value: usize) -> Option<Found> {
    let end = run(text, value, 16, |byte| byte.is_ascii_alphabetic());
    if !is_blank(at(text, end)) {
        return None;
    }
    match text[value..end].to_ascii_lowercase().as_slice() {
        b"basic" => basic(text, end),
        b"bearer" | b"token" | b"apikey" | b"key" | b"oauth" => token(text, end, 8),
        // Makers have schemes of their own.
        _ if end > value => token(text, end, 20),
        _ => None,
    }
}

fn token(text: &[u8], from: usize, least: usize) -> Option<Found> {
    let start = run(text, from, 8, is_blank);
    let end = run(text, start, LONGEST, is_token);
    // A full stop behind a token ends the sentence.
    let end = run_back(text, end, 3, |byte| byte == b'.').max(start);
    let key = &text[start..end];
    let head = &key[..key.len().min(LOOKED_AT)];
    let shape = Shape::of(head);
    let made = (shape.digits > 0 && shape.letters() > 0) || shape.mixed_case();
    let secret = start > from
        && key.len() >= least
        && made
        && !is_wordy(head)
        && !is_place(head)
        && !is_stub(key)
        && !is_placeholder(key);
    secret.then_some(Found::new(Rule::BearerToken, start, end))
}

/// Reads basic credentials behind the word `Basic` that ends at `end`, or where they stand alone.
///
/// Without a header they have to say a name and a password that can be typed.
pub(super) fn credentials(text: &[u8], from: usize) -> Option<Found> {
    let start = run(text, from, 8, is_blank);
    let end = run(text, start, LONGEST, is_base64);
    let plain = decode(&text[start..end.min(start + 512)])?;
    let typed = plain.iter().all(|byte| (b' '..0x7f).contains(byte));
    (typed && plain.len() >= 8 && plain[0] != b':').then(|| basic(text, from))?
}

fn basic(text: &[u8], from: usize) -> Option<Found> {
    let start = run(text, from, 8, is_blank);
    let end = run(text, start, LONGEST, is_base64);
    let plain = decode(&text[start..end.min(start + 512)])?;
    let colon = plain.iter().position(|byte| *byte == b':')?;
    let password = &plain[colon + 1..];
    let shown = is_published(&text[start..end]) || is_placeholder(password);
    (password.len() >= 3 && !shown).then_some(Found::new(Rule::BasicAuth, start, end))
}

/// Decodes base64; `None` for what is not base64.
fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let end = run_back(text, text.len(), 2, |byte| byte == b'=');
    let mut bytes = Vec::with_capacity(end);
    let (mut held, mut bits) = (0_u32, 0);
    for &byte in &text[..end] {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        held = (held << 6 | u32::from(value)) & 0xfff;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from((held >> bits) & 0xff).unwrap_or(0));
        }
    }
    Some(bytes)
}

/// Says whether the name of a field is that of an authorization header.
pub(super) fn is_header(name: &[u8]) -> bool {
    name.len() >= 13 && starts_any_case(name, name.len() - 13, b"authorization")
}

//! Credentials in URIs: `scheme://user:password@host` (RFC 3986, section 3.2.1).

use super::ascii::{at, is_quote, run, run_back, starts};
use super::found::Found;
use super::placeholder::is_placeholder;
use super::rule::Rule;
use super::shape::{Shape, is_wordy};

/// Bytes of an authority that are read at most.
const LONGEST: usize = 512;

/// Reads the credentials of a URI whose colon is at `colon`; the password is the secret.
pub(super) fn at_colon(text: &[u8], colon: usize) -> Option<Found> {
    let scheme = run_back(text, colon, 32, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'.' | b'-')
    });
    if !text[scheme..colon].iter().any(u8::is_ascii_alphabetic) {
        return None;
    }
    let start = colon + 3;
    let end = run(text, start, LONGEST, |byte| {
        byte > b' ' && !is_quote(byte) && !matches!(byte, b'/' | b'?' | b'<' | b'>' | b'\\' | b'|')
    });
    let authority = without_fragment(&text[start..end]);
    let sign = authority.iter().rposition(|byte| *byte == b'@')?;
    let user = &authority[..sign];
    if !at(authority, sign + 1).is_ascii_alphanumeric()
        && !b"[${%".contains(&at(authority, sign + 1))
    {
        return None;
    }
    // What was redacted stands in brackets, and has a colon of its own.
    let bracket = match user {
        [b'[', ..] => user.iter().position(|byte| *byte == b']').unwrap_or(0),
        _ => 0,
    };
    let colon = user[bracket..].iter().position(|byte| *byte == b':');
    let (name, password) = match colon.map(|colon| colon + bracket) {
        Some(at) => (&user[..at], &user[at + 1..]),
        None => (user, &b""[..]),
    };
    if password.is_empty() || password == b"x-oauth-basic" {
        // A token may stand where the name does.
        return is_key(name).then_some(Found::new(Rule::UriCredentials, start, start + name.len()));
    }
    let from = start + name.len() + 1;
    let anonymous = [&b"anonymous"[..], b"ftp", b"guest"].contains(&name);
    let digest = starts(authority, sign + 1, b"sha256:");
    let known = password.len() < 3
        || anonymous
        || digest
        || is_placeholder(password)
        || password.eq_ignore_ascii_case(name) && is_wordy(name);
    (!known).then_some(Found::new(Rule::UriCredentials, from, start + sign))
}

/// Cuts a fragment off an authority, unless its number sign stands in a password.
fn without_fragment(authority: &[u8]) -> &[u8] {
    let Some(sign) = authority.iter().position(|byte| *byte == b'#') else {
        return authority;
    };
    let host = &authority[..sign];
    let port = host.rsplit(|byte| *byte == b':').next().unwrap_or(host);
    let named = host.contains(&b'@') || port.len() == host.len();
    if named || port.iter().all(u8::is_ascii_digit) {
        host
    } else {
        authority
    }
}

/// Says whether a name is made by a machine.
fn is_key(name: &[u8]) -> bool {
    let shape = Shape::of(name);
    name.len() >= 20
        && shape.digits >= 2
        && shape.letters() > 0
        && !is_wordy(name)
        && !is_placeholder(name)
        && !name.contains(&b'@')
}

//! Credentials in URIs: `scheme://user:password@host` (RFC 3986, section 3.2.1).

use super::ascii::{at, is_quote, is_url_safe, run, run_back, starts, starts_any_case};
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

/// Reads the credentials of a URI that stands encoded in the query of another, behind its `://`:
/// `?next=https%3A%2F%2Fuser%3Apassword%40host`.
pub(super) fn encoded(text: &[u8], start: usize) -> Option<Found> {
    let end = run(text, start, LONGEST, |byte| {
        is_url_safe(byte) || matches!(byte, b'.' | b'~' | b'%' | b'+' | b'*' | b'!')
    });
    let authority = &text[start..end];
    let host = find(authority, b"%2F").unwrap_or(authority.len());
    let sign = find(&authority[..host], b"%40")?;
    let name = find(&authority[..sign], b"%3A")?;
    let password = &authority[name + 3..sign];
    // What starts with an encoded `$`, `{` or `<` is put in later.
    let put_in = [&b"%24"[..], b"%7B", b"%3C"]
        .iter()
        .any(|escape| starts_any_case(password, 0, escape));
    let known = password.len() < 3
        || put_in
        || is_placeholder(password)
        || !at(authority, sign + 3).is_ascii_alphanumeric();
    (!known).then_some(Found::new(
        Rule::UriCredentials,
        start + name + 3,
        start + sign,
    ))
}

/// Finds an escape, in any case.
fn find(text: &[u8], escape: &[u8]) -> Option<usize> {
    text.windows(escape.len())
        .position(|part| part.eq_ignore_ascii_case(escape))
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

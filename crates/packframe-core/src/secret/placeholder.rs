//! What stands where a secret would stand, and is none.

use super::ascii::contains_any_case;
use super::filler::is_filling;
use super::published::is_published;
use super::reference::is_reference;
use super::shape::LOOKED_AT;

/// What is written into a key that is no key.
const STUBS: [&[u8]; 10] = [
    b"example",
    b"placeholder",
    b"redacted",
    b"xxxx",
    b"replace",
    b"insert",
    b"your-",
    b"your_",
    b"yourkey",
    b"-here",
];

/// Says whether a key of a known form is only there to show the form.
pub(super) fn is_stub(key: &[u8]) -> bool {
    let head = &key[..key.len().min(LOOKED_AT)];
    is_published(key)
        || STUBS.iter().any(|stub| contains_any_case(head, stub))
        || is_one_byte(tail_of(head))
        || is_two_bytes(tail_of(head))
}

/// Returns what follows the last `_` or `-` in a key, if that is most of it; else all.
fn tail_of(key: &[u8]) -> &[u8] {
    let from = key
        .iter()
        .rposition(|byte| matches!(byte, b'_' | b'-' | b'/'))
        .map_or(0, |at| at + 1);
    if (key.len() - from) >= 8 {
        &key[from..]
    } else {
        key
    }
}

/// Says whether a value is one byte, again and again.
fn is_one_byte(value: &[u8]) -> bool {
    value
        .split_first()
        .is_some_and(|(first, rest)| rest.iter().all(|byte| byte == first))
}

/// Says whether a value of some length has no more than two different bytes.
fn is_two_bytes(value: &[u8]) -> bool {
    let Some(first) = value.first() else {
        return false;
    };
    let second = value.iter().find(|byte| *byte != first).unwrap_or(first);
    value.len() >= 16 && value.iter().all(|byte| byte == first || byte == second)
}

/// What is found in a value that is to be replaced, whatever else is there. In lower case.
const TELLING: [&[u8]; 21] = [
    b"&lt;",
    b"...",
    "…".as_bytes(),
    "•".as_bytes(),
    b"***",
    b"xxxx",
    b"____",
    b"example",
    b"placeholder",
    b"changeme",
    b"change-me",
    b"change_me",
    b"replaceme",
    b"replace_",
    b"replace-",
    b"redacted",
    b"your_",
    b"your-",
    b"yourpass",
    b"goes_here",
    b"goes-here",
];

/// Says whether the value of an assignment is something to be filled in, a reference to a
/// variable, a template, or one of the defaults that everybody knows.
pub(super) fn is_placeholder(value: &[u8]) -> bool {
    let head = &value[..value.len().min(LOOKED_AT)];
    is_bracketed(value)
        || is_published(value)
        || is_reference(value)
        || is_one_byte(value)
        || TELLING.iter().any(|word| contains_any_case(head, word))
        || is_filling(head)
}

/// Says whether a value stands in brackets that mean "put something here": `<password>`,
/// `[redacted]`, `{secret}`, `(none)`, `%PASSWORD%`, `__TOKEN__`.
fn is_bracketed(value: &[u8]) -> bool {
    let pair = value.first().zip(value.last());
    matches!(
        pair,
        Some(
            (b'<', b'>')
                | (b'[', b']')
                | (b'{', b'}')
                | (b'(', b')')
                | (b'%', b'%')
                | (b'@', b'@')
                | (b'#', b'#')
        )
    ) || (value.starts_with(b"__") && value.ends_with(b"__"))
        || value.starts_with(b"[redacted")
}

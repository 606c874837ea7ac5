//! What stands where a secret would stand, and is none.

use super::ascii::{contains, contains_any_case};
use super::shape::LOOKED_AT;

/// Keys that their makers print in their documentation: a Google API key (cloud.google.com,
/// "Manage API keys"), and two Stripe test keys (docs.stripe.com, "Authentication").
const PUBLISHED: [&[u8]; 3] = [
    b"AIzaSyDaGmWKa4JsXZ-HjGw7ISLn_3namBGewQe",
    b"sk_test_4eC39HqLyjWDarjtT1zdp7dc",
    b"sk_test_BQokikJOvBiI2HlWgH4olfQ2",
];

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
    PUBLISHED.contains(&key)
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

/// Words that stand in a value that is only there to be replaced, or that are the default that
/// everybody knows. In lower case.
const FILLERS: [&str; 104] = [
    "a",
    "abc",
    "access",
    "account",
    "actual",
    "add",
    "admin",
    "an",
    "and",
    "any",
    "api",
    "app",
    "auth",
    "bar",
    "baz",
    "bearer",
    "change",
    "changeit",
    "changeme",
    "client",
    "code",
    "confirm",
    "credential",
    "credentials",
    "current",
    "database",
    "db",
    "default",
    "demo",
    "dummy",
    "empty",
    "enter",
    "env",
    "example",
    "fake",
    "false",
    "field",
    "fill",
    "fixme",
    "foo",
    "generated",
    "goes",
    "guest",
    "here",
    "hidden",
    "hint",
    "in",
    "insert",
    "invalid",
    "is",
    "jwt",
    "key",
    "label",
    "login",
    "masked",
    "me",
    "mock",
    "my",
    "new",
    "nil",
    "none",
    "not",
    "null",
    "of",
    "old",
    "optional",
    "pass",
    "passphrase",
    "passwd",
    "password",
    "paste",
    "placeholder",
    "postgres",
    "provided",
    "pw",
    "pwd",
    "real",
    "redacted",
    "replace",
    "required",
    "root",
    "sample",
    "secret",
    "secure",
    "set",
    "some",
    "something",
    "string",
    "stub",
    "super",
    "tbd",
    "test",
    "testing",
    "text",
    "the",
    "this",
    "to",
    "todo",
    "token",
    "true",
    "undefined",
    "user",
    "value",
    "your",
];

/// Says whether a lower-case word is a known filler.
fn is_filler(word: &[u8]) -> bool {
    FILLERS
        .binary_search_by(|known| known.as_bytes().cmp(word))
        .is_ok()
        || matches!(
            word,
            b"yours" | b"username" | b"with" | b"from" | b"for" | b"be" | b"it" | b"os" | b"var"
        )
}

/// Says whether letters are fillers one behind the other: `mysecretpassword`.
///
/// Cost: the square of the letters, of which there are at most 64.
fn are_fillers(word: &[u8]) -> bool {
    if word.len() > 64 {
        return false;
    }
    let lower = word.to_ascii_lowercase();
    let mut reached = vec![false; lower.len() + 1];
    reached[0] = true;
    for from in 0..lower.len() {
        if reached[from] {
            for to in from + 1..=lower.len().min(from + 12) {
                reached[to] = reached[to] || is_filler(&lower[from..to]);
            }
        }
    }
    reached[lower.len()]
}

/// Says whether a value consists of fillers and what joins them only.
pub(super) fn is_filling(value: &[u8]) -> bool {
    value.iter().all(|byte| {
        byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-' | b'.' | b' ' | b'!' | b'?')
    }) && value
        .split(|byte| !byte.is_ascii_alphabetic())
        .filter(|segment| !segment.is_empty())
        .all(are_fillers)
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

/// Says whether a value is taken from elsewhere: `$NAME`, `${NAME}`, `{{ name }}`, `%s`, `#{x}`.
fn is_reference(value: &[u8]) -> bool {
    match value {
        [b'$' | b'%', b'{' | b'(', ..] | [b'{' | b'#', b'{', ..] => true,
        [b'$', rest @ ..] => {
            let plain = rest
                .iter()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':' | b'.'));
            let named = rest
                .first()
                .is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
            plain && named
        }
        [b'%', conversion] => conversion.is_ascii_alphabetic(),
        _ => {
            contains(value, b"${")
                || contains(value, b"{{")
                || contains(value, b"$(")
                || contains(value, b"<%")
                || is_conversion(value)
                || (contains(value, b"{") && contains(value, b"}") && is_format(value))
        }
    }
}

/// Says whether a value has a `%s` that no letter or digit follows.
fn is_conversion(value: &[u8]) -> bool {
    value
        .windows(2)
        .position(|pair| pair == b"%s")
        .is_some_and(|at| {
            value
                .get(at + 2)
                .is_none_or(|byte| !byte.is_ascii_alphanumeric())
        })
}

/// Says whether braces of a value hold a name, as in a format string.
fn is_format(value: &[u8]) -> bool {
    let open = value.iter().position(|byte| *byte == b'{').unwrap_or(0);
    let close = value.iter().rposition(|byte| *byte == b'}').unwrap_or(0);
    open < close
        && value[open + 1..close]
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'!' | b':'))
}

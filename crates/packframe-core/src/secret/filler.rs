//! Words of which values are made that are only there to be replaced, in English and, by
//! [`foreign`](super::foreign), in other languages.

use super::foreign::{is_common, is_telling};

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

/// Bytes of the longest filler.
const LONGEST: usize = 16;

/// What the fillers of a word say together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Filling {
    /// All of them are English.
    English,
    /// Some are words of other languages that are a part of much else, such as `dein` and `hier`.
    Common,
    /// One says what they are there for, such as `passwort`.
    Telling,
}

/// Returns what letters say that are fillers one behind the other: `mysecretpassword`.
///
/// Cost: the square of the letters, of which there are at most 64.
fn filling(word: &[u8]) -> Option<Filling> {
    if word.len() > 64 {
        return None;
    }
    let lower = word.to_ascii_lowercase();
    let mut english = vec![false; lower.len() + 1];
    english[0] = true;
    // The same with words of other languages, before one of them tells and from then on.
    let (mut common, mut telling) = (english.clone(), vec![false; lower.len() + 1]);
    for from in 0..lower.len() {
        if !(common[from] || telling[from]) {
            continue;
        }
        for to in from + 1..=lower.len().min(from + LONGEST) {
            let part = &lower[from..to];
            let (is_english, tells) = (is_filler(part), is_telling(part));
            let fills = is_english || is_common(part);
            english[to] |= english[from] && is_english;
            common[to] |= common[from] && fills;
            telling[to] |= telling[from] && (fills || tells) || common[from] && tells;
        }
    }
    let last = lower.len();
    [
        (telling[last], Filling::Telling),
        (english[last], Filling::English),
        (common[last], Filling::Common),
    ]
    .into_iter()
    .find_map(|(reached, filling)| reached.then_some(filling))
}

/// Says whether a value consists of fillers and what joins them only.
///
/// Where words of other languages are among them, one has to tell what they are there for.
pub(super) fn is_filling(value: &[u8]) -> bool {
    let plain = value.iter().all(|byte| {
        byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-' | b'.' | b' ' | b'!' | b'?')
    });
    if !plain {
        return false;
    }
    let (mut all_english, mut told) = (true, false);
    for word in value.split(|byte| !byte.is_ascii_alphabetic()) {
        match filling(word) {
            _ if word.is_empty() => {}
            None => return false,
            Some(filling) => {
                all_english &= filling == Filling::English;
                told |= filling == Filling::Telling;
            }
        }
    }
    all_english || told
}

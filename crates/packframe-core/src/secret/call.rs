//! Secrets among the arguments of calls and in statements: `define('DB_PASSWORD', '…')`,
//! `login("ada", "…")`, `IDENTIFIED BY '…'`, `getenv("SECRET") ?: '…'`.

use super::ascii::{
    at, before, is_blank, is_line_end, is_quote, is_url_safe, run, run_back, starts,
    starts_any_case,
};
use super::assignment::quoted;
use super::found::Found;
use super::key_name::{self, Kind};
use super::rule::Rule;
use super::shape::{Shape, is_wordy};
use super::value::{Form, is_secret};

/// Bytes of an argument that are read at most.
const LONGEST: usize = 160;

/// Arguments that are read at most.
const ARGUMENTS: usize = 4;

const fn is_name(byte: u8) -> bool {
    is_url_safe(byte) || matches!(byte, b'.' | b'$' | b'@' | b'#')
}

fn is_space(byte: u8) -> bool {
    is_blank(byte) || is_line_end(byte)
}

/// Signs behind which a value stands that counts where the one before them is missing.
const OR_ELSE: [&[u8]; 5] = [b"||", b"??", b"?:", b"or ", b":-"];

/// Reads the literal behind a name that has the word from `start` to `end` in it.
pub(super) fn behind_name(text: &[u8], start: usize, end: usize) -> Option<Found> {
    let stop = run(text, end, 32, is_name);
    let first = run_back(text, start, 64, is_name);
    let kind = key_name::kind(&text[first..stop]).filter(|kind| *kind != Kind::Doubtful)?;
    let closed = run(text, stop, 4, |byte| is_quote(byte) || byte == b'\\');
    let next = run(text, closed, 16, is_space);
    let quotes = is_quote(before(text, first));
    if closed > stop && quotes && at(text, next) == b',' {
        let from = run(text, next + 1, 64, is_space);
        let (start, end) = quoted(text, from)?;
        let behind = run(text, end + 1, 32, |byte| {
            is_space(byte) || is_quote(byte) || byte == b'\\'
        });
        return is_argument(kind, &text[start..end], at(text, behind) == b')')
            .then(|| Found::new(Rule::Argument, start, end));
    }
    if closed == stop && next > stop && is_quote(at(text, next)) {
        let (start, end) = quoted(text, next)?;
        return is_argument(kind, &text[start..end], true)
            .then(|| Found::new(Rule::Argument, start, end));
    }
    let from = run(text, stop, 6, |byte| {
        is_quote(byte) || is_blank(byte) || matches!(byte, b')' | b']')
    });
    let sign = OR_ELSE.into_iter().find(|sign| starts(text, from, sign))?;
    let from = run(text, from + sign.len(), 8, is_space);
    let (start, end) = quoted(text, from)?;
    is_argument(kind, &text[start..end], true).then(|| Found::new(Rule::Argument, start, end))
}

/// Says whether a literal is a secret; among more than two it has to look made by chance.
fn is_argument(kind: Kind, value: &[u8], alone: bool) -> bool {
    let shape = Shape::of(&value[..value.len().min(LONGEST)]);
    shape.blanks == 0
        && shape.digits > 0
        && shape.len >= 6
        && (alone || !is_wordy(value))
        && is_secret(kind, value, Form::Quoted)
}

/// Returns the quoted arguments of the call whose arguments start at `from`, with their places.
fn arguments(text: &[u8], from: usize) -> Vec<(usize, (usize, usize))> {
    let mut found = Vec::new();
    let mut place = from;
    for number in 0..ARGUMENTS {
        place = run(text, place, 64, is_space);
        if let Some((start, end)) = quoted(text, place) {
            found.push((number, (start, end)));
            place = end + 1;
        }
        place = run(text, place, LONGEST, |byte| {
            !matches!(byte, b',' | b')' | b']' | b';') && !is_quote(byte)
        });
        if at(text, place) != b',' {
            break;
        }
        place += 1;
    }
    found
}

/// Reads the arguments of a call that logs in; the last literal, behind a first argument, is the
/// password.
pub(super) fn login(text: &[u8], word: usize, from: usize) -> Option<Found> {
    let _ = word;
    let (number, (start, end)) = arguments(text, from).pop()?;
    (number > 0 && is_argument(Kind::Password, &text[start..end], true))
        .then(|| Found::new(Rule::Argument, start, end))
}

/// Reads the arguments of a call that signs; a literal that looks made is the key.
pub(super) fn signer(text: &[u8], from: usize) -> Option<Found> {
    arguments(text, from)
        .into_iter()
        .map(|(_, range)| range)
        .find(|&(start, end)| end - start >= 12 && is_argument(Kind::Key, &text[start..end], true))
        .map(|(start, end)| Found::new(Rule::Argument, start, end))
}

/// Reads the string behind the words of a statement.
pub(super) fn statement(text: &[u8], end: usize) -> Option<Found> {
    let mut from = run(text, end, 8, |byte| is_space(byte) || byte == b'(');
    if starts_any_case(text, from, b"-string") {
        from = run(text, from + 7, 4, is_blank);
    }
    let (start, end) = quoted(text, from)?;
    is_secret(Kind::Password, &text[start..end], Form::Quoted)
        .then(|| Found::new(Rule::Argument, start, end))
}

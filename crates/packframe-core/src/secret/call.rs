//! Secrets among the arguments of calls and in statements: `define('DB_PASSWORD', '…')`,
//! `login("ada", "…")`, `IDENTIFIED BY '…'`, `getenv("SECRET") ?: '…'`.

use super::ascii::{
    at, before, contains, is_blank, is_line_end, is_quote, is_url_safe, run, run_back, starts,
    starts_any_case,
};
use super::found::Found;
use super::key_name::{self, Kind};
use super::literal::quoted;
use super::rule::Rule;
use super::shape::{Shape, is_jumbled, is_mail, is_resource, is_styled, is_wordy};
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
const OR_ELSE: [&[u8]; 7] = [b"||", b"??", b"?:", b"or ", b":-", b"<-", b"As String ="];

/// Methods whose argument is what the field gets, or counts where it has none. In lower case.
const SETTERS: [&[u8]; 18] = [
    b"tobe",
    b"toequal",
    b"type",
    b"fill",
    b"sendkeys",
    b"send_keys",
    b"val",
    b"value",
    b"setvalue",
    b"set_value",
    b"settext",
    b"input",
    b"unwrap_or",
    b"getorelse",
    b"orelse",
    b"or",
    b"default",
    b"ifempty",
];

/// Methods of a value itself, which compare it.
const COMPARERS: [&[u8]; 3] = [b"equals", b"eq", b"equalsignorecase"];

/// Calls that compare their first argument with their second.
const COMPARING: [&[u8]; 5] = [
    b"compare_digest(",
    b"strcmp(",
    b"strncmp(",
    b"compare(",
    b"compareSync(",
];

/// Words in the names of calls whose argument is a password.
const TAKERS: [&[u8]; 9] = [
    b"set", b"check", b"verify", b"with", b"change", b"update", b"reset", b"hash", b"use",
];

/// Reads the literal behind a name that has the word from `start` to `end` in it.
pub(super) fn behind_name(text: &[u8], start: usize, end: usize) -> Option<Found> {
    let stop = run(text, end, 32, is_name);
    let first = run_back(text, start, 64, is_name);
    if let Some(found) = compared(text, first, stop) {
        return Some(found);
    }
    let kind = key_name::kind(&text[first..stop]).filter(|kind| *kind != Kind::Doubtful)?;
    let closed = run(text, stop, 4, |byte| {
        is_quote(byte) || matches!(byte, b'\\' | b']')
    });
    let next = run(text, closed, 16, is_space);
    let quotes = text[stop..closed].iter().any(|byte| is_quote(*byte));
    let compared = COMPARING.iter().any(|call| text[..first].ends_with(call));
    let constant = stop - first >= 3
        && !text[first..stop].iter().any(u8::is_ascii_lowercase)
        && text[first..stop].iter().any(u8::is_ascii_uppercase);
    if (quotes || compared || constant) && at(text, next) == b',' {
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
    if let Some(from) = taker(text, first, stop).or_else(|| setter(text, closed)) {
        return arguments(text, from)
            .into_iter()
            .rfind(|&(number, (start, end))| is_argument(kind, &text[start..end], number == 0))
            .map(|(_, (start, end))| Found::new(Rule::Argument, start, end));
    }
    let from = run(text, stop, 6, |byte| {
        is_quote(byte) || is_blank(byte) || matches!(byte, b')' | b']')
    });
    let sign = OR_ELSE.into_iter().find(|sign| starts(text, from, sign))?;
    let from = run(text, from + sign.len(), 8, is_space);
    let (start, end) = quoted(text, from)?;
    is_argument(kind, &text[start..end], true).then(|| Found::new(Rule::Argument, start, end))
}

/// Reads what a value is compared with by a method: `password.equals("…")`.
fn compared(text: &[u8], first: usize, stop: usize) -> Option<Found> {
    let name = &text[first..stop];
    let point = name.iter().rposition(|byte| *byte == b'.')?;
    let method = name[point + 1..].to_ascii_lowercase();
    let known = COMPARERS.contains(&method.as_slice()) || SETTERS.contains(&method.as_slice());
    if !known || at(text, stop) != b'(' {
        return None;
    }
    let kind = key_name::kind(without_widget(&name[..point]))?;
    let (start, end) = quoted(text, stop + 1)?;
    is_argument(kind, &text[start..end], true).then(|| Found::new(Rule::Argument, start, end))
}

/// Words in the names of calls whose argument is where a password is, or a question for one.
const GETTERS: [&[u8]; 14] = [
    b"get",
    b"find",
    b"fetch",
    b"read",
    b"look",
    b"request",
    b"input",
    b"prompt",
    b"load",
    b"resolve",
    b"ask",
    b"env",
    b"generate",
    b"require",
];

/// Cuts the kind of a widget off a name: `passwordInput`.
fn without_widget(name: &[u8]) -> &[u8] {
    [&b"input"[..], b"field", b"box", b"element", b"edit"]
        .iter()
        .find_map(|widget| {
            let (head, tail) = name.split_at_checked(name.len().checked_sub(widget.len())?)?;
            tail.eq_ignore_ascii_case(widget).then_some(head)
        })
        .unwrap_or(name)
}

/// Says whether a call takes its value from elsewhere.
pub(super) fn is_getter(name: &[u8]) -> bool {
    let name = name.to_ascii_lowercase();
    GETTERS.iter().any(|word| contains(&name, word))
}

/// Returns where the argument starts of a call such as `setPassword(` or `.password(`.
fn taker(text: &[u8], first: usize, stop: usize) -> Option<usize> {
    let name = text[first..stop].to_ascii_lowercase();
    let takes = TAKERS.iter().any(|word| contains(&name, word));
    let builder = name.contains(&b'.') && !is_getter(&name);
    ((takes || builder) && at(text, stop) == b'(').then_some(stop + 1)
}

/// Returns where the argument starts of a method of what is named, as in `$("#password").val(`.
fn setter(text: &[u8], closed: usize) -> Option<usize> {
    let point = run(text, closed, 2, |byte| matches!(byte, b')' | b']'));
    let end = run(text, point + 1, 16, |byte| {
        byte.is_ascii_alphabetic() || byte == b'_'
    });
    let name = text.get(point + 1..end)?.to_ascii_lowercase();
    (point > closed
        && SETTERS.contains(&name.as_slice())
        && at(text, point) == b'.'
        && at(text, end) == b'(')
        .then_some(end + 1)
}

/// Says whether a literal is a secret; among more than two it has to look made by chance.
fn is_argument(kind: Kind, value: &[u8], alone: bool) -> bool {
    let shape = Shape::of(&value[..value.len().min(LONGEST)]);
    shape.blanks == 0
        && (shape.digits > 0 || is_jumbled(value))
        && shape.len >= 6
        && !is_mail(value)
        && (alone && shape.len >= 8
            || !is_wordy(value)
            || is_styled(value)
            || is_jumbled(value)
            || value.contains(&b'@'))
        && !(kind == Kind::Key && is_resource(value, &shape))
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
///
/// `alone` says that the call is told nothing else.
pub(super) fn login(text: &[u8], from: usize, alone: bool) -> Option<Found> {
    arguments(text, from)
        .into_iter()
        .rfind(|&(number, (start, end))| {
            is_argument(Kind::Password, &text[start..end], alone && number > 0)
        })
        .map(|(_, (start, end))| Found::new(Rule::Argument, start, end))
}

/// Reads the arguments of a call that signs; a literal that looks made is the key.
pub(super) fn signer(text: &[u8], from: usize) -> Option<Found> {
    arguments(text, from)
        .into_iter()
        .map(|(_, range)| range)
        .find(|&(start, end)| end - start >= 12 && is_argument(Kind::Key, &text[start..end], true))
        .map(|(start, end)| Found::new(Rule::Argument, start, end))
}

/// Reads the first argument of a call that hashes a password, or compares it with a hash.
pub(super) fn hasher(text: &[u8], from: usize) -> Option<Found> {
    let (number, (start, end)) = arguments(text, from).into_iter().next()?;
    (number == 0 && is_argument(Kind::Password, &text[start..end], true))
        .then(|| Found::new(Rule::Argument, start, end))
}

/// Reads a name and a password that are encoded for a header.
pub(super) fn encoder(text: &[u8], from: usize) -> Option<Found> {
    let (start, end) = quoted(text, run(text, from, 8, is_space))?;
    let colon = start + text[start..end].iter().position(|byte| *byte == b':')? + 1;
    (colon > start + 1 && is_argument(Kind::Password, &text[colon..end], true))
        .then(|| Found::new(Rule::Argument, colon, end))
}

/// Reads a row of values, if a column named before it is one of secrets.
pub(super) fn row(text: &[u8], start: usize, from: usize) -> Option<Found> {
    let begin = run_back(text, start, LONGEST, |byte| byte != b';');
    let columns = &text[begin..start];
    let secret = columns
        .split(|byte| !is_name(*byte))
        .any(|name| key_name::kind(name).is_some_and(|kind| kind != Kind::Doubtful));
    secret.then(|| login(text, from, false))?
}

/// Reads what a script answers, if a password was asked for before.
pub(super) fn answer(text: &[u8], start: usize, from: usize) -> Option<Found> {
    let begin = run_back(text, start, 80, |_| true);
    let asked =
        contains(&text[begin..start], b"assword") || contains(&text[begin..start], b"assphrase");
    let quote = from - usize::from(is_quote(before(text, from)));
    let (start, end) = asked.then(|| quoted(text, quote))??;
    let answer = text[start..end]
        .strip_suffix(b"\\r")
        .or(text[start..end].strip_suffix(b"\\n"));
    let end = start + answer.map_or(end - start, <[u8]>::len);
    is_argument(Kind::Password, &text[start..end], true)
        .then(|| Found::new(Rule::Argument, start, end))
}

/// Reads the literal that ends right before `stop`.
pub(super) fn characters(text: &[u8], stop: usize) -> Option<Found> {
    let end = stop.checked_sub(1).filter(|end| is_quote(text[*end]))?;
    let start = run_back(text, end, LONGEST, |byte| {
        byte != text[end] && !is_line_end(byte)
    });
    (before(text, start) == text[end] && is_argument(Kind::Password, &text[start..end], true))
        .then(|| Found::new(Rule::Argument, start, end))
}

/// Reads the literal that is piped into the command whose last word is at `start`.
pub(super) fn piped(text: &[u8], start: usize) -> Option<Found> {
    let command = run_back(text, start, 16, |byte| {
        byte.is_ascii_alphabetic() || byte == b'-'
    });
    let pipe = run_back(text, command, 4, is_blank);
    let stop = run_back(text, pipe.checked_sub(1)?, 4, is_blank);
    (at(text, pipe - 1) == b'|').then(|| characters(text, stop))?
}

/// Reads the string behind the words of a statement.
pub(super) fn statement(text: &[u8], end: usize) -> Option<Found> {
    let mut from = run(text, end, 8, |byte| is_space(byte) || byte == b'(');
    if starts_any_case(text, from, b"-string") {
        from = run(text, from + 7, 4, is_blank);
    }
    let Some((start, end)) = quoted(text, from) else {
        let end = run(text, from, LONGEST, |byte| byte > b' ' && byte != b';');
        if end - from == LONGEST {
            return None;
        }
        let value = &text[from..end];
        let made =
            value.iter().any(u8::is_ascii_digit) && is_secret(Kind::Password, value, Form::Code);
        return made.then(|| Found::new(Rule::Argument, from, end));
    };
    is_secret(Kind::Password, &text[start..end], Form::Quoted)
        .then(|| Found::new(Rule::Argument, start, end))
}

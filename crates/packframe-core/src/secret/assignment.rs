//! Values of fields whose name says that they are secret: `password=…`, `"api_key": "…"`,
//! `DB_PASSWORD: …`, `<secret>…</secret>`, `--token …`.

use super::account::is_accompanied;
use super::apart::{declared, named_value};
use super::ascii::{
    at, before, is_blank, is_line_end, is_quote, is_url_safe, run, run_back, starts,
};
use super::authorization;
use super::call::is_getter;
use super::found::Found;
use super::key_name::{self, Kind};
use super::literal::quoted;
use super::rule::Rule;
use super::shape::{Shape, is_jumbled, is_resource, is_styled, is_wordy};
use super::told::is_unlike_a_name;
use super::value::{Form, is_secret};

/// Bytes of a name that are read at most.
pub(super) const LONGEST_NAME: usize = 80;

/// Bytes of a value that are read until it is known to be a secret: where names follow names, the
/// same bytes are the value of each.
const UNDECIDED: usize = 192;

/// A name before a separator.
pub(super) struct Name {
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Says whether a byte may stand in a name.
pub(super) const fn is_name(byte: u8) -> bool {
    is_url_safe(byte) || matches!(byte, b'.' | b'$' | b'@')
}

/// Reads the name that ends before a separator.
fn name_before(text: &[u8], separator: usize) -> Option<Name> {
    let mut end = run_back(text, separator, 64, is_blank);
    if matches!(before(text, end), b'?' | b']') {
        end -= 1;
    }
    // char password[32]
    let size = run_back(text, end, 6, |byte| byte.is_ascii_alphanumeric());
    if before(text, size) == b'[' && at(text, end) == b']' {
        end = size - 1;
    }
    if is_quote(before(text, end)) {
        end = run_back(text, end - 1, 4, |byte| byte == b'\\');
    } else {
        // Markdown: **Password**: and **Password:**.
        end = run_back(text, end, 2, |byte| byte == b'*');
    }
    let start = run_back(text, end, LONGEST_NAME, is_name);
    (start < end && end - start < LONGEST_NAME).then_some(Name { start, end })
}

/// Returns what a name holds; a lone `key` takes the word before it, as in `API key`.
fn kind(text: &[u8], name: &Name) -> Option<Kind> {
    let own = &text[name.start..name.end];
    if own.eq_ignore_ascii_case(b"key") && before(text, name.start) == b' ' {
        let start = run_back(text, name.start - 1, 24, is_letter);
        return key_name::kind(&text[start..name.end]).filter(|kind| *kind == Kind::Key);
    }
    if own.eq_ignore_ascii_case(b"is") && before(text, name.start) == b' ' {
        let start = run_back(text, name.start - 1, 24, is_letter);
        return key_name::kind(&text[start..name.start - 1]);
    }
    key_name::kind(own)
}

const fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic()
}

/// Reads the assignment whose separator, `=` or `:`, is at `separator`.
pub(super) fn at_separator(text: &[u8], separator: usize) -> Option<Found> {
    let sign = at(text, separator);
    let (last, next) = (before(text, separator), at(text, separator + 1));
    let differs = last == b'!' && sign == b'=';
    if b":=!<>~+*/%^&|".contains(&last) && !(last == b'*' && sign == b':') && !differs {
        return None;
    }
    if sign == b':' && next == b':' {
        return None;
    }
    let name = name_before(text, separator - usize::from(differs))?;
    let mut from = separator + 1;
    if sign == b':' && next == b'=' || sign == b'=' && next == b'>' {
        from += 1;
    }
    let compared = differs || sign == b'=' && next == b'=';
    while compared && at(text, from) == b'=' {
        from += 1;
    }
    if sign == b':' {
        from = run(text, from, 2, |byte| byte == b'*');
    }
    let own = &text[name.start..name.end];
    if sign == b':' && before(text, name.start) == b':' {
        // A part of a longer name, such as arn:aws:…:secret:….
        return None;
    }
    if authorization::is_header(own) {
        let from = run(text, from, 64, |byte| {
            is_blank(byte) || is_quote(byte) || byte == b'\\'
        });
        return authorization::header(text, from);
    }
    if [&b"auth"[..], b"creds", b"credentials", b"userpwd"]
        .iter()
        .any(|name| own.ends_with(name))
    {
        let from = run(text, from, 8, is_blank);
        if let Some((start, end)) = quoted(text, from) {
            let pair = text[start..end].iter().position(|byte| *byte == b':');
            let password = start + pair.map_or(0, |at| at + 1);
            if password > start + 1 && is_unlike_a_name(&text[password..end]) {
                return Some(Found::new(Rule::Assignment, password, end));
            }
        }
    }
    if own.ends_with(b"auth") {
        let from = run(text, from, 8, |byte| {
            is_blank(byte) || is_quote(byte) || byte == b'\\'
        });
        if let Some(found) = authorization::credentials(text, from) {
            return Some(found);
        }
    }
    if in_query(text, &name) && QUERIES.iter().any(|known| own.eq_ignore_ascii_case(known)) {
        let end = bare_end(text, &name, from);
        let value = &text[from..end];
        return (value.len() >= 24 && is_secret(Kind::Doubtful, value, Form::Literal))
            .then(|| claim(text, &name, from, rest_of(text, &name, from, end)));
    }
    let (kind, name) = match kind(text, &name) {
        Some(kind) => (kind, name),
        None if own.eq_ignore_ascii_case(b"value") => named_value(text, &name)?,
        None if own == b"default" => declared(text, &name)?,
        None => return None,
    };
    let start = run(text, from, usize::MAX, is_blank);
    let start = typed(text, sign, start).unwrap_or(start);
    if let Some((start, end)) = quoted(text, start) {
        let (start, end) = second(text, &name, end).unwrap_or((start, end));
        let value = &text[start..end];
        return is_secret(kind, value, Form::Quoted).then(|| claim(text, &name, start, end));
    }
    if let Some((start, end)) = wrapped(text, start) {
        let value = &text[start..end];
        let made = value.iter().any(u8::is_ascii_digit)
            && (!is_wordy(value) || is_styled(value))
            && !is_resource(value, &Shape::of(value));
        return (made && is_secret(kind, value, Form::Quoted))
            .then(|| claim(text, &name, start, end));
    }
    if compared {
        return None;
    }
    let spaced = start > from || is_blank(last);
    let end = bare_end(text, &name, start);
    let mut form = form(text, sign, &name, spaced, end);
    if form == Form::Code
        && (is_accompanied(text, name.start, false)
            || sign == b'=' && in_settings(text, name.start))
    {
        form = Form::Line;
    }
    if form == Form::Code && text[start..end].ends_with(own) {
        // A name for what has that name elsewhere.
        return None;
    }
    is_secret(kind, &text[start..end], form).then(|| {
        let end = rest_of(text, &name, start, end);
        claim(text, &name, start, end)
    })
}

/// Returns the second literal, where the name is the second of two: `user, password = "…", "…"`.
fn second(text: &[u8], name: &Name, end: usize) -> Option<(usize, usize)> {
    let comma = run_back(text, name.start, 4, is_blank);
    if before(text, comma) != b',' || !before(text, comma - 1).is_ascii_alphanumeric() {
        return None;
    }
    let next = run(text, end + 1, 4, is_blank);
    (at(text, next) == b',').then(|| quoted(text, run(text, next + 1, 4, is_blank)))?
}

fn claim(text: &[u8], name: &Name, start: usize, end: usize) -> Found {
    let aws = key_name::is_aws_secret(&text[name.start..name.end])
        && super::token::is_aws_secret(&text[start..end]);
    let rule = if aws {
        Rule::AwsSecretKey
    } else {
        Rule::Assignment
    };
    Found::new(rule, start, end)
}

/// Returns where the value starts behind the type of a field: `password: str = "…"`.
fn typed(text: &[u8], sign: u8, start: usize) -> Option<usize> {
    if sign != b':' {
        return None;
    }
    let end = run(text, start, 48, |byte| {
        byte.is_ascii_alphanumeric() || b"_&'<>[]?|. :".contains(&byte)
    });
    if end == start || at(text, end) != b'=' || at(text, end + 1) == b'=' {
        return None;
    }
    let value = run(text, end + 1, 8, is_blank);
    // A letter such as `b` may stand before the quotes.
    let quote = run(text, value, 2, |byte| byte.is_ascii_alphabetic());
    is_quote(at(text, quote)).then_some(value)
}

/// Returns the literal that a call gets first: `bytes.fromhex("…")`, `[]byte("…")`.
fn wrapped(text: &[u8], start: usize) -> Option<(usize, usize)> {
    let end = run(text, start, 48, |byte| {
        is_url_safe(byte) || matches!(byte, b'.' | b':' | b'[' | b']' | b' ')
    });
    (end > start && at(text, end) == b'(' && !is_getter(&text[start..end]))
        .then(|| quoted(text, end + 1))?
}

/// Says whether a byte may stand in a bare value.
fn is_bare(byte: u8, query: bool) -> bool {
    byte > b' '
        && byte != 0x7f
        && !is_quote(byte)
        && !matches!(byte, b';' | b'<' | b'\\')
        && (!query || !matches!(byte, b'&' | b'#'))
}

/// Names that hold a key or a signature in the query of a URL, and much else elsewhere.
const QUERIES: [&[u8]; 5] = [b"sig", b"signature", b"X-Amz-Signature", b"key", b"code"];

/// Says whether a name stands in the query of a URL.
fn in_query(text: &[u8], name: &Name) -> bool {
    matches!(before(text, name.start), b'?' | b'&')
}

/// Returns where a bare value ends whose first bytes end at `end`.
fn rest_of(text: &[u8], name: &Name, start: usize, end: usize) -> usize {
    if end - start < UNDECIDED {
        return end;
    }
    let query = in_query(text, name);
    run(text, end, usize::MAX, |byte| is_bare(byte, query))
}

/// Returns where a bare value ends, or where it is long enough to decide.
fn bare_end(text: &[u8], name: &Name, start: usize) -> usize {
    let query = in_query(text, name);
    let mut end = run(text, start, UNDECIDED, |byte| is_bare(byte, query));
    if end - start == UNDECIDED {
        // Not within a character.
        return run(text, end, 3, |byte| byte >= 0x80);
    }
    // A placeholder such as <password> keeps its brackets.
    if end == start && at(text, start) == b'<' {
        end = run(text, start, 64, |byte| byte > b' ' && byte != b'>') + 1;
        return end.min(text.len());
    }
    // A comma ends a value where a name, a space or a bracket follows.
    let comma = text[start..end]
        .iter()
        .enumerate()
        .position(|(place, byte)| {
            *byte == b',' && {
                let rest = start + place + 1;
                let word = run(text, rest, LONGEST_NAME, is_name);
                rest == end || (word > rest && matches!(at(text, word), b'=' | b':'))
            }
        });
    // A password may have one too: three bytes are none.
    // In an object they are a value as any: {password:1,token:2}.
    let short = comma
        .is_some_and(|comma| is_number(&text[start..start + comma]) || in_object(text, name.start));
    if let Some(comma) = comma.filter(|comma| *comma > 3 || *comma == 0 || short) {
        end = start + comma;
    }
    let value = &text[start..end];
    let mut len = value.len();
    while let Some(last) = value[..len].last() {
        let open = match last {
            b'.' | b',' | b':' => 0,
            b')' => b'(',
            b']' => b'[',
            b'}' => b'{',
            _ => break,
        };
        if open != 0 && value[..len].contains(&open) {
            break;
        }
        len -= 1;
    }
    start + len
}

/// Says whether a short value is a number as code has it: `1`, `!0`, `-1`, `1.5`, `1|2`, `1e3`.
fn is_number(value: &[u8]) -> bool {
    value.iter().any(u8::is_ascii_digit)
        && value
            .iter()
            .all(|byte| byte.is_ascii_digit() || b"!-+.|ex".contains(byte))
}

/// Says whether a name is one of an object, by the bracket or the comma right before it.
fn in_object(text: &[u8], name: usize) -> bool {
    matches!(before(text, name), b'{' | b',')
}

/// Says how a bare value is to be read.
fn form(text: &[u8], sign: u8, name: &Name, spaced: bool, end: usize) -> Form {
    let indent = run_back(text, name.start, 64, |byte| {
        is_blank(byte) || matches!(byte, b'-' | b'*')
    });
    let line = indent == 0 || is_line_end(before(text, indent));
    let rest = run(text, end, 64, is_blank);
    let ends =
        rest >= text.len() || is_line_end(text[rest]) || (rest > end && at(text, rest) == b'#');
    if sign == b':' {
        return if line && ends && spaced {
            Form::Line
        } else {
            Form::Code
        };
    }
    let own = &text[name.start..name.end];
    let environment =
        own.iter().any(u8::is_ascii_uppercase) && !own.iter().any(u8::is_ascii_lowercase);
    let first = before(text, name.start);
    let word = run_back(text, name.start.saturating_sub(1), 12, is_letter);
    let command = first == b' '
        && [&b"export"[..], b"set", b"setenv", b"env", b"ENV", b"ARG"]
            .contains(&&text[word..name.start - 1]);
    let option = own.starts_with(b"--");
    let joined = matches!(first, b'?' | b'&' | b';') || option || command;
    // user=ada password=…
    let field = first == b' ' && {
        let other = run_back(text, name.start - 1, 48, |byte| {
            is_url_safe(byte) || matches!(byte, b'=' | b'.' | b'/' | b':')
        });
        text[other..name.start].contains(&b'=')
    };
    let joined = joined || field;
    let column = name.start == 0 || is_line_end(first);
    if joined || !spaced && (environment || column && ends) {
        Form::Literal
    } else {
        Form::Code
    }
}

/// Says whether the lines before a place are those of a file of settings: a comment behind a
/// semicolon, or a name in square brackets.
fn in_settings(text: &[u8], place: usize) -> bool {
    let from = run_back(text, place, 512, |_| true);
    let mut lines = text[from..place]
        .split(|byte| *byte == b'\n')
        .map(<[u8]>::trim_ascii);
    lines.any(|line| {
        line.starts_with(b";")
            || line.starts_with(b"[") && line.ends_with(b"]") && !line.contains(&b',')
    })
}

/// Reads an option of a command, `--password value`, whose hyphens end at `name`.
pub(super) fn at_option(text: &[u8], name: usize) -> Option<Found> {
    let end = run(text, name, LONGEST_NAME, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
    });
    let start = run(text, end, 8, is_blank);
    if start == end || at(text, start) == b'-' {
        return None;
    }
    let kind = key_name::kind(&text[name..end]).filter(|kind| *kind != Kind::Doubtful)?;
    if let Some((start, end)) = quoted(text, start) {
        let value = &text[start..end];
        return is_secret(kind, value, Form::Quoted).then_some(Found::new(
            Rule::Assignment,
            start,
            end,
        ));
    }
    let own = Name { start: name, end };
    let stop = bare_end(text, &own, start);
    let value = &text[start..stop];
    let made = value.iter().any(|byte| !byte.is_ascii_alphabetic()) || is_jumbled(value);
    let is_odd = value.iter().any(u8::is_ascii_digit) && value.iter().any(u8::is_ascii_uppercase);
    let form = if is_odd { Form::Literal } else { Form::Code };
    (made && is_secret(kind, value, form)).then_some(Found::new(Rule::Assignment, start, stop))
}

/// Reads the text of an element whose start tag ends at `close`: `<password>…</password>`,
/// `<string name="api_key">…</string>`.
pub(super) fn at_tag(text: &[u8], close: usize) -> Option<Found> {
    let end = run_back(text, close, 1, is_quote);
    let start = run_back(text, end, LONGEST_NAME, |byte| {
        is_name(byte) || byte == b':'
    });
    let first = before(text, start);
    let named = if end < close {
        is_quote(first)
            && (text[..start - 1].ends_with(b"name=") || text[..start - 1].ends_with(b"key="))
    } else {
        first == b'<'
    };
    let kind = named.then(|| key_name::kind(&text[start..end]))??;
    let from = close + 1;
    let stop = run(text, from, UNDECIDED, |byte| {
        byte != b'<' && !is_line_end(byte)
    });
    if !starts(text, stop, b"</") {
        return None;
    }
    let value = text[from..stop].trim_ascii();
    let from = from + text[from..stop].len() - text[from..stop].trim_ascii_start().len();
    is_secret(kind, value, Form::Quoted).then_some(Found::new(
        Rule::Assignment,
        from,
        from + value.len(),
    ))
}

/// Says whether a string is a secret, since it stands under this name.
pub(super) fn under(name: &str, value: &str) -> bool {
    key_name::kind(name.as_bytes())
        .is_some_and(|kind| is_secret(kind, value.trim().as_bytes(), Form::Quoted))
}

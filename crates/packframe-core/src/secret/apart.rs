//! Names that stand apart from their value: `name: DB_PASSWORD` and `value: …` on the next line,
//! `variable "db_password"` and its `default`.

use super::ascii::{at, before, is_blank, is_line_end, is_quote, run, run_back};
use super::assignment::{LONGEST_NAME, Name, is_name};
use super::key_name::{self, Kind};

/// Bytes that are read back from a default to the name of its variable.
const DECLARATION: usize = 240;

/// Reads the name that belongs to a `value`: `name: DB_PASSWORD` and `value: …` on the next line,
/// or `key="ApiKey" value="…"`.
pub(super) fn named_value(text: &[u8], value: &Name) -> Option<(Kind, Name)> {
    let end = run_back(text, value.start, 64, |byte| {
        is_blank(byte) || is_line_end(byte) || is_quote(byte) || matches!(byte, b',' | b'\\')
    });
    let start = run_back(text, end, LONGEST_NAME, is_name);
    let sign = run_back(text, start, 4, |byte| {
        is_blank(byte) || is_quote(byte) || byte == b'\\'
    });
    if start == end || !matches!(before(text, sign), b':' | b'=') {
        return None;
    }
    let label = run_back(text, sign - 1, 4, |byte| {
        is_blank(byte) || is_quote(byte) || byte == b'\\'
    });
    let first = run_back(text, label, 8, is_name);
    let known = [&b"name"[..], b"key"]
        .iter()
        .any(|word| text[first..label].eq_ignore_ascii_case(word));
    let kind = known.then(|| key_name::kind(&text[start..end]))??;
    Some((kind, Name { start, end }))
}

/// Reads the name that belongs to the `default` of a variable of Terraform:
/// `variable "db_password" { default = "…" }`.
pub(super) fn declared(text: &[u8], default: &Name) -> Option<(Kind, Name)> {
    let from = run_back(text, default.start, DECLARATION, |byte| byte != b'}');
    let word = b"variable \"";
    let place = text[from..default.start]
        .windows(word.len())
        .rposition(|part| part == word)?;
    let start = from + place + word.len();
    let end = run(text, start, LONGEST_NAME, is_name);
    let kind = key_name::kind(&text[start..end]).filter(|_| is_quote(at(text, end)))?;
    Some((kind, Name { start, end }))
}

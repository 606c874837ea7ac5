//! Secrets in JSON: each key and each string is read as what it says, and what stands under the
//! name of a secret counts.
//!
//! The text is walked as it is, so what is no secret keeps its bytes, numbers their digits and
//! keys their order.

use std::borrow::Cow;

use super::ascii::{is_blank, is_line_end, run};
use super::assignment::under;
use super::found::Found;
use super::rule::Rule;
use super::scan::scan;

/// Names under which a secret stands deeper: `{"password": {"value": "…"}}`.
const NEUTRAL: [&str; 8] = [
    "current",
    "data",
    "default",
    "plain",
    "plaintext",
    "raw",
    "text",
    "value",
];

/// A string of the JSON text: its place with its quotes, and what it says.
pub(super) struct Text<'a> {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) says: Cow<'a, str>,
    pub(super) is_key: bool,
    /// The name that it stands under, or for a bare number the same.
    under: Option<String>,
}

impl Text<'_> {
    /// Finds its secrets, as ranges of what it says.
    pub(super) fn secrets(&self, rules: u32) -> Vec<Found> {
        let whole = self.says.len();
        let named = rules & Rule::Assignment.bit() != 0
            && !self.is_key
            && self
                .under
                .as_deref()
                .is_some_and(|name| under(name, &self.says));
        let mut found = scan(&self.says, rules);
        let known = found
            .first()
            .is_some_and(|claim| claim.start == 0 && claim.end == whole);
        if named && !known {
            found = vec![Found::new(Rule::Assignment, 0, whole)];
        }
        found
    }
}

/// Where the walk is.
struct Level {
    /// The name that everything here stands under.
    name: Option<String>,
    is_object: bool,
    /// In an object, the last key, once it is read.
    key: Option<String>,
    /// In an object, what stood under `name` or `key`: the name of its `value`.
    label: Option<String>,
}

/// Reads the strings of a JSON text, and the numbers under a name, in order.
///
/// What is not JSON is walked as far as it looks like it; the walk never fails.
pub(super) fn strings(json: &str, mut see: impl FnMut(Text<'_>)) {
    let text = json.as_bytes();
    let mut levels: Vec<Level> = Vec::new();
    let mut place = 0;
    while let Some(&byte) = text.get(place) {
        match byte {
            b'{' | b'[' => {
                let name = name_of(&levels);
                levels.push(Level {
                    name,
                    is_object: byte == b'{',
                    key: None,
                    label: None,
                });
                place += 1;
            }
            b'}' | b']' => {
                levels.pop();
                place += 1;
            }
            b',' => {
                if let Some(level) = levels.last_mut() {
                    level.key = None;
                }
                place += 1;
            }
            b'"' => {
                let end = string_end(text, place);
                let says = decode(json, place, end);
                let is_key = levels
                    .last()
                    .is_some_and(|level| level.is_object && level.key.is_none());
                let text = Text {
                    start: place,
                    end,
                    is_key,
                    under: if is_key { None } else { name_of(&levels) },
                    says,
                };
                if let Some(level) = levels.last_mut() {
                    if is_key {
                        level.key = Some(text.says.clone().into_owned());
                    } else if matches!(level.key.as_deref(), Some("name" | "key")) {
                        level.label = Some(text.says.clone().into_owned());
                    }
                }
                see(text);
                place = end;
            }
            b'-' | b'0'..=b'9' => {
                let end = run(text, place, usize::MAX, |byte| {
                    byte.is_ascii_digit() || matches!(byte, b'.' | b'+' | b'-' | b'e' | b'E')
                });
                if let Some(name) = name_of(&levels) {
                    see(Text {
                        start: place,
                        end,
                        says: Cow::Borrowed(&json[place..end]),
                        is_key: false,
                        under: Some(name),
                    });
                }
                place = end;
            }
            _ => {
                place = run(text, place + 1, usize::MAX, |byte| {
                    is_blank(byte)
                        || is_line_end(byte)
                        || byte.is_ascii_alphabetic()
                        || byte >= 0x80
                });
            }
        }
    }
}

/// Returns the name that the next value stands under.
fn name_of(levels: &[Level]) -> Option<String> {
    let level = levels.last()?;
    match &level.key {
        Some(key) if key == "value" && level.label.is_some() => level.label.clone(),
        Some(key) if level.name.is_some() && NEUTRAL.contains(&key.as_str()) => level.name.clone(),
        Some(key) => Some(key.clone()),
        None => level.name.clone(),
    }
}

/// Returns where a string ends that starts at `start`: behind its closing quote, or the end.
fn string_end(text: &[u8], start: usize) -> usize {
    let mut place = start + 1;
    while let Some(&byte) = text.get(place) {
        match byte {
            b'"' => return place + 1,
            b'\\' => place += 2,
            _ => place += 1,
        }
    }
    text.len()
}

/// Returns what a string says; a string that is none is taken as it is written.
fn decode(json: &str, start: usize, end: usize) -> Cow<'_, str> {
    let literal = &json[start..end];
    let inner = literal
        .strip_prefix('"')
        .map_or(literal, |rest| rest.strip_suffix('"').unwrap_or(rest));
    if !inner.contains('\\') {
        return Cow::Borrowed(inner);
    }
    serde_json::from_str(literal).map_or(Cow::Borrowed(inner), Cow::Owned)
}

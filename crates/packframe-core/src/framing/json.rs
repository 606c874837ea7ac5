//! JSON with its keys in order, and written as Python writes it.
//!
//! Chat templates and the renderers of other libraries write values with Python's `json.dumps`, so
//! what a model reads depends on how that writes numbers, and on the order of keys.

use std::fmt;
use std::fmt::Write as _;

use serde::de::{Deserialize as _, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// A JSON value; an object keeps the order of its keys.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    /// A whole number, as it is written.
    Whole(Box<str>),
    /// Any other number.
    Float(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

/// How values are written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style<'a> {
    /// Between the elements of a list or an object.
    pub(crate) item: &'a str,
    /// Between a key and its value.
    pub(crate) key: &'a str,
    /// Spaces a level, with line breaks; `None` for one line.
    pub(crate) indent: Option<usize>,
    /// Whether all but ASCII is escaped.
    pub(crate) ascii: bool,
    /// Whether keys are sorted.
    pub(crate) sorted: bool,
}

impl Style<'static> {
    /// As `json.dumps(value, ensure_ascii=False)`.
    pub(crate) const PYTHON: Self = Self {
        item: ", ",
        key: ": ",
        indent: None,
        ascii: false,
        sorted: false,
    };
    /// As `json.dumps(value, ensure_ascii=False, separators=(",", ":"))`.
    pub(crate) const COMPACT: Self = Self {
        item: ",",
        key: ":",
        ..Self::PYTHON
    };
}

impl Json {
    /// Reads a value, nested up to 128 deep; `None` for what is none.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let raw: &RawValue = serde_json::from_str(text).ok()?;
        parse(raw.get(), 0).ok()
    }

    /// Returns the value of a key of an object; a null is none.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        self.raw(key).filter(|value| **value != Self::Null)
    }

    /// Returns the value of a key of an object, also a null.
    pub(crate) fn raw(&self, key: &str) -> Option<&Self> {
        let Self::Object(fields) = self else {
            return None;
        };
        let found = fields.iter().find(|(name, _)| name == key);
        found.map(|(_, value)| value)
    }

    /// Returns the string of a key of an object.
    pub(crate) fn string(&self, key: &str) -> Option<&str> {
        self.get(key)?.as_text()
    }

    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the elements of a list; of anything else none.
    pub(crate) fn list(&self) -> &[Self] {
        match self {
            Self::List(elements) => elements,
            _ => &[],
        }
    }

    /// Returns the fields of an object; of anything else none.
    pub(crate) fn fields(&self) -> &[(String, Self)] {
        match self {
            Self::Object(fields) => fields,
            _ => &[],
        }
    }

    /// Writes the value.
    pub(crate) fn write(&self, style: Style<'_>) -> String {
        let mut out = String::new();
        self.write_to(&mut out, style, 0);
        out
    }

    /// Returns the value as compact JSON, as it is sent.
    pub(crate) fn compact(&self) -> String {
        self.write(Style::COMPACT)
    }

    fn write_to(&self, out: &mut String, style: Style<'_>, depth: usize) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(true) => out.push_str("true"),
            Self::Bool(false) => out.push_str("false"),
            Self::Whole(digits) => out.push_str(digits),
            Self::Float(value) => out.push_str(&python_float(*value)),
            Self::Text(text) => write_text(text, style.ascii, out),
            Self::List(elements) => {
                let all = elements.iter().map(|element| (None, element));
                write_all(out, style, depth, ('[', ']'), all);
            }
            Self::Object(fields) => {
                let mut fields: Vec<&(String, Self)> = fields.iter().collect();
                if style.sorted {
                    fields.sort_by(|left, right| left.0.cmp(&right.0));
                }
                let all = fields
                    .into_iter()
                    .map(|(key, value)| (Some(key.as_str()), value));
                write_all(out, style, depth, ('{', '}'), all);
            }
        }
    }
}

fn write_all<'a>(
    out: &mut String,
    style: Style<'_>,
    depth: usize,
    (open, close): (char, char),
    all: impl ExactSizeIterator<Item = (Option<&'a str>, &'a Json)>,
) {
    out.push(open);
    let some = all.len() > 0;
    for (at, (key, value)) in all.enumerate() {
        if at > 0 {
            out.push_str(style.item);
        }
        new_line(out, style, depth + 1);
        if let Some(key) = key {
            write_text(key, style.ascii, out);
            out.push_str(style.key);
        }
        value.write_to(out, style, depth + 1);
    }
    if some {
        new_line(out, style, depth);
    }
    out.push(close);
}

fn new_line(out: &mut String, style: Style<'_>, depth: usize) {
    if let Some(spaces) = style.indent {
        out.push('\n');
        out.extend(std::iter::repeat_n(' ', spaces * depth));
    }
}

/// Writes a string with the escapes that Python writes.
fn write_text(text: &str, ascii: bool, out: &mut String) {
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            control if control < ' ' => escape(u16::from(control as u8), out),
            '\u{7f}' if ascii => escape(0x7f, out),
            other if ascii && !other.is_ascii() => {
                for unit in other.encode_utf16(&mut [0; 2]) {
                    escape(*unit, out);
                }
            }
            other => out.push(other),
        }
    }
    out.push('"');
}

fn escape(unit: u16, out: &mut String) {
    write!(out, "\\u{unit:04x}").expect("a string takes all that is written");
}

/// Writes a number as Python's `repr` of a float does: the fewest digits that read the same, with
/// an exponent below 1e-4 and from 1e16 on.
pub(crate) fn python_float(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    let written = format!("{value:e}");
    let (digits, exponent) = written.split_once('e').expect("it has an exponent");
    let exponent: i32 = exponent.parse().expect("an exponent is a number");
    if value == 0.0 || (-4..16).contains(&exponent) {
        let plain = format!("{value}");
        return if plain.contains('.') {
            plain
        } else {
            format!("{plain}.0")
        };
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

/// Lists and objects that may stand in each other.
const MAX_DEPTH: usize = 128;

/// Reads a value at some depth.
struct At(usize);

impl<'de> DeserializeSeed<'de> for At {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        // Numbers are wanted as they are written, which only a raw value has.
        let raw = <&RawValue>::deserialize(deserializer)?;
        parse(raw.get(), self.0).map_err(serde::de::Error::custom)
    }
}

fn parse(raw: &str, depth: usize) -> Result<Json, serde_json::Error> {
    let first = raw.as_bytes().first().copied().unwrap_or(b'n');
    Ok(match first {
        b'n' => Json::Null,
        b't' => Json::Bool(true),
        b'f' => Json::Bool(false),
        b'"' => Json::Text(serde_json::from_str(raw)?),
        b'[' | b'{' if depth == MAX_DEPTH => {
            return Err(serde::de::Error::custom("is nested too deeply"));
        }
        b'[' | b'{' => serde_json::Deserializer::from_str(raw).deserialize_any(Nested(depth))?,
        _ => number(raw),
    })
}

fn number(raw: &str) -> Json {
    if raw.contains(['.', 'e', 'E']) {
        // Too large a number is infinite, as it is in Python.
        return Json::Float(raw.parse().unwrap_or(f64::INFINITY));
    }
    Json::Whole(if raw == "-0" { "0".into() } else { raw.into() })
}

/// Reads lists and objects at some depth.
struct Nested(usize);

impl<'de> Visitor<'de> for Nested {
    type Value = Json;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list or an object")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Json, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = list.next_element_seed(At(self.0 + 1))? {
            elements.push(element);
        }
        Ok(Json::List(elements))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut fields: Vec<(String, Json)> = Vec::new();
        let mut places = std::collections::HashMap::new();
        while let Some(key) = map.next_key::<String>()? {
            let value = map.next_value_seed(At(self.0 + 1))?;
            // The last value of a key that comes twice counts, at the place of the first.
            if let Some(&place) = places.get(&key) {
                let field: &mut (String, Json) = &mut fields[place];
                field.1 = value;
            } else {
                places.insert(key.clone(), fields.len());
                fields.push((key, value));
            }
        }
        Ok(Json::Object(fields))
    }
}

#[cfg(test)]
mod tests {
    use super::{Json, Style, python_float};

    #[test]
    fn values_are_written_as_python_writes_them() {
        for (json, wanted) in [
            (
                r#"{"b":1,"a":[true,null,-0]}"#,
                r#"{"b": 1, "a": [true, null, 0]}"#,
            ),
            (r#"{"a":1,"b":2,"a":3}"#, r#"{"a": 3, "b": 2}"#),
            ("1e400", "Infinity"),
            (
                "[1.0,1e5,1e16,1.5e-7,0.0001,-0.0]",
                "[1.0, 100000.0, 1e+16, 1.5e-07, 0.0001, -0.0]",
            ),
            (
                "123456789012345678901234567890",
                "123456789012345678901234567890",
            ),
            (r#""é \u0001 \" \/ 😀""#, r#""é \u0001 \" / 😀""#),
            ("{}", "{}"),
        ] {
            let value = Json::read(json).expect(json);
            assert_eq!(value.write(Style::PYTHON), wanted);
        }
    }

    #[test]
    fn an_indent_breaks_lines() {
        let value = Json::read(r#"{"b":[1],"a":{}}"#).expect("JSON");
        let style = Style {
            item: ",",
            indent: Some(2),
            sorted: true,
            ..Style::PYTHON
        };
        assert_eq!(
            value.write(style),
            "{\n  \"a\": {},\n  \"b\": [\n    1\n  ]\n}"
        );
        let style = Style {
            ascii: true,
            ..Style::PYTHON
        };
        assert_eq!(
            Json::Text("é😀".into()).write(style),
            r#""\u00e9\ud83d\ude00""#
        );
    }

    #[test]
    fn floats_have_the_digits_of_python() {
        assert_eq!(python_float(1e22), "1e+22");
        assert_eq!(python_float(123_456_789.125), "123456789.125");
        assert_eq!(python_float(1e-5), "1e-05");
        assert_eq!(python_float(0.0), "0.0");
    }
}

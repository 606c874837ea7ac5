//! A JSON object read one level deep, its values left as they are written.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The fields of an object in their order, each value as the text that it is written as.
#[derive(Debug, Clone, Default)]
pub(super) struct Fields<'a>(Vec<(Cow<'a, str>, &'a str)>);

impl<'a> Fields<'a> {
    /// Reads an object, or nothing where the text is none. Linear.
    pub(super) fn parse(json: &'a str) -> Option<Self> {
        // An error costs as much as a long read, and most values are strings.
        if !json.trim_ascii_start().starts_with('{') {
            return None;
        }
        serde_json::from_str(json).ok()
    }

    /// Returns the text of a value that is there and not null.
    pub(super) fn get(&self, name: &str) -> Option<&'a str> {
        let found = self.0.iter().rfind(|(key, _)| key == name);
        found.map(|(_, raw)| *raw).filter(|raw| *raw != "null")
    }

    /// Says whether there is a value, null or not.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(key, _)| key == name)
    }

    /// Returns the value under the first of two names that has one.
    pub(super) fn either(&self, name: &str, other: &str) -> Option<&'a str> {
        self.get(name).or_else(|| self.get(other))
    }

    /// Returns a value that is a string.
    pub(super) fn text(&self, name: &str) -> Option<Cow<'a, str>> {
        self.get(name).and_then(text)
    }

    /// Says whether a value is a string, without unescaping it.
    pub(super) fn has_text(&self, name: &str) -> bool {
        self.get(name).is_some_and(is_text)
    }

    /// Returns a value that is a string with something in it.
    pub(super) fn id(&self, name: &str) -> Option<Cow<'a, str>> {
        self.text(name).filter(|id| !id.is_empty())
    }

    /// Returns a value that is an object.
    pub(super) fn object(&self, name: &str) -> Option<Self> {
        self.get(name).and_then(Self::parse)
    }

    /// Returns the fields in their order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &'a str)> {
        self.0.iter().map(|(key, raw)| (&**key, *raw))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;

        impl<'de> Visitor<'de> for Read {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields<'de>, A::Error> {
                let mut fields = Vec::with_capacity(6);
                while let Some(Key(key)) = map.next_key()? {
                    let value: &'de RawValue = map.next_value()?;
                    fields.push((key, value.get()));
                }
                Ok(Fields(fields))
            }
        }

        deserializer.deserialize_map(Read)
    }
}

/// A key, borrowed where nothing in it is escaped.
struct Key<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Key<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;

        impl<'de> Visitor<'de> for Read {
            type Value = Key<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }

            fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Borrowed(key)))
            }

            fn visit_str<E>(self, key: &str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Owned(key.to_owned())))
            }
        }

        deserializer.deserialize_str(Read)
    }
}

/// Reads a string; what is none, or has half of a surrogate pair, gives nothing.
pub(super) fn text(raw: &str) -> Option<Cow<'_, str>> {
    let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
    if inner.contains('\\') {
        return serde_json::from_str(raw).ok().map(Cow::Owned);
    }
    Some(Cow::Borrowed(inner))
}

/// Says whether [`text`] reads a string: most have nothing in them that could be half a pair.
pub(super) fn is_text(raw: &str) -> bool {
    if raw.contains("\\u") {
        return text(raw).is_some();
    }
    raw.len() > 1 && raw.starts_with('"') && raw.ends_with('"')
}

/// Returns the elements of a list, or nothing where the text is no list. Linear.
pub(super) fn elements(raw: &str) -> Option<Vec<&str>> {
    if !raw.trim_ascii_start().starts_with('[') {
        return None;
    }
    let values: Vec<&RawValue> = serde_json::from_str(raw).ok()?;
    Some(values.into_iter().map(RawValue::get).collect())
}

/// Writes a text as a JSON string.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Writes an object from names and the texts of values.
pub(super) fn object<'a>(fields: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut json = String::from("{");
    for (name, raw) in fields {
        if json.len() > 1 {
            json.push(',');
        }
        json.push_str(&quoted(name));
        json.push(':');
        json.push_str(raw);
    }
    json.push('}');
    json
}

/// Writes a list from the texts of values.
pub(super) fn list<'a>(values: impl IntoIterator<Item = &'a str>) -> String {
    let mut json = String::from("[");
    for raw in values {
        if json.len() > 1 {
            json.push(',');
        }
        json.push_str(raw);
    }
    json.push(']');
    json
}

#[cfg(test)]
mod tests {
    use super::{Fields, elements, is_text, list, object, text};

    #[test]
    fn fields_keep_order_and_text() {
        let json = r#"{"b":1.50,"a\n":[1,{"x":null}],"n":null,"b":"\u00e9"}"#;
        let fields = Fields::parse(json).expect("an object");
        assert_eq!(fields.get("a\n"), Some(r#"[1,{"x":null}]"#));
        assert_eq!(fields.get("n"), None);
        assert_eq!(fields.text("b").as_deref(), Some("é"));
        let fields = [("b", "1.50"), ("a\n", r#"[1,{"x":null}]"#)];
        assert_eq!(object(fields), r#"{"b":1.50,"a\n":[1,{"x":null}]}"#);
    }

    #[test]
    fn what_is_something_else_gives_nothing() {
        for json in ["", "[]", "1", "{", r#"{"a"}"#, "\"x\""] {
            assert!(Fields::parse(json).is_none(), "{json}");
        }
        assert!(text(r#""\ud800""#).is_none());
        assert!(text("1").is_none());
        assert!(text("\"").is_none());
        for raw in [
            "\"\"",
            "\"",
            "1",
            r#""a\n""#,
            r#""\ud800""#,
            r#""\ud83d\ude00""#,
            r#""\\u""#,
            "[\"a\"]",
        ] {
            assert_eq!(is_text(raw), text(raw).is_some(), "{raw}");
        }
        assert_eq!(elements("[1,[2]]"), Some(vec!["1", "[2]"]));
        assert!(elements("{}").is_none());
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        assert_eq!(elements(&deep).map(|found| found.len()), Some(1));
        assert_eq!(list(["1", "\"a\""]), "[1,\"a\"]");
    }
}

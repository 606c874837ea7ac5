//! JSON rewritten as text: made compact, its strings replaced, its numbers and order left alone.

use std::borrow::Cow;

/// Lists and objects that may stand in each other, as many as a Python value may have.
const MAX_DEPTH: usize = 128;

/// A step on the way to a value: the key in an object, or an element of a list.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Step<'a> {
    Key(Cow<'a, str>),
    Element,
}

/// Returns JSON without white space between its parts, with non-ASCII kept and every string escaped
/// no more than it must be; or what is wrong with the text, as the predicate of a sentence.
///
/// Numbers stay as they are written, and keys in their order. Linear.
pub(crate) fn compact(text: &str) -> Result<String, String> {
    serde_json::from_str::<serde::de::IgnoredAny>(text)
        .map_err(|error| format!("is no JSON ({error})"))?;
    rewrite(text, |_, _| None)
}

/// Returns JSON, compact, with other strings where `replace` has one for a value; keys stay.
pub(crate) fn rewrite(
    json: &str,
    mut replace: impl FnMut(&[Step<'_>], &str) -> Option<String>,
) -> Result<String, String> {
    let mut out = String::with_capacity(json.len());
    // The way to the value that comes next; an object that waits for a key has an empty one.
    let mut path: Vec<Step<'_>> = Vec::new();
    let mut key_next = false;
    let mut rest = json.trim_start_matches(SPACE);
    while let Some(first) = rest.as_bytes().first() {
        let mut length = 1;
        match first {
            b'"' => {
                length = string_length(rest).ok_or("has a string without an end")?;
                let text: Cow<'_, str> = read_string(&rest[..length])?;
                if key_next {
                    write_string(&text, &mut out);
                    if let Some(last) = path.last_mut() {
                        *last = Step::Key(text);
                    }
                } else {
                    let replaced = replace(&path, &text);
                    write_string(replaced.as_deref().unwrap_or(&text), &mut out);
                }
                key_next = false;
            }
            b'{' | b'[' => {
                if path.len() == MAX_DEPTH {
                    return Err(format!("is nested deeper than {MAX_DEPTH}"));
                }
                key_next = *first == b'{';
                path.push(if key_next {
                    Step::Key("".into())
                } else {
                    Step::Element
                });
                out.push(char::from(*first));
            }
            b'}' | b']' => {
                path.pop();
                key_next = false;
                out.push(char::from(*first));
            }
            b',' => {
                key_next = matches!(path.last(), Some(Step::Key(_)));
                out.push(',');
            }
            b':' => out.push(':'),
            _ => {
                let ends = |character| ",:]}".contains(character) || SPACE.contains(&character);
                length = rest.find(ends).unwrap_or(rest.len());
                let word = &rest[..length];
                if word.parse().is_ok_and(f64::is_infinite) && word.contains(['.', 'e', 'E']) {
                    return Err(format!("has a number out of range: {word}"));
                }
                out.push_str(word);
            }
        }
        rest = rest[length..].trim_start_matches(SPACE);
    }
    Ok(out)
}

/// What JSON takes for white space.
const SPACE: [char; 4] = [' ', '\t', '\n', '\r'];

/// Returns the bytes of the string that the text starts with, its quotes included.
fn string_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 1;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    None
}

fn read_string(quoted: &str) -> Result<Cow<'_, str>, String> {
    let inner = &quoted[1..quoted.len() - 1];
    if !inner.contains('\\') {
        return Ok(inner.into());
    }
    serde_json::from_str::<String>(quoted)
        .map(Cow::Owned)
        .map_err(|error| format!("has a string that is no text ({error})"))
}

fn write_string(text: &str, out: &mut String) {
    match serde_json::to_string(text) {
        Ok(quoted) => out.push_str(&quoted),
        Err(_) => unreachable!("every text can be written as JSON"),
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_DEPTH, Step, compact, rewrite};

    #[test]
    fn json_is_made_compact_and_no_more() {
        for (text, expected) in [
            (
                " { \"b\" : [ 1.50 , 1e3,-0 ] ,\n\"a\":null}\t",
                "{\"b\":[1.50,1e3,-0],\"a\":null}",
            ),
            (
                r#""\u00e9\/\u0001\"\n\ud83d\ude00""#,
                "\"é/\\u0001\\\"\\n😀\"",
            ),
            ("\"a b , : ] }\"", "\"a b , : ] }\""),
            ("true", "true"),
            ("[]", "[]"),
            (
                "123456789012345678901234567890",
                "123456789012345678901234567890",
            ),
        ] {
            assert_eq!(compact(text).as_deref(), Ok(expected), "{text}");
        }
        let deep = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(compact(&deep(MAX_DEPTH)).is_ok());
        let broken = [
            "",
            "{",
            "[1,]",
            "{\"a\"}",
            "NaN",
            "1e999",
            r#""\ud800""#,
            "\"",
            "1 2",
        ];
        for text in broken
            .into_iter()
            .chain([&*deep(MAX_DEPTH + 1), &*deep(100_000)])
        {
            assert!(compact(text).is_err(), "{text}");
        }
    }

    #[test]
    fn strings_are_replaced_and_keys_are_not() {
        let mut paths = Vec::new();
        let rewritten = rewrite(
            r#"{"x":"x","l":[{"x":1,"y":"x"},"x",[]],"z":"q"}"#,
            |path, text| {
                let path = path.iter().map(|step| match step {
                    Step::Key(key) => key.to_string(),
                    Step::Element => "*".to_owned(),
                });
                paths.push(path.collect::<Vec<_>>().join("."));
                (text == "x").then(|| "\"new\"".to_owned())
            },
        );
        let expected = r#"{"x":"\"new\"","l":[{"x":1,"y":"\"new\""},"\"new\"",[]],"z":"q"}"#;
        assert_eq!(rewritten.as_deref(), Ok(expected));
        assert_eq!(paths, ["x", "l.*.y", "l.*", "z"]);
    }
}

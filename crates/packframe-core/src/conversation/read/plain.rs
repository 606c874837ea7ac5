//! Messages of one string, which most are, read without a parser.

use crate::conversation::format::Format;
use crate::conversation::view::{Row, Speaker};

/// Returns who speaks in a message that is a role and what is said, written without a space and in
/// this order.
///
/// Gives nothing for any other, and where something may be wrong with it: then all of it has to be
/// read.
pub(crate) fn speaker(json: &str, format: Format) -> Option<Speaker> {
    let (speaker, rest) = role(json.strip_prefix(r#"{"role":""#)?, format)?;
    let (before, behind) = match format {
        Format::Gemini => (r#"","parts":[{"text":""#, r#""}]}"#),
        _ => (r#"","content":""#, r#""}"#),
    };
    let said = rest.strip_prefix(before)?.strip_suffix(behind)?;
    is_plain(said.as_bytes()).then_some(speaker)
}

/// Returns such a message as it is read.
pub(super) fn row<'a>(speaker: Speaker) -> Row<'a> {
    Row {
        blocks: 1,
        ..Row::new(speaker)
    }
}

/// Reads who speaks; gives what is left.
fn role(json: &str, format: Format) -> Option<(Speaker, &str)> {
    let has_system = matches!(format, Format::OpenAiChat | Format::OpenAiResponses);
    let model = match format {
        Format::Gemini => "model",
        _ => "assistant",
    };
    let words = [
        ("user", Speaker::User),
        (model, Speaker::Assistant),
        ("system", Speaker::System),
        ("developer", Speaker::Developer),
    ];
    let known = if has_system { 4 } else { 2 };
    words[..known]
        .iter()
        .find_map(|(word, speaker)| Some((*speaker, json.strip_prefix(word)?)))
}

/// Says whether what stands between two quotes is a string that ends at the second, and no blank.
fn is_plain(said: &[u8]) -> bool {
    let opens = |byte: &u8| byte.is_ascii_graphic() && *byte != b'"' && *byte != b'\\';
    if !said.first().is_some_and(opens) {
        return false;
    }
    let odd = |byte: u8| byte < 0x20 || byte == b'"' || byte == b'\\';
    // All at once first: sums without a way out are made many bytes at a time.
    let any = said.iter().fold(0_u8, |any, &byte| {
        any | u8::from(byte < 0x20) | u8::from(byte == b'"') | u8::from(byte == b'\\')
    });
    if any == 0 {
        return true;
    }
    let mut bytes = said.iter().copied();
    while let Some(byte) = bytes.next() {
        let is_sound = match byte {
            b'\\' => matches!(
                bytes.next(),
                Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't')
            ),
            byte => !odd(byte),
        };
        if !is_sound {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::{row, speaker};
    use crate::conversation::fields::Fields;
    use crate::conversation::format::Format;
    use crate::conversation::read::{read, read_fields};
    use crate::conversation::view::View;

    /// Pieces that go wrong where they stand wrong.
    const PIECES: [&str; 24] = [
        "a", " ", "\"", "\\", "\\\"", "\\\\", "\\n", "\\u0041", "\\ud800", "\\x", "\n", "\u{1f}",
        "é", "\u{3000}", "\u{7f}", "}", "\"}", "{", ",", ":", "\"x\":1", "null", "[]", "/",
    ];

    /// What is read without a parser is what is read with one, over every text of up to three
    /// pieces.
    #[test]
    fn a_plain_message_is_read_as_any_other() {
        let mut texts = vec![String::new()];
        for length in 0..3 {
            let longer = texts.iter().filter(|text| text.len() >= length);
            let longer: Vec<String> = longer
                .flat_map(|text| PIECES.map(|piece| format!("{text}{piece}")))
                .collect();
            texts.extend(longer);
            texts.sort_unstable();
            texts.dedup();
        }
        let mut plain = 0;
        for format in Format::ALL.iter().copied() {
            let (before, behind) = match format {
                Format::Gemini => ("\",\"parts\":[{\"text\":\"", "\"}]}"),
                _ => ("\",\"content\":\"", "\"}"),
            };
            for role in ["user", "assistant", "system", "developer", "model", "tool"] {
                for text in &texts {
                    let json = format!("{{\"role\":\"{role}{before}{text}{behind}");
                    let Some(found) = speaker(&json, format) else {
                        continue;
                    };
                    plain += 1;
                    let fields = Fields::parse(&json).expect("it is JSON");
                    let mut view = View::new(format, 1);
                    let read = read_fields(&fields, &mut view);
                    assert!(view.flaws.is_empty(), "{json}");
                    assert!(view.entries.is_empty(), "{json}");
                    assert_eq!(format!("{:?}", row(found)), format!("{read:?}"), "{json}");
                }
            }
        }
        assert!(plain > 1_000, "{plain}");
    }

    #[test]
    fn what_is_more_than_a_string_is_left_to_the_parser() {
        for json in [
            r#"{"role":"user","content":"a","name":"b"}"#,
            r#"{"role":"user","content":""}"#,
            r#"{"role":"user","content":"a"} "#,
            r#"{"content":"a","role":"user"}"#,
            r#"{"role":"users","content":"a"}"#,
            r#"{"role":"user","content":["a"]}"#,
        ] {
            assert!(speaker(json, Format::OpenAiChat).is_none(), "{json}");
        }
        let json = [r#"{"role":"user","content":"a"}"#];
        let items = read(&json, Format::OpenAiResponses);
        assert_eq!(items.entries.len(), 1);
    }
}

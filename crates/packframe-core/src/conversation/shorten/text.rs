//! Messages that are text and nothing else.

use super::path::Path;
use super::results::{Piece, Spot, is_text_part, said};
use crate::conversation::fields::{Fields, elements, text};
use crate::conversation::format::Format;

/// What a message of chat completions may say beside its content.
const BESIDE: [&str; 4] = ["audio", "function_call", "refusal", "tool_calls"];

/// Returns the texts of a message of the user's or the model's that has nothing else in it, or
/// nothing. Linear.
pub(crate) fn plain_text(format: Format, json: &str) -> Option<Spot> {
    let fields = Fields::parse(json)?;
    let role = fields.text("role");
    match format {
        Format::OpenAiChat => {
            let is_plain = BESIDE.iter().all(|name| fields.get(name).is_none());
            let speaks = matches!(role.as_deref(), Some("user" | "assistant"));
            (is_plain && speaks).then(|| content(&fields)).flatten()
        }
        Format::OpenAiResponses => {
            let is_message = fields.get("type").is_none_or(|raw| raw == "\"message\"");
            let speaks = matches!(role.as_deref(), Some("user" | "assistant"));
            (is_message && speaks).then(|| content(&fields)).flatten()
        }
        Format::Anthropic => content(&fields),
        Format::Gemini => {
            let path = Path::default().key("parts");
            let parts = elements(fields.get("parts")?)?;
            let is_plain = |raw: &&str| {
                let part = Fields::parse(raw).unwrap_or_default();
                part.text("text").is_some() && part.iter().count() == 1
            };
            let pieces = (0..parts.len()).map(|at| Piece::text(path.at(at).key("text")));
            let pieces: Vec<Piece> = pieces.collect();
            parts.iter().all(is_plain).then_some(Spot { path, pieces })
        }
    }
}

fn content(fields: &Fields<'_>) -> Option<Spot> {
    let raw = fields.get("content")?;
    let is_plain = text(raw).is_some() || elements(raw)?.iter().all(|part| is_plain_part(part));
    is_plain
        .then(|| said(Some(raw), Path::default().key("content")))
        .flatten()
}

/// Says whether nothing refers to places in the text of a part.
fn is_plain_part(raw: &str) -> bool {
    let part = Fields::parse(raw).unwrap_or_default();
    let mut refers = ["annotations", "citations", "logprobs"].into_iter();
    let is_referred = refers.any(|name| part.get(name).is_some_and(|raw| raw != "[]"));
    is_text_part(raw) && !is_referred
}

#[cfg(test)]
mod tests {
    use super::{Format, plain_text};

    #[test]
    fn only_text_is_plain() {
        for (format, json, pieces) in [
            (
                Format::OpenAiChat,
                r#"{"role":"user","content":"a"}"#,
                Some(1),
            ),
            (
                Format::OpenAiChat,
                r#"{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}"#,
                Some(2),
            ),
            (
                Format::OpenAiChat,
                r#"{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{}}]}"#,
                None,
            ),
            (
                Format::OpenAiChat,
                r#"{"role":"assistant","content":"a","tool_calls":[{}]}"#,
                None,
            ),
            (
                Format::OpenAiChat,
                r#"{"role":"system","content":"a"}"#,
                None,
            ),
            (
                Format::OpenAiResponses,
                r#"{"role":"assistant","content":[{"type":"output_text","text":"a","annotations":[{}]}]}"#,
                None,
            ),
            (
                Format::Anthropic,
                r#"{"role":"assistant","content":[{"type":"thinking","thinking":"t"},{"type":"text","text":"a"}]}"#,
                None,
            ),
            (
                Format::Gemini,
                r#"{"role":"user","parts":[{"text":"a"}]}"#,
                Some(1),
            ),
            (
                Format::Gemini,
                r#"{"role":"model","parts":[{"text":"a","thoughtSignature":"s"}]}"#,
                None,
            ),
        ] {
            let found = plain_text(format, json).map(|spot| spot.pieces.len());
            assert_eq!(found, pieces, "{json}");
        }
    }
}

//! Thinking taken out of a message.

use crate::conversation::fields::{Fields, elements, list, object, text};
use crate::conversation::format::Format;

/// Fields of messages of chat completions that hold thinking.
const FIELDS: [&str; 4] = [
    "reasoning",
    "reasoning_content",
    "reasoning_details",
    "thinking_blocks",
];

/// What is left of a message without its thinking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Thought {
    /// The rest of it.
    Rest(String),
    /// Nothing: it was thinking, and stands alone.
    Nothing,
}

/// Returns what is left of a message of the model's without its thinking; nothing where it has none,
/// and where a provider would take nothing of the rest. Linear.
pub(crate) fn without_thinking(format: Format, json: &str) -> Option<Thought> {
    let fields = Fields::parse(json)?;
    match format {
        Format::OpenAiChat => of_chat(&fields),
        Format::OpenAiResponses => {
            (fields.text("type")? == "reasoning").then_some(Thought::Nothing)
        }
        Format::Anthropic => of_blocks(&fields, "content", |block| {
            let kind = block.text("type");
            matches!(kind.as_deref(), Some("thinking" | "redacted_thinking"))
        }),
        Format::Gemini => {
            // A call may need a signature, wherever in its content that stands.
            let calls = elements(fields.get("parts")?)?.iter().any(|part| {
                let part = Fields::parse(part).unwrap_or_default();
                part.either("functionCall", "function_call").is_some()
            });
            of_blocks(&fields, "parts", |part| {
                let signature = part.either("thoughtSignature", "thought_signature");
                part.get("thought") == Some("true") && !(calls && signature.is_some())
            })
        }
    }
}

/// Says whether an item of the Responses API has an id, by which the provider knows the reasoning
/// that it was made with.
pub(crate) fn has_item_id(json: &str) -> bool {
    Fields::parse(json).is_some_and(|fields| fields.id("id").is_some())
}

fn of_chat(fields: &Fields<'_>) -> Option<Thought> {
    let thinks = FIELDS.iter().any(|name| fields.get(name).is_some());
    let says = |name: &str| {
        let raw = fields.get(name);
        raw.is_some_and(|raw| raw != "[]" && text(raw).is_none_or(|text| !text.is_empty()))
    };
    let is_left = ["content", "tool_calls", "function_call", "refusal", "audio"]
        .into_iter()
        .any(says);
    (thinks && is_left).then(|| {
        let rest = fields.iter().filter(|(name, _)| !FIELDS.contains(name));
        Thought::Rest(object(rest))
    })
}

fn of_blocks(
    fields: &Fields<'_>,
    field: &str,
    is_thinking: impl Fn(&Fields<'_>) -> bool,
) -> Option<Thought> {
    let blocks = elements(fields.get(field)?)?;
    let rest: Vec<&str> = blocks
        .iter()
        .copied()
        .filter(|raw| !is_thinking(&Fields::parse(raw).unwrap_or_default()))
        .collect();
    let says = |raw: &&str| {
        let block = Fields::parse(raw).unwrap_or_default();
        let said = block.text("text");
        said.is_none_or(|said| !said.trim().is_empty())
    };
    if rest.len() == blocks.len() || !rest.iter().any(says) {
        return None;
    }
    let made = list(rest);
    let rest = fields.iter().map(|(name, raw)| match name {
        _ if name == field => (name, &*made),
        _ => (name, raw),
    });
    Some(Thought::Rest(object(rest)))
}

#[cfg(test)]
mod tests {
    use super::{Format, Thought, without_thinking};

    #[test]
    fn thinking_goes_where_something_is_left() {
        for (format, json, expected) in [
            (
                Format::OpenAiChat,
                r#"{"role":"assistant","reasoning_content":"t","content":"a"}"#,
                Some(r#"{"role":"assistant","content":"a"}"#),
            ),
            (
                Format::OpenAiChat,
                r#"{"role":"assistant","reasoning_content":"t","content":""}"#,
                None,
            ),
            (
                Format::Anthropic,
                r#"{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"text","text":"a"}]}"#,
                Some(r#"{"role":"assistant","content":[{"type":"text","text":"a"}]}"#),
            ),
            (
                Format::Anthropic,
                r#"{"role":"assistant","content":[{"type":"redacted_thinking","data":"t"}]}"#,
                None,
            ),
            (
                Format::Gemini,
                r#"{"role":"model","parts":[{"text":"t","thought":true},{"text":"a"}]}"#,
                Some(r#"{"role":"model","parts":[{"text":"a"}]}"#),
            ),
            (
                Format::Gemini,
                r#"{"role":"model","parts":[{"text":"t","thought":true,"thoughtSignature":"s"},{"functionCall":{"name":"f"}}]}"#,
                None,
            ),
            (
                Format::OpenAiResponses,
                r#"{"type":"reasoning","summary":[]}"#,
                Some(""),
            ),
            (
                Format::OpenAiChat,
                r#"{"role":"assistant","content":"a"}"#,
                None,
            ),
        ] {
            let found = without_thinking(format, json).map(|found| match found {
                Thought::Rest(rest) => rest,
                Thought::Nothing => String::new(),
            });
            assert_eq!(found.as_deref(), expected, "{json}");
        }
    }
}

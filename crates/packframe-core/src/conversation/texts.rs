//! What the tokens of a message of any format are counted from.

use super::fields::{Fields, elements, text};
use super::format::Format;
use super::message::{CALL_FIELDS, Counted};
use crate::framing::{self, Json, Style};

/// What a block of media is taken for until its size is known: what Anthropic's guide to vision
/// gives for the largest picture that is not scaled down (about 1,600 tokens, read in 2025). It is
/// an estimate, and marked as one.
pub(crate) const MEDIA_TOKENS: u64 = 1_600;

/// Keys whose values are no text for the model: who says it, what ties it, and how it is kept.
const UNCOUNTED: [&str; 16] = [
    "approval_request_id",
    "cache_control",
    "call_id",
    "caller_id",
    "id",
    "media_type",
    "mimeType",
    "mime_type",
    "role",
    "signature",
    "status",
    "thoughtSignature",
    "thought_signature",
    "tool_call_id",
    "tool_use_id",
    "type",
];

/// Keys whose values are data, which a model reads as JSON.
const DATA: [&str; 7] = [
    "action",
    "args",
    "arguments",
    "input",
    "operation",
    "output",
    "response",
];

/// Types, and in Gemini keys, of blocks that are no text.
const MEDIA: [&str; 17] = [
    "audio",
    "computer_screenshot",
    "document",
    "file",
    "fileData",
    "file_data",
    "image",
    "image_url",
    "inlineData",
    "inline_data",
    "input_audio",
    "input_file",
    "input_image",
    "input_video",
    "video",
    "video_url",
    "container_upload",
];

/// Types of blocks whose strings are what they say.
const KNOWN: [&str; 18] = [
    "advisor_tool_result",
    "input_text",
    "output_text",
    "reasoning_text",
    "redacted_thinking",
    "refusal",
    "search_result",
    "server_tool_use",
    "summary_text",
    "text",
    "thinking",
    "tool_result",
    "tool_use",
    "mcp_tool_use",
    "mcp_tool_result",
    "web_search_tool_result",
    "code_execution_tool_result",
    "reasoning",
];

/// Keys of the parts of Gemini's contents.
const PARTS: [&str; 11] = [
    "codeExecutionResult",
    "code_execution_result",
    "executableCode",
    "executable_code",
    "functionCall",
    "functionResponse",
    "function_call",
    "function_response",
    "text",
    "thought",
    "thoughtSignature",
];

/// Reads what a message costs by its content. Linear in its JSON.
///
/// In chat completions as the published formula has it: every field but the role, those that are no
/// string as compact JSON. Else every string but ids, types, roles, statuses, signatures and cache
/// marks; data of calls and results as compact JSON; media as an estimate; a block that nobody
/// knows as compact JSON.
pub(super) fn counted(format: Format, json: &str) -> Counted {
    let mut counted = Counted::default();
    let Some(fields) = Fields::parse(json) else {
        counted.unknown(json);
        return counted;
    };
    match format {
        Format::OpenAiChat => chat(&fields, &mut counted),
        _ => object(format, &fields, &mut counted),
    }
    counted
}

impl Counted {
    fn say(&mut self, raw: &str) {
        match text(raw) {
            Some(text) => self.texts.push(text.into()),
            None => self.data(raw),
        }
    }

    fn data(&mut self, raw: &str) {
        self.texts.push(raw.into());
        self.approximate = true;
    }

    fn unknown(&mut self, raw: &str) {
        self.data(raw);
        self.unknown_field = true;
    }

    fn media(&mut self) {
        self.estimate += MEDIA_TOKENS;
        self.approximate = true;
        self.has_media = true;
    }
}

fn chat(fields: &Fields<'_>, counted: &mut Counted) {
    for (name, raw) in fields.iter().filter(|(_, raw)| *raw != "null") {
        match name {
            "role" => {}
            "content" => match elements(raw) {
                Some(parts) => parts.into_iter().for_each(|part| chat_part(part, counted)),
                None => counted.say(raw),
            },
            _ if text(raw).is_some() => {
                counted.named |= name == "name";
                counted.say(raw);
            }
            _ if CALL_FIELDS.contains(&name) => calls(name, raw, counted),
            "audio" => counted.media(),
            _ => counted.unknown(raw),
        }
    }
}

/// Counts the names and arguments of calls: a string as it is, anything else as compact JSON.
fn calls(name: &str, raw: &str, counted: &mut Counted) {
    counted.approximate = true;
    let Some(value @ (Json::List(_) | Json::Object(_))) = Json::read(raw) else {
        counted.texts.push(raw.into());
        return;
    };
    let message = Json::Object(vec![(name.to_owned(), value)]);
    for call in framing::calls(&message, Style::COMPACT) {
        counted.calls += 1;
        let texts: [Box<str>; 2] = [call.name.into(), call.arguments.into()];
        let said = texts.into_iter().filter(|text| !text.is_empty());
        counted.texts.extend(said);
    }
}

fn chat_part(raw: &str, counted: &mut Counted) {
    let Some(part) = Fields::parse(raw) else {
        counted.unknown(raw);
        return;
    };
    match part.text("type").as_deref() {
        Some("text") if part.text("text").is_some() => {
            for (name, raw) in part.iter() {
                match name {
                    "type" => {}
                    "text" => counted.say(raw),
                    _ => counted.unknown(raw),
                }
            }
        }
        Some("refusal") => counted.say(part.get("refusal").unwrap_or("\"\"")),
        Some(kind) if MEDIA.contains(&kind) => counted.media(),
        _ => counted.unknown(raw),
    }
}

fn object(format: Format, fields: &Fields<'_>, counted: &mut Counted) {
    for (name, raw) in fields.iter() {
        if UNCOUNTED.contains(&name) || raw == "null" {
            continue;
        }
        value(format, name, raw, counted);
    }
}

fn value(format: Format, name: &str, raw: &str, counted: &mut Counted) {
    match raw.as_bytes().first() {
        Some(b'"') => counted.say(raw),
        Some(b'[') if name != "action" => {
            for element in elements(raw).unwrap_or_default() {
                if element.starts_with('{') {
                    block(format, element, counted);
                } else {
                    value(format, name, element, counted);
                }
            }
        }
        Some(b'{') if DATA.contains(&name) => data(raw, counted),
        Some(b'{') => block(format, raw, counted),
        // Numbers and truths say how something is kept.
        _ => {}
    }
}

/// Data of a call or a result, or a picture that stands in its place.
fn data(raw: &str, counted: &mut Counted) {
    let kind = Fields::parse(raw).and_then(|fields| fields.text("type").map(String::from));
    if kind.is_some_and(|kind| MEDIA.contains(&&*kind)) {
        counted.media();
    } else {
        counted.data(raw);
    }
}

fn block(format: Format, raw: &str, counted: &mut Counted) {
    let Some(fields) = Fields::parse(raw) else {
        counted.unknown(raw);
        return;
    };
    if format == Format::Gemini {
        gemini_part(raw, &fields, counted);
        return;
    }
    match fields.text("type").as_deref() {
        Some(kind) if MEDIA.contains(&kind) => media(format, &fields, counted),
        Some(kind) if KNOWN.contains(&kind) => object(format, &fields, counted),
        Some(_) if format == Format::Anthropic => counted.unknown(raw),
        // The items of Responses and what stands in them have too many types to list: their strings
        // are what they say.
        _ => object(format, &fields, counted),
    }
}

/// Media, but for a document that is given as text.
fn media(format: Format, fields: &Fields<'_>, counted: &mut Counted) {
    let source = fields.object("source");
    let written = source.filter(|source| {
        let kind = source.text("type");
        matches!(kind.as_deref(), Some("text" | "content"))
    });
    match written {
        Some(source) => {
            object(format, &source, counted);
            for name in ["title", "context"] {
                if let Some(raw) = fields.get(name) {
                    counted.say(raw);
                }
            }
        }
        None => counted.media(),
    }
}

fn gemini_part(raw: &str, fields: &Fields<'_>, counted: &mut Counted) {
    if fields.iter().any(|(name, _)| MEDIA.contains(&name)) {
        counted.media();
        return;
    }
    let known = |name: &str| PARTS.contains(&name) || UNCOUNTED.contains(&name);
    let is_call = fields.get("name").is_some() || fields.get("code").is_some();
    let is_result = fields.get("outcome").is_some();
    if !is_call && !is_result && !fields.iter().all(|(name, _)| known(name)) {
        counted.unknown(raw);
        return;
    }
    object(Format::Gemini, fields, counted);
}

#[cfg(test)]
mod tests {
    use super::{Format, MEDIA_TOKENS, counted};

    #[test]
    fn strings_count_and_ids_do_not() {
        for (format, json, texts) in [
            (
                Format::OpenAiChat,
                r#"{"role":"user","content":"a","name":"b"}"#,
                vec!["a", "b"],
            ),
            (
                Format::Anthropic,
                r#"{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"tool_use","id":"i","name":"f","input":{"x":1}}]}"#,
                vec!["t", "f", r#"{"x":1}"#],
            ),
            (
                Format::Anthropic,
                r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"i","content":[{"type":"text","text":"r"}],"cache_control":{"type":"ephemeral"}}]}"#,
                vec!["r"],
            ),
            (
                Format::OpenAiResponses,
                r#"{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}"#,
                vec!["f", "{}"],
            ),
            (
                Format::Gemini,
                r#"{"role":"model","parts":[{"text":"a"},{"functionCall":{"name":"f","args":{"x":1}},"thoughtSignature":"s"}]}"#,
                vec!["a", "f", r#"{"x":1}"#],
            ),
        ] {
            let found = counted(format, json);
            let found: Vec<&str> = found.texts.iter().map(|text| &**text).collect();
            assert_eq!(found, texts, "{json}");
        }
    }

    #[test]
    fn media_are_an_estimate_and_unknown_blocks_are_json() {
        let picture = r#"{"type":"image","source":{"type":"base64","data":"AAAA"}}"#;
        let odd = r#"{"type":"hologram","text":"x"}"#;
        let json = format!(r#"{{"role":"user","content":[{picture},{odd}]}}"#);
        let found = counted(Format::Anthropic, &json);
        assert_eq!(found.estimate, MEDIA_TOKENS);
        assert!(found.approximate && found.unknown_field && found.has_media);
        assert_eq!(&*found.texts[0], odd);
    }
}

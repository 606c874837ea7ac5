//! Messages of each format, as what they say.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::speech::{Call, Outcome, Part, Picture, Reading, Source, Voice, picture};
use crate::conversation::fields::{Fields, elements, text};
use crate::conversation::format::Format;

/// Reads messages, given as their JSON. Linear.
pub(super) fn hear<T: AsRef<str>>(messages: &[T], format: Format) -> Reading {
    let mut reading = Reading::default();
    let mut open: HashMap<String, Vec<String>, FixedState> = HashMap::default();
    for (position, json) in messages.iter().enumerate() {
        reading.position = position;
        let Some(fields) = Fields::parse(json.as_ref()) else {
            reading.refuse("");
            continue;
        };
        match format {
            Format::OpenAiChat => chat(&fields, &mut open, &mut reading),
            Format::OpenAiResponses => item(&fields, &mut reading),
            Format::Anthropic => anthropic(&fields, &mut reading),
            Format::Gemini => gemini(&fields, &mut open, &mut reading),
        }
    }
    reading
}

fn voice(fields: &Fields<'_>, reading: &mut Reading) -> Option<Voice> {
    match fields.text("role").as_deref() {
        Some("system") => Some(Voice::System),
        Some("developer") => Some(Voice::Developer),
        Some("user") => Some(Voice::User),
        Some("assistant") => Some(Voice::Assistant),
        _ => {
            reading.refuse("role");
            None
        }
    }
}

/// The thoughts of a model that chat completions have fields for.
const THOUGHTS: [&str; 4] = [
    "reasoning_content",
    "reasoning",
    "reasoning_details",
    "thinking_blocks",
];

type Open = HashMap<String, Vec<String>, FixedState>;

fn chat(fields: &Fields<'_>, open: &mut Open, reading: &mut Reading) {
    let mut parts = match fields.get("content") {
        Some(raw) => reading.content(raw, "content", chat_block),
        None => Vec::new(),
    };
    let role = fields.text("role");
    if let Some(role @ ("tool" | "function")) = role.as_deref() {
        let name = fields.id("name").map(String::from);
        let id = if role == "tool" {
            fields.id("tool_call_id").map(String::from)
        } else {
            let calls = name.as_ref().and_then(|name| open.get_mut(name));
            calls.and_then(Vec::pop)
        };
        let Some(id) = id else {
            let field = if role == "tool" {
                "tool_call_id"
            } else {
                "name"
            };
            return reading.refuse(field);
        };
        let known = ["role", "content", "tool_call_id", "name"];
        reading.note_others(fields, &known, "");
        let outcome = Outcome {
            id,
            name,
            content: parts,
            is_error: false,
            is_custom: false,
        };
        return reading.say(Voice::User, vec![Part::Outcome(outcome)]);
    }
    let Some(voice) = voice(fields, reading) else {
        return;
    };
    if let Some(said) = fields.text("refusal") {
        parts.push(Part::Text(said.into_owned()));
    }
    for name in THOUGHTS {
        if fields.get(name).is_some() {
            reading.note(name, "thinking");
        }
    }
    if let Some(raw) = fields.get("tool_calls") {
        let Some(calls) = elements(raw) else {
            return reading.refuse("tool_calls");
        };
        for (at, raw) in calls.into_iter().enumerate() {
            match chat_call(raw) {
                Some(call) => parts.push(Part::Call(call)),
                None => reading.refuse(format!("tool_calls[{at}]")),
            }
        }
    }
    if let Some(raw) = fields.get("function_call") {
        let call = Fields::parse(raw).unwrap_or_default();
        let Some(name) = call.id("name").map(String::from) else {
            return reading.refuse("function_call");
        };
        let id = format!("call_{}", reading.position);
        open.entry(name.clone()).or_default().push(id.clone());
        parts.push(Part::Call(Call {
            id,
            name,
            input: call.text("arguments").unwrap_or_default().into_owned(),
            is_custom: false,
        }));
    }
    let known = ["role", "content", "refusal", "tool_calls", "function_call"];
    let known: Vec<&str> = known.into_iter().chain(THOUGHTS).collect();
    reading.note_others(fields, &known, "");
    reading.say(voice, parts);
}

fn chat_block(reading: &mut Reading, block: &Fields<'_>, path: &str) -> Option<Part> {
    let part = match block.text("type").as_deref() {
        Some("text") => block.text("text").map(|said| Part::Text(said.into_owned())),
        Some("refusal") => block
            .text("refusal")
            .map(|said| Part::Text(said.into_owned())),
        Some("image_url") => {
            let image = block.object("image_url");
            let url = match &image {
                Some(image) => image.text("url"),
                None => block.text("image_url"),
            };
            url.map(|url| Part::Picture(picture(&url)))
        }
        _ => None,
    };
    if part.is_none() {
        reading.refuse(path);
    }
    reading.note_others(block, &["type", "text", "refusal", "image_url"], path);
    part
}

fn chat_call(raw: &str) -> Option<Call> {
    let call = Fields::parse(raw)?;
    let id = call.id("id")?.into_owned();
    if let Some(custom) = call.object("custom") {
        return Some(Call {
            id,
            name: custom.id("name")?.into_owned(),
            input: custom.text("input")?.into_owned(),
            is_custom: true,
        });
    }
    let function = call.object("function")?;
    let input = match function.get("arguments") {
        None => String::new(),
        Some(raw) => text(raw)?.into_owned(),
    };
    Some(Call {
        id,
        name: function.id("name")?.into_owned(),
        input,
        is_custom: false,
    })
}

fn item(fields: &Fields<'_>, reading: &mut Reading) {
    let kind = fields.text("type");
    let id = fields.id("call_id").map(String::from);
    match (kind.as_deref(), id) {
        (None | Some("message"), _) => {
            let Some(voice) = voice(fields, reading) else {
                return;
            };
            let parts = match fields.get("content") {
                Some(raw) => reading.content(raw, "content", item_block),
                None => Vec::new(),
            };
            let known = ["type", "role", "content", "id", "status"];
            reading.note_others(fields, &known, "");
            reading.say(voice, parts);
        }
        (Some("reasoning"), _) => reading.note("", "thinking"),
        (Some(kind @ ("function_call" | "custom_tool_call")), Some(id)) => {
            let is_custom = kind == "custom_tool_call";
            let field = if is_custom { "input" } else { "arguments" };
            let (Some(name), Some(input)) = (fields.id("name"), fields.text(field)) else {
                return reading.refuse(field);
            };
            let call = Call {
                id,
                name: name.into_owned(),
                input: input.into_owned(),
                is_custom,
            };
            let known = ["type", "call_id", "name", field, "id", "status"];
            reading.note_others(fields, &known, "");
            reading.say(Voice::Assistant, vec![Part::Call(call)]);
        }
        (Some(kind @ ("function_call_output" | "custom_tool_call_output")), Some(id)) => {
            let content = match fields.get("output") {
                Some(raw) => reading.content(raw, "output", item_block),
                None => Vec::new(),
            };
            let outcome = Outcome {
                id,
                name: None,
                content,
                is_error: false,
                is_custom: kind == "custom_tool_call_output",
            };
            let known = ["type", "call_id", "output", "id", "status"];
            reading.note_others(fields, &known, "");
            reading.say(Voice::User, vec![Part::Outcome(outcome)]);
        }
        _ => reading.refuse("type"),
    }
}

fn item_block(reading: &mut Reading, block: &Fields<'_>, path: &str) -> Option<Part> {
    let part = match block.text("type").as_deref() {
        Some("input_text" | "output_text" | "text") => {
            block.text("text").map(|said| Part::Text(said.into_owned()))
        }
        Some("refusal") => block
            .text("refusal")
            .map(|said| Part::Text(said.into_owned())),
        Some("input_image") => block
            .text("image_url")
            .map(|url| Part::Picture(picture(&url))),
        _ => None,
    };
    if part.is_none() {
        reading.refuse(path);
    }
    // What the provider adds to a text when it gives it back.
    let known = [
        "type",
        "text",
        "refusal",
        "image_url",
        "annotations",
        "logprobs",
    ];
    reading.note_others(block, &known, path);
    part
}

fn anthropic(fields: &Fields<'_>, reading: &mut Reading) {
    let Some(voice) = voice(fields, reading) else {
        return;
    };
    let parts = match fields.get("content") {
        Some(raw) => reading.content(raw, "content", anthropic_block),
        None => Vec::new(),
    };
    reading.note_others(fields, &["role", "content"], "");
    reading.say(voice, parts);
}

fn anthropic_block(reading: &mut Reading, block: &Fields<'_>, path: &str) -> Option<Part> {
    let kind = block.text("type");
    let (part, known): (_, &[&str]) = match kind.as_deref() {
        Some("thinking" | "redacted_thinking") => {
            reading.note(path, "thinking");
            return None;
        }
        Some("text") => (
            block.text("text").map(|said| Part::Text(said.into_owned())),
            &["type", "text"],
        ),
        Some("image") => (anthropic_picture(block), &["type", "source"]),
        Some("tool_use") => (anthropic_call(block), &["type", "id", "name", "input"]),
        Some("tool_result") => {
            let content = match block.get("content") {
                Some(raw) => {
                    let at = format!("{path}.content");
                    reading.content(raw, &at, anthropic_inner)
                }
                None => Vec::new(),
            };
            let outcome = block.id("tool_use_id").map(|id| {
                Part::Outcome(Outcome {
                    id: id.into_owned(),
                    name: None,
                    content,
                    is_error: block.get("is_error") == Some("true"),
                    is_custom: false,
                })
            });
            (outcome, &["type", "tool_use_id", "content", "is_error"])
        }
        _ => (None, &[]),
    };
    if part.is_none() {
        reading.refuse(path);
    } else {
        reading.note_others(block, known, path);
    }
    part
}

/// A block in a result, which holds no further calls.
fn anthropic_inner(reading: &mut Reading, block: &Fields<'_>, path: &str) -> Option<Part> {
    let part = match block.text("type").as_deref() {
        Some("text") => block.text("text").map(|said| Part::Text(said.into_owned())),
        Some("image") => anthropic_picture(block),
        _ => None,
    };
    if part.is_none() {
        reading.refuse(path);
    }
    part
}

fn anthropic_call(block: &Fields<'_>) -> Option<Part> {
    let input = block
        .get("input")
        .filter(|raw| Fields::parse(raw).is_some())?;
    Some(Part::Call(Call {
        id: block.id("id")?.into_owned(),
        name: block.id("name")?.into_owned(),
        input: input.to_owned(),
        is_custom: false,
    }))
}

fn anthropic_picture(block: &Fields<'_>) -> Option<Part> {
    let source = block.object("source")?;
    match source.text("type").as_deref() {
        Some("base64") => Some(Part::Picture(Picture {
            mime: Some(source.text("media_type")?.into_owned()),
            at: Source::Base64(source.text("data")?.into_owned()),
        })),
        Some("url") => Some(Part::Picture(picture(&source.text("url")?))),
        _ => None,
    }
}

fn gemini(fields: &Fields<'_>, open: &mut Open, reading: &mut Reading) {
    let voice = match fields.get("role").map(text) {
        None => Voice::User,
        Some(Some(role)) if role == "user" || role == "function" => Voice::User,
        Some(Some(role)) if role == "model" => Voice::Assistant,
        Some(_) => return reading.refuse("role"),
    };
    let Some(parts) = fields.get("parts").and_then(elements) else {
        return reading.refuse("parts");
    };
    let mut said = Vec::with_capacity(parts.len());
    for (at, raw) in parts.into_iter().enumerate() {
        let path = format!("parts[{at}]");
        let Some(part) = Fields::parse(raw) else {
            reading.refuse(path);
            continue;
        };
        if part.get("thought") == Some("true") {
            reading.note(path, "thinking");
            continue;
        }
        for name in ["thoughtSignature", "thought_signature"] {
            if part.get(name).is_some() {
                reading.note(format!("{path}.{name}"), "signature");
            }
        }
        match gemini_part(&part, at, open, reading) {
            Some(found) => said.push(found),
            None => reading.refuse(path),
        }
    }
    reading.note_others(fields, &["role", "parts"], "");
    reading.say(voice, said);
}

fn gemini_part(part: &Fields<'_>, at: usize, open: &mut Open, reading: &Reading) -> Option<Part> {
    if let Some(said) = part.get("text") {
        return text(said).map(|said| Part::Text(said.into_owned()));
    }
    if let Some(call) = part.either("functionCall", "function_call") {
        let call = Fields::parse(call)?;
        let name = call.id("name")?.into_owned();
        let id = call.id("id").map(String::from);
        let id = id.unwrap_or_else(|| {
            let made = format!("call_{}_{at}", reading.position);
            // The first result of a name answers its first call.
            open.entry(name.clone())
                .or_default()
                .insert(0, made.clone());
            made
        });
        return Some(Part::Call(Call {
            id,
            name,
            input: call.get("args").unwrap_or("{}").to_owned(),
            is_custom: false,
        }));
    }
    if let Some(result) = part.either("functionResponse", "function_response") {
        let result = Fields::parse(result)?;
        let name = result.id("name")?.into_owned();
        let id = match result.id("id") {
            Some(id) => id.into_owned(),
            None => open.get_mut(&name).and_then(Vec::pop)?,
        };
        let raw = result.get("response").unwrap_or("{}");
        let response = Fields::parse(raw)?;
        let only = |name: &str| {
            let is_only = response.iter().count() == 1;
            response.text(name).filter(|_| is_only).map(String::from)
        };
        let error = only("error");
        let is_error = error.is_some();
        let said = only("result").or_else(|| only("output")).or(error);
        return Some(Part::Outcome(Outcome {
            id,
            name: Some(name),
            content: vec![Part::Text(said.unwrap_or_else(|| raw.to_owned()))],
            is_error,
            is_custom: false,
        }));
    }
    if let Some(data) = part.either("inlineData", "inline_data") {
        let data = Fields::parse(data)?;
        let mime = data.text("mimeType").or_else(|| data.text("mime_type"))?;
        mime.starts_with("image/").then_some(())?;
        return Some(Part::Picture(Picture {
            mime: Some(mime.into_owned()),
            at: Source::Base64(data.text("data")?.into_owned()),
        }));
    }
    None
}

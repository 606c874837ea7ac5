//! The texts of messages in the formats that are not chat completions.
//!
//! Every string is text but ids, types, roles, statuses, signatures and keys of caches; arguments and
//! results that are objects count as compact JSON.

use super::json::Json;

/// What is counted of one message or item.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Fields {
    pub(crate) role: Option<String>,
    /// Strings, counted one by one.
    pub(crate) texts: Vec<String>,
    /// Calls of tools.
    pub(crate) calls: u64,
    /// Whether something was counted as compact JSON.
    pub(crate) approximate: bool,
    /// The kind of a part that is no text.
    pub(crate) media: Option<String>,
}

/// Fields whose strings a model does not read as text.
const SILENT: [&str; 17] = [
    "id",
    "call_id",
    "tool_use_id",
    "tool_call_id",
    "approval_request_id",
    "item_id",
    "response_id",
    "type",
    "role",
    "status",
    "signature",
    "thoughtSignature",
    "thought_signature",
    "encrypted_content",
    "cache_control",
    "thought",
    "index",
];

/// Fields whose objects are written as JSON for the model.
const WRITTEN: [&str; 6] = [
    "input",
    "args",
    "arguments",
    "response",
    "parameters",
    "action",
];

/// Types and keys of parts that are no text.
const MEDIA: [&str; 18] = [
    "image",
    "image_url",
    "input_image",
    "input_file",
    "input_audio",
    "audio",
    "document",
    "file",
    "video",
    "video_url",
    "inlineData",
    "inline_data",
    "fileData",
    "file_data",
    "computer_screenshot",
    "image_generation_call",
    "container_upload",
    "search_result_image",
];

/// Takes one message or item apart.
pub(crate) fn fields(message: &Json) -> Fields {
    let mut found = Fields {
        role: message.string("role").map(str::to_owned),
        ..Fields::default()
    };
    walk(message, &mut found);
    found
}

fn walk(value: &Json, found: &mut Fields) {
    match value {
        Json::Text(text) => found.texts.push(text.clone()),
        Json::List(elements) => elements.iter().for_each(|element| walk(element, found)),
        Json::Object(fields) => object(value, fields, found),
        Json::Null => {}
        _ => {
            found.texts.push(value.compact());
            found.approximate = true;
        }
    }
}

fn object(value: &Json, fields: &[(String, Json)], found: &mut Fields) {
    let kind = value.string("type").unwrap_or("");
    if MEDIA.contains(&kind) {
        found.media = Some(kind.to_owned());
        return;
    }
    let is_call = kind.ends_with("_call") || kind.ends_with("tool_use");
    found.calls += u64::from(is_call || value.get("functionCall").is_some());
    for (key, of) in fields {
        let key = key.as_str();
        if MEDIA.contains(&key) {
            found.media = Some(key.to_owned());
        } else if SILENT.contains(&key) || (key == "data" && kind == "redacted_thinking") {
        } else if WRITTEN.contains(&key) && matches!(of, Json::Object(_) | Json::List(_)) {
            found.texts.push(of.compact());
        } else {
            walk(of, found);
        }
    }
}

//! The calls of tools in a message of chat completions.

use super::json::{Json, Style};

/// A call of a tool.
pub(crate) struct ToolCall<'a> {
    pub(crate) id: Option<&'a str>,
    pub(crate) name: &'a str,
    /// The arguments: a string as it is, anything else as JSON in the style that was asked for.
    pub(crate) arguments: String,
}

/// Returns the calls of a message: those of `tool_calls`, and the older `function_call`.
pub(crate) fn calls<'a>(message: &'a Json, style: Style<'_>) -> Vec<ToolCall<'a>> {
    let listed = message.get("tool_calls").map_or(&[][..], Json::list);
    let mut calls: Vec<ToolCall<'_>> = listed
        .iter()
        .map(|call| {
            let body = call.get("function").or_else(|| call.get("custom"));
            of_body(body.unwrap_or(call), call.string("id"), style)
        })
        .collect();
    if let Some(call) = message.get("function_call") {
        calls.push(of_body(call, None, style));
    }
    calls
}

fn of_body<'a>(body: &'a Json, id: Option<&'a str>, style: Style<'_>) -> ToolCall<'a> {
    let arguments = body.get("arguments").or_else(|| body.get("input"));
    ToolCall {
        id,
        name: body.string("name").unwrap_or(""),
        arguments: match arguments {
            Some(Json::Text(text)) => text.clone(),
            Some(other) => other.write(style),
            None => String::new(),
        },
    }
}

/// Returns the texts of a content: one string, or the text parts of a list, one by one.
pub(crate) fn texts(content: Option<&Json>) -> Vec<&str> {
    match content {
        Some(Json::Text(text)) => vec![text],
        Some(Json::List(parts)) => parts
            .iter()
            .filter_map(|part| part.as_text().or_else(|| part.string("text")))
            .collect(),
        _ => Vec::new(),
    }
}

/// Returns what an assistant message says of its reasoning, under any of the names for it.
pub(crate) fn reasoning(message: &Json) -> Option<&str> {
    ["reasoning_content", "thinking", "reasoning"]
        .iter()
        .find_map(|name| message.string(name))
        .filter(|text| !text.is_empty())
}

/// The messages of a list, read from its JSON.
pub(crate) fn messages(json: &str) -> Result<Vec<Json>, packframe_tokens::TokenizerError> {
    match Json::read(json) {
        Some(Json::List(messages)) => Ok(messages),
        _ => Err(packframe_tokens::TokenizerError::new(
            "the messages are no JSON list, or are nested deeper than 128",
        )),
    }
}

/// The tools of a call, read from their JSON.
pub(crate) fn tools(json: Option<&str>) -> Result<Vec<Json>, packframe_tokens::TokenizerError> {
    match json.map(Json::read) {
        None => Ok(Vec::new()),
        Some(Some(Json::List(tools))) => Ok(tools),
        Some(_) => Err(packframe_tokens::TokenizerError::new(
            "the tools are no JSON list, or are nested deeper than 128",
        )),
    }
}

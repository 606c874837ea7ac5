//! Results that are written where a call has none.

use crate::conversation::entry::{Entry, Family};
use crate::conversation::fields::{object, quoted};
use crate::conversation::format::Format;

/// What a written result says.
pub(super) const NO_RESULT: &str = "[no result]";

/// Writes a result for a call: a message, or a block where messages have blocks. Nothing where
/// nobody but the provider, or a person, can give one.
pub(super) fn result(format: Format, call: &Entry<'_>) -> Option<String> {
    if !call.family.is_writable() {
        return None;
    }
    let id = quoted(call.id.as_deref()?);
    let said = quoted(NO_RESULT);
    Some(match format {
        Format::OpenAiChat if call.family == Family::Named => {
            object([("role", "\"function\""), ("name", &id), ("content", &said)])
        }
        Format::OpenAiChat => object([
            ("role", "\"tool\""),
            ("tool_call_id", &id),
            ("content", &said),
        ]),
        Format::Anthropic if call.family == Family::Server => return served(call, &id, &said),
        Format::Anthropic => object([
            ("type", "\"tool_result\""),
            ("tool_use_id", &id),
            ("content", &said),
            ("is_error", "true"),
        ]),
        Format::Gemini => {
            let name = quoted(call.name.as_deref()?);
            let response = object([("error", &*said)]);
            let fields = [("id", &*id), ("name", &*name), ("response", &*response)];
            let skip = usize::from(call.family == Family::Named);
            let result = object(fields.into_iter().skip(skip));
            object([("functionResponse", &*result)])
        }
        Format::OpenAiResponses => item(call, &id, &said),
    })
}

/// The result of a tool of Anthropic's, in the shape of its published errors.
fn served(call: &Entry<'_>, id: &str, said: &str) -> Option<String> {
    let name = call.name.as_deref()?;
    if name == "mcp" {
        return Some(object([
            ("type", "\"mcp_tool_result\""),
            ("tool_use_id", id),
            ("content", said),
            ("is_error", "true"),
        ]));
    }
    let stem = if name.starts_with("tool_search_tool") {
        "tool_search"
    } else {
        name
    };
    let error = quoted(&format!("{stem}_tool_result_error"));
    let content = object([("type", &*error), ("error_code", "\"unavailable\"")]);
    let kind = quoted(&format!("{stem}_tool_result"));
    Some(object([
        ("type", &*kind),
        ("tool_use_id", id),
        ("content", &*content),
    ]))
}

fn item(call: &Entry<'_>, id: &str, said: &str) -> String {
    let kind = call.name.as_deref().unwrap_or_default();
    let incomplete = ("status", "\"incomplete\"");
    match call.family {
        Family::LocalShell => object([
            ("type", "\"local_shell_call_output\""),
            ("id", id),
            ("output", said),
            incomplete,
        ]),
        Family::Shell => {
            let outcome =
                format!(r#"[{{"stdout":"","stderr":{said},"outcome":{{"type":"timeout"}}}}]"#);
            object([
                ("type", "\"shell_call_output\""),
                ("call_id", id),
                ("output", &outcome),
                incomplete,
            ])
        }
        Family::ApplyPatch => object([
            ("type", "\"apply_patch_call_output\""),
            ("call_id", id),
            ("status", "\"failed\""),
            ("output", said),
        ]),
        Family::Search => {
            let mut fields = vec![("type", "\"tool_search_output\"")];
            if call.key.is_some() {
                fields.push(("call_id", id));
            }
            if call.client {
                fields.push(("execution", "\"client\""));
            }
            fields.extend([("tools", "[]"), incomplete]);
            object(fields)
        }
        Family::Program => object([
            ("type", "\"program_output\""),
            ("call_id", id),
            ("result", said),
            incomplete,
        ]),
        Family::Function => object([
            ("type", "\"function_call_output\""),
            ("call_id", id),
            ("output", said),
            incomplete,
        ]),
        _ => {
            let kind = quoted(&format!("{kind}_output"));
            object([("type", &*kind), ("call_id", id), ("output", said)])
        }
    }
}

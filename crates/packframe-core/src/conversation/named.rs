//! The id of what a path of a message leads to.

use super::fields::{Fields, elements};

/// Keys that name a call, a result or an item, the nearest to what ties it first.
const IDS: [&str; 6] = [
    "tool_call_id",
    "tool_use_id",
    "call_id",
    "approval_request_id",
    "id",
    "name",
];

/// Lists of a message whose elements may have ids.
const LISTS: [&str; 3] = ["tool_calls", "content", "parts"];

/// Returns the id of the call, the result or the item at a path of a message, or nothing where it has
/// none: `tool_calls[0]`, `content[2].tool_use_id`, `call_id`, and the message itself by any other
/// path. Linear in the message.
pub(crate) fn id_at(json: &str, path: &str) -> Option<String> {
    let message = Fields::parse(json)?;
    let inner = LISTS.iter().find_map(|list| {
        let rest = path.strip_prefix(list)?.strip_prefix('[')?;
        let at: usize = rest.split(']').next()?.parse().ok()?;
        let element = *elements(message.get(list)?)?.get(at)?;
        Some(element.to_owned())
    });
    let Some(element) = inner else {
        // A role or a content is at fault for itself.
        let is_tie = path.is_empty() || IDS.contains(&path) || path == "provider_data.id";
        return id_of(&message).filter(|_| is_tie);
    };
    let element = Fields::parse(&element)?;
    let called = [
        "functionCall",
        "function_call",
        "functionResponse",
        "function_response",
    ];
    let called = called.iter().find_map(|name| element.object(name));
    id_of(called.as_ref().unwrap_or(&element))
}

fn id_of(fields: &Fields<'_>) -> Option<String> {
    IDS.iter()
        .find_map(|name| fields.id(name).map(String::from))
}

#[cfg(test)]
mod tests {
    use super::id_at;

    #[test]
    fn what_a_path_leads_to_is_named() {
        let chat = r#"{"role":"assistant","tool_calls":[{"id":"a"},{"id":"b"}],"name":"Ada"}"#;
        assert_eq!(id_at(chat, "tool_calls[1]").as_deref(), Some("b"));
        assert_eq!(id_at(chat, "tool_calls[1].id").as_deref(), Some("b"));
        assert_eq!(id_at(chat, "tool_calls[2]"), None);
        assert_eq!(id_at(chat, "role"), None);
        let result = r#"{"role":"tool","tool_call_id":"c","content":"x"}"#;
        assert_eq!(id_at(result, "tool_call_id").as_deref(), Some("c"));
        let block = r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"t"}]}"#;
        assert_eq!(id_at(block, "content[0].tool_use_id").as_deref(), Some("t"));
        let part = r#"{"role":"user","parts":[{"functionResponse":{"name":"f"}}]}"#;
        assert_eq!(
            id_at(part, "parts[0].functionResponse").as_deref(),
            Some("f")
        );
        let item = r#"{"type":"function_call_output","call_id":"o","output":"x"}"#;
        assert_eq!(id_at(item, "call_id").as_deref(), Some("o"));
        assert_eq!(id_at("1", ""), None);
    }
}

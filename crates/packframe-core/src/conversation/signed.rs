//! What a provider signed, or finds by its name, and takes back only as it came.

use serde_json::Value;

/// Keys of what is signed or sealed: the object that has one has to stay as it is.
const SEALS: [&str; 4] = [
    "signature",
    "thoughtSignature",
    "thought_signature",
    "encrypted_content",
];

/// What a call has beside its name.
const CALLED_WITH: [&str; 3] = ["args", "arguments", "input"];

/// Fields of chat completions that hold signed thinking.
const THINKING: [&str; 2] = ["reasoning_details", "thinking_blocks"];

/// Says whether two writings of a message have the same in all that is signed, and the same names.
///
/// Linear in both.
pub(crate) fn signed_alike(one: &str, other: &str) -> bool {
    match (serde_json::from_str(one), serde_json::from_str(other)) {
        (Ok(one), Ok(other)) => alike(&one, &other),
        _ => false,
    }
}

fn alike(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Object(fields), Value::Object(others)) => {
            let is_sealed = SEALS.iter().any(|seal| fields.contains_key(*seal))
                || fields.get("type").and_then(Value::as_str) == Some("redacted_thinking");
            if is_sealed {
                return one == other;
            }
            let calls = CALLED_WITH.iter().any(|key| fields.contains_key(*key));
            fields.iter().all(|(key, value)| {
                let Some(now) = others.get(key) else {
                    return false;
                };
                if key == "name" && calls || THINKING.contains(&key.as_str()) {
                    return value == now;
                }
                alike(value, now)
            })
        }
        (Value::Array(values), Value::Array(others)) => {
            values.len() == others.len()
                && values
                    .iter()
                    .zip(others)
                    .all(|(value, now)| alike(value, now))
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::signed_alike;

    #[test]
    fn text_may_change_and_what_is_signed_may_not() {
        for (one, other, same) in [
            (r#"{"content":"a"}"#, r#"{"content":"b"}"#, true),
            (r#"{"content":["a"]}"#, r#"{"content":["b"]}"#, true),
            (r#"{"name":"a"}"#, r#"{"name":"b"}"#, true),
            (
                r#"{"name":"a","input":{}}"#,
                r#"{"name":"b","input":{}}"#,
                false,
            ),
            (
                r#"{"content":[{"type":"thinking","thinking":"a","signature":"s"}]}"#,
                r#"{"content":[{"type":"thinking","thinking":"b","signature":"s"}]}"#,
                false,
            ),
            (
                r#"{"parts":[{"functionCall":{"args":{"k":"a"}},"thoughtSignature":"s"}]}"#,
                r#"{"parts":[{"functionCall":{"args":{"k":"b"}},"thoughtSignature":"s"}]}"#,
                false,
            ),
            (
                r#"{"content":[{"type":"redacted_thinking","data":"a"}]}"#,
                r#"{"content":[{"type":"redacted_thinking","data":"b"}]}"#,
                false,
            ),
            (
                r#"{"thinking_blocks":[{"thinking":"a"}]}"#,
                r#"{"thinking_blocks":[{"thinking":"b"}]}"#,
                false,
            ),
        ] {
            assert_eq!(signed_alike(one, other), same, "{one}");
        }
    }
}

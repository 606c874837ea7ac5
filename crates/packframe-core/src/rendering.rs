//! Rows as what is sent: one text, or a list of messages.

use crate::error::{Error, ErrorKind};
use crate::frame::Frame;
use crate::pack::label;
use crate::word::Role;

/// Joins the texts of some rows.
#[must_use]
pub fn text(
    frame: &Frame,
    rows: impl Iterator<Item = usize>,
    separator: &str,
    labels: bool,
) -> String {
    let mut out = String::new();
    for (at, row) in rows.enumerate() {
        if at > 0 {
            out.push_str(separator);
        }
        if labels {
            out.push_str(&label(frame.roles[row]));
        }
        out.push_str(frame.content(row).rendered().unwrap_or(""));
    }
    out
}

/// Writes some rows as a JSON array of chat-completions messages; a row that was a message is
/// written as it came.
#[must_use]
pub fn messages(frame: &Frame, rows: impl Iterator<Item = usize>) -> String {
    let mut out = String::from("[");
    for (at, row) in rows.enumerate() {
        if at > 0 {
            out.push(',');
        }
        let content = frame.content(row);
        if content.as_message().is_some() {
            out.push_str(content.stored());
            continue;
        }
        out.push_str("{\"role\":\"");
        out.push_str(frame.roles[row].as_str());
        out.push_str("\",\"content\":");
        out.push_str(&serde_json::Value::from(content.rendered().unwrap_or("")).to_string());
        out.push('}');
    }
    out.push(']');
    out
}

/// Refuses rows that chat completions have no message for.
///
/// # Errors
///
/// `UnsupportedContent` for bytes, and for a plain item of a tool, which names no call;
/// `InvalidMessages` for calls and results that do not pair.
pub fn check_chat(frame: &Frame, rows: &[usize]) -> Result<(), Error> {
    for &row in rows {
        let content = frame.content(row);
        let is_message = content.as_message().is_some();
        if !is_message && (frame.roles[row] == Role::Tool || content.rendered().is_none()) {
            return Err(Error::new(ErrorKind::UnsupportedContent {
                row,
                id: frame.id(row).to_string(),
                kind: content.kind(),
                renderer: "openai-chat",
            }));
        }
    }
    if frame.has_messages() {
        crate::conversation::tie(&frame.take(rows)?).map_err(Error::invalid_messages)?;
    }
    Ok(())
}

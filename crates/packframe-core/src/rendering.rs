//! Rows as what is sent: one text, or a list of messages.

use crate::content::Content;
use crate::conversation::Format;
use crate::error::{Error, ErrorKind};
use crate::frame::Frame;
use crate::pack::label;
use crate::word::Role;

/// A part of a text: a row, or the header of a section.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Piece<'a> {
    /// What stands before it.
    pub(crate) gap: &'a str,
    /// The header, where it is one.
    pub(crate) header: &'a str,
    /// The row, where it is one.
    pub(crate) row: Option<usize>,
}

/// Joins the texts of some rows.
#[must_use]
pub fn text(
    frame: &Frame,
    rows: impl Iterator<Item = usize>,
    separator: &str,
    labels: bool,
) -> String {
    let pieces = rows.enumerate().map(|(at, row)| Piece {
        gap: if at == 0 { "" } else { separator },
        header: "",
        row: Some(row),
    });
    joined(frame, pieces, |row| frame.content(row), labels)
}

/// Writes some rows as a JSON array of chat-completions messages; a row that was a message is
/// written as it came.
#[must_use]
pub fn messages(frame: &Frame, rows: impl Iterator<Item = usize>) -> String {
    as_messages(frame, None, rows, |row| frame.content(row))
}

/// Joins some pieces, with the content that each row is packed as.
pub(crate) fn joined<'a, 'b>(
    frame: &Frame,
    pieces: impl Iterator<Item = Piece<'a>>,
    content: impl Fn(usize) -> &'b Content,
    labels: bool,
) -> String {
    let mut out = String::new();
    for piece in pieces {
        out.push_str(piece.gap);
        match piece.row {
            Some(row) => {
                if labels {
                    out.push_str(&label(frame.roles[row]));
                }
                out.push_str(content(row).rendered().unwrap_or(""));
            }
            None => out.push_str(piece.header),
        }
    }
    out
}

/// Writes some rows as a JSON array of chat-completions messages, with the content that each is
/// packed as; a row that was a message is written as it came. What is merged stands behind so many of
/// them.
pub(crate) fn as_messages<'b>(
    frame: &Frame,
    merged: Option<&(usize, Role, String)>,
    rows: impl Iterator<Item = usize>,
    content: impl Fn(usize) -> &'b Content,
) -> String {
    let mut out = String::from("[");
    let mut merged = merged;
    for (written, row) in rows.enumerate() {
        if let Some((_, role, text)) = merged.take_if(|(before, ..)| *before == written) {
            write_message(&mut out, *role, text);
        }
        let content = content(row);
        if content.as_message().is_some() {
            begin(&mut out);
            out.push_str(content.stored());
        } else {
            write_message(&mut out, frame.roles[row], content.rendered().unwrap_or(""));
        }
    }
    if let Some((_, role, text)) = merged {
        write_message(&mut out, *role, text);
    }
    out.push(']');
    out
}

fn write_message(out: &mut String, role: Role, text: &str) {
    begin(out);
    out.push_str("{\"role\":\"");
    out.push_str(role.as_str());
    out.push_str("\",\"content\":");
    out.push_str(&serde_json::Value::from(text).to_string());
    out.push('}');
}

/// Writes what stands between two messages.
fn begin(out: &mut String) {
    if out.len() > 1 {
        out.push(',');
    }
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
        let other = content
            .as_message()
            .is_some_and(|message| message.format() != Format::OpenAiChat);
        let plain = frame.roles[row] == Role::Tool || content.rendered().is_none();
        if other || (!is_message && plain) {
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

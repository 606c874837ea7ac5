//! Rows as what is sent: one text, or a list of messages.

use std::borrow::Cow;

use crate::content::Content;
use crate::conversation::{Format, id_at, refused};
use crate::error::{Error, ErrorKind, Problem};
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
    out.push_str(&message(Format::OpenAiChat, role, text));
}

/// Writes a message of a text.
pub(crate) fn message(format: Format, role: Role, text: &str) -> String {
    let text = serde_json::Value::from(text);
    match (format, role) {
        (Format::Gemini, Role::Assistant) => {
            format!("{{\"role\":\"model\",\"parts\":[{{\"text\":{text}}}]}}")
        }
        (Format::Gemini, _) => {
            let role = role.as_str();
            format!("{{\"role\":\"{role}\",\"parts\":[{{\"text\":{text}}}]}}")
        }
        _ => format!("{{\"role\":\"{}\",\"content\":{text}}}", role.as_str()),
    }
}

/// Writes what stands between two messages.
fn begin(out: &mut String) {
    if out.len() > 1 {
        out.push(',');
    }
}

/// Rows as messages of a format.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Listed {
    /// The texts of the system, where the format has no messages for them.
    pub system: Vec<String>,
    /// The messages as a JSON array.
    pub messages: String,
}

impl Listed {
    /// Returns it as a JSON array, or as an object with the names that the format has for the parts,
    /// where it has the system text beside the messages.
    #[must_use]
    pub fn call(&self, format: Format) -> String {
        let (system, list) = match format {
            Format::OpenAiChat | Format::OpenAiResponses => return self.messages.clone(),
            Format::Anthropic => ("system", "messages"),
            Format::Gemini => ("system_instruction", "contents"),
        };
        let messages = &self.messages;
        let text = match &self.system[..] {
            [] => return format!("{{\"{list}\":{messages}}}"),
            [text] => serde_json::Value::from(&**text).to_string(),
            // Joined they would be a text that nobody counted.
            texts => blocks(format, texts),
        };
        format!("{{\"{system}\":{text},\"{list}\":{messages}}}")
    }
}

/// Writes several texts of the system as the format has them.
fn blocks(format: Format, texts: &[String]) -> String {
    let kind = match format {
        Format::Gemini => "",
        _ => "\"type\":\"text\",",
    };
    let blocks: Vec<String> = texts
        .iter()
        .map(|text| format!("{{{kind}\"text\":{}}}", serde_json::Value::from(&**text)))
        .collect();
    match format {
        Format::Gemini => format!("{{\"parts\":[{}]}}", blocks.join(",")),
        _ => format!("[{}]", blocks.join(",")),
    }
}

/// Writes some rows as messages of a format, with the content that each is packed as: messages of
/// the format as they came, plain items by their roles, those of system and developer as texts of the
/// system where the format has it beside. Linear.
///
/// # Errors
///
/// `InvalidOption` for a message of another format; `UnsupportedContent` for bytes, and for a plain
/// item of a tool, which names no call; `InvalidMessages` for all that the provider would refuse the
/// list for.
pub(crate) fn listed<'b>(
    frame: &Frame,
    rows: &[usize],
    content: impl Fn(usize) -> &'b Content,
    format: Format,
) -> Result<Listed, Error> {
    let has_system = matches!(format, Format::OpenAiChat | Format::OpenAiResponses);
    let mut system: Vec<String> = Vec::new();
    let (mut places, mut list) = (
        Vec::with_capacity(rows.len()),
        Vec::with_capacity(rows.len()),
    );
    for &row in rows {
        let (content, role) = (content(row), frame.roles[row]);
        if let Some(message) = content.as_message() {
            if message.format() != format {
                return Err(of_another_format(row, message.format(), format));
            }
            list.push(Cow::Borrowed(content.stored()));
        } else {
            let text = content.rendered().filter(|_| role != Role::Tool);
            let text = text.ok_or_else(|| {
                Error::new(ErrorKind::UnsupportedContent {
                    row,
                    id: frame.id(row).to_string(),
                    kind: content.kind(),
                    renderer: format.as_str(),
                })
            })?;
            if !has_system && matches!(role, Role::System | Role::Developer) {
                system.push(text.to_owned());
                continue;
            }
            list.push(Cow::Owned(message(format, role, text)));
        }
        places.push(row);
    }
    let allow_pending = frame.dialogue().is_some_and(|talk| talk.allow_pending);
    let refused = refused(&list, format, allow_pending);
    if !refused.is_empty() {
        let problems = refused.into_iter().map(|problem| Problem {
            id: id_at(&list[problem.position], &problem.path),
            position: places[problem.position],
            path: problem.path,
            rule: problem.rule,
        });
        return Err(Error::invalid_messages(problems.collect()));
    }
    Ok(Listed {
        system,
        messages: format!("[{}]", list.join(",")),
    })
}

fn of_another_format(row: usize, found: Format, asked: Format) -> Error {
    let problem = format!(
        "is the format of the message in row {row}, not {}",
        asked.as_str()
    );
    let remedy = "pf.convert_messages, before packing";
    let shown = format!("'{}'", found.as_str());
    Error::invalid_option("format", shown, problem, Some(remedy))
}

/// Writes all rows of a frame as messages of a format. Linear.
///
/// # Errors
///
/// As a pack's rendering: `InvalidOption` for a message of another format; `UnsupportedContent` for
/// bytes, and for a plain item of a tool; `InvalidMessages` for all that the provider would refuse.
pub fn frame_messages(frame: &Frame, format: Format) -> Result<Listed, Error> {
    let rows: Vec<usize> = (0..frame.len()).collect();
    listed(frame, &rows, |row| frame.content(row), format)
}

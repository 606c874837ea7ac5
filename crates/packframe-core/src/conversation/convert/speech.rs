//! What is said in a list of messages, in the terms of no format.

use super::super::fields::{Fields, elements, text};
use crate::error::Problem;

/// Who says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Voice {
    System,
    Developer,
    User,
    Assistant,
}

/// A picture.
#[derive(Debug, Clone)]
pub(super) struct Picture {
    /// The media type, where it is known.
    pub(super) mime: Option<String>,
    pub(super) at: Source,
}

#[derive(Debug, Clone)]
pub(super) enum Source {
    Base64(String),
    Url(String),
}

/// A call of a tool.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) id: String,
    pub(super) name: String,
    /// What it passes on: the text of an object, or, for a custom tool, any text.
    pub(super) input: String,
    pub(super) is_custom: bool,
}

/// What a tool gave back.
#[derive(Debug, Clone)]
pub(super) struct Outcome {
    pub(super) id: String,
    pub(super) name: Option<String>,
    pub(super) content: Vec<Part>,
    pub(super) is_error: bool,
    pub(super) is_custom: bool,
}

/// A piece of what is said.
#[derive(Debug, Clone)]
pub(super) enum Part {
    Text(String),
    Picture(Picture),
    Call(Call),
    Outcome(Outcome),
}

/// What one message says.
#[derive(Debug, Clone)]
pub(super) struct Speech {
    /// The message, by position.
    pub(super) position: usize,
    pub(super) voice: Voice,
    pub(super) parts: Vec<Part>,
}

/// What a conversion left out or put elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversionNote {
    /// The message, by its position.
    pub position: usize,
    /// The place in the message.
    pub path: String,
    /// `thinking`, `signature`, `is_error` or `field` for what was left out, `system` for what was
    /// put into the system text.
    pub kind: &'static str,
}

/// Reads messages, and writes down what cannot be said and what is left out.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub(super) said: Vec<Speech>,
    pub(super) notes: Vec<ConversionNote>,
    pub(super) problems: Vec<Problem>,
    pub(super) position: usize,
}

impl Reading {
    pub(super) fn note(&mut self, path: impl Into<String>, kind: &'static str) {
        self.notes.push(ConversionNote {
            position: self.position,
            path: path.into(),
            kind,
        });
    }

    /// Says that a place has nothing that can be said otherwise.
    pub(super) fn refuse(&mut self, path: impl Into<String>) {
        self.problems.push(not_convertible(self.position, path));
    }

    pub(super) fn say(&mut self, voice: Voice, parts: Vec<Part>) {
        self.said.push(Speech {
            position: self.position,
            voice,
            parts,
        });
    }

    /// Notes the fields of an object that have no counterpart.
    pub(super) fn note_others(&mut self, fields: &Fields<'_>, known: &[&str], at: &str) {
        let others: Vec<String> = fields
            .iter()
            .filter(|(name, raw)| *raw != "null" && !known.contains(name))
            .map(|(name, _)| {
                let dot = if at.is_empty() { "" } else { "." };
                format!("{at}{dot}{name}")
            })
            .collect();
        for path in others {
            self.note(path, "field");
        }
    }

    /// Reads a string, or a list of blocks each by `block`.
    pub(super) fn content(
        &mut self,
        raw: &str,
        at: &str,
        block: impl Fn(&mut Self, &Fields<'_>, &str) -> Option<Part>,
    ) -> Vec<Part> {
        if let Some(said) = text(raw) {
            return vec![Part::Text(said.into_owned())];
        }
        let Some(blocks) = elements(raw) else {
            self.refuse(at);
            return Vec::new();
        };
        let mut parts = Vec::with_capacity(blocks.len());
        for (index, json) in blocks.into_iter().enumerate() {
            let path = format!("{at}[{index}]");
            match Fields::parse(json) {
                Some(fields) => parts.extend(block(self, &fields, &path)),
                None => self.refuse(path),
            }
        }
        parts
    }
}

pub(super) fn not_convertible(position: usize, path: impl Into<String>) -> Problem {
    Problem {
        position,
        path: path.into(),
        rule: "not_convertible",
        id: None,
    }
}

/// Reads a picture from its address, which may hold it.
pub(super) fn picture(url: &str) -> Picture {
    let inside = url.strip_prefix("data:").and_then(|rest| {
        let (mime, data) = rest.split_once(";base64,")?;
        Some((mime.to_owned(), data.to_owned()))
    });
    match inside {
        Some((mime, data)) => Picture {
            mime: Some(mime),
            at: Source::Base64(data),
        },
        None => Picture {
            mime: None,
            at: Source::Url(url.to_owned()),
        },
    }
}

impl Picture {
    /// Returns an address that holds the picture, or where it is.
    pub(super) fn url(&self) -> String {
        match &self.at {
            Source::Url(url) => url.clone(),
            Source::Base64(data) => {
                let mime = self.mime.as_deref().unwrap_or("application/octet-stream");
                format!("data:{mime};base64,{data}")
            }
        }
    }
}

/// Returns the texts of parts as one, or nothing where one is no text.
pub(super) fn plain(parts: &[Part]) -> Option<String> {
    let texts: Option<Vec<&str>> = parts
        .iter()
        .map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    texts.map(|texts| texts.join("\n"))
}

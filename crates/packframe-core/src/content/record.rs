//! Contents as plain fields: a text, and what it is.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Body, Content};
use crate::alternative::Alternative;
use crate::conversation::{Format, Message};
use crate::error::Error;
use crate::json_text::compact;
use crate::nearest::nearest;

const KINDS: [&str; 5] = ["text", "json", "binary", "reference", "message"];

/// A content as plain fields, such as a table has them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ContentFields<'a> {
    /// The text, the JSON, the URI, the bytes in base64, or the message as JSON.
    pub content: Option<&'a str>,
    /// The word for the kind; text, if there is none.
    pub kind: Option<&'a str>,
    /// The media type of bytes.
    pub mime: Option<&'a str>,
    /// The digest of what a reference points to.
    pub digest: Option<&'a str>,
    /// The size of it in bytes.
    pub size: Option<u64>,
    /// The wire format of a message.
    pub format: Option<&'a str>,
}

impl ContentFields<'_> {
    /// Makes the content.
    ///
    /// # Errors
    ///
    /// `InvalidItem` naming the field: a content that is missing or not what its kind says, and
    /// fields that do not go with the kind. `InvalidMessages` for a message that a provider would
    /// refuse.
    pub fn content(&self) -> Result<Content, Error> {
        let missing = |field, remedy| Error::invalid_item(field, "", "is missing", Some(remedy));
        let text = self.content.ok_or_else(|| missing("content", "a text"))?;
        let kind = self.kind.unwrap_or("text");
        match kind {
            "text" => self.only(&[], kind).map(|()| Content::text(text)),
            "json" => {
                self.only(&[], kind)?;
                Ok(Content::json(json(text, "content")?))
            }
            "reference" => {
                self.only(&["digest", "size"], kind)?;
                Content::reference(text.to_owned(), self.digest.map(str::to_owned), self.size)
            }
            "binary" => {
                self.only(&["mime"], kind)?;
                let mime = self.mime.ok_or_else(|| missing("mime", "a media type"))?;
                let data = STANDARD.decode(text).map_err(|_| {
                    let remedy = Some("bytes in base64");
                    Error::invalid_item("content", shown(text), "is no base64", remedy)
                })?;
                Ok(Content::binary(data, mime.to_owned()))
            }
            "message" => {
                self.only(&["format"], kind)?;
                let name = self.format.unwrap_or(Format::OpenAiChat.as_str());
                let format = Format::parse(name).ok_or_else(|| {
                    let known = Format::ALL.iter().map(|format| format.as_str());
                    let remedy = nearest(name, known).unwrap_or("openai-chat");
                    Error::invalid_item("format", name, "is no known format", Some(remedy))
                })?;
                let json = json(text, "content")?;
                let message = Message::parse(format, &json).map_err(Error::invalid_messages)?;
                Ok(Content::message(message, json))
            }
            _ => {
                let remedy = nearest(kind, KINDS)
                    .map_or_else(|| format!("one of {}", KINDS.join(", ")), str::to_owned);
                let problem = "is not one of the known words";
                Err(Error::invalid_item("kind", kind, problem, Some(&remedy)))
            }
        }
    }

    /// Refuses what does not go with a kind.
    fn only(&self, allowed: &[&str], kind: &str) -> Result<(), Error> {
        let size = self.size.map(|size| size.to_string());
        let all = [
            ("mime", self.mime),
            ("digest", self.digest),
            ("size", size.as_deref()),
            ("format", self.format),
        ];
        for (field, value) in all {
            if let Some(value) = value.filter(|_| !allowed.contains(&field)) {
                let problem = format!("does not go with content of kind {kind}");
                return Err(Error::invalid_item(
                    field,
                    value,
                    problem,
                    Some("another kind"),
                ));
            }
        }
        Ok(())
    }
}

impl Content {
    /// Returns what [`ContentFields`] has as its content: bytes in base64, all else as it is stored.
    #[must_use]
    pub fn plain(&self) -> std::borrow::Cow<'_, str> {
        match &self.body {
            Body::Binary(binary) => STANDARD.encode(&binary.data).into(),
            _ => self.stored().into(),
        }
    }
}

/// Returns the data of a caller's own as compact JSON.
///
/// # Errors
///
/// `InvalidItem` for what is no JSON object, naming the field.
pub fn metadata_json(text: &str) -> Result<String, Error> {
    let json = json(text, "metadata")?;
    if json.starts_with('{') {
        return Ok(json);
    }
    let remedy = Some("a JSON object");
    Err(Error::invalid_item(
        "metadata",
        shown(text),
        "is no object",
        remedy,
    ))
}

fn json(text: &str, field: &str) -> Result<String, Error> {
    compact(text)
        .map_err(|problem| Error::invalid_item(field, shown(text), problem, Some("plain JSON")))
}

/// Shows the start of a text.
fn shown(text: &str) -> String {
    let start: String = text.chars().take(60).collect();
    let more = if start.len() < text.len() { "…" } else { "" };
    format!("'{}{more}'", crate::printable::printable(&start))
}

/// An alternative as JSON has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AlternativeRecord<'a> {
    #[serde(borrow)]
    content: &'a RawValue,
    kind: Option<String>,
    /// As it is written: the crate reads some numbers a bit off.
    #[serde(borrow)]
    value: Option<&'a RawValue>,
    mime: Option<String>,
    digest: Option<String>,
    size: Option<u64>,
}

/// Reads alternatives from a JSON list of records with the fields of a content and `value`, and of
/// strings.
///
/// # Errors
///
/// `InvalidItem` for the field `alternatives`, naming the place in the list.
pub fn alternatives_from_json(text: &str) -> Result<Vec<Alternative>, Error> {
    let refuse = |error: serde_json::Error, text: &str| {
        let problem = format!("is no list of alternatives ({error})");
        let remedy = Some("a JSON list of objects with content, kind and value");
        Error::invalid_item("alternatives", shown(text), problem, remedy)
    };
    let listed: Vec<&RawValue> = serde_json::from_str(text).map_err(|error| refuse(error, text))?;
    let read = |(place, raw): (usize, &&RawValue)| {
        if let Ok(text) = serde_json::from_str::<String>(raw.get()) {
            return Ok(Alternative::at(place, Arc::new(Content::text(text))));
        }
        let record: AlternativeRecord<'_> =
            serde_json::from_str(raw.get()).map_err(|error| refuse(error, raw.get()))?;
        let as_json = record.kind.as_deref() == Some("json");
        let text = if as_json {
            record.content.get().to_owned()
        } else {
            serde_json::from_str(record.content.get()).map_err(|error| refuse(error, raw.get()))?
        };
        let fields = ContentFields {
            content: Some(&text),
            kind: record.kind.as_deref(),
            mime: record.mime.as_deref(),
            digest: record.digest.as_deref(),
            size: record.size,
            format: None,
        };
        let part = format!("alternative {place}");
        let content = fields
            .content()
            .map_err(|error| error.part_of("alternatives", &part))?;
        let mut made = Alternative::at(place, Arc::new(content));
        if let Some(value) = record.value {
            made.value = value.get().parse().map_err(|_| {
                let problem = format!("as value of {part} is not a number");
                let remedy = Some("a value from 0 to 1");
                Error::invalid_item("alternatives", value.get(), problem, remedy)
            })?;
        }
        Ok(made)
    };
    listed.iter().enumerate().map(read).collect()
}

/// Writes alternatives as [`alternatives_from_json`] reads them.
#[must_use]
pub fn alternatives_to_json(alternatives: &[Alternative]) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let records = alternatives.iter().map(|alternative| {
        let content = &alternative.content;
        let plain = match content.body() {
            Body::Json => content.stored().to_owned(),
            _ => quoted(&content.plain()),
        };
        let mut fields = vec![
            format!("\"content\":{plain}"),
            format!("\"kind\":\"{}\"", content.kind()),
            format!("\"value\":{}", alternative.value),
        ];
        match content.body() {
            Body::Binary(binary) => fields.push(format!("\"mime\":{}", quoted(&binary.mime))),
            Body::Reference(reference) => {
                let digest = reference.digest.iter();
                fields.extend(digest.map(|digest| format!("\"digest\":{}", quoted(digest))));
                fields.extend(reference.size.iter().map(|size| format!("\"size\":{size}")));
            }
            Body::Text | Body::Json | Body::Message(_) => {}
        }
        format!("{{{}}}", fields.join(","))
    });
    format!("[{}]", records.collect::<Vec<_>>().join(","))
}

//! Items as plain records: dicts in, dicts out.

use std::sync::Arc;

use packframe_core::{Body, Content, Error, Frame, Item as CoreItem, nearest, unknown_field_word};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};

use crate::alternative::{self, Alternative};
use crate::content;
use crate::convert::{Place, content_word, datetime, show, text};
use crate::error::{Failure, Outcome, list};
use crate::item::Raw;
use crate::json;

/// The keys that a record may have.
const KEYS: [&str; 24] = [
    "content",
    "kind",
    "id",
    "role",
    "retention",
    "score",
    "priority",
    "section",
    "group",
    "requires",
    "exclusive",
    "alternatives",
    "cut_to",
    "pinned",
    "created_at",
    "expires_at",
    "trust",
    "sensitivity",
    "sources",
    "metadata",
    "mime",
    "digest",
    "size",
    "format",
];
/// The keys that the record of an alternative may have.
const ALTERNATIVE_KEYS: [&str; 6] = ["content", "kind", "value", "mime", "digest", "size"];
const KINDS: [&str; 5] = ["text", "json", "binary", "reference", "message"];

/// Reads one record; errors do not know the row yet.
pub(crate) fn read(record: &Bound<'_, PyAny>) -> Outcome<CoreItem> {
    let Some(record) = crate::convert::as_dict(record)? else {
        let remedy = "a dict with the key content";
        return Err(Place::Field("record")
            .refuse(record, "is no dict", remedy)
            .into());
    };
    let values = fields(&record, &KEYS, "is no field of an item")?;
    let [
        content,
        kind,
        id,
        role,
        retention,
        score,
        priority,
        section,
        group,
        requires,
        exclusive,
        alternatives,
        cut_to,
        pinned,
        created_at,
        expires_at,
        trust,
        sensitivity,
        sources,
        metadata,
        mime,
        digest,
        size,
        format,
    ] = &values;
    let about = About {
        mime: mime.as_ref(),
        digest: digest.as_ref(),
        size: size.as_ref(),
        format: format.as_ref(),
    };
    let content = read_content(content.as_ref(), kind.as_ref(), &about)?;
    Raw {
        id: id.as_ref(),
        role: role.as_ref(),
        retention: retention.as_ref(),
        score: score.as_ref(),
        priority: priority.as_ref(),
        section: section.as_ref(),
        group: group.as_ref(),
        pinned: pinned.as_ref(),
        created_at: created_at.as_ref(),
        expires_at: expires_at.as_ref(),
        trust: trust.as_ref(),
        sensitivity: sensitivity.as_ref(),
        sources: sources.as_ref(),
        metadata: metadata.as_ref(),
        requires: requires.as_ref(),
        exclusive: exclusive.as_ref(),
        alternatives: alternative::read(alternatives.as_ref(), read_alternative)?,
        cut_to: cut_to.as_ref(),
    }
    .item(content)
}

/// Sorts the values of a record by its keys.
fn fields<'py, const COUNT: usize>(
    record: &Bound<'py, PyDict>,
    keys: &[&'static str; COUNT],
    problem: &'static str,
) -> Outcome<[Option<Bound<'py, PyAny>>; COUNT]> {
    let mut values = [const { None }; COUNT];
    for (key, value) in record.iter() {
        let name = text(&key, Place::Field("record"))?;
        let Some(at) = keys.iter().position(|known| *known == name) else {
            let remedy = content_word(name)
                .or_else(|| nearest(name, *keys))
                .map_or_else(|| format!("one of {}", keys.join(", ")), str::to_owned);
            return Err(Error::invalid_item(name, show(&value), problem, Some(&remedy)).into());
        };
        values[at] = Some(value);
    }
    Ok(values)
}

/// Reads an alternative: a record of its own, or a content.
fn read_alternative(value: &Bound<'_, PyAny>) -> Outcome<Alternative> {
    let Some(record) = crate::convert::as_dict(value)? else {
        return alternative::bare(value);
    };
    let [content, kind, share, mime, digest, size] =
        &fields(&record, &ALTERNATIVE_KEYS, "is no field of an alternative")?;
    let about = About {
        mime: mime.as_ref(),
        digest: digest.as_ref(),
        size: size.as_ref(),
        format: None,
    };
    let content = read_content(content.as_ref(), kind.as_ref(), &about)?;
    Alternative::new(content, share.as_ref())
}

/// What a record says of its content beside the content itself.
struct About<'a, 'py> {
    mime: Option<&'a Bound<'py, PyAny>>,
    digest: Option<&'a Bound<'py, PyAny>>,
    size: Option<&'a Bound<'py, PyAny>>,
    format: Option<&'a Bound<'py, PyAny>>,
}

impl About<'_, '_> {
    /// Refuses what does not go with a kind.
    fn only(&self, allowed: &[&str], kind: &str) -> Outcome<()> {
        let all = [
            ("mime", self.mime),
            ("digest", self.digest),
            ("size", self.size),
            ("format", self.format),
        ];
        for (field, value) in all {
            if let Some(value) = value.filter(|value| !value.is_none() && !allowed.contains(&field))
            {
                let problem = format!("does not go with content of kind {kind}");
                return Err(
                    Error::invalid_item(field, show(value), problem, Some("another kind")).into(),
                );
            }
        }
        Ok(())
    }
}

fn read_content<'py>(
    value: Option<&Bound<'py, PyAny>>,
    kind: Option<&Bound<'py, PyAny>>,
    about: &About<'_, 'py>,
) -> Outcome<Arc<Content>> {
    let Some(value) = value else {
        let remedy = "a record with the key content";
        return Err(Error::invalid_item("content", "", "is missing", Some(remedy)).into());
    };
    let Some(kind) = kind else {
        about.only(&[], "text")?;
        if value.is_instance_of::<PyDict>() {
            let remedy = "kind=\"json\" or kind=\"message\" in the record, or pf.Json(...)";
            return Err(Place::Field("content")
                .refuse(value, "is a dict of no named kind", remedy)
                .into());
        }
        return content::read(value);
    };
    let py = value.py();
    let place = Place::Field("content");
    let word = text(kind, Place::Field("kind"))?;
    match word {
        "text" => {
            about.only(&[], word)?;
            Ok(Arc::new(Content::text(text(value, place)?)))
        }
        "json" => {
            about.only(&[], word)?;
            Ok(Arc::new(Content::json(content::json_text(
                value, "content",
            )?)))
        }
        "reference" => {
            about.only(&["digest", "size"], word)?;
            content::reference(value, about.digest, about.size)
        }
        "binary" => {
            about.only(&["mime"], word)?;
            let Some(mime) = about.mime else {
                return Err(
                    Error::invalid_item("mime", "", "is missing", Some("a media type")).into(),
                );
            };
            let data = if value.is_instance_of::<PyBytes>() {
                value.clone()
            } else {
                text(value, place)?;
                let options = PyDict::new(py);
                options.set_item("validate", true)?;
                py.import("base64")?
                    .call_method("b64decode", (value,), Some(&options))
                    .map_err(|_| place.refuse(value, "is no base64", "bytes in base64"))?
            };
            content::binary(&data, mime)
        }
        "message" => {
            about.only(&["format"], word)?;
            content::message(value, about.format)
        }
        _ => Err(unknown_field_word("kind", word, &KINDS).into()),
    }
}

/// Writes a row as a record, without the fields that have their default.
pub(crate) fn write<'py>(
    py: Python<'py>,
    frame: &Frame,
    row: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let item = frame.item(row);
    let spec = item.spec();
    let record = PyDict::new(py);
    write_content(py, &spec.content, &record)?;
    let words = [
        ("role", spec.role.as_str(), "user"),
        ("retention", spec.retention.as_str(), "optional"),
        ("trust", spec.trust.as_str(), "untrusted"),
        ("sensitivity", spec.sensitivity.as_str(), "public"),
    ];
    for (field, word, default) in words {
        if word != default {
            record.set_item(field, word)?;
        }
    }
    for (field, number) in [("score", spec.score), ("priority", spec.priority)] {
        if number != 0.0 {
            record.set_item(field, number)?;
        }
    }
    for (field, name) in [
        ("id", &spec.id),
        ("section", &spec.section),
        ("group", &spec.group),
    ] {
        if let Some(name) = name {
            record.set_item(field, &**name)?;
        }
    }
    if !spec.extra.requires.is_empty() {
        let requires = spec.extra.requires.iter().map(|id| &**id);
        record.set_item("requires", PyList::new(py, requires.collect::<Vec<_>>())?)?;
    }
    if let Some(key) = &spec.extra.exclusive {
        record.set_item("exclusive", &**key)?;
    }
    if !spec.extra.alternatives.is_empty() {
        record.set_item(
            "alternatives",
            list(py, &spec.extra.alternatives, |alternative, record| {
                write_content(record.py(), &alternative.content, record)?;
                record.set_item("value", alternative.value)
            })?,
        )?;
    }
    if let Some(tokens) = spec.extra.cut_to {
        record.set_item("cut_to", tokens)?;
    }
    if spec.pinned {
        record.set_item("pinned", true)?;
    }
    for (field, time) in [
        ("created_at", spec.extra.created_at),
        ("expires_at", spec.extra.expires_at),
    ] {
        if let Some(time) = datetime(py, time)? {
            record.set_item(field, time.call_method0("isoformat")?)?;
        }
    }
    if !spec.extra.sources.is_empty() {
        record.set_item("sources", &spec.extra.sources)?;
    }
    if let Some(metadata) = &spec.extra.metadata {
        record.set_item("metadata", json::read(py, metadata)?)?;
    }
    Ok(record)
}

fn write_content(py: Python<'_>, content: &Content, record: &Bound<'_, PyDict>) -> PyResult<()> {
    match content.body() {
        Body::Text => return record.set_item("content", PyString::new(py, content.stored())),
        Body::Json => record.set_item("content", json::read(py, content.stored())?)?,
        Body::Reference(reference) => {
            record.set_item("content", content.stored())?;
            if let Some(digest) = &reference.digest {
                record.set_item("digest", digest)?;
            }
            if let Some(size) = reference.size {
                record.set_item("size", size)?;
            }
        }
        Body::Binary(binary) => {
            let encoded = py
                .import("base64")?
                .call_method1("b64encode", (PyBytes::new(py, &binary.data),))?;
            record.set_item("content", encoded.call_method1("decode", ("ascii",))?)?;
            record.set_item("mime", &binary.mime)?;
        }
        Body::Message(message) => {
            record.set_item("content", json::read(py, content.stored())?)?;
            record.set_item("format", message.format().as_str())?;
        }
    }
    record.set_item("kind", content.kind())
}

/// Says in which row a failure happened, if it is about an item.
pub(crate) fn at_row(failure: Failure, row: usize) -> Failure {
    match failure {
        Failure::Core(error) => Failure::Core(error.at_row(row)),
        other @ Failure::Python(_) => other,
    }
}

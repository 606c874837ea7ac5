//! Contents that are not text.

use std::sync::Arc;

use packframe_core::{Body, Content, Error, Format, Message as CoreMessage, Problem};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::convert::{Place, show, text};
use crate::error::{Failure, Outcome, caused};
use crate::{json, model};

/// A JSON value as content: rendered compact, keys in their order, non-ASCII kept.
///
/// `value` may be any nesting of dict with string keys, list, tuple, str, int, finite float,
/// bool and None, up to 128 deep; anything else raises `InvalidItem` with the path of the
/// offending part. Cost: linear in the value.
///
/// >>> import packframe as pf
/// >>> pf.Item(pf.Json({"city": "Oslo", "degrees": [4, 5]})).text
/// '{"city":"Oslo","degrees":[4,5]}'
#[pyclass(frozen, module = "packframe")]
pub(crate) struct Json {
    pub(crate) content: Arc<Content>,
}

#[pymethods]
impl Json {
    #[new]
    #[pyo3(signature = (value, /))]
    fn new(value: &Bound<'_, PyAny>) -> Outcome<Self> {
        Ok(Self {
            content: Arc::new(Content::json(json_text(value, "content")?)),
        })
    }

    /// The value, as a fresh copy.
    #[getter]
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json::read(py, self.content.stored())
    }

    fn __repr__(&self) -> String {
        format!("Json({} bytes)", self.content.stored().len())
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.content.same(&other.content)
    }

    fn __hash__(&self) -> u64 {
        short_hash(&self.content)
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyAny>,))> {
        Ok((slf.get_type().into_any(), (slf.get().value(slf.py())?,)))
    }
}

/// Bytes as content, with their media type. No text can show them: without a rule for their
/// cost they are excluded (`unsupported_content`), or, if required, packing fails.
///
/// `data` is bytes, `mime` a str such as `"image/png"`; anything else raises `InvalidItem`.
#[pyclass(frozen, module = "packframe")]
pub(crate) struct Binary {
    pub(crate) content: Arc<Content>,
}

#[pymethods]
impl Binary {
    #[new]
    fn new(data: &Bound<'_, PyAny>, mime: &Bound<'_, PyAny>) -> Outcome<Self> {
        Ok(Self {
            content: binary(data, mime)?,
        })
    }

    /// The bytes.
    #[getter]
    fn data<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        match self.content.body() {
            Body::Binary(binary) => PyBytes::new(py, &binary.data),
            _ => PyBytes::new(py, b""),
        }
    }

    /// The media type.
    #[getter]
    fn mime(&self) -> &str {
        match self.content.body() {
            Body::Binary(binary) => &binary.mime,
            _ => "",
        }
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!(
            "Binary({} bytes, {:?})",
            self.data(py).len()?,
            self.mime()
        ))
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.content.same(&other.content)
    }

    fn __hash__(&self) -> u64 {
        short_hash(&self.content)
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> (Bound<'py, PyAny>, (Bound<'py, PyBytes>, String)) {
        let inner = slf.get();
        (
            slf.get_type().into_any(),
            (inner.data(slf.py()), inner.mime().to_owned()),
        )
    }
}

/// A reference as content: rendered and counted as its URI.
///
/// `digest` is the caller's own notation, `size` is in bytes. An empty URI raises `InvalidItem`.
///
/// >>> import packframe as pf
/// >>> pf.Item(pf.Reference("kb://17", size=2048)).text
/// 'kb://17'
#[pyclass(frozen, module = "packframe")]
pub(crate) struct Reference {
    pub(crate) content: Arc<Content>,
}

#[pymethods]
impl Reference {
    #[new]
    #[pyo3(signature = (uri, digest=None, size=None))]
    fn new(
        uri: &Bound<'_, PyAny>,
        digest: Option<&Bound<'_, PyAny>>,
        size: Option<&Bound<'_, PyAny>>,
    ) -> Outcome<Self> {
        Ok(Self {
            content: reference(uri, digest, size)?,
        })
    }

    /// The URI.
    #[getter]
    fn uri(&self) -> &str {
        self.content.stored()
    }

    /// The digest, or None.
    #[getter]
    fn digest(&self) -> Option<&str> {
        match self.content.body() {
            Body::Reference(reference) => reference.digest.as_deref(),
            _ => None,
        }
    }

    /// The size in bytes, or None.
    #[getter]
    fn size(&self) -> Option<u64> {
        match self.content.body() {
            Body::Reference(reference) => reference.size,
            _ => None,
        }
    }

    fn __repr__(&self) -> String {
        format!("Reference({} characters)", self.uri().chars().count())
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.content.same(&other.content)
    }

    fn __hash__(&self) -> u64 {
        short_hash(&self.content)
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> (Bound<'py, PyAny>, (String, Option<String>, Option<u64>)) {
        let inner = slf.get();
        let arguments = (
            inner.uri().to_owned(),
            inner.digest().map(str::to_owned),
            inner.size(),
        );
        (slf.get_type().into_any(), arguments)
    }
}

/// A message as it is pickled: its value and its format.
type MessageState<'py> = (Bound<'py, PyAny>, &'static str);

/// A chat message as content: kept as it came, every field and the order of keys.
///
/// `value` is a dict, `format` its wire format, as `Frame.from_messages` has it, which makes these. A message that a provider would refuse raises `InvalidMessages`.
///
/// >>> import packframe as pf
/// >>> pf.Message({"role": "user", "content": "Where is my order?"}).value
/// {'role': 'user', 'content': 'Where is my order?'}
#[pyclass(frozen, module = "packframe")]
pub(crate) struct Message {
    pub(crate) content: Arc<Content>,
}

#[pymethods]
impl Message {
    #[new]
    #[pyo3(signature = (value, format=None), text_signature = "(value, format='openai-chat')")]
    fn new(value: &Bound<'_, PyAny>, format: Option<&Bound<'_, PyAny>>) -> Outcome<Self> {
        Ok(Self {
            content: message(value, format)?,
        })
    }

    /// The message, as a fresh copy.
    #[getter]
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json::read(py, self.content.stored())
    }

    /// The wire format.
    #[getter]
    fn format(&self) -> &'static str {
        self.content
            .as_message()
            .map_or("", |message| message.format().as_str())
    }

    /// The role.
    #[getter]
    fn role(&self) -> &'static str {
        self.content
            .as_message()
            .map_or("", |message| message.role().as_str())
    }

    fn __repr__(&self) -> String {
        format!(
            "Message({}, {} bytes)",
            self.role(),
            self.content.stored().len()
        )
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.content.same(&other.content)
    }

    fn __hash__(&self) -> u64 {
        short_hash(&self.content)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, MessageState<'py>)> {
        let inner = slf.get();
        Ok((
            slf.get_type().into_any(),
            (inner.value(slf.py())?, inner.format()),
        ))
    }
}

/// Makes a reference.
pub(crate) fn reference(
    uri: &Bound<'_, PyAny>,
    digest: Option<&Bound<'_, PyAny>>,
    size: Option<&Bound<'_, PyAny>>,
) -> Outcome<Arc<Content>> {
    let uri = text(uri, Place::Field("content"))?.to_owned();
    let digest = digest
        .map(|digest| text(digest, Place::Field("digest")).map(str::to_owned))
        .transpose()?;
    let size = size
        .map(|size| crate::convert::tokens(size, Place::Field("size")))
        .transpose()?;
    Ok(Arc::new(Content::reference(uri, digest, size)?))
}

/// Makes a binary content.
pub(crate) fn binary(data: &Bound<'_, PyAny>, mime: &Bound<'_, PyAny>) -> Outcome<Arc<Content>> {
    let Ok(bytes) = data.cast::<PyBytes>() else {
        return Err(Place::Field("content")
            .refuse(data, "is not bytes", "bytes")
            .into());
    };
    let mime = text(mime, Place::Field("mime"))?.to_owned();
    Ok(Arc::new(Content::binary(bytes.as_bytes().to_vec(), mime)))
}

/// Makes a message content.
pub(crate) fn message(
    value: &Bound<'_, PyAny>,
    format: Option<&Bound<'_, PyAny>>,
) -> Outcome<Arc<Content>> {
    let format = read_format(format)?;
    let json = message_text(value, 0)?;
    let message = CoreMessage::parse(format, &json).map_err(Error::invalid_messages)?;
    Ok(Arc::new(Content::message(message, json)))
}

/// Reads the name of a wire format that an option has.
pub(crate) fn format(value: &Bound<'_, PyAny>, option: &str) -> Outcome<Format> {
    let place = Place::Option(option);
    let name = text(value, place)?;
    Format::parse(name).ok_or_else(|| {
        let known = Format::ALL.iter().map(|format| format.as_str());
        let remedy = packframe_core::nearest(name, known).map_or_else(
            || "'openai-chat', 'openai-responses', 'anthropic' or 'gemini'".to_owned(),
            |name| format!("'{name}'"),
        );
        place.refuse(value, "is no known format", &remedy).into()
    })
}

/// Reads the name of a wire format.
pub(crate) fn read_format(format: Option<&Bound<'_, PyAny>>) -> Outcome<Format> {
    let Some(format) = format else {
        return Ok(Format::OpenAiChat);
    };
    self::format(format, "format")
}

/// Writes a value as compact JSON; what is not JSON is an invalid item.
pub(crate) fn json_text(value: &Bound<'_, PyAny>, field: &str) -> Outcome<String> {
    json::write(value).map_err(|found| {
        let at = if found.path.is_empty() {
            String::new()
        } else {
            // A path of a hundred brackets helps nobody: its start does.
            let start: String = found.path.chars().take(60).collect();
            format!(
                "at {start}{} ",
                if start.len() < found.path.len() {
                    "…"
                } else {
                    ""
                }
            )
        };
        let problem = format!("{at}{}", found.problem);
        Error::invalid_item(field, show(value), problem, Some("plain JSON values")).into()
    })
}

/// Writes a message as compact JSON; what is no dict, or not JSON, is an invalid message.
pub(crate) fn message_text(value: &Bound<'_, PyAny>, position: usize) -> Outcome<String> {
    let mut json = String::new();
    write_message(value, position, &mut json)?;
    Ok(json)
}

/// Writes a message behind what is there.
pub(crate) fn write_message(
    value: &Bound<'_, PyAny>,
    position: usize,
    json: &mut String,
) -> Outcome<()> {
    if model::is_one(value) {
        return write_value(value, position, json);
    }
    let dict = crate::convert::as_dict(value).map_err(|raised| unread(value, position, raised))?;
    match dict {
        Some(dict) => write_value(dict.as_any(), position, json),
        None => Err(invalid_message(position, String::new(), "not_a_dict")),
    }
}

/// Writes what stands where a message should as compact JSON, whatever it is.
pub(crate) fn write_value(
    value: &Bound<'_, PyAny>,
    position: usize,
    json: &mut String,
) -> Outcome<()> {
    let dict = crate::convert::as_dict(value).map_err(|raised| unread(value, position, raised))?;
    let value = dict.as_ref().map_or(value, |dict| dict.as_any());
    let start = json.len();
    let Err(found) = json::write_into(value, json) else {
        return Ok(());
    };
    let refuse = |path| invalid_message(position, path, "not_json");
    let dumped = model::dumped(value).map_err(|raised| unread(value, position, raised))?;
    let Some(plain) = dumped else {
        return Err(refuse(found.path));
    };
    json.truncate(start);
    json::write_into(&plain, json).map_err(|found| refuse(found.path))
}

/// Makes the error for a message that raised while it was read.
fn unread(value: &Bound<'_, PyAny>, position: usize, raised: PyErr) -> Failure {
    let error = Error::invalid_messages(vec![Problem {
        position,
        path: String::new(),
        rule: "not_json",
        id: None,
    }]);
    caused(value.py(), error, raised)
}

/// Makes the error for a message that is none.
pub(crate) fn invalid_message(position: usize, path: String, rule: &'static str) -> Failure {
    Error::invalid_messages(vec![Problem {
        position,
        path,
        rule,
        id: None,
    }])
    .into()
}

/// Reads a content; a bare dict, list or bytes is refused, since its kind would be a guess.
pub(crate) fn read(value: &Bound<'_, PyAny>) -> Outcome<Arc<Content>> {
    if let Ok(text) = value.cast::<PyString>() {
        let Ok(text) = text.to_str() else {
            let place = Place::Field("content");
            return Err(place
                .refuse(value, "has a lone surrogate", "text that UTF-8 can encode")
                .into());
        };
        return Ok(Arc::new(Content::text(text)));
    }
    if let Ok(json) = value.cast::<Json>() {
        return Ok(Arc::clone(&json.get().content));
    }
    if let Ok(binary) = value.cast::<Binary>() {
        return Ok(Arc::clone(&binary.get().content));
    }
    if let Ok(reference) = value.cast::<Reference>() {
        return Ok(Arc::clone(&reference.get().content));
    }
    if let Ok(message) = value.cast::<Message>() {
        return Ok(Arc::clone(&message.get().content));
    }
    let remedy = "a str, or pf.Json, pf.Binary, pf.Reference or pf.Message around it";
    Err(Place::Field("content")
        .refuse(value, "is no content", remedy)
        .into())
}

/// Says whether a value is a content object; a str is none.
pub(crate) fn is_one(value: &Bound<'_, PyAny>) -> bool {
    value.is_instance_of::<Json>()
        || value.is_instance_of::<Binary>()
        || value.is_instance_of::<Reference>()
        || value.is_instance_of::<Message>()
}

/// Writes a content as the Python value that it was made from.
pub(crate) fn write<'py>(py: Python<'py>, content: &Arc<Content>) -> PyResult<Bound<'py, PyAny>> {
    let content = Arc::clone(content);
    Ok(match content.body() {
        Body::Text => PyString::new(py, content.stored()).into_any(),
        Body::Json => Bound::new(py, Json { content })?.into_any(),
        Body::Binary(_) => Bound::new(py, Binary { content })?.into_any(),
        Body::Reference(_) => Bound::new(py, Reference { content })?.into_any(),
        Body::Message(_) => Bound::new(py, Message { content })?.into_any(),
    })
}

/// Returns the start of a content's hash, for Python's `hash`.
pub(crate) fn short_hash(content: &Content) -> u64 {
    let mut start = [0; 8];
    start.copy_from_slice(&content.hash()[..8]);
    u64::from_le_bytes(start)
}

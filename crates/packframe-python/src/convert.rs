//! Values of the caller's as values of the core, each refused with the name of its field.

use std::sync::Arc;

use packframe_core::{Error, Instant, Key};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{
    PyBool, PyBytes, PyDelta, PyDict, PyFloat, PyFrozenSet, PyInt, PyIterator, PyMapping, PySet,
    PyString,
};

use crate::error::{Outcome, caused};

/// Who an error is about: a field of an item, or an option of a call.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Place<'a> {
    Field(&'a str),
    Option(&'a str),
}

impl Place<'_> {
    /// Makes the error for a value.
    pub(crate) fn refuse(
        self,
        value: &Bound<'_, PyAny>,
        problem: &'static str,
        remedy: &str,
    ) -> Error {
        match self {
            Self::Field(field) => Error::invalid_item(field, show(value), problem, Some(remedy)),
            Self::Option(option) => {
                Error::invalid_option(option, show(value), problem, Some(remedy))
            }
        }
    }
}

/// An argument that may be left out, which is not the same as None.
#[derive(Debug)]
pub(crate) enum Arg<'py> {
    Missing,
    Given(Bound<'py, PyAny>),
}

impl<'py> FromPyObject<'_, 'py> for Arg<'py> {
    type Error = std::convert::Infallible;

    fn extract(value: pyo3::Borrowed<'_, 'py, PyAny>) -> Result<Self, Self::Error> {
        Ok(Self::Given(value.to_owned()))
    }
}

impl<'py> Arg<'py> {
    pub(crate) fn as_ref(&self) -> Option<&Bound<'py, PyAny>> {
        match self {
            Self::Missing => None,
            Self::Given(value) => Some(value),
        }
    }
}

/// Shows a value in short, whatever it is.
pub(crate) fn show(value: &Bound<'_, PyAny>) -> String {
    const WIDTH: usize = 60;
    let shown = match value.cast::<PyString>() {
        // The repr of a long text is as long as the text.
        Ok(text) if text.len().unwrap_or(0) > WIDTH => {
            return format!("a str of {} characters", text.len().unwrap_or(0));
        }
        _ => value.repr(),
    };
    let shown = shown.map_or_else(
        |_| "?".to_owned(),
        |shown| shown.to_string_lossy().into_owned(),
    );
    if shown.chars().count() <= WIDTH {
        return shown;
    }
    shown.chars().take(WIDTH).chain(['…']).collect()
}

/// Says what one value is that Python would take for a list: a string for one of its letters, a dict
/// for one of its keys. Nobody means that.
pub(crate) fn one_value(value: &Bound<'_, PyAny>) -> Option<&'static str> {
    if value.is_instance_of::<PyString>() {
        Some("is one str")
    } else if value.is_instance_of::<PyBytes>() {
        Some("is one bytes object")
    } else if value.is_instance_of::<PyDict>() {
        Some("is one dict")
    } else if value.is_instance_of::<PyMapping>() {
        Some("is one mapping")
    } else {
        None
    }
}

/// Returns an iterator over a list of the caller's; what is one value, or none, is refused with
/// what there should be.
pub(crate) fn listed<'py>(
    values: &Bound<'py, PyAny>,
    place: Place<'_>,
    remedy: &str,
) -> Outcome<Bound<'py, PyIterator>> {
    if let Some(problem) = one_value(values) {
        return Err(place.refuse(values, problem, remedy).into());
    }
    // What `__iter__` raises is the caller's; what has none is no list.
    let class = values.get_type();
    if class.hasattr("__iter__")? || class.hasattr("__getitem__")? {
        return Ok(values.try_iter()?);
    }
    Err(place.refuse(values, "is no list", remedy).into())
}

/// Reads a string.
pub(crate) fn text<'a>(value: &'a Bound<'_, PyAny>, place: Place<'_>) -> Outcome<&'a str> {
    let Ok(text) = value.cast::<PyString>() else {
        return Err(place.refuse(value, "is not a string", "a str").into());
    };
    match text.to_str() {
        Ok(text) => Ok(text),
        Err(_) => Err(place
            .refuse(value, "has a lone surrogate", "text that UTF-8 can encode")
            .into()),
    }
}

/// Reads a string that something may have as its name; nothing has one that UTF-8 cannot encode.
pub(crate) fn key<'a>(value: &'a Bound<'_, PyAny>, place: Place<'_>) -> Outcome<Option<&'a str>> {
    match value.cast::<PyString>() {
        Ok(text) => Ok(text.to_str().ok()),
        Err(_) => Err(place.refuse(value, "is not a string", "a str").into()),
    }
}

/// Reads a string that may be missing.
pub(crate) fn name(
    value: Option<&Bound<'_, PyAny>>,
    place: Place<'_>,
) -> Outcome<Option<Arc<str>>> {
    value
        .filter(|value| !value.is_none())
        .map(|value| text(value, place).map(Arc::from))
        .transpose()
}

/// Reads an iterable of strings; one string, which is an iterable of its letters, is none.
pub(crate) fn names(values: Option<&Bound<'_, PyAny>>, place: Place<'_>) -> Outcome<Vec<Arc<str>>> {
    let Some(values) = values.filter(|values| !values.is_none()) else {
        return Ok(Vec::new());
    };
    let remedy = "a list of str";
    if values.is_instance_of::<PyString>() || values.is_instance_of::<PyMapping>() {
        return Err(place.refuse(values, "is no list of names", remedy).into());
    }
    let listed = values
        .try_iter()
        .map_err(|_| place.refuse(values, "is no list of names", remedy))?;
    let mut names = listed
        .map(|name| {
            let name = name.map_err(|raised| {
                let error = place.refuse(
                    values,
                    "failed when it was read; see what is chained",
                    remedy,
                );
                caused(values.py(), error, raised)
            })?;
            text(&name, place).map(Arc::from)
        })
        .collect::<Outcome<Vec<Arc<str>>>>()?;
    if values.is_instance_of::<PySet>() || values.is_instance_of::<PyFrozenSet>() {
        // A set has no order that two runs share.
        names.sort_unstable();
    }
    Ok(names)
}

/// Reads one of the words of an enum.
pub(crate) fn word<T>(
    value: Option<&Bound<'_, PyAny>>,
    place: Place<'_>,
    default: T,
    parse: fn(&str) -> Result<T, Error>,
) -> Outcome<T> {
    match value {
        None => Ok(default),
        Some(value) => Ok(parse(text(value, place)?)?),
    }
}

/// Reads a finite or infinite number; a bool is none.
pub(crate) fn number(value: Option<&Bound<'_, PyAny>>, place: Place<'_>) -> Outcome<f64> {
    let Some(value) = value else { return Ok(0.0) };
    if let Ok(number) = value.cast::<PyFloat>() {
        return Ok(number.value());
    }
    // Numbers of other libraries, such as a float32 of a ranker, convert themselves.
    let kind = value.get_type().name()?.to_string();
    // A class has the methods of its instances, and is no number.
    let converts = value.is_instance_of::<PyInt>() || value.get_type().hasattr("__float__")?;
    if !converts || value.is_instance_of::<PyBool>() || kind.starts_with("bool") {
        return Err(place
            .refuse(value, "is not a number", "an int or a float")
            .into());
    }
    value.extract().map_err(|_| {
        place
            .refuse(value, "is out of range", "a number that a float can hold")
            .into()
    })
}

/// Reads an integer from 0; a bool or a float is none.
pub(crate) fn tokens(value: &Bound<'_, PyAny>, place: Place<'_>) -> Outcome<u64> {
    let refuse = || place.refuse(value, "is not an int", "a whole number of tokens");
    if value.is_instance_of::<PyBool>() || value.is_instance_of::<PyFloat>() {
        return Err(refuse().into());
    }
    let number = if value.is_instance_of::<PyInt>() {
        value.clone()
    } else {
        // A class has the methods of its instances, and is no number.
        let class = value.get_type();
        let method = class.getattr("__index__").map_err(|_| refuse())?;
        method.call1((value,))?
    };
    if number.lt(0)? {
        return Err(place.refuse(value, "is negative", "0 or more").into());
    }
    number
        .extract()
        .map_err(|_| place.refuse(value, "is too large", "fewer tokens").into())
}

/// Returns the key `content` for what others call the content of a record.
pub(crate) fn content_word(name: &str) -> Option<&'static str> {
    matches!(name, "text" | "payload" | "body" | "page_content").then_some("content")
}

/// The first and the last microsecond that a datetime in UTC can say.
const FIRST: Instant = -62_135_596_800_000_000;
const LAST: Instant = 253_402_300_799_999_999;

/// Says whether a datetime in UTC can say a time.
pub(crate) fn is_known(instant: Instant) -> bool {
    (FIRST..=LAST).contains(&instant)
}

/// Reads an aware datetime, or its ISO 8601 text.
pub(crate) fn instant(
    value: Option<&Bound<'_, PyAny>>,
    place: Place<'_>,
) -> Outcome<Option<Instant>> {
    static DATETIME: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    const REMEDY: &str = "an aware datetime, such as datetime.now(timezone.utc)";
    let Some(value) = value.filter(|value| !value.is_none()) else {
        return Ok(None);
    };
    let py = value.py();
    let class = DATETIME.import(py, "datetime", "datetime")?;
    if value.is_instance_of::<PyString>() {
        let given = text(value, place)?;
        let parsed = packframe_core::parse_iso(given).filter(|instant| is_known(*instant));
        return Ok(Some(parsed.ok_or_else(|| {
            let (problem, remedy) = packframe_core::iso_problem(given);
            place.refuse(value, problem, remedy)
        })?));
    }
    if !value.is_instance(class)? {
        return Err(place.refuse(value, "is no datetime", REMEDY).into());
    }
    if value.call_method0("utcoffset")?.is_none() {
        return Err(place.refuse(value, "has no time zone", REMEDY).into());
    }
    let since = value.call_method1("__sub__", (epoch(py)?,))?;
    let days: i64 = since.getattr("days")?.extract()?;
    let seconds: i64 = since.getattr("seconds")?.extract()?;
    let micros: i64 = since.getattr("microseconds")?.extract()?;
    let instant = (days * 86_400 + seconds) * 1_000_000 + micros;
    if !is_known(instant) {
        return Err(place
            .refuse(value, "is outside the years 1 to 9999 in UTC", REMEDY)
            .into());
    }
    Ok(Some(instant))
}

/// Writes a time as a datetime in UTC.
pub(crate) fn datetime(
    py: Python<'_>,
    instant: Option<Instant>,
) -> PyResult<Option<Bound<'_, PyAny>>> {
    let Some(instant) = instant else {
        return Ok(None);
    };
    let seconds = instant.div_euclid(1_000_000);
    let days = i32::try_from(seconds.div_euclid(86_400))?;
    let second = i32::try_from(seconds.rem_euclid(86_400))?;
    let micros = i32::try_from(instant.rem_euclid(1_000_000))?;
    let since = PyDelta::new(py, days, second, micros, false)?;
    epoch(py)?.call_method1("__add__", (since,)).map(Some)
}

fn epoch(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    static EPOCH: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let epoch = EPOCH.get_or_try_init(py, || -> PyResult<Py<PyAny>> {
        let datetime = py.import("datetime")?;
        let utc = datetime.getattr("timezone")?.getattr("utc")?;
        Ok(datetime
            .getattr("datetime")?
            .call1((1970, 1, 1, 0, 0, 0, 0, utc))?
            .unbind())
    })?;
    Ok(epoch.bind(py).clone())
}

/// Reads a bool.
pub(crate) fn flag(value: &Bound<'_, PyAny>, option: &str) -> Outcome<bool> {
    match value.cast::<PyBool>() {
        Ok(flag) => Ok(flag.is_true()),
        Err(_) => Err(Place::Option(option)
            .refuse(value, "is not a bool", "True or False")
            .into()),
    }
}

/// Reads a secret key. Its value is in no message.
pub(crate) fn secret(value: &Bound<'_, PyAny>, option: &str) -> Outcome<Key> {
    let Ok(bytes) = value.cast::<PyBytes>() else {
        let kind = value.get_type().name()?.to_string();
        let remedy = "bytes, such as secrets.token_bytes(32)";
        return Err(Error::invalid_option(
            option,
            format!("of type {kind}"),
            "is not bytes",
            Some(remedy),
        )
        .into());
    };
    Ok(Key::new(option, bytes.as_bytes())?)
}

/// Returns a mapping as a dict: itself, if it is one.
pub(crate) fn as_dict<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyDict>>> {
    if let Ok(dict) = value.cast::<PyDict>() {
        return Ok(Some(dict.clone()));
    }
    let Ok(mapping) = value.cast::<PyMapping>() else {
        return Ok(None);
    };
    let dict = PyDict::new(value.py());
    dict.update(mapping)?;
    Ok(Some(dict))
}

/// Reads one of two words; says whether it is the second.
pub(crate) fn choice(value: &Bound<'_, PyAny>, option: &str, words: [&str; 2]) -> Outcome<bool> {
    let word = text(value, Place::Option(option))?;
    match words.iter().position(|known| *known == word) {
        Some(place) => Ok(place == 1),
        None => Err(packframe_core::unknown_option_word(option, word, &words).into()),
    }
}

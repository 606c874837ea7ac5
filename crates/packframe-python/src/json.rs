//! Python values as compact JSON, and back.

use std::fmt::Write;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

/// Lists and dicts that may stand in each other.
const MAX_DEPTH: usize = 128;

/// A value that is not JSON, and where it stands.
#[derive(Debug)]
pub(crate) struct NotJson {
    pub(crate) path: String,
    pub(crate) problem: String,
}

/// Writes a value as compact JSON: keys in their order, non-ASCII kept.
///
/// Nothing is turned into something else: keys are strings, numbers finite, and there is no
/// conversion of other types.
pub(crate) fn write(value: &Bound<'_, PyAny>) -> Result<String, NotJson> {
    let mut out = String::new();
    write_into(value, &mut out)?;
    Ok(out)
}

/// Writes a value behind what is there; what is written of one that is no JSON is not to be read.
pub(crate) fn write_into(value: &Bound<'_, PyAny>, out: &mut String) -> Result<(), NotJson> {
    write_value(value, out, MAX_DEPTH).map_err(|mut found| {
        if found.path.starts_with('.') {
            found.path.remove(0);
        }
        found
    })
}

fn not_json(problem: impl Into<String>) -> NotJson {
    NotJson {
        path: String::new(),
        problem: problem.into(),
    }
}

impl NotJson {
    /// Says in what it stands.
    fn within(self, place: &str) -> Self {
        Self {
            path: format!("{place}{}", self.path),
            ..self
        }
    }
}

fn write_value(value: &Bound<'_, PyAny>, out: &mut String, depth: usize) -> Result<(), NotJson> {
    if let Ok(text) = value.cast::<PyString>() {
        write_string(text, out)?;
    } else if value.is_none() {
        out.push_str("null");
    } else if let Ok(truth) = value.cast::<PyBool>() {
        out.push_str(if truth.is_true() { "true" } else { "false" });
    } else if value.is_instance_of::<PyInt>() {
        write_int(value, out)?;
    } else if let Ok(number) = value.cast::<PyFloat>() {
        if !number.value().is_finite() {
            let problem = format!("is {}, which JSON cannot say", number.value());
            return Err(not_json(problem));
        }
        // A subclass may show itself in another way: what counts is the value.
        let shown = PyFloat::new(value.py(), number.value()).repr();
        let shown = shown.map_err(|error| not_json(error.to_string()))?;
        out.push_str(&shown.to_string_lossy());
    } else if let Ok(fields) = value.cast::<PyDict>() {
        write_dict(fields, out, depth)?;
    } else if let Ok(values) = value.cast::<PyList>() {
        write_list(values.iter(), out, depth)?;
    } else if let Ok(values) = value.cast::<PyTuple>() {
        write_list(values.iter(), out, depth)?;
    } else {
        let name = value
            .get_type()
            .name()
            .map(|name| name.to_string())
            .unwrap_or_default();
        return Err(not_json(format!("is of type {name}, which JSON has not")));
    }
    Ok(())
}

/// Writes the value of an int, whatever a subclass shows.
fn write_int(value: &Bound<'_, PyAny>, out: &mut String) -> Result<(), NotJson> {
    if let Ok(number) = value.extract::<i64>() {
        let _ = write!(out, "{number}");
        return Ok(());
    }
    let repr = value.py().get_type::<PyInt>().getattr("__repr__");
    let shown = repr
        .and_then(|repr| repr.call1((value,)))
        .map_err(|error| not_json(error.to_string()))?;
    out.push_str(&shown.to_string());
    Ok(())
}

fn write_dict(fields: &Bound<'_, PyDict>, out: &mut String, depth: usize) -> Result<(), NotJson> {
    let depth = deeper(depth)?;
    out.push('{');
    for (at, (key, value)) in fields.iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        let Ok(key) = key.cast::<PyString>() else {
            return Err(not_json("has a key that is not a string"));
        };
        write_string(key, out)?;
        out.push(':');
        write_value(&value, out, depth)
            .map_err(|found| found.within(&format!(".{}", key.to_string_lossy())))?;
    }
    out.push('}');
    Ok(())
}

fn write_list<'py>(
    values: impl Iterator<Item = Bound<'py, PyAny>>,
    out: &mut String,
    depth: usize,
) -> Result<(), NotJson> {
    let depth = deeper(depth)?;
    out.push('[');
    for (at, value) in values.enumerate() {
        if at > 0 {
            out.push(',');
        }
        write_value(&value, out, depth).map_err(|found| found.within(&format!("[{at}]")))?;
    }
    out.push(']');
    Ok(())
}

/// Goes one list or dict down.
fn deeper(depth: usize) -> Result<usize, NotJson> {
    depth
        .checked_sub(1)
        .ok_or_else(|| not_json(format!("is nested deeper than {MAX_DEPTH}")))
}

fn write_string(text: &Bound<'_, PyString>, out: &mut String) -> Result<(), NotJson> {
    let text = text
        .to_str()
        .map_err(|_| not_json("has a lone surrogate"))?;
    out.reserve(text.len() + 2);
    out.push('"');
    // All at once first: sums without a way out are made many bytes at a time.
    let any = text.as_bytes().iter().fold(0_u8, |any, &byte| {
        any | u8::from(byte < 0x20) | u8::from(byte == b'"') | u8::from(byte == b'\\')
    });
    if any == 0 {
        out.push_str(text);
    } else {
        write_escaped(text, out);
    }
    out.push('"');
    Ok(())
}

fn write_escaped(text: &str, out: &mut String) {
    let mut from = 0;
    for (at, byte) in text.bytes().enumerate() {
        if byte >= 0x20 && byte != b'"' && byte != b'\\' {
            continue;
        }
        out.push_str(&text[from..at]);
        from = at + 1;
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            8 => out.push_str("\\b"),
            12 => out.push_str("\\f"),
            _ => {
                let _ = write!(out, "\\u{byte:04x}");
            }
        }
    }
    out.push_str(&text[from..]);
}

/// Reads JSON as fresh Python values.
pub(crate) fn read<'py>(py: Python<'py>, json: &str) -> PyResult<Bound<'py, PyAny>> {
    static LOADS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    LOADS.import(py, "json", "loads")?.call1((json,))
}

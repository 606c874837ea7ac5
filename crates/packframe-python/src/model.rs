//! Objects of data libraries, such as the messages of the providers' own: they dump themselves.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple, PyType};

/// Objects, lists and dicts that are looked into.
const MAX_DEPTH: usize = 128;

/// Says whether a value dumps itself, as the models of pydantic do.
pub(crate) fn is_one(value: &Bound<'_, PyAny>) -> bool {
    !value.is_instance_of::<PyDict>()
        && !value.is_instance_of::<PyString>()
        && !value.is_instance_of::<PyType>()
        && value.hasattr("model_dump").unwrap_or(false)
}

/// Returns a value with every object in it dumped as the libraries of the providers send it: only
/// what was set, under the names of the wire, without what the object says is not for the wire.
/// `None` where there is no such object, or where it is nested too deep to be JSON.
///
/// # Errors
///
/// What an object raises.
pub(crate) fn dumped<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let mut found = false;
    let plain = plain(value, MAX_DEPTH, &mut found)?;
    Ok(plain.filter(|_| found))
}

fn plain<'py>(
    value: &Bound<'py, PyAny>,
    depth: usize,
    found: &mut bool,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(depth) = depth.checked_sub(1) else {
        return Ok(None);
    };
    let py = value.py();
    if let Ok(fields) = value.cast::<PyDict>() {
        let made = PyDict::new(py);
        for (key, value) in fields {
            let Some(value) = plain(&value, depth, found)? else {
                return Ok(None);
            };
            made.set_item(key, value)?;
        }
        return Ok(Some(made.into_any()));
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let made = PyList::empty(py);
        for value in value.try_iter()? {
            let Some(value) = plain(&value?, depth, found)? else {
                return Ok(None);
            };
            made.append(value)?;
        }
        return Ok(Some(made.into_any()));
    }
    if !is_one(value) {
        return Ok(Some(value.clone()));
    }
    *found = true;
    let options = PyDict::new(py);
    options.set_item("mode", "json")?;
    options.set_item("by_alias", true)?;
    options.set_item("exclude_unset", true)?;
    if let Some(kept) = value
        .getattr_opt("__api_exclude__")?
        .filter(|it| !it.is_none())
    {
        options.set_item("exclude", kept)?;
    }
    let dumped = value.call_method("model_dump", (), Some(&options))?;
    plain(&said(&dumped)?, depth, found)
}

/// Returns what is sent back of a reply of Anthropic's: role and content, and not what the API says
/// about the reply, which it refuses to be told. Anything else is as it was dumped.
fn said<'py>(dumped: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let Ok(fields) = dumped.cast::<PyDict>() else {
        return Ok(dumped.clone());
    };
    let is_reply = fields
        .get_item("type")?
        .is_some_and(|kind| kind.eq("message").unwrap_or(false));
    for name in ["role", "content", "stop_reason", "usage"] {
        if !is_reply || !fields.contains(name)? {
            return Ok(dumped.clone());
        }
    }
    let said = PyDict::new(dumped.py());
    for name in ["role", "content"] {
        said.set_item(name, fields.get_item(name)?)?;
    }
    Ok(said.into_any())
}

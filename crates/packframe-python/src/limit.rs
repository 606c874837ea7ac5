//! Numbers of tokens that a caller gives as a limit, and ids.

use packframe_core::{Error, unknown_id};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt};

use crate::convert::{Place, listed, show, tokens};
use crate::error::Outcome;

/// Reads a limit: an int from 0. One beyond 64 bits is as good as the greatest.
pub(crate) fn limit(value: &Bound<'_, PyAny>, option: &str) -> Outcome<u64> {
    let place = Place::Option(option);
    if value.is_exact_instance_of::<PyInt>() && value.gt(u64::MAX)? {
        return Ok(u64::MAX);
    }
    tokens(value, place)
}

/// Reads token ids from any iterable of ints.
pub(crate) fn ids(values: &Bound<'_, PyAny>) -> Outcome<Vec<u32>> {
    let refuse = |value: &Bound<'_, PyAny>, problem: &'static str| -> Error {
        Place::Option("ids").refuse(value, problem, "a list of ints")
    };
    let values = listed(values, Place::Option("ids"), "a list of ints")?;
    let mut ids = Vec::with_capacity(values.size_hint().0);
    for value in values {
        let value = value?;
        let number = value.is_instance_of::<PyInt>() || value.get_type().hasattr("__index__")?;
        if !number || value.is_instance_of::<PyBool>() {
            return Err(refuse(&value, "is not an int").into());
        }
        ids.push(value.extract().map_err(|_| unknown_id(&show(&value)))?);
    }
    Ok(ids)
}

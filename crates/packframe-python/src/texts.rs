//! Many texts of the caller's, borrowed from Python.

use std::num::NonZeroUsize;

use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::convert::{Place, one_value, text, tokens};
use crate::error::Outcome;

/// Holds the strings of any iterable: a tuple as it is, a list by one copy of its pointers.
///
/// A list of the caller's may change while the GIL is released; a tuple cannot.
pub(crate) fn held<'py>(texts: &Bound<'py, PyAny>) -> Outcome<Bound<'py, PyTuple>> {
    if let Ok(list) = texts.cast::<PyList>() {
        return Ok(list.to_tuple());
    }
    if let Ok(tuple) = texts.cast_exact::<PyTuple>() {
        return Ok(tuple.clone());
    }
    let place = Place::Option("texts");
    let remedy = "a list of str";
    if let Some(problem) = one_value(texts) {
        return Err(place.refuse(texts, problem, remedy).into());
    }
    let texts = texts
        .try_iter()
        .map_err(|_| place.refuse(texts, "is no list", remedy))?;
    let tuple = texts.py().get_type::<PyTuple>().call1((texts,))?;
    Ok(tuple.cast_into().map_err(PyErr::from)?)
}

/// Borrows the UTF-8 of strings that are held, and adds up its bytes.
pub(crate) fn borrow<'a>(held: &'a Bound<'_, PyTuple>) -> Outcome<(Vec<&'a str>, usize)> {
    let mut texts = Vec::with_capacity(held.len());
    let mut bytes = 0;
    for value in held.iter_borrowed() {
        let Ok(text) = <&str>::extract(value) else {
            return Err(refuse(&value, texts.len()));
        };
        bytes += text.len();
        texts.push(text);
    }
    Ok((texts, bytes))
}

fn refuse(value: &Bound<'_, PyAny>, at: usize) -> crate::error::Failure {
    let option = format!("texts[{at}]");
    let place = Place::Option(&option);
    match text(value, place) {
        Err(refused) => refused,
        // Memory was short, and is not any more.
        Ok(_) => place.refuse(value, "could not be read", "a str").into(),
    }
}

/// Reads the greatest number of threads; `None` leaves it to the cores.
pub(crate) fn threads(value: Option<&Bound<'_, PyAny>>) -> Outcome<Option<NonZeroUsize>> {
    let Some(value) = value.filter(|value| !value.is_none()) else {
        return Ok(None);
    };
    let place = Place::Option("threads");
    let threads = tokens(value, place)
        .ok()
        .and_then(|threads| NonZeroUsize::new(usize::try_from(threads).ok()?))
        .ok_or_else(|| place.refuse(value, "is no number of threads", "None, or an int from 1"))?;
    Ok(Some(threads))
}

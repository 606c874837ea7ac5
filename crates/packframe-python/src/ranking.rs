//! What rows are ranked by: a query, scores, or a callable of the caller's.

use std::sync::Arc;

use packframe_core::{Error, Frame as CoreFrame};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMapping, PyString};

use crate::convert::{Place, number, show, text};
use crate::error::Outcome;
use crate::item::Item;

/// A query, or a score for each row.
pub(crate) enum Ranking<'a> {
    Query(&'a str),
    Scores(Vec<f64>),
}

impl<'a> Ranking<'a> {
    /// Reads a str, a callable from an item to a number, or an iterable of numbers.
    pub(crate) fn read(by: &'a Bound<'_, PyAny>, frame: &CoreFrame) -> Outcome<Self> {
        let place = Place::Option("by");
        if by.is_instance_of::<PyString>() {
            return Ok(Self::Query(text(by, place)?));
        }
        if by.is_callable() {
            return Ok(Self::Scores(called(by, frame)?));
        }
        let refuse = || {
            let remedy = "a query, a score for each row, or a callable from an item to a score";
            place.refuse(by, "ranks nothing", remedy)
        };
        if by.is_instance_of::<PyBytes>() || by.is_instance_of::<PyMapping>() {
            return Err(refuse().into());
        }
        let scores = by.try_iter().map_err(|_| refuse())?;
        let scores = scores.enumerate().map(|(row, score)| {
            let option = format!("by[{row}]");
            number(Some(&score?), Place::Option(&option))
        });
        Ok(Self::Scores(scores.collect::<Outcome<_>>()?))
    }
}

/// Asks a callable for the score of each item.
fn called(callable: &Bound<'_, PyAny>, frame: &CoreFrame) -> Result<Vec<f64>, Error> {
    let py = callable.py();
    let score = |row| -> PyResult<f64> {
        let item = Bound::new(
            py,
            Item {
                inner: frame.item(row),
            },
        )?;
        let returned = callable.call1((item,))?;
        let score = number(Some(&returned), Place::Option("by"))?;
        if score.is_finite() {
            return Ok(score);
        }
        let problem = format!("it returned {}; return a finite number", show(&returned));
        Err(PyValueError::new_err(problem))
    };
    (0..frame.len())
        .map(|row| {
            score(row).map_err(|error| {
                Error::strategy("rank", Some(row), error.to_string(), Some(Arc::new(error)))
            })
        })
        .collect()
}

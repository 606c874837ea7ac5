//! How groups are selected, and what rows are worth.

use std::sync::Arc;

use packframe_core::{Error, Frame as CoreFrame, Selection};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::convert::{Place, number, text, tokens};
use crate::error::Outcome;
use crate::item::Item;
use crate::record::at_row;

/// Reads how groups are selected: its word, and what only an optimal selection takes.
pub(crate) fn selection(
    frame: Option<&Arc<CoreFrame>>,
    word: &Bound<'_, PyAny>,
    value: Option<&Bound<'_, PyAny>>,
    effort: Option<&Bound<'_, PyAny>>,
    diversity: Option<&Bound<'_, PyAny>>,
) -> Outcome<Selection> {
    match text(word, Place::Option("selection"))? {
        "greedy" => {
            let given = [
                ("value", value),
                ("effort", effort),
                ("diversity", diversity),
            ];
            for (option, given) in given {
                if let Some(given) = given {
                    let remedy = "selection='optimal'";
                    return Err(Place::Option(option)
                        .refuse(given, "is nothing to a greedy selection", remedy)
                        .into());
                }
            }
            Ok(Selection::Greedy)
        }
        "optimal" => Ok(Selection::Optimal {
            effort: effort
                .map(|effort| tokens(effort, Place::Option("effort")))
                .transpose()?,
            diversity: diversity
                .map(|diversity| number(Some(diversity), Place::Option("diversity")))
                .transpose()?,
            values: match value {
                Some(value) => {
                    let Some(frame) = frame else {
                        let remedy = "the scores of each frame, as Frame.rank sets them";
                        return Err(Place::Option("value")
                            .refuse(value, "speaks of the rows of one frame", remedy)
                            .into());
                    };
                    values(frame, value)?
                }
                None => None,
            },
        }),
        other => {
            let remedy = packframe_core::nearest(other, ["greedy", "optimal"])
                .unwrap_or("'greedy' or 'optimal'");
            Err(Place::Option("selection")
                .refuse(word, "is not known", remedy)
                .into())
        }
    }
}

/// Reads what each row is worth: from a column, a callable or a sequence.
fn values<'py>(frame: &Arc<CoreFrame>, value: &Bound<'py, PyAny>) -> Outcome<Option<Arc<[f64]>>> {
    let place = Place::Option("value");
    if value.is_instance_of::<PyString>() {
        return match text(value, place)? {
            "score" => Ok(None),
            "priority" => {
                let priority = |item: Bound<'py, Item>| item.getattr("priority");
                Ok(Some(each(frame, value.py(), priority)?))
            }
            _ => Err(place
                .refuse(value, "is no column of values", "'score' or 'priority'")
                .into()),
        };
    }
    if value.is_callable() {
        let call = |item: Bound<'py, Item>| value.call1((item,));
        return Ok(Some(each(frame, value.py(), call)?));
    }
    let listed = value.try_iter().map_err(|_| {
        let remedy = "a callable, a list of floats, 'score' or 'priority'";
        place.refuse(value, "gives no values", remedy)
    })?;
    let mut values = Vec::with_capacity(frame.len());
    for (row, value) in listed.enumerate() {
        values.push(at(row, &value?)?);
    }
    Ok(Some(values.into()))
}

/// Returns what is said of each row.
fn each<'py>(
    frame: &Arc<CoreFrame>,
    py: Python<'py>,
    say: impl Fn(Bound<'py, Item>) -> PyResult<Bound<'py, PyAny>>,
) -> Outcome<Arc<[f64]>> {
    let failed = |row: usize, error: PyErr| -> Error {
        Error::strategy("value", Some(row), error.to_string(), Some(Arc::new(error)))
    };
    let mut values = Vec::with_capacity(frame.len());
    for row in 0..frame.len() {
        let item = Item {
            inner: frame.item(row),
        };
        let found = Bound::new(py, item)
            .and_then(&say)
            .map_err(|error| failed(row, error))?;
        values.push(at(row, &found)?);
    }
    Ok(values.into())
}

/// Reads the value of a row.
fn at(row: usize, value: &Bound<'_, PyAny>) -> Outcome<f64> {
    number(Some(value), Place::Field("value")).map_err(|failure| at_row(failure, row))
}

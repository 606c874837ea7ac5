//! How groups are selected, and what rows are worth.

use std::sync::Arc;

use packframe_core::{Error, Frame as CoreFrame, Selection, Valuer, Values};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::convert::{Place, number, one_value, text, tokens};
use crate::error::{Failure, Outcome};
use crate::item::Item;
use crate::record::at_row;

/// Reads how groups are selected: its word, and what only an optimal selection takes.
pub(crate) fn selection(
    frame: Option<&Arc<CoreFrame>>,
    word: Option<&Bound<'_, PyAny>>,
    value: Option<&Bound<'_, PyAny>>,
    effort: Option<&Bound<'_, PyAny>>,
    diversity: Option<&Bound<'_, PyAny>>,
) -> Outcome<Selection> {
    let greedy = || -> Outcome<()> {
        let given = [
            ("value", value),
            ("effort", effort),
            ("diversity", diversity),
        ];
        match given
            .into_iter()
            .find_map(|(option, given)| Some((option, given?)))
        {
            Some((option, given)) => {
                let remedy = "selection='optimal'";
                let problem = "is nothing to a greedy selection";
                Err(Place::Option(option).refuse(given, problem, remedy).into())
            }
            None => Ok(()),
        }
    };
    let Some(word) = word else {
        greedy()?;
        return Ok(Selection::Usual);
    };
    match text(word, Place::Option("selection"))? {
        "greedy" => {
            greedy()?;
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
                Some(value) => values(frame, value)?,
                None => Values::Scores,
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
fn values(frame: Option<&Arc<CoreFrame>>, value: &Bound<'_, PyAny>) -> Outcome<Values> {
    let place = Place::Option("value");
    if let Ok(word) = value.cast::<PyString>() {
        return match text(word, place)? {
            "score" => Ok(Values::Scores),
            "priority" => {
                let frame = of_one(frame, value)?;
                let given = (0..frame.len()).map(|row| frame.item(row).priority());
                Ok(Values::Given(given.collect()))
            }
            _ => Err(place
                .refuse(value, "is no column of values", "'score' or 'priority'")
                .into()),
        };
    }
    if value.is_callable() {
        return Ok(Values::Asked(Arc::new(PyValuer(value.clone().unbind()))));
    }
    let remedy = "a callable, a list of floats, 'score' or 'priority'";
    let refuse = |problem| place.refuse(value, problem, remedy);
    if let Some(problem) = one_value(value) {
        return Err(refuse(problem).into());
    }
    let listed = value.try_iter().map_err(|_| refuse("gives no values"))?;
    let frame = of_one(frame, value)?;
    let mut values = Vec::with_capacity(frame.len());
    for (row, value) in listed.enumerate() {
        let value = number(Some(&value?), Place::Field("value"));
        values.push(value.map_err(|failure| at_row(failure, row))?);
    }
    Ok(Values::Given(values.into()))
}

/// Returns the frame that values speak of.
fn of_one<'a>(
    frame: Option<&'a Arc<CoreFrame>>,
    value: &Bound<'_, PyAny>,
) -> Outcome<&'a Arc<CoreFrame>> {
    frame.ok_or_else(|| {
        let remedy = "a callable, or the scores of each frame, as Frame.rank sets them";
        Place::Option("value")
            .refuse(value, "speaks of the rows of one frame", remedy)
            .into()
    })
}

/// A callable from an item to what it is worth.
struct PyValuer(Py<PyAny>);

impl Valuer for PyValuer {
    fn values(&self, frame: &CoreFrame, rows: &[usize]) -> Result<Vec<f64>, Error> {
        Python::attach(|py| {
            let failed = |row: usize, error: PyErr| {
                Error::strategy("value", Some(row), error.to_string(), Some(Arc::new(error)))
            };
            let say = |row: usize| -> Result<f64, Error> {
                let item = Item {
                    inner: frame.item(row),
                };
                let said = Bound::new(py, item)
                    .and_then(|item| self.0.bind(py).call1((item,)))
                    .map_err(|error| failed(row, error))?;
                match number(Some(&said), Place::Field("value")) {
                    Ok(value) => Ok(value),
                    Err(Failure::Core(error)) => Err(error.at_row(row)),
                    Err(Failure::Python(error)) => Err(failed(row, error)),
                }
            };
            rows.iter().map(|&row| say(row)).collect()
        })
    }
}

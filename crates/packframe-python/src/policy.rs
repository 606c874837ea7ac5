//! Policies of the caller's: they run only between stages.

use std::sync::Arc;

use packframe_core::{Boundary as CoreBoundary, Error, Frame as CoreFrame, Policy};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::convert::show;
use crate::item::Item;
use crate::options::Boundary;

/// An object with `id` and `evaluate(item, boundary)`.
pub(crate) struct PyPolicy {
    id: String,
    object: Py<PyAny>,
}

impl PyPolicy {
    pub(crate) fn new(id: String, object: Py<PyAny>) -> Self {
        Self { id, object }
    }

    fn verdict(
        &self,
        item: Bound<'_, Item>,
        boundary: &Bound<'_, Boundary>,
    ) -> PyResult<Option<String>> {
        let verdict = self
            .object
            .bind(item.py())
            .call_method1("evaluate", (item, boundary))?;
        if verdict.is_none() {
            return Ok(None);
        }
        if verdict.hasattr("__await__")? {
            // What nobody awaits says so on standard error.
            if verdict.hasattr("close")? {
                verdict.call_method0("close")?;
            }
            return Err(pyo3::exceptions::PyTypeError::new_err(
                "evaluate is async, and only `await request.aplan(...)` awaits it; plan with that, \
                 or make evaluate a plain method",
            ));
        }
        match verdict.cast::<PyString>() {
            Ok(rule) if !rule.is_empty()? => Ok(Some(rule.to_str()?.to_owned())),
            _ => Err(pyo3::exceptions::PyTypeError::new_err(format!(
                "evaluate returned {}; return None to admit, or a str that says why not",
                show(&verdict)
            ))),
        }
    }
}

impl Policy for PyPolicy {
    fn id(&self) -> &str {
        &self.id
    }

    fn evaluate(
        &self,
        frame: &CoreFrame,
        rows: &[usize],
        boundary: &CoreBoundary,
    ) -> Result<Vec<Option<String>>, Error> {
        Python::attach(|py| {
            let boundary = Bound::new(
                py,
                Boundary {
                    inner: boundary.clone(),
                },
            )
            .map_err(|error| failed(&self.id, None, error))?;
            rows.iter()
                .map(|&row| {
                    let item = Bound::new(
                        py,
                        Item {
                            inner: frame.item(row),
                        },
                    );
                    item.and_then(|item| self.verdict(item, &boundary))
                        .map_err(|error| failed(&self.id, Some(row), error))
                })
                .collect()
        })
    }
}

fn failed(id: &str, row: Option<usize>, error: PyErr) -> Error {
    Error::policy(id, row, error.to_string(), Some(Arc::new(error)))
}

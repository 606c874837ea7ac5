//! Which rows a verb is for: a condition, or a callable of the caller's.

use std::sync::Arc;

use packframe_core::{Error, Frame as CoreFrame, Predicate};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBool;

use crate::convert::show;
use crate::expression::Expression;
use crate::item::Item;
use crate::slot::Slot;

/// A condition, or a callable from an item to a bool.
pub(crate) enum Where {
    Expression(packframe_core::Expression, Py<Expression>),
    Callable(Arc<Slot>),
}

impl Where {
    /// Returns a copy that holds its callable itself: the collector counts each holder once.
    pub(crate) fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        match self {
            Self::Expression(inner, object) => {
                Ok(Self::Expression(inner.clone(), object.clone_ref(py)))
            }
            Self::Callable(slot) => Ok(Self::Callable(Slot::new(slot.get(py)?))),
        }
    }

    /// Returns the condition or the callable as Python has it.
    pub(crate) fn object(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        match self {
            Self::Expression(_, object) => Ok(object.clone_ref(py).into_any()),
            Self::Callable(slot) => slot.get(py),
        }
    }

    /// Returns the callable, if it is one.
    pub(crate) fn slot(&self) -> Option<&Slot> {
        match self {
            Self::Expression(..) => None,
            Self::Callable(slot) => Some(slot),
        }
    }

    pub(crate) fn read(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(expression) = value.cast::<Expression>() {
            return Ok(Self::Expression(
                expression.get().inner.clone(),
                expression.clone().unbind(),
            ));
        }
        if value.is_callable() {
            return Ok(Self::Callable(Slot::new(value.clone().unbind())));
        }
        Err(crate::error::Failure::from(Error::invalid_option(
            "where",
            show(value),
            "is no condition",
            Some("pf.col(...) compared with a value, or a callable from an item to a bool"),
        ))
        .into())
    }
}

impl Predicate for Where {
    fn calls_back(&self) -> bool {
        matches!(self, Self::Callable(_))
    }

    fn mask(&self, frame: &CoreFrame) -> Result<Vec<bool>, Error> {
        match self {
            Self::Expression(expression, _) => Ok(expression.mask(frame)),
            Self::Callable(slot) => Python::attach(|py| {
                let failed = |row, error: PyErr| {
                    Error::strategy("where", row, error.to_string(), Some(Arc::new(error)))
                };
                let callable = slot.get(py).map_err(|error| failed(None, error))?;
                let chosen = |row| -> PyResult<bool> {
                    let item = Bound::new(
                        py,
                        Item {
                            inner: frame.item(row),
                        },
                    )?;
                    truth(&callable.bind(py).call1((item,))?)
                };
                (0..frame.len())
                    .map(|row| chosen(row).map_err(|error| failed(Some(row), error)))
                    .collect()
            }),
        }
    }
}

/// Reads what a callable says of an item: a bool, of Python or of an array library.
fn truth(said: &Bound<'_, PyAny>) -> PyResult<bool> {
    if let Ok(truth) = said.cast::<PyBool>() {
        return Ok(truth.is_true());
    }
    // Comparing a number of numpy gives a bool of numpy.
    if said.get_type().name()?.to_string().starts_with("bool") {
        return said.is_truthy();
    }
    Err(PyTypeError::new_err(format!(
        "it returned {}; return True or False",
        show(said)
    )))
}

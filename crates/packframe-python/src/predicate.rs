//! Which rows a verb is for: a condition, or a callable of the caller's.

use std::sync::Arc;

use packframe_core::{Error, Frame as CoreFrame, Predicate};
use pyo3::prelude::*;

use crate::convert::show;
use crate::expression::Expression;
use crate::item::Item;

/// A condition, or a callable from an item to a bool.
pub(crate) enum Where {
    Expression(packframe_core::Expression),
    Callable(Py<PyAny>),
}

impl Where {
    pub(crate) fn read(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(expression) = value.cast::<Expression>() {
            return Ok(Self::Expression(expression.get().inner.clone()));
        }
        if value.is_callable() {
            return Ok(Self::Callable(value.clone().unbind()));
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
    fn mask(&self, frame: &CoreFrame) -> Result<Vec<bool>, Error> {
        match self {
            Self::Expression(expression) => Ok(expression.mask(frame)),
            Self::Callable(callable) => Python::attach(|py| {
                (0..frame.len())
                    .map(|row| {
                        let item = Bound::new(
                            py,
                            Item {
                                inner: frame.item(row),
                            },
                        );
                        item.and_then(|item| callable.bind(py).call1((item,)))
                            .and_then(|chosen| chosen.is_truthy())
                            .map_err(|error| {
                                Error::strategy(
                                    "where",
                                    Some(row),
                                    error.to_string(),
                                    Some(Arc::new(error)),
                                )
                            })
                    })
                    .collect()
            }),
        }
    }
}

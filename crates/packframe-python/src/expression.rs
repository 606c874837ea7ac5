//! Conditions over the columns of a frame.

use packframe_core::{Compare, Expression as CoreExpression, Scalar};
use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString};

use crate::convert::{Place, instant, number, text};
use crate::error::Outcome;

/// A column of a frame, to be compared with a value. `col(name)` makes one.
#[pyclass(frozen, module = "packframe")]
pub(crate) struct Column {
    pub(crate) name: String,
}

#[pymethods]
impl Column {
    #[new]
    fn new(name: &Bound<'_, PyAny>) -> Outcome<Self> {
        let name = text(name, Place::Field("column"))?.to_owned();
        CoreExpression::is_null(&name)?;
        Ok(Self { name })
    }

    /// The name of the column.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    fn __richcmp__(&self, value: &Bound<'_, PyAny>, op: CompareOp) -> Outcome<Expression> {
        let compare = match op {
            CompareOp::Eq => Compare::Equal,
            CompareOp::Ne => Compare::NotEqual,
            CompareOp::Lt => Compare::Less,
            CompareOp::Le => Compare::AtMost,
            CompareOp::Gt => Compare::Greater,
            CompareOp::Ge => Compare::AtLeast,
        };
        Ok(Expression {
            inner: CoreExpression::compare(&self.name, compare, self.scalar(value)?)?,
        })
    }

    /// Returns the condition that the column has one of some values.
    fn is_in(&self, values: &Bound<'_, PyAny>) -> Outcome<Expression> {
        let place = Place::Field(&self.name);
        if values.is_instance_of::<PyString>() {
            return Err(place
                .refuse(values, "is one value", "a list of values")
                .into());
        }
        let values = values
            .try_iter()?
            .map(|value| self.scalar(&value?))
            .collect::<Outcome<_>>()?;
        Ok(Expression {
            inner: CoreExpression::is_in(&self.name, values)?,
        })
    }

    /// Returns the condition that the column has no value.
    fn is_null(&self) -> Outcome<Expression> {
        Ok(Expression {
            inner: CoreExpression::is_null(&self.name)?,
        })
    }

    fn __repr__(&self) -> String {
        format!("col({:?})", self.name)
    }

    fn __hash__(&self) -> PyResult<isize> {
        Err(pyo3::exceptions::PyTypeError::new_err(
            "a column has no hash: == makes a condition",
        ))
    }

    fn __bool__(&self) -> PyResult<bool> {
        Err(pyo3::exceptions::PyTypeError::new_err(
            "a column is no truth value; compare it with a value",
        ))
    }
}

impl Column {
    fn scalar(&self, value: &Bound<'_, PyAny>) -> Outcome<Scalar> {
        let place = Place::Field(&self.name);
        if value.is_none() {
            return Err(place
                .refuse(value, "compares with nothing", "is_null()")
                .into());
        }
        if let Ok(truth) = value.cast::<PyBool>() {
            return Ok(Scalar::Bool(truth.is_true()));
        }
        let is_time = self.name == "created_at" || self.name == "expires_at";
        if value.hasattr("utcoffset")? || (is_time && value.is_instance_of::<PyString>()) {
            return Ok(instant(Some(value), place)?.map_or(Scalar::Bool(false), Scalar::Time));
        }
        if value.is_instance_of::<PyString>() {
            return Ok(Scalar::Text(text(value, place)?.to_owned()));
        }
        Ok(Scalar::Number(number(Some(value), place)?))
    }
}

/// A condition over columns: join conditions with `&`, `|` and `~`.
///
/// A comparison with a missing value is neither true nor false and selects nothing.
#[pyclass(frozen, module = "packframe")]
pub(crate) struct Expression {
    pub(crate) inner: CoreExpression,
}

#[pymethods]
impl Expression {
    fn __and__(&self, other: &Self) -> Self {
        Self {
            inner: self.inner.clone().and(other.inner.clone()),
        }
    }

    fn __or__(&self, other: &Self) -> Self {
        Self {
            inner: self.inner.clone().or(other.inner.clone()),
        }
    }

    fn __invert__(&self) -> Self {
        Self {
            inner: self.inner.clone().negate(),
        }
    }

    fn __bool__(&self) -> PyResult<bool> {
        Err(pyo3::exceptions::PyTypeError::new_err(
            "a condition is no truth value; join conditions with &, | and ~",
        ))
    }

    fn __repr__(&self) -> &'static str {
        "Expression(...)"
    }
}

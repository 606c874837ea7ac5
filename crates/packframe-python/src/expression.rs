//! Conditions over the columns of a frame.

use packframe_core::{Compare, Expression as CoreExpression, Scalar};
use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString, PyTuple};

use crate::convert::{Place, instant, listed, number, text};
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
        let word = match op {
            CompareOp::Eq => "eq",
            CompareOp::Ne => "ne",
            CompareOp::Lt => "lt",
            CompareOp::Le => "le",
            CompareOp::Gt => "gt",
            CompareOp::Ge => "ge",
        };
        let inner = CoreExpression::compare(&self.name, compare, self.scalar(value)?)?;
        Ok(Expression {
            inner,
            recipe: (word, &self.name, value)
                .into_pyobject(value.py())?
                .unbind(),
        })
    }

    /// Returns the condition that the column has one of some values.
    fn is_in(&self, py: Python<'_>, values: &Bound<'_, PyAny>) -> Outcome<Expression> {
        let values = listed(values, Place::Field(&self.name), "a list of values")?;
        let values: Vec<Bound<'_, PyAny>> = values.collect::<PyResult<_>>()?;
        let scalars = values
            .iter()
            .map(|value| self.scalar(value))
            .collect::<Outcome<_>>()?;
        let inner = CoreExpression::is_in(&self.name, scalars)?;
        let recipe = ("is_in", &self.name, PyTuple::new(py, values)?).into_pyobject(py)?;
        Ok(Expression {
            inner,
            recipe: recipe.unbind(),
        })
    }

    /// Returns the condition that the column has no value.
    fn is_null(&self, py: Python<'_>) -> Outcome<Expression> {
        let inner = CoreExpression::is_null(&self.name)?;
        Ok(Expression {
            inner,
            recipe: ("is_null", &self.name).into_pyobject(py)?.unbind(),
        })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, (String,)) {
        (slf.get_type().into_any(), (slf.get().name.clone(),))
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
    /// What it was made of, so that it can be pickled: a word, and its arguments.
    recipe: Py<PyTuple>,
}

#[pymethods]
impl Expression {
    fn __and__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, Self>) -> PyResult<Self> {
        let inner = slf.get().inner.clone().and(other.get().inner.clone());
        Ok(Self {
            inner,
            recipe: ("and", slf, other).into_pyobject(slf.py())?.unbind(),
        })
    }

    fn __or__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, Self>) -> PyResult<Self> {
        let inner = slf.get().inner.clone().or(other.get().inner.clone());
        Ok(Self {
            inner,
            recipe: ("or", slf, other).into_pyobject(slf.py())?.unbind(),
        })
    }

    fn __invert__(slf: &Bound<'_, Self>) -> PyResult<Self> {
        let inner = slf.get().inner.clone().negate();
        Ok(Self {
            inner,
            recipe: ("not", slf).into_pyobject(slf.py())?.unbind(),
        })
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let py = slf.py();
        let make = py.import("packframe._pickle")?.getattr("expression")?;
        Ok((make, slf.get().recipe.bind(py).clone()))
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

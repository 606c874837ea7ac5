//! What may stand in the place of an item's content.

use std::sync::Arc;

use packframe_core::{Alternative as CoreAlternative, Content};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::content;
use crate::convert::{Place, number};
use crate::error::{Failure, Outcome};

/// A replacement for an item's content, for where the content itself does not fit.
///
/// Parameters
/// ----------
/// content : str, Json, Reference or Binary
///     What it says instead.
/// value : float, optional
///     The share of the item's value that it keeps, from 0 to 1; by default the item gives its
///     first alternative 0.5, the second 0.25, and so on by halves.
///
/// Raises `InvalidItem` for a message, for another content, and for a value that is no share.
///
/// >>> import packframe as pf
/// >>> item = pf.Item("The long story.", alternatives=["A short one.", pf.Alternative("", 0.1)])
/// >>> [alternative.value for alternative in item.alternatives]
/// [0.5, 0.1]
#[pyclass(frozen, module = "packframe")]
pub(crate) struct Alternative {
    content: Arc<Content>,
    value: Option<f64>,
}

impl Alternative {
    /// Makes an alternative; the value is the place's where none is given.
    pub(crate) fn new(content: Arc<Content>, value: Option<&Bound<'_, PyAny>>) -> Outcome<Self> {
        let value = value
            .filter(|value| !value.is_none())
            .map(|value| number(Some(value), Place::Field("value")))
            .transpose()?;
        let made = Self { content, value };
        made.at(0).check()?;
        Ok(made)
    }

    fn at(&self, place: usize) -> CoreAlternative {
        let usual = CoreAlternative::at(place, Arc::clone(&self.content));
        CoreAlternative {
            value: self.value.unwrap_or(usual.value),
            ..usual
        }
    }

    fn of(inner: &CoreAlternative) -> Self {
        Self {
            content: Arc::clone(&inner.content),
            value: Some(inner.value),
        }
    }

    fn same(&self, other: &Self) -> bool {
        self.content.same(&other.content)
            && self.value.map(f64::to_bits) == other.value.map(f64::to_bits)
    }
}

#[pymethods]
impl Alternative {
    #[new]
    #[pyo3(signature = (content, value=None))]
    fn make(content: &Bound<'_, PyAny>, value: Option<&Bound<'_, PyAny>>) -> Outcome<Self> {
        Self::new(content::read(content)?, value)
    }

    /// What it says: the str, `Json`, `Reference` or `Binary`.
    #[getter]
    fn content<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        content::write(py, &self.content)
    }

    /// The share of the item's value that it keeps; None where its place will say.
    #[getter]
    fn value(&self) -> Option<f64> {
        self.value
    }

    fn __repr__(&self) -> String {
        let value = self
            .value
            .map_or_else(String::new, |value| format!(", value={value}"));
        let bytes = self.content.stored().len();
        format!("Alternative({}, {bytes} bytes{value})", self.content.kind())
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.same(other)
    }

    fn __hash__(&self) -> u64 {
        content::short_hash(&self.content)
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let py = slf.py();
        let arguments = (slf.get().content(py)?, slf.get().value).into_pyobject(py)?;
        Ok((slf.get_type().into_any(), arguments))
    }
}

/// Reads the alternatives of an item; `other` reads what is no `Alternative`.
pub(crate) fn read(
    value: Option<&Bound<'_, PyAny>>,
    other: fn(&Bound<'_, PyAny>) -> Outcome<Alternative>,
) -> Outcome<Vec<CoreAlternative>> {
    let Some(value) = value.filter(|value| !value.is_none()) else {
        return Ok(Vec::new());
    };
    if !(value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>()) {
        let remedy = "a list or tuple of contents or pf.Alternative";
        return Err(Place::Field("alternatives")
            .refuse(value, "is no list", remedy)
            .into());
    }
    let one = |place: usize, value: Bound<'_, PyAny>| match value.cast::<Alternative>() {
        Ok(alternative) => Ok(alternative.get().at(place)),
        Err(_) => other(&value).map(|alternative| alternative.at(place)),
    };
    value
        .try_iter()?
        .enumerate()
        .map(|(place, value)| {
            one(place, value?).map_err(|failure| match failure {
                Failure::Core(error) => {
                    let part = format!("alternative {place}");
                    Failure::Core(error.part_of("alternatives", &part))
                }
                raised @ Failure::Python(_) => raised,
            })
        })
        .collect()
}

/// Reads a content that stands in a list of alternatives.
pub(crate) fn bare(value: &Bound<'_, PyAny>) -> Outcome<Alternative> {
    Alternative::new(content::read(value)?, None)
}

/// Writes the alternatives of an item.
pub(crate) fn write<'py>(
    py: Python<'py>,
    alternatives: &[CoreAlternative],
) -> PyResult<Bound<'py, PyTuple>> {
    let made: Vec<_> = alternatives
        .iter()
        .map(|inner| Bound::new(py, Alternative::of(inner)))
        .collect::<PyResult<_>>()?;
    PyTuple::new(py, made)
}

//! Manifests.

use packframe_core::{Document, Dropped, Manifest as CoreManifest, Why};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::convert::as_dict;
use crate::error::{Outcome, list};
use crate::json;

/// A manifest of the core.
#[pyclass(frozen, module = "packframe._core")]
pub(crate) struct Manifest {
    pub(crate) inner: CoreManifest,
}

impl From<CoreManifest> for Manifest {
    fn from(inner: CoreManifest) -> Self {
        Self { inner }
    }
}

#[pymethods]
impl Manifest {
    fn to_json(&self, py: Python<'_>) -> String {
        py.detach(|| self.inner.to_json())
    }

    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let document = py.detach(|| self.inner.document());
        Ok(pythonize::pythonize(py, document)?)
    }

    /// Returns one key of the document, or None where there is no such key.
    fn key<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        let document = py.detach(|| self.inner.document());
        key_of(py, document, name)
    }

    #[staticmethod]
    fn from_json(py: Python<'_>, json: &Bound<'_, PyAny>) -> Outcome<Self> {
        let json = crate::convert::text(json, crate::convert::Place::Option("json"))?;
        Ok(py.detach(|| CoreManifest::from_json(json))?.into())
    }

    #[staticmethod]
    fn from_dict(py: Python<'_>, document: &Bound<'_, PyAny>) -> Outcome<Self> {
        let corrupt = |reason: String| packframe_core::Error::manifest_corrupt(vec![reason]);
        let dict = as_dict(document)?.ok_or_else(|| corrupt("it is no dict".to_owned()))?;
        let json = json::write(dict.as_any())
            .map_err(|found| corrupt(format!("{} {}", found.path, found.problem)))?;
        Ok(py.detach(|| CoreManifest::from_json(&json))?.into())
    }

    fn summary(&self, limit: &Bound<'_, PyAny>) -> Outcome<String> {
        let limit = crate::convert::tokens(limit, crate::convert::Place::Option("limit"))?;
        Ok(self
            .inner
            .summary(usize::try_from(limit).unwrap_or(usize::MAX)))
    }

    fn why<'py>(&self, py: Python<'py>, id: &str) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(why) = self.inner.why(id) else {
            return Ok(None);
        };
        let record = PyDict::new(py);
        fill_why(&why, &record)?;
        Ok(Some(record))
    }

    fn dropped<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        list(py, &self.inner.dropped(), fill_dropped)
    }

    fn same(&self, other: &Self) -> bool {
        self.inner == other.inner
    }
}

macro_rules! keys {
    ($($key:ident)+) => {
        fn key_of<'py>(py: Python<'py>, document: &Document, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
            match name {
                $(stringify!($key) => Ok(Some(pythonize::pythonize(py, &document.$key)?)),)+
                _ => Ok(None),
            }
        }
    };
}

keys! {
    accuracy available boundary budget demotions estimated
    excluded groups hooks insertions labels layout
    library_version manifest_id margin merged now optimal policies
    remaining_tokens render rendered_bytes rendered_sha256 repairs reserve
    schema_version sections selected selection separator strategy
    substitutions switches token_profile token_profile_fingerprint token_profile_id tokens_by
    total_tokens truncations warnings
}

fn fill_why(why: &Why, to: &Bound<'_, PyDict>) -> PyResult<()> {
    to.set_item("id", &why.id)?;
    to.set_item("row", why.row)?;
    to.set_item("fate", why.fate)?;
    to.set_item("reason", &why.reason)?;
    to.set_item("rule", &why.rule)?;
    to.set_item("shortfall", why.shortfall)?;
    to.set_item("message", &why.message)?;
    to.set_item("remedy", &why.remedy)
}

fn fill_dropped(dropped: &Dropped, to: &Bound<'_, PyDict>) -> PyResult<()> {
    to.set_item("section", &dropped.section)?;
    to.set_item("index", dropped.index)?;
    to.set_item("row", dropped.row)?;
    to.set_item("id", &dropped.id)?;
    to.set_item("action", "excluded")?;
    to.set_item("reason", &dropped.reason)?;
    to.set_item("message", packframe_core::reason_sentence(&dropped.reason))?;
    to.set_item("tokens_before", dropped.tokens)?;
    to.set_item("tokens_after", 0)
}

//! Manifests.

use packframe_core::{
    Diff as CoreDiff, Document, Dropped, Manifest as CoreManifest, SectionAccount, Why,
};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};

use crate::convert::{Place, as_dict, key, secret};
use crate::error::{Outcome, list};
use crate::json;
use crate::objects::objects;

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
        py.detach(|| self.inner.document());
        objects(py, &self.inner)
    }

    /// Returns one key of the document, or None where there is no such key.
    fn key<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        let document = py.detach(|| self.inner.document());
        if self.inner.is_current() {
            return key_of(py, document, name);
        }
        let stored = objects(py, &self.inner)?;
        let stored = stored.cast::<PyDict>()?;
        stored.get_item(name)
    }

    #[staticmethod]
    fn from_json(py: Python<'_>, json: &Bound<'_, PyAny>) -> Outcome<Self> {
        let json = crate::convert::text(json, Place::Option("json"))?;
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
        let limit = crate::convert::tokens(limit, Place::Option("limit"))?;
        Ok(self
            .inner
            .summary(usize::try_from(limit).unwrap_or(usize::MAX)))
    }

    fn near_id(&self, id: &str) -> Option<&str> {
        self.inner.near_id(id)
    }

    fn why<'py>(
        &self,
        py: Python<'py>,
        id: &Bound<'py, PyAny>,
    ) -> Outcome<Option<Bound<'py, PyDict>>> {
        let id = key(id, Place::Option("id"))?;
        let Some(why) = id.and_then(|id| self.inner.why(id)) else {
            return Ok(None);
        };
        let record = PyDict::new(py);
        fill_why(&why, &record)?;
        Ok(Some(record))
    }

    fn section<'py>(
        &self,
        py: Python<'py>,
        name: &Bound<'py, PyAny>,
    ) -> Outcome<Option<Bound<'py, PyDict>>> {
        let name = key(name, Place::Option("name"))?;
        let Some(account) = name.and_then(|name| py.detach(|| self.inner.section(name))) else {
            return Ok(None);
        };
        let record = PyDict::new(py);
        fill_section(&account, &record)?;
        Ok(Some(record))
    }

    fn diff(&self, py: Python<'_>, after: &Self) -> Diff {
        Diff {
            inner: py.detach(|| self.inner.diff(&after.inner)),
        }
    }

    fn sign(&self, py: Python<'_>, key: &Bound<'_, PyAny>) -> Outcome<Self> {
        let key = secret(key, "key")?;
        Ok(py.detach(|| self.inner.sign(&key))?.into())
    }

    /// Returns the record with the provider's own count.
    fn checked(&self, py: Python<'_>, tokens: &Bound<'_, PyAny>) -> Outcome<Self> {
        let tokens = crate::convert::tokens(tokens, Place::Option("count"))?;
        Ok(py.detach(|| self.inner.checked(tokens))?.into())
    }

    fn is_signed_by(&self, py: Python<'_>, key: &Bound<'_, PyAny>) -> Outcome<bool> {
        let key = secret(key, "key")?;
        Ok(py.detach(|| self.inner.is_signed_by(&key)))
    }

    fn dropped<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        list(py, &self.inner.dropped(), fill_dropped)
    }

    fn same(&self, other: &Self) -> bool {
        self.inner == other.inner
    }
}

/// What differs between two manifests.
#[pyclass(frozen, module = "packframe._core")]
pub(crate) struct Diff {
    inner: CoreDiff,
}

#[pymethods]
impl Diff {
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        objects(py, &self.inner)
    }

    fn is_empty(&self) -> bool {
        self.inner.is_empty()
    }

    fn summary<'py>(
        &self,
        py: Python<'py>,
        limit: &Bound<'py, PyAny>,
    ) -> Outcome<Bound<'py, PyString>> {
        let limit = crate::convert::tokens(limit, Place::Option("limit"))?;
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        Ok(PyString::new(py, &self.inner.summary(limit)))
    }
}

macro_rules! keys {
    ($($key:ident)+) => {
        fn key_of<'py>(py: Python<'py>, document: &Document, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
            match name {
                $(stringify!($key) => Ok(Some(objects(py, &document.$key)?)),)+
                _ => Ok(None),
            }
        }
    };
}

keys! {
    accuracy available boundary budget content_hash demotions edits estimated
    excluded groups hooks insertions labels layout
    library_version manifest_id margin merged now optimal policies
    provider_count redactions remaining_tokens render rendered_bytes rendered_sha256 repairs reserve
    schema_version sections selected selection separator signature strategy
    substitutions switches token_profile token_profile_fingerprint token_profile_id tokens_by
    total_tokens truncations warnings
}

fn fill_why(why: &Why, to: &Bound<'_, PyDict>) -> PyResult<()> {
    to.set_item("id", &why.id)?;
    to.set_item("row", why.row)?;
    to.set_item("fate", why.fate)?;
    to.set_item("form", &why.form)?;
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
    to.set_item("action", dropped.action)?;
    to.set_item("reason", &dropped.reason)?;
    to.set_item("message", packframe_core::reason_sentence(&dropped.reason))?;
    to.set_item("tokens_before", dropped.tokens_before)?;
    to.set_item("tokens_after", dropped.tokens_after)?;
    to.set_item(
        "tokens_accuracy",
        dropped
            .tokens_accuracy
            .map(packframe_core::Accuracy::as_str),
    )
}

fn fill_section(account: &SectionAccount, to: &Bound<'_, PyDict>) -> PyResult<()> {
    let declared = account.declared.as_ref();
    to.set_item("name", &account.name)?;
    to.set_item("declared", declared.is_some())?;
    to.set_item("tokens", account.tokens)?;
    to.set_item(
        "tokens_accuracy",
        account
            .tokens_accuracy
            .map(packframe_core::Accuracy::as_str),
    )?;
    to.set_item("cap", declared.and_then(|section| section.cap))?;
    to.set_item("floor", declared.map_or(0, |section| section.floor))?;
    to.set_item(
        "header_tokens",
        declared.map_or(0, |section| section.header_tokens),
    )?;
    to.set_item("drop", declared.map(|section| section.drop.as_str()))?;
    to.set_item("selected", &account.selected)?;
    to.set_item("dropped", list(to.py(), &account.dropped, fill_dropped)?)
}

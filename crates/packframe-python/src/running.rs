//! A count that follows a text, and marks of it.

use std::sync::Arc;

use packframe_core::{TokenCounter, TokenMark as CoreMark};
use pyo3::prelude::*;

use crate::convert::Place;
use crate::detached::{DETACH_BYTES, detached};
use crate::error::Outcome;
use crate::pack::instance;
use crate::profile::Profile;

/// A point of the text of one `TokenCounter`, which `mark` makes and `rollback` takes.
#[pyclass(frozen, module = "packframe")]
pub(crate) struct TokenMark {
    inner: CoreMark,
}

#[pymethods]
impl TokenMark {
    fn __repr__(&self) -> String {
        let tokens = self.inner.tokens();
        let tokens = tokens.map_or_else(String::new, |tokens| format!(", tokens={tokens}"));
        format!("TokenMark(bytes={}{tokens})", self.inner.length())
    }
}

/// A counter of the core.
#[pyclass(frozen, module = "packframe._core")]
pub(crate) struct Counter {
    inner: TokenCounter,
    /// Kept for the garbage collector: a profile may hold a callable that holds this counter.
    profile: Py<Profile>,
}

#[pymethods]
impl Counter {
    #[new]
    fn new(profile: Py<Profile>) -> Self {
        Self {
            inner: TokenCounter::new(Arc::clone(&profile.get().inner)),
            profile,
        }
    }

    fn incremental(&self) -> bool {
        self.inner.incremental()
    }

    fn append(&self, py: Python<'_>, text: &Bound<'_, PyAny>) -> Outcome<()> {
        let text = crate::convert::text(text, Place::Option("text"))?;
        Ok(detached(py, text.len(), || self.inner.append(text))?)
    }

    fn count(&self, py: Python<'_>) -> Outcome<u64> {
        Ok(match self.inner.count_if_near(DETACH_BYTES)? {
            Some(tokens) => tokens,
            None => py.detach(|| self.inner.count())?,
        })
    }

    /// Returns the bytes of the text, and its tokens where they are known or soon counted.
    fn glance(&self) -> Outcome<(usize, Option<u64>)> {
        Ok(self.inner.glance(DETACH_BYTES)?)
    }

    fn text(&self) -> Outcome<String> {
        Ok(self.inner.text()?)
    }

    fn mark(&self) -> Outcome<TokenMark> {
        Ok(TokenMark {
            inner: self.inner.mark()?,
        })
    }

    fn rollback(&self, mark: &Bound<'_, PyAny>) -> Outcome<()> {
        let mark = instance::<TokenMark>(mark, "mark", "what mark() returned")?;
        Ok(self.inner.rollback(&mark.inner)?)
    }

    fn __traverse__(&self, visit: pyo3::PyVisit<'_>) -> Result<(), pyo3::PyTraverseError> {
        visit.call(&self.profile)
    }
}

//! Callables that the garbage collector may take.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A callable that the garbage collector may take.
pub(crate) struct Slot(Mutex<Option<Py<PyAny>>>);

impl Slot {
    pub(crate) fn new(callable: Py<PyAny>) -> Arc<Self> {
        Arc::new(Self(Mutex::new(Some(callable))))
    }

    pub(crate) fn get(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        slot.as_ref()
            .map(|callable| callable.clone_ref(py))
            .ok_or_else(|| {
                PyValueError::new_err(
                    "what this callable belongs to was garbage collected; keep it",
                )
            })
    }

    /// Visits the callable; a slot that is in use by another thread is alive anyhow.
    pub(crate) fn traverse(&self, visit: &pyo3::PyVisit<'_>) -> Result<(), pyo3::PyTraverseError> {
        match self.0.try_lock() {
            Ok(slot) => slot
                .as_ref()
                .map_or(Ok(()), |callable| visit.call(callable)),
            Err(_) => Ok(()),
        }
    }

    pub(crate) fn clear(&self) {
        let taken = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(taken);
    }
}

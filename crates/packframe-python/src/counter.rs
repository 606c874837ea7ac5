//! Counters of the caller's.

use std::sync::Arc;

use packframe_core::MessageCounter;
use packframe_tokens::{Tokenizer, TokenizerError};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt};

use crate::convert::show;
use crate::json;
use crate::slot::Slot;

/// A callable from a text to its count, or from a list of texts to a list of counts.
pub(crate) struct PyCounter {
    pub(crate) count: Arc<Slot>,
    pub(crate) batch: bool,
}

impl PyCounter {
    fn each(&self, texts: &[&str], places: &[usize]) -> Result<Vec<u64>, TokenizerError> {
        Python::attach(|py| {
            let count = self.count.get(py).map_err(failed)?;
            let one = |text: &&str| number(&count.bind(py).call1((*text,))?);
            texts
                .iter()
                .zip(places)
                .map(|(text, &at)| one(text).map_err(|error| failed(error).at(at)))
                .collect()
        })
    }

    fn together(&self, texts: &[&str]) -> PyResult<Vec<u64>> {
        Python::attach(|py| {
            let counts = self.count.get(py)?.bind(py).call1((texts.to_vec(),))?;
            let counts = counts
                .try_iter()?
                .map(|count| number(&count?))
                .collect::<PyResult<Vec<u64>>>()?;
            if counts.len() == texts.len() {
                return Ok(counts);
            }
            let problem = format!(
                "it returned {} counts for {} texts; return one for each",
                counts.len(),
                texts.len()
            );
            Err(PyValueError::new_err(problem))
        })
    }
}

impl Tokenizer for PyCounter {
    fn count(&self, text: &str) -> Result<u64, TokenizerError> {
        Ok(self.count_batch(&[text])?.first().copied().unwrap_or(0))
    }

    fn count_batch(&self, texts: &[&str]) -> Result<Vec<u64>, TokenizerError> {
        // An empty text has no tokens, whatever a counter says of it.
        let asked: Vec<usize> = (0..texts.len())
            .filter(|&at| !texts[at].is_empty())
            .collect();
        let full: Vec<&str> = asked.iter().map(|&at| texts[at]).collect();
        let counts = match (full.is_empty(), self.batch) {
            (true, _) => Vec::new(),
            (false, true) => self.together(&full).map_err(failed)?,
            (false, false) => self.each(&full, &asked)?,
        };
        let mut all = vec![0; texts.len()];
        for (at, count) in asked.into_iter().zip(counts) {
            all[at] = count;
        }
        Ok(all)
    }

    fn bytes_for_a_thread(&self) -> Option<usize> {
        None
    }
}

/// A callable from a list of message dicts to a count.
pub(crate) struct PyMessageCounter {
    pub(crate) count_messages: Arc<Slot>,
}

impl MessageCounter for PyMessageCounter {
    fn count_messages(&self, messages: &str) -> Result<u64, TokenizerError> {
        Python::attach(|py| {
            let messages = json::read(py, messages)?;
            number(&self.count_messages.get(py)?.bind(py).call1((messages,))?)
        })
        .map_err(failed)
    }
}

fn failed(error: PyErr) -> TokenizerError {
    TokenizerError::new(error.to_string()).caused_by(error)
}

/// Reads a count that the caller's code returned.
fn number(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    let refuse = || {
        PyTypeError::new_err(format!(
            "it returned {}; return the number of tokens as an int",
            show(value)
        ))
    };
    if value.is_instance_of::<PyBool>()
        || !(value.is_instance_of::<PyInt>() || value.hasattr("__index__")?)
    {
        return Err(refuse());
    }
    value.extract().map_err(|_| refuse())
}

//! Patterns of Python's own, for what is to be redacted.

use std::sync::Arc;

use packframe_core::{Error, Redact};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::convert::Place;
use crate::error::Outcome;

/// A compiled pattern, and what stands in the place of what it finds.
pub(crate) struct PyRedaction<'a, 'py> {
    pattern: &'a Bound<'py, PyAny>,
    /// The replacement as a template that stands for itself.
    template: String,
}

impl<'a, 'py> PyRedaction<'a, 'py> {
    /// Takes a compiled pattern over text.
    pub(crate) fn new(pattern: &'a Bound<'py, PyAny>, replacement: &str) -> Outcome<Self> {
        let class = pattern.py().import("re")?.getattr("Pattern")?;
        let over_text = pattern.is_instance(&class)?
            && pattern.getattr("pattern")?.is_instance_of::<PyString>();
        if !over_text {
            let remedy = "a str in the syntax of the Rust crate regex, or re.compile of a str";
            return Err(Place::Option("pattern")
                .refuse(pattern, "is no pattern over text", remedy)
                .into());
        }
        Ok(Self {
            pattern,
            template: replacement.replace('\\', "\\\\"),
        })
    }
}

impl Redact for PyRedaction<'_, '_> {
    fn redacted(&self, row: usize, text: &str) -> Result<Option<String>, Error> {
        let failed = |error: PyErr| {
            Error::strategy(
                "redact",
                Some(row),
                error.to_string(),
                Some(Arc::new(error)),
            )
        };
        let found = self.pattern.call_method1("subn", (&self.template, text));
        let found = found.and_then(|pair| pair.extract::<(String, usize)>());
        let (redacted, count) = found.map_err(failed)?;
        Ok((count > 0).then_some(redacted))
    }
}

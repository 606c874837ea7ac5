//! The language of sentences.

use packframe_core::Language;
use pyo3::prelude::*;

use crate::convert::{Place, text};
use crate::error::Outcome;

/// Chooses the language of sentences, and returns the one before.
#[pyfunction]
pub(crate) fn set_language(language: &Bound<'_, PyAny>) -> Outcome<&'static str> {
    let place = Place::Option("language");
    let word = text(language, place)?;
    let known = Language::ALL.iter().map(|language| language.as_str());
    let chosen = Language::parse(word).map_err(|_| {
        let remedy = packframe_core::nearest(word, known).unwrap_or("'en', 'ru' or 'ja'");
        place.refuse(language, "is not known", remedy)
    })?;
    Ok(packframe_core::set_language(chosen).as_str())
}

/// Returns the sentence of a reason code.
#[pyfunction]
pub(crate) fn reason_sentence(reason: &str) -> &'static str {
    packframe_core::reason_sentence(reason)
}

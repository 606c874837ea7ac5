//! The language of sentences.

use packframe_core::Language;
use pyo3::prelude::*;

use crate::convert::{Place, text};
use crate::error::Outcome;

/// Chooses the language of the sentences of reasons and errors, for the whole process.
///
/// `"en"` is the default, `"ru"` and `"ja"` are known too. Returns the language before. Codes and
/// stored manifests have no language; what is wrong with a single value is told in English.
/// Raises `InvalidOption` for another language.
///
/// >>> import packframe as pf
/// >>> manifest = pf.Frame([pf.Item("a b", id="kb")]).pack(0, token_profile=len).manifest
/// >>> before = pf.set_language("ru")
/// >>> manifest.why("kb").reason, manifest.why("kb").message
/// ('budget', '«kb» не входит в упаковку: не поместился в оставшееся место; лишних токенов: 3')
/// >>> pf.set_language(before)
/// 'ru'
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

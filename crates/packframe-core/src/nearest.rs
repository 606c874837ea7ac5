//! The known word that a mistyped one probably means.

use crate::error::Error;
use crate::printable::quoted;

/// Returns the known word nearest to `word`, if one is near enough to be meant.
///
/// Near enough is an edit distance, transpositions counted once, of at most a third of the
/// length of the longer word.
#[must_use]
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > 64 {
        return None;
    }
    let word = word.to_lowercase();
    known
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&word, candidate), candidate))
        .filter(|(distance, candidate)| *distance * 3 <= word.len().max(candidate.len()))
        .min()
        .map(|(_, candidate)| candidate)
}

/// What an error says of a word that is none of those that are known.
struct Unknown {
    /// The word, in quotes.
    value: String,
    /// What is wrong with it.
    problem: String,
    /// The nearest known word; where none is near, all of them.
    suggestion: String,
}

impl Unknown {
    /// Looks for what was meant.
    fn of(word: &str, known: &[&str]) -> Self {
        let listed = known.join(", ");
        let (problem, suggestion) = match nearest(word, known.iter().copied()) {
            Some(near) => (format!("is none of {listed}"), near.to_owned()),
            None => ("is not known".to_owned(), format!("one of {listed}")),
        };
        Self {
            value: quoted(word),
            problem,
            suggestion,
        }
    }
}

/// Makes the error about an option whose value is none of the known words.
#[must_use]
pub fn unknown_option_word(option: &str, word: &str, known: &[&str]) -> Error {
    let unknown = Unknown::of(word, known);
    let suggestion = Some(unknown.suggestion.as_str());
    Error::invalid_option(option, unknown.value, unknown.problem, suggestion)
}

/// Makes the error about a field of an item whose value is none of the known words.
#[must_use]
pub fn unknown_field_word(field: &str, word: &str, known: &[&str]) -> Error {
    let unknown = Unknown::of(word, known);
    let suggestion = Some(unknown.suggestion.as_str());
    Error::invalid_item(field, unknown.value, unknown.problem, suggestion)
}

//! The known word that a mistyped one probably means.

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

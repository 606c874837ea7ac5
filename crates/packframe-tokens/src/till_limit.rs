//! Counting that stops early.

use crate::error::TokenizerError;
use crate::tokenizer::Tokenizer;
use crate::trail::{Side, Trail};

/// Counts the tokens of a text, or returns `None` as soon as they are more than `limit`.
///
/// A tokenizer with seams reads what has as many tokens as the limit and at most some kilobytes
/// more; an opaque one counts the whole.
///
/// # Errors
///
/// As [`Tokenizer::count`].
pub fn count_till_limit(
    tokenizer: &dyn Tokenizer,
    text: &str,
    limit: u64,
) -> Result<Option<u64>, TokenizerError> {
    if let Some(mut trail) = Trail::new(tokenizer, text, Side::Head) {
        return trail.till(limit);
    }
    let tokens = tokenizer.count(text)?;
    Ok((tokens <= limit).then_some(tokens))
}

//! Texts as lists of token ids.

use crate::encode::Encode;
use crate::error::TokenizerError;
use crate::tokenizer::Tokenizer;

/// Returns the token ids of a text.
///
/// # Errors
///
/// An error that says so where the tokenizer has no ids; else as [`Tokenizer::count`].
pub fn encode(tokenizer: &dyn Tokenizer, text: &str) -> Result<Vec<u32>, TokenizerError> {
    let mut ids = Vec::with_capacity(text.len() / 4);
    encoder(tokenizer)?.each_token(text, &mut |id, _| {
        ids.push(id);
        true
    })?;
    Ok(ids)
}

/// Returns where each token of a text ends, as byte offsets.
///
/// # Errors
///
/// An error that says so where the tokenizer has no ids; else as [`Tokenizer::count`].
pub fn token_offsets(tokenizer: &dyn Tokenizer, text: &str) -> Result<Vec<usize>, TokenizerError> {
    let mut ends = Vec::with_capacity(text.len() / 4);
    encoder(tokenizer)?.each_token(text, &mut |_, end| {
        ends.push(end);
        true
    })?;
    Ok(ends)
}

/// Returns what encodes, if the tokenizer has ids.
///
/// # Errors
///
/// An error that says so where it has none.
pub fn encoder(tokenizer: &dyn Tokenizer) -> Result<&dyn Encode, TokenizerError> {
    tokenizer.encoder().ok_or_else(|| {
        TokenizerError::new(
            "it counts tokens but has no token ids; use the profile of a tokenizer, \
             pf.profiles.openai or pf.profiles.huggingface",
        )
    })
}

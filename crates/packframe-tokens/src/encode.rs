//! Token ids: from a text, and back to its bytes.

use crate::error::TokenizerError;

/// Encodes texts into token ids, and token ids into bytes.
///
/// A tokenizer that only counts has no such thing.
pub trait Encode: Send + Sync {
    /// Shows the id and the end of each token of a text, in order, until told to stop.
    ///
    /// Ends are byte offsets in the text and never fall; a token of bytes may end inside a
    /// character. The number of tokens is what [`Tokenizer::count`](crate::Tokenizer::count) returns.
    ///
    /// # Errors
    ///
    /// As [`Tokenizer::count`](crate::Tokenizer::count).
    fn each_token(
        &self,
        text: &str,
        visit: &mut dyn FnMut(u32, usize) -> bool,
    ) -> Result<(), TokenizerError>;

    /// Says whether an id is one of this tokenizer's.
    fn knows(&self, id: u32) -> bool;

    /// Returns the bytes that tokens stand for, joined. Of an unknown id nothing comes.
    ///
    /// # Errors
    ///
    /// A decoder that the caller's file describes may fail.
    fn decode_bytes(&self, ids: &[u32]) -> Result<Vec<u8>, TokenizerError>;
}

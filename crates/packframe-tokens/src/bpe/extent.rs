//! How many bytes tokens can have.

use super::Bpe;
use super::vocabulary::Store;

impl Bpe {
    /// Returns the bytes of the longest token.
    pub(super) fn longest(&self) -> usize {
        match &self.store {
            Store::Baked(tables) => tables.longest.get()[0] as usize,
            Store::Owned(tables) => tables.longest as usize,
        }
    }

    /// Returns a number of bytes that no text of so many tokens is over.
    pub(crate) fn most_bytes(&self, tokens: u64) -> usize {
        let tokens = usize::try_from(tokens).unwrap_or(usize::MAX);
        tokens.saturating_mul(self.longest())
    }
}

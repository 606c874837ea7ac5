//! Counting whole lists of messages.

use packframe_tokens::TokenizerError;

use super::request::ChatRequest;

/// Counts whole lists of messages, for a profile whose owner knows how.
pub trait MessageCounter: Send + Sync {
    /// Counts a list of messages, given as a JSON array of chat-completions messages.
    ///
    /// # Errors
    ///
    /// What the owner's code raises.
    fn count_messages(&self, json: &str) -> Result<u64, TokenizerError>;

    /// Counts a call with its tools; `None` where the counter knows messages only.
    ///
    /// # Errors
    ///
    /// As [`count_messages`](Self::count_messages).
    fn count_request(&self, _request: &ChatRequest<'_>) -> Result<Option<u64>, TokenizerError> {
        Ok(None)
    }

    /// Returns the text that a call is for the model; `None` where the counter makes none.
    ///
    /// # Errors
    ///
    /// As [`count_messages`](Self::count_messages).
    fn shown(&self, _request: &ChatRequest<'_>) -> Result<Option<String>, TokenizerError> {
        Ok(None)
    }

    /// Says whether the whole is as exact as the tokenizer, framing included.
    fn is_exact(&self) -> bool {
        false
    }
}

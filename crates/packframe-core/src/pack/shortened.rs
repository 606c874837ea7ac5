//! Messages that a request made shorter before it was packed.

use std::sync::Arc;

use crate::content::Content;

/// A message that was made shorter.
#[derive(Debug, Clone)]
pub(crate) struct Shortened {
    /// The message before.
    pub(crate) whole: Arc<Content>,
    /// The tokens of its content before.
    pub(crate) tokens: u64,
}

/// One change that made a message shorter.
#[derive(Debug, Clone)]
pub(crate) struct MessageEdit {
    pub(crate) row: usize,
    /// The message, by its position in history and final.
    pub(crate) position: usize,
    /// The place in the message; empty for all of it.
    pub(crate) path: String,
    /// The word of its kind.
    pub(crate) kind: &'static str,
    /// Its number: changes that are made together have the same.
    pub(crate) edit: usize,
    /// The tokens that the place may have, where it was cut.
    pub(crate) limit: Option<u64>,
    /// The message before any change.
    pub(crate) whole: Arc<Content>,
    pub(crate) tokens_before: u64,
    pub(crate) tokens_after: u64,
}

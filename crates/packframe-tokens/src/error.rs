//! What can go wrong while a tokenizer is made or used.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// A tokenizer that could not be made, or that failed on a text.
#[derive(Debug, Clone)]
pub struct TokenizerError {
    message: Box<str>,
    position: Option<usize>,
    source: Option<Arc<dyn Error + Send + Sync>>,
}

impl TokenizerError {
    /// Makes an error from a message that names the value and the remedy.
    #[must_use]
    pub fn new(message: impl Into<Box<str>>) -> Self {
        Self {
            message: message.into(),
            position: None,
            source: None,
        }
    }

    /// Adds the error that this one was caused by.
    #[must_use]
    pub fn caused_by(mut self, source: impl Error + Send + Sync + 'static) -> Self {
        self.source = Some(Arc::new(source));
        self
    }

    /// Adds the position, in the batch that was counted, of the text that failed.
    #[must_use]
    pub fn at(mut self, position: usize) -> Self {
        self.position.get_or_insert(position);
        self
    }

    /// Moves the position by the texts before, of an error in a part of a batch.
    #[must_use]
    pub fn behind(mut self, texts: usize) -> Self {
        self.position = self.position.map(|position| position + texts);
        self
    }

    /// Returns the position, in the batch that was counted, of the text that failed.
    #[must_use]
    pub const fn position(&self) -> Option<usize> {
        self.position
    }

    /// Returns the message without the position.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for TokenizerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for TokenizerError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source
            .as_deref()
            .map(|source| source as &(dyn Error + 'static))
    }
}

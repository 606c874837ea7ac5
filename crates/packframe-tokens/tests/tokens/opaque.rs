//! A tokenizer that can only count, and remembers how often it did.

use std::sync::atomic::{AtomicUsize, Ordering};

use packframe_tokens::{Tokenizer, TokenizerError};

/// Counts what another tokenizer does, without its seams.
pub struct Opaque<'a> {
    pub inner: &'a dyn Tokenizer,
    pub calls: AtomicUsize,
}

impl<'a> Opaque<'a> {
    pub fn new(inner: &'a dyn Tokenizer) -> Self {
        Self {
            inner,
            calls: AtomicUsize::new(0),
        }
    }

    pub fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }
}

impl Tokenizer for Opaque<'_> {
    fn count(&self, text: &str) -> Result<u64, TokenizerError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.inner.count(text)
    }
}

/// Fails on every text that is not empty.
pub struct Failing;

impl Tokenizer for Failing {
    fn count(&self, text: &str) -> Result<u64, TokenizerError> {
        if text.is_empty() {
            return Ok(0);
        }
        Err(TokenizerError::new("it always fails"))
    }
}

//! The count of a text that grows.

use crate::error::TokenizerError;
use crate::tokenizer::Tokenizer;
use crate::unfinished::Unfinished;

/// A text that grows at its end, and its count.
///
/// With a tokenizer that has seams, a count takes as long as what was appended since the last one
/// and what is behind the last seam; with an opaque one it takes the whole text. The text is kept.
#[derive(Debug, Clone, Default)]
pub struct Running {
    text: String,
    /// The bytes that are settled, and their units.
    settled: usize,
    units: u64,
    /// The tokens of the text, if nothing was appended since they were counted.
    tokens: Option<u64>,
    memory: Unfinished,
}

/// A point of a [`Running`] text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Point {
    length: usize,
    settled: usize,
    units: u64,
    tokens: Option<u64>,
}

impl Point {
    /// Returns the length of the text there, in bytes.
    #[must_use]
    pub const fn length(&self) -> usize {
        self.length
    }

    /// Returns the tokens of the text there, if they were counted by then.
    #[must_use]
    pub const fn tokens(&self) -> Option<u64> {
        self.tokens
    }
}

impl Running {
    /// Returns the text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the bytes that the next count looks at, at least.
    #[must_use]
    pub fn unsettled(&self) -> usize {
        self.text.len() - self.settled
    }

    /// Adds a text at the end.
    pub fn append(&mut self, text: &str) {
        if !text.is_empty() {
            self.text.push_str(text);
            self.tokens = None;
        }
    }

    /// Returns the tokens of the text, if nothing was appended since they were counted.
    #[must_use]
    pub const fn counted(&self) -> Option<u64> {
        self.tokens
    }

    /// Takes the count of the text, as an opaque tokenizer gave it.
    pub const fn take_count(&mut self, tokens: u64) {
        self.tokens = Some(tokens);
    }

    /// Returns the tokens of the text.
    ///
    /// # Errors
    ///
    /// As [`Tokenizer::count`].
    pub fn count(&mut self, tokenizer: &dyn Tokenizer) -> Result<u64, TokenizerError> {
        if let Some(tokens) = self.tokens {
            return Ok(tokens);
        }
        let tokens = match tokenizer.seams() {
            Some(seams) => {
                let advance = seams.advance(&self.text[self.settled..], &mut self.memory);
                self.settled += advance.settled;
                self.units += advance.units;
                seams.tokens(self.units + advance.rest)
            }
            None => tokenizer.count(&self.text)?,
        };
        self.tokens = Some(tokens);
        Ok(tokens)
    }

    /// Returns the point where the text ends now.
    #[must_use]
    pub const fn point(&self) -> Point {
        Point {
            length: self.text.len(),
            settled: self.settled,
            units: self.units,
            tokens: self.tokens,
        }
    }

    /// Takes back what was appended behind a point of this text; one beyond its end changes nothing.
    pub fn back_to(&mut self, point: Point) {
        if point.length > self.text.len() {
            return;
        }
        if point.settled == self.settled {
            self.memory.shorten(point.length - point.settled);
        } else {
            self.memory.clear();
        }
        self.text.truncate(point.length);
        self.settled = point.settled;
        self.units = point.units;
        self.tokens = point.tokens;
    }
}

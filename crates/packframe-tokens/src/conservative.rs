//! A bound for when no tokenizer is at hand: what the hungrier of two encodings counts.

use std::fmt;
use std::sync::Arc;

use crate::digest::sha256_hex;
use crate::error::TokenizerError;
use crate::openai::OpenAi;
use crate::tokenizer::{Seams, Tokenizer};

/// Counts the tokens that the one of `o200k_base` and `cl100k_base` has that has more.
///
/// Never under either of them, for any text, and as little over as a number that is never under
/// can be: it is the count of one of them. Costs one exact count with each.
///
/// # Why it is no formula
///
/// A sum over characters that is never under has to charge a word as its letters in any order
/// would cost: of hostile repetitions of common pieces of words every such sum was under that was
/// within a third of the count of prose.
///
/// # Examples
///
/// ```
/// use packframe_tokens::{Conservative, OpenAi, Tokenizer, TokenizerError};
///
/// let text = "Привет, мир";
/// let bound = Conservative::new()?.count(text)?;
/// assert!(bound >= OpenAi::named("o200k_base")?.count(text)?);
/// assert_eq!(bound, OpenAi::named("cl100k_base")?.count(text)?);
/// # Ok::<(), TokenizerError>(())
/// ```
#[derive(Clone)]
pub struct Conservative {
    first: Arc<OpenAi>,
    second: Arc<OpenAi>,
}

/// Units of the second encoding begin at this bit. Fewer bits than that would not do for the
/// tokens of four gigabytes.
const SECOND: u32 = 32;

/// The units of one encoding.
const HALF: u64 = (1 << SECOND) - 1;

impl Conservative {
    /// Returns the bound over `o200k_base` and `cl100k_base`.
    ///
    /// # Errors
    ///
    /// None in practice: both encodings are part of the library.
    pub fn new() -> Result<Self, TokenizerError> {
        Ok(Self {
            first: OpenAi::named("o200k_base")?,
            second: OpenAi::named("cl100k_base")?,
        })
    }

    /// Returns the SHA-256, in hexadecimal, of the hashes of both vocabularies.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        let both = [self.first.fingerprint(), self.second.fingerprint()];
        sha256_hex(both.join("\n").as_bytes())
    }
}

/// Puts the units of both in one number, so that sums of it are sums of each.
const fn pair(first: u64, second: u64) -> u64 {
    let first = if first < HALF { first } else { HALF };
    let second = if second < HALF { second } else { HALF };
    first | second << SECOND
}

impl Tokenizer for Conservative {
    fn count(&self, text: &str) -> Result<u64, TokenizerError> {
        Ok(self.first.count(text)?.max(self.second.count(text)?))
    }

    fn seams(&self) -> Option<&dyn Seams> {
        Some(self)
    }
}

impl Seams for Conservative {
    fn units(&self, text: &str) -> u64 {
        pair(self.first.units(text), self.second.units(text))
    }

    fn tokens(&self, units: u64) -> u64 {
        (units & HALF).max(units >> SECOND)
    }

    fn most_units(&self, bytes: usize) -> u64 {
        pair(self.first.most_units(bytes), self.second.most_units(bytes))
    }

    fn units_without(&self, units: u64, bytes: usize) -> u64 {
        pair(
            self.first.units_without(units & HALF, bytes),
            self.second.units_without(units >> SECOND, bytes),
        )
    }

    fn most_bytes(&self, tokens: u64) -> usize {
        self.first
            .most_bytes(tokens)
            .min(self.second.most_bytes(tokens))
    }

    // Both encodings have the same rule, so a seam of the first is one of the second; a test says so.

    fn first_seam(&self, text: &str) -> Option<usize> {
        self.first.first_seam(text)
    }

    fn last_seam(&self, text: &str) -> Option<usize> {
        self.first.last_seam(text)
    }
}

impl fmt::Debug for Conservative {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Conservative")
            .field("first", &self.first.name())
            .field("second", &self.second.name())
            .finish()
    }
}

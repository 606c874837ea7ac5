//! An estimate that needs no vocabulary.
//!
//! It adds up *units*, 1/60 token each, over the characters of a text. What a character adds is
//! looked up in tables (`weights.bin`) that `scripts/fit_approximate.py` fitted to `o200k_base` and
//! `cl100k_base`; `docs/approximate-counts.md` has the errors that were measured.
//!
//! - An ASCII character costs by itself and by the character before it: most of a token where a
//!   word begins, little inside it. Behind two characters of white space only that is seen, so
//!   that an indent costs little and letters that stand wide apart do not.
//! - A character beyond ASCII costs by itself.
//!
//! White space behind anything else costs the same whatever that is, and hides it from what
//! follows: such a border is a seam, and so is each beside a character beyond ASCII.

mod walk;
mod weights;

use std::sync::LazyLock;

use self::walk::is_white;
use self::weights::{BY_PAIR, BY_POINT, SCALE};
use crate::digest::sha256_hex;
use crate::error::TokenizerError;
use crate::tokenizer::{Seams, Tokenizer};

/// Estimates the tokens of a text from its UTF-8 bytes, by script.
///
/// At least 1 unless the text is empty, and the same on each platform. Linear: one look-up a
/// character, more than a gigabyte a second.
///
/// # Accuracy
///
/// Aims between `o200k_base` and `cl100k_base` where they agree, and just above `o200k_base`
/// where `cl100k_base` has many more tokens: newer vocabularies resemble the former. The errors, text
/// by text, are in `docs/approximate-counts.md`.
///
/// # Examples
///
/// ```
/// use packframe_tokens::{Approximate, Tokenizer, TokenizerError};
///
/// assert_eq!(Approximate.count("Where is my order?")?, 4);
/// # Ok::<(), TokenizerError>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Approximate;

static FINGERPRINT: LazyLock<String> = LazyLock::new(|| sha256_hex(weights::bytes()));

impl Approximate {
    /// Returns the SHA-256, in hexadecimal, of the weights.
    #[must_use]
    pub fn fingerprint(&self) -> &'static str {
        &FINGERPRINT
    }
}

impl Tokenizer for Approximate {
    fn count(&self, text: &str) -> Result<u64, TokenizerError> {
        Ok(self.tokens(self.units(text)))
    }

    fn bytes_for_a_thread(&self) -> Option<usize> {
        Some(1024 * 1024)
    }

    fn seams(&self) -> Option<&dyn Seams> {
        Some(self)
    }
}

impl Seams for Approximate {
    fn units(&self, text: &str) -> u64 {
        walk::units(text)
    }

    fn tokens(&self, units: u64) -> u64 {
        units.div_ceil(SCALE)
    }

    fn most_units(&self, bytes: usize) -> u64 {
        static MOST: LazyLock<u64> = LazyLock::new(|| {
            let greatest = |units: &[u8]| u64::from(units.iter().copied().max().unwrap_or(0));
            // A character beyond ASCII has at least two bytes.
            greatest(BY_PAIR).max(greatest(BY_POINT).div_ceil(2))
        });
        bytes as u64 * *MOST
    }

    fn first_seam(&self, text: &str) -> Option<usize> {
        let mut left = text.chars().next()?;
        text.char_indices().skip(1).find_map(|(place, right)| {
            is_seam(std::mem::replace(&mut left, right), right).then_some(place)
        })
    }

    fn last_seam(&self, text: &str) -> Option<usize> {
        let mut backwards = text.char_indices().rev();
        let (mut place, mut right) = backwards.next()?;
        backwards.find_map(|(at, left)| {
            let here = std::mem::replace(&mut place, at);
            is_seam(left, std::mem::replace(&mut right, left)).then_some(here)
        })
    }
}

/// Says whether only the characters behind a border decide what they cost.
fn is_seam(left: char, right: char) -> bool {
    let white = |c: char| c.is_ascii() && is_white(c as u8);
    !left.is_ascii() || !right.is_ascii() || (white(right) && !white(left))
}

//! The estimate in the middle.

use std::sync::LazyLock;

use super::border::{first_seam, last_seam, space_begins};
use super::walk::{Before, Sum, walk};
use super::weights::{ESTIMATE_PAIRS, ESTIMATE_POINTS, SCALE, estimate_bytes, place};
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
/// where `cl100k_base` has many more tokens: newer vocabularies resemble the former. On pieces of
/// 4 kB the median error is within 8 per cent of `o200k_base` for 104 of 106 texts; the tables are
/// in `docs/approximate-counts.md`.
///
/// # Examples
///
/// ```
/// use packframe_tokens::{Approximate, Tokenizer, TokenizerError};
///
/// assert_eq!(Approximate.count("Where is my order?")?, 5);
/// # Ok::<(), TokenizerError>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Approximate;

static FINGERPRINT: LazyLock<String> = LazyLock::new(|| sha256_hex(estimate_bytes()));

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

/// Says whether only the characters behind a border decide what they cost.
fn meets(left: char, right: char) -> bool {
    !left.is_ascii() || !right.is_ascii() || space_begins(left, right)
}

impl Seams for Approximate {
    fn units(&self, text: &str) -> u64 {
        let mut total = Total {
            units: 0,
            before: Before::NOTHING,
        };
        walk(text, &mut total);
        total.units
    }

    fn tokens(&self, units: u64) -> u64 {
        units.div_ceil(SCALE)
    }

    fn most_units(&self, bytes: usize) -> u64 {
        static MOST: LazyLock<u64> = LazyLock::new(|| most(ESTIMATE_PAIRS, ESTIMATE_POINTS));
        bytes as u64 * *MOST
    }

    fn first_seam(&self, text: &str) -> Option<usize> {
        first_seam(text, meets)
    }

    fn last_seam(&self, text: &str) -> Option<usize> {
        last_seam(text, meets)
    }
}

/// Returns units that no byte is over; a character beyond ASCII has at least two of them.
pub(super) fn most(pairs: &[u8], points: &[u8]) -> u64 {
    let greatest = |units: &[u8]| u64::from(units.iter().copied().max().unwrap_or(0));
    greatest(pairs).max(greatest(points).div_ceil(2))
}

/// The units so far, and what the next character is behind.
struct Total {
    units: u64,
    before: Before,
}

impl Sum for Total {
    #[inline]
    fn ascii(&mut self, byte: u8) {
        self.units += u64::from(ESTIMATE_PAIRS[self.before.pair(byte)]);
        self.before.step(byte);
    }

    #[inline]
    fn other(&mut self, point: u32) {
        self.units += u64::from(ESTIMATE_POINTS[place(point)]);
        self.before = Before::NOTHING;
    }
}

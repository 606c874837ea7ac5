//! The estimate that is meant never to be under.

use std::sync::LazyLock;

use super::border::{first_seam, last_seam, space_begins};
use super::estimate::most;
use super::walk::{Before, Sum, WHITE, walk};
use super::weights::{
    BOUND_LETTERS, BOUND_PAIRS, BOUND_POINTS, FAMILIAR, Familiar, PAIRS, SCALE, bound_bytes,
    letter, place,
};
use crate::digest::sha256_hex;
use crate::error::TokenizerError;
use crate::tokenizer::{Seams, Tokenizer};

/// Estimates the tokens of a text from its UTF-8 bytes so that the number is not under.
///
/// At least 1 unless the text is empty, and the same on each platform. Linear: two look-ups a
/// character.
///
/// # Accuracy
///
/// A bound that was measured, not proved: no piece of 4 kB of the texts that were held out had
/// more tokens in `o200k_base` or `cl100k_base`, nor had a long random string of any alphabet. Some
/// units of a few characters, repeated, do. What it is over by is in `docs/approximate-counts.md`.
///
/// # Examples
///
/// ```
/// use packframe_tokens::{Conservative, Tokenizer, TokenizerError};
///
/// assert!(Conservative.count("Where is my order?")? >= 5);
/// # Ok::<(), TokenizerError>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Conservative;

static FINGERPRINT: LazyLock<String> = LazyLock::new(|| sha256_hex(bound_bytes()));

impl Conservative {
    /// Returns the SHA-256, in hexadecimal, of the weights.
    #[must_use]
    pub fn fingerprint(&self) -> &'static str {
        &FINGERPRINT
    }
}

impl Tokenizer for Conservative {
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
    if left.is_ascii() && right.is_ascii() {
        space_begins(left, right)
    } else {
        letter(left.into()).and(letter(right.into())).is_none()
    }
}

impl Seams for Conservative {
    fn units(&self, text: &str) -> u64 {
        let mut total = Total {
            units: 0,
            before: Before::NOTHING,
            ascii: 0,
            letters: 0,
            familiar: &FAMILIAR,
        };
        walk(text, &mut total);
        total.units
    }

    fn tokens(&self, units: u64) -> u64 {
        units.div_ceil(SCALE)
    }

    fn most_units(&self, bytes: usize) -> u64 {
        static MOST: LazyLock<u64> = LazyLock::new(|| most(BOUND_PAIRS, BOUND_POINTS));
        bytes as u64 * *MOST
    }

    fn first_seam(&self, text: &str) -> Option<usize> {
        first_seam(text, meets)
    }

    fn last_seam(&self, text: &str) -> Option<usize> {
        last_seam(text, meets)
    }
}

/// The units so far, and what the next character is behind.
struct Total<'a> {
    units: u64,
    before: Before,
    /// The last three characters of ASCII, 8 bits each; 0 for those that cannot be seen.
    ascii: u32,
    /// The last two letters of Latin or Cyrillic beyond ASCII, 14 bits each.
    letters: u64,
    familiar: &'a Familiar,
}

impl Sum for Total<'_> {
    #[inline]
    fn ascii(&mut self, byte: u8) {
        let window = self.ascii << 8 | u32::from(byte);
        // White space costs the same in each window. Without a branch, as where it stands.
        let strange = usize::from(!self.familiar.has(window.into()));
        self.units += u64::from(BOUND_PAIRS[self.before.pair(byte) + strange * PAIRS]);
        let hidden = u32::from(WHITE[usize::from(byte & 0x7f)]) << 8;
        self.ascii = window & 0x00ff_ffff & !(hidden | hidden << 8);
        self.before.step(byte);
        self.letters = 0;
    }

    #[inline]
    fn other(&mut self, point: u32) {
        self.before = Before::NOTHING;
        self.ascii = 0;
        let mut units = BOUND_POINTS[place(point)];
        if let Some(letter) = letter(point) {
            let window = self.letters << 14 | u64::from(point);
            self.letters = window & 0x0fff_ffff;
            if self.familiar.has(1 << 42 | window) {
                units = BOUND_LETTERS[letter];
            }
        } else {
            self.letters = 0;
        }
        self.units += u64::from(units);
    }
}

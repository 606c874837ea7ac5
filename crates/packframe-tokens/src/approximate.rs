//! An estimate that needs no vocabulary.

use std::sync::LazyLock;

use crate::digest::sha256_hex;
use crate::error::TokenizerError;
use crate::tokenizer::{Seams, Tokenizer};

/// Estimates the tokens of a text from its UTF-8 bytes, by script.
///
/// Each character adds a fixed amount that depends on its first byte alone, in units of 1/1024
/// token, so the sum is the same however a text is cut, on each platform, and each character
/// boundary is a seam. The tokens of a whole are its units rounded up: at least 1 unless the text
/// is empty.
#[derive(Debug, Clone, Copy, Default)]
pub struct Approximate;

/// The units of one token.
const SCALE: u64 = 1024;

/// The units that a byte adds.
static UNITS: [u16; 256] = units_by_byte();

const fn units_by_byte() -> [u16; 256] {
    let mut units = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        units[byte] = match byte {
            0x80..0xC0 => 0,
            0..0x80 => 240,
            0xC0..0xE0 => 500,
            0xE0..0xF0 => 800,
            _ => 2000,
        };
        byte += 1;
    }
    units
}

static FINGERPRINT: LazyLock<String> = LazyLock::new(|| {
    let weights: Vec<u8> = UNITS.iter().flat_map(|units| units.to_le_bytes()).collect();
    sha256_hex(&weights)
});

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

    fn seams(&self) -> Option<&dyn Seams> {
        Some(self)
    }
}

impl Seams for Approximate {
    fn units(&self, text: &str) -> u64 {
        let (chunks, rest) = text.as_bytes().as_chunks::<8>();
        let sum = |bytes: &[u8]| {
            bytes
                .iter()
                .map(|&byte| u64::from(UNITS[usize::from(byte)]))
                .sum::<u64>()
        };
        chunks.iter().map(|chunk| sum(chunk)).sum::<u64>() + sum(rest)
    }

    fn tokens(&self, units: u64) -> u64 {
        units.div_ceil(SCALE)
    }

    fn first_seam(&self, text: &str) -> Option<usize> {
        let first = text.chars().next()?.len_utf8();
        (first < text.len()).then_some(first)
    }

    fn last_seam(&self, text: &str) -> Option<usize> {
        let last = text.len() - text.chars().next_back()?.len_utf8();
        (last > 0).then_some(last)
    }
}

//! The tables behind both estimates, as `scripts/fit_approximate.py` wrote them.

use std::sync::LazyLock;

/// The units of one token: the dearest character, 4 tokens and a margin, fits in a byte.
pub(super) const SCALE: u64 = 60;

/// What stands before a character that is the first, or behind one beyond ASCII.
pub(super) const OTHER: usize = 128;

/// What stands before a character behind two of white space.
pub(super) const RUN: usize = 129;

/// The length of a table of pairs: what stands before, in rows of the 128 characters of ASCII.
pub(super) const PAIRS: usize = 130 * 128;

/// The blocks of 64 code points that have a row each: the Basic Multilingual Plane beyond ASCII,
/// and the emoji. One more row stands for all others.
const PLANE: std::ops::Range<usize> = 0x80 >> 6..0x1_0000 >> 6;
const EMOJI: std::ops::Range<usize> = 0x1_F000 >> 6..0x1_FC00 >> 6;
const ROWS: usize = PLANE.end - PLANE.start + EMOJI.end - EMOJI.start + 1;
const POINTS: usize = ROWS * 64;

/// The blocks of letters beyond ASCII that are looked at in windows: Latin and Cyrillic.
const LETTERS: [std::ops::Range<u32>; 3] = [0xc0..0x240, 0x400..0x500, 0x1e00..0x1f00];
const LETTER_POINTS: usize = 0x180 + 0x100 + 0x100;

/// The logarithm of the number of bits that tell familiar windows.
const BITS: u32 = 20;

static ALL: &[u8] = include_bytes!("weights.bin");

/// Where the tables of the conservative variant begin.
const BOUND: usize = PAIRS + POINTS;

/// Where the familiar windows begin.
const WINDOWS: usize = BOUND + 2 * PAIRS + POINTS + LETTER_POINTS;

/// Returns the table that begins at a byte of the file.
const fn table<const LENGTH: usize>(from: usize) -> &'static [u8; LENGTH] {
    let all: &[u8] = include_bytes!("weights.bin");
    let (_, rest) = all.split_at(from);
    match rest.first_chunk() {
        Some(table) => table,
        None => panic!("the file has all tables"),
    }
}

/// Units of an ASCII character behind another.
pub(super) static ESTIMATE_PAIRS: &[u8; PAIRS] = table(0);
/// Units of the characters beyond ASCII.
pub(super) static ESTIMATE_POINTS: &[u8; POINTS] = table(PAIRS);
/// Units of an ASCII character behind another, first in a familiar window, then in another.
pub(super) static BOUND_PAIRS: &[u8; 2 * PAIRS] = table(BOUND);
/// Units of the characters beyond ASCII, but for letters in a familiar window.
pub(super) static BOUND_POINTS: &[u8; POINTS] = table(BOUND + 2 * PAIRS);
/// Units of letters in a familiar window.
pub(super) static BOUND_LETTERS: &[u8; LETTER_POINTS] = table(BOUND + 2 * PAIRS + POINTS);

/// The familiar windows.
pub(super) static FAMILIAR: LazyLock<Familiar> = LazyLock::new(Familiar::read);

/// A set of windows, by hash: some that are not in it are found, one in thirty.
pub(super) struct Familiar {
    bits: Box<[u64]>,
}

impl Familiar {
    /// Reads the file: each byte is the way to the next bit, but 255, which only goes on.
    fn read() -> Self {
        let mut bits = vec![0; (1 << BITS) / 64].into_boxed_slice();
        let mut next = 0;
        for &step in &ALL[WINDOWS..] {
            next += usize::from(step);
            if step < u8::MAX {
                let place = next - 1;
                bits[place >> 6] |= 1 << (place & 63);
            }
        }
        Self { bits }
    }

    /// Says whether a window is familiar.
    #[inline]
    pub(super) fn has(&self, window: u64) -> bool {
        let place = window.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - BITS);
        // The mask changes nothing, and shows that the place is in the slice.
        self.bits[(place >> 6) as usize & ((1 << BITS) / 64 - 1)] >> (place & 63) & 1 == 1
    }
}

/// Returns the bytes that decide what the estimate says.
pub(super) fn estimate_bytes() -> &'static [u8] {
    &ALL[..BOUND]
}

/// Returns the bytes that decide what the bound says.
pub(super) fn bound_bytes() -> &'static [u8] {
    &ALL[BOUND..]
}

/// Returns the place of a code point beyond ASCII in a table of points.
pub(super) fn place(point: u32) -> usize {
    let block = (point >> 6) as usize;
    let row = if block < PLANE.end {
        block - PLANE.start
    } else if EMOJI.contains(&block) {
        block - EMOJI.start + (PLANE.end - PLANE.start)
    } else {
        ROWS - 1
    };
    row << 6 | (point & 63) as usize
}

/// Returns the place of a Latin or Cyrillic letter beyond ASCII in the table of letters.
pub(super) fn letter(point: u32) -> Option<usize> {
    let mut before = 0;
    for letters in LETTERS {
        if letters.contains(&point) {
            return Some((before + point - letters.start) as usize);
        }
        before += letters.end - letters.start;
    }
    None
}

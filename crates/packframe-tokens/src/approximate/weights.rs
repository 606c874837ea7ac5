//! The tables behind the estimate, as `scripts/fit_approximate.py` wrote them.

/// The units of one token: the dearest character, 4 tokens, fits in a byte.
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

static ALL: &[u8] = include_bytes!("weights.bin");

/// Returns the table that begins at a byte of the file.
const fn table<const LENGTH: usize>(from: usize) -> &'static [u8; LENGTH] {
    let all: &[u8] = include_bytes!("weights.bin");
    let (_, rest) = all.split_at(from);
    match rest.first_chunk() {
        Some(table) => table,
        None => panic!("the file has all tables"),
    }
}

/// The units of a character of ASCII behind another.
pub(super) static BY_PAIR: &[u8; PAIRS] = table(0);
/// Units of the characters beyond ASCII.
pub(super) static BY_POINT: &[u8; POINTS] = table(PAIRS);

/// Returns the bytes that decide what the estimate says.
pub(super) fn bytes() -> &'static [u8] {
    ALL
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

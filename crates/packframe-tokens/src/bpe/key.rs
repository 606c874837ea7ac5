//! Keys of tokens, and their places in the tables. The build script makes the tables with the
//! very same functions.

/// Bytes of the longest token whose key is its bytes and its length in 64 bits.
pub const SHORT: usize = 7;
/// Bytes of the longest token whose key is its bytes and its length in 128 bits.
pub const MIDDLE: usize = 15;

/// Odd numbers without a pattern: the fractional parts of the golden ratio and of the root of 2.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
const ROOT: u64 = 0x6A09_E667_F3BC_C909;

/// Slots behind the places of a table, for tokens that find theirs taken: nothing wraps around.
pub const SPARE: usize = 64;

/// Returns a place below `size` for a mixed key. A table has far fewer than 2^32 places.
#[inline]
fn place(mixed: u64, size: usize) -> usize {
    (((mixed >> 32) * size as u64) >> 32) as usize
}

/// Returns the key of a token of at most [`SHORT`] bytes; no such key is 0.
pub fn short_of(token: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    bytes[..token.len()].copy_from_slice(token);
    u64::from_le_bytes(bytes) | (token.len() as u64) << 56
}

/// Returns the place of a short key in a table of so many places.
#[inline]
pub fn short_place(key: u64, size: usize) -> usize {
    place((key ^ key >> 32).wrapping_mul(GOLDEN), size)
}

/// Returns the key of a token of at most [`MIDDLE`] bytes; no such key is 0.
pub fn middle_of(token: &[u8]) -> u128 {
    let mut bytes = [0; 16];
    bytes[..token.len()].copy_from_slice(token);
    u128::from_le_bytes(bytes) | (token.len() as u128) << 120
}

/// Returns the place of a middle key in a table of so many places.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "the key is taken in two halves"
)]
pub fn middle_place(key: u128, size: usize) -> usize {
    let (low, high) = (key as u64, (key >> 64) as u64);
    let mixed = (low.wrapping_mul(GOLDEN) ^ high.rotate_left(32)).wrapping_mul(ROOT);
    place((mixed ^ mixed >> 29).wrapping_mul(GOLDEN), size)
}

/// Returns a hash of a longer token: it only finds a place, the bytes are compared.
pub fn long_of(token: &[u8]) -> u64 {
    let mut hash = token.len() as u64;
    for chunk in token.chunks(8) {
        let mut bytes = [0; 8];
        bytes[..chunk.len()].copy_from_slice(chunk);
        hash = (hash.rotate_left(23) ^ u64::from_le_bytes(bytes)).wrapping_mul(GOLDEN);
    }
    hash
}

/// Returns the place of a long hash in a table of so many places.
#[inline]
pub fn long_place(hash: u64, size: usize) -> usize {
    place((hash ^ hash >> 32).wrapping_mul(ROOT), size)
}

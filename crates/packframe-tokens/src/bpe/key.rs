//! Keys of tokens, and their places in the table. The build script makes the tables with the very
//! same functions.

/// Bytes of the longest token whose key is its bytes and its length.
pub const INLINE: usize = 15;

/// The bits of a key that so many bytes take, by their number.
pub const KEEP: [u128; INLINE + 1] = {
    let mut keep = [0; INLINE + 1];
    let mut bytes = 1;
    while bytes <= INLINE {
        keep[bytes] = keep[bytes - 1] << 8 | 0xFF;
        bytes += 1;
    }
    keep
};

/// Slots of a group, which one look-up reads at once.
pub const GROUP: usize = 8;

/// Odd numbers without a pattern: the fractional parts of the golden ratio and of the root of 2.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
const ROOT: u64 = 0x6A09_E667_F3BC_C909;

/// Returns the key of a token of at most [`INLINE`] bytes; no such key is 0.
pub fn key_of(token: &[u8]) -> u128 {
    let mut bytes = [0; 16];
    bytes[..token.len()].copy_from_slice(token);
    u128::from_le_bytes(bytes) | (token.len() as u128) << 120
}

/// Returns the key, which no token has, that says of the first [`INLINE`] bytes of a text that
/// longer tokens start with them.
pub const fn head_of(key: u128) -> u128 {
    key & !(0xFF << 120) | (INLINE as u128 + 1) << 120
}

/// Returns the hash of a key: the halves of a product of its halves, folded.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "the key and the product are taken in two halves"
)]
pub const fn hash(key: u128) -> u64 {
    let (low, high) = (key as u64, (key >> 64) as u64);
    let product = (low ^ GOLDEN) as u128 * (high ^ ROOT) as u128;
    product as u64 ^ (product >> 64) as u64
}

/// Returns the group, of so many, that a hash is looked for in first. A table has far fewer than
/// 2^32 groups.
#[inline]
pub const fn group(hash: u64, groups: usize) -> usize {
    (((hash >> 32) * groups as u64) >> 32) as usize
}

/// Returns what a taken slot is marked with: eight bytes of the seven low bits of the hash, each
/// with its high bit set. A free slot is marked 0.
#[inline]
pub const fn mark(hash: u64) -> u64 {
    (hash & 0x7F | FIRST_MARK) * ONES
}

/// The least mark of a taken slot.
const FIRST_MARK: u64 = 0x80;

/// A 1 in each byte.
pub const ONES: u64 = 0x0101_0101_0101_0101;

/// Returns a hash of a longer token: it only finds a place, the bytes are compared.
pub fn long_of(token: &[u8]) -> u64 {
    let mut hash = token.len() as u64;
    for chunk in token.chunks(8) {
        let mut bytes = [0; 8];
        bytes[..chunk.len()].copy_from_slice(chunk);
        hash = (hash.rotate_left(23) ^ u64::from_le_bytes(bytes)).wrapping_mul(GOLDEN);
    }
    hash ^ hash >> 32
}

/// Returns the place of a long hash in a table of so many places.
#[inline]
pub const fn long_place(hash: u64, places: usize) -> usize {
    group(hash.wrapping_mul(ROOT), places)
}

/// Returns the place, of 65,536, where a table says how long the tokens are that start with three
/// bytes. Different bytes may share a place.
#[inline]
pub const fn reach_place(first: u8, second: u8, third: u8) -> usize {
    let bytes = u32::from_le_bytes([first, second, third, 0]);
    (bytes.wrapping_mul(0x9E37_79B1) >> 16) as usize
}

/// Returns the bit, of 2^19, for a border that a join goes over: up to two bytes on each side.
///
/// Different borders may share a bit.
#[inline]
pub fn border_bit(left: &[u8], right: &[u8]) -> usize {
    let side = |bytes: &[u8]| match *bytes {
        [.., first, second] => u64::from(u16::from_le_bytes([first, second])) | 1 << 16,
        [only] => u64::from(only),
        [] => 0,
    };
    let left = side(left);
    let right = side(right.get(..2).unwrap_or(right));
    ((left << 32 | right).wrapping_mul(GOLDEN) >> 45) as usize
}

//! Keys of tokens, and their places in the table. The build script makes the tables with the very
//! same functions.

/// Bytes of the longest token whose key is its bytes and its length.
pub const INLINE: usize = 12;

/// Where the length stands in a key, in four bits; what is between it and the bytes is 0.
const LENGTH: u32 = 124;

/// Where the rank stands in a slot, between the bytes and the length of the key.
const RANK: u32 = 96;
const RANK_BITS: u128 = 0x0FFF_FFFF << RANK;

/// Ranks are below this.
pub const RANKS: u32 = 1 << 28;

/// The bits of a key that so many bytes take, by their number.
pub const KEEP: [u128; 16] = {
    let mut keep = [0; 16];
    let mut bytes = 1;
    while bytes < 16 {
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

/// Returns the key of so many of the bytes given, at most [`INLINE`]; no key is 0.
#[inline]
pub const fn key_of(bytes: u128, length: usize) -> u128 {
    bytes & KEEP[length] | (length as u128) << LENGTH
}

/// Returns the key, which no token has, that says how long the longer tokens are that start with
/// its [`INLINE`] bytes: a [`head_bit`] for each length stands in the place of the rank.
#[inline]
pub const fn head_of(bytes: u128) -> u128 {
    bytes & KEEP[INLINE] | (INLINE as u128 + 1) << LENGTH
}

/// Bytes of the shortest token that its head does not tell from longer ones.
pub const FAR: usize = INLINE + 28;

/// Returns the bit that stands for a length in what a head says.
#[inline]
pub const fn head_bit(length: usize) -> u32 {
    let place = if length < FAR { length } else { FAR } - INLINE - 1;
    1 << place
}

/// Returns the slot of a key and its rank.
pub const fn slot_of(key: u128, rank: u32) -> u128 {
    key | (rank as u128) << RANK
}

/// Returns the rank in a slot, if that is the slot of the key.
#[inline]
pub const fn rank_in(slot: u128, key: u128) -> Option<u32> {
    if slot & !RANK_BITS == key {
        Some(((slot & RANK_BITS) >> RANK) as u32)
    } else {
        None
    }
}

/// Returns the first sixteen bytes of a text, with zeros behind it where it is shorter.
#[inline]
pub fn bytes_of(text: &[u8]) -> u128 {
    if let Some(bytes) = text.first_chunk() {
        return u128::from_le_bytes(*bytes);
    }
    let mut bytes = [0; 16];
    bytes[..text.len()].copy_from_slice(text);
    u128::from_le_bytes(bytes)
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

/// Bytes on each side of a border that tell whether a join may go over it.
pub const SIDE: usize = 3;

/// Words of the table of borders: 2^19 bits.
pub const BORDERS: usize = 1 << 13;

/// Words of the table of single bytes at borders: a bit for each two.
pub const RAGGED: usize = 1 << 10;

/// Returns the bit of the table of borders for up to [`SIDE`] bytes on each side. Different borders
/// may share a bit.
#[inline]
pub fn border_bit(left: &[u8], right: &[u8]) -> usize {
    let side = |bytes: &[u8]| {
        bytes
            .iter()
            .fold(1, |key, &byte| key << 8 | u64::from(byte))
    };
    ((side(left) << 32 | side(right)).wrapping_mul(GOLDEN) >> 45) as usize
}

/// Returns the bit of the table of single bytes at borders.
#[inline]
pub const fn ragged_bit(left: u8, right: u8) -> usize {
    u16::from_le_bytes([left, right]) as usize
}

/// Tells whether the tables know a border between two bytes: one in front of a character of three
/// bytes or more, behind a byte beyond ASCII. In alphabets, nearly all may be joined over.
#[inline]
pub const fn is_known_border(left: u8, right: u8) -> bool {
    left >= 0x80 && right >= 0xE0
}

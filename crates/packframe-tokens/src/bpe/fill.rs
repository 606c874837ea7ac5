//! Fills the tables of a vocabulary. The build script does it with the very same functions.

use super::key::{
    MIDDLE, SHORT, SPARE, long_of, long_place, middle_of, middle_place, short_of, short_place,
};

/// Marks a slot that holds no token.
pub const EMPTY: u32 = u32::MAX;

/// The tables of a vocabulary; `vocabulary.rs` says how they are read.
#[derive(Default)]
pub struct Filled {
    /// The bytes of all tokens, by rank.
    pub bytes: Vec<u8>,
    /// Where each token ends in them.
    pub ends: Vec<u32>,
    /// The length of the left one of the two tokens that each is merged from; 0 for a byte.
    pub halves: Vec<u8>,
    /// The rank of each pair of bytes.
    pub pairs: Vec<u32>,
    /// The tables of short, middle and long tokens.
    pub short: Vec<u64>,
    pub short_ranks: Vec<u32>,
    pub middle: Vec<u128>,
    pub middle_ranks: Vec<u32>,
    pub long_ranks: Vec<u32>,
    /// The bytes of the longest token.
    pub longest: u32,
}

/// Fills the tables with the tokens, given by rank with the length of the left half of each.
/// Tokens are different, none is empty or longer than 255 bytes, and together they are below 4 GiB.
pub fn fill<'a>(tokens: impl Iterator<Item = (&'a [u8], u8)>) -> Filled {
    let mut filled = Filled::default();
    let (mut short, mut middle, mut long) = (Vec::new(), Vec::new(), Vec::new());
    filled.pairs = vec![EMPTY; 1 << 16];
    for ((token, half), rank) in tokens.zip(0_u32..) {
        filled.bytes.extend_from_slice(token);
        filled
            .ends
            .push(u32::try_from(filled.bytes.len()).unwrap_or(EMPTY));
        filled.halves.push(half);
        filled.longest = filled
            .longest
            .max(u32::try_from(token.len()).unwrap_or(EMPTY));
        if let &[first, second] = token {
            filled.pairs[usize::from(u16::from_be_bytes([first, second]))] = rank;
        }
        if token.len() <= SHORT {
            short.push((token, rank));
        } else if token.len() <= MIDDLE {
            middle.push((token, rank));
        } else {
            long.push((token, rank));
        }
    }
    (filled.short, filled.short_ranks) = table(&short, short_of, short_place, 0);
    (filled.middle, filled.middle_ranks) = table(&middle, middle_of, middle_place, 0);
    (_, filled.long_ranks) = table(&long, long_of, long_place, 0);
    filled
}

/// Fills an open-addressing table, half full. Tokens of a low rank, which texts have most of, come
/// first and so stand where they are looked for first.
fn table<K: Copy>(
    tokens: &[(&[u8], u32)],
    key_of: fn(&[u8]) -> K,
    place_of: fn(K, usize) -> usize,
    free: K,
) -> (Vec<K>, Vec<u32>) {
    let size = tokens.len() * 2 + 1;
    let mut keys = vec![free; size + SPARE];
    let mut ranks = vec![EMPTY; size + SPARE];
    for &(token, rank) in tokens {
        let key = key_of(token);
        let mut place = place_of(key, size);
        while ranks.get(place).is_some_and(|&taken| taken != EMPTY) {
            place += 1;
        }
        // Tokens made to collide could run beyond the spare slots: the table then grows.
        if place + 1 >= ranks.len() {
            keys.resize(place + 2, free);
            ranks.resize(place + 2, EMPTY);
        }
        keys[place] = key;
        ranks[place] = rank;
    }
    (keys, ranks)
}

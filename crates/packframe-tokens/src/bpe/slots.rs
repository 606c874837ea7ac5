//! The slots that tokens are looked for in. The build script looks with the very same functions.
//!
//! The key of a token of up to 15 bytes is the token itself with its length, in 128 bits. Slots
//! stand in groups of eight, and a word of eight marks says what may be in a group: a look-up that
//! finds nothing mostly reads that one word. Longer tokens are found by a hash and compared; a key
//! for their first 15 bytes says whether there are any.

use super::fill::{EMPTY, SPARE};
use super::key::{
    GROUP, INLINE, KEEP, ONES, group, hash, head_of, key_of, long_of, long_place, mark,
};

/// The tokens by rank, and the ranks by token.
#[derive(Clone, Copy)]
pub struct Slots<'a> {
    /// The bytes of all tokens.
    pub bytes: &'a [u8],
    /// Where each token ends in them.
    pub ends: &'a [u32],
    /// The marks of the groups.
    pub marks: &'a [u64],
    /// The key of each slot.
    pub keys: &'a [u128],
    /// What each slot says: a rank, or for a head the bytes of the longest token it starts.
    pub values: &'a [u32],
    /// The ranks of the longer tokens.
    pub long: &'a [u32],
}

impl<'a> Slots<'a> {
    /// Returns the rank of `text[start..end]`, if that is a token.
    #[inline]
    pub fn rank_at(&self, text: &[u8], start: usize, end: usize) -> Option<u32> {
        let length = end - start;
        if length <= INLINE {
            self.find(key_at(text, start, length))
                .map(|slot| self.values[slot])
        } else {
            self.find_long(text, start, end)
        }
    }

    /// Returns the bytes of the token of a rank below `len()`.
    pub fn token(&self, rank: u32) -> &'a [u8] {
        let rank = rank as usize;
        let start = if rank == 0 { 0 } else { self.ends[rank - 1] };
        &self.bytes[start as usize..self.ends[rank] as usize]
    }

    /// Returns the slot of a key.
    #[inline]
    pub fn find(&self, key: u128) -> Option<usize> {
        self.find_hashed(key, hash(key))
    }

    /// Returns the slot of a key of that hash.
    #[inline]
    pub fn find_hashed(&self, key: u128, hash: u64) -> Option<usize> {
        const HIGH: u64 = 0x80 * ONES;
        let mark = mark(hash);
        let mut at = group(hash, self.marks.len() - SPARE);
        loop {
            let marks = self.marks[at];
            let other = marks ^ mark;
            // The high bit of each byte that is 0, and maybe of some above one that is.
            let mut same = other.wrapping_sub(ONES) & !other & HIGH;
            while same != 0 {
                let slot = at * GROUP + (same.trailing_zeros() / 8) as usize;
                if self.keys[slot] == key {
                    return Some(slot);
                }
                same &= same - 1;
            }
            // The last slot of a group is taken last.
            if marks >> 63 == 0 {
                return None;
            }
            at += 1;
        }
    }

    /// Returns the rank of a token of more than [`INLINE`] bytes.
    pub fn find_long(&self, text: &[u8], start: usize, end: usize) -> Option<u32> {
        let token = &text[start..end];
        // Most are hashed for nothing without this test, and a piece of 10 MB among them.
        let head = self.find(head_of(key_at(text, start, INLINE)))?;
        if token.len() > self.values[head] as usize {
            return None;
        }
        let home = long_place(long_of(token), self.long.len() - SPARE - 1);
        self.long[home..].iter().find_map(|&rank| match rank {
            EMPTY => Some(None),
            rank if self.token(rank) == token => Some(Some(rank)),
            _ => None,
        })?
    }
}

/// Returns the key of `text[start..start + length]`; reads sixteen bytes at once where it can.
#[inline]
pub fn key_at(text: &[u8], start: usize, length: usize) -> u128 {
    match text[start..].first_chunk() {
        Some(bytes) => u128::from_le_bytes(*bytes) & KEEP[length] | (length as u128) << 120,
        None => key_of(&text[start..start + length]),
    }
}

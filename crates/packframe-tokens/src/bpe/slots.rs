//! The slots that tokens are looked for in. The build script looks with the very same functions.
//!
//! The key of a token of up to 12 bytes is the token itself with its length; with its rank it is a
//! slot of 128 bits. Slots stand in groups of eight, and a word of eight marks says what may be in a group: a look-up that
//! finds nothing mostly reads that one word. Longer tokens are found by a hash and compared; a key
//! for their first 12 bytes says whether there are any.

use super::fill::{EMPTY, SPARE};
use super::key::{
    FAR, GROUP, INLINE, ONES, bytes_of, group, hash, head_bit, head_of, key_of, long_of,
    long_place, mark, rank_in,
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
    /// The slots: a key and its rank, or a head and the lengths of the tokens that it starts.
    pub places: &'a [u128],
    /// The ranks of the longer tokens.
    pub long: &'a [u32],
    /// Which lengths from `FAR` bytes on there are, a bit for each.
    pub far: &'a [u64],
}

impl<'a> Slots<'a> {
    /// Returns the rank of `text[start..end]`, if that is a token.
    #[inline]
    pub fn rank_at(&self, text: &[u8], start: usize, end: usize) -> Option<u32> {
        let length = end - start;
        if length <= INLINE {
            self.find(key_of(bytes_of(&text[start..]), length))
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

    /// Returns the rank of a key.
    #[inline]
    pub fn find(&self, key: u128) -> Option<u32> {
        const HIGH: u64 = 0x80 * ONES;
        let hash = hash(key);
        let mark = mark(hash);
        let mut at = group(hash, self.marks.len() - SPARE);
        loop {
            let marks = self.marks[at];
            let other = marks ^ mark;
            // The high bit of each byte that is 0, and maybe of some above one that is.
            let mut same = other.wrapping_sub(ONES) & !other & HIGH;
            while same != 0 {
                let slot = at * GROUP + (same.trailing_zeros() / 8) as usize;
                if let Some(rank) = rank_in(self.places[slot], key) {
                    return Some(rank);
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

    /// Returns the first slot that a hash may stand in, by the marks of its group; `None` where it
    /// stands in none.
    #[inline]
    pub fn candidate(&self, hash: u64) -> Option<usize> {
        let at = group(hash, self.marks.len() - SPARE);
        let marks = self.marks[at];
        let other = marks ^ mark(hash);
        let same = other.wrapping_sub(ONES) & !other & (0x80 * ONES);
        // The last slot of a group is taken last: behind a full one the search goes on.
        (same != 0 || marks >> 63 == 1)
            .then(|| at * GROUP + (same.trailing_zeros() / 8 % 8) as usize)
    }

    /// Returns the rank of a token of more than [`INLINE`] bytes.
    pub fn find_long(&self, text: &[u8], start: usize, end: usize) -> Option<u32> {
        let token = &text[start..end];
        // Most are hashed for nothing without this test, and a piece of 10 MB among them.
        let lengths = self.find(head_of(bytes_of(token)))?;
        if lengths & head_bit(token.len()) == 0 || token.len() > usize::from(u8::MAX) {
            return None;
        }
        self.find_hashed(token)
    }

    /// Returns the longest token of more than [`INLINE`] bytes at the start of a text: its length
    /// and its rank.
    pub fn longest_long(&self, text: &[u8]) -> Option<(usize, u32)> {
        let lengths = self.find(head_of(bytes_of(text)))?;
        let found = |length| Some((length, self.find_hashed(&text[..length])?));
        if lengths & head_bit(FAR) != 0 {
            let most = text.len().min(usize::from(u8::MAX));
            let far = |length: &usize| self.far[length / 64] >> (length % 64) & 1 == 1;
            if let Some(token) = (FAR..=most).rev().filter(far).find_map(found) {
                return Some(token);
            }
        }
        let mut lengths = lengths & (head_bit(FAR) - 1);
        while lengths != 0 {
            let place = lengths.ilog2();
            let length = INLINE + 1 + place as usize;
            if length <= text.len()
                && let Some(token) = found(length)
            {
                return Some(token);
            }
            lengths ^= 1 << place;
        }
        None
    }

    /// Returns the rank of a token of more than [`INLINE`] bytes by its hash.
    fn find_hashed(&self, token: &[u8]) -> Option<u32> {
        let home = long_place(long_of(token), self.long.len() - SPARE - 1);
        self.long[home..].iter().find_map(|&rank| match rank {
            EMPTY => Some(None),
            rank if self.token(rank) == token => Some(Some(rank)),
            _ => None,
        })?
    }
}

//! How many tokens pieces are, remembered.

use super::key::{KEEP, bytes_of, hash};
use super::wide;

/// Bytes of the longest piece that has a near slot: its key is its bytes and its length.
pub(super) const NEAR: usize = 15;

/// Bytes of the longest piece that is remembered: what is behind the first 16 has its
/// length, and one more so that no key is 0, in half a byte.
pub(super) const LONGEST: usize = 30;

/// The most slots for pieces of up to 15 bytes: half a megabyte, which fits into the second-level
/// cache of a processor. A memo starts with the least and grows as it is used, so that a short text
/// does not pay for clearing memory.
const MOST: usize = 1 << 17;
const LEAST: usize = 1 << 11;

/// The slots for pieces of 16 to 30 bytes: a quarter of a megabyte.
const MOST_FAR: usize = 1 << 14;
const LEAST_FAR: usize = 1 << 8;

/// Where the count stands in a slot: the length of a piece needs only the lower half of the byte.
const COUNT: u32 = 124;
const KEY: u128 = !(0xF << COUNT);

/// The counts of pieces seen lately, of tokens as of those that were merged.
///
/// It never grows beyond its most, and an answer never depends on what it holds.
pub(super) struct Memo {
    /// A slot is a key with the count in its highest half byte; 0 is free.
    near: Near,
    far: Far,
}

struct Near {
    slots: Box<[u128]>,
    /// Pieces written since the slots were made.
    written: usize,
}

struct Far {
    slots: Box<[[u128; 2]]>,
    written: usize,
}

impl Memo {
    pub(super) fn new() -> Self {
        Self::of(LEAST, LEAST_FAR)
    }

    /// Makes a memo with a fourth of the most room, all of it in memory at once.
    pub(super) fn with_room() -> Self {
        let mut memo = Self::of(MOST / 4, MOST_FAR / 4);
        memo.near.slots.fill(std::hint::black_box(0));
        memo.far.slots.fill(std::hint::black_box([0; 2]));
        memo
    }

    fn of(near: usize, far: usize) -> Self {
        Self {
            near: Near {
                slots: vec![0; near].into(),
                written: 0,
            },
            far: Far {
                slots: vec![[0; 2]; far].into(),
                written: 0,
            },
        }
    }

    /// Asks for the slot of a piece of up to 15 bytes, which is read later.
    #[inline]
    pub(super) fn ask_near(&self, hash: u64) {
        let slots = &self.near.slots;
        wide::ask(slots, place(hash, slots.len()));
    }

    /// Asks for the slot of a piece of 16 to [`LONGEST`] bytes, which is read later.
    #[inline]
    pub(super) fn ask_far(&self, hash: u64) {
        let slots = &self.far.slots;
        wide::ask(slots, place(hash, slots.len()));
    }

    /// Returns the tokens of a piece of up to 15 bytes, given its key, if they are remembered.
    #[inline]
    pub(super) fn near(&self, key: u128, hash: u64) -> Option<u64> {
        let slots = &self.near.slots;
        let slot = slots[place(hash, slots.len())];
        if (slot ^ key) & KEY == 0 {
            return Some((slot >> COUNT) as u64);
        }
        None
    }

    /// Remembers the tokens of a piece of up to 15 bytes.
    pub(super) fn keep_near(&mut self, key: u128, hash: u64, tokens: u64) {
        self.near.keep(key, hash, tokens);
    }

    /// Returns the tokens of a piece of 16 to [`LONGEST`] bytes, if they are remembered.
    #[inline]
    pub(super) fn far(&self, key: [u128; 2], hash: u64) -> Option<u64> {
        let slots = &self.far.slots;
        let slot = slots[place(hash, slots.len())];
        if slot[0] == key[0] && (slot[1] ^ key[1]) & KEY == 0 {
            return Some((slot[1] >> COUNT) as u64);
        }
        None
    }

    /// Remembers the tokens of a piece of 16 to [`LONGEST`] bytes, unless they are too many.
    pub(super) fn keep_far(&mut self, key: [u128; 2], hash: u64, tokens: u64) {
        self.far.keep(key, hash, tokens);
    }
}

impl Near {
    fn keep(&mut self, key: u128, hash: u64, tokens: u64) {
        if self.written == self.slots.len() / 2 && self.slots.len() < MOST {
            self.grow();
        }
        self.written += 1;
        let place = place(hash, self.slots.len());
        self.slots[place] = key | u128::from(tokens) << COUNT;
    }

    #[cold]
    fn grow(&mut self) {
        let size = self.slots.len() * 4;
        let old = std::mem::replace(&mut self.slots, vec![0; size].into());
        for &slot in old.iter().filter(|&&slot| slot != 0) {
            self.slots[place(hash(slot & KEY), size)] = slot;
        }
        self.written = 0;
    }
}

impl Far {
    fn keep(&mut self, key: [u128; 2], hash: u64, tokens: u64) {
        if tokens > 0xF {
            return;
        }
        if self.written == self.slots.len() / 2 && self.slots.len() < MOST_FAR {
            self.grow();
        }
        self.written += 1;
        let place = place(hash, self.slots.len());
        self.slots[place] = [key[0], key[1] | u128::from(tokens) << COUNT];
    }

    #[cold]
    fn grow(&mut self) {
        let size = self.slots.len() * 4;
        let old = std::mem::replace(&mut self.slots, vec![[0; 2]; size].into());
        for &slot in old.iter().filter(|slot| slot[1] != 0) {
            self.slots[place(far_hash([slot[0], slot[1] & KEY]), size)] = slot;
        }
        self.written = 0;
    }
}

/// Returns the place in slots of which there are so many, a power of two.
#[inline]
fn place(hash: u64, slots: usize) -> usize {
    (hash >> 16 & 0xFFFF_FFFF) as usize & (slots - 1)
}

/// Returns the key of the piece `text[start..end]` of up to [`NEAR`] bytes.
#[inline]
pub(super) fn near_key(text: &[u8], start: usize, end: usize) -> u128 {
    let length = end - start;
    bytes_of(&text[start..]) & KEEP[length] | (length as u128) << 120
}

/// Returns the key of a piece of 16 to [`LONGEST`] bytes.
#[inline]
pub(super) fn far_key(piece: &[u8]) -> [u128; 2] {
    let read = |bytes: &[u8; 16]| u128::from_le_bytes(*bytes);
    let (first, last) = (piece.first_chunk(), piece.last_chunk());
    let (first, last) = (first.map_or(0, read), last.map_or(0, read));
    // The last 16 bytes overlap the first ones; what they have of their own is at their end.
    let own = piece.len() - 16;
    let rest = if own == 0 {
        0
    } else {
        last >> (8 * (16 - own))
    };
    [first, rest & KEEP[own] | (own as u128 + 1) << 120]
}

/// Returns the hash of such a key.
#[inline]
pub(super) fn far_hash(key: [u128; 2]) -> u64 {
    hash(key[0]) ^ hash(key[1]).rotate_left(32)
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, Memo, far_hash, far_key, near_key};
    use crate::bpe::key::hash;

    #[test]
    fn what_is_kept_comes_back_while_it_grows() {
        let mut memo = Memo::new();
        for number in 0..100_000_u32 {
            let piece = number.to_string();
            let key = near_key(piece.as_bytes(), 0, piece.len());
            memo.keep_near(key, hash(key), u64::from(number % 15 + 1));
            assert_eq!(
                memo.near(key, hash(key)),
                Some(u64::from(number % 15 + 1)),
                "{piece}"
            );
            let longer = format!("{piece:->width$}", width = 16 + number as usize % 15);
            let key = far_key(longer.as_bytes());
            memo.keep_far(key, far_hash(key), u64::from(number % 15 + 1));
            assert_eq!(
                memo.far(key, far_hash(key)),
                Some(u64::from(number % 15 + 1)),
                "{longer}"
            );
        }
    }

    #[test]
    fn no_key_is_a_free_slot() {
        let zeros = [0; LONGEST];
        for length in 1..=super::NEAR {
            assert_ne!(near_key(&zeros, 0, length), 0);
        }
        for length in 16..=LONGEST {
            assert_ne!(far_key(&zeros[..length]), [0; 2]);
        }
    }

    #[test]
    fn pieces_that_differ_in_a_byte_or_in_length_have_different_keys() {
        let piece: Vec<u8> = (1..=u8::MAX).take(LONGEST).collect();
        let mut keys = std::collections::HashSet::new();
        for length in 16..=LONGEST {
            assert!(keys.insert(far_key(&piece[..length])));
            for at in 0..length {
                let mut other = piece[..length].to_vec();
                other[at] = 0;
                assert!(keys.insert(far_key(&other)), "{at} of {length}");
            }
        }
    }
}

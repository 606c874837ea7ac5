//! Fills the tables of a vocabulary. The build script does it with the very same functions.

use super::key::{
    GROUP, INLINE, border_bit, group, hash, head_of, key_of, long_of, long_place, mark, reach_place,
};
use super::slots::Slots;
use super::split::Split;

/// Marks a slot that holds no token.
pub const EMPTY: u32 = u32::MAX;

/// The groups, or places, beyond its own that a token may stand in.
///
/// Tokens are some 5 to a group of 8: of those of the `OpenAI` encodings none is further off than
/// 8 groups. Only tokens made for it are.
pub const SPARE: usize = 64;

/// The tables of a vocabulary; `vocabulary.rs` says how they are read.
#[derive(Debug, Default)]
pub struct Filled {
    /// The bytes of all tokens, by rank.
    pub bytes: Vec<u8>,
    /// Where each token ends in them.
    pub ends: Vec<u32>,
    /// What each token is merged from.
    pub splits: Vec<u64>,
    /// The marks of the groups.
    pub marks: Vec<u64>,
    /// The key of each slot.
    pub keys: Vec<u128>,
    /// What each slot says: the rank of the token, or for a head the bytes of the longest token
    /// that starts with it.
    pub values: Vec<u32>,
    /// The ranks of the longer tokens.
    pub long: Vec<u32>,
    /// The rank of each byte.
    pub single: Vec<u32>,
    /// How long the tokens are that start with three bytes: a bit for each length, bit 0 for
    /// lengths over 15.
    pub reach: Vec<u16>,
    /// The borders that a join goes over, a bit for each.
    pub borders: Vec<u64>,
}

/// Fills the tables with the tokens, given by rank with the length of the left half of each.
///
/// Tokens are different, none is empty or longer than 255 bytes, and together they are below
/// 4 GiB. Returns `None` where too many of them would stand in one place, or where a half
/// is no token.
pub fn fill<'a>(tokens: impl Iterator<Item = (&'a [u8], u8)>) -> Option<Filled> {
    let mut filled = Filled {
        single: vec![EMPTY; 256],
        reach: vec![0; 1 << 16],
        borders: vec![0; 1 << 13],
        ..Filled::default()
    };
    let (mut inline, mut long, mut halves) = (Vec::new(), Vec::new(), Vec::new());
    for ((token, half), rank) in tokens.zip(0_u32..) {
        filled.bytes.extend_from_slice(token);
        filled.ends.push(u32::try_from(filled.bytes.len()).ok()?);
        halves.push(half);
        if let &[byte] = token {
            filled.single[usize::from(byte)] = rank;
        }
        if half != 0 {
            let (left, right) = token.split_at_checked(usize::from(half))?;
            let bit = border_bit(left, right);
            filled.borders[bit / 64] |= 1 << (bit % 64);
        }
        if let &[first, second, third, ..] = token {
            let length = if token.len() <= INLINE {
                token.len()
            } else {
                0
            };
            filled.reach[reach_place(first, second, third)] |= 1 << length;
        }
        if token.len() <= INLINE {
            inline.push((key_of(token), rank));
        } else {
            long.push((token, rank));
        }
    }
    let mut heads: Vec<(u128, u32)> = long
        .iter()
        .map(|&(token, _)| {
            let length = u32::try_from(token.len()).unwrap_or(EMPTY);
            (head_of(key_of(&token[..INLINE])), length)
        })
        .collect();
    // Of the same head the longest token comes last, and stays.
    heads.sort_unstable();
    for at in 0..heads.len() {
        if heads.get(at + 1).is_none_or(|next| next.0 != heads[at].0) {
            inline.push(heads[at]);
        }
    }
    filled.place_inline(&inline)?;
    filled.place_long(&long)?;
    filled.splits = filled.find_splits(&halves)?;
    Some(filled)
}

impl Filled {
    fn place_inline(&mut self, entries: &[(u128, u32)]) -> Option<()> {
        let groups = entries.len() / 5 + 1;
        self.marks = vec![0; groups + SPARE];
        self.keys = vec![0; (groups + SPARE) * GROUP];
        self.values = vec![EMPTY; (groups + SPARE) * GROUP];
        for &(key, value) in entries {
            let hash = hash(key);
            let home = group(hash, groups);
            let free = |at: &usize| self.marks[*at] >> 56 == 0;
            let at = (home..home + SPARE).find(free)?;
            let taken = (0..GROUP).find(|slot| self.marks[at] >> (8 * slot) & 0xFF == 0)?;
            self.marks[at] |= (mark(hash) & 0xFF) << (8 * taken);
            self.keys[at * GROUP + taken] = key;
            self.values[at * GROUP + taken] = value;
        }
        Some(())
    }

    /// Returns the slots, to look tokens up in.
    pub fn slots(&self) -> Slots<'_> {
        Slots {
            bytes: &self.bytes,
            ends: &self.ends,
            marks: &self.marks,
            keys: &self.keys,
            values: &self.values,
            long: &self.long,
        }
    }

    fn find_splits(&self, halves: &[u8]) -> Option<Vec<u64>> {
        let slots = self.slots();
        let split = |(&half, rank): (&u8, u32)| {
            if half == 0 {
                return Some(0);
            }
            let (token, middle) = (slots.token(rank), usize::from(half));
            let left = slots.rank_at(token, 0, middle)?;
            let right = slots.rank_at(token, middle, token.len())?;
            Some(Split::new(half, left, right).0)
        };
        halves.iter().zip(0_u32..).map(split).collect()
    }

    fn place_long(&mut self, tokens: &[(&[u8], u32)]) -> Option<()> {
        let places = tokens.len() * 2 + 1;
        self.long = vec![EMPTY; places + SPARE + 1];
        for &(token, rank) in tokens {
            let home = long_place(long_of(token), places);
            let at = (home..home + SPARE).find(|&at| self.long[at] == EMPTY)?;
            self.long[at] = rank;
        }
        Some(())
    }
}

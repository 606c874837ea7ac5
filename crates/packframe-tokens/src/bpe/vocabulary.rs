//! The tokens of a vocabulary and their ranks, in tables that the build script made, or that a
//! `tokenizer.json` was read into.
//!
//! Three open-addressing tables, by the length of a token: up to 7 bytes the key is the token
//! itself with its length, in 64 bits; up to 15 bytes the same in 128 bits; longer tokens are
//! found by a hash and compared. A count of a token that a text has as a whole piece reads one
//! place of one table.

use super::fill::{EMPTY, Filled};
use super::key::{
    MIDDLE, SHORT, SPARE, long_of, long_place, middle_of, middle_place, short_of, short_place,
};
use super::table::Table;

/// The tables of one vocabulary, as the build script wrote them.
pub(crate) struct Tables {
    pub(crate) bytes: Table<u8>,
    pub(crate) ends: Table<u32>,
    pub(crate) pairs: Table<u32>,
    pub(crate) short: Table<u64>,
    pub(crate) short_ranks: Table<u32>,
    pub(crate) middle: Table<u128>,
    pub(crate) middle_ranks: Table<u32>,
    pub(crate) long_ranks: Table<u32>,
    pub(crate) halves: Table<u8>,
    pub(crate) longest: Table<u32>,
}

/// Where the tables of a vocabulary are.
pub(crate) enum Store {
    /// In the library.
    Baked(&'static Tables),
    /// In memory of this process.
    Owned(Box<Filled>),
}

impl Store {
    /// Returns the tokens.
    #[inline]
    pub(crate) fn vocabulary(&self) -> Vocabulary<'_> {
        match self {
            Self::Baked(tables) => Vocabulary {
                bytes: tables.bytes.get(),
                ends: tables.ends.get(),
                pairs: tables.pairs.get(),
                short: tables.short.get(),
                short_ranks: tables.short_ranks.get(),
                middle: tables.middle.get(),
                middle_ranks: tables.middle_ranks.get(),
                long_ranks: tables.long_ranks.get(),
                halves: tables.halves.get(),
                longest: tables.longest.get()[0] as usize,
            },
            Self::Owned(tables) => Vocabulary {
                bytes: &tables.bytes,
                ends: &tables.ends,
                pairs: &tables.pairs,
                short: &tables.short,
                short_ranks: &tables.short_ranks,
                middle: &tables.middle,
                middle_ranks: &tables.middle_ranks,
                long_ranks: &tables.long_ranks,
                halves: &tables.halves,
                longest: tables.longest as usize,
            },
        }
    }
}

/// Bakes the tables of an encoding in.
macro_rules! tables {
    ($name:literal) => {
        $crate::bpe::vocabulary::Tables {
            bytes: $crate::bpe::table::table!(concat!($name, ".bytes"), u8),
            ends: $crate::bpe::table::table!(concat!($name, ".ends"), u32),
            pairs: $crate::bpe::table::table!(concat!($name, ".pairs"), u32),
            short: $crate::bpe::table::table!(concat!($name, ".short"), u64),
            short_ranks: $crate::bpe::table::table!(concat!($name, ".short_ranks"), u32),
            middle: $crate::bpe::table::table!(concat!($name, ".middle"), u128),
            middle_ranks: $crate::bpe::table::table!(concat!($name, ".middle_ranks"), u32),
            long_ranks: $crate::bpe::table::table!(concat!($name, ".long_ranks"), u32),
            halves: $crate::bpe::table::table!(concat!($name, ".halves"), u8),
            longest: $crate::bpe::table::table!(concat!($name, ".longest"), u32),
        }
    };
}

pub(crate) use tables;

/// The token bytes by rank, and the ranks by token bytes.
#[derive(Clone, Copy)]
pub(crate) struct Vocabulary<'a> {
    bytes: &'a [u8],
    /// Where each token ends in `bytes`.
    ends: &'a [u32],
    /// The rank of each token of two bytes, or `EMPTY`: most look-ups of a merge are for these, and
    /// those of letters are close together.
    pairs: &'a [u32],
    short: &'a [u64],
    short_ranks: &'a [u32],
    middle: &'a [u128],
    middle_ranks: &'a [u32],
    long_ranks: &'a [u32],
    /// The length of the left one of the two tokens that each is merged from; 0 for a byte.
    halves: &'a [u8],
    /// The length of the longest token in bytes.
    longest: usize,
}

impl<'a> Vocabulary<'a> {
    /// Says whether `text[start..end]` is a token.
    #[inline]
    pub(crate) fn has(&self, text: &[u8], start: usize, end: usize) -> bool {
        let length = end - start;
        if length <= SHORT {
            self.find_short(short_at(text, start, length)).is_some()
        } else if length <= MIDDLE {
            self.find_middle(middle_at(text, start, length)).is_some()
        } else {
            self.find_long(&text[start..end]).is_some()
        }
    }

    /// Returns the rank of `text[start..end]`, if that is a token.
    #[inline]
    pub(crate) fn rank_at(&self, text: &[u8], start: usize, end: usize) -> Option<u32> {
        let length = end - start;
        if length == 2 {
            let rank = self.pairs[usize::from(u16::from_be_bytes([text[start], text[start + 1]]))];
            (rank != EMPTY).then_some(rank)
        } else if length <= SHORT {
            let place = self.find_short(short_at(text, start, length))?;
            Some(self.short_ranks[place])
        } else if length <= MIDDLE {
            let place = self.find_middle(middle_at(text, start, length))?;
            Some(self.middle_ranks[place])
        } else {
            self.find_long(&text[start..end])
        }
    }

    #[inline]
    fn find_short(&self, key: u64) -> Option<usize> {
        let start = short_place(key, self.short.len() - SPARE);
        let slots = self.short[start..].iter();
        slots.zip(start..).find_map(|(&found, place)| match found {
            found if found == key => Some(Some(place)),
            0 => Some(None),
            _ => None,
        })?
    }

    #[inline]
    fn find_middle(&self, key: u128) -> Option<usize> {
        let start = middle_place(key, self.middle.len() - SPARE);
        let slots = self.middle[start..].iter();
        slots.zip(start..).find_map(|(&found, place)| match found {
            found if found == key => Some(Some(place)),
            0 => Some(None),
            _ => None,
        })?
    }

    fn find_long(&self, token: &[u8]) -> Option<u32> {
        // Without this test a piece of 10 MB would be hashed for nothing.
        if token.len() > self.longest {
            return None;
        }
        let start = long_place(long_of(token), self.long_ranks.len() - SPARE);
        self.long_ranks[start..]
            .iter()
            .find_map(|&rank| match rank {
                EMPTY => Some(None),
                rank if self.token(rank) == token => Some(Some(rank)),
                _ => None,
            })?
    }

    /// Returns how many tokens there are.
    #[expect(clippy::cast_possible_truncation, reason = "a rank has 32 bits")]
    pub(crate) const fn len(&self) -> u32 {
        self.ends.len() as u32
    }

    /// Returns the bytes of the token of a rank below `len()`.
    pub(crate) fn token(&self, rank: u32) -> &'a [u8] {
        let rank = rank as usize;
        let start = if rank == 0 { 0 } else { self.ends[rank - 1] };
        &self.bytes[start as usize..self.ends[rank] as usize]
    }
}

/// Returns the key of `text[start..start + length]`; reads eight bytes at once where it can.
#[inline]
fn short_at(text: &[u8], start: usize, length: usize) -> u64 {
    match text[start..].first_chunk() {
        Some(bytes) => {
            let keep = (1 << (8 * length)) - 1;
            u64::from_le_bytes(*bytes) & keep | (length as u64) << 56
        }
        None => short_of(&text[start..start + length]),
    }
}

/// Returns the key of `text[start..start + length]`; reads sixteen bytes at once where it can.
#[inline]
pub(crate) fn middle_at(text: &[u8], start: usize, length: usize) -> u128 {
    match text[start..].first_chunk() {
        Some(bytes) => {
            let keep = (1 << (8 * length)) - 1;
            u128::from_le_bytes(*bytes) & keep | (length as u128) << 120
        }
        None => middle_of(&text[start..start + length]),
    }
}

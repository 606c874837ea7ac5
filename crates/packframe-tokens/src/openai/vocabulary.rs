//! The tokens of an encoding and their ranks, in tables that the build script made.
//!
//! Three open-addressing tables, by the length of a token: up to 7 bytes the key is the token
//! itself with its length, in 64 bits; up to 15 bytes the same in 128 bits; longer tokens are
//! found by a hash and compared. A count of a token that a text has as a whole piece reads one
//! place of one table.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::key::{
    MIDDLE, SHORT, SPARE, long_of, long_place, middle_of, middle_place, short_of, short_place,
};
use super::table::Table;

/// Marks a slot that holds no token.
const EMPTY: u32 = u32::MAX;

/// The tables of one vocabulary, as the build script wrote them.
pub(super) struct Tables {
    pub(super) bytes: Table<u8>,
    pub(super) ends: Table<u32>,
    pub(super) pairs: Table<u32>,
    pub(super) short: Table<u64>,
    pub(super) short_ranks: Table<u32>,
    pub(super) middle: Table<u128>,
    pub(super) middle_ranks: Table<u32>,
    pub(super) long_ranks: Table<u32>,
}

/// Bakes the tables of an encoding in.
macro_rules! tables {
    ($name:literal) => {
        $crate::openai::vocabulary::Tables {
            bytes: $crate::openai::table::table!(concat!($name, ".bytes"), u8),
            ends: $crate::openai::table::table!(concat!($name, ".ends"), u32),
            pairs: $crate::openai::table::table!(concat!($name, ".pairs"), u32),
            short: $crate::openai::table::table!(concat!($name, ".short"), u64),
            short_ranks: $crate::openai::table::table!(concat!($name, ".short_ranks"), u32),
            middle: $crate::openai::table::table!(concat!($name, ".middle"), u128),
            middle_ranks: $crate::openai::table::table!(concat!($name, ".middle_ranks"), u32),
            long_ranks: $crate::openai::table::table!(concat!($name, ".long_ranks"), u32),
        }
    };
}

pub(super) use tables;

/// The token bytes by rank, and the ranks by token bytes.
#[derive(Clone, Copy)]
pub(super) struct Vocabulary {
    bytes: &'static [u8],
    /// Where each token ends in `bytes`.
    ends: &'static [u32],
    /// The rank of each token of two bytes, or `EMPTY`: most look-ups of a merge are for these, and
    /// those of letters are close together.
    pairs: &'static [u32],
    short: &'static [u64],
    short_ranks: &'static [u32],
    middle: &'static [u128],
    middle_ranks: &'static [u32],
    long_ranks: &'static [u32],
    /// The length of the longest token in bytes.
    longest: usize,
}

impl Vocabulary {
    /// Opens the tables. Reads the ends of the tokens for the longest of them.
    pub(super) fn new(tables: &Tables) -> Self {
        let ends = tables.ends.get();
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let longest = starts
            .zip(ends)
            .map(|(start, end)| end - start)
            .max()
            .unwrap_or(0) as usize;
        Self {
            bytes: tables.bytes.get(),
            ends,
            pairs: tables.pairs.get(),
            short: tables.short.get(),
            short_ranks: tables.short_ranks.get(),
            middle: tables.middle.get(),
            middle_ranks: tables.middle_ranks.get(),
            long_ranks: tables.long_ranks.get(),
            longest,
        }
    }

    /// Says whether `text[start..end]` is a token.
    #[inline]
    pub(super) fn has(&self, text: &[u8], start: usize, end: usize) -> bool {
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
    pub(super) fn rank_at(&self, text: &[u8], start: usize, end: usize) -> Option<u32> {
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
    pub(super) const fn len(&self) -> u32 {
        self.ends.len() as u32
    }

    /// Returns the bytes of the token of a rank below `len()`.
    pub(super) fn token(&self, rank: u32) -> &'static [u8] {
        let rank = rank as usize;
        let start = if rank == 0 { 0 } else { self.ends[rank - 1] };
        &self.bytes[start as usize..self.ends[rank] as usize]
    }

    /// Writes the tokens as `tiktoken` does: a line for each, its bytes in base64 and its rank.
    pub(super) fn to_tiktoken(self) -> String {
        let mut file = String::with_capacity(self.bytes.len() * 4 / 3 + self.ends.len() * 12);
        for rank in 0..self.len() {
            STANDARD.encode_string(self.token(rank), &mut file);
            file.push(' ');
            file.push_str(&rank.to_string());
            file.push('\n');
        }
        file
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
pub(super) fn middle_at(text: &[u8], start: usize, length: usize) -> u128 {
    match text[start..].first_chunk() {
        Some(bytes) => {
            let keep = (1 << (8 * length)) - 1;
            u128::from_le_bytes(*bytes) & keep | (length as u128) << 120
        }
        None => middle_of(&text[start..start + length]),
    }
}

//! The tokens of a vocabulary and their ranks, in tables that the build script made, or that a
//! `tokenizer.json` was read into.

use super::fill::Filled;
use super::key::{INLINE, KEEP, border_bit, head_of, reach_place};
use super::slots::{Slots, key_at};
use super::split::Split;
use super::table::Table;

/// The tables of one vocabulary, as the build script wrote them.
pub(crate) struct Tables {
    pub(crate) bytes: Table<u8>,
    pub(crate) ends: Table<u32>,
    pub(crate) splits: Table<u64>,
    pub(crate) marks: Table<u64>,
    pub(crate) keys: Table<u128>,
    pub(crate) values: Table<u32>,
    pub(crate) long: Table<u32>,
    pub(crate) single: Table<u32>,
    pub(crate) reach: Table<u16>,
    pub(crate) borders: Table<u64>,
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
                slots: Slots {
                    bytes: tables.bytes.get(),
                    ends: tables.ends.get(),
                    marks: tables.marks.get(),
                    keys: tables.keys.get(),
                    values: tables.values.get(),
                    long: tables.long.get(),
                },
                splits: tables.splits.get(),
                single: tables.single.get(),
                reach: tables.reach.get(),
                borders: tables.borders.get(),
            },
            Self::Owned(tables) => Vocabulary {
                slots: tables.slots(),
                splits: &tables.splits,
                single: &tables.single,
                reach: &tables.reach,
                borders: &tables.borders,
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
            splits: $crate::bpe::table::table!(concat!($name, ".splits"), u64),
            marks: $crate::bpe::table::table!(concat!($name, ".marks"), u64),
            keys: $crate::bpe::table::table!(concat!($name, ".keys"), u128),
            values: $crate::bpe::table::table!(concat!($name, ".values"), u32),
            long: $crate::bpe::table::table!(concat!($name, ".long"), u32),
            single: $crate::bpe::table::table!(concat!($name, ".single"), u32),
            reach: $crate::bpe::table::table!(concat!($name, ".reach"), u16),
            borders: $crate::bpe::table::table!(concat!($name, ".borders"), u64),
        }
    };
}

pub(crate) use tables;

/// The token bytes by rank, and the ranks by token bytes.
#[derive(Clone, Copy)]
pub(crate) struct Vocabulary<'a> {
    slots: Slots<'a>,
    /// The two tokens that each is merged from.
    splits: &'a [u64],
    single: &'a [u32],
    /// How long the tokens are that start with three bytes.
    reach: &'a [u16],
    /// The borders that a join goes over.
    borders: &'a [u64],
}

impl<'a> Vocabulary<'a> {
    /// Says whether there is a token of a key with that hash.
    #[inline]
    pub(crate) fn has(&self, key: u128, hash: u64) -> bool {
        self.slots.find_hashed(key, hash).is_some()
    }

    /// Returns the rank of `text[start..end]`, if that is a token.
    #[inline]
    pub(crate) fn rank_at(&self, text: &[u8], start: usize, end: usize) -> Option<u32> {
        self.slots.rank_at(text, start, end)
    }

    /// Returns the bytes of the token of a rank below `len()`.
    pub(crate) fn token(&self, rank: u32) -> &'a [u8] {
        self.slots.token(rank)
    }

    /// Returns the rank of a token that is a byte.
    #[inline]
    pub(crate) fn rank_of_byte(&self, byte: u8) -> u32 {
        self.single[usize::from(byte)]
    }

    /// Returns what a token is merged from.
    #[inline]
    pub(crate) fn split(&self, rank: u32) -> Split {
        Split(self.splits[rank as usize])
    }

    /// Tells whether the bytes around a border leave it open that a join goes over it. No left side
    /// is longer than `left`, no right side than `right`; both are at least 1.
    #[inline]
    pub(crate) fn may_join(&self, text: &[u8], border: usize, left: usize, right: usize) -> bool {
        (1..=left.min(2)).any(|left| {
            (1..=right.min(2)).any(|right| {
                let bit = border_bit(&text[border - left..border], &text[border..border + right]);
                self.borders[bit / 64] >> (bit % 64) & 1 == 1
            })
        })
    }

    /// Returns the longest token that starts at `start` and is at most `most` bytes long: its
    /// length and its rank. A byte is always one.
    #[inline]
    pub(crate) fn longest_at(&self, text: &[u8], start: usize, most: usize) -> (usize, u32) {
        if most > 2 {
            let place = reach_place(text[start], text[start + 1], text[start + 2]);
            let lengths = u32::from(self.reach[place]);
            if most > INLINE && lengths & 1 == 1 {
                let head = self.slots.find(head_of(key_at(text, start, INLINE)));
                let longest = head.map_or(0, |slot| most.min(self.slots.values[slot] as usize));
                for length in (INLINE + 1..=longest).rev() {
                    if let Some(rank) = self.slots.find_long(text, start, start + length) {
                        return (length, rank);
                    }
                }
            }
            let most = most.min(INLINE);
            let mut lengths = lengths & ((2 << most) - 1) & !1;
            let whole = key_at(text, start, most) & !(0xFF << 120);
            while lengths != 0 {
                let length = lengths.ilog2();
                let key = whole & KEEP[length as usize] | u128::from(length) << 120;
                if let Some(slot) = self.slots.find(key) {
                    return (length as usize, self.slots.values[slot]);
                }
                lengths ^= 1 << length;
            }
        }
        if most > 1
            && let Some(slot) = self.slots.find(key_at(text, start, 2))
        {
            return (2, self.slots.values[slot]);
        }
        (1, self.rank_of_byte(text[start]))
    }

    /// Returns how many tokens there are.
    #[expect(clippy::cast_possible_truncation, reason = "a rank has 32 bits")]
    pub(crate) const fn len(&self) -> u32 {
        self.slots.ends.len() as u32
    }
}

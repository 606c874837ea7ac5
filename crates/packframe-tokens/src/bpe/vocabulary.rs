//! The tokens of a vocabulary and their ranks, in tables that the build script made, or that a
//! `tokenizer.json` was read into.

use super::fill::{EMPTY, Filled, SPARE};
use super::key::{
    GROUP, INLINE, SIDE, border_bit, bytes_of, group, hash, head_of, key_of, ragged_bit,
    reach_place,
};
use super::slots::Slots;
use super::table::Table;
use super::wide;

/// The tables of one vocabulary, as the build script wrote them.
pub(crate) struct Tables {
    pub(crate) bytes: Table<u8>,
    pub(crate) ends: Table<u32>,
    pub(crate) halves: Table<u8>,
    pub(crate) marks: Table<u64>,
    pub(crate) slots: Table<u128>,
    pub(crate) long: Table<u32>,
    pub(crate) far: Table<u64>,
    pub(crate) single: Table<u32>,
    pub(crate) longest: Table<u32>,
    pub(crate) pairs: Table<u32>,
    pub(crate) reach: Table<u16>,
    pub(crate) borders: Table<u64>,
    pub(crate) ragged: Table<u64>,
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
                    places: tables.slots.get(),
                    long: tables.long.get(),
                    far: tables.far.get(),
                },
                halves: tables.halves.get(),
                single: tables.single.get(),
                pairs: tables.pairs.get(),
                reach: tables.reach.get(),
                borders: tables.borders.get(),
                ragged: tables.ragged.get(),
            },
            Self::Owned(tables) => Vocabulary {
                slots: tables.slots(),
                halves: &tables.halves,
                single: &tables.single,
                pairs: &tables.pairs,
                reach: &tables.reach,
                borders: &tables.borders,
                ragged: &tables.ragged,
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
            halves: $crate::bpe::table::table!(concat!($name, ".halves"), u8),
            marks: $crate::bpe::table::table!(concat!($name, ".marks"), u64),
            slots: $crate::bpe::table::table!(concat!($name, ".slots"), u128),
            far: $crate::bpe::table::table!(concat!($name, ".far"), u64),
            long: $crate::bpe::table::table!(concat!($name, ".long"), u32),
            single: $crate::bpe::table::table!(concat!($name, ".single"), u32),
            longest: $crate::bpe::table::table!(concat!($name, ".longest"), u32),
            pairs: $crate::bpe::table::table!(concat!($name, ".pairs"), u32),
            reach: $crate::bpe::table::table!(concat!($name, ".reach"), u16),
            borders: $crate::bpe::table::table!(concat!($name, ".borders"), u64),
            ragged: $crate::bpe::table::table!(concat!($name, ".ragged"), u64),
        }
    };
}

pub(crate) use tables;

/// What is read next of a token that is looked for.
#[derive(Clone, Copy, Default)]
pub(crate) enum Place {
    /// The marks of a group, by the hash of the key.
    Marks(u64),
    /// A slot.
    #[default]
    Slot,
}

/// Returns the key that is looked for first for `text[start..end]`: its own, or that of its head.
#[inline]
fn first_key(text: &[u8], start: usize, end: usize) -> u128 {
    let (bytes, length) = (bytes_of(&text[start..]), end - start);
    if length <= INLINE {
        key_of(bytes, length)
    } else {
        head_of(bytes)
    }
}

/// The token bytes by rank, and the ranks by token bytes.
#[derive(Clone, Copy)]
pub(crate) struct Vocabulary<'a> {
    slots: Slots<'a>,
    /// The length of the left one of the two tokens that each is merged from; 0 for a byte.
    halves: &'a [u8],
    single: &'a [u32],
    /// The rank of each pair of bytes that is a token, or `EMPTY`: those of letters are close
    /// together.
    pairs: &'a [u32],
    /// How long the tokens are that start with three bytes.
    reach: &'a [u16],
    /// The known borders that a join goes over.
    borders: &'a [u64],
    /// Those of them with fewer than three bytes on a side, by the two bytes at the border.
    ragged: &'a [u64],
}

impl<'a> Vocabulary<'a> {
    /// Asks for what tells whether `text[start..end]` is a token, which is read later.
    #[inline]
    pub(crate) fn ask(&self, text: &[u8], start: usize, end: usize) {
        let hash = hash(first_key(text, start, end));
        let group = group(hash, self.slots.marks.len() - SPARE);
        wide::ask(self.slots.marks, group);
        wide::ask(self.slots.places, group * GROUP);
        wide::ask(self.slots.places, group * GROUP + GROUP / 2);
    }

    /// Begins to look for the rank of `text[start..end]`: asks for what [`settle`](Self::settle)
    /// reads.
    #[inline]
    pub(crate) fn seek(&self, text: &[u8], start: usize, end: usize) -> Place {
        let hash = hash(first_key(text, start, end));
        wide::ask(
            self.slots.marks,
            group(hash, self.slots.marks.len() - SPARE),
        );
        Place::Marks(hash)
    }

    /// Goes on to look for a rank: returns it, or `EMPTY`, or where it is to be read, which it asks
    /// for.
    #[inline]
    pub(crate) fn settle(
        &self,
        text: &[u8],
        (start, end): (usize, usize),
        place: Place,
    ) -> Result<u32, Place> {
        match place {
            Place::Marks(hash) => match self.slots.candidate(hash) {
                Some(slot) => {
                    wide::ask(self.slots.places, slot);
                    Err(Place::Slot)
                }
                None => Ok(EMPTY),
            },
            Place::Slot => Ok(self.rank_at(text, start, end).unwrap_or(EMPTY)),
        }
    }

    /// Returns the rank of `text[start..end]`, if that is a token.
    #[inline]
    pub(crate) fn rank_at(&self, text: &[u8], start: usize, end: usize) -> Option<u32> {
        self.slots.rank_at(text, start, end)
    }

    /// Returns the rank of two bytes, if they are a token, or `EMPTY`.
    #[inline]
    pub(crate) fn rank_of_pair(&self, first: u8, second: u8) -> u32 {
        self.pairs[usize::from(u16::from_be_bytes([first, second]))]
    }

    /// Returns the rank of `text[start..end]`, which has at least two bytes, or `EMPTY`. Most that
    /// are no token are not looked for: no token that starts like them is as long.
    #[inline]
    pub(crate) fn rank_of(&self, text: &[u8], start: usize, end: usize) -> u32 {
        let length = end - start;
        if length == 2 {
            return self.rank_of_pair(text[start], text[start + 1]);
        }
        let place = reach_place(text[start], text[start + 1], text[start + 2]);
        let bit = if length <= INLINE { length } else { 0 };
        if self.reach[place] >> bit & 1 == 0 {
            return EMPTY;
        }
        self.rank_at(text, start, end).unwrap_or(EMPTY)
    }

    /// Returns the rank of `text[start..end]`, which is half a token and so a token.
    #[inline]
    pub(crate) fn rank_of_half(&self, text: &[u8], start: usize, end: usize) -> u32 {
        match end - start {
            1 => self.rank_of_byte(text[start]),
            2 => self.rank_of_pair(text[start], text[start + 1]),
            _ => {
                let rank = self.rank_at(text, start, end);
                rank.expect("half a token is a token")
            }
        }
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

    /// Returns the length of the left one of the two tokens that a token is merged from; 0 for a
    /// byte.
    #[inline]
    pub(crate) fn half(&self, rank: u32) -> usize {
        usize::from(self.halves[rank as usize])
    }

    /// Tells whether a join may go over a border, which is a known one. No left side is longer than
    /// `left`, no right side than `right`; both are at least 1.
    #[inline]
    pub(crate) fn may_join(&self, text: &[u8], border: usize, left: usize, right: usize) -> bool {
        let is_set = |table: &[u64], bit: usize| table[bit / 64] >> (bit % 64) & 1 == 1;
        let joined = |left: usize, right: usize| {
            let bit = border_bit(&text[border - left..border], &text[border..border + right]);
            is_set(self.borders, bit)
        };
        if left >= SIDE && right >= SIDE && joined(SIDE, SIDE) {
            return true;
        }
        is_set(self.ragged, ragged_bit(text[border - 1], text[border]))
            && (1..=left.min(SIDE))
                .any(|left| (1..=right.min(SIDE)).any(|right| joined(left, right)))
    }

    /// Returns the longest token that starts at `start` and is at most `most` bytes long: its
    /// length and its rank. A byte is always one.
    #[inline]
    pub(crate) fn longest_at(&self, text: &[u8], start: usize, most: usize) -> (usize, u32) {
        if most > 2 {
            let place = reach_place(text[start], text[start + 1], text[start + 2]);
            let lengths = u32::from(self.reach[place]);
            let bytes = bytes_of(&text[start..]);
            if most > INLINE
                && lengths & 1 == 1
                && let Some(token) = self.slots.longest_long(&text[start..start + most])
            {
                return token;
            }
            let most = most.min(INLINE);
            let mut lengths = lengths & ((2 << most) - 1) & !1;
            while lengths != 0 {
                let length = lengths.ilog2() as usize;
                if let Some(rank) = self.slots.find(key_of(bytes, length)) {
                    return (length, rank);
                }
                lengths ^= 1 << length;
            }
        }
        if most > 1 {
            let rank = self.rank_of_pair(text[start], text[start + 1]);
            if rank != EMPTY {
                return (2, rank);
            }
        }
        (1, self.rank_of_byte(text[start]))
    }

    /// Reads a byte of each line of the tables that counting reads, so that the first text does not
    /// wait for memory at each new word. Returns their sum, which says nothing.
    pub(crate) fn touch(&self) -> u64 {
        fn lines<T: bytemuck::Pod>(table: &[T]) -> u64 {
            let bytes: &[u8] = bytemuck::cast_slice(table);
            bytes.iter().step_by(64).map(|&byte| u64::from(byte)).sum()
        }
        lines(self.slots.places)
            + lines(self.slots.marks)
            + lines(self.pairs)
            + lines(self.reach)
            + lines(self.borders)
            + lines(self.ragged)
            + lines(self.halves)
            + lines(self.slots.long)
            + lines(self.slots.ends)
            + lines(self.slots.bytes)
    }

    /// Returns how many tokens there are.
    #[expect(clippy::cast_possible_truncation, reason = "a rank has 32 bits")]
    pub(crate) const fn len(&self) -> u32 {
        self.slots.ends.len() as u32
    }
}

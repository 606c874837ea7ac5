//! Fills the tables of a vocabulary. The build script does it with the very same functions.

use super::key::{
    BORDERS, FAR, GROUP, INLINE, RAGGED, RANKS, SIDE, border_bit, bytes_of, group, hash, head_bit,
    head_of, is_known_border, key_of, long_of, long_place, mark, ragged_bit, reach_place, slot_of,
};
use super::slots::Slots;

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
    /// The length of the left one of the two tokens that each is merged from; 0 for a byte.
    pub halves: Vec<u8>,
    /// The marks of the groups.
    pub marks: Vec<u64>,
    /// The slots: a key with the rank of the token, or for a head with the lengths of the
    /// tokens that start with it; 0 is free.
    pub slots: Vec<u128>,
    /// The ranks of the longer tokens.
    pub long: Vec<u32>,
    /// Which lengths from [`FAR`] bytes on there are, a bit for each.
    pub far: Vec<u64>,
    /// The rank of each byte.
    pub single: Vec<u32>,
    /// The bytes of the longest token.
    pub longest: u32,
    /// The rank of each pair of bytes that is a token.
    pub pairs: Vec<u32>,
    /// How long the tokens are that start with three bytes: a bit for each length, bit 0 for
    /// lengths over 15.
    pub reach: Vec<u16>,
    /// The known borders that a join goes over, by up to three bytes on each side.
    pub borders: Vec<u64>,
    /// Those of them with fewer than three bytes on a side, by the two bytes at the border.
    pub ragged: Vec<u64>,
}

/// Fills the tables with the tokens, given by rank with the length of the left half of each.
///
/// Tokens are different, none is empty or longer than 255 bytes, and together they are below
/// 4 GiB. Returns `None` where a half is no token, where there are 2^28 tokens or more,
/// or where too many of them would stand in one place.
pub fn fill<'a>(tokens: impl Iterator<Item = (&'a [u8], u8)>) -> Option<Filled> {
    let mut filled = Filled {
        single: vec![EMPTY; 256],
        far: vec![0; 4],
        pairs: vec![EMPTY; 1 << 16],
        reach: vec![0; 1 << 16],
        borders: vec![0; BORDERS],
        ragged: vec![0; RAGGED],
        ..Filled::default()
    };
    let (mut inline, mut long) = (Vec::new(), Vec::new());
    for ((token, half), rank) in tokens.zip(0_u32..) {
        filled.bytes.extend_from_slice(token);
        filled.ends.push(u32::try_from(filled.bytes.len()).ok()?);
        filled.halves.push(half);
        filled.longest = filled.longest.max(u32::try_from(token.len()).ok()?);
        if let &[byte] = token {
            filled.single[usize::from(byte)] = rank;
        }
        if let &[first, second] = token {
            filled.pairs[usize::from(u16::from_be_bytes([first, second]))] = rank;
        }
        filled.note_border(token.split_at_checked(usize::from(half))?);
        if let &[first, second, third, ..] = token {
            let length = if token.len() <= INLINE {
                token.len()
            } else {
                0
            };
            filled.reach[reach_place(first, second, third)] |= 1 << length;
        }
        if token.len() <= INLINE {
            inline.push((key_of(bytes_of(token), token.len()), rank));
        } else {
            long.push((token, rank));
        }
    }
    let mut heads: Vec<(u128, u32)> = Vec::new();
    for &(token, _) in &long {
        heads.push((head_of(bytes_of(token)), head_bit(token.len())));
        if token.len() >= FAR {
            filled.far[token.len() / 64] |= 1 << (token.len() % 64);
        }
    }
    heads.sort_unstable();
    for heads in heads.chunk_by(|one, other| one.0 == other.0) {
        let lengths = heads.iter().fold(0, |bits, head| bits | head.1);
        inline.push((heads[0].0, lengths));
    }
    if filled.ends.len() >= RANKS as usize {
        return None;
    }
    filled.place_inline(&inline)?;
    filled.place_long(&long)?;
    filled.halves_are_tokens().then_some(())?;
    Some(filled)
}

impl Filled {
    fn note_border(&mut self, (left, right): (&[u8], &[u8])) {
        let (Some(&last), Some(&first)) = (left.last(), right.first()) else {
            return;
        };
        if is_known_border(last, first) {
            let left = &left[left.len().saturating_sub(SIDE)..];
            let right = &right[..right.len().min(SIDE)];
            let bit = border_bit(left, right);
            self.borders[bit / 64] |= 1 << (bit % 64);
            if left.len() < SIDE || right.len() < SIDE {
                let bit = ragged_bit(last, first);
                self.ragged[bit / 64] |= 1 << (bit % 64);
            }
        }
    }

    fn place_inline(&mut self, entries: &[(u128, u32)]) -> Option<()> {
        let groups = entries.len() / 5 + 1;
        self.marks = vec![0; groups + SPARE];
        self.slots = vec![0; (groups + SPARE) * GROUP];
        for &(key, rank) in entries {
            let hash = hash(key);
            let home = group(hash, groups);
            let free = |at: &usize| self.marks[*at] >> 56 == 0;
            let at = (home..home + SPARE).find(free)?;
            let taken = (0..GROUP).find(|&slot| self.marks[at].to_le_bytes()[slot] == 0)?;
            self.marks[at] |= (mark(hash) & 0xFF) << (8 * taken);
            self.slots[at * GROUP + taken] = slot_of(key, rank);
        }
        Some(())
    }

    /// Returns the slots, to look tokens up in.
    pub fn slots(&self) -> Slots<'_> {
        Slots {
            bytes: &self.bytes,
            ends: &self.ends,
            marks: &self.marks,
            places: &self.slots,
            long: &self.long,
            far: &self.far,
        }
    }

    fn halves_are_tokens(&self) -> bool {
        let slots = self.slots();
        let is_token = |token, from, to| slots.rank_at(token, from, to).is_some();
        self.halves.iter().zip(0_u32..).all(|(&half, rank)| {
            let (token, half) = (slots.token(rank), usize::from(half));
            half == 0 || is_token(token, 0, half) && is_token(token, half, token.len())
        })
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

//! The tokens of an encoding and their ranks.

use std::hash::{BuildHasher, Hasher};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use foldhash::fast::FixedState;
use tiktoken_rs::CoreBPE;

use crate::error::TokenizerError;

/// One place of the hash table: a token and the half of its hash that did not choose the place.
///
/// Most look-ups of a merge fail; the tag tells so without a visit to the token's bytes.
#[derive(Clone, Copy)]
struct Slot {
    tag: u32,
    rank: u32,
}

/// Marks a slot that holds no token.
const EMPTY: u32 = u32::MAX;

/// The token bytes by rank, and the ranks by token bytes.
pub(super) struct Vocabulary {
    /// The bytes of all tokens, by rank.
    bytes: Vec<u8>,
    /// Where each token ends in `bytes`.
    ends: Vec<u32>,
    /// An open-addressing table, at most half full; its length is a power of two.
    slots: Box<[Slot]>,
    /// The rank of each token of two bytes, or `EMPTY`: most look-ups of a merge are for these.
    pairs: Box<[u32]>,
    /// The length of the longest token in bytes.
    longest: usize,
}

impl Vocabulary {
    /// The tokens there may be at most: a rank takes 24 bits in the heap of a merge.
    const MOST_TOKENS: usize = 1 << 24;

    /// Reads the tokens out of a `tiktoken-rs` encoding: ranks count from 0 without a gap, and
    /// special tokens stand behind a gap.
    pub(super) fn from_core_bpe(core: &CoreBPE) -> Result<Self, TokenizerError> {
        Self::from_tokens((0..).map_while(|rank| core.decode_bytes(&[rank]).ok()))
    }

    /// Makes a vocabulary of tokens in the order of their ranks.
    fn from_tokens(tokens: impl Iterator<Item = Vec<u8>>) -> Result<Self, TokenizerError> {
        let mut bytes = Vec::new();
        let mut ends = Vec::new();
        let mut longest = 0;
        for token in tokens {
            longest = longest.max(token.len());
            bytes.extend_from_slice(&token);
            let end = u32::try_from(bytes.len()).map_err(|_| {
                TokenizerError::new("a vocabulary of more than 4 GiB cannot be held")
            })?;
            ends.push(end);
        }
        if ends.len() >= Self::MOST_TOKENS || longest > usize::from(u8::MAX) {
            return Err(TokenizerError::new(format!(
                "a vocabulary of {} tokens, the longest of {longest} bytes, cannot be held; \
                 at most 16777215 tokens of at most 255 bytes can",
                ends.len()
            )));
        }
        let slots = vec![
            Slot {
                tag: 0,
                rank: EMPTY
            };
            (ends.len() * 2).next_power_of_two()
        ];
        let mut vocabulary = Self {
            bytes,
            ends,
            slots: slots.into_boxed_slice(),
            pairs: vec![EMPTY; 1 << 16].into_boxed_slice(),
            longest,
        };
        for rank in 0..vocabulary.len() {
            vocabulary.enter(rank)?;
        }
        match (0..=u8::MAX).find(|&byte| vocabulary.rank(&[byte]).is_none()) {
            Some(byte) => Err(TokenizerError::new(format!(
                "the vocabulary has no token for the byte 0x{byte:02x}"
            ))),
            None => Ok(vocabulary),
        }
    }

    /// Puts a token into the table.
    fn enter(&mut self, rank: u32) -> Result<(), TokenizerError> {
        match self.find(self.token(rank)) {
            Ok(first) => Err(TokenizerError::new(format!(
                "the vocabulary has one token twice, at the ranks {first} and {rank}"
            ))),
            Err((place, tag)) => {
                if let &[first, second] = self.token(rank) {
                    self.pairs[usize::from(u16::from_be_bytes([first, second]))] = rank;
                }
                self.slots[place] = Slot { tag, rank };
                Ok(())
            }
        }
    }

    /// Returns the rank of a token, or the free place and the tag that it would take.
    fn find(&self, token: &[u8]) -> Result<u32, (usize, u32)> {
        let mut hasher = FixedState::default().build_hasher();
        hasher.write(token);
        let hash = hasher.finish();
        let tag = (hash >> 32) as u32;
        let mask = self.slots.len() - 1;
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the mask takes the low bits anyway"
        )]
        let mut place = hash as usize & mask;
        loop {
            let slot = self.slots[place];
            if slot.rank == EMPTY {
                return Err((place, tag));
            }
            if slot.tag == tag && self.token(slot.rank) == token {
                return Ok(slot.rank);
            }
            place = (place + 1) & mask;
        }
    }

    /// Returns the rank of a token, if there is such a token.
    pub(super) fn rank(&self, token: &[u8]) -> Option<u32> {
        if let &[first, second] = token {
            let rank = self.pairs[usize::from(u16::from_be_bytes([first, second]))];
            return (rank != EMPTY).then_some(rank);
        }
        // Without this test a piece of 10 MB would be hashed for nothing.
        if token.len() > self.longest {
            return None;
        }
        self.find(token).ok()
    }

    /// Returns how many tokens there are.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "made with fewer than 2^24 tokens"
    )]
    pub(super) fn len(&self) -> u32 {
        self.ends.len() as u32
    }

    /// Returns the bytes of the token of a rank below `len()`.
    pub(super) fn token(&self, rank: u32) -> &[u8] {
        let rank = rank as usize;
        let start = if rank == 0 { 0 } else { self.ends[rank - 1] };
        &self.bytes[start as usize..self.ends[rank] as usize]
    }

    /// Writes the tokens as `tiktoken` does: a line for each, its bytes in base64 and its rank.
    pub(super) fn to_tiktoken(&self) -> String {
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

//! Tokens that the tables do not hold.
//!
//! The tables hold tokens whose ranks rise from the parts to the whole and that are at most 255
//! bytes long. Some vocabularies have a few others: longer ones, tokens that are merged before a
//! part of theirs by rank, though it is there only afterwards, and tokens that no merge makes.
//! They are looked for where a piece is no token of the tables, before it is merged.

use std::collections::HashMap;

use aho_corasick::{AhoCorasick, Input};

use super::pairs::Pairs;
use super::row::Row;

/// The tokens of a vocabulary that its tables do not hold. Their ranks are behind those of the
/// tables.
#[derive(Default)]
pub(crate) struct Odd {
    whole: HashMap<Box<[u8]>, u32>,
    /// The bytes of the longest of them.
    longest: usize,
    merged: Option<Merged>,
}

/// Tokens that merges make.
struct Merged {
    /// The bytes of those whose parts the tables hold: without one of these in it no piece has any.
    roots: AhoCorasick,
    /// The place of each merge of the vocabulary, by the ranks of its tokens.
    places: Pairs,
    /// The rank of what each merge makes.
    made: Vec<u32>,
}

impl Odd {
    /// Adds tokens that a piece is only as a whole, with their ranks.
    pub(crate) fn whole(self, tokens: impl Iterator<Item = (Box<[u8]>, u32)>) -> Self {
        let whole: HashMap<Box<[u8]>, u32> = tokens.collect();
        let longest = whole.keys().map(|token| token.len()).max().unwrap_or(0);
        Self {
            whole,
            longest,
            ..self
        }
    }

    /// Adds tokens that merges make, given all merges of the vocabulary in order: the ranks of both
    /// tokens and of what they make. A byte is its own rank.
    ///
    /// # Errors
    ///
    /// The roots may be too long together for an automaton: some gigabytes.
    pub(crate) fn merged<'r>(
        self,
        roots: impl Iterator<Item = &'r [u8]>,
        merges: impl Iterator<Item = [u32; 3]>,
    ) -> Result<Self, String> {
        let merges: Vec<[u32; 3]> = merges.collect();
        let mut places = Pairs::new(merges.len());
        for (&[left, right, _], place) in merges.iter().zip(0..) {
            places.add(left, right, place);
        }
        Ok(Self {
            merged: Some(Merged {
                roots: AhoCorasick::new(roots).map_err(|error| error.to_string())?,
                places,
                made: merges.iter().map(|merge| merge[2]).collect(),
            }),
            ..self
        })
    }

    /// Splits a piece that is no token of the tables and shows the rank and the end of each token,
    /// in order; `false` where no odd token can be in it.
    #[inline]
    pub(crate) fn split(&self, piece: &[u8], visit: impl FnMut(u32, usize)) -> bool {
        // Most vocabularies have none of either.
        if piece.len() > self.longest && self.merged.is_none() {
            return false;
        }
        self.look(piece, visit)
    }

    /// Says whether a piece would be a token only as a whole.
    #[inline]
    pub(crate) fn is_whole(&self, piece: &[u8]) -> bool {
        piece.len() <= self.longest && self.whole.contains_key(piece)
    }

    fn look(&self, piece: &[u8], mut visit: impl FnMut(u32, usize)) -> bool {
        if let Some(&rank) = self.whole.get(piece) {
            visit(rank, piece.len());
            return true;
        }
        match &self.merged {
            Some(merged) if merged.roots.is_match(Input::new(piece).earliest(true)) => {
                merged.split(piece, visit);
                true
            }
            _ => false,
        }
    }
}

impl Merged {
    /// Merges a piece by the definition. O(n log n).
    fn split(&self, piece: &[u8], mut visit: impl FnMut(u32, usize)) {
        let tokens = piece.iter().map(|&byte| u32::from(byte)).collect();
        let mut row = Row::new(tokens);
        row.join_all(&self.places, |place| self.made[place as usize]);
        let mut at = 0;
        while at < piece.len() {
            let end = row.ends[at];
            visit(row.tokens[at], end);
            at = end;
        }
    }
}

//! Pieces that are merged side by side.
//!
//! To merge a piece is to look up one pair of neighbours after the other, and what is looked up next
//! depends on what was found: a processor waits for memory at each step. So several pieces are
//! merged in turn. A step asks for what it needs, and by the time that the turn comes round again,
//! it has arrived.

use super::fill::EMPTY;
use super::queue::Waiting;
use super::vocabulary::{Place, Vocabulary};

/// Bytes of the longest piece that is merged in a lane.
pub(super) const WIDTH: usize = 30;

/// A piece that is being merged, pair by pair, as byte-pair encoding is defined: of all
/// neighbours that are a token together those of the lowest rank are joined, the leftmost first.
pub(super) struct Lane {
    /// What is merged.
    pub(super) piece: Waiting,
    joins: u64,
    /// The rank of the pair that starts at each place, with the place.
    pairs: [u64; WIDTH],
    /// Where the next token starts, and the one before, for each start of a token.
    next: [u8; WIDTH],
    before: [u8; WIDTH],
    /// The pairs that the last join made and that are looked for: at most one on each side.
    sought: [Sought; 2],
    seeking: usize,
}

/// A pair that is looked for.
#[derive(Clone, Copy, Default)]
struct Sought {
    from: u8,
    to: u8,
    place: Place,
}

/// A rank with the place where the pair starts: the lowest of them is the next to be joined.
const fn entry(rank: u32, at: u8) -> u64 {
    (rank as u64) << 8 | at as u64
}

impl Lane {
    pub(super) fn new() -> Self {
        Self {
            piece: Waiting::default(),
            joins: 0,
            pairs: [u64::MAX; WIDTH],
            next: [0; WIDTH],
            before: [0; WIDTH],
            sought: [Sought::default(); 2],
            seeking: 0,
        }
    }

    /// Begins with a piece of 1 to [`WIDTH`] bytes.
    pub(super) fn begin(&mut self, vocabulary: Vocabulary<'_>, text: &[u8], piece: Waiting) {
        self.piece = piece;
        self.joins = 0;
        self.seeking = 0;
        let bytes = &text[piece.start..piece.end];
        for (at, pair) in (0..).zip(bytes.windows(2)) {
            let place = usize::from(at);
            self.pairs[place] = entry(vocabulary.rank_of_pair(pair[0], pair[1]), at);
            self.next[place] = at + 1;
            self.before[place] = at.wrapping_sub(1);
        }
        let last = bytes.len() - 1;
        self.pairs[last] = u64::MAX;
        // No piece in a lane is that long.
        #[expect(clippy::cast_possible_truncation, reason = "a place in a lane")]
        {
            self.next[last] = bytes.len() as u8;
            self.before[last] = (last as u8).wrapping_sub(1);
        }
    }

    /// Merges on until memory has to be waited for. Returns the tokens when the piece is merged.
    pub(super) fn go_on(&mut self, vocabulary: Vocabulary<'_>, text: &[u8]) -> Option<u64> {
        let (start, length) = (self.piece.start, self.piece.end - self.piece.start);
        let text = &text[start..];
        if !self.settle(vocabulary, text) {
            return None;
        }
        loop {
            let pairs = &self.pairs[..length];
            let lowest = pairs.iter().copied().fold(u64::MAX, u64::min);
            if lowest >> 8 >= u64::from(EMPTY) {
                return Some(length as u64 - self.joins);
            }
            self.joins += 1;
            let at = (lowest & 0xFF) as u8;
            let place = usize::from(at);
            let right = usize::from(self.next[place]);
            let behind = self.next[right];
            self.next[place] = behind;
            self.pairs[right] = u64::MAX;
            self.pairs[place] = u64::MAX;
            if usize::from(behind) < length {
                self.before[usize::from(behind)] = at;
                self.seek(vocabulary, text, at, self.next[usize::from(behind)]);
            }
            if at > 0 {
                let left = self.before[place];
                self.pairs[usize::from(left)] = u64::MAX;
                self.seek(vocabulary, text, left, behind);
            }
            if self.seeking > 0 {
                return None;
            }
        }
    }

    /// Returns where the token ends, in a merged piece, that starts at a place in it.
    pub(super) fn token_end(&self, at: usize) -> usize {
        self.next[at].into()
    }

    /// Looks for a pair.
    #[inline]
    fn seek(&mut self, vocabulary: Vocabulary<'_>, text: &[u8], from: u8, to: u8) {
        let place = vocabulary.seek(text, from.into(), to.into());
        self.sought[self.seeking] = Sought { from, to, place };
        self.seeking += 1;
    }

    /// Reads what has arrived; `false` if more was asked for.
    #[inline]
    fn settle(&mut self, vocabulary: Vocabulary<'_>, text: &[u8]) -> bool {
        let mut left = 0;
        for number in 0..self.seeking {
            let Sought { from, to, place } = self.sought[number];
            match vocabulary.settle(text, (from.into(), to.into()), place) {
                Ok(rank) => self.pairs[usize::from(from)] = entry(rank, from),
                Err(place) => {
                    self.sought[left] = Sought { from, to, place };
                    left += 1;
                }
            }
        }
        self.seeking = left;
        left == 0
    }
}

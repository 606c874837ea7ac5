//! Merging by the definition, for what is rare.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::pairs::Pairs;

/// A row of tokens, which are joined until no two can be.
pub(crate) struct Row {
    /// The token that starts at each place.
    pub(crate) tokens: Vec<u32>,
    /// Where it ends; 0 where none starts.
    pub(crate) ends: Vec<usize>,
    /// Where the one before it starts.
    before: Vec<usize>,
}

impl Row {
    /// Puts tokens in a row.
    pub(crate) fn new(tokens: Vec<u32>) -> Self {
        Self {
            ends: (1..=tokens.len()).collect(),
            before: (0..tokens.len()).map(|at| at.wrapping_sub(1)).collect(),
            tokens,
        }
    }

    /// Joins pairs that have a place, the lowest first and the leftmost of equals, into what is made
    /// at the place. Returns the place of the last join. O(n log n).
    pub(crate) fn join_all(&mut self, places: &Pairs, made: impl Fn(u32) -> u32) -> Option<u32> {
        let mut queue: BinaryHeap<Reverse<(u32, usize)>> = (0..self.tokens.len())
            .filter_map(|at| Some(Reverse((self.place(places, at)?, at))))
            .collect();
        let mut last = None;
        while let Some(Reverse((place, at))) = queue.pop() {
            // A token that was joined to its left is gone, one that was joined has another pair.
            if self.ends[at] == 0 || self.place(places, at) != Some(place) {
                continue;
            }
            last = Some(place);
            let right = self.ends[at];
            self.tokens[at] = made(place);
            self.ends[at] = self.ends[right];
            self.ends[right] = 0;
            if let Some(before) = self.before.get_mut(self.ends[at]) {
                *before = at;
            }
            queue.extend(self.place(places, at).map(|place| Reverse((place, at))));
            if at > 0 {
                let left = self.before[at];
                queue.extend(self.place(places, left).map(|place| Reverse((place, left))));
            }
        }
        last
    }

    /// Returns the place of the token that starts at `at` and the next one.
    fn place(&self, places: &Pairs, at: usize) -> Option<u32> {
        let right = *self.tokens.get(self.ends[at])?;
        places.get(self.tokens[at], right)
    }
}

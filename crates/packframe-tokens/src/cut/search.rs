//! The longest of many lengths that fits, found with few measurements.

use crate::error::TokenizerError;
use crate::trail::scaled;

/// A length in bytes, and the tokens that it comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Measured {
    pub(crate) length: usize,
    pub(crate) tokens: u64,
}

/// What is searched, and how.
pub(super) struct Search<'s> {
    /// The most tokens.
    pub(super) limit: u64,
    /// Returns the allowed lengths from one to another, both included, in order.
    pub(super) lengths: &'s mut dyn FnMut(usize, usize) -> Vec<usize>,
    /// Returns the tokens of a length.
    pub(super) measure: &'s mut dyn FnMut(usize) -> Result<u64, TokenizerError>,
}

/// Bytes around a guess in which allowed lengths are looked for.
const REACH: usize = 256;

impl Search<'_> {
    /// Narrows the lengths between `low`, which fits or is nothing, and `high`, which is too long,
    /// until none that is allowed is between them. Returns both; `high` may be a mere bound.
    ///
    /// So the result is not shorter than the longest one all of whose shorter ones fit: counts
    /// need not grow with the length, so a longer one may fit, too. Takes
    /// at most three measurements for each halving of the bytes between, and mostly four to seven
    /// in all.
    pub(super) fn narrow(
        &mut self,
        mut low: Measured,
        mut high: (usize, Option<u64>),
        mut guess: usize,
    ) -> Result<(Measured, usize), TokenizerError> {
        let mut window = Vec::new();
        let mut rounds = 0;
        while let Some(length) = self.nearest(&mut window, guess, low.length, high.0) {
            let tokens = (self.measure)(length)?;
            if tokens <= self.limit {
                low = Measured { length, tokens };
            } else {
                high = (length, Some(tokens));
            }
            rounds += 1;
            guess = self.guess(low, high, rounds);
        }
        Ok((low, high.0))
    }

    /// Returns the allowed length nearest to a guess between two others, if there is any. `window`
    /// has those that were looked up last.
    fn nearest(
        &mut self,
        window: &mut Vec<usize>,
        guess: usize,
        low: usize,
        high: usize,
    ) -> Option<usize> {
        let (first, last) = (low.checked_add(1)?, high.checked_sub(1)?);
        if first > last {
            return None;
        }
        let guess = guess.clamp(first, last);
        let known = near(window, guess, first, last);
        if let Some(length) = known.filter(|length| length.abs_diff(guess) <= REACH) {
            return Some(length);
        }
        let mut reach = REACH;
        loop {
            let from = guess.saturating_sub(reach).max(first);
            let to = guess.saturating_add(reach).min(last);
            *window = (self.lengths)(from, to);
            if !window.is_empty() || (from, to) == (first, last) {
                return near(window, guess, first, last);
            }
            reach = reach.saturating_mul(8);
        }
    }

    /// Guesses where the limit is reached: on the straight line between two measurements, every
    /// third time in the middle; as long as nothing was too long, at the rate so far, and faster
    /// each time.
    fn guess(&self, low: Measured, high: (usize, Option<u64>), rounds: u32) -> usize {
        let between = high.0 - low.length;
        let room = self.limit - low.tokens;
        let stride = match high.1 {
            Some(_) if rounds.is_multiple_of(3) => between / 2,
            Some(over) => scaled(between, room + 1, over - low.tokens + 1),
            None => scaled(low.length.max(4), room + 1, low.tokens.max(1))
                .saturating_mul(1 << rounds.min(30).saturating_sub(1)),
        };
        low.length.saturating_add(stride)
    }
}

/// Returns the length among `lengths` nearest to `guess`, from `first` to `last`.
fn near(lengths: &[usize], guess: usize, first: usize, last: usize) -> Option<usize> {
    let at = lengths.partition_point(|&length| length < guess);
    let sides = [at.checked_sub(1), Some(at)].into_iter().flatten();
    sides
        .filter_map(|at| lengths.get(at).copied())
        .filter(|length| (first..=last).contains(length))
        .min_by_key(|length| length.abs_diff(guess))
}

//! Measures what is kept of a text, with the marker where something was cut out.

use super::search::{Measured, Search};
use crate::error::TokenizerError;
use crate::tokenizer::Tokenizer;
use crate::trail::{MOST_STEP, Side, Trail, Walked, scaled};

/// A text of which a start and an end are kept, and what is put between them.
pub(crate) struct Ruler<'a> {
    tokenizer: &'a dyn Tokenizer,
    text: &'a str,
    marker: &'a str,
    /// The trails from both sides, if the tokenizer has seams.
    trails: Option<(Trail<'a>, Trail<'a>)>,
    /// The count of the whole text, where it had to be counted.
    whole: Option<u64>,
    /// The count of the marker alone.
    nothing: Option<u64>,
}

/// What is searched for: the longest cut of one side.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    pub(crate) side: Side,
    /// The bytes that are kept on the other side.
    pub(crate) other: usize,
    /// The most tokens, with marker and other side.
    pub(crate) limit: u64,
    /// A length that is known to fit, or 0.
    pub(crate) least: usize,
    /// The greatest length.
    pub(crate) most: usize,
    /// Where to start.
    pub(crate) guess: usize,
}

/// Returns the allowed lengths from one to another, both included, in order.
pub(crate) type Lengths<'l> = dyn FnMut(usize, usize) -> Vec<usize> + 'l;

/// Places beyond the one that was found that are tried, where trying is cheap.
const TRIED: usize = 64;

impl<'a> Ruler<'a> {
    pub(crate) fn new(tokenizer: &'a dyn Tokenizer, text: &'a str, marker: &'a str) -> Self {
        let trail = |side| Trail::new(tokenizer, text, side);
        Self {
            tokenizer,
            text,
            marker,
            trails: trail(Side::Head).zip(trail(Side::Tail)),
            whole: None,
            nothing: None,
        }
    }

    /// Returns the count of the whole text, unless it is over the limit; looks from one side.
    pub(crate) fn till(&mut self, limit: u64, side: Side) -> Result<Option<u64>, TokenizerError> {
        if let Some(trail) = self.trail(side) {
            return trail.till(limit);
        }
        let tokens = self.tokenizer.count(self.text)?;
        self.whole = Some(tokens);
        Ok((tokens <= limit).then_some(tokens))
    }

    /// Returns the count of the whole text, if seams tell without much ado that it is not over the
    /// limit.
    pub(crate) fn glance(&mut self, limit: u64) -> Option<u64> {
        match self.trail(Side::Head)?.walk(limit, MOST_STEP) {
            Walked::Within(tokens) => Some(tokens),
            Walked::Over | Walked::Lost => None,
        }
    }

    fn trail(&mut self, side: Side) -> Option<&mut Trail<'a>> {
        let (head, tail) = self.trails.as_mut()?;
        Some(match side {
            Side::Head => head,
            Side::Tail => tail,
        })
    }

    /// Returns what is kept: so many bytes of the start, the marker, so many bytes of the end.
    pub(crate) fn kept(&self, head: usize, tail: usize) -> String {
        let tail = self.text.len() - tail;
        [&self.text[..head], self.marker, &self.text[tail..]].concat()
    }

    /// Guesses how many bytes of a side have so many tokens: from the seams that were passed, from
    /// the whole text if it was counted, else at a rate in bytes and tokens.
    pub(crate) fn guess(&self, side: Side, tokens: u64, rate: (usize, u64)) -> usize {
        let (bytes, of) = self.whole.map_or(rate, |whole| (self.text.len(), whole));
        let at_rate = |tokens| scaled(bytes, tokens, of.max(1));
        match (&self.trails, side) {
            (Some((heads, _)), Side::Head) => heads.guess(tokens, at_rate),
            (Some((_, tails)), Side::Tail) => tails.guess(tokens, at_rate),
            (None, _) => at_rate(tokens),
        }
    }

    /// Counts what is kept, exactly as if it were counted alone.
    pub(crate) fn count(&mut self, head: usize, tail: usize) -> Result<u64, TokenizerError> {
        if (head, tail) == (0, 0) {
            return self.marker();
        }
        let Some((heads, tails)) = &mut self.trails else {
            return self.tokenizer.count(&self.kept(head, tail));
        };
        let (before, left) = heads.mark_before(head);
        let (behind, right) = tails.mark_before(tail);
        let end = self.text.len();
        let middle = [
            &self.text[before..head],
            self.marker,
            &self.text[end - tail..end - behind],
        ]
        .concat();
        Ok(heads.tokens(left + heads.units(&middle) + right))
    }

    /// Counts the marker alone.
    pub(crate) fn marker(&mut self) -> Result<u64, TokenizerError> {
        if let Some(tokens) = self.nothing {
            return Ok(tokens);
        }
        let tokens = self.tokenizer.count(self.marker)?;
        self.nothing = Some(tokens);
        Ok(tokens)
    }

    /// Finds the longest allowed cut, if any is longer than the least.
    ///
    /// It is not shorter than the longest allowed cut all of whose shorter ones fit. Where the
    /// tokenizer has seams near the cut it is the longest that fits.
    pub(crate) fn longest(
        &mut self,
        wanted: Wanted,
        lengths: &mut Lengths<'_>,
    ) -> Result<Option<Measured>, TokenizerError> {
        let Wanted { limit, least, .. } = wanted;
        let mut high = (wanted.most.saturating_add(1), None);
        if let Some(trail) = self.trail(wanted.side) {
            high.0 = high.0.min(trail.most_bytes(limit).saturating_add(1));
            if let Some((length, tokens)) = trail.over(limit)
                && length < high.0
            {
                high = (length + 1, Some(tokens));
            }
        } else if wanted.other == 0 {
            high.1 = self.whole.filter(|&whole| whole > limit);
        }
        let low = Measured {
            length: least,
            tokens: self.measure(wanted, least)?.min(limit),
        };
        let mut measure = |length| self.measure(wanted, length);
        let mut search = Search {
            limit,
            lengths: &mut *lengths,
            measure: &mut measure,
        };
        let (found, over) = search.narrow(low, high, wanted.guess)?;
        let longer = self.beyond(wanted, (found.length, over), lengths)?;
        Ok(longer.or((found.length > least).then_some(found)))
    }

    fn measure(&mut self, wanted: Wanted, length: usize) -> Result<u64, TokenizerError> {
        match wanted.side {
            Side::Head => self.count(length, wanted.other),
            Side::Tail => self.count(wanted.other, length),
        }
    }

    /// Looks for a longer cut that fits beyond one that does not: `international` is one token, some
    /// of its prefixes are more. Only where seams bound how far one can be.
    fn beyond(
        &mut self,
        wanted: Wanted,
        (found, over): (usize, usize),
        lengths: &mut Lengths<'_>,
    ) -> Result<Option<Measured>, TokenizerError> {
        let trail = self.trail(wanted.side);
        let bound = trail.and_then(|trail| trail.bound(found, wanted.limit));
        let Some(bound) = bound.filter(|&bound| bound > over) else {
            return Ok(None);
        };
        let lengths = lengths(over + 1, bound.min(wanted.most));
        for &length in lengths.iter().rev().take(TRIED) {
            let tokens = self.measure(wanted, length)?;
            if tokens <= wanted.limit {
                return Ok(Some(Measured { length, tokens }));
            }
        }
        Ok(None)
    }
}

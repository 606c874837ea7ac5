//! The seams of a text that were passed so far, counted from one of its ends.

use crate::encode::Encode;
use crate::error::TokenizerError;
use crate::tokenizer::{Seams, Tokenizer};

/// The end of a text that is kept, and from which bytes are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// The start of the text.
    Head,
    /// The end of the text.
    Tail,
}

/// A text, and the units up to some of its seams.
///
/// All lengths are bytes from one side of the text.
pub(crate) struct Trail<'a> {
    seams: &'a dyn Seams,
    encoder: Option<&'a dyn Encode>,
    text: &'a str,
    side: Side,
    /// Lengths up to a seam, and their units; the first one is nothing.
    marks: Vec<(usize, u64)>,
}

/// What a walk along a text came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Walked {
    /// The text has so many tokens.
    Within(u64),
    /// It is over the limit.
    Over,
    /// No seam is near.
    Lost,
}

/// The least and the most bytes in which a seam is looked for while a limit is far.
const LEAST_STEP: usize = 256;
pub(crate) const MOST_STEP: usize = 32 * 1024;
/// The bytes in which a seam is looked for near the place of a cut.
const FINE_STEP: usize = 64;
/// How many such steps are made at most to find where the limit is passed.
const FINE_STEPS: usize = 32;

impl<'a> Trail<'a> {
    /// Starts a trail; `None` where the tokenizer has no seams.
    pub(crate) fn new(tokenizer: &'a dyn Tokenizer, text: &'a str, side: Side) -> Option<Self> {
        Some(Self {
            seams: tokenizer.seams()?,
            encoder: tokenizer.encoder(),
            text,
            side,
            marks: vec![(0, 0)],
        })
    }

    /// Returns the count of the whole text, or `None` as soon as it is over the limit.
    ///
    /// Reads what has as many tokens as the limit, and at most some kilobytes more; but the pieces
    /// that it looks at to their end.
    pub(crate) fn till(&mut self, limit: u64) -> Result<Option<u64>, TokenizerError> {
        // The tokens of what is before the end are not those of a text that starts there.
        let encoder = self.encoder.filter(|_| self.side == Side::Head);
        let patience = encoder.map_or(usize::MAX, |_| MOST_STEP);
        Ok(match (self.walk(limit, patience), encoder) {
            (Walked::Within(tokens), _) => Some(tokens),
            (Walked::Lost, Some(encoder)) => {
                // Slower, but it can stop behind each piece.
                let (at, mut tokens) = self.last();
                encoder.each_token(&self.text[at..], &mut |_, _| {
                    tokens += 1;
                    tokens <= limit
                })?;
                Some(tokens).filter(|&tokens| tokens <= limit)
            }
            _ => None,
        })
    }

    /// Walks from seam to seam until the limit is passed. The marks reach as far: the last one may
    /// be over the limit.
    ///
    /// It is lost where there is no seam in `patience` bytes.
    pub(crate) fn walk(&mut self, limit: u64, patience: usize) -> Walked {
        let end = self.text.len();
        if end > self.most_bytes(limit) {
            return Walked::Over;
        }
        if self.tokens(self.seams.most_units(end)) <= limit {
            return Walked::Within(self.tokens(self.units(self.text)));
        }
        loop {
            let (at, units) = self.last();
            let counted = self.tokens(units);
            if counted > limit {
                return Walked::Over;
            }
            let room = usize::try_from(limit - counted).unwrap_or(usize::MAX);
            let mut step = room.saturating_mul(4).clamp(LEAST_STEP, MOST_STEP);
            let seam = loop {
                if end - at <= step {
                    let tokens = self.tokens(units + self.units(self.part(at, end)));
                    return if tokens <= limit {
                        Walked::Within(tokens)
                    } else {
                        Walked::Over
                    };
                }
                if let Some(seam) = self.far_seam(at, self.boundary(at + step)) {
                    break seam;
                }
                if step >= patience {
                    return Walked::Lost;
                }
                step = step.saturating_mul(4);
            };
            self.marks
                .push((seam, units + self.units(self.part(at, seam))));
        }
    }

    /// Counts a text in units.
    pub(crate) fn units(&self, text: &str) -> u64 {
        self.seams.units(text)
    }

    /// Returns the tokens of so many units.
    pub(crate) fn tokens(&self, units: u64) -> u64 {
        self.seams.tokens(units)
    }

    /// Returns a number of bytes that no text of so many tokens is over, where units are tokens.
    pub(crate) fn most_bytes(&self, limit: u64) -> usize {
        self.seams.most_bytes(limit)
    }

    /// Returns the first mark that is over the limit, in bytes and tokens: all that reaches beyond
    /// it is over, too.
    pub(crate) fn over(&self, limit: u64) -> Option<(usize, u64)> {
        let marks = self
            .marks
            .iter()
            .map(|&(at, units)| (at, self.tokens(units)));
        marks.into_iter().find(|&(_, tokens)| tokens > limit)
    }

    /// Returns the last mark before a length; one that is near, if there is a seam.
    pub(crate) fn mark_before(&mut self, length: usize) -> (usize, u64) {
        let behind = self.marks.partition_point(|&(at, _)| at < length);
        let Some(&(at, units)) = behind.checked_sub(1).and_then(|last| self.marks.get(last)) else {
            return (0, 0);
        };
        if length - at <= FINE_STEP {
            return (at, units);
        }
        let Some(seam) = self.far_seam(at, length) else {
            return (at, units);
        };
        let mark = (seam, units + self.units(self.part(at, seam)));
        self.marks.insert(behind, mark);
        mark
    }

    /// Walks on from a length, in small steps, to a mark that is over the limit or to the end, and
    /// returns how far that is; `None` where seams are not near enough to tell.
    pub(crate) fn bound(&mut self, length: usize, limit: u64) -> Option<usize> {
        let (mut at, mut units) = self.mark_before(length);
        for _ in 0..FINE_STEPS {
            let rest = self.text.len() - at;
            let seam = [FINE_STEP, LEAST_STEP].into_iter().find_map(|step| {
                let to = self.boundary(at + step.min(rest));
                self.far_seam(at, to)
            });
            let Some(seam) = seam else {
                return (rest <= LEAST_STEP).then_some(self.text.len());
            };
            units += self.units(self.part(at, seam));
            at = seam;
            let place = self.marks.partition_point(|&(known, _)| known < at);
            if self.marks.get(place).is_none_or(|&(known, _)| known != at) {
                self.marks.insert(place, (at, units));
            }
            if self.tokens(units) > limit {
                return Some(at);
            }
        }
        None
    }

    /// Guesses how many bytes have so many tokens, behind the last mark at a rate.
    pub(crate) fn guess(&self, tokens: u64, at_rate: impl Fn(u64) -> usize) -> usize {
        let behind = self
            .marks
            .partition_point(|&(_, units)| self.tokens(units) <= tokens);
        let known = behind.checked_sub(1).map(|last| self.marks[last]);
        let (low, low_units) = known.unwrap_or_default();
        let room = tokens.saturating_sub(self.tokens(low_units));
        low.saturating_add(match self.marks.get(behind) {
            Some(&(high, units)) => {
                let all = self.tokens(units) - self.tokens(low_units);
                scaled(high - low, room, all.max(1))
            }
            None => at_rate(room),
        })
    }

    fn last(&self) -> (usize, u64) {
        self.marks.last().copied().unwrap_or_default()
    }

    /// Returns the bytes between two lengths.
    fn part(&self, from: usize, to: usize) -> &'a str {
        match self.side {
            Side::Head => &self.text[from..to],
            Side::Tail => &self.text[self.text.len() - to..self.text.len() - from],
        }
    }

    /// Returns the seam between two lengths that is farthest from the side.
    fn far_seam(&self, from: usize, to: usize) -> Option<usize> {
        let part = self.part(from, to);
        match self.side {
            Side::Head => Some(from + self.seams.last_seam(part)?),
            Side::Tail => Some(to - self.seams.first_seam(part)?),
        }
    }

    /// Returns the nearest length, not beyond `length`, that splits no character.
    fn boundary(&self, length: usize) -> usize {
        (0..=length)
            .rev()
            .find(|&length| {
                self.text.is_char_boundary(match self.side {
                    Side::Head => length,
                    Side::Tail => self.text.len() - length,
                })
            })
            .unwrap_or(0)
    }
}

/// Returns `length · part / whole`, rounded down.
pub(crate) fn scaled(length: usize, part: u64, whole: u64) -> usize {
    let scaled = length as u128 * u128::from(part) / u128::from(whole);
    usize::try_from(scaled).unwrap_or(usize::MAX)
}

//! A text split into chunks of a number of tokens.

use crate::cut::{Measured, Ruler, Wanted};
use crate::error::TokenizerError;
use crate::segment::{At, Edge, Places, Unit};
use crate::tokenizer::Tokenizer;
use crate::trail::Side;

/// A stretch of a text, and its tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chunk {
    /// Where it starts, in bytes.
    pub start: usize,
    /// Where it ends, in bytes.
    pub end: usize,
    /// The tokens of the stretch alone.
    pub tokens: u64,
}

/// Why a text could not be split.
#[derive(Debug, Clone)]
pub enum SplitError {
    /// The tokenizer failed.
    Tokenizer(TokenizerError),
    /// A character alone has more tokens than a chunk may have.
    CharacterTooLong {
        /// Where it starts, in bytes.
        at: usize,
        /// Its tokens.
        tokens: u64,
    },
}

impl From<TokenizerError> for SplitError {
    fn from(error: TokenizerError) -> Self {
        Self::Tokenizer(error)
    }
}

/// Splits a text into chunks of at most `most` tokens, each counted alone.
///
/// Every chunk is as long as it can be, by the rule of [`truncate`](crate::truncate()), and ends
/// where a unit of `at` starts, so that the white space behind a unit is in its chunk. A unit that
/// is too long for a chunk is split at the next finer kind: line, sentence, word, grapheme,
/// character.
///
/// Without overlap the chunks joined are the text. With it, each but the first starts with the last
/// units of the one before that have at most `overlap` tokens (of a finer kind where one is too
/// long for that), fewer where the next unit would not fit beside them; it always ends behind the
/// one before. So without what overlaps the chunks joined are the text, too.
///
/// With seams it reads each chunk some times; an opaque tokenizer counts some four to seven chunks
/// for each. Of `most` 0, or an overlap that is not less than `most`, the most that is possible is
/// made.
///
/// # Errors
///
/// [`SplitError::CharacterTooLong`] where a character alone is over `most`; else as
/// [`Tokenizer::count`].
pub fn split(
    tokenizer: &dyn Tokenizer,
    text: &str,
    most: u64,
    overlap: u64,
    at: At,
) -> Result<Vec<Chunk>, SplitError> {
    let mut splitter = Splitter {
        tokenizer,
        text,
        most,
        shared: overlap.min(most),
        starts: UNITS.map(|unit| Places::new(text, unit, Edge::Start)),
        rate: (4, 1),
    };
    let mut chunks: Vec<Chunk> = Vec::new();
    let mut last = Chunk {
        start: 0,
        end: 0,
        tokens: 0,
    };
    while last.end < text.len() {
        let from = splitter.overlap(last, at.into())?;
        last = splitter.next(from, last.end, at.into())?;
        chunks.push(last);
    }
    Ok(chunks)
}

const UNITS: [Unit; 5] = [
    Unit::Character,
    Unit::Grapheme,
    Unit::Word,
    Unit::Sentence,
    Unit::Line,
];

struct Splitter<'a> {
    tokenizer: &'a dyn Tokenizer,
    text: &'a str,
    /// The most tokens of a chunk.
    most: u64,
    /// The most tokens that a chunk has of the one before.
    shared: u64,
    /// Where units start, for each kind.
    starts: [Places<'a>; 5],
    /// Bytes and tokens of the last chunk.
    rate: (usize, u64),
}

impl<'a> Splitter<'a> {
    /// Returns where the chunk behind `last` starts, by what may overlap.
    fn overlap(&mut self, last: Chunk, at: Unit) -> Result<usize, TokenizerError> {
        let whole = (last.start, last.end);
        let mut unit = Some(at).filter(|_| self.shared > 0);
        while let Some(kind) = unit.filter(|&kind| kind != Unit::Character) {
            if let Some(start) = self.suffix(whole, last.end, self.shared, kind)? {
                return Ok(start);
            }
            unit = kind.finer();
        }
        Ok(last.end)
    }

    /// Returns the first place, behind `from` and not behind `latest`, from which on a unit starts
    /// and the text up to `to` has at most so many tokens.
    fn suffix(
        &mut self,
        (from, to): (usize, usize),
        latest: usize,
        limit: u64,
        unit: Unit,
    ) -> Result<Option<usize>, TokenizerError> {
        if to - from < 2 {
            return Ok(None);
        }
        let mut ruler = Ruler::new(self.tokenizer, &self.text[from..to], "");
        let wanted = Wanted {
            side: Side::Tail,
            other: 0,
            limit,
            least: 0,
            most: to - from - 1,
            guess: ruler.guess(Side::Tail, limit, self.rate),
        };
        let starts = &mut self.starts[unit as usize];
        let mut lengths = |least: usize, most: usize| {
            let starts = starts.within(to - most, (to - least).min(latest));
            starts.into_iter().rev().map(|start| to - start).collect()
        };
        let found = ruler.longest(wanted, &mut lengths)?;
        Ok(found.map(|found| to - found.length))
    }

    /// Returns the chunk that starts at `from` and ends behind `behind`, where the one before does.
    fn next(&mut self, from: usize, behind: usize, at: Unit) -> Result<Chunk, SplitError> {
        let mut rest = self.rest(from);
        let mut found = self.longest(&mut rest, behind, at)?;
        if found.is_none() && from < behind {
            // The next unit may fit beside less.
            let mut alone = self.rest(behind);
            if let Some(next) = self.longest(&mut alone, behind, at)? {
                let fewer = self.fewer(from, behind, next.length, at)?;
                rest = self.rest(fewer);
                found = self.longest(&mut rest, behind, at)?;
                if found.is_none() {
                    (rest, found) = (alone, Some(next));
                }
            }
        }
        let mut unit = at.finer();
        while let Some(kind) = unit.filter(|_| found.is_none()) {
            found = self.longest(&mut rest, behind, kind)?;
            unit = kind.finer();
            if found.is_none() && unit.is_none() && rest.from < behind {
                rest = self.rest(behind);
                unit = at.finer();
            }
        }
        let from = rest.from;
        let Some(Measured { length, tokens }) = found else {
            let first = self.text[from..].chars().next().map_or(0, char::len_utf8);
            let tokens = self.tokenizer.count(&self.text[from..from + first])?;
            return Err(SplitError::CharacterTooLong { at: from, tokens });
        };
        self.rate = (length, tokens);
        Ok(Chunk {
            start: from,
            end: from + length,
            tokens,
        })
    }

    /// Returns where a chunk starts so that the next unit, which is in the `length` bytes behind
    /// `behind`, fits beside what overlaps.
    fn fewer(
        &mut self,
        from: usize,
        behind: usize,
        length: usize,
        at: Unit,
    ) -> Result<usize, TokenizerError> {
        let next = self.starts[at as usize].within(behind + 1, behind + length);
        let end = next.first().map_or(behind + length, |&next| next);
        let start = self.suffix((from, end), behind, self.most, at)?;
        let start = start.unwrap_or(behind);
        // What is shorter may have more tokens.
        let shared = self.tokenizer.count(&self.text[start..behind])?;
        Ok(if shared > self.shared { behind } else { start })
    }

    /// Returns the text from a place on.
    fn rest(&self, from: usize) -> Rest<'a> {
        let text = &self.text[from..];
        let mut ruler = Ruler::new(self.tokenizer, text, "");
        let whole = ruler.glance(self.most).map(|tokens| Measured {
            length: text.len(),
            tokens,
        });
        Rest {
            from,
            ruler,
            whole,
            over: false,
        }
    }

    /// Returns the longest start of a rest, to behind `behind`, that ends where a unit does.
    fn longest(
        &mut self,
        rest: &mut Rest<'a>,
        behind: usize,
        unit: Unit,
    ) -> Result<Option<Measured>, TokenizerError> {
        if rest.whole.is_some() {
            return Ok(rest.whole);
        }
        let from = rest.from;
        let end = self.text.len() - from;
        let wanted = Wanted {
            side: Side::Head,
            other: 0,
            limit: self.most,
            least: behind - from,
            most: end,
            guess: rest.ruler.guess(Side::Head, self.most, self.rate),
        };
        let starts = &mut self.starts[unit as usize];
        let mut lengths = |least: usize, most: usize| {
            let mut lengths = starts.within(from + least, from + most);
            for length in &mut lengths {
                *length -= from;
            }
            if most == end && !rest.over {
                lengths.push(most);
            }
            lengths
        };
        let found = rest.ruler.longest(wanted, &mut lengths)?;
        rest.over |= found.is_none();
        Ok(found)
    }
}

/// What is left of a text, from a place on.
struct Rest<'a> {
    from: usize,
    ruler: Ruler<'a>,
    /// All of it, if it is known to fit.
    whole: Option<Measured>,
    /// Whether all of it does not fit.
    over: bool,
}

//! Counting a text that grows at its end.
//!
//! Three facts keep the work to what is new.
//!
//! **Pieces.** A piece is settled once the one behind it has ended before the end of the text.
//! Matching looks only ahead, so what is appended can change a piece only if its match looked at
//! the end of the text. A match looks beyond the piece that it takes in three places only: in a run
//! of white space, whose rest is then the next piece and reaches the end; in a run of capital
//! letters behind ones without case, which is then the next piece and reaches the end; and at the
//! letters behind an apostrophe, which with it start the next piece, and reach the end where the
//! match saw it. This is shown for the patterns in [`Bpe::sees_one_piece_ahead`] alone.
//!
//! **Runs.** A long last piece goes on with more characters of the kind that its last ones are:
//! sixteen tell in which loop of the pattern it is.
//!
//! **Tokens.** Merging joins the neighbours of the lowest rank, so it does the same within a
//! stretch that no join crosses as it would there alone. Hence tokens of a piece that stand side by
//! side are the tokens of the text that they cover; and conversely tokens are those of a piece if
//! each two neighbours are the tokens of what the two cover: were they not, look at the first join
//! that crosses a border; the two neighbours there alone would be joined just so. So a piece that
//! grew is merged again only from some token near its end, if that token and the first new one are
//! neighbours of that kind; else from further back.

use super::class::{BREAK, LETTERS, LOWER, MARK, OTHER, SIGNS, SPACE, TAILS, UNCASED, UPPER, at};
use super::merge::merge;
use super::{Bpe, Pattern};
use crate::unfinished::{Advance, Unfinished};

/// Bytes up to which an unsettled rest is just counted: more than any token has.
const SHORT: usize = 512;
/// The characters at the end of a piece that tell in which loop of the pattern it is.
const TELLING: usize = 16;
/// The bytes of a piece that are merged again at least when it grows.
const AGAIN: usize = 48;

impl Bpe {
    /// Counts a stretch that may grow, given what finds its last seam; see
    /// [`Seams::advance`](crate::Seams::advance).
    ///
    /// Takes as long as what is behind the last seam, mostly a word or two. Of a rest of more than
    /// 512 bytes, tokens are never merged again, but for some near the end; and where the last piece
    /// goes on, it takes as long as what was appended. Else the pieces are split again.
    pub(crate) fn advance(
        &self,
        stretch: &str,
        last_seam: impl FnOnce() -> Option<usize>,
        memory: &mut Unfinished,
    ) -> Advance {
        if self.goes_on(stretch, memory) {
            let rest = memory.before + self.merge_on(stretch, memory);
            return Advance {
                settled: 0,
                units: 0,
                rest,
            };
        }
        let seam = last_seam().unwrap_or(0);
        let (settled, last) = if self.sees_one_piece_ahead() {
            self.last_two_pieces(stretch, seam)
        } else {
            (seam, seam)
        };
        let units =
            self.count(&stretch[..seam]) + self.tokens_up_to(&stretch[seam..], settled - seam);
        let rest = &stretch[settled..];
        if rest.len() <= SHORT.max(self.longest()) || !self.sees_one_piece_ahead() {
            memory.clear();
            let rest = self.count(rest);
            return Advance {
                settled,
                units,
                rest,
            };
        }
        let piece = last - settled;
        if settled > 0 || memory.piece != piece || memory.ends.is_empty() {
            memory.clear();
            memory.piece = piece;
            memory.before = self.tokens_up_to(rest, piece);
        }
        let rest = memory.before + self.merge_on(rest, memory);
        Advance {
            settled,
            units,
            rest,
        }
    }

    /// Says whether a piece is settled once the next one has ended before the end of the text.
    fn sees_one_piece_ahead(&self) -> bool {
        matches!(self.pattern, Pattern::Cl100k | Pattern::O200k)
    }

    /// Returns where the last two pieces start, from a place on where one does.
    fn last_two_pieces(&self, text: &str, start: usize) -> (usize, usize) {
        let (mut before, mut last, mut end) = (start, start, start);
        while end < text.len() {
            (before, last) = (last, end);
            end = self.piece_end(text, end);
        }
        (before, last)
    }

    /// Returns the tokens of the pieces of a text up to one of their ends.
    fn tokens_up_to(&self, text: &str, end: usize) -> u64 {
        let mut tokens = 0;
        if end > 0 {
            self.each_token(text, |_, behind| {
                tokens += 1;
                behind < end
            });
        }
        tokens
    }

    /// Says whether what was appended belongs to the last piece for certain.
    fn goes_on(&self, stretch: &str, memory: &Unfinished) -> bool {
        let looked = memory.looked;
        if looked == 0 || looked > stretch.len() || !self.sees_one_piece_ahead() {
            return false;
        }
        let known = &stretch[memory.piece..looked];
        let Some((telling, _)) = known.char_indices().rev().nth(TELLING - 1) else {
            return false;
        };
        let (old, new) = (Kinds::of(&known[telling..]), Kinds::of(&stretch[looked..]));
        self.same_loop(old, new)
    }

    /// Says whether a piece whose last characters are of the old kinds takes all of the new ones.
    ///
    /// The kinds of one loop: letters; signs; white space; line breaks, which end a piece of signs,
    /// too. Where words have a case, a small letter tells that only small ones, ones without case and
    /// marks go on; one without case that at least those without case and marks do. A mark alone may
    /// be in a word or among signs; a slash alone, where it may follow the line breaks behind signs,
    /// there or among them.
    fn same_loop(&self, old: Kinds, new: Kinds) -> bool {
        let has = |class: u8| old.0 >> class & 1 == 1;
        let all = |set: u16| (old.0 | new.0) & !set == 0;
        let alike = [OTHER, SPACE, BREAK, UPPER, MARK, SLASH].map(|class| all(1 << class));
        let cl100k = || {
            all(LETTERS.into())
                || all(u16::from(SIGNS) | 1 << SLASH)
                || has(SPACE) && all(1 << SPACE | 1 << BREAK)
        };
        let o200k = || {
            has(LOWER) && all(TAILS.into())
                || has(UNCASED) && all(1 << UNCASED | 1 << MARK)
                || has(OTHER) && all(1 << OTHER | 1 << SLASH)
        };
        alike.contains(&true)
            || self.pattern == Pattern::Cl100k && cl100k()
            || self.pattern == Pattern::O200k && o200k()
    }

    /// Merges the last piece of a stretch, which starts where the memory says and reaches the end,
    /// and returns its tokens. Those that are remembered are of its start.
    fn merge_on(&self, stretch: &str, memory: &mut Unfinished) -> u64 {
        let vocabulary = self.vocabulary();
        let (text, piece) = (stretch.as_bytes(), memory.piece);
        let ends = &mut memory.ends;
        let known = ends.last().map_or(piece, |&end| end.min(text.len()));
        let safe = known.saturating_sub(AGAIN);
        let mut kept = ends.partition_point(|&end| end <= safe);
        let mut back = 1;
        loop {
            let from = kept.checked_sub(1).map_or(piece, |last| ends[last]);
            let mut again = Vec::new();
            merge(vocabulary, text, (from, text.len()), |_, end| {
                again.push(end);
            });
            let before = kept.checked_sub(2).map_or(piece, |last| ends[last]);
            let first = again.first().copied().unwrap_or(from);
            if kept == 0 || first == from || self.are_tokens(text, before, from, first) {
                ends.truncate(kept);
                ends.append(&mut again);
                break;
            }
            kept = kept.saturating_sub(back);
            back *= 2;
        }
        memory.looked = text.len();
        let whole = text.len() - piece <= self.longest()
            && vocabulary.rank_at(text, piece, text.len()).is_some();
        if whole { 1 } else { ends.len() as u64 }
    }

    /// Says whether `text[start..end]` alone is merged into two tokens with the border between.
    fn are_tokens(&self, text: &[u8], start: usize, border: usize, end: usize) -> bool {
        let mut ends = Vec::with_capacity(2);
        merge(self.vocabulary(), text, (start, end), |_, end| {
            ends.push(end);
        });
        ends == [border, end]
    }
}

/// The class of the slash.
const SLASH: u8 = 8;

/// The classes of the characters of a text, a bit for each.
#[derive(Clone, Copy)]
struct Kinds(u16);

impl Kinds {
    fn of(text: &str) -> Self {
        let text = text.as_bytes();
        let mut kinds = 0;
        let mut start = 0;
        while start < text.len() {
            let (class, length) = at(text, start);
            kinds |= 1 << if text[start] == b'/' { SLASH } else { class };
            start += length;
        }
        Self(kinds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bpe::fill::fill;
    use crate::bpe::vocabulary::Store;

    const PATTERNS: [Pattern; 2] = [Pattern::Cl100k, Pattern::O200k];

    /// A character of each class, and those that a pattern names.
    const CHARACTERS: [&str; 13] = [
        "a", "A", "中", "\u{301}", "7", "!", " ", "\n", "'", "/", "s", "l", "\r",
    ];

    /// Returns an engine whose tokens are the bytes: pieces do not depend on more.
    fn engine(pattern: Pattern) -> Bpe {
        let bytes: Vec<[u8; 1]> = (0..=u8::MAX).map(|byte| [byte]).collect();
        let filled = fill(bytes.iter().map(|byte| (&byte[..], 0))).expect("bytes are spread well");
        Bpe::new(pattern, Store::Owned(Box::new(filled)))
    }

    fn ends(engine: &Bpe, text: &str) -> Vec<usize> {
        let mut ends = Vec::new();
        while ends.last().copied().unwrap_or(0) < text.len() {
            ends.push(engine.piece_end(text, ends.last().copied().unwrap_or(0)));
        }
        ends
    }

    /// Calls for each text of so many of the characters.
    fn each_text(length: u32, mut visit: impl FnMut(&str)) {
        let mut text = String::new();
        for number in 0..CHARACTERS.len().pow(length) {
            text.clear();
            let mut rest = number;
            for _ in 0..length {
                text.push_str(CHARACTERS[rest % CHARACTERS.len()]);
                rest /= CHARACTERS.len();
            }
            visit(&text);
        }
    }

    #[test]
    fn what_is_settled_stays_whatever_follows() {
        for pattern in PATTERNS {
            let engine = engine(pattern);
            for length in 1..=5 {
                each_text(length, |text| {
                    let all = ends(&engine, text);
                    for (cut, _) in text.char_indices().skip(1) {
                        let (settled, _) = engine.last_two_pieces(&text[..cut], 0);
                        assert!(
                            settled == 0 || all.contains(&settled),
                            "{pattern:?}: {settled} of {:?} in {text:?}",
                            &text[..cut]
                        );
                        let known = ends(&engine, &text[..cut]);
                        let kept = known.iter().filter(|&&end| end <= settled);
                        assert!(kept.eq(all.iter().filter(|&&end| end <= settled)));
                    }
                });
            }
        }
    }

    #[test]
    fn a_piece_goes_on_where_that_is_said() {
        for pattern in PATTERNS {
            let engine = engine(pattern);
            let mut said = 0;
            each_text(5, |text| {
                // A start of any kind, then one or two characters again and again, then an end.
                let cuts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
                let (start, run, end) =
                    (&text[..cuts[2]], &text[cuts[2]..cuts[4]], &text[cuts[4]..]);
                let stretch = format!("{start}{}{end}", run.repeat(TELLING));
                let looked = stretch.len() - end.len();
                let before = ends(&engine, &stretch[..looked]);
                let piece = before.iter().rev().nth(1).copied().unwrap_or(0);
                let memory = Unfinished {
                    looked,
                    piece,
                    before: 0,
                    ends: Vec::new(),
                };
                if engine.goes_on(&stretch, &memory) {
                    said += 1;
                    let mut expected = before;
                    expected.pop();
                    expected.push(stretch.len());
                    assert_eq!(
                        ends(&engine, &stretch),
                        expected,
                        "{pattern:?} in {stretch:?}"
                    );
                }
            });
            assert!(said > 10_000, "{pattern:?} says so {said} times");
        }
    }
}

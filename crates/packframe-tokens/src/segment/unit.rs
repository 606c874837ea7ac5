//! The units that a text is cut into.

use unicode_segmentation::{GraphemeIndices, UWordBoundIndices, UnicodeSegmentation};

use super::sentence::{Starts, ends_line};

/// Where a text may be cut. A cut is never inside a grapheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum At {
    /// Between any two graphemes: what a reader takes for characters.
    Grapheme,
    /// At the end or the start of a word, by UAX 29; a sign is a word of its own.
    Word,
    /// At the end or the start of a sentence, by UAX 29.
    Sentence,
    /// At the end or the start of a line.
    Line,
}

impl At {
    /// All of them, finest first.
    pub const ALL: [Self; 4] = [Self::Grapheme, Self::Word, Self::Sentence, Self::Line];

    /// Returns the word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Grapheme => "grapheme",
            Self::Word => "word",
            Self::Sentence => "sentence",
            Self::Line => "line",
        }
    }
}

/// What a text is made of; each is a whole number of the ones before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Character,
    Grapheme,
    Word,
    Sentence,
    Line,
}

impl From<At> for Unit {
    fn from(at: At) -> Self {
        match at {
            At::Grapheme => Self::Grapheme,
            At::Word => Self::Word,
            At::Sentence => Self::Sentence,
            At::Line => Self::Line,
        }
    }
}

impl Unit {
    /// Returns the next finer unit.
    pub(crate) const fn finer(self) -> Option<Self> {
        match self {
            Self::Character => None,
            Self::Grapheme => Some(Self::Character),
            Self::Word => Some(Self::Grapheme),
            Self::Sentence => Some(Self::Word),
            Self::Line => Some(Self::Sentence),
        }
    }
}

/// One unit of a text.
pub(super) struct Segment {
    /// Where it starts.
    pub(super) start: usize,
    /// Where it ends: before the white space behind a word or sentence, and before the line break
    /// of a line. Of one that is all white space, where it starts.
    pub(super) end: usize,
    /// Where the next one starts.
    pub(super) next: usize,
}

/// The units of a text, from a place on where one starts.
pub(super) struct Segments<'a> {
    text: &'a str,
    kind: Kind<'a>,
}

enum Kind<'a> {
    Characters(usize),
    Graphemes(usize, GraphemeIndices<'a>),
    Words(usize, UWordBoundIndices<'a>),
    Sentences(Option<usize>, Starts<'a>),
    Lines(usize),
}

impl<'a> Segments<'a> {
    pub(super) fn new(text: &'a str, unit: Unit, start: usize) -> Self {
        let rest = &text[start..];
        let kind = match unit {
            Unit::Character => Kind::Characters(start),
            Unit::Grapheme => Kind::Graphemes(start, rest.grapheme_indices(true)),
            Unit::Word => Kind::Words(start, rest.split_word_bound_indices()),
            Unit::Sentence => Kind::Sentences(Some(start), Starts::new(text, start)),
            Unit::Line => Kind::Lines(start),
        };
        Self { text, kind }
    }

    /// Returns where the next unit starts, and the one behind it.
    fn next_raw(&mut self) -> Option<(usize, usize)> {
        match &mut self.kind {
            Kind::Characters(at) => {
                let start = *at;
                *at += self.text[start..].chars().next()?.len_utf8();
                Some((start, *at))
            }
            Kind::Graphemes(start, graphemes) => graphemes
                .next()
                .map(|(at, grapheme)| (*start + at, *start + at + grapheme.len())),
            Kind::Words(start, words) => words
                .next()
                .map(|(at, word)| (*start + at, *start + at + word.len())),
            Kind::Sentences(next, starts) => {
                let start = next.filter(|&start| start < self.text.len())?;
                *next = starts.next();
                Some((start, next.unwrap_or(self.text.len())))
            }
            Kind::Lines(at) => {
                let start = *at;
                let rest = &self.text[start..];
                if rest.is_empty() {
                    return None;
                }
                *at = rest.find(ends_line).map_or(self.text.len(), |end| {
                    let length = if rest[end..].starts_with("\r\n") {
                        2
                    } else {
                        rest[end..].chars().next().map_or(0, char::len_utf8)
                    };
                    start + end + length
                });
                Some((start, *at))
            }
        }
    }
}

impl Iterator for Segments<'_> {
    type Item = Segment;

    fn next(&mut self) -> Option<Segment> {
        let (start, next) = self.next_raw()?;
        let unit = &self.text[start..next];
        let kept = match self.kind {
            Kind::Characters(_) | Kind::Graphemes(..) => unit,
            Kind::Words(..) | Kind::Sentences(..) => unit.trim_end(),
            Kind::Lines(_) if unit.trim_end().is_empty() => "",
            Kind::Lines(_) => unit.trim_end_matches(ends_line),
        };
        let end = start + kept.len();
        Some(Segment { start, end, next })
    }
}

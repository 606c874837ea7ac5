//! A text cut to a number of tokens.

use std::borrow::Cow;

use crate::cut::{Measured, Ruler, Wanted};
use crate::error::TokenizerError;
use crate::segment::{At, Edge, Places, Unit};
use crate::tokenizer::Tokenizer;
use crate::trail::Side;

/// What a cut keeps of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// Its start.
    Head,
    /// Its end.
    Tail,
    /// Both, and the marker between them.
    Ends,
}

impl Keep {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Head, Self::Tail, Self::Ends];

    /// Returns the word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Head => "head",
            Self::Tail => "tail",
            Self::Ends => "ends",
        }
    }
}

/// What is left of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Truncated<'a> {
    /// The text: as it was, or what is kept of it with the marker; empty where nothing is.
    pub text: Cow<'a, str>,
    /// Its tokens.
    pub tokens: u64,
    /// How many bytes of the start are kept; all, where nothing was cut.
    pub head: usize,
    /// How many bytes of the end are kept besides.
    pub tail: usize,
}

/// Returns where a cut that keeps the start of a text may end, as byte offsets from `from` to `to`,
/// both included; the end of the text is no cut.
/// Ascending.
///
/// Linear in the stretch, and in what stands before it up to a safe place to start.
///
/// # Examples
///
/// ```
/// use packframe_tokens::{At, cut_places};
///
/// assert_eq!(cut_places("one two three", At::Word, 0, 13), [3, 7]);
/// assert_eq!(cut_places("one two three", At::Word, 4, 7), [7]);
/// assert!(cut_places("one", At::Word, 9, 12).is_empty());
/// ```
#[must_use]
pub fn cut_places(text: &str, at: At, from: usize, to: usize) -> Vec<usize> {
    let to = to.min(text.len());
    if from > to {
        return Vec::new();
    }
    Places::new(text, Unit::from(at), Edge::End).within(from, to)
}

/// Cuts a text to at most `limit` tokens, counted with the marker as the tokenizer sees both.
///
/// A text that fits is returned as it is, without the marker. Else one stretch of it is replaced by
/// the marker: what is kept ends, or starts, where `at` says, white space behind a word or sentence
/// and the line break of a line not included, and never inside a grapheme. What is kept is not
/// shorter than the longest allowed cut all of whose shorter ones fit; where the tokenizer has
/// seams near the cut, it is the longest that fits. Of both ends, the start gets half of the room
/// that the marker leaves, the end what is then left, and the start what the end could not use.
/// Where nothing can be kept, the result is empty, without the marker.
///
/// With seams it reads what has as many tokens as the limit, and the stretch between the seams
/// around the cut some times again; an opaque tokenizer counts the text once, and some four to
/// seven cuts of it.
///
/// # Errors
///
/// As [`Tokenizer::count`].
pub fn truncate<'a>(
    tokenizer: &dyn Tokenizer,
    text: &'a str,
    limit: u64,
    (keep, at): (Keep, At),
    marker: &str,
) -> Result<Truncated<'a>, TokenizerError> {
    let mut ruler = Ruler::new(tokenizer, text, marker);
    let first = if keep == Keep::Tail {
        Side::Tail
    } else {
        Side::Head
    };
    if let Some(tokens) = ruler.till(limit, first)? {
        return Ok(Truncated {
            text: Cow::Borrowed(text),
            tokens,
            head: text.len(),
            tail: 0,
        });
    }
    let room = limit.saturating_sub(ruler.marker()?);
    let unit = Unit::from(at);
    let mut ends = Places::new(text, unit, Edge::End);
    let mut starts = Places::new(text, unit, Edge::Start);
    let mut heads = |from, to| ends.within(from, to);
    let mut tails = |from, to| {
        let starts = starts.within(text.len() - to, text.len() - from);
        let lengths = starts.into_iter().rev().map(|start| text.len() - start);
        lengths.collect::<Vec<_>>()
    };
    let mut longest = |side, other, limit, room, least| {
        let wanted = Wanted {
            side,
            other,
            limit,
            least,
            most: (text.len() - other).saturating_sub(1),
            guess: ruler.guess(side, room, (4, 1)),
        };
        match side {
            Side::Head => ruler.longest(wanted, &mut heads),
            Side::Tail => ruler.longest(wanted, &mut tails),
        }
    };
    let (mut head, mut tail) = (0, 0);
    let mut last: Option<Measured> = None;
    let half = if keep == Keep::Ends {
        room.div_ceil(2)
    } else {
        room
    };
    if keep != Keep::Tail {
        last = longest(Side::Head, 0, limit - (room - half), half, 0)?;
        head = last.map_or(0, |measured| measured.length);
    }
    if keep != Keep::Head {
        let left = last.map_or(room, |measured| limit - measured.tokens);
        if let Some(measured) = longest(Side::Tail, head, limit, left, 0)? {
            tail = measured.length;
            last = Some(measured);
        }
    }
    if keep == Keep::Ends {
        let left = last.map_or(0, |measured| limit - measured.tokens);
        if let Some(measured) = longest(Side::Head, tail, limit, half + left, head)? {
            head = measured.length;
            last = Some(measured);
        }
    }
    Ok(match last {
        Some(Measured { tokens, .. }) => Truncated {
            text: Cow::Owned(ruler.kept(head, tail)),
            tokens,
            head,
            tail,
        },
        None => Truncated {
            text: Cow::Borrowed(""),
            tokens: 0,
            head: 0,
            tail: 0,
        },
    })
}

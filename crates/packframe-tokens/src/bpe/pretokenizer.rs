//! The split of a text into pieces, written out for the patterns of the encodings.
//!
//! Each function is a pattern read as a sequence of questions about classes of characters; none
//! looks back, and the only thing that looks ahead is white space. What backtracking would do in
//! the pattern is worked out beforehand and said where it matters.

use super::class::{BREAK, HEADS, LEADS, LETTERS, NUMBER, SIGNS, TAILS, WHITE, WORDS, at, has};
use super::pattern::Pattern;

/// Returns the end of the piece that starts at `start`, which is in the text.
#[inline]
pub(crate) fn piece_end(pattern: Pattern, text: &[u8], start: usize) -> usize {
    match pattern {
        Pattern::Cl100k => cl100k(text, start),
        Pattern::O200k => o200k(text, start),
    }
}

/// `'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|
/// \s++$|\s*[\r\n]|\s+(?!\S)|\s`
#[inline]
fn cl100k(text: &[u8], start: usize) -> usize {
    let (class, length) = at(text, start);
    let next = start + length;
    if has(LETTERS, class) {
        return letters(text, next);
    }
    if text[start] == b'\''
        && let Some(end) = contraction(text, next)
    {
        return end;
    }
    if class == NUMBER {
        return numbers(text, next);
    }
    if has(LEADS, class) && next < text.len() {
        let (following, length) = at(text, next);
        if has(LETTERS, following) {
            return letters(text, next + length);
        }
    }
    match signs(text, start, class, next, |byte| {
        matches!(byte, b'\r' | b'\n')
    }) {
        Some(end) => end,
        None => match white_space(text, start) {
            White { end, .. } if end == text.len() => end,
            white => white.inside(),
        },
    }
}

/// `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|…)?|
/// [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|…)?|
/// \p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
#[inline]
fn o200k(text: &[u8], start: usize) -> usize {
    let (class, length) = at(text, start);
    let next = start + length;
    if has(LETTERS, class) {
        return cased_word(text, start);
    }
    if class == NUMBER {
        return numbers(text, next);
    }
    if has(LEADS, class) && next < text.len() {
        let (following, _) = at(text, next);
        if has(WORDS, following) {
            // With the lead the first alternative needs a tail behind it; a lead that is a mark
            // is a tail itself, and then the first alternative without a lead comes before the
            // second with one.
            if has(TAILS, class) && !has_tail(text, next) {
                return with_contraction(text, next);
            }
            return cased_word(text, next);
        }
    }
    if has(TAILS, class) {
        return with_contraction(text, next);
    }
    match signs(text, start, class, next, |byte| {
        matches!(byte, b'\r' | b'\n' | b'/')
    }) {
        Some(end) => end,
        None => match white_space(text, start) {
            White {
                end,
                behind_break: None,
                ..
            } if end == text.len() => end,
            white => white.inside(),
        },
    }
}

/// Returns the end of heads and tails from `start` on, of which there is at least one, with the
/// contraction behind them.
///
/// `[heads]*[tails]+` comes first: heads take all they can, then tails. Where no tail follows, the
/// heads give back up to the last of them that is a tail too. Without one `[heads]+[tails]*` takes
/// the heads alone.
#[inline]
fn cased_word(text: &[u8], start: usize) -> usize {
    let mut end = start;
    let mut last_both = None;
    while end < text.len() {
        let (class, length) = at(text, end);
        if !has(HEADS, class) {
            if has(TAILS, class) {
                return with_contraction(text, tails(text, end + length));
            }
            break;
        }
        end += length;
        if has(TAILS, class) {
            last_both = Some(end);
        }
    }
    with_contraction(text, last_both.unwrap_or(end))
}

/// Says whether `[heads]*[tails]` matches at `start`.
fn has_tail(text: &[u8], start: usize) -> bool {
    let mut end = start;
    while end < text.len() {
        let (class, length) = at(text, end);
        if has(TAILS, class) {
            return true;
        }
        if !has(HEADS, class) {
            return false;
        }
        end += length;
    }
    false
}

/// Returns the end of the contraction at `end`, or `end` where there is none.
#[inline]
fn with_contraction(text: &[u8], end: usize) -> usize {
    if end < text.len() && text[end] == b'\'' {
        contraction(text, end + 1).unwrap_or(end)
    } else {
        end
    }
}

/// Returns the end of `(?i:[sdmt]|ll|ve|re)`, if it is there. Of all these letters only `s` has a
/// third form, the long `ſ`.
pub(super) fn contraction(text: &[u8], start: usize) -> Option<usize> {
    let first = text.get(start)?;
    let second = text.get(start + 1).map(u8::to_ascii_lowercase);
    match (first.to_ascii_lowercase(), second) {
        (b's' | b'd' | b'm' | b't', _) => Some(start + 1),
        // The long s is the bytes C5 BF.
        (b'l', Some(b'l')) | (b'v' | b'r', Some(b'e')) | (0xC5, Some(0xBF)) => Some(start + 2),
        _ => None,
    }
}

/// Returns the end of letters.
#[inline]
fn letters(text: &[u8], start: usize) -> usize {
    run(text, ascii_letters(text, start, FOLD), LETTERS)
}

/// Returns the end of tails.
#[inline]
fn tails(text: &[u8], start: usize) -> usize {
    run(text, ascii_letters(text, start, 0), TAILS)
}

/// The bit that tells small letters of ASCII from capital ones, in each of eight bytes.
const FOLD: u64 = 0x2020_2020_2020_2020;

/// Returns the end of small letters of ASCII, or with [`FOLD`] of letters of both cases, in steps of
/// eight bytes: where fewer than eight are left, the caller looks at each.
#[inline]
fn ascii_letters(text: &[u8], start: usize, fold: u64) -> usize {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let mut end = start;
    while let Some(bytes) = text[end..].first_chunk() {
        let bytes = u64::from_le_bytes(*bytes);
        let seven = bytes & !HIGH | fold;
        // Adding carries into the high bit of each byte that is at least 'a', or beyond 'z'.
        let from_a = seven + 0x1F1F_1F1F_1F1F_1F1F;
        let beyond_z = seven + 0x0505_0505_0505_0505;
        let others = !(from_a & !beyond_z & !bytes) & HIGH;
        if others != 0 {
            return end + (others.trailing_zeros() / 8) as usize;
        }
        end += 8;
    }
    end
}

/// Returns the end of the characters of a set.
#[inline]
fn run(text: &[u8], start: usize, set: u8) -> usize {
    let mut end = start;
    while end < text.len() {
        let (class, length) = at(text, end);
        if !has(set, class) {
            break;
        }
        end += length;
    }
    end
}

/// Returns the end of `\p{N}{1,3}` behind its first character.
#[inline]
fn numbers(text: &[u8], start: usize) -> usize {
    let mut end = start;
    for _ in 0..2 {
        if end == text.len() {
            break;
        }
        let (class, length) = at(text, end);
        if class != NUMBER {
            break;
        }
        end += length;
    }
    end
}

/// Returns the end of ` ?[^\s\p{L}\p{N}]+` and the bytes that may follow it, if it is there.
#[inline]
fn signs(
    text: &[u8],
    start: usize,
    class: u8,
    next: usize,
    follows: fn(u8) -> bool,
) -> Option<usize> {
    let from = if has(SIGNS, class) {
        next
    } else if text[start] == b' ' && next < text.len() {
        let (following, length) = at(text, next);
        if !has(SIGNS, following) {
            return None;
        }
        next + length
    } else {
        return None;
    };
    let mut end = run(text, from, SIGNS);
    while end < text.len() && follows(text[end]) {
        end += 1;
    }
    Some(end)
}

/// A run of white space.
struct White {
    start: usize,
    end: usize,
    /// Where its last character starts.
    last: usize,
    /// The end of its last line break.
    behind_break: Option<usize>,
}

impl White {
    /// Returns the end of the piece where something follows: up to the last line break; else all
    /// but the last character, which starts the next piece; else that one.
    fn inside(&self) -> usize {
        match self.behind_break {
            Some(behind_break) => behind_break,
            None if self.last > self.start => self.last,
            None => self.end,
        }
    }
}

/// Returns the run of white space at `start`: what no other alternative takes is that.
fn white_space(text: &[u8], start: usize) -> White {
    let mut white = White {
        start,
        end: start,
        last: start,
        behind_break: None,
    };
    while white.end < text.len() {
        let (class, length) = at(text, white.end);
        if !has(WHITE, class) {
            break;
        }
        white.last = white.end;
        white.end += length;
        if class == BREAK {
            white.behind_break = Some(white.end);
        }
    }
    debug_assert!(white.end > start, "each class is in some alternative");
    white
}

#[cfg(test)]
mod tests {
    use super::{FOLD, ascii_letters};

    #[test]
    fn eight_bytes_at_once_are_what_each_is_alone() {
        for byte in 0..=u8::MAX {
            for place in 0..8 {
                let mut text = *b"abcdefgh";
                text[place] = byte;
                let small = if byte.is_ascii_lowercase() { 8 } else { place };
                assert_eq!(ascii_letters(&text, 0, 0), small, "{byte} at {place}");
                let both = if byte.is_ascii_alphabetic() { 8 } else { place };
                assert_eq!(ascii_letters(&text, 0, FOLD), both, "{byte} at {place}");
            }
        }
    }

    use crate::bpe::class::{SPACE, at};

    #[test]
    fn a_no_break_space_is_white_space() {
        assert_eq!(at("\u{a0}".as_bytes(), 0), (SPACE, 2));
    }
}

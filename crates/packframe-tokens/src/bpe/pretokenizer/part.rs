//! What several patterns are made of.

use crate::bpe::class::{BREAK, LETTERS, NUMBER, TAILS, WHITE, at, has};

/// Returns the end of `(?i:[sdmt]|ll|ve|re)`, if it is there. Of all these letters only `s` has a
/// third form, the long `ſ`.
pub(in crate::bpe) fn contraction(text: &[u8], start: usize) -> Option<usize> {
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
pub(super) fn letters(text: &[u8], start: usize) -> usize {
    run(text, ascii_letters(text, start, FOLD), LETTERS)
}

/// Returns the end of tails.
#[inline]
pub(super) fn tails(text: &[u8], start: usize) -> usize {
    run(text, ascii_letters(text, start, 0), TAILS)
}

/// The bit that tells small letters of ASCII from capital ones, in each of eight bytes.
pub(super) const FOLD: u64 = 0x2020_2020_2020_2020;

/// Returns the end of small letters of ASCII, or with [`FOLD`] of letters of both cases, in steps of
/// eight bytes: where fewer than eight are left, the caller looks at each.
#[inline]
pub(super) fn ascii_letters(text: &[u8], start: usize, fold: u64) -> usize {
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
pub(super) fn run(text: &[u8], start: usize, set: u8) -> usize {
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

/// Returns the end of `\p{N}{1,DIGITS}` behind its first character.
#[inline]
pub(super) fn numbers<const DIGITS: usize>(text: &[u8], start: usize) -> usize {
    let mut end = start;
    for _ in 1..DIGITS {
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

/// Returns the end of ` ?` and signs, the characters of `set`, and of the bytes that may follow
/// them, if they are there. The first character is of `class` and goes from `start` to `next`.
#[inline]
pub(super) fn signs(
    text: &[u8],
    (start, next): (usize, usize),
    class: u8,
    set: u8,
    follows: fn(u8) -> bool,
) -> Option<usize> {
    let from = if has(set, class) {
        next
    } else if text[start] == b' ' && next < text.len() {
        let (following, length) = at(text, next);
        if !has(set, following) {
            return None;
        }
        next + length
    } else {
        return None;
    };
    let mut end = run(text, from, set);
    while end < text.len() && follows(text[end]) {
        end += 1;
    }
    Some(end)
}

/// A run of white space.
pub(super) struct White {
    start: usize,
    pub(super) end: usize,
    /// Where its last character starts.
    last: usize,
    /// The end of its last line break.
    pub(super) behind_break: Option<usize>,
}

impl White {
    /// Returns the end of the piece where something follows: up to the last line break; else all
    /// but the last character, which starts the next piece; else that one.
    pub(super) fn inside(&self) -> usize {
        self.behind_break.unwrap_or_else(|| self.but_last())
    }

    /// Returns the end of all but the last character; where it is the only one, of that.
    pub(super) fn but_last(&self) -> usize {
        if self.last > self.start {
            self.last
        } else {
            self.end
        }
    }
}

/// Returns the run of white space at `start`: what no other alternative takes is that.
pub(super) fn white_space(text: &[u8], start: usize) -> White {
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

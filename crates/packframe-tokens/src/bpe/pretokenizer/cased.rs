//! Words of letters of one case or capitalised: `o200k_base`, Tekken.

use super::part::{White, contraction, numbers, signs, tails, white_space};
use crate::bpe::class::{HEADS, LEADS, LETTERS, NUMBER, SIGNS, TAILS, WORDS, at, has};

/// `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|…)?|
/// [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|…)?|
/// \p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
///
/// with so many `DIGITS`, and the contraction or without it.
#[inline]
pub(super) fn cased<const DIGITS: usize, const CONTRACTION: bool>(
    text: &[u8],
    start: usize,
) -> usize {
    let (class, length) = at(text, start);
    let next = start + length;
    if has(LETTERS, class) {
        return cased_word::<CONTRACTION>(text, start);
    }
    if class == NUMBER {
        return numbers::<DIGITS>(text, next);
    }
    if has(LEADS, class) && next < text.len() {
        let (following, _) = at(text, next);
        if has(WORDS, following) {
            // With the lead the first alternative needs a tail behind it; a lead that is a mark
            // is a tail itself, and then the first alternative without a lead comes before the
            // second with one.
            if has(TAILS, class) && !has_tail(text, next) {
                return with_contraction::<CONTRACTION>(text, next);
            }
            return cased_word::<CONTRACTION>(text, next);
        }
    }
    if has(TAILS, class) {
        return with_contraction::<CONTRACTION>(text, next);
    }
    let follows = |byte| matches!(byte, b'\r' | b'\n' | b'/');
    match signs(text, (start, next), class, SIGNS, follows) {
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
fn cased_word<const CONTRACTION: bool>(text: &[u8], start: usize) -> usize {
    let mut end = start;
    let mut last_both = None;
    while end < text.len() {
        let (class, length) = at(text, end);
        if !has(HEADS, class) {
            if has(TAILS, class) {
                return with_contraction::<CONTRACTION>(text, tails(text, end + length));
            }
            break;
        }
        end += length;
        if has(TAILS, class) {
            last_both = Some(end);
        }
    }
    with_contraction::<CONTRACTION>(text, last_both.unwrap_or(end))
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

/// Returns the end of the contraction at `end`, or `end` where there is none, or none is asked for.
#[inline]
fn with_contraction<const CONTRACTION: bool>(text: &[u8], end: usize) -> usize {
    if CONTRACTION && end < text.len() && text[end] == b'\'' {
        contraction(text, end + 1).unwrap_or(end)
    } else {
        end
    }
}

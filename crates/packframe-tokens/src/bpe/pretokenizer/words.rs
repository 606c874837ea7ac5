//! Words of letters of any case: `cl100k_base`, Llama 3, Qwen.

use super::part::{White, contraction, letters, numbers, run, signs, white_space};
use crate::bpe::class::{LEADS, LETTERS, NUMBER, OTHER, SIGNS, WORDS, at, has};

/// `'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|
/// \s++$|\s*[\r\n]|\s+(?!\S)|\s`
///
/// with so many `DIGITS`; with `MARKS` the word is `[\p{L}\p{M}]+` and marks are no signs; without
/// `ENDS` there is no `\s++$`. `\s*[\r\n]+` and `\s+` in place of the last ones take the same.
#[inline]
pub(super) fn words<const DIGITS: usize, const MARKS: bool, const ENDS: bool>(
    text: &[u8],
    start: usize,
) -> usize {
    let word = if MARKS { WORDS } else { LETTERS };
    let (class, length) = at(text, start);
    let next = start + length;
    // A mark may be the lead of a word, and then is its first character as well.
    if has(word, class) {
        return word_end::<MARKS>(text, next);
    }
    if text[start] == b'\''
        && let Some(end) = contraction(text, next)
    {
        return end;
    }
    if class == NUMBER {
        return numbers::<DIGITS>(text, next);
    }
    if has(LEADS, class) && next < text.len() {
        let (following, length) = at(text, next);
        if has(word, following) {
            return word_end::<MARKS>(text, next + length);
        }
    }
    let set = if MARKS { 1 << OTHER } else { SIGNS };
    let follows = |byte| matches!(byte, b'\r' | b'\n');
    match signs(text, (start, next), class, set, follows) {
        Some(end) => end,
        None => match white_space(text, start) {
            White {
                end, behind_break, ..
            } if end == text.len() && (ENDS || behind_break.is_none()) => end,
            white => white.inside(),
        },
    }
}

/// Returns the end of the rest of a word.
#[inline]
fn word_end<const MARKS: bool>(text: &[u8], start: usize) -> usize {
    let end = letters(text, start);
    if MARKS { run(text, end, WORDS) } else { end }
}

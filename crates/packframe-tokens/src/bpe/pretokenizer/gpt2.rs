//! Letters, digits or signs with the space before them: GPT-2.

use super::part::{letters, run, white_space};
use crate::bpe::class::{LETTERS, NUMBER, SIGNS, at, has};

/// `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
#[inline]
pub(super) fn gpt2(text: &[u8], start: usize) -> usize {
    let (class, length) = at(text, start);
    let next = start + length;
    if has(LETTERS, class) {
        return letters(text, next);
    }
    if text[start] == b'\''
        && let Some(end) = small_contraction(text, next)
    {
        return end;
    }
    if let Some(end) = like(text, class, next) {
        return end;
    }
    if text[start] == b' ' && next < text.len() {
        let (following, length) = at(text, next);
        if let Some(end) = like(text, following, next + length) {
            return end;
        }
    }
    let white = white_space(text, start);
    if white.end == text.len() {
        white.end
    } else {
        white.but_last()
    }
}

/// Returns the end of the letters, numbers or signs from `next` on, where one is before it.
#[inline]
fn like(text: &[u8], class: u8, next: usize) -> Option<usize> {
    if has(LETTERS, class) {
        Some(letters(text, next))
    } else if class == NUMBER {
        Some(run(text, next, 1 << NUMBER))
    } else if has(SIGNS, class) {
        Some(run(text, next, SIGNS))
    } else {
        None
    }
}

/// Returns the end of `s|t|re|ve|m|ll|d`, if it is there.
fn small_contraction(text: &[u8], start: usize) -> Option<usize> {
    match (text.get(start)?, text.get(start + 1)) {
        (b's' | b't' | b'm' | b'd', _) => Some(start + 1),
        (b'r' | b'v', Some(b'e')) | (b'l', Some(b'l')) => Some(start + 2),
        _ => None,
    }
}

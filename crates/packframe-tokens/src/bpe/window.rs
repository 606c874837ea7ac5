//! The borders of pieces in 64 bytes at once, as far as they are ASCII.
//!
//! A window starts where a piece starts. From the classes of its bytes the starts of the further
//! pieces are worked out with a few operations on whole words of bits, by the same rules that
//! `pretokenizer.rs` asks one by one. Only starts that no byte behind the window can change are
//! given; for all others, and for all text beyond ASCII, the window gives nothing and the caller
//! asks `pretokenizer.rs`.

use super::masks::Masks;
use super::pattern::Pattern;
use super::pretokenizer::contraction;
use super::wide;

/// Bytes of a window.
pub(super) const WIDTH: usize = 64;

/// Returns a bit for each byte of the text from `start` on at which a piece starts, the first one
/// included: a piece starts there. Between two bits is a piece, and the last bit is where to go on;
/// it may be the end of the text.
#[inline]
pub(super) fn starts(pattern: Pattern, text: &[u8], start: usize) -> u64 {
    let rest = &text[start..];
    if let Some(bytes) = rest.first_chunk() {
        return of(pattern, rest, wide::read(bytes), !0);
    }
    let mut bytes = [0; WIDTH];
    bytes[..rest.len()].copy_from_slice(rest);
    of(pattern, rest, wide::read(&bytes), (1 << rest.len()) - 1)
}

/// Returns the starts, given the classes of the bytes and which of them are there.
#[inline]
fn of(pattern: Pattern, text: &[u8], masks: Masks, there: u64) -> u64 {
    if pattern == Pattern::Gpt2 {
        return gpt2(text, masks, there);
    }
    // What is known: the bytes before the first one beyond ASCII, and for DeepSeek before the first
    // control character, which it has in no class.
    let strange = match pattern {
        Pattern::DeepSeek => masks.beyond | masks.controls,
        _ => masks.beyond,
    };
    let known = below_lowest(strange) & there;
    let white = masks.white & known;
    let letters = masks.letters & known;
    let digits = masks.digits & known;
    let breaks = masks.breaks & known;
    let spaces = masks.spaces & known;
    let signs = known & !(white | letters | digits);
    let blanks = white & !breaks;

    // Breaks behind signs are part of their piece.
    let taken = run_from(breaks, signs << 1 & breaks);
    let free_white = white & !taken;

    // White space: a run starts a piece; so does what is behind its last break; so does its last
    // blank, which then may lead a word or, if it is a space, signs.
    let mut last_blanks = blanks & !(white >> 1);
    if pattern == Pattern::DeepSeek {
        // Its digits are taken out first, so white space before them ends a text.
        last_blanks &= !(digits >> 1);
    }
    let behind_break = blanks & (breaks & !taken) << 1;
    let mut starts = free_white & !(free_white << 1) | last_blanks | behind_break;
    // Blanks between two breaks of a run start nothing.
    let mut before_break = breaks & blanks << 1;
    while before_break != 0 {
        let end = before_break.trailing_zeros();
        let first = 64 - (!blanks & ((1 << end) - 1)).leading_zeros();
        starts &= !(behind_break & 1 << first);
        before_break &= before_break - 1;
    }

    // Signs, with the space before them.
    let first_signs = signs & !(signs << 1) & !(spaces << 1);
    starts |= first_signs;

    // Digits: each, or three to a piece.
    match pattern {
        Pattern::Qwen2 | Pattern::Qwen35 | Pattern::Tekken => starts |= digits,
        _ => starts |= thirds(digits),
    }

    // Words, with the blank or the single sign before them.
    let leads = blanks | first_signs & !(signs >> 1);
    starts |= letters & !(letters << 1) & !(leads << 1);

    // Starts that bytes behind the known ones cannot change: the last one of white space depends on
    // what follows the run, a contraction on three bytes.
    let mut sure = Sure::new(known, white, there);

    let mut apostrophes = masks.apostrophes & letters >> 1;
    match pattern {
        Pattern::Gpt2 | Pattern::DeepSeek => {}
        Pattern::Cl100k | Pattern::Llama3 | Pattern::Qwen2 | Pattern::Qwen35 => {
            apostrophes &= first_signs;
            while apostrophes != 0 {
                let at = apostrophes.trailing_zeros() as usize;
                if let Some(end) = contraction(text, at + 1) {
                    starts |= bit(end);
                }
                apostrophes &= apostrophes - 1;
            }
        }
        Pattern::O200k | Pattern::Tekken => {
            // A small letter before a capital one ends a word.
            let capitals = masks.capitals & letters;
            starts |= capitals & (letters & !capitals) << 1;
            // A contraction is part of the word before it, which no contraction is.
            apostrophes &= letters << 1;
            if pattern == Pattern::Tekken {
                apostrophes = 0;
            }
            let mut behind = 0;
            while apostrophes != 0 {
                let at = apostrophes.trailing_zeros() as usize;
                if at != behind
                    && let Some(end) = contraction(text, at + 1)
                {
                    starts &= !bit(end).wrapping_sub(bit(at));
                    starts |= bit(end);
                    behind = end;
                }
                apostrophes &= apostrophes - 1;
            }
            // Slashes behind the breaks that signs took belong to them as well.
            let mut behind_taken = taken << 1 & signs;
            while behind_taken != 0 {
                let at = behind_taken.trailing_zeros() as usize;
                if text[at] == b'/' {
                    sure.stop(at);
                }
                behind_taken &= behind_taken - 1;
            }
        }
    }
    sure.of(starts)
}

/// Returns the starts for GPT-2: letters, digits or signs, each with the space before them.
fn gpt2(text: &[u8], masks: Masks, there: u64) -> u64 {
    let known = below_lowest(masks.beyond) & there;
    let white = masks.white & known;
    let spaces = masks.spaces & known;
    let letters = masks.letters & known;
    let digits = masks.digits & known;
    let signs = known & !(white | letters | digits);
    let first = |class: u64| class & !(class << 1);
    let led = first(letters) | first(digits) | first(signs);
    let mut starts = first(white) | white & !(white >> 1) | led & !(spaces << 1);
    let mut apostrophes = masks.apostrophes & letters >> 1 & first(signs) & !(spaces << 1);
    while apostrophes != 0 {
        let at = apostrophes.trailing_zeros() as usize;
        if let Some(end) = contraction(text, at + 1)
            && text[at + 1..end].iter().all(u8::is_ascii_lowercase)
        {
            starts &= !bit(at + 1);
            starts |= bit(end);
        }
        apostrophes &= apostrophes - 1;
    }
    Sure::new(known, white, there).of(starts)
}

/// Which starts no byte behind the known ones can change.
struct Sure {
    bits: u64,
    /// The end of the text, if it is known and a piece ends there.
    end: u64,
}

impl Sure {
    fn new(known: u64, white: u64, there: u64) -> Self {
        let whole = known == there && there != !0;
        let mut bits = if whole { known } else { known >> 2 };
        let mut end = if whole { known + 1 } else { 0 };
        // The last run of white space: what is in it depends on what follows.
        if known >> 1 < white {
            let last_other = 64 - (known & !white).leading_zeros();
            bits &= (2_u64 << last_other).wrapping_sub(1);
            end = 0;
        }
        Self { bits, end }
    }

    /// Leaves out all from a byte on.
    fn stop(&mut self, at: usize) {
        self.bits &= bit(at).wrapping_sub(1);
        self.end = 0;
    }

    fn of(&self, starts: u64) -> u64 {
        starts & self.bits | self.end | 1
    }
}

/// Returns the bit of a byte, none beyond the window.
#[inline]
fn bit(at: usize) -> u64 {
    if at < WIDTH { 1 << at } else { 0 }
}

/// Returns the first byte of each run, and each third one behind it.
#[inline]
fn thirds(digits: u64) -> u64 {
    let third = digits & digits << 1 & digits << 2;
    let mut behind = digits & !(digits << 1);
    let mut starts = behind;
    loop {
        behind = behind << 3 & third;
        if behind == 0 {
            return starts;
        }
        starts |= behind;
    }
}

/// Returns the bits below the lowest one of a word; all, where it has none.
#[inline]
const fn below_lowest(bits: u64) -> u64 {
    !bits & bits.wrapping_sub(1)
}

/// Returns the runs of a set that begin at the bits of `first`, each of which is the first of one.
#[inline]
const fn run_from(set: u64, first: u64) -> u64 {
    set & !set.wrapping_add(first)
}

#[cfg(test)]
mod tests {
    use super::{Pattern, starts};
    use crate::bpe::pretokenizer::piece_end;

    /// Every class that a pattern tells apart, and what contractions are made of.
    const PARTS: [&str; 22] = [
        "a", "Z", "s", "ll", "'", "'S", " ", "  ", "\t", "\n", "\r\n", "1", "123", ".", "/", "((",
        "\u{1}", "\u{e9}", "\u{301}", "\u{4e2d}", "\u{a0}", "\u{17f}",
    ];

    fn check(pattern: Pattern, text: &str) {
        let text = text.as_bytes();
        let mut start = 0;
        while start < text.len() {
            let mut found = starts(pattern, text, start) & !1;
            if found == 0 {
                start = piece_end(pattern, text, start);
                continue;
            }
            let from = start;
            while found != 0 {
                let end = from + found.trailing_zeros() as usize;
                let text = String::from_utf8_lossy(text);
                assert_eq!(
                    piece_end(pattern, text.as_bytes(), start),
                    end,
                    "{pattern:?} from {start} in {text:?}"
                );
                start = end;
                found &= found - 1;
            }
        }
    }

    #[test]
    fn windows_say_what_the_patterns_do_on_all_short_texts() {
        for pattern in Pattern::ALL {
            for first in PARTS {
                for second in PARTS {
                    for third in PARTS {
                        for fourth in PARTS {
                            check(pattern, &format!("{first}{second}{third}{fourth}"));
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn windows_say_what_the_patterns_do_on_long_texts() {
        let mut state = 1_u64;
        for round in 0..20_000 {
            let mut text = String::new();
            for _ in 0..round % 90 {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                text.push_str(PARTS[(state >> 33) as usize % PARTS.len()]);
            }
            for pattern in Pattern::ALL {
                check(pattern, &text);
            }
        }
    }
}

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
    match rest.first_chunk() {
        Some(bytes) => of(pattern, rest, wide::read(bytes), !0),
        None => {
            let mut bytes = [0; WIDTH];
            bytes[..rest.len()].copy_from_slice(rest);
            of(pattern, rest, wide::read(&bytes), (1 << rest.len()) - 1)
        }
    }
}

/// Returns the starts, given the classes of the bytes and which of them are there.
#[inline]
fn of(pattern: Pattern, text: &[u8], masks: Masks, there: u64) -> u64 {
    // What is known: the bytes before the first one beyond ASCII.
    let known = below_lowest(masks.beyond) & there;
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
    let last_blanks = blanks & !(white >> 1);
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

    // Digits, three to a piece.
    let mut behind = digits & !(digits << 1);
    starts |= behind;
    let third = digits & digits << 1 & digits << 2;
    loop {
        behind = behind << 3 & third;
        if behind == 0 {
            break;
        }
        starts |= behind;
    }

    // Words, with the blank or the single sign before them.
    let leads = blanks | first_signs & !(signs >> 1);
    starts |= letters & !(letters << 1) & !(leads << 1);

    // Starts that bytes behind the known ones cannot change: the last one of white space depends on
    // what follows the run, a contraction on three bytes.
    let mut whole = known == there && there != !0;
    let mut sure = if whole { known } else { known >> 2 };
    let last_other = 64 - (known & !white).leading_zeros();
    let ends_white = known >> 1 < white;
    if ends_white {
        sure &= (2_u64 << last_other).wrapping_sub(1);
    }

    let mut apostrophes = masks.apostrophes & letters >> 1;
    match pattern {
        // TODO: the further patterns, by their parameters.
        Pattern::Llama3
        | Pattern::Qwen2
        | Pattern::Qwen35
        | Pattern::Tekken
        | Pattern::Gpt2
        | Pattern::DeepSeek => return 1,
        Pattern::Cl100k => {
            apostrophes &= first_signs;
            while apostrophes != 0 {
                let at = apostrophes.trailing_zeros() as usize;
                if let Some(end) = contraction(text, at + 1) {
                    starts |= 1_u64.checked_shl(end as u32).unwrap_or(0);
                }
                apostrophes &= apostrophes - 1;
            }
        }
        Pattern::O200k => {
            // A small letter before a capital one ends a word.
            let capitals = masks.capitals & letters;
            starts |= capitals & (letters & !capitals) << 1;
            // A contraction is part of the word before it, which no contraction is.
            apostrophes &= letters << 1;
            let mut behind = 0;
            while apostrophes != 0 {
                let at = apostrophes.trailing_zeros() as usize;
                if at != behind
                    && let Some(end) = contraction(text, at + 1)
                {
                    let bit = 1_u64.checked_shl(end as u32).unwrap_or(0);
                    starts &= !bit.wrapping_sub(1 << at);
                    starts |= bit;
                    behind = end;
                }
                apostrophes &= apostrophes - 1;
            }
            // Slashes behind the breaks that signs took belong to them as well.
            let mut behind_taken = taken << 1 & signs;
            while behind_taken != 0 {
                let at = behind_taken.trailing_zeros();
                if text[at as usize] == b'/' {
                    sure &= (1 << at) - 1;
                    whole = false;
                }
                behind_taken &= behind_taken - 1;
            }
        }
    }
    starts &= sure;
    if whole && !ends_white {
        starts |= known + 1;
    }
    starts | 1
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

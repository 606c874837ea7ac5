//! Digits, ideographs and kana, then the rest: `DeepSeek` V3 and later.

use crate::bpe::class::deepseek_at as at;

/// The classes, as the build script numbers them. Others are controls, format characters and what
/// is not assigned.
const OTHER: u8 = 0;
/// White space that breaks no line.
const SPACE: u8 = 1;
const BREAK: u8 = 2;
/// `\p{N}`
const NUMBER: u8 = 3;
/// `[\p{L}\p{M}]`, but for the last class.
const WORD: u8 = 4;
/// `[\p{P}\p{S}]`, but for the last class.
const SIGN: u8 = 5;
/// `[一-龥぀-ゟ゠-ヿ]`
const WIDE: u8 = 6;

/// Three patterns, each for what those before it leave: `\p{N}{1,3}`, `[一-龥぀-ゟ゠-ヿ]+`, and
/// ``[!-/:-@[-`{-~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|
/// \s*[\r\n]+|\s+(?!\S)|\s+``
///
/// What no pattern matches is a piece, too. The last pattern sees a text that ends where a number
/// or a wide character starts.
#[inline]
pub(super) fn deepseek(text: &[u8], start: usize) -> usize {
    let (class, length) = at(text, start);
    let next = start + length;
    match class {
        NUMBER => run(text, next, NUMBER, 2),
        WIDE => run(text, next, WIDE, usize::MAX),
        WORD => run(text, next, WORD, usize::MAX),
        SIGN if text[start].is_ascii() && letter(text, next) => {
            let letters = text[next..].iter();
            next + letters
                .take_while(|byte| byte.is_ascii_alphabetic())
                .count()
        }
        SIGN => signs(text, next),
        // White space and what is in no class may lead a word. A line break may not.
        OTHER | SPACE if class_at(text, next) == Some(WORD) => run(text, next, WORD, usize::MAX),
        SPACE if text[start] == b' ' && class_at(text, next) == Some(SIGN) => signs(text, next),
        OTHER => unmatched(text, next),
        _ => white_space(text, start),
    }
}

/// Returns the end of the characters of a class, `most` of them at most.
#[inline]
fn run(text: &[u8], start: usize, class: u8, most: usize) -> usize {
    let mut end = start;
    let mut left = most;
    while left > 0 && end < text.len() {
        let (found, length) = at(text, end);
        if found != class {
            break;
        }
        end += length;
        left -= 1;
    }
    end
}

/// Returns the class of the character at `at`, if there is one.
#[inline]
fn class_at(text: &[u8], start: usize) -> Option<u8> {
    (start < text.len()).then(|| at(text, start).0)
}

/// Says whether there is a letter of ASCII at `at`.
#[inline]
fn letter(text: &[u8], at: usize) -> bool {
    text.get(at).is_some_and(u8::is_ascii_alphabetic)
}

/// Returns the end of `[\p{P}\p{S}]*[\r\n]*`.
#[inline]
fn signs(text: &[u8], start: usize) -> usize {
    let end = run(text, start, SIGN, usize::MAX);
    run(text, end, BREAK, usize::MAX)
}

/// Returns the end of characters that no pattern matches, behind the first of them: where one of
/// them leads a word, it starts a piece.
fn unmatched(text: &[u8], start: usize) -> usize {
    let mut end = start;
    while end < text.len() {
        let (class, length) = at(text, end);
        if class != OTHER || class_at(text, end + length) == Some(WORD) {
            break;
        }
        end += length;
    }
    end
}

/// Returns the end of white space: up to its last line break; else all of it, where nothing
/// follows that the pattern sees; else all but its last character, unless it has but one.
fn white_space(text: &[u8], start: usize) -> usize {
    let (mut end, mut last, mut behind_break, mut seen) = (start, start, None, false);
    while end < text.len() {
        let (class, length) = at(text, end);
        if class != SPACE && class != BREAK {
            seen = class != NUMBER && class != WIDE;
            break;
        }
        last = end;
        end += length;
        if class == BREAK {
            behind_break = Some(end);
        }
    }
    match behind_break {
        Some(behind_break) => behind_break,
        None if seen && last > start => last,
        None => end,
    }
}

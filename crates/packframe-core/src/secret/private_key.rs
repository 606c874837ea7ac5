//! Private keys between lines of dashes: PEM (RFC 7468), OpenSSH (the file PROTOCOL.key of its
//! sources), PGP (RFC 9580, "ASCII armor"), and SSH2 with its four dashes.

use super::ascii::{before, is_base64, is_blank, is_line_end, run, starts};
use super::found::Found;
use super::rule::Rule;

/// Characters of a body that a key has at least; a mention of the header has none.
const LEAST: usize = 24;

/// Characters in a row that a body has; its last line may be shorter.
const LEAST_RUN: usize = 16;

/// Reads a key whose dashes are the run from `start` to `dashes`.
///
/// Cost: the bytes up to the next four dashes.
pub(super) fn at_dashes(text: &[u8], start: usize, dashes: usize) -> Option<Found> {
    if dashes - start < 4 {
        return None;
    }
    let body = label(text, dashes, b"BEGIN ")?;
    let rest = &text[body..];
    let stop = body
        + rest
            .windows(4)
            .position(|part| part == b"----")
            .unwrap_or(rest.len());
    let end = if let Some(end) = closing(text, stop) {
        let made: usize = text[body..stop]
            .split(|byte| !is_base64(*byte))
            .map(<[u8]>::len)
            .filter(|len| *len >= LEAST_RUN)
            .sum();
        (made >= LEAST && made * 4 >= stop - body).then_some(end)?
    } else {
        cut_off(text, body, stop)?
    };
    Some(Found::new(Rule::PrivateKey, start, end))
}

/// Returns where the body of a key without a last line ends, if it is one.
fn cut_off(text: &[u8], body: usize, stop: usize) -> Option<usize> {
    let mut made = 0;
    let mut last = body;
    let mut from = body;
    while from < stop {
        let end = run(text, from, stop - from, is_base64);
        // An escape such as `\n` glues its letter to the line behind it.
        let escaped = before(text, from) == b'\\';
        if end - from >= LEAST_RUN {
            made += end - from;
            last = end;
        } else if end - from > usize::from(escaped) {
            let line = run(text, end, stop - end, |byte| !is_line_end(byte));
            if made > 0 {
                last = end;
                break;
            }
            if !text[end..line].contains(&b':') {
                break;
            }
            from = line;
            continue;
        }
        from = run(text, end, stop - end, |byte| !is_base64(byte)).max(end);
        let gap = &text[end..from];
        let blank = gap.split(|byte| *byte == b'\n').count() > 2;
        if (made > 0 && blank) || gap.len() > 16 || gap.iter().any(|byte| b".<>{}()".contains(byte))
        {
            break;
        }
    }
    (made >= LEAST).then_some(last)
}

/// Reads the rest of a first or last line after its dashes, and returns where it ends.
fn label(text: &[u8], dashes: usize, word: &[u8]) -> Option<usize> {
    let from = run(text, dashes, 1, is_blank);
    if !starts(text, from, word) {
        return None;
    }
    let name = from + word.len();
    let end = run(text, name, 48, |byte| {
        byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' '
    });
    let kind = text[name..end].trim_ascii_end();
    let private = kind.ends_with(b"PRIVATE KEY") || kind.ends_with(b"PRIVATE KEY BLOCK");
    let close = run(text, end, 8, |byte| byte == b'-');
    (private && close - end >= 4).then_some(close)
}

/// Returns where the last line ends whose dashes start at `start`.
fn closing(text: &[u8], start: usize) -> Option<usize> {
    let dashes = run(text, start, 8, |byte| byte == b'-');
    label(text, dashes, b"END ")
}

//! Strings in quotes, as code and configuration have them.

use super::ascii::{at, is_line_end, is_quote, run, starts};

/// Bytes of a quoted value that are read at most.
///
/// Each of the three quotes ends at the next of its kind, so this bounds no work; it keeps a
/// quote that is never closed from making a secret of all that follows.
const LONGEST: usize = 8192;

/// Bytes between quotes of print that are read at most.
const PRINTED: usize = 192;

/// Calls around a literal that leave it what it is.
const WRAPPERS: [&[u8]; 9] = [
    b"SecretStr(",
    b"Secret(",
    b"SecretString::from(",
    b"SecretString::new(",
    b"String::from(",
    b"Some(",
    b"bytes(",
    b"str(",
    b"NewSecret(",
];

/// Returns what stands in the quotes that open at `start`, or behind a letter such as `b` there.
pub(super) fn quoted(text: &[u8], start: usize) -> Option<(usize, usize)> {
    let mut start = start;
    for wrapper in WRAPPERS {
        if starts(text, start, wrapper) {
            start += wrapper.len();
        }
    }
    let prefix = run(text, start, 2, |byte| b"bBrRuUfFL@$&".contains(&byte));
    if is_quote(at(text, prefix)) {
        start = prefix;
    }
    for (open, close) in [("“", "”"), ("‘", "’"), ("«", "»")] {
        if starts(text, start, open.as_bytes()) {
            let from = start + open.len();
            let end = run(text, from, PRINTED, |byte| !byte.is_ascii_control());
            let close = close.as_bytes();
            let at = text[from..end]
                .windows(close.len())
                .position(|part| part == close)?;
            return Some((from, from + at));
        }
    }
    let escapes = run(text, start, 3, |byte| byte == b'\\') - start;
    let quote = at(text, start + escapes);
    if !is_quote(quote) {
        return None;
    }
    let mut from = start + escapes + 1;
    if escapes == 0 && at(text, from) == quote && at(text, from + 1) == quote {
        from += 2;
    }
    let mut end = from;
    let limit = text.len().min(from.saturating_add(LONGEST));
    let mut slashes = 0;
    while end < limit && !is_line_end(text[end]) {
        match text[end] {
            b'\\' => slashes += 1,
            byte if byte == quote && slashes <= escapes && (slashes == 0 || slashes == escapes) => {
                return Some((from, end - slashes));
            }
            // In escaped quotes a bare quote ends the text that they stand in.
            byte if byte == quote && escapes > 0 && slashes == 0 => return None,
            _ => slashes = 0,
        }
        if text[end] != b'\\' {
            slashes = 0;
        }
        end += 1;
    }
    None
}

//! Runs and borders of ASCII bytes, over text of any kind.

/// Returns the byte at a place, or 0 outside of the text.
pub(super) fn at(text: &[u8], place: usize) -> u8 {
    text.get(place).copied().unwrap_or(0)
}

/// Returns the byte before a place, or 0 at the start.
pub(super) fn before(text: &[u8], place: usize) -> u8 {
    place.checked_sub(1).map_or(0, |place| at(text, place))
}

/// Returns where a run of bytes that starts at `from` ends, at most `most` bytes on.
pub(super) fn run(text: &[u8], from: usize, most: usize, member: impl Fn(u8) -> bool) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    from + rest
        .iter()
        .take(most)
        .take_while(|byte| member(**byte))
        .count()
}

/// Returns where a run of bytes that ends at `to` starts, at most `most` bytes back.
pub(super) fn run_back(text: &[u8], to: usize, most: usize, member: impl Fn(u8) -> bool) -> usize {
    let rest = text.get(..to).unwrap_or_default();
    to - rest
        .iter()
        .rev()
        .take(most)
        .take_while(|byte| member(**byte))
        .count()
}

/// Says whether a text goes on with `word` at a place.
pub(super) fn starts(text: &[u8], place: usize, word: &[u8]) -> bool {
    text.get(place..).is_some_and(|rest| rest.starts_with(word))
}

/// Says whether a text goes on with `word`, in any case, at a place.
pub(super) fn starts_any_case(text: &[u8], place: usize, word: &[u8]) -> bool {
    text.get(place..place.saturating_add(word.len()))
        .is_some_and(|part| part.eq_ignore_ascii_case(word))
}

/// Says whether `word` stands somewhere in a text, in any case. For short texts.
pub(super) fn contains_any_case(text: &[u8], word: &[u8]) -> bool {
    let Some((first, rest)) = word.split_first() else {
        return true;
    };
    text.iter().enumerate().any(|(place, byte)| {
        byte.eq_ignore_ascii_case(first) && starts_any_case(text, place + 1, rest)
    })
}

/// Says whether `word` stands somewhere in a text. For short texts.
pub(super) fn contains(text: &[u8], word: &[u8]) -> bool {
    text.windows(word.len()).any(|part| part == word)
}

/// A letter, a digit, `_` or `-`: what URL-safe base64 is written in.
pub(super) const fn is_url_safe(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// A letter, a digit, `+`, `/` or `=`: what base64 is written in.
pub(super) const fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// A space or a tab.
pub(super) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// What ends a line.
pub(super) const fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// `"`, `'` or a back quote.
pub(super) const fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

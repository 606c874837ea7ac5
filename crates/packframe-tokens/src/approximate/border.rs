//! Borders between characters.

/// Says whether a byte is white space that hides what stands before it.
pub(super) const fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Returns the first place between two characters that `meets` calls a seam.
pub(super) fn first_seam(text: &str, meets: impl Fn(char, char) -> bool) -> Option<usize> {
    let mut left = text.chars().next()?;
    text.char_indices().skip(1).find_map(|(place, right)| {
        meets(std::mem::replace(&mut left, right), right).then_some(place)
    })
}

/// Returns the last place between two characters that `meets` calls a seam.
pub(super) fn last_seam(text: &str, meets: impl Fn(char, char) -> bool) -> Option<usize> {
    let mut backwards = text.char_indices().rev();
    let (mut place, mut right) = backwards.next()?;
    backwards.find_map(|(at, left)| {
        let here = std::mem::replace(&mut place, at);
        meets(left, std::mem::replace(&mut right, left)).then_some(here)
    })
}

/// Says whether white space begins between two characters of ASCII.
pub(super) fn space_begins(left: char, right: char) -> bool {
    let white = |c: char| c.is_ascii() && is_white(c as u8);
    white(right) && !white(left)
}

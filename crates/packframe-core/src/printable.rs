//! Names of the caller's, as they may stand in a sentence or a table.

/// Characters of a name that are shown.
const WIDTH: usize = 80;

/// Characters of a value that are quoted.
const QUOTED: usize = 60;

/// Returns a name with what could confuse a terminal or a reader written as an escape, and cut
/// where it is long: control characters, and those that change the direction of writing.
#[must_use]
pub fn printable(name: &str) -> String {
    shown(name, WIDTH)
}

/// Returns a word of the caller's in quotes, and cut where it is long.
#[must_use]
pub fn quoted(word: &str) -> String {
    format!("'{}'", shown(word, QUOTED))
}

fn shown(name: &str, width: usize) -> String {
    let mut shown = String::new();
    for (at, c) in name.chars().enumerate() {
        if at == width {
            shown.push('…');
            break;
        }
        let confuses = matches!(c,
            '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
            | '\u{2028}' | '\u{2029}');
        if c.is_control() || confuses {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

//! The classes of characters that the patterns tell apart.

use super::table::{Table, table};

/// What the patterns call a character.
///
/// The numbers are those of the build script, which takes the classes from `regex-syntax`, the
/// crate that `tiktoken`'s own engine takes them from.
pub(crate) const OTHER: u8 = 0;
/// White space that breaks no line.
pub(crate) const SPACE: u8 = 1;
/// A carriage return or a line feed.
pub(crate) const BREAK: u8 = 2;
/// `\p{N}`
pub(crate) const NUMBER: u8 = 3;
/// `[\p{Lu}\p{Lt}]`
pub(crate) const UPPER: u8 = 4;
/// `\p{Ll}`
pub(crate) const LOWER: u8 = 5;
/// `[\p{Lm}\p{Lo}]`
pub(crate) const UNCASED: u8 = 6;
/// `\p{M}`
pub(crate) const MARK: u8 = 7;

/// Sets of classes, a bit for each.
pub(crate) const LETTERS: u8 = 1 << UPPER | 1 << LOWER | 1 << UNCASED;
pub(crate) const WORDS: u8 = LETTERS | 1 << MARK;
pub(crate) const WHITE: u8 = 1 << SPACE | 1 << BREAK;
/// `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`
pub(crate) const HEADS: u8 = 1 << UPPER | 1 << UNCASED | 1 << MARK;
/// `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`
pub(crate) const TAILS: u8 = 1 << LOWER | 1 << UNCASED | 1 << MARK;
/// `[^\s\p{L}\p{N}]`
pub(crate) const SIGNS: u8 = 1 << OTHER | 1 << MARK;
/// `[^\r\n\p{L}\p{N}]`
pub(crate) const LEADS: u8 = 1 << OTHER | 1 << SPACE | 1 << MARK;

static STAGE1: Table<u16> = table!("classes.stage1", u16);
static STAGE2: Table<u8> = table!("classes.stage2", u8);
static DEEPSEEK1: Table<u16> = table!("deepseek.stage1", u16);
static DEEPSEEK2: Table<u8> = table!("deepseek.stage2", u8);

/// Tells whether a set has a class.
#[inline]
pub(crate) const fn has(set: u8, class: u8) -> bool {
    set >> class & 1 == 1
}

/// Returns the class and the length of the character that starts at `at`, which is in the text.
#[inline]
pub(crate) fn at(text: &[u8], at: usize) -> (u8, usize) {
    let first = text[at];
    if first < 0x80 {
        return (ASCII[usize::from(first)], 1);
    }
    beyond_ascii(text, at, first)
}

fn beyond_ascii(text: &[u8], at: usize, first: u8) -> (u8, usize) {
    let (code, length) = decode(text, at, first);
    let block = usize::from(STAGE1.get()[(code >> 7) as usize]);
    (STAGE2.get()[block << 7 | (code & 0x7F) as usize], length)
}

/// Returns the class that `DeepSeek`'s patterns have for the character that starts at `at`, which is
/// in the text, and its length. `pretokenizer/deepseek.rs` names these classes.
#[inline]
pub(crate) fn deepseek_at(text: &[u8], at: usize) -> (u8, usize) {
    let (code, length) = match text[at] {
        first @ 0..0x80 => (u32::from(first), 1),
        first => decode(text, at, first),
    };
    let block = usize::from(DEEPSEEK1.get()[(code >> 7) as usize]);
    (DEEPSEEK2.get()[block << 7 | (code & 0x7F) as usize], length)
}

/// Returns the character beyond ASCII that starts at `at` with the byte `first`, and its length.
#[inline]
fn decode(text: &[u8], at: usize, first: u8) -> (u32, usize) {
    let tail = |behind: usize| u32::from(text[at + behind] & 0x3F);
    let lead = u32::from(first);
    if first < 0xE0 {
        ((lead & 0x1F) << 6 | tail(1), 2)
    } else if first < 0xF0 {
        ((lead & 0x0F) << 12 | tail(1) << 6 | tail(2), 3)
    } else {
        (
            (lead & 0x07) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3),
            4,
        )
    }
}

/// The classes of ASCII, written out so that they are a constant.
const ASCII: [u8; 256] = {
    let mut classes = [OTHER; 256];
    let mut byte = 0_u8;
    while byte < 0x80 {
        classes[byte as usize] = match byte {
            b'\n' | b'\r' => BREAK,
            b'\t' | 0x0B | 0x0C | b' ' => SPACE,
            b'0'..=b'9' => NUMBER,
            b'A'..=b'Z' => UPPER,
            b'a'..=b'z' => LOWER,
            _ => OTHER,
        };
        byte += 1;
    }
    classes
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ascii_is_as_the_table_has_it() {
        for byte in 0..0x80_u8 {
            let block = usize::from(STAGE1.get()[0]);
            assert_eq!(
                ASCII[usize::from(byte)],
                STAGE2.get()[block << 7 | usize::from(byte)],
                "{byte}"
            );
        }
    }
}

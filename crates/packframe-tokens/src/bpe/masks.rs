//! The classes of 64 bytes at once, a bit for each byte.
//!
//! This is the portable way, for every machine; `wide.rs` has the same in wide registers.

/// Which of 64 bytes are of which class; the first byte is bit 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Masks {
    /// Letters of ASCII.
    pub(super) letters: u64,
    /// Capital letters of ASCII.
    pub(super) capitals: u64,
    /// Digits of ASCII.
    pub(super) digits: u64,
    /// White space of ASCII.
    pub(super) white: u64,
    /// Line feeds and carriage returns.
    pub(super) breaks: u64,
    /// Spaces.
    pub(super) spaces: u64,
    /// Apostrophes.
    pub(super) apostrophes: u64,
    /// Bytes of characters beyond ASCII.
    pub(super) beyond: u64,
    /// Control characters of ASCII that are no white space.
    pub(super) controls: u64,
}

impl Masks {
    /// Reads 64 bytes.
    #[cfg(any(test, not(target_arch = "x86_64")))]
    pub(super) fn read(bytes: &[u8; 64]) -> Self {
        // A byte of eight classes for each byte, in a loop that compilers make wide, and then the
        // bits of the same class side by side.
        let mut classes = [0_u8; 64];
        for (class, &byte) in classes.iter_mut().zip(bytes) {
            let is = |yes: bool, bit: u32| u8::from(yes) << bit;
            *class = is((byte | 0x20).wrapping_sub(b'a') < 26, 0)
                | is(byte.wrapping_sub(b'A') < 26, 1)
                | is(byte.wrapping_sub(b'0') < 10, 2)
                | is(byte.wrapping_sub(b'\t') < 5 || byte == b' ', 3)
                | is(byte == b'\n' || byte == b'\r', 4)
                | is(byte == b' ', 5)
                | is(byte == b'\'', 6)
                | is(byte >= 0x80, 7);
        }
        let mut controls = 0;
        for (at, &byte) in bytes.iter().enumerate() {
            let is = byte.is_ascii_control() && !(b'\t'..=b'\r').contains(&byte);
            controls |= u64::from(is) << at;
        }
        let mut rows = [0_u64; 8];
        for (eighth, classes) in classes.as_chunks::<8>().0.iter().enumerate() {
            let turned = turn(u64::from_le_bytes(*classes)).to_le_bytes();
            for (row, bits) in rows.iter_mut().zip(turned) {
                *row |= u64::from(bits) << (8 * eighth);
            }
        }
        let [
            letters,
            capitals,
            digits,
            white,
            breaks,
            spaces,
            apostrophes,
            beyond,
        ] = rows;
        Self {
            letters,
            capitals,
            digits,
            white,
            breaks,
            spaces,
            apostrophes,
            beyond,
            controls,
        }
    }
}

/// Turns a square of 8 by 8 bits over: bit `i` of byte `j` becomes bit `j` of byte `i`. Swaps the
/// off-diagonal bits of each square of 2 by 2, then squares of those, then squares of these.
#[cfg(any(test, not(target_arch = "x86_64")))]
fn turn(mut bits: u64) -> u64 {
    for (shift, keep) in [
        (7, 0x00AA_00AA_00AA_00AA),
        (14, 0x0000_CCCC_0000_CCCC),
        (28, 0x0000_0000_F0F0_F0F0),
    ] {
        let swapped = (bits ^ bits >> shift) & keep;
        bits ^= swapped ^ swapped << shift;
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::Masks;

    #[test]
    fn each_byte_is_of_its_classes_at_each_place() {
        for byte in 0..=u8::MAX {
            for place in 0..64 {
                let mut bytes = [b'.'; 64];
                bytes[place] = byte;
                let masks = Masks::read(&bytes);
                let bit = |yes: bool| u64::from(yes) << place;
                assert_eq!(masks.letters, bit(byte.is_ascii_alphabetic()));
                assert_eq!(masks.capitals, bit(byte.is_ascii_uppercase()));
                assert_eq!(masks.digits, bit(byte.is_ascii_digit()));
                let white = byte.is_ascii_whitespace() || byte == 0x0B;
                assert_eq!(masks.white, bit(white));
                assert_eq!(masks.breaks, bit(byte == b'\n' || byte == b'\r'));
                assert_eq!(masks.spaces, bit(byte == b' '));
                assert_eq!(masks.apostrophes, bit(byte == b'\''));
                assert_eq!(masks.beyond, bit(!byte.is_ascii()));
                let control = byte.is_ascii_control() && !white;
                assert_eq!(masks.controls, bit(control));
            }
        }
    }
}

//! The way through a text.

use super::weights::{BY_PAIR, BY_POINT, OTHER, RUN, place};

/// Returns the units of a text.
pub(super) fn units(text: &str) -> u64 {
    let (mut rest, mut units, mut before) = (text, 0, Before::NOTHING);
    let mut add = |byte: u8, before: &mut Before| {
        units += u64::from(BY_PAIR[before.pair(byte)]);
        before.step(byte);
    };
    let mut beyond = 0;
    loop {
        // Sixteen at a time, or a test for each byte costs as much as its look-up.
        let bytes = rest.as_bytes();
        let (chunks, _) = bytes.as_chunks::<16>();
        let mut length = 0;
        for chunk in chunks {
            if !chunk.is_ascii() {
                break;
            }
            for &byte in chunk {
                add(byte, &mut before);
            }
            length += chunk.len();
        }
        for &byte in &bytes[length..] {
            if !byte.is_ascii() {
                break;
            }
            add(byte, &mut before);
            length += 1;
        }
        rest = &rest[length..];
        let mut characters = rest.chars();
        loop {
            match characters.next() {
                Some(c) if !c.is_ascii() => beyond += u64::from(BY_POINT[place(c.into())]),
                Some(_) => break,
                None => return units + beyond,
            }
            before = Before::NOTHING;
            rest = characters.as_str();
        }
    }
}

/// What stands before a character, as the tables of pairs ask it.
struct Before {
    row: usize,
    white: u8,
}

impl Before {
    /// Nothing, or a character beyond ASCII, which is the same.
    const NOTHING: Self = Self {
        row: OTHER,
        white: 0,
    };

    /// Returns the place of a character of ASCII in a table of pairs.
    #[inline]
    fn pair(&self, byte: u8) -> usize {
        self.row << 7 | usize::from(byte & 0x7f)
    }

    /// Goes on by a character of ASCII, without a branch: where words end is hard to predict.
    #[inline]
    fn step(&mut self, byte: u8) {
        let white = WHITE[usize::from(byte & 0x7f)];
        let run = usize::from(self.white & white);
        let byte = usize::from(byte);
        self.row = byte ^ ((byte ^ RUN) & run);
        self.white = white;
    }
}

/// All bits for white space, none for others.
static WHITE: [u8; 128] = {
    let mut table = [0; 128];
    let mut byte: u8 = 0;
    while byte < 128 {
        if is_white(byte) {
            table[byte as usize] = u8::MAX;
        }
        byte += 1;
    }
    table
};

/// Says whether a byte is white space that hides what stands before it.
pub(super) const fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

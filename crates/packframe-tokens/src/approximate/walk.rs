//! One way through a text for both estimates.

use super::border::is_white;
use super::weights::{OTHER, RUN};

/// What is asked about each character in turn.
pub(super) trait Sum {
    /// Adds a character of ASCII, behind those added before.
    fn ascii(&mut self, byte: u8);

    /// Adds a character beyond ASCII.
    fn other(&mut self, point: u32);
}

/// Adds every character of a text.
#[inline]
pub(super) fn walk(text: &str, sum: &mut impl Sum) {
    let mut rest = text;
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
                sum.ascii(byte);
            }
            length += chunk.len();
        }
        for &byte in &bytes[length..] {
            if !byte.is_ascii() {
                break;
            }
            sum.ascii(byte);
            length += 1;
        }
        rest = &rest[length..];
        let mut characters = rest.chars();
        loop {
            match characters.next() {
                Some(c) if !c.is_ascii() => sum.other(c.into()),
                Some(_) => break,
                None => return,
            }
            rest = characters.as_str();
        }
    }
}

/// What stands before a character, as the tables of pairs ask it.
pub(super) struct Before {
    row: usize,
    white: u8,
}

impl Before {
    /// Nothing, or a character beyond ASCII, which is the same.
    pub(super) const NOTHING: Self = Self {
        row: OTHER,
        white: 0,
    };

    /// Returns the place of a character of ASCII in a table of pairs.
    #[inline]
    pub(super) fn pair(&self, byte: u8) -> usize {
        self.row << 7 | usize::from(byte & 0x7f)
    }

    /// Goes on by a character of ASCII, without a branch: where words end is hard to predict.
    #[inline]
    pub(super) fn step(&mut self, byte: u8) {
        let white = WHITE[usize::from(byte & 0x7f)];
        let run = usize::from(self.white & white);
        let byte = usize::from(byte);
        self.row = byte ^ ((byte ^ RUN) & run);
        self.white = white;
    }
}

/// All bits for white space, none for others.
pub(super) static WHITE: [u8; 128] = {
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

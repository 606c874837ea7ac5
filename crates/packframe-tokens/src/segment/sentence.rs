//! Where sentences start, by the rules of UAX 29 (Unicode 16).
//!
//! The crate that finds words and graphemes finds sentences too, but behind a full stop it looks
//! ahead anew at each closing bracket and space, so that a megabyte of them takes minutes. Here it
//! looks ahead once for each full stop, at most to the next one.

use crate::bpe::table::{Table, table};

const SEPARATOR: u8 = 1;
/// A carriage return or a line feed.
const BREAK: u8 = 2;
/// `Extend` and `Format`, which belong to the character before.
const EXTEND: u8 = 3;
const SPACE: u8 = 4;
const LOWER: u8 = 5;
const UPPER: u8 = 6;
const OTHER_LETTER: u8 = 7;
const NUMERIC: u8 = 8;
/// A full stop, which may end an abbreviation.
const FULL_STOP: u8 = 9;
/// What always ends a sentence.
const TERMINATOR: u8 = 10;
/// What goes on with a sentence, such as a comma.
const CONTINUE: u8 = 11;
const CLOSE: u8 = 12;

static STAGE1: Table<u16> = table!("sentences.stage1", u16);
static STAGE2: Table<u8> = table!("sentences.stage2", u8);

fn class_of(c: char) -> u8 {
    let code = u32::from(c);
    let block = usize::from(STAGE1.get()[(code >> 7) as usize]);
    STAGE2.get()[block << 7 | (code & 0x7F) as usize]
}

/// Says whether a character ends a paragraph: a line break of any kind.
pub(super) fn ends_line(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// What stands before a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    /// The start of a sentence, or nothing that matters.
    Nothing,
    Letter,
    /// A full stop, and whether an upper or lower case letter stands before it.
    FullStop(bool),
    Terminator,
    /// Closing punctuation behind an end, and whether that was a full stop.
    Closed(bool),
    /// Spaces behind an end and what closed it.
    Spaced(bool),
    CarriageReturn,
    /// Any other line break.
    LineBreak,
}

impl Before {
    /// Returns what ended a sentence here, if anything did: whether it was a full stop.
    const fn end(self) -> Option<bool> {
        match self {
            Self::FullStop(_) => Some(true),
            Self::Terminator => Some(false),
            Self::Closed(full_stop) | Self::Spaced(full_stop) => Some(full_stop),
            _ => None,
        }
    }
}

/// The starts of all sentences of a text but the first.
pub(super) struct Starts<'a> {
    text: &'a str,
    at: usize,
    before: Before,
}

impl<'a> Starts<'a> {
    /// Starts at a place where a sentence starts.
    pub(super) const fn new(text: &'a str, at: usize) -> Self {
        Self {
            text,
            at,
            before: Before::Nothing,
        }
    }

    /// Says whether a sentence starts before a character, and what then stands before the next
    /// place. `ahead` is the text from the character on.
    fn step(&self, c: char, ahead: &str) -> (bool, Before) {
        let class = class_of(c);
        let plain = match class {
            BREAK if c == '\r' => Before::CarriageReturn,
            BREAK | SEPARATOR => Before::LineBreak,
            LOWER | UPPER => Before::Letter,
            FULL_STOP => Before::FullStop(self.before == Before::Letter),
            TERMINATOR => Before::Terminator,
            _ => Before::Nothing,
        };
        match (self.before, class) {
            // SB3, SB4
            (Before::CarriageReturn, BREAK) if c == '\n' => return (false, plain),
            (Before::CarriageReturn | Before::LineBreak, EXTEND) => return (true, Before::Nothing),
            (Before::CarriageReturn | Before::LineBreak, _) => return (true, plain),
            // SB5
            (before, EXTEND) => return (false, before),
            _ => {}
        }
        let Some(full_stop) = self.before.end() else {
            return (false, plain);
        };
        match (self.before, class) {
            // SB6, SB7, SB8a; then SB9 and SB10 for line breaks
            (Before::FullStop(_), NUMERIC)
            | (Before::FullStop(true), UPPER)
            | (_, CONTINUE | TERMINATOR | FULL_STOP | SEPARATOR | BREAK) => (false, plain),
            // SB9, SB10
            (Before::FullStop(_) | Before::Terminator | Before::Closed(_), CLOSE) => {
                (false, Before::Closed(full_stop))
            }
            (_, SPACE) => (false, Before::Spaced(full_stop)),
            // SB8, SB11
            _ => (!(full_stop && goes_on_small(ahead)), plain),
        }
    }
}

/// Says whether the next letter is a small one, with no end of a sentence before it (SB8).
fn goes_on_small(ahead: &str) -> bool {
    let decides = ahead.chars().map(class_of).find(|class| {
        matches!(
            *class,
            SEPARATOR | BREAK | LOWER | UPPER | OTHER_LETTER | FULL_STOP | TERMINATOR
        )
    });
    decides == Some(LOWER)
}

impl Iterator for Starts<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        while let Some(c) = self.text[self.at..].chars().next() {
            let place = self.at;
            let (starts, before) = self.step(c, &self.text[place..]);
            self.at += c.len_utf8();
            self.before = before;
            if starts {
                return Some(place);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use unicode_segmentation::UnicodeSegmentation;

    use super::Starts;

    fn ours(text: &str) -> Vec<usize> {
        Starts::new(text, 0).collect()
    }

    fn theirs(text: &str) -> Vec<usize> {
        let starts = text.split_sentence_bound_indices().map(|(start, _)| start);
        starts.skip(1).collect()
    }

    /// At least one character of each class, those of ASCII twice.
    const CHARACTERS: [&str; 16] = [
        "a", "A", "中", "7", ".", "!", "?", ",", ")", "\"", " ", "\n", "\r", "\u{2028}", "\u{301}",
        "\u{ad}",
    ];

    #[test]
    fn short_texts_have_the_sentences_of_the_crate() {
        for length in 1..=5_u32 {
            for number in 0..CHARACTERS.len().pow(length) {
                let mut rest = number;
                let mut text = String::new();
                for _ in 0..length {
                    text.push_str(CHARACTERS[rest % CHARACTERS.len()]);
                    rest /= CHARACTERS.len();
                }
                assert_eq!(ours(&text), theirs(&text), "{text:?}");
            }
        }
    }

    #[test]
    fn every_character_is_what_it_is_for_the_crate() {
        // The crate has Unicode 17. Besides what was not assigned before, that has others of these
        // classes.
        let changed = ['ʕ'];
        let unassigned = regex::Regex::new(r"^\p{Cn}$").expect("a pattern");
        let mut differ = Vec::new();
        for c in '\0'..=char::MAX {
            let around = [
                format!("a.{c}A b"),
                format!("a. {c}a"),
                format!("1.{c}) {c}B"),
                format!("a{c}A. {c}. C"),
                format!("A!{c}b"),
                format!("a.{c}\n{c}b"),
            ];
            if around.iter().any(|text| ours(text) != theirs(text))
                && !unassigned.is_match(c.encode_utf8(&mut [0; 4]))
            {
                differ.push(c);
            }
        }
        assert_eq!(differ, changed);
    }

    #[test]
    fn a_long_run_behind_a_full_stop_is_looked_at_once() {
        let text = [".", &")".repeat(2_000_000)].concat();
        assert!(ours(&text).is_empty());
    }
}

//! Whether a place is between two graphemes.

use unicode_segmentation::UnicodeSegmentation;

/// Walks over the graphemes of a text as far as it is asked.
pub(super) struct Graphemes<'a> {
    text: &'a str,
    /// A place where a grapheme starts.
    at: usize,
}

impl<'a> Graphemes<'a> {
    /// Starts at a place where a grapheme starts.
    pub(super) const fn new(text: &'a str, at: usize) -> Self {
        Self { text, at }
    }

    /// Says whether a grapheme starts at `place`, which is in the text and not before any place that
    /// was asked for earlier.
    pub(super) fn has_border(&mut self, place: usize) -> bool {
        let text = self.text.as_bytes();
        // Of ASCII only a line feed behind a carriage return is no grapheme of its own.
        let border = |at: usize| {
            text[at].is_ascii()
                && text[at - 1].is_ascii()
                && (text[at - 1], text[at]) != (b'\r', b'\n')
        };
        if place == self.at || border(place) {
            return true;
        }
        let near = (self.at + 1..place).rev().find(|&at| border(at));
        self.at = near.unwrap_or(self.at);
        for grapheme in self.text[self.at..].graphemes(true) {
            if self.at >= place {
                break;
            }
            self.at += grapheme.len();
        }
        self.at == place
    }
}

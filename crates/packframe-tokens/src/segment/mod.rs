//! Where a text may be cut: at graphemes, words, sentences and lines.
//!
//! Graphemes and words are those of UAX 29, from the crate `unicode-segmentation` (Unicode 17);
//! sentences are its own, by rules of this module. No place is inside a grapheme.

mod grapheme;
mod sentence;
mod unit;

use self::grapheme::Graphemes;
pub use self::unit::At;
use self::unit::Segments;
pub(crate) use self::unit::Unit;

/// Which places of a text are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edge {
    /// Where units start that are not all white space.
    Start,
    /// Where units end, without the white space behind them; a line without its line break.
    End,
}

/// The places of a text at which one kind of unit starts or ends.
pub(crate) struct Places<'a> {
    text: &'a str,
    unit: Unit,
    edge: Edge,
    /// Places where a unit starts, not too near each other, from which one can go on.
    anchors: Vec<usize>,
    /// The last stretch without any place inside.
    barren: (usize, usize),
}

impl<'a> Places<'a> {
    pub(crate) fn new(text: &'a str, unit: Unit, edge: Edge) -> Self {
        Self {
            text,
            unit,
            edge,
            anchors: vec![0],
            barren: (0, 0),
        }
    }

    /// Returns the places from `from` to `to`, both included, in order; never the ends of the text.
    ///
    /// Takes as long as the text between, and back to where the unit before starts for certain:
    /// behind a line break, for words also at a space, or near a place that was passed before.
    pub(crate) fn within(&mut self, from: usize, to: usize) -> Vec<usize> {
        let from = from.max(1);
        let to = to.min(self.text.len().saturating_sub(1));
        if from > to || self.barren.0 < from && to < self.barren.1 {
            return Vec::new();
        }
        // What ends at `from` starts before it.
        let start = self.start_before(from - 1);
        let mut graphemes = Graphemes::new(self.text, start);
        let mut border = |place| match self.unit {
            Unit::Character | Unit::Grapheme => true,
            _ => graphemes.has_border(place),
        };
        let mut places = Vec::new();
        for segment in Segments::new(self.text, self.unit, start) {
            if segment.start > to {
                break;
            }
            let last = self.anchors.last().map_or(0, |&last| last + SPACING);
            if segment.start > last && border(segment.start) {
                self.anchors.push(segment.start);
            }
            let place = match self.edge {
                Edge::Start => segment.start,
                Edge::End => segment.end,
            };
            let blank = segment.end == segment.start;
            if !blank && (from..=to).contains(&place) && border(place) {
                places.push(place);
            }
            if segment.next > to {
                self.barren = match self.edge {
                    Edge::End if to < segment.end => (segment.start, segment.end),
                    Edge::End => (segment.end, segment.next),
                    Edge::Start => (segment.start, segment.next),
                };
                break;
            }
        }
        places
    }

    /// Returns a place, not behind `before`, at which a unit starts whatever stands before it.
    fn start_before(&self, before: usize) -> usize {
        if self.unit == Unit::Character {
            let characters = (0..=before).rev();
            return characters
                .into_iter()
                .find(|&at| self.text.is_char_boundary(at))
                .unwrap_or(0);
        }
        let behind = self.anchors.partition_point(|&anchor| anchor <= before);
        let floor = behind.checked_sub(1).map_or(0, |last| self.anchors[last]);
        let text = self.text.as_bytes();
        let words = matches!(self.unit, Unit::Grapheme | Unit::Word);
        (floor + 1..=before)
            .rev()
            .find(|&at| {
                text[at - 1] == b'\n'
                    || words && text[at - 1].is_ascii_alphanumeric() && text[at] == b' '
            })
            .unwrap_or(floor)
    }
}

/// The bytes between two anchors, at least.
const SPACING: usize = 256;

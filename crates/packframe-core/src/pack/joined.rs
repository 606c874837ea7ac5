//! The count of a joined text, kept up to date while parts come and go.
//!
//! A text is cut at seams of its tokenizer, over which counts add up. Each part has, if it can,
//! a first and a last seam; what lies between them never changes. What lies from the last seam
//! of one part to the first seam of the next is a *window*: only windows are counted again.

use std::collections::BTreeSet;
use std::ops::Bound;

use packframe_tokens::Seams;

use super::cost::{Costs, label};
use crate::frame::Frame;
use crate::word::Role;

/// Bytes without a seam that may have to be counted again and again. Where what is selected has
/// more, the text is counted whole instead, or a single piece of many megabytes would make packing
/// quadratic; a candidate that has more is counted once only.
const MAX_STRETCH: usize = 4096;

/// Where a part can be cut, in bytes of its label and text together.
#[derive(Debug, Clone, Copy)]
struct Cut {
    first: usize,
    last: usize,
}

/// Stands for units that were not counted yet.
const UNCOUNTED: u64 = u64::MAX;

/// The count of a text that is joined of the selected rows, in row order.
pub(crate) struct Joined<'a> {
    frame: &'a Frame,
    costs: &'a Costs,
    seams: &'a dyn Seams,
    separator: &'a str,
    labels: Option<Vec<String>>,
    cuts: Vec<Option<Cut>>,
    /// Units between the two cuts of each row, counted when they are first needed.
    inner: Vec<u64>,
    rows: BTreeSet<usize>,
    anchors: BTreeSet<usize>,
    /// Units that the part between the two cuts of each row is not under.
    least: Vec<u64>,
    /// Tokens that no window was ever over.
    widest: u64,
    /// Units of the window behind each anchor; behind the start at 0, behind row r at r + 1.
    windows: Vec<u64>,
    units: u64,
    /// Bytes of the rows that have no seam, with their separators.
    seamless: usize,
    scratch: String,
}

impl<'a> Joined<'a> {
    /// Joins some rows; `None` where one of them has, or some of them in a row may have, too long a
    /// stretch without a seam. Candidates may be put in later.
    pub(crate) fn new(
        frame: &'a Frame,
        costs: &'a Costs,
        seams: &'a dyn Seams,
        (separator, labels): (&'a str, bool),
        rows: impl Iterator<Item = usize>,
        candidates: impl Iterator<Item = usize>,
    ) -> Option<Self> {
        let mut joined = Self {
            frame,
            costs,
            seams,
            separator,
            labels: labels.then(|| Role::ALL.iter().map(|role| label(*role)).collect()),
            cuts: vec![None; frame.len()],
            inner: vec![UNCOUNTED; frame.len()],
            least: vec![0; frame.len()],
            widest: 0,
            rows: rows.collect(),
            anchors: BTreeSet::new(),
            windows: vec![0; frame.len() + 1],
            units: 0,
            seamless: 0,
            scratch: String::new(),
        };
        if !joined.measure(candidates) {
            return None;
        }
        let rows: Vec<usize> = joined.rows.iter().copied().collect();
        for row in rows {
            if joined.shows_nothing(row) {
                joined.rows.remove(&row);
            }
            if joined.cuts[row].is_some() {
                joined.anchors.insert(row);
                joined.units += joined.inner(row);
            }
        }
        let anchors: Vec<usize> = joined.anchors.iter().copied().collect();
        let lefts = std::iter::once(None).chain(anchors.iter().copied().map(Some));
        let rights = anchors
            .iter()
            .copied()
            .map(Some)
            .chain(std::iter::once(None));
        for (left, right) in lefts.zip(rights) {
            let units = joined.window(left, right);
            joined.windows[slot(left)] = units;
            joined.units += units;
        }
        Some(joined)
    }

    /// Finds the cuts of all rows; says whether the stretches without a seam of those that are in
    /// are short.
    fn measure(&mut self, candidates: impl Iterator<Item = usize>) -> bool {
        let selected: Vec<usize> = self.rows.iter().copied().collect();
        for row in selected.iter().copied().chain(candidates) {
            self.cuts[row] = self.find_cut(row);
            self.least[row] = self.least_inner(row);
        }
        self.seamless = selected.iter().map(|&row| self.seamless_bytes(row)).sum();
        self.seamless <= MAX_STRETCH && !selected.iter().any(|&row| self.is_long(row))
    }

    /// Says whether a row has a long stretch before its first or behind its last seam.
    fn is_long(&self, row: usize) -> bool {
        let length = self.label(row).len() + self.text(row).len();
        self.cuts[row].is_some_and(|cut| cut.first.max(length - cut.last) > MAX_STRETCH)
    }

    /// Returns the bytes that a row adds to a stretch without a seam: none, if it has one.
    fn seamless_bytes(&self, row: usize) -> usize {
        match self.cuts[row] {
            Some(_) => 0,
            None => self.label(row).len() + self.text(row).len() + self.separator.len(),
        }
    }

    /// Says whether some rows may be put in and taken out again and again.
    pub(crate) fn is_light(&self, rows: &[u32]) -> bool {
        let added: usize = rows
            .iter()
            .map(|&row| self.seamless_bytes(row as usize))
            .sum();
        self.seamless + added <= MAX_STRETCH && !rows.iter().any(|&row| self.is_long(row as usize))
    }

    /// Returns the tokens of the joined text.
    pub(crate) fn tokens(&self) -> u64 {
        self.seams.tokens(self.units)
    }

    /// Returns the tokens that the text would have with more rows.
    pub(crate) fn tokens_with(&mut self, rows: &[u32]) -> u64 {
        for &row in rows {
            self.insert(row as usize);
        }
        let tokens = self.tokens();
        for &row in rows {
            self.remove(row as usize);
        }
        tokens
    }

    /// Returns a number of tokens that the text with more rows cannot be under. Counts nothing.
    pub(crate) fn least_with(&self, rows: &[u32]) -> u64 {
        let inner: u64 = rows.iter().map(|&row| self.least[row as usize]).sum();
        let windows = self.widest * rows.len() as u64;
        self.seams
            .tokens(self.units + inner)
            .saturating_sub(windows)
    }

    /// The same, from the very windows that the rows would come into: nearer, and slower to find.
    pub(crate) fn least_near(&self, rows: &[u32]) -> u64 {
        let mut units = self.units;
        let mut windows = 0;
        for &row in rows {
            units += self.least[row as usize];
            let window = self.windows[slot(self.anchor_before(row as usize))];
            windows += self.seams.tokens(window);
        }
        self.seams.tokens(units).saturating_sub(windows)
    }

    /// Puts a row in.
    pub(crate) fn insert(&mut self, row: usize) {
        if self.shows_nothing(row) {
            return;
        }
        let (left, right) = (self.anchor_before(row), self.anchor_after(row));
        self.units -= self.windows[slot(left)];
        self.rows.insert(row);
        self.seamless += self.seamless_bytes(row);
        if self.cuts[row].is_some() {
            self.anchors.insert(row);
            self.units += self.inner(row);
            self.recount(left, Some(row));
            self.recount(Some(row), right);
        } else {
            self.recount(left, right);
        }
    }

    /// Takes a row out.
    pub(crate) fn remove(&mut self, row: usize) {
        if self.shows_nothing(row) {
            return;
        }
        self.rows.remove(&row);
        self.seamless -= self.seamless_bytes(row);
        if self.anchors.remove(&row) {
            self.units -= self.windows[slot(Some(row))] + self.inner(row);
        }
        let (left, right) = (self.anchor_before(row), self.anchor_after(row));
        self.units -= self.windows[slot(left)];
        self.recount(left, right);
    }

    fn recount(&mut self, left: Option<usize>, right: Option<usize>) {
        let units = self.window(left, right);
        self.windows[slot(left)] = units;
        self.units += units;
    }

    fn anchor_before(&self, row: usize) -> Option<usize> {
        self.anchors.range(..row).next_back().copied()
    }

    fn anchor_after(&self, row: usize) -> Option<usize> {
        self.anchors.range(row + 1..).next().copied()
    }

    /// Counts what lies between the last seam of one anchor and the first seam of the next.
    fn window(&mut self, left: Option<usize>, right: Option<usize>) -> u64 {
        let mut text = std::mem::take(&mut self.scratch);
        text.clear();
        let mut at_start = left.is_none();
        if let Some(row) = left {
            let from = self.cuts[row].map_or(0, |cut| cut.last);
            self.write(&mut text, row, from, usize::MAX);
        }
        let lower = left.map_or(Bound::Unbounded, Bound::Excluded);
        let upper = right.map_or(Bound::Unbounded, Bound::Excluded);
        let between: Vec<usize> = self.rows.range((lower, upper)).copied().collect();
        for row in between.into_iter().chain(right) {
            if !std::mem::take(&mut at_start) {
                text.push_str(self.separator);
            }
            let to = if Some(row) == right {
                self.cuts[row].map_or(usize::MAX, |cut| cut.first)
            } else {
                usize::MAX
            };
            self.write(&mut text, row, 0, to);
        }
        let units = self.seams.units(&text);
        self.widest = self.widest.max(self.seams.tokens(units));
        self.scratch = text;
        units
    }

    /// Appends the bytes `from..to` of a row's label and text.
    fn write(&self, out: &mut String, row: usize, from: usize, to: usize) {
        let (label, text) = (self.label(row), self.text(row));
        let split = label.len();
        if from < split {
            out.push_str(&label[from..to.min(split)]);
        }
        if to > split {
            out.push_str(&text[from.saturating_sub(split)..(to - split).min(text.len())]);
        }
    }

    /// Says whether a row adds no byte to the text. Such rows have no length that would bound how
    /// many of them stand in a window, so they are left out.
    fn shows_nothing(&self, row: usize) -> bool {
        self.separator.is_empty() && self.label(row).is_empty() && self.text(row).is_empty()
    }

    fn text(&self, row: usize) -> &'a str {
        self.frame.content(row).rendered().unwrap_or("")
    }

    fn label(&self, row: usize) -> &str {
        self.labels
            .as_ref()
            .map_or("", |labels| &labels[self.frame.roles[row] as usize])
    }

    /// Counts what lies between the cuts of a row: all of its content, less what lies outside.
    fn inner(&mut self, row: usize) -> u64 {
        if self.inner[row] == UNCOUNTED {
            self.inner[row] = match self.cuts[row] {
                Some(cut) if cut.first < cut.last => {
                    let (text, label) = (self.text(row), self.label(row).len());
                    let (head, tail) = (
                        &text[..cut.first.saturating_sub(label)],
                        &text[cut.last - label..],
                    );
                    self.costs.units(row) - self.seams.units(head) - self.seams.units(tail)
                }
                _ => 0,
            };
        }
        self.inner[row]
    }

    /// Returns units that the part between the cuts of a row is not under. Counts nothing.
    fn least_inner(&self, row: usize) -> u64 {
        match self.cuts[row] {
            Some(cut) if cut.first < cut.last => {
                let outside = self.text(row).len() + self.label(row).len() - (cut.last - cut.first);
                self.seams.units_without(self.costs.units(row), outside)
            }
            _ => 0,
        }
    }

    /// Looks at the borders of the part with the separator first, then inside its text, and
    /// inside its label only where the text has no seam.
    fn find_cut(&self, row: usize) -> Option<Cut> {
        let (label, text) = (self.label(row), self.text(row));
        let end = label.len() + text.len();
        let starts = label.is_empty() && self.meets(self.separator, text);
        let ends = if text.is_empty() {
            self.meets(label, self.separator)
        } else {
            self.meets(text, self.separator)
        };
        let first = self.seams.first_seam(text);
        let last = first.and_then(|_| self.seams.last_seam(text));
        let (from, to) = match (first, last) {
            (Some(first), Some(last)) => (
                if starts { 0 } else { label.len() + first },
                if ends { end } else { label.len() + last },
            ),
            _ if starts && ends => (0, end),
            _ if starts => (0, 0),
            _ if ends => (end, end),
            _ => {
                let only = self.seams.first_seam(label)?;
                (only, only)
            }
        };
        Some(Cut {
            first: from,
            last: to,
        })
    }

    /// Says whether the border between two texts is a seam.
    fn meets(&self, before: &str, behind: &str) -> bool {
        let (Some(a), Some(b)) = (before.chars().next_back(), behind.chars().next()) else {
            return false;
        };
        let mut pair = [0; 8];
        let split = a.encode_utf8(&mut pair).len();
        let end = split + b.encode_utf8(&mut pair[split..]).len();
        let pair = std::str::from_utf8(&pair[..end]).expect("two characters are UTF-8");
        self.seams.first_seam(pair) == Some(split)
    }
}

fn slot(anchor: Option<usize>) -> usize {
    anchor.map_or(0, |row| row + 1)
}

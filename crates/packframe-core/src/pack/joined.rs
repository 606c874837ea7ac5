//! The count of a joined text, kept up to date while parts come and go.
//!
//! A text is cut at seams of its tokenizer, over which counts add up. Each part has, if it can,
//! a first and a last seam; what lies between them never changes. What lies from the last seam
//! of one part to the first seam of the next is a *window*: only windows are counted again.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use packframe_tokens::Seams;

use super::cost::{Costs, label};
use super::form::Form;
use super::slot_set::SlotSet;
use super::slots::Slots;
use crate::content::{Content, CostKey};
use crate::frame::Frame;
use crate::profile::TokenProfile;
use crate::recall::Recall;
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

/// The count of a text that is joined of what is in some slots, in order.
pub(crate) struct Joined<'a> {
    frame: &'a Frame,
    costs: &'a Costs,
    slots: &'a Slots,
    seams: &'a dyn Seams,
    profile: &'a TokenProfile,
    key: CostKey,
    labels: Option<Vec<String>>,
    /// Of the slots whose row is not in whole, the form.
    forms: HashMap<usize, Form, FixedState>,
    cuts: Vec<Option<Cut>>,
    /// Units between the two cuts of each slot, counted when they are first needed.
    inner: Vec<u64>,
    /// The slots that are in.
    filled: SlotSet,
    anchors: SlotSet,
    /// Units that the part between the two cuts of each slot is not under.
    least: Vec<u64>,
    /// Tokens that no window was ever over.
    widest: u64,
    /// Units of the window behind each anchor; behind the start at 0, behind slot s at s + 1.
    windows: Vec<u64>,
    units: u64,
    /// Bytes of the slots that have no seam, with what may stand beside them.
    seamless: usize,
    scratch: String,
    recall: Recall,
    /// Whether the border between two characters is a seam, of those that were asked for.
    borders: HashMap<(char, char), bool, FixedState>,
}

impl<'a> Joined<'a> {
    /// Joins what is in some slots; `None` where one of them has, or some of them in a row may have,
    /// too long a stretch without a seam. Candidates may be put in later.
    pub(crate) fn new(
        (frame, costs, slots): (&'a Frame, &'a Costs, &'a Slots),
        (seams, profile): (&'a dyn Seams, &'a TokenProfile),
        labels: bool,
        forms: HashMap<usize, Form, FixedState>,
        filled: &[usize],
        candidates: impl Iterator<Item = usize>,
    ) -> Option<Self> {
        let mut joined = Self {
            frame,
            costs,
            slots,
            seams,
            profile,
            key: profile.cost_key(false),
            labels: labels.then(|| Role::ALL.iter().map(|role| label(*role)).collect()),
            forms,
            cuts: vec![None; slots.len()],
            inner: vec![UNCOUNTED; slots.len()],
            least: vec![0; slots.len()],
            widest: 0,
            filled: SlotSet::new(slots.len()),
            anchors: SlotSet::new(slots.len()),
            windows: vec![0; slots.len() + 1],
            units: 0,
            seamless: 0,
            scratch: String::new(),
            recall: profile.joins().borrow(),
            borders: HashMap::default(),
        };
        if !joined.measure(filled, candidates) {
            return None;
        }
        for &slot in filled {
            if !joined.shows_nothing(slot) {
                joined.filled.insert(slot);
            }
            if joined.cuts[slot].is_some() {
                joined.anchors.insert(slot);
                joined.units += joined.inner(slot);
            }
        }
        let mut left = None;
        loop {
            let right = joined.anchors.from(behind(left));
            joined.recount(left, right);
            if right.is_none() {
                return Some(joined);
            }
            left = right;
        }
    }

    /// Finds the cuts of all slots; says whether the stretches without a seam of those that are in
    /// are short.
    fn measure(&mut self, filled: &[usize], candidates: impl Iterator<Item = usize>) -> bool {
        let mut asked = vec![false; self.slots.len()];
        for slot in filled.iter().copied().chain(candidates) {
            asked[slot] = true;
        }
        // By row, since that is how contents mostly lie in memory: candidates come by score, and
        // of a million rows each would be waited for.
        for row in 0..self.frame.len() {
            let slot = self.slots.of_row(row);
            if std::mem::take(&mut asked[slot]) {
                self.find_cut(slot);
            }
        }
        for slot in (0..asked.len()).filter(|&slot| asked[slot]) {
            self.find_cut(slot);
        }
        self.seamless = filled.iter().map(|&slot| self.seamless_bytes(slot)).sum();
        self.seamless <= MAX_STRETCH && !filled.iter().any(|&slot| self.is_long(slot))
    }

    /// Gives what is in a slot that is out another form; `None` is the whole.
    pub(crate) fn reform(&mut self, slot: usize, form: Option<Form>) {
        match form {
            Some(form) => {
                self.forms.insert(slot, form);
            }
            None => {
                self.forms.remove(&slot);
            }
        }
        self.inner[slot] = UNCOUNTED;
        self.find_cut(slot);
    }

    /// Says whether a slot has a long stretch before its first or behind its last seam.
    fn is_long(&self, slot: usize) -> bool {
        let length = self.label(slot).len() + self.text(slot).len();
        self.cuts[slot].is_some_and(|cut| cut.first.max(length - cut.last) > MAX_STRETCH)
    }

    /// Returns the bytes that a slot adds to a stretch without a seam: none, if it has one.
    fn seamless_bytes(&self, slot: usize) -> usize {
        match self.cuts[slot] {
            Some(_) => 0,
            None => self.label(slot).len() + self.text(slot).len() + self.widest_gap(slot),
        }
    }

    /// Says whether some rows may be put in and taken out again and again.
    pub(crate) fn is_light(&self, added: &[usize]) -> bool {
        let bytes: usize = added.iter().map(|&slot| self.seamless_bytes(slot)).sum();
        self.seamless + bytes <= MAX_STRETCH && !added.iter().any(|&slot| self.is_long(slot))
    }

    /// Returns the tokens of the joined text.
    pub(crate) fn tokens(&self) -> u64 {
        self.seams.tokens(self.units)
    }

    /// Returns the tokens that the text would have with more rows.
    pub(crate) fn tokens_with(&mut self, added: &[usize]) -> u64 {
        for &slot in added {
            self.insert(slot);
        }
        let tokens = self.tokens();
        for &slot in added {
            self.remove(slot);
        }
        tokens
    }

    /// Returns a number of tokens that the text with more rows cannot be under. Counts nothing.
    pub(crate) fn least_with(&self, added: &[usize]) -> u64 {
        let inner: u64 = added.iter().map(|&slot| self.least[slot]).sum();
        let windows = self.widest * added.len() as u64;
        self.seams
            .tokens(self.units + inner)
            .saturating_sub(windows)
    }

    /// The same, from the very windows that the rows would come into: nearer, and slower to find.
    pub(crate) fn least_near(&self, added: &[usize]) -> u64 {
        let mut units = self.units;
        let mut windows = 0;
        for &slot in added {
            units += self.least[slot];
            let window = self.windows[behind(self.anchor_before(slot))];
            windows += self.seams.tokens(window);
        }
        self.seams.tokens(units).saturating_sub(windows)
    }

    /// Puts a slot in.
    pub(crate) fn insert(&mut self, slot: usize) {
        if self.shows_nothing(slot) {
            return;
        }
        let (left, right) = (self.anchor_before(slot), self.anchor_after(slot));
        self.units -= self.windows[behind(left)];
        self.filled.insert(slot);
        self.seamless += self.seamless_bytes(slot);
        if self.cuts[slot].is_some() {
            self.anchors.insert(slot);
            self.units += self.inner(slot);
            self.recount(left, Some(slot));
            self.recount(Some(slot), right);
        } else {
            self.recount(left, right);
        }
    }

    /// Takes a slot out.
    pub(crate) fn remove(&mut self, slot: usize) {
        if self.shows_nothing(slot) {
            return;
        }
        self.filled.remove(slot);
        self.seamless -= self.seamless_bytes(slot);
        if self.anchors.remove(slot) {
            self.units -= self.windows[behind(Some(slot))] + self.inner(slot);
        }
        let (left, right) = (self.anchor_before(slot), self.anchor_after(slot));
        self.units -= self.windows[behind(left)];
        self.recount(left, right);
    }

    fn recount(&mut self, left: Option<usize>, right: Option<usize>) {
        let units = self.window(left, right);
        self.windows[behind(left)] = units;
        self.units += units;
    }

    fn anchor_before(&self, slot: usize) -> Option<usize> {
        self.anchors.before(slot)
    }

    fn anchor_after(&self, slot: usize) -> Option<usize> {
        self.anchors.from(slot + 1)
    }

    /// Counts what lies between the last seam of one anchor and the first seam of the next.
    fn window(&mut self, left: Option<usize>, right: Option<usize>) -> u64 {
        let mut text = std::mem::take(&mut self.scratch);
        text.clear();
        if let Some(slot) = left {
            let from = self.cuts[slot].map_or(0, |cut| cut.last);
            self.write(&mut text, slot, from, usize::MAX);
        }
        let mut before = left;
        while let Some(slot) = self.filled.from(behind(before)) {
            if let Some(before) = before {
                text.push_str(self.slots.gap(before, slot));
            }
            if Some(slot) == right {
                let to = self.cuts[slot].map_or(usize::MAX, |cut| cut.first);
                self.write(&mut text, slot, 0, to);
                break;
            }
            self.write(&mut text, slot, 0, usize::MAX);
            before = Some(slot);
        }
        let units = self.recall.units(self.seams, &text);
        self.widest = self.widest.max(self.seams.tokens(units));
        self.scratch = text;
        units
    }

    /// Appends the bytes `from..to` of a slot's label and text.
    fn write(&self, out: &mut String, slot: usize, from: usize, to: usize) {
        let (label, text) = (self.label(slot), self.text(slot));
        let split = label.len();
        if from < split {
            out.push_str(&label[from..to.min(split)]);
        }
        if to > split {
            out.push_str(&text[from.saturating_sub(split)..(to - split).min(text.len())]);
        }
    }

    /// Says whether a slot adds no byte to the text. Such rows have no length that would bound how
    /// many of them stand in a window, so they are left out.
    fn shows_nothing(&self, slot: usize) -> bool {
        self.widest_gap(slot) == 0 && self.label(slot).is_empty() && self.text(slot).is_empty()
    }

    fn text(&self, slot: usize) -> &str {
        match self.content(slot) {
            Some(content) => content.rendered().unwrap_or(""),
            None => self.slots.header(slot),
        }
    }

    /// Returns the content in a slot; `None` for a header.
    fn content(&self, slot: usize) -> Option<&Content> {
        if !self.forms.is_empty()
            && let Some(form) = self.forms.get(&slot)
        {
            return Some(&form.content);
        }
        self.slots.row(slot).map(|row| &**self.frame.content(row))
    }

    fn label(&self, slot: usize) -> &str {
        match (&self.labels, self.slots.row(slot)) {
            (Some(labels), Some(row)) => &labels[self.frame.roles[row] as usize],
            _ => "",
        }
    }

    /// Returns the units of the text of a slot.
    fn all_units(&self, slot: usize) -> u64 {
        if !self.forms.is_empty()
            && let Some(form) = self.forms.get(&slot)
        {
            return form.units;
        }
        match self.slots.row(slot) {
            Some(row) => self.costs.units(row),
            None => self.seams.units(self.slots.header(slot)),
        }
    }

    /// Returns the bytes of the longest that may stand beside a slot.
    fn widest_gap(&self, slot: usize) -> usize {
        let (joiner, inner) = self.slots.gaps(slot);
        joiner.len().max(inner.map_or(0, str::len))
    }

    /// Returns what lies between the cuts of a slot: all of its content, less what lies outside.
    fn inner(&mut self, slot: usize) -> u64 {
        if self.inner[slot] == UNCOUNTED {
            self.inner[slot] = match self.cuts[slot] {
                Some(cut) if cut.first < cut.last => {
                    let mut recall = std::mem::take(&mut self.recall);
                    let (head, tail) = self.outside(slot, cut, &mut recall);
                    self.recall = recall;
                    self.all_units(slot) - head - tail
                }
                _ => 0,
            };
        }
        self.inner[slot]
    }

    /// Returns the units of the text of a slot that lie before and behind its cuts.
    fn outside(&self, slot: usize, cut: Cut, recall: &mut Recall) -> (u64, u64) {
        let (text, label) = (self.text(slot), self.label(slot).len());
        let (has_head, has_tail) = (cut.first > label, cut.last < label + text.len());
        if !has_head && !has_tail {
            return (0, 0);
        }
        let mut count = || {
            let (first, last) = self.edge_seams(slot).unwrap_or((0, text.len()));
            let mut units = |text| recall.units(self.seams, text);
            (units(&text[..first]), units(&text[last..]))
        };
        let (head, tail) = match self.content(slot) {
            Some(content) => content.edge_units(self.key, count),
            None => count(),
        };
        (
            if has_head { head } else { 0 },
            if has_tail { tail } else { 0 },
        )
    }

    /// Returns the first and the last seam of the text in a slot.
    fn edge_seams(&self, slot: usize) -> Option<(usize, usize)> {
        let find = |text: &str| {
            let first = self.seams.first_seam(text)?;
            Some((first, self.seams.last_seam(text)?))
        };
        match self.content(slot) {
            Some(content) => {
                content.edge_seams(self.key, || find(content.rendered().unwrap_or("")))
            }
            None => find(self.slots.header(slot)),
        }
    }

    /// Finds the cut of a slot, and the units that the part between the two is not under.
    ///
    /// Looks at the borders of the part with what may stand beside it first, then inside its text,
    /// and inside its label only where the text has no seam.
    fn find_cut(&mut self, slot: usize) {
        let mut borders = std::mem::take(&mut self.borders);
        let cut = self.cut_of(slot, &mut |before: &str, behind: &str| {
            let (a, b) = (before.chars().next_back(), behind.chars().next());
            a.zip(b)
                .is_some_and(|pair| *borders.entry(pair).or_insert_with(|| self.is_seam(pair)))
        });
        self.least[slot] = match cut {
            Some(cut) if cut.first < cut.last => {
                let all = self.text(slot).len() + self.label(slot).len();
                let outside = all - (cut.last - cut.first);
                self.seams.units_without(self.all_units(slot), outside)
            }
            _ => 0,
        };
        self.cuts[slot] = cut;
        self.borders = borders;
    }

    fn cut_of(&self, slot: usize, meets: &mut dyn FnMut(&str, &str) -> bool) -> Option<Cut> {
        let (label, text) = (self.label(slot), self.text(slot));
        let end = label.len() + text.len();
        let (joiner, inner) = self.slots.gaps(slot);
        let tail = if text.is_empty() { label } else { text };
        let starts =
            label.is_empty() && meets(joiner, text) && inner.is_none_or(|inner| meets(inner, text));
        let ends = meets(tail, joiner) && inner.is_none_or(|inner| meets(tail, inner));
        let (first, last) = match self.edge_seams(slot) {
            Some((first, last)) => (
                if starts { 0 } else { label.len() + first },
                if ends { end } else { label.len() + last },
            ),
            None if starts && ends => (0, end),
            None if starts => (0, 0),
            None if ends => (end, end),
            None => {
                let only = self.seams.first_seam(label)?;
                (only, only)
            }
        };
        Some(Cut { first, last })
    }

    /// Says whether the border between two characters is a seam.
    fn is_seam(&self, (before, behind): (char, char)) -> bool {
        let mut pair = [0; 8];
        let split = before.encode_utf8(&mut pair).len();
        let end = split + behind.encode_utf8(&mut pair[split..]).len();
        let pair = std::str::from_utf8(&pair[..end]).expect("two characters are UTF-8");
        self.seams.first_seam(pair) == Some(split)
    }
}

impl Drop for Joined<'_> {
    fn drop(&mut self) {
        let recall = std::mem::take(&mut self.recall);
        self.profile.joins().give_back(recall);
    }
}

/// Returns the slot from which on something stands behind an anchor.
fn behind(anchor: Option<usize>) -> usize {
    anchor.map_or(0, |slot| slot + 1)
}

//! Every decision of one pack, as the stages made them.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use super::admit::{Redaction, Refusal, Refusals};
use super::bonds::Bonds;
use super::cost::{Costs, RowCost, content_accuracy};
use super::division::Division;
use super::form::{Form, Kind};
use super::groups::Groups;
use super::miss::{Miss, misses};
use super::optimum::Optimum;
use super::options::{PackOptions, Room, Selection, signed};
use super::rendered::Rendered;
use super::select::Runs;
use super::slots::Slots;
use super::standing::{Change, Standing};
use super::verify::Verified;
use crate::content::Content;
use crate::frame::Frame;
use crate::once::once;
use crate::word::{Accuracy, Render, Retention};

/// What the caller asked for.
pub(crate) struct Call {
    pub(crate) options: Arc<PackOptions>,
    /// The same without callables, which are held only while packing.
    pub(crate) kept: Arc<PackOptions>,
    pub(crate) policies: Vec<String>,
    pub(crate) room: Room,
}

/// How far packing came.
#[derive(Debug)]
pub(crate) enum Progress {
    /// It decided everything.
    Complete(Box<Complete>),
    /// It failed; these rows, in order, were charged before.
    Partial { charged: Vec<usize> },
}

/// What selection and verification decided.
#[derive(Debug)]
pub(crate) struct Complete {
    pub(crate) standing: Standing,
    pub(crate) runs: Runs,
    /// What the required groups alone cost.
    pub(crate) bare: Standing,
    /// Of each section, the tokens up to which room was held.
    pub(crate) floors: Vec<u64>,
    pub(crate) verified: Verified,
    /// What is known of an optimal selection.
    pub(crate) optimum: Option<Optimum>,
}

/// What the stages before costs found.
pub(crate) struct Found {
    pub(crate) groups: Groups,
    pub(crate) bonds: Bonds,
    pub(crate) division: Division,
    pub(crate) retentions: Vec<Retention>,
    pub(crate) refusals: Refusals,
    /// What was taken out of contents, by row and alternative.
    pub(crate) redactions: Vec<Redaction>,
}

/// Every decision of one pack.
pub(crate) struct Ledger {
    pub(crate) frame: Arc<Frame>,
    pub(crate) options: Arc<PackOptions>,
    pub(crate) policies: Vec<String>,
    pub(crate) room: Room,
    pub(crate) found: Found,
    pub(crate) costs: Option<Costs>,
    pub(crate) slots: Slots,
    pub(crate) progress: Progress,
    /// Of each group that is out, why. Made when asked for.
    misses: OnceLock<Vec<Option<Miss>>>,
    /// Of each group, whether it was selected while its section was under its floor.
    floors: OnceLock<Vec<bool>>,
}

/// The fate of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fate {
    Selected {
        why: &'static str,
    },
    Excluded {
        reason: Cow<'static, str>,
        rule: Option<String>,
        shortfall: Option<i64>,
    },
}

impl std::fmt::Debug for Ledger {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ledger")
            .field("room", &self.room)
            .field("progress", &self.progress)
            .finish_non_exhaustive()
    }
}

impl Ledger {
    pub(crate) fn new(
        call: &Call,
        frame: Arc<Frame>,
        found: Found,
        costs: Option<Costs>,
        progress: Progress,
    ) -> Self {
        let slots = Slots::of(&frame, &found.groups, &found.division, &call.options);
        Self {
            options: Arc::clone(&call.kept),
            room: call.room,
            policies: call.policies.clone(),
            frame,
            found,
            costs,
            slots,
            progress,
            misses: OnceLock::new(),
            floors: OnceLock::new(),
        }
    }

    /// Returns the slots that are filled, in order: rows that are in, and headers.
    pub(crate) fn filled(&self) -> Vec<usize> {
        match &self.progress {
            Progress::Complete(decided) => self.slots.filled(&self.found.groups, &decided.standing),
            Progress::Partial { charged } => {
                let mut taken = vec![false; self.found.groups.len()];
                for &row in charged {
                    taken[self.found.groups.of_row(row)] = true;
                }
                let mut filled = self.slots.chosen(&self.found.groups, &taken);
                filled.retain(|&slot| {
                    self.slots
                        .row(slot)
                        .is_none_or(|row| charged.binary_search(&row).is_ok())
                });
                filled
            }
        }
    }

    /// Returns what is rendered of some slots.
    pub(crate) fn rendered<'a>(
        &'a self,
        filled: &'a [usize],
    ) -> Rendered<'a, impl Fn(usize) -> &'a Content> {
        Rendered {
            frame: &self.frame,
            slots: &self.slots,
            filled,
            options: &self.options,
            content: |row| self.content(row),
        }
    }

    /// Returns the rows that are in, in the order of the layout.
    pub(crate) fn selected(&self) -> Vec<usize> {
        self.filled()
            .into_iter()
            .filter_map(|slot| self.slots.row(slot))
            .collect()
    }

    /// Returns the form of a row that is not in whole.
    pub(crate) fn form(&self, row: usize) -> Option<&Form> {
        match &self.progress {
            Progress::Complete(decided) => decided.standing.form(self.found.groups.of_row(row)),
            Progress::Partial { .. } => None,
        }
    }

    /// Returns the content that a row is packed as.
    pub(crate) fn content(&self, row: usize) -> &Content {
        match self.form(row) {
            Some(form) => &form.content,
            None => self.frame.content(row),
        }
    }

    /// Returns the word for the form that a row is in.
    pub(crate) fn form_word(&self, row: usize) -> &'static str {
        match self.form(row).map(|form| &form.kind) {
            None if self.options.shortened(row).is_some() => "cut",
            None if self.is_redacted(row, None) => "redacted",
            None if self.options.is_repaired(row) => "repaired",
            None => "whole",
            Some(Kind::Alternative(_)) => "alternative",
            Some(Kind::Cut(_) | Kind::Strategy) => "cut",
        }
    }

    /// Says whether a row is in with all that it says.
    pub(crate) fn is_whole(&self) -> bool {
        match &self.progress {
            Progress::Complete(decided) => {
                let whole = |redaction: &Redaction| redaction.alternative.is_some();
                let planned = self.options.planned.iter();
                let mut shortened = planned.map(|planned| &planned.shortened);
                decided.standing.forms.is_empty()
                    && shortened.all(std::collections::BTreeMap::is_empty)
                    && self.found.redactions.iter().all(whole)
            }
            Progress::Partial { .. } => false,
        }
    }

    /// Returns the tokens of the rendering; of a pack that failed, the sum of what was charged.
    pub(crate) fn total(&self) -> u64 {
        match (&self.progress, &self.costs) {
            (Progress::Complete(decided), _) => decided.verified.total,
            (Progress::Partial { charged }, Some(costs)) if !charged.is_empty() => {
                let found = &self.found;
                let mut sum = Standing::new(
                    found.groups.len(),
                    &found.division,
                    &found.bonds,
                    costs.base,
                );
                for &row in charged {
                    sum.apply(
                        &found.division,
                        &[Change {
                            section: found.division.section(found.groups.of_row(row)),
                            tokens: signed(costs.total(row)),
                            parts: 1,
                        }],
                    );
                }
                u64::try_from(sum.total(&found.division)).unwrap_or(0)
            }
            _ => 0,
        }
    }

    /// Returns what became of a row.
    pub(crate) fn fate(&self, row: usize) -> Fate {
        if let Some(refusal) = self.found.refusals.of(row) {
            let (reason, rule) = refusal.code();
            return Fate::Excluded {
                reason: reason.into(),
                rule,
                shortfall: None,
            };
        }
        let group = self.found.groups.of_row(row);
        match &self.progress {
            Progress::Partial { charged } if charged.binary_search(&row).is_ok() => {
                Fate::Selected {
                    why: self.why_required(row),
                }
            }
            Progress::Partial { .. } => Fate::Excluded {
                reason: "not_evaluated".into(),
                rule: None,
                shortfall: None,
            },
            Progress::Complete(decided) if decided.standing.taken[group] => Fate::Selected {
                why: if self.frame.pins[row] || self.found.retentions[group] == Retention::Required
                {
                    self.why_required(row)
                } else if matches!(self.options.selection, Selection::Optimal { .. }) {
                    "optimal"
                } else if self.by_floor()[group] {
                    "floor"
                } else {
                    "score"
                },
            },
            Progress::Complete(_) => {
                let miss = self.misses()[group].clone().unwrap_or_default();
                Fate::Excluded {
                    reason: miss.reason,
                    rule: miss.rule,
                    shortfall: miss.shortfall,
                }
            }
        }
    }

    fn why_required(&self, row: usize) -> &'static str {
        if self.frame.pins[row] {
            "pinned"
        } else {
            "required"
        }
    }

    /// Returns, of each group, whether it was selected while its section was under its floor.
    fn by_floor(&self) -> &[bool] {
        once::<Vec<bool>>(&self.floors, || {
            let mut by_floor = vec![false; self.found.groups.len()];
            if let Progress::Complete(decided) = &self.progress {
                for taken in &decided.standing.sequence {
                    by_floor[taken.group as usize] |= taken.by_floor;
                }
            }
            by_floor
        })
    }

    /// Returns the cost of a row in its form, if it was counted.
    pub(crate) fn cost(&self, row: usize) -> Option<RowCost> {
        if self.found.refusals.of(row).is_some() {
            return None;
        }
        let costs = self.costs.as_ref().filter(|costs| costs.is_counted(row))?;
        let mut cost = costs.row(row, self.frame.roles[row]);
        if let Some(form) = self.form(row) {
            cost.content = form.tokens;
            cost.total = form.total;
        }
        Some(cost)
    }

    /// Returns the cost of a row as a whole, if it was counted.
    pub(crate) fn whole_cost(&self, row: usize) -> Option<RowCost> {
        if self.found.refusals.of(row).is_some() {
            return None;
        }
        let costs = self.costs.as_ref().filter(|costs| costs.is_counted(row))?;
        Some(costs.row(row, self.frame.roles[row]))
    }

    /// Says whether secrets were taken out of a row, or of one of its alternatives.
    pub(crate) fn is_redacted(&self, row: usize, alternative: Option<usize>) -> bool {
        let place = |redaction: &Redaction| (redaction.row, redaction.alternative);
        self.found
            .redactions
            .binary_search_by_key(&(row, alternative), place)
            .is_ok()
    }

    /// Says whether the hash of a row's content would tell of a secret: one that was refused, or
    /// taken out.
    pub(crate) fn hides_hash(&self, row: usize) -> bool {
        matches!(self.found.refusals.of(row), Some(Refusal::Secret(_)))
            || self.is_redacted(row, None)
    }

    /// Says whether a row is a message by itself; else it is a part of a text.
    pub(crate) fn is_message(&self, row: usize) -> bool {
        let group = self.found.groups.of_row(row);
        !self.found.division.joins(group)
    }

    /// Returns what the content tokens of a row are worth.
    pub(crate) fn content_accuracy(&self, row: usize) -> Accuracy {
        content_accuracy(
            &self.frame,
            row,
            &self.options.profile,
            self.is_message(row),
        )
    }

    /// Returns what the pack is worth: the weakest of what is in it.
    pub(crate) fn accuracy(&self, selected: &[usize]) -> Accuracy {
        let content = selected
            .iter()
            .map(|&row| self.content_accuracy(row))
            .fold(self.options.profile.accuracy(), Accuracy::weakest);
        let profile = &*self.options.profile;
        let whole = match self.options.render() {
            Render::Text => content,
            Render::Messages if profile.counts_exactly() && !self.has_media(selected) => {
                profile.accuracy()
            }
            Render::Messages => in_messages(content),
        };
        if self.options.guesses_beside() {
            whole.weakest(Accuracy::Approximate)
        } else {
            whole
        }
    }

    /// Says whether there are media in some rows.
    fn has_media(&self, rows: &[usize]) -> bool {
        let counted = |&row: &usize| self.content(row).counted();
        rows.iter()
            .filter_map(counted)
            .any(|counted| counted.has_media)
    }

    /// Judges, by the pack as it is, every group that is out.
    fn misses(&self) -> &[Option<Miss>] {
        once::<Vec<Option<Miss>>>(&self.misses, || match (&self.progress, &self.costs) {
            (Progress::Complete(decided), Some(costs)) => misses(self, decided, costs),
            _ => vec![None; self.found.groups.len()],
        })
    }

    /// Returns the alternatives that are in: row, place, tokens of the content.
    pub(crate) fn alternatives(&self) -> Vec<(usize, usize, u64)> {
        let Progress::Complete(decided) = &self.progress else {
            return Vec::new();
        };
        let mut found: Vec<(usize, usize, u64)> = decided
            .standing
            .forms
            .iter()
            .filter_map(|(&group, form)| match form.kind {
                Kind::Alternative(place) => {
                    let row = self.found.groups.rows(group as usize)[0] as usize;
                    Some((row, place, form.tokens))
                }
                Kind::Cut(_) | Kind::Strategy => None,
            })
            .collect();
        found.sort_unstable();
        found
    }

    /// Returns what is known of an optimal selection.
    pub(crate) fn optimum(&self) -> Option<Optimum> {
        match &self.progress {
            Progress::Complete(decided) => decided.optimum,
            Progress::Partial { .. } => None,
        }
    }

    /// Returns the tokens up to which room was held for a section.
    pub(crate) fn floor(&self, section: usize) -> u64 {
        match &self.progress {
            Progress::Complete(decided) => decided.floors[section],
            Progress::Partial { .. } => 0,
        }
    }

    /// Returns why the strategy of a section was replaced by the default rule, if it was.
    pub(crate) fn fault(&self, section: usize) -> Option<&String> {
        match &self.progress {
            Progress::Complete(decided) => decided.runs.faults.get(&section),
            Progress::Partial { .. } => None,
        }
    }

    /// Returns the tokens of a section as a sum of parts.
    pub(crate) fn section_tokens(&self, section: usize) -> u64 {
        match &self.progress {
            Progress::Complete(decided) => {
                let tokens = decided
                    .standing
                    .section_tokens(&self.found.division, section);
                u64::try_from(tokens).unwrap_or(0)
            }
            Progress::Partial { .. } => 0,
        }
    }

    /// Returns the tokens of the headers of the sections of some rows, and of what stands between
    /// all parts.
    pub(crate) fn between(&self, rows: impl Iterator<Item = usize>) -> (i64, i64) {
        let division = &self.found.division;
        if self.costs.is_none() {
            return (0, 0);
        }
        let mut parts = vec![0_i64; division.len()];
        for row in rows {
            parts[division.section(self.found.groups.of_row(row))] += 1;
        }
        let (mut headers, mut separators, mut filled) = (0, 0, 0_i64);
        for (section, &parts) in parts.iter().enumerate().filter(|(_, parts)| **parts > 0) {
            let part = division.part(section);
            filled += i64::from(part.joins);
            separators += signed(part.separator) * (parts - 1);
            if let Some(header) = part.header.checked_sub(part.separator)
                && part.header > 0
            {
                headers += signed(header);
                separators += signed(part.separator);
            }
        }
        separators += signed(division.joiner) * (filled - 1).max(0);
        (headers, separators)
    }
}

/// Returns what content of some accuracy is worth in messages, whose framing is not known for
/// certain: exact content is `exact_text`, and a bound on content is none on the whole.
pub(crate) fn in_messages(content: Accuracy) -> Accuracy {
    match content {
        Accuracy::Exact => Accuracy::ExactText,
        Accuracy::Bounded => Accuracy::Approximate,
        other => other,
    }
}

/// Returns what a row's tokens are worth, framing included: it is never exact here.
pub(crate) fn row_accuracy(content: Accuracy, is_message: bool) -> Accuracy {
    if is_message {
        content.weakest(Accuracy::Approximate)
    } else {
        content
    }
}

//! Every decision of one pack, as the stages made them.

use std::sync::{Arc, OnceLock};

use super::admit::Refusals;
use super::cost::{Costs, RowCost, content_accuracy};
use super::groups::Groups;
use super::options::{PackOptions, Room, signed};
use super::select::Selection;
use super::verify::{Verified, join};
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
    Complete {
        selection: Selection,
        verified: Verified,
    },
    /// It failed; these rows, in order, were charged before.
    Partial { charged: Vec<usize> },
}

/// Every decision of one pack.
pub(crate) struct Ledger {
    pub(crate) frame: Arc<Frame>,
    pub(crate) options: Arc<PackOptions>,
    pub(crate) policies: Vec<String>,
    pub(crate) room: Room,
    pub(crate) groups: Groups,
    pub(crate) refusals: Refusals,
    pub(crate) costs: Option<Costs>,
    pub(crate) progress: Progress,
    /// Of each group, the strongest retention of its rows. Made when asked for.
    retentions: OnceLock<Vec<Retention>>,
    /// Of each group, by how much the rendering with it would be over. Made when asked for.
    shortfalls: OnceLock<Vec<i64>>,
}

/// The fate of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fate {
    Selected {
        why: &'static str,
    },
    Excluded {
        reason: String,
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
        (groups, refusals): (Groups, Refusals),
        costs: Option<Costs>,
        progress: Progress,
    ) -> Self {
        Self {
            options: Arc::clone(&call.kept),
            room: call.room,
            policies: call.policies.clone(),
            frame,
            groups,
            refusals,
            costs,
            progress,
            retentions: OnceLock::new(),
            shortfalls: OnceLock::new(),
        }
    }

    /// Returns the rows that are in, in the order of the layout.
    pub(crate) fn selected(&self) -> Vec<usize> {
        match &self.progress {
            Progress::Complete { selection, .. } => (0..self.frame.len())
                .filter(|&row| selection.taken[self.groups.of_row(row)])
                .collect(),
            Progress::Partial { charged } => charged.clone(),
        }
    }

    /// Returns the tokens of the rendering; of a pack that failed, the sum of what was charged.
    pub(crate) fn total(&self) -> u64 {
        match (&self.progress, &self.costs) {
            (Progress::Complete { verified, .. }, _) => verified.total,
            (Progress::Partial { charged }, Some(costs)) if !charged.is_empty() => costs.sum(
                charged.iter().map(|&row| costs.total(row)).sum(),
                charged.len(),
            ),
            _ => 0,
        }
    }

    /// Returns what became of a row.
    pub(crate) fn fate(&self, row: usize) -> Fate {
        if let Some(refusal) = self.refusals.of(row) {
            let (reason, rule) = refusal.code();
            return Fate::Excluded {
                reason,
                rule,
                shortfall: None,
            };
        }
        let group = self.groups.of_row(row);
        let why = || {
            if self.frame.pins[row] {
                "pinned"
            } else if self.retention(group) == Retention::Required {
                "required"
            } else {
                "score"
            }
        };
        let excluded = |reason: &str, shortfall| Fate::Excluded {
            reason: reason.to_owned(),
            rule: None,
            shortfall,
        };
        match &self.progress {
            Progress::Partial { charged } if charged.binary_search(&row).is_ok() => {
                Fate::Selected { why: why() }
            }
            Progress::Partial { .. } => excluded("not_evaluated", None),
            Progress::Complete { selection, .. } if selection.taken[group] => {
                Fate::Selected { why: why() }
            }
            Progress::Complete {
                selection,
                verified,
            } => {
                let fits_as_sum = self.costs.as_ref().is_some_and(|costs| {
                    self.room
                        .holds(selection.sum_with(&self.groups, costs, group))
                });
                let reason = if selection.barred[group] || fits_as_sum {
                    "join_cost"
                } else {
                    "budget"
                };
                excluded(reason, Some(self.shortfalls(selection, verified)[group]))
            }
        }
    }

    fn retention(&self, group: usize) -> Retention {
        self.retentions
            .get_or_init(|| self.groups.retentions(&self.frame))[group]
    }

    /// Returns the cost of a row, if it was counted.
    pub(crate) fn cost(&self, row: usize) -> Option<RowCost> {
        if self.refusals.of(row).is_some() {
            return None;
        }
        self.costs
            .as_ref()
            .map(|costs| costs.row(row, self.frame.roles[row]))
    }

    /// Returns what the content tokens of a row are worth.
    pub(crate) fn content_accuracy(&self, row: usize) -> Accuracy {
        content_accuracy(
            &self.frame,
            row,
            &self.options.profile,
            self.options.render(),
        )
    }

    /// Returns what the pack is worth: the weakest of what is in it.
    pub(crate) fn accuracy(&self, selected: &[usize]) -> Accuracy {
        let content = selected
            .iter()
            .map(|&row| self.content_accuracy(row))
            .fold(self.options.profile.accuracy(), Accuracy::weakest);
        match self.options.render() {
            Render::Text => content,
            Render::Messages => in_messages(content),
        }
    }

    /// Counts, for every group that is out, by how much the rendering with it would be over.
    fn shortfalls(&self, selection: &Selection, verified: &Verified) -> &[i64] {
        once::<Vec<i64>>(&self.shortfalls, || {
            let (Some(costs), Some(available)) = (&self.costs, self.room.available) else {
                return vec![0; self.groups.len()];
            };
            let seams = self
                .options
                .profile
                .tokenizer()
                .seams()
                .filter(|_| verified.counts_joins);
            let mut joined = seams.and_then(|seams| {
                join(
                    &self.frame,
                    &self.groups,
                    costs,
                    selection,
                    &self.options,
                    seams,
                )
            });
            let mut shortfalls = vec![0; self.groups.len()];
            for group in selection.order.iter().map(|&group| group as usize) {
                if !selection.taken[group] {
                    let with = match &mut joined {
                        Some(joined) => joined.tokens_with(self.groups.rows(group)),
                        None => selection.sum_with(&self.groups, costs, group),
                    };
                    shortfalls[group] = signed(with) - available;
                }
            }
            shortfalls
        })
    }
}

/// Returns what content of some accuracy is worth in messages, whose framing is not known for
/// certain: exact content is `exact_text`, and a bound on content is none on the whole.
fn in_messages(content: Accuracy) -> Accuracy {
    match content {
        Accuracy::Exact => Accuracy::ExactText,
        Accuracy::Bounded => Accuracy::Approximate,
        other => other,
    }
}

/// Returns what a row's tokens are worth, framing included: it is never exact here.
pub(crate) fn row_accuracy(content: Accuracy, render: Render) -> Accuracy {
    match render {
        Render::Text => content,
        Render::Messages => content.weakest(Accuracy::Approximate),
    }
}

//! Items of the Responses API.

use std::collections::HashSet;

use foldhash::fast::FixedState;

use super::Judging;
use crate::conversation::entry::{Family, Kind, Status};
use crate::conversation::live::live;
use crate::conversation::rule::Rule;
use crate::conversation::searches;
use crate::conversation::view::{Row, View};

/// Judges ties, programs, reasoning and the ids of items. Linear.
pub(super) fn judge(view: &View<'_>, judging: &mut Judging) {
    let mut items = Items::new(view);
    items.tie(judging);
    items.tie_searches(judging);
    items.judge_programs(judging);
    items.judge_open(judging);
    judge_reasoning(view, judging);
    judge_ids(view, judging);
}

/// The calls of one type and id, read so far.
#[derive(Debug, Clone, Copy)]
struct Known {
    first: usize,
    last: usize,
    is_answered: bool,
    is_closed: bool,
}

struct Items<'a, 'b> {
    view: &'a View<'b>,
    known: Vec<Option<Known>>,
    /// The call of each output that answers one.
    call: Vec<Option<usize>>,
    /// Of each key of a program, where the first one begins, and where its last output stands.
    begins: Vec<Option<usize>>,
    ends: Vec<Option<usize>>,
    /// Of each key, whether a program with it has made something.
    has_child: Vec<bool>,
}

impl<'a, 'b> Items<'a, 'b> {
    fn new(view: &'a View<'b>) -> Self {
        Self {
            known: vec![None; view.keys()],
            call: vec![None; view.entries.len()],
            begins: vec![None; view.keys()],
            ends: vec![None; view.keys()],
            has_child: vec![false; view.keys()],
            view,
        }
    }

    fn row(&self, at: usize) -> &'a Row<'b> {
        &self.view.rows[self.view.entries[at].row]
    }

    /// Ties outputs to the calls before them by type and id.
    fn tie(&mut self, judging: &mut Judging) {
        let view = self.view;
        for (at, entry) in view.entries.iter().enumerate() {
            let status_only = entry.fault == Some(Rule::BadStatus);
            let Some(key) = entry.key.filter(|_| entry.fault.is_none() || status_only) else {
                continue;
            };
            if entry.kind == Kind::Call {
                self.call_again(at, key, judging);
                continue;
            }
            // Of the two names that an output may have, the one counts that a call has.
            let second = entry
                .second_key
                .filter(|second| !self.view.is_called(key) && self.view.is_called(*second));
            let (key, path) = match second {
                Some(second) => (second, "call_id".to_owned()),
                None => (key, entry.key_path()),
            };
            let Some(known) = self.known[key as usize] else {
                judging.refuse(entry.row, path, Rule::OrphanResult);
                continue;
            };
            let owner = self.row(at).owner;
            if owner.is_some() && owner != self.row(known.last).owner {
                judging.refuse(entry.row, "caller", Rule::WrongOwner);
            } else if status_only {
                judging.refuse(entry.row, "status", Rule::BadStatus);
            } else if known.is_closed {
                judging.refuse(entry.row, path, Rule::DuplicateResult);
            } else {
                self.call[at] = Some(known.last);
                self.known[key as usize] = Some(Known {
                    is_answered: true,
                    is_closed: entry.status == Status::Done,
                    ..known
                });
                if entry.family == Family::Program && entry.status == Status::Done {
                    self.ends[key as usize].get_or_insert(entry.row);
                }
            }
        }
    }

    fn call_again(&mut self, at: usize, key: u32, judging: &mut Judging) {
        let entry = &self.view.entries[at];
        let slot = &mut self.known[key as usize];
        match slot {
            Some(known) => {
                judging.refuse(entry.row, entry.key_path(), Rule::DuplicateCall);
                known.last = at;
                known.is_closed = false;
            }
            None => {
                *slot = Some(Known {
                    first: at,
                    last: at,
                    is_answered: false,
                    is_closed: false,
                });
            }
        }
        if entry.family == Family::Program {
            self.begins[key as usize].get_or_insert(entry.row);
        }
    }

    fn tie_searches(&mut self, judging: &mut Judging) {
        for (output, call) in searches::by_place(self.view) {
            self.call[output] = Some(call);
        }
        for (at, entry) in self.view.entries.iter().enumerate() {
            let is_search = entry.family == Family::Search && entry.key.is_none();
            if !is_search || entry.kind != Kind::Result {
                continue;
            }
            if entry.fault == Some(Rule::BadStatus) {
                judging.refuse(entry.row, "status", Rule::BadStatus);
            } else if entry.fault.is_none() && self.call[at].is_none() {
                judging.refuse(entry.row, entry.key_path(), Rule::OrphanResult);
            }
        }
    }

    /// Says whether a program begins before a row, and whether it has ended there.
    fn life(&self, program: u32, row: usize) -> (bool, bool) {
        let before = |at: Option<usize>| at.is_some_and(|at| at < row);
        let program = program as usize;
        (before(self.begins[program]), before(self.ends[program]))
    }

    /// Says whether a program made an item in its life: no output and no program.
    fn is_child(&self, at: usize) -> bool {
        let entry = &self.view.entries[at];
        let is_made = entry.kind != Kind::Result && entry.family != Family::Program;
        let owner = self.row(at).owner.filter(|_| is_made);
        owner.is_some_and(|owner| self.life(owner, entry.row) == (true, false))
    }

    fn judge_programs(&mut self, judging: &mut Judging) {
        for (at, entry) in self.view.entries.iter().enumerate() {
            if let Some(owner) = self.row(at).owner {
                let (begun, ended) = self.life(owner, entry.row);
                if entry.family == Family::Program && entry.kind == Kind::Call {
                    judging.refuse(entry.row, "caller", Rule::NestedProgram);
                } else if !begun {
                    judging.refuse(entry.row, "caller.caller_id", Rule::UnknownProgram);
                } else if ended {
                    judging.refuse(entry.row, "caller.caller_id", Rule::ChildAfterCompleted);
                }
                self.has_child[owner as usize] |= self.is_child(at);
                continue;
            }
            let Some(call) = self.call[at].filter(|call| self.is_child(*call)) else {
                continue;
            };
            let owner = self.row(call).owner;
            if owner.is_some_and(|owner| self.life(owner, entry.row).1) {
                judging.refuse(entry.row, entry.key_path(), Rule::ChildAfterCompleted);
            }
        }
    }

    /// A call without an output waits while nothing but results, reasoning and calls follows.
    fn judge_open(&self, judging: &mut Judging) {
        let turns = self.view.turns();
        let is_live = live(self.view, &turns);
        let answered: HashSet<usize, FixedState> = self.call.iter().flatten().copied().collect();
        for (at, entry) in self.view.entries.iter().enumerate() {
            if !entry.is_call() {
                continue;
            }
            let is_open = match entry.key {
                Some(key) => self.known[key as usize]
                    .is_some_and(|known| known.first == at && !known.is_answered),
                None => !answered.contains(&at),
            };
            let is_full = entry.family == Family::Program
                && entry.key.is_some_and(|key| self.has_child[key as usize]);
            let may_wait = !is_live[at] && entry.patient && self.is_child(at);
            if is_open && !is_full && !may_wait {
                judging.open(entry, is_live[at]);
            }
        }
    }
}

/// Reasoning belongs to what the model made right behind it, or behind more reasoning.
fn judge_reasoning(view: &View<'_>, judging: &mut Judging) {
    let mut follows = false;
    for (at, row) in view.rows.iter().enumerate().rev() {
        if row.is_reasoning() {
            if !follows {
                judging.refuse(at, "", Rule::NoFollower);
            }
        } else if !row.is_control() {
            follows = row.is_model_made();
        }
    }
}

/// The id of an item is its own.
fn judge_ids(view: &View<'_>, judging: &mut Judging) {
    let mut seen: HashSet<&str, FixedState> = HashSet::default();
    for (at, row) in view.rows.iter().enumerate() {
        let Some(id) = row.item_id.as_deref() else {
            continue;
        };
        if !seen.insert(id) {
            let is_result = view.results_of(at) > 0;
            let rule = if is_result {
                Rule::DuplicateResult
            } else {
                Rule::DuplicateCall
            };
            judging.refuse(at, "id", rule);
        }
    }
}

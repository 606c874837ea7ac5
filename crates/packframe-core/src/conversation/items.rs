//! Ties of calls and outputs among the items of the Responses API.

use std::collections::HashSet;

use foldhash::fast::FixedState;

use super::entry::{Family, Kind, Status};
use super::links::Links;
use super::rule::Rule;
use super::searches;
use super::view::View;
use super::waiting::Waiting;

/// Ties outputs to the calls before them, then what is left to those behind; items to their
/// programs; and finds what is said twice. Linear.
pub(super) fn link(view: &View<'_>) -> Links {
    let mut links = Links::new(view);
    let completed = Items::new(view, &mut links).link();
    let keys: Vec<Option<u32>> = view.entries.iter().map(|entry| entry.key).collect();
    links.keep_newest(view, &keys);
    repeated(view, &mut links);
    leave_programs(view, &completed, &mut links);
    links.settle(view);
    without_follower(view, &mut links);
    links
}

struct Items<'a, 'b> {
    view: &'a View<'b>,
    links: &'a mut Links,
    waiting: Waiting,
    /// Of each key, the newest program with it.
    programs: Vec<Option<usize>>,
    /// Of each program, the row at which it is completed.
    completed: Vec<Option<usize>>,
}

impl<'a, 'b> Items<'a, 'b> {
    fn new(view: &'a View<'b>, links: &'a mut Links) -> Self {
        Self {
            waiting: Waiting::new(view),
            programs: vec![None; view.keys()],
            completed: vec![None; view.entries.len()],
            view,
            links,
        }
    }

    /// Returns, of each program, the row at which it is completed.
    fn link(mut self) -> Vec<Option<usize>> {
        self.search_by_place();
        let mut later: Vec<(usize, u32)> = Vec::new();
        for at in 0..self.view.entries.len() {
            let entry = &self.view.entries[at];
            self.belong(at);
            let Some(key) = entry.key.filter(|_| entry.fault.is_none()) else {
                continue;
            };
            match entry.kind {
                Kind::Call => {
                    self.waiting.push(key, at);
                    if entry.family == Family::Program {
                        self.programs[key as usize] = Some(at);
                    }
                }
                Kind::Result => {
                    let keys = [Some(key), entry.second_key];
                    let found = keys.into_iter().flatten().find_map(|key| {
                        let call = self.waiting.top(key)?;
                        Some((call, key))
                    });
                    match found {
                        Some((call, key)) => {
                            if self.answer(at, call) && self.closes(at) {
                                self.waiting.pop(key);
                            }
                        }
                        None => later.push((at, key)),
                    }
                }
                _ => {}
            }
        }
        for (at, key) in later {
            let second = self.view.entries[at].second_key;
            let mut keys = [Some(key), second].into_iter().flatten();
            match keys.find_map(|key| Some((self.waiting.next(key, at)?, key))) {
                // A call that is answered already has its outputs behind it.
                Some((call, key)) if self.answer(at, call) => {
                    if self.links.fault[at].is_none() {
                        self.links.fault[at] = Some(Rule::OrphanResult);
                    }
                    self.links.moves[at] = true;
                    if self.closes(at) {
                        self.waiting.take_next(key);
                    }
                }
                Some(_) => {}
                None if self.view.is_called(key) => {
                    self.links.fault[at] = Some(Rule::DuplicateResult);
                }
                None => self.links.fault[at] = Some(Rule::OrphanResult),
            }
        }
        self.completed
    }

    /// Says whether an output is the last one of its call.
    fn closes(&self, output: usize) -> bool {
        self.view.entries[output].status == Status::Done
    }

    /// Ties an output to a call, unless another program owns it.
    fn answer(&mut self, output: usize, call: usize) -> bool {
        let row = |at: usize| &self.view.rows[self.view.entries[at].row];
        let owner = row(output).owner;
        if owner.is_some() && owner != row(call).owner {
            self.links.fault[output] = Some(Rule::WrongOwner);
            return false;
        }
        self.links.tie(output, call);
        let entry = &self.view.entries[output];
        let ends = entry.family == Family::Program && entry.status == Status::Done;
        // One that stands before its program will stand behind all that belongs to it.
        if ends && entry.row > self.view.entries[call].row {
            self.completed[call].get_or_insert(entry.row);
        }
        true
    }

    /// Finds the program that an item belongs to.
    fn belong(&mut self, at: usize) {
        let entry = &self.view.entries[at];
        if entry.kind == Kind::Result || entry.fault.is_some() {
            return;
        }
        let Some(owner) = self.view.rows[entry.row].owner else {
            return;
        };
        let program = self.programs[owner as usize];
        self.links.program[at] = program;
        let fault = match program {
            _ if entry.family == Family::Program => Some(Rule::NestedProgram),
            None => Some(Rule::UnknownProgram),
            Some(program) if self.completed[program].is_some() => Some(Rule::ChildAfterCompleted),
            Some(program) => {
                self.links.children[program] += 1;
                None
            }
        };
        self.links.fault[at] = fault;
    }

    /// Ties searches without an id.
    fn search_by_place(&mut self) {
        for (output, call) in searches::by_place(self.view) {
            self.links.tie(output, call);
        }
        for (at, entry) in self.view.entries.iter().enumerate() {
            let is_one = entry.family == Family::Search && entry.key.is_none();
            let is_left = entry.kind == Kind::Result && self.links.call[at].is_none();
            if is_one && is_left && entry.fault.is_none() {
                self.links.fault[at] = Some(Rule::OrphanResult);
            }
        }
    }
}

/// Lets items go whose id was there before.
fn repeated(view: &View<'_>, links: &mut Links) {
    let mut seen: HashSet<&str, FixedState> = HashSet::default();
    for (at, entry) in view.entries.iter().enumerate() {
        let goes = links.fault[at].is_some() && !links.moves[at];
        let call_goes = links.call[at].is_some_and(|call| links.fault[call].is_some());
        let id = view.rows[entry.row].item_id.as_deref();
        let Some(id) = id.filter(|_| !goes && !call_goes) else {
            continue;
        };
        if !seen.insert(id) {
            links.moves[at] = false;
            links.fault[at] = Some(match entry.kind {
                Kind::Result => Rule::DuplicateResult,
                _ => Rule::DuplicateCall,
            });
        }
    }
}

/// Lets items go whose program goes, and outputs that come when it is completed move to their call.
fn leave_programs(view: &View<'_>, completed: &[Option<usize>], links: &mut Links) {
    for at in 0..view.entries.len() {
        if let Some(program) = links.program[at]
            && links.fault[program].is_some()
            && links.fault[at].is_none()
        {
            links.fault[at] = Some(Rule::UnknownProgram);
        }
    }
    links.children.fill(0);
    for at in 0..view.entries.len() {
        if let Some(program) = links.program[at].filter(|_| links.fault[at].is_none()) {
            links.children[program] += 1;
        }
    }
    for (at, entry) in view.entries.iter().enumerate() {
        let Some(call) = links.call[at].filter(|_| links.fault[at].is_none()) else {
            continue;
        };
        let end = links.program[call].and_then(|program| completed[program]);
        if end.is_some_and(|end| entry.row > end) {
            links.fault[at] = Some(Rule::ChildAfterCompleted);
            links.moves[at] = true;
        }
    }
}

/// Lets reasoning go behind which nothing of the model's follows.
fn without_follower(view: &View<'_>, links: &mut Links) {
    let mut follows = false;
    for (at, row) in view.rows.iter().enumerate().rev() {
        if row.is_reasoning() {
            if !follows && links.fault[at].is_none() {
                links.fault[at] = Some(Rule::NoFollower);
            }
        } else if !row.is_control() {
            follows = row.is_model_made();
        }
    }
}

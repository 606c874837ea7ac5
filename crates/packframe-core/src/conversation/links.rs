//! Which result answers which call, and what is wrong with the others.

use super::entry::{Kind, Status};
use super::format::Format;
use super::rule::Rule;
use super::view::{Turn, View};

/// The ties of the entries of a view, by their numbers.
#[derive(Debug)]
pub(super) struct Links {
    /// What is wrong with an entry.
    pub(super) fault: Vec<Option<Rule>>,
    /// The call that a result answers.
    pub(super) call: Vec<Option<usize>>,
    /// Whether a result answers its call only when it is moved behind it.
    pub(super) moves: Vec<bool>,
    /// How many results a call has that stay.
    pub(super) answers: Vec<usize>,
    /// Whether a call has a result where the provider wants it.
    pub(super) is_answered_well: Vec<bool>,
    /// Whether the last result that a call can have is there.
    pub(super) is_closed: Vec<bool>,
    /// Whether nothing but results follows a call.
    pub(super) is_live: Vec<bool>,
    /// The program that an item belongs to.
    pub(super) program: Vec<Option<usize>>,
    /// How many items belong to a program and stay.
    pub(super) children: Vec<usize>,
    /// What a provider takes for one message.
    pub(super) turns: Vec<Turn>,
    /// The turn of each row.
    pub(super) turn_of: Vec<usize>,
}

impl Links {
    pub(super) fn new(view: &View<'_>) -> Self {
        let count = view.entries.len();
        let turns = view.turns();
        let mut turn_of = vec![0; view.rows.len()];
        for (at, turn) in turns.iter().enumerate() {
            turn_of[turn.rows.clone()].fill(at);
        }
        Self {
            fault: view.entries.iter().map(|entry| entry.fault).collect(),
            call: vec![None; count],
            moves: vec![false; count],
            answers: vec![0; count],
            is_answered_well: vec![false; count],
            is_closed: vec![false; count],
            is_live: vec![false; count],
            program: vec![None; count],
            children: vec![0; count],
            turns,
            turn_of,
        }
    }

    /// Ties a result to a call.
    pub(super) fn tie(&mut self, result: usize, call: usize) {
        self.call[result] = Some(call);
        self.answers[call] += 1;
    }

    /// Lets all but one of the calls with one key go, where ids are unique: the newest answered one
    /// stays, else the newest. Linear.
    pub(super) fn keep_newest(
        &mut self,
        view: &View<'_>,
        has_children: impl Fn(&Self, usize) -> bool,
    ) {
        let mut kept: Vec<Option<usize>> = vec![None; view.keys()];
        let calls = |links: &Self, at: usize| {
            view.entries[at].kind == Kind::Call && links.fault[at].is_none()
        };
        for (at, entry) in view.entries.iter().enumerate() {
            let Some(key) = entry.key.filter(|_| calls(self, at)) else {
                continue;
            };
            let slot = &mut kept[key as usize];
            let answered = |at: usize| self.answers[at] > 0 || has_children(self, at);
            if slot.is_none_or(|before| answered(at) || !answered(before)) {
                *slot = Some(at);
            }
        }
        for (at, entry) in view.entries.iter().enumerate() {
            if let Some(key) = entry.key.filter(|_| calls(self, at))
                && kept[key as usize] != Some(at)
            {
                self.fault[at] = Some(Rule::DuplicateCall);
            }
        }
    }

    /// Lets the results of a call that goes go with it, and counts what stays.
    pub(super) fn settle(&mut self, view: &View<'_>) {
        self.answers.fill(0);
        self.is_answered_well.fill(false);
        for at in 0..view.entries.len() {
            let Some(call) = self.call[at] else { continue };
            match self.fault[call] {
                Some(Rule::DuplicateCall) => self.fault[at] = Some(Rule::DuplicateResult),
                Some(fault) => self.fault[at] = Some(fault),
                None if self.fault[at].is_none() || self.moves[at] => {
                    self.answers[call] += 1;
                    self.is_closed[call] |= view.entries[at].status == Status::Done;
                    // What stands too far back in its step, or too late, is there all the same.
                    let is_far = self.fault[at] == Some(Rule::OrphanResult);
                    self.is_answered_well[call] |= !is_far;
                }
                None => {}
            }
            if self.fault[call].is_some() {
                self.moves[at] = false;
            }
        }
    }

    /// Says whether a provider takes a call that has no result: a program that has items, and the
    /// items of a program that may wait, unless nothing else follows.
    pub(super) fn is_accepted_open(&self, view: &View<'_>, call: usize) -> bool {
        self.children[call] > 0
            || (view.entries[call].patient && self.program[call].is_some() && !self.is_live[call])
    }

    /// Finds the calls behind which nothing but results follows.
    pub(super) fn find_live(&mut self, view: &View<'_>) {
        let waits = |row: &usize| match view.format {
            Format::OpenAiChat | Format::OpenAiResponses => view.rows[*row].keeps_waiting,
            Format::Anthropic | Format::Gemini => view.is_results_only(*row),
        };
        let count = view.rows.len();
        let tail = count - (0..count).rev().take_while(waits).count();
        for (at, entry) in view.entries.iter().enumerate() {
            let behind = match view.format {
                Format::OpenAiChat | Format::OpenAiResponses => entry.row + 1,
                Format::Anthropic | Format::Gemini => self.turns[self.turn_of[entry.row]].rows.end,
            };
            self.is_live[at] = entry.is_call() && behind >= tail;
        }
    }
}

/// Open calls by key, the newest on top, and what no earlier call takes.
#[derive(Debug)]
pub(super) struct Waiting {
    stacks: Vec<Vec<usize>>,
    /// Of each key, how many calls of its stack later calls than a result have taken.
    taken: Vec<usize>,
}

impl Waiting {
    pub(super) fn new(view: &View<'_>) -> Self {
        Self {
            stacks: vec![Vec::new(); view.keys()],
            taken: vec![0; view.keys()],
        }
    }

    pub(super) fn push(&mut self, key: u32, call: usize) {
        self.stacks[key as usize].push(call);
    }

    /// Returns the nearest open call so far.
    pub(super) fn top(&self, key: u32) -> Option<usize> {
        self.stacks[key as usize].last().copied()
    }

    pub(super) fn pop(&mut self, key: u32) {
        self.stacks[key as usize].pop();
    }

    /// Returns the first call that is still open when all rows are read.
    pub(super) fn next(&self, key: u32) -> Option<usize> {
        let key = key as usize;
        self.stacks[key].get(self.taken[key]).copied()
    }

    pub(super) fn take_next(&mut self, key: u32) {
        self.taken[key as usize] += 1;
    }
}

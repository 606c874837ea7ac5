//! Which result answers which call, and what is wrong with the others.

use super::entry::Status;
use super::live::live;
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
            is_closed: vec![false; count],
            is_live: live(view, &turns),
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
    /// stays, else the newest. A program is answered by what it made, too. Linear.
    pub(super) fn keep_newest(&mut self, view: &View<'_>, keys: &[Option<u32>]) {
        let count = keys
            .iter()
            .flatten()
            .max()
            .map_or(0, |key| *key as usize + 1);
        let mut kept: Vec<Option<usize>> = vec![None; count];
        let is_call =
            |links: &Self, at: usize| view.entries[at].is_call() && links.fault[at].is_none();
        for (at, key) in keys.iter().enumerate() {
            let Some(key) = key.filter(|_| is_call(self, at)) else {
                continue;
            };
            let slot = &mut kept[key as usize];
            let answered = |at: usize| self.answers[at] > 0 || self.children[at] > 0;
            if slot.is_none_or(|before| answered(at) || !answered(before)) {
                *slot = Some(at);
            }
        }
        for (at, key) in keys.iter().enumerate() {
            if let Some(key) = key.filter(|_| is_call(self, at))
                && kept[key as usize] != Some(at)
            {
                self.fault[at] = Some(Rule::DuplicateCall);
            }
        }
    }

    /// Lets the results of a call that goes go with it, and counts what stays.
    pub(super) fn settle(&mut self, view: &View<'_>) {
        self.answers.fill(0);
        for at in 0..view.entries.len() {
            let Some(call) = self.call[at] else { continue };
            match self.fault[call] {
                Some(Rule::DuplicateCall) => self.fault[at] = Some(Rule::DuplicateResult),
                Some(fault) => self.fault[at] = Some(fault),
                None if self.fault[at].is_none() || self.moves[at] => {
                    self.answers[call] += 1;
                    self.is_closed[call] |= view.entries[at].status == Status::Done;
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
}

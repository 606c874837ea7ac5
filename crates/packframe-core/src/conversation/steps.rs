//! Ties of calls and results in formats of steps: chat completions, Anthropic, Gemini.

use std::collections::{HashMap, VecDeque};

use foldhash::fast::FixedState;

use super::entry::{Entry, Family, Kind};
use super::format::Format;
use super::links::{Links, Waiting};
use super::rule::Rule;
use super::view::{Side, Turn, View};

/// Calls of a step that wait, by key, in order.
#[derive(Debug, Default)]
struct Open {
    by_key: HashMap<u32, VecDeque<usize>, FixedState>,
    by_second: HashMap<u32, VecDeque<usize>, FixedState>,
}

impl Open {
    fn clear(&mut self) {
        self.by_key.clear();
        self.by_second.clear();
    }

    /// Takes the call that a result answers: by its id, else by its name and order.
    fn take(&mut self, result: &Entry<'_>, links: &Links) -> Option<usize> {
        let key = result.key?;
        let waits = |calls: Option<&mut VecDeque<usize>>| {
            let calls = calls?;
            while let Some(call) = calls.pop_front() {
                if links.answers[call] == 0 {
                    return Some(call);
                }
            }
            None
        };
        waits(self.by_key.get_mut(&key))
            .or_else(|| waits(self.by_second.get_mut(&key)))
            .or_else(|| waits(self.by_key.get_mut(&result.second_key?)))
    }
}

/// Ties results to the calls of the step that they stand in, then what is left at any distance.
/// Linear.
pub(super) fn link(view: &View<'_>) -> Links {
    let mut links = Links::new(view);
    let turns = std::mem::take(&mut links.turns);
    let mut open = Open::default();
    let mut left = vec![false; view.entries.len()];
    for turn in &turns {
        match turn.side {
            Side::Model => {
                open.clear();
                call(view, turn, &mut open, &mut links, &mut left);
            }
            Side::Answer => {
                answer(view, turn, &mut open, &mut links, &mut left);
                open.clear();
            }
            Side::Other => {
                open.clear();
                for at in entries(view, turn) {
                    left[at] = view.entries[at].kind == Kind::Result;
                }
            }
        }
    }
    links.turns = turns;
    tie_far(view, &left, &mut links);
    if view.format == Format::Anthropic {
        links.keep_newest(view, |_, _| false);
    }
    links.settle(view);
    links.find_live(view);
    links
}

fn entries(view: &View<'_>, turn: &Turn) -> std::ops::Range<usize> {
    view.rows[turn.rows.start].entries.start..view.rows[turn.rows.end - 1].entries.end
}

fn call(view: &View<'_>, turn: &Turn, open: &mut Open, links: &mut Links, left: &mut [bool]) {
    for at in entries(view, turn) {
        let entry = &view.entries[at];
        match (entry.kind, entry.key) {
            (Kind::Call, Some(key)) if entry.fault.is_none() => {
                let calls = open.by_key.entry(key).or_default();
                if calls.is_empty() || entry.family == Family::Named {
                    calls.push_back(at);
                    if let Some(second) = entry.second_key {
                        open.by_second.entry(second).or_default().push_back(at);
                    }
                } else {
                    links.fault[at] = Some(Rule::DuplicateCall);
                }
            }
            (Kind::Result, _) => {
                let server = entry.family == Family::Server && entry.fault.is_none();
                // A call of the provider's stays open for its own kind of result only.
                let found = entry.key.filter(|_| server).and_then(|key| {
                    let first = *open.by_key.get(&key)?.front()?;
                    (links.answers[first] == 0).then_some(first)
                });
                match found {
                    Some(call) => links.tie(at, call),
                    None => left[at] = true,
                }
            }
            _ => {}
        }
    }
}

fn answer(view: &View<'_>, turn: &Turn, open: &mut Open, links: &mut Links, left: &mut [bool]) {
    let mut is_first = true;
    for row in turn.rows.clone() {
        let mut results = 0;
        for at in view.rows[row].entries.clone() {
            let entry = &view.entries[at];
            if entry.kind != Kind::Result {
                continue;
            }
            let stands_first = is_first && entry.place.block().is_none_or(|block| block == results);
            results += 1;
            let found = (entry.family != Family::Server && entry.fault.is_none())
                .then(|| open.take(entry, links))
                .flatten();
            match found {
                Some(call) => {
                    links.tie(at, call);
                    if view.format == Format::Anthropic && !stands_first {
                        links.fault[at] = Some(Rule::ResultNotFirst);
                        links.moves[at] = true;
                    }
                }
                None => left[at] = true,
            }
        }
        is_first &= view.rows[row].blocks == results;
    }
}

/// Ties what stands in no step of its call: to the nearest earlier open call, else to the next.
fn tie_far(view: &View<'_>, left: &[bool], links: &mut Links) {
    let mut waiting = Waiting::new(view);
    let mut known = vec![false; view.keys()];
    let mut later: Vec<(usize, u32)> = Vec::new();
    for (at, entry) in view.entries.iter().enumerate() {
        let Some(key) = entry.key.filter(|_| links.fault[at].is_none()) else {
            continue;
        };
        if entry.kind == Kind::Call {
            known[key as usize] = true;
            if links.answers[at] == 0 {
                waiting.push(key, at);
            }
        } else if left[at] {
            match waiting.top(key) {
                Some(call) => {
                    waiting.pop(key);
                    move_to(links, at, call);
                }
                None => later.push((at, key)),
            }
        }
    }
    for (at, key) in later {
        match waiting.next(key) {
            Some(call) => {
                waiting.take_next(key);
                move_to(links, at, call);
            }
            None if known[key as usize] => links.fault[at] = Some(Rule::DuplicateResult),
            None => links.fault[at] = Some(Rule::OrphanResult),
        }
    }
}

fn move_to(links: &mut Links, result: usize, call: usize) {
    links.tie(result, call);
    links.fault[result] = Some(Rule::OrphanResult);
    links.moves[result] = true;
}

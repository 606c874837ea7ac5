//! Ties of calls and results in formats of steps: chat completions, Anthropic, Gemini.

use std::collections::{HashMap, HashSet};

use foldhash::fast::FixedState;

use super::answers::answers;
use super::entry::{Family, Kind};
use super::format::Format;
use super::links::Links;
use super::rule::Rule;
use super::view::{Side, Turn, View};
use super::waiting::Waiting;

/// Ties results to the calls of the step that they stand in, then what is left at any distance.
/// Linear.
pub(super) fn link(view: &View<'_>) -> Links {
    let mut links = Links::new(view);
    let turns = std::mem::take(&mut links.turns);
    let mut left = vec![false; view.entries.len()];
    let mut calls = Vec::new();
    for turn in &turns {
        if turn.side == Side::Model {
            serve(view, turn, &mut links, &mut left);
            calls = called(view, turn, &mut links);
            continue;
        }
        let results: Vec<usize> = view
            .entries_in(turn)
            .filter(|at| {
                view.entries[*at].kind == Kind::Result && view.entries[*at].fault.is_none()
            })
            .collect();
        for &at in &results {
            left[at] = true;
        }
        if turn.side == Side::Answer {
            answer(view, turn, &calls, &results, &mut links, &mut left);
        }
        calls.clear();
    }
    links.turns = turns;
    tie_far(view, &left, &mut links);
    if view.format == Format::Anthropic {
        links.keep_newest(view, &unique(view));
    }
    links.settle(view);
    links
}

/// Returns a number for the id of each call, whoever answers it.
fn unique(view: &View<'_>) -> Vec<Option<u32>> {
    let mut ids: HashMap<&str, u32, FixedState> = HashMap::default();
    let mut number = |id| {
        let next = u32::try_from(ids.len()).unwrap_or(u32::MAX);
        *ids.entry(id).or_insert(next)
    };
    let entries = view.entries.iter();
    entries
        .map(|entry| {
            entry
                .id
                .as_deref()
                .filter(|_| entry.is_call())
                .map(&mut number)
        })
        .collect()
}

/// Returns the calls of a turn that the caller answers; of those with one id the first.
fn called(view: &View<'_>, turn: &Turn, links: &mut Links) -> Vec<usize> {
    let mut seen: HashSet<u32, FixedState> = HashSet::default();
    let mut calls = Vec::new();
    for at in view.entries_in(turn) {
        let entry = &view.entries[at];
        let Some(key) = entry.key.filter(|_| entry.is_call()) else {
            continue;
        };
        // By name there may be several, which their order tells apart.
        let is_nameless = entry.family == Family::Named && view.format == Format::Gemini;
        if !is_nameless && !seen.insert(key) {
            links.fault[at] = Some(Rule::DuplicateCall);
        } else if entry.family != Family::Server {
            calls.push(at);
        }
    }
    calls
}

/// Ties what the provider answers itself, in the turn of the call and behind it.
fn serve(view: &View<'_>, turn: &Turn, links: &mut Links, left: &mut [bool]) {
    let mut open: HashMap<u32, usize, FixedState> = HashMap::default();
    for at in view.entries_in(turn) {
        let entry = &view.entries[at];
        let Some(key) = entry.key.filter(|_| entry.fault.is_none()) else {
            continue;
        };
        if entry.kind == Kind::Result {
            let call = open.remove(&key).filter(|_| entry.family == Family::Server);
            match call {
                Some(call) => links.tie(at, call),
                None => left[at] = true,
            }
        } else if entry.is_call() && entry.family == Family::Server {
            open.entry(key).or_insert(at);
        }
    }
}

fn answer(
    view: &View<'_>,
    turn: &Turn,
    calls: &[usize],
    results: &[usize],
    links: &mut Links,
    left: &mut [bool],
) {
    let clients: Vec<usize> = results
        .iter()
        .copied()
        .filter(|at| view.entries[*at].family != Family::Server)
        .collect();
    for (&at, call) in clients.iter().zip(answers(view, calls, &clients)) {
        if let Some(call) = call {
            links.tie(at, call);
            left[at] = false;
        }
    }
    if view.format != Format::Anthropic {
        return;
    }
    let mut is_first = true;
    for row in turn.rows.clone() {
        let mut before = 0;
        for at in view.rows[row].entries.clone() {
            let entry = &view.entries[at];
            if entry.kind != Kind::Result || entry.family == Family::Server {
                continue;
            }
            is_first &= entry.place.block() == Some(before);
            before += 1;
            if !is_first && links.call[at].is_some() {
                links.fault[at] = Some(Rule::ResultNotFirst);
                links.moves[at] = true;
            }
        }
        is_first &= view.rows[row].blocks == before;
    }
}

/// Ties what stands in no step of its call: to the nearest earlier open call, else to the next.
fn tie_far(view: &View<'_>, left: &[bool], links: &mut Links) {
    let is_open = |links: &Links, at: usize| {
        view.entries[at].is_call() && links.fault[at].is_none() && links.answers[at] == 0
    };
    let (mut earlier, mut all) = (Waiting::new(view), Waiting::new(view));
    for (at, entry) in view.entries.iter().enumerate() {
        if let Some(key) = entry.key.filter(|_| is_open(links, at)) {
            all.push(key, at);
        }
    }
    for (at, entry) in view.entries.iter().enumerate() {
        let Some(key) = entry.key else { continue };
        if is_open(links, at) {
            earlier.push(key, at);
        }
        if !left[at] {
            continue;
        }
        let call = earlier.pop(key).or_else(|| {
            let call = all.next(key, at)?;
            all.take_next(key);
            Some(call)
        });
        links.fault[at] = Some(match call {
            Some(call) => {
                links.tie(at, call);
                links.moves[at] = true;
                Rule::OrphanResult
            }
            None if view.is_called(key) => Rule::DuplicateResult,
            None => Rule::OrphanResult,
        });
    }
}

//! Formats of steps: chat completions, Anthropic, Gemini.

use std::collections::{HashMap, HashSet};

use foldhash::fast::FixedState;

use super::Judging;
use crate::conversation::answers::answers;
use crate::conversation::entry::{Family, Kind};
use crate::conversation::format::Format;
use crate::conversation::live::live;
use crate::conversation::rule::Rule;
use crate::conversation::view::{Side, Turn, View};

type Keys = HashSet<u32, FixedState>;

/// Judges how calls and results stand. Linear.
pub(super) fn judge(view: &View<'_>, judging: &mut Judging) {
    let turns = view.turns();
    let is_live = live(view, &turns);
    let mut seen: HashSet<&str, FixedState> = HashSet::default();
    let nobody = Turn {
        rows: 0..0,
        side: Side::Other,
    };
    for (at, turn) in turns.iter().enumerate() {
        let before = if at > 0 { &turns[at - 1] } else { &nobody };
        let called = calls(view, before);
        let results: Vec<usize> = view
            .entries_in(turn)
            .filter(|at| {
                let entry = &view.entries[*at];
                let client = entry.family != Family::Server;
                entry.kind == Kind::Result && client && entry.fault.is_none()
            })
            .collect();
        if before.side == Side::Model || !results.is_empty() {
            let may_answer = turn.side == Side::Answer && before.side == Side::Model;
            judge_results(view, &called, &results, may_answer, &is_live, judging);
        }
        if at + 1 == turns.len() && turn.side == Side::Model {
            judge_results(view, &calls(view, turn), &[], false, &is_live, judging);
        }
        if view.format == Format::Anthropic {
            judge_first(view, turn, &called, judging);
            judge_server(view, turn, &is_live, judging);
        } else {
            seen.clear();
        }
        judge_ids(view, turn, &mut seen, judging);
    }
}

/// Returns the calls of a turn that the caller answers, of those with one id the first.
fn calls(view: &View<'_>, turn: &Turn) -> Vec<usize> {
    if turn.side != Side::Model {
        return Vec::new();
    }
    let mut seen: HashSet<u32, FixedState> = HashSet::default();
    view.entries_in(turn)
        .filter(|at| {
            let entry = &view.entries[*at];
            entry.is_call()
                && entry.family != Family::Server
                && (is_nameless(view, entry.family)
                    || entry.key.is_some_and(|key| seen.insert(key)))
        })
        .collect()
}

/// Says whether several calls of a step may have the same key.
fn is_nameless(view: &View<'_>, family: Family) -> bool {
    view.format == Format::Gemini && family == Family::Named
}

/// Each call has one result in the turn behind it, and each result one call.
fn judge_results(
    view: &View<'_>,
    calls: &[usize],
    results: &[usize],
    may_answer: bool,
    is_live: &[bool],
    judging: &mut Judging,
) {
    let calls_here: &[usize] = if may_answer { calls } else { &[] };
    let found = answers(view, calls_here, results);
    let (mut keys, mut names, mut nameless) = (Keys::default(), Keys::default(), Keys::default());
    for &call in calls_here {
        let entry = &view.entries[call];
        keys.extend(entry.key);
        names.extend(entry.name_key());
        if entry.family == Family::Named {
            nameless.extend(entry.key);
        }
    }
    for (&result, answered) in results.iter().zip(&found) {
        if answered.is_some() {
            continue;
        }
        let entry = &view.entries[result];
        let has = |keys: &Keys, key: Option<u32>| key.is_some_and(|key| keys.contains(&key));
        let is_again = if entry.family == Family::Named {
            has(&names, entry.key)
        } else {
            has(&keys, entry.key) || has(&nameless, entry.second_key)
        };
        let rule = if is_again {
            Rule::DuplicateResult
        } else {
            Rule::OrphanResult
        };
        judging.refuse(entry.row, entry.key_path(), rule);
    }
    let answered: HashSet<usize, FixedState> = found.into_iter().flatten().collect();
    for call in calls {
        if !answered.contains(call) {
            judging.open(&view.entries[*call], is_live[*call]);
        }
    }
}

/// Anthropic: an answered result stands before every other block of its turn.
fn judge_first(view: &View<'_>, turn: &Turn, called: &[usize], judging: &mut Judging) {
    if turn.side != Side::Answer {
        return;
    }
    let known: HashSet<Option<u32>, FixedState> =
        called.iter().map(|call| view.entries[*call].key).collect();
    let mut named: HashSet<u32, FixedState> = HashSet::default();
    let mut is_first = true;
    for row in turn.rows.clone() {
        let mut results = 0;
        for entry in view.entries_of(row) {
            if entry.kind != Kind::Result || entry.family == Family::Server {
                continue;
            }
            is_first &= entry.place.block() == Some(results);
            results += 1;
            let Some(key) = entry.key else { continue };
            let is_new = named.insert(key);
            if !is_first && is_new && known.contains(&Some(key)) {
                judging.refuse(row, entry.path(), Rule::ResultNotFirst);
            }
        }
        is_first &= view.rows[row].blocks == results;
    }
}

/// Anthropic: what the provider calls, it answers in the same turn, behind the call.
fn judge_server(view: &View<'_>, turn: &Turn, is_live: &[bool], judging: &mut Judging) {
    let mut open: HashMap<u32, usize, FixedState> = HashMap::default();
    let mut answered: HashSet<u32, FixedState> = HashSet::default();
    let mut order = Vec::new();
    for at in view.entries_in(turn) {
        let entry = &view.entries[at];
        let Some(key) = entry.key.filter(|_| entry.family == Family::Server) else {
            continue;
        };
        if entry.is_call() {
            if !answered.contains(&key) && !open.contains_key(&key) {
                open.insert(key, at);
                order.push(key);
            }
        } else if entry.kind == Kind::Result {
            if open.remove(&key).is_some() {
                answered.insert(key);
            } else {
                let rule = if answered.contains(&key) {
                    Rule::DuplicateResult
                } else {
                    Rule::OrphanResult
                };
                judging.refuse(entry.row, entry.key_path(), rule);
            }
        }
    }
    for key in order {
        if let Some(call) = open.get(&key) {
            judging.open(&view.entries[*call], is_live[*call]);
        }
    }
}

/// An id names one call: of the list in Anthropic, of the step in the others.
fn judge_ids<'a>(
    view: &'a View<'_>,
    turn: &Turn,
    seen: &mut HashSet<&'a str, FixedState>,
    judging: &mut Judging,
) {
    for at in view.entries_in(turn) {
        let entry = &view.entries[at];
        if !entry.is_call() || entry.family == Family::Named {
            continue;
        }
        if let Some(id) = entry.id.as_deref()
            && !seen.insert(id)
        {
            judging.refuse(entry.row, entry.key_path(), Rule::DuplicateCall);
        }
    }
}

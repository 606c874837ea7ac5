//! What a repair does to each entry.

use std::collections::HashSet;

use foldhash::fast::FixedState;

use super::written;
use crate::conversation::entry::{Entry, Kind, Place};
use crate::conversation::format::Format;
use crate::conversation::links::Links;
use crate::conversation::rule::Rule;
use crate::conversation::view::View;

/// What is done to an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    Keep,
    /// It goes, for a rule that was broken; the record may have a word of its own.
    Go(Rule, &'static str),
    /// It moves behind its call.
    Move,
}

/// What a repair does.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) acts: Vec<Act>,
    /// The calls that a result is written for, and the result.
    pub(super) written: Vec<(usize, String)>,
}

/// How what waits is treated.
#[derive(Debug)]
pub(super) struct Choice<'a> {
    pub(super) writes: bool,
    pub(super) allow_pending: bool,
    pub(super) abandoned: &'a HashSet<&'a str, FixedState>,
}

impl Plan {
    /// Decides what is done. Linear.
    pub(super) fn of(view: &View<'_>, links: &Links, choice: &Choice<'_>) -> Self {
        let mut plan = Self {
            acts: vec![Act::Keep; view.entries.len()],
            written: Vec::new(),
        };
        let loop_start = match view.format {
            Format::Anthropic => open_loop(view, links, choice),
            _ => None,
        };
        for (at, entry) in view.entries.iter().enumerate() {
            if let Some(rule) = links.fault[at] {
                if links.moves[at] {
                    plan.acts[at] = Act::Move;
                } else if rule != Rule::NoFollower {
                    plan.acts[at] = Act::Go(rule, rule.as_str());
                }
                continue;
            }
            if entry.kind != Kind::Call || !dangles(view, links, choice, at) {
                continue;
            }
            let in_loop = loop_start.is_some_and(|start| entry.row >= start);
            let result = (choice.writes || in_loop)
                .then(|| written::result(view.format, entry))
                .flatten();
            match result {
                Some(result) => plan.written.push((at, result)),
                None => {
                    plan.acts[at] = Act::Go(Rule::DanglingCall, Rule::DanglingCall.as_str());
                }
            }
        }
        if view.format == Format::Gemini {
            plan.lose_signed(view, links);
        }
        plan.lose_thinking(view);
        if plan.is_empty() {
            // Last, when everything else is as it will be.
            for (at, fault) in links.fault.iter().enumerate() {
                if *fault == Some(Rule::NoFollower) {
                    plan.acts[at] = Act::Go(Rule::NoFollower, Rule::NoFollower.as_str());
                }
            }
        }
        plan
    }

    /// Says whether nothing is done.
    pub(super) fn is_empty(&self) -> bool {
        self.written.is_empty() && self.acts.iter().all(|act| *act == Act::Keep)
    }

    fn goes(&self, at: usize) -> bool {
        matches!(self.acts[at], Act::Go(..))
    }

    /// A content that loses a signed call loses all its calls, with their results.
    fn lose_signed(&mut self, view: &View<'_>, links: &Links) {
        let mut lost = vec![false; view.rows.len()];
        for (at, entry) in view.entries.iter().enumerate() {
            lost[entry.row] |= entry.signed && self.goes(at);
        }
        let mut take_out = |at: usize| {
            if !self.goes(at) {
                self.acts[at] = Act::Go(Rule::DanglingCall, "signed_call");
            }
        };
        for (at, entry) in view.entries.iter().enumerate() {
            let call = match entry.kind {
                Kind::Call => Some(at),
                _ => links.call[at],
            };
            if call.is_some_and(|call| lost[view.entries[call].row]) {
                take_out(at);
            }
        }
        let acts = &self.acts;
        self.written.retain(|(call, _)| acts[*call] == Act::Keep);
    }

    /// A message that loses a call loses its thinking.
    fn lose_thinking(&mut self, view: &View<'_>) {
        let mut lost = vec![false; view.rows.len()];
        for (at, entry) in view.entries.iter().enumerate() {
            // A field that holds no call at all is not what the model thought about.
            let is_call = entry.kind == Kind::Call && !is_no_list(entry);
            lost[entry.row] |= is_call && self.goes(at);
        }
        for (at, entry) in view.entries.iter().enumerate() {
            if entry.kind == Kind::Thinking && lost[entry.row] {
                self.acts[at] = Act::Go(Rule::DanglingCall, "thinking");
            }
        }
    }
}

fn is_no_list(entry: &Entry<'_>) -> bool {
    entry.place == Place::Field("tool_calls")
}

/// Says whether a call has no result and may not wait for one.
fn dangles(view: &View<'_>, links: &Links, choice: &Choice<'_>, call: usize) -> bool {
    if links.answers[call] > 0 || links.children[call] > 0 {
        return false;
    }
    let is_abandoned = is_abandoned(&view.entries[call], choice);
    let waits = links.is_live[call] || choice.allow_pending || links.is_accepted_open(view, call);
    is_abandoned || !waits
}

fn is_abandoned(call: &Entry<'_>, choice: &Choice<'_>) -> bool {
    call.id
        .as_deref()
        .is_some_and(|id| choice.abandoned.contains(id))
}

/// Returns the row behind the newest user message, where the list ends in the middle of a step.
fn open_loop(view: &View<'_>, links: &Links, choice: &Choice<'_>) -> Option<usize> {
    let start = (0..view.rows.len())
        .rev()
        .find(|row| view.is_speech(*row))
        .map_or(0, |row| row + 1);
    for row in (start..view.rows.len()).rev() {
        let entries = view.rows[row].entries.clone();
        let is_result = |at: &usize| view.entries[*at].kind == Kind::Result;
        if view.rows[row].is_control() {
            continue;
        }
        if view.is_results_only(row) {
            if entries
                .clone()
                .filter(is_result)
                .all(|at| links.fault[at].is_some())
            {
                continue;
            }
            return Some(start);
        }
        let is_open = entries.clone().any(|at| {
            let entry = &view.entries[at];
            let is_call = entry.kind == Kind::Call && links.fault[at].is_none();
            let waits = links.is_live[at] && !is_abandoned(entry, choice);
            is_call && (links.answers[at] > 0 || waits)
        });
        return is_open.then_some(start);
    }
    None
}

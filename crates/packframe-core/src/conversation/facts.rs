//! What belongs together in a valid list of messages, what is protected, and the turns.

use super::entry::Kind;
use super::format::Format;
use super::judge::Severity;
use super::links::Links;
use super::named::id_at;
use super::read::read;
use super::validate::{may_lead, problems};
use super::view::{Side, Speaker, View};
use crate::error::Problem;
use crate::word::Role;

/// Why a message must stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protection {
    /// It is the operator's or the developer's.
    System,
    /// It is what the user said last.
    NewestUser,
    /// A call in it waits for a result.
    PendingCall,
    /// It is the last message.
    LastMessage,
    /// It is a call, or a result, of the step that the list ends in.
    LastStep,
    /// It holds thinking of a step that has not ended.
    OpenThinking,
    /// It is of the final.
    Final,
    /// The final needs a call, or an output, in it.
    FinalDependency,
}

impl Protection {
    /// Returns its stable word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::NewestUser => "newest_user",
            Self::PendingCall => "pending_call",
            Self::LastMessage => "last_message",
            Self::LastStep => "last_step",
            Self::OpenThinking => "open_thinking",
            Self::Final => "final",
            Self::FinalDependency => "final_dependency",
        }
    }
}

/// What is known about a message of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageFacts {
    /// Who speaks, in the words of a frame.
    pub role: Role,
    /// The first message that it lives or dies with; its own position for a message alone.
    pub group: usize,
    /// The turn, from 0; nothing for system and developer messages.
    pub turn: Option<usize>,
    /// Why it must stay.
    pub protection: Option<Protection>,
    /// Whether the list may begin with it.
    pub may_lead: bool,
    /// Whether a user says something in it, results aside.
    pub is_user: bool,
    /// Whether there is nothing in it but results.
    pub is_result: bool,
}

/// What is known about a valid list of messages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conversation {
    /// Of each message.
    pub messages: Vec<MessageFacts>,
}

impl Conversation {
    /// Returns, for each message, the first message of the turns that it lives or dies with where
    /// whole turns do: turns that share a group are one, and a message of no turn keeps its group.
    /// Nearly linear.
    #[must_use]
    pub fn groups_by_turn(&self) -> Vec<usize> {
        let mut sets = Sets::new(self.messages.len());
        let mut first_of_turn: Vec<Option<usize>> = Vec::new();
        for (row, message) in self.messages.iter().enumerate() {
            sets.join(row, message.group);
            let Some(turn) = message.turn else { continue };
            if first_of_turn.len() <= turn {
                first_of_turn.resize(turn + 1, None);
            }
            let first = *first_of_turn[turn].get_or_insert(row);
            sets.join(row, first);
        }
        sets.firsts()
    }

    pub(super) fn of(view: &View<'_>, links: &Links, final_from: usize, waiting: &[usize]) -> Self {
        let groups = groups(view, links);
        let turns = turns(view);
        let protection = protection(view, links, &groups, (final_from, waiting));
        let facts = view.rows.iter().enumerate().map(|(row, message)| {
            let is_result = view.is_results_only(row);
            MessageFacts {
                role: role(message.speaker, is_result),
                group: groups[row],
                turn: turns[row],
                protection: protection[row],
                may_lead: may_lead(view.format, message.speaker),
                is_user: view.is_speech(row),
                is_result,
            }
        });
        Self {
            messages: facts.collect(),
        }
    }
}

/// Returns who speaks in the words of a frame.
fn role(speaker: Speaker, is_result: bool) -> Role {
    match speaker {
        Speaker::System | Speaker::Developer => speaker.role(),
        _ if is_result => Role::Tool,
        _ => speaker.role(),
    }
}

/// Returns who speaks in a message alone.
///
/// # Errors
///
/// What is wrong with it alone: what only a list can say, such as a call without a result, is not.
pub(super) fn role_of(format: Format, json: &str) -> Result<Role, Vec<Problem>> {
    let json = [json];
    let view = read(&json, format);
    let found = problems(&view, None, true).into_iter();
    let found = found.filter(|problem| !OF_LISTS.contains(&problem.rule));
    let problems: Vec<Problem> = found
        .filter(|problem| problem.severity == Severity::Refused)
        .map(|problem| Problem {
            position: 0,
            id: id_at(json[0], &problem.path),
            path: problem.path,
            rule: problem.rule,
        })
        .collect();
    if problems.is_empty() {
        Ok(role(view.rows[0].speaker, view.is_results_only(0)))
    } else {
        Err(problems)
    }
}

/// Rules that a message alone cannot break.
const OF_LISTS: [&str; 10] = [
    "orphan_result",
    "result_not_first",
    "dangling_call",
    "no_follower",
    "first_role",
    "last_role",
    "unknown_program",
    "child_after_completed",
    "nested_program",
    "wrong_owner",
];

/// Sets of rows, each known by its first one.
struct Sets(Vec<usize>);

impl Sets {
    fn new(count: usize) -> Self {
        Self((0..count).collect())
    }

    fn find(&mut self, mut row: usize) -> usize {
        while self.0[row] != row {
            self.0[row] = self.0[self.0[row]];
            row = self.0[row];
        }
        row
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.find(one), self.find(other));
        self.0[one.max(other)] = one.min(other);
    }

    fn firsts(mut self) -> Vec<usize> {
        (0..self.0.len()).map(|row| self.find(row)).collect()
    }
}

/// The connected components, by their first rows.
fn groups(view: &View<'_>, links: &Links) -> Vec<usize> {
    let mut sets = Sets::new(view.rows.len());
    for (at, entry) in view.entries.iter().enumerate() {
        for on in [links.call[at], links.program[at]].into_iter().flatten() {
            if links.fault[at].is_none() {
                sets.join(entry.row, view.entries[on].row);
            }
        }
    }
    // Reasoning belongs to all that the model made right behind it.
    let mut reasoning: Option<usize> = None;
    let mut is_followed = false;
    for (row, item) in view.rows.iter().enumerate() {
        if item.is_reasoning() {
            match reasoning.filter(|_| !is_followed) {
                Some(first) => sets.join(first, row),
                None => reasoning = Some(row),
            }
            is_followed = false;
        } else if item.is_model_made() {
            if let Some(first) = reasoning {
                sets.join(first, row);
            }
            is_followed = true;
        } else if !item.is_control() {
            reasoning = None;
        }
    }
    sets.firsts()
}

/// The turn of each row: from what a user says to the next time.
fn turns(view: &View<'_>) -> Vec<Option<usize>> {
    let mut turn = 0;
    let mut is_empty = true;
    let mut turns = Vec::with_capacity(view.rows.len());
    for (row, message) in view.rows.iter().enumerate() {
        if matches!(message.speaker, Speaker::System | Speaker::Developer) {
            turns.push(None);
            continue;
        }
        if view.is_speech(row) && !is_empty {
            turn += 1;
        }
        is_empty = false;
        turns.push(Some(turn));
    }
    turns
}

fn protection(
    view: &View<'_>,
    links: &Links,
    groups: &[usize],
    (final_from, waiting): (usize, &[usize]),
) -> Vec<Option<Protection>> {
    let count = view.rows.len();
    let mut found: Vec<Option<Protection>> = vec![None; count];
    let mut protect = |row: usize, why: Protection| {
        found[row].get_or_insert(why);
    };
    let needed: std::collections::BTreeSet<usize> =
        groups.iter().skip(final_from).copied().collect();
    for (row, group) in groups.iter().enumerate() {
        if row >= final_from {
            protect(row, Protection::Final);
        } else if matches!(view.rows[row].speaker, Speaker::System | Speaker::Developer) {
            protect(row, Protection::System);
        } else if needed.contains(group) {
            protect(row, Protection::FinalDependency);
        }
    }
    let newest = (0..count).rev().find(|row| view.is_speech(*row));
    if let Some(row) = newest {
        protect(row, Protection::NewestUser);
    }
    for &row in waiting {
        protect(row, Protection::PendingCall);
    }
    let Some(last) = (0..count).rev().find(|row| !view.rows[*row].is_control()) else {
        return found;
    };
    protect(last, Protection::LastMessage);
    for row in (0..count).filter(|row| groups[*row] == groups[last]) {
        protect(row, Protection::LastMessage);
    }
    let is_step = view.results_of(last) > 0 && view.rows[last].speaker != Speaker::Assistant;
    if is_step {
        for row in last_step(view, links, last) {
            protect(row, Protection::LastStep);
        }
    }
    // A tool loop is open behind a result, and behind a call that waits for one.
    if view.format == Format::Anthropic && (!waiting.is_empty() || view.is_results_only(last)) {
        for row in newest.map_or(0, |row| row + 1)..count {
            let mut entries = view.entries_of(row).iter();
            if entries.any(|entry| entry.kind == Kind::Thinking) {
                protect(row, Protection::OpenThinking);
            }
        }
    }
    found
}

/// The rows of the calls of the step that the last result ends, and of their results.
fn last_step(view: &View<'_>, links: &Links, last: usize) -> Vec<usize> {
    let of_last = view.rows[last].entries.clone();
    let Some(call) = of_last.rev().find_map(|at| links.call[at]) else {
        return Vec::new();
    };
    let row = view.entries[call].row;
    let step = if view.format == Format::OpenAiResponses {
        let made = |row: &usize| view.rows[*row].is_model_made() || view.rows[*row].is_reasoning();
        let before = (0..row).rev().take_while(made).count();
        let behind = (row..view.rows.len()).take_while(made).count();
        row - before..row + behind
    } else {
        let turn = &links.turns[links.turn_of[row]];
        debug_assert!(
            turn.side != Side::Answer,
            "a call stands in a turn of the model's"
        );
        turn.rows.clone()
    };
    let answers = |at: &usize| {
        let call = links.call[*at];
        call.is_some_and(|call| step.contains(&view.entries[call].row))
    };
    let results = (0..view.entries.len())
        .filter(answers)
        .map(|at| view.entries[at].row);
    let calls = |row: &usize| {
        let mut entries = view.entries_of(*row).iter();
        entries.any(|entry| entry.kind == Kind::Call)
    };
    // What the model says between its calls is none.
    step.clone().filter(calls).chain(results).collect()
}

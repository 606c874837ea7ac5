//! Which rows live or die together because a tool call and its results are one step.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::format::Format;
use super::read::read;
use crate::error::Problem;
use crate::frame::Frame;
use crate::word::Role;

/// The ties of the messages of a frame.
#[derive(Debug, Default)]
pub(crate) struct Ties {
    /// For a row that answers a call: the row of the call.
    pub(crate) pairs: Vec<(usize, usize)>,
    /// The row of a call that nothing but results follows, some of them missing.
    pub(crate) pending: Option<usize>,
}

/// An assistant message whose calls wait for their results.
struct Open<'a> {
    row: usize,
    /// Of each call, whether it has its result.
    answered: HashMap<&'a str, bool, FixedState>,
    waiting: usize,
}

impl Open<'_> {
    fn unanswered(&self) -> bool {
        self.waiting > 0
    }
}

/// Finds the ties of a frame; a row that is no message counts as a message of its role.
///
/// Linear in rows and calls.
///
/// # Errors
///
/// Every call without its results right behind it, and every result that answers no open call.
pub(crate) fn tie(frame: &Frame) -> Result<Ties, Vec<Problem>> {
    let mut ties = Ties::default();
    if !frame.has_messages() {
        return Ok(ties);
    }
    let mut problems = Vec::new();
    let mut open: Option<Open<'_>> = None;
    for row in 0..frame.len() {
        let message = frame.content(row).as_message();
        let answers = message
            .filter(|message| message.role() == Role::Tool)
            .and_then(|message| message.answers());
        if let Some(id) = answers {
            let slot = open.as_mut().and_then(|open| {
                let answered = open.answered.get_mut(id)?;
                Some((open.row, answered, &mut open.waiting))
            });
            match slot {
                Some((call, answered, waiting)) if !*answered => {
                    *answered = true;
                    *waiting -= 1;
                    ties.pairs.push((row, call));
                }
                Some(_) => problems.push(problem(row, "tool_call_id", "duplicate_result")),
                None => problems.push(problem(row, "tool_call_id", "orphan_result")),
            }
            continue;
        }
        if let Some(open) = open.take().filter(Open::unanswered) {
            problems.push(problem(open.row, "tool_calls", "dangling_call"));
        }
        if let Some(message) = message.filter(|message| !message.calls().is_empty()) {
            open = Some(Open {
                row,
                answered: message.calls().iter().map(|id| (&**id, false)).collect(),
                waiting: message.calls().len(),
            });
        }
    }
    ties.pending = open.filter(Open::unanswered).map(|open| open.row);
    if problems.is_empty() {
        Ok(ties)
    } else {
        Err(problems)
    }
}

/// Says whether two messages call and answer the same.
pub(crate) fn ties_alike(format: Format, one: &str, other: &str) -> bool {
    let (one, other) = ([one], [other]);
    let (one, other) = (read(&one, format), read(&other, format));
    one.flaws.len() == other.flaws.len()
        && one.entries.len() == other.entries.len()
        && one.entries.iter().zip(&other.entries).all(|(one, other)| {
            (one.place, one.kind, one.family, &one.id)
                == (other.place, other.kind, other.family, &other.id)
        })
}

fn problem(position: usize, path: &str, rule: &'static str) -> Problem {
    Problem {
        position,
        path: path.to_owned(),
        rule,
        id: None,
    }
}

//! A list of messages as it stands: what belongs together, and what a provider would refuse.

use super::facts::Conversation;
use super::format::Format;
use super::judge::{MessageProblem, Severity};
use super::links::Links;
use super::read::read;
use super::validate::problems;
use super::view::View;
use super::{items, steps};

/// What is known about a list as it stands.
#[derive(Debug)]
pub(crate) struct Looked {
    /// What belongs together, what is protected, and the turns.
    pub(crate) conversation: Conversation,
    /// What a provider would refuse it for, and what it waits for.
    pub(crate) problems: Vec<MessageProblem>,
}

/// Looks at a list of messages, given as their JSON, and changes nothing. Linear in its size.
pub(crate) fn look<T: AsRef<str>>(messages: &[T], format: Format, allow_pending: bool) -> Looked {
    let view = read(messages, format);
    let problems = problems(&view, None, allow_pending);
    let pending = |problem: &&MessageProblem| problem.severity == Severity::Pending;
    let waiting = problems.iter().filter(pending);
    let waiting: Vec<usize> = waiting.map(|problem| problem.position).collect();
    let links = link(&view);
    Looked {
        conversation: Conversation::of(&view, &links, messages.len(), &waiting),
        problems,
    }
}

/// Ties the entries of a view, as its format demands.
pub(super) fn link(view: &View<'_>) -> Links {
    match view.format {
        Format::OpenAiResponses => items::link(view),
        _ => steps::link(view),
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

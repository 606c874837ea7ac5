//! What a provider would refuse a list of messages for, and what it still waits for.

use super::entry::Kind;
use super::format::Format;
use super::links::Links;
use super::read::read;
use super::rule::Rule;
use super::view::{Speaker, View};
use super::{items, prefill, steps};

/// What a provider does about a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It refuses the messages.
    Refused,
    /// It waits for a result.
    Pending,
}

impl Standing {
    /// Returns its word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Pending => "pending",
        }
    }
}

/// A problem of a list of messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageProblem {
    /// The message, by its position.
    pub position: usize,
    /// The place in the message, such as `tool_calls[0]`.
    pub path: String,
    /// The rule, a stable word.
    pub rule: &'static str,
    /// What the provider does.
    pub standing: Standing,
}

/// Returns every problem of a list of messages, given as their JSON, by position; none for a list
/// without messages.
///
/// `model` decides whether the last message may be the model's. Linear in the size of the JSON.
#[must_use]
pub fn validate_messages<T: AsRef<str>>(
    messages: &[T],
    format: Format,
    model: Option<&str>,
) -> Vec<MessageProblem> {
    let view = read(messages, format);
    let links = link(&view);
    problems(&view, &links, model, false)
}

/// Ties the entries of a view, as its format demands.
pub(super) fn link(view: &View<'_>) -> Links {
    match view.format {
        Format::OpenAiResponses => items::link(view),
        _ => steps::link(view),
    }
}

/// Lists the problems of a view.
pub(super) fn problems(
    view: &View<'_>,
    links: &Links,
    model: Option<&str>,
    allow_pending: bool,
) -> Vec<MessageProblem> {
    let problem = |position, path: String, rule: Rule, standing| MessageProblem {
        position,
        path,
        rule: rule.as_str(),
        standing,
    };
    let mut found: Vec<MessageProblem> = Vec::new();
    let refused = |row, path: String, rule| problem(row, path, rule, Standing::Refused);
    for flaw in &view.flaws {
        found.push(refused(flaw.row, flaw.path.clone(), flaw.rule));
    }
    for (at, entry) in view.entries.iter().enumerate() {
        let path = || entry.place.path();
        if let Some(rule) = links.fault[at] {
            found.push(refused(entry.row, path(), rule));
        } else if entry.kind == Kind::Call && !links.is_answered_well[at] {
            if links.is_accepted_open(view, at) {
                continue;
            }
            if links.is_live[at] || allow_pending {
                found.push(problem(
                    entry.row,
                    path(),
                    Rule::PendingCall,
                    Standing::Pending,
                ));
            } else {
                found.push(refused(entry.row, path(), Rule::DanglingCall));
            }
        }
    }
    if let Some(first) = view.rows.first()
        && !may_lead(view.format, first.speaker)
    {
        found.push(refused(0, "role".to_owned(), Rule::FirstRole));
    }
    let last = view.rows.len().saturating_sub(1);
    if view
        .rows
        .get(last)
        .is_some_and(|row| row.speaker == Speaker::Assistant)
        && model.is_some_and(|model| !prefill::is_taken(view.format, model))
    {
        found.push(refused(last, "role".to_owned(), Rule::LastRole));
    }
    found.sort_by_key(|problem| problem.position);
    found
}

/// Says whether a message of a speaker may come first; one without a known speaker has a problem
/// of its own.
pub(super) fn may_lead(format: Format, speaker: Speaker) -> bool {
    match format {
        Format::OpenAiChat | Format::OpenAiResponses => true,
        Format::Anthropic | Format::Gemini => {
            matches!(speaker, Speaker::User | Speaker::Unknown)
        }
    }
}

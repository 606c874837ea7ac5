//! What a provider would refuse a list of messages for, and what it still waits for.

use super::format::Format;
use super::judge::{MessageProblem, Severity, judge};
use super::prefill;
use super::read::read;
use super::rule::Rule;
use super::view::{Speaker, View};

/// Returns every problem of a list of messages, given as their JSON, by position and path; none for
/// a list without messages.
///
/// `model` decides whether the last message may be the model's. Linear in the size of the JSON.
#[must_use]
pub fn validate_messages<T: AsRef<str>>(
    messages: &[T],
    format: Format,
    model: Option<&str>,
) -> Vec<MessageProblem> {
    problems(&read(messages, format), model, false)
}

/// Returns what a provider would refuse messages for; with `allow_pending` every call without a result
/// may wait for one.
pub(crate) fn refused<T: AsRef<str>>(
    messages: &[T],
    format: Format,
    allow_pending: bool,
) -> Vec<MessageProblem> {
    let mut found = problems(&read(messages, format), None, allow_pending);
    found.retain(|problem| problem.severity == Severity::Refused);
    found
}

/// Lists the problems of a view.
pub(super) fn problems(
    view: &View<'_>,
    model: Option<&str>,
    allow_pending: bool,
) -> Vec<MessageProblem> {
    let mut found = judge(view, allow_pending);
    let refused = |position, rule: Rule| MessageProblem {
        position,
        path: "role".to_owned(),
        rule: rule.as_str(),
        severity: Severity::Refused,
    };
    let Some(last) = view.rows.last() else {
        return found;
    };
    let at = view.rows.len() - 1;
    if last.speaker == Speaker::Assistant && view.format == Format::Anthropic {
        // Only the last word of the model's may be empty.
        let is_empty = last.is_empty;
        let rule = Rule::EmptyContent.as_str();
        found.retain(|one| {
            !(is_empty && one.position == at && one.rule == rule && one.path == "content")
        });
    }
    if view
        .rows
        .first()
        .is_some_and(|first| !may_lead(view.format, first.speaker))
    {
        found.push(refused(0, Rule::FirstRole));
    }
    let takes_last = || model.is_none_or(|model| prefill::is_taken(view.format, model));
    if last.speaker == Speaker::Assistant && !takes_last() {
        // A call that waits begins no answer.
        let turn = view.turns().pop().map_or(at, |turn| turn.rows.start);
        let waits =
            |one: &MessageProblem| one.position >= turn && one.severity == Severity::Pending;
        if !found.iter().any(waits) {
            found.push(refused(at, Rule::LastRole));
        }
    }
    found.sort_by(|one, other| {
        let key = (one.position, &one.path, one.rule);
        key.cmp(&(other.position, &other.path, other.rule))
    });
    found
}

/// Says whether a message of a speaker may come first; one without a known speaker has a problem
/// of its own.
pub(super) fn may_lead(format: Format, speaker: Speaker) -> bool {
    match format {
        Format::OpenAiChat | Format::OpenAiResponses => true,
        Format::Anthropic | Format::Gemini => speaker != Speaker::Assistant,
    }
}

//! What a provider would say of a list as it stands.

mod items;
mod steps;

use super::entry::{Entry, Kind};
use super::format::Format;
use super::rule::Rule;
use super::view::View;

/// What a provider does about a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// It refuses the messages.
    Refused,
    /// It waits for a result.
    Pending,
}

impl Severity {
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
    pub severity: Severity,
}

/// Lists what is wrong with the messages of a view, by position, path and rule, each once; who
/// comes first and last aside. With `allow_pending` a call may wait anywhere.
pub(super) fn judge(view: &View<'_>, allow_pending: bool) -> Vec<MessageProblem> {
    let mut judging = Judging {
        found: Vec::new(),
        allow_pending,
    };
    for flaw in &view.flaws {
        judging.refuse(flaw.row, flaw.path.clone(), flaw.rule);
    }
    for entry in &view.entries {
        // Whether a status matters depends on what the output is tied to.
        let Some(rule) = entry.fault.filter(|rule| *rule != Rule::BadStatus) else {
            continue;
        };
        let path = match entry.kind {
            Kind::Result => entry.key_path(),
            _ => entry.path(),
        };
        judging.refuse(entry.row, path, rule);
    }
    match view.format {
        Format::OpenAiResponses => items::judge(view, &mut judging),
        _ => steps::judge(view, &mut judging),
    }
    let mut found = judging.found;
    found.sort_by(|one, other| {
        let key = (one.position, &one.path, one.rule);
        key.cmp(&(other.position, &other.path, other.rule))
    });
    found.dedup();
    found
}

struct Judging {
    found: Vec<MessageProblem>,
    allow_pending: bool,
}

impl Judging {
    fn refuse(&mut self, position: usize, path: impl Into<String>, rule: Rule) {
        self.found.push(MessageProblem {
            position,
            path: path.into(),
            rule: rule.as_str(),
            severity: Severity::Refused,
        });
    }

    /// Says that a call has no result: that waits where nothing but results follows.
    fn open(&mut self, call: &Entry<'_>, is_live: bool) {
        if is_live || self.allow_pending {
            self.found.push(MessageProblem {
                position: call.row,
                path: call.path(),
                rule: Rule::PendingCall.as_str(),
                severity: Severity::Pending,
            });
        } else {
            self.refuse(call.row, call.path(), Rule::DanglingCall);
        }
    }
}

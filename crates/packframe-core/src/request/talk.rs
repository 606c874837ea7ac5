//! The messages of a request, each with what was once found out about it.

use std::sync::Arc;

use crate::content::Content;
use crate::conversation::{Format, Message};

/// A list of messages: those of a history, or of a final.
///
/// What one of them costs is counted once, whatever is planned with it and however often.
#[derive(Debug, Clone, Default)]
pub struct Talk(Arc<[Arc<Content>]>);

impl Talk {
    /// Takes messages, each as its compact JSON. Linear in their size.
    #[must_use]
    pub fn of<T: Into<Box<str>>>(format: Format, messages: impl IntoIterator<Item = T>) -> Self {
        let messages = messages.into_iter();
        let contents = messages.map(|json| {
            let json = json.into();
            let message = Message::given(format, &json);
            Arc::new(Content::message(message, json))
        });
        Self(contents.collect())
    }

    /// Returns how many messages there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Says whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the messages.
    pub(super) fn contents(&self) -> &[Arc<Content>] {
        &self.0
    }

    /// Returns the messages before the last so many, and these.
    pub(super) fn split(&self, last: usize) -> (Self, Self) {
        let at = self.len().saturating_sub(last);
        match at {
            0 => (Self::default(), self.clone()),
            at => (Self(self.0[..at].into()), Self(self.0[at..].into())),
        }
    }

    /// Returns these messages and others behind them. Linear in how many there are.
    pub(super) fn followed_by(&self, more: &Self) -> Self {
        if more.is_empty() {
            return self.clone();
        }
        Self(self.0.iter().chain(&*more.0).cloned().collect())
    }
}

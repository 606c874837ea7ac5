//! The messages of a request, each with what was once found out about it.

use std::ops::Range;
use std::sync::Arc;

use crate::content::Content;
use crate::conversation::{Format, Given, Message, Speaker, plain_speaker};

/// A list of messages: those of a history, or of a final.
///
/// What one of them costs is counted once, whatever is planned with it and however often.
#[derive(Debug, Clone, Default)]
pub struct Talk {
    contents: Arc<[Arc<Content>]>,
    /// Of each, who speaks where it is one string: such a message is never parsed.
    plain: Arc<[Option<Speaker>]>,
}

impl Talk {
    /// Takes messages, each as its compact JSON. Linear in their size.
    #[must_use]
    pub fn of<T: Into<Box<str>>>(format: Format, messages: impl IntoIterator<Item = T>) -> Self {
        let messages = messages.into_iter().map(Into::into);
        let read = messages.map(|json: Box<str>| {
            let plain = plain_speaker(&json, format);
            let message = match plain {
                Some(speaker) => Message::of_string(format, speaker.role()),
                None => Message::unread(format),
            };
            (Arc::new(Content::message(message, json)), plain)
        });
        let (contents, plain): (Vec<_>, Vec<_>) = read.unzip();
        Self {
            contents: contents.into(),
            plain: plain.into(),
        }
    }

    /// Returns how many messages there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.contents.len()
    }

    /// Says whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.contents.is_empty()
    }

    /// Returns the messages.
    pub(super) fn contents(&self) -> &[Arc<Content>] {
        &self.contents
    }

    /// Returns the messages as a repair takes them.
    pub(super) fn given(&self) -> impl Iterator<Item = Given<'_>> {
        let rows = self.contents.iter().zip(&*self.plain);
        rows.map(|(content, &plain)| Given {
            json: content.stored(),
            plain,
        })
    }

    /// Returns the messages before the last so many, and these.
    pub(super) fn split(&self, last: usize) -> (Self, Self) {
        let at = self.len().saturating_sub(last);
        let part = |range: Range<usize>| Self {
            contents: self.contents[range.clone()].into(),
            plain: self.plain[range].into(),
        };
        (part(0..at), part(at..self.len()))
    }

    /// Returns these messages and others behind them. Linear in how many there are.
    pub(super) fn followed_by(&self, more: &Self) -> Self {
        let (contents, plain) = (self.contents.iter(), self.plain.iter());
        Self {
            contents: contents.chain(&*more.contents).cloned().collect(),
            plain: plain.chain(&*more.plain).copied().collect(),
        }
    }
}

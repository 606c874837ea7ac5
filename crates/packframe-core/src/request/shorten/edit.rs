//! One change of some messages by which they get shorter.

use std::sync::Arc;

use super::cut::{Said, with_pieces};
use crate::content::Content;
use crate::conversation::{Format, Message, shares};
use crate::error::Error;
use crate::pack::message_tokens;
use crate::profile::TokenProfile;
use crate::word::Role;

/// One change of some messages: it is made, or it is not.
#[derive(Debug, Clone)]
pub(super) struct Edit {
    /// The word of its kind.
    pub(super) kind: &'static str,
    /// What becomes of each message.
    pub(super) rows: Vec<RowEdit>,
    /// The fewest and the most tokens that it may leave, where it is a cut.
    pub(super) limits: Option<(u64, u64)>,
}

/// What becomes of one message.
#[derive(Debug, Clone)]
pub(super) struct RowEdit {
    pub(super) row: usize,
    pub(super) before: Arc<Content>,
    /// The tokens of its content before.
    pub(super) tokens: u64,
    /// Nothing where the message goes.
    pub(super) after: Option<Arc<Content>>,
    /// What of it may be cut.
    pub(super) said: Vec<Said>,
    pub(super) places: Vec<PlaceEdit>,
}

/// What becomes of a place in a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PlaceEdit {
    /// Empty for the whole message.
    pub(super) path: String,
    pub(super) limit: Option<u64>,
    pub(super) before: u64,
    pub(super) after: u64,
}

/// Who counts, and what a message of the list is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale<'a> {
    pub(super) format: Format,
    pub(super) profile: &'a TokenProfile,
}

impl Scale<'_> {
    /// Makes a message.
    pub(super) fn message(self, role: Role, json: String) -> Arc<Content> {
        let message = Message::of_list(self.format, role);
        Arc::new(Content::message(message, json))
    }

    /// Returns what a message says, in tokens.
    pub(super) fn content(self, content: &Arc<Content>) -> Result<u64, Error> {
        message_tokens(self.profile, content)
    }

    /// Returns what a message costs.
    fn total(self, content: &Arc<Content>) -> Result<u64, Error> {
        let role = content.as_message().map_or(Role::User, Message::role);
        let envelope = self.profile.envelope(role, Some(content));
        let total = self.content(content)? + envelope;
        Ok(total.max(self.profile.least_per_item()))
    }
}

impl RowEdit {
    /// Returns by how many tokens the message costs less.
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the tokenizer fails.
    pub(super) fn saved(&self, scale: Scale<'_>) -> Result<i64, Error> {
        let after = self.after.as_ref().map(|after| scale.total(after));
        let (before, after) = (scale.total(&self.before)?, after.unwrap_or(Ok(0))?);
        Ok(crate::pack::signed(before) - crate::pack::signed(after))
    }
}

impl Edit {
    /// Cuts messages so that what they say has so many tokens together.
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the tokenizer fails.
    pub(super) fn cut(
        kind: &'static str,
        given: &[(usize, Arc<Content>, Vec<Said>)],
        (least, limit): (u64, u64),
        scale: Scale<'_>,
    ) -> Result<Self, Error> {
        let all = given.iter().flat_map(|(_, _, said)| said);
        let sizes: Vec<u64> = all.map(Said::tokens).collect();
        let mut limits = shares(&sizes, limit).into_iter();
        let mut rows = Vec::new();
        for (row, before, said) in given {
            let json = before.stored();
            let (mut made, mut places) = (Vec::new(), Vec::new());
            for (said, limit) in said.iter().zip(limits.by_ref()) {
                let size = said.tokens();
                if size <= limit {
                    continue;
                }
                let (pieces, tokens) = said.cut(scale.profile, json, limit)?;
                if tokens < size {
                    places.push(PlaceEdit {
                        path: said.spot.path.to_string(),
                        limit: Some(limit),
                        before: size,
                        after: tokens,
                    });
                    made.push((said, pieces));
                }
            }
            let after = if made.is_empty() {
                Arc::clone(before)
            } else {
                let role = before.as_message().map_or(Role::User, Message::role);
                scale.message(role, with_pieces(json, &made))
            };
            rows.push(RowEdit {
                row: *row,
                tokens: scale.content(before)?,
                before: Arc::clone(before),
                after: Some(after),
                said: said.clone(),
                places,
            });
        }
        Ok(Self {
            kind,
            rows,
            limits: Some((least, sizes.iter().sum())),
        })
    }

    /// Returns the same cut with another limit, nothing where it is none.
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the tokenizer fails.
    pub(super) fn with_limit(&self, limit: u64, scale: Scale<'_>) -> Result<Option<Self>, Error> {
        let Some((least, _)) = self.limits else {
            return Ok(None);
        };
        let given: Vec<(usize, Arc<Content>, Vec<Said>)> = self
            .rows
            .iter()
            .map(|edit| (edit.row, Arc::clone(&edit.before), edit.said.clone()))
            .collect();
        Self::cut(self.kind, &given, (least, limit), scale).map(Some)
    }

    /// Returns by how many tokens it makes some messages shorter.
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the tokenizer fails.
    pub(super) fn saved(
        &self,
        scale: Scale<'_>,
        is_in: impl Fn(usize) -> bool,
    ) -> Result<i64, Error> {
        let rows = self.rows.iter().filter(|edit| is_in(edit.row));
        rows.map(|edit| edit.saved(scale)).sum()
    }
}

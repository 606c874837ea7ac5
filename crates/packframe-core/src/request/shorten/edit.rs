//! One change of some messages by which they get shorter.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use super::cut::{Said, with_pieces};
use crate::content::Content;
use crate::conversation::{Format, Message, Spot, shares};
use crate::error::Error;
use crate::pack::{message_tokens, signed};
use crate::profile::TokenProfile;
use crate::word::Role;

/// One change of some messages: it is made, or it is not.
#[derive(Debug, Clone)]
pub(super) struct Edit {
    /// The word of its kind.
    pub(super) kind: &'static str,
    /// What becomes of each message.
    pub(super) rows: Vec<RowEdit>,
    /// What is cut, where it is a cut.
    pub(super) cut: Option<Rc<Cut>>,
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
    /// The tokens of its content then.
    pub(super) left: u64,
    pub(super) places: Vec<PlaceEdit>,
}

/// Messages of which one limit cuts what they say together.
#[derive(Debug)]
pub(super) struct Cut {
    kind: &'static str,
    /// The fewest tokens that it may leave.
    pub(super) least: u64,
    given: Vec<Given>,
}

/// A message that may be cut.
#[derive(Debug)]
pub(super) struct Given {
    row: usize,
    before: Arc<Content>,
    /// The tokens of its content.
    tokens: u64,
    /// What of it may be cut.
    said: Vec<Said>,
    /// What was made of it, by the limit of each place.
    made: RefCell<BTreeMap<Vec<u64>, RowEdit>>,
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

    /// Returns what a message costs that says so many tokens.
    fn total(self, content: &Arc<Content>, tokens: u64) -> u64 {
        let role = content.as_message().map_or(Role::User, Message::role);
        let envelope = self.profile.envelope(role, Some(content));
        (tokens + envelope).max(self.profile.least_per_item())
    }
}

impl RowEdit {
    /// Returns by how many tokens the message costs less.
    fn saved(&self, scale: Scale<'_>) -> i64 {
        let after = self.after.as_ref();
        let after = after.map_or(0, |after| scale.total(after, self.left));
        signed(scale.total(&self.before, self.tokens)) - signed(after)
    }
}

impl Given {
    /// Reads a message, and counts it.
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the tokenizer fails.
    pub(super) fn of(
        row: usize,
        before: Arc<Content>,
        spots: Vec<Spot>,
        scale: Scale<'_>,
    ) -> Result<Self, Error> {
        Ok(Self {
            row,
            tokens: scale.content(&before)?,
            said: Said::all(scale.profile, before.stored(), spots)?,
            before,
            made: RefCell::default(),
        })
    }

    /// Cuts what it says, each place to its limit. What was made before is not made again.
    fn cut(&self, limits: &[u64], scale: Scale<'_>) -> Result<RowEdit, Error> {
        let known = self.made.borrow().get(limits).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let (mut made, mut places) = (Vec::new(), Vec::new());
        for (said, &limit) in self.said.iter().zip(limits) {
            let size = said.tokens();
            if size <= limit {
                continue;
            }
            let (pieces, tokens) = said.cut(scale.profile, limit)?;
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
        let (after, left) = if made.is_empty() {
            (Arc::clone(&self.before), self.tokens)
        } else {
            let role = self.before.as_message().map_or(Role::User, Message::role);
            let json = with_pieces(self.before.stored(), made);
            // Limits that are near often make the same.
            let all = self.made.borrow();
            let mut all = all
                .values()
                .filter_map(|edit| Some((edit.after.as_ref()?, edit.left)));
            if let Some((after, left)) = all.find(|(after, _)| after.stored() == json) {
                (Arc::clone(after), left)
            } else {
                let after = scale.message(role, json);
                let left = scale.content(&after)?;
                (after, left)
            }
        };
        let edit = RowEdit {
            row: self.row,
            before: Arc::clone(&self.before),
            tokens: self.tokens,
            after: Some(after),
            left,
            places,
        };
        let mut all = self.made.borrow_mut();
        all.insert(limits.to_vec(), edit.clone());
        Ok(edit)
    }
}

impl Cut {
    /// Names what is cut.
    pub(super) fn of(kind: &'static str, least: u64, given: Vec<Given>) -> Self {
        Self { kind, least, given }
    }

    fn sizes(&self) -> Vec<u64> {
        let said = self.given.iter().flat_map(|given| &given.said);
        said.map(Said::tokens).collect()
    }

    /// Returns the tokens of all that may be cut.
    pub(super) fn most(&self) -> u64 {
        self.sizes().iter().sum()
    }
}

impl Edit {
    /// Cuts messages so that what they say has so many tokens together.
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the tokenizer fails.
    pub(super) fn cut(cut: &Rc<Cut>, limit: u64, scale: Scale<'_>) -> Result<Self, Error> {
        let limits = shares(&cut.sizes(), limit);
        let mut limits = &limits[..];
        let mut rows = Vec::with_capacity(cut.given.len());
        for given in &cut.given {
            let (own, others) = limits.split_at(given.said.len());
            rows.push(given.cut(own, scale)?);
            limits = others;
        }
        Ok(Self {
            kind: cut.kind,
            rows,
            cut: Some(Rc::clone(cut)),
        })
    }

    /// Returns by how many tokens it makes some messages shorter.
    pub(super) fn saved(&self, scale: Scale<'_>, is_in: impl Fn(usize) -> bool) -> i64 {
        let rows = self.rows.iter().filter(|edit| is_in(edit.row));
        rows.map(|edit| edit.saved(scale)).sum()
    }
}

//! What fits of a frame, and the ways to send it.

use std::sync::Arc;

use super::cost::Costs;
use super::division::Division;
use super::ledger::Ledger;
use super::options::{PackOptions, signed};
use crate::content::Content;
use crate::conversation::Format;
use crate::error::{Error, ErrorKind};
use crate::frame::Frame;
use crate::item::Item;
use crate::manifest::Manifest;
use crate::profile::TokenProfile;
use crate::rendering;
use crate::word::Render;

/// What fits of a frame, and the record of every decision.
#[derive(Debug, Clone)]
pub struct Pack {
    pub(super) ledger: Arc<Ledger>,
    pub(super) profile: Arc<TokenProfile>,
    pub(super) manifest: Manifest,
    pub(super) rows: Arc<[usize]>,
}

impl Pack {
    /// Returns the frame that was packed, as overflow strategies left it.
    #[must_use]
    pub fn frame(&self) -> &Arc<Frame> {
        &self.ledger.frame
    }

    /// Returns every decision.
    pub(crate) fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Returns the rows that are in, in the order of the layout.
    #[must_use]
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// Returns the record of every decision.
    #[must_use]
    pub const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Returns the tokens of the rendering that the pack was made for.
    #[must_use]
    pub fn total_tokens(&self) -> u64 {
        self.ledger.total()
    }

    /// Returns what is left of what was available, or `None` where there is no ceiling.
    #[must_use]
    pub fn remaining_tokens(&self) -> Option<i64> {
        self.ledger
            .room
            .available
            .map(|available| available - signed(self.total_tokens()))
    }

    /// Says whether every row is in, whole.
    #[must_use]
    pub fn complete(&self) -> bool {
        self.rows.len() == self.ledger.frame.len() && self.ledger.is_whole()
    }

    /// Returns the item in a row, with the content that it is packed as, and without the
    /// alternatives that were refused.
    #[must_use]
    pub fn item(&self, row: usize) -> Item {
        let refusals = &self.ledger.found.refusals;
        let mut item = refusals.shown_item(&self.ledger.frame, row);
        if let Some(form) = self.ledger.form(row) {
            item.content = Arc::clone(&form.content);
        }
        item
    }

    /// Returns the rendering that the pack was made for.
    #[must_use]
    pub fn render(&self) -> Render {
        self.ledger.options.render()
    }

    /// Says whether the pack stays inside the application.
    #[must_use]
    pub fn is_internal(&self) -> bool {
        !self.ledger.options.boundary.is_external()
    }

    /// Returns the pack as one text.
    ///
    /// # Errors
    ///
    /// `RenderingOverBudget` where the pack was made for messages and the text does not fit.
    pub fn text(&self) -> Result<String, Error> {
        let text = self.joined();
        if self.render() != Render::Text {
            self.allow(self.profile.count(&text)?)?;
        }
        Ok(text)
    }

    /// Returns the rendering that the pack was made for: the text, or the messages as JSON.
    #[must_use]
    pub fn rendered(&self) -> String {
        match self.render() {
            Render::Text => self.joined(),
            Render::Messages => self.messages(),
        }
    }

    fn joined(&self) -> String {
        let filled = self.ledger.filled();
        self.ledger.rendered(&filled).text()
    }

    /// Returns the text that merged sections are, or `None` where nothing of them is in.
    pub(crate) fn merged_text(&self) -> Option<String> {
        let filled = self.ledger.filled();
        self.ledger.slots.parts(&filled).next()?;
        Some(self.ledger.rendered(&filled).parts())
    }

    /// Returns the content that a row is packed as.
    pub(crate) fn content(&self, row: usize) -> &Content {
        self.ledger.content(row)
    }

    pub(crate) fn messages(&self) -> String {
        let filled = self.ledger.filled();
        self.ledger.rendered(&filled).messages()
    }

    /// Returns the pack as messages of a format, as JSON: an array, or an object where the format has
    /// the system text beside the messages.
    ///
    /// # Errors
    ///
    /// `InvalidOption` for messages of another format, `UnsupportedContent` for a row that the format
    /// has no message for, `InvalidMessages` for a list that the provider would refuse, and
    /// `RenderingOverBudget` where the pack was made for text and the messages do not fit.
    pub fn call(&self, format: Format) -> Result<String, Error> {
        let content = |row: usize| self.ledger.content(row);
        let listed = rendering::listed(&self.ledger.frame, &self.rows, content, format)?;
        if self.render() != Render::Messages {
            self.allow(self.count_as_messages(&self.messages())?)?;
        }
        Ok(listed.call(format))
    }

    fn count_as_messages(&self, messages: &str) -> Result<u64, Error> {
        if let Some(counted) = self.profile.count_messages(messages) {
            return counted;
        }
        let frame = &self.ledger.frame;
        let options = PackOptions {
            render: Some(Render::Messages),
            profile: Arc::clone(&self.profile),
            ..(*self.ledger.options).clone()
        };
        let found = &self.ledger.found;
        let division = Division::of(frame, &found.groups, &options, self.ledger.room)?;
        let divided = (&found.groups, &division);
        let costs = Costs::of(frame, divided, &found.refusals, &options)?;
        let mut total = costs.base;
        for &row in self.rows.iter() {
            total += match self.ledger.form(row) {
                Some(form) => {
                    let content: Arc<Content> = Arc::clone(&form.content);
                    costs
                        .form(frame, row, &self.profile, form.kind.clone(), content)?
                        .total
                }
                None => costs.total(row),
            };
        }
        Ok(total)
    }

    fn allow(&self, needed: u64) -> Result<(), Error> {
        let room = self.ledger.room;
        match room.available {
            Some(available) if signed(needed) > available => {
                Err(Error::new(ErrorKind::RenderingOverBudget {
                    budget: room.budget.unwrap_or(0),
                    reserve: room.reserve,
                    needed,
                    available,
                }))
            }
            _ => Ok(()),
        }
    }
}

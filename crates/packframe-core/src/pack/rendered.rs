//! What is rendered of the slots that are filled.

use super::options::PackOptions;
use super::slots::Slots;
use crate::content::Content;
use crate::frame::Frame;
use crate::rendering;
use crate::word::Render;

/// The slots that are filled, with the content that each row is packed as.
pub(crate) struct Rendered<'a, F> {
    pub(crate) frame: &'a Frame,
    pub(crate) slots: &'a Slots,
    pub(crate) filled: &'a [usize],
    pub(crate) options: &'a PackOptions,
    pub(crate) content: F,
}

impl<'b, F: Fn(usize) -> &'b Content> Rendered<'_, F> {
    /// Joins all of them into one text.
    pub(crate) fn text(&self) -> String {
        self.join(self.filled)
    }

    /// Joins those that are parts of a text: in messages, those of merged sections.
    pub(crate) fn parts(&self) -> String {
        let parts: Vec<usize> = self.slots.parts(self.filled).collect();
        self.join(&parts)
    }

    /// Writes them as a JSON array of messages, the merged sections first.
    pub(crate) fn messages(&self) -> String {
        let in_messages = self.options.render() == Render::Messages;
        let role = self.options.merged.filter(|_| in_messages);
        let role = role.map(|merged| merged.role);
        let is_part = |slot: usize| role.is_some() && self.slots.joins(slot);
        let some = self.filled.iter().any(|&slot| is_part(slot));
        let merged = role.filter(|_| some).map(|role| (role, self.parts()));
        let apart = self.filled.iter().copied();
        let apart = apart.filter(|&slot| !is_part(slot));
        let rows = apart.filter_map(|slot| self.slots.row(slot));
        let planned = self.options.planned.as_ref();
        let before = planned.map_or(0, |planned| planned.before_merged);
        let merged = merged.map(|(role, text)| (before, role, text));
        rendering::as_messages(self.frame, merged.as_ref(), rows, &self.content)
    }

    fn join(&self, filled: &[usize]) -> String {
        let pieces = self.slots.pieces(filled);
        rendering::joined(self.frame, pieces, &self.content, self.options.labels)
    }
}

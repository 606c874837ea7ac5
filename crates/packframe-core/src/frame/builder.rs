//! Items into columns, row by row.

use std::sync::{Arc, OnceLock};

use super::build::any_message;
use super::{Column, Frame, Sparse};
use crate::content::Content;
use crate::error::Error;
use crate::item::{Extra, Item};
use crate::word::{Retention, Role, Sensitivity, Trust};

/// A frame while its rows are put in.
#[derive(Debug, Default)]
pub struct FrameBuilder {
    contents: Vec<Arc<Content>>,
    roles: Vec<Role>,
    retentions: Vec<Retention>,
    scores: Vec<f64>,
    priorities: Vec<f64>,
    trusts: Vec<Trust>,
    sensitivities: Vec<Sensitivity>,
    pins: Vec<bool>,
    given_ids: Filling<Arc<str>>,
    sections: Filling<Arc<str>>,
    groups: Filling<Arc<str>>,
    extras: Filling<Arc<Extra>>,
}

/// A sparse column while it is filled: nothing is written before the first value.
#[derive(Debug)]
struct Filling<T>(Option<Vec<Option<T>>>);

impl<T> Default for Filling<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T: Clone> Filling<T> {
    fn push(&mut self, row: usize, value: Option<&T>) {
        match (&mut self.0, value) {
            (None, None) => {}
            (Some(column), value) => column.push(value.cloned()),
            (empty @ None, Some(value)) => {
                let mut column = vec![None; row];
                column.push(Some(value.clone()));
                *empty = Some(column);
            }
        }
    }

    fn finish(self) -> Sparse<T> {
        self.0.map(column)
    }
}

impl FrameBuilder {
    /// Starts a frame of about so many rows.
    #[must_use]
    pub fn with_capacity(capacity: usize) -> Self {
        Self {
            contents: Vec::with_capacity(capacity),
            roles: Vec::with_capacity(capacity),
            retentions: Vec::with_capacity(capacity),
            scores: Vec::with_capacity(capacity),
            priorities: Vec::with_capacity(capacity),
            trusts: Vec::with_capacity(capacity),
            sensitivities: Vec::with_capacity(capacity),
            pins: Vec::with_capacity(capacity),
            ..Self::default()
        }
    }

    /// Puts an item behind the others.
    pub fn push(&mut self, item: &Item) {
        let row = self.contents.len();
        self.contents.push(Arc::clone(&item.content));
        self.roles.push(item.role);
        self.retentions.push(item.retention);
        self.scores.push(item.score);
        self.priorities.push(item.priority);
        self.trusts.push(item.trust);
        self.sensitivities.push(item.sensitivity);
        self.pins.push(item.pinned);
        self.given_ids.push(row, item.id.as_ref());
        self.sections.push(row, item.section.as_ref());
        self.groups.push(row, item.group.as_ref());
        self.extras.push(row, item.extra.as_ref());
    }

    /// Returns the frame.
    ///
    /// # Errors
    ///
    /// `InvalidItem` naming both rows where two ids are equal.
    pub fn finish(self) -> Result<Frame, Error> {
        let frame = Frame {
            has_messages: any_message(&self.contents),
            contents: column(self.contents),
            roles: column(self.roles),
            retentions: column(self.retentions),
            scores: column(self.scores),
            priorities: column(self.priorities),
            trusts: column(self.trusts),
            sensitivities: column(self.sensitivities),
            pins: column(self.pins),
            given_ids: self.given_ids.finish(),
            sections: self.sections.finish(),
            groups: self.groups.finish(),
            extras: self.extras.finish(),
            demotions: Arc::default(),
            merges: Arc::default(),
            redacted: Arc::default(),
            ids: Arc::new(OnceLock::new()),
            dialogue: None,
            said: Arc::default(),
        };
        frame.check_ids()?;
        Ok(frame)
    }
}

/// Keeps a column in the memory that it was filled in, without what stayed free.
fn column<T>(mut values: Vec<T>) -> Column<T> {
    values.shrink_to_fit();
    Arc::new(values)
}

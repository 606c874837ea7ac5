//! Items into columns, and columns into shorter or longer ones.

use std::sync::{Arc, OnceLock};

use super::dedupe::Merge;
use super::redact::Redacted;
use super::verbs::Demotion;
use super::{Column, Dialogue, Frame, FrameBuilder, Sparse};
use crate::content::Body;
use crate::error::Error;
use crate::item::Item;

impl Frame {
    /// Makes a frame of items, in their order.
    ///
    /// Linear. Ids are made when they are first asked for.
    ///
    /// # Errors
    ///
    /// `InvalidItem` naming both rows where two ids are equal.
    pub fn from_items<'a>(items: impl IntoIterator<Item = &'a Item>) -> Result<Self, Error> {
        let items = items.into_iter();
        let mut builder = FrameBuilder::with_capacity(items.size_hint().0);
        for item in items {
            builder.push(item);
        }
        builder.finish()
    }

    /// Returns a frame of some rows, in the order given.
    ///
    /// # Errors
    ///
    /// `InvalidItem` where an id that is made for a row is one that another row was given.
    pub fn take(&self, rows: &[usize]) -> Result<Self, Error> {
        fn gather<T: Clone>(column: &Column<T>, rows: &[usize]) -> Column<T> {
            Arc::new(rows.iter().map(|&row| column[row].clone()).collect())
        }
        let gather_names =
            |column: Option<&Column<Option<Arc<str>>>>| column.map(|column| gather(column, rows));
        let mut place = vec![None; self.len()];
        for (to, &from) in rows.iter().enumerate() {
            place[from] = Some(to);
        }
        let demotions: Vec<Demotion> = self
            .demotions
            .iter()
            .filter_map(|demotion| {
                Some(Demotion {
                    row: place[demotion.row]?,
                    ..*demotion
                })
            })
            .collect();
        let merges: Vec<Merge> = self
            .merges
            .iter()
            .map(|merge| Merge {
                into_row: merge.into_row.and_then(|row| place[row]),
                ..merge.clone()
            })
            .collect();
        let redacted: Vec<Redacted> = self
            .redacted
            .iter()
            .filter_map(|change| {
                Some(Redacted {
                    row: place[change.row]?,
                    ..*change
                })
            })
            .collect();
        let contents = gather(&self.contents, rows);
        let frame = Self {
            has_messages: self.has_messages && any_message(&contents),
            contents,
            roles: gather(&self.roles, rows),
            retentions: gather(&self.retentions, rows),
            scores: gather(&self.scores, rows),
            priorities: gather(&self.priorities, rows),
            trusts: gather(&self.trusts, rows),
            sensitivities: gather(&self.sensitivities, rows),
            pins: gather(&self.pins, rows),
            given_ids: gather_names(self.given_ids.as_ref()),
            sections: gather_names(self.sections.as_ref()),
            groups: gather_names(self.groups.as_ref()),
            extras: self.extras.as_ref().map(|column| gather(column, rows)),
            demotions: Arc::new(demotions),
            merges: Arc::new(merges),
            redacted: in_order(redacted),
            ids: Arc::new(OnceLock::new()),
            dialogue: (self.dialogue.as_ref()).map(|talk| Arc::new(talk.moved(|row| place[row]))),
            said: Arc::default(),
        };
        frame.check_ids()?;
        Ok(frame)
    }

    /// Returns a frame of the rows of this one and of another behind them.
    ///
    /// # Errors
    ///
    /// `InvalidItem` naming both rows where two ids are equal; `InvalidOption` for conversations of
    /// two formats.
    pub fn concat(&self, other: &Self) -> Result<Self, Error> {
        fn join<T: Clone>(a: &Column<T>, b: &Column<T>) -> Column<T> {
            Arc::new(a.iter().chain(b.iter()).cloned().collect())
        }
        type Values<'a, T> = Option<&'a Column<Option<T>>>;
        fn join_sparse<T: Clone>(
            a: Values<'_, T>,
            b: Values<'_, T>,
            sizes: (usize, usize),
        ) -> Sparse<T> {
            if a.is_none() && b.is_none() {
                return None;
            }
            let values = |column: Values<'_, T>, size| {
                column.map_or_else(|| vec![None; size], |column| column.to_vec())
            };
            let mut joined = values(a, sizes.0);
            joined.extend(values(b, sizes.1));
            Some(Arc::new(joined))
        }
        let sizes = (self.len(), other.len());
        let offset = self.len();
        let shifted = other.demotions.iter().map(|demotion| Demotion {
            row: demotion.row + offset,
            ..*demotion
        });
        let moved = other.merges.iter().map(|merge| Merge {
            row: merge.row + offset,
            into_row: merge.into_row.map(|row| row + offset),
            ..merge.clone()
        });
        let behind = other.redacted.iter().map(|change| Redacted {
            row: change.row + offset,
            ..*change
        });
        let frame = Self {
            contents: join(&self.contents, &other.contents),
            roles: join(&self.roles, &other.roles),
            retentions: join(&self.retentions, &other.retentions),
            scores: join(&self.scores, &other.scores),
            priorities: join(&self.priorities, &other.priorities),
            trusts: join(&self.trusts, &other.trusts),
            sensitivities: join(&self.sensitivities, &other.sensitivities),
            pins: join(&self.pins, &other.pins),
            given_ids: join_sparse(self.given_ids.as_ref(), other.given_ids.as_ref(), sizes),
            sections: join_sparse(self.sections.as_ref(), other.sections.as_ref(), sizes),
            groups: join_sparse(self.groups.as_ref(), other.groups.as_ref(), sizes),
            extras: join_sparse(self.extras.as_ref(), other.extras.as_ref(), sizes),
            demotions: Arc::new(self.demotions.iter().copied().chain(shifted).collect()),
            merges: Arc::new(self.merges.iter().cloned().chain(moved).collect()),
            redacted: Arc::new(self.redacted.iter().copied().chain(behind).collect()),
            has_messages: self.has_messages || other.has_messages,
            ids: Arc::new(OnceLock::new()),
            dialogue: Dialogue::joined(self.dialogue.as_ref(), other.dialogue.as_ref(), offset)?,
            said: Arc::default(),
        };
        frame.check_ids()?;
        Ok(frame)
    }
}

/// Sorts what rows went through, by row.
fn in_order(mut redacted: Vec<Redacted>) -> Arc<Vec<Redacted>> {
    redacted.sort_unstable();
    Arc::new(redacted)
}

pub(super) fn any_message(contents: &[Arc<crate::content::Content>]) -> bool {
    contents
        .iter()
        .any(|content| matches!(content.body(), Body::Message(_)))
}

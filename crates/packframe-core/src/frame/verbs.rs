//! The verbs that make a new frame from an old one.

use std::cmp::Ordering;
use std::sync::Arc;

use super::Frame;
use super::column::{Cell, column, known_column};
use crate::error::Error;
use crate::item::Item;
use crate::word::{Retention, Trust};

/// A change of a row's retention that the caller asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Demotion {
    /// The row.
    pub row: usize,
    /// What it was.
    pub from: Retention,
    /// What it is now.
    pub to: Retention,
    /// The verb: `demote`, `promote`; or `overflow` and `leading` where packing did it, to make room
    /// and to have a message that may come first.
    pub by: &'static str,
}

/// What a frame is sorted by.
#[derive(Debug, Clone)]
pub struct SortKey {
    column: String,
}

impl SortKey {
    /// Sorts by a column.
    ///
    /// # Errors
    ///
    /// `InvalidItem` for an unknown column, naming the nearest known one.
    pub fn column(name: &str) -> Result<Self, Error> {
        known_column(name)?;
        Ok(Self {
            column: name.to_owned(),
        })
    }
}

impl Frame {
    /// Keeps the rows whose mask is set.
    ///
    /// # Errors
    ///
    /// As [`take`](Self::take).
    pub fn filter(&self, mask: &[bool]) -> Result<Self, Error> {
        let rows: Vec<usize> = (0..self.len()).filter(|&row| mask[row]).collect();
        self.take(&rows)
    }

    /// Keeps the first rows.
    ///
    /// # Errors
    ///
    /// As [`take`](Self::take).
    pub fn limit(&self, count: usize) -> Result<Self, Error> {
        let rows: Vec<usize> = (0..self.len().min(count)).collect();
        self.take(&rows)
    }

    /// Sorts the rows, equal ones in their old order, rows without a value last.
    ///
    /// # Errors
    ///
    /// As [`take`](Self::take).
    pub fn sort(&self, key: &SortKey, descending: bool) -> Result<Self, Error> {
        let cells = column(self, &key.column);
        let mut rows: Vec<usize> = (0..self.len()).collect();
        rows.sort_by(|&a, &b| match (&cells[a], &cells[b]) {
            (Cell::Null, Cell::Null) => Ordering::Equal,
            (Cell::Null, _) => Ordering::Greater,
            (_, Cell::Null) => Ordering::Less,
            (a, b) => {
                let order = a.order(b).unwrap_or(Ordering::Equal);
                if descending { order.reverse() } else { order }
            }
        });
        self.take(&rows)
    }

    /// Puts items in the place of the rows that have their ids, and the others behind.
    ///
    /// # Errors
    ///
    /// `InvalidItem` where two ids are equal.
    pub fn with_items(&self, items: &Self) -> Result<Self, Error> {
        let mut all: Vec<Item> = (0..self.len()).map(|row| self.item(row)).collect();
        let mut replaced = vec![false; self.len()];
        for item in (0..items.len()).map(|row| items.item(row)) {
            let place = item.id().and_then(|id| self.row_of(id));
            match place.filter(|&row| !replaced[row]) {
                Some(row) => {
                    replaced[row] = true;
                    all[row] = item;
                }
                None => all.push(item),
            }
        }
        let frame = Self::from_items(&all)?;
        let kept = self
            .demotions
            .iter()
            .filter(|demotion| !replaced[demotion.row]);
        Ok(Self {
            demotions: Arc::new(kept.copied().collect()),
            merges: Arc::clone(&self.merges),
            dialogue: (self.dialogue.as_ref())
                .map(|talk| Arc::new(talk.moved(|row| (!replaced[row]).then_some(row)))),
            redacted: Arc::new(
                self.redacted
                    .iter()
                    .filter(|change| !replaced[change.row])
                    .copied()
                    .collect(),
            ),
            ..frame
        })
    }

    /// Lowers the retention of the rows whose mask is set; pinned rows and weaker ones stay.
    #[must_use]
    pub fn demote(&self, mask: &[bool], to: Retention, by: &'static str) -> Self {
        self.change_retention(mask, to, by, |row, from| from > to && !self.pins[row])
    }

    /// Raises the retention of the rows whose mask is set; stronger ones stay.
    #[must_use]
    pub fn promote(&self, mask: &[bool], to: Retention) -> Self {
        self.change_retention(mask, to, "promote", |_, from| from < to)
    }

    /// Makes rows required, since one of them has to come first.
    pub(crate) fn lead_with(&self, rows: &[usize]) -> Self {
        let mut mask = vec![false; self.len()];
        for &row in rows {
            mask[row] = true;
        }
        let to = Retention::Required;
        self.change_retention(&mask, to, "leading", |_, from| from < to)
    }

    fn change_retention(
        &self,
        mask: &[bool],
        to: Retention,
        by: &'static str,
        allowed: impl Fn(usize, Retention) -> bool,
    ) -> Self {
        let mut retentions = self.retentions.to_vec();
        let mut demotions = self.demotions.to_vec();
        for (row, retention) in retentions.iter_mut().enumerate() {
            if mask[row] && allowed(row, *retention) {
                demotions.push(Demotion {
                    row,
                    from: *retention,
                    to,
                    by,
                });
                *retention = to;
            }
        }
        Self {
            retentions: Arc::new(retentions),
            demotions: Arc::new(demotions),
            ..self.clone()
        }
    }

    /// Quarantines the rows whose mask is set.
    #[must_use]
    pub fn quarantine(&self, mask: &[bool]) -> Self {
        let trusts = self.trusts.iter().zip(mask);
        let trusts = trusts.map(|(trust, set)| if *set { Trust::Quarantined } else { *trust });
        let trusts = Arc::new(trusts.collect());
        Self {
            trusts,
            ..self.clone()
        }
    }
}

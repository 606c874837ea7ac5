//! Equal rows made one, at no loss of what protects them.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::FixedState;

use super::{Frame, sparse};
use crate::content::{Hash, hex};
use crate::error::Error;
use crate::item::{Extra, Item};
use crate::word::Retention;

/// A row that was merged into another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merge {
    /// Its row in the frame that was deduplicated.
    pub row: usize,
    /// Its id.
    pub id: Arc<str>,
    /// The row that it was merged into, if that is still in the frame.
    pub into_row: Option<usize>,
    /// The id of that row.
    pub into_id: Arc<str>,
    /// The hash of its content, in hexadecimal digits.
    pub content_sha256: String,
}

impl Frame {
    /// Merges rows of equal kind, content, role and section into the first of them.
    ///
    /// Linear. Required rows, messages and members of a group stay as they are. The row that
    /// stays takes the worst trust, the highest sensitivity, the strongest retention, the
    /// earliest expiry, the best score and priority, and all sources.
    ///
    /// # Errors
    ///
    /// As [`take`](Self::take).
    pub fn dedupe(&self) -> Result<Self, Error> {
        type Class<'a> = (Hash, &'a str, u8, Option<&'a str>);
        let mut first: HashMap<Class<'_>, Vec<usize>, FixedState> = HashMap::default();
        let mut into: Vec<usize> = (0..self.len()).collect();
        for (row, target) in into.iter_mut().enumerate() {
            let content = &self.contents[row];
            if content.as_message().is_some() || self.group(row).is_some() {
                continue;
            }
            let section = sparse(self.sections.as_ref(), row).map(|section| &**section);
            let key = (
                *content.hash(),
                content.kind(),
                self.roles[row] as u8,
                section,
            );
            let class = first.entry(key).or_default();
            match class
                .iter()
                .find(|&&known| self.contents[known].same(content))
            {
                Some(&known) if self.retention(row) != Retention::Required => *target = known,
                Some(_) => {}
                None => class.push(row),
            }
        }
        let kept: Vec<usize> = (0..self.len()).filter(|&row| into[row] == row).collect();
        if kept.len() == self.len() {
            return Ok(self.clone());
        }
        let mut items: Vec<Item> = kept.iter().map(|&row| self.item(row)).collect();
        let mut place = vec![0; self.len()];
        for (at, &row) in kept.iter().enumerate() {
            place[row] = at;
        }
        let mut merges = Vec::new();
        for row in (0..self.len()).filter(|&row| into[row] != row) {
            let at = place[into[row]];
            absorb(&mut items[at], &self.item(row));
            merges.push(Merge {
                row,
                id: Arc::clone(self.id(row)),
                into_row: Some(at),
                into_id: Arc::clone(self.id(into[row])),
                content_sha256: hex(self.contents[row].hash()),
            });
        }
        let shrunk = self.take(&kept)?;
        let mut frame = Self::from_items(&items)?;
        frame.demotions = Arc::clone(&shrunk.demotions);
        frame.merges = Arc::new(shrunk.merges.iter().cloned().chain(merges).collect());
        Ok(frame)
    }
}

fn absorb(kept: &mut Item, merged: &Item) {
    kept.trust = kept.trust.max(merged.trust);
    kept.sensitivity = kept.sensitivity.max(merged.sensitivity);
    kept.retention = kept.retention.max(merged.retention);
    kept.score = kept.score.max(merged.score);
    kept.priority = kept.priority.max(merged.priority);
    let Some(theirs) = &merged.extra else { return };
    let mut ours = kept.extra.as_deref().cloned().unwrap_or_default();
    ours.expires_at = match (ours.expires_at, theirs.expires_at) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    };
    for source in &theirs.sources {
        if !ours.sources.contains(source) {
            ours.sources.push(source.clone());
        }
    }
    kept.extra = (ours != Extra::default()).then(|| Arc::new(ours));
}

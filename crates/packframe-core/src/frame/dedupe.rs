//! Equal rows made one, at no loss of what protects them.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::FixedState;

use super::near::similar;
use super::shingles::Shingles;
use super::{Frame, sparse};
use crate::content::{Body, Hash, hex};
use crate::error::Error;
use crate::item::{Extra, Item, once_each};
use crate::word::Retention;

/// A row that was merged into another.
#[derive(Debug, Clone, PartialEq)]
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
    /// How similar the two are, where near ones were merged.
    pub similarity: Option<f64>,
}

impl Eq for Merge {}

impl Frame {
    /// Merges rows of equal kind, content, role, section, `requires` and `exclusive` into the
    /// first of them.
    ///
    /// Linear. Required rows, messages and members of a group stay as they are. The row that
    /// stays takes the worst trust, the highest sensitivity, the strongest retention, the
    /// earliest expiry, the best score and priority, and all sources. How it may be cut and
    /// replaced goes with the strongest retention, and with the first among equals, so that
    /// neither a required row becomes cuttable nor one that may be cut becomes too large. Whoever
    /// requires a merged row requires the one that stays. Rows of other `requires` are not merged,
    /// since a required one would make required what only the other needs.
    ///
    /// # Errors
    ///
    /// As [`take`](Self::take).
    pub fn dedupe(&self) -> Result<Self, Error> {
        self.merge(&self.equal(), |_| None)
    }

    /// Merges rows that say nearly the same into the first of them, as [`dedupe`](Self::dedupe)
    /// does equal ones.
    ///
    /// Similarity is the share of triples of words that two texts have in common: shared ones over
    /// all (Jaccard); in scripts without spaces, of characters. Case and punctuation do not matter.
    /// A row is merged into the first row that stays whose similarity is not below the threshold.
    /// Texts are compared with texts, and JSON with JSON; references and bytes merge where they are
    /// equal. O(n log n) in words; a row is compared with at most 256 others, so that where more of
    /// them share its rarest triples a similar one may be missed.
    ///
    /// # Errors
    ///
    /// `InvalidOption` for a threshold that is not above 0 and at most 1. As [`take`](Self::take).
    pub fn dedupe_near(&self, threshold: f64) -> Result<Self, Error> {
        if !(threshold > 0.0 && threshold <= 1.0) {
            let remedy = Some("a share above 0 and at most 1");
            let value = threshold.to_string();
            let problem = "is no similarity";
            return Err(Error::invalid_option("threshold", value, problem, remedy));
        }
        let equal = self.equal();
        let mut numbers: HashMap<Class<'_>, u32, FixedState> = HashMap::default();
        let classes: Vec<Option<u32>> = equal
            .iter()
            .enumerate()
            .map(|(row, &target)| {
                let compared = matches!(self.contents[row].body(), Body::Text | Body::Json);
                let class = self.class(row).filter(|_| compared && target == row)?;
                let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
                Some(*numbers.entry(class).or_insert(next))
            })
            .collect();
        let texts = classes.iter().zip(self.contents.iter());
        let texts = texts.map(|(class, content)| class.and_then(|_| content.rendered()));
        let shingles = Shingles::of(texts);
        let stays = |row| self.retention(row) == Retention::Required;
        let found = similar(&shingles, &classes, stays, threshold);
        // An equal row goes where the one that it equals goes.
        let into: Vec<usize> = equal
            .iter()
            .map(|&row| found[row].map_or(row, |(target, _)| target))
            .collect();
        // To six digits: a float that is written shorter is read back the same by any reader.
        let rounded = |similarity: f64| (similarity * 1e6).round() / 1e6;
        self.merge(&into, |row| {
            let found = found[equal[row]];
            Some(found.map_or(1.0, |(_, similarity)| rounded(similarity)))
        })
    }

    /// Returns what has to be equal for two rows to merge, besides the content; `None` where a row
    /// merges with none.
    fn class(&self, row: usize) -> Option<Class<'_>> {
        let content = &self.contents[row];
        if content.as_message().is_some() || self.group(row).is_some() {
            return None;
        }
        let section = sparse(self.sections.as_ref(), row).map(|section| &**section);
        Some((
            content.kind(),
            self.roles[row] as u8,
            section,
            Ties::of(self.extra(row)),
        ))
    }

    /// Returns for each row the first that equals it, which may be itself.
    fn equal(&self) -> Vec<usize> {
        let mut first: HashMap<(Hash, Class<'_>), Vec<usize>, FixedState> = HashMap::default();
        let mut into: Vec<usize> = (0..self.len()).collect();
        for (row, target) in into.iter_mut().enumerate() {
            let Some(class) = self.class(row) else {
                continue;
            };
            let content = &self.contents[row];
            let class = first.entry((*content.hash(), class)).or_default();
            match class
                .iter()
                .find(|&&known| self.contents[known].same(content))
            {
                Some(&known) if self.retention(row) != Retention::Required => *target = known,
                Some(_) => {}
                None => class.push(row),
            }
        }
        into
    }

    /// Merges each row into another, or into itself where it stays.
    fn merge(
        &self,
        into: &[usize],
        similarity: impl Fn(usize) -> Option<f64>,
    ) -> Result<Self, Error> {
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
                similarity: similarity(row),
            });
        }
        let shrunk = self.take(&kept)?;
        let mut frame = Self::from_items(&items)?;
        frame.demotions = Arc::clone(&shrunk.demotions);
        frame.merges = Arc::new(shrunk.merges.iter().cloned().chain(merges).collect());
        let now = |id: &str| {
            let row = self.row_of(id)?;
            Some(Arc::clone(frame.id(place[into[row]])))
        };
        let extras = frame.extras.as_ref().map(|extras| {
            let renamed = extras
                .iter()
                .map(|extra| Some(rename(extra.as_ref()?, now)));
            Arc::new(renamed.collect())
        });
        frame.extras = extras;
        Ok(frame)
    }
}

/// Kind, role, section and ties.
type Class<'a> = (&'static str, u8, Option<&'a str>, Ties<'a>);

/// What ties a row to others, beside its group.
#[derive(PartialEq, Eq, Hash)]
struct Ties<'a> {
    requires: Vec<&'a str>,
    exclusive: Option<&'a str>,
}

impl<'a> Ties<'a> {
    fn of(extra: Option<&'a Extra>) -> Self {
        let mut requires: Vec<&str> = extra.map_or_else(Vec::new, |extra| {
            extra.requires.iter().map(|id| &**id).collect()
        });
        requires.sort_unstable();
        Self {
            requires,
            exclusive: extra.and_then(|extra| extra.exclusive.as_deref()),
        }
    }
}

/// Names the required rows as they are named now; an id that is no row's stays.
pub(super) fn rename(extra: &Arc<Extra>, now: impl Fn(&str) -> Option<Arc<str>>) -> Arc<Extra> {
    if extra.requires.is_empty() {
        return Arc::clone(extra);
    }
    let requires = extra.requires.iter();
    let requires = requires.map(|id| now(id).unwrap_or_else(|| Arc::clone(id)));
    Arc::new(Extra {
        requires: once_each(requires.collect()),
        ..(**extra).clone()
    })
}

fn absorb(kept: &mut Item, merged: &Item) {
    let stronger = merged.retention > kept.retention && !kept.pinned;
    kept.trust = kept.trust.max(merged.trust);
    kept.sensitivity = kept.sensitivity.max(merged.sensitivity);
    kept.retention = kept.retention.max(merged.retention);
    kept.score = kept.score.max(merged.score);
    kept.priority = kept.priority.max(merged.priority);
    if kept.extra.is_none() && merged.extra.is_none() {
        return;
    }
    let mut ours = kept.extra.as_deref().cloned().unwrap_or_default();
    let theirs = merged.extra.as_deref().cloned().unwrap_or_default();
    ours.expires_at = match (ours.expires_at, theirs.expires_at) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    };
    for source in &theirs.sources {
        if !ours.sources.contains(source) {
            ours.sources.push(source.clone());
        }
    }
    if stronger {
        ours.cut_to = theirs.cut_to;
        ours.alternatives = theirs.alternatives;
    }
    kept.extra = (ours != Extra::default()).then(|| Arc::new(ours));
}

//! An immutable, ordered collection of items, kept as columns.

mod bm25;
mod build;
mod builder;
mod column;
mod dedupe;
mod dialogue;
mod expression;
mod ids;
mod likeness;
mod near;
mod rank;
mod redact;
mod shingles;
mod terms;
mod turns;
mod verbs;

use std::sync::{Arc, OnceLock};

pub use builder::FrameBuilder;
pub use dedupe::Merge;
pub use dialogue::Dialogue;
pub(crate) use dialogue::Said;
pub use expression::{Compare, Expression, Scalar};
pub use redact::{Redact, Redacted, Redaction};
pub use verbs::{Demotion, SortKey};

use crate::content::Content;
use crate::item::{Extra, Item};
use crate::word::{Retention, Role, Sensitivity, Trust};
use dialogue::Saying;
use ids::Ids;

/// A column: shared by the frames that a verb makes from each other.
pub(crate) type Column<T> = Arc<Vec<T>>;

/// A column that most frames have nothing in; `None` where no row has a value.
pub(crate) type Sparse<T> = Option<Column<Option<T>>>;

/// An immutable, ordered collection of items.
#[derive(Debug, Clone)]
pub struct Frame {
    pub(crate) contents: Column<Arc<Content>>,
    pub(crate) roles: Column<Role>,
    pub(crate) retentions: Column<Retention>,
    pub(crate) scores: Column<f64>,
    pub(crate) priorities: Column<f64>,
    pub(crate) trusts: Column<Trust>,
    pub(crate) sensitivities: Column<Sensitivity>,
    pub(crate) pins: Column<bool>,
    pub(crate) given_ids: Sparse<Arc<str>>,
    pub(crate) sections: Sparse<Arc<str>>,
    pub(crate) groups: Sparse<Arc<str>>,
    pub(crate) extras: Sparse<Arc<Extra>>,
    pub(crate) demotions: Arc<Vec<Demotion>>,
    pub(crate) merges: Arc<Vec<Merge>>,
    pub(crate) redacted: Arc<Vec<Redacted>>,
    has_messages: bool,
    ids: Arc<OnceLock<Ids>>,
    dialogue: Option<Arc<Dialogue>>,
    said: Saying,
}

impl Frame {
    /// Returns the number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.contents.len()
    }

    /// Says whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.contents.is_empty()
    }

    /// Says whether a row is a chat message.
    #[must_use]
    pub fn has_messages(&self) -> bool {
        self.has_messages
    }

    /// Returns the content of a row.
    ///
    /// # Panics
    ///
    /// As every access by row: where there is no such row.
    #[must_use]
    pub fn content(&self, row: usize) -> &Arc<Content> {
        &self.contents[row]
    }

    /// Returns a copy of the item in a row, which shares its content.
    #[must_use]
    pub fn item(&self, row: usize) -> Item {
        Item {
            content: Arc::clone(&self.contents[row]),
            id: sparse(self.given_ids.as_ref(), row).cloned(),
            section: sparse(self.sections.as_ref(), row).cloned(),
            group: sparse(self.groups.as_ref(), row).cloned(),
            extra: sparse(self.extras.as_ref(), row).cloned(),
            score: self.scores[row],
            priority: self.priorities[row],
            role: self.roles[row],
            retention: self.retentions[row],
            trust: self.trusts[row],
            sensitivity: self.sensitivities[row],
            pinned: self.pins[row],
        }
    }

    /// Returns the retention that counts: a pinned row is required, whatever its own says.
    #[must_use]
    pub fn retention(&self, row: usize) -> Retention {
        if self.pins[row] {
            Retention::Required
        } else {
            self.retentions[row]
        }
    }

    /// Returns the section of a row.
    #[must_use]
    pub fn section(&self, row: usize) -> Option<&Arc<str>> {
        sparse(self.sections.as_ref(), row)
    }

    /// Returns the group of a row.
    #[must_use]
    pub fn group(&self, row: usize) -> Option<&Arc<str>> {
        sparse(self.groups.as_ref(), row)
    }

    /// Returns what few items have, of a row.
    #[must_use]
    pub fn extra(&self, row: usize) -> Option<&Extra> {
        sparse(self.extras.as_ref(), row).map(|extra| &**extra)
    }

    /// Says whether some row expires, so that packing needs a time.
    #[must_use]
    pub fn expires(&self) -> bool {
        let expires = |extra: &Option<Arc<Extra>>| {
            extra
                .as_ref()
                .is_some_and(|extra| extra.expires_at.is_some())
        };
        self.extras
            .as_ref()
            .is_some_and(|extras| extras.iter().any(expires))
    }

    /// Returns the demotions and promotions that rows of this frame went through.
    #[must_use]
    pub fn demotions(&self) -> &[Demotion] {
        &self.demotions
    }

    /// Returns what was merged into rows of this frame.
    #[must_use]
    pub fn merges(&self) -> &[Merge] {
        &self.merges
    }

    /// Returns the contents and alternatives of rows of this frame that were redacted, by row.
    #[must_use]
    pub fn redacted(&self) -> &[Redacted] {
        &self.redacted
    }

    /// Returns the frame with the demotions, merges and redactions that its rows went through
    /// elsewhere.
    #[must_use]
    pub fn with_history(
        self,
        mut demotions: Vec<Demotion>,
        merges: Vec<Merge>,
        mut redacted: Vec<Redacted>,
    ) -> Self {
        demotions.retain(|change| change.row < self.len());
        redacted.retain(|change| {
            let place = change.alternative;
            change.row < self.len() && place.is_none_or(|at| self.has_alternative(change.row, at))
        });
        redacted.sort_unstable();
        redacted.dedup();
        Self {
            demotions: Arc::new(demotions),
            merges: Arc::new(merges),
            redacted: Arc::new(redacted),
            ..self
        }
    }

    fn has_alternative(&self, row: usize, place: usize) -> bool {
        self.extra(row)
            .is_some_and(|extra| place < extra.alternatives.len())
    }

    /// Returns the frame with other contents in some places: of rows, and of their alternatives.
    ///
    /// Ids stay as they are, also those that are made from contents.
    pub(crate) fn with_contents(
        &self,
        changes: impl IntoIterator<Item = (usize, Option<usize>, Arc<Content>)>,
    ) -> Self {
        // Made now, they are shared; made later, they would be those of the new contents.
        if !self.is_empty() {
            let _ = self.row_of("");
        }
        let mut frame = self.clone();
        let contents = Arc::make_mut(&mut frame.contents);
        for (row, place, content) in changes {
            match place {
                None => contents[row] = content,
                Some(place) => {
                    let extras = frame.extras.as_mut().map(Arc::make_mut);
                    let extra = extras.and_then(|extras| extras[row].as_mut());
                    if let Some(extra) = extra {
                        Arc::make_mut(extra).alternatives[place].content = content;
                    }
                }
            }
        }
        frame
    }

    /// Returns the frame without some alternatives, each named by its row and its place.
    pub(crate) fn without_alternatives(&self, is_out: impl Fn(usize, usize) -> bool) -> Self {
        let mut frame = self.clone();
        let Some(extras) = frame.extras.as_mut().map(Arc::make_mut) else {
            return frame;
        };
        for (row, extra) in extras.iter_mut().enumerate() {
            let Some(extra) = extra else { continue };
            if (0..extra.alternatives.len()).any(|place| is_out(row, place)) {
                let mut places = 0..;
                let alternatives = &mut Arc::make_mut(extra).alternatives;
                alternatives.retain(|_| !places.next().is_some_and(|place| is_out(row, place)));
            }
        }
        frame
    }

    /// Says whether two frames have equal rows.
    #[must_use]
    pub fn same(&self, other: &Self) -> bool {
        self.len() == other.len()
            && (0..self.len()).all(|row| self.item(row).same(&other.item(row)))
    }
}

/// Returns the value of a sparse column in a row.
pub(crate) fn sparse<T>(column: Option<&Column<Option<T>>>, row: usize) -> Option<&T> {
    column.and_then(|column| column[row].as_ref())
}

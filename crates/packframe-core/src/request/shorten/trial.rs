//! A plan tried with some edits.

use std::collections::BTreeSet;

use super::applied::{Kept, REASON, applied};
use super::edit::{Edit, Scale};
use crate::error::{Error, ErrorKind};
use crate::pack::{PackOptions, Redaction};
use crate::request::laid::Laid;
use crate::request::parts::Request;
use crate::request::settle::{Settled, settle};

/// Whether some edits are enough.
pub(super) struct Trial<'a> {
    pub(super) request: &'a Request,
    /// With no edit.
    pub(super) base: &'a Laid,
    pub(super) options: &'a PackOptions,
    pub(super) scale: Scale<'a>,
    pub(super) redactions: &'a [Redaction],
    /// With every edit.
    pub(super) shortest: &'a Settled,
    /// The rows that are in then.
    pub(super) rows: BTreeSet<usize>,
    /// Says whether a message stays with every edit, or would without its own.
    pub(super) is_kept: &'a dyn Fn(usize) -> bool,
}

impl Trial<'_> {
    /// Packs with some edits: nothing where that does not fit, or where something else is in.
    ///
    /// # Errors
    ///
    /// What is no want of room, and no refusal.
    pub(super) fn of(&self, edits: &[Edit]) -> Result<Option<Settled>, Error> {
        let mut from = self.base.clone();
        // What had to come first, and what could not, is as it was.
        from.planned
            .leading
            .clone_from(&self.shortest.laid.planned.leading);
        let required = self.shortest.laid.required_rows();
        from.require(&required);
        let kept = Kept {
            edits,
            rows: Some(self.is_kept),
            redactions: self.redactions,
        };
        let laid = applied(self.request, &from, &kept);
        match settle(self.request, laid, self.options) {
            Ok(settled) => Ok(self.is_same(&settled).then_some(settled)),
            Err(unsettled) if is_refused(&unsettled.error) => Ok(None),
            Err(unsettled) => Err(unsettled.error),
        }
    }

    /// Says whether the same is in as with every edit, but for thinking that had not to go.
    fn is_same(&self, settled: &Settled) -> bool {
        let gone = |laid: &Laid| -> BTreeSet<usize> {
            let out = laid.planned.out.iter();
            let thought = out.filter(|(_, reason)| *reason == REASON);
            thought.map(|(row, _)| *row).collect()
        };
        let (all, now) = (gone(&self.shortest.laid), gone(&settled.laid));
        let mut expected = self.rows.clone();
        expected.extend(all.difference(&now).filter(|row| (self.is_kept)(**row)));
        let rows: BTreeSet<usize> = settled.pack.rows().iter().copied().collect();
        let talk = &self.base.talk;
        let mut others = expected.iter().filter(|row| !talk.contains(row));
        rows == expected
            && others.all(|&row| {
                let before = self.shortest.pack.content(row);
                before.same(settled.pack.content(row))
            })
    }
}

/// Says whether something does not fit, or may not be in.
fn is_refused(error: &Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::BudgetExceeded(_)
            | ErrorKind::FloorsExceedBudget { .. }
            | ErrorKind::SectionOverflow { .. }
            | ErrorKind::PolicyViolation { .. }
            | ErrorKind::InvalidMessages { .. }
    )
}

//! Who says whether there is room.

use super::field::Field;
use crate::error::Error;
use crate::pack::form::Form;
use crate::pack::standing::{Standing, Weight};

/// Says whether there is room, and is told what was taken.
pub(crate) trait Judge {
    /// Says whether the pack may grow by these groups, of which the first has a form.
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the tokenizer fails.
    fn holds(
        &mut self,
        field: &Field<'_>,
        standing: &Standing,
        bundle: &[u32],
        form: Option<&Form>,
        weight: Weight,
    ) -> Result<bool, Error>;

    /// Says whether a group that is in may have another form; `None` is the whole.
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the tokenizer fails.
    fn holds_instead(
        &mut self,
        field: &Field<'_>,
        standing: &Standing,
        group: usize,
        form: Option<&Form>,
        weight: Weight,
    ) -> Result<bool, Error>;

    /// Says whether a group brings so much along that there is no room for it. Cheap: it may say
    /// no where there is none either.
    fn is_hopeless(&mut self, field: &Field<'_>, standing: &Standing, group: usize) -> bool;

    /// Returns the tokens that are still free, as far as the judge sees.
    fn left(&self, field: &Field<'_>, standing: &Standing) -> i64;

    /// Is told what came in.
    fn took(&mut self, field: &Field<'_>, standing: &Standing, bundle: &[u32], form: Option<&Form>);

    /// Is told that a group has another form.
    fn reformed(&mut self, field: &Field<'_>, group: usize, form: Option<&Form>);
}

/// Judges by the sum of parts, with what is held for sections.
pub(crate) struct BySum;

impl Judge for BySum {
    fn holds(
        &mut self,
        field: &Field<'_>,
        _: &Standing,
        _: &[u32],
        _: Option<&Form>,
        weight: Weight,
    ) -> Result<bool, Error> {
        Ok(field.room.holds_sum(weight.total + weight.held))
    }

    fn holds_instead(
        &mut self,
        field: &Field<'_>,
        _: &Standing,
        _: usize,
        _: Option<&Form>,
        weight: Weight,
    ) -> Result<bool, Error> {
        Ok(field.room.holds_sum(weight.total + weight.held))
    }

    fn is_hopeless(&mut self, field: &Field<'_>, standing: &Standing, group: usize) -> bool {
        field
            .least_tokens(standing, group)
            .is_some_and(|least| !field.room.holds_sum(standing.total(field.division) + least))
    }

    fn left(&self, field: &Field<'_>, standing: &Standing) -> i64 {
        field.room.available.map_or(i64::MAX, |available| {
            available - standing.total(field.division) - standing.held(field.division)
        })
    }

    fn took(&mut self, _: &Field<'_>, _: &Standing, _: &[u32], _: Option<&Form>) {}

    fn reformed(&mut self, _: &Field<'_>, _: usize, _: Option<&Form>) {}
}

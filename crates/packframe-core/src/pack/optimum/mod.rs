//! Selection as one problem: the choice of groups and forms that is worth most.

mod plan;
mod round;
mod runs;
mod worth;

pub(crate) use worth::UNITS;

use super::options::{PackOptions, Selection, signed};
use super::select::{BySum, Field, Pass, Scan};
use super::slots::Slots;
use super::standing::Standing;
use super::verify::count;
use crate::error::Error;
use crate::frame::Frame;
use crate::optimal::DEFAULT_EFFORT;
use crate::word::Retention;
use round::Round;
use worth::{gap, value_of};

/// How often a problem is solved again with less room, because the rendering was over.
const MOST_ROUNDS: usize = 8;

/// What is known of an optimal selection, as the manifest tells it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Optimum {
    /// Value of what was selected, in units: preferred and optional.
    pub(crate) value: (u64, u64),
    /// What no selection is over.
    pub(crate) upper: (u64, u64),
    /// What the search may have missed, as a part of its bound: before the rendering was counted.
    pub(crate) gap: f64,
    pub(crate) is_proved: bool,
    /// Nodes that were searched.
    pub(crate) effort: u64,
}

/// Reads the value of each row.
///
/// # Errors
///
/// `InvalidItem` for a value that is not finite or below 0, `InvalidOption` where there are not as
/// many as rows.
pub(crate) fn check_values(frame: &Frame, selection: &Selection) -> Result<(), Error> {
    let Selection::Optimal { values, .. } = selection else {
        return Ok(());
    };
    let (field, values) = match values {
        Some(values) => ("value", &**values),
        None => ("score", &frame.scores[..]),
    };
    if values.len() != frame.len() {
        return Err(Error::invalid_option(
            "value",
            format!("a list of {}", values.len()),
            "has not one value for each row",
            Some(&format!("a list of {}", frame.len())),
        ));
    }
    match values
        .iter()
        .position(|value| !value.is_finite() || *value < 0.0)
    {
        None => Ok(()),
        Some(row) => Err(Error::invalid_item(
            field,
            values[row].to_string(),
            "is no value of an optimal selection",
            Some("a finite number from 0"),
        )
        .at_row(row)),
    }
}

/// Selects what is worth most, counts the rendering, and selects again with less room while that is
/// over.
///
/// # Errors
///
/// `TokenizerError` where the tokenizer fails.
pub(crate) fn select<'a>(
    scan: &mut Scan<'_, 'a>,
    slots: &'a Slots,
    options: &'a PackOptions,
    effort: Option<u64>,
    values: &[f64],
) -> Result<Optimum, Error> {
    let field = scan.field;
    let effort = effort.unwrap_or(DEFAULT_EFFORT);
    let start = scan.standing.clone();
    let mut shrink = 0;
    let mut used = 0;
    let mut found = None;
    let mut is_proved = false;
    for _ in 0..=MOST_ROUNDS {
        let call = Round {
            field,
            start: &start,
            values,
            shrink,
            effort,
        };
        let Some(held) = call.solve(None)? else {
            break;
        };
        used += held.effort;
        is_proved = held.answer.is_proved;
        found = Some(held.answer.upper);
        scan.standing = held.standing;
        if scan.standing.held(field.division) > 0 {
            // No section could use what is still held for it: the others may.
            if let Some(released) = call.solve(Some(&held.answer.picks))? {
                used += released.effort;
                is_proved &= released.answer.is_proved;
                scan.standing = released.standing;
            }
        }
        let Some(available) = field.room.available else {
            break;
        };
        let Some(total) = count(field, slots, &scan.standing, options)? else {
            break;
        };
        let over = signed(total) - available;
        if over <= 0 {
            break;
        }
        shrink += over;
    }
    scan.standing.release();
    // A run may be passed by what something else requires, which no bond of the problem says: what
    // fits that way comes in behind, and then nothing is proved.
    let before = scan.standing.sequence.len();
    fill(scan)?;
    is_proved &= scan.standing.sequence.len() == before;
    scan.runs.settle(field, &scan.standing)?;
    let upper = found.unwrap_or((0, 0));
    Ok(Optimum {
        value: (0, 0),
        upper,
        gap: gap(value_of(field, &scan.standing, values), upper),
        is_proved,
        effort: used,
    })
}

/// Takes what still fits, so that nothing is left out for a search that was not ended.
fn fill(scan: &mut Scan<'_, '_>) -> Result<(), Error> {
    loop {
        let mut any = false;
        for retention in [Retention::Preferred, Retention::Optional] {
            let pass = Pass {
                retention,
                to_floor: false,
                cuts: false,
                bound_only: false,
            };
            any |= scan.pass(pass, &mut BySum)?;
        }
        if !any {
            return Ok(());
        }
    }
}

impl Optimum {
    /// Says what the selection is worth, after the rendering was made to fit.
    pub(crate) fn settled(
        mut self,
        field: &Field<'_>,
        standing: &Standing,
        values: &[f64],
    ) -> Self {
        let value = value_of(field, standing, values);
        self.value = value;
        self.gap = self.gap.max(gap(value, self.upper));
        if value > self.upper {
            self.upper = value;
        } else if value < self.upper {
            self.is_proved = false;
        }
        self
    }
}

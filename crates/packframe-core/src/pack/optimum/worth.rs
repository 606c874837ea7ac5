//! What groups are worth, in whole units.

use crate::optimal::{Choice, Gain};
use crate::pack::form::{Form, Kind};
use crate::pack::options::signed;
use crate::pack::select::Field;
use crate::pack::standing::Standing;
use crate::section::DropRule;
use crate::word::Retention;

/// Values are whole numbers of this part.
pub(crate) const UNITS: f64 = 1_048_576.0;

/// The greatest value, in units.
const MOST_UNITS: f64 = 1_152_921_504_606_846_976.0;

/// What a selection is worth, the most important first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Worth {
    /// All-or-nothing sections that have to be there, and are.
    sections: u64,
    /// Value of what is preferred, in units.
    preferred: u64,
    /// Value of what is optional.
    optional: u64,
    /// Groups that were selected.
    groups: u64,
}

impl Worth {
    pub(super) fn of(field: &Field<'_>, standing: &Standing, values: &[f64]) -> Self {
        let mut sum = Self::default();
        for taken in &standing.sequence {
            let group = taken.group as usize;
            if standing.taken[group] {
                let worth = worth(field, values, group, standing.form(group));
                match field.retentions[group] {
                    Retention::Preferred => sum.preferred += worth,
                    _ => sum.optional += worth,
                }
                sum.groups += 1;
            }
        }
        for (section, queue) in field.queues.iter().enumerate() {
            let part = field.division.part(section);
            let is_in = |group: &u32| standing.taken[*group as usize];
            if part.rule == DropRule::AllOrNothing
                && part.required
                && queue.groups.iter().all(is_in)
            {
                sum.sections += 1;
            }
        }
        sum
    }

    /// Returns the value, in units: preferred and optional.
    pub(super) fn value(self) -> (u64, u64) {
        (self.preferred, self.optional)
    }

    /// Returns the value of all, in units.
    pub(super) fn sum(self) -> u64 {
        self.preferred.saturating_add(self.optional)
    }
}

/// Returns what is missing of a bound, as a part of it.
#[expect(clippy::cast_precision_loss, reason = "a part of a sum is a float")]
pub(super) fn gap(value: (u64, u64), upper: (u64, u64)) -> f64 {
    let sum = |value: (u64, u64)| (u128::from(value.0) + u128::from(value.1)) as f64;
    let (value, upper) = (sum(value), sum(upper));
    if upper > value {
        (upper - value) / upper
    } else {
        0.0
    }
}

/// Returns what a group is worth in a form, in units.
fn worth(field: &Field<'_>, values: &[f64], group: usize, form: Option<&Form>) -> u64 {
    let best = field
        .groups
        .rows(group)
        .iter()
        .map(|&row| values[row as usize])
        .fold(0.0, f64::max);
    let share = match form.map(|form| &form.kind) {
        Some(Kind::Alternative(place)) => {
            let row = field.groups.rows(group)[0] as usize;
            let extra = field.frame.extra(row);
            extra
                .and_then(|extra| extra.alternatives.get(*place))
                .map_or(0.0, |alternative| alternative.value)
        }
        _ => 1.0,
    };
    units(best * share)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is from 0 and far below 2^63"
)]
fn units(value: f64) -> u64 {
    (value * UNITS).round().clamp(0.0, MOST_UNITS) as u64
}

/// Returns what a group costs and gains in a form.
pub(super) fn choice(
    field: &Field<'_>,
    values: &[f64],
    group: usize,
    form: Option<&Form>,
) -> Choice {
    let part = field.division.part(field.division.section(group));
    let tokens = form.map_or_else(|| field.costs.group(field.groups, group), |form| form.total);
    let parts = field.groups.rows(group).len() as u64;
    let value = worth(field, values, group, form);
    let is_preferred = field.retentions[group] == Retention::Preferred;
    Choice {
        tokens: signed(tokens) + signed(part.separator) * signed(parts),
        gain: Gain {
            sections: 0,
            preferred: if is_preferred { value } else { 0 },
            optional: if is_preferred { 0 } else { value },
            groups: 1,
        },
    }
}

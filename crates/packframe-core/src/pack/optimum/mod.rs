//! Selection as one problem: the choice of groups and forms that is worth most.

mod diversity;
mod plan;
mod recounts;
mod round;
mod runs;
mod worth;

pub(crate) use worth::UNITS;

use super::admit::Refusals;
use super::options::{PackOptions, Selection, Values, signed};
use super::select::{BySum, Field, Pass, Scan};
use super::slots::Slots;
use super::standing::Standing;
use super::verify::{Verified, count_joins, is_sum, recount, verify};
use crate::error::Error;
use crate::frame::Frame;
use crate::optimal::DEFAULT_EFFORT;
use crate::policy::Valuer;
use crate::word::Retention;
use diversity::discounted;
use recounts::Recounts;
use round::{Round, Solved};
use worth::{Worth, gap};

/// How often a problem is solved again with less room, because the rendering was over.
const MOST_ROUNDS: usize = 8;

/// What is known of an optimal selection, as the manifest tells it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
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
    /// What repeating takes off the value of a row that is equal to another.
    pub(crate) diversity: Option<f64>,
    /// What repeating took off the value of what was selected, in units.
    pub(crate) discount: u64,
}

/// Reads the value of each row.
///
/// # Errors
///
/// `InvalidItem` for a value that is not finite or below 0, `InvalidOption` where there are not as
/// many as rows, and for a diversity that is no share.
pub(crate) fn check_values(frame: &Frame, selection: &Selection) -> Result<(), Error> {
    let Selection::Optimal {
        values, diversity, ..
    } = selection
    else {
        return Ok(());
    };
    if let Some(share) = diversity
        && !(0.0..=1.0).contains(share)
    {
        let remedy = Some("a share from 0 to 1");
        let problem = "is no share";
        return Err(Error::invalid_option(
            "diversity",
            share.to_string(),
            problem,
            remedy,
        ));
    }
    let (field, values) = match values {
        Values::Given(values) => ("value", &**values),
        Values::Scores => ("score", &frame.scores[..]),
        Values::Asked(_) => return Ok(()),
    };
    if values.len() != frame.len() {
        return Err(Error::invalid_option(
            "value",
            format!("a list of {}", values.len()),
            "has not one value for each row",
            Some(&format!("a list of {}", frame.len())),
        ));
    }
    values
        .iter()
        .enumerate()
        .try_for_each(|(row, &value)| check_value(field, row, value))
}

fn check_value(field: &str, row: usize, value: f64) -> Result<(), Error> {
    if value.is_finite() && value >= 0.0 {
        return Ok(());
    }
    Err(Error::invalid_item(
        field,
        value.to_string(),
        "is no value of an optimal selection",
        Some("a finite number from 0"),
    )
    .at_row(row))
}

/// Asks code of the caller's what the admitted rows are worth; others are worth nothing. It sees
/// them as they were admitted: without secrets, and without alternatives that were refused.
///
/// # Errors
///
/// `StrategyError` where it fails, `InvalidItem` for a value that is not finite or below 0.
pub(crate) fn ask(
    asked: &dyn Valuer,
    frame: &Frame,
    refusals: &Refusals,
) -> Result<Vec<f64>, Error> {
    let shown = refusals.shown(frame);
    let rows: Vec<usize> = (0..frame.len())
        .filter(|&row| refusals.of(row).is_none())
        .collect();
    let said = asked.values(shown.as_ref().unwrap_or(frame), &rows)?;
    if said.len() != rows.len() {
        let message = format!("it gave {} values for {} items", said.len(), rows.len());
        return Err(Error::strategy("value", None, message, None));
    }
    let mut values = vec![0.0; frame.len()];
    for (row, value) in rows.into_iter().zip(said) {
        check_value("value", row, value)?;
        values[row] = value;
    }
    Ok(values)
}

/// What an optimal selection is made from.
pub(crate) struct Call<'v, 'f, 'a> {
    pub(crate) field: &'f Field<'a>,
    /// What is in before, with what is held.
    pub(crate) start: &'v Standing,
    pub(crate) slots: &'a Slots,
    pub(crate) options: &'a PackOptions,
    /// The value of each row.
    pub(crate) values: &'v [f64],
    pub(crate) effort: Option<u64>,
    pub(crate) diversity: Option<f64>,
}

/// A selection whose rendering was made to fit.
pub(crate) struct Best<'f, 'a> {
    pub(crate) scan: Scan<'f, 'a>,
    pub(crate) verified: Verified,
    pub(crate) optimum: Optimum,
}

/// A selection whose rendering may be over.
struct Selected<'f, 'a> {
    scan: Scan<'f, 'a>,
    optimum: Optimum,
    /// Tokens of its rendering, where the whole was counted.
    known: Option<u64>,
    recounts: Recounts,
}

impl<'f, 'a> Call<'_, 'f, 'a> {
    /// Selects what is worth most, and makes the rendering fit.
    ///
    /// The problem knows the sum of parts alone. Where joining saves tokens, a greedy selection,
    /// which is offered what the rendering leaves, may come to more: the better of the two is kept.
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the tokenizer fails.
    pub(crate) fn best(&self) -> Result<Best<'f, 'a>, Error> {
        let Some(diversity) = self.diversity.filter(|&diversity| diversity > 0.0) else {
            return self.best_of_values();
        };
        let discounted = discounted(self.field, self.values, diversity);
        let call = Call {
            values: &discounted,
            ..*self
        };
        let mut best = call.best_of_values()?;
        let full = Worth::of(self.field, &best.scan.standing, self.values).sum();
        let own = Worth::of(self.field, &best.scan.standing, &discounted).sum();
        best.optimum.diversity = Some(diversity);
        best.optimum.discount = full.saturating_sub(own);
        Ok(best)
    }

    fn best_of_values(&self) -> Result<Best<'f, 'a>, Error> {
        let Selected {
            mut scan,
            mut optimum,
            known,
            mut recounts,
        } = self.select()?;
        if let Some(total) = known {
            recounts.verify(self.field.room.holds(total), scan.standing.sequence.len());
        }
        let mut verified = verify(&mut scan, self.slots, self.options, known)?;
        let mut worth = Worth::of(self.field, &scan.standing, self.values);
        if !self.is_settled(&optimum)
            && let Some((other, fitted)) = self.greedy(known.map(|_| recounts))?
        {
            let other_worth = Worth::of(self.field, &other.standing, self.values);
            if !fitted.over && (verified.over || other_worth > worth) {
                // What is more than the room was there for is for joins; else the search missed it.
                let total = other.standing.total(self.field.division);
                optimum.is_proved &= !self.field.room.holds_sum(total);
                (scan, verified, worth) = (other, fitted, other_worth);
            }
        }
        Ok(Best {
            scan,
            verified,
            optimum: optimum.settled(worth.value()),
        })
    }

    /// Says whether no greedy selection can be worth more: what was proved is all that there is.
    fn is_settled(&self, optimum: &Optimum) -> bool {
        let field = self.field;
        let is_exact = is_sum(self.options) || field.room.available.is_none();
        is_exact && optimum.is_proved && field.bonds.none() && self.start.held(field.division) == 0
    }

    /// Selects greedily, cutting nothing, and makes the rendering fit; `None` where too few recounts
    /// are left for that.
    fn greedy(
        &self,
        recounts: Option<Recounts>,
    ) -> Result<Option<(Scan<'f, 'a>, Verified)>, Error> {
        let field = self.field;
        let mut scan = Scan::uncut(field, self.start.clone());
        scan.select()?;
        let mut known = None;
        if let Some(mut recounts) = recounts {
            // One for the whole, and one for what is offered the rest.
            if recounts.left() < 2 {
                return Ok(None);
            }
            recounts = recounts.fewer();
            let total = recount(field, self.slots, &scan.standing, self.options)?;
            if !field.room.holds(total) && !recounts.allows(scan.standing.sequence.len()) {
                return Ok(None);
            }
            known = Some(total);
        }
        let verified = verify(&mut scan, self.slots, self.options, known)?;
        Ok(Some((scan, verified)))
    }

    /// Selects what is worth most, counts the rendering, and selects again with less room while that
    /// is over, as long as there are rounds and recounts left.
    fn select(&self) -> Result<Selected<'f, 'a>, Error> {
        let field = self.field;
        let mut selected = Selected {
            scan: Scan::new(field, self.start.clone()),
            optimum: Optimum::default(),
            known: None,
            recounts: Recounts::of(field.frame.len()),
        };
        let mut shrink = 0;
        for _ in 0..=MOST_ROUNDS {
            // Each round recounts once.
            let after = selected.recounts.fewer();
            let is_opaque = selected.known.is_some();
            if is_opaque && !after.allows(1) {
                break;
            }
            let Some((held, is_proved)) = self.solve(shrink, &mut selected.optimum.effort)? else {
                break;
            };
            if is_opaque && !after.allows(held.standing.sequence.len()) {
                break;
            }
            let mut scan = Scan::new(field, held.standing);
            scan.standing.release();
            let mut is_all = true;
            if shrink == 0 {
                // A run may be passed by what something else requires, which no bond of the problem
                // says: what fits that way comes in behind, and then nothing is proved.
                let before = scan.standing.sequence.len();
                fill(&mut scan)?;
                is_all = scan.standing.sequence.len() == before;
            }
            selected.scan = scan;
            selected.optimum.is_proved = is_proved && is_all;
            selected.optimum.upper = held.answer.upper;
            let Some(available) = field.room.available else {
                break;
            };
            if is_sum(self.options) {
                break;
            }
            let standing = &selected.scan.standing;
            let joined = count_joins(field, self.slots, standing, self.options);
            let total = if let Some(total) = joined {
                total
            } else {
                let total = recount(field, self.slots, standing, self.options)?;
                selected.recounts = after;
                selected.known = Some(total);
                total
            };
            let over = signed(total) - available;
            if over <= 0 {
                break;
            }
            shrink += over;
        }
        let Selected { scan, optimum, .. } = &mut selected;
        scan.standing.release();
        scan.runs.settle(field, &scan.standing)?;
        let value = Worth::of(field, &scan.standing, self.values).value();
        optimum.gap = gap(value, optimum.upper);
        Ok(selected)
    }

    /// Solves the problem with less room: with what is held for sections, and then, where some is
    /// still held, again without. Says whether nothing is better.
    fn solve(&self, shrink: i64, effort: &mut u64) -> Result<Option<(Solved, bool)>, Error> {
        let round = Round {
            field: self.field,
            start: self.start,
            values: self.values,
            shrink,
            effort: self.effort.unwrap_or(DEFAULT_EFFORT),
        };
        let Some(mut held) = round.solve(None)? else {
            return Ok(None);
        };
        *effort += held.effort;
        let mut is_proved = held.answer.is_proved;
        if held.standing.held(self.field.division) > 0 {
            // No section could use what is still held for it: the others may.
            if let Some(released) = round.solve(Some(&held.answer.picks))? {
                *effort += released.effort;
                is_proved &= released.answer.is_proved;
                held.standing = released.standing;
            }
        }
        Ok(Some((held, is_proved)))
    }
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
    fn settled(mut self, value: (u64, u64)) -> Self {
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

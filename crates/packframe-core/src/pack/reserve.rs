//! Room for what must be in the pack, before anything else.

use std::borrow::Cow;

use super::admit::Refusals;
use super::cost::{Costs, content_accuracy};
use super::groups::Groups;
use super::options::{Overflow, PackOptions, Room};
use crate::error::{Error, ItemCost};
use crate::frame::Frame;
use crate::word::Retention;

/// The required groups, and the frame as the overflow strategies left it.
#[derive(Debug)]
pub(crate) struct Reserved<'a> {
    pub(crate) frame: Cow<'a, Frame>,
    /// The required groups, in order.
    pub(crate) groups: Vec<usize>,
    /// What their rows cost, without separators.
    pub(crate) tokens: u64,
    pub(crate) parts: usize,
    /// What each strategy that was tried could save.
    pub(crate) strategies: Vec<(String, u64)>,
    /// Tokens of their rendering, if it was counted: where the sum of parts is over.
    pub(crate) counted: Option<u64>,
    /// Whether they are within what is available: as a sum of parts, or as they are rendered.
    pub(crate) fits: bool,
}

/// Counts the rendering of some groups; `None` where it is the sum of parts.
pub(crate) type Count<'a> = &'a dyn Fn(&[usize]) -> Result<Option<u64>, Error>;

/// Reserves room for the required groups; where they do not fit, tries the overflow strategies.
///
/// Joining may save what the sum of parts is over, so that is not the last word.
///
/// # Errors
///
/// `StrategyError` and `TokenizerError` where a callable of the caller's fails.
pub(crate) fn reserve<'a>(
    frame: &'a Frame,
    groups: &Groups,
    refusals: &Refusals,
    costs: &Costs,
    overflow: &[Overflow],
    room: Room,
    count: Count<'_>,
) -> Result<Reserved<'a>, Error> {
    let mut reserved = required(Cow::Borrowed(frame), groups, refusals, costs, room, count)?;
    for strategy in overflow {
        if reserved.fits {
            break;
        }
        let Overflow::Demote { predicate, to } = strategy else {
            continue;
        };
        let mask = predicate.mask(&reserved.frame)?;
        if mask.len() != frame.len() {
            let message = format!("it chose among {} rows of {}", mask.len(), frame.len());
            return Err(Error::strategy("where", None, message, None));
        }
        let chosen: Vec<bool> = mask
            .iter()
            .enumerate()
            .map(|(row, chosen)| {
                *chosen
                    && reserved.frame.retention(row) == Retention::Required
                    && refusals.of(row).is_none()
            })
            .collect();
        let before = costs.sum(reserved.tokens, reserved.parts);
        let strategies = std::mem::take(&mut reserved.strategies);
        let demoted = reserved.frame.demote(&chosen, *to, "overflow");
        reserved = required(Cow::Owned(demoted), groups, refusals, costs, room, count)?;
        let saved = before - costs.sum(reserved.tokens, reserved.parts);
        reserved.strategies = strategies;
        reserved.strategies.push(("demote".to_owned(), saved));
    }
    Ok(reserved)
}

fn required<'a>(
    frame: Cow<'a, Frame>,
    groups: &Groups,
    refusals: &Refusals,
    costs: &Costs,
    room: Room,
    count: Count<'_>,
) -> Result<Reserved<'a>, Error> {
    let chosen: Vec<usize> = (0..groups.len())
        .filter(|&group| {
            groups.retention(&frame, group) == Retention::Required && !refusals.group(groups, group)
        })
        .collect();
    let tokens = chosen.iter().map(|&group| costs.group(groups, group)).sum();
    let parts = chosen.iter().map(|&group| groups.rows(group).len()).sum();
    let fits = room.holds(costs.sum(tokens, parts));
    let counted = if fits { None } else { count(&chosen)? };
    Ok(Reserved {
        fits: fits || counted.is_some_and(|counted| room.holds(counted)),
        counted,
        frame,
        groups: chosen,
        tokens,
        parts,
        strategies: Vec::new(),
    })
}

impl Reserved<'_> {
    /// Returns what each required row costs, and the row at which the room runs out.
    pub(crate) fn item_costs(
        &self,
        groups: &Groups,
        costs: &Costs,
        options: &PackOptions,
        room: Room,
    ) -> (Vec<ItemCost>, Option<usize>) {
        let profile = &options.profile;
        let mut items = Vec::with_capacity(self.parts);
        let mut exceeded_at = None;
        let mut tokens = 0;
        for &row in self.groups.iter().flat_map(|&group| groups.rows(group)) {
            let row = row as usize;
            tokens += costs.total(row);
            let cumulative = costs.sum(tokens, items.len() + 1);
            if exceeded_at.is_none() && !room.holds(cumulative) {
                exceeded_at = Some(row);
            }
            let content = content_accuracy(&self.frame, row, profile, costs.render);
            items.push(ItemCost {
                row,
                id: self.frame.id(row).to_string(),
                tokens: costs.total(row),
                cumulative,
                accuracy: super::ledger::row_accuracy(content, costs.render),
            });
        }
        (items, exceeded_at)
    }
}

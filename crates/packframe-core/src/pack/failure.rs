//! What is said where packing fails.

use std::sync::Arc;

use super::admit::violations;
use super::division::Division;
use super::ledger::{Call, Found, Ledger, Progress};
use super::options::{Room, signed};
use super::reserve::{Needs, Reserved};
use super::select::Field;
use super::standing::{Standing, section_tokens};
use crate::error::{BudgetExceeded, Error, ErrorKind};
use crate::frame::Frame;
use crate::manifest::Manifest;
use crate::section::DropRule;

/// Why what must be in the pack is not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Failure {
    /// It is over what is available; the tokens of its rendering, if that was counted.
    Budget(Option<u64>),
    /// Base, required groups and what is held are over what is available.
    Floors { required: u64 },
    /// A section is over its cap, or an all-or-nothing section does not fit.
    Section {
        section: String,
        needed: u64,
        allocated: u64,
        capped: bool,
    },
}

/// Describes a section that needs more than there is left for it beside the others.
pub(crate) fn overflow_of(division: &Division, section: usize, needed: i64, left: u64) -> Failure {
    let cap = division.part(section).cap.filter(|&cap| cap <= left);
    let name = division.part(section).name.as_ref();
    Failure::Section {
        section: name.map_or_else(String::new, ToString::to_string),
        needed: u64::try_from(needed).unwrap_or(0),
        allocated: cap.unwrap_or(left),
        capped: cap.is_some(),
    }
}

/// Finds an all-or-nothing section that has to be there and is not, though nothing bars it.
pub(crate) fn missing_section(field: &Field<'_>, standing: &Standing) -> Option<Failure> {
    let division = field.division;
    for &section in &division.order {
        let part = division.part(section);
        if part.rule != DropRule::AllOrNothing || !part.required {
            continue;
        }
        let queue = &field.queues[section].groups;
        let out: Vec<u32> = queue
            .iter()
            .copied()
            .filter(|&group| !standing.taken[group as usize])
            .collect();
        let was_shed = out.iter().any(|&group| standing.barred[group as usize]);
        let bundle = match field.bundle_of(standing, &out) {
            Ok(bundle) if !bundle.groups().is_empty() => bundle.groups().to_vec(),
            Err(_) if was_shed => out,
            _ => continue,
        };
        let changes = field.changes(&bundle, None);
        let with = standing.weigh(division, &changes).total;
        let own = changes.iter().find(|change| change.section == section)?;
        let mut tally = standing.tally(section);
        tally.tokens += own.tokens;
        tally.parts += own.parts;
        let needed = section_tokens(division, section, tally);
        let left = field
            .room
            .available
            .map_or(i64::MAX, |available| (available - (with - needed)).max(0));
        let left = u64::try_from(left).unwrap_or(0);
        return Some(overflow_of(division, section, needed, left));
    }
    None
}

/// Describes required items that the boundary or a policy refuses.
pub(crate) fn refused(call: &Call, frame: &Arc<Frame>, found: Found, rows: &[usize]) -> Error {
    let violations = violations(frame, &found.refusals, rows);
    let boundary = call.options.boundary.to_string();
    let progress = Progress::Partial {
        charged: Vec::new(),
    };
    let ledger = Ledger::new(call, Arc::clone(frame), found, None, progress);
    let partial_manifest = Box::new(Manifest::of(Arc::new(ledger)));
    Error::new(ErrorKind::PolicyViolation {
        violations,
        boundary,
        partial_manifest,
    })
}

/// What required items took before packing failed.
pub(crate) struct Spent {
    item_costs: Vec<crate::error::ItemCost>,
    exceeded_at: Option<usize>,
    pub(crate) charged: Vec<usize>,
    sum: u64,
    strategies: Vec<(String, u64)>,
}

impl Spent {
    pub(crate) fn of(needs: &Needs<'_>, reserved: &Reserved<'_>, failure: &Failure) -> Self {
        let (item_costs, exceeded_at) = reserved.item_costs(needs);
        let exceeded_at = exceeded_at.filter(|_| matches!(failure, Failure::Budget(_)));
        let mut charged: Vec<usize> = item_costs
            .iter()
            .map(|cost| cost.row)
            .take_while(|row| Some(*row) != exceeded_at)
            .collect();
        charged.sort_unstable();
        let sum = reserved.standing.total(needs.division);
        Self {
            item_costs,
            exceeded_at,
            charged,
            sum: u64::try_from(sum).unwrap_or(0),
            strategies: reserved.strategies.clone(),
        }
    }

    pub(crate) fn error(self, failure: Failure, room: Room, partial_manifest: Manifest) -> Error {
        let available = room.available.unwrap_or(i64::MAX);
        let (needed, counted) = match &failure {
            Failure::Budget(counted) => (counted.unwrap_or(self.sum), *counted),
            Failure::Floors { required } => (*required, None),
            Failure::Section { .. } => (self.sum, None),
        };
        let over = match &failure {
            Failure::Section {
                needed, allocated, ..
            } => signed(*needed) - signed(*allocated),
            _ => signed(needed) - available,
        };
        let overflow_tokens = u64::try_from(over).unwrap_or(0);
        let exceeded = BudgetExceeded {
            budget: room.budget.unwrap_or(0),
            reserve: room.reserve,
            margin: room.margin,
            available: room.available.unwrap_or(0),
            required_tokens: self.sum,
            overflow_tokens,
            raise_by: match &failure {
                Failure::Section { .. } => overflow_tokens,
                _ => room.raise_by(signed(needed), overflow_tokens),
            },
            section: match &failure {
                Failure::Section { section, .. } => Some(section.clone()),
                _ => None,
            },
            item_costs: self.item_costs,
            exceeded_at: self.exceeded_at,
            strategies: self.strategies,
            join_tokens: counted.map(|total| signed(total) - signed(self.sum)),
            partial_manifest,
        };
        Error::new(match failure {
            Failure::Budget(_) => ErrorKind::BudgetExceeded(exceeded),
            Failure::Floors { required } => ErrorKind::FloorsExceedBudget { required, exceeded },
            Failure::Section {
                section,
                needed,
                allocated,
                capped,
            } => ErrorKind::SectionOverflow {
                section,
                needed,
                allocated,
                capped,
                exceeded,
            },
        })
    }
}

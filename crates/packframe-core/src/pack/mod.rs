//! From a frame to a pack: group, admit, cost, reserve, select, lay out, verify.

mod admit;
mod bonds;
mod cost;
mod custom;
mod division;
mod failure;
mod form;
mod groups;
mod joined;
mod ledger;
mod lines;
mod miss;
mod names;
mod optimum;
mod options;
mod packed;
mod reach;
mod rendered;
mod reserve;
mod select;
mod shortened;
mod slot_set;
mod slots;
mod standing;
mod verify;

use std::collections::HashMap;
use std::sync::Arc;

pub(crate) use admit::Redaction;
pub(crate) use cost::{label, message_tokens};
pub(crate) use form::Kind;
pub(crate) use ledger::{Fate, Ledger, row_accuracy};
pub(crate) use optimum::{Optimum, UNITS};
pub(crate) use options::{Expected, signed};
pub use options::{MAX_TOKENS, Margin, Merged, Overflow, PackOptions, Planned, Selection, Values};
pub use packed::Pack;
pub(crate) use shortened::{MessageEdit, Shortened};

use crate::error::Error;
use crate::frame::Frame;
use crate::manifest::Manifest;
use crate::nearest::unknown_option_word;
use crate::section::DropRule;
use crate::strategy::Strategy;
use admit::{admit, support};
use bonds::Bonds;
use cost::Costs;
use custom::Custom;
use division::Division;
use failure::{Failure, Spent, missing_section, overflow_of, refused};
use groups::Groups;
use ledger::{Call, Complete, Found, Progress};
use names::check_names;
use reserve::{Needs, Reserved, reserve};
use select::{Field, Scan};
use slots::Slots;
use standing::Standing;
use verify::verify;

/// Packs a frame.
///
/// O(n log n) in rows, and linear in the text that was not counted before.
///
/// # Errors
///
/// `InvalidOption`, `InvalidItem` and `InvalidMessages` for what cannot be packed at all;
/// `PolicyViolation`, `UnsupportedContent`, `BudgetExceeded`, `FloorsExceedBudget` and
/// `SectionOverflow` for what must be in the pack and cannot be; `PolicyError`, `StrategyError` and
/// `TokenizerError` for callables that fail.
pub fn pack(frame: &Arc<Frame>, mut options: PackOptions) -> Result<Pack, Error> {
    let room = options.room()?;
    let policies = std::mem::take(&mut options.policies);
    let overflow = std::mem::take(&mut options.overflow);
    let strategies = std::mem::take(&mut options.strategies);
    optimum::check_values(frame, &options.selection)?;
    let asked = options.selection.take_valuer();
    let profile = Arc::clone(&options.profile);
    let kept = PackOptions {
        profile: profile.settled(),
        ..options.clone()
    };
    let call = Call {
        options: Arc::new(options),
        kept: Arc::new(kept),
        policies: policies
            .iter()
            .map(|policy| policy.id().to_owned())
            .collect(),
        room,
    };
    let options = &*call.options;
    let groups = Groups::of(frame, options.ties())?;
    let customs = customs(options, &strategies)?;
    let bonds = Bonds::of(frame, &groups);
    let mut retentions = groups.retentions(frame);
    bonds.spread(&mut retentions);
    bonds.check(frame, &groups, &retentions)?;
    let division = Division::of(frame, &groups, options, room)?;
    check_names(frame, options)?;
    let admission = admit(frame, (&groups, &retentions), options, &policies)?;
    let redacted = admission.frame.map(Arc::new);
    let frame = redacted.as_ref().unwrap_or(frame);
    let mut found = Found {
        groups,
        bonds,
        division,
        retentions,
        refusals: admission.refusals,
        redactions: admission.redactions,
    };
    if !admission.violations.is_empty() {
        return Err(refused(&call, frame, found, &admission.violations));
    }
    let renderer = options.render().as_str();
    support(
        frame,
        &found.groups,
        &found.retentions,
        &mut found.refusals,
        renderer,
    )?;
    let values = asked
        .map(|asked| optimum::ask(&*asked, frame, &found.refusals))
        .transpose()?;
    let divided = (&found.groups, &found.division);
    let costs = Costs::of(frame, divided, &found.refusals, options)?;
    found.division.count(options)?;
    let needs = Needs {
        groups: &found.groups,
        bonds: &found.bonds,
        division: &found.division,
        costs: &costs,
        options,
        room,
    };
    let refusals = std::mem::take(&mut found.refusals);
    let retentions = std::mem::take(&mut found.retentions);
    let reserved = reserve(frame, &needs, refusals, retentions, &overflow)?;
    let outcome = decide(&needs, &reserved, customs, values.as_deref())?;
    let packed = reserved.owned(frame);
    let failure = match outcome {
        Outcome::Packed(decided) => {
            found.refusals = reserved.refusals;
            found.retentions = reserved.retentions;
            let progress = Progress::Complete(Box::new(Complete {
                standing: decided.standing,
                runs: decided.runs,
                bare: reserved.standing,
                floors: decided.floors,
                verified: decided.verified,
                optimum: decided.optimum,
            }));
            let ledger = Arc::new(Ledger::new(&call, packed, found, Some(costs), progress));
            let rows = ledger.selected().into();
            return Ok(Pack {
                manifest: Manifest::of(Arc::clone(&ledger)),
                ledger,
                profile,
                rows,
            });
        }
        Outcome::Failed(failure) => failure,
    };
    let spent = Spent::of(&needs, &reserved, &failure);
    let charged = spent.charged.clone();
    found.refusals = reserved.refusals;
    found.retentions = reserved.retentions;
    let progress = Progress::Partial { charged };
    let ledger = Ledger::new(&call, packed, found, Some(costs), progress);
    Err(spent.error(failure, room, Manifest::of(Arc::new(ledger))))
}

/// Finds the strategies that sections name.
///
/// # Errors
///
/// `InvalidOption` for a name that is neither a drop rule's nor a strategy's, with the nearest.
fn customs(
    options: &PackOptions,
    strategies: &[Arc<dyn Strategy>],
) -> Result<HashMap<usize, Custom>, Error> {
    let mut customs = HashMap::new();
    for (at, section) in options.sections.iter().enumerate() {
        let Some(name) = &section.strategy else {
            continue;
        };
        let Some(strategy) = strategies.iter().find(|it| it.name() == &**name) else {
            let known: Vec<&str> = DropRule::ALL
                .iter()
                .map(|rule| rule.as_str())
                .chain(strategies.iter().map(|strategy| strategy.name()))
                .collect();
            return Err(unknown_option_word("drop", name, &known));
        };
        customs.insert(
            at + 1,
            Custom {
                section: section.clone(),
                strategy: Arc::clone(strategy),
            },
        );
    }
    Ok(customs)
}

/// What selection and verification decided.
struct Decided {
    standing: Standing,
    runs: select::Runs,
    floors: Vec<u64>,
    verified: verify::Verified,
    optimum: Option<optimum::Optimum>,
}

enum Outcome {
    Packed(Box<Decided>),
    Failed(Failure),
}

/// Selects, verifies, and finds out what fails.
fn decide(
    needs: &Needs<'_>,
    reserved: &Reserved<'_>,
    customs: HashMap<usize, Custom>,
    asked: Option<&[f64]>,
) -> Result<Outcome, Error> {
    let (division, room) = (needs.division, needs.room);
    for section in 0..division.len() {
        let tokens = reserved.standing.section_tokens(division, section);
        if let Some(cap) = division.part(section).cap
            && tokens > signed(cap)
        {
            return Ok(Outcome::Failed(overflow_of(division, section, tokens, cap)));
        }
    }
    if !reserved.fits {
        return Ok(Outcome::Failed(Failure::Budget(reserved.counted)));
    }
    let refused: Vec<bool> = (0..needs.groups.len())
        .map(|group| reserved.refusals.group(needs.groups, group))
        .collect();
    let mut field = Field::new(
        &reserved.frame,
        needs.groups,
        needs.bonds,
        division,
        needs.costs,
        &needs.options.profile,
        room,
        &reserved.retentions,
        refused,
        reserved.standing.clone(),
    );
    if !customs.is_empty() {
        field.shown = reserved.refusals.shown(&reserved.frame);
        field.customs = customs;
    }
    let mut standing = reserved.standing.clone();
    let floors = field.floors()?;
    standing.hold(division, floors.clone());
    if let Some(planned) = &needs.options.planned {
        for &row in &planned.leading {
            standing.barred[needs.groups.of_row(row)] = true;
        }
    }
    let held = standing.held(division);
    let required = standing.total(division) + held;
    if held > 0 && !room.holds_sum(required) {
        return Ok(Outcome::Failed(Failure::Floors {
            required: u64::try_from(required).unwrap_or(0),
        }));
    }
    let slots = Slots::of(&reserved.frame, needs.groups, division, needs.options);
    let (scan, verified, optimum) = match &needs.options.selection {
        Selection::Usual | Selection::Greedy => {
            let mut scan = Scan::new(&field, standing);
            scan.select()?;
            let verified = verify(&mut scan, &slots, needs.options, None)?;
            (scan, verified, None)
        }
        Selection::Optimal {
            effort,
            values,
            diversity,
        } => {
            let values = match (asked, values) {
                (Some(values), _) => values,
                (None, Values::Given(values)) => values,
                (None, _) => &reserved.frame.scores,
            };
            let call = optimum::Call {
                field: &field,
                start: &standing,
                slots: &slots,
                options: needs.options,
                values,
                effort: *effort,
                diversity: *diversity,
            };
            let best = call.best()?;
            (best.scan, best.verified, Some(best.optimum))
        }
    };
    if verified.over {
        return Ok(Outcome::Failed(Failure::Budget(Some(verified.total))));
    }
    if let Some(failure) = missing_section(&field, &scan.standing) {
        return Ok(Outcome::Failed(failure));
    }
    Ok(Outcome::Packed(Box::new(Decided {
        standing: scan.standing,
        runs: scan.runs,
        floors,
        verified,
        optimum,
    })))
}

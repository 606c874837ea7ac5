//! From a frame to a pack: group, admit, cost, reserve, select, lay out, verify.

mod admit;
mod bonds;
mod cost;
mod custom;
mod division;
mod form;
mod groups;
mod joined;
mod ledger;
mod miss;
mod optimum;
mod options;
mod rendered;
mod reserve;
mod select;
mod slot_set;
mod slots;
mod standing;
mod verify;

use std::collections::HashMap;
use std::sync::Arc;

pub(crate) use admit::Redaction;
pub(crate) use cost::label;
pub(crate) use form::{Kept, Kind};
pub(crate) use ledger::{Fate, Ledger, row_accuracy};
pub(crate) use optimum::{Optimum, UNITS};
pub(crate) use options::signed;
pub use options::{MAX_TOKENS, Margin, Merged, Overflow, PackOptions, Planned, Selection};

use crate::content::Content;
use crate::error::{BudgetExceeded, Error, ErrorKind};
use crate::frame::Frame;
use crate::item::Item;
use crate::manifest::Manifest;
use crate::nearest::unknown_option_word;
use crate::profile::TokenProfile;
use crate::rendering;
use crate::section::DropRule;
use crate::strategy::Strategy;
use crate::word::Render;
use admit::{admit, support, violations};
use bonds::Bonds;
use cost::Costs;
use custom::Custom;
use division::Division;
use groups::Groups;
use ledger::{Call, Complete, Found, Progress};
use reserve::{Needs, Reserved, reserve};
use select::{Field, Scan};
use slots::Slots;
use standing::Standing;
use verify::verify;

/// What fits of a frame, and the record of every decision.
#[derive(Debug, Clone)]
pub struct Pack {
    ledger: Arc<Ledger>,
    profile: Arc<TokenProfile>,
    manifest: Manifest,
    rows: Arc<[usize]>,
}

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
    optimum::check_values(frame, &options.selection)?;
    let groups = Groups::of(frame)?;
    let customs = customs(options, &strategies)?;
    let bonds = Bonds::of(frame, &groups);
    let mut retentions = groups.retentions(frame);
    bonds.spread(&mut retentions);
    bonds.check(frame, &groups, &retentions)?;
    let division = Division::of(frame, &groups, options, room)?;
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
    let outcome = decide(&needs, &reserved, customs)?;
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
    found.refusals = reserved.refusals;
    found.retentions = reserved.retentions;
    let progress = Progress::Partial {
        charged: spent.charged.clone(),
    };
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

/// Why what must be in the pack is not.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Failure {
    /// It is over what is available; the tokens of its rendering, if that was counted.
    Budget(Option<u64>),
    /// Base, required groups and what is held are over what is available.
    Floors { required: u64 },
    /// A section is over its cap, or an all-or-nothing section does not fit.
    Section {
        section: String,
        needed: u64,
        allocated: u64,
    },
}

/// Selects, verifies, and finds out what fails.
fn decide(
    needs: &Needs<'_>,
    reserved: &Reserved<'_>,
    customs: HashMap<usize, Custom>,
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
    field.customs = customs;
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
    let mut scan = Scan::new(&field, standing);
    let slots = Slots::of(&reserved.frame, needs.groups, division, needs.options);
    let mut optimum = None;
    match &needs.options.selection {
        Selection::Greedy => scan.select()?,
        Selection::Optimal { effort, values } => {
            let values = values.as_deref().unwrap_or(&reserved.frame.scores);
            let found = optimum::select(&mut scan, &slots, needs.options, *effort, values)?;
            optimum = Some((found, values));
        }
    }
    let verified = verify(&mut scan, &slots, needs.options)?;
    let optimum = optimum.map(|(optimum, values)| optimum.settled(&field, &scan.standing, values));
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

fn overflow_of(division: &Division, section: usize, needed: i64, allocated: u64) -> Failure {
    let name = division.part(section).name.as_ref();
    Failure::Section {
        section: name.map_or_else(String::new, ToString::to_string),
        needed: u64::try_from(needed).unwrap_or(0),
        allocated,
    }
}

/// Finds an all-or-nothing section that has to be there and is not, though nothing bars it.
fn missing_section(field: &Field<'_>, standing: &Standing) -> Option<Failure> {
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
        let needed = standing::section_tokens(division, section, tally);
        let left = field
            .room
            .available
            .map_or(i64::MAX, |available| (available - (with - needed)).max(0));
        let allocated = u64::try_from(left)
            .unwrap_or(0)
            .min(part.cap.unwrap_or(u64::MAX));
        return Some(overflow_of(division, section, needed, allocated));
    }
    None
}

/// Describes required items that the boundary or a policy refuses.
fn refused(call: &Call, frame: &Arc<Frame>, found: Found, rows: &[usize]) -> Error {
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
struct Spent {
    item_costs: Vec<crate::error::ItemCost>,
    exceeded_at: Option<usize>,
    charged: Vec<usize>,
    sum: u64,
    strategies: Vec<(String, u64)>,
}

impl Spent {
    fn of(needs: &Needs<'_>, reserved: &Reserved<'_>, failure: &Failure) -> Self {
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

    fn error(self, failure: Failure, room: options::Room, partial_manifest: Manifest) -> Error {
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
        let exceeded = BudgetExceeded {
            budget: room.budget.unwrap_or(0),
            reserve: room.reserve,
            margin: room.margin,
            available: room.available.unwrap_or(0),
            required_tokens: self.sum,
            overflow_tokens: u64::try_from(over).unwrap_or(0),
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
            } => ErrorKind::SectionOverflow {
                section,
                needed,
                allocated,
                exceeded,
            },
        })
    }
}

impl Pack {
    /// Returns the frame that was packed, as overflow strategies left it.
    #[must_use]
    pub fn frame(&self) -> &Arc<Frame> {
        &self.ledger.frame
    }

    /// Returns every decision.
    pub(crate) fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Returns the rows that are in, in the order of the layout.
    #[must_use]
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// Returns the record of every decision.
    #[must_use]
    pub const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Returns the tokens of the rendering that the pack was made for.
    #[must_use]
    pub fn total_tokens(&self) -> u64 {
        self.ledger.total()
    }

    /// Returns what is left of what was available, or `None` where there is no ceiling.
    #[must_use]
    pub fn remaining_tokens(&self) -> Option<i64> {
        self.ledger
            .room
            .available
            .map(|available| available - signed(self.total_tokens()))
    }

    /// Says whether every row is in, whole.
    #[must_use]
    pub fn complete(&self) -> bool {
        self.rows.len() == self.ledger.frame.len() && self.ledger.is_whole()
    }

    /// Returns the item in a row, with the content that it is packed as.
    #[must_use]
    pub fn item(&self, row: usize) -> Item {
        let mut item = self.ledger.frame.item(row);
        if let Some(form) = self.ledger.form(row) {
            item.content = Arc::clone(&form.content);
        }
        item
    }

    /// Returns the rendering that the pack was made for.
    #[must_use]
    pub fn render(&self) -> Render {
        self.ledger.options.render()
    }

    /// Says whether the pack stays inside the application.
    #[must_use]
    pub fn is_internal(&self) -> bool {
        !self.ledger.options.boundary.is_external()
    }

    /// Returns the pack as one text.
    ///
    /// # Errors
    ///
    /// `RenderingOverBudget` where the pack was made for messages and the text does not fit.
    pub fn text(&self) -> Result<String, Error> {
        let text = self.joined();
        if self.render() != Render::Text {
            self.allow(self.profile.count(&text)?)?;
        }
        Ok(text)
    }

    /// Returns the rendering that the pack was made for: the text, or the messages as JSON.
    #[must_use]
    pub fn rendered(&self) -> String {
        match self.render() {
            Render::Text => self.joined(),
            Render::Messages => self.messages(),
        }
    }

    fn joined(&self) -> String {
        let filled = self.ledger.filled();
        self.ledger.rendered(&filled).text()
    }

    /// Returns the text that merged sections are, or `None` where nothing of them is in.
    pub(crate) fn merged_text(&self) -> Option<String> {
        let filled = self.ledger.filled();
        self.ledger.slots.parts(&filled).next()?;
        Some(self.ledger.rendered(&filled).parts())
    }

    /// Returns the content that a row is packed as.
    pub(crate) fn content(&self, row: usize) -> &Content {
        self.ledger.content(row)
    }

    pub(crate) fn messages(&self) -> String {
        let filled = self.ledger.filled();
        self.ledger.rendered(&filled).messages()
    }

    /// Returns the pack as a JSON array of chat-completions messages.
    ///
    /// # Errors
    ///
    /// `UnsupportedContent` for a row that they have no message for, `RenderingOverBudget` where
    /// the pack was made for text and the messages do not fit.
    pub fn openai_chat(&self) -> Result<String, Error> {
        rendering::check_chat(&self.ledger.frame, &self.rows)?;
        let messages = self.messages();
        if self.render() != Render::Messages {
            self.allow(self.count_as_messages(&messages)?)?;
        }
        Ok(messages)
    }

    fn count_as_messages(&self, messages: &str) -> Result<u64, Error> {
        if let Some(counted) = self.profile.count_messages(messages) {
            return counted;
        }
        let frame = &self.ledger.frame;
        let options = PackOptions {
            render: Some(Render::Messages),
            profile: Arc::clone(&self.profile),
            ..(*self.ledger.options).clone()
        };
        let found = &self.ledger.found;
        let division = Division::of(frame, &found.groups, &options, self.ledger.room)?;
        let divided = (&found.groups, &division);
        let costs = Costs::of(frame, divided, &found.refusals, &options)?;
        let mut total = costs.base;
        for &row in self.rows.iter() {
            total += match self.ledger.form(row) {
                Some(form) => {
                    let content: Arc<Content> = Arc::clone(&form.content);
                    costs
                        .form(frame, row, &self.profile, form.kind.clone(), content)?
                        .total
                }
                None => costs.total(row),
            };
        }
        Ok(total)
    }

    fn allow(&self, needed: u64) -> Result<(), Error> {
        let room = self.ledger.room;
        match room.available {
            Some(available) if signed(needed) > available => {
                Err(Error::new(ErrorKind::RenderingOverBudget {
                    budget: room.budget.unwrap_or(0),
                    reserve: room.reserve,
                    needed,
                    available,
                }))
            }
            _ => Ok(()),
        }
    }
}

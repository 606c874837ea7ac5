//! From a frame to a pack: group, admit, cost, reserve, select, lay out, verify.

mod admit;
mod cost;
mod groups;
mod joined;
mod ledger;
mod options;
mod reserve;
mod select;
mod verify;

use std::borrow::Cow;
use std::sync::Arc;

pub(crate) use cost::label;
pub(crate) use ledger::{Fate, Ledger, row_accuracy};
pub(crate) use options::signed;
pub use options::{MAX_TOKENS, Margin, Overflow, PackOptions};

use crate::error::{BudgetExceeded, Error, ErrorKind};
use crate::frame::Frame;
use crate::manifest::Manifest;
use crate::profile::TokenProfile;
use crate::rendering;
use crate::word::Render;
use admit::{Admission, Refusals, admit, support, violations};
use cost::Costs;
use groups::Groups;
use ledger::{Call, Progress};
use reserve::{Reserved, reserve};
use select::select;
use verify::{count_groups, verify};

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
/// `PolicyViolation`, `UnsupportedContent` and `BudgetExceeded` for required items that cannot be
/// in the pack; `PolicyError`, `StrategyError` and `TokenizerError` for callables that fail.
pub fn pack(frame: &Arc<Frame>, mut options: PackOptions) -> Result<Pack, Error> {
    let room = options.room()?;
    let policies = std::mem::take(&mut options.policies);
    let overflow = std::mem::take(&mut options.overflow);
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
    let groups = Groups::of(frame)?;
    let admission = admit(frame, &groups, options, &policies)?;
    if !admission.violations.is_empty() {
        return Err(refused(&call, frame, groups, admission));
    }
    let mut refusals = admission.refusals;
    support(frame, &groups, &mut refusals, options.render().as_str())?;
    let costs = Costs::of(frame, &groups, &refusals, options)?;
    let count = |chosen: &[usize]| count_groups(frame, &groups, chosen, options);
    let reserved = reserve(frame, &groups, &refusals, &costs, &overflow, room, &count)?;
    if !reserved.fits {
        let counted = reserved.counted;
        return Err(exceeded(
            &call,
            frame,
            (groups, refusals),
            costs,
            &reserved,
            counted,
        ));
    }
    let mut selection = select(&reserved, &groups, &refusals, &costs, room);
    let verified = verify(
        &reserved.frame,
        &groups,
        &costs,
        &mut selection,
        options,
        room,
    )?;
    if verified.over {
        let total = Some(verified.total);
        return Err(exceeded(
            &call,
            frame,
            (groups, refusals),
            costs,
            &reserved,
            total,
        ));
    }
    let packed = owned(frame, &reserved);
    let progress = Progress::Complete {
        selection,
        verified,
    };
    let ledger = Arc::new(Ledger::new(
        &call,
        packed,
        (groups, refusals),
        Some(costs),
        progress,
    ));
    let rows = ledger.selected().into();
    Ok(Pack {
        manifest: Manifest::of(Arc::clone(&ledger)),
        ledger,
        profile,
        rows,
    })
}

fn owned(frame: &Arc<Frame>, reserved: &Reserved<'_>) -> Arc<Frame> {
    match &reserved.frame {
        Cow::Borrowed(_) => Arc::clone(frame),
        Cow::Owned(demoted) => Arc::new(demoted.clone()),
    }
}

/// Describes required items that the boundary or a policy refuses.
fn refused(call: &Call, frame: &Arc<Frame>, groups: Groups, admission: Admission) -> Error {
    let violations = violations(frame, &admission);
    let boundary = call.options.boundary.to_string();
    let progress = Progress::Partial {
        charged: Vec::new(),
    };
    let ledger = Ledger::new(
        call,
        Arc::clone(frame),
        (groups, admission.refusals),
        None,
        progress,
    );
    let partial_manifest = Box::new(Manifest::of(Arc::new(ledger)));
    Error::new(ErrorKind::PolicyViolation {
        violations,
        boundary,
        partial_manifest,
    })
}

/// Describes required items that do not fit: as a sum of parts, or as the text is joined.
fn exceeded(
    call: &Call,
    frame: &Arc<Frame>,
    decided: (Groups, Refusals),
    costs: Costs,
    reserved: &Reserved<'_>,
    counted: Option<u64>,
) -> Error {
    let room = call.room;
    let (item_costs, exceeded_at) = reserved.item_costs(&decided.0, &costs, &call.options, room);
    let mut charged: Vec<usize> = item_costs
        .iter()
        .map(|cost| cost.row)
        .take_while(|row| Some(*row) != exceeded_at)
        .collect();
    charged.sort_unstable();
    let sum = costs.sum(reserved.tokens, reserved.parts);
    let over = signed(counted.unwrap_or(sum)) - room.available.unwrap_or(i64::MAX);
    let ledger = Ledger::new(
        call,
        owned(frame, reserved),
        decided,
        Some(costs),
        Progress::Partial { charged },
    );
    Error::new(ErrorKind::BudgetExceeded(BudgetExceeded {
        budget: room.budget.unwrap_or(0),
        reserve: room.reserve,
        margin: room.margin,
        available: room.available.unwrap_or(0),
        required_tokens: sum,
        overflow_tokens: u64::try_from(over).unwrap_or(0),
        item_costs,
        exceeded_at,
        strategies: reserved.strategies.clone(),
        join_tokens: counted.map(|total| signed(total) - signed(sum)),
        partial_manifest: Manifest::of(Arc::new(ledger)),
    }))
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
        self.rows.len() == self.ledger.frame.len()
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
            Render::Messages => rendering::messages(&self.ledger.frame, self.rows.iter().copied()),
        }
    }

    fn joined(&self) -> String {
        let options = &self.ledger.options;
        rendering::text(
            &self.ledger.frame,
            self.rows.iter().copied(),
            &options.separator,
            options.labels,
        )
    }

    /// Returns the pack as a JSON array of chat-completions messages.
    ///
    /// # Errors
    ///
    /// `UnsupportedContent` for a row that they have no message for, `RenderingOverBudget` where
    /// the pack was made for text and the messages do not fit.
    pub fn openai_chat(&self) -> Result<String, Error> {
        rendering::check_chat(&self.ledger.frame, &self.rows)?;
        let messages = rendering::messages(&self.ledger.frame, self.rows.iter().copied());
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
        let costs = Costs::of(frame, &self.ledger.groups, &self.ledger.refusals, &options)?;
        Ok(costs.sum(
            self.rows.iter().map(|&row| costs.total(row)).sum(),
            self.rows.len(),
        ))
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

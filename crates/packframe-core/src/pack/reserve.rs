//! Room for what must be in the pack, before anything else.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::sync::Arc;

use super::admit::{Refusal, Refusals};
use super::bonds::Bonds;
use super::cost::{Costs, content_accuracy};
use super::division::Division;
use super::form::{Form, Kind, Knife};
use super::groups::Groups;
use super::ledger::row_accuracy;
use super::options::{Overflow, PackOptions, Room, signed};
use super::slots::Slots;
use super::standing::{Change, Standing};
use super::verify::{is_sum, recount_standing};
use crate::error::{Error, ItemCost};
use crate::frame::Frame;
use crate::word::Retention;

/// The required groups, and the frame as the overflow strategies left it.
#[derive(Debug)]
pub(crate) struct Reserved<'a> {
    pub(crate) frame: Cow<'a, Frame>,
    /// Of each group, the strongest retention of its rows, and of what requires it.
    pub(crate) retentions: Vec<Retention>,
    /// The required groups, and what they cost.
    pub(crate) standing: Standing,
    pub(crate) refusals: Refusals,
    /// What each strategy that was tried could save.
    pub(crate) strategies: Vec<(String, u64)>,
    /// Tokens of their rendering, if it was counted: where the sum of parts is over.
    pub(crate) counted: Option<u64>,
    /// Whether they are within what is available: as a sum of parts, or as they are rendered.
    pub(crate) fits: bool,
    /// Whether each section is within its cap.
    pub(crate) within_caps: bool,
}

/// What reserving reads.
pub(crate) struct Needs<'a> {
    pub(crate) groups: &'a Groups,
    pub(crate) bonds: &'a Bonds,
    pub(crate) division: &'a Division,
    pub(crate) costs: &'a Costs,
    pub(crate) options: &'a PackOptions,
    pub(crate) room: Room,
}

/// Reserves room for the required groups; where they do not fit, tries the overflow strategies.
///
/// Joining may save what the sum of parts is over, so that is not the last word.
///
/// # Errors
///
/// `StrategyError` and `TokenizerError` where a callable of the caller's fails.
pub(crate) fn reserve<'a>(
    frame: &'a Frame,
    needs: &Needs<'_>,
    refusals: Refusals,
    retentions: Vec<Retention>,
    overflow: &[Overflow],
) -> Result<Reserved<'a>, Error> {
    let mut reserved = needs.required(Cow::Borrowed(frame), retentions, refusals)?;
    for strategy in overflow {
        if reserved.is_settled() {
            break;
        }
        let before = reserved.standing.total(needs.division);
        let strategies = std::mem::take(&mut reserved.strategies);
        let name = match strategy {
            Overflow::Error => {
                reserved.strategies = strategies;
                continue;
            }
            Overflow::Demote { predicate, to } => {
                let shown = reserved.refusals.shown(&reserved.frame);
                let mask = predicate.mask(shown.as_ref().unwrap_or(&reserved.frame))?;
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
                            && reserved.refusals.of(row).is_none()
                            && !needs.options.is_held(row)
                    })
                    .collect();
                let demoted = reserved.frame.demote(&chosen, *to, "overflow");
                let mut retentions = needs.groups.retentions(&demoted);
                needs.bonds.spread(&mut retentions);
                let forms = std::mem::take(&mut reserved.standing.forms);
                reserved = needs.required(Cow::Owned(demoted), retentions, reserved.refusals)?;
                for (group, form) in forms {
                    if reserved.standing.taken[group as usize] {
                        needs.replace(&mut reserved.standing, group as usize, Some(form));
                    }
                }
                needs.recount(&mut reserved)?;
                "demote"
            }
            Overflow::Truncate { keep, at, marker } => {
                let knife = Knife {
                    keep: *keep,
                    at: *at,
                    marker: marker.clone(),
                };
                needs.truncate(&mut reserved, &knife)?;
                "truncate"
            }
            Overflow::Substitute => {
                needs.substitute(&mut reserved)?;
                "substitute"
            }
        };
        let saved = before - reserved.standing.total(needs.division);
        reserved.strategies = strategies;
        reserved
            .strategies
            .push((name.to_owned(), u64::try_from(saved).unwrap_or(0)));
    }
    if reserved.is_settled() {
        if !reserved.standing.forms.is_empty() {
            needs.restore(&mut reserved, &knife_of(overflow))?;
        }
    } else {
        let still = needs.still(&reserved, &reserved.strategies);
        reserved.strategies.extend(still);
    }
    Ok(reserved)
}

/// Returns how the first strategy that cuts does it.
fn knife_of(overflow: &[Overflow]) -> Knife {
    overflow
        .iter()
        .find_map(|strategy| match strategy {
            Overflow::Truncate { keep, at, marker } => Some(Knife {
                keep: *keep,
                at: *at,
                marker: marker.clone(),
            }),
            _ => None,
        })
        .unwrap_or_default()
}

impl Needs<'_> {
    fn required<'a>(
        &self,
        frame: Cow<'a, Frame>,
        retentions: Vec<Retention>,
        refusals: Refusals,
    ) -> Result<Reserved<'a>, Error> {
        let mut standing = Standing::new(
            self.groups.len(),
            self.division,
            self.bonds,
            self.costs.base,
        );
        for (group, retention) in retentions.iter().enumerate() {
            if *retention == Retention::Required && !refusals.group(self.groups, group) {
                standing.enter(self.bonds, group);
                let change = self.change(group, signed(self.costs.group(self.groups, group)), 1);
                standing.apply(self.division, &[change]);
            }
        }
        let mut reserved = Reserved {
            frame,
            retentions,
            standing,
            refusals,
            strategies: Vec::new(),
            counted: None,
            fits: false,
            within_caps: false,
        };
        self.recount(&mut reserved)?;
        Ok(reserved)
    }

    /// Says anew whether the required groups fit.
    fn recount(&self, reserved: &mut Reserved<'_>) -> Result<(), Error> {
        reserved.counted = None;
        reserved.fits = self.room.holds_sum(reserved.standing.total(self.division));
        reserved.within_caps =
            (0..self.division.len()).all(|section| self.over_cap(&reserved.standing, section) <= 0);
        if reserved.fits || is_sum(self.options) {
            return Ok(());
        }
        let frame = &*reserved.frame;
        let slots = Slots::of(frame, self.groups, self.division, self.options);
        let counted = recount_standing(
            frame,
            (self.groups, self.division),
            &slots,
            &reserved.standing,
            self.options,
        )?;
        reserved.counted = Some(counted);
        reserved.fits = self.room.holds(counted);
        Ok(())
    }

    fn change(&self, group: usize, tokens: i64, sign: i64) -> Change {
        Change {
            section: self.division.section(group),
            tokens,
            parts: sign * signed(self.groups.rows(group).len() as u64),
        }
    }

    /// Gives a required group another form.
    fn replace(&self, standing: &mut Standing, group: usize, form: Option<Form>) {
        let number = u32::try_from(group).expect("the number of rows was checked");
        let whole = self.costs.group(self.groups, group);
        let total = |form: Option<&Form>| signed(form.map_or(whole, |form| form.total));
        let tokens = total(form.as_ref()) - total(standing.form(group));
        let change = Change {
            section: self.division.section(group),
            tokens,
            parts: 0,
        };
        standing.apply(self.division, &[change]);
        match form {
            Some(form) => standing.forms.insert(number, form),
            None => standing.forms.remove(&number),
        };
    }

    /// Returns the required groups that may be cut or replaced: lowest priority first, then newest,
    /// then by row.
    fn pliable(&self, reserved: &Reserved<'_>) -> Vec<(usize, usize)> {
        let frame = &*reserved.frame;
        let mut found: Vec<(usize, usize)> = (0..self.groups.len())
            .filter(|&group| reserved.standing.taken[group])
            .filter_map(|group| match self.groups.rows(group) {
                &[row] if !frame.pins[row as usize] => Some((group, row as usize)),
                _ => None,
            })
            .collect();
        let created = |row: usize| frame.extra(row).and_then(|extra| extra.created_at);
        found.sort_by(|&(_, a), &(_, b)| {
            frame.priorities[a]
                .total_cmp(&frame.priorities[b])
                .then_with(|| Reverse(created(a)).cmp(&Reverse(created(b))))
                .then(a.cmp(&b))
        });
        found
    }

    /// Returns the tokens that the required groups are over: in all, or in the section of one.
    fn over(&self, reserved: &Reserved<'_>, group: usize) -> i64 {
        let needed = reserved
            .counted
            .map_or_else(|| reserved.standing.total(self.division), signed);
        let own = self.over_cap(&reserved.standing, self.division.section(group));
        (needed - self.room.available.unwrap_or(i64::MAX)).max(own)
    }

    /// Returns the tokens that a section is over its cap.
    fn over_cap(&self, standing: &Standing, section: usize) -> i64 {
        let cap = self.division.part(section).cap;
        cap.map_or(i64::MIN, |cap| {
            standing.section_tokens(self.division, section) - signed(cap)
        })
    }

    /// Gives required items that were cut or replaced back what there is room for after all, the
    /// last that was shortened first.
    fn restore(&self, reserved: &mut Reserved<'_>, knife: &Knife) -> Result<(), Error> {
        for (group, row) in self.pliable(reserved).into_iter().rev() {
            let Some(now) = reserved.standing.form(group).cloned() else {
                continue;
            };
            let frame = &*reserved.frame;
            let longer = |form: &&Form| form.total > now.total;
            let mut forms: Vec<Option<Form>> = vec![None];
            match &now.kind {
                Kind::Cut(_) => {
                    let left = self.room.available.map_or(i64::MAX, |available| {
                        available - reserved.standing.total(self.division)
                    });
                    let by_cap = self.over_cap(&reserved.standing, self.division.section(group));
                    let more = left.min(by_cap.checked_neg().unwrap_or(i64::MAX));
                    let most = signed(now.total).saturating_add(more.max(0));
                    let profile = &*self.options.profile;
                    let cut = knife.cut(frame, row, self.costs, profile, most)?;
                    forms.push(cut.filter(|cut| longer(&cut)));
                    if forms[1].is_none() {
                        forms.truncate(1);
                    }
                }
                _ => forms.extend(
                    self.costs
                        .alternatives(row)
                        .iter()
                        .filter(|form| !matches!((&form.kind, &now.kind), (Kind::Alternative(a), Kind::Alternative(b)) if a >= b))
                        .cloned()
                        .map(Some),
                ),
            }
            for form in forms {
                self.replace(&mut reserved.standing, group, form);
                self.recount(reserved)?;
                if reserved.is_settled() {
                    break;
                }
                self.replace(&mut reserved.standing, group, Some(now.clone()));
            }
            self.recount(reserved)?;
        }
        Ok(())
    }

    /// Returns what cutting and replacing could still save: strategies that were not asked for.
    fn still(&self, reserved: &Reserved<'_>, tried: &[(String, u64)]) -> Vec<(String, u64)> {
        let (mut cut, mut replaced) = (0, 0);
        for (group, row) in self.pliable(reserved) {
            let now = reserved
                .standing
                .form(group)
                .map_or_else(|| self.costs.group(self.groups, group), |form| form.total);
            let extra = self.costs.extra(&reserved.frame, row);
            if let Some(least) = reserved.frame.extra(row).and_then(|extra| extra.cut_to) {
                cut += now.saturating_sub(least + extra);
            }
            let least = self
                .costs
                .alternatives(row)
                .iter()
                .map(|form| form.total)
                .min();
            replaced += least.map_or(0, |least| now.saturating_sub(least));
        }
        [("truncate", cut), ("substitute", replaced)]
            .into_iter()
            .filter(|(name, saves)| *saves > 0 && tried.iter().all(|(known, _)| known != name))
            .map(|(name, saves)| (name.to_owned(), saves))
            .collect()
    }

    fn truncate(&self, reserved: &mut Reserved<'_>, knife: &Knife) -> Result<(), Error> {
        for (group, row) in self.pliable(reserved) {
            if reserved.is_settled() {
                return Ok(());
            }
            let extra = reserved.frame.extra(row);
            let Some(least) = extra.and_then(|extra| extra.cut_to) else {
                continue;
            };
            if reserved.standing.form(group).is_some() {
                continue;
            }
            let frame = &*reserved.frame;
            let profile = &*self.options.profile;
            let whole = signed(self.costs.group(self.groups, group));
            let least = signed(least + self.costs.extra(frame, row));
            let wanted = (whole - self.over(reserved, group)).max(least);
            let mut most = wanted;
            let mut form = knife.cut(frame, row, self.costs, profile, most)?;
            // A cut ends where `at` says: the shortest that is long enough may be some tokens longer.
            while form.is_none() && most < whole && most < wanted + 64 {
                most += 1;
                form = knife.cut(frame, row, self.costs, profile, most)?;
            }
            match form {
                Some(form) if signed(form.total) < whole => {
                    self.replace(&mut reserved.standing, group, Some(form));
                }
                // What another required item requires does not go.
                None if self.is_needed(reserved, group) => {}
                None if knife.leaves_nothing(frame, row, self.costs, profile, wanted)? => {
                    reserved.refusals.put(frame.len(), row, Refusal::Empty);
                    let change = self.change(group, -whole, -1);
                    reserved.standing.apply(self.division, &[change]);
                    reserved.standing.leave(self.bonds, group);
                }
                _ => {}
            }
            self.recount(reserved)?;
        }
        Ok(())
    }

    fn is_needed(&self, reserved: &Reserved<'_>, group: usize) -> bool {
        let by = self.bonds.needed_by(group).iter();
        by.copied()
            .any(|other| reserved.standing.taken[other as usize])
    }

    fn substitute(&self, reserved: &mut Reserved<'_>) -> Result<(), Error> {
        for (group, row) in self.pliable(reserved) {
            if reserved.is_settled() {
                return Ok(());
            }
            let now = reserved
                .standing
                .form(group)
                .map_or_else(|| self.costs.group(self.groups, group), |form| form.total);
            let before = reserved.standing.form(group).cloned();
            let mut least: Option<&Form> = None;
            for form in self.costs.alternatives(row) {
                if form.total < now && least.is_none_or(|least| form.total < least.total) {
                    least = Some(form);
                }
                self.replace(&mut reserved.standing, group, Some(form.clone()));
                self.recount(reserved)?;
                if reserved.is_settled() {
                    return Ok(());
                }
            }
            self.replace(&mut reserved.standing, group, least.cloned().or(before));
            self.recount(reserved)?;
        }
        Ok(())
    }
}

impl Reserved<'_> {
    /// Says whether the required groups fit, and each section is within its cap.
    fn is_settled(&self) -> bool {
        self.fits && self.within_caps
    }

    /// Returns what each required item costs, and the row at which the room runs out: the first
    /// whose end is over, with everything up to it.
    pub(crate) fn item_costs(&self, needs: &Needs<'_>) -> (Vec<ItemCost>, Option<usize>) {
        let (groups, costs) = (needs.groups, needs.costs);
        let profile = &needs.options.profile;
        let mut items = Vec::new();
        let mut exceeded_at = None;
        let mut so_far = Standing::new(groups.len(), needs.division, needs.bonds, costs.base);
        for group in (0..groups.len()).filter(|&group| self.standing.taken[group]) {
            for &row in groups.rows(group) {
                let row = row as usize;
                let tokens = self
                    .standing
                    .form(group)
                    .map_or_else(|| costs.total(row), |form| form.total);
                so_far.apply(
                    needs.division,
                    &[Change {
                        section: needs.division.section(group),
                        tokens: signed(tokens),
                        parts: 1,
                    }],
                );
                let cumulative = so_far.total(needs.division);
                if exceeded_at.is_none() && !needs.room.holds_sum(cumulative) {
                    exceeded_at = Some(row);
                }
                let content = content_accuracy(&self.frame, row, profile, costs.is_message(row));
                items.push(ItemCost {
                    row,
                    id: self.frame.id(row).to_string(),
                    tokens,
                    cumulative: u64::try_from(cumulative).unwrap_or(0),
                    accuracy: row_accuracy(content, costs.is_message(row)),
                });
            }
        }
        (items, exceeded_at)
    }

    /// Returns the frame as the overflow strategies left it.
    pub(crate) fn owned(&self, frame: &Arc<Frame>) -> Arc<Frame> {
        match &self.frame {
            Cow::Borrowed(_) => Arc::clone(frame),
            Cow::Owned(demoted) => Arc::new(demoted.clone()),
        }
    }
}

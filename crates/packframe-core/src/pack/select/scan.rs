//! The passes in which groups are taken.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::bundle::{Bar, Bundle};
use super::field::{Field, number};
use super::judge::{BySum, Judge};
use super::runs::{Runs, lane};
use crate::error::Error;
use crate::pack::form::Form;
use crate::pack::standing::{Standing, Taken};
use crate::section::DropRule;
use crate::word::Retention;

/// A pass over the groups that are not in yet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pass {
    pub(crate) retention: Retention,
    /// Only sections that are under their floor, and each only up to it.
    pub(crate) to_floor: bool,
    /// Whether an item may be cut.
    pub(crate) cuts: bool,
    /// Only groups whose requirements or rivals changed since they were last looked at, and runs.
    pub(crate) bound_only: bool,
}

/// How an attempt to take a group ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Attempt {
    Taken,
    Cut,
    Miss,
    /// It is barred, which is no miss.
    Passed,
}

/// Selects by scans: in the five passes of the packer's order.
pub(crate) struct Scan<'f, 'a> {
    pub(crate) field: &'f Field<'a>,
    pub(crate) standing: Standing,
    pub(crate) runs: Runs,
    /// How each group with bonds stood when it was last looked at: what would come along, or what
    /// bars it.
    looks: HashMap<u32, Result<Bundle, Bar>, FixedState>,
    /// Whether its passes may cut.
    cuts: bool,
}

impl<'f, 'a> Scan<'f, 'a> {
    pub(crate) fn new(field: &'f Field<'a>, standing: Standing) -> Self {
        Self {
            field,
            standing,
            runs: Runs::new(field.division),
            looks: HashMap::default(),
            cuts: true,
        }
    }

    /// Makes a scan that cuts nothing.
    pub(crate) fn uncut(field: &'f Field<'a>, standing: Standing) -> Self {
        let mut scan = Self::new(field, standing);
        scan.cuts = false;
        scan
    }

    /// Runs the five passes.
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the tokenizer fails.
    pub(crate) fn select(&mut self) -> Result<(), Error> {
        let judge = &mut BySum;
        let cuts = self.cuts;
        let pass = |retention, to_floor| Pass {
            retention,
            to_floor,
            cuts,
            bound_only: false,
        };
        self.pass(pass(Retention::Preferred, false), judge)?;
        self.pass(pass(Retention::Optional, true), judge)?;
        self.standing.release();
        self.reform(judge, true)?;
        let mut last = [Retention::Preferred, Retention::Optional].map(|it| pass(it, false));
        loop {
            let mut any = false;
            for pass in last {
                any |= self.pass(pass, judge)?;
            }
            if !any || self.field.bonds.none() {
                return Ok(());
            }
            for pass in &mut last {
                pass.bound_only = true;
            }
        }
    }

    /// Goes once through all sections; says whether something was taken.
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the tokenizer fails.
    pub(crate) fn pass(&mut self, pass: Pass, judge: &mut dyn Judge) -> Result<bool, Error> {
        let before = self.standing.sequence.len();
        let mut chain_blocked = false;
        for &section in &self.field.division.order {
            let rule = self.field.division.part(section).rule;
            let queue = &self.field.queues[section];
            let in_turn = queue.strongest == Some(pass.retention)
                && (!pass.to_floor || self.is_under_floor(section));
            if let Some(custom) = self.field.customs.get(&section)
                && !self.runs.faults.contains_key(&section)
            {
                let asked = self.runs.asked.contains(&section);
                let due = in_turn || queue.strongest.is_none();
                if asked || !due || !pass.cuts {
                    continue;
                }
                self.runs.asked.insert(section);
                if self.apply_custom(section, custom)? {
                    continue;
                }
            }
            match rule {
                DropRule::Truncate | DropRule::LowestScore => self.scan(section, pass, judge)?,
                DropRule::Oldest | DropRule::Newest => self.run(section, pass, judge)?,
                DropRule::AllOrNothing if in_turn => self.all_or_nothing(section, judge)?,
                DropRule::AllOrNothing => {}
                DropRule::CutThenStop => {
                    if in_turn && (self.runs.begun[section] || !chain_blocked) {
                        self.chain(section, pass, judge)?;
                    }
                    chain_blocked |= self.runs.begun[section]
                        && (self.runs.closed[section] || self.runs.stops[section][0].is_some());
                }
            }
        }
        Ok(self.standing.sequence.len() > before)
    }

    /// Takes some groups as they are, whatever they cost.
    pub(crate) fn take(&mut self, groups: &[u32]) {
        let field = self.field;
        for &group in groups {
            let changes = field.changes(&[group], None);
            self.standing.enter(field.bonds, group as usize);
            self.standing.sequence.push(Taken {
                group,
                by_floor: false,
            });
            self.standing.apply(field.division, &changes);
        }
    }

    fn is_under_floor(&self, section: usize) -> bool {
        self.standing.is_under_floor(self.field.division, section)
    }

    fn scan(&mut self, section: usize, pass: Pass, judge: &mut dyn Judge) -> Result<(), Error> {
        let field = self.field;
        let mut may_cut = pass.cuts && field.division.part(section).rule.cuts();
        for &group in field.queue(section, pass.retention) {
            let group = group as usize;
            if pass.to_floor && !self.is_under_floor(section) {
                break;
            }
            if self.standing.taken[group]
                || self.standing.barred[group]
                || judge.is_hopeless(field, &self.standing, group)
                || pass.bound_only && !self.stands_anew(group)
            {
                continue;
            }
            if self.attempt(group, may_cut, judge)? == Attempt::Cut {
                may_cut = false;
            }
        }
        Ok(())
    }

    /// Says whether the requirements or rivals of a group changed since it was last looked at.
    fn stands_anew(&self, group: usize) -> bool {
        self.field.bonds.binds(group)
            && self.looks.get(&number(group)) != Some(&self.field.bundle(&self.standing, group))
    }

    /// Runs through an oldest or newest section up to the first miss.
    fn run(&mut self, section: usize, pass: Pass, judge: &mut dyn Judge) -> Result<(), Error> {
        let field = self.field;
        let mut stop = None;
        // A strict section has one run: nothing is in that is older than what was missed.
        let cut = match pass.retention {
            Retention::Optional => self.runs.cut(field.division, section),
            _ => None,
        };
        for &next in field.queue(section, pass.retention) {
            let group = next as usize;
            if self.standing.taken[group] {
                continue;
            }
            if cut.is_some_and(|cut| next < cut) {
                stop = Some(next);
                break;
            }
            if pass.to_floor && !self.is_under_floor(section) {
                return Ok(());
            }
            if !self.standing.barred[group]
                && judge.is_hopeless(field, &self.standing, group)
                && field.is_too_much(group)
            {
                continue;
            }
            let missed = self.standing.barred[group]
                || self.attempt(group, false, judge)? == Attempt::Miss
                    && field.ends_run(section, group)?;
            if missed {
                stop = Some(next);
                break;
            }
        }
        self.runs.stops[section][lane(pass.retention)] = stop;
        Ok(())
    }

    /// Runs through a section of the chain up to the first miss, which is cut if that can be.
    fn chain(&mut self, section: usize, pass: Pass, judge: &mut dyn Judge) -> Result<(), Error> {
        let field = self.field;
        if self.runs.closed[section] {
            return Ok(());
        }
        self.runs.begun[section] = true;
        let mut stop = None;
        for &next in &field.queues[section].groups {
            let group = next as usize;
            if self.standing.taken[group] {
                continue;
            }
            if self.standing.barred[group] {
                stop = Some(next);
                break;
            }
            match self.attempt(group, pass.cuts, judge)? {
                Attempt::Taken | Attempt::Passed => {}
                Attempt::Miss => {
                    stop = Some(next);
                    break;
                }
                Attempt::Cut => {
                    self.runs.closed[section] = true;
                    stop = Some(next);
                    break;
                }
            }
        }
        self.runs.stops[section][0] = stop;
        Ok(())
    }

    fn all_or_nothing(&mut self, section: usize, judge: &mut dyn Judge) -> Result<(), Error> {
        let field = self.field;
        let queue = &field.queues[section].groups;
        let out = |group: &&u32| !self.standing.taken[**group as usize];
        let Some(&first) = queue.iter().find(out) else {
            return Ok(());
        };
        if self.standing.barred[first as usize] {
            return Ok(());
        }
        if let Ok(bundle) = field.bundle_of(&self.standing, queue) {
            self.try_bundle(&bundle, None, judge)?;
        }
        Ok(())
    }

    /// Tries to take a group: whole, replaced, or cut.
    fn attempt(
        &mut self,
        group: usize,
        may_cut: bool,
        judge: &mut dyn Judge,
    ) -> Result<Attempt, Error> {
        let field = self.field;
        let bundle = if field.is_alone(group) {
            Bundle::alone(group)
        } else {
            let found = field.bundle(&self.standing, group);
            if field.bonds.binds(group) {
                self.looks.insert(number(group), found.clone());
            }
            match found {
                Ok(bundle) => bundle,
                Err(_) => return Ok(Attempt::Passed),
            }
        };
        if self.try_bundle(&bundle, None, judge)? {
            return Ok(Attempt::Taken);
        }
        for form in field.alternatives(group) {
            if self.try_bundle(&bundle, Some(form), judge)? {
                return Ok(Attempt::Taken);
            }
        }
        if may_cut
            && bundle.groups().len() == 1
            && let Some(row) = field.pliable(group)
            && field
                .frame
                .extra(row)
                .is_some_and(|extra| extra.cut_to.is_some())
        {
            let section = field.division.section(group);
            let most = field.most_tokens(&self.standing, section, self.standing.tally(section));
            let form = field.cut(row, most)?;
            if let Some(form) = form
                && self.try_bundle(&bundle, Some(&form), judge)?
            {
                return Ok(Attempt::Cut);
            }
        }
        Ok(Attempt::Miss)
    }

    /// Takes some groups, if caps and judge let them in.
    fn try_bundle(
        &mut self,
        bundle: &Bundle,
        form: Option<&Form>,
        judge: &mut dyn Judge,
    ) -> Result<bool, Error> {
        let field = self.field;
        let (bundle, own) = (bundle.groups(), bundle.own);
        let changes = field.changes(bundle, form);
        let weight = self.standing.weigh(field.division, &changes);
        if weight.over_cap.is_some() || !judge.holds(field, &self.standing, bundle, form, weight)? {
            return Ok(false);
        }
        judge.took(field, &self.standing, bundle, form);
        // What is required comes in before what requires it.
        let (wanted, required) = bundle.split_at(own);
        for &next in required.iter().chain(wanted) {
            let group = next as usize;
            let by_floor = self.is_under_floor(field.division.section(group));
            self.standing.enter(field.bonds, group);
            self.standing.sequence.push(Taken {
                group: next,
                by_floor,
            });
        }
        self.standing.apply(field.division, &changes);
        if let Some(form) = form {
            self.standing.forms.insert(bundle[0], form.clone());
        }
        Ok(true)
    }
}

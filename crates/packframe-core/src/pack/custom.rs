//! Sections that a strategy of the caller's decides, checked by the host.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::form::{Form, Kind};
use super::options::signed;
use super::select::Scan;
use super::standing::{Change, Taken};
use crate::error::Error;
use crate::item::Item;
use crate::section::Section;
use crate::strategy::{DropResult, Strategy};
use crate::word::Retention;

/// A section and the strategy that decides it.
#[derive(Clone)]
pub(crate) struct Custom {
    pub(crate) section: Section,
    pub(crate) strategy: Arc<dyn Strategy>,
}

/// What a strategy's answer comes to.
struct Checked {
    groups: Vec<u32>,
    forms: HashMap<u32, Form>,
}

impl Scan<'_, '_> {
    /// Lets a strategy decide a section; says whether its answer stands. Where it does not, the
    /// fault is recorded, and the default rule decides.
    ///
    /// # Errors
    ///
    /// `StrategyError` where the strategy fails, `TokenizerError` where the tokenizer does.
    pub(crate) fn apply_custom(&mut self, number: usize, custom: &Custom) -> Result<bool, Error> {
        let field = self.field;
        let rows: Vec<usize> = (0..field.frame.len())
            .filter(|&row| {
                let group = field.groups.of_row(row);
                field.division.section(group) == number && !field.refused[group]
            })
            .collect();
        let mut items: Vec<(usize, Item)> = Vec::with_capacity(rows.len());
        let shown = field.shown.as_ref().unwrap_or(field.frame);
        for &row in &rows {
            let mut item = shown.item(row);
            item.id
                .get_or_insert_with(|| Arc::clone(field.frame.id(row)));
            items.push((row, item));
        }
        let own = self.standing.section_tokens(field.division, number);
        let left = field.room.available.map(|available| {
            let standing = &self.standing;
            let rest = available - standing.total(field.division) - standing.held(field.division);
            let lacking = (signed(standing.floor(number)) - own).max(0);
            own + (rest + lacking).max(0)
        });
        let cap = field.division.part(number).cap.map(signed);
        let allocated = match (left, cap) {
            (Some(left), Some(cap)) => Some(left.min(cap)),
            (only, None) | (None, only) => only,
        }
        .and_then(|tokens| u64::try_from(tokens).ok());
        let answer = custom
            .strategy
            .apply(&custom.section, &items, allocated, field.profile)?;
        match self.check_custom(number, &items, &answer)? {
            Ok(checked) => {
                self.take_custom(number, checked, &answer, custom.strategy.name());
                Ok(true)
            }
            Err(fault) => {
                self.runs.faults.insert(number, fault);
                Ok(false)
            }
        }
    }

    fn check_custom(
        &self,
        number: usize,
        items: &[(usize, Item)],
        answer: &DropResult,
    ) -> Result<Result<Checked, String>, Error> {
        let field = self.field;
        if let Some(fault) = &answer.fault {
            return Ok(Err(fault.clone()));
        }
        let given: HashMap<usize, &Item> = items.iter().map(|(row, item)| (*row, item)).collect();
        let mut kept: HashSet<usize> = HashSet::new();
        let mut forms = HashMap::new();
        for (row, content) in &answer.kept {
            let Some(item) = given.get(row) else {
                return Ok(Err(format!("it kept row {row}, which it was not given")));
            };
            if !kept.insert(*row) {
                return Ok(Err(format!("it kept row {row} twice")));
            }
            let Some(content) = content.as_ref().filter(|other| !other.same(&item.content)) else {
                continue;
            };
            let group = field.groups.of_row(*row);
            if field.retentions[group] == Retention::Required || field.pliable(group).is_none() {
                return Ok(Err(format!(
                    "it changed row {row}, which has to stay as it is"
                )));
            }
            if content.rendered().is_none() || content.as_message().is_some() {
                return Ok(Err(format!("it gave row {row} a content that is no text")));
            }
            // What it wrote was seen by nobody: a boundary that is searched is searched here, too.
            if field.costs.refuses(content) {
                return Ok(Err(format!(
                    "it gave row {row} a content with the form of a secret"
                )));
            }
            let form = field.costs.form(
                field.frame,
                *row,
                field.profile,
                Kind::Strategy,
                Arc::clone(content),
            )?;
            forms.insert(u32::try_from(group).unwrap_or(u32::MAX), form);
        }
        let mut groups = Vec::new();
        let mut listed: HashSet<u32> = HashSet::new();
        for (row, _) in items {
            let group = field.groups.of_row(*row);
            let rows = field.groups.rows(group);
            let inside = rows
                .iter()
                .filter(|row| kept.contains(&(**row as usize)))
                .count();
            if field.retentions[group] == Retention::Required && inside < rows.len() {
                return Ok(Err(format!("it lost row {row}, which is required")));
            }
            if inside > 0 && inside < rows.len() {
                return Ok(Err(format!(
                    "it kept only a part of the group of row {row}"
                )));
            }
            let number = u32::try_from(group).unwrap_or(u32::MAX);
            if inside > 0 && !self.standing.taken[group] && listed.insert(number) {
                groups.push(number);
            }
        }
        let Ok(bundle) = field.bundle_of(&self.standing, &groups) else {
            return Ok(Err(
                "it kept what requires an item that is not there, or rivals".to_owned(),
            ));
        };
        let mut changes: Vec<Change> = field.changes(bundle.groups(), None).to_vec();
        for (group, form) in &forms {
            let group = *group as usize;
            let whole = field.costs.group(field.groups, group);
            if let Some(change) = changes
                .iter_mut()
                .find(|change| change.section == number && !self.standing.taken[group])
            {
                change.tokens += signed(form.total) - signed(whole);
            }
        }
        let weight = self.standing.weigh(field.division, &changes);
        if weight.over_cap.is_some() || !field.room.holds_sum(weight.total + weight.held) {
            return Ok(Err("it kept more than it was allocated".to_owned()));
        }
        Ok(Ok(Checked {
            groups: bundle.groups().to_vec(),
            forms,
        }))
    }

    fn take_custom(&mut self, number: usize, checked: Checked, answer: &DropResult, name: &str) {
        let field = self.field;
        for group in checked.groups {
            let form = checked.forms.get(&group);
            let change = field.changes(&[group], form);
            let section = field.division.section(group as usize);
            let by_floor = self.standing.is_under_floor(field.division, section);
            self.standing.enter(field.bonds, group as usize);
            self.standing.sequence.push(Taken { group, by_floor });
            self.standing.apply(field.division, &change);
            if let Some(form) = form {
                self.standing.forms.insert(group, form.clone());
            }
        }
        let reasons: HashMap<usize, &String> = answer
            .reasons
            .iter()
            .map(|(row, reason)| (*row, reason))
            .collect();
        for &group in &field.queues[number].groups {
            if self.standing.taken[group as usize] {
                continue;
            }
            let said = field
                .groups
                .rows(group as usize)
                .iter()
                .find_map(|row| reasons.get(&(*row as usize)).map(|said| (*said).clone()));
            self.runs
                .dropped
                .insert(group, (format!("strategy:{name}"), said));
        }
    }
}

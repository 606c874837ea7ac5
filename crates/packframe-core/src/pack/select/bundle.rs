//! Groups that are taken together, and what they add.

use std::cell::RefMut;
use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::field::{Field, number, signed};
use crate::pack::form::Form;
use crate::pack::standing::{Change, Standing};
use crate::section::DropRule;

/// Groups that are taken together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bundle {
    /// Those that are wanted, then what they require, by place.
    pub(super) groups: Gathered,
    /// How many are wanted.
    pub(super) own: usize,
}

/// Most groups come alone, and then nothing is allocated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Gathered {
    One([u32; 1]),
    Many(Vec<u32>),
}

impl Bundle {
    pub(super) fn alone(group: usize) -> Self {
        Self {
            groups: Gathered::One([number(group)]),
            own: 1,
        }
    }

    /// Returns the groups: those that are wanted, then what they require, by place.
    pub(crate) fn groups(&self) -> &[u32] {
        match &self.groups {
            Gathered::One(group) => group,
            Gathered::Many(groups) => groups,
        }
    }
}

/// What some groups add to each section.
#[derive(Debug)]
pub(crate) enum Changes {
    One([Change; 1]),
    Many(Vec<Change>),
}

impl std::ops::Deref for Changes {
    type Target = [Change];

    fn deref(&self) -> &[Change] {
        match self {
            Self::One(change) => change,
            Self::Many(changes) => changes,
        }
    }
}

/// What keeps a group from being taken, whatever room there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bar {
    /// What it requires is not there to be taken.
    Missing,
    /// A rival is in.
    Rival,
}

impl Field<'_> {
    /// Begins a look that sees each group once.
    fn look(&self) -> RefMut<'_, (Vec<u32>, u32)> {
        let mut seen = self.seen.borrow_mut();
        let (marks, look) = &mut *seen;
        marks.resize(self.groups.len(), 0);
        *look = look.wrapping_add(1);
        if *look == 0 {
            marks.fill(0);
            *look = 1;
        }
        seen
    }

    /// Says whether a group could be taken, if there was room, where nothing was taken out again.
    pub(crate) fn is_open(&self, standing: &Standing, group: usize) -> bool {
        self.reach.is_clean(group) || self.bundle(standing, group).is_ok()
    }

    /// Returns a group with all groups that come along when it is taken; whether something bars it.
    ///
    /// Linear in what comes along.
    pub(crate) fn bundle(&self, standing: &Standing, group: usize) -> Result<Bundle, Bar> {
        let section = self.division.section(group);
        let alone = self.division.part(section).rule != DropRule::AllOrNothing;
        if alone && self.bonds.needs(group).is_empty() {
            return match () {
                () if standing.has_rival(self.bonds, group) => Err(Bar::Rival),
                () if self.bonds.asks_unknown(self.groups, group) => Err(Bar::Missing),
                () => Ok(Bundle::alone(group)),
            };
        }
        let mut core = vec![number(group)];
        if !alone {
            let others = self.queues[section].groups.iter().copied();
            core.extend(others.filter(|&other| other as usize != group));
        }
        self.bundle_of(standing, &core)
    }

    /// Returns some groups with all that come along; whether something bars them.
    ///
    /// A rival of one of the groups themselves is said before what they require.
    pub(crate) fn bundle_of(&self, standing: &Standing, core: &[u32]) -> Result<Bundle, Bar> {
        let mut seen = self.look();
        let (marks, look) = &mut *seen;
        let mut gather = |groups: &[u32], all: &mut Vec<u32>| {
            let new = groups.iter().copied().filter(|&group| {
                !standing.taken[group as usize]
                    && std::mem::replace(&mut marks[group as usize], *look) != *look
            });
            all.extend(new);
        };
        let mut groups: Vec<u32> = Vec::new();
        gather(core, &mut groups);
        let own = groups.len();
        let mut keys: HashMap<u32, u32, FixedState> = HashMap::default();
        let mut missing = false;
        let mut at = 0;
        while let Some(&next) = groups.get(at) {
            let group = next as usize;
            at += 1;
            if self.refused[group] {
                missing = true;
                continue;
            }
            missing |=
                standing.barred[group] && at > own || self.bonds.asks_unknown(self.groups, group);
            for &key in self.bonds.keys(group) {
                *keys.entry(key).or_insert(0) += 1;
            }
            gather(self.bonds.needs(group), &mut groups);
            let section = self.division.section(group);
            if at > own && self.division.part(section).rule == DropRule::AllOrNothing {
                gather(&self.queues[section].groups, &mut groups);
            }
        }
        let rivals = |group: &u32| {
            let of = self.bonds.keys(*group as usize);
            of.iter().any(|key| {
                let count = keys.get(key).copied().unwrap_or(0);
                count > 1 || count > 0 && standing.holder(*key).is_some()
            })
        };
        if groups[..own].iter().any(rivals) {
            return Err(Bar::Rival);
        }
        if missing || groups[own..].iter().any(rivals) {
            return Err(Bar::Missing);
        }
        groups[own..].sort_unstable();
        Ok(Bundle {
            groups: Gathered::Many(groups),
            own,
        })
    }

    /// Returns a group with all that would come along, whatever bars it, but what was refused.
    pub(crate) fn company(&self, standing: &Standing, group: usize) -> Vec<u32> {
        let mut seen = self.look();
        let (marks, look) = &mut *seen;
        let mut groups = vec![number(group)];
        let mut at = 0;
        marks[group] = *look;
        while let Some(&next) = groups.get(at) {
            at += 1;
            let section = self.division.section(next as usize);
            let whole: &[u32] = match self.division.part(section).rule {
                DropRule::AllOrNothing => &self.queues[section].groups,
                _ => &[],
            };
            let needs = self.bonds.needs(next as usize).iter().chain(whole);
            groups.extend(needs.copied().filter(|&other| {
                !standing.taken[other as usize]
                    && !self.refused[other as usize]
                    && std::mem::replace(&mut marks[other as usize], *look) != *look
            }));
        }
        groups
    }

    /// Returns what some groups add to each section, the first of them in a form.
    pub(crate) fn changes(&self, bundle: &[u32], form: Option<&Form>) -> Changes {
        if let &[group] = bundle {
            return Changes::One([self.change(group as usize, form)]);
        }
        let mut changes: Vec<Change> = Vec::with_capacity(1);
        for (at, &group) in bundle.iter().enumerate() {
            let added = self.change(group as usize, form.filter(|_| at == 0));
            match changes
                .iter_mut()
                .find(|change| change.section == added.section)
            {
                Some(change) => {
                    change.tokens += added.tokens;
                    change.parts += added.parts;
                }
                None => changes.push(added),
            }
        }
        Changes::Many(changes)
    }

    /// Returns what a group adds to its section.
    fn change(&self, group: usize, form: Option<&Form>) -> Change {
        Change {
            section: self.division.section(group),
            tokens: match form {
                Some(form) => signed(form.total),
                None => signed(self.costs.group(self.groups, group)),
            },
            parts: signed(self.groups.rows(group).len() as u64),
        }
    }

    /// Says whether nothing can come along with a group or bar it.
    pub(super) fn is_alone(&self, group: usize) -> bool {
        self.bonds.none()
            && !self.bonds.asks_unknown(self.groups, group)
            && self.division.part(self.division.section(group)).rule != DropRule::AllOrNothing
    }
}

//! Which groups are taken into the room that the required ones leave.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};

use foldhash::fast::FixedState;

use super::bonds::Bonds;
use super::cost::Costs;
use super::custom::Custom;
use super::division::Division;
use super::form::{Form, Kind, Knife};
use super::groups::Groups;
use super::options::Room;
use super::standing::{Change, Standing, Taken, Tally, Weight, section_tokens};
use crate::error::Error;
use crate::frame::Frame;
use crate::profile::TokenProfile;
use crate::section::DropRule;
use crate::word::Retention;

/// Tokens that joining may save on the two borders of a cut.
const JOINS_SAVE: i64 = 8;

/// What selection reads and never changes.
pub(crate) struct Field<'a> {
    pub(crate) frame: &'a Frame,
    pub(crate) groups: &'a Groups,
    pub(crate) bonds: &'a Bonds,
    pub(crate) division: &'a Division,
    pub(crate) costs: &'a Costs,
    pub(crate) profile: &'a TokenProfile,
    pub(crate) room: Room,
    /// Of each group, the strongest retention of its rows, and of what requires them.
    pub(crate) retentions: &'a [Retention],
    /// Of each group, whether it was refused.
    pub(crate) refused: Vec<bool>,
    /// The groups that may be selected, section by section.
    pub(crate) queues: Vec<Queue>,
    /// What the required groups alone cost: what a group is measured against that may never fit.
    pub(crate) bare: Standing,
    /// Of the sections that a strategy decides, which.
    pub(crate) customs: HashMap<usize, Custom>,
    knife: Knife,
    /// The cuts that were made, by row and by the tokens that there was room for.
    cuts: RefCell<HashMap<(usize, i64), Option<Form>, FixedState>>,
}

/// The groups of a section that are neither required nor refused.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    /// Preferred before optional where the rule keeps them apart, each in the order of selection.
    pub(crate) groups: Vec<u32>,
    /// How many of them come first as preferred; all, where the rule does not keep them apart.
    pub(crate) preferred: usize,
    /// The strongest retention of them.
    pub(crate) strongest: Option<Retention>,
}

/// Groups that are taken together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bundle {
    /// Those that are wanted, then what they require, by place.
    groups: Gathered,
    /// How many are wanted.
    own: usize,
}

/// Most groups come alone, and then nothing is allocated.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Gathered {
    One([u32; 1]),
    Many(Vec<u32>),
}

impl Bundle {
    fn alone(group: usize) -> Self {
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

/// How an attempt to take a group ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Attempt {
    Taken,
    Cut,
    Miss,
    /// It is barred, which is no miss.
    Passed,
}

/// Says whether there is room, and is told what was taken.
pub(crate) trait Judge {
    /// Says whether the pack may grow by these groups, of which the first has a form.
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the tokenizer fails.
    fn holds(
        &mut self,
        field: &Field<'_>,
        standing: &Standing,
        bundle: &[u32],
        form: Option<&Form>,
        weight: Weight,
    ) -> Result<bool, Error>;

    /// Says whether a group that is in may have another form; `None` is the whole.
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the tokenizer fails.
    fn holds_instead(
        &mut self,
        field: &Field<'_>,
        standing: &Standing,
        group: usize,
        form: Option<&Form>,
        weight: Weight,
    ) -> Result<bool, Error>;

    /// Returns the tokens that are still free, as far as the judge sees.
    fn left(&self, field: &Field<'_>, standing: &Standing) -> i64;

    /// Is told what came in.
    fn took(&mut self, field: &Field<'_>, standing: &Standing, bundle: &[u32], form: Option<&Form>);

    /// Is told that a group has another form.
    fn reformed(&mut self, field: &Field<'_>, group: usize, form: Option<&Form>);
}

/// Judges by the sum of parts, with what is held for sections.
pub(crate) struct BySum;

impl Judge for BySum {
    fn holds(
        &mut self,
        field: &Field<'_>,
        _: &Standing,
        _: &[u32],
        _: Option<&Form>,
        weight: Weight,
    ) -> Result<bool, Error> {
        Ok(field.room.holds_sum(weight.total + weight.held))
    }

    fn holds_instead(
        &mut self,
        field: &Field<'_>,
        _: &Standing,
        _: usize,
        _: Option<&Form>,
        weight: Weight,
    ) -> Result<bool, Error> {
        Ok(field.room.holds_sum(weight.total + weight.held))
    }

    fn left(&self, field: &Field<'_>, standing: &Standing) -> i64 {
        field.room.available.map_or(i64::MAX, |available| {
            available - standing.total(field.division) - standing.held(field.division)
        })
    }

    fn took(&mut self, _: &Field<'_>, _: &Standing, _: &[u32], _: Option<&Form>) {}

    fn reformed(&mut self, _: &Field<'_>, _: usize, _: Option<&Form>) {}
}

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

/// How far the runs of the order rules came.
#[derive(Debug, Clone)]
pub(crate) struct Runs {
    /// Of each section, the group at which its run stopped; of oldest and newest sections, for each
    /// retention.
    stops: Vec<[Option<u32>; 2]>,
    /// Of each chain section, whether its scan began.
    begun: Vec<bool>,
    /// Of each chain section, whether a cut closed it for good.
    closed: Vec<bool>,
    /// What strategies dropped: the reason, and what they say.
    pub(crate) dropped: HashMap<u32, (String, Option<String>)>,
    /// Of the sections whose strategy was replaced by the default rule, why.
    pub(crate) faults: BTreeMap<usize, String>,
    /// The sections that a strategy was asked about.
    asked: HashSet<usize>,
}

impl Runs {
    pub(crate) fn new(division: &Division) -> Self {
        let sections = division.len();
        Self {
            stops: vec![[None; 2]; sections],
            begun: vec![false; sections],
            closed: vec![false; sections],
            dropped: HashMap::new(),
            faults: BTreeMap::new(),
            asked: HashSet::new(),
        }
    }

    /// Returns the group at which a run stopped.
    pub(crate) fn stop(&self, section: usize, retention: Retention) -> Option<usize> {
        self.stops[section][lane(retention)].map(|group| group as usize)
    }

    /// Stops each run at the first group of its order that could be taken and is not.
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the tokenizer fails.
    pub(crate) fn settle(&mut self, field: &Field<'_>, standing: &Standing) -> Result<(), Error> {
        let mut is_closed = false;
        for strongest in [Retention::Preferred, Retention::Optional] {
            for &section in &field.division.order {
                let queue = &field.queues[section];
                match field.division.part(section).rule {
                    DropRule::CutThenStop if queue.strongest == Some(strongest) => {
                        if is_closed {
                            continue;
                        }
                        self.begun[section] = true;
                        let open = |group: &u32| {
                            !standing.taken[*group as usize]
                                && field.bundle(standing, *group as usize).is_ok()
                        };
                        self.stops[section][0] = queue.groups.iter().copied().find(open);
                        is_closed = self.stops[section][0].is_some();
                    }
                    DropRule::Oldest | DropRule::Newest => {
                        let mut stop = None;
                        for &group in field.queue(section, strongest) {
                            if !standing.taken[group as usize]
                                && field.bundle(standing, group as usize).is_ok()
                                && field.ends_run(section, group as usize)?
                            {
                                stop = Some(group);
                                break;
                            }
                        }
                        self.stops[section][lane(strongest)] = stop;
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Stops the run of optional groups of an order section at a group.
    pub(crate) fn stop_at(&mut self, section: usize, group: u32) {
        self.stops[section][lane(Retention::Optional)] = Some(group);
    }

    /// Says whether the scan of a chain section began.
    pub(crate) fn has_begun(&self, section: usize) -> bool {
        self.begun[section]
    }
}

/// The run of a retention.
fn lane(retention: Retention) -> usize {
    usize::from(retention == Retention::Preferred)
}

/// What a group is ordered by: score, then priority, descending; then tokens, then place.
type Key = (u64, u64, u64, u32);

impl<'a> Field<'a> {
    /// Puts the groups that may be selected into the order in which they are.
    ///
    /// O(n log n).
    #[expect(clippy::too_many_arguments, reason = "each is a stage's own product")]
    pub(crate) fn new(
        frame: &'a Frame,
        groups: &'a Groups,
        bonds: &'a Bonds,
        division: &'a Division,
        costs: &'a Costs,
        profile: &'a TokenProfile,
        room: Room,
        retentions: &'a [Retention],
        refused: Vec<bool>,
        bare: Standing,
    ) -> Self {
        let mut field = Self {
            frame,
            groups,
            bonds,
            division,
            costs,
            profile,
            room,
            retentions,
            refused,
            queues: Vec::new(),
            bare,
            customs: HashMap::new(),
            knife: Knife::default(),
            cuts: RefCell::default(),
        };
        field.queues = field.make_queues();
        field
    }

    fn make_queues(&self) -> Vec<Queue> {
        let sections = self.division.len();
        let mut keyed: Vec<[Vec<Key>; 2]> = vec![[Vec::new(), Vec::new()]; sections];
        for group in 0..self.groups.len() {
            if self.refused[group] || self.retentions[group] == Retention::Required {
                continue;
            }
            let section = self.division.section(group);
            let pass = usize::from(self.retentions[group] != Retention::Preferred);
            keyed[section][pass].push(self.key(section, group));
        }
        keyed
            .into_iter()
            .enumerate()
            .map(|(section, [mut preferred, mut optional])| {
                let strongest = if !preferred.is_empty() {
                    Some(Retention::Preferred)
                } else if !optional.is_empty() {
                    Some(Retention::Optional)
                } else {
                    None
                };
                if self.division.part(section).rule == DropRule::CutThenStop {
                    preferred.append(&mut optional);
                }
                preferred.sort_unstable();
                optional.sort_unstable();
                let count = preferred.len();
                preferred.append(&mut optional);
                Queue {
                    groups: preferred.into_iter().map(|(.., group)| group).collect(),
                    preferred: count,
                    strongest,
                }
            })
            .collect()
    }

    fn key(&self, section: usize, group: usize) -> Key {
        let place = number(group);
        match self.division.part(section).rule {
            DropRule::Oldest => return (u64::from(u32::MAX - place), 0, 0, place),
            DropRule::Newest => return (u64::from(place), 0, 0, place),
            _ => {}
        }
        let best = |column: &[f64]| {
            self.groups
                .rows(group)
                .iter()
                .map(|&row| column[row as usize])
                .fold(f64::NEG_INFINITY, f64::max)
        };
        (
            descending(best(&self.frame.scores)),
            descending(best(&self.frame.priorities)),
            self.costs.group(self.groups, group),
            place,
        )
    }

    /// Returns the groups of a section that a pass looks at.
    pub(crate) fn queue(&self, section: usize, retention: Retention) -> &[u32] {
        let queue = &self.queues[section];
        match retention {
            Retention::Preferred => &queue.groups[..queue.preferred],
            _ => &queue.groups[queue.preferred..],
        }
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
        let mut seen: HashSet<u32, FixedState> = HashSet::default();
        let mut gather = |groups: &[u32], all: &mut Vec<u32>| {
            let new = groups
                .iter()
                .copied()
                .filter(|&group| !standing.taken[group as usize] && seen.insert(group));
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
        let mut seen: HashSet<u32, FixedState> = HashSet::default();
        let mut groups = vec![number(group)];
        let mut at = 0;
        seen.insert(number(group));
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
                    && seen.insert(other)
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
    fn is_alone(&self, group: usize) -> bool {
        self.bonds.none()
            && !self.bonds.asks_unknown(self.groups, group)
            && self.division.part(self.division.section(group)).rule != DropRule::AllOrNothing
    }

    /// Returns the row of a group that may be replaced or cut: the only one, and not pinned.
    pub(crate) fn pliable(&self, group: usize) -> Option<usize> {
        match self.groups.rows(group) {
            &[row] if !self.frame.pins[row as usize] => Some(row as usize),
            _ => None,
        }
    }

    /// Returns the alternatives of a group, best first.
    pub(crate) fn alternatives(&self, group: usize) -> &[Form] {
        self.pliable(group)
            .map_or(&[], |row| self.costs.alternatives(row))
    }

    /// Returns what a group costs in the form that it is in.
    pub(crate) fn cost(&self, standing: &Standing, group: usize) -> u64 {
        standing
            .form(group)
            .map_or_else(|| self.costs.group(self.groups, group), |form| form.total)
    }

    /// Returns the best form in which a group could stand beside the required groups alone, as a sum
    /// of parts, with what comes along: its own tokens; `None` where none could.
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the tokenizer fails.
    pub(crate) fn could_stand(&self, group: usize) -> Result<Option<u64>, Error> {
        let Ok(bundle) = self.bundle(&self.bare, group) else {
            return Ok(None);
        };
        let section = self.division.section(group);
        let forms: &[Form] = match self.division.part(section).rule {
            DropRule::AllOrNothing => &[],
            _ => self.alternatives(group),
        };
        let forms = std::iter::once(None).chain(forms.iter().map(Some));
        for form in forms {
            let weight = self
                .bare
                .weigh(self.division, &self.changes(bundle.groups(), form));
            if weight.over_cap.is_none() && self.room.holds_sum(weight.total) {
                let whole = self.costs.group(self.groups, group);
                return Ok(Some(form.map_or(whole, |form| form.total)));
            }
        }
        if !self.division.part(section).rule.cuts() || bundle.groups().len() > 1 {
            return Ok(None);
        }
        let Some(row) = self.pliable(group) else {
            return Ok(None);
        };
        let most = self.most_tokens(&self.bare, section, self.bare.tally(section));
        let cut = self.cut(row, most)?;
        Ok(cut.map(|form| form.total))
    }

    /// Says whether a group that was missed ends the run of its section: one that could never be in
    /// does so only where the section is strict.
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the tokenizer fails.
    fn ends_run(&self, section: usize, group: usize) -> Result<bool, Error> {
        Ok(self.division.part(section).strict || self.could_stand(group)?.is_some())
    }

    /// Cuts a row to so many tokens; a cut that was made is not made again.
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the tokenizer fails.
    fn cut(&self, row: usize, most: i64) -> Result<Option<Form>, Error> {
        if let Some(known) = self.cuts.borrow().get(&(row, most)) {
            return Ok(known.clone());
        }
        let cut = self
            .knife
            .cut(self.frame, row, self.costs, self.profile, most)?;
        self.cuts.borrow_mut().insert((row, most), cut.clone());
        Ok(cut)
    }

    /// Returns the most tokens that one part more of a section may have, if so much is in it.
    pub(crate) fn most_tokens(&self, standing: &Standing, section: usize, tally: Tally) -> i64 {
        let now = standing.tally(section);
        let change = Change {
            section,
            tokens: tally.tokens - now.tokens,
            parts: tally.parts - now.parts + 1,
        };
        let bare = standing.weigh(self.division, &[change]);
        let own = section_tokens(
            self.division,
            section,
            Tally {
                tokens: tally.tokens,
                parts: tally.parts + 1,
            },
        );
        let mut most = i64::MAX;
        if let Some(available) = self.room.available {
            // What the section takes first uses up what is held for it.
            let hold = (signed(standing.floor(section)) - own).max(0);
            let rest = available - bare.total - bare.held;
            most = if rest < 0 { -1 } else { rest + hold };
        }
        most.min(self.most_by_cap(section, tally))
    }

    /// Returns the most tokens that one part more of a section may have by its cap alone.
    fn most_by_cap(&self, section: usize, tally: Tally) -> i64 {
        let own = section_tokens(
            self.division,
            section,
            Tally {
                tokens: tally.tokens,
                parts: tally.parts + 1,
            },
        );
        let cap = self.division.part(section).cap;
        cap.map_or(i64::MAX, |cap| signed(cap) - own)
    }

    /// Returns, of each section, the tokens up to which room is held for it.
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the tokenizer fails.
    pub(crate) fn floors(&self) -> Result<Vec<u64>, Error> {
        (0..self.division.len())
            .map(|section| {
                let part = self.division.part(section);
                if part.floor == 0 {
                    return Ok(0);
                }
                let mut tally = self.bare.tally(section);
                let mut add = |tokens: u64, group: u32| {
                    tally.tokens += signed(tokens);
                    tally.parts += signed(self.groups.rows(group as usize).len() as u64);
                };
                let queue = &self.queues[section].groups;
                if part.rule == DropRule::AllOrNothing {
                    let whole = match queue.first() {
                        Some(&first) => self.could_stand(first as usize)?.is_some(),
                        None => false,
                    };
                    for &group in queue.iter().filter(|_| whole) {
                        add(self.costs.group(self.groups, group as usize), group);
                    }
                } else {
                    for &group in queue {
                        if let Some(tokens) = self.could_stand(group as usize)? {
                            add(tokens, group);
                        }
                    }
                }
                let most = section_tokens(self.division, section, tally);
                let most = u64::try_from(most).unwrap_or(0);
                Ok(part.floor.min(most).min(part.cap.unwrap_or(u64::MAX)))
            })
            .collect()
    }
}

/// Selects by scans: in the five passes of the packer's order.
pub(crate) struct Scan<'f, 'a> {
    pub(crate) field: &'f Field<'a>,
    pub(crate) standing: Standing,
    pub(crate) runs: Runs,
    /// How each group with bonds stood when it was last looked at: what would come along, or what
    /// bars it.
    looks: HashMap<u32, Result<Bundle, Bar>, FixedState>,
}

impl<'f, 'a> Scan<'f, 'a> {
    pub(crate) fn new(field: &'f Field<'a>, standing: Standing) -> Self {
        Self {
            field,
            standing,
            runs: Runs::new(field.division),
            looks: HashMap::default(),
        }
    }

    /// Runs the five passes.
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the tokenizer fails.
    pub(crate) fn select(&mut self) -> Result<(), Error> {
        let judge = &mut BySum;
        let pass = |retention, to_floor| Pass {
            retention,
            to_floor,
            cuts: true,
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
        for &next in field.queue(section, pass.retention) {
            let group = next as usize;
            if self.standing.taken[group] {
                continue;
            }
            if pass.to_floor && !self.is_under_floor(section) {
                return Ok(());
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

    /// Gives each item that was cut or replaced the best form that now fits, in the order of
    /// selection; says whether one has another.
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the tokenizer fails.
    pub(crate) fn reform(&mut self, judge: &mut dyn Judge, by_sum: bool) -> Result<bool, Error> {
        if self.standing.forms.is_empty() {
            return Ok(false);
        }
        let mut any = false;
        for at in 0..self.standing.sequence.len() {
            let group = self.standing.sequence[at].group as usize;
            if let Some(form) = self.standing.form(group).cloned() {
                any |= self.reform_one(group, &form, judge, by_sum)?;
            }
        }
        Ok(any)
    }

    fn reform_one(
        &mut self,
        group: usize,
        form: &Form,
        judge: &mut dyn Judge,
        by_sum: bool,
    ) -> Result<bool, Error> {
        let field = self.field;
        let better = match form.kind {
            Kind::Alternative(place) => place,
            Kind::Cut(_) => usize::MAX,
            Kind::Strategy => return Ok(false),
        };
        let alternatives = field
            .alternatives(group)
            .iter()
            .filter(|other| matches!(other.kind, Kind::Alternative(place) if place < better));
        for other in std::iter::once(None).chain(alternatives.map(Some)) {
            if self.try_instead(group, form, other, judge)? {
                return Ok(true);
            }
        }
        let (Kind::Cut(_), Some(row)) = (&form.kind, field.pliable(group)) else {
            return Ok(false);
        };
        let section = field.division.section(group);
        let mut tally = self.standing.tally(section);
        tally.tokens -= signed(form.total);
        tally.parts -= 1;
        let by_cap = field.most_by_cap(section, tally);
        if by_sum {
            let most = field.most_tokens(&self.standing, section, tally);
            return match self.longer_cut(row, form, most)? {
                Some(longer) => self.try_instead(group, form, Some(&longer), judge),
                None => Ok(false),
            };
        }
        // Joining may save tokens over the sum of parts, so that longer cuts are tried, too.
        let left = judge.left(field, &self.standing).saturating_add(JOINS_SAVE);
        let whole = signed(field.costs.group(field.groups, group));
        let most = signed(form.total)
            .saturating_add(left)
            .min(by_cap)
            .min(whole - 1);
        let Some(longest) = self.longer_cut(row, form, most)? else {
            return Ok(false);
        };
        let forms = match (&form.kind, &longest.kind) {
            (Kind::Cut(shorter), Kind::Cut(kept)) if !kept.json => {
                let (frame, costs) = (field.frame, field.costs);
                let between = (shorter, kept.head);
                field
                    .knife
                    .longer(frame, row, costs, field.profile, between)?
            }
            _ => self.shrinking(row, form, longest)?,
        };
        for longer in forms {
            if self.try_instead(group, form, Some(&longer), judge)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns a cut by elements and the next shorter ones, down to what joining may save.
    fn shrinking(&self, row: usize, form: &Form, longest: Form) -> Result<Vec<Form>, Error> {
        let least = signed(longest.total) - 2 * JOINS_SAVE;
        let mut forms = vec![longest];
        while let Some(last) = forms.last()
            && signed(last.total) > least
            && let Some(shorter) = self.longer_cut(row, form, signed(last.total) - 1)?
        {
            forms.push(shorter);
        }
        Ok(forms)
    }

    fn longer_cut(&self, row: usize, form: &Form, most: i64) -> Result<Option<Form>, Error> {
        let field = self.field;
        let longer = field.cut(row, most)?;
        Ok(longer.filter(|longer| longer.content.stored().len() > form.content.stored().len()))
    }

    fn try_instead(
        &mut self,
        group: usize,
        now: &Form,
        other: Option<&Form>,
        judge: &mut dyn Judge,
    ) -> Result<bool, Error> {
        let field = self.field;
        let whole = field.costs.group(field.groups, group);
        let tokens = signed(other.map_or(whole, |other| other.total)) - signed(now.total);
        let change = [Change {
            section: field.division.section(group),
            tokens,
            parts: 0,
        }];
        let weight = self.standing.weigh(field.division, &change);
        if weight.over_cap.is_some()
            || !judge.holds_instead(field, &self.standing, group, other, weight)?
        {
            return Ok(false);
        }
        judge.reformed(field, group, other);
        self.standing.apply(field.division, &change);
        match other {
            Some(other) => {
                self.standing.forms.insert(number(group), other.clone());
            }
            None => {
                self.standing.forms.remove(&number(group));
            }
        }
        Ok(true)
    }
}

/// Maps a finite number to one that sorts the other way round, as integers do.
pub(crate) fn descending(value: f64) -> u64 {
    let bits = value.to_bits();
    let ascending = if bits >> 63 == 0 {
        bits | 1 << 63
    } else {
        !bits
    };
    !ascending
}

fn number(group: usize) -> u32 {
    u32::try_from(group).expect("the number of rows was checked")
}

fn signed(tokens: u64) -> i64 {
    super::options::signed(tokens)
}

//! The problem of a selection: what its units, choices and rooms stand for.

use super::worth::choice;
use crate::error::Error;
use crate::optimal::{Choice, Gain, Picks, Problem, Room, Unit};
use crate::pack::form::Kind;
use crate::pack::options::signed;
use crate::pack::select::Field;
use crate::pack::standing::{Standing, Taken};
use crate::section::DropRule;
use crate::word::Retention;

/// A problem, and what its units and choices stand for.
pub(super) struct Plan {
    pub(super) problem: Problem,
    /// Of each unit, its groups: several where a section is taken whole or not at all.
    pub(super) members: Vec<Vec<u32>>,
    /// Of each unit, the place of each choice among the group's alternatives; `None` is the whole.
    forms: Vec<Vec<Option<usize>>>,
    /// Of each group, its unit.
    pub(super) of: Vec<Option<u32>>,
    /// The groups of each run, in its order, and whether each could end it: one that could not
    /// stand beside the required groups alone does not.
    pub(super) runs: Vec<Vec<(u32, bool)>>,
}

impl Plan {
    pub(super) fn of(
        field: &Field<'_>,
        standing: &Standing,
        values: &[f64],
        shrink: i64,
        strict: (&[u32], bool),
    ) -> Result<Self, Error> {
        let mut plan = Self {
            problem: Problem::default(),
            members: Vec::new(),
            forms: Vec::new(),
            of: vec![None; field.groups.len()],
            runs: Vec::new(),
        };
        let rooms = plan.make_rooms(field, standing, shrink);
        for (section, room) in rooms.iter().enumerate() {
            let room = *room;
            let queue = &field.queues[section];
            match field.division.part(section).rule {
                DropRule::AllOrNothing => plan.push_section(field, standing, values, section, room),
                DropRule::Truncate | DropRule::LowestScore | DropRule::CutThenStop => {
                    for &group in &queue.groups {
                        plan.push_group(field, standing, values, group, room);
                    }
                }
                DropRule::Oldest | DropRule::Newest => {
                    let (preferred, optional) = queue.groups.split_at(queue.preferred);
                    for lane in [preferred, optional] {
                        let mut run = Vec::new();
                        for &group in lane {
                            if plan.push_group(field, standing, values, group, room) {
                                run.push((group, field.could_stand(group as usize)?.is_some()));
                            }
                        }
                        plan.runs.push(run);
                    }
                }
            }
        }
        let chain = plan.chain(field);
        plan.runs.push(chain);
        plan.order(field, standing, strict);
        plan.bind(field, standing);
        Ok(plan)
    }

    /// Makes a room of each section that has a floor, a cap or a price of entry, and says which
    /// room each section is; what else is there is taken off the capacity.
    fn make_rooms(
        &mut self,
        field: &Field<'_>,
        standing: &Standing,
        shrink: i64,
    ) -> Vec<Option<u32>> {
        let division = field.division;
        let joiner = signed(division.joiner);
        let mut capacity = field.room.available.map(|available| {
            available - standing.base - signed(division.opening) + joiner - shrink
        });
        let rooms = (0..division.len())
            .map(|section| {
                let part = division.part(section);
                let tally = standing.tally(section);
                let is_open = tally.parts > 0;
                let entry = signed(part.header) - signed(part.separator);
                let joiner = if part.joins { joiner } else { 0 };
                let floor = signed(standing.floor(section));
                if part.cap.is_none() && floor == 0 && (is_open || entry + joiner == 0) {
                    if is_open {
                        let tokens = standing.section_tokens(division, section);
                        capacity = capacity.map(|capacity| capacity - joiner - tokens);
                    }
                    return None;
                }
                self.problem.rooms.push(Room {
                    floor,
                    cap: part.cap.map(signed),
                    start: if is_open {
                        standing.section_tokens(division, section)
                    } else {
                        entry
                    },
                    is_open,
                    joiner,
                });
                u32::try_from(self.problem.rooms.len() - 1).ok()
            })
            .collect();
        self.problem.capacity = capacity;
        rooms
    }

    fn push(
        &mut self,
        room: Option<u32>,
        members: Vec<u32>,
        choices: Vec<Choice>,
        forms: Vec<Option<usize>>,
    ) {
        let unit = u32::try_from(self.members.len()).unwrap_or(u32::MAX);
        for &group in &members {
            self.of[group as usize] = Some(unit);
        }
        self.problem.units.push(Unit {
            room,
            choices,
            must: false,
        });
        self.members.push(members);
        self.forms.push(forms);
    }

    /// Adds a group that nothing bars for good; says whether it did.
    fn push_group(
        &mut self,
        field: &Field<'_>,
        standing: &Standing,
        values: &[f64],
        group: u32,
        room: Option<u32>,
    ) -> bool {
        if self.of[group as usize].is_some() {
            return true;
        }
        if !field.is_open(standing, group as usize) {
            return false;
        }
        if let Some(members) = Self::cycle(field, group) {
            let mut whole = Choice {
                tokens: 0,
                gain: Gain::default(),
            };
            for &member in members {
                let own = choice(field, values, member as usize, None);
                whole.tokens += own.tokens;
                whole.gain.preferred += own.gain.preferred;
                whole.gain.optional += own.gain.optional;
                whole.gain.groups += 1;
            }
            self.push(room, members.to_vec(), vec![whole], vec![None]);
            return true;
        }
        let alternatives = field.alternatives(group as usize);
        let mut choices = vec![choice(field, values, group as usize, None)];
        let mut forms = vec![None];
        for form in alternatives {
            if let Kind::Alternative(_) = form.kind {
                choices.push(choice(field, values, group as usize, Some(form)));
                forms.push(Some(forms.len() - 1));
            }
        }
        self.push(room, vec![group], choices, forms);
        true
    }

    /// Returns the groups of a cycle that can be one unit: those of one section that is no run, none
    /// of which can be replaced.
    fn cycle<'f>(field: &'f Field<'_>, group: u32) -> Option<&'f [u32]> {
        let node = field.reach.node(group as usize)?;
        let members = field.reach.members(node);
        let division = field.division;
        let section = division.section(group as usize);
        let is_plain = |&member: &u32| {
            let member = member as usize;
            division.section(member) == section && field.alternatives(member).is_empty()
        };
        let rule = division.part(section).rule;
        (members.len() > 1
            && matches!(rule, DropRule::Truncate | DropRule::LowestScore)
            && members.iter().all(is_plain))
        .then_some(members)
    }

    /// Adds a section of which all or nothing is taken.
    fn push_section(
        &mut self,
        field: &Field<'_>,
        standing: &Standing,
        values: &[f64],
        section: usize,
        room: Option<u32>,
    ) {
        let queue = &field.queues[section].groups;
        if queue.is_empty() || field.bundle_of(standing, queue).is_err() {
            return;
        }
        let mut whole = Choice {
            tokens: 0,
            gain: Gain::default(),
        };
        for &group in queue {
            let own = choice(field, values, group as usize, None);
            whole.tokens += own.tokens;
            whole.gain.preferred += own.gain.preferred;
            whole.gain.optional += own.gain.optional;
            whole.gain.groups += 1;
        }
        whole.gain.sections = u64::from(field.division.part(section).required);
        self.push(room, queue.clone(), vec![whole], vec![None]);
    }

    /// Makes some groups have to be taken; says whether they can be.
    pub(super) fn require(&mut self, groups: &[u32]) -> bool {
        groups.iter().all(|&group| {
            let unit = self.of[group as usize].map(|unit| &mut self.problem.units[unit as usize]);
            unit.is_some_and(|unit| {
                unit.must = true;
                !unit.choices.is_empty()
            })
        })
    }

    /// Finds the bonds between units.
    fn bind(&mut self, field: &Field<'_>, standing: &Standing) {
        if field.bonds.none() {
            return;
        }
        let mut rivals: Vec<Vec<u32>> = vec![Vec::new(); field.bonds.key_count];
        for (unit, groups) in (0..).zip(&self.members) {
            for &group in groups {
                for &need in field.bonds.needs(group as usize) {
                    if standing.taken[need as usize] {
                        continue;
                    }
                    match self.of[need as usize] {
                        Some(other) if other != unit => self.problem.needs.push((unit, other)),
                        Some(_) => {}
                        // What it needs could never stand, so neither can it.
                        None => self.problem.units[unit as usize].choices.clear(),
                    }
                }
                for &key in field.bonds.keys(group as usize) {
                    rivals[key as usize].push(unit);
                }
            }
        }
        self.problem.needs.sort_unstable();
        self.problem.needs.dedup();
        for mut units in rivals {
            units.dedup();
            if units.len() > 1 {
                self.problem.rivals.push(units);
            }
        }
    }

    /// Lets go what is held: what was picked stays, in a form worth as much.
    pub(super) fn release(&mut self, picks: &Picks) {
        for room in &mut self.problem.rooms {
            room.floor = 0;
        }
        for ((unit, forms), pick) in self
            .problem
            .units
            .iter_mut()
            .zip(&mut self.forms)
            .zip(picks)
        {
            let Some(pick) = pick else { continue };
            unit.must = true;
            let least = unit.choices[*pick as usize].gain;
            let kept: Vec<bool> = unit
                .choices
                .iter()
                .map(|choice| choice.gain >= least)
                .collect();
            let mut keep = kept.iter();
            unit.choices.retain(|_| *keep.next().unwrap_or(&true));
            let mut keep = kept.iter();
            forms.retain(|_| *keep.next().unwrap_or(&true));
        }
    }

    /// Takes what was picked, in the order in which a scan would have.
    pub(super) fn apply(&self, field: &Field<'_>, standing: &mut Standing, picks: &Picks) {
        for retention in [Retention::Preferred, Retention::Optional] {
            for &section in &field.division.order {
                for &group in field.queue(section, retention) {
                    let Some(unit) = self.of[group as usize] else {
                        continue;
                    };
                    let Some(pick) = picks[unit as usize] else {
                        continue;
                    };
                    let form = self.forms[unit as usize][pick as usize]
                        .map(|place| &field.alternatives(group as usize)[place]);
                    let changes = field.changes(&[group], form);
                    let by_floor = standing.is_under_floor(field.division, section);
                    standing.apply(field.division, &changes);
                    standing.enter(field.bonds, group as usize);
                    standing.sequence.push(Taken { group, by_floor });
                    if let Some(form) = form {
                        standing.forms.insert(group, form.clone());
                    }
                }
            }
        }
    }
}

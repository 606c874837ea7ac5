//! Selection as one problem: the choice of groups and forms that is worth most.

use super::admit::Refusals;
use super::form::Form;
use super::options::{PackOptions, Selection, Values, signed};
use super::select::{BySum, Field, Pass, Scan};
use super::slots::Slots;
use super::standing::{Standing, Taken};
use super::verify::count;
use crate::error::Error;
use crate::frame::Frame;
use crate::optimal::{Answer, Choice, DEFAULT_EFFORT, Gain, Picks, Problem, Room, Unit, solve};
use crate::policy::Valuer;
use crate::section::DropRule;
use crate::word::Retention;

/// How often a problem is solved again with less room, because the rendering was over.
const MOST_ROUNDS: usize = 8;

/// How many problems are solved for the runs of one selection.
const MOST_SOLVES: usize = 24;

/// Values are whole numbers of this part.
pub(crate) const UNITS: f64 = 1_048_576.0;

/// The greatest value, in units.
const MOST_UNITS: f64 = 1_152_921_504_606_846_976.0;

/// What is known of an optimal selection, as the manifest tells it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Optimum {
    /// Value of what was selected, in units: preferred and optional.
    pub(crate) value: (u64, u64),
    /// What no selection is over.
    pub(crate) upper: (u64, u64),
    /// What the search may have missed, as a part of its bound: before the rendering was counted.
    pub(crate) gap: f64,
    pub(crate) is_proved: bool,
    /// Nodes that were searched.
    pub(crate) effort: u64,
}

/// Reads the value of each row.
///
/// # Errors
///
/// `InvalidItem` for a value that is not finite or below 0, `InvalidOption` where there are not as
/// many as rows.
pub(crate) fn check_values(frame: &Frame, selection: &Selection) -> Result<(), Error> {
    let Selection::Optimal { values, .. } = selection else {
        return Ok(());
    };
    let (field, values) = match values {
        Values::Given(values) => ("value", &**values),
        Values::Scores => ("score", &frame.scores[..]),
        Values::Asked(_) => return Ok(()),
    };
    if values.len() != frame.len() {
        return Err(Error::invalid_option(
            "value",
            format!("a list of {}", values.len()),
            "has not one value for each row",
            Some(&format!("a list of {}", frame.len())),
        ));
    }
    values
        .iter()
        .enumerate()
        .try_for_each(|(row, &value)| check_value(field, row, value))
}

fn check_value(field: &str, row: usize, value: f64) -> Result<(), Error> {
    if value.is_finite() && value >= 0.0 {
        return Ok(());
    }
    Err(Error::invalid_item(
        field,
        value.to_string(),
        "is no value of an optimal selection",
        Some("a finite number from 0"),
    )
    .at_row(row))
}

/// Asks code of the caller's what the admitted rows are worth; others are worth nothing. It sees
/// them as they were admitted: without secrets, and without alternatives that were refused.
///
/// # Errors
///
/// `StrategyError` where it fails, `InvalidItem` for a value that is not finite or below 0.
pub(crate) fn ask(
    asked: &dyn Valuer,
    frame: &Frame,
    refusals: &Refusals,
) -> Result<Vec<f64>, Error> {
    let shown = refusals.shown(frame);
    let rows: Vec<usize> = (0..frame.len())
        .filter(|&row| refusals.of(row).is_none())
        .collect();
    let said = asked.values(shown.as_ref().unwrap_or(frame), &rows)?;
    if said.len() != rows.len() {
        let message = format!("it gave {} values for {} items", said.len(), rows.len());
        return Err(Error::strategy("value", None, message, None));
    }
    let mut values = vec![0.0; frame.len()];
    for (row, value) in rows.into_iter().zip(said) {
        check_value("value", row, value)?;
        values[row] = value;
    }
    Ok(values)
}

/// Selects what is worth most, counts the rendering, and selects again with less room while that is
/// over.
///
/// # Errors
///
/// `TokenizerError` where the tokenizer fails.
pub(crate) fn select<'a>(
    scan: &mut Scan<'_, 'a>,
    slots: &'a Slots,
    options: &'a PackOptions,
    effort: Option<u64>,
    values: &[f64],
) -> Result<Optimum, Error> {
    let field = scan.field;
    let effort = effort.unwrap_or(DEFAULT_EFFORT);
    let start = scan.standing.clone();
    let mut shrink = 0;
    let mut used = 0;
    let mut found = None;
    let mut is_proved = false;
    for _ in 0..=MOST_ROUNDS {
        let call = Call {
            field,
            start: &start,
            values,
            shrink,
            effort,
        };
        let Some(held) = call.solve(None)? else {
            break;
        };
        used += held.effort;
        is_proved = held.answer.is_proved;
        found = Some(held.answer.upper);
        scan.standing = held.standing;
        if scan.standing.held(field.division) > 0 {
            // No section could use what is still held for it: the others may.
            if let Some(released) = call.solve(Some(&held.answer.picks))? {
                used += released.effort;
                is_proved &= released.answer.is_proved;
                scan.standing = released.standing;
            }
        }
        let Some(available) = field.room.available else {
            break;
        };
        let Some(total) = count(field, slots, &scan.standing, options)? else {
            break;
        };
        let over = signed(total) - available;
        if over <= 0 {
            break;
        }
        shrink += over;
    }
    scan.standing.release();
    // A run may be passed by what something else requires, which no bond of the problem says: what
    // fits that way comes in behind, and then nothing is proved.
    let before = scan.standing.sequence.len();
    fill(scan)?;
    is_proved &= scan.standing.sequence.len() == before;
    scan.runs.settle(field, &scan.standing)?;
    let upper = found.unwrap_or((0, 0));
    Ok(Optimum {
        value: (0, 0),
        upper,
        gap: gap(value_of(field, &scan.standing, values), upper),
        is_proved,
        effort: used,
    })
}

/// A plan that was solved.
struct Solved {
    answer: Answer,
    standing: Standing,
    effort: u64,
}

/// What a plan is made from.
struct Call<'c, 'a> {
    field: &'c Field<'a>,
    start: &'c Standing,
    values: &'c [f64],
    shrink: i64,
    effort: u64,
}

impl Call<'_, '_> {
    /// Solves a plan so that its runs are kept: no run goes past a group that could be taken. Where
    /// something was kept, nothing is held.
    ///
    /// A group with a rival may be passed while the rival is in. The search is let pass all of them;
    /// where it passed one without a rival, it is run again: once with that group as the end of its
    /// run, and once for each rival, with the rival in.
    fn solve(&self, kept: Option<&Picks>) -> Result<Option<Solved>, Error> {
        let (field, start) = (self.field, self.start);
        let mut open: Vec<(Vec<u32>, Vec<u32>)> = vec![(Vec::new(), Vec::new())];
        let mut best: Option<((Gain, i64), Solved)> = None;
        let mut upper = None;
        let mut used = 0;
        let mut is_proved = true;
        let mut solves = 0;
        while let Some((strict, needed)) = open.pop() {
            let is_last = solves == MOST_SOLVES;
            if is_last {
                is_proved = false;
                if best.is_some() {
                    break;
                }
            }
            solves += 1;
            let mut plan = Plan::of(field, start, self.values, self.shrink, (&strict, is_last))?;
            if let Some(kept) = kept {
                plan.release(kept);
            }
            if !is_last && !plan.require(&needed) {
                continue;
            }
            let Some(answer) = solve(&plan.problem, self.effort) else {
                continue;
            };
            used += answer.effort;
            upper.get_or_insert(answer.upper);
            is_proved &= answer.is_proved;
            let mut standing = start.clone();
            plan.apply(field, &mut standing, &answer.picks);
            let key = (
                plan.problem.gain(&answer.picks),
                -standing.total(field.division),
            );
            if best.as_ref().is_some_and(|best| key <= best.0) {
                continue;
            }
            let broken = plan.broken(field, &standing).first().copied();
            if let Some(group) = broken {
                for rival in plan.rivals(field, start, group) {
                    let mut needed = needed.clone();
                    needed.push(rival);
                    open.push((strict.clone(), needed));
                }
                let mut strict = strict;
                strict.push(group);
                open.push((strict, needed));
                continue;
            }
            best = Some((
                key,
                Solved {
                    answer,
                    standing,
                    effort: 0,
                },
            ));
        }
        Ok(best.map(|(_, mut solved)| {
            if let Some(upper) = upper.filter(|_| !is_proved) {
                solved.answer.upper = upper;
            }
            solved.answer.is_proved = is_proved;
            solved.effort = used;
            solved
        }))
    }
}

/// Takes what still fits, so that nothing is left out for a search that was not ended.
fn fill(scan: &mut Scan<'_, '_>) -> Result<(), Error> {
    loop {
        let mut any = false;
        for retention in [Retention::Preferred, Retention::Optional] {
            let pass = Pass {
                retention,
                to_floor: false,
                cuts: false,
                bound_only: false,
            };
            any |= scan.pass(pass, &mut BySum)?;
        }
        if !any {
            return Ok(());
        }
    }
}

impl Optimum {
    /// Says what the selection is worth, after the rendering was made to fit.
    pub(crate) fn settled(
        mut self,
        field: &Field<'_>,
        standing: &Standing,
        values: &[f64],
    ) -> Self {
        let value = value_of(field, standing, values);
        self.value = value;
        self.gap = self.gap.max(gap(value, self.upper));
        if value > self.upper {
            self.upper = value;
        } else if value < self.upper {
            self.is_proved = false;
        }
        self
    }
}

/// Returns what was selected is worth, in units: preferred and optional.
fn value_of(field: &Field<'_>, standing: &Standing, values: &[f64]) -> (u64, u64) {
    let mut value = (0, 0);
    for taken in &standing.sequence {
        let group = taken.group as usize;
        if standing.taken[group] {
            let worth = worth(field, values, group, standing.form(group));
            match field.retentions[group] {
                Retention::Preferred => value.0 += worth,
                _ => value.1 += worth,
            }
        }
    }
    value
}

/// Returns what is missing of a bound, as a part of it.
#[expect(clippy::cast_precision_loss, reason = "a part of a sum is a float")]
fn gap(value: (u64, u64), upper: (u64, u64)) -> f64 {
    let sum = |value: (u64, u64)| (u128::from(value.0) + u128::from(value.1)) as f64;
    let (value, upper) = (sum(value), sum(upper));
    if upper > value {
        (upper - value) / upper
    } else {
        0.0
    }
}

/// Returns what a group is worth in a form, in units.
fn worth(field: &Field<'_>, values: &[f64], group: usize, form: Option<&Form>) -> u64 {
    let best = field
        .groups
        .rows(group)
        .iter()
        .map(|&row| values[row as usize])
        .fold(0.0, f64::max);
    let share = match form.map(|form| &form.kind) {
        Some(super::form::Kind::Alternative(place)) => {
            let row = field.groups.rows(group)[0] as usize;
            let extra = field.frame.extra(row);
            extra
                .and_then(|extra| extra.alternatives.get(*place))
                .map_or(0.0, |alternative| alternative.value)
        }
        _ => 1.0,
    };
    units(best * share)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is from 0 and far below 2^63"
)]
fn units(value: f64) -> u64 {
    (value * UNITS).round().clamp(0.0, MOST_UNITS) as u64
}

/// Returns what a group costs and gains in a form.
fn choice(field: &Field<'_>, values: &[f64], group: usize, form: Option<&Form>) -> Choice {
    let part = field.division.part(field.division.section(group));
    let tokens = form.map_or_else(|| field.costs.group(field.groups, group), |form| form.total);
    let parts = field.groups.rows(group).len() as u64;
    let value = worth(field, values, group, form);
    let is_preferred = field.retentions[group] == Retention::Preferred;
    Choice {
        tokens: signed(tokens) + signed(part.separator) * signed(parts),
        gain: Gain {
            sections: 0,
            preferred: if is_preferred { value } else { 0 },
            optional: if is_preferred { 0 } else { value },
            groups: 1,
        },
    }
}

/// A problem, and what its units and choices stand for.
struct Plan {
    problem: Problem,
    /// Of each unit, its groups: several where a section is taken whole or not at all.
    members: Vec<Vec<u32>>,
    /// Of each unit, the place of each choice among the group's alternatives; `None` is the whole.
    forms: Vec<Vec<Option<usize>>>,
    /// Of each group, its unit.
    of: Vec<Option<u32>>,
    /// The groups of each run, in its order, and whether each could end it: one that could not
    /// stand beside the required groups alone does not.
    runs: Vec<Vec<(u32, bool)>>,
}

impl Plan {
    fn of(
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
        let mut capacity = field
            .room
            .available
            .map(|available| available - standing.base + joiner - shrink);
        let rooms = (0..division.len())
            .map(|section| {
                let part = division.part(section);
                let tally = standing.tally(section);
                let is_open = tally.parts > 0;
                let entry = signed(part.header) - signed(part.separator);
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
        if field.bundle(standing, group as usize).is_err() {
            return false;
        }
        let alternatives = field.alternatives(group as usize);
        let mut choices = vec![choice(field, values, group as usize, None)];
        let mut forms = vec![None];
        for form in alternatives {
            if let super::form::Kind::Alternative(_) = form.kind {
                choices.push(choice(field, values, group as usize, Some(form)));
                forms.push(Some(forms.len() - 1));
            }
        }
        self.push(room, vec![group], choices, forms);
        true
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

    /// Returns the groups of the chain of sections, in its order.
    fn chain(&self, field: &Field<'_>) -> Vec<(u32, bool)> {
        let mut run = Vec::new();
        for strongest in [Retention::Preferred, Retention::Optional] {
            for &section in &field.division.order {
                let queue = &field.queues[section];
                if field.division.part(section).rule == DropRule::CutThenStop
                    && queue.strongest == Some(strongest)
                {
                    let known = |group: &u32| self.of[*group as usize].is_some();
                    run.extend(
                        queue
                            .groups
                            .iter()
                            .copied()
                            .filter(known)
                            .map(|group| (group, true)),
                    );
                }
            }
        }
        run
    }

    /// Lets each group of a run need the one before, or, where that may have a rival in, the last
    /// that may not.
    fn order(&mut self, field: &Field<'_>, standing: &Standing, strict: (&[u32], bool)) {
        let (strict, all) = strict;
        let mut holders = vec![0_usize; field.bonds.key_count];
        for &group in self.members.iter().flatten() {
            for &key in field.bonds.keys(group as usize) {
                holders[key as usize] += 1;
            }
        }
        let may_pass = |group: u32| {
            field.bonds.key_count > 0
                && !all
                && !strict.contains(&group)
                && field.bundle(standing, group as usize).is_ok_and(|bundle| {
                    let has_rivals = |group: &u32| {
                        let keys = field.bonds.keys(*group as usize);
                        keys.iter().any(|key| holders[*key as usize] > 1)
                    };
                    bundle.groups().iter().any(has_rivals)
                })
        };
        for run in &self.runs {
            let mut before = None;
            for &(group, ends) in run {
                let unit = self.of[group as usize];
                if let (Some(unit), Some(before)) = (unit, before) {
                    self.problem.needs.push((unit, before));
                }
                if ends && !may_pass(group) {
                    before = unit;
                }
            }
        }
    }

    /// Returns the groups of which one is in where a group, or what it needs, is out for a rival.
    fn rivals(&self, field: &Field<'_>, standing: &Standing, group: u32) -> Vec<u32> {
        let Ok(bundle) = field.bundle(standing, group as usize) else {
            return Vec::new();
        };
        let keys: Vec<u32> = bundle
            .groups()
            .iter()
            .flat_map(|&group| field.bonds.keys(group as usize))
            .copied()
            .collect();
        let others = self.members.iter().flatten().copied();
        others
            .filter(|other| !bundle.groups().contains(other))
            .filter(|&other| {
                let own = field.bonds.keys(other as usize);
                own.iter().any(|key| keys.contains(key))
            })
            .collect()
    }

    /// Makes some groups have to be taken; says whether they can be.
    fn require(&mut self, groups: &[u32]) -> bool {
        groups.iter().all(|&group| {
            let unit = self.of[group as usize].map(|unit| &mut self.problem.units[unit as usize]);
            unit.is_some_and(|unit| {
                unit.must = true;
                !unit.choices.is_empty()
            })
        })
    }

    /// Returns the groups that could be taken, are not, and that their run goes past.
    fn broken(&self, field: &Field<'_>, standing: &Standing) -> Vec<u32> {
        let mut broken = Vec::new();
        for run in &self.runs {
            let mut passed: Vec<u32> = Vec::new();
            for &(group, ends) in run {
                if standing.taken[group as usize] {
                    broken.append(&mut passed);
                } else if ends && field.bundle(standing, group as usize).is_ok() {
                    passed.push(group);
                }
            }
        }
        broken
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
    fn release(&mut self, picks: &Picks) {
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
    fn apply(&self, field: &Field<'_>, standing: &mut Standing, picks: &Picks) {
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

//! The rendering counted, and the selection brought to fit it.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use packframe_tokens::Seams;

use super::division::Division;
use super::form::Form;
use super::groups::Groups;
use super::joined::Joined;
use super::lines::{Price, price};
use super::options::{PackOptions, signed};
use super::rendered::Rendered;
use super::select::{Field, Judge, Pass, Scan};
use super::slots::Slots;
use super::standing::{Change, Standing, Weight};
use crate::content::Content;
use crate::error::Error;
use crate::frame::Frame;
use crate::section::DropRule;
use crate::word::{Render, Retention};

/// Groups of a line of requirements that is long: all such lines are priced at once.
const LONG_LINE: u32 = 16;

/// How often they are, at most: where much comes in one by one, that would be quadratic.
const MOST_WALKS: usize = 16;

/// What the rendering has, after it was made to fit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Verified {
    /// Tokens of the rendering.
    pub(crate) total: u64,
    /// Whether shortfalls come from counting joins, not from the sum of parts.
    pub(crate) counts_joins: bool,
    /// Whether the required groups alone are over.
    pub(crate) over: bool,
}

/// Counts the rendering; sheds what makes it go over, and fills the room that it leaves.
///
/// A tokenizer with seams recounts joins only. Any other recounts the whole, at most
/// ⌈log₂ n⌉ + 4 times, of which one is spared where the tokens of what is in are `known`.
///
/// # Errors
///
/// `TokenizerError` where the tokenizer fails.
pub(crate) fn verify<'a>(
    scan: &mut Scan<'_, 'a>,
    slots: &'a Slots,
    options: &'a PackOptions,
    known: Option<u64>,
) -> Result<Verified, Error> {
    let field = scan.field;
    if is_sum(options) {
        let total = scan.standing.total(field.division);
        return Ok(Verified {
            total: u64::try_from(total).unwrap_or(0),
            counts_joins: false,
            over: !field.room.holds_sum(total),
        });
    }
    if !options.counts_messages()
        && let Some(seams) = options.profile.tokenizer().seams()
        && let Some(joined) = join(field, slots, &scan.standing, options, seams)
    {
        return by_joins(scan, slots, joined);
    }
    by_recounts(scan, slots, options, known)
}

/// Counts the rendering of what is in by its joins; `None` where that cannot be done, or where it is
/// the sum of its parts.
pub(crate) fn count_joins<'a>(
    field: &Field<'a>,
    slots: &'a Slots,
    standing: &Standing,
    options: &'a PackOptions,
) -> Option<u64> {
    if is_sum(options) || options.counts_messages() {
        return None;
    }
    let seams = options.profile.tokenizer().seams()?;
    let joined = join(field, slots, standing, options, seams)?;
    let whole = signed(joined.tokens()) + standing.apart(field.division);
    Some(u64::try_from(whole).unwrap_or(0))
}

/// Says whether the rendering costs the sum of its parts, by definition.
pub(crate) fn is_sum(options: &PackOptions) -> bool {
    options.render() == Render::Messages && options.merged.is_none() && !options.counts_messages()
}

/// Joins what is in, if the texts have seams close enough together.
pub(crate) fn join<'a>(
    field: &Field<'a>,
    slots: &'a Slots,
    standing: &Standing,
    options: &'a PackOptions,
    seams: &'a dyn Seams,
) -> Option<Joined<'a>> {
    let open = |group: &u32| !standing.taken[*group as usize];
    let candidates = field
        .queues
        .iter()
        .flat_map(|queue| queue.groups.iter().copied().filter(open))
        .flat_map(|group| field.groups.rows(group as usize))
        .map(|&row| slots.of_row(row as usize))
        .filter(|&slot| slots.joins(slot));
    let forms: HashMap<usize, Form, FixedState> = standing
        .forms
        .iter()
        .map(|(&group, form)| {
            let row = field.groups.rows(group as usize)[0] as usize;
            (slots.of_row(row), form.clone())
        })
        .filter(|(slot, _)| slots.joins(*slot))
        .collect();
    let filled = slots.filled(field.groups, standing);
    let headers: Vec<usize> = (0..field.division.len())
        .filter(|&section| standing.tally(section).parts == 0)
        .filter_map(|section| slots.header_of(section))
        .collect();
    Joined::new(
        (field.frame, field.costs, slots),
        (seams, &options.profile),
        options.labels,
        forms,
        &slots.parts(&filled).collect::<Vec<usize>>(),
        candidates.chain(headers),
    )
}

/// Judges by the count of the joined text.
pub(crate) struct ByRendering<'j, 'a> {
    joined: &'j mut Joined<'a>,
    slots: &'a Slots,
    /// Whether groups are tried that are too long to be counted more than once: until one is in.
    heavy: bool,
    /// What the pack would cost with each long line of requirements, since something last came in.
    lines: Option<Vec<Option<Price>>>,
    /// How often that was found.
    walks: usize,
}

impl<'j, 'a> ByRendering<'j, 'a> {
    fn new(joined: &'j mut Joined<'a>, slots: &'a Slots) -> Self {
        Self {
            joined,
            slots,
            heavy: false,
            lines: None,
            walks: 0,
        }
    }

    /// Says whether more may come in: behind a group that is too long, nothing does.
    fn is_open(&self) -> bool {
        !self.heavy || self.joined.is_light(&[])
    }

    fn new_slots(&self, field: &Field<'_>, standing: &Standing, bundle: &[u32]) -> Vec<usize> {
        new_slots(self.slots, field, standing, bundle)
    }
}

/// Returns the slots that some groups fill in the text, with the headers of sections that were
/// empty.
pub(crate) fn new_slots(
    slots: &Slots,
    field: &Field<'_>,
    standing: &Standing,
    bundle: &[u32],
) -> Vec<usize> {
    let mut added = Vec::with_capacity(bundle.len());
    for &group in bundle {
        let group = group as usize;
        let section = field.division.section(group);
        if !field.division.part(section).joins {
            continue;
        }
        if standing.tally(section).parts == 0
            && let Some(header) = slots.header_of(section)
            && !added.contains(&header)
        {
            added.push(header);
        }
        added.extend(
            field
                .groups
                .rows(group)
                .iter()
                .map(|&row| slots.of_row(row as usize)),
        );
    }
    added
}

impl Judge for ByRendering<'_, '_> {
    fn holds(
        &mut self,
        field: &Field<'_>,
        standing: &Standing,
        bundle: &[u32],
        form: Option<&Form>,
        weight: Weight,
    ) -> Result<bool, Error> {
        let room = field.room.less(weight.apart);
        if room.available.is_none() {
            return Ok(true);
        }
        let added = self.new_slots(field, standing, bundle);
        let form = form.filter(|_| field.division.joins(bundle[0] as usize));
        let first = self
            .slots
            .of_row(field.groups.rows(bundle[0] as usize)[0] as usize);
        if let Some(form) = form {
            self.joined.reform(first, Some(form.clone()));
        }
        // The cheapest question first: the first two rule most of them out, uncounted.
        let holds = self.is_open()
            && room.holds(self.joined.least_with(&added))
            && room.holds(self.joined.least_near(&added))
            && self.joined.is_light(&added) != self.heavy
            && room.holds(self.joined.tokens_with(&added));
        if form.is_some() && !holds {
            self.joined.reform(first, None);
        }
        Ok(holds)
    }

    fn holds_instead(
        &mut self,
        field: &Field<'_>,
        standing: &Standing,
        group: usize,
        form: Option<&Form>,
        weight: Weight,
    ) -> Result<bool, Error> {
        let room = field.room.less(weight.apart);
        if !field.division.joins(group) {
            return Ok(room.holds(self.joined.tokens()));
        }
        let slot = self.slots.of_row(field.groups.rows(group)[0] as usize);
        let now = standing.form(group).cloned();
        self.joined.remove(slot);
        self.joined.reform(slot, form.cloned());
        let holds = self.joined.is_light(&[slot]) && {
            self.joined.insert(slot);
            let holds = room.holds(self.joined.tokens());
            self.joined.remove(slot);
            holds
        };
        self.joined.reform(slot, now);
        self.joined.insert(slot);
        Ok(holds)
    }

    fn is_hopeless(&mut self, field: &Field<'_>, standing: &Standing, group: usize) -> bool {
        let Some(node) = field.reach.node(group) else {
            return false;
        };
        let company = field.reach.company(&standing.taken, group);
        let is_long = company.is_some_and(|company| company.groups >= LONG_LINE);
        if !is_long || !field.alternatives(group).is_empty() {
            return false;
        }
        if self.lines.is_none() && self.walks < MOST_WALKS {
            self.walks += 1;
            let joined = Some(&mut *self.joined);
            self.lines = Some(price(field, self.slots, standing, joined, LONG_LINE));
        }
        let lines = self.lines.as_ref();
        let price = lines.and_then(|lines| lines[node as usize].as_ref());
        let available = field.room.available.unwrap_or(i64::MAX);
        price.is_some_and(|price| price.rendered > available)
    }

    fn left(&self, field: &Field<'_>, standing: &Standing) -> i64 {
        let available = field.room.available;
        available.map_or(i64::MAX, |available| {
            available - standing.apart(field.division) - signed(self.joined.tokens())
        })
    }

    fn took(&mut self, field: &Field<'_>, standing: &Standing, bundle: &[u32], _: Option<&Form>) {
        self.lines = None;
        for slot in self.new_slots(field, standing, bundle) {
            self.joined.insert(slot);
        }
    }

    fn reformed(&mut self, field: &Field<'_>, group: usize, form: Option<&Form>) {
        self.lines = None;
        if !field.division.joins(group) {
            return;
        }
        let slot = self.slots.of_row(field.groups.rows(group)[0] as usize);
        self.joined.remove(slot);
        self.joined.reform(slot, form.cloned());
        self.joined.insert(slot);
    }
}

/// The passes in which the room that a rendering leaves is offered: nothing is cut anew.
fn offers(bound_only: bool) -> [Pass; 2] {
    [Retention::Preferred, Retention::Optional].map(|retention| Pass {
        retention,
        to_floor: false,
        cuts: false,
        bound_only,
    })
}

fn by_joins<'a>(
    scan: &mut Scan<'_, 'a>,
    slots: &'a Slots,
    mut joined: Joined<'a>,
) -> Result<Verified, Error> {
    let field = scan.field;
    let mut shedder = Shedder::new(&scan.standing);
    let total = |joined: &Joined<'_>, standing: &Standing| {
        let whole = signed(joined.tokens()) + standing.apart(field.division);
        u64::try_from(whole).unwrap_or(0)
    };
    while !field.room.holds(total(&joined, &scan.standing)) {
        let shed = shedder.shed(field, &mut scan.standing);
        if shed.is_empty() {
            return Ok(Verified {
                total: total(&joined, &scan.standing),
                counts_joins: true,
                over: true,
            });
        }
        for slot in new_slots(slots, field, &scan.standing, &shed) {
            joined.remove(slot);
        }
        for &group in &shed {
            if field.groups.rows(group as usize).len() == 1 && field.division.joins(group as usize)
            {
                joined.reform(
                    slots.of_row(field.groups.rows(group as usize)[0] as usize),
                    None,
                );
            }
        }
    }
    let mut judge = ByRendering::new(&mut joined, slots);
    loop {
        let mut any = scan.reform(&mut judge, false)?;
        for pass in offers(false) {
            any |= scan.pass(pass, &mut judge)?;
        }
        if !any {
            break;
        }
    }
    // Groups that are too long to be counted more than once are offered what is left, once.
    judge.heavy = true;
    let mut heavy = false;
    for pass in offers(false) {
        heavy |= scan.pass(pass, &mut judge)?;
    }
    Ok(Verified {
        total: total(&joined, &scan.standing),
        counts_joins: !heavy && joined.is_patient(),
        over: false,
    })
}

/// Takes groups out again, the last selected first: optional, preferred, optional by floor,
/// preferred by floor.
struct Shedder {
    /// Of each kind, the places in the sequence from which on all are looked at.
    next: [usize; 4],
}

impl Shedder {
    fn new(standing: &Standing) -> Self {
        Self {
            next: [standing.sequence.len(); 4],
        }
    }

    /// Takes the next group out, with what requires it and with its all-or-nothing section, and
    /// returns them all; nothing where only required groups are left.
    fn shed(&mut self, field: &Field<'_>, standing: &mut Standing) -> Vec<u32> {
        for kind in 0..4 {
            while self.next[kind] > 0 {
                self.next[kind] -= 1;
                let taken = standing.sequence[self.next[kind]];
                let group = taken.group as usize;
                let preferred = field.retentions[group] == Retention::Preferred;
                let own = usize::from(preferred) + 2 * usize::from(taken.by_floor);
                if own == kind && standing.taken[group] {
                    return take_out(field, standing, taken.group);
                }
            }
        }
        Vec::new()
    }
}

/// Takes a group out for good, with what requires it and with its all-or-nothing section.
fn take_out(field: &Field<'_>, standing: &mut Standing, group: u32) -> Vec<u32> {
    let mut out = Vec::new();
    let mut open = vec![group];
    while let Some(next) = open.pop() {
        let group = next as usize;
        if !standing.taken[group] || field.retentions[group] == Retention::Required {
            continue;
        }
        let section = field.division.section(group);
        let change = Change {
            section,
            tokens: -signed(field.cost(standing, group)),
            parts: -signed(field.groups.rows(group).len() as u64),
        };
        standing.apply(field.division, &[change]);
        standing.leave(field.bonds, group);
        standing.forms.remove(&next);
        standing.barred[group] = true;
        out.push(next);
        open.extend(field.bonds.needed_by(group));
        if field.division.part(section).rule == DropRule::AllOrNothing {
            open.extend(&field.queues[section].groups);
        }
    }
    out
}

/// How much more a counter says of a rendering than the sum of its parts.
#[derive(Clone, Copy)]
struct Rate {
    counted: i64,
    summed: i64,
}

impl Rate {
    /// Returns what a sum of parts is expected to count, rounded up; never less than the sum.
    fn expect(self, summed: i64) -> i64 {
        if self.counted <= self.summed || self.summed <= 0 {
            return summed;
        }
        let scaled = i128::from(summed) * i128::from(self.counted);
        let rounded = (scaled + i128::from(self.summed) - 1) / i128::from(self.summed);
        i64::try_from(rounded).unwrap_or(i64::MAX)
    }

    /// Returns the greatest sum of parts that is expected to count no more than there is room for.
    fn keep(self, room: i64) -> i64 {
        if self.counted <= 0 {
            return self.summed;
        }
        let scaled = i128::from(room) * i128::from(self.summed) / i128::from(self.counted);
        i64::try_from(scaled).unwrap_or(i64::MAX)
    }
}

/// Recounts the whole: once; where that is over, once the required groups alone, which shows what
/// the others add, and then behind each shedding, each of which takes at least twice as many groups
/// as the one before; and once with the groups that are offered what is left.
fn by_recounts(
    scan: &mut Scan<'_, '_>,
    slots: &Slots,
    options: &PackOptions,
    known: Option<u64>,
) -> Result<Verified, Error> {
    let field = scan.field;
    let (room, division) = (field.room, field.division);
    let verified = |total, over| Verified {
        total,
        counts_joins: false,
        over,
    };
    let mut total = match known {
        Some(total) => total,
        None => recount(field, slots, &scan.standing, options)?,
    };
    let mut rate = Rate {
        counted: signed(total),
        summed: scan.standing.total(division),
    };
    if !room.holds(total) {
        if scan.standing.sequence.is_empty() {
            return Ok(verified(total, true));
        }
        let floor = recount(field, slots, &field.bare, options)?;
        if !room.holds(floor) {
            return Ok(verified(floor, true));
        }
        let least_sum = field.bare.total(division);
        let left = room.available.unwrap_or(i64::MAX) - signed(floor);
        let mut least = 1;
        let mut shedder = Shedder::new(&scan.standing);
        while !room.holds(total) {
            let above = scan.standing.total(division) - least_sum;
            rate = Rate {
                counted: signed(total) - signed(floor),
                summed: above,
            };
            let mut count = 0;
            while count < least || scan.standing.total(division) - least_sum > rate.keep(left) {
                let shed = shedder.shed(field, &mut scan.standing);
                if shed.is_empty() {
                    break;
                }
                count += shed.len();
            }
            if count == 0 {
                return Ok(verified(total, true));
            }
            least = 2 * count;
            total = recount(field, slots, &scan.standing, options)?;
        }
    }
    if room.available.is_some() {
        total = offer_batch(scan, slots, options, rate, total)?;
        total = lengthen(scan, slots, options, total)?;
    }
    Ok(verified(total, false))
}

/// Judges by what a batch is expected to count.
struct ByRate {
    expected: i64,
    rate: Rate,
}

impl ByRate {
    fn cost(&self, field: &Field<'_>, standing: &Standing, weight: Weight) -> i64 {
        let added = weight.total - standing.total(field.division);
        if added > 0 {
            self.rate.expect(added)
        } else {
            added
        }
    }
}

impl Judge for ByRate {
    fn holds(
        &mut self,
        field: &Field<'_>,
        standing: &Standing,
        _: &[u32],
        _: Option<&Form>,
        weight: Weight,
    ) -> Result<bool, Error> {
        let with = self
            .expected
            .saturating_add(self.cost(field, standing, weight));
        let holds = field.room.holds_sum(with);
        if holds {
            self.expected = with;
        }
        Ok(holds)
    }

    fn holds_instead(
        &mut self,
        field: &Field<'_>,
        standing: &Standing,
        group: usize,
        form: Option<&Form>,
        weight: Weight,
    ) -> Result<bool, Error> {
        let group = [u32::try_from(group).unwrap_or(u32::MAX)];
        self.holds(field, standing, &group, form, weight)
    }

    fn is_hopeless(&mut self, field: &Field<'_>, standing: &Standing, group: usize) -> bool {
        let least = field.least_tokens(standing, group);
        least.is_some_and(|least| !field.room.holds_sum(self.expected.saturating_add(least)))
    }

    fn left(&self, field: &Field<'_>, _: &Standing) -> i64 {
        let available = field.room.available;
        available.map_or(i64::MAX, |available| available - self.expected)
    }

    fn took(&mut self, _: &Field<'_>, _: &Standing, _: &[u32], _: Option<&Form>) {}

    fn reformed(&mut self, _: &Field<'_>, _: usize, _: Option<&Form>) {}
}

fn offer_batch(
    scan: &mut Scan<'_, '_>,
    slots: &Slots,
    options: &PackOptions,
    rate: Rate,
    total: u64,
) -> Result<u64, Error> {
    let before = (scan.standing.clone(), scan.runs.clone());
    let mut judge = ByRate {
        expected: signed(total),
        rate,
    };
    let mut any = scan.reform(&mut judge, false)?;
    for pass in offers(false) {
        any |= scan.pass(pass, &mut judge)?;
    }
    if !any {
        return Ok(total);
    }
    let with = recount(scan.field, slots, &scan.standing, options)?;
    if scan.field.room.holds(with) {
        return Ok(with);
    }
    (scan.standing, scan.runs) = before;
    Ok(total)
}

/// Takes more of the strict section, next in its order, for as long as the whole, recounted, fits:
/// a counter of whole lists may say less than the sum of parts, and then the room that is left is
/// more than it seems.
///
/// Twice as many each time, and then halves: 2 · log₂ n recounts at most.
fn lengthen(
    scan: &mut Scan<'_, '_>,
    slots: &Slots,
    options: &PackOptions,
    mut total: u64,
) -> Result<u64, Error> {
    let field = scan.field;
    let strict = |&section: &usize| field.division.part(section).strict;
    let Some(section) = (0..field.division.len()).find(strict) else {
        return Ok(total);
    };
    let open: Vec<u32> = field.queues[section]
        .groups
        .iter()
        .copied()
        .skip_while(|&group| scan.standing.taken[group as usize])
        .take_while(|&group| {
            !scan.standing.taken[group as usize] && !scan.standing.barred[group as usize]
        })
        .collect();
    let (mut taken, mut most, mut step) = (0, open.len(), 1);
    while taken < most {
        let before = scan.standing.clone();
        let next = (taken + step).min(most);
        scan.take(&open[taken..next]);
        let with = recount(field, slots, &scan.standing, options)?;
        if field.room.holds(with) {
            (taken, total) = (next, with);
            step = (2 * step).min((most - taken).div_ceil(2).max(1));
        } else {
            scan.standing = before;
            most = next - 1;
            step = (most - taken).div_ceil(2).max(1);
        }
    }
    if let Some(&stop) = open.get(taken) {
        scan.runs.stop_at(section, stop);
    }
    Ok(total)
}

/// Counts the whole rendering of what is in.
///
/// # Errors
///
/// `TokenizerError` where the tokenizer fails.
pub(crate) fn recount(
    field: &Field<'_>,
    slots: &Slots,
    standing: &Standing,
    options: &PackOptions,
) -> Result<u64, Error> {
    let divided = (field.groups, field.division);
    recount_standing(field.frame, divided, slots, standing, options)
}

/// Counts the whole rendering of what is in.
///
/// # Errors
///
/// `TokenizerError` where the tokenizer fails.
pub(crate) fn recount_standing(
    frame: &Frame,
    (groups, division): (&Groups, &Division),
    slots: &Slots,
    standing: &Standing,
    options: &PackOptions,
) -> Result<u64, Error> {
    let filled = slots.filled(groups, standing);
    let content = |row: usize| -> &Content {
        match standing.form(groups.of_row(row)) {
            Some(form) => &form.content,
            None => frame.content(row),
        }
    };
    let rendered = Rendered {
        frame,
        slots,
        filled: &filled,
        options,
        content,
    };
    let profile = &*options.profile;
    if options.render() == Render::Messages
        && let Some(counted) = profile.count_messages(&rendered.messages())
    {
        // A profile that renders conversations renders no media.
        let rows = filled.iter().filter_map(|&slot| slots.row(slot));
        let media = rows.filter_map(|row| content(row).counted());
        let media: u64 = if profile.counts_exactly() {
            media.map(|counted| counted.estimate).sum()
        } else {
            0
        };
        return Ok(counted? + options.fixed + media);
    }
    let text = signed(profile.count(&rendered.parts())?);
    Ok(u64::try_from(text + standing.apart(division)).unwrap_or(0))
}

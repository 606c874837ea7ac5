//! What a pack would cost with each line of requirements, found in one walk.

use super::joined::Joined;
use super::options::signed;
use super::select::{Changes, Field};
use super::slots::Slots;
use super::standing::{Change, Standing};
use super::verify::new_slots;

/// What a pack would cost with some groups more.
#[derive(Debug, Clone, Default)]
pub(crate) struct Price {
    /// The sum of parts.
    pub(crate) total: i64,
    /// The rendering, or the sum of parts where joins are not counted.
    pub(crate) rendered: i64,
    /// The sections that would be over their caps, and by how much.
    pub(crate) over: Vec<(usize, i64)>,
}

/// A node of a line that is in while the nodes behind it are priced.
struct Step {
    node: u32,
    /// The slots that it filled.
    slots: Vec<usize>,
    changes: Changes,
}

/// Prices, of each node of the lines that is out and that nothing bars but the room there is, the
/// pack with it and all that it brings along, if a line goes on from there to one with so many
/// groups.
///
/// A node is put in behind what it requires, so that nothing is counted twice. Linear in nodes, and
/// in those over a cap.
pub(crate) fn price(
    field: &Field<'_>,
    slots: &Slots,
    standing: &Standing,
    joined: Option<&mut Joined<'_>>,
    least_groups: u32,
) -> Vec<Option<Price>> {
    let reach = &field.reach;
    let mut prices = vec![None; reach.len()];
    if !field.customs.is_empty() {
        return prices;
    }
    // Of each node, the nodes that require it; and those that require none that is out.
    let mut above: Vec<Vec<u32>> = vec![Vec::new(); reach.len()];
    let mut open: Vec<u32> = Vec::new();
    let is_in = |node: u32| standing.taken[reach.members(node)[0] as usize];
    let mut is_known = vec![false; reach.len()];
    for node in 0..reach.len() {
        let mut at = u32::try_from(node).unwrap_or(u32::MAX);
        let group = reach.members(at)[0] as usize;
        let company = reach.company(&standing.taken, group);
        if company.is_none_or(|company| company.groups < least_groups) {
            continue;
        }
        while !is_in(at) && !is_known[at as usize] {
            is_known[at as usize] = true;
            match reach.next(at).filter(|&next| !is_in(next)) {
                Some(next) => {
                    above[next as usize].push(at);
                    at = next;
                }
                None => open.push(at),
            }
        }
    }
    let mut walk = Walk {
        field,
        before: standing,
        work: standing.clone(),
        joined,
        steps: Vec::new(),
    };
    while let Some(node) = open.pop() {
        let is_behind = |step: &Step| reach.next(node) == Some(step.node);
        while walk.steps.last().is_some_and(|step| !is_behind(step)) {
            walk.back();
        }
        if !is_free(field, standing, node) {
            continue;
        }
        let earlier = walk.steps.last().map(|step| step.node);
        let total = walk.forth(slots, node);
        let apart = walk.work.apart(field.division);
        let rendered = walk.joined.as_ref();
        let rendered = rendered.map(|joined| signed(joined.tokens()) + apart);
        let earlier = earlier.and_then(|earlier| prices[earlier as usize].as_ref());
        let over = walk.over(earlier);
        prices[node as usize] = Some(Price {
            total,
            rendered: rendered.unwrap_or(total),
            over,
        });
        open.append(&mut above[node as usize]);
    }
    while !walk.steps.is_empty() {
        walk.back();
    }
    prices
}

/// Says whether nothing bars a node but the room there is.
fn is_free(field: &Field<'_>, standing: &Standing, node: u32) -> bool {
    field.reach.members(node).iter().all(|&group| {
        let group = group as usize;
        field.reach.is_clean(group) && !standing.barred[group]
    })
}

/// The way to a node, all of which is in.
struct Walk<'w, 'f, 'j> {
    field: &'w Field<'f>,
    before: &'w Standing,
    work: Standing,
    joined: Option<&'w mut Joined<'j>>,
    steps: Vec<Step>,
}

impl Walk<'_, '_, '_> {
    /// Puts a node in, and returns the sum of parts.
    fn forth(&mut self, slots: &Slots, node: u32) -> i64 {
        let members = self.field.reach.members(node);
        let slots = new_slots(slots, self.field, &self.work, members);
        if let Some(joined) = &mut self.joined {
            for &slot in &slots {
                joined.insert(slot);
            }
        }
        let changes = self.field.changes(members, None);
        self.work.apply(self.field.division, &changes);
        self.steps.push(Step {
            node,
            slots,
            changes,
        });
        self.work.total(self.field.division)
    }

    /// Takes the last node out again.
    fn back(&mut self) {
        let Some(step) = self.steps.pop() else {
            return;
        };
        if let Some(joined) = &mut self.joined {
            for &slot in &step.slots {
                joined.remove(slot);
            }
        }
        let back: Vec<Change> = step
            .changes
            .iter()
            .map(|change| Change {
                section: change.section,
                tokens: -change.tokens,
                parts: -change.parts,
            })
            .collect();
        self.work.apply(self.field.division, &back);
    }

    /// Returns the sections that are over their caps: of those that were at the node before, and
    /// those that the last changed.
    fn over(&self, earlier: Option<&Price>) -> Vec<(usize, i64)> {
        let division = self.field.division;
        let earlier = earlier.map_or(&[][..], |price| &price.over).iter();
        let changed = self
            .steps
            .last()
            .map_or(&[][..], |step| &step.changes)
            .iter();
        let mut sections: Vec<usize> = earlier
            .map(|over| over.0)
            .chain(changed.map(|change| change.section))
            .collect();
        sections.sort_unstable();
        sections.dedup();
        sections
            .into_iter()
            .filter_map(|section| {
                let tokens = self.work.section_tokens(division, section);
                let cap = signed(division.part(section).cap?);
                let is_over =
                    tokens > cap && tokens > self.before.section_tokens(division, section);
                is_over.then_some((section, tokens - cap))
            })
            .collect()
    }
}

//! Which groups are taken into the room that the required ones leave.

use super::admit::Refusals;
use super::cost::Costs;
use super::groups::Groups;
use super::options::Room;
use super::reserve::Reserved;
use crate::frame::Frame;
use crate::word::Retention;

/// What is in the pack so far.
#[derive(Debug)]
pub(crate) struct Selection {
    /// The groups that are not required, preferred before optional, best first: the pass order.
    pub(crate) order: Vec<u32>,
    /// How many of them are preferred.
    pub(crate) preferred: usize,
    /// Of each group, whether it is in.
    pub(crate) taken: Vec<bool>,
    /// Of each group, whether it was taken out again because the rendering was over.
    pub(crate) barred: Vec<bool>,
    /// The places in `order` of the groups that were taken, in the order of taking.
    pub(crate) sequence: Vec<u32>,
    /// What all rows that are in cost, without separators.
    pub(crate) tokens: u64,
    pub(crate) parts: usize,
    /// The same of the required groups alone.
    pub(crate) required_tokens: u64,
    pub(crate) required_parts: usize,
}

/// What a group is ordered by: score, then priority, descending; then tokens, then place.
type Key = (u64, u64, u64, u32);

/// Scans preferred, then optional groups, best first; what does not fit is skipped.
///
/// O(n log n) for the order, linear for the scan.
pub(crate) fn select(
    reserved: &Reserved<'_>,
    groups: &Groups,
    refusals: &Refusals,
    costs: &Costs,
    room: Room,
) -> Selection {
    let frame = &*reserved.frame;
    let mut passes: [Vec<Key>; 2] = [Vec::new(), Vec::new()];
    let mut taken = vec![false; groups.len()];
    for &group in &reserved.groups {
        taken[group] = true;
    }
    for (group, taken) in taken.iter().enumerate() {
        if *taken || refusals.group(groups, group) {
            continue;
        }
        let pass = usize::from(groups.retention(frame, group) != Retention::Preferred);
        passes[pass].push(key(frame, groups, costs, group));
    }
    for pass in &mut passes {
        pass.sort_unstable();
    }
    let preferred = passes[0].len();
    let order: Vec<u32> = passes
        .into_iter()
        .flatten()
        .map(|(.., group)| group)
        .collect();
    let mut selection = Selection {
        order,
        preferred,
        barred: vec![false; taken.len()],
        taken,
        sequence: Vec::new(),
        tokens: reserved.tokens,
        parts: reserved.parts,
        required_tokens: reserved.tokens,
        required_parts: reserved.parts,
    };
    for at in 0..selection.order.len() {
        let group = selection.order[at] as usize;
        if room.holds(selection.sum_with(groups, costs, group)) {
            selection.take(groups, costs, at);
        }
    }
    selection
}

impl Selection {
    /// Puts the group at a place of the order in.
    pub(crate) fn take(&mut self, groups: &Groups, costs: &Costs, at: usize) {
        let group = self.order[at] as usize;
        self.taken[group] = true;
        self.sequence
            .push(u32::try_from(at).expect("the number of rows was checked"));
        self.tokens += costs.group(groups, group);
        self.parts += groups.rows(group).len();
    }

    /// Takes the last of the taken optional groups out, for good; where there is none, the last
    /// preferred.
    pub(crate) fn shed(&mut self, groups: &Groups, costs: &Costs) -> Option<usize> {
        let last = self
            .sequence
            .iter()
            .rposition(|&at| at as usize >= self.preferred)
            .or_else(|| self.sequence.len().checked_sub(1))?;
        let group = self.order[self.sequence.remove(last) as usize] as usize;
        self.taken[group] = false;
        self.barred[group] = true;
        self.tokens -= costs.group(groups, group);
        self.parts -= groups.rows(group).len();
        Some(group)
    }

    /// Returns, of each group, whether it is required and so in.
    pub(crate) fn required(&self) -> Vec<bool> {
        let mut required = self.taken.clone();
        for &at in &self.sequence {
            required[self.order[at as usize] as usize] = false;
        }
        required
    }

    /// Says whether the group at a place of the order may be offered room.
    pub(crate) fn is_open(&self, at: usize) -> bool {
        let group = self.order[at] as usize;
        !self.taken[group] && !self.barred[group]
    }

    /// Returns the sum of parts with one more group.
    pub(crate) fn sum_with(&self, groups: &Groups, costs: &Costs, group: usize) -> u64 {
        costs.sum(
            self.tokens + costs.group(groups, group),
            self.parts + groups.rows(group).len(),
        )
    }

    /// Returns the sum of parts.
    pub(crate) fn sum(&self, costs: &Costs) -> u64 {
        costs.sum(self.tokens, self.parts)
    }
}

fn key(frame: &Frame, groups: &Groups, costs: &Costs, group: usize) -> Key {
    let best = |column: &[f64]| {
        groups
            .rows(group)
            .iter()
            .map(|&row| column[row as usize])
            .fold(f64::NEG_INFINITY, f64::max)
    };
    let place = u32::try_from(group).expect("the number of rows was checked");
    (
        descending(best(&frame.scores)),
        descending(best(&frame.priorities)),
        costs.group(groups, group),
        place,
    )
}

/// Maps a finite number to one that sorts the other way round, as integers do.
fn descending(value: f64) -> u64 {
    let bits = value.to_bits();
    let ascending = if bits >> 63 == 0 {
        bits | 1 << 63
    } else {
        !bits
    };
    !ascending
}

#[cfg(test)]
mod tests {
    use super::descending;

    #[test]
    fn the_key_sorts_numbers_from_high_to_low() {
        let numbers = [
            f64::MAX,
            1.5,
            1.0,
            f64::MIN_POSITIVE,
            0.0,
            -f64::MIN_POSITIVE,
            -1.0,
            f64::MIN,
        ];
        assert!(
            numbers
                .windows(2)
                .all(|pair| descending(pair[0]) < descending(pair[1]))
        );
    }
}

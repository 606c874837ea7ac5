//! What is in a pack while it is being made, and what that costs as a sum of parts.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::bonds::Bonds;
use super::division::Division;
use super::form::Form;

/// The groups that are in, in which form, and the tokens of each section.
#[derive(Debug, Clone)]
pub(crate) struct Standing {
    /// Of each group, whether it is in.
    pub(crate) taken: Vec<bool>,
    /// Of each group, whether it was taken out again because the rendering was over.
    pub(crate) barred: Vec<bool>,
    /// The form of each group that is not in whole.
    pub(crate) forms: HashMap<u32, Form, FixedState>,
    /// The groups that were selected, in the order of selection; not the required ones.
    pub(crate) sequence: Vec<Taken>,
    /// Of each section, what is in it.
    tallies: Vec<Tally>,
    /// Of each section, the tokens up to which room is held; none after holds are released.
    floors: Vec<u64>,
    /// Of each exclusive key, the group that has it, plus one.
    holders: Vec<u32>,
    /// What all sections cost, without what stands between them.
    sum: i64,
    /// The part of it that no text has: of sections whose items are messages.
    apart: i64,
    /// How many sections of the text are not empty.
    filled: i64,
    /// What is still held, without what stands between sections.
    held: i64,
    /// How many empty sections something is held for.
    hungry: i64,
    pub(crate) base: i64,
    /// Whether something may be held.
    holding: bool,
}

/// A group that was selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Taken {
    pub(crate) group: u32,
    /// Whether its section was under its floor.
    pub(crate) by_floor: bool,
}

/// What is in a section: tokens of its parts, and how many there are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) tokens: i64,
    pub(crate) parts: i64,
}

/// What comes to a section, or leaves it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Change {
    pub(crate) section: usize,
    pub(crate) tokens: i64,
    pub(crate) parts: i64,
}

/// What a pack would cost after some changes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Weight {
    /// The sum of parts.
    pub(crate) total: i64,
    /// What of it no text has: base, the message that merged sections are, and other messages.
    pub(crate) apart: i64,
    /// What is held besides.
    pub(crate) held: i64,
    /// The first section that would be over its cap.
    pub(crate) over_cap: Option<usize>,
}

impl Standing {
    /// Starts empty.
    pub(crate) fn new(groups: usize, division: &Division, bonds: &Bonds, base: u64) -> Self {
        Self {
            taken: vec![false; groups],
            barred: vec![false; groups],
            forms: HashMap::default(),
            sequence: Vec::new(),
            tallies: vec![Tally::default(); division.len()],
            floors: vec![0; division.len()],
            holders: vec![0; bonds.key_count],
            sum: 0,
            apart: 0,
            filled: 0,
            held: 0,
            hungry: 0,
            base: as_signed(base),
            holding: false,
        }
    }

    /// Returns what a section costs: header, parts and what stands between them.
    pub(crate) fn section_tokens(&self, division: &Division, section: usize) -> i64 {
        section_tokens(division, section, self.tallies[section])
    }

    /// Returns what is in a section.
    pub(crate) fn tally(&self, section: usize) -> Tally {
        self.tallies[section]
    }

    /// Returns the sum of parts.
    pub(crate) fn total(&self, division: &Division) -> i64 {
        self.base + self.sum + division.joiners(self.filled)
    }

    /// Returns the part of it that no text has.
    pub(crate) fn apart(&self, division: &Division) -> i64 {
        self.base + self.apart + opening(division, self.filled)
    }

    /// Returns what is held besides.
    pub(crate) fn held(&self, division: &Division) -> i64 {
        self.held + division.joiners(self.filled + self.hungry) - division.joiners(self.filled)
    }

    /// Says whether a section has less than is held for it.
    pub(crate) fn is_under_floor(&self, division: &Division, section: usize) -> bool {
        self.section_tokens(division, section) < as_signed(self.floors[section])
    }

    /// Returns the tokens up to which room is held for a section.
    pub(crate) fn floor(&self, section: usize) -> u64 {
        self.floors[section]
    }

    /// Holds room for sections.
    pub(crate) fn hold(&mut self, division: &Division, floors: Vec<u64>) {
        self.holding = floors.iter().any(|&floor| floor > 0);
        self.floors = floors;
        (self.held, self.hungry) = (0, 0);
        for section in 0..self.tallies.len() {
            let (hold, hungry) = self.hold_of(division, section, self.tallies[section]);
            self.held += hold;
            self.hungry += hungry;
        }
    }

    /// Lets go what was held.
    pub(crate) fn release(&mut self) {
        self.floors.fill(0);
        self.holding = false;
        (self.held, self.hungry) = (0, 0);
    }

    fn hold_of(&self, division: &Division, section: usize, tally: Tally) -> (i64, i64) {
        let floor = as_signed(self.floors[section]);
        let hold = (floor - section_tokens(division, section, tally)).max(0);
        let hungry = hold > 0 && tally.parts == 0 && division.part(section).joins;
        (hold, i64::from(hungry))
    }

    /// Weighs some changes, at most one a section.
    #[inline]
    pub(crate) fn weigh(&self, division: &Division, changes: &[Change]) -> Weight {
        match changes {
            [change] if !self.holding && change.parts > 0 => self.weigh_one(division, *change),
            _ => self.weigh_all(division, changes),
        }
    }

    /// Weighs parts that come to one section while nothing is held.
    #[inline]
    fn weigh_one(&self, division: &Division, change: Change) -> Weight {
        let section = change.section;
        let part = division.part(section);
        let before = self.tallies[section];
        let gap = as_signed(part.separator);
        let is_new = before.parts == 0;
        let filled = self.filled + i64::from(is_new && part.joins);
        let joiners = division.joiners(filled) - division.joiners(self.filled);
        let header = if is_new { as_signed(part.header) } else { 0 };
        let between = header + gap * (change.parts - i64::from(is_new)) + joiners;
        let total = self.total(division) + change.tokens + between;
        let is_over = part.cap.is_some_and(|cap| {
            let now = section_tokens(division, section, before);
            let after = section_tokens(
                division,
                section,
                Tally {
                    tokens: before.tokens + change.tokens,
                    parts: before.parts + change.parts,
                },
            );
            after > as_signed(cap) && after > now
        });
        let own = if part.joins { 0 } else { change.tokens };
        Weight {
            total,
            apart: self.base + self.apart + own + opening(division, filled),
            held: 0,
            over_cap: is_over.then_some(section),
        }
    }

    fn weigh_all(&self, division: &Division, changes: &[Change]) -> Weight {
        let (mut sum, mut filled, mut held, mut hungry) =
            (self.sum, self.filled, self.held, self.hungry);
        let mut apart = self.apart;
        let mut over_cap = None;
        for change in changes {
            let section = change.section;
            let before = self.tallies[section];
            let after = Tally {
                tokens: before.tokens + change.tokens,
                parts: before.parts + change.parts,
            };
            let tokens = section_tokens(division, section, after);
            let more = tokens - section_tokens(division, section, before);
            sum += more;
            if division.part(section).joins {
                filled += i64::from(after.parts > 0) - i64::from(before.parts > 0);
            } else {
                apart += more;
            }
            if self.floors[section] > 0 {
                let (old, was_hungry) = self.hold_of(division, section, before);
                let (new, is_hungry) = self.hold_of(division, section, after);
                held += new - old;
                hungry += is_hungry - was_hungry;
            }
            if let Some(cap) = division.part(section).cap
                && tokens > as_signed(cap)
                && tokens > section_tokens(division, section, before)
                && over_cap.is_none()
            {
                over_cap = Some(section);
            }
        }
        Weight {
            total: self.base + sum + division.joiners(filled),
            apart: self.base + apart + opening(division, filled),
            held: held + division.joiners(filled + hungry) - division.joiners(filled),
            over_cap,
        }
    }

    /// Makes some changes.
    pub(crate) fn apply(&mut self, division: &Division, changes: &[Change]) {
        for change in changes {
            let section = change.section;
            let before = self.tallies[section];
            let after = Tally {
                tokens: before.tokens + change.tokens,
                parts: before.parts + change.parts,
            };
            let more = section_tokens(division, section, after)
                - section_tokens(division, section, before);
            self.sum += more;
            if division.part(section).joins {
                self.filled += i64::from(after.parts > 0) - i64::from(before.parts > 0);
            } else {
                self.apart += more;
            }
            let (old, was_hungry) = self.hold_of(division, section, before);
            let (new, is_hungry) = self.hold_of(division, section, after);
            self.held += new - old;
            self.hungry += is_hungry - was_hungry;
            self.tallies[section] = after;
        }
    }

    /// Returns the group that has an exclusive key.
    pub(crate) fn holder(&self, key: u32) -> Option<usize> {
        (self.holders[key as usize] as usize).checked_sub(1)
    }

    /// Says whether another group that is in has one of a group's exclusive keys.
    pub(crate) fn has_rival(&self, bonds: &Bonds, group: usize) -> bool {
        bonds
            .keys(group)
            .iter()
            .any(|&key| self.holder(key).is_some_and(|holder| holder != group))
    }

    /// Marks a group as in.
    pub(crate) fn enter(&mut self, bonds: &Bonds, group: usize) {
        self.taken[group] = true;
        for &key in bonds.keys(group) {
            self.holders[key as usize] = u32::try_from(group + 1).unwrap_or(u32::MAX);
        }
    }

    /// Marks a group as out.
    pub(crate) fn leave(&mut self, bonds: &Bonds, group: usize) {
        self.taken[group] = false;
        for &key in bonds.keys(group) {
            self.holders[key as usize] = 0;
        }
    }

    /// Returns the form of a group that is not in whole.
    pub(crate) fn form(&self, group: usize) -> Option<&Form> {
        if self.forms.is_empty() {
            return None;
        }
        self.forms.get(&u32::try_from(group).unwrap_or(u32::MAX))
    }
}

/// Returns what a section costs with so much in it.
pub(crate) fn section_tokens(division: &Division, section: usize, tally: Tally) -> i64 {
    if tally.parts == 0 {
        return 0;
    }
    let part = division.part(section);
    as_signed(part.header) + tally.tokens + as_signed(part.separator) * (tally.parts - 1)
}

/// Returns what is paid for the message that so many sections are.
fn opening(division: &Division, filled: i64) -> i64 {
    if filled > 0 {
        as_signed(division.opening)
    } else {
        0
    }
}

fn as_signed(tokens: u64) -> i64 {
    super::options::signed(tokens)
}

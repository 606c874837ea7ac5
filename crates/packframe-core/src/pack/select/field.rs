//! What selection reads and never changes.

use std::cell::RefCell;
use std::collections::HashMap;

use foldhash::fast::FixedState;

use crate::error::Error;
use crate::frame::Frame;
use crate::pack::bonds::Bonds;
use crate::pack::cost::Costs;
use crate::pack::custom::Custom;
use crate::pack::division::Division;
use crate::pack::form::{Form, Knife};
use crate::pack::groups::Groups;
use crate::pack::options::Room;
use crate::pack::reach::Reach;
use crate::pack::standing::{Change, Standing, Tally, section_tokens};
use crate::profile::TokenProfile;
use crate::section::DropRule;
use crate::word::Retention;

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
    /// The frame as a strategy may see it, where that is another one.
    pub(crate) shown: Option<Frame>,
    /// What groups bring along, where that is a line.
    pub(crate) reach: Reach,
    /// Of each group, the last look that saw it, and the number of that.
    pub(super) seen: RefCell<(Vec<u32>, u32)>,
    pub(super) knife: Knife,
    /// The cuts that were made, by row and by the tokens that there was room for.
    pub(super) cuts: RefCell<HashMap<(usize, i64), Option<Form>, FixedState>>,
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
            shown: None,
            reach: Reach::default(),
            seen: RefCell::default(),
            knife: Knife::default(),
            cuts: RefCell::default(),
        };
        field.queues = field.make_queues();
        field.reach = Reach::of(groups, bonds, costs, retentions, &field.refused, |group| {
            division.part(division.section(group)).rule != DropRule::AllOrNothing
        });
        field
    }

    /// Returns the fewest tokens that would come in with a group that brings others along; `None`
    /// where nothing is known but by walking.
    pub(crate) fn least_tokens(&self, standing: &Standing, group: usize) -> Option<i64> {
        if !self.customs.is_empty() {
            return None;
        }
        let company = self.reach.company(&standing.taken, group)?;
        if company.groups < 2 {
            return None;
        }
        let own = self.costs.group(self.groups, group);
        let forms = self.alternatives(group).iter().map(|form| form.total);
        let least = forms.min().map_or(own, |least| least.min(own));
        Some(signed(company.tokens - own + least))
    }

    /// Says whether a group brings so much along that it could not even stand beside the required
    /// groups alone, as a sum of parts.
    pub(super) fn is_too_much(&self, group: usize) -> bool {
        self.least_tokens(&self.bare, group)
            .is_some_and(|least| !self.room.holds_sum(self.bare.total(self.division) + least))
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

    /// Says whether a group that was missed ends the run of its section: one that could never be in
    /// does so only where the section is strict.
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the tokenizer fails.
    pub(super) fn ends_run(&self, section: usize, group: usize) -> Result<bool, Error> {
        Ok(self.division.part(section).strict || self.could_stand(group)?.is_some())
    }

    /// Returns the best form in which a group could stand beside the required groups alone, as a sum
    /// of parts, with what comes along: its own tokens; `None` where none could.
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the tokenizer fails.
    pub(crate) fn could_stand(&self, group: usize) -> Result<Option<u64>, Error> {
        if self.is_too_much(group) {
            return Ok(None);
        }
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

    /// Cuts a row to so many tokens; a cut that was made is not made again.
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the tokenizer fails.
    pub(super) fn cut(&self, row: usize, most: i64) -> Result<Option<Form>, Error> {
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
    pub(super) fn most_by_cap(&self, section: usize, tally: Tally) -> i64 {
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

pub(super) fn number(group: usize) -> u32 {
    u32::try_from(group).expect("the number of rows was checked")
}

pub(super) fn signed(tokens: u64) -> i64 {
    crate::pack::options::signed(tokens)
}

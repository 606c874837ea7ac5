//! What is to be chosen, and what a choice gains.

/// What something gains, the most important first: a sum of each is compared in this order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Gain {
    /// Sections that have to be there.
    pub(crate) sections: u64,
    /// Value of what is preferred.
    pub(crate) preferred: u64,
    /// Value of what is optional.
    pub(crate) optional: u64,
    /// Groups.
    pub(crate) groups: u64,
}

/// One way to take a unit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Choice {
    /// Tokens, with what stands between parts.
    pub(crate) tokens: i64,
    pub(crate) gain: Gain,
}

/// What is taken in one of its choices, or not at all.
#[derive(Debug, Clone)]
pub(crate) struct Unit {
    /// The room that it is in; `None` where only the capacity counts.
    pub(crate) room: Option<u32>,
    pub(crate) choices: Vec<Choice>,
    /// Whether it has to be taken.
    pub(crate) must: bool,
}

/// A part of the capacity with a floor, a cap and a price of entry.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    /// Tokens that it takes of the capacity, however few are in it.
    pub(crate) floor: i64,
    /// Tokens that may be in it at most.
    pub(crate) cap: Option<i64>,
    /// Tokens that are in it from the start or, where nothing is, that come with the first unit.
    pub(crate) start: i64,
    /// Whether something is in it from the start.
    pub(crate) is_open: bool,
    /// Tokens that stand before it, if it is open or has a floor; they are not in it.
    pub(crate) joiner: i64,
}

impl Room {
    /// Returns what a room with so many tokens in it takes of the capacity.
    pub(super) fn takes(&self, tokens: i64) -> i64 {
        self.joiner + self.floor.max(tokens)
    }

    /// Returns what it takes with nothing in it but what is there from the start.
    pub(super) fn takes_empty(&self) -> i64 {
        if self.is_open {
            self.takes(self.start)
        } else if self.floor > 0 {
            self.joiner + self.floor
        } else {
            0
        }
    }
}

/// Which units to take, and how, so that the gain is greatest and then the tokens fewest.
#[derive(Debug, Clone, Default)]
pub(crate) struct Problem {
    /// Tokens for what is in no room, and for what rooms take; `None` for no limit.
    pub(crate) capacity: Option<i64>,
    pub(crate) rooms: Vec<Room>,
    pub(crate) units: Vec<Unit>,
    /// The first is taken only with the second.
    pub(crate) needs: Vec<(u32, u32)>,
    /// Of each list, at most one is taken.
    pub(crate) rivals: Vec<Vec<u32>>,
}

/// Of each unit, the choice in which it is taken.
pub(crate) type Picks = Vec<Option<u32>>;

/// More than any number of tokens, and far from overflow.
pub(super) const ENDLESS: i64 = 1 << 60;

impl Problem {
    pub(super) fn limit(&self) -> i64 {
        self.capacity.unwrap_or(ENDLESS)
    }

    /// Returns the most tokens that units may have together: an entry may give some back.
    pub(super) fn most_tokens(&self) -> i64 {
        let given = self.rooms.iter().map(|room| -room.start).max();
        self.limit() + given.unwrap_or(0).max(0)
    }

    /// Returns what some picks gain.
    pub(crate) fn gain(&self, picks: &Picks) -> Gain {
        let mut sum = Gain::default();
        for (unit, pick) in self.units.iter().zip(picks) {
            if let Some(pick) = pick {
                let gain = unit.choices[*pick as usize].gain;
                sum.sections += gain.sections;
                sum.preferred += gain.preferred;
                sum.optional += gain.optional;
                sum.groups += gain.groups;
            }
        }
        sum
    }
}

/// How gain and tokens are one number: gains as digits, and tokens against them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    preferred: i128,
    optional: i128,
    groups: i128,
    tokens: i128,
    /// What all units together are worth where nothing stands against them.
    greatest: i128,
    /// Bits that values lose, so that all fits into one number.
    pub(super) shift: u32,
}

impl Scale {
    /// Finds the digits that a problem needs.
    pub(super) fn of(problem: &Problem) -> Self {
        let mut most = [0_i128; 4];
        let mut tokens = 0_i128;
        for unit in &problem.units {
            let mut best = [0_i128; 4];
            let mut longest = 0;
            for choice in &unit.choices {
                let Gain {
                    sections,
                    preferred,
                    optional,
                    groups,
                } = choice.gain;
                for (best, gain) in best.iter_mut().zip([sections, preferred, optional, groups]) {
                    *best = (*best).max(i128::from(gain));
                }
                longest = longest.max(choice.tokens);
            }
            for (most, best) in most.iter_mut().zip(best) {
                *most += best;
            }
            tokens += i128::from(longest);
        }
        for room in &problem.rooms {
            tokens += i128::from(room.start.abs()) + i128::from(room.joiner);
        }
        let bits = |number: i128| 128 - number.leading_zeros();
        // A worth is multiplied by tokens, or divided by them, and never both.
        let spare = bits(tokens) + 4;
        let tokens = tokens.min(i128::from(problem.limit())) + 1;
        let mut shift = 0;
        while shift < 63
            && bits(most[0])
                + bits(most[1] >> shift)
                + bits(most[2] >> shift)
                + bits(most[3])
                + bits(tokens)
                + spare
                > 126
        {
            shift += 1;
        }
        let (preferred, optional) = ((most[1] >> shift) + 1, (most[2] >> shift) + 1);
        let groups = most[3] + 1;
        let values = (most[0] * preferred + preferred - 1) * optional + optional - 1;
        Self {
            preferred,
            optional,
            groups,
            tokens,
            greatest: (values * groups + most[3]) * tokens,
            shift,
        }
    }

    /// Returns a gain as one number, tokens taken off.
    pub(super) fn worth(&self, gain: Gain, tokens: i64) -> i128 {
        let preferred = i128::from(gain.preferred >> self.shift);
        let optional = i128::from(gain.optional >> self.shift);
        let mut worth = i128::from(gain.sections) * self.preferred + preferred;
        worth = worth * self.optional + optional;
        worth = worth * self.groups + i128::from(gain.groups);
        worth * self.tokens - i128::from(tokens)
    }

    /// Returns the greatest gain that something worth so much may have: preferred, optional. A
    /// bound that was never found, and is above any number, is what all units are worth together.
    pub(super) fn values(&self, worth: i128) -> (i128, u64, u64) {
        let gain = (worth.min(self.greatest) + self.tokens - 1)
            .div_euclid(self.tokens)
            .div_euclid(self.groups);
        let optional = gain.rem_euclid(self.optional);
        let rest = gain.div_euclid(self.optional);
        let preferred = rest.rem_euclid(self.preferred);
        let value = |number: i128| u64::try_from(number << self.shift).unwrap_or(u64::MAX);
        (
            rest.div_euclid(self.preferred),
            value(preferred),
            value(optional),
        )
    }
}

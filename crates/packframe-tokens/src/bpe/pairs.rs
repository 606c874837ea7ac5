//! Numbers by pairs of tokens.

use std::hash::{BuildHasher, RandomState};

/// A number for each of some pairs of tokens: an open-addressing table, at most half full.
///
/// Its hash is keyed, so that a file cannot be made to put its pairs in one place.
pub(crate) struct Pairs {
    slots: Vec<(u64, u32)>,
    key: u64,
    shift: u32,
}

/// The pair of a slot that is free: no token has this number.
const FREE: u64 = u64::MAX;

impl Pairs {
    /// Makes room for so many pairs.
    pub(crate) fn new(most: usize) -> Self {
        let slots = (most * 2).next_power_of_two().max(2);
        Self {
            slots: vec![(FREE, 0); slots],
            key: RandomState::new().hash_one(0) | 1,
            shift: 64 - slots.trailing_zeros(),
        }
    }

    /// Adds a pair; `false` where it is there already.
    pub(crate) fn add(&mut self, left: u32, right: u32, number: u32) -> bool {
        let pair = pair(left, right);
        let slot = self.slot(pair);
        let free = self.slots[slot].0 == FREE;
        self.slots[slot] = (pair, number);
        free
    }

    /// Returns the number of a pair.
    #[inline]
    pub(crate) fn get(&self, left: u32, right: u32) -> Option<u32> {
        let pair = pair(left, right);
        let (found, number) = self.slots[self.slot(pair)];
        (found == pair).then_some(number)
    }

    /// Returns the slot of a pair: the one that holds it, or the free one where it would be.
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the shift leaves the number of a slot"
    )]
    fn slot(&self, pair: u64) -> usize {
        let mut slot = (pair.wrapping_mul(self.key) >> self.shift) as usize;
        while self.slots[slot].0 != pair && self.slots[slot].0 != FREE {
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        slot
    }
}

#[inline]
fn pair(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

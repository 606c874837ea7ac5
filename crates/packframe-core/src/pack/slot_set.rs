//! An ordered set of slots.

/// Bits of a word.
const WIDTH: usize = 64;

/// Which slots are in: a tree of words, so that the neighbours of a slot are found in as many steps
/// as it has levels, three for 262,144 slots.
#[derive(Debug, Clone)]
pub(crate) struct SlotSet {
    /// A bit for each slot, then a bit for each word of the level before that is not 0.
    levels: Vec<Vec<u64>>,
}

impl SlotSet {
    /// Makes an empty set of slots below a number.
    pub(crate) fn new(slots: usize) -> Self {
        let mut levels = Vec::new();
        let mut bits = slots.max(1);
        loop {
            bits = bits.div_ceil(WIDTH);
            levels.push(vec![0; bits]);
            if bits == 1 {
                return Self { levels };
            }
        }
    }

    /// Puts a slot in.
    pub(crate) fn insert(&mut self, slot: usize) {
        let mut at = slot;
        for words in &mut self.levels {
            let word = &mut words[at / WIDTH];
            let was = std::mem::replace(word, *word | 1 << (at % WIDTH));
            if was != 0 {
                return;
            }
            at /= WIDTH;
        }
    }

    /// Takes a slot out; says whether it was in.
    pub(crate) fn remove(&mut self, slot: usize) -> bool {
        let was = self.levels[0][slot / WIDTH] >> (slot % WIDTH) & 1 == 1;
        let mut at = slot;
        for words in &mut self.levels {
            let word = &mut words[at / WIDTH];
            *word &= !(1 << (at % WIDTH));
            if *word != 0 {
                break;
            }
            at /= WIDTH;
        }
        was
    }

    /// Returns the greatest slot below another.
    pub(crate) fn before(&self, slot: usize) -> Option<usize> {
        let mut at = slot;
        for (level, words) in self.levels.iter().enumerate() {
            let (word, below) = match words.get(at / WIDTH) {
                Some(word) => (at / WIDTH, word & !(u64::MAX << (at % WIDTH))),
                None => (words.len() - 1, words[words.len() - 1]),
            };
            if below != 0 {
                let found = word * WIDTH + below.ilog2() as usize;
                let down =
                    |found: usize, words: &Vec<u64>| found * WIDTH + words[found].ilog2() as usize;
                return Some(self.levels[..level].iter().rev().fold(found, down));
            }
            at = word;
        }
        None
    }

    /// Returns the least slot from another on.
    pub(crate) fn from(&self, slot: usize) -> Option<usize> {
        let mut at = slot;
        for (level, words) in self.levels.iter().enumerate() {
            let (word, bit) = (at / WIDTH, at % WIDTH);
            let above = words.get(word)? & (u64::MAX << bit);
            if above != 0 {
                let found = word * WIDTH + above.trailing_zeros() as usize;
                let down = |found: usize, words: &Vec<u64>| {
                    found * WIDTH + words[found].trailing_zeros() as usize
                };
                return Some(self.levels[..level].iter().rev().fold(found, down));
            }
            at = word + 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::SlotSet;

    #[test]
    fn is_what_an_ordered_set_is() {
        for slots in [0, 1, 63, 64, 65, 4_095, 4_096, 4_097, 300_000] {
            let (mut set, mut twin) = (SlotSet::new(slots), BTreeSet::new());
            let mut state = slots as u64 + 1;
            for _ in 0..2_000 {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                let slot = (state >> 33) as usize % slots.max(1);
                if slots > 0 && state >> 20 & 3 > 0 {
                    set.insert(slot);
                    twin.insert(slot);
                } else if slots > 0 {
                    let known = twin.range(slot..).next().copied().unwrap_or(slot);
                    assert_eq!(set.remove(known), twin.remove(&known));
                }
                for at in [slot, slot + 1, 0, slots] {
                    assert_eq!(set.before(at), twin.range(..at).next_back().copied());
                    assert_eq!(set.from(at), twin.range(at..).next().copied());
                }
            }
        }
    }
}

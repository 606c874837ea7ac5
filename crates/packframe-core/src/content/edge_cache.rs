//! Where the text of one content can be cut first and last, per tokenizer.

use std::sync::OnceLock;

use super::cost_cache::CostKey;
use crate::once::once;

/// As many as there are counts: services count with one tokenizer, seldom with two.
const SLOTS: usize = 2;

/// Empty until the content is joined with others, which most never are.
///
/// A key that finds no slot is not kept: what is asked for is found anew each time.
#[derive(Debug, Default)]
pub(super) struct EdgeCache {
    slots: [OnceLock<Box<Edges>>; SLOTS],
}

#[derive(Debug)]
struct Edges {
    key: CostKey,
    /// The first and the last seam, if there is one.
    seams: Option<(usize, usize)>,
    /// Units before the first and behind the last.
    outside: OnceLock<(u64, u64)>,
}

impl EdgeCache {
    /// Returns the first and the last seam, found now if they are not kept.
    pub(super) fn seams(
        &self,
        key: CostKey,
        find: impl FnOnce() -> Option<(usize, usize)>,
    ) -> Option<(usize, usize)> {
        if key.is_kept() {
            for slot in &self.slots {
                match slot.get() {
                    Some(edges) if edges.key == key => return edges.seams,
                    Some(_) => {}
                    None => {
                        let seams = find();
                        let outside = OnceLock::new();
                        // Another thread may have been faster: then this is found again.
                        let _ = slot.set(Box::new(Edges {
                            key,
                            seams,
                            outside,
                        }));
                        return seams;
                    }
                }
            }
        }
        find()
    }

    /// Returns the units outside the two seams, counted now if they are not kept.
    pub(super) fn outside(&self, key: CostKey, count: impl FnOnce() -> (u64, u64)) -> (u64, u64) {
        let known = self.slots.iter().filter_map(OnceLock::get);
        match known.into_iter().find(|edges| edges.key == key) {
            Some(edges) => *once(&edges.outside, count),
            None => count(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CostKey, EdgeCache};

    #[test]
    fn keeps_two_keys_and_finds_anew_for_a_third() {
        let (cache, keys) = (EdgeCache::default(), [0; 3].map(|_| CostKey::fresh()));
        for (turn, want) in [(0, [true, true, true]), (1, [false, false, true])] {
            for (key, want) in keys.into_iter().zip(want) {
                let (mut found, mut counted) = (false, false);
                let seams = cache.seams(key, || {
                    found = true;
                    Some((1, 2))
                });
                let outside = cache.outside(key, || {
                    counted = true;
                    (3, 4)
                });
                assert_eq!((seams, outside), (Some((1, 2)), (3, 4)));
                assert_eq!((found, counted), (want, want), "turn {turn}");
            }
        }
    }

    #[test]
    fn keeps_that_there_is_no_seam() {
        let (cache, key) = (EdgeCache::default(), CostKey::fresh());
        assert_eq!(cache.seams(key, || None), None);
        assert_eq!(cache.seams(key, || Some((1, 2))), None);
    }
}

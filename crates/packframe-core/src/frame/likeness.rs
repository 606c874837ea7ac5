//! How much rows repeat what stands before them in some order.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::Frame;
use super::near::greatest;
use super::shingles::Shingles;
use crate::content::{Body, Hash};

/// Similarities below this count as none: texts that share fewer than half of their triples of
/// words say different things, and comparing all of them would be quadratic.
const LEAST_LIKENESS: f64 = 0.5;

impl Frame {
    /// Returns, of each place in an order of rows, the greatest similarity of its row to one that
    /// stands before it and is not in its group; 0 where that is below one half.
    ///
    /// Similarity is that of [`dedupe_near`](Self::dedupe_near), whatever the role and section:
    /// texts and messages are compared with each other, JSON with JSON; equal contents of any kind
    /// have 1. O(n log n) in words; a row is compared with at most 256 others.
    pub(crate) fn likeness(&self, order: &[usize], group: impl Fn(usize) -> usize) -> Vec<f64> {
        let contents = || order.iter().map(|&row| &self.contents[row]);
        let classes: Vec<Option<u32>> = contents()
            .map(|content| match content.body() {
                Body::Text | Body::Message(_) => Some(0),
                Body::Json => Some(1),
                Body::Reference(_) | Body::Binary(_) => None,
            })
            .collect();
        let texts = contents().zip(&classes);
        let texts = texts.map(|(content, class)| class.and_then(|_| content.rendered()));
        let shingles = Shingles::of(texts);
        let apart = |place: usize, other: usize| group(order[place]) != group(order[other]);
        let mut found = greatest(&shingles, &classes, apart, LEAST_LIKENESS);
        // Of each content, the group that had it first, and whether another has it, too.
        let mut known: HashMap<(&str, &Hash), (usize, bool), FixedState> = HashMap::default();
        for (place, content) in contents().enumerate() {
            let own = group(order[place]);
            let (first, is_common) = known
                .entry((content.kind(), content.hash()))
                .or_insert((own, false));
            if *first != own || *is_common {
                found[place] = 1.0;
                *is_common = true;
            }
        }
        found
    }
}

//! What a rule claims, before claims that overlap are joined.

use super::rule::Rule;

/// A range of bytes and the rule that claims it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) rule: Rule,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Found {
    /// Makes a claim.
    pub(super) const fn new(rule: Rule, start: usize, end: usize) -> Self {
        Self { rule, start, end }
    }
}

/// Sorts claims and joins those that overlap; the leftmost gives its name, of these the longest,
/// of these the first rule.
///
/// What is said in words or on a command line gives way to what is known by its form.
pub(super) fn join(found: Vec<Found>) -> Vec<Found> {
    let (mut said, known): (Vec<Found>, Vec<Found>) = found
        .into_iter()
        .partition(|claim| claim.rule >= Rule::Argument);
    let mut joined = merge(known);
    if said.is_empty() {
        return joined;
    }
    said.retain(|claim| {
        let next = joined.partition_point(|known| known.end <= claim.start);
        joined
            .get(next)
            .is_none_or(|known| known.start >= claim.end)
    });
    joined.append(&mut said);
    merge(joined)
}

fn merge(mut found: Vec<Found>) -> Vec<Found> {
    found.sort_unstable_by_key(|claim| (claim.start, usize::MAX - claim.end, claim.rule));
    found.dedup_by(|next, kept| {
        let overlaps = next.start < kept.end;
        if overlaps {
            kept.end = kept.end.max(next.end);
        }
        overlaps
    });
    found
}

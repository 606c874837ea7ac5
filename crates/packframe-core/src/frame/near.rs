//! Rows that say nearly the same, found without comparing each with each.

use super::shingles::{Shingles, shared};

/// Earlier rows that a row is compared with, at most: those that share its rarest shingles.
const MOST_COMPARED: usize = 256;
/// Meetings with earlier rows that are looked at for a row, at most: a pair may meet often.
const MOST_MET: usize = 16 * MOST_COMPARED;
/// Counters of how common shingles are: some share one, which changes an order and no result.
const MOST_COUNTERS: usize = 1 << 22;

/// Finds for each row the first earlier one of its class that is as similar as the threshold says,
/// and was not found to be similar to an earlier one itself.
///
/// Similarity is Jaccard's: the shingles that two rows share, over those that either has. A row
/// without a class is left out; one that `stays` is similar to none, but others may be to it.
///
/// Two rows of similarity t share a shingle among the first n − ⌈t · n⌉ + 1 of each, in whatever
/// order, n being the shingles of that row; the order is from rare to common. So only rows that
/// meet in these are compared, and none that is similar is missed, but where more than 256 earlier
/// rows meet with one: then the first of those that share its rarest shingles are compared. With N
/// shingles in all, O(N log N) and at most 256 comparisons a row, each linear in the row.
pub(super) fn similar(
    shingles: &Shingles,
    classes: &[Option<u32>],
    stays: impl Fn(usize) -> bool,
    threshold: f64,
) -> Vec<Option<(usize, f64)>> {
    let mut meetings = Meetings::of(shingles, classes, threshold);
    let mut found: Vec<Option<(usize, f64)>> = vec![None; classes.len()];
    let mut candidates = Vec::new();
    let mut from = 0;
    while let Some(first) = meetings.memberships.get(from) {
        let row = first.row as usize;
        let own = meetings.memberships[from..]
            .iter()
            .take_while(|membership| membership.row as usize == row)
            .count();
        let places = from..from + own;
        from += own;
        if !stays(row) {
            candidates.clear();
            for membership in &meetings.memberships[places.clone()] {
                let left = MOST_COMPARED - candidates.len();
                let met = meetings.met(membership.group);
                candidates.extend_from_slice(&met[..met.len().min(left)]);
            }
            candidates.sort_unstable();
            candidates.dedup();
            found[row] = candidates.iter().find_map(|&other| {
                let other = other as usize;
                if classes[other] != classes[row] {
                    return None;
                }
                let similarity = jaccard(shingles.row(row), shingles.row(other), threshold)?;
                Some((other, similarity))
            });
        }
        if found[row].is_none() {
            for place in places {
                meetings.join(place);
            }
        }
    }
    found
}

/// Finds for each row how similar the most similar earlier one of its class is that is `apart` from
/// it; 0 where none is as similar as the threshold says.
///
/// As [`similar`], but each row is compared with all that it may be similar to: with at most 256,
/// those that share its rarest shingles.
pub(super) fn greatest(
    shingles: &Shingles,
    classes: &[Option<u32>],
    apart: impl Fn(usize, usize) -> bool,
    threshold: f64,
) -> Vec<f64> {
    let mut meetings = Meetings::of(shingles, classes, threshold);
    let mut found = vec![0.0; classes.len()];
    // Of each row, one more than the last row that it was compared with.
    let mut seen = vec![0_usize; classes.len()];
    let mut from = 0;
    while let Some(first) = meetings.memberships.get(from) {
        let row = first.row as usize;
        let own = meetings.memberships[from..]
            .iter()
            .take_while(|membership| membership.row as usize == row)
            .count();
        let places = from..from + own;
        from += own;
        let met = meetings.memberships[places.clone()]
            .iter()
            .flat_map(|membership| meetings.met(membership.group));
        let mut best: Option<f64> = None;
        let mut compared = 0;
        for &other in met.take(MOST_MET) {
            let other = other as usize;
            if seen[other] == row + 1 || !apart(row, other) {
                continue;
            }
            seen[other] = row + 1;
            let least = best.unwrap_or(threshold);
            if let Some(similarity) = jaccard(shingles.row(row), shingles.row(other), least) {
                best = Some(similarity);
            }
            compared += 1;
            if compared == MOST_COMPARED || best == Some(1.0) {
                break;
            }
        }
        found[row] = best.unwrap_or(0.0);
        for place in places {
            meetings.join(place);
        }
    }
    found
}

#[expect(clippy::cast_precision_loss, reason = "no memory holds 2^53 shingles")]
fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}

/// Returns the similarity of two rows, if it is not below the threshold.
fn jaccard(a: &[u64], b: &[u64], threshold: f64) -> Option<f64> {
    let (short, long) = (a.len().min(b.len()), a.len().max(b.len()));
    if share(short, long) < threshold {
        return None;
    }
    let both = shared(a, b);
    let similarity = share(both, a.len() + b.len() - both);
    (similarity >= threshold).then_some(similarity)
}

/// Returns how many of so many shingles a row has to share with a similar one, at least.
///
/// By the division that decides, so that no rounding comes between the two.
fn least(shingles: usize, threshold: f64) -> usize {
    let enough = |both: usize| share(both, shingles) >= threshold;
    // The place where `enough` turns true, by halves.
    let (mut low, mut high) = (1, shingles);
    while low < high {
        let middle = low + (high - low) / 2;
        if enough(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

/// A row that is in a group of rows that meet in a shingle.
struct Membership {
    row: u32,
    group: u32,
}

/// The groups of rows that meet in a shingle, those of one row left out.
struct Meetings {
    /// The rows of all groups; those of a group that joined stand at its start.
    rows: Vec<u32>,
    /// Where each group starts, and how many of it joined.
    groups: Vec<(usize, usize)>,
    /// By row, and for each from the smallest group to the largest.
    memberships: Vec<Membership>,
}

impl Meetings {
    fn of(shingles: &Shingles, classes: &[Option<u32>], threshold: f64) -> Self {
        let entries = entries(shingles, classes, threshold);
        let mut meetings = Self {
            rows: Vec::new(),
            groups: Vec::new(),
            memberships: Vec::new(),
        };
        let mut sizes = Vec::new();
        for group in entries
            .chunk_by(|a, b| a.0 == b.0)
            .filter(|group| group.len() > 1)
        {
            let number = u32::try_from(meetings.groups.len()).unwrap_or(u32::MAX);
            meetings.groups.push((meetings.rows.len(), 0));
            sizes.push(group.len());
            for &(_, row) in group {
                meetings.rows.push(row);
                meetings.memberships.push(Membership { row, group: number });
            }
        }
        let order = |membership: &Membership| {
            let size = sizes[membership.group as usize];
            (membership.row, size, membership.group)
        };
        meetings.memberships.sort_unstable_by_key(order);
        meetings
    }

    /// Returns the rows of a group that joined, in order.
    fn met(&self, group: u32) -> &[u32] {
        let (start, joined) = self.groups[group as usize];
        &self.rows[start..start + joined]
    }

    /// Lets later rows of a group meet one of it.
    fn join(&mut self, place: usize) {
        let Membership { row, group } = self.memberships[place];
        let (start, joined) = &mut self.groups[group as usize];
        self.rows[*start + *joined] = row;
        *joined += 1;
    }
}

/// Returns the shingles in which rows may meet, each with its class and row, in order.
fn entries(shingles: &Shingles, classes: &[Option<u32>], threshold: f64) -> Vec<((u32, u64), u32)> {
    let counters = shingles.len().next_power_of_two().clamp(1, MOST_COUNTERS);
    let counter = |shingle: u64| usize::try_from(shingle % counters as u64).unwrap_or(0);
    let mut common = vec![0_u32; counters];
    for &shingle in shingles.all() {
        let count = &mut common[counter(shingle)];
        *count = count.saturating_add(1);
    }
    let mut entries = Vec::new();
    let mut sorted: Vec<(u32, u64)> = Vec::new();
    for (row, class) in classes.iter().enumerate() {
        let own = shingles.row(row);
        let Some(class) = class.filter(|_| !own.is_empty()) else {
            continue;
        };
        let first = own.len() - least(own.len(), threshold) + 1;
        sorted.clear();
        sorted.extend(
            own.iter()
                .map(|&shingle| (common[counter(shingle)], shingle)),
        );
        sorted.select_nth_unstable(first - 1);
        let number = u32::try_from(row).unwrap_or(u32::MAX);
        let rarest = sorted[..first].iter();
        entries.extend(rarest.map(|&(_, shingle)| ((class, shingle), number)));
    }
    entries.sort_unstable();
    entries
}

#[cfg(test)]
mod tests {
    use super::{Shingles, greatest, least, share, shared, similar};

    /// The same by comparing each row with each.
    fn all_pairs(rows: &[&str], threshold: f64) -> Vec<Option<(usize, f64)>> {
        let shingles = Shingles::of(rows.iter().map(|text| Some(*text)));
        let mut found: Vec<Option<(usize, f64)>> = Vec::new();
        for row in 0..rows.len() {
            let a = shingles.row(row);
            let first = (0..row)
                .filter(|&other| found[other].is_none())
                .find_map(|other| {
                    let b = shingles.row(other);
                    let both = shared(a, b);
                    let similarity = share(both, a.len() + b.len() - both);
                    (both > 0 && similarity >= threshold).then_some((other, similarity))
                });
            found.push(first);
        }
        found
    }

    /// The greatest similarity to earlier rows, by comparing each row with each.
    fn all_greatest(rows: &[&str], threshold: f64) -> Vec<f64> {
        let shingles = Shingles::of(rows.iter().map(|text| Some(*text)));
        let similarity = |row: usize, other: usize| {
            let (a, b) = (shingles.row(row), shingles.row(other));
            let both = shared(a, b);
            share(both, a.len() + b.len() - both)
        };
        (0..rows.len())
            .map(|row| {
                let before = (0..row).map(|other| similarity(row, other));
                let most = before.fold(0.0, f64::max);
                if most >= threshold { most } else { 0.0 }
            })
            .collect()
    }

    #[test]
    fn what_is_found_is_what_all_pairs_give() {
        let mut random = 7_u64;
        let mut next = |below: u64| {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (random >> 33) % below
        };
        for (words, length) in [(2, 6), (4, 9), (30, 12), (1_000, 40)] {
            for threshold in [0.1, 0.3, 0.5, 0.7, 0.9, 1.0] {
                let mut texts: Vec<Vec<String>> = Vec::new();
                for row in 0..60 {
                    let mut text: Vec<String> = match row {
                        0..20 => (0..=next(length))
                            .map(|_| format!("w{}", next(words)))
                            .collect(),
                        _ => texts[usize::try_from(next(20)).expect("it is small")].clone(),
                    };
                    for _ in 0..next(3) {
                        let at = usize::try_from(next(text.len() as u64)).expect("it is small");
                        text[at] = format!("w{}", next(words));
                    }
                    texts.push(text);
                }
                let texts: Vec<String> = texts.iter().map(|text| text.join(" ")).collect();
                let rows: Vec<&str> = texts.iter().map(|text| &**text).collect();
                let shingles = Shingles::of(rows.iter().map(|text| Some(*text)));
                let found = similar(&shingles, &[Some(0); 60], |_| false, threshold);
                assert_eq!(found, all_pairs(&rows, threshold), "{words} {threshold}");
                let found = greatest(&shingles, &[Some(0); 60], |_, _| true, threshold);
                assert_eq!(found, all_greatest(&rows, threshold), "{words} {threshold}");
            }
        }
    }

    #[test]
    fn the_least_shared_is_by_the_division_that_decides() {
        for shingles in 1..200 {
            for threshold in [0.1, 0.3, 0.5, 0.7, 0.9, 1.0, f64::MIN_POSITIVE] {
                let right = (1..=shingles).find(|&both| share(both, shingles) >= threshold);
                assert_eq!(
                    Some(least(shingles, threshold)),
                    right,
                    "{shingles} {threshold}"
                );
            }
        }
    }

    #[test]
    fn classes_and_rows_that_stay_are_kept_apart() {
        let texts = [
            "one two three four",
            "One two, three four!",
            "one two three four",
            "",
            "?",
        ];
        let shingles = Shingles::of(texts.into_iter().map(Some));
        let found = |classes: &[Option<u32>], stays: usize| {
            let found = similar(&shingles, classes, |row| row == stays, 0.9);
            found
                .into_iter()
                .map(|found| found.map(|(row, _)| row))
                .collect::<Vec<_>>()
        };
        let same = [Some(0); 5];
        assert_eq!(found(&same, 9), [None, Some(0), Some(0), None, None]);
        assert_eq!(found(&same, 1), [None, None, Some(0), None, None]);
        assert_eq!(
            found(&[Some(0), Some(1), Some(1), None, None], 9),
            [None, None, Some(1), None, None]
        );
        assert_eq!(found(&[None, Some(1), None, None, None], 9), [None; 5]);
    }
}

//! Byte-pair merging of one piece.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::vocabulary::Vocabulary;

/// The longest piece that is merged by scanning.
///
/// Texts in five languages take the same time, within the noise, with 48, 96 and 160; with 24
/// they take a tenth more.
const SCAN_LIMIT: usize = 96;

/// The rank of a pair that is no token.
const NEVER: u32 = u32::MAX;

/// Splits the piece `text[start..end]` into tokens, as byte-pair encoding does, and shows where
/// each one starts and ends, in order.
///
/// Of all neighbours that together are a token the ones of the lowest rank are joined, the
/// leftmost first, until no neighbours are a token. O(n log n) in the length of the piece.
pub(crate) fn merge(
    vocabulary: Vocabulary<'_>,
    text: &[u8],
    (start, end): (usize, usize),
    visit: impl FnMut(usize, usize),
) {
    // Most pieces are short, and clearing what a long one would need takes as long as they do.
    match end - start {
        0..32 => merge_by_scan::<32>(vocabulary, text, (start, end), visit),
        32..=SCAN_LIMIT => {
            merge_by_scan::<{ SCAN_LIMIT + 1 }>(vocabulary, text, (start, end), visit);
        }
        _ => merge_by_heap(vocabulary, text, (start, end), visit),
    }
}

/// Returns the rank of `text[start..end]`. The text around it is there so that the look-up can
/// read more than that at once.
fn rank(vocabulary: Vocabulary<'_>, text: &[u8], start: usize, end: usize) -> u32 {
    vocabulary.rank_at(text, start, end).unwrap_or(NEVER)
}

/// Looks for the lowest rank anew for each join: O(n²), but all in one cache line or a few.
/// A piece has fewer than `N` bytes, and `N` is at most 256.
fn merge_by_scan<const N: usize>(
    vocabulary: Vocabulary<'_>,
    text: &[u8],
    (start, end): (usize, usize),
    mut visit: impl FnMut(usize, usize),
) {
    // Token `i` is `text[start + starts[i]..start + starts[i + 1]]`; `ranks[i]` is of tokens `i`
    // and `i + 1`.
    let mut starts = [0_u8; N];
    let mut ranks = [NEVER; N];
    let mut tokens = end - start;
    for (at, number) in starts[..=tokens].iter_mut().zip(0..) {
        *at = number;
    }
    for (at, known) in ranks[..tokens - 1].iter_mut().enumerate() {
        *known = rank(vocabulary, text, start + at, start + at + 2);
    }
    while tokens > 1 {
        let mut lowest = NEVER;
        let mut at = 0;
        for (i, &rank) in ranks[..tokens - 1].iter().enumerate() {
            if rank < lowest {
                lowest = rank;
                at = i;
            }
        }
        if lowest == NEVER {
            break;
        }
        starts.copy_within(at + 2..=tokens, at + 1);
        ranks.copy_within(at + 1..tokens, at);
        tokens -= 1;
        ranks[tokens - 1] = NEVER;
        let place = |i: usize| start + usize::from(starts[i]);
        if at + 1 < tokens {
            ranks[at] = rank(vocabulary, text, place(at), place(at + 2));
        }
        if at > 0 {
            ranks[at - 1] = rank(vocabulary, text, place(at - 1), place(at + 1));
        }
    }
    for bounds in starts[..=tokens].windows(2) {
        visit(
            start + usize::from(bounds[0]),
            start + usize::from(bounds[1]),
        );
    }
}

/// The tokens that a piece is split into for now, as a list linked through the piece's offsets.
struct Chain<'a> {
    vocabulary: Vocabulary<'a>,
    piece: &'a [u8],
    /// The length of the token that starts here.
    lengths: Vec<u8>,
    /// The length of the token that ends here.
    before: Vec<u8>,
    /// The rank of the token that starts here joined with the next one.
    ranks: Vec<u32>,
    /// Pairs to join, lowest rank first, then leftmost; some are out of date.
    queue: BinaryHeap<Reverse<u64>>,
}

impl Chain<'_> {
    /// The bits of a queue entry below the rank: no piece is 1 TiB long.
    const START_BITS: u32 = 40;

    fn entry(rank: u32, start: usize) -> Reverse<u64> {
        Reverse(u64::from(rank) << Self::START_BITS | start as u64)
    }

    /// Takes the pair to join next out of the queue.
    fn next(&mut self) -> Option<usize> {
        while let Some(Reverse(entry)) = self.queue.pop() {
            let start = (entry & ((1 << Self::START_BITS) - 1)) as usize;
            if u64::from(self.ranks[start]) == entry >> Self::START_BITS {
                return Some(start);
            }
        }
        None
    }

    /// Looks up the pair that starts at `start` and ends at `end`.
    fn pair(&mut self, start: usize, end: usize) {
        self.ranks[start] = rank(self.vocabulary, self.piece, start, end);
        if self.ranks[start] != NEVER {
            self.queue.push(Self::entry(self.ranks[start], start));
        }
    }

    /// Joins the token that starts at `start` with the next one.
    fn join(&mut self, start: usize) {
        let right = start + usize::from(self.lengths[start]);
        let end = right + usize::from(self.lengths[right]);
        // Fits: what was joined is a token, and no token is longer than 255 bytes.
        self.lengths[start] += self.lengths[right];
        self.ranks[right] = NEVER;
        if end < self.piece.len() {
            self.before[end] = self.lengths[start];
            self.pair(start, end + usize::from(self.lengths[end]));
        } else {
            self.ranks[start] = NEVER;
        }
        if start > 0 {
            self.pair(start - usize::from(self.before[start]), end);
        }
    }
}

/// Keeps the pairs in a heap: O(n log n). Takes some 15 bytes for each byte of the piece; they are
/// given back, so one long piece does not weigh on the process afterwards.
fn merge_by_heap(
    vocabulary: Vocabulary<'_>,
    text: &[u8],
    (from, to): (usize, usize),
    mut visit: impl FnMut(usize, usize),
) {
    let piece = &text[from..to];
    let ranks: Vec<u32> = (0..piece.len() - 1)
        .map(|start| rank(vocabulary, piece, start, start + 2))
        .chain([NEVER])
        .collect();
    let queue: Vec<Reverse<u64>> = ranks
        .iter()
        .enumerate()
        .filter(|&(_, &rank)| rank != NEVER)
        .map(|(start, &rank)| Chain::entry(rank, start))
        .collect();
    let mut chain = Chain {
        vocabulary,
        piece,
        lengths: vec![1; piece.len()],
        before: vec![1; piece.len()],
        ranks,
        queue: queue.into(),
    };
    while let Some(start) = chain.next() {
        chain.join(start);
    }
    let mut start = 0;
    while start < piece.len() {
        let end = start + usize::from(chain.lengths[start]);
        visit(from + start, from + end);
        start = end;
    }
}

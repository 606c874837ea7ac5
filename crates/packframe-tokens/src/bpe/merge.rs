//! Byte-pair merging of one piece, from longest tokens instead of from bytes.
//!
//! # Why this is what merging pairs gives
//!
//! Byte-pair encoding joins, of all neighbours that together are a token, those of the lowest rank
//! first, the leftmost first, until none are left. What it does on one side of a border that no
//! join crosses is the same whatever stands on the other side. From that follow three things:
//!
//! 1. A token that occurs in the result is the result for its own bytes alone.
//! 2. A row of such tokens is the result for its bytes if and only if no join would ever cross one
//!    of its borders, and whether one would cross a border depends on the two tokens at that border
//!    only: so each pair of neighbours is tested by itself ([`hold`]).
//! 3. For each length of a beginning of the piece there is at most one such row.
//!
//! So the row is found from left to right: the longest token first, a shorter one where it does not
//! hold with its left neighbour, and one step back where none does. No offset is started from
//! twice once it has led nowhere, hence O(n) look-ups for n bytes, with the length of the longest
//! token as factor.

use super::fill::EMPTY;
use super::lane::Lane;
use super::queue::Waiting;
use super::vocabulary::Vocabulary;

/// Splits the piece `text[start..end]` into tokens, as byte-pair encoding does, and shows where
/// each one starts and ends, in order.
pub(crate) fn merge(
    vocabulary: Vocabulary<'_>,
    text: &[u8],
    (start, end): (usize, usize),
    visit: impl FnMut(usize, usize),
) {
    match end - start {
        0..=16 if text[end - 1] < 0x80 => from_bytes(vocabulary, text, (start, end), visit),
        0..=32 => {
            let room = (&mut [0; 32][..], &mut [0; 32][..], &mut [0; 1][..]);
            with(vocabulary, text, (start, end), room, &mut [], visit);
        }
        33..=128 => {
            let room = (&mut [0; 128][..], &mut [0; 128][..], &mut [0; 3][..]);
            with(vocabulary, text, (start, end), room, &mut [], visit);
        }
        length => {
            // Given back, so one long piece does not weigh on the process afterwards.
            let (mut lengths, mut ranks) = (vec![0; length], vec![0; length]);
            let mut dead = vec![0; length / 64 + 1];
            let room = (&mut lengths[..], &mut ranks[..], &mut dead[..]);
            let mut known = [Known::default(); KNOWN];
            with(vocabulary, text, (start, end), room, &mut known, visit);
        }
    }
}

/// Merges a short piece pair by pair: all that is looked up are tokens that other pieces are made of
/// as well, so they are near.
fn from_bytes(
    vocabulary: Vocabulary<'_>,
    text: &[u8],
    (start, end): (usize, usize),
    mut visit: impl FnMut(usize, usize),
) {
    let mut lane = Lane::new();
    let piece = Waiting {
        start,
        end,
        ..Waiting::default()
    };
    lane.begin(vocabulary, text, piece);
    while lane.go_on(vocabulary, text).is_none() {}
    let mut at = start;
    while at < end {
        let to = start + lane.token_end(at - start);
        visit(at, to);
        at = to;
    }
}

fn with(
    vocabulary: Vocabulary<'_>,
    text: &[u8],
    (start, end): (usize, usize),
    (lengths, ranks, dead): (&mut [u8], &mut [u32], &mut [u64]),
    known: &mut [Known],
    mut visit: impl FnMut(usize, usize),
) {
    let mut row = Row {
        vocabulary,
        text,
        start,
        end,
        lengths,
        ranks,
        dead,
        known,
    };
    let tokens = row.find();
    let mut at = start;
    for &length in &row.lengths[..tokens] {
        let next = at + usize::from(length);
        visit(at, next);
        at = next;
    }
}

/// A row of tokens that grows from the start of a piece.
struct Row<'a> {
    vocabulary: Vocabulary<'a>,
    text: &'a [u8],
    start: usize,
    end: usize,
    /// The length of each token.
    lengths: &'a mut [u8],
    /// The rank of each token.
    ranks: &'a mut [u32],
    /// A bit for each offset in the piece from which the row cannot go on to the end.
    dead: &'a mut [u64],
    /// What is known of neighbours: in a long piece the same come again and again.
    known: &'a mut [Known],
}

/// Whether two tokens hold; two of rank 0 are none.
#[derive(Clone, Copy, Default)]
struct Known {
    left: u32,
    right: u32,
    hold: bool,
}

/// A power of two, so that a few bits of the ranks are a place.
const KNOWN: usize = 256;

impl Row<'_> {
    /// Finds the row that is the whole piece, and returns how many tokens it has.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "no token is longer than 255 bytes"
    )]
    fn find(&mut self) -> usize {
        let mut tokens = 0;
        let mut at = self.start;
        let mut most = self.end - at;
        loop {
            // The longest token from here that holds with the one before and leads on.
            let found = loop {
                if most == 0 {
                    break None;
                }
                let (length, rank) = self.vocabulary.longest_at(self.text, at, most);
                if !self.is_dead(at + length)
                    && (tokens == 0 || self.holds(tokens, at, length, rank))
                {
                    break Some((length, rank));
                }
                most = length - 1;
            };
            if let Some((length, rank)) = found {
                self.lengths[tokens] = length as u8;
                self.ranks[tokens] = rank;
                tokens += 1;
                at += length;
                if at == self.end {
                    return tokens;
                }
                most = self.end - at;
            } else {
                let offset = at - self.start;
                self.dead[offset / 64] |= 1 << (offset % 64);
                // Bytes are tokens, so there is a row for each piece; the way back never passes
                // its start.
                tokens -= 1;
                let length = usize::from(self.lengths[tokens]);
                at -= length;
                most = length - 1;
            }
        }
    }

    fn is_dead(&self, at: usize) -> bool {
        let offset = at - self.start;
        self.dead[offset / 64] >> (offset % 64) & 1 == 1
    }

    fn holds(&mut self, tokens: usize, at: usize, length: usize, rank: u32) -> bool {
        let left = at - usize::from(self.lengths[tokens - 1]);
        let left_rank = self.ranks[tokens - 1];
        let place = (left_rank.wrapping_mul(31) ^ rank) as usize & (KNOWN - 1);
        if let Some(known) = self.known.get(place)
            && (known.left, known.right) == (left_rank, rank)
            && (left_rank | rank) != 0
        {
            return known.hold;
        }
        let bounds = (left, at, at + length);
        let hold = hold(self.vocabulary, self.text, bounds, (left_rank, rank));
        if let Some(known) = self.known.get_mut(place) {
            *known = Known {
                left: left_rank,
                right: rank,
                hold,
            };
        }
        hold
    }
}

/// Tells whether two tokens, `text[left..border]` and `text[border..right]`, stay apart when their
/// bytes are merged together.
///
/// The joins that made them are taken back one by one, the latest first, on both sides of the
/// border. After each step, the tokens at the border are those that stood there at that time; had
/// they been joined before the join that was just taken back, the two would never have been made. Of
/// joins of one rank the left one comes first.
fn hold(
    vocabulary: Vocabulary<'_>,
    text: &[u8],
    (mut left, border, mut right): (usize, usize, usize),
    (mut left_rank, mut right_rank): (u32, u32),
) -> bool {
    let (mut left_half, mut right_half) = (vocabulary.half(left_rank), vocabulary.half(right_rank));
    let mut before = EMPTY;
    loop {
        if vocabulary.rank_of(text, left, right) < before {
            return false;
        }
        if left_half != 0 && (left_rank > right_rank || right_half == 0) {
            before = left_rank;
            left += left_half;
            left_rank = vocabulary.rank_of_half(text, left, border);
            left_half = vocabulary.half(left_rank);
        } else if right_half != 0 {
            before = right_rank + 1;
            right = border + right_half;
            right_rank = vocabulary.rank_of_half(text, border, right);
            right_half = vocabulary.half(right_rank);
        } else {
            return true;
        }
    }
}

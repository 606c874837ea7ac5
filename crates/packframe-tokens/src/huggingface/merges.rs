//! The merges of a file, brought into the form that the engine merges by.
//!
//! The library joins two tokens where a merge names both, the merge that stands first in the file
//! first. The engine joins neighbours whose bytes together are a token, the one of the lowest rank
//! first. Both take the leftmost of equals. With the tokens that are found here, and the places of
//! their merges as ranks, both do the same.
//!
//! What either does inside a stretch of a text does not depend on the text around, as long as no
//! join goes over the ends of the stretch: of what may be joined inside, the first comes first. So
//! wherever a token arises, it arises by the same joins as from its own bytes alone.
//!
//! A token is *made* if the library makes it of its own bytes. It then has one merge, the last one.
//!
//! **No other merge ever joins anything.** If it did on some text, it would on the bytes of what it
//! makes, and be the last one there.
//!
//! **The engine joins nothing else.** Take a text on which it does, and of these joins the first:
//! of `x` and `y` into the token `u`, whose merge is another. Before it the engine joined only what
//! merges join, so for the bytes of `u` alone the library comes to `x y` as well, and stops there: but
//! `u` is made.
//!
//! Most made tokens are *plain*: no longer than the tables can hold, of parts that are plain, and
//! with a merge behind theirs. A text where only plain tokens arise is merged by the tables of
//! these. Of the others the first one to arise has plain parts; such a token is a *root*, and a text
//! without the bytes of a root in it has plain tokens only.

use super::recognise::Reason;
use crate::bpe::pairs::Pairs;
use crate::bpe::row::Row;

/// A merge of a file: the two tokens and what they make, by their places in the vocabulary.
#[derive(Debug, Clone, Copy)]
pub(super) struct Merge {
    pub(super) left: u32,
    pub(super) right: u32,
    pub(super) made: u32,
}

/// What a token is made by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// Nothing: it is not made.
    None,
    /// It is a byte.
    Byte,
    /// The merge at this place makes it, and it is plain.
    Plain(u32),
    /// The merge at this place makes it of plain parts, and it is not plain.
    Root(u32),
    /// The merge at this place makes it of parts that are not all plain.
    Grown(u32),
}

/// The bytes of the longest token that is plain: what the tables can hold.
const LONGEST: usize = 255;

/// Finds what each token is made by: of so many, with the bytes of each, and which of them each
/// byte is.
///
/// # Errors
///
/// Two merges of the same tokens.
pub(super) fn origins<'v>(
    merges: &[Merge],
    tokens: u32,
    bytes_of: impl Fn(u32) -> &'v [u8],
    bytes: &[u32; 256],
) -> Result<Vec<Origin>, Reason> {
    let mut origins = vec![Origin::None; tokens as usize];
    let mut places = Pairs::new(merges.len());
    for (merge, place) in merges.iter().zip(0..) {
        if !places.add(merge.left, merge.right, place) {
            return Err("it has a merge twice".to_owned());
        }
        // What no merge makes need not be tried.
        origins[merge.made as usize] = Origin::Grown(place);
    }
    let mut maker = Maker::new(merges, &places, bytes);
    for (origin, token) in origins.iter_mut().zip(0..) {
        if *origin != Origin::None {
            *origin = maker
                .last(bytes_of(token))
                .map_or(Origin::None, Origin::Grown);
        }
    }
    for &byte in bytes {
        origins[byte as usize] = Origin::Byte;
    }
    // In the order of the merges, so that the parts that count come first.
    for (merge, place) in merges.iter().zip(0..) {
        if origins[merge.made as usize] == Origin::Grown(place) {
            let plain =
                |part: u32| matches!(origins[part as usize], Origin::Byte | Origin::Plain(_));
            if plain(merge.left) && plain(merge.right) && bytes_of(merge.made).len() <= LONGEST {
                origins[merge.made as usize] = Origin::Plain(place);
            }
        }
    }
    for (merge, place) in merges.iter().zip(0..) {
        if origins[merge.made as usize] == Origin::Grown(place) {
            let plain =
                |part: u32| matches!(origins[part as usize], Origin::Byte | Origin::Plain(_));
            if plain(merge.left) && plain(merge.right) {
                origins[merge.made as usize] = Origin::Root(place);
            }
        }
    }
    Ok(origins)
}

/// Merges the bytes of tokens as the library does.
struct Maker<'m> {
    merges: &'m [Merge],
    places: &'m Pairs,
    bytes: &'m [u32; 256],
    /// The place of the merge of each two bytes: most look-ups are for these.
    of_bytes: Vec<u32>,
    /// The tokens for now, and the place of the merge of each with the next.
    tokens: Vec<u32>,
    found: Vec<u32>,
}

/// The bytes of the longest token for which looking through all its parts is the faster way.
const SHORT: usize = 64;

/// The place of no merge: a file is too short for so many.
const NO_MERGE: u32 = u32::MAX;

impl<'m> Maker<'m> {
    fn new(merges: &'m [Merge], places: &'m Pairs, bytes: &'m [u32; 256]) -> Self {
        let place = |pair: usize| {
            places
                .get(bytes[pair >> 8], bytes[pair & 0xFF])
                .unwrap_or(NO_MERGE)
        };
        Self {
            merges,
            places,
            bytes,
            of_bytes: (0..1 << 16).map(place).collect(),
            tokens: Vec::new(),
            found: Vec::new(),
        }
    }

    fn place(&self, at: usize) -> u32 {
        self.places
            .get(self.tokens[at], self.tokens[at + 1])
            .unwrap_or(NO_MERGE)
    }

    /// Returns the place of the last merge that makes a token of its bytes, if it is made.
    fn last(&mut self, token: &[u8]) -> Option<u32> {
        let bytes = token.iter().map(|&byte| self.bytes[usize::from(byte)]);
        if token.len() > SHORT {
            let mut row = Row::new(bytes.collect());
            let last = row.join_all(self.places, |place| self.merges[place as usize].made);
            return last.filter(|_| row.ends[0] == token.len());
        }
        self.tokens.clear();
        self.found.clear();
        self.tokens.extend(bytes);
        let of_bytes =
            |pair: &[u8]| self.of_bytes[usize::from(pair[0]) << 8 | usize::from(pair[1])];
        self.found.extend(token.windows(2).map(of_bytes));
        let mut last = None;
        while let Some(&place) = self.found.iter().min() {
            if place == NO_MERGE {
                return None;
            }
            last = Some(place);
            let at = self.found.iter().position(|&found| found == place)?;
            self.tokens[at] = self.merges[place as usize].made;
            self.tokens.remove(at + 1);
            self.found.remove(at);
            if at < self.found.len() {
                self.found[at] = self.place(at);
            }
            if at > 0 {
                self.found[at - 1] = self.place(at - 1);
            }
        }
        last
    }
}

#[cfg(test)]
mod tests {
    use super::{Merge, Origin, origins};

    fn bytes() -> [u32; 256] {
        std::array::from_fn(|byte| u32::try_from(byte).expect("a byte"))
    }

    /// What the library does, step by step.
    fn library(merges: &[Merge], mut tokens: Vec<u32>) -> Vec<u32> {
        loop {
            let place = |pair: &[u32]| {
                merges
                    .iter()
                    .position(|merge| [merge.left, merge.right] == *pair)
            };
            let pairs = tokens.windows(2).enumerate();
            let first = pairs
                .filter_map(|(at, pair)| Some((place(pair)?, at)))
                .min();
            let Some((place, at)) = first else {
                return tokens;
            };
            tokens.splice(at..at + 2, [merges[place].made]);
        }
    }

    /// What the engine does: joins what together is a token of these, the lowest rank first.
    fn engine(ranks: &[Vec<u8>], text: &[u8]) -> Vec<Vec<u8>> {
        let mut tokens: Vec<Vec<u8>> = text.iter().map(|&byte| vec![byte]).collect();
        loop {
            let rank = |pair: &[Vec<u8>]| ranks.iter().position(|token| *token == pair.concat());
            let pairs = tokens.windows(2).enumerate();
            let first = pairs.filter_map(|(at, pair)| Some((rank(pair)?, at))).min();
            let Some((rank, at)) = first else {
                return tokens;
            };
            tokens.splice(at..at + 2, [ranks[rank].clone()]);
        }
    }

    /// Random files over three bytes, ordered well or badly, on short texts.
    #[test]
    fn what_is_made_does_what_all_merges_do() {
        let mut state = 3_u64;
        let mut below = |limit: usize| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            usize::try_from(state >> 33).expect("31 bits") % limit
        };
        let mut texts: Vec<Vec<u8>> = vec![Vec::new()];
        for from in 0.. {
            let text = texts[from].clone();
            if text.len() == 7 {
                break;
            }
            texts.extend((0..3).map(|byte| [&text[..], &[byte]].concat()));
        }
        let (mut dropped, mut plain, mut odd) = (0, 0, 0);
        for _ in 0..3_000 {
            let mut tokens: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
            let mut merges: Vec<Merge> = Vec::new();
            for _ in 0..2 + below(14) {
                let mut pick = || match below(2) {
                    1 if tokens.len() > 256 => 256 + below(tokens.len() - 256),
                    _ => below(3),
                };
                let (left, right) = (pick(), pick());
                let made = [&tokens[left][..], &tokens[right][..]].concat();
                let known = tokens.iter().position(|token| *token == made);
                let made = known.unwrap_or_else(|| {
                    tokens.push(made);
                    tokens.len() - 1
                });
                let [left, right, made] =
                    [left, right, made].map(|token| u32::try_from(token).expect("few"));
                if merges
                    .iter()
                    .all(|merge| (merge.left, merge.right) != (left, right))
                {
                    merges.push(Merge { left, right, made });
                }
            }
            // Some files are out of order.
            for _ in 0..below(3) {
                let (one, other) = (below(merges.len()), below(merges.len()));
                merges.swap(one, other);
            }
            let count = u32::try_from(tokens.len()).expect("few");
            let origins = origins(&merges, count, |token| &tokens[token as usize], &bytes());
            let origins = origins.expect("no merge is there twice");
            let ranks = |wanted: fn(Origin) -> Option<u32>| -> Vec<Vec<u8>> {
                let mut made: Vec<(u32, Vec<u8>)> = origins
                    .iter()
                    .zip(&tokens)
                    .filter_map(|(&origin, token)| Some((wanted(origin)?, token.clone())))
                    .collect();
                made.sort();
                made.into_iter().map(|(_, token)| token).collect()
            };
            let all = ranks(|origin| match origin {
                Origin::Plain(place) | Origin::Root(place) | Origin::Grown(place) => Some(place),
                Origin::None | Origin::Byte => None,
            });
            let plain_ones = ranks(|origin| match origin {
                Origin::Plain(place) => Some(place),
                _ => None,
            });
            let roots = ranks(|origin| match origin {
                Origin::Root(place) => Some(place),
                _ => None,
            });
            dropped += merges.len() - all.len();
            for text in texts.iter().skip(below(5)).step_by(1 + below(11)) {
                let right = library(&merges, text.iter().map(|&byte| u32::from(byte)).collect());
                let right: Vec<_> = right
                    .iter()
                    .map(|&token| tokens[token as usize].clone())
                    .collect();
                assert_eq!(engine(&all, text), right, "{text:?} with {merges:?}");
                let has = |root: &Vec<u8>| text.windows(root.len()).any(|part| part == root);
                if roots.iter().any(has) {
                    odd += 1;
                } else {
                    plain += 1;
                    assert_eq!(engine(&plain_ones, text), right, "{text:?} with {merges:?}");
                }
            }
        }
        assert!(
            dropped > 1_000 && plain > 100_000 && odd > 1_000,
            "{dropped} {plain} {odd}"
        );
    }

    #[test]
    fn a_merge_that_is_there_twice_is_refused() {
        let merge = Merge {
            left: 0,
            right: 1,
            made: 256,
        };
        assert!(origins(&[merge, merge], 257, |_| &[0, 1], &bytes()).is_err());
    }

    #[test]
    fn a_token_of_more_than_255_bytes_is_a_root() {
        let tokens: Vec<Vec<u8>> = (0..=255)
            .map(|byte| vec![byte])
            .chain((1..10).map(|power| vec![7; 1 << power]))
            .collect();
        let merges: Vec<Merge> = (0..9)
            .map(|at| {
                let part = if at == 0 { 7 } else { 255 + at };
                Merge {
                    left: part,
                    right: part,
                    made: 256 + at,
                }
            })
            .collect();
        let count = u32::try_from(tokens.len()).expect("few");
        let origins = origins(&merges, count, |token| &tokens[token as usize], &bytes());
        let origins = origins.expect("no merge is there twice");
        assert_eq!(origins[256 + 6], Origin::Plain(6));
        assert_eq!(origins[256 + 7], Origin::Root(7));
        assert_eq!(origins[256 + 8], Origin::Grown(8));
    }
}

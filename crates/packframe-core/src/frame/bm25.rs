//! BM25: how well each of some texts answers a query.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::terms::{Piece, each_piece, fold, fold_into};

/// How soon more of one term adds no more. The default of Lucene's `BM25Similarity`, inside the
/// range that S. Robertson and H. Zaragoza give in "The Probabilistic Relevance Framework: BM25 and
/// Beyond" (2009), as is the next.
const K1: f64 = 1.2;
/// How far a text pays for its length.
const B: f64 = 0.75;

/// Returns a score from 0 for each text; a row without a text has 0.
///
/// Sum over the terms of the query, one that stands in it twice taken twice, of
/// ln(1 + (n − d + ½) / (d + ½)) · f · (k₁ + 1) / (f + k₁ · (1 − b + b · l / l̄)),
/// where n texts are searched, d of them have the term, this one has it f times, and is l terms
/// long, l̄ on average. Terms are words, and pairs of neighbours in runs of scripts without spaces;
/// a character alone in such a run is a term, and found inside of runs too. Case is folded.
///
/// Linear in all texts; memory for the query and for what is found of it.
pub(super) fn bm25<'a>(
    texts: impl ExactSizeIterator<Item = Option<&'a str>>,
    query: &str,
) -> Vec<f64> {
    let query = Query::of(query);
    let mut scores = vec![0.0; texts.len()];
    let mut found: Vec<(usize, usize, u32)> = Vec::new();
    let mut lengths = vec![0_u64; texts.len()];
    let mut having = vec![0_u32; query.weights.len()];
    let mut searched = 0_u32;
    let mut tally = Tally::new(query.weights.len());
    for (row, text) in texts.enumerate() {
        let Some(text) = text else { continue };
        searched += 1;
        lengths[row] = query.look_into(text, &mut tally);
        tally.take(|term, count| {
            having[term] += 1;
            found.push((row, term, count));
        });
    }
    let total: u64 = lengths.iter().sum();
    let average = float(total) / f64::from(searched.max(1));
    let rarities: Vec<f64> = having
        .iter()
        .zip(&query.weights)
        .map(|(&having, &weight)| {
            let having = f64::from(having);
            let odds = (f64::from(searched) - having + 0.5) / (having + 0.5);
            f64::from(weight) * ln(1.0 + odds)
        })
        .collect();
    for (row, term, count) in found {
        let count = f64::from(count);
        let length = K1 * (1.0 - B + B * float(lengths[row]) / average);
        scores[row] += rarities[term] * (count * (K1 + 1.0) / (count + length));
    }
    scores
}

#[expect(
    clippy::cast_precision_loss,
    reason = "no memory holds a text of 2^53 terms"
)]
fn float(number: u64) -> f64 {
    number as f64
}

/// The terms of a query, numbered in their order.
#[derive(Default)]
struct Query {
    terms: HashMap<Box<str>, usize, FixedState>,
    /// Characters that stand alone in a run.
    lone: HashMap<char, usize, FixedState>,
    /// How many times each term stands in the query.
    weights: Vec<u32>,
}

impl Query {
    fn of(text: &str) -> Self {
        let mut query = Self::default();
        let mut folded = String::new();
        each_piece(text, |piece| match piece {
            Piece::Run(run) if run.chars().nth(1).is_none() => {
                run.chars()
                    .for_each(|character| query.add_lone(fold(character)));
            }
            piece => each_term(piece, &mut folded, |term| query.add(term)),
        });
        query
    }

    fn add(&mut self, term: &str) {
        let next = self.weights.len();
        let number = *self.terms.entry(term.into()).or_insert(next);
        self.weigh(number);
    }

    fn add_lone(&mut self, character: char) {
        let next = self.weights.len();
        let number = *self.lone.entry(character).or_insert(next);
        self.weigh(number);
    }

    fn weigh(&mut self, number: usize) {
        match self.weights.get_mut(number) {
            Some(weight) => *weight += 1,
            None => self.weights.push(1),
        }
    }

    /// Tallies what a text has of the query, and returns how many terms the text has.
    fn look_into(&self, text: &str, tally: &mut Tally) -> u64 {
        let mut length = 0;
        let mut folded = String::new();
        each_piece(text, |piece| {
            if let Piece::Run(run) = piece {
                if !self.lone.is_empty() {
                    let numbers = run
                        .chars()
                        .filter_map(|character| self.lone.get(&fold(character)));
                    numbers.for_each(|&number| tally.add(number));
                }
                if run.chars().nth(1).is_none() {
                    length += 1;
                    return;
                }
            }
            each_term(piece, &mut folded, |term| {
                length += 1;
                if let Some(&number) = self.terms.get(term) {
                    tally.add(number);
                }
            });
        });
        length
    }
}

/// Hands over the terms of a piece: the word, or the pairs of a run.
fn each_term(piece: Piece<'_>, folded: &mut String, mut visit: impl FnMut(&str)) {
    match piece {
        Piece::Word(word) => {
            folded.clear();
            fold_into(word, folded);
            visit(folded);
        }
        Piece::Run(run) => {
            for (first, second) in run.chars().zip(run.chars().skip(1)) {
                folded.clear();
                folded.extend([fold(first), fold(second)]);
                visit(folded);
            }
        }
    }
}

/// How many times one text has each term of the query.
struct Tally {
    counts: Vec<u32>,
    terms: Vec<usize>,
}

impl Tally {
    fn new(terms: usize) -> Self {
        Self {
            counts: vec![0; terms],
            terms: Vec::new(),
        }
    }

    fn add(&mut self, term: usize) {
        if self.counts[term] == 0 {
            self.terms.push(term);
        }
        self.counts[term] = self.counts[term].saturating_add(1);
    }

    /// Hands over what was tallied, in the order of the query, and starts again.
    fn take(&mut self, mut visit: impl FnMut(usize, u32)) {
        self.terms.sort_unstable();
        for term in self.terms.drain(..) {
            visit(term, std::mem::take(&mut self.counts[term]));
        }
    }
}

/// Returns the natural logarithm of a number from 1 on, the same on every platform: the one of the
/// standard library may differ in the last bit.
///
/// m · 2ᵉ with m from √½ to √2 gives e · ln 2 + 2 · artanh((m − 1) / (m + 1)), whose series is
/// cut where what is left is below 2⁻⁵³ of it.
fn ln(number: f64) -> f64 {
    const MANTISSA: u64 = (1 << 52) - 1;
    let bits = number.to_bits();
    let mut exponent = i32::try_from(bits >> 52).unwrap_or(0) - 1023;
    let mut mantissa = f64::from_bits((bits & MANTISSA) | (1023 << 52));
    if mantissa > std::f64::consts::SQRT_2 {
        mantissa /= 2.0;
        exponent += 1;
    }
    let part = (mantissa - 1.0) / (mantissa + 1.0);
    let square = part * part;
    let series = (0..12).rev().fold(0.0, |sum, term| {
        1.0 / (2.0 * f64::from(term) + 1.0) + square * sum
    });
    f64::from(exponent) * std::f64::consts::LN_2 + 2.0 * part * series
}

#[cfg(test)]
mod tests {
    use super::{bm25, ln};

    #[test]
    fn the_logarithm_is_one() {
        for number in [
            1.0, 1.000_001, 1.4, 1.5, 2.0, 3.0, 10.0, 12_345.678, 1e9, 1e300,
        ] {
            let right: f64 = f64::ln(number);
            assert!(
                (ln(number) - right).abs() <= 4e-16 * right.max(1e-3),
                "{number}"
            );
        }
    }

    #[test]
    fn scores_are_those_of_the_formula() {
        let texts = [
            Some("The cat, the CAT!"),
            Some("a dog"),
            None,
            Some("猫は猫"),
            Some(""),
        ];
        let score = |query| bm25(texts.into_iter(), query);
        // n = 4, d = 1, f = 2, l = 4; the lengths are 4, 2, 2 and 0.
        let right = f64::ln(1.0 + 3.5 / 1.5) * 2.0 * 2.2 / (2.0 + 1.2 * (0.25 + 0.75 * 4.0 / 2.0));
        assert!((score("cat")[0] - right).abs() < 1e-14);
        assert_eq!(score("cat")[1..], [0.0; 4]);
        let twice = score("Cat cat");
        assert!((twice[0] - 2.0 * right).abs() < 1e-14);
        assert!(score("猫")[3] > 0.0 && score("は猫")[3] > 0.0);
        assert_eq!(score("は狐"), [0.0; 5]);
        assert_eq!(score("?!"), [0.0; 5]);
        assert_eq!(bm25([].into_iter(), "cat"), Vec::<f64>::new());
    }
}

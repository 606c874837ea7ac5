//! Mutated source, for as long as one likes: `PACKFRAME_FUZZ_SECONDS=600 cargo test --release -p
//! packframe-tokens -- --ignored fuzz`.
//!
//! Texts that gave a new number of pieces and tokens are kept and mutated again, so that what is
//! odd is tried near what was odd.

use std::collections::HashSet;
use std::env;
use std::time::{Duration, Instant};

use packframe_tokens::Tokenizer;

use crate::oracle::{Texts, pairs};

fn number(name: &str, otherwise: u64) -> u64 {
    env::var(name).map_or(otherwise, |value| value.parse().expect("a number"))
}

/// Cuts, doubles, swaps, or puts something in.
fn mutate(source: &mut Texts, text: &str, other: &str) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..=source.below(3) {
        let at = source.below(chars.len() + 1);
        let to = (at + source.below(8)).min(chars.len());
        match source.below(7) {
            0 => drop(chars.drain(at..to)),
            1 => {
                let part: Vec<char> = chars[at..to].to_vec();
                let times = 1 + source.below(40);
                chars.splice(at..at, part.repeat(times));
            }
            2 => chars.insert(at, source.any_char()),
            3 => drop(chars.splice(at..to, source.text(2).chars().collect::<Vec<_>>())),
            4 => chars[at..to].reverse(),
            5 => {
                let part: Vec<char> = other.chars().skip(at).take(12).collect();
                chars.splice(at..at, part);
            }
            _ => {
                for c in &mut chars[at..to] {
                    let turned: Vec<char> = if c.is_lowercase() {
                        c.to_uppercase().collect()
                    } else {
                        c.to_lowercase().collect()
                    };
                    *c = turned[0];
                }
            }
        }
    }
    chars.truncate(4_000);
    chars.into_iter().collect()
}

#[test]
#[ignore = "runs for as long as PACKFRAME_FUZZ_SECONDS says; the gate has the seeded tests"]
fn mutated_texts_are_encoded_as_tiktoken_does() {
    let seed = number("PACKFRAME_SEED", 0);
    let time = Duration::from_secs(number("PACKFRAME_FUZZ_SECONDS", 60));
    let (pairs, start) = (pairs(), Instant::now());
    let mut source = Texts::new(seed);
    let mut kept: Vec<String> = (0..200).map(|_| source.text(12)).collect();
    let mut shapes = HashSet::new();
    let mut tried = 0_u64;
    while start.elapsed() < time {
        let one = source.below(kept.len());
        let other = source.below(kept.len());
        let mutated = mutate(&mut source, &kept[one], &kept[other]);
        let mut shape = Vec::new();
        for pair in &pairs {
            let right = pair.theirs.encode_ordinary(&mutated);
            let name = pair.ours.name();
            assert_eq!(
                pair.ours.encode(&mutated),
                right,
                "{name}, seed {seed}: {mutated:?}"
            );
            let count = pair.ours.count(&mutated).expect("it never fails");
            assert_eq!(
                count,
                right.len() as u64,
                "{name}, seed {seed}: {mutated:?}"
            );
            shape.push(right.len());
        }
        tried += 1;
        if shapes.insert(shape) && kept.len() < 20_000 {
            kept.push(mutated);
        }
    }
    println!(
        "seed {seed}: {tried} source, {} kept, {} encodings, {:?}: no difference",
        kept.len(),
        pairs.len(),
        start.elapsed()
    );
}

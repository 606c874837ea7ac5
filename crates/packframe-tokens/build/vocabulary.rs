//! The tables of one vocabulary. `src/openai/vocabulary.rs` says how they are read.

use std::fs;
use std::path::Path;

use tiktoken_rs::CoreBPE;

#[path = "../src/openai/key.rs"]
mod key;

/// Marks a free slot.
const EMPTY: u32 = u32::MAX;

/// Writes `<path>.bytes`, `.ends`, the ranks of pairs of bytes, and keys and ranks of the tables of short, middle and long
/// tokens. Ranks count from 0 without a gap; special tokens stand behind a gap.
pub fn write(core: &CoreBPE, path: &Path) {
    let tokens: Vec<Vec<u8>> = (0..)
        .map_while(|rank| core.decode_bytes(&[rank]).ok())
        .collect();
    let mut bytes = Vec::new();
    let mut ends = Vec::new();
    for token in &tokens {
        bytes.extend_from_slice(token);
        ends.push(u32::try_from(bytes.len()).expect("a vocabulary is below 4 GiB"));
    }
    let ranked = |from: usize, to: usize| {
        tokens
            .iter()
            .zip(0..)
            .filter(move |(token, _)| (from..=to).contains(&token.len()))
            .map(|(token, rank): (&Vec<u8>, u32)| (token.as_slice(), rank))
            .collect::<Vec<_>>()
    };
    let short = ranked(1, key::SHORT);
    let middle = ranked(key::SHORT + 1, key::MIDDLE);
    let long = ranked(key::MIDDLE + 1, usize::MAX);

    let (keys, ranks) = table(&short, key::short_of, key::short_place, 0);
    put(path, "short", &keys, |key| key.to_le_bytes().to_vec());
    put(path, "short_ranks", &ranks, |rank| {
        rank.to_le_bytes().to_vec()
    });
    let (keys, ranks) = table(&middle, key::middle_of, key::middle_place, 0);
    put(path, "middle", &keys, |key| key.to_le_bytes().to_vec());
    put(path, "middle_ranks", &ranks, |rank| {
        rank.to_le_bytes().to_vec()
    });
    let (_, ranks) = table(&long, key::long_of, key::long_place, 0);
    put(path, "long_ranks", &ranks, |rank| {
        rank.to_le_bytes().to_vec()
    });
    let mut pairs = vec![EMPTY; 1 << 16];
    for &(token, rank) in &short {
        if let &[first, second] = token {
            pairs[usize::from(u16::from_be_bytes([first, second]))] = rank;
        }
    }
    put(path, "pairs", &pairs, |rank| rank.to_le_bytes().to_vec());
    put(path, "ends", &ends, |end| end.to_le_bytes().to_vec());
    put(path, "bytes", &bytes, |byte| vec![*byte]);
}

fn put<T>(path: &Path, extension: &str, values: &[T], encode: impl Fn(&T) -> Vec<u8>) {
    let data: Vec<u8> = values.iter().flat_map(encode).collect();
    fs::write(path.with_extension(extension), data).expect("OUT_DIR can be written");
}

/// Fills an open-addressing table, half full. Tokens of a low rank, which texts have
/// most of, come first and so stand where they are looked for first.
fn table<K: Copy>(
    tokens: &[(&[u8], u32)],
    key_of: fn(&[u8]) -> K,
    place_of: fn(K, usize) -> usize,
    free: K,
) -> (Vec<K>, Vec<u32>) {
    let size = tokens.len() * 2 + 1;
    let mut keys = vec![free; size + key::SPARE];
    let mut ranks = vec![EMPTY; size + key::SPARE];
    for &(token, rank) in tokens {
        let key = key_of(token);
        let mut place = place_of(key, size);
        while ranks[place] != EMPTY {
            place += 1;
        }
        keys[place] = key;
        ranks[place] = rank;
    }
    assert_eq!(ranks.last(), Some(&EMPTY), "a look-up ends at a free slot");
    (keys, ranks)
}

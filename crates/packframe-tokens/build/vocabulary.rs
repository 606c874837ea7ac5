//! The tables of one vocabulary. `src/bpe/vocabulary.rs` says how they are read.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use tiktoken_rs::CoreBPE;

#[path = "../src/bpe/fill.rs"]
mod fill;
#[path = "../src/bpe/key.rs"]
mod key;
#[path = "../src/bpe/slots.rs"]
#[allow(
    dead_code,
    reason = "the library looks for more than what is written here"
)]
mod slots;

/// Writes a file for each table, `<path>.<table>`, with the tokens whose ids are given, in order.
pub fn write(core: &CoreBPE, ids: impl Iterator<Item = u32>, path: &Path) {
    let tokens: Vec<Vec<u8>> = ids
        .map(|id| core.decode_bytes(&[id]).expect("each id is a token's"))
        .collect();
    let ranks: HashMap<&[u8], u32> = tokens.iter().map(Vec::as_slice).zip(0..).collect();
    let halves = tokens.iter().map(|token| half(&ranks, token));
    let filled = fill::fill(tokens.iter().map(Vec::as_slice).zip(halves));
    let filled = filled.expect("the tokens are spread well");
    put(path, "bytes", &filled.bytes, |byte| vec![*byte]);
    put(path, "ends", &filled.ends, |end| end.to_le_bytes().to_vec());
    put(path, "halves", &filled.halves, |half| vec![*half]);
    put(path, "marks", &filled.marks, |marks| {
        marks.to_le_bytes().to_vec()
    });
    put(path, "slots", &filled.slots, |slot| {
        slot.to_le_bytes().to_vec()
    });
    put(path, "long", &filled.long, |rank| {
        rank.to_le_bytes().to_vec()
    });
    put(path, "reach", &filled.reach, |lengths| {
        lengths.to_le_bytes().to_vec()
    });
    put(path, "borders", &filled.borders, |bits| {
        bits.to_le_bytes().to_vec()
    });
    put(path, "pairs", &filled.pairs, |rank| {
        rank.to_le_bytes().to_vec()
    });
    put(path, "ragged", &filled.ragged, |bits| {
        bits.to_le_bytes().to_vec()
    });
    put(path, "longest", &[filled.longest], |longest| {
        longest.to_le_bytes().to_vec()
    });
    put(path, "far", &filled.far, |bits| bits.to_le_bytes().to_vec());
    put(path, "single", &filled.single, |rank| {
        rank.to_le_bytes().to_vec()
    });
}

fn put<T>(path: &Path, extension: &str, values: &[T], encode: impl Fn(&T) -> Vec<u8>) {
    let data: Vec<u8> = values.iter().flat_map(encode).collect();
    fs::write(path.with_extension(extension), data).expect("OUT_DIR can be written");
}

/// Returns the length of the left one of the two tokens that a token is merged from, 0 for a byte.
fn half(ranks: &HashMap<&[u8], u32>, token: &[u8]) -> u8 {
    let own = ranks[token];
    let mut starts: Vec<usize> = (0..=token.len()).collect();
    let rank = |starts: &[usize], at: usize| {
        let joined = &token[starts[at]..starts[at + 2]];
        ranks.get(joined).copied().filter(|&rank| rank < own)
    };
    let mut found: Vec<Option<u32>> = (0..token.len() - 1).map(|at| rank(&starts, at)).collect();
    while starts.len() > 3 {
        let lowest = (0..found.len())
            .filter_map(|at| Some((found[at]?, at)))
            .min()
            .expect("each token is merged from two");
        let at = lowest.1;
        starts.remove(at + 1);
        found.remove(at);
        if at < found.len() {
            found[at] = rank(&starts, at);
        }
        if at > 0 {
            found[at - 1] = rank(&starts, at - 1);
        }
    }
    if token.len() == 1 {
        return 0;
    }
    u8::try_from(starts[1]).expect("tokens are shorter than 256 bytes")
}

//! A class for each character, in two stages: the number of a block, and the class in the block.

use std::fs;
use std::path::Path;

use regex_syntax::hir::{Class, HirKind};

const BLOCK: usize = 128;
const CHARACTERS: usize = 0x11_0000;

/// The classes, in the order that `src/bpe/class.rs` numbers them; what is in none is 0.
pub const GENERAL: &[(&str, u8)] = &[
    (r"\s", 1),
    (r"[\r\n]", 2),
    (r"\p{N}", 3),
    (r"[\p{Lu}\p{Lt}]", 4),
    (r"\p{Ll}", 5),
    (r"[\p{Lm}\p{Lo}]", 6),
    (r"\p{M}", 7),
];

/// Writes `<path>.stage1` and `<path>.stage2`.
pub fn write(path: &Path, patterns: &[(&str, u8)]) {
    let mut class = vec![0_u8; CHARACTERS];
    for &(pattern, number) in patterns {
        for (first, last) in ranges(pattern) {
            class[first as usize..=last as usize].fill(number);
        }
    }
    let mut blocks: Vec<&[u8]> = Vec::new();
    let mut stage1 = Vec::new();
    for block in class.chunks(BLOCK) {
        let known = blocks.iter().position(|known| *known == block);
        let number = known.unwrap_or_else(|| {
            blocks.push(block);
            blocks.len() - 1
        });
        stage1.extend_from_slice(&u16::try_from(number).expect("blocks are few").to_le_bytes());
    }
    fs::write(path.with_extension("stage1"), stage1).expect("OUT_DIR can be written");
    fs::write(path.with_extension("stage2"), blocks.concat()).expect("OUT_DIR can be written");
}

fn ranges(pattern: &str) -> Vec<(char, char)> {
    let hir = regex_syntax::parse(pattern).expect("the pattern is a class");
    match hir.into_kind() {
        HirKind::Class(Class::Unicode(class)) => class
            .iter()
            .map(|range| (range.start(), range.end()))
            .collect(),
        other => panic!("{pattern} is no class but {other:?}"),
    }
}

//! A class for each character, in two stages: the number of a block, and the class in the block.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use regex_syntax::hir::{Class, HirKind};
use unicode_normalization_alignments::UnicodeNormalization;
use unicode_normalization_alignments::char::{
    canonical_combining_class, decompose_canonical, decompose_compatible,
};

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

/// The classes of `src/bpe/pretokenizer/deepseek.rs`; the last one that has a character counts.
pub const DEEPSEEK: &[(&str, u8)] = &[
    (r"\s", 1),
    (r"[\r\n]", 2),
    (r"\p{N}", 3),
    (r"[\p{L}\p{M}]", 4),
    (r"[\p{P}\p{S}]", 5),
    (r"[\u{4E00}-\u{9FA5}\u{3040}-\u{309F}\u{30A0}-\u{30FF}]", 6),
];

/// Writes the classes of patterns.
pub fn write(path: &Path, patterns: &[(&str, u8)]) {
    let mut class = vec![0_u8; CHARACTERS];
    for &(pattern, number) in patterns {
        for (first, last) in ranges(pattern) {
            class[first as usize..=last as usize].fill(number);
        }
    }
    write_stages(path, &class);
}

/// Writes in which normal forms each character is steady, a bit for each in the order of `Form`: the
/// form leaves it as it is, and joins it with none before it. `src/form.rs` says more.
pub fn write_steady(path: &Path) {
    let characters = || '\0'..=char::MAX;
    // What joins with a character before it, which nothing but decomposing shows.
    let mut tails: HashSet<char> = ('\u{1161}'..='\u{11ff}').collect();
    for character in characters() {
        let mut decomposed = Vec::new();
        decompose_canonical(character, |part| decomposed.push(part));
        tails.extend(decomposed.into_iter().skip(1));
    }
    let mut class = vec![0_u8; CHARACTERS];
    for character in characters() {
        let text = character.to_string();
        let same = |form: &mut dyn Iterator<Item = (char, isize)>| {
            form.map(|(character, _)| character).eq([character])
        };
        let (mut canonical, mut compatible) = (None, None);
        decompose_canonical(character, |part| canonical = canonical.or(Some(part)));
        decompose_compatible(character, |part| compatible = compatible.or(Some(part)));
        let starts =
            |first: Option<char>| first.is_some_and(|first| canonical_combining_class(first) == 0);
        let joins = |first: Option<char>| first.is_none_or(|first| tails.contains(&first));
        class[character as usize] =
            u8::from(starts(canonical) && !joins(canonical) && same(&mut text.nfc()))
                | u8::from(starts(canonical) && same(&mut text.nfd())) << 1
                | u8::from(starts(compatible) && !joins(compatible) && same(&mut text.nfkc())) << 2
                | u8::from(starts(compatible) && same(&mut text.nfkd())) << 3;
    }
    write_stages(path, &class);
}

/// Writes `<path>.stage1` and `<path>.stage2`.
fn write_stages(path: &Path, class: &[u8]) {
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

//! The classes of characters that sentences are told apart by, from `regex-syntax`.

use std::env;
use std::path::PathBuf;

use crate::classes;

/// `Sentence_Break` of UAX 29, numbered as in `src/segment/sentence.rs`; what is in none is 0.
const CLASSES: &[(&str, u8)] = &[
    (r"\p{sb=Sep}", 1),
    (r"[\p{sb=CR}\p{sb=LF}]", 2),
    (r"[\p{sb=Extend}\p{sb=Format}]", 3),
    (r"\p{sb=Sp}", 4),
    (r"\p{sb=Lower}", 5),
    (r"\p{sb=Upper}", 6),
    (r"\p{sb=OLetter}", 7),
    (r"\p{sb=Numeric}", 8),
    (r"\p{sb=ATerm}", 9),
    (r"\p{sb=STerm}", 10),
    (r"\p{sb=SContinue}", 11),
    (r"\p{sb=Close}", 12),
];

/// Writes `sentences.stage1` and `sentences.stage2`.
pub fn write() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    classes::write(&out.join("sentences"), CLASSES);
}

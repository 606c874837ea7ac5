use packframe_tokens::{Approximate, Seams, Tokenizer};

use crate::oracle::{Texts, named};

#[test]
fn only_the_empty_text_has_no_tokens() {
    let count = |text: &str| Approximate.count(text).expect("an estimate never fails");
    assert_eq!(count(""), 0);
    for c in '\0'..=char::MAX {
        assert!(count(c.encode_utf8(&mut [0; 4])) >= 1, "{c:?}");
    }
}

#[test]
fn units_are_the_sum_of_the_characters() {
    let mut texts = Texts::new(7);
    for _ in 0..2_000 {
        let text = texts.text(20);
        let sum: u64 = text
            .chars()
            .map(|c| Approximate.units(c.encode_utf8(&mut [0; 4])))
            .sum();
        assert_eq!(Approximate.units(&text), sum, "{text:?}");
        assert_eq!(
            Approximate.count(&text).expect("never fails"),
            Approximate.tokens(sum)
        );
    }
}

#[test]
fn each_character_boundary_is_a_seam() {
    assert_eq!(Approximate.first_seam("né"), Some(1));
    assert_eq!(Approximate.first_seam("én"), Some(2));
    assert_eq!(Approximate.last_seam("né"), Some(1));
    assert_eq!(Approximate.last_seam("a中文"), Some(4));
    for text in ["", "n", "é", "😀"] {
        assert_eq!(Approximate.first_seam(text), None);
        assert_eq!(Approximate.last_seam(text), None);
    }
}

/// A golden value: a change of the weights changes what callers have recorded.
#[test]
fn the_weights_are_pinned() {
    assert_eq!(
        Approximate.fingerprint(),
        "9b9319a1f7de5019ed73797e90af445a09bb6dad48bbafc10a76d081b6cbaf99"
    );
}

#[test]
fn english_and_code_are_estimated_within_a_fifth() {
    const PROSE: &str = "The plain path of packing is built whole, in the core; the counting \
        engine, sections, alternatives and the service have issues of their own. Each stage is a \
        file with one noun that takes the previous stage's output and hands over its own. The \
        manifest is written by the stages as they decide, never reconstructed afterwards.";
    for text in [
        PROSE,
        include_str!("oracle.rs"),
        include_str!("../../src/huggingface/library.rs"),
    ] {
        // The table of fragments in the oracle is no code, so only its first part counts.
        let text = &text[..text.find("const FRAGMENTS").unwrap_or(text.len())];
        let estimate = Approximate.count(text).expect("an estimate never fails");
        for name in ["o200k_base", "cl100k_base"] {
            let exact = named(name).count(text).expect("an encoding never fails");
            assert!(
                estimate.abs_diff(exact) * 5 <= exact,
                "{estimate}, {name} {exact}"
            );
        }
    }
}

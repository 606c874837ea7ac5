use packframe_tokens::{Approximate, Seams, Tokenizer};

use crate::oracle::{Texts, named};

const PROSE: &str = "The plain path of packing is built whole, in the core; the counting engine, \
    sections, alternatives and the service have issues of their own. Each stage is a file with one \
    noun that takes the previous stage's output and hands over its own. The manifest is written by \
    the stages as they decide, never reconstructed afterwards. What a row costs is known before \
    anything is chosen, and a choice that would not fit is never made and taken back. ";

fn count(text: &str) -> u64 {
    Approximate.count(text).expect("an estimate never fails")
}

#[test]
fn only_the_empty_text_has_no_tokens() {
    assert_eq!(count(""), 0);
    for c in '\0'..=char::MAX {
        let tokens = count(c.encode_utf8(&mut [0; 4]));
        assert!((1..=5).contains(&tokens), "{c:?} {tokens}");
    }
}

#[test]
fn a_prefix_never_has_more_units() {
    let mut texts = Texts::new(7);
    for _ in 0..2_000 {
        let text = texts.text(20);
        let mut before = 0;
        for (place, _) in text.char_indices() {
            let now = Approximate.units(&text[..place]);
            assert!(now >= before, "{text:?}");
            before = now;
        }
        let units = Approximate.units(&text);
        assert!(units <= Approximate.most_units(text.len()), "{text:?}");
    }
}

#[test]
fn seams_are_where_white_space_begins_and_beside_other_scripts() {
    for text in [
        "a b",
        "a\nb",
        ".\t\t",
        "né",
        "中a",
        "中文",
        "жи",
        "1\r\n",
        "é\u{301}",
    ] {
        let place = text.chars().next().map(char::len_utf8);
        assert_eq!(Approximate.first_seam(text), place, "{text:?}");
    }
    for text in ["", "n", "é", "😀", "ab", " a", "  ", "\r\n", "1.", "a'"] {
        assert_eq!(Approximate.first_seam(text), None, "{text:?}");
        assert_eq!(Approximate.last_seam(text), None, "{text:?}");
    }
    assert_eq!(Approximate.last_seam("two words, three"), Some(10));
}

/// A golden value: a change of the weights changes what callers have recorded.
#[test]
fn the_weights_are_pinned() {
    assert_eq!(
        Approximate.fingerprint(),
        "18a41680b13477e92421d388c89a18dc4ec93c8cbfd2128c28960c055e0b3f3e"
    );
}

/// Text that is in the repository, so that the test needs no corpus.
#[test]
fn english_and_code_are_estimated_within_a_tenth() {
    for text in [
        PROSE,
        include_str!("seams.rs"),
        include_str!("../../src/tokenizer.rs"),
    ] {
        for name in ["o200k_base", "cl100k_base"] {
            let exact = named(name).count(text).expect("an encoding never fails");
            let estimate = count(text);
            assert!(
                estimate.abs_diff(exact) * 10 <= exact,
                "{estimate}, {name} {exact}"
            );
        }
    }
}

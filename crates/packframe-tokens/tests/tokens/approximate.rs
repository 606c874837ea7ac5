use packframe_tokens::{Approximate, Conservative, Seams, Tokenizer};

use crate::oracle::{Texts, named};

const PROSE: &str = "The plain path of packing is built whole, in the core; the counting engine, \
    sections, alternatives and the service have issues of their own. Each stage is a file with one \
    noun that takes the previous stage's output and hands over its own. The manifest is written by \
    the stages as they decide, never reconstructed afterwards. What a row costs is known before \
    anything is chosen, and a choice that would not fit is never made and taken back. ";

/// Both variants, by name.
fn variants() -> [(&'static str, &'static dyn Seams, &'static dyn Tokenizer); 2] {
    [
        ("estimate", &Approximate, &Approximate),
        ("bound", &Conservative, &Conservative),
    ]
}

fn count(tokenizer: &dyn Tokenizer, text: &str) -> u64 {
    tokenizer.count(text).expect("an estimate never fails")
}

/// What the encoding counts that counts more.
fn most(text: &str) -> u64 {
    ["o200k_base", "cl100k_base"]
        .map(|name| count(&*named(name), text))
        .into_iter()
        .max()
        .expect("two encodings")
}

#[test]
fn only_the_empty_text_has_no_tokens() {
    for (name, _, tokenizer) in variants() {
        assert_eq!(count(tokenizer, ""), 0);
        for c in '\0'..=char::MAX {
            let tokens = count(tokenizer, c.encode_utf8(&mut [0; 4]));
            assert!((1..=5).contains(&tokens), "{name}: {c:?} {tokens}");
        }
    }
}

/// Hangul may be: common words of it are one token, and the bound was fitted to texts.
#[test]
fn no_code_point_alone_is_over_the_bound_but_hangul() {
    for c in ('\0'..=char::MAX).filter(|c| !('가'..='힣').contains(c)) {
        let text = c.to_string();
        assert!(count(&Conservative, &text) >= most(&text), "{c:?}");
    }
}

#[test]
fn a_prefix_never_has_more_units() {
    let mut texts = Texts::new(7);
    for _ in 0..2_000 {
        let text = texts.text(20);
        for (name, units, _) in variants() {
            let mut before = 0;
            for (place, _) in text.char_indices() {
                let now = units.units(&text[..place]);
                assert!(now >= before, "{name}: {text:?}");
                before = now;
            }
            assert!(
                units.units(&text) <= units.most_units(text.len()),
                "{text:?}"
            );
        }
    }
}

#[test]
fn seams_are_where_white_space_begins_and_beside_other_scripts() {
    for (name, tokenizer, _) in variants() {
        let seam = |text: &str| tokenizer.first_seam(text);
        for text in [
            "a b",
            "a\nb",
            ".\t\t",
            "né",
            "中a",
            "中文",
            "1\r\n",
            "é\u{301}",
        ] {
            let place = text.chars().next().map(char::len_utf8);
            assert_eq!(seam(text), place, "{name}: {text:?}");
        }
        for text in ["", "n", "é", "😀", "ab", " a", "  ", "\r\n", "1.", "a'"] {
            assert_eq!(seam(text), None, "{name}: {text:?}");
            assert_eq!(tokenizer.last_seam(text), None, "{name}: {text:?}");
        }
        assert_eq!(tokenizer.last_seam("two words, three"), Some(10));
    }
    // The bound looks at letters of Latin and Cyrillic together.
    assert_eq!(Approximate.first_seam("жи"), Some(2));
    assert_eq!(Conservative.first_seam("жи"), None);
    assert_eq!(Conservative.last_seam("жи a"), Some(4));
}

/// Golden values: a change of the weights changes what callers have recorded.
#[test]
fn the_weights_are_pinned() {
    assert_eq!(
        Approximate.fingerprint(),
        "5ae10461fc47478322ab6a9550b2083a0ce42ac9accfb983283b62bead396354"
    );
    assert_eq!(
        Conservative.fingerprint(),
        "b9ed8b1824a3cfa807f35ecc9098ef3a678de85237a838039f02399ea08cc3f9"
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
            let (estimate, exact) = (count(&Approximate, text), count(&*named(name), text));
            assert!(
                estimate.abs_diff(exact) * 10 <= exact,
                "{estimate}, {name} {exact}"
            );
        }
        let (bound, exact) = (count(&Conservative, text), most(text));
        assert!(bound >= exact, "{bound} {exact}");
        assert!(bound * 100 <= exact * 150, "{bound} {exact}");
    }
}

/// A few alphabets; `tests/test_approximate.py` has many more kinds.
#[test]
fn random_strings_are_not_over_the_bound() {
    const ALPHABETS: [&str; 9] = [
        "abcdefghijklmnopqrstuvwxyz",
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        "0123456789",
        "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
        "aeiou ",
        "абвгдежзийклмнопрстуфхцчшщъыьэюя",
        "\u{300}\u{301}\u{308}\u{327}aeiou",
        "👩👧👦\u{200d}\u{fe0f}🏽",
        "\u{1}\u{2}\u{1b}\u{7f}\u{0}",
    ];
    let mut texts = Texts::new(11);
    for alphabet in ALPHABETS {
        let letters: Vec<char> = alphabet.chars().collect();
        for _ in 0..20 {
            let text: String = (0..1_500)
                .map(|_| letters[texts.below(letters.len())])
                .collect();
            assert!(count(&Conservative, &text) >= most(&text), "{text:?}");
        }
    }
    for unit in [
        "a", " ", "\n", "=", "7", "ab", "x y", "\r\n", "0,", "é", "中", "😀", "'",
    ] {
        let text = unit.repeat(1_000);
        assert!(count(&Conservative, &text) >= most(&text), "{unit:?}");
    }
}

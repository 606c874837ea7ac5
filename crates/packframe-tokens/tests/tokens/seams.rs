use packframe_tokens::{Approximate, Conservative, HuggingFace, Seams, Special, Tokenizer};
use regex::Regex;
use tiktoken_rs::CoreBPE;

use crate::oracle::{Texts, named, pairs};
use crate::trained;

/// Returns all seams of a text: only the characters next to one decide, so each pair of
/// neighbours tells.
fn seams(tokenizer: &(impl Seams + ?Sized), text: &str) -> Vec<usize> {
    let mut neighbours = text.char_indices().zip(text.chars().skip(1));
    std::iter::from_fn(|| {
        neighbours.find_map(|((at, left), right)| {
            let place = tokenizer.first_seam(&format!("{left}{right}"))?;
            assert_eq!(place, left.len_utf8());
            Some(at + place)
        })
    })
    .collect()
}

/// Asserts that the counts of both sides of each seam add up, with `a` before and `b` behind.
#[track_caller]
fn assert_additive(
    tokenizer: &(impl Seams + ?Sized),
    units: impl Fn(&str) -> u64,
    a: &str,
    text: &str,
    b: &str,
) -> usize {
    let seams = seams(tokenizer, text);
    assert_eq!(
        tokenizer.first_seam(text),
        seams.first().copied(),
        "{text:?}"
    );
    assert_eq!(tokenizer.last_seam(text), seams.last().copied(), "{text:?}");
    let whole = units(&format!("{a}{text}{b}"));
    for &p in &seams {
        let (left, right) = text.split_at(p);
        let sides = units(&format!("{a}{left}")) + units(&format!("{right}{b}"));
        assert_eq!(whole, sides, "{a:?} + {left:?} | {right:?} + {b:?}");
    }
    seams.len()
}

fn count(oracle: &CoreBPE) -> impl Fn(&str) -> u64 {
    |text| oracle.encode_ordinary(text).len() as u64
}

#[test]
fn seams_of_random_texts_add_up() {
    let pairs = pairs();
    let mut texts = Texts::new(6);
    let bound = Conservative::new().expect("both encodings are known");
    let (mut tried, mut tried_estimates, mut tried_bounds) = (0, 0, 0);
    for _ in 0..25_000 {
        let (a, text, b) = (texts.text(4), texts.text(6), texts.text(4));
        for pair in &pairs {
            tried += assert_additive(&*pair.ours, count(pair.theirs), &a, &text, &b);
        }
        tried_estimates +=
            assert_additive(&Approximate, |text| Approximate.units(text), &a, &text, &b);
        tried_bounds += assert_additive(&bound, |text| bound.units(text), &a, &text, &b);
    }
    assert!(tried > 10_000, "only {tried} seams were tried");
    assert!(tried_estimates > 25_000, "only {tried_estimates}");
    assert!(tried_bounds > 2_000, "only {tried_bounds}");
}

/// Each pair that is a seam, between all short texts of characters that could undo it.
#[test]
fn seams_between_all_short_texts_add_up() {
    const NEAR: [&str; 14] = [
        "", "a", "S", "ll", "中", "\u{301}", "12", "'", " ", "  ", "\n", "\r\n", "/", "!",
    ];
    const SEAMS: [&str; 11] = [
        "a ",
        "s\n",
        "中。",
        "1!",
        "l/",
        "A\u{a0}",
        "я\u{3000}",
        "\na",
        "\n1",
        "\r中",
        "T\r",
    ];
    for pair in pairs() {
        for seam in SEAMS {
            for far in NEAR {
                for near in NEAR {
                    let before = format!("{far}{near}");
                    let behind = format!("{near}{far}");
                    for other in NEAR {
                        let units = count(pair.theirs);
                        let tried = assert_additive(&*pair.ours, &units, &before, seam, other);
                        // GPT-2's pattern looks ahead behind a line break.
                        let breaks = seam.starts_with(['\n', '\r']);
                        let none = breaks && pair.ours.name().ends_with("50k_base");
                        assert_eq!(tried, usize::from(!none), "{seam:?}");
                        assert_additive(&*pair.ours, &units, other, seam, &behind);
                    }
                }
            }
        }
    }
}

#[test]
fn only_certain_characters_are_at_a_seam() {
    let word = Regex::new(r"^[\p{L}\p{N}]$").expect("a pattern");
    let not_break = Regex::new(r"^[\p{L}\p{N}\p{M}']$").expect("a pattern");
    let old = Regex::new(r"^\p{Age=3.2}$").expect("a pattern");
    let encoding = named("o200k_base");
    let (mut words, mut breaks) = (0, 0);
    for c in '\0'..=char::MAX {
        let text = c.to_string();
        let is_word = encoding.first_seam(&format!("{c} ")).is_some();
        let is_break = encoding.first_seam(&format!("a{c}")).is_some();
        words += usize::from(is_word);
        breaks += usize::from(is_break);
        assert!(
            !is_word || word.is_match(&text),
            "{c:?} is no letter or number"
        );
        assert!(
            !is_break || !not_break.is_match(&text),
            "{c:?} is in a class of words"
        );
        assert!(
            !(is_word || is_break) || old.is_match(&text),
            "{c:?} is young"
        );
    }
    // Most ideographs and syllables are there, so texts of them have seams, too.
    assert!(words > 39_000, "{words}");
    assert!(breaks > 120, "{breaks}");
}

#[test]
fn texts_of_many_languages_have_seams() {
    const TEXTS: [(&str, &str); 10] = [
        ("Hello, world.", "Hello"),
        ("\nHello", "\n"),
        ("Größe zählt", "Größe"),
        ("Привет, мир", "Привет"),
        ("Καλημέρα κόσμε", "Καλημέρα"),
        ("שלום, עולם", "שלום"),
        ("مرحبا، بالعالم كله", "مرحبا، بالعالم"),
        ("你好，世界", "你好"),
        ("こんにちは。世界", "こんにちは"),
        ("안녕 세상", "안녕"),
    ];
    let encoding = named("cl100k_base");
    for (text, before) in TEXTS {
        assert_eq!(encoding.first_seam(text), Some(before.len()), "{text:?}");
    }
}

#[test]
fn texts_without_a_sure_border_have_no_seam() {
    for text in [
        "", "a", " ", "word", "'s", "a'", "e\u{301}", "  a", "!a", "\n\n", "中文", "1a",
    ] {
        let encoding = named("o200k_base");
        assert_eq!(encoding.first_seam(text), None, "{text:?}");
        assert_eq!(encoding.last_seam(text), None, "{text:?}");
    }
}

/// Each pattern that the engine knows, with added tokens and composed texts, against the library.
#[test]
fn seams_of_files_add_up() {
    for file in trained::files() {
        for special in [Special::Text, Special::Parse] {
            let ours = HuggingFace::open(&file.bytes(), special).expect("a tokenizer");
            let Some(seams) = ours.seams() else {
                // What other normal forms do at a seam is not worked out.
                assert_eq!(file.name, "gpt2-nfkc");
                continue;
            };
            let library = file.library(special);
            let count = |text: &str| {
                let encoding = library.encode_fast(text, false);
                encoding.expect("it never fails").len() as u64
            };
            let mut texts = Texts::new(30);
            let mut tried = 0;
            for _ in 0..3_000 {
                let near = ["<|end|>", "<tool>", "think", "<|end", "", "", "", ""];
                let mut text = texts.text(5);
                text.push_str(near[texts.below(near.len())]);
                text.push_str(&texts.text(3));
                let (a, b) = (texts.text(3), texts.text(3));
                tried += assert_additive(seams, count, &a, &text, &b);
            }
            assert!(tried > 1_000, "{}: {tried}", file.name);
            // Neighbours inside an added token are no seam.
            assert_eq!(seams.first_seam("d|"), None);
            assert_eq!(seams.first_seam("k|"), Some(1));
        }
    }
}

#[test]
fn composing_makes_no_more_units_than_is_said() {
    let file = trained::files().iter().find(|file| file.name == "qwen2");
    let ours = HuggingFace::from_json(&file.expect("it is there").bytes()).expect("a tokenizer");
    let seams = ours.seams().expect("it has seams");
    for text in ["\u{1d160}", "\u{fb2c}", "\u{958}", "\u{390}", "a"] {
        let text = text.repeat(50);
        assert!(
            seams.units(&text) <= seams.most_units(text.len()),
            "{text:?}"
        );
    }
}

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use packframe_tokens::{OpenAi, Special, Tokenizer, TokenizerError};
use tiktoken_rs::CoreBPE;

use crate::oracle::{self, Pair, Texts, named, pairs};

/// Asserts that both encode a text alike, and that the count is the length.
#[track_caller]
fn assert_same(pair: &Pair, text: &str) {
    let ids = pair.ours.encode(text);
    assert_eq!(
        ids,
        pair.theirs.encode_ordinary(text),
        "{} on {text:?}",
        pair.ours.name()
    );
    let count = pair.ours.count(text).expect("an encoding never fails");
    assert_eq!(count, ids.len() as u64, "{} on {text:?}", pair.ours.name());
}

#[test]
fn an_unknown_name_names_the_known_ones() {
    for name in ["", "gpt-4", "O200K_BASE", "o200k_base ", "\0"] {
        let message = OpenAi::named(name)
            .expect_err("not an encoding")
            .to_string();
        assert!(
            message.contains("o200k_base") && message.contains("cl100k_base"),
            "{message}"
        );
        assert!(message.contains(&format!("{name:?}")), "{message}");
    }
}

#[test]
fn a_model_has_the_encoding_of_its_family() {
    const CASES: [(&str, Option<&str>); 16] = [
        ("gpt-4o", Some("o200k_base")),
        ("GPT-4o-mini", Some("o200k_base")),
        ("gpt-4.1-nano", Some("o200k_base")),
        ("gpt-5.1", Some("o200k_base")),
        ("o1", Some("o200k_base")),
        ("o4-mini-high", Some("o200k_base")),
        ("gpt-oss-20b", Some("o200k_harmony")),
        ("gpt-4", Some("cl100k_base")),
        ("gpt-4-32k", Some("cl100k_base")),
        ("ft:gpt-3.5-turbo:org::id", Some("cl100k_base")),
        ("text-embedding-3-small", Some("cl100k_base")),
        ("gpt-4.7", None),
        ("gpt-40", None),
        ("o10", None),
        ("o200k_base", None),
        ("", None),
    ];
    for (model, encoding) in CASES {
        assert_eq!(OpenAi::encoding_of_model(model), encoding, "{model}");
    }
}

#[test]
fn an_encoding_is_loaded_once() {
    let handles: Vec<Arc<OpenAi>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| named("cl100k_base")))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("no panic"))
            .collect()
    });
    assert!(
        handles
            .iter()
            .all(|handle| Arc::ptr_eq(handle, &handles[0]))
    );
}

#[test]
fn the_ranks_have_the_published_sha256() {
    const PUBLISHED: [(&str, usize, &str); 5] = [
        (
            "o200k_harmony",
            199_998,
            "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        ),
        (
            "p50k_base",
            50_280,
            "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069",
        ),
        (
            "r50k_base",
            50_256,
            "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
        ),
        (
            "cl100k_base",
            100_256,
            "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        ),
        (
            "o200k_base",
            199_998,
            "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        ),
    ];
    for (name, tokens, sha256) in PUBLISHED {
        let encoding = named(name);
        assert_eq!(
            oracle::sha256_hex(encoding.tiktoken_file().as_bytes()),
            sha256
        );
        assert_eq!(encoding.fingerprint(), sha256);
        assert_eq!(encoding.ranks().count(), tokens);
    }
}

/// The classes come from `regex-syntax` in both; this pins which ones the counts are of.
///
/// The wheel of `tiktoken` 0.14.0 from `PyPI` has the same: with each character of Unicode between
/// letters, spaces and contractions, both encodings gave the same ids as here (2026-11).
#[test]
fn the_unicode_tables_are_version_16() {
    let known = |version: &str| regex::Regex::new(&format!(r"\p{{Age={version}}}")).is_ok();
    assert!(
        known("16.0") && !known("17.0"),
        "other tables: rename this test and record it"
    );
    // A letter since Unicode 16 joins the one before it; one since 17 is unassigned to the tables.
    // As `o200k_base` tells letters from the rest by the contraction behind them, it shows which.
    for pair in pairs() {
        for text in [
            "a\u{1c89}'s",
            "a\u{1e6c0}'s",
            "\u{105c0}'ll",
            "\u{323b0}'ll",
        ] {
            assert_same(&pair, text);
        }
    }
}

#[test]
fn every_token_encodes_to_itself_where_it_is_a_piece() {
    for pair in pairs() {
        for (bytes, rank) in pair.ours.ranks().step_by(7) {
            let Ok(text) = std::str::from_utf8(bytes) else {
                continue;
            };
            let ids = pair.ours.encode(text);
            assert!(
                ids == [rank] || ids.len() > 1,
                "{text:?} is {rank}, not {ids:?}"
            );
        }
    }
}

#[test]
fn hand_picked_texts_are_encoded_as_tiktoken_does() {
    const CASES: &[&str] = &[
        "",
        " ",
        "  ",
        "\n",
        " \n",
        "\n ",
        "a  b",
        "a \n b",
        "a\n\n  b",
        "a  \n",
        "a  ",
        "  1",
        "  !",
        " \u{a0}x",
        "\u{a0} x",
        "x\u{3000}\u{3000}y",
        "x\r\n\r\n  y",
        "!\n\n\n a",
        "!/\n/ a",
        "! \n",
        "I'ſ",
        "'ſ",
        "K\u{212a}'\u{212a}",
        "he'LL'd've",
        "'tis 'twas",
        "\u{301}a",
        " \u{301}a",
        "\t\u{301}",
        "ABCdefGHI",
        "中文ABC中文",
        "中A中A中A1",
        "1234567",
        "١٢٣٤٥",
        "<|endoftext|><|endofprompt|><|fim_prefix|>",
        "a1_..s-  ",
        "fn main() {\n    println!(\"hi\");\n}\n",
        "👩‍👩‍👧‍👦🏳️‍🌈",
        "\0\0\0",
    ];
    for pair in pairs() {
        for text in CASES {
            assert_same(&pair, text);
        }
    }
}

/// `p50k_base` has a token for each run of up to 25 spaces, `r50k_base` only for some.
#[test]
fn runs_of_spaces_are_encoded_as_tiktoken_does() {
    for pair in pairs() {
        for length in 1..200 {
            let spaces = " ".repeat(length);
            for text in [
                spaces.clone(),
                format!("a{spaces}b"),
                format!("{spaces}\n{spaces}"),
                format!("\u{3000}{spaces}\t"),
            ] {
                assert_same(&pair, &text);
            }
        }
    }
}

#[test]
fn parsed_special_tokens_are_those_of_tiktoken() -> Result<(), TokenizerError> {
    let mut texts = Texts::new(12);
    for pair in pairs() {
        let ours = OpenAi::open(pair.ours.name(), Special::Parse)?;
        let mut special: Vec<(String, u32)> = ours.special_ids().collect();
        special.retain(|(token, _)| !is_of_the_wheel(&pair, token));
        for (token, id) in &special {
            assert_eq!(ours.encode(token), [*id]);
        }
        for _ in 0..5_000 {
            let mut text = texts.text(4);
            for _ in 0..texts.below(4) {
                let (token, _) = &special[texts.below(special.len())];
                // Whole, with its last character cut, or with one more before.
                match texts.below(4) {
                    0 => text.push_str(&token[..token.len() - 1]),
                    1 => text.extend(["<", token]),
                    _ => text.push_str(token),
                }
                text.push_str(&texts.text(3));
            }
            let ids = ours.encode(&text);
            assert_eq!(
                ids,
                pair.theirs.encode_with_special_tokens(&text),
                "{text:?}"
            );
            assert_eq!(ours.count(&text)?, ids.len() as u64, "{text:?}");
        }
    }
    Ok(())
}

#[test]
fn what_is_parsed_is_in_the_fingerprint() -> Result<(), TokenizerError> {
    let mut fingerprints = HashSet::new();
    for name in OpenAi::names() {
        let parse = OpenAi::open(name, Special::Parse)?;
        assert_eq!(parse.special(), Special::Parse);
        assert_ne!(parse.fingerprint(), named(name).fingerprint());
        assert!(
            fingerprints.insert(parse.fingerprint().to_owned()),
            "{name}"
        );
        assert!(Arc::ptr_eq(&parse, &OpenAi::open(name, Special::Parse)?));
    }
    // Without its special tokens one encoding is another, under two names.
    assert_eq!(
        named("o200k_harmony").fingerprint(),
        named("o200k_base").fingerprint()
    );
    Ok(())
}

#[test]
fn random_texts_are_encoded_as_tiktoken_does() {
    let pairs = pairs();
    let mut texts = Texts::new(2);
    for _ in 0..60_000 {
        let text = texts.text(12);
        for pair in &pairs {
            assert_same(pair, &text);
        }
    }
}

#[test]
fn random_characters_are_encoded_as_tiktoken_does() {
    let pairs = pairs();
    let mut texts = Texts::new(3);
    for _ in 0..30_000 {
        let length = texts.below(20);
        let text: String = (0..length).map(|_| texts.any_char()).collect();
        for pair in &pairs {
            assert_same(pair, &text);
        }
    }
}

/// All strings of up to four of these: one for each way the patterns can treat a character.
#[test]
fn all_short_texts_are_encoded_as_tiktoken_does() {
    const LETTERS: &[char] = &[
        'a', 'S', '中', 'ʰ', '\u{301}', '1', '\'', ' ', '\u{a0}', '\n', '\r', '/', '!',
    ];
    let pairs = pairs();
    let mut layer = vec![String::new()];
    for _ in 0..4 {
        layer = layer
            .iter()
            .flat_map(|text| LETTERS.iter().map(move |letter| format!("{text}{letter}")))
            .collect();
        for text in &layer {
            for pair in &pairs {
                assert_same(pair, text);
            }
        }
    }
}

#[test]
fn every_character_is_encoded_as_tiktoken_does() {
    let pairs = pairs();
    for c in ('\0'..=char::MAX).filter(|&c| u32::from(c) < 0x4000 || u32::from(c) % 5 == 0) {
        let text = format!("{c}a{c} {c}'s");
        for pair in &pairs {
            assert_same(pair, &text);
        }
    }
}

#[test]
fn our_own_sources_are_encoded_as_tiktoken_does() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = 0;
    for entry in fs::read_dir(sources).expect("the crate has sources") {
        let path = entry.expect("a readable folder").path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(path).expect("UTF-8");
            files += 1;
            for pair in pairs() {
                assert_same(&pair, &text);
            }
        }
    }
    assert!(files > 3);
}

/// Pieces of each length over the place where the heap takes over from the scan.
#[test]
fn pieces_of_each_length_are_merged_by_the_definition() {
    const ALPHABETS: [&str; 5] = [
        "a",
        "ab",
        "abcdefghijklmnopqrstuvwxyz",
        "=-",
        "aeiou\u{e9}ß",
    ];
    let mut texts = Texts::new(4);
    for pair in pairs() {
        let ranks: HashMap<&[u8], u32> = pair.ours.ranks().collect();
        for length in 1..260 {
            for alphabet in ALPHABETS {
                let letters: Vec<char> = alphabet.chars().collect();
                let piece: String = (0..length)
                    .map(|_| letters[texts.below(letters.len())])
                    .collect();
                let ids = pair.ours.encode(&piece);
                if !ranks.contains_key(piece.as_bytes()) {
                    let merged: Vec<u32> = oracle::merge(&ranks, piece.as_bytes())
                        .iter()
                        .map(|token| ranks[token])
                        .collect();
                    assert_eq!(ids, merged, "{piece:?}");
                }
                assert_eq!(ids, pair.theirs.encode_ordinary(&piece), "{piece:?}");
            }
        }
    }
}

/// What makes other counters quadratic, exhaust a stack or give up.
const HOSTILE: [&str; 14] = [
    "a",
    "A",
    "ab",
    " ",
    "\n",
    " \n",
    " \n x",
    "\t \u{a0}",
    "!",
    "7",
    "中",
    "A中",
    "👩‍👩‍👧",
    "'s",
];

#[test]
fn hostile_texts_are_encoded_as_tiktoken_does() {
    for pair in pairs() {
        for unit in HOSTILE.iter().chain(&["\u{301}", "'", "/\n", "aß", "1a"]) {
            // Of these lengths the engine under tiktoken does not give up yet.
            for length in [1_000, 20_000] {
                let text = unit.repeat(length / unit.len());
                assert_same(&pair, &text);
                assert_same(&pair, &format!("{text}x"));
            }
        }
    }
}

/// A quadratic count of a megabyte would take the better part of an hour here, and one of the
/// ten megabytes days: that this test ends is the proof.
#[test]
fn hostile_megabytes_are_counted() {
    for name in ["o200k_base", "cl100k_base", "p50k_base", "r50k_base"] {
        let encoding = named(name);
        for unit in HOSTILE {
            let text = unit.repeat(1_000_000 / unit.len());
            let count = encoding.count(&text).expect("an encoding never fails");
            // The same unit over and over, so almost the same count per byte as of less text.
            let part = encoding.count(&text[..unit.len() * (100_000 / unit.len())]);
            let part = part.expect("an encoding never fails");
            assert!(
                count.abs_diff(part * 10) <= count / 100 + 20,
                "{name} {unit:?}: {count}"
            );
        }
    }
    let letters = "a".repeat(10_000_000);
    assert_eq!(
        named("o200k_base")
            .count(&letters)
            .expect("an encoding never fails"),
        1_250_000
    );
}

#[test]
fn a_batch_is_counted_in_order() -> Result<(), TokenizerError> {
    let encoding = named("o200k_base");
    let counts = encoding.count_batch(&["", "a", "Hello, world!", "<|endoftext|>"])?;
    assert_eq!(counts, [0, 1, 4, 7]);
    Ok(())
}

#[test]
fn special_tokens_are_those_of_tiktoken() {
    for pair in pairs() {
        let special = Tokenizer::special_tokens(&*pair.ours);
        let own = special.iter().map(String::as_str);
        let own: HashSet<&str> = own.filter(|token| !is_of_the_wheel(&pair, token)).collect();
        let theirs = pair.theirs.special_tokens();
        let difference: Vec<_> = own.symmetric_difference(&theirs).collect();
        assert!(difference.is_empty(), "{:?}: {difference:?}", pair.ours);
    }
}

/// Tells a token that the wheel of `tiktoken` has, under the id of a reserved one, and the crate has
/// not. The tests in Python compare with the wheel.
fn is_of_the_wheel(pair: &Pair, token: &str) -> bool {
    pair.ours.name() == "o200k_harmony" && token == "<|endofprompt|>"
}

#[test]
fn threads_share_an_encoding() {
    let encoding = named("o200k_base");
    let mut texts = Texts::new(5);
    let samples: Vec<String> = (0..200).map(|_| texts.text(30)).collect();
    let alone: Vec<Vec<u32>> = samples.iter().map(|text| encoding.encode(text)).collect();
    std::thread::scope(|scope| {
        for _ in 0..12 {
            scope.spawn(|| {
                for (text, ids) in samples.iter().zip(&alone) {
                    assert_eq!(&encoding.encode(text), ids);
                }
            });
        }
    });
}

#[test]
fn the_pattern_and_the_ranks_make_the_same_encoding() {
    let mut texts = Texts::new(10);
    for pair in pairs() {
        let ranks = pair
            .ours
            .ranks()
            .map(|(token, rank)| (token.to_vec(), rank))
            .collect();
        let rebuilt = CoreBPE::new(ranks, HashMap::default(), pair.ours.pattern());
        let rebuilt = rebuilt.expect("tiktoken takes its own pattern");
        for _ in 0..5_000 {
            let text = texts.text(12);
            assert_eq!(
                pair.ours.encode(&text),
                rebuilt.encode_ordinary(&text),
                "{text:?}"
            );
        }
    }
}

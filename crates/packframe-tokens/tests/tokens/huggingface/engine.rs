//! Files that the engine takes, and the same on the library.

use std::fmt::Write as _;

use packframe_tokens::{HuggingFace, Special, Tokenizer};
use serde_json::{Value, json};

use super::assert_same;
use super::file::{byte_letter, byte_level_bpe};
use crate::oracle::Texts;
use crate::trained;

#[test]
fn every_known_pattern_runs_on_the_engine_as_on_the_library() {
    const NEAR: [&str; 9] = [
        "<|end|>", "<tool>", "<tool>x", ">b", "think", "  ", "|>a", "<|end|", "<",
    ];
    for file in trained::files() {
        for special in [Special::Text, Special::Parse] {
            let ours = HuggingFace::open(&file.bytes(), special).expect("a tokenizer");
            assert_eq!(ours.why_library(), None, "{}", file.name);
            assert_eq!(ours.special(), special);
            let library = file.library(special);
            let mut texts = Texts::new(21);
            for _ in 0..6_000 {
                let mut text = texts.text(8);
                for _ in 0..texts.below(4) {
                    text.push_str(NEAR[texts.below(NEAR.len())]);
                    text.push_str(&texts.text(3));
                }
                assert_same(file.name, &ours, &library, &text);
            }
            for _ in 0..2_000 {
                let length = texts.below(20);
                let text: String = (0..length).map(|_| texts.any_char()).collect();
                assert_same(file.name, &ours, &library, &text);
            }
        }
    }
}

#[test]
fn hostile_pieces_are_counted_as_on_the_library() {
    const UNITS: [&str; 12] = [
        "a",
        "ab",
        " ",
        "\n",
        " \n x",
        "!",
        "7",
        "中",
        "👩‍👩‍👧",
        "'s",
        "\u{301}",
        "<tool>",
    ];
    for file in trained::files() {
        let ours = HuggingFace::from_json(&file.bytes()).expect("a tokenizer");
        let library = file.library(Special::Text);
        for unit in UNITS {
            for length in [100, 300, 3_000] {
                let text = unit.repeat(length / unit.len());
                assert_same(file.name, &ours, &library, &text);
                assert_same(file.name, &ours, &library, &format!("{text}x"));
            }
            // That it ends is what is tested.
            let text = unit.repeat(1_000_000 / unit.len());
            assert!(ours.count(&text).expect("it never fails") > 1_000);
        }
    }
}

/// A vocabulary with tokens that come before a part of theirs, tokens of more than 255 bytes, and
/// tokens that no merge makes.
#[test]
fn odd_vocabularies_run_on_the_engine_as_on_the_library() {
    let mut merges: Vec<[String; 2]> = Vec::new();
    let mut vocab: Vec<String> = (0..=u8::MAX)
        .map(|byte| byte_letter(byte).to_string())
        .collect();
    let mut add = |left: &str, right: &str| {
        merges.push([left.to_owned(), right.to_owned()]);
        vocab.push(format!("{left}{right}"));
    };
    for power in 0..10 {
        let half = "a".repeat(1 << power);
        add(&half, &half);
    }
    // `xyz` is made of `yz`, which comes later; and `wxyz` of that.
    add("x", "yz");
    add("w", "xyz");
    add("y", "z");
    add(".", ":");
    add(".:", ".");
    add("q", "r");
    add("qr", "s");
    // Another way to the same token, which is never gone.
    add("q", "rs");
    add("r", "s");
    vocab.retain({
        let mut seen = std::collections::HashSet::new();
        move |token| seen.insert(token.clone())
    });
    vocab.extend(["unmade", "Ġunmade", "ÃŁ"].map(str::to_owned));
    let vocab: serde_json::Map<String, Value> =
        vocab.into_iter().zip((0..).map(Value::from)).collect();
    for ignore_merges in [false, true] {
        let model = json!({"type": "BPE", "vocab": vocab, "merges": merges, "ignore_merges": ignore_merges});
        let mut file = byte_level_bpe();
        file["model"] = model;
        let json = file.to_string().into_bytes();
        let ours = HuggingFace::from_json(&json).expect("a tokenizer");
        assert_eq!(ours.why_library(), None);
        let library = trained::library(&json, Special::Text);
        let mut texts = Texts::new(22);
        let parts = [
            "a", "aa", "xyz", "yz", "w", "x", ".", ":", ".:.", "qrs", "rs", "q", "unmade", "ß",
            " ", "é",
        ];
        for _ in 0..20_000 {
            let mut text = String::new();
            for _ in 0..texts.below(9) {
                let times = 1 + texts.below(4) / 3 * texts.below(300);
                text.push_str(&parts[texts.below(parts.len())].repeat(times));
            }
            assert_same("odd", &ours, &library, &text);
            // What is remembered is the same.
            assert_same("odd", &ours, &library, &text);
        }
    }
}

#[test]
fn what_is_not_known_runs_on_the_library_and_says_why() {
    type Change = fn(&mut Value);
    let plain = &trained::files()[0].json;
    let changes: [(&str, Change); 14] = [
        ("normalizer", |file| {
            file["normalizer"] = json!({"type": "Lowercase"});
        }),
        ("pretokenizer", |file| {
            file["pre_tokenizer"] = json!({"type": "Whitespace"});
        }),
        ("ByteLevel", |file| {
            file["pre_tokenizer"]["add_prefix_space"] = json!(true);
        }),
        ("byte-pair", |file| {
            file["model"] =
                json!({"type": "WordLevel", "unk_token": "[UNK]", "vocab": {"[UNK]": 0}});
        }),
        ("random", |file| file["model"]["dropout"] = json!(0.5)),
        ("parts of words", |file| {
            file["model"]["end_of_word_suffix"] = json!("</w>");
        }),
        ("falls back", |file| {
            file["model"]["byte_fallback"] = json!(true);
        }),
        ("every byte", |file| {
            let vocab = file["model"]["vocab"].as_object_mut().expect("a map");
            vocab.remove("ÿ");
        }),
        ("around it", |file| {
            file["added_tokens"][2]["lstrip"] = json!(true);
        }),
        ("around it", |file| {
            file["added_tokens"][3]["single_word"] = json!(true);
        }),
        ("very long", |file| {
            let vocab = file["model"]["vocab"].as_object_mut().expect("a map");
            vocab.insert("b".repeat(1_000_000), json!(4_000_000_000_u32));
        }),
        ("one id", |file| {
            let vocab = file["model"]["vocab"].as_object_mut().expect("a map");
            vocab.insert("never made".replace(' ', "Ġ"), json!(7));
        }),
        ("twice", |file| {
            let merges = file["model"]["merges"].as_array_mut().expect("a list");
            merges.push(merges[3].clone());
        }),
        ("are one", |file| {
            let twin = file["added_tokens"][2].clone();
            file["added_tokens"]
                .as_array_mut()
                .expect("a list")
                .push(twin);
        }),
    ];
    for (why, change) in changes {
        let mut file = plain.clone();
        change(&mut file);
        let json = file.to_string().into_bytes();
        let ours = HuggingFace::from_json(&json).expect("a tokenizer");
        let reason = ours.why_library().expect("it runs on the library");
        assert!(reason.contains(why), "{reason:?} does not say {why:?}");
        assert!(ours.seams().is_none());
        if why == "random" {
            continue;
        }
        let library = trained::library(&json, Special::Text);
        let mut texts = Texts::new(23);
        for _ in 0..200 {
            let text = texts.text(6);
            if let Ok(right) = library.encode_fast(text.as_str(), false) {
                let ids = ours.encode(&text).expect("the library does");
                assert_eq!(ids, right.get_ids(), "{why} on {text:?}");
            }
        }
    }
}

#[test]
fn the_same_file_written_otherwise_is_the_same() {
    let file = &trained::files()[6];
    let library = file.library(Special::Text);
    // As lists of two and as texts, with the merges before the tokens, and with each letter escaped.
    let mut texts = file.json.clone();
    for merge in texts["model"]["merges"].as_array_mut().expect("a list") {
        let pair: Vec<&str> = merge
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(Value::as_str)
            .collect();
        *merge = json!(pair.join(" "));
    }
    let model = &file.json["model"];
    let mut rest = file.json.clone();
    rest.as_object_mut().expect("a map").remove("model");
    let rest = rest.to_string();
    let turned = format!(
        "{{\"model\":{{\"merges\":{},\"vocab\":{},\"type\":\"BPE\"}},{}",
        model["merges"],
        model["vocab"],
        &rest[1..]
    );
    let mut escaped = String::new();
    for c in file.json.to_string().chars() {
        match c {
            ' '..='~' => escaped.push(c),
            _ => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    write!(escaped, "\\u{unit:04x}").expect("a string takes every write");
                }
            }
        }
    }
    for json in [texts.to_string(), turned, escaped] {
        let ours = HuggingFace::from_json(json.as_bytes()).expect("a tokenizer");
        assert_eq!(ours.why_library(), None);
        let mut texts = Texts::new(24);
        for _ in 0..500 {
            assert_same("rewritten", &ours, &library, &texts.text(8));
        }
    }
}

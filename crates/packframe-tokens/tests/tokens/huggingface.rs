use std::fmt::Write as _;

use packframe_tokens::{HuggingFace, Special, Tokenizer};
use serde_json::{Value, json};

use crate::oracle::{Texts, sha256_hex};
use crate::trained;

/// Returns the letter that stands for a byte in a byte-level vocabulary.
fn byte_letter(byte: u8) -> char {
    let plain = |byte: u8| matches!(byte, b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff);
    if plain(byte) {
        return char::from(byte);
    }
    let before = (0..byte).filter(|&byte| !plain(byte)).count();
    char::from_u32(0x100 + u32::try_from(before).expect("below 256")).expect("a letter")
}

/// Returns a file that truncates, pads, adds special tokens and knows two added tokens.
fn file(normalizer: &Value, pre_tokenizer: &Value, model: &Value) -> Value {
    let token = |id: u32, content: &str, special: bool| {
        json!({"id": id, "content": content, "special": special, "single_word": false,
               "lstrip": false, "rstrip": false, "normalized": false})
    };
    json!({
        "version": "1.0",
        "truncation": {"direction": "Right", "max_length": 2, "strategy": "LongestFirst", "stride": 0},
        "padding": {"strategy": {"Fixed": 10}, "direction": "Right", "pad_to_multiple_of": null,
                    "pad_id": 0, "pad_type_id": 0, "pad_token": "!"},
        "added_tokens": [token(900, "<|end|>", true), token(901, "<tool>", false)],
        "normalizer": normalizer,
        "pre_tokenizer": pre_tokenizer,
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": "<|end|>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {"<|end|>": {"id": "<|end|>", "ids": [900], "tokens": ["<|end|>"]}}
        },
        "decoder": null,
        "model": model,
    })
}

fn byte_level_bpe() -> Value {
    const MERGES: [(&str, &str); 8] = [
        ("h", "e"),
        ("l", "l"),
        ("he", "ll"),
        ("hell", "o"),
        ("Ġ", "hello"),
        ("Ġ", "w"),
        ("o", "r"),
        ("Ġw", "or"),
    ];
    let letters = (0..=u8::MAX).map(|byte| byte_letter(byte).to_string());
    let joined = MERGES.iter().map(|(left, right)| format!("{left}{right}"));
    let vocab: serde_json::Map<String, Value> =
        letters.chain(joined).zip((0..).map(Value::from)).collect();
    let merges: Vec<[&str; 2]> = MERGES.iter().map(|&(left, right)| [left, right]).collect();
    file(
        &Value::Null,
        &json!({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true}),
        &json!({"type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null,
                "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false,
                "vocab": vocab, "merges": merges}),
    )
}

fn word_piece() -> Value {
    file(
        &json!({"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                "strip_accents": null, "lowercase": true}),
        &json!({"type": "BertPreTokenizer"}),
        &json!({"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                "max_input_chars_per_word": 100,
                "vocab": {"[UNK]": 0, "hello": 1, "wor": 2, "##ld": 3, "##s": 4, "a": 5, "!": 6, "中": 7}}),
    )
}

fn unigram() -> Value {
    file(
        &json!({"type": "NFKC"}),
        &json!({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true}),
        &json!({"type": "Unigram", "unk_id": 0, "byte_fallback": false,
                "vocab": [["<unk>", 0.0], ["▁", -2.0], ["hello", -3.0], ["▁hello", -2.5], ["a", -4.0],
                          ["l", -5.0], ["▁wor", -3.5], ["ld", -3.0], ["!", -4.5]]}),
    )
}

fn files() -> [(&'static str, Vec<u8>); 3] {
    [
        ("BPE", byte_level_bpe()),
        ("WordPiece", word_piece()),
        ("Unigram", unigram()),
    ]
    .map(|(model, file)| (model, file.to_string().into_bytes()))
}

#[test]
fn counts_equal_the_library_used_directly() {
    for (model, json) in files() {
        let mut library = tokenizers::Tokenizer::from_bytes(&json).expect("a tokenizer");
        library
            .with_truncation(None)
            .expect("none is fine")
            .with_padding(None);
        library.set_encode_special_tokens(true);
        let ours = HuggingFace::from_json(&json).expect("a tokenizer");
        let mut texts = Texts::new(8);
        let check = |text: &str| {
            let encoding = library
                .encode(text, false)
                .expect("no unknown token is missing");
            let count = ours.count(text).expect("no unknown token is missing");
            assert_eq!(count, encoding.len() as u64, "{model} on {text:?}");
        };
        for text in [
            "",
            " ",
            "hello world",
            "hello <tool> <|end|>",
            "Hello, HELLO!\n\n",
        ] {
            check(text);
        }
        for _ in 0..3_000 {
            check(&texts.text(10));
        }
    }
}

#[test]
fn truncation_padding_and_special_tokens_are_off() {
    let ours = HuggingFace::from_json(&files()[0].1).expect("a tokenizer");
    let count = |text: &str| ours.count(text).expect("every byte is a token");
    assert_eq!(count(""), 0);
    assert_eq!(count("hello"), 1);
    assert_eq!(count("hello hello hello hello"), 4);
    assert_eq!(count("<tool>"), 1, "an added token that is not special");
    assert_eq!(count("<|end|>"), 7, "a special token is text");
}

#[test]
fn dropout_is_off() {
    let mut file = byte_level_bpe();
    file["model"]["dropout"] = json!(0.9);
    let ours = HuggingFace::from_json(file.to_string().as_bytes()).expect("a tokenizer");
    for _ in 0..50 {
        assert_eq!(ours.count("hello hello").expect("every byte is a token"), 2);
    }
}

#[test]
fn it_is_opaque_and_has_the_fingerprint_of_its_bytes() {
    let (_, json) = &files()[1];
    let ours = HuggingFace::from_json(json).expect("a tokenizer");
    assert!(ours.seams().is_none());
    assert_eq!(ours.fingerprint(), sha256_hex(json));
}

#[test]
fn what_is_no_tokenizer_is_an_error_that_says_why() {
    const CASES: [(&[u8], &str); 7] = [
        (b"", "EOF"),
        (b"{}", "Model"),
        (b"[]", "invalid"),
        (b"null", "invalid"),
        (b"\xff\xfe{", "expected value"),
        (br#"{"version": "9.0", "model": {}}"#, "version"),
        (
            br#"{"version": "1.0", "added_tokens": [], "model": {"type": "Nonsense"}}"#,
            "",
        ),
    ];
    for (json, why) in CASES {
        let error = HuggingFace::from_json(json).expect_err("no tokenizer");
        let message = error.to_string();
        assert!(message.contains(why), "{message:?} does not say {why:?}");
        assert!(
            message.contains(&format!("{} bytes", json.len())),
            "{message}"
        );
    }
    let deep = "[".repeat(1_000_000);
    HuggingFace::from_json(deep.as_bytes()).expect_err("no tokenizer");
}

#[test]
fn broken_files_never_panic() {
    const JUNK: &[u8] = b"\"\\{}[],:0123456789eE-+.nulltruefalse \0\xff";
    let mut texts = Texts::new(9);
    for (_, json) in files() {
        for end in (0..json.len()).step_by(1 + json.len() / 200) {
            HuggingFace::from_json(&json[..end]).expect_err("cut short");
        }
        for _ in 0..400 {
            let mut broken = json.clone();
            for _ in 0..=texts.below(3) {
                let at = texts.below(broken.len());
                broken[at] = JUNK[texts.below(JUNK.len())];
            }
            if let Ok(tokenizer) = HuggingFace::from_json(&broken) {
                // An error is as good as a count here.
                let _ = tokenizer.count("hello <tool> wörld! <|end|> 中文\n");
            }
        }
    }
}

/// The regex engine of the library panics where a search goes on for too long.
#[test]
fn a_panic_inside_the_library_is_an_error() {
    let pattern = json!({"type": "Split", "pattern": {"Regex": "(a+)+$"}, "behavior": "Isolated", "invert": false});
    let model = json!({"type": "WordLevel", "unk_token": "[UNK]", "vocab": {"[UNK]": 0}});
    let json = file(&Value::Null, &pattern, &model).to_string();
    let ours = HuggingFace::from_json(json.as_bytes()).expect("a tokenizer");
    let text = format!("{}b", "a".repeat(200));
    let error = ours.count(&text).expect_err("the search does not end");
    assert!(error.to_string().contains("201 bytes"), "{error}");
    assert_eq!(ours.count("aaa").expect("it still works"), 1);
    let batch = ours
        .count_batch(&["aaa", &text])
        .expect_err("the search does not end");
    assert_eq!(batch.position(), Some(1));
}

/// Asserts that a tokenizer encodes a text as the library does, and counts the ids.
#[track_caller]
fn assert_same(name: &str, ours: &HuggingFace, library: &tokenizers::Tokenizer, text: &str) {
    let right = library.encode_fast(text, false).expect("it never fails");
    let ids = ours.encode(text).expect("it never fails");
    assert_eq!(ids, right.get_ids(), "{name} on {text:?}");
    let count = ours.count(text).expect("it never fails");
    assert_eq!(count, ids.len() as u64, "{name} on {text:?}");
}

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

#[test]
fn a_file_that_is_too_long_names_the_limit() {
    let json = vec![b' '; HuggingFace::LONGEST + 1];
    let message = HuggingFace::from_json(&json)
        .expect_err("too long")
        .to_string();
    assert!(
        message.contains("134217729") && message.contains("134217728"),
        "{message}"
    );
}

#[test]
fn messages_are_one_line() {
    for json in [
        &b"{}"[..],
        b"",
        &vec![b','; 20_000_000],
        &vec![b' '; HuggingFace::LONGEST + 1],
    ] {
        let message = HuggingFace::from_json(json)
            .expect_err("no tokenizer")
            .to_string();
        assert!(
            !message.contains(['\n', '\\']) && !message.contains("  "),
            "{message}"
        );
    }
}

/// A file that is cut, changed or turned around is taken as the library takes it, or is an error
/// where the library has one.
#[test]
fn broken_files_are_to_the_engine_what_they_are_to_the_library() {
    const JUNK: &[&str] = &[
        "\"",
        "\\",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "0",
        "9",
        "-",
        "e5",
        "null",
        "true",
        "false",
        " ",
        "Ġ",
        "a",
        "\u{0}",
        "\\u0120",
        "\\ud800",
        "4294967295",
        "4294967296",
        "1.5",
    ];
    let mut texts = Texts::new(25);
    let (mut same, mut refused) = (0, 0);
    for file in trained::files() {
        let json = file.json.to_string();
        for round in 0..150 {
            let mut broken = json.clone();
            if round % 2 == 0 {
                broken = turn_around(&file.json, &mut texts).to_string();
            }
            for _ in 0..texts.below(3) * (round % 2) {
                // Most of a file is its model: half of the places are in the rest.
                let model = broken.find("\"model\"").unwrap_or(broken.len() / 2);
                let limit = [broken.len(), model.max(1)][texts.below(2)];
                let mut at = texts.below(limit);
                while !broken.is_char_boundary(at) {
                    at -= 1;
                }
                let end = broken[at..]
                    .chars()
                    .next()
                    .map_or(at, |c| at + c.len_utf8());
                let junk = JUNK[texts.below(JUNK.len())];
                match texts.below(3) {
                    0 => broken.insert_str(at, junk),
                    1 => broken.replace_range(at..end, junk),
                    _ => broken.replace_range(at..end, ""),
                }
            }
            let ours = HuggingFace::from_json(broken.as_bytes());
            let library = std::panic::catch_unwind(|| {
                tokenizers::Tokenizer::from_bytes(broken.as_bytes()).ok()
            });
            let Ok(Some(mut library)) = library else {
                refused += 1;
                assert!(ours.is_err(), "{}: {ours:?}", file.name);
                continue;
            };
            let ours = ours.expect("the library takes it");
            let _ = library.with_truncation(None);
            library.with_padding(None);
            library.set_encode_special_tokens(true);
            same += usize::from(ours.why_library().is_none());
            for _ in 0..10 {
                let text = format!("{}<tool>{}", texts.text(6), texts.text(3));
                let right = std::panic::catch_unwind(|| library.encode_fast(text.as_str(), false));
                if let Ok(Ok(right)) = right {
                    assert_same(file.name, &ours, &library, &text);
                    drop(right);
                }
            }
        }
    }
    assert!(same > 100 && refused > 300, "{same} {refused}");
}

/// Changes some values of a file, each to one that might be there as well.
fn turn_around(file: &Value, texts: &mut Texts) -> Value {
    let mut file = file.clone();
    for _ in 0..=texts.below(3) {
        let merges = file["model"]["merges"].as_array_mut().expect("a list");
        let (one, other) = (texts.below(merges.len()), texts.below(merges.len()));
        match texts.below(9) {
            0 => merges.swap(one, other),
            1 => drop(merges.remove(one)),
            2 => {
                let merge = merges.remove(one);
                merges.insert(0, merge);
            }
            3 => merges[one] = merges[other].clone(),
            4 => {
                let vocab = file["model"]["vocab"].as_object_mut().expect("a map");
                let token = vocab
                    .keys()
                    .nth(texts.below(vocab.len()))
                    .expect("one")
                    .clone();
                let id = json!(texts.below(3_000));
                vocab.insert(token, id);
            }
            5 => {
                let vocab = file["model"]["vocab"].as_object_mut().expect("a map");
                vocab.insert(format!("Ġnew{one}"), json!(10_000 + one));
            }
            6 => {
                let token = texts.below(8);
                let flag = ["lstrip", "rstrip", "single_word", "normalized", "special"];
                let flag = &mut file["added_tokens"][token][flag[texts.below(5)]];
                *flag = json!(!flag.as_bool().expect("a flag"));
            }
            7 => {
                let content = ["<tool>", " a", "é", "e\u{301}", "1", "\n", "x"][texts.below(7)];
                file["added_tokens"][texts.below(8)]["content"] = json!(content);
            }
            _ => {
                let form = ["NFC", "NFD", "NFKC", "Lowercase"][texts.below(4)];
                file["normalizer"] = json!({"type": form});
            }
        }
    }
    file
}

#[test]
fn hostile_files_are_taken_or_refused_soon() {
    let plain = &trained::files()[1].json;
    // Written as text: a value of that depth would need a deep stack itself.
    let nested = |name: &str, inner: &str, depth: usize| {
        let open = format!("{{\"type\":\"Sequence\",\"{inner}\":[").repeat(depth);
        let deep = format!("{open}{{\"type\":\"NFC\"}}{}", "]}".repeat(depth));
        let mut file = plain.clone();
        file[name] = json!("here");
        file.to_string().replace("\"here\"", &deep)
    };
    let with = |change: &dyn Fn(&mut Value)| {
        let mut file = plain.clone();
        change(&mut file);
        file.to_string()
    };
    let text = plain.to_string();
    let many = with(&|file| {
        let token = file["added_tokens"][2].clone();
        let more = (0..50_000).map(|at| {
            let mut token = token.clone();
            token["content"] = json!(format!("<t{at}>"));
            token
        });
        file["added_tokens"] = more.collect();
    });
    let files = [
        many,
        nested("normalizer", "normalizers", 30),
        nested("normalizer", "normalizers", 3_000),
        nested("pre_tokenizer", "pretokenizers", 3_000),
        with(&|file| file["model"]["merges"] = json!([["never", "there"]])),
        with(&|file| file["model"]["merges"] = json!([["a", "b", "c"]])),
        with(&|file| file["model"]["merges"] = json!([["a"], "a b"])),
        with(&|file| file["model"]["merges"] = json!([])),
        with(&|file| file["model"]["vocab"] = json!({})),
        with(&|file| file["model"]["vocab"]["a"] = json!(u64::MAX)),
        with(&|file| file["model"]["vocab"]["a"] = json!(-1)),
        with(&|file| file["added_tokens"][0]["content"] = json!("")),
        with(&|file| file["added_tokens"][0]["id"] = json!(1.5)),
        with(&|file| file["decoder"] = json!(vec![1; 2_000_000])),
        text.replacen("\"model\"", "\"model\":{},\"model\"", 1),
        text.replacen("\"vocab\"", "\"vocab\":{},\"vocab\"", 1),
        text.replacen("\"merges\"", "\"merges\":[],\"merges\"", 1),
        text.replacen("\"version\"", "\"version\":\"1.0\",\"version\"", 1),
        text.replacen("\"version\"", "\"unknown\":1,\"version\"", 1),
        format!("{text}x"),
        format!(" \n{text}\n "),
    ];
    for json in files {
        let shown: String = json.chars().take(80).collect();
        let ours = HuggingFace::from_json(json.as_bytes());
        let library = tokenizers::Tokenizer::from_bytes(json.as_bytes());
        assert_eq!(ours.is_ok(), library.is_ok(), "{shown}");
        if let (Ok(ours), Ok(mut library)) = (ours, library) {
            library.set_encode_special_tokens(true);
            for text in [
                "Hello <t77> <t49999>!",
                "think 123 it's\n\n",
                "<|end|><tool>",
            ] {
                assert_same(&shown, &ours, &library, text);
            }
        }
    }
}

#[test]
fn parsed_special_tokens_are_in_the_fingerprint() {
    let json = trained::files()[0].bytes();
    let [text, parse] = [Special::Text, Special::Parse]
        .map(|special| HuggingFace::open(&json, special).expect("a tokenizer"));
    assert_eq!(text.fingerprint(), sha256_hex(&json));
    assert_ne!(parse.fingerprint(), text.fingerprint());
    assert_eq!(parse.count("<|end|>").expect("it never fails"), 1);
    assert!(text.count("<|end|>").expect("it never fails") > 1);
}

#[test]
fn special_tokens_are_the_added_ones_that_are_marked() {
    for (model, json) in files() {
        let ours = HuggingFace::from_json(&json).expect("a tokenizer");
        assert_eq!(ours.special_tokens(), ["<|end|>"], "{model}");
    }
}

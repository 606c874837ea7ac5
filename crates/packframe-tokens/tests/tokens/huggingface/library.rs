//! Counts of any file, against the library used directly.

use packframe_tokens::{HuggingFace, Tokenizer};
use serde_json::{Value, json};

use super::file::{byte_level_bpe, file, files};
use crate::oracle::{Texts, sha256_hex};

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

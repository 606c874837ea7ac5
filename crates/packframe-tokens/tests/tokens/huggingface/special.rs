//! Special tokens of a file.

use packframe_tokens::{HuggingFace, Special, Tokenizer};

use super::file::files;
use crate::oracle::sha256_hex;
use crate::trained;

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

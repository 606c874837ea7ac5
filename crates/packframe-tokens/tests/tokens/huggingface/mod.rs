//! Files of Hugging Face tokenizers.

mod broken;
mod engine;
mod file;
mod library;
mod special;

use packframe_tokens::{HuggingFace, Tokenizer};

/// Asserts that a tokenizer encodes a text as the library does, and counts the ids.
#[track_caller]
fn assert_same(name: &str, ours: &HuggingFace, library: &tokenizers::Tokenizer, text: &str) {
    let right = library.encode_fast(text, false).expect("it never fails");
    let ids = ours.encode(text).expect("it never fails");
    assert_eq!(ids, right.get_ids(), "{name} on {text:?}");
    let count = ours.count(text).expect("it never fails");
    assert_eq!(count, ids.len() as u64, "{name} on {text:?}");
}

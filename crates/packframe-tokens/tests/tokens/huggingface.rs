use packframe_tokens::{HuggingFace, Tokenizer};
use serde_json::{Value, json};

use crate::oracle::{Texts, sha256_hex};

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

#[test]
fn special_tokens_are_the_added_ones_that_are_marked() {
    for (model, json) in files() {
        let ours = HuggingFace::from_json(&json).expect("a tokenizer");
        assert_eq!(ours.special_tokens(), ["<|end|>"], "{model}");
    }
}

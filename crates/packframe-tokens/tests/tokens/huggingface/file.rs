//! Small files, made here.

use serde_json::{Value, json};

/// Returns the letter that stands for a byte in a byte-level vocabulary.
pub(super) fn byte_letter(byte: u8) -> char {
    let plain = |byte: u8| matches!(byte, b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff);
    if plain(byte) {
        return char::from(byte);
    }
    let before = (0..byte).filter(|&byte| !plain(byte)).count();
    char::from_u32(0x100 + u32::try_from(before).expect("below 256")).expect("a letter")
}

/// Returns a file that truncates, pads, adds special tokens and knows two added tokens.
pub(super) fn file(normalizer: &Value, pre_tokenizer: &Value, model: &Value) -> Value {
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

/// Returns a file that the engine takes.
pub(super) fn byte_level_bpe() -> Value {
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

/// Returns a small file for each of three kinds of models.
pub(super) fn files() -> [(&'static str, Vec<u8>); 3] {
    [
        ("BPE", byte_level_bpe()),
        ("WordPiece", word_piece()),
        ("Unigram", unigram()),
    ]
    .map(|(model, file)| (model, file.to_string().into_bytes()))
}

//! Small byte-level tokenizers, trained here, for each pattern that the engine knows.

use std::sync::OnceLock;

use packframe_tokens::Special;
use serde_json::{Value, json};
use tokenizers::models::TrainerWrapper;
use tokenizers::models::bpe::{BPE, BpeTrainer};
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::{NormalizerWrapper, PreTokenizerWrapper, Tokenizer};

use crate::oracle::Texts;

const CONTRACTION: &str = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
const WHITE: &str = r"\s*[\r\n]+|\s+(?!\S)|\s+";

/// A file, and the name of the pattern it has.
pub struct Trained {
    pub name: &'static str,
    pub json: Value,
}

impl Trained {
    /// Returns the bytes of the file.
    pub fn bytes(&self) -> Vec<u8> {
        self.json.to_string().into_bytes()
    }

    /// Returns the library's own tokenizer of the file.
    pub fn library(&self, special: Special) -> Tokenizer {
        library(&self.bytes(), special)
    }
}

/// Returns the library's own tokenizer of a file.
pub fn library(json: &[u8], special: Special) -> Tokenizer {
    let mut library = Tokenizer::from_bytes(json).expect("a tokenizer");
    library.with_truncation(None).expect("none is fine");
    library.with_padding(None);
    library.set_encode_special_tokens(special == Special::Text);
    library
}

/// Returns a file for each pattern: two of them with a normal form, one that ignores merges.
pub fn files() -> &'static [Trained] {
    static FILES: OnceLock<Vec<Trained>> = OnceLock::new();
    FILES.get_or_init(|| {
        let nfc = json!({"type": "NFC"});
        let none = json!({"type": "Sequence", "normalizers": []});
        let all = [
            ("gpt2", byte_level(true), Value::Null),
            (
                "llama3",
                splits(&[&words(r"\p{L}", r"\p{N}{1,3}", r"\p{L}")]),
                Value::Null,
            ),
            (
                "qwen2",
                splits(&[&words(r"\p{L}", r"\p{N}", r"\p{L}")]),
                nfc.clone(),
            ),
            (
                "qwen35",
                splits(&[&words(r"[\p{L}\p{M}]", r"\p{N}", r"\p{L}\p{M}")]),
                nfc,
            ),
            (
                "o200k",
                splits(&[&cased(&format!("{CONTRACTION}?"), r"\p{N}{1,3}")]),
                Value::Null,
            ),
            ("tekken", splits(&[&cased("", r"\p{N}")]), Value::Null),
            ("deepseek", splits(&deepseek()), none),
            ("gpt2-nfkc", byte_level(true), json!({"type": "NFKC"})),
        ];
        all.into_iter()
            .map(|(name, pre_tokenizer, normalizer)| Trained {
                name,
                json: train(name, pre_tokenizer, normalizer),
            })
            .collect()
    })
}

fn byte_level(use_regex: bool) -> Value {
    json!({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": use_regex})
}

fn splits(patterns: &[&str]) -> Value {
    let split = |pattern: &&str| json!({"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": false});
    let mut steps: Vec<Value> = patterns.iter().map(split).collect();
    steps.push(byte_level(false));
    json!({"type": "Sequence", "pretokenizers": steps})
}

fn words(word: &str, numbers: &str, letters: &str) -> String {
    format!(
        r"{CONTRACTION}|[^\r\n\p{{L}}\p{{N}}]?{word}+|{numbers}| ?[^\s{letters}\p{{N}}]+[\r\n]*|{WHITE}"
    )
}

fn cased(contraction: &str, numbers: &str) -> String {
    let heads = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]";
    let tails = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]";
    format!(
        r"[^\r\n\p{{L}}\p{{N}}]?{heads}*{tails}+{contraction}|[^\r\n\p{{L}}\p{{N}}]?{heads}+{tails}*{contraction}|{numbers}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{WHITE}"
    )
}

fn deepseek() -> [&'static str; 3] {
    [
        r"\p{N}{1,3}",
        "[一-龥\u{3040}-ゟ゠-ヿ]+",
        concat!(
            r##"[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|"##,
            "[^\r\n",
            r"\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[",
            "\r\n",
            "]*|",
            r"\s*[",
            "\r\n",
            r"]+|\s+(?!\S)|\s+"
        ),
    ]
}

/// Trains on random texts, so that there are merges over every border that the pattern leaves, and
/// adds tokens of all plain kinds.
fn train(name: &str, pre_tokenizer: Value, normalizer: Value) -> Value {
    let pre_tokenizer: PreTokenizerWrapper =
        serde_json::from_value(pre_tokenizer).expect("a pretokenizer");
    let normalizer: Option<NormalizerWrapper> =
        serde_json::from_value(normalizer).expect("a normalizer");
    let mut tokenizer = Tokenizer::new(BPE::default());
    tokenizer.with_pre_tokenizer(Some(pre_tokenizer));
    tokenizer
        .with_normalizer(normalizer)
        .expect("no token is there yet");
    let mut trainer: TrainerWrapper = BpeTrainer::builder()
        .vocab_size(1_500)
        .min_frequency(2)
        .show_progress(false)
        .initial_alphabet(ByteLevel::alphabet().into_iter().collect())
        .build()
        .into();
    let mut texts = Texts::new(20);
    let texts: Vec<String> = (0..6_000).map(|_| texts.text(12)).collect();
    tokenizer
        .train(&mut trainer, texts.iter())
        .expect("it trains");
    let mut json = serde_json::to_value(&tokenizer).expect("it can be written");
    let token = |id: usize, content: &str, special: bool, normalized: bool| {
        json!({"id": id, "content": content, "single_word": false, "lstrip": false,
               "rstrip": false, "normalized": normalized, "special": special})
    };
    let added = [
        ("<|end|>", true, false),
        ("<|start|>", true, false),
        ("<tool>", false, false),
        ("<tool>x", false, false),
        (">b", false, false),
        ("  ", false, true),
        ("think", false, true),
        ("|>a", true, true),
    ];
    let count = json["model"]["vocab"].as_object().expect("a map").len();
    json["added_tokens"] = (count..)
        .zip(added)
        .map(|(id, (content, special, normalized))| token(id, content, special, normalized))
        .collect();
    if name == "llama3" {
        ignore_merges(&mut json);
    }
    json
}

/// Takes some merges away, and lets pieces be tokens all the same.
fn ignore_merges(json: &mut Value) {
    json["model"]["ignore_merges"] = json!(true);
    let merges = json["model"]["merges"].as_array_mut().expect("a list");
    let mut at = 0;
    merges.retain(|_| {
        at += 1;
        at % 7 != 0
    });
}

//! Mistral's `tekken.json`, read as a `tokenizer.json`.

use std::collections::HashMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::error::TokenizerError;
use crate::huggingface::HuggingFace;

/// A vocabulary of Mistral's, as the library `mistral-common` carries it.
///
/// It is one for `tiktoken`: ranks and a pattern. Every way to make a token of two others is a merge,
/// by the rank of what it makes, which gives the same tokens. Special tokens are not in it: text is
/// never read as one.
pub struct Tekken {
    json: Vec<u8>,
    version: String,
}

#[derive(Deserialize)]
struct File {
    config: Config,
    vocab: Vec<Entry>,
}

#[derive(Deserialize)]
struct Config {
    pattern: String,
    default_vocab_size: usize,
    default_num_special_tokens: usize,
    version: String,
}

#[derive(Deserialize)]
struct Entry {
    rank: u32,
    token_bytes: String,
}

impl Tekken {
    /// Says whether some JSON looks like a `tekken.json`, by its first kilobytes.
    #[must_use]
    pub fn is_one(json: &[u8]) -> bool {
        let start = &json[..json.len().min(4096)];
        ["\"default_num_special_tokens\"", "\"token_bytes\""]
            .iter()
            .any(|word| {
                start
                    .windows(word.len())
                    .any(|part| part == word.as_bytes())
            })
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// What is no `tekken.json`, is longer than [`HuggingFace::LONGEST`], or lacks a byte.
    pub fn from_json(json: &[u8]) -> Result<Self, TokenizerError> {
        let fail = |problem: String| TokenizerError::new(format!("the tekken.json {problem}"));
        if json.len() > HuggingFace::LONGEST {
            return Err(fail(format!("has {} bytes, too many", json.len())));
        }
        let file: File =
            serde_json::from_slice(json).map_err(|error| fail(format!("is none: {error}")))?;
        let config = file.config;
        let Some(size) = config
            .default_vocab_size
            .checked_sub(config.default_num_special_tokens)
        else {
            return Err(fail("has more special tokens than tokens".to_owned()));
        };
        let mut ranks: HashMap<Vec<u8>, u32> = HashMap::with_capacity(size);
        for entry in &file.vocab {
            if (entry.rank as usize) < size {
                let bytes = STANDARD
                    .decode(&entry.token_bytes)
                    .map_err(|error| fail(format!("has a token that is no base64: {error}")))?;
                ranks.insert(bytes, entry.rank);
            }
        }
        let made = converted(&ranks, &config.pattern);
        Ok(Self {
            json: serde_json::to_vec(&made).map_err(|error| fail(error.to_string()))?,
            version: config.version,
        })
    }

    /// Returns it as a `tokenizer.json`.
    #[must_use]
    pub fn tokenizer_json(&self) -> &[u8] {
        &self.json
    }

    /// Returns the version of the instruct format that it is for, such as `v3`.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }
}

fn converted(ranks: &HashMap<Vec<u8>, u32>, pattern: &str) -> Value {
    let letters = letters();
    let named = |bytes: &[u8]| -> String {
        bytes
            .iter()
            .map(|&byte| letters[usize::from(byte)])
            .collect()
    };
    let mut merges: Vec<(u32, u32, u32, &[u8], usize)> = Vec::new();
    for (token, &rank) in ranks {
        for cut in 1..token.len() {
            if let (Some(&left), Some(&right)) =
                (ranks.get(&token[..cut]), ranks.get(&token[cut..]))
            {
                merges.push((rank, left, right, token, cut));
            }
        }
    }
    merges.sort_unstable();
    let merges: Vec<Value> = merges
        .into_iter()
        .map(|(_, _, _, token, cut)| {
            Value::String(format!("{} {}", named(&token[..cut]), named(&token[cut..])))
        })
        .collect();
    let vocab: Map<String, Value> = ranks
        .iter()
        .map(|(token, &rank)| (named(token), Value::from(rank)))
        .collect();
    json!({
        "version": "1.0",
        "truncation": null,
        "padding": null,
        "added_tokens": [],
        "normalizer": null,
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [
                {
                    "type": "Split",
                    "pattern": {"Regex": pattern},
                    "behavior": "Isolated",
                    "invert": false,
                },
                {
                    "type": "ByteLevel",
                    "add_prefix_space": false,
                    "trim_offsets": false,
                    "use_regex": false,
                },
            ],
        },
        "post_processor": null,
        "decoder": null,
        "model": {
            "type": "BPE",
            "ignore_merges": true,
            "vocab": vocab,
            "merges": merges,
        },
    })
}

/// Returns the letter that stands for each byte in a byte-level vocabulary.
fn letters() -> Vec<char> {
    let mut others = 0x100..;
    (0..=0xFF_u32)
        .map(|byte| match byte {
            0x21..=0x7E | 0xA1..=0xAC | 0xAE..=0xFF => byte,
            _ => others.next().unwrap_or_default(),
        })
        .filter_map(char::from_u32)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::Tekken;
    use crate::{HuggingFace, Tokenizer};

    fn file() -> String {
        let mut vocab: Vec<String> = (0..=255_u8)
            .map(|byte| {
                let token =
                    base64::Engine::encode(&base64::engine::general_purpose::STANDARD, [byte]);
                format!(r#"{{"rank":{byte},"token_bytes":"{token}","token_str":null}}"#)
            })
            .collect();
        vocab.push(r#"{"rank":256,"token_bytes":"YWI=","token_str":"ab"}"#.to_owned());
        format!(
            r#"{{"config":{{"pattern":"\\w+|\\W+","num_vocab_tokens":257,"default_vocab_size":260,"default_num_special_tokens":3,"version":"v3"}},"vocab":[{}]}}"#,
            vocab.join(",")
        )
    }

    #[test]
    fn a_file_counts_by_its_ranks() {
        let file = file();
        assert!(Tekken::is_one(file.as_bytes()));
        let tekken = Tekken::from_json(file.as_bytes()).expect("a good file");
        assert_eq!(tekken.version(), "v3");
        let tokenizer = HuggingFace::from_json(tekken.tokenizer_json()).expect("it is converted");
        assert_eq!(tokenizer.count("abab [INST]").expect("it counts"), 2 + 7);
    }

    #[test]
    fn what_is_no_file_is_named() {
        for bad in ["", "{}", r#"{"config":1,"vocab":[]}"#] {
            assert!(!Tekken::is_one(bad.as_bytes()));
            let error = Tekken::from_json(bad.as_bytes()).err().expect(bad);
            assert!(error.message().contains("tekken.json"), "{error:?}");
        }
    }
}

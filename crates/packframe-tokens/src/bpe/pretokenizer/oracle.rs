//! The splits, against the regular expressions they stand for, run by the `tokenizers` library.

use serde_json::{Value, json};
use tokenizers::{
    OffsetReferential, OffsetType, PreTokenizedString, PreTokenizer, PreTokenizerWrapper,
};

use super::piece_end;
use crate::bpe::pattern::Pattern;

const CONTRACTION: &str = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
const WHITE: &str = r"\s*[\r\n]+|\s+(?!\S)|\s+";

fn split(pattern: &str) -> Value {
    json!({"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": false})
}

fn byte_level(use_regex: bool) -> Value {
    json!({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": use_regex})
}

fn words(word: &str, numbers: &str, letters: &str) -> Value {
    split(&format!(
        r"{CONTRACTION}|[^\r\n\p{{L}}\p{{N}}]?{word}+|{numbers}| ?[^\s{letters}\p{{N}}]+[\r\n]*|{WHITE}"
    ))
}

fn cased(contraction: &str, numbers: &str) -> Value {
    let (heads, tails) = (
        r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]",
        r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]",
    );
    split(&format!(
        r"[^\r\n\p{{L}}\p{{N}}]?{heads}*{tails}+{contraction}|[^\r\n\p{{L}}\p{{N}}]?{heads}+{tails}*{contraction}|{numbers}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{WHITE}"
    ))
}

fn oracle(pattern: Pattern) -> Option<PreTokenizerWrapper> {
    let json = match pattern {
        // Its possessive count means something else to the library; `tiktoken` is its oracle.
        Pattern::Cl100k => return None,
        Pattern::Llama3 => words(r"\p{L}", r"\p{N}{1,3}", r"\p{L}"),
        Pattern::Qwen2 => words(r"\p{L}", r"\p{N}", r"\p{L}"),
        Pattern::Qwen35 => words(r"[\p{L}\p{M}]", r"\p{N}", r"\p{L}\p{M}"),
        Pattern::O200k => cased(&format!("{CONTRACTION}?"), r"\p{N}{1,3}"),
        Pattern::Tekken => cased("", r"\p{N}"),
        Pattern::Gpt2 => byte_level(true),
        Pattern::DeepSeek => json!({"type": "Sequence", "pretokenizers": [
            split(r"\p{N}{1,3}"),
            split("[一-龥\u{3040}-ゟ゠-ヿ]+"),
            split(concat!(
                r##"[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|"##,
                "[^\r\n", r"\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[", "\r\n", "]*|",
                r"\s*[", "\r\n", r"]+|\s+(?!\S)|\s+"
            )),
        ]}),
    };
    Some(serde_json::from_value(json).expect("a pretokenizer"))
}

fn theirs(oracle: &PreTokenizerWrapper, text: &str) -> Vec<usize> {
    let mut split = PreTokenizedString::from(text);
    oracle.pre_tokenize(&mut split).expect("it is split");
    let splits = split.get_splits(OffsetReferential::Original, OffsetType::Byte);
    splits.iter().map(|(_, (_, end), _)| *end).collect()
}

fn ours(pattern: Pattern, text: &str) -> Vec<usize> {
    let mut end = 0;
    std::iter::from_fn(|| {
        (end < text.len()).then(|| {
            end = piece_end(pattern, text.as_bytes(), end);
            end
        })
    })
    .collect()
}

/// Asserts that all patterns split each text as their oracles do.
struct Check(Vec<(Pattern, PreTokenizerWrapper)>);

impl Check {
    fn new() -> Self {
        let known = |pattern| Some((pattern, oracle(pattern)?));
        let oracles: Vec<_> = Pattern::ALL.into_iter().filter_map(known).collect();
        assert_eq!(oracles.len(), 7);
        Self(oracles)
    }

    #[track_caller]
    fn text(&self, text: &str) {
        for (pattern, oracle) in &self.0 {
            assert_eq!(
                ours(*pattern, text),
                theirs(oracle, text),
                "{pattern:?} on {text:?}"
            );
        }
    }
}

/// One for each way that a pattern can treat a character.
const KINDS: [char; 22] = [
    'a', 's', 'L', '中', 'ʰ', '\u{301}', '1', '\'', ' ', '\u{a0}', '\n', '\r', '/', '!', '„',
    '\u{0}', '\u{200d}', 'ー', '\u{3099}', 'ſ', 'é', '٣',
];

#[test]
fn all_short_texts_are_split_alike() {
    let check = Check::new();
    let mut layer = vec![String::new()];
    for length in 1..=4 {
        // Four of all kinds would take minutes: the last ones are like others but in a class.
        let kinds = if length < 4 {
            &KINDS[..]
        } else {
            &KINDS[4..15]
        };
        layer = layer
            .iter()
            .filter(|text| length < 4 || text.chars().all(|c| kinds.contains(&c)))
            .flat_map(|text| kinds.iter().map(move |kind| format!("{text}{kind}")))
            .collect();
        for text in &layer {
            check.text(text);
        }
    }
}

#[test]
fn random_texts_are_split_alike() {
    let check = Check::new();
    // `SplitMix64`; the seed is 11.
    let mut state = 11_u64;
    let mut below = |limit: usize| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % limit as u64).expect("below a usize")
    };
    for _ in 0..20_000 {
        let mut text = String::new();
        for _ in 0..below(14) {
            let kind = KINDS[below(KINDS.len())];
            text.extend(std::iter::repeat_n(kind, 1 + below(8) / 5 * below(6)));
        }
        check.text(&text);
    }
}

/// The tables of Oniguruma, which the library splits with, have the same characters in each class.
#[test]
fn every_character_is_split_alike() {
    let check = Check::new();
    for c in '\0'..=char::MAX {
        // Beyond the planes with characters each thirteenth does: they are not assigned.
        if u32::from(c) < 0x3_4000 || u32::from(c) % 13 == 0 || u32::from(c) >> 12 == 0xe0 {
            check.text(&format!("{c} {c}a{c}'s {c}!1{c}{c}\n"));
        }
    }
}

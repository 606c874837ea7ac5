//! What of a `tokenizer.json` the engine can do, apart from its model.

use serde_json::{Map, Value};

use super::spelling::alternatives;
use crate::bpe::Pattern;
use crate::form::Form;

/// Why the engine cannot do it, in a few words.
pub(super) type Reason = String;

const GPT2: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";
const LLAMA3: &str = concat!(
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}",
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
);
const QWEN2: &str = concat!(
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}",
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
);
const QWEN35: &str = concat!(
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}",
    r"| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
);
const O200K: &str = concat!(
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
);
const TEKKEN: &str = concat!(
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+",
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*",
    r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
);
/// One after the other.
const DEEPSEEK: [&str; 3] = [
    r"\p{N}{1,3}",
    "[一-龥\u{3040}-ゟ゠-ヿ]+",
    concat!(
        r##"[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|"##,
        r"[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|",
        r"\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
];

/// The patterns that leave nothing of a text out.
const WHOLE: [(&str, Pattern); 6] = [
    (LLAMA3, Pattern::Llama3),
    (QWEN2, Pattern::Qwen2),
    (O200K, Pattern::O200k),
    (QWEN35, Pattern::Qwen35),
    (TEKKEN, Pattern::Tekken),
    (GPT2, Pattern::Gpt2),
];

/// Recognises the `pre_tokenizer`: the splits of a known pattern and `ByteLevel` behind them, or
/// `ByteLevel` with its own.
pub(super) fn pattern(pre_tokenizer: &Value) -> Result<Pattern, Reason> {
    let mut steps = Vec::new();
    flatten(pre_tokenizer, "pretokenizers", &mut steps);
    let Some((last, splits)) = steps.split_last() else {
        return Err("it has no pretokenizer".to_owned());
    };
    let own = byte_level(last).ok_or("its last pretokenizer is no plain ByteLevel")?;
    match (own, splits) {
        (true, []) => return Ok(Pattern::Gpt2),
        (false, [only]) => {
            // Matches leave nothing of a text out, so it is one whether what is between is kept.
            let spelled = split(only).and_then(|(regex, _)| spelled(regex));
            let known = |(known, _): &&(&str, Pattern)| self::spelled(known) == spelled;
            if spelled.is_some()
                && let Some(&(_, pattern)) = WHOLE.iter().find(known)
            {
                return Ok(pattern);
            }
        }
        (false, [_, _, _]) => {
            let known = splits.iter().zip(DEEPSEEK).all(|(step, known)| {
                split(step).is_some_and(|(regex, keeps_all)| {
                    keeps_all
                        && self::spelled(regex).is_some_and(|regex| Some(regex) == spelled(known))
                })
            });
            if known {
                return Ok(Pattern::DeepSeek);
            }
        }
        _ => {}
    }
    Err("its pretokenizer is none that the engine knows".to_owned())
}

/// Recognises the `normalizer`: none, or a normal form.
pub(super) fn form(normalizer: &Value) -> Result<Option<Form>, Reason> {
    let mut steps = Vec::new();
    if !normalizer.is_null() {
        flatten(normalizer, "normalizers", &mut steps);
    }
    let form = match steps[..] {
        [] => return Ok(None),
        [only] => fields(only, &["type"]).and_then(|only| match only["type"].as_str()? {
            "NFC" => Some(Form::Nfc),
            "NFD" => Some(Form::Nfd),
            "NFKC" => Some(Form::Nfkc),
            "NFKD" => Some(Form::Nfkd),
            _ => None,
        }),
        _ => None,
    };
    form.map(Some)
        .ok_or_else(|| "its normalizer is no Unicode normal form".to_owned())
}

/// Returns the steps of what may be a sequence of them, and of sequences.
fn flatten<'v>(value: &'v Value, member: &str, steps: &mut Vec<&'v Value>) {
    let inner = fields(value, &["type", member])
        .filter(|sequence| sequence["type"] == "Sequence")
        .and_then(|sequence| sequence[member].as_array());
    match inner {
        Some(inner) => {
            for step in inner {
                flatten(step, member, steps);
            }
        }
        None => steps.push(value),
    }
}

/// Returns an object that has these fields and no others.
fn fields<'v>(value: &'v Value, names: &[&str]) -> Option<&'v Map<String, Value>> {
    value.as_object().filter(|object| {
        object.len() == names.len() && names.iter().all(|name| object.contains_key(*name))
    })
}

/// Reads a `ByteLevel` that adds no space: whether it splits by its own pattern.
fn byte_level(step: &Value) -> Option<bool> {
    let step = step.as_object()?;
    let mut own = true;
    let mut adds_space = None;
    for (name, value) in step {
        match name.as_str() {
            "type" if value == "ByteLevel" => {}
            "add_prefix_space" => adds_space = value.as_bool(),
            // It moves offsets, not tokens.
            "trim_offsets" if value.is_boolean() => {}
            "use_regex" => own = value.as_bool()?,
            _ => return None,
        }
    }
    (adds_space == Some(false) && step.contains_key("type")).then_some(own)
}

/// Reads a `Split` by a regular expression each of whose matches is a piece: the expression, and
/// whether what is between the matches is kept, too.
fn split(step: &Value) -> Option<(&str, bool)> {
    let step = fields(step, &["type", "pattern", "behavior", "invert"])?;
    let regex = fields(&step["pattern"], &["Regex"])?["Regex"].as_str()?;
    if step["type"] != "Split" {
        return None;
    }
    match (step["behavior"].as_str()?, step["invert"].as_bool()?) {
        ("Isolated", _) => Some((regex, true)),
        ("Removed", true) => Some((regex, false)),
        _ => None,
    }
}

/// Spells the alternatives of a pattern, with those alike that take the same at their place.
fn spelled(regex: &str) -> Option<Vec<String>> {
    const BEFORE: &str = r"\s+(?!\S)";
    let mut spelled = alternatives(regex)?;
    for at in 0..spelled.len() {
        let plain = match spelled[at].as_str() {
            // All white space is taken first, then given back to the last line break.
            r"\s*[\n\r]" => r"\s*[\n\r]+",
            // The lead is no letter, so giving it back leads nowhere.
            r"[^\n\p{L}\p{N}\r]?+\p{L}+" => r"[^\n\p{L}\p{N}\r]?\p{L}+",
            // Where more than one stands, the alternative before has taken some.
            r"\s" if at > 0 && spelled[at - 1] == BEFORE => r"\s+",
            _ => continue,
        };
        plain.clone_into(&mut spelled[at]);
    }
    Some(spelled)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{DEEPSEEK, GPT2, LLAMA3, O200K, QWEN2, QWEN35, TEKKEN, form, pattern};
    use crate::bpe::Pattern;
    use crate::form::Form;

    fn split(regex: &str) -> Value {
        json!({"type": "Split", "pattern": {"Regex": regex}, "behavior": "Isolated", "invert": false})
    }

    fn level(use_regex: bool) -> Value {
        json!({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": use_regex})
    }

    fn sequence(steps: &[Value]) -> Value {
        json!({"type": "Sequence", "pretokenizers": steps})
    }

    #[test]
    fn known_patterns_are_recognised() {
        let known = [
            (GPT2, Pattern::Gpt2),
            (LLAMA3, Pattern::Llama3),
            (QWEN2, Pattern::Qwen2),
            (QWEN35, Pattern::Qwen35),
            (O200K, Pattern::O200k),
            (TEKKEN, Pattern::Tekken),
            (
                concat!(
                    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}",
                    r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s*[\r\n]|\s+(?!\S)|\s"
                ),
                Pattern::Llama3,
            ),
        ];
        for (regex, right) in known {
            let json = sequence(&[split(regex), level(false)]);
            assert_eq!(pattern(&json), Ok(right), "{regex}");
            let mut removed = json;
            removed["pretokenizers"][0]["behavior"] = json!("Removed");
            assert!(pattern(&removed).is_err());
            removed["pretokenizers"][0]["invert"] = json!(true);
            assert_eq!(pattern(&removed), Ok(right), "{regex}");
        }
        let splits = DEEPSEEK.map(split);
        let json = sequence(&[sequence(&splits), level(false)]);
        assert_eq!(pattern(&json), Ok(Pattern::DeepSeek));
        assert_eq!(pattern(&level(true)), Ok(Pattern::Gpt2));
        let old = json!({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true});
        assert_eq!(pattern(&sequence(&[old])), Ok(Pattern::Gpt2));
    }

    #[test]
    fn what_is_a_little_different_is_not() {
        let mut prefix = level(true);
        prefix["add_prefix_space"] = json!(true);
        let mut surplus = level(true);
        surplus["more"] = json!(1);
        let mut merged = split(LLAMA3);
        merged["behavior"] = json!("MergedWithNext");
        let mut string = split(LLAMA3);
        string["pattern"] = json!({"String": LLAMA3});
        let mut gaps = DEEPSEEK.map(split);
        gaps[2]["behavior"] = json!("Removed");
        gaps[2]["invert"] = json!(true);
        let [digits, wide, rest] = DEEPSEEK.map(split);
        for json in [
            Value::Null,
            json!([]),
            json!("ByteLevel"),
            sequence(&[]),
            prefix,
            surplus,
            level(false),
            split(LLAMA3),
            sequence(&[split(LLAMA3), level(true)]),
            sequence(&[level(false), split(LLAMA3)]),
            sequence(&[merged, level(false)]),
            sequence(&[string, level(false)]),
            sequence(&[split(&LLAMA3.replace("{1,3}", "{1,4}")), level(false)]),
            sequence(&[split(&LLAMA3.replace("{1,3}", "{1,3}+")), level(false)]),
            sequence(&[
                split(&LLAMA3.replace(r"\s+(?!\S)|", r"\s+$|")),
                level(false),
            ]),
            sequence(&[split(&QWEN35.replace("]?[", "]?+[")), level(false)]),
            sequence(&[wide, digits, rest, level(false)]),
            sequence(&[
                gaps[0].clone(),
                gaps[1].clone(),
                gaps[2].clone(),
                level(false),
            ]),
            json!({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true}),
        ] {
            assert!(pattern(&json).is_err(), "{json}");
        }
    }

    #[test]
    fn normal_forms_are_recognised() {
        let sequence = |steps: Value| json!({"type": "Sequence", "normalizers": steps});
        let nfc = json!({"type": "NFC"});
        assert_eq!(form(&Value::Null), Ok(None));
        assert_eq!(form(&sequence(json!([]))), Ok(None));
        assert_eq!(form(&nfc), Ok(Some(Form::Nfc)));
        assert_eq!(form(&sequence(json!([nfc]))), Ok(Some(Form::Nfc)));
        assert_eq!(form(&json!({"type": "NFKD"})), Ok(Some(Form::Nfkd)));
        for json in [
            sequence(json!([nfc, nfc])),
            json!({"type": "Lowercase"}),
            json!({"type": "NFC", "more": 1}),
            json!({"type": "Prepend", "prepend": "▁"}),
            json!("NFC"),
            json!([]),
        ] {
            assert!(form(&json).is_err(), "{json}");
        }
    }
}

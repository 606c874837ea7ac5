//! The parts of a `tokenizer.json` that the engine needs, read in one pass.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::letters::byte_of;
use super::merges::Merge;
use super::recognise::{Reason, form, pattern};
use crate::bpe::Pattern;
use crate::form::Form;

/// The bytes of the longest pretokenizer or normalizer that is looked at.
const STEPS: usize = 1 << 16;

/// The bytes of the longest part beside the model and the added tokens: the library reads all of
/// them for the probe.
const PART: usize = 1 << 20;

/// The bytes of the longest token that is taken; those of the longest one known are 512.
const LONGEST: usize = 4096;

/// A file, read.
pub(super) struct File<'j> {
    pub(super) pattern: Pattern,
    pub(super) form: Option<Form>,
    pub(super) added: Vec<AddedToken>,
    pub(super) model: Model,
    /// All parts but the model, as they stand in the file.
    pub(super) parts: Vec<(&'static str, &'j RawValue)>,
}

/// An added token of a file.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "that is how files have it")]
pub(super) struct AddedToken {
    /// What the file says; the library does not go by it.
    #[serde(rename = "id")]
    _id: u32,
    pub(super) content: String,
    pub(super) single_word: bool,
    pub(super) lstrip: bool,
    pub(super) rstrip: bool,
    pub(super) normalized: bool,
    pub(super) special: bool,
}

/// A byte-level model of byte-pair encoding.
pub(super) struct Model {
    pub(super) vocabulary: Vocab,
    pub(super) merges: Vec<Merge>,
    /// Whether a piece that is a token as a whole is that, whatever its merges.
    pub(super) ignore_merges: bool,
}

/// The tokens of a file.
#[derive(Default)]
pub(super) struct Vocab {
    bytes: Vec<u8>,
    /// Where each token ends in them, and its id.
    tokens: Vec<(u32, u32)>,
    /// Tokens with letters that stand for no byte: no text has them.
    pub(super) foreign: HashMap<String, u32>,
    /// What is wrong with them.
    wrong: Option<&'static str>,
}

impl Vocab {
    /// Returns how many tokens there are whose letters stand for bytes.
    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Returns the bytes of a token.
    pub(super) fn token(&self, at: u32) -> &[u8] {
        let at = at as usize;
        let start = if at == 0 { 0 } else { self.tokens[at - 1].0 };
        &self.bytes[start as usize..self.tokens[at].0 as usize]
    }

    /// Returns the id of a token.
    pub(super) fn id(&self, at: u32) -> u32 {
        self.tokens[at as usize].1
    }

    /// Returns the places of the tokens by their bytes.
    fn places(&self) -> Places<'_> {
        let mut places = HashMap::with_capacity_and_hasher(self.len(), Hasher::default());
        for at in 0..u32::try_from(self.len()).unwrap_or(u32::MAX) {
            places.insert(self.token(at), at);
        }
        places
    }
}

pub(super) type Hasher = foldhash::fast::RandomState;
type Places<'v> = HashMap<&'v [u8], u32, Hasher>;

impl<'j> File<'j> {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// Whatever the engine does not take, broken files among them: the library has the last word
    /// on those.
    pub(super) fn read(json: &'j [u8]) -> Result<Self, Reason> {
        let mut reader = serde_json::Deserializer::from_slice(json);
        let read = reader.deserialize_map(FileVisitor);
        let read = read.and_then(|file| reader.end().map(|()| file));
        read.map_err(|error| {
            // The reason that a visitor gave, without the place in the file.
            let message = error.to_string();
            let end = message.rfind(" at line ").unwrap_or(message.len());
            message[..end].to_owned()
        })?
    }
}

struct FileVisitor;

impl<'j> Visitor<'j> for FileVisitor {
    type Value = Result<File<'j>, Reason>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a tokenizer.json")
    }

    fn visit_map<A: MapAccess<'j>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        const PARTS: [&str; 8] = [
            "version",
            "truncation",
            "padding",
            "added_tokens",
            "normalizer",
            "pre_tokenizer",
            "post_processor",
            "decoder",
        ];
        let mut parts: Vec<(&'static str, &'j RawValue)> = Vec::new();
        let mut model = None;
        while let Some(key) = map.next_key::<Cow<'j, str>>()? {
            if key == "model" {
                // No need to read megabytes that the engine does not take anyway.
                if let Some((_, pre_tokenizer)) =
                    parts.iter().find(|part| part.0 == "pre_tokenizer")
                {
                    read_part(pre_tokenizer)
                        .and_then(|value| pattern(&value))
                        .map_err(A::Error::custom)?;
                }
                if model.replace(map.next_value_seed(ModelSeed)?).is_some() {
                    return Err(A::Error::custom("it has two models"));
                }
                continue;
            }
            let Some(&name) = PARTS.iter().find(|name| **name == key) else {
                return Err(A::Error::custom("it has a part that is not known"));
            };
            if parts.iter().any(|part| part.0 == name) {
                return Err(A::Error::custom("it has a part twice"));
            }
            let part: &RawValue = map.next_value()?;
            if name != "added_tokens" && part.get().len() > PART {
                return Err(A::Error::custom("it has a very long part"));
            }
            parts.push((name, part));
        }
        let Some(model) = model else {
            return Err(A::Error::custom("it has no model"));
        };
        Ok(file(parts, model))
    }
}

fn file<'j>(parts: Vec<(&'static str, &'j RawValue)>, model: Model) -> Result<File<'j>, Reason> {
    let part = |name| parts.iter().find(|part| part.0 == name).map(|part| part.1);
    let pre_tokenizer = part("pre_tokenizer").ok_or("it has no pretokenizer")?;
    let normalizer = part("normalizer").map_or(Ok(Value::Null), read_part)?;
    let added: Vec<AddedToken> = match part("added_tokens") {
        Some(added) => serde_json::from_str(added.get())
            .map_err(|_| "its added tokens have other fields than usual")?,
        None => Vec::new(),
    };
    Ok(File {
        pattern: pattern(&read_part(pre_tokenizer)?)?,
        form: form(&normalizer)?,
        added,
        model,
        parts,
    })
}

fn read_part(part: &RawValue) -> Result<Value, Reason> {
    if part.get().len() > STEPS {
        return Err("its pretokenizer or normalizer is very long".to_owned());
    }
    serde_json::from_str(part.get()).map_err(|error| error.to_string())
}

struct ModelSeed;

impl<'j> DeserializeSeed<'j> for ModelSeed {
    type Value = Model;

    fn deserialize<D: Deserializer<'j>>(self, deserializer: D) -> Result<Model, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'j> Visitor<'j> for ModelSeed {
    type Value = Model;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a model")
    }

    fn visit_map<A: MapAccess<'j>>(self, mut map: A) -> Result<Model, A::Error> {
        let mut seen: Vec<Cow<'j, str>> = Vec::new();
        let mut is_bpe = false;
        let mut ignore_merges = None;
        let mut vocabulary: Option<Vocab> = None;
        let mut merges = None;
        // Merges that stand before the tokens.
        let mut early: Option<&'j RawValue> = None;
        while let Some(key) = map.next_key::<Cow<'j, str>>()? {
            if seen.contains(&key) {
                return Err(A::Error::custom("its model has a field twice"));
            }
            match &*key {
                "type" => is_bpe = map.next_value::<Cow<'j, str>>()? == "BPE",
                "dropout" => {
                    if map.next_value::<Option<f32>>()?.is_some() {
                        return Err(A::Error::custom("its model drops merges at random"));
                    }
                }
                "continuing_subword_prefix" | "end_of_word_suffix" => {
                    let mark: Option<Cow<'j, str>> = map.next_value()?;
                    if mark.is_some_and(|mark| !mark.is_empty()) {
                        return Err(A::Error::custom("its model marks the parts of words"));
                    }
                }
                "byte_fallback" => {
                    if map.next_value::<Option<bool>>()? == Some(true) {
                        return Err(A::Error::custom("its model falls back to bytes"));
                    }
                }
                // Nothing is unknown where each byte is a token.
                "unk_token" => drop(map.next_value::<Option<Cow<'j, str>>>()?),
                "fuse_unk" => drop(map.next_value::<Option<bool>>()?),
                "ignore_merges" => ignore_merges = map.next_value::<Option<bool>>()?,
                "vocab" => {
                    let read = map.next_value_seed(VocabSeed)?;
                    if let Some(wrong) = read.wrong {
                        return Err(A::Error::custom(wrong));
                    }
                    vocabulary = Some(read);
                }
                "merges" => match &vocabulary {
                    Some(vocabulary) => merges = Some(map.next_value_seed(MergesSeed(vocabulary))?),
                    None => early = Some(map.next_value()?),
                },
                _ => return Err(A::Error::custom("its model has a field that is not known")),
            }
            seen.push(key);
        }
        let (true, Some(vocabulary)) = (is_bpe, vocabulary) else {
            return Err(A::Error::custom("its model is no byte-pair encoding"));
        };
        if let Some(early) = early {
            let mut reader = serde_json::Deserializer::from_str(early.get());
            let read = MergesSeed(&vocabulary).deserialize(&mut reader);
            merges = Some(read.map_err(A::Error::custom)?);
        }
        Ok(Model {
            vocabulary,
            merges: merges.ok_or_else(|| A::Error::custom("its model has no merges"))?,
            ignore_merges: ignore_merges.unwrap_or(false),
        })
    }
}

struct VocabSeed;

impl<'j> DeserializeSeed<'j> for VocabSeed {
    type Value = Vocab;

    fn deserialize<D: Deserializer<'j>>(self, deserializer: D) -> Result<Vocab, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'j> Visitor<'j> for VocabSeed {
    type Value = Vocab;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("tokens with their ids")
    }

    fn visit_map<A: MapAccess<'j>>(self, mut map: A) -> Result<Vocab, A::Error> {
        let mut vocabulary = Vocab::default();
        while let Some(foreign) = map.next_key_seed(Letters(&mut vocabulary.bytes))? {
            let id: u32 = map.next_value()?;
            if let Some(token) = foreign {
                if vocabulary.foreign.insert(token, id).is_some() {
                    vocabulary.wrong = Some("it has a token twice");
                }
                continue;
            }
            let start = vocabulary.tokens.last().map_or(0, |token| token.0 as usize);
            // The file is shorter than 4 GiB.
            let end = u32::try_from(vocabulary.bytes.len()).unwrap_or(u32::MAX);
            match end as usize - start {
                0 => vocabulary.wrong = Some("it has an empty token"),
                1..=LONGEST => {}
                _ => vocabulary.wrong = Some("it has a very long token"),
            }
            vocabulary.tokens.push((end, id));
        }
        let foreign = vocabulary.foreign.values();
        let mut ids: Vec<u32> = vocabulary.tokens.iter().map(|token| token.1).collect();
        ids.extend(foreign);
        ids.sort_unstable();
        if ids.windows(2).any(|pair| pair[0] == pair[1]) {
            vocabulary.wrong = Some("two of its tokens have one id");
        }
        Ok(vocabulary)
    }
}

/// Reads a token into bytes. One with a letter that stands for no byte comes back as it is.
struct Letters<'b>(&'b mut Vec<u8>);

impl<'j> DeserializeSeed<'j> for Letters<'_> {
    type Value = Option<String>;

    fn deserialize<D: Deserializer<'j>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Letters<'_> {
    type Value = Option<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a token")
    }

    fn visit_str<E: Error>(self, token: &str) -> Result<Self::Value, E> {
        let start = self.0.len();
        if push(self.0, token) {
            return Ok(None);
        }
        self.0.truncate(start);
        Ok(Some(token.to_owned()))
    }
}

/// Adds the bytes that letters stand for; `false` at one that stands for none.
fn push(bytes: &mut Vec<u8>, letters: &str) -> bool {
    letters.chars().all(|letter| {
        let byte = byte_of(letter);
        bytes.extend(byte);
        byte.is_some()
    })
}

struct MergesSeed<'v>(&'v Vocab);

impl<'j> DeserializeSeed<'j> for MergesSeed<'_> {
    type Value = Vec<Merge>;

    fn deserialize<D: Deserializer<'j>>(self, deserializer: D) -> Result<Vec<Merge>, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'j> Visitor<'j> for MergesSeed<'_> {
    type Value = Vec<Merge>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("merges")
    }

    fn visit_seq<A: SeqAccess<'j>>(self, mut sequence: A) -> Result<Vec<Merge>, A::Error> {
        let places = self.0.places();
        if places.len() < self.0.len() {
            return Err(A::Error::custom("it has a token twice"));
        }
        let mut merges = Vec::with_capacity(self.0.len());
        let mut shape = None;
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            let Some((own, left)) = sequence.next_element_seed(MergeSeed(&mut bytes))? else {
                return Ok(merges);
            };
            if *shape.get_or_insert(own) != own {
                return Err(A::Error::custom("its merges are written in two ways"));
            }
            let [left, right, made] = [&bytes[..left], &bytes[left..], &bytes[..]]
                .map(|token| places.get(token).copied());
            let (Some(left), Some(right), Some(made)) = (left, right, made) else {
                return Err(A::Error::custom("it merges what is no token"));
            };
            merges.push(Merge { left, right, made });
        }
    }
}

/// How a merge is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Both tokens in one text, with a space between.
    Text,
    /// A list of both.
    List,
}

/// Reads the bytes of both tokens of a merge; returns how it is written and the length of the left
/// one.
struct MergeSeed<'b>(&'b mut Vec<u8>);

impl<'j> DeserializeSeed<'j> for MergeSeed<'_> {
    type Value = (Shape, usize);

    fn deserialize<D: Deserializer<'j>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'j> Visitor<'j> for MergeSeed<'_> {
    type Value = (Shape, usize);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a merge of two tokens")
    }

    fn visit_str<E: Error>(self, merge: &str) -> Result<Self::Value, E> {
        // No letter is a space, so a second one is refused as well.
        if let Some((left, right)) = merge.split_once(' ')
            && push(self.0, left)
        {
            let length = self.0.len();
            if push(self.0, right) {
                return Ok((Shape::Text, length));
            }
        }
        Err(E::custom("it has a merge that is not of two tokens"))
    }

    fn visit_seq<A: SeqAccess<'j>>(self, mut sequence: A) -> Result<Self::Value, A::Error> {
        let bytes = self.0;
        let left = sequence.next_element_seed(Letters(bytes))?;
        let length = bytes.len();
        let right = sequence.next_element_seed(Letters(bytes))?;
        let surplus = sequence.next_element::<IgnoredAny>()?;
        match (left, right, surplus) {
            (Some(None), Some(None), None) => Ok((Shape::List, length)),
            _ => Err(A::Error::custom("it has a merge that is not of two tokens")),
        }
    }
}

//! The proof, made anew for each file that is loaded, that the engine does what the library does.
//!
//! Loading the file into the library takes several times as long as all else, so a smaller one is
//! made of it: all its parts as they are, but of the vocabulary only the tokens whose bytes stand
//! somewhere in the probes, and the merges that make these. On the probes that is the same
//! tokenizer: no other token can arise there, and the order of the merges is the same.

use std::collections::{HashMap, HashSet};

use serde_json::Value;
use serde_json::value::RawValue;

use super::engine::{self, Engine, Name};
use super::file::File;
use super::letters::letter_of;
use super::library::Library;
use super::recognise::Reason;
use crate::special::Special;

/// Texts that meet every rule of the patterns, of the normal forms and of merging.
const PROBES: [&str; 24] = [
    "The quick brown fox doesn't jump over the lazy dog; it's asleep, isn't it? We'LL see, I'M sure.",
    "I'd've said they're 'quoted' and 'S'm'D'T'RE'VE'LL'd 'sTOP' I'ſ 'ſ dogs' 'til '99.",
    "def count(self, text: str) -> int:\n\treturn sum(1 for _ in self.pieces(text))  # TODO\n\n\n",
    "#include <stdio.h>\r\nint main(void) {\r\n    printf(\"%d\\n\", 1 << 12);\r\n\r\n}\r\n",
    "{\"id\": 12345678, \"name\": \"Ünïcödé\", \"tags\": [\"a\", \"b/c\"], \"ok\": true, \"x\": null}",
    "https://example.org/path/to?query=1&more=two#part |-----|======|~~~~~~|......|////\n//\n/ !\n/",
    "0 1 22 333 4444 55555 3.14159 1,000,000 1e-9 0xFF ١٢٣٤ १२३४ ⅧⅨ ½¼ ²³ ㊿ 𝟘𝟙 2024-11-30T12:00",
    "   three  spaces \t tabs\t\tand\u{a0}no-break\u{3000}wide \u{2028}line \u{85} end   \n   \n  x\n\n y \r \r z  ",
    "中文分词是自然语言处理的基础。我们今天去北京，好吗？ABC中文123中文！",
    "日本語の文章、カタカナとひらがな・ー々〆が混ざる。「引用」です。",
    "한국어 문장입니다. 띄어쓰기가 있어요! 각각\u{1112}\u{1161}\u{11ab}\u{1100}\u{1161}가\u{11a8}",
    "Привет, мир! Съешь же ещё этих мягких французских булок. ЁЖИК ёжик и\u{306}",
    "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία. ΑΣ ας Ά α\u{301} ΐ",
    "مرحبا بالعالم، كيف حالك؟ السَّلامُ عَلَيْكُم ١٢٣ שלום עולם שָׁלוֹם",
    "नमस्ते दुनिया, क्षत्रिय ज्ञान \u{958} क\u{93c} ไทยภาษา กำลังทดสอบ ตัวอย่าง",
    "Tiếng Việt có dấu: thời nghiệp người phải được không những hợp e\u{302}\u{301} ế",
    "Größe Straße ÀÉÎÕÜ àéîõü ǅ ǈ ŉ ﬁ ﬀ ẞ İ ı ʰ ˮ ª º Å \u{212b} K \u{212a} Ω \u{2126}",
    "e\u{301}\u{323} \u{301}x a\u{301}\u{301} =\u{338} <\u{338} >\u{338} \u{340} \u{344} \u{1d15e} \u{fb2c} \u{2f800}",
    "XMLHttpRequest camelCase snake_case SCREAMING_CASE kebab-case iPhone McDonald’s O’Neil",
    "😀😃👩‍👩‍👧‍👦🏳️‍🌈👍🏽🇩🇪🇫🇷 \u{200d}\u{200b}\u{feff}\u{ad}a\u{200d}b\u{e000}\u{f8ff}\u{10ffff}\u{378}\u{e0001}x",
    "\0\u{1}\u{1b}[0m\u{7f}!\u{1c}\u{1f} \u{b}\u{c} «guillemets» “quotes” „low‚ …—– ¿¡ §¶†‡ ±×÷ €£¥ ©®™",
    "$1 @user #tag %d ^x &y *z (a)[b]{c} <d> a1_..s-   `code` ~/x \\n \"q\" 'q' !abc ?Def .gitignore",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa bbbbbbbb abababababab .:.:.:.:.: ======== ********",
    "<|endoftext|><|im_start|>user\nhi<|im_end|>\n<s></s>[INST] <think>\n</think> <tool_call>",
];

/// The most added tokens of a file that are probed.
const MOST_ADDED: usize = 64;

/// Compares the engine with the library.
///
/// # Errors
///
/// A difference, or a file that the library cannot load.
pub(super) fn check(file: &File<'_>, engine: &Engine, special: Special) -> Result<(), Reason> {
    let mut probes: Vec<String> = PROBES.map(str::to_owned).into();
    let added = engine.added();
    for Name { content, .. } in added.iter().step_by(added.len() / MOST_ADDED + 1) {
        probes.push(format!(
            "{content}a {content}{content} 1{content}\n{content}"
        ));
    }
    let normalized = probes.iter().map(|probe| match file.form {
        Some(form) => form.of(probe).into_owned(),
        None => probe.clone(),
    });
    let parts = Parts::new(&normalized.collect::<Vec<_>>());
    let (json, ids) = reduced(file, engine, &parts);
    let library = Library::new(json.as_bytes(), special)?;
    for probe in &probes {
        let own = engine.encode(probe).into_iter();
        let own = own.map(|id| ids.get(&id).copied().unwrap_or(id));
        if !own.eq(library.encode(probe)?) {
            return Err("the engine differs from the library on a probe".to_owned());
        }
    }
    Ok(())
}

/// Writes the file without the tokens that cannot arise in the probes; returns the ids that are
/// other ones then as well.
fn reduced(file: &File<'_>, engine: &Engine, parts: &Parts) -> (String, HashMap<u32, u32>) {
    let model = &file.model;
    let vocabulary = &model.vocabulary;
    let tokens = || 0..u32::try_from(vocabulary.len()).unwrap_or(u32::MAX);
    let kept: Vec<bool> = tokens()
        .map(|token| {
            let bytes = vocabulary.token(token);
            bytes.len() == 1 || parts.have(bytes)
        })
        .collect();
    let is_kept = |token: u32| kept[token as usize];
    let letters = |token: u32| -> String {
        vocabulary
            .token(token)
            .iter()
            .map(|&byte| letter_of(byte))
            .collect()
    };
    let mut vocab: HashMap<String, u32> = tokens()
        .filter(|&token| is_kept(token))
        .map(|token| (letters(token), vocabulary.id(token)))
        .collect();
    // With the names of added tokens among the others the library gives them their ids. But such a
    // name might be a piece, and would be a token of the model then.
    let may_be_named = |name: &&Name| {
        name.is_known || !model.ignore_merges || engine::letters(&name.content).is_none()
    };
    let named = engine.added().iter().filter(may_be_named);
    vocab.extend(named.map(|name| (name.content.clone(), name.id)));
    let unnamed = engine.added().iter().filter(|name| !may_be_named(name));
    let next = u32::try_from(vocab.len()).unwrap_or(u32::MAX);
    let ids = unnamed.map(|name| name.id).zip(next..).collect();
    let merges: Vec<[String; 2]> = model
        .merges
        .iter()
        .filter(|merge| is_kept(merge.made))
        .map(|merge| [letters(merge.left), letters(merge.right)])
        .collect();
    let model = serde_json::json!({
        "type": "BPE",
        "ignore_merges": model.ignore_merges,
        "vocab": vocab,
        "merges": merges,
    });
    (write(&file.parts, &model), ids)
}

fn write(parts: &[(&str, &RawValue)], model: &Value) -> String {
    let mut json = "{".to_owned();
    for (name, part) in parts {
        json.extend(["\"", name, "\":", part.get(), ","]);
    }
    json.extend(["\"model\":", &model.to_string(), "}"]);
    json
}

/// The bytes of some texts, to look for parts of them.
struct Parts {
    bytes: Vec<u8>,
    /// All parts of fewer than eight bytes.
    short: HashSet<u64>,
    /// Where each part of eight bytes starts.
    starts: HashMap<u64, Vec<usize>>,
}

impl Parts {
    fn new(texts: &[String]) -> Self {
        let mut parts = Self {
            // More tokens than needed do no harm, so it does not matter what is between texts.
            bytes: texts.join("\n").into_bytes(),
            short: HashSet::new(),
            starts: HashMap::new(),
        };
        for start in 0..parts.bytes.len() {
            let rest = &parts.bytes[start..];
            for length in 1..=rest.len().min(7) {
                parts.short.insert(Self::key(&rest[..length]));
            }
            if rest.len() >= 8 {
                let starts = parts.starts.entry(Self::key(&rest[..8])).or_default();
                starts.push(start);
            }
        }
        parts
    }

    /// Returns up to eight bytes as a number; fewer than eight with their length.
    fn key(bytes: &[u8]) -> u64 {
        let mut key = [0; 8];
        key[..bytes.len()].copy_from_slice(bytes);
        match bytes.len() {
            8 => u64::from_le_bytes(key),
            length => u64::from_le_bytes(key) | (length as u64) << 56,
        }
    }

    /// Says whether the bytes stand in one of the texts.
    fn have(&self, bytes: &[u8]) -> bool {
        if bytes.len() < 8 {
            return self.short.contains(&Self::key(bytes));
        }
        let starts = self.starts.get(&Self::key(&bytes[..8]));
        starts.is_some_and(|starts| {
            let mut rests = starts.iter().map(|&start| &self.bytes[start..]);
            rests.any(|rest| rest.starts_with(bytes))
        })
    }
}

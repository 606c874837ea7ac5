//! The slow, obvious version of what is tested, and the texts to test it on.

use std::collections::HashMap;
use std::sync::Arc;

use packframe_tokens::OpenAi;
use sha2::{Digest, Sha256};
use tiktoken_rs::CoreBPE;

/// Our encoding beside the one of `tiktoken-rs`.
pub struct Pair {
    pub ours: Arc<OpenAi>,
    pub theirs: &'static CoreBPE,
}

/// Returns all encodings.
pub fn pairs() -> [Pair; 5] {
    let pair = |name, theirs| Pair {
        ours: named(name),
        theirs,
    };
    [
        pair("o200k_base", tiktoken_rs::o200k_base_singleton()),
        pair("cl100k_base", tiktoken_rs::cl100k_base_singleton()),
        pair("o200k_harmony", tiktoken_rs::o200k_harmony_singleton()),
        pair("p50k_base", tiktoken_rs::p50k_base_singleton()),
        pair("r50k_base", tiktoken_rs::r50k_base_singleton()),
    ]
}

/// Returns one of our encodings.
pub fn named(name: &str) -> Arc<OpenAi> {
    OpenAi::named(name).expect("the encoding is known")
}

/// Returns the SHA-256 of some bytes in hexadecimal.
pub fn sha256_hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
}

/// Merges a piece as the definition says: joins the leftmost of the lowest-ranked neighbours,
/// until none are a token. Quadratic.
pub fn merge<'p>(ranks: &HashMap<&[u8], u32>, piece: &'p [u8]) -> Vec<&'p [u8]> {
    // Token `i` goes from `borders[i]` to `borders[i + 1]`.
    let mut borders: Vec<usize> = (0..=piece.len()).collect();
    loop {
        let joined = borders
            .windows(3)
            .map(|around| &piece[around[0]..around[2]]);
        let known = joined
            .enumerate()
            .filter_map(|(at, pair)| Some((ranks.get(pair)?, at)));
        match known.min() {
            Some((_, at)) => borders.remove(at + 1),
            None => break,
        };
    }
    borders
        .windows(2)
        .map(|ends| &piece[ends[0]..ends[1]])
        .collect()
}

/// Makes random texts from a seed (`SplitMix64`).
pub struct Texts {
    state: u64,
}

impl Texts {
    pub fn new(seed: u64) -> Self {
        println!("seed {seed}");
        Self { state: seed }
    }

    /// Returns a number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        usize::try_from(z % limit as u64).expect("below a usize")
    }

    /// Returns any character, most often one of a low plane.
    pub fn any_char(&mut self) -> char {
        let limit = [0x80, 0x800, 0x3000, 0x1_0000, 0x2_0000, 0x11_0000][self.below(6)];
        loop {
            let scalar = u32::try_from(self.below(limit)).expect("below 0x110000");
            if let Some(c) = char::from_u32(scalar) {
                return c;
            }
        }
    }

    /// Returns a text of at most `parts` parts, each made to hit a rule of the encodings.
    pub fn text(&mut self, parts: usize) -> String {
        let mut text = String::new();
        for _ in 0..self.below(parts + 1) {
            match self.below(10) {
                0 => text.push(self.any_char()),
                1 => {
                    let space = SPACES[self.below(SPACES.len())];
                    let times = 1 + self.below(12);
                    text.extend(std::iter::repeat_n(space, times));
                }
                _ => text.push_str(FRAGMENTS[self.below(FRAGMENTS.len())]),
            }
        }
        text
    }
}

/// All characters with the property `White_Space`, and two that look it and are not.
const SPACES: &[char] = &[
    ' ', ' ', ' ', '\n', '\n', '\r', '\t', '\u{b}', '\u{c}', '\u{85}', '\u{a0}', '\u{1680}',
    '\u{2000}', '\u{200a}', '\u{2028}', '\u{2029}', '\u{202f}', '\u{205f}', '\u{3000}', '\u{1c}',
    '\u{200b}',
];

const FRAGMENTS: &[&str] = &[
    // White space at the places where the look-ahead decides.
    " ",
    "  ",
    "   ",
    "\n",
    "\n\n",
    "\r\n",
    "\r\n\r\n",
    " \n",
    "\n ",
    " \n \n  ",
    "\t",
    "\t\t",
    "\u{a0}",
    "\u{3000}",
    "\u{2028}",
    "\u{85}",
    " \u{a0} ",
    "\r \r",
    // Contractions in any case, with the long s, with the Kelvin sign that is none, and cut short.
    "'s",
    "'S",
    "'ſ",
    "'t",
    "'T",
    "'re",
    "'RE",
    "'rE",
    "'ve",
    "'VE",
    "'m",
    "'M",
    "'ll",
    "'LL",
    "'lL",
    "'l",
    "'d",
    "'D",
    "'K",
    "'\u{212a}",
    "'k",
    "'v",
    "'r",
    "'",
    "''",
    "’s",
    "'ſs",
    "'st",
    "'re's",
    "I'ſ",
    "I'm",
    "DON'T",
    "we'LL",
    // Letters of each category: lower, upper, title, modifier, other.
    "a",
    "b",
    "ab",
    "word",
    "A",
    "B",
    "WORD",
    "Word",
    "camelCase",
    "XMLHttp",
    "ǅ",
    "ǈ",
    "ʰ",
    "ˮ",
    "ª",
    "º",
    "ß",
    "ẞ",
    "İ",
    "ı",
    "é",
    "É",
    "ﬃ",
    "я",
    "Ж",
    "слово",
    "ΑΣ",
    "ς",
    "א",
    "ا",
    "سلام",
    "क",
    "क्षि",
    "ก",
    "ก็",
    "ไทย",
    "한",
    "국어",
    "中",
    "文字",
    "かな",
    "カナ",
    "ー",
    "々",
    "Ꭰ",
    "ა",
    "Ა",
    "𐐀",
    "𐐨",
    "𝐀",
    "𝐚",
    "𠀀",
    "\u{1c89}",
    "\u{16d40}",
    "\u{a7dc}",
    "\u{105c0}",
    // Letters that only Unicode 17 has, and a place without a character.
    "\u{1e6c0}",
    "\u{323b0}",
    "\u{378}",
    "\u{e0080}",
    // Numbers of each category.
    "0",
    "1",
    "12",
    "123",
    "1234",
    "12345678",
    "٣",
    "٣٤٥٦",
    "१२३४",
    "Ⅷ",
    "½",
    "²",
    "㊿",
    "𝟘",
    "၅",
    "〇",
    "\u{10d40}",
    // Marks, also before letters and alone.
    "\u{301}",
    "\u{308}",
    "\u{20dd}",
    "\u{fe0f}",
    "\u{93f}",
    "\u{e31}",
    "\u{302a}",
    "e\u{301}",
    "\u{301}e",
    " \u{301}",
    "\u{301}\u{301}\u{301}",
    // Emoji joined and not, flags, private use, format characters, controls, noncharacters.
    "😀",
    "👩‍👩‍👧",
    "🏳️‍🌈",
    "👍🏽",
    "🇩🇪",
    "\u{200d}",
    "\u{200b}",
    "\u{feff}",
    "\u{ad}",
    "\u{e000}",
    "\u{f0000}",
    "\u{10ffff}",
    "\u{fffd}",
    "\u{fffe}",
    "\0",
    "\x1b[0m",
    "\x7f",
    // Punctuation and symbols, with slashes and line breaks behind.
    "!",
    "!!!",
    "?",
    ".",
    "...",
    ",",
    ";",
    "-",
    "--",
    "----------",
    "_",
    "__",
    "/",
    "//",
    "/\n",
    "!\n\n",
    "!\n/",
    "*/\r\n",
    "=\n ",
    "(",
    ")",
    "();",
    "{}",
    "[[",
    "\"",
    "`",
    "#",
    "##",
    "$",
    "€",
    "±",
    "×",
    "“",
    "”",
    "…",
    "—",
    "、",
    "。",
    "，",
    "「",
    "」",
    "！",
    " !",
    " (",
    " -",
    // What must not be read as a token of its own, and what makes joins odd.
    "<|endoftext|>",
    "<|im_start|>",
    "a1_.",
    ".s-  ",
    "https://",
    "www.",
    "0x",
    "1e-9",
    "日本語",
];

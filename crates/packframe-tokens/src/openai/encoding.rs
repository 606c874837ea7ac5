//! What the `OpenAI` encodings are.

use crate::bpe::vocabulary::{Store, Tables, tables};
use crate::bpe::{Bpe, Pattern};

/// What one encoding is.
pub(super) struct Encoding {
    /// The encoding name.
    pub(super) name: &'static str,
    /// The pattern of a piece, as `tiktoken` publishes it.
    pub(super) pattern: &'static str,
    /// The same, written out.
    pub(super) pieces: Pattern,
    /// The published SHA-256 of the vocabulary in `tiktoken`'s file format.
    pub(super) sha256: &'static str,
    /// The vocabulary.
    pub(super) tokens: Tokens,
    /// The special tokens that have names, with their ids.
    pub(super) special: &'static [(&'static str, u32)],
    /// The ids that are reserved: each is the special token `<|reserved_…|>`.
    pub(super) reserved: &'static [std::ops::Range<u32>],
}

/// Where the tokens of an encoding are.
pub(super) enum Tokens {
    /// Those of the tables.
    All(&'static Tables),
    /// So many of them, in tables that are made when the encoding is first asked for.
    First(&'static Tables, u32),
}

impl Encoding {
    /// Opens the vocabulary.
    pub(super) fn store(&self) -> Store {
        match self.tokens {
            Tokens::All(tables) => Store::Baked(tables),
            Tokens::First(tables, tokens) => Bpe::first_of(tables, tokens),
        }
    }

    /// Returns the id of the token of a rank: ranks leave out the special tokens.
    pub(super) fn id(&self, rank: u32) -> u32 {
        // Only one encoding has a special token in the midst of the others, and only one there.
        match self.special {
            &[(_, special)] if rank >= special => rank + 1,
            _ => rank,
        }
    }

    /// Returns the special tokens and their ids.
    pub(super) fn special(&self) -> impl Iterator<Item = (String, u32)> {
        let named = self.special.iter();
        let reserved = self.reserved.iter().cloned().flatten();
        named
            .map(|&(token, id)| (token.to_owned(), id))
            .chain(reserved.map(|id| (format!("<|reserved_{id}|>"), id)))
    }
}

const END_OF_TEXT: &str = "<|endoftext|>";
const END_OF_PROMPT: &str = "<|endofprompt|>";

static CL100K: Tables = tables!("cl100k_base");
static O200K: Tables = tables!("o200k_base");
static P50K: Tables = tables!("p50k_base");

const O200K_PATTERN: &str = concat!(
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"|\p{N}{1,3}",
    r"| ?[^\s\p{L}\p{N}]+[\r\n/]*",
    r"|\s*[\r\n]+|\s+(?!\S)|\s+",
);
const O200K_SHA256: &str = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d";

const R50K_PATTERN: &str =
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s";

pub(super) static ENCODINGS: [Encoding; 5] = [
    Encoding {
        name: "o200k_base",
        pattern: O200K_PATTERN,
        pieces: Pattern::O200k,
        sha256: O200K_SHA256,
        tokens: Tokens::All(&O200K),
        special: &[(END_OF_TEXT, 199_999), (END_OF_PROMPT, 200_018)],
        reserved: &[],
    },
    Encoding {
        name: "cl100k_base",
        pattern: concat!(
            r"'(?i:[sdmt]|ll|ve|re)",
            r"|[^\r\n\p{L}\p{N}]?+\p{L}++",
            r"|\p{N}{1,3}+",
            r"| ?[^\s\p{L}\p{N}]++[\r\n]*+",
            r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
        ),
        pieces: Pattern::Cl100k,
        sha256: "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        tokens: Tokens::All(&CL100K),
        special: &[
            (END_OF_TEXT, 100_257),
            ("<|fim_prefix|>", 100_258),
            ("<|fim_middle|>", 100_259),
            ("<|fim_suffix|>", 100_260),
            (END_OF_PROMPT, 100_276),
        ],
        reserved: &[],
    },
    Encoding {
        name: "o200k_harmony",
        pattern: O200K_PATTERN,
        pieces: Pattern::O200k,
        sha256: O200K_SHA256,
        tokens: Tokens::All(&O200K),
        special: &[
            ("<|startoftext|>", 199_998),
            (END_OF_TEXT, 199_999),
            ("<|return|>", 200_002),
            ("<|constrain|>", 200_003),
            ("<|channel|>", 200_005),
            ("<|start|>", 200_006),
            ("<|end|>", 200_007),
            ("<|message|>", 200_008),
            ("<|call|>", 200_012),
            (END_OF_PROMPT, 200_018),
        ],
        reserved: &[
            200_000..200_002,
            200_004..200_005,
            200_009..200_012,
            200_013..201_088,
        ],
    },
    Encoding {
        name: "p50k_base",
        pattern: R50K_PATTERN,
        pieces: Pattern::Gpt2,
        sha256: "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069",
        tokens: Tokens::All(&P50K),
        special: &[(END_OF_TEXT, 50_256)],
        reserved: &[],
    },
    Encoding {
        name: "r50k_base",
        pattern: R50K_PATTERN,
        pieces: Pattern::Gpt2,
        sha256: "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
        tokens: Tokens::First(&P50K, 50_256),
        special: &[(END_OF_TEXT, 50_256)],
        reserved: &[],
    },
];

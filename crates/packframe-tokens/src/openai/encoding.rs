//! What the `OpenAI` encodings are.

use crate::bpe::Pattern;
use crate::bpe::vocabulary::{Tables, tables};

/// What one encoding is, apart from its vocabulary.
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
    pub(super) tables: Tables,
    /// The special tokens.
    pub(super) special: &'static [&'static str],
}

pub(super) static CL100K_BASE: Encoding = Encoding {
    name: "cl100k_base",
    pattern: concat!(
        r"'(?i:[sdmt]|ll|ve|re)",
        r"|[^\r\n\p{L}\p{N}]?+\p{L}++",
        r"|\p{N}{1,3}+",
        r"| ?[^\s\p{L}\p{N}]++[\r\n]*+",
        r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
    ),
    sha256: "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    pieces: Pattern::Cl100k,
    tables: tables!("cl100k_base"),
    special: &[
        "<|endoftext|>",
        "<|fim_prefix|>",
        "<|fim_middle|>",
        "<|fim_suffix|>",
        "<|endofprompt|>",
    ],
};

pub(super) static O200K_BASE: Encoding = Encoding {
    name: "o200k_base",
    pattern: concat!(
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"|\p{N}{1,3}",
        r"| ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"|\s*[\r\n]+|\s+(?!\S)|\s+",
    ),
    sha256: "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    pieces: Pattern::O200k,
    tables: tables!("o200k_base"),
    special: &["<|endoftext|>", "<|endofprompt|>"],
};

//! The encodings of `OpenAI`'s models.

mod encoding;
mod merge;
mod pretokenizer;
mod seams;
mod vocabulary;

use std::fmt;
use std::sync::{Arc, OnceLock};

use self::encoding::{CL100K_BASE, Encoding, O200K_BASE};
use self::pretokenizer::Pretokenizer;
use self::vocabulary::Vocabulary;
use crate::error::TokenizerError;
use crate::tokenizer::{Seams, Tokenizer};

/// Counts as one of `OpenAI`'s encodings does, equal to `tiktoken`'s `encode_ordinary`.
///
/// Special tokens in a text are text. A count takes O(n log n) in the longest piece (a run of
/// letters, of punctuation, of white space) and is linear in all else; it never fails.
pub struct OpenAi {
    encoding: &'static Encoding,
    pretokenizer: Pretokenizer,
    vocabulary: Vocabulary,
}

/// An encoding that is loaded at most once.
type Shared = OnceLock<Result<Arc<OpenAi>, TokenizerError>>;

static ENCODINGS: [(Encoding, Shared); 2] =
    [(O200K_BASE, Shared::new()), (CL100K_BASE, Shared::new())];

impl OpenAi {
    /// Returns the encoding of a name: `o200k_base` or `cl100k_base`.
    ///
    /// The first call for a name loads the vocabulary, which takes a fraction of a second; all
    /// callers of the process share it.
    ///
    /// # Errors
    ///
    /// An unknown name is an error that lists the known ones.
    pub fn named(name: &str) -> Result<Arc<Self>, TokenizerError> {
        match ENCODINGS.iter().find(|(encoding, _)| encoding.name == name) {
            Some((encoding, shared)) => shared
                .get_or_init(|| Self::load(encoding).map(Arc::new))
                .clone(),
            None => Err(TokenizerError::new(format!(
                "unknown encoding {name:?}; known are {}",
                Self::names().collect::<Vec<_>>().join(", ")
            ))),
        }
    }

    /// Returns the names that [`named`](Self::named) knows.
    pub fn names() -> impl Iterator<Item = &'static str> {
        ENCODINGS.iter().map(|(encoding, _)| encoding.name)
    }

    fn load(encoding: &'static Encoding) -> Result<Self, TokenizerError> {
        let core = (encoding.load)().map_err(|reason| {
            TokenizerError::new(format!(
                "the encoding {} cannot be loaded: {reason}",
                encoding.name
            ))
        })?;
        Ok(Self {
            encoding,
            pretokenizer: Pretokenizer::new(encoding.linear_pattern)?,
            vocabulary: Vocabulary::from_core_bpe(&core)?,
        })
    }

    /// Returns the encoding name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.encoding.name
    }

    /// Returns the pattern of a piece, as `tiktoken` has it.
    #[must_use]
    pub fn pattern(&self) -> &'static str {
        self.encoding.pattern
    }

    /// Returns the published SHA-256, in hexadecimal, of what [`tiktoken_file`](Self::tiktoken_file)
    /// returns.
    #[must_use]
    pub fn fingerprint(&self) -> &'static str {
        self.encoding.sha256
    }

    /// Returns each token with its rank, in the order of ranks; special tokens are not among them.
    pub fn ranks(&self) -> impl Iterator<Item = (&[u8], u32)> {
        (0..self.vocabulary.len()).map(|rank| (self.vocabulary.token(rank), rank))
    }

    /// Returns the ranks in `tiktoken`'s file format: a line for each token, its bytes in base64
    /// and its rank.
    #[must_use]
    pub fn tiktoken_file(&self) -> String {
        self.vocabulary.to_tiktoken()
    }

    /// Encodes a text into token ids.
    ///
    /// # Panics
    ///
    /// Never: each token that a text is split into is in the vocabulary.
    #[must_use]
    pub fn encode(&self, text: &str) -> Vec<u32> {
        let mut ids = Vec::new();
        self.tokens(text, |token| {
            ids.push(self.vocabulary.rank(token).expect("only tokens are joined"));
        });
        ids
    }

    /// Shows each token of a text, in order.
    fn tokens(&self, text: &str, mut visit: impl FnMut(&[u8])) {
        self.pretokenizer.pieces(text, |piece| {
            let piece = piece.as_bytes();
            if self.vocabulary.rank(piece).is_some() {
                visit(piece);
            } else {
                merge::merge(&self.vocabulary, piece, &mut visit);
            }
        });
    }
}

impl Tokenizer for OpenAi {
    fn count(&self, text: &str) -> Result<u64, TokenizerError> {
        Ok(self.units(text))
    }

    fn seams(&self) -> Option<&dyn Seams> {
        Some(self)
    }
}

impl Seams for OpenAi {
    fn units(&self, text: &str) -> u64 {
        let mut tokens = 0;
        self.tokens(text, |_| tokens += 1);
        tokens
    }

    fn tokens(&self, units: u64) -> u64 {
        units
    }

    fn most_units(&self, bytes: usize) -> u64 {
        bytes as u64
    }

    fn first_seam(&self, text: &str) -> Option<usize> {
        seams::first(text)
    }

    fn last_seam(&self, text: &str) -> Option<usize> {
        seams::last(text)
    }
}

impl fmt::Debug for OpenAi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAi")
            .field("name", &self.name())
            .finish_non_exhaustive()
    }
}

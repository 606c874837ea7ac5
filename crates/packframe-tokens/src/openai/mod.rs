//! The encodings of `OpenAI`'s models.

mod encoding;
mod ids;

use std::fmt;
use std::sync::{Arc, OnceLock};

use self::encoding::{CL100K_BASE, Encoding, O200K_BASE};
use crate::bpe::Bpe;
use crate::bpe::vocabulary::Store;
use crate::encode::Encode;
use crate::error::TokenizerError;
use crate::tokenizer::{Seams, Tokenizer};
use crate::unfinished::{Advance, Unfinished};

/// Counts as one of `OpenAI`'s encodings does, equal to `tiktoken`'s `encode_ordinary`.
///
/// Special tokens in a text are text. A count takes O(n log n) in the longest piece (a run of
/// letters, of punctuation, of white space) and is linear in all else; it never fails.
pub struct OpenAi {
    encoding: &'static Encoding,
    bpe: Bpe,
}

/// An encoding, and the one of it that all callers share.
type Shared = (&'static Encoding, OnceLock<Arc<OpenAi>>);

static ENCODINGS: [Shared; 2] = [
    (&O200K_BASE, OnceLock::new()),
    (&CL100K_BASE, OnceLock::new()),
];

impl OpenAi {
    /// Returns the encoding of a name: `o200k_base` or `cl100k_base`.
    ///
    /// Its tables are part of the library: nothing is loaded, and all callers of the process
    /// share it.
    ///
    /// # Errors
    ///
    /// An unknown name is an error that lists the known ones.
    pub fn named(name: &str) -> Result<Arc<Self>, TokenizerError> {
        match ENCODINGS.iter().find(|(encoding, _)| encoding.name == name) {
            Some((encoding, shared)) => {
                if let Some(known) = shared.get() {
                    return Ok(Arc::clone(known));
                }
                // Made before the cell is asked to keep it: a cell that is being filled when the
                // process forks would make the child wait for ever.
                let opened = Arc::new(Self {
                    encoding,
                    bpe: Bpe::new(encoding.pieces, Store::Baked(&encoding.tables)),
                });
                Ok(Arc::clone(shared.get_or_init(|| opened)))
            }
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
        let vocabulary = self.bpe.vocabulary();
        (0..vocabulary.len()).map(move |rank| (vocabulary.token(rank), rank))
    }

    /// Returns the ranks in `tiktoken`'s file format: a line for each token, its bytes in base64
    /// and its rank.
    #[must_use]
    pub fn tiktoken_file(&self) -> String {
        self.bpe.vocabulary().to_tiktoken()
    }

    /// Encodes a text into token ids.
    #[must_use]
    pub fn encode(&self, text: &str) -> Vec<u32> {
        let mut ids = Vec::new();
        self.bpe.each_token(text, |rank, _| {
            ids.push(rank);
            true
        });
        ids
    }
}

impl Tokenizer for OpenAi {
    fn count(&self, text: &str) -> Result<u64, TokenizerError> {
        Ok(self.units(text))
    }

    fn seams(&self) -> Option<&dyn Seams> {
        Some(self)
    }

    fn encoder(&self) -> Option<&dyn Encode> {
        Some(self)
    }
}

impl Seams for OpenAi {
    fn units(&self, text: &str) -> u64 {
        self.bpe.count(text)
    }

    fn tokens(&self, units: u64) -> u64 {
        units
    }

    fn most_units(&self, bytes: usize) -> u64 {
        bytes as u64
    }

    fn most_bytes(&self, units: u64) -> usize {
        self.bpe.most_bytes(units)
    }

    fn first_seam(&self, text: &str) -> Option<usize> {
        self.bpe.first_seam(text)
    }

    fn last_seam(&self, text: &str) -> Option<usize> {
        self.bpe.last_seam(text)
    }

    fn advance(&self, stretch: &str, memory: &mut Unfinished) -> Advance {
        self.bpe.advance(stretch, memory)
    }
}

impl fmt::Debug for OpenAi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAi")
            .field("name", &self.name())
            .finish_non_exhaustive()
    }
}

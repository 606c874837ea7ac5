//! The encodings of `OpenAI`'s models.

mod encoding;
mod ids;
mod model;

use std::fmt::{self, Write as _};
use std::sync::{Arc, OnceLock};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use self::encoding::{ENCODINGS, Encoding};
use crate::added::{Added, Sought};
use crate::bpe::{Bpe, Seaming};
use crate::digest::sha256_hex;
use crate::encode::Encode;
use crate::error::TokenizerError;
use crate::pipeline::{Found, Pipeline};
use crate::special::Special;
use crate::tokenizer::{Seams, Tokenizer, by_seam};
use crate::unfinished::{Advance, Unfinished};

/// Counts as one of `OpenAI`'s encodings does.
///
/// Special tokens in a text are text, and counts equal `tiktoken`'s `encode_ordinary`; with
/// [`Special::Parse`] each is one token, and counts equal `encode` with `allowed_special="all"`.
/// A count takes O(n log n) in the longest piece (a run of letters, of punctuation, of white
/// space) and is linear in all else; it never fails.
pub struct OpenAi {
    encoding: &'static Encoding,
    special: Special,
    fingerprint: String,
    pipeline: Pipeline,
}

/// An encoding that all callers share, for each way to read special tokens.
struct Shared {
    text: OnceLock<Arc<OpenAi>>,
    parse: OnceLock<Arc<OpenAi>>,
}

impl Shared {
    const fn new() -> Self {
        Self {
            text: OnceLock::new(),
            parse: OnceLock::new(),
        }
    }
}

static SHARED: [Shared; ENCODINGS.len()] = [const { Shared::new() }; ENCODINGS.len()];

impl OpenAi {
    /// Returns the encoding of a name: `o200k_base`, `cl100k_base`, `o200k_harmony`, `p50k_base` or
    /// `r50k_base`. Special tokens in a text are text.
    ///
    /// Its tables are part of the library: nothing is loaded, and all callers of the process
    /// share it. Only `r50k_base` is made when it is first asked for, in some milliseconds, from
    /// the tables of `p50k_base`, which has 24 tokens more.
    ///
    /// # Errors
    ///
    /// An unknown name is an error that lists the known ones.
    pub fn named(name: &str) -> Result<Arc<Self>, TokenizerError> {
        Self::open(name, Special::Text)
    }

    /// Returns the encoding of a name, with special tokens read as told.
    ///
    /// # Errors
    ///
    /// As [`named`](Self::named).
    pub fn open(name: &str, special: Special) -> Result<Arc<Self>, TokenizerError> {
        let mut known = ENCODINGS.iter().zip(&SHARED);
        let Some((encoding, shared)) = known.find(|(encoding, _)| encoding.name == name) else {
            return Err(TokenizerError::new(format!(
                "unknown encoding {name:?}; known are {}",
                Self::names().collect::<Vec<_>>().join(", ")
            )));
        };
        let shared = match special {
            Special::Text => &shared.text,
            Special::Parse => &shared.parse,
        };
        if let Some(known) = shared.get() {
            return Ok(Arc::clone(known));
        }
        // Made before the cell is asked to keep it: a cell that is being filled when the process
        // forks would make the child wait for ever.
        let opened = Arc::new(Self::new(encoding, special));
        opened.pipeline.bpe().warm();
        Ok(Arc::clone(shared.get_or_init(|| opened)))
    }

    fn new(encoding: &'static Encoding, special: Special) -> Self {
        let bpe = Bpe::new(encoding.pieces, encoding.store());
        let tokens: Vec<(String, u32)> = match special {
            Special::Text => Vec::new(),
            Special::Parse => encoding.special().collect(),
        };
        let sought: Vec<Sought<'_>> = tokens
            .iter()
            .map(|(content, id)| Sought {
                content,
                id: *id,
                live: true,
            })
            .collect();
        let added = Added::new(&sought).expect("the special tokens make a small automaton");
        let contents = sought.iter().map(|token| token.content);
        let seaming = Seaming::new(encoding.pieces, contents);
        Self {
            encoding,
            special,
            fingerprint: fingerprint(encoding, &tokens),
            pipeline: Pipeline::new(bpe, Some(seaming)).looking_for(added),
        }
    }

    /// Returns the names that [`named`](Self::named) knows.
    pub fn names() -> impl Iterator<Item = &'static str> {
        ENCODINGS.iter().map(|encoding| encoding.name)
    }

    /// Returns the encoding name that a model has by `tiktoken`'s table, or `None` where it has none
    /// or this one does not know it. Only families that are in use are known.
    #[must_use]
    pub fn encoding_of_model(model: &str) -> Option<&'static str> {
        model::encoding_of(model)
    }

    /// Returns the encoding name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.encoding.name
    }

    /// Returns how special tokens in a text are read.
    #[must_use]
    pub const fn special(&self) -> Special {
        self.special
    }

    /// Returns the special tokens of the encoding with their ids, however they are read.
    pub fn special_ids(&self) -> impl Iterator<Item = (String, u32)> {
        self.encoding.special()
    }

    /// Returns the pattern of a piece, as `tiktoken` has it.
    #[must_use]
    pub fn pattern(&self) -> &'static str {
        self.encoding.pattern
    }

    /// Returns the published SHA-256, in hexadecimal, of what [`tiktoken_file`](Self::tiktoken_file)
    /// returns; where special tokens are parsed, the SHA-256 of that and of those tokens.
    #[must_use]
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Returns each token with its id, in the order of ids; special tokens are not among them.
    pub fn ranks(&self) -> impl Iterator<Item = (&[u8], u32)> {
        let vocabulary = self.pipeline.bpe().vocabulary();
        (0..vocabulary.len()).map(move |rank| (vocabulary.token(rank), self.encoding.id(rank)))
    }

    /// Returns the ranks in `tiktoken`'s file format: a line for each token, its bytes in base64
    /// and its rank.
    #[must_use]
    pub fn tiktoken_file(&self) -> String {
        let mut file = String::new();
        for (token, id) in self.ranks() {
            STANDARD.encode_string(token, &mut file);
            file.push(' ');
            file.push_str(&id.to_string());
            file.push('\n');
        }
        file
    }

    /// Encodes a text into token ids.
    #[must_use]
    pub fn encode(&self, text: &str) -> Vec<u32> {
        let mut ids = Vec::new();
        self.pipeline.each_token(text, |token, _| {
            ids.push(match token {
                Found::Rank(rank) => self.encoding.id(rank),
                Found::Added(id) => id,
            });
            true
        });
        ids
    }
}

/// Returns the published hash, or the hash of that and of the tokens that are parsed.
fn fingerprint(encoding: &Encoding, parsed: &[(String, u32)]) -> String {
    if parsed.is_empty() {
        return encoding.sha256.to_owned();
    }
    let mut described = encoding.sha256.to_owned();
    for (token, id) in parsed {
        write!(described, "\n{token} {id}").expect("a string takes every write");
    }
    sha256_hex(described.as_bytes())
}

impl Tokenizer for OpenAi {
    fn count(&self, text: &str) -> Result<u64, TokenizerError> {
        Ok(self.units(text))
    }

    fn special_tokens(&self) -> Vec<String> {
        self.encoding.special().map(|(token, _)| token).collect()
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
        self.pipeline.count(text)
    }

    fn tokens(&self, units: u64) -> u64 {
        units
    }

    fn most_units(&self, bytes: usize) -> u64 {
        bytes as u64
    }

    fn most_bytes(&self, units: u64) -> usize {
        self.pipeline.bpe().most_bytes(units)
    }

    fn first_seam(&self, text: &str) -> Option<usize> {
        self.pipeline.seaming()?.first(text)
    }

    fn last_seam(&self, text: &str) -> Option<usize> {
        self.pipeline.seaming()?.last(text)
    }

    fn advance(&self, stretch: &str, memory: &mut Unfinished) -> Advance {
        let last_seam = || self.last_seam(stretch);
        match self.special {
            Special::Text => self.pipeline.bpe().advance(stretch, last_seam, memory),
            Special::Parse => by_seam(self, stretch, last_seam().unwrap_or(0), memory),
        }
    }
}

impl fmt::Debug for OpenAi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAi")
            .field("name", &self.name())
            .field("special", &self.special)
            .finish_non_exhaustive()
    }
}

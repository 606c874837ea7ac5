//! Tokenizers that come as a `tokenizer.json`.

mod engine;
mod file;
mod ids;
mod letters;
mod library;
mod merges;
mod probe;
mod recognise;
mod spelling;

use std::fmt;

use self::engine::Engine;
use self::file::File;
use self::library::Library;
use crate::digest::sha256_hex;
use crate::encode::Encode;
use crate::error::TokenizerError;
use crate::special::Special;
use crate::tokenizer::{Seams, Tokenizer};

/// Counts as the `tokenizers` library does with a `tokenizer.json`.
///
/// Truncation and padding of the file are off, and no special tokens are added. Added tokens that
/// are marked special are text, or tokens with [`Special::Parse`]. A dropout of merges, which would
/// make counts random, is off.
///
/// A file with a byte-level vocabulary and one of the known pretokenizers runs on the engine, after
/// a probe against the library itself; then texts mostly have seams. Any other runs on the library.
/// It is opaque: what a normalizer or pretokenizer does at a place may depend on all the rest of a
/// text, so only whole texts are counted. Cost and worst case are those of the library and of the
/// file's own regular expressions.
pub struct HuggingFace {
    way: Way,
    special: Special,
    fingerprint: String,
}

/// What counts.
enum Way {
    Engine(Box<Engine>),
    /// The library, and why.
    Library(Box<Library>, String),
}

impl HuggingFace {
    /// The bytes of the longest file that is read, 128 MiB: three times the longest one known.
    ///
    pub const LONGEST: usize = 128 << 20;

    /// The most values of a file that the library parses, counted by the commas: it needs up to a
    /// hundred bytes for each while it does. The files that are known have a million.
    pub const MOST_VALUES: usize = 1 << 24;

    /// Parses the bytes of a `tokenizer.json`, once. Special tokens in a text are text.
    ///
    /// # Errors
    ///
    /// Bytes that are no tokenizer are an error that says what is wrong with them, and so are more
    /// than [`LONGEST`](Self::LONGEST).
    pub fn from_json(json: &[u8]) -> Result<Self, TokenizerError> {
        Self::open(json, Special::Text)
    }

    /// Parses the bytes of a `tokenizer.json`, once, with special tokens read as told.
    ///
    /// # Errors
    ///
    /// As [`from_json`](Self::from_json).
    pub fn open(json: &[u8], special: Special) -> Result<Self, TokenizerError> {
        if json.len() > Self::LONGEST {
            return Err(TokenizerError::new(format!(
                "a tokenizer.json of {} bytes is longer than the limit of {}; pass the file that \
                 belongs to the model, without what is no tokenizer",
                json.len(),
                Self::LONGEST
            )));
        }
        let engine = File::read(json).and_then(|file| {
            let engine = Engine::new(&file, special)?;
            probe::check(&file, &engine, special)?;
            Ok(engine)
        });
        let way = match engine {
            Ok(engine) => Way::Engine(Box::new(engine)),
            Err(reason) => match parse(json, special) {
                Ok(library) => Way::Library(Box::new(library), reason),
                Err(reason) => {
                    return Err(TokenizerError::new(format!(
                        "{} bytes are no tokenizer.json that the tokenizers library can load: \
                         {reason}",
                        json.len()
                    )));
                }
            },
        };
        let hash = sha256_hex(json);
        Ok(Self {
            way,
            special,
            fingerprint: match special {
                Special::Text => hash,
                Special::Parse => sha256_hex(format!("{hash}\nspecial tokens parsed").as_bytes()),
            },
        })
    }

    /// Returns the SHA-256, in hexadecimal, of the bytes that the tokenizer was made from; where
    /// special tokens are parsed, of that and of a remark.
    #[must_use]
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Returns how special tokens in a text are read.
    #[must_use]
    pub const fn special(&self) -> Special {
        self.special
    }

    /// Returns why the file runs on the library, or `None` where it runs on the engine.
    #[must_use]
    pub fn why_library(&self) -> Option<&str> {
        match &self.way {
            Way::Engine(_) => None,
            Way::Library(_, reason) => Some(reason),
        }
    }

    /// Encodes a text into token ids; an empty text has none.
    ///
    /// # Errors
    ///
    /// As [`count`](Tokenizer::count).
    pub fn encode(&self, text: &str) -> Result<Vec<u32>, TokenizerError> {
        match &self.way {
            _ if text.is_empty() => Ok(Vec::new()),
            Way::Engine(engine) => Ok(engine.encode(text)),
            Way::Library(library, _) => {
                library.encode(text).map_err(|reason| failed(text, &reason))
            }
        }
    }
}

/// Parses a file with the library, unless that would take all memory.
fn parse(json: &[u8], special: Special) -> Result<Library, String> {
    let values = json.split(|&byte| byte == b',').count();
    if values > HuggingFace::MOST_VALUES {
        return Err(format!(
            "it has {values} values, and {} is the limit",
            HuggingFace::MOST_VALUES
        ));
    }
    Library::new(json, special)
}

fn failed(text: &str, reason: &str) -> TokenizerError {
    TokenizerError::new(format!(
        "the tokenizers library failed on a text of {} bytes: {reason}",
        text.len()
    ))
}

impl Tokenizer for HuggingFace {
    /// Counts the tokens of one text; an empty text has none.
    ///
    /// # Errors
    ///
    /// Fails where the library does, and only on the library: on a text with an unknown token in a
    /// model that has none for it, or where the file's own regular expression runs into its
    /// engine's limits.
    fn count(&self, text: &str) -> Result<u64, TokenizerError> {
        match &self.way {
            // A file may have a normalizer that prepends to an empty text, too.
            _ if text.is_empty() => Ok(0),
            Way::Engine(engine) => Ok(engine.pipeline().count(text)),
            Way::Library(library, _) => library.count(text).map_err(|reason| failed(text, &reason)),
        }
    }

    fn special_tokens(&self) -> Vec<String> {
        match &self.way {
            Way::Engine(engine) => engine.special_tokens().to_vec(),
            Way::Library(library, _) => library.special_tokens(),
        }
    }

    /// A few thousand bytes are a millisecond of the library.
    fn bytes_for_a_thread(&self) -> Option<usize> {
        match &self.way {
            Way::Engine(_) => Some(64 * 1024),
            Way::Library(..) => Some(4096),
        }
    }

    fn encoder(&self) -> Option<&dyn Encode> {
        Some(self)
    }

    fn seams(&self) -> Option<&dyn Seams> {
        match &self.way {
            Way::Engine(engine) if engine.pipeline().seaming().is_some() => Some(&**engine),
            _ => None,
        }
    }
}

impl fmt::Debug for HuggingFace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HuggingFace")
            .field("fingerprint", &self.fingerprint)
            .field("special", &self.special)
            .field("why_library", &self.why_library())
            .finish_non_exhaustive()
    }
}

//! What a token profile does with one text, besides counting it.

use packframe_tokens::{
    At, Chunk, Encode, Keep, Seams, SplitError, Tokenizer, TokenizerError, Truncated,
    count_till_limit, encode, encoder, split, token_offsets, truncate,
};

use crate::content::MAX_COUNT;
use crate::error::Error;
use crate::nearest::unknown_option_word;
use crate::profile::{TokenProfile, too_many};

impl TokenProfile {
    /// Returns the token ids of a text.
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the tokenizer has no ids, or fails.
    pub fn encode(&self, text: &str) -> Result<Vec<u32>, Error> {
        encode(self.tokenizer(), text).map_err(|error| self.failed(None, &error))
    }

    /// Returns the bytes that tokens stand for, joined.
    ///
    /// # Errors
    ///
    /// `InvalidOption` for an id that is none of the tokenizer's; `TokenizerError` where it has no
    /// ids, or fails.
    pub fn decode_bytes(&self, ids: &[u32]) -> Result<Vec<u8>, Error> {
        let encoder = encoder(self.tokenizer()).map_err(|error| self.failed(None, &error))?;
        if let Some(id) = ids.iter().find(|&&id| !encoder.knows(id)) {
            return Err(unknown_id(&id.to_string()));
        }
        encoder
            .decode_bytes(ids)
            .map_err(|error| self.failed(None, &error))
    }

    /// Returns where each token of a text ends, as byte offsets.
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the tokenizer has no ids, or fails.
    pub fn token_offsets(&self, text: &str) -> Result<Vec<usize>, Error> {
        token_offsets(self.tokenizer(), text).map_err(|error| self.failed(None, &error))
    }

    /// Counts the tokens of a text, or returns `None` as soon as they are more than `limit`.
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the tokenizer fails.
    pub fn count_till_limit(&self, text: &str, limit: u64) -> Result<Option<u64>, Error> {
        count_till_limit(&Checked(self), text, limit).map_err(|error| self.failed(None, &error))
    }

    /// Cuts a text to at most `limit` tokens, the marker included; see
    /// [`packframe_tokens::truncate`](packframe_tokens::truncate()).
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the tokenizer fails.
    pub fn truncate<'a>(
        &self,
        text: &'a str,
        limit: u64,
        (keep, at): (Keep, At),
        marker: &str,
    ) -> Result<Truncated<'a>, Error> {
        truncate(&Checked(self), text, limit, (keep, at), marker)
            .map_err(|error| self.failed(None, &error))
    }

    /// Splits a text into chunks of at most `most` tokens; see
    /// [`packframe_tokens::split`](packframe_tokens::split()).
    ///
    /// # Errors
    ///
    /// `InvalidOption` where `most` is 0 or less than a character of the text has, or the overlap
    /// is not less than `most`; `TokenizerError` where the tokenizer fails.
    pub fn split(&self, text: &str, most: u64, overlap: u64, at: At) -> Result<Vec<Chunk>, Error> {
        let invalid = |option, value: u64, problem: String, remedy: String| {
            Error::invalid_option(option, value.to_string(), problem, Some(&remedy))
        };
        if most == 0 {
            let problem = "is no room for a chunk".to_owned();
            return Err(invalid("max_tokens", most, problem, "1 or more".to_owned()));
        }
        if overlap >= most {
            let problem = format!("leaves nothing of max_tokens {most}");
            let remedy = format!("less than {most}");
            return Err(invalid("overlap", overlap, problem, remedy));
        }
        split(&Checked(self), text, most, overlap, at).map_err(|error| match error {
            SplitError::CharacterTooLong { at, tokens } => {
                let code = text[at..].chars().next().map_or(0, u32::from);
                let problem = format!("is less than the {tokens} of the character U+{code:04X}");
                let remedy = format!("{tokens} or more");
                invalid("max_tokens", most, problem, remedy)
            }
            SplitError::Tokenizer(error) => self.failed(None, &error),
        })
    }
}

/// Returns where chunks of a text start and end, in characters.
#[must_use]
pub fn character_offsets(text: &str, chunks: &[Chunk]) -> Vec<(usize, usize)> {
    let mut start = Counted::default();
    let mut end = Counted::default();
    let offsets = chunks.iter().map(|chunk| {
        let start = start.up_to(text, chunk.start);
        (start, end.up_to(text, chunk.end))
    });
    offsets.collect()
}

/// Characters counted up to an offset, which only grows.
#[derive(Default)]
struct Counted {
    bytes: usize,
    characters: usize,
}

impl Counted {
    fn up_to(&mut self, text: &str, offset: usize) -> usize {
        self.characters += text[self.bytes..offset].chars().count();
        self.bytes = offset;
        self.characters
    }
}

/// Reads where a text may be cut.
///
/// # Errors
///
/// `InvalidOption` with the nearest known word, for any other.
pub fn parse_at(word: &str) -> Result<At, Error> {
    let known = At::ALL.into_iter().find(|at| at.as_str() == word);
    known.ok_or_else(|| unknown_option_word("at", word, &At::ALL.map(At::as_str)))
}

/// Reads what a cut keeps.
///
/// # Errors
///
/// `InvalidOption` with the nearest known word, for any other.
pub fn parse_keep(word: &str) -> Result<Keep, Error> {
    let known = Keep::ALL.into_iter().find(|keep| keep.as_str() == word);
    known.ok_or_else(|| unknown_option_word("keep", word, &Keep::ALL.map(Keep::as_str)))
}

/// Makes the error about an id that no token has.
#[must_use]
pub fn unknown_id(id: &str) -> Error {
    Error::invalid_option(
        "ids",
        id,
        "is no token id of this profile",
        Some("ids that its encode returned"),
    )
}

/// The tokenizer of a profile, of which counts that no text can have are refused.
struct Checked<'a>(&'a TokenProfile);

impl Tokenizer for Checked<'_> {
    fn count(&self, text: &str) -> Result<u64, TokenizerError> {
        let tokens = self.0.tokenizer().count(text)?;
        if tokens > MAX_COUNT {
            return Err(TokenizerError::new(too_many(tokens)));
        }
        Ok(tokens)
    }

    fn seams(&self) -> Option<&dyn Seams> {
        self.0.tokenizer().seams()
    }

    fn encoder(&self) -> Option<&dyn Encode> {
        self.0.tokenizer().encoder()
    }
}

//! Tokenizers that come as a `tokenizer.json`.

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use tokenizers::ModelWrapper;

use crate::digest::sha256_hex;
use crate::encode::Encode;
use crate::error::TokenizerError;
use crate::tokenizer::Tokenizer;

/// Counts as the `tokenizers` library does with a `tokenizer.json`.
///
/// Truncation and padding of the file are off, no special tokens are added, and added tokens that
/// are marked special are text. A dropout of merges, which would make counts random, is off.
///
/// It is opaque: what a normalizer or pretokenizer does at a place may depend on all the rest of a
/// text, so only whole texts are counted. Cost and worst case are those of the library and of the
/// file's own regular expressions.
pub struct HuggingFace {
    tokenizer: tokenizers::Tokenizer,
    fingerprint: String,
}

impl HuggingFace {
    /// Parses the bytes of a `tokenizer.json`, once.
    ///
    /// # Errors
    ///
    /// Bytes that are no tokenizer are an error that says what is wrong with them.
    pub fn from_json(json: &[u8]) -> Result<Self, TokenizerError> {
        let parsed = guarded(|| {
            let mut tokenizer = tokenizers::Tokenizer::from_bytes(json)?;
            tokenizer.with_truncation(None)?;
            tokenizer.with_padding(None);
            tokenizer.set_encode_special_tokens(true);
            turn_off_dropout(&mut tokenizer);
            Ok(tokenizer)
        });
        match parsed {
            Ok(tokenizer) => Ok(Self {
                tokenizer,
                fingerprint: sha256_hex(json),
            }),
            Err(reason) => Err(TokenizerError::new(format!(
                "{} bytes are no tokenizer.json that the tokenizers library can load: {reason}",
                json.len()
            ))),
        }
    }

    /// Returns the SHA-256, in hexadecimal, of the bytes that the tokenizer was made from.
    #[must_use]
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Returns the tokenizer of the library.
    pub(crate) fn library(&self) -> &tokenizers::Tokenizer {
        &self.tokenizer
    }
}

impl Tokenizer for HuggingFace {
    /// Counts the tokens of one text; an empty text has none.
    ///
    /// # Errors
    ///
    /// Fails where the library does: on a text with an unknown token in a model that has none
    /// for it, or where the file's own regular expression runs into its engine's limits.
    fn count(&self, text: &str) -> Result<u64, TokenizerError> {
        // A file may have a normalizer that prepends to an empty text, too.
        if text.is_empty() {
            return Ok(0);
        }
        match guarded(|| self.tokenizer.encode_fast(text, false)) {
            Ok(encoding) => Ok(encoding.len() as u64),
            Err(reason) => Err(TokenizerError::new(format!(
                "the tokenizers library failed on a text of {} bytes: {reason}",
                text.len()
            ))),
        }
    }

    fn encoder(&self) -> Option<&dyn Encode> {
        Some(self)
    }
}

impl fmt::Debug for HuggingFace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HuggingFace")
            .field("fingerprint", &self.fingerprint)
            .finish_non_exhaustive()
    }
}

/// Turns off what leaves out merges at random: it is for training, and no two counts would agree.
fn turn_off_dropout(tokenizer: &mut tokenizers::Tokenizer) {
    if let ModelWrapper::BPE(bpe) = tokenizer.get_model()
        && bpe.dropout.is_some()
    {
        let mut bpe = bpe.clone();
        bpe.dropout = None;
        tokenizer.with_model(bpe);
    }
}

/// Runs code of the `tokenizers` library; its errors and its panics become the reason.
///
/// The library expects some parts of a file to be well-formed (a decoder that is none panics), and
/// its regex engine panics where a search takes too many steps. Both depend on the caller's file
/// and text, so they are errors of the input. Nothing is left half-written: parsing returns nothing
/// then, and encoding only reads, apart from a cache of merged words, entered whole. The panic
/// hook still runs, so the message also goes where the process sends those of panics.
pub(crate) fn guarded<T>(run: impl FnOnce() -> tokenizers::Result<T>) -> Result<T, String> {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(result) => result.map_err(|error| error.to_string()),
        Err(panic) => Err(panic_message(&*panic)),
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(message), _) => (*message).to_owned(),
        (_, Some(message)) => message.clone(),
        _ => "it panicked".to_owned(),
    }
}

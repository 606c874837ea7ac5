//! A `tokenizer.json` on the `tokenizers` library.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use tokenizers::ModelWrapper;

use crate::special::Special;

/// A tokenizer of the library.
pub(super) struct Library(tokenizers::Tokenizer);

impl Library {
    /// Parses a file. Truncation, padding and dropout are off.
    ///
    /// # Errors
    ///
    /// What the library says of a file that it cannot load.
    pub(super) fn new(json: &[u8], special: Special) -> Result<Self, String> {
        guarded(|| {
            let mut tokenizer = tokenizers::Tokenizer::from_bytes(json)?;
            tokenizer.with_truncation(None)?;
            tokenizer.with_padding(None);
            tokenizer.set_encode_special_tokens(special == Special::Text);
            turn_off_dropout(&mut tokenizer);
            Ok(Self(tokenizer))
        })
    }

    /// Counts the tokens of a text.
    ///
    /// # Errors
    ///
    /// What the library says of a text that it fails on.
    pub(super) fn count(&self, text: &str) -> Result<u64, String> {
        self.encoded(text).map(|encoding| encoding.len() as u64)
    }

    /// Returns the ids of the tokens of a text.
    ///
    /// # Errors
    ///
    /// As [`count`](Self::count).
    pub(super) fn encode(&self, text: &str) -> Result<Vec<u32>, String> {
        self.encoded(text)
            .map(|encoding| encoding.get_ids().to_vec())
    }

    /// Returns the added tokens that are marked special.
    pub(super) fn special_tokens(&self) -> Vec<String> {
        let added = self.0.get_added_vocabulary();
        let added = added.get_added_tokens_decoder().values();
        let special = added.filter(|token| token.special);
        special.map(|token| token.content.clone()).collect()
    }

    /// Returns the ids of the tokens of a text, and where each one ends.
    ///
    /// # Errors
    ///
    /// As [`count`](Self::count).
    pub(super) fn tokens(&self, text: &str) -> Result<Vec<(u32, usize)>, String> {
        let encoding = guarded(|| self.0.encode(text, false))?;
        let ends = encoding.get_offsets().iter().map(|&(_, end)| end);
        Ok(encoding.get_ids().iter().copied().zip(ends).collect())
    }

    /// Says whether an id is one of a token.
    pub(super) fn knows(&self, id: u32) -> bool {
        self.0.id_to_token(id).is_some()
    }

    /// Returns what the decoder of the file makes of token ids.
    ///
    /// # Errors
    ///
    /// What the decoder says.
    pub(super) fn decode(&self, ids: &[u32]) -> Result<Vec<u8>, String> {
        guarded(|| self.0.decode(ids, false)).map(String::into_bytes)
    }

    fn encoded(&self, text: &str) -> Result<tokenizers::Encoding, String> {
        guarded(|| self.0.encode_fast(text, false))
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
fn guarded<T>(run: impl FnOnce() -> tokenizers::Result<T>) -> Result<T, String> {
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

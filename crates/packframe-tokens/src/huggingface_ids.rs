//! Token ids of a `tokenizer.json`, as the library gives them.

use crate::encode::Encode;
use crate::error::TokenizerError;
use crate::huggingface::{HuggingFace, guarded};

impl Encode for HuggingFace {
    /// Shows each token, after the whole text was encoded. Where a token ends is what the library
    /// says: the end of the characters that it has a part of.
    fn each_token(
        &self,
        text: &str,
        visit: &mut dyn FnMut(u32, usize) -> bool,
    ) -> Result<(), TokenizerError> {
        // A file may have a normalizer that prepends to an empty text, too.
        if text.is_empty() {
            return Ok(());
        }
        let encoding = guarded(|| self.library().encode(text, false)).map_err(|reason| {
            TokenizerError::new(format!(
                "the tokenizers library failed on a text of {} bytes: {reason}",
                text.len()
            ))
        })?;
        let mut behind = 0;
        for (&id, &(_, end)) in encoding.get_ids().iter().zip(encoding.get_offsets()) {
            behind = end.clamp(behind, text.len());
            if !visit(id, behind) {
                break;
            }
        }
        Ok(())
    }

    fn knows(&self, id: u32) -> bool {
        self.library().id_to_token(id).is_some()
    }

    /// Decodes with the decoder of the file. Its result is text: bytes that are no UTF-8 become
    /// the replacement character, and what the normalizer took away is gone.
    fn decode_bytes(&self, ids: &[u32]) -> Result<Vec<u8>, TokenizerError> {
        guarded(|| self.library().decode(ids, false))
            .map(String::into_bytes)
            .map_err(|reason| {
                TokenizerError::new(format!(
                    "the tokenizers library failed to decode {} ids: {reason}",
                    ids.len()
                ))
            })
    }
}

//! Token ids of a `tokenizer.json`.

use super::{HuggingFace, Way, failed};
use crate::encode::Encode;
use crate::error::TokenizerError;

impl Encode for HuggingFace {
    /// Shows each token.
    ///
    /// On the engine a token ends where its bytes do; where a normalizer changed the text, where the
    /// last token before did. On the library the whole text is encoded first, and where a token ends
    /// is what it says: the end of the characters that the token has a part of.
    fn each_token(
        &self,
        text: &str,
        visit: &mut dyn FnMut(u32, usize) -> bool,
    ) -> Result<(), TokenizerError> {
        // A file may have a normalizer that prepends to an empty text, too.
        if text.is_empty() {
            return Ok(());
        }
        let mut behind = 0;
        match &self.way {
            Way::Engine(engine) => engine.each_token(text, |id, end| {
                behind = end.unwrap_or(behind);
                visit(id, behind)
            }),
            Way::Library(library, _) => {
                let tokens = library.tokens(text);
                for (id, end) in tokens.map_err(|reason| failed(text, &reason))? {
                    behind = end.clamp(behind, text.len());
                    if !visit(id, behind) {
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    fn knows(&self, id: u32) -> bool {
        match &self.way {
            Way::Engine(engine) => engine.bytes_of(id).is_some(),
            Way::Library(library, _) => library.knows(id),
        }
    }

    /// Returns the bytes of tokens on the engine. On the library they are what the decoder of the
    /// file makes of them: bytes that are no UTF-8 become the replacement character, and what the
    /// normalizer took away is gone.
    fn decode_bytes(&self, ids: &[u32]) -> Result<Vec<u8>, TokenizerError> {
        match &self.way {
            Way::Engine(engine) => {
                let known = ids.iter().filter_map(|&id| engine.bytes_of(id));
                Ok(known.collect::<Vec<_>>().concat())
            }
            Way::Library(library, _) => library.decode(ids).map_err(|reason| {
                TokenizerError::new(format!(
                    "the tokenizers library failed to decode {} ids: {reason}",
                    ids.len()
                ))
            }),
        }
    }
}

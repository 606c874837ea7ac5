//! Token ids of an encoding.

use super::OpenAi;
use crate::encode::Encode;
use crate::error::TokenizerError;
use crate::pipeline::Found;
use crate::special::Special;

impl Encode for OpenAi {
    fn each_token(
        &self,
        text: &str,
        visit: &mut dyn FnMut(u32, usize) -> bool,
    ) -> Result<(), TokenizerError> {
        let mut behind = 0;
        self.pipeline.each_token(text, |token, end| {
            behind = end.unwrap_or(behind);
            let id = match token {
                Found::Rank(rank) => self.encoding.id(rank),
                Found::Added(id) => id,
            };
            visit(id, behind)
        });
        Ok(())
    }

    /// Says whether an id is a token of the vocabulary; special tokens are where they are parsed.
    fn knows(&self, id: u32) -> bool {
        self.bytes_of(id).is_some()
    }

    fn decode_bytes(&self, ids: &[u32]) -> Result<Vec<u8>, TokenizerError> {
        let known = ids.iter().filter_map(|&id| self.bytes_of(id));
        Ok(known.collect::<Vec<_>>().concat())
    }
}

impl OpenAi {
    /// Returns the bytes of a token.
    fn bytes_of(&self, id: u32) -> Option<Vec<u8>> {
        let vocabulary = self.pipeline.bpe().vocabulary();
        // Only one encoding has a special token in the midst of the others.
        let rank = [id, id.wrapping_sub(1)]
            .into_iter()
            .find(|&rank| rank < vocabulary.len() && self.encoding.id(rank) == id);
        if let Some(rank) = rank {
            return Some(vocabulary.token(rank).to_vec());
        }
        let mut special = self.special_ids();
        special
            .find(|&(_, special)| special == id)
            .map(|(token, _)| token.into_bytes())
            .filter(|_| self.special == Special::Parse)
    }
}

//! Token ids of an encoding, which are its ranks.

use super::OpenAi;
use crate::encode::Encode;
use crate::error::TokenizerError;

impl Encode for OpenAi {
    fn each_token(
        &self,
        text: &str,
        visit: &mut dyn FnMut(u32, usize) -> bool,
    ) -> Result<(), TokenizerError> {
        self.bpe.each_token(text, visit);
        Ok(())
    }

    /// Says whether an id is a rank; special tokens have none.
    fn knows(&self, id: u32) -> bool {
        id < self.bpe.vocabulary().len()
    }

    fn decode_bytes(&self, ids: &[u32]) -> Result<Vec<u8>, TokenizerError> {
        let vocabulary = self.bpe.vocabulary();
        let known = ids.iter().filter(|&&id| id < vocabulary.len());
        Ok(known
            .flat_map(|&id| vocabulary.token(id))
            .copied()
            .collect())
    }
}

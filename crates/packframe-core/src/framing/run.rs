//! What a renderer makes of a conversation: markers, each one token, and texts between them.

use packframe_tokens::{Tokenizer, TokenizerError};

/// A rendered conversation.
///
/// Texts are counted one by one, as the renderers that are followed here encode them one by one; a
/// text is never read as a marker, whatever stands in it.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    runs: Vec<Run>,
}

#[derive(Debug)]
enum Run {
    Marker(&'static str),
    Text(String),
}

impl Runs {
    pub(crate) fn marker(&mut self, marker: &'static str) {
        self.runs.push(Run::Marker(marker));
    }

    pub(crate) fn text(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !text.is_empty() {
            self.runs.push(Run::Text(text));
        }
    }

    /// Returns all of it as one text.
    pub(crate) fn shown(&self) -> String {
        let mut shown = String::new();
        for run in &self.runs {
            shown.push_str(match run {
                Run::Marker(marker) => marker,
                Run::Text(text) => text,
            });
        }
        shown
    }

    /// Counts the tokens: one for each marker, and those of each text.
    pub(crate) fn count(&self, tokenizer: &dyn Tokenizer) -> Result<u64, TokenizerError> {
        let mut texts = Vec::new();
        let mut markers = 0;
        for run in &self.runs {
            match run {
                Run::Marker(_) => markers += 1,
                Run::Text(text) => texts.push(text.as_str()),
            }
        }
        Ok(markers + tokenizer.count_batch(&texts)?.iter().sum::<u64>())
    }
}

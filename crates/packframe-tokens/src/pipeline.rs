//! The way of a text to the engine and through it.

use crate::added::{Added, Part};
use crate::bpe::{Bpe, Seaming};

/// The engine, and what a text goes through before.
///
/// Added tokens are taken out of the text; what is between them is split into pieces and merged,
/// each part as a text of its own.
pub(crate) struct Pipeline {
    bpe: Bpe,
    added: Option<Added>,
    seaming: Option<Seaming>,
}

/// A token that was found in a text.
pub(crate) enum Found {
    /// One of the vocabulary.
    Rank(u32),
    /// One that was added to it, by its id.
    Added(u32),
}

impl Pipeline {
    /// Makes one; without `seaming` it has no seams.
    pub(crate) const fn new(bpe: Bpe, added: Option<Added>, seaming: Option<Seaming>) -> Self {
        Self {
            bpe,
            added,
            seaming,
        }
    }

    /// Returns the engine.
    pub(crate) const fn bpe(&self) -> &Bpe {
        &self.bpe
    }

    /// Counts the tokens of a text.
    pub(crate) fn count(&self, text: &str) -> u64 {
        let Some(added) = &self.added else {
            return self.bpe.count(text);
        };
        let parts = added.parts(text).map(|part| match part {
            Part::Text(start, end) => self.bpe.count(&text[start..end]),
            Part::Token(..) => 1,
        });
        parts.sum()
    }

    /// Shows each token of a text and its end, in order, until told to stop.
    ///
    /// Ends are byte offsets; a token may end inside a character.
    pub(crate) fn each_token(&self, text: &str, mut visit: impl FnMut(Found, usize) -> bool) {
        let Some(added) = &self.added else {
            return self
                .bpe
                .each_token(text, |rank, end| visit(Found::Rank(rank), end));
        };
        for part in added.parts(text) {
            let mut on = true;
            match part {
                Part::Text(from, to) => self.bpe.each_token(&text[from..to], |rank, end| {
                    on = visit(Found::Rank(rank), from + end);
                    on
                }),
                Part::Token(id, end) => on = visit(Found::Added(id), end),
            }
            if !on {
                return;
            }
        }
    }

    /// Returns how a text is seamed, if it is.
    pub(crate) const fn seaming(&self) -> Option<&Seaming> {
        self.seaming.as_ref()
    }
}

//! The way of a text to the engine and through it.

use std::borrow::Cow;

use crate::added::{Added, Part};
use crate::bpe::{Bpe, Seaming};
use crate::form::Form;

/// The engine, and what a text goes through before.
///
/// Added tokens are taken out of the text; what is between them is normalized, more added tokens
/// are taken out of that, and what is left is split into pieces and merged, each part as a text of
/// its own.
pub(crate) struct Pipeline {
    bpe: Bpe,
    seaming: Option<Seaming>,
    added: Option<Added>,
    form: Option<Form>,
    added_normalized: Option<Added>,
}

/// A token that was found in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// One of the vocabulary.
    Rank(u32),
    /// One that was added to it, by its id.
    Added(u32),
}

impl Pipeline {
    /// Makes one of the engine alone; without `seaming` it has no seams.
    pub(crate) const fn new(bpe: Bpe, seaming: Option<Seaming>) -> Self {
        Self {
            bpe,
            seaming,
            added: None,
            form: None,
            added_normalized: None,
        }
    }

    /// Takes these tokens out of each text.
    pub(crate) fn looking_for(self, added: Option<Added>) -> Self {
        Self { added, ..self }
    }

    /// Brings each text into a normal form, then takes these tokens out of it.
    pub(crate) fn normalizing(self, form: Option<Form>, added: Option<Added>) -> Self {
        Self {
            form,
            added_normalized: added,
            ..self
        }
    }

    /// Returns the engine.
    pub(crate) const fn bpe(&self) -> &Bpe {
        &self.bpe
    }

    /// Returns where texts have seams, if it is known.
    pub(crate) const fn seaming(&self) -> Option<&Seaming> {
        self.seaming.as_ref()
    }

    /// Counts the tokens of a text.
    pub(crate) fn count(&self, text: &str) -> u64 {
        let parts = parts(self.added.as_ref(), text).map(|part| match part {
            Part::Text(start, end) => self.count_between(&text[start..end]),
            Part::Token(..) => 1,
        });
        parts.sum()
    }

    fn count_between(&self, text: &str) -> u64 {
        let text = self.normalized(text);
        let parts = parts(self.added_normalized.as_ref(), &text).map(|part| match part {
            Part::Text(start, end) => self.bpe.count(&text[start..end]),
            Part::Token(..) => 1,
        });
        parts.sum()
    }

    /// Shows each token of a text and its end, in order, until told to stop.
    ///
    /// Ends are byte offsets of the text; a token may end inside a character. Where normalizing
    /// changed the text, tokens have no ends in it.
    pub(crate) fn each_token(
        &self,
        text: &str,
        mut visit: impl FnMut(Found, Option<usize>) -> bool,
    ) {
        for part in parts(self.added.as_ref(), text) {
            let on = match part {
                Part::Text(from, to) => {
                    let mut on = true;
                    self.each_between(&text[from..to], |token, end| {
                        on = visit(token, end.map(|end| from + end));
                        on
                    });
                    on
                }
                Part::Token(id, end) => visit(Found::Added(id), Some(end)),
            };
            if !on {
                return;
            }
        }
    }

    fn each_between(&self, text: &str, mut visit: impl FnMut(Found, Option<usize>) -> bool) {
        let normalized = self.normalized(text);
        let changed = normalized != text;
        let place = |end: usize| (!changed).then_some(end);
        for part in parts(self.added_normalized.as_ref(), &normalized) {
            let on = match part {
                Part::Text(from, to) => {
                    let mut on = true;
                    self.bpe.each_token(&normalized[from..to], |rank, end| {
                        on = visit(Found::Rank(rank), place(from + end));
                        on
                    });
                    on
                }
                Part::Token(id, end) => visit(Found::Added(id), place(end)),
            };
            if !on {
                return;
            }
        }
    }

    fn normalized<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.form {
            Some(form) => form.of(text),
            None => Cow::Borrowed(text),
        }
    }
}

/// Returns the parts of a text: all of it, where no tokens are looked for.
fn parts<'t>(added: Option<&'t Added>, text: &'t str) -> impl Iterator<Item = Part> + 't {
    let whole = (added.is_none() && !text.is_empty()).then_some(Part::Text(0, text.len()));
    let found = added.map(|added| added.parts(text));
    whole.into_iter().chain(found.into_iter().flatten())
}

//! What special tokens in a text are.

/// What a tokenizer makes of the special tokens that stand in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Special {
    /// They are text like any other: what a user writes ends no turn and starts no role.
    #[default]
    Text,
    /// Each is one token, as the library that the tokenizer comes from has it by default.
    Parse,
}

impl Special {
    /// Returns the word for it: `text` or `parse`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Parse => "parse",
        }
    }
}

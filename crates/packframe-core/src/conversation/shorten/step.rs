//! What may be shortened.

/// A kind of shortening, and how far it goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shorten {
    /// Thinking of steps that have ended goes.
    Thinking,
    /// What results say goes, but for the newest.
    Clear {
        /// How many of the newest results stay.
        keep_last: usize,
        /// What is said instead.
        placeholder: String,
    },
    /// Results are cut in the middle.
    Results {
        /// The fewest tokens that the results of one step keep together.
        least: u64,
    },
    /// The oldest texts that may be left out are cut in the middle.
    Text {
        /// The fewest tokens that a message keeps.
        least: u64,
    },
}

impl Shorten {
    /// The newest results that stay where the caller says nothing.
    pub const KEEP_LAST: usize = 3;
    /// What stands in the place of a result where the caller says nothing.
    pub const PLACEHOLDER: &'static str = "[result cleared]";
    /// The fewest tokens where the caller says nothing.
    pub const LEAST: u64 = 64;
    /// The words of the kinds.
    pub const WORDS: [&'static str; 4] = ["thinking", "clear", "results", "text"];

    /// Returns its word.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Thinking => "thinking",
            Self::Clear { .. } => "clear",
            Self::Results { .. } => "results",
            Self::Text { .. } => "text",
        }
    }

    /// Reads a word: the kind, as far as it goes where the caller says nothing.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "thinking" => Self::Thinking,
            "clear" => Self::Clear {
                keep_last: Self::KEEP_LAST,
                placeholder: Self::PLACEHOLDER.to_owned(),
            },
            "results" => Self::Results { least: Self::LEAST },
            "text" => Self::Text { least: Self::LEAST },
            _ => return None,
        })
    }
}

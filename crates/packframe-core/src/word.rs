//! The closed sets of words that items and results are described with.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::Error;

/// Declares an enum of words: the variants in their order, and the word of each.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident, $field:literal: $($(#[$doc:meta])* $variant:ident = $word:literal),+ $(,)?) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $name {
            $($(#[$doc])* #[serde(rename = $word)] $variant),+
        }

        impl $name {
            /// Every word, in order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Returns the word.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// Reads a word.
            ///
            /// # Errors
            ///
            /// `InvalidItem` with the nearest known word, for any other.
            pub fn parse(word: &str) -> Result<Self, Error> {
                match word {
                    $($word => Ok(Self::$variant),)+
                    _ => Err($crate::nearest::unknown_field_word($field, word, &[$($word),+])),
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

pub(crate) use words;

words! {
    /// Who speaks.
    Role, "role":
    /// The operator's instructions.
    System = "system",
    /// The developer's instructions.
    Developer = "developer",
    /// The person, or what is said on their behalf.
    User = "user",
    /// The model.
    Assistant = "assistant",
    /// The result of a tool call.
    Tool = "tool",
}

words! {
    /// The contract of an item, weakest first.
    Retention, "retention":
    /// Taken from the room that is left.
    Optional = "optional",
    /// Considered before every optional item.
    Preferred = "preferred",
    /// In the pack, or packing fails.
    Required = "required",
}

words! {
    /// How far a content is trusted, best first.
    Trust, "trust":
    /// Written by the operator.
    Trusted = "trusted",
    /// The default.
    Untrusted = "untrusted",
    /// Never packed.
    Quarantined = "quarantined",
}

words! {
    /// Who may see a content, widest first.
    Sensitivity, "sensitivity":
    /// Everybody.
    Public = "public",
    /// The organisation.
    Internal = "internal",
    /// Those who need it.
    Confidential = "confidential",
    /// Nobody outside: an external boundary refuses it.
    Restricted = "restricted",
}

words! {
    /// What a number is worth, best first.
    Accuracy, "accuracy":
    /// Equal to what the named tokenizer gives for these bytes.
    Exact = "exact",
    /// Exact content in a framing that is known less well.
    ExactText = "exact_text",
    /// Never under the truth.
    Bounded = "bounded",
    /// From a tokenizer that was reconstructed.
    Reconstructed = "reconstructed",
    /// Fitted to measured usage.
    Calibrated = "calibrated",
    /// An estimate.
    Approximate = "approximate",
}

words! {
    /// What a pack is made for.
    Render, "render":
    /// One text.
    Text = "text",
    /// A list of messages.
    Messages = "messages",
}

words! {
    /// The order of a rendering.
    Layout, "layout":
    /// The order of the frame.
    Input = "input",
    /// Section by section, with headers; the rows of each in the order of the frame.
    Section = "section",
    /// The best first.
    Score = "score",
    /// What an earlier pack kept first, in its order.
    Stable = "stable",
}

impl Accuracy {
    /// Returns the weaker of two.
    #[must_use]
    pub fn weakest(self, other: Self) -> Self {
        self.max(other)
    }
}

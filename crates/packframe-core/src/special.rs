//! Special tokens that stand in a text.

use std::fmt;
use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, MatchKind};
use packframe_tokens::Tokenizer;

use crate::once::once;

/// The most bytes of special tokens that are looked for; known tokenizers have a tenth of it.
const MOST_BYTES: usize = 1 << 20;

/// The special tokens of a tokenizer, to be found in texts.
///
/// A text is read once, whatever it is and however many they are.
pub(crate) struct SpecialTokens {
    tokens: Vec<String>,
    /// What all of them start with: most often `<|`. A text without it has none, and the standard
    /// library sees that ten times as fast as any automaton finds none.
    prefix: String,
    /// Made when it is first needed; `None` where there are more than it takes.
    finder: OnceLock<Option<AhoCorasick>>,
}

impl SpecialTokens {
    /// Takes those of a tokenizer; of more than a megabyte, as many as are in it.
    pub(crate) fn of(tokenizer: &dyn Tokenizer) -> Self {
        let mut tokens = tokenizer.special_tokens();
        tokens.retain(|token| !token.is_empty());
        tokens.sort_unstable();
        tokens.dedup();
        let mut bytes = 0;
        let fit = tokens.iter().take_while(|token| {
            bytes += token.len();
            bytes <= MOST_BYTES
        });
        tokens.truncate(fit.count());
        // They are sorted: what the first and the last have in common, all have.
        let prefix = match (tokens.first(), tokens.last()) {
            (Some(first), Some(last)) => common_prefix(first, last),
            _ => "",
        };
        Self {
            prefix: prefix.to_owned(),
            tokens,
            finder: OnceLock::new(),
        }
    }

    /// Says whether one stands in a text.
    pub(crate) fn are_in(&self, text: &str) -> bool {
        self.finder(text)
            .is_some_and(|finder| finder.is_match(text))
    }

    /// Returns where they start in a text, from left to right; of two at one place the longer
    /// one counts, and none that starts inside another.
    pub(crate) fn starts(&self, text: &str) -> impl Iterator<Item = usize> {
        let found = self.finder(text).map(|finder| finder.find_iter(text));
        found.into_iter().flatten().map(|token| token.start())
    }

    /// Returns where they start and end in a text, as [`starts`](Self::starts) finds them.
    pub(crate) fn found(&self, text: &str) -> impl Iterator<Item = (usize, usize)> {
        let found = self.finder(text).map(|finder| finder.find_iter(text));
        found
            .into_iter()
            .flatten()
            .map(|token| (token.start(), token.end()))
    }

    /// Returns the tokens, sorted.
    pub(crate) fn all(&self) -> &[String] {
        &self.tokens
    }

    /// Returns what finds them, if they may be in a text.
    fn finder(&self, text: &str) -> Option<&AhoCorasick> {
        if self.tokens.is_empty() || !text.contains(&self.prefix) {
            return None;
        }
        let finder = once(&self.finder, || {
            AhoCorasick::builder()
                .match_kind(MatchKind::LeftmostLongest)
                .build(&self.tokens)
                .ok()
        });
        finder.as_ref()
    }
}

fn common_prefix<'a>(first: &'a str, last: &str) -> &'a str {
    let same = first
        .char_indices()
        .zip(last.chars())
        .find(|((_, left), right)| left != right);
    match same {
        Some(((at, _), _)) => &first[..at],
        None => &first[..first.len().min(last.len())],
    }
}

impl fmt::Debug for SpecialTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SpecialTokens")
            .field("tokens", &self.tokens.len())
            .finish_non_exhaustive()
    }
}

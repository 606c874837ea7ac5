//! What the packing engine asks of a tokenizer.

use crate::encode::Encode;
use crate::error::TokenizerError;
use crate::unfinished::{Advance, Unfinished};

/// Counts the tokens of texts.
///
/// A tokenizer is shared between threads and never changes what it answers.
pub trait Tokenizer: Send + Sync {
    /// Counts the tokens of one text; an empty text has none.
    ///
    /// # Errors
    ///
    /// A tokenizer that runs code of the caller's may fail; the ones of this crate fail only
    /// where their documentation says so.
    fn count(&self, text: &str) -> Result<u64, TokenizerError>;

    /// Counts each text, in order.
    ///
    /// # Errors
    ///
    /// As [`count`](Self::count); the error names the position in `texts` where it is known.
    fn count_batch(&self, texts: &[&str]) -> Result<Vec<u64>, TokenizerError> {
        texts
            .iter()
            .enumerate()
            .map(|(position, text)| self.count(text).map_err(|error| error.at(position)))
            .collect()
    }

    /// Returns how many bytes of text are worth a thread of their own, in a batch: about half a
    /// millisecond of counting.
    ///
    /// `None` keeps every count on the thread that asks for it: for code of the caller's.
    fn bytes_for_a_thread(&self) -> Option<usize> {
        Some(64 * 1024)
    }

    /// Returns the special tokens of the vocabulary, such as `<|endoftext|>`, in any order: what a
    /// text had better not contain, even where it is counted as text.
    fn special_tokens(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns the seams of this tokenizer, if texts can be joined without counting them again.
    ///
    /// `None` makes the tokenizer opaque: only a whole text can be counted.
    fn seams(&self) -> Option<&dyn Seams> {
        None
    }

    /// Returns what encodes texts into token ids, if this tokenizer has ids.
    fn encoder(&self) -> Option<&dyn Encode> {
        None
    }
}

/// Where a text can be cut so that the counts of both sides add up, whatever stands further out.
///
/// A *seam* of a text is a byte offset `p`, `0 < p < text.len()`, such that for every text `a`
/// put before and every text `b` put behind, `units(a + text + b)` equals
/// `units(a + text[..p]) + units(text[p..] + b)`. Only the characters next to `p` decide.
///
/// Counting is done in *units*, which add up over seams; [`tokens`](Self::tokens) turns a sum of
/// them into the count of the whole. For an exact tokenizer units are tokens; only sums and
/// differences of what [`units`](Self::units) returned mean anything to others. Tokens of a sum are
/// at most the sum of the tokens.
pub trait Seams: Send + Sync {
    /// Counts one text in units.
    fn units(&self, text: &str) -> u64;

    /// Returns the count in tokens of a whole text that has so many units.
    fn tokens(&self, units: u64) -> u64;

    /// Returns a number of units that no text of so many bytes is over.
    fn most_units(&self, bytes: usize) -> u64;

    /// Returns units that a text of so many is not under when so many bytes, up to a seam, are taken
    /// away at its ends.
    fn units_without(&self, units: u64, bytes: usize) -> u64 {
        units.saturating_sub(self.most_units(bytes))
    }

    /// Returns a number of bytes that no text of so many tokens is over.
    fn most_bytes(&self, _tokens: u64) -> usize {
        usize::MAX
    }

    /// Returns the first seam of a text, or `None` where it has none.
    fn first_seam(&self, text: &str) -> Option<usize>;

    /// Returns the last seam of a text, or `None` where it has none.
    fn last_seam(&self, text: &str) -> Option<usize>;

    /// Counts a stretch that may grow at its end, and says how much of it is settled.
    ///
    /// The stretch is the start of a text, or what an earlier call left unsettled with more behind
    /// it. `memory` is what that call left there, or empty; it is only an aid.
    fn advance(&self, stretch: &str, memory: &mut Unfinished) -> Advance {
        by_seam(self, stretch, self.last_seam(stretch).unwrap_or(0), memory)
    }
}

/// Counts a stretch that may grow, by its last seam or 0 alone.
pub(crate) fn by_seam<S: Seams + ?Sized>(
    seams: &S,
    stretch: &str,
    settled: usize,
    memory: &mut Unfinished,
) -> Advance {
    memory.clear();
    let (settled_part, rest) = stretch.split_at(settled);
    Advance {
        settled,
        units: seams.units(settled_part),
        rest: seams.units(rest),
    }
}

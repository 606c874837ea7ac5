//! The split of a text into pieces, written out for each pattern.
//!
//! Each function is a pattern read as a sequence of questions about classes of characters; none
//! looks back, and the only thing that looks ahead is white space. What backtracking would do in
//! the pattern is worked out beforehand and said where it matters.

mod cased;
mod deepseek;
mod gpt2;
#[cfg(test)]
mod oracle;
mod part;
mod words;

pub(super) use self::part::contraction;
use super::pattern::Pattern;

/// Returns the end of the piece that starts at `start`, which is in the text.
#[inline]
pub(crate) fn piece_end(pattern: Pattern, text: &[u8], start: usize) -> usize {
    match pattern {
        Pattern::Cl100k => words::words::<3, false, true>(text, start),
        Pattern::Llama3 => words::words::<3, false, false>(text, start),
        Pattern::Qwen2 => words::words::<1, false, false>(text, start),
        Pattern::Qwen35 => words::words::<1, true, false>(text, start),
        Pattern::O200k => cased::cased::<3, true>(text, start),
        Pattern::Tekken => cased::cased::<1, false>(text, start),
        Pattern::Gpt2 => gpt2::gpt2(text, start),
        Pattern::DeepSeek => deepseek::deepseek(text, start),
    }
}

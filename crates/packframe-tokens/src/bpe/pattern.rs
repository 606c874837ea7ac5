//! The patterns of pieces.

/// A pattern that splits a text into pieces, which are merged each by itself.
///
/// All but the last two differ in a few parameters: how many digits a piece has, whether a word is
/// letters of any case or of one, with its marks and its contraction or without.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pattern {
    /// `cl100k_base`: a word is letters of any case, three digits are a piece.
    Cl100k,
    /// Llama 3, GLM 4 and others: as `cl100k_base`, but white space at the end of a text is split
    /// behind its last line break, as within one.
    Llama3,
    /// Qwen 2 and 3: as Llama 3, with each digit a piece.
    Qwen2,
    /// Qwen 3.5: as Qwen 2, with marks in words.
    Qwen35,
    /// `o200k_base`, Llama 4, `MiniMax` and others: a word is letters of one case or capitalised, with
    /// its contraction.
    O200k,
    /// Tekken, Mistral's: as `o200k_base`, without contractions and with each digit a piece.
    Tekken,
    /// GPT-2, `r50k_base` and `p50k_base`: letters, digits or signs with the space before them.
    Gpt2,
    /// `DeepSeek` V3 and later: digits first, then ideographs and kana, then the rest.
    DeepSeek,
}

impl Pattern {
    /// All of them.
    #[cfg(test)]
    pub(crate) const ALL: [Self; 8] = [
        Self::Cl100k,
        Self::Llama3,
        Self::Qwen2,
        Self::Qwen35,
        Self::O200k,
        Self::Tekken,
        Self::Gpt2,
        Self::DeepSeek,
    ];

    /// Says whether a line break before a letter or number always ends a piece.
    ///
    /// GPT-2 gives the last character of a run of white space to what follows, and the rest of the
    /// run is a piece, so there the run looks ahead.
    pub(crate) const fn breaks_behind_lines(self) -> bool {
        !matches!(self, Self::Gpt2)
    }
}

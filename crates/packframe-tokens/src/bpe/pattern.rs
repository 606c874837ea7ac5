//! The patterns of pieces.

/// A pattern that splits a text into pieces, which are merged each by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pattern {
    /// `cl100k_base`: a word is letters of any case.
    Cl100k,
    /// `o200k_base`: a word is letters of one case or capitalised, with its contraction.
    O200k,
}

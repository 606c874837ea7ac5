//! Byte-pair encoding: the engine behind every tokenizer whose pieces and merges are known.
//!
//! A text is split into pieces by a [`Pattern`]; a piece that is a token is one, any other is
//! merged. Counting needs no token ids, so most pieces cost one look-up.

#![allow(dead_code, reason = "what reads a tokenizer.json uses the rest")]

mod class;
mod extent;
mod fill;
mod growing;
mod key;
mod memo;
mod merge;
mod pattern;
mod pretokenizer;
mod seams;
pub(crate) mod table;
pub(crate) mod vocabulary;

use self::memo::Memos;
pub(crate) use self::pattern::Pattern;
use self::pretokenizer::piece_end;
use self::vocabulary::{Store, Vocabulary};

/// A vocabulary, the pattern of its pieces, and what was merged lately.
///
/// A count takes O(n log n) in the longest piece (a run of letters, of punctuation, of white
/// space) and is linear in all else; it never fails.
pub(crate) struct Bpe {
    pattern: Pattern,
    store: Store,
    memos: Memos,
}

impl Bpe {
    pub(crate) fn new(pattern: Pattern, store: Store) -> Self {
        Self {
            pattern,
            store,
            memos: Memos::default(),
        }
    }

    /// Returns the tokens.
    pub(crate) fn vocabulary(&self) -> Vocabulary<'_> {
        self.store.vocabulary()
    }

    /// Counts the tokens of a text.
    pub(crate) fn count(&self, text: &str) -> u64 {
        // One copy of the loop for each pattern, so that none asks for it at each piece.
        match self.pattern {
            Pattern::Cl100k => self.count_pieces(Pattern::Cl100k, text.as_bytes()),
            Pattern::O200k => self.count_pieces(Pattern::O200k, text.as_bytes()),
        }
    }

    fn count_pieces(&self, pattern: Pattern, text: &[u8]) -> u64 {
        let vocabulary = self.vocabulary();
        let mut tokens = 0;
        let mut memo = None;
        let mut start = 0;
        while start < text.len() {
            let end = piece_end(pattern, text, start);
            if end - start == 1 || vocabulary.has(text, start, end) {
                tokens += 1;
            } else {
                let memo = memo.get_or_insert_with(|| self.memos.borrow());
                tokens += memo.count(text, (start, end), || {
                    let mut tokens = 0;
                    merge::merge(vocabulary, text, (start, end), |_, _| tokens += 1);
                    tokens
                });
            }
            start = end;
        }
        if let Some(memo) = memo {
            self.memos.give_back(memo);
        }
        tokens
    }

    /// Shows the rank and the end of each token of a text, in order, until told to stop.
    ///
    /// Ends are byte offsets; a token may end inside a character.
    ///
    /// # Panics
    ///
    /// Never: each token that a text is split into is in the vocabulary.
    pub(crate) fn each_token(&self, text: &str, mut visit: impl FnMut(u32, usize) -> bool) {
        let text = text.as_bytes();
        let vocabulary = self.vocabulary();
        let mut start = 0;
        while start < text.len() {
            let end = piece_end(self.pattern, text, start);
            let mut on = true;
            match vocabulary.rank_at(text, start, end) {
                Some(rank) => on = visit(rank, end),
                None => merge::merge(vocabulary, text, (start, end), |from, to| {
                    let rank = vocabulary.rank_at(text, from, to);
                    on = on && visit(rank.expect("only tokens are joined"), to);
                }),
            }
            if !on {
                return;
            }
            start = end;
        }
    }

    /// Returns the end of the piece that starts at `start`, where a piece starts in the text.
    pub(crate) fn piece_end(&self, text: &str, start: usize) -> usize {
        piece_end(self.pattern, text.as_bytes(), start)
    }

    /// Returns the first seam of a text, or `None` where it has none.
    pub(crate) fn first_seam(&self, text: &str) -> Option<usize> {
        match self.pattern {
            Pattern::Cl100k | Pattern::O200k => seams::first(text),
        }
    }

    /// Returns the last seam of a text, or `None` where it has none.
    pub(crate) fn last_seam(&self, text: &str) -> Option<usize> {
        match self.pattern {
            Pattern::Cl100k | Pattern::O200k => seams::last(text),
        }
    }
}

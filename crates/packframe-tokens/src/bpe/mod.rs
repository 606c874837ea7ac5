//! Byte-pair encoding: the engine behind every tokenizer whose pieces and merges are known.
//!
//! A text is split into pieces by a [`Pattern`]; a piece that is a token is one, any other is
//! merged. Counting needs no token ids, so most pieces cost one look-up.

#![allow(dead_code, reason = "what reads a tokenizer.json uses the rest")]

mod class;
mod fill;
mod key;
mod masks;
mod memo;
mod merge;
mod odd;
pub(crate) mod pairs;
mod pattern;
mod pretokenizer;
pub(crate) mod row;
mod seams;
mod slots;
mod split;
pub(crate) mod table;
pub(crate) mod vocabulary;
mod wide;
mod window;

use self::key::{hash, is_known_border};
use self::memo::{Memo, Memos};
pub(crate) use self::odd::Odd;
pub(crate) use self::pattern::Pattern;
use self::pretokenizer::piece_end;
pub(crate) use self::seams::Seaming;
use self::vocabulary::{Store, Tables, Vocabulary};

/// A vocabulary, the pattern of its pieces, and what was merged lately.
///
/// A count takes O(n log n) in the longest piece (a run of letters, of punctuation, of white
/// space) and is linear in all else; it never fails.
pub(crate) struct Bpe {
    pattern: Pattern,
    store: Store,
    odd: Odd,
    memos: Memos,
}

impl Bpe {
    pub(crate) fn new(pattern: Pattern, store: Store) -> Self {
        Self {
            pattern,
            store,
            odd: Odd::default(),
            memos: Memos::default(),
        }
    }

    /// Adds the tokens that the tables do not hold.
    pub(crate) fn with(self, odd: Odd) -> Self {
        Self { odd, ..self }
    }

    /// Returns the store of tokens that are given by rank with the length of the left half of each.
    /// They are as `fill` demands them.
    pub(crate) fn filled<'t>(tokens: impl Iterator<Item = (&'t [u8], u8)>) -> Option<Store> {
        fill::fill(tokens).map(|filled| Store::Owned(Box::new(filled)))
    }

    /// Returns the store of the first tokens of baked tables, in tables of their own.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "no token is longer than 255 bytes"
    )]
    pub(crate) fn first_of(tables: &'static Tables, tokens: u32) -> Store {
        let whole = Store::Baked(tables);
        let vocabulary = whole.vocabulary();
        let half = |rank| vocabulary.split(rank).length() as u8;
        let first = (0..tokens).map(|rank| (vocabulary.token(rank), half(rank)));
        Store::Owned(Box::new(
            fill::fill(first).expect("the tokens are spread well"),
        ))
    }

    /// Brings the tables near, and makes room for what is remembered: a millisecond or two that the
    /// first texts would pay for otherwise.
    pub(crate) fn warm(&self) {
        std::hint::black_box(self.vocabulary().touch());
        self.memos.give_back(Memo::with_room());
    }

    /// Returns the tokens.
    pub(crate) fn vocabulary(&self) -> Vocabulary<'_> {
        self.store.vocabulary()
    }

    /// Counts the tokens of a text.
    pub(crate) fn count(&self, text: &str) -> u64 {
        // One copy of the loop for each pattern, so that none asks for it at each piece.
        let text = text.as_bytes();
        match self.pattern {
            Pattern::Cl100k => self.count_pieces(Pattern::Cl100k, text),
            Pattern::Llama3 => self.count_pieces(Pattern::Llama3, text),
            Pattern::Qwen2 => self.count_pieces(Pattern::Qwen2, text),
            Pattern::Qwen35 => self.count_pieces(Pattern::Qwen35, text),
            Pattern::O200k => self.count_pieces(Pattern::O200k, text),
            Pattern::Tekken => self.count_pieces(Pattern::Tekken, text),
            Pattern::Gpt2 => self.count_pieces(Pattern::Gpt2, text),
            Pattern::DeepSeek => self.count_pieces(Pattern::DeepSeek, text),
        }
    }

    #[inline]
    fn count_pieces(&self, pattern: Pattern, text: &[u8]) -> u64 {
        if text.is_empty() {
            return 0;
        }
        let mut counter = Counter {
            vocabulary: self.vocabulary(),
            odd: &self.odd,
            memo: self.memos.borrow(),
            text,
        };
        let mut tokens = 0;
        let mut start = 0;
        while start < text.len() {
            let mut starts = if text[start] < 0x80 {
                window::starts(pattern, text, start)
            } else {
                1
            };
            if starts == 1 {
                let end = piece_end(pattern, text, start);
                tokens += counter.piece(start, end);
                start = end;
                continue;
            }
            let mut from = 0;
            loop {
                starts &= starts - 1;
                if starts == 0 {
                    break;
                }
                let to = starts.trailing_zeros() as usize;
                tokens += counter.piece(start + from, start + to);
                from = to;
            }
            start += from;
        }
        self.memos.give_back(counter.memo);
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
            let mut show = |rank: u32, end| on = on && visit(rank, end);
            if let Some(rank) = vocabulary.rank_at(text, start, end) {
                show(rank, end);
            } else if !self
                .odd
                .split(&text[start..end], |rank, to| show(rank, start + to))
            {
                merge::merge(vocabulary, text, (start, end), |from, to| {
                    let rank = vocabulary.rank_at(text, from, to);
                    show(rank.expect("only tokens are joined"), to);
                });
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
}

/// Counts the tokens of pieces of one text.
struct Counter<'a> {
    vocabulary: Vocabulary<'a>,
    odd: &'a Odd,
    memo: Memo,
    text: &'a [u8],
}

impl Counter<'_> {
    /// Returns how many tokens the piece `text[start..end]` is.
    #[inline]
    fn piece(&mut self, start: usize, end: usize) -> u64 {
        if end - start <= memo::NEAR {
            self.near(start, end)
        } else {
            self.far(start, end)
        }
    }

    #[inline]
    fn near(&mut self, start: usize, end: usize) -> u64 {
        let key = memo::near_key(self.text, start, end);
        let hash = hash(key);
        match self.memo.near(key, hash) {
            Some(tokens) => tokens,
            None => self.new_near(start, end, key, hash),
        }
    }

    #[inline(never)]
    fn new_near(&mut self, start: usize, end: usize, key: u128, hash: u64) -> u64 {
        let tokens = match self.vocabulary.rank_at(self.text, start, end) {
            Some(_) => 1,
            None => self.merge(start, end),
        };
        self.memo.keep_near(key, hash, tokens);
        tokens
    }

    /// Counts a piece of more than 15 bytes.
    #[inline(never)]
    fn far(&mut self, start: usize, end: usize) -> u64 {
        if end - start > memo::LONGEST {
            return self.new_far(start, end);
        }
        let key = memo::far_key(&self.text[start..end]);
        let hash = memo::far_hash(key);
        if let Some(tokens) = self.memo.far(key, hash) {
            return tokens;
        }
        let tokens = self.new_far(start, end);
        self.memo.keep_far(key, hash, tokens);
        tokens
    }

    fn new_far(&mut self, start: usize, end: usize) -> u64 {
        match self.vocabulary.rank_at(self.text, start, end) {
            Some(_) => 1,
            None => self.merge(start, end),
        }
    }

    /// Counts a piece that is no token.
    ///
    /// It falls apart where no join can go over the border between two characters: in scripts that
    /// have many characters and no spaces, nearly at each token. The parts are then as short, and
    /// as often the same, as words are elsewhere.
    fn merge(&mut self, start: usize, end: usize) -> u64 {
        let mut tokens = 0;
        if self.odd.split(&self.text[start..end], |_, _| tokens += 1) {
            return tokens;
        }
        let mut from = start;
        let mut at = start + 1;
        while at < end {
            if is_known_border(self.text[at - 1], self.text[at])
                && !self.vocabulary.may_join(self.text, at, at - from, end - at)
            {
                tokens += self.part(from, at);
                from = at;
            }
            at += 1;
        }
        if from != start {
            return tokens + self.part(from, end);
        }
        merge::merge(self.vocabulary, self.text, (start, end), |_, _| tokens += 1);
        tokens
    }

    /// Counts a part of a piece.
    fn part(&mut self, start: usize, end: usize) -> u64 {
        // What only a whole piece is may be remembered as one: the part is merged anew.
        if self.odd.is_whole(&self.text[start..end]) {
            let mut tokens = 0;
            merge::merge(self.vocabulary, self.text, (start, end), |_, _| tokens += 1);
            return tokens;
        }
        if end - start <= memo::NEAR {
            self.near(start, end)
        } else {
            self.far(start, end)
        }
    }
}

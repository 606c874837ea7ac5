//! Byte-pair encoding: the engine behind every tokenizer whose pieces and merges are known.
//!
//! A text is split into pieces by a [`Pattern`]; a piece that is a token is one, any other is
//! merged. Counting needs no token ids, so most pieces cost one look-up.

mod class;
mod counter;
mod extent;
mod fill;
mod growing;
mod key;
mod lane;
mod masks;
mod memo;
mod merge;
mod odd;
pub(crate) mod pairs;
mod parents;
mod pattern;
mod pretokenizer;
mod queue;
mod rooms;
pub(crate) mod row;
mod seams;
mod slots;
pub(crate) mod table;
pub(crate) mod vocabulary;
mod wide;
mod window;

use self::counter::{Counter, Room};
pub(crate) use self::odd::Odd;
pub(crate) use self::pattern::Pattern;
use self::pretokenizer::piece_end;
use self::rooms::Rooms;
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
    rooms: Rooms,
}

impl Bpe {
    pub(crate) fn new(pattern: Pattern, store: Store) -> Self {
        Self {
            pattern,
            store,
            odd: Odd::default(),
            rooms: Rooms::default(),
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
        let half = |rank| vocabulary.half(rank) as u8;
        let first = (0..tokens).map(|rank| (vocabulary.token(rank), half(rank)));
        Store::Owned(Box::new(
            fill::fill(first).expect("the tokens are spread well"),
        ))
    }

    /// Brings the tables near, and makes room for what is remembered: a millisecond or two that the
    /// first texts would pay for otherwise.
    pub(crate) fn warm(&self) {
        std::hint::black_box(self.vocabulary().touch());
        self.rooms.give_back(Room::at_once());
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
        let mut counter = Counter::new(self.vocabulary(), &self.odd, self.rooms.borrow(), text);
        let mut start = 0;
        while start < text.len() {
            let mut starts = if text[start] < 0x80 {
                window::starts(pattern, text, start)
            } else {
                1
            };
            if starts == 1 {
                let end = piece_end(pattern, text, start);
                counter.put(start, end);
                start = end;
            } else {
                let mut from = start;
                loop {
                    starts &= starts - 1;
                    if starts == 0 {
                        break;
                    }
                    let to = start + starts.trailing_zeros() as usize;
                    counter.put(from, to);
                    from = to;
                }
                start = from;
            }
            counter.work();
        }
        let (tokens, room) = counter.finish();
        self.rooms.give_back(room);
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

//! The count of the pieces of one text.

use super::key::{hash, is_known_border};
use super::memo::{self, Memo};
use super::merge::merge;
use super::odd::Odd;
use super::queue::{Queue, Waiting};
use super::vocabulary::Vocabulary;

/// Pieces that wait for their slot of the memo: a few windows.
const QUEUE: usize = 128;
/// So many wait before the first one is looked at: by then its slot is near.
const LAG: usize = 16;
/// Pieces that are not remembered, which wait for their slot of the vocabulary.
const NEW_QUEUE: usize = 16;
const NEW_LAG: usize = 6;

/// What counting needs room for; it is lent to one text after the other.
pub(super) struct Room {
    memo: Memo,
    queue: Queue<QUEUE>,
    new: Queue<NEW_QUEUE>,
}

impl Room {
    /// Makes room that grows as it is used.
    pub(super) fn new() -> Self {
        Self::of(Memo::new())
    }

    /// Makes room that is in memory at once.
    pub(super) fn at_once() -> Self {
        Self::of(Memo::with_room())
    }

    fn of(memo: Memo) -> Self {
        Self {
            memo,
            queue: Queue::new(),
            new: Queue::new(),
        }
    }
}

/// Counts the tokens of the pieces of one text, given in any order.
///
/// What is looked up for a piece is asked for when the piece is put in and read when some more have
/// been, so that memory is waited for only once for many of them.
pub(super) struct Counter<'a> {
    vocabulary: Vocabulary<'a>,
    odd: &'a Odd,
    room: Room,
    text: &'a [u8],
    tokens: u64,
}

impl<'a> Counter<'a> {
    pub(super) fn new(
        vocabulary: Vocabulary<'a>,
        odd: &'a Odd,
        room: Room,
        text: &'a [u8],
    ) -> Self {
        Self {
            vocabulary,
            odd,
            room,
            text,
            tokens: 0,
        }
    }

    /// Puts the piece `text[start..end]` in. At most 64 are put in before [`work`](Self::work).
    #[inline]
    pub(super) fn put(&mut self, start: usize, end: usize) {
        let length = end - start;
        let mut piece = Waiting {
            start,
            end,
            ..Waiting::default()
        };
        if length <= memo::NEAR {
            piece.key = memo::near_key(self.text, start, end);
            piece.hash = hash(piece.key);
            self.room.memo.ask_near(piece.hash);
        }
        self.room.queue.put(piece);
    }

    /// Counts the pieces that have waited long enough.
    #[inline]
    pub(super) fn work(&mut self) {
        while let Some(piece) = self.room.queue.take(LAG) {
            self.count(piece);
        }
    }

    /// Counts what still waits, and returns the tokens of all pieces and the room.
    #[inline]
    pub(super) fn finish(mut self) -> (u64, Room) {
        loop {
            if let Some(piece) = self.room.queue.take(0) {
                self.count(piece);
            } else if let Some(piece) = self.room.new.take(0) {
                self.count_new(piece);
            } else {
                return (self.tokens, self.room);
            }
        }
    }

    #[inline]
    fn count(&mut self, piece: Waiting) {
        if piece.key == 0 {
            self.far(piece.start, piece.end);
        } else if let Some(tokens) = self.room.memo.near(piece.key, piece.hash) {
            self.tokens += tokens;
        } else {
            self.wait_for_token(piece);
        }
    }

    #[inline(never)]
    fn wait_for_token(&mut self, piece: Waiting) {
        self.vocabulary.ask(self.text, piece.start, piece.end);
        self.room.new.put(piece);
        if let Some(piece) = self.room.new.take(NEW_LAG) {
            self.count_new(piece);
        }
    }

    fn count_new(&mut self, piece: Waiting) {
        let Waiting {
            key,
            hash,
            start,
            end,
        } = piece;
        // Another one like it may have waited before it.
        self.tokens += match self.room.memo.near(key, hash) {
            Some(tokens) => tokens,
            None => self.new_near(start, end, key, hash),
        };
    }

    fn new_near(&mut self, start: usize, end: usize, key: u128, hash: u64) -> u64 {
        let tokens = match self.vocabulary.rank_at(self.text, start, end) {
            Some(_) => 1,
            None => self.merge(start, end),
        };
        self.room.memo.keep_near(key, hash, tokens);
        tokens
    }

    /// Counts a piece of more than 15 bytes.
    #[inline(never)]
    fn far(&mut self, start: usize, end: usize) {
        if end - start <= memo::LONGEST {
            self.tokens += self.remembered_far(start, end);
        } else if self.vocabulary.rank_at(self.text, start, end).is_some() {
            self.tokens += 1;
        } else if self.odd.has_whole() {
            self.tokens += self.merge(start, end);
        } else if let Some(tokens) = self.odd_tokens(start, end) {
            self.tokens += tokens;
        } else {
            let mut from = start;
            while let Some(border) = self.border(from, end) {
                self.put(from, border);
                if self.room.queue.len() > QUEUE / 2
                    && let Some(piece) = self.room.queue.take(LAG)
                {
                    self.count(piece);
                }
                from = border;
            }
            self.tokens += if from == start {
                self.merge_whole(start, end)
            } else {
                self.part(from, end)
            };
        }
    }

    /// Counts a piece that has tokens in it which the tables do not hold, if it has.
    #[inline]
    fn odd_tokens(&self, start: usize, end: usize) -> Option<u64> {
        let mut tokens = 0;
        let found = self.odd.split(&self.text[start..end], |_, _| tokens += 1);
        found.then_some(tokens)
    }

    fn remembered_far(&mut self, start: usize, end: usize) -> u64 {
        let key = memo::far_key(&self.text[start..end]);
        let hash = memo::far_hash(key);
        if let Some(tokens) = self.room.memo.far(key, hash) {
            return tokens;
        }
        let tokens = match self.vocabulary.rank_at(self.text, start, end) {
            Some(_) => 1,
            None => self.merge(start, end),
        };
        self.room.memo.keep_far(key, hash, tokens);
        tokens
    }

    /// Counts a piece that is no token.
    fn merge(&mut self, start: usize, end: usize) -> u64 {
        if let Some(tokens) = self.odd_tokens(start, end) {
            return tokens;
        }
        let mut tokens = 0;
        let mut from = start;
        while let Some(border) = self.border(from, end) {
            tokens += self.part(from, border);
            from = border;
        }
        if from == start {
            self.merge_whole(start, end)
        } else {
            tokens + self.part(from, end)
        }
    }

    /// Counts a part of a piece.
    fn part(&mut self, start: usize, end: usize) -> u64 {
        // What only a whole piece is may be remembered as one: the part is merged anew.
        if self.odd.is_whole(&self.text[start..end]) {
            return self.merge_whole(start, end);
        }
        let length = end - start;
        if length > memo::LONGEST {
            return match self.vocabulary.rank_at(self.text, start, end) {
                Some(_) => 1,
                None => self.merge_whole(start, end),
            };
        }
        if length > memo::NEAR {
            return self.remembered_far(start, end);
        }
        let key = memo::near_key(self.text, start, end);
        let hash = hash(key);
        match self.room.memo.near(key, hash) {
            Some(tokens) => tokens,
            None => self.new_near(start, end, key, hash),
        }
    }

    /// Returns the first border of a piece that no join can go over.
    ///
    /// There a piece falls apart: in scripts that have many characters and no spaces, nearly at each
    /// token. The parts are then as short, and as often the same, as words are elsewhere.
    #[inline]
    fn border(&self, from: usize, end: usize) -> Option<usize> {
        (from + 1..end).find(|&at| {
            is_known_border(self.text[at - 1], self.text[at])
                && !self.vocabulary.may_join(self.text, at, at - from, end - at)
        })
    }

    /// Merges a piece that does not fall apart.
    fn merge_whole(&self, start: usize, end: usize) -> u64 {
        let mut tokens = 0;
        merge(self.vocabulary, self.text, (start, end), |_, _| tokens += 1);
        tokens
    }
}

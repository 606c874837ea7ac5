//! The count of the pieces of one text.

use super::key::{hash, is_known_border};
use super::lane::{self, Lane};
use super::memo::{self, Memo};
use super::merge::merge;
use super::odd::Odd;
use super::parents::{self, Parents};
use super::queue::{Queue, Waiting};
use super::vocabulary::Vocabulary;

/// Pieces that wait for their slot of the memo: a few windows.
const QUEUE: usize = 128;
/// So many wait before the first one is looked at: by then its slot is near.
const LAG: usize = 32;
/// Pieces that are not remembered, which wait for their slot of the vocabulary.
const NEW_QUEUE: usize = 16;
const NEW_LAG: usize = 8;
/// Pieces that are merged side by side.
const LANES: usize = 8;

/// What counting needs room for; it is lent to one text after the other.
pub(super) struct Room {
    memo: Memo,
    queue: Queue<QUEUE>,
    new: Queue<NEW_QUEUE>,
    lanes: Box<[Lane; LANES]>,
    /// A bit for each lane that has a piece.
    busy: u32,
    parents: Box<Parents>,
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
            lanes: Box::new(std::array::from_fn(|_| Lane::new())),
            busy: 0,
            parents: Box::new(Parents::new()),
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
        self.put_part(start, end, 0);
    }

    #[inline]
    fn put_part(&mut self, start: usize, end: usize, parent: u8) {
        let length = end - start;
        let mut piece = Waiting {
            start,
            end,
            parent,
            ..Waiting::default()
        };
        if length <= memo::NEAR {
            piece.key = memo::near_key(self.text, start, end);
            piece.hash = hash(piece.key);
            self.room.memo.ask_near(piece.hash);
        } else if length <= memo::LONGEST {
            piece.hash = memo::far_hash(memo::far_key(&self.text[start..end]));
            self.room.memo.ask_far(piece.hash);
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
            } else if self.room.busy != 0 {
                self.merge_on();
            } else {
                return (self.tokens, self.room);
            }
        }
    }

    #[inline]
    fn count(&mut self, piece: Waiting) {
        if piece.key == 0 {
            self.count_far(piece);
        } else if let Some(tokens) = self.room.memo.near(piece.key, piece.hash) {
            self.add(&piece, tokens);
        } else {
            self.wait_for_token(piece);
        }
    }

    /// Counts a piece of more than 15 bytes.
    #[inline(never)]
    fn count_far(&mut self, piece: Waiting) {
        if piece.end - piece.start > memo::LONGEST {
            self.count_long(piece.start, piece.end);
        } else if let Some(tokens) = self.remembered(&piece) {
            self.add(&piece, tokens);
        } else {
            self.wait_for_token(piece);
        }
    }

    /// Adds the tokens of a piece, and where it was the last part of another, remembers that.
    #[inline]
    fn add(&mut self, piece: &Waiting, tokens: u64) {
        self.tokens += tokens;
        if piece.parent != 0
            && let Some((whole, tokens)) = self.room.parents.report(piece.parent, tokens)
        {
            self.keep(&whole, tokens);
        }
    }

    /// Adds the tokens of a piece and remembers them.
    fn add_new(&mut self, piece: &Waiting, tokens: u64) {
        self.keep(piece, tokens);
        self.add(piece, tokens);
    }

    fn keep(&mut self, piece: &Waiting, tokens: u64) {
        if piece.key == 0 {
            let key = memo::far_key(&self.text[piece.start..piece.end]);
            self.room.memo.keep_far(key, piece.hash, tokens);
        } else {
            self.room.memo.keep_near(piece.key, piece.hash, tokens);
        }
    }

    /// Returns the tokens of a piece of up to 30 bytes, if they are remembered.
    #[inline]
    fn remembered(&self, piece: &Waiting) -> Option<u64> {
        if piece.key == 0 {
            let key = memo::far_key(&self.text[piece.start..piece.end]);
            self.room.memo.far(key, piece.hash)
        } else {
            self.room.memo.near(piece.key, piece.hash)
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

    /// Counts a piece of up to 30 bytes that was not remembered when it was looked at.
    fn count_new(&mut self, piece: Waiting) {
        let (start, end) = (piece.start, piece.end);
        // Another one like it may have waited before it.
        if let Some(tokens) = self.remembered(&piece) {
            self.add(&piece, tokens);
        } else if self.vocabulary.rank_at(self.text, start, end).is_some() {
            self.add_new(&piece, 1);
        } else if let Some(tokens) = self.odd_tokens(start, end) {
            self.add_new(&piece, tokens);
        } else if piece.parent != 0 || !self.fall_apart(&piece) {
            self.merge_in_lane(piece);
        }
    }

    /// Puts the parts of a piece in, if it falls apart.
    fn fall_apart(&mut self, piece: &Waiting) -> bool {
        let (mut from, end) = (piece.start, piece.end);
        let mut ends = [0; memo::LONGEST];
        let mut parts = 0;
        while let Some(border) = self.border(from, end) {
            (ends[parts], from) = (border, border);
            parts += 1;
        }
        if parts == 0 {
            return false;
        }
        ends[parts] = end;
        parts += 1;
        #[expect(clippy::cast_possible_truncation, reason = "a piece of up to 30 bytes")]
        let Some(number) = self.room.parents.add(*piece, parts as u8) else {
            return false;
        };
        from = piece.start;
        for &to in &ends[..parts] {
            // What only a whole piece is may be remembered as one: the part is merged anew.
            if self.odd.is_whole(&self.text[from..to]) {
                let part = Waiting {
                    parent: number,
                    ..Waiting::default()
                };
                let tokens = self.merge_alone(from, to);
                self.add(&part, tokens);
            } else {
                self.make_room();
                self.put_part(from, to, number);
            }
            from = to;
        }
        true
    }

    /// Counts a piece if many wait, so that another one can be put in.
    fn make_room(&mut self) {
        // Each piece that is falling apart may put one in before the next is counted.
        const { assert!(QUEUE / 2 + parents::MOST < QUEUE, "there is room for them") };
        if self.room.queue.len() > QUEUE / 2
            && let Some(piece) = self.room.queue.take(0)
        {
            self.count(piece);
        }
    }

    /// Counts a piece of more than 30 bytes.
    fn count_long(&mut self, start: usize, end: usize) {
        if self.vocabulary.rank_at(self.text, start, end).is_some() {
            self.tokens += 1;
            return;
        }
        if let Some(tokens) = self.odd_tokens(start, end) {
            self.tokens += tokens;
            return;
        }
        let mut from = start;
        while let Some(border) = self.border(from, end) {
            self.count_part(from, border);
            from = border;
        }
        if from == start {
            self.tokens += self.merge_alone(start, end);
        } else {
            self.count_part(from, end);
        }
    }

    /// Counts a part of a long piece.
    fn count_part(&mut self, start: usize, end: usize) {
        if self.odd.is_whole(&self.text[start..end]) {
            self.tokens += self.merge_alone(start, end);
        } else if end - start > memo::LONGEST {
            self.tokens += match self.vocabulary.rank_at(self.text, start, end) {
                Some(_) => 1,
                None => self.merge_alone(start, end),
            };
        } else {
            self.make_room();
            self.put(start, end);
        }
    }

    /// Counts a piece that has tokens in it which the tables do not hold, if it has.
    #[inline]
    fn odd_tokens(&self, start: usize, end: usize) -> Option<u64> {
        let mut tokens = 0;
        let found = self.odd.split(&self.text[start..end], |_, _| tokens += 1);
        found.then_some(tokens)
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

    /// Begins to merge a piece that does not fall apart.
    fn merge_in_lane(&mut self, piece: Waiting) {
        const { assert!(memo::LONGEST <= lane::WIDTH, "each of them fits in a lane") };
        while self.room.busy.trailing_ones() as usize >= LANES {
            self.merge_on();
        }
        let free = self.room.busy.trailing_ones() as usize;
        self.room.busy |= 1 << free;
        self.room.lanes[free].begin(self.vocabulary, self.text, piece);
        self.go_on(free);
    }

    /// Merges on in each lane in turn.
    fn merge_on(&mut self) {
        let mut busy = self.room.busy;
        while busy != 0 {
            self.go_on(busy.trailing_zeros() as usize);
            busy &= busy - 1;
        }
    }

    /// Merges on in a lane that has a piece.
    #[inline]
    fn go_on(&mut self, number: usize) {
        let lane = &mut self.room.lanes[number];
        if let Some(tokens) = lane.go_on(self.vocabulary, self.text) {
            let piece = lane.piece;
            self.room.busy &= !(1 << number);
            self.add_new(&piece, tokens);
        }
    }

    /// Merges a piece that does not fall apart by itself.
    fn merge_alone(&self, start: usize, end: usize) -> u64 {
        let mut tokens = 0;
        merge(self.vocabulary, self.text, (start, end), |_, _| tokens += 1);
        tokens
    }
}

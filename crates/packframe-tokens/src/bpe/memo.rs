//! How many tokens pieces were merged into, remembered.

use std::sync::Mutex;

use super::key::{INLINE, group, hash};
use super::slots::key_at;

/// Pieces that one memo holds: 68 kB, so that it stays in a cache near the processor.
const SLOTS: usize = 4096;

/// The counts of pieces of at most [`INLINE`] bytes that are no token; a new piece takes the place
/// of the one that has it. It never grows, and an answer never depends on what it holds.
pub(crate) struct Memo {
    keys: Box<[u128]>,
    counts: Box<[u8]>,
}

impl Memo {
    fn new() -> Self {
        let size = SLOTS;
        Self {
            keys: vec![0; size].into(),
            counts: vec![0; size].into(),
        }
    }

    /// Returns the tokens of `text[start..end]`, merged only if they are not remembered.
    #[inline]
    pub(crate) fn count(
        &mut self,
        text: &[u8],
        (start, end): (usize, usize),
        merge: impl Fn() -> u64,
    ) -> u64 {
        if end - start > INLINE {
            return merge();
        }
        let key = key_at(text, start, end - start);
        let place = group(hash(key), SLOTS);
        if self.keys[place] == key {
            return u64::from(self.counts[place]);
        }
        let count = merge();
        self.keys[place] = key;
        self.counts[place] =
            u8::try_from(count).expect("a piece of 15 bytes has at most 15 tokens");
        count
    }
}

/// Memos, lent to one count at a time.
#[derive(Default)]
pub(crate) struct Memos(Mutex<Vec<Memo>>);

impl Memos {
    /// The memos that are kept.
    const KEPT: usize = 8;

    /// Takes a memo that is free, or makes one.
    ///
    /// It never waits: where another thread is at the list (or was, when the process forked), a
    /// new memo is cheaper.
    pub(crate) fn borrow(&self) -> Memo {
        let kept = self.0.try_lock().ok().and_then(|mut memos| memos.pop());
        kept.unwrap_or_else(Memo::new)
    }

    /// Keeps a memo for the next count, if there is room.
    pub(crate) fn give_back(&self, memo: Memo) {
        if let Ok(mut memos) = self.0.try_lock()
            && memos.len() < Self::KEPT
        {
            memos.push(memo);
        }
    }
}

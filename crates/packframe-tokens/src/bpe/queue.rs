//! Pieces that wait until what is looked up for them is near.

/// A piece that waits.
#[derive(Clone, Copy, Default)]
pub(super) struct Waiting {
    /// Its near key, or 0 for a longer piece.
    pub(super) key: u128,
    /// The hash of its key, near or far.
    pub(super) hash: u64,
    /// Where it is in the text.
    pub(super) start: usize,
    pub(super) end: usize,
    /// The number of the piece that it is a part of, or 0.
    pub(super) parent: u8,
}

/// A queue of at most `N` pieces, a power of two.
pub(super) struct Queue<const N: usize> {
    waiting: Box<[Waiting; N]>,
    /// Pieces taken out, and put in, so far.
    taken: usize,
    put: usize,
}

impl<const N: usize> Queue<N> {
    pub(super) fn new() -> Self {
        Self {
            waiting: Box::new([Waiting::default(); N]),
            taken: 0,
            put: 0,
        }
    }

    /// Returns how many pieces wait.
    #[inline]
    pub(super) const fn len(&self) -> usize {
        self.put - self.taken
    }

    /// Puts a piece in; there is room for it.
    #[inline]
    pub(super) fn put(&mut self, piece: Waiting) {
        debug_assert!(self.len() < N, "whoever puts in takes out");
        self.waiting[self.put & (N - 1)] = piece;
        self.put += 1;
    }

    /// Takes out the piece that has waited longest, if more than so many wait.
    #[inline]
    pub(super) fn take(&mut self, more_than: usize) -> Option<Waiting> {
        (self.len() > more_than).then(|| {
            self.taken += 1;
            self.waiting[(self.taken - 1) & (N - 1)]
        })
    }
}

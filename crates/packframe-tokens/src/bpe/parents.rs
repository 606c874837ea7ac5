//! Pieces whose parts are counted each by itself.

use super::queue::Waiting;

/// So many fall apart at a time.
pub(super) const MOST: usize = 32;

/// The pieces that fell apart and have parts that are not counted yet. They are numbered from 1.
pub(super) struct Parents {
    all: [Parent; MOST],
    /// A bit for each that is in use.
    used: u32,
}

#[derive(Clone, Copy, Default)]
struct Parent {
    piece: Waiting,
    /// The parts that are not counted yet.
    parts: u8,
    /// The tokens of the others.
    tokens: u64,
}

impl Parents {
    pub(super) fn new() -> Self {
        Self {
            all: [Parent::default(); MOST],
            used: 0,
        }
    }

    /// Takes a piece in and returns its number; `None` where too many are in.
    pub(super) fn add(&mut self, piece: Waiting, parts: u8) -> Option<u8> {
        let at = self.used.trailing_ones() as usize;
        *self.all.get_mut(at)? = Parent {
            piece,
            parts,
            tokens: 0,
        };
        self.used |= 1 << at;
        u8::try_from(at + 1).ok()
    }

    /// Adds the tokens of a part. With those of the last one the piece is out, with all its tokens.
    pub(super) fn report(&mut self, number: u8, tokens: u64) -> Option<(Waiting, u64)> {
        let at = usize::from(number) - 1;
        let parent = &mut self.all[at];
        parent.tokens += tokens;
        parent.parts -= 1;
        (parent.parts == 0).then(|| {
            self.used &= !(1 << at);
            (parent.piece, parent.tokens)
        })
    }
}

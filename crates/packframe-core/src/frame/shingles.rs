//! What texts are compared by: the sets of three words that stand side by side.

use std::collections::hash_map::DefaultHasher;
use std::hash::Hasher;

use super::terms::{Piece, each_piece, fold, fold_into};

/// Words of a shingle; in runs of scripts without spaces, characters.
const WIDTH: usize = 3;

/// The shingles of some rows, as hashes.
///
/// They are `SipHash`es of 64 bits, which nobody finds a second text for, and each is the same on
/// every platform.
#[derive(Debug, Default)]
pub(super) struct Shingles {
    all: Vec<u64>,
    ends: Vec<usize>,
}

impl Shingles {
    /// Makes the shingles of texts; a row without a text has none. Linear, but for a sort per row.
    pub(super) fn of<'a>(texts: impl Iterator<Item = Option<&'a str>>) -> Self {
        let mut shingles = Self::default();
        let mut own = Vec::new();
        for text in texts {
            own.clear();
            if let Some(text) = text {
                collect(text, &mut own);
                own.sort_unstable();
                own.dedup();
            }
            shingles.all.extend_from_slice(&own);
            shingles.ends.push(shingles.all.len());
        }
        shingles
    }

    /// Returns the shingles of a row, each once, in the order of their hashes.
    pub(super) fn row(&self, row: usize) -> &[u64] {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.all[start..self.ends[row]]
    }

    /// Returns the number of all.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns all.
    pub(super) fn all(&self) -> &[u64] {
        &self.all
    }
}

/// Puts the shingles of a text behind what is there. A text of fewer words is one shingle.
fn collect(text: &str, shingles: &mut Vec<u64>) {
    let mut window = [0; WIDTH];
    let mut words = 0;
    let mut folded = String::new();
    let mut add = |word: &str| {
        window.rotate_left(1);
        window[WIDTH - 1] = hash([word.as_bytes()]);
        words += 1;
        if words >= WIDTH {
            shingles.push(joined(&window));
        }
    };
    each_piece(text, |piece| match piece {
        Piece::Word(word) => {
            folded.clear();
            fold_into(word, &mut folded);
            add(&folded);
        }
        Piece::Run(run) => {
            for character in run.chars() {
                add(fold(character).encode_utf8(&mut [0; 4]));
            }
        }
    });
    if (1..WIDTH).contains(&words) {
        shingles.push(joined(&window[WIDTH - words..]));
    }
}

fn joined(words: &[u64]) -> u64 {
    hash(words.iter().map(|word| word.to_le_bytes()))
}

fn hash(parts: impl IntoIterator<Item = impl AsRef<[u8]>>) -> u64 {
    let mut hasher = DefaultHasher::new();
    for part in parts {
        hasher.write(part.as_ref());
    }
    hasher.finish()
}

/// Returns how many shingles two rows share.
pub(super) fn shared(a: &[u64], b: &[u64]) -> usize {
    let (mut at, mut to, mut shared) = (0, 0, 0);
    while let (Some(ours), Some(theirs)) = (a.get(at), b.get(to)) {
        at += usize::from(ours <= theirs);
        to += usize::from(theirs <= ours);
        shared += usize::from(ours == theirs);
    }
    shared
}

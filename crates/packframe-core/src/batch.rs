//! Many texts counted at once, on several threads where that pays.

use std::num::NonZeroUsize;
use std::ops::Range;

use packframe_tokens::{Seams, Tokenizer, TokenizerError};

use crate::share::{share_out, threads_for};

/// Shares that a thread takes one after the other, so that none is left with a long one alone.
const SHARES_A_THREAD: usize = 8;
/// The least bytes of a share: a smaller one is taken up more often than it is worth.
const LEAST_SHARE: usize = 4_096;
/// What a text weighs over its bytes, so that many empty ones are not one share.
const TEXT_WEIGHT: usize = 16;
/// Bytes of a long text that are searched for a seam at a time.
const SEAM_WINDOW: usize = 4_096;

/// Counts each text, in order, on at most so many threads; `None` leaves it to the batch.
///
/// A thread is started for each [`Tokenizer::bytes_for_a_thread`] of text, or for sixteen times as
/// much if nobody asks for threads, never more than there are cores, and all have ended when this returns: nothing is left that a fork could tear. The
/// calling thread is one of them. The counts do not depend on the threads; nor does the error,
/// which is that of the first text that fails.
///
/// # Errors
///
/// As [`Tokenizer::count_batch`].
pub(crate) fn count(
    tokenizer: &dyn Tokenizer,
    texts: &[&str],
    most: Option<NonZeroUsize>,
) -> Result<Vec<u64>, TokenizerError> {
    let threads = threads(tokenizer, texts, most);
    if threads < 2 {
        return tokenizer.count_batch(texts);
    }
    let batch = Batch::new(tokenizer, texts, threads);
    let done = share_out(batch.shares.len(), threads, |at| {
        batch.count(&batch.shares[at])
    })
    .map_err(|(_, error)| error)?;
    // A tokenizer that leaves counts out is asked for all of them: the caller sees how many.
    batch
        .gather(done)
        .map_or_else(|| tokenizer.count_batch(texts), Ok)
}

/// Returns how many threads are worth it.
fn threads(tokenizer: &dyn Tokenizer, texts: &[&str], most: Option<NonZeroUsize>) -> usize {
    let Some(bytes) = tokenizer.bytes_for_a_thread() else {
        return 1;
    };
    threads_for(weight(texts), bytes, most)
}

fn weight(texts: &[&str]) -> usize {
    texts.iter().map(|text| text.len() + TEXT_WEIGHT).sum()
}

/// What a thread takes at a time.
enum Share<'a> {
    /// Texts that stand side by side.
    Texts(Range<usize>),
    /// Bytes of one text, between two of its seams.
    Piece(usize, &'a str),
}

/// The counts of a share, or the units of a piece.
type Done = (usize, Vec<u64>);

/// A batch that is counted on several threads.
struct Batch<'a> {
    tokenizer: &'a dyn Tokenizer,
    texts: &'a [&'a str],
    shares: Vec<Share<'a>>,
}

impl<'a> Batch<'a> {
    fn new(tokenizer: &'a dyn Tokenizer, texts: &'a [&'a str], threads: usize) -> Self {
        let size = (weight(texts) / (threads * SHARES_A_THREAD)).max(LEAST_SHARE);
        let mut shares = Vec::new();
        let (mut first, mut filled) = (0, 0);
        for (at, text) in texts.iter().enumerate() {
            let seams = tokenizer.seams().filter(|_| text.len() > 2 * size);
            if let Some(seams) = seams {
                if first < at {
                    shares.push(Share::Texts(first..at));
                }
                let pieces = Pieces {
                    seams,
                    rest: text,
                    size,
                };
                shares.extend(pieces.map(|piece| Share::Piece(at, piece)));
                (first, filled) = (at + 1, 0);
                continue;
            }
            filled += text.len() + TEXT_WEIGHT;
            if filled >= size {
                shares.push(Share::Texts(first..at + 1));
                (first, filled) = (at + 1, 0);
            }
        }
        if first < texts.len() {
            shares.push(Share::Texts(first..texts.len()));
        }
        Self {
            tokenizer,
            texts,
            shares,
        }
    }

    fn count(&self, share: &Share<'_>) -> Result<Vec<u64>, TokenizerError> {
        match share {
            Share::Texts(range) => self
                .tokenizer
                .count_batch(&self.texts[range.clone()])
                .map_err(|error| error.behind(range.start)),
            Share::Piece(_, piece) => {
                let seams = self.tokenizer.seams().expect("a piece was cut at a seam");
                Ok(vec![seams.units(piece)])
            }
        }
    }

    /// Puts the counts in the order of the texts; `None` where a share has not one for each text.
    fn gather(&self, done: Vec<Done>) -> Option<Vec<u64>> {
        let mut counts = vec![0; self.texts.len()];
        let mut long = Vec::new();
        for (share, counted) in done {
            match &self.shares[share] {
                Share::Texts(range) if counted.len() == range.len() => {
                    counts[range.clone()].copy_from_slice(&counted);
                }
                Share::Texts(_) => return None,
                Share::Piece(at, _) => {
                    counts[*at] += counted.iter().sum::<u64>();
                    long.push(*at);
                }
            }
        }
        long.sort_unstable();
        long.dedup();
        if let Some(seams) = self.tokenizer.seams() {
            for at in long {
                counts[at] = seams.tokens(counts[at]);
            }
        }
        Some(counts)
    }
}

/// A text cut at seams, into pieces of about one size.
struct Pieces<'a> {
    seams: &'a dyn Seams,
    rest: &'a str,
    size: usize,
}

impl<'a> Iterator for Pieces<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        if self.rest.is_empty() {
            return None;
        }
        let end = self.cut().unwrap_or(self.rest.len());
        let (piece, rest) = self.rest.split_at(end);
        self.rest = rest;
        Some(piece)
    }
}

impl Pieces<'_> {
    /// Finds a seam from where a piece may end: only the characters next to one decide, so that a
    /// window is enough to see it.
    fn cut(&self) -> Option<usize> {
        let mut from = character_from(self.rest, self.size);
        while self.rest.len() - from > self.size / 2 {
            let to = character_from(self.rest, from + SEAM_WINDOW);
            if let Some(seam) = self.seams.first_seam(&self.rest[from..to]) {
                return Some(from + seam);
            }
            from = to;
        }
        None
    }
}

/// Returns where the first character starts that is not before `at`.
fn character_from(text: &str, at: usize) -> usize {
    (at..text.len())
        .find(|&at| text.is_char_boundary(at))
        .unwrap_or(text.len())
}

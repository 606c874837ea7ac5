//! What is known of the last stretch of a text that grows.

/// What a tokenizer remembers of the stretch that it counted last, so that it need not count all of
/// it again when something is appended. It is made empty, and belongs to one stretch.
#[derive(Debug, Clone, Default)]
pub struct Unfinished {
    /// How many bytes of the stretch were looked at, if its last piece ended there; else 0.
    pub(crate) looked: usize,
    /// Where its last piece starts.
    pub(crate) piece: usize,
    /// The tokens of the pieces before.
    pub(crate) before: u64,
    /// Where the tokens of the last piece end.
    pub(crate) ends: Vec<usize>,
}

impl Unfinished {
    /// Forgets what is behind the first bytes of the stretch.
    pub(crate) fn shorten(&mut self, length: usize) {
        // Where the last piece of a shorter text starts and ends has to be looked up again.
        self.looked = 0;
        let known = self.ends.partition_point(|&end| end <= length);
        self.ends.truncate(known);
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.looked = 0;
        self.piece = 0;
        self.before = 0;
        self.ends.clear();
    }
}

/// How far the count of a stretch is settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Advance {
    /// The bytes of its start that are settled: whatever is appended, their units are these, and
    /// the rest is counted as if it stood alone.
    pub settled: usize,
    /// The units of what is settled.
    pub units: u64,
    /// The units of the rest, as it is now.
    pub rest: u64,
}

//! Rows that share one fate.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use crate::error::{Error, ErrorKind};
use crate::frame::Frame;
use crate::word::Retention;

/// The groups of a frame, numbered by the place of their first row.
#[derive(Debug)]
pub(crate) struct Groups {
    of: Box<[u32]>,
    /// The rows of all groups, one group after the other.
    rows: Box<[u32]>,
    /// Where the rows of each group start, and one more for the end.
    starts: Box<[u32]>,
    /// The rows that messages tie, for the word of a group's kind.
    tied: Vec<u32>,
}

impl Groups {
    /// Finds the groups of a frame; with `of_messages`, messages say what belongs together, too. Linear, but
    /// for the roots that are looked up.
    ///
    /// # Errors
    ///
    /// `InvalidMessages` for calls and results that do not pair; `InvalidItem` for a group in two
    /// sections; `InvalidOption` for more rows than can be numbered.
    pub(crate) fn of(frame: &Frame, of_messages: bool) -> Result<Self, Error> {
        let count = u32::try_from(frame.len()).map_err(|_| {
            Error::invalid_option("frame", frame.len().to_string(), "has too many rows", None)
        })?;
        let pairs = if of_messages {
            frame.ties()?
        } else {
            Vec::new()
        };
        if pairs.is_empty() && frame.groups.is_none() {
            let of: Box<[u32]> = (0..count).collect();
            return Ok(Self {
                rows: of.clone(),
                starts: (0..=count).collect(),
                of,
                tied: Vec::new(),
            });
        }
        let mut roots: Vec<u32> = (0..count).collect();
        let mut tied = Vec::new();
        for (a, b) in pairs {
            union(&mut roots, a, b);
            tied.push(index(a));
            tied.push(index(b));
        }
        tied.sort_unstable();
        tied.dedup();
        let mut named: HashMap<&str, usize, FixedState> = HashMap::default();
        for row in 0..frame.len() {
            if let Some(name) = frame.group(row) {
                let first = *named.entry(name).or_insert(row);
                union(&mut roots, first, row);
            }
        }
        let groups = Self::number(&mut roots, tied);
        groups.check_sections(frame)?;
        Ok(groups)
    }

    fn number(roots: &mut [u32], tied: Vec<u32>) -> Self {
        let mut number = vec![u32::MAX; roots.len()];
        let mut of = Vec::with_capacity(roots.len());
        let mut sizes: Vec<u32> = Vec::new();
        for row in 0..roots.len() {
            let root = find(roots, row);
            if number[root] == u32::MAX {
                number[root] = index(sizes.len());
                sizes.push(0);
            }
            sizes[number[root] as usize] += 1;
            of.push(number[root]);
        }
        let mut starts = Vec::with_capacity(sizes.len() + 1);
        let mut next = 0;
        for size in sizes {
            starts.push(next);
            next += size;
        }
        starts.push(next);
        let mut rows = vec![0; of.len()];
        let mut free = starts.clone();
        for (row, &group) in of.iter().enumerate() {
            rows[free[group as usize] as usize] = index(row);
            free[group as usize] += 1;
        }
        Self {
            of: of.into(),
            rows: rows.into(),
            starts: starts.into(),
            tied,
        }
    }

    fn check_sections(&self, frame: &Frame) -> Result<(), Error> {
        if frame.sections.is_none() {
            return Ok(());
        }
        for group in 0..self.len() {
            let rows = self.rows(group);
            let first = rows[0] as usize;
            for &row in &rows[1..] {
                let row = row as usize;
                if frame.section(row) != frame.section(first) {
                    return Err(Error::new(ErrorKind::InvalidItem {
                        row: Some(row),
                        rows: vec![first, row],
                        field: "section".to_owned(),
                        value: frame
                            .section(row)
                            .map_or_else(|| "None".to_owned(), |name| format!("'{name}'")),
                        problem: "is not the section of another member of its group".into(),
                        suggestion: Some("one section for all members of a group".to_owned()),
                    }));
                }
            }
        }
        Ok(())
    }

    /// Returns the number of groups.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the group of a row.
    pub(crate) fn of_row(&self, row: usize) -> usize {
        self.of[row] as usize
    }

    /// Returns the rows of a group, in order.
    pub(crate) fn rows(&self, group: usize) -> &[u32] {
        &self.rows[self.starts[group] as usize..self.starts[group + 1] as usize]
    }

    /// Returns the strongest retention of a group's rows. Linear in them: asked for each row, it
    /// would be quadratic.
    pub(crate) fn retention(&self, frame: &Frame, group: usize) -> Retention {
        self.rows(group)
            .iter()
            .map(|&row| frame.retention(row as usize))
            .max()
            .unwrap_or(Retention::Optional)
    }

    /// Returns the retention of every group. Linear.
    pub(crate) fn retentions(&self, frame: &Frame) -> Vec<Retention> {
        (0..self.len())
            .map(|group| self.retention(frame, group))
            .collect()
    }

    /// Returns the word for what holds a group together: `chat`, `named`, or `mixed` for both.
    pub(crate) fn kind(&self, frame: &Frame, group: usize) -> &'static str {
        let rows = self.rows(group);
        let tied = rows.iter().any(|row| self.tied.binary_search(row).is_ok());
        let named = rows.iter().any(|&row| frame.group(row as usize).is_some());
        match (tied, named) {
            (true, true) => "mixed",
            (true, false) => "chat",
            _ => "named",
        }
    }
}

fn index(row: usize) -> u32 {
    u32::try_from(row).expect("the number of rows was checked")
}

fn find(roots: &mut [u32], row: usize) -> usize {
    let mut at = row;
    while roots[at] as usize != at {
        roots[at] = roots[roots[at] as usize];
        at = roots[at] as usize;
    }
    at
}

/// Joins two sets; the smaller root stays, so that a root is its set's first row.
fn union(roots: &mut [u32], a: usize, b: usize) {
    let (a, b) = (find(roots, a), find(roots, b));
    let (low, high) = (a.min(b), a.max(b));
    roots[high] = index(low);
}

//! The id of each row: given by the caller, or made from the content.

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::sync::Arc;

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use super::{Frame, sparse};
use crate::content::hex;
use crate::error::{Error, ErrorKind};
use crate::nearest::nearest;
use crate::once::once;

type Index = HashMap<Arc<str>, usize, FixedState>;

/// The ids of all rows, and where each stands.
#[derive(Debug)]
pub(super) struct Ids {
    of: Box<[Arc<str>]>,
    rows: Index,
}

impl Frame {
    /// Returns the id of a row; a missing one is made from the content.
    ///
    /// The first call makes the ids of all rows, which hashes every content without a given id.
    #[must_use]
    pub fn id(&self, row: usize) -> &Arc<str> {
        match sparse(self.given_ids.as_ref(), row) {
            Some(id) => id,
            None => &self.all_ids().of[row],
        }
    }

    /// Returns the row that has an id.
    #[must_use]
    pub fn row_of(&self, id: &str) -> Option<usize> {
        self.all_ids().rows.get(id).copied()
    }

    /// Returns the id of a row that is nearest to one that no row has, if one is near enough to be
    /// meant. Linear in rows.
    #[must_use]
    pub fn near_id(&self, id: &str) -> Option<&str> {
        nearest(id, (0..self.len()).map(|row| &**self.id(row)))
    }

    fn all_ids(&self) -> &Ids {
        once(&self.ids, || self.make_ids().0)
    }

    /// Makes every id; the second part is the first pair of rows that have the same one.
    ///
    /// A made id is the first twelve hexadecimal digits of the content's hash and how many rows
    /// with these digits stand up to here, so that a new row renames only later rows of equal
    /// content. Nothing is hashed where every id is given.
    fn make_ids(&self) -> (Ids, Option<(usize, usize)>) {
        let mut seen: HashMap<[u8; 6], usize, FixedState> = HashMap::default();
        let mut rows = Index::with_capacity_and_hasher(self.len(), FixedState::default());
        let mut clash = None;
        let any_missing = self
            .given_ids
            .as_ref()
            .is_none_or(|given| given.iter().any(Option::is_none));
        let of: Box<[Arc<str>]> = (0..self.len())
            .map(|row| {
                let occurrence = if any_missing {
                    self.occurrence(row, &mut seen)
                } else {
                    0
                };
                let id = sparse(self.given_ids.as_ref(), row)
                    .cloned()
                    .unwrap_or_else(|| {
                        format!("{}-{occurrence}", &hex(self.contents[row].hash())[..12]).into()
                    });
                if let Some(first) = rows.insert(Arc::clone(&id), row) {
                    clash.get_or_insert((first, row));
                }
                id
            })
            .collect();
        (Ids { of, rows }, clash)
    }

    fn occurrence(&self, row: usize, seen: &mut HashMap<[u8; 6], usize, FixedState>) -> usize {
        let mut start = [0; 6];
        start.copy_from_slice(&self.contents[row].hash()[..6]);
        *seen
            .entry(start)
            .and_modify(|count| *count += 1)
            .or_insert(1)
    }

    /// Refuses two equal ids. Hashes contents only where a given id looks like a made one.
    pub(super) fn check_ids(&self) -> Result<(), Error> {
        let Some(given) = &self.given_ids else {
            return Ok(());
        };
        // Row numbers only: a table of the ids themselves would be six times as large.
        let hasher = FixedState::default();
        let mut rows: HashTable<u32> = HashTable::with_capacity(given.len());
        let mut looks_made = false;
        for (row, id) in given.iter().enumerate() {
            let Some(id) = id else { continue };
            let same = |other: &u32| given[*other as usize].as_ref() == Some(id);
            let rehash = |other: &u32| hasher.hash_one(&given[*other as usize]);
            match rows.entry(hasher.hash_one(&given[row]), same, rehash) {
                Entry::Occupied(first) => return Err(duplicate(*first.get() as usize, row, id)),
                Entry::Vacant(free) => free.insert(u32::try_from(row).unwrap_or(u32::MAX)),
            };
            looks_made |= is_made(id);
        }
        if !looks_made || rows.len() == given.len() {
            return Ok(());
        }
        let (ids, clash) = self.make_ids();
        if let Some((first, row)) = clash {
            return Err(duplicate(first, row, &ids.of[row]));
        }
        // Another thread may have been first: its ids are the same.
        let _ = self.ids.set(ids);
        Ok(())
    }
}

fn is_made(id: &str) -> bool {
    let bytes = id.as_bytes();
    bytes.len() > 13
        && bytes[12] == b'-'
        && bytes[..12]
            .iter()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        && bytes[13..].iter().all(u8::is_ascii_digit)
}

fn duplicate(first: usize, row: usize, id: &str) -> Error {
    Error::new(ErrorKind::InvalidItem {
        row: Some(row),
        rows: vec![first, row],
        field: "id".to_owned(),
        value: format!("'{id}'"),
        problem: "stands twice in the frame".into(),
        suggestion: Some("an id of its own for each row".to_owned()),
    })
}

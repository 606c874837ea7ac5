//! What groups ask of each other: to be there, or not to be.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::FixedState;

use super::groups::Groups;
use crate::error::{Error, ErrorKind};
use crate::frame::Frame;
use crate::nearest::nearest;
use crate::word::Retention;

/// The requirements and the exclusive keys of the groups of a frame.
#[derive(Debug, Default)]
pub(crate) struct Bonds {
    /// Of each group, the groups that its rows require; empty where no row requires any.
    needs: Vec<Box<[u32]>>,
    /// Of each group, the groups that require it; empty where no row requires any.
    needed_by: Vec<Box<[u32]>>,
    /// Of each group, the exclusive keys of its rows; empty where no row has one.
    keys: Vec<Box<[u32]>>,
    /// How many different keys there are.
    pub(crate) key_count: usize,
    /// What each key is called.
    names: Vec<Arc<str>>,
    /// The rows that require an id that no row has, and the first such id of each.
    unknown: HashMap<u32, Arc<str>, FixedState>,
}

impl Bonds {
    /// Finds the bonds of a frame. Linear in rows, requirements and keys.
    pub(crate) fn of(frame: &Frame, groups: &Groups) -> Self {
        let mut bonds = Self::default();
        if frame.extras.is_none() {
            return bonds;
        }
        let mut numbers: HashMap<&str, u32, FixedState> = HashMap::default();
        let merged: HashMap<&str, &str> = frame
            .merges()
            .iter()
            .map(|merge| (&*merge.id, &*merge.into_id))
            .collect();
        let mut needs: Vec<Vec<u32>> = Vec::new();
        let mut keys: Vec<Vec<u32>> = Vec::new();
        for row in 0..frame.len() {
            let Some(extra) = frame.extra(row) else {
                continue;
            };
            let group = groups.of_row(row);
            if let Some(key) = &extra.exclusive {
                let next = index(numbers.len());
                let number = *numbers.entry(key).or_insert(next);
                if number == next {
                    bonds.names.push(Arc::clone(key));
                }
                keys.resize(groups.len(), Vec::new());
                keys[group].push(number);
            }
            for id in &extra.requires {
                let found = frame
                    .row_of(id)
                    .or_else(|| merged.get(&**id).and_then(|into| frame.row_of(into)));
                match found {
                    Some(other) => {
                        let other = groups.of_row(other);
                        if other != group {
                            needs.resize(groups.len(), Vec::new());
                            needs[group].push(index(other));
                        }
                    }
                    None => {
                        bonds
                            .unknown
                            .entry(index(row))
                            .or_insert_with(|| Arc::clone(id));
                    }
                }
            }
        }
        bonds.key_count = numbers.len();
        bonds.needs = settled(needs);
        let mut needed_by: Vec<Vec<u32>> = vec![Vec::new(); bonds.needs.len()];
        for (group, needs) in bonds.needs.iter().enumerate() {
            for &other in needs {
                needed_by[other as usize].push(index(group));
            }
        }
        bonds.needed_by = settled(needed_by);
        bonds.keys = settled(keys);
        bonds
    }

    /// Returns the groups that a group requires.
    pub(crate) fn needs(&self, group: usize) -> &[u32] {
        self.needs.get(group).map_or(&[], |needs| needs)
    }

    /// Returns the groups that require a group.
    pub(crate) fn needed_by(&self, group: usize) -> &[u32] {
        self.needed_by.get(group).map_or(&[], |groups| groups)
    }

    /// Returns the exclusive keys of a group.
    pub(crate) fn keys(&self, group: usize) -> &[u32] {
        self.keys.get(group).map_or(&[], |keys| keys)
    }

    /// Returns what a key is called.
    pub(crate) fn name(&self, key: u32) -> &str {
        &self.names[key as usize]
    }

    /// Says whether no group has a bond.
    pub(crate) fn none(&self) -> bool {
        self.needs.is_empty() && self.keys.is_empty()
    }

    /// Says whether some group requires another.
    pub(crate) fn has_needs(&self) -> bool {
        !self.needs.is_empty()
    }

    /// Says whether a group requires another or has rivals.
    pub(crate) fn binds(&self, group: usize) -> bool {
        !self.needs(group).is_empty() || !self.keys(group).is_empty()
    }

    /// Says whether a row of a group requires an id that no row has.
    pub(crate) fn asks_unknown(&self, groups: &Groups, group: usize) -> bool {
        !self.unknown.is_empty()
            && groups
                .rows(group)
                .iter()
                .any(|row| self.unknown.contains_key(row))
    }

    /// Returns the rows that require an id that no row has, in order.
    pub(crate) fn unknown_rows(&self) -> Vec<usize> {
        let mut rows: Vec<usize> = self.unknown.keys().map(|&row| row as usize).collect();
        rows.sort_unstable();
        rows
    }

    /// Makes required what required groups require. Linear.
    pub(crate) fn spread(&self, retentions: &mut [Retention]) {
        if self.needs.is_empty() {
            return;
        }
        let mut open: Vec<u32> = (0..index(retentions.len()))
            .filter(|&group| retentions[group as usize] == Retention::Required)
            .collect();
        while let Some(group) = open.pop() {
            for &other in self.needs(group as usize) {
                if retentions[other as usize] != Retention::Required {
                    retentions[other as usize] = Retention::Required;
                    open.push(other);
                }
            }
        }
    }

    /// Refuses required groups that cannot be there together, or that require what is not there.
    ///
    /// # Errors
    ///
    /// `InvalidItem` naming the rows.
    pub(crate) fn check(
        &self,
        frame: &Frame,
        groups: &Groups,
        retentions: &[Retention],
    ) -> Result<(), Error> {
        let required = |group: usize| retentions[group] == Retention::Required;
        let unknown = self
            .unknown
            .iter()
            .filter(|(row, _)| required(groups.of_row(**row as usize)))
            .min_by_key(|(row, _)| **row);
        if let Some((&row, id)) = unknown {
            return Err(unknown_id(frame, row as usize, id));
        }
        let mut holder: Vec<Option<usize>> = vec![None; self.key_count];
        for group in (0..groups.len()).filter(|&group| required(group)) {
            for &key in self.keys(group) {
                match holder[key as usize] {
                    Some(first) if first != group => {
                        return Err(rivals(frame, groups, first, group));
                    }
                    _ => holder[key as usize] = Some(group),
                }
            }
        }
        Ok(())
    }
}

fn settled(lists: Vec<Vec<u32>>) -> Vec<Box<[u32]>> {
    lists
        .into_iter()
        .map(|mut list| {
            list.sort_unstable();
            list.dedup();
            list.into()
        })
        .collect()
}

fn index(number: usize) -> u32 {
    u32::try_from(number).expect("the number of rows was checked")
}

fn unknown_id(frame: &Frame, row: usize, id: &str) -> Error {
    let known: Vec<&str> = (0..frame.len()).map(|row| &**frame.id(row)).collect();
    Error::new(ErrorKind::InvalidItem {
        row: Some(row),
        rows: vec![row],
        field: "requires".to_owned(),
        value: format!("'{id}'"),
        problem: "is the id of no row, and the item is required".into(),
        suggestion: Some(
            nearest(id, known.iter().copied()).map_or("the id of a row".to_owned(), str::to_owned),
        ),
    })
}

fn rivals(frame: &Frame, groups: &Groups, first: usize, second: usize) -> Error {
    let shared = |row: u32| {
        frame
            .extra(row as usize)
            .and_then(|extra| extra.exclusive.clone())
    };
    let (mut rows, mut key) = (Vec::new(), None);
    for &a in groups.rows(first) {
        for &b in groups.rows(second) {
            if rows.is_empty() && shared(a).is_some() && shared(a) == shared(b) {
                key = shared(a);
                rows = vec![a as usize, b as usize];
            }
        }
    }
    rows.sort_unstable();
    Error::new(ErrorKind::InvalidItem {
        row: rows.last().copied(),
        rows,
        field: "exclusive".to_owned(),
        value: key.map_or_else(String::new, |key| format!("'{key}'")),
        problem: "is the key of two required groups".into(),
        suggestion: Some("another key, or only one of them required".to_owned()),
    })
}

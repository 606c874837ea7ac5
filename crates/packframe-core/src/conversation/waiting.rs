//! Calls that wait for a result, by key.

use super::view::View;

/// Open calls by key in their order, the newest on top.
#[derive(Debug)]
pub(super) struct Waiting {
    calls: Vec<Vec<usize>>,
    /// Of each key, how many calls stand before all results that are still to come.
    passed: Vec<usize>,
}

impl Waiting {
    pub(super) fn new(view: &View<'_>) -> Self {
        Self {
            calls: vec![Vec::new(); view.keys()],
            passed: vec![0; view.keys()],
        }
    }

    pub(super) fn push(&mut self, key: u32, call: usize) {
        self.calls[key as usize].push(call);
    }

    /// Returns the newest call.
    pub(super) fn top(&self, key: u32) -> Option<usize> {
        self.calls[key as usize].last().copied()
    }

    pub(super) fn pop(&mut self, key: u32) -> Option<usize> {
        self.calls[key as usize].pop()
    }

    /// Returns the first call behind an entry; entries are asked for in their order.
    pub(super) fn next(&mut self, key: u32, behind: usize) -> Option<usize> {
        let (calls, passed) = (&self.calls[key as usize], &mut self.passed[key as usize]);
        while let Some(&call) = calls.get(*passed) {
            if call > behind {
                return Some(call);
            }
            *passed += 1;
        }
        None
    }

    /// Takes the call that was returned as the first one behind an entry.
    pub(super) fn take_next(&mut self, key: u32) {
        self.passed[key as usize] += 1;
    }
}

//! Searches without an id, tied to their outputs by place.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::entry::{Family, Kind, Status};
use super::view::View;

/// Outputs that wait, the nearest on top, by the program that owns them.
type Pending = HashMap<Option<u32>, Vec<usize>, FixedState>;

/// Returns each output with the search that it answers: from the right each search takes the
/// nearest pending later output, and on to the end of its stream. Outputs that a program owns
/// answer searches of that program only. Linear.
pub(super) fn by_place(view: &View<'_>) -> Vec<(usize, usize)> {
    let mut pending = Pending::default();
    let mut found = Vec::new();
    let owner = |at: usize| view.rows[view.entries[at].row].owner;
    for (at, entry) in view.entries.iter().enumerate().rev() {
        if entry.family != Family::Search || entry.key.is_some() || entry.fault.is_some() {
            continue;
        }
        if entry.kind == Kind::Result {
            pending.entry(owner(at)).or_default().push(at);
            continue;
        }
        while let Some(output) = nearest(&mut pending, owner(at)) {
            found.push((output, at));
            if view.entries[output].status == Status::Done {
                break;
            }
        }
    }
    found
}

/// Takes the nearest output that a search with some owner may have.
fn nearest(pending: &mut Pending, owner: Option<u32>) -> Option<usize> {
    let top = |owner| {
        pending
            .get(&owner)
            .and_then(|stack: &Vec<usize>| stack.last())
    };
    let own = owner.and_then(|owner| top(Some(owner)));
    let from = match (own, top(None)) {
        (Some(own), Some(other)) if own < other => owner,
        (Some(_), None) => owner,
        (_, Some(_)) => None,
        (None, None) => return None,
    };
    pending.get_mut(&from)?.pop()
}

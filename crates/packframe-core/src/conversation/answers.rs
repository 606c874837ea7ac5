//! Which results of a turn answer which calls of the turn before it.

use std::collections::{HashMap, HashSet, VecDeque};

use foldhash::fast::FixedState;

use super::entry::{Entry, Family};
use super::format::Format;
use super::view::View;

type Queues = HashMap<u32, VecDeque<usize>, FixedState>;

/// Returns, of each result, the call that it answers: by its id, and in Gemini, where one of the
/// two has no id, by name and order. The calls have different ids. Linear.
pub(super) fn answers(view: &View<'_>, calls: &[usize], results: &[usize]) -> Vec<Option<usize>> {
    let mut by_key = Queues::default();
    for &call in calls {
        let entry = &view.entries[call];
        if let Some(key) = entry.key.filter(|_| has_id(view, entry)) {
            by_key.entry(key).or_default().push_back(call);
        }
    }
    let mut found: Vec<Option<usize>> = results
        .iter()
        .map(|&result| {
            let entry = &view.entries[result];
            let key = entry.key.filter(|_| has_id(view, entry))?;
            by_key.get_mut(&key)?.pop_front()
        })
        .collect();
    if view.format == Format::Gemini {
        by_name(view, calls, results, &mut found);
    }
    found
}

/// Says whether an entry has an id, or a name that is as good as one.
fn has_id(view: &View<'_>, entry: &Entry<'_>) -> bool {
    entry.family != Family::Named || view.format == Format::OpenAiChat
}

fn by_name(view: &View<'_>, calls: &[usize], results: &[usize], found: &mut [Option<usize>]) {
    let mut taken: HashSet<usize, FixedState> = found.iter().flatten().copied().collect();
    let (mut all, mut without_id) = (Queues::default(), Queues::default());
    for &call in calls {
        let entry = &view.entries[call];
        if let Some(name) = entry.name_key() {
            all.entry(name).or_default().push_back(call);
            if entry.family == Family::Named {
                without_id.entry(name).or_default().push_back(call);
            }
        }
    }
    for (&result, found) in results.iter().zip(found) {
        let entry = &view.entries[result];
        let (None, Some(name)) = (*found, entry.name_key()) else {
            continue;
        };
        let queue = if entry.family == Family::Named {
            all.get_mut(&name)
        } else {
            without_id.get_mut(&name)
        };
        let Some(queue) = queue else { continue };
        while let Some(call) = queue.pop_front() {
            if taken.insert(call) {
                *found = Some(call);
                break;
            }
        }
    }
}

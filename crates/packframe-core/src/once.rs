//! Values that are made when they are first asked for.

use std::sync::OnceLock;

/// Returns the value of a cell, made now if it is not there.
///
/// Unlike `OnceLock::get_or_init` it never waits for another thread that is making the value:
/// after a fork that thread does not exist, and the child would wait for ever. Two threads may
/// both make it; the values are equal, and one of them stays.
pub(crate) fn once<T>(cell: &OnceLock<T>, value: impl FnOnce() -> T) -> &T {
    if let Some(known) = cell.get() {
        return known;
    }
    let made = value();
    cell.get_or_init(|| made)
}

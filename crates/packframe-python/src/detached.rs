//! Work without the GIL, where that pays.

use pyo3::prelude::*;

/// Text from which on work releases the GIL: below, the release costs more than it gives.
pub(crate) const DETACH_BYTES: usize = 8_192;

/// Runs work on so many bytes of text, without the GIL where they are worth it.
pub(crate) fn detached<T: Send>(
    py: Python<'_>,
    bytes: usize,
    work: impl FnOnce() -> T + Send,
) -> T {
    if bytes < DETACH_BYTES {
        work()
    } else {
        py.detach(work)
    }
}

//! Work shared out over threads that have ended when it is done.

use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

/// How many times what is worth a thread there has to be where the caller does not ask for one: on
/// a busy machine a thread waits some milliseconds for its turn, and the call waits for the thread.
/// With three jobs a core, batches of 0.3 MB took five times as long on two threads as on one, and
/// batches of 2.5 MB a tenth longer.
const UNASKED: usize = 16;

/// Returns how many threads so many bytes of work are worth, at most so many and at least one.
pub(crate) fn threads_for(work: usize, a_thread: usize, most: Option<NonZeroUsize>) -> usize {
    let (most, a_thread) = match most {
        Some(most) => (most.get(), a_thread),
        None => (usize::MAX, a_thread.saturating_mul(UNASKED)),
    };
    let worth = work / a_thread.max(1);
    if most < 2 || worth < 2 {
        return 1;
    }
    // Asked last, as the system reads files for it, and each time, as it changes.
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    most.min(worth).min(cores)
}

/// What a thread did, by share, and the share at which it failed.
type Done<T, E> = (Vec<(usize, T)>, Option<(usize, E)>);

/// Does so many shares of work, on this thread and as many others as it takes.
///
/// Returns what each share came to, in no order.
///
/// # Errors
///
/// The first share that fails, whatever the number of threads: shares are handed out in order, and
/// whoever took one does it whatever happens to others, so that the first that fails is always
/// among those that were done.
pub(crate) fn share_out<T: Send, E: Send>(
    shares: usize,
    threads: usize,
    work: impl Fn(usize) -> Result<T, E> + Sync,
) -> Result<Vec<(usize, T)>, (usize, E)> {
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let run = || -> Done<T, E> {
        let mut done = Vec::new();
        while !stop.load(Ordering::Relaxed) {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= shares {
                break;
            }
            match work(at) {
                Ok(result) => done.push((at, result)),
                Err(error) => {
                    stop.store(true, Ordering::Relaxed);
                    return (done, Some((at, error)));
                }
            }
        }
        (done, None)
    };
    let results = thread::scope(|scope| {
        // Where the system starts no more threads, those that run do the work.
        let others: Vec<_> = (1..threads)
            .map_while(|_| thread::Builder::new().spawn_scoped(scope, run).ok())
            .collect();
        let mut results = vec![run()];
        for other in others {
            results.push(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        results
    });
    let mut done = Vec::with_capacity(shares);
    let mut first: Option<(usize, E)> = None;
    for (finished, failed) in results {
        done.extend(finished);
        if let Some(failed) = failed
            && first.as_ref().is_none_or(|(share, _)| failed.0 < *share)
        {
            first = Some(failed);
        }
    }
    match first {
        Some(failed) => Err(failed),
        None => Ok(done),
    }
}

//! Many frames packed at once, on several threads where that pays.

use std::num::NonZeroUsize;
use std::sync::Arc;

use crate::content::Content;
use crate::error::Error;
use crate::frame::Frame;
use crate::history::pack;
use crate::pack::{Overflow, Pack, PackOptions, Selection, Values};
use crate::share::{share_out, threads_for};
use crate::word::Render;

/// What a row weighs over its text, in bytes that are counted in the same time: 64 kB are counted
/// in half a millisecond, and a row whose count is known is packed in a quarter to a half of a
/// microsecond.
const ROW_WEIGHT: usize = 64;
/// What a frame weighs over its rows: some microseconds.
const FRAME_WEIGHT: usize = 512;

/// Packs each frame into its own budget with the same options, in order, on at most so many
/// threads; `None` leaves that to the batch.
///
/// A thread is started for each [`bytes_for_a_thread`](packframe_tokens::Tokenizer::bytes_for_a_thread)
/// of text that was not counted before, or for sixteen times as much if nobody asks for threads, never more than there are
/// cores or frames, and all have ended when this returns. Options that run code of the caller's
/// keep all on the calling thread. Packs and error are the same for any number of threads. Costs
/// what packing the frames one by one costs; a content that several frames share is counted once,
/// or once a thread where two come to it together.
///
/// # Errors
///
/// What [`pack`] says of the first frame that fails, with [`Error::frame`].
pub fn pack_many(
    frames: &[(Arc<Frame>, Option<u64>)],
    options: &PackOptions,
    threads: Option<NonZeroUsize>,
) -> Result<Vec<Pack>, Error> {
    let one = |at: usize| {
        let (frame, budget) = &frames[at];
        let options = PackOptions {
            budget: *budget,
            ..options.clone()
        };
        pack(frame, options)
    };
    let failed = |(at, error): (usize, Error)| error.in_frame(at);
    let threads = worth(frames, options, threads).min(frames.len());
    if threads < 2 {
        return (0..frames.len())
            .map(|at| one(at).map_err(|error| failed((at, error))))
            .collect();
    }
    let mut packs = share_out(frames.len(), threads, one).map_err(failed)?;
    packs.sort_unstable_by_key(|(at, _)| *at);
    Ok(packs.into_iter().map(|(_, pack)| pack).collect())
}

/// Returns how many threads the frames are worth.
fn worth(
    frames: &[(Arc<Frame>, Option<u64>)],
    options: &PackOptions,
    most: Option<NonZeroUsize>,
) -> usize {
    let Some(a_thread) = options.profile.tokenizer().bytes_for_a_thread() else {
        return 1;
    };
    if frames.len() < 2 || calls_back(options) {
        return 1;
    }
    let as_messages = options.render() == Render::Messages;
    let weight = |content: &Content| {
        let key = options
            .profile
            .cost_key(as_messages && content.as_message().is_some());
        let known = content.cost(key).is_some();
        ROW_WEIGHT + if known { 0 } else { content.stored().len() }
    };
    let rows = |frame: &Frame| -> usize {
        let contents = frame.contents.iter();
        contents.map(|content| weight(content)).sum()
    };
    let work = frames
        .iter()
        .map(|(frame, _)| FRAME_WEIGHT + rows(frame))
        .sum();
    threads_for(work, a_thread, most)
}

/// Says whether the options run code of the caller's, which stays on the calling thread.
fn calls_back(options: &PackOptions) -> bool {
    !options.policies.is_empty()
        || !options.strategies.is_empty()
        || options.profile.counts_messages()
        || matches!(
            &options.selection,
            Selection::Optimal {
                values: Values::Asked(_),
                ..
            }
        )
        || options.overflow.iter().any(|strategy| match strategy {
            Overflow::Demote { predicate, .. } => predicate.calls_back(),
            Overflow::Error | Overflow::Truncate { .. } | Overflow::Substitute => false,
        })
}

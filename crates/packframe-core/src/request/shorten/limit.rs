//! The last cut, no shorter than it has to be.

use super::Trial;
use super::edit::Edit;
use crate::error::Error;
use crate::pack::signed;
use crate::request::settle::Settled;

/// How often what sums say to fit is packed.
const TRIES: usize = 8;

/// Packs with the last of some edits going no further than it must, where it is a cut; nothing
/// where that is the shortest.
///
/// The limit is the largest that a search by halves finds to fit as a sum.
///
/// # Errors
///
/// `TokenizerError` where the tokenizer fails.
pub(super) fn longest(
    trial: &Trial<'_>,
    mut edits: Vec<Edit>,
    settled: &Settled,
    available: i64,
) -> Result<Option<Settled>, Error> {
    let Some(last) = edits.pop() else {
        return Ok(None);
    };
    let Some((least, most)) = last.limits else {
        return Ok(None);
    };
    let (scale, searched_by) = (
        trial.shortening.scale,
        trial.shortening.options.boundary.searched_by(),
    );
    let saved = last.saved(scale, trial.is_kept)?;
    let slack = available - signed(settled.pack.total_tokens());
    // The edit with a limit, where it takes no more room than there is and shows no secret.
    let fits = |limit: u64| -> Result<Option<Edit>, Error> {
        let Some(edit) = last.with_limit(limit, scale)? else {
            return Ok(None);
        };
        let longer = saved - edit.saved(scale, trial.is_kept)?;
        let made = edit.rows.iter().filter_map(|edit| edit.after.as_ref());
        let shows = searched_by.is_some_and(|rules| {
            let mut made = made.into_iter();
            made.any(|made| made.secret(rules).is_some())
        });
        Ok((longer <= slack && !shows).then_some(edit))
    };
    let (mut low, mut high) = (least, most);
    let mut best = None;
    // Most of what a message costs more is what its texts do.
    let room = u64::try_from(slack).unwrap_or(0);
    let mut hints = [least.saturating_add(room), least.saturating_add(room) + 2].into_iter();
    while high - low > 1 {
        let hint = hints.next().filter(|hint| low < *hint && *hint < high);
        let middle = hint.unwrap_or(low + (high - low) / 2);
        match fits(middle)? {
            Some(edit) => {
                best = Some((middle, edit));
                low = middle;
            }
            None => high = middle,
        }
    }
    let mut high = low;
    for _ in 0..TRIES {
        let Some((limit, edit)) = best else {
            break;
        };
        edits.push(edit);
        if let Some(settled) = trial.of(&edits) {
            return Ok(Some(settled));
        }
        edits.pop();
        high = high.min(limit);
        let middle = least + (high - least) / 2;
        best = if middle > least && middle < limit {
            fits(middle)?.map(|edit| (middle, edit))
        } else {
            None
        };
    }
    Ok(None)
}

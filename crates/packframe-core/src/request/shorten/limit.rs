//! The last cut, no shorter than it has to be.

use super::edit::Edit;
use super::trial::Trial;
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
    tried: &Trial<'_>,
    mut made: Vec<Edit>,
    shortest: &Settled,
    available: i64,
) -> Result<Option<Settled>, Error> {
    let Some(edit) = made.pop() else {
        return Ok(None);
    };
    let Some((least, most)) = edit.limits else {
        return Ok(None);
    };
    let (scale, searched_by) = (tried.scale, tried.options.boundary.searched_by());
    let saved = edit.saved(scale, tried.is_kept)?;
    let slack = available - signed(shortest.pack.total_tokens());
    // The edit with a limit, where it takes no more room than there is and shows no secret.
    let fits = |limit: u64| -> Result<Option<Edit>, Error> {
        let Some(cut) = edit.with_limit(limit, scale)? else {
            return Ok(None);
        };
        let longer = saved - cut.saved(scale, tried.is_kept)?;
        let mut texts = cut.rows.iter().filter_map(|edit| edit.after.as_ref());
        let shows =
            searched_by.is_some_and(|rules| texts.any(|content| content.secret(rules).is_some()));
        Ok((longer <= slack && !shows).then_some(cut))
    };
    let (mut low, mut high) = (least, most);
    let mut best = None;
    // Most of what a message costs more is what its texts do: what there is room for is near.
    let likely = least.saturating_add(u64::try_from(slack).unwrap_or(0));
    let (mut next, mut step) = (likely, 2);
    while high - low > 1 {
        let limit = next.clamp(low + 1, high - 1);
        let cut = fits(limit)?;
        let is_enough = cut.is_some();
        if let Some(cut) = cut {
            best = Some((limit, cut));
            low = limit;
        } else {
            high = limit;
        }
        // By steps that double away from there, until there is one that fits and one that does not.
        next = if is_enough && low >= likely && high == most {
            low.saturating_add(step)
        } else if !is_enough && low == least && high <= likely {
            high.saturating_sub(step)
        } else {
            low + (high - low) / 2
        };
        step *= 2;
    }
    let mut high = low;
    for _ in 0..TRIES {
        let Some((limit, edit)) = best else {
            break;
        };
        made.push(edit);
        if let Some(settled) = tried.of(&made)? {
            return Ok(Some(settled));
        }
        made.pop();
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

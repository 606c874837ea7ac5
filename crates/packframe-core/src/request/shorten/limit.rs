//! The last cut, no shorter than a search finds that it has to be.

use super::edit::Edit;
use super::trial::Trial;
use crate::error::Error;
use crate::pack::signed;
use crate::request::settle::Settled;

/// How many limits are tried for the largest that fits as a sum: more than it takes where what is
/// saved falls about as the limit grows.
const STEPS: usize = 24;

/// How often what sums say to fit is packed.
const TRIES: u32 = 8;

/// Packs with the last of some edits going no further than it must, where it is a cut; nothing
/// where that is the shortest.
///
/// The limit is the largest that a search finds to fit as a sum. It goes to where the sums between
/// the nearest that fits and the nearest that does not would be the room, and further each time that
/// the same of both comes nearer, to the middle at most.
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
    let Some(cut) = &edit.cut else {
        return Ok(None);
    };
    let (scale, searched_by) = (tried.scale, tried.options.boundary.searched_by());
    let saved = edit.saved(scale, tried.is_kept);
    let slack = available - signed(shortest.pack.total_tokens());
    // The edit with a limit, the tokens by which there is no room for it, and whether it shows a
    // secret.
    let with = |limit: u64| -> Result<(Edit, i64, bool), Error> {
        let edit = Edit::cut(cut, limit, scale)?;
        let over = saved - edit.saved(scale, tried.is_kept) - slack;
        let mut texts = edit.rows.iter().filter_map(|edit| edit.after.as_ref());
        let shows =
            searched_by.is_some_and(|rules| texts.any(|content| content.secret(rules).is_some()));
        Ok((edit, over, shows))
    };
    let (mut low, mut room) = (cut.least, slack);
    let (mut high, mut over) = (cut.most(), (saved - slack).max(1));
    let mut best = None;
    // How often the nearest that fits was found anew since the other was, and the other way round.
    let (mut lows, mut highs) = (0, 0);
    for _ in 0..STEPS {
        if high <= low.saturating_add(1) || room <= 0 {
            break;
        }
        let between = high - low;
        let part = part(between, room, over)
            .max(leap(lows, between))
            .min(between - leap(highs, between));
        let limit = low + part.clamp(1, between - 1);
        let (edit, excess, shows) = with(limit)?;
        if excess <= 0 && !shows {
            best = Some((limit, edit));
            (lows, highs) = (lows + 1, 0);
            (low, room) = (limit, -excess);
        } else {
            (lows, highs) = (0, highs + 1);
            (high, over) = (limit, excess.max(1));
        }
    }
    for nth in 0..TRIES {
        let Some((limit, edit)) = best else {
            break;
        };
        made.push(edit);
        if let Some(settled) = tried.of(&made)? {
            return Ok(Some(settled));
        }
        made.pop();
        // What the sums do not say is little, most often.
        best = match limit.checked_sub(4_u64.pow(nth)) {
            Some(next) if next > cut.least => {
                let (edit, excess, shows) = with(next)?;
                (excess <= 0 && !shows).then_some((next, edit))
            }
            _ => None,
        };
    }
    Ok(None)
}

/// Returns the part of a way at which there is no room any more, where it is used up evenly.
fn part(way: u64, room: i64, over: i64) -> u64 {
    let (room, over) = (i128::from(room), i128::from(over));
    let part = i128::from(way) * room / (room + over).max(1);
    u64::try_from(part).unwrap_or(0)
}

/// Returns how far to go at least on a way where so many steps in a row came from its start.
fn leap(steps: u32, way: u64) -> u64 {
    let most = way / 2;
    match steps {
        0 => 0,
        _ => 4_u64.checked_pow(steps).unwrap_or(most).min(most),
    }
}

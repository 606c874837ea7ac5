//! The rendering counted, and the selection brought to fit it.

use packframe_tokens::Seams;

use super::cost::Costs;
use super::groups::Groups;
use super::joined::Joined;
use super::options::{PackOptions, Room, signed};
use super::select::Selection;
use crate::error::Error;
use crate::frame::Frame;
use crate::rendering;
use crate::word::Render;

/// What the rendering has, after it was made to fit.
#[derive(Debug)]
pub(crate) struct Verified {
    /// Tokens of the rendering.
    pub(crate) total: u64,
    /// Whether shortfalls come from counting joins, not from the sum of parts.
    pub(crate) counts_joins: bool,
    /// Whether the required groups alone are over.
    pub(crate) over: bool,
}

/// Counts the rendering; sheds what makes it go over, and fills the room that it leaves.
///
/// A tokenizer with seams recounts joins only. Any other recounts the whole, at most
/// ⌈log₂ n⌉ + 4 times.
///
/// # Errors
///
/// `TokenizerError` where the tokenizer fails.
pub(crate) fn verify(
    frame: &Frame,
    groups: &Groups,
    costs: &Costs,
    selection: &mut Selection,
    options: &PackOptions,
    room: Room,
) -> Result<Verified, Error> {
    let additive = costs.render == Render::Messages && options.profile.message_counter().is_none();
    if additive {
        let total = selection.sum(costs);
        return Ok(Verified {
            total,
            counts_joins: false,
            over: !room.holds(total),
        });
    }
    if costs.render == Render::Text
        && let Some(seams) = options.profile.tokenizer().seams()
        && let Some(mut joined) = join(frame, groups, costs, selection, options, seams)
    {
        return Ok(by_joins(groups, costs, selection, room, &mut joined));
    }
    by_recounts(frame, groups, costs, selection, options, room)
}

/// Joins the selected rows, if the texts have seams close enough together.
pub(crate) fn join<'a>(
    frame: &'a Frame,
    groups: &Groups,
    costs: &'a Costs,
    selection: &Selection,
    options: &'a PackOptions,
    seams: &'a dyn Seams,
) -> Option<Joined<'a>> {
    let taken = |row: &usize| selection.taken[groups.of_row(*row)];
    let candidates = selection
        .order
        .iter()
        .filter(|&&group| !selection.taken[group as usize])
        .flat_map(|&group| groups.rows(group as usize).iter().map(|&row| row as usize));
    let rows = (0..frame.len()).filter(taken);
    Joined::new(
        frame,
        costs,
        seams,
        (&options.separator, options.labels),
        rows,
        candidates,
    )
}

fn by_joins(
    groups: &Groups,
    costs: &Costs,
    selection: &mut Selection,
    room: Room,
    joined: &mut Joined<'_>,
) -> Verified {
    while !room.holds(joined.tokens()) {
        let Some(group) = selection.shed(groups, costs) else {
            return Verified {
                total: joined.tokens(),
                counts_joins: true,
                over: true,
            };
        };
        for &row in groups.rows(group) {
            joined.remove(row as usize);
        }
    }
    let mut offered: Vec<usize> = (0..selection.order.len())
        .filter(|&at| selection.is_open(at))
        .collect();
    loop {
        let before = offered.len();
        offered.retain(|&at| {
            let rows = groups.rows(selection.order[at] as usize);
            if !room.holds(joined.least_with(rows)) || !room.holds(joined.tokens_with(rows)) {
                return true;
            }
            for &row in rows {
                joined.insert(row as usize);
            }
            selection.take(groups, costs, at);
            false
        });
        if offered.len() == before {
            break;
        }
    }
    Verified {
        total: joined.tokens(),
        counts_joins: true,
        over: false,
    }
}

fn by_recounts(
    frame: &Frame,
    groups: &Groups,
    costs: &Costs,
    selection: &mut Selection,
    options: &PackOptions,
    room: Room,
) -> Result<Verified, Error> {
    let mut total = recount(frame, groups, selection, options)?;
    let mut least = 1;
    while let Some(over) = room
        .available
        .map(|available| signed(total) - available)
        .filter(|over| *over > 0)
    {
        let before = selection.sum(costs);
        let mut count = 0;
        while count < least || signed(before) - signed(selection.sum(costs)) < over {
            if selection.shed(groups, costs).is_none() {
                break;
            }
            count += 1;
        }
        if count == 0 {
            return Ok(Verified {
                total,
                counts_joins: false,
                over: true,
            });
        }
        least = 2 * count;
        total = recount(frame, groups, selection, options)?;
    }
    offer_batch(frame, groups, costs, selection, options, room, &mut total)?;
    Ok(Verified {
        total,
        counts_joins: false,
        over: false,
    })
}

fn offer_batch(
    frame: &Frame,
    groups: &Groups,
    costs: &Costs,
    selection: &mut Selection,
    options: &PackOptions,
    room: Room,
    total: &mut u64,
) -> Result<(), Error> {
    let mut expected = signed(*total);
    let (sequence, tokens, parts) = (selection.sequence.len(), selection.tokens, selection.parts);
    for at in 0..selection.order.len() {
        if !selection.is_open(at) {
            continue;
        }
        let group = selection.order[at] as usize;
        let cost = signed(selection.sum_with(groups, costs, group)) - signed(selection.sum(costs));
        if room
            .available
            .is_none_or(|available| expected + cost <= available)
        {
            expected += cost;
            selection.take(groups, costs, at);
        }
    }
    if selection.sequence.len() == sequence {
        return Ok(());
    }
    let with = recount(frame, groups, selection, options)?;
    if room.holds(with) {
        *total = with;
        return Ok(());
    }
    for &at in &selection.sequence[sequence..] {
        selection.taken[selection.order[at as usize] as usize] = false;
    }
    selection.sequence.truncate(sequence);
    (selection.tokens, selection.parts) = (tokens, parts);
    Ok(())
}

/// Counts the whole rendering of the selected rows.
fn recount(
    frame: &Frame,
    groups: &Groups,
    selection: &Selection,
    options: &PackOptions,
) -> Result<u64, Error> {
    let rows = (0..frame.len()).filter(|&row| selection.taken[groups.of_row(row)]);
    let profile = &*options.profile;
    if options.render() == Render::Messages
        && let Some(counted) = profile.count_messages(&rendering::messages(frame, rows.clone()))
    {
        return counted;
    }
    profile.count(&rendering::text(
        frame,
        rows,
        &options.separator,
        options.labels,
    ))
}

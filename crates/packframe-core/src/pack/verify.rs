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
    if is_sum(options) {
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

/// Says whether the rendering costs the sum of its parts, by definition.
fn is_sum(options: &PackOptions) -> bool {
    options.render() == Render::Messages && !options.profile.counts_messages()
}

/// Counts the rendering of some groups; `None` where it is the sum of parts.
///
/// # Errors
///
/// `TokenizerError` where the tokenizer fails.
pub(crate) fn count_groups(
    frame: &Frame,
    groups: &Groups,
    chosen: &[usize],
    options: &PackOptions,
) -> Result<Option<u64>, Error> {
    if is_sum(options) {
        return Ok(None);
    }
    let mut taken = vec![false; groups.len()];
    for &group in chosen {
        taken[group] = true;
    }
    recount(frame, groups, &taken, options).map(Some)
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
            // The cheapest question first: the first two rule most of them out, uncounted.
            if !room.holds(joined.least_with(rows))
                || !room.holds(joined.least_near(rows))
                || !joined.is_light(rows)
                || !room.holds(joined.tokens_with(rows))
            {
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
    let heavy = take_heavy(groups, costs, selection, room, joined, &offered);
    Verified {
        total: joined.tokens(),
        counts_joins: !heavy,
        over: false,
    }
}

/// Offers the room that is left to the groups that are too long to be counted more than once, until
/// one of them is taken. Says whether one was.
fn take_heavy(
    groups: &Groups,
    costs: &Costs,
    selection: &mut Selection,
    room: Room,
    joined: &mut Joined<'_>,
    offered: &[usize],
) -> bool {
    for &at in offered {
        let rows = groups.rows(selection.order[at] as usize);
        if !room.holds(joined.least_near(rows))
            || joined.is_light(rows)
            || !room.holds(joined.tokens_with(rows))
        {
            continue;
        }
        for &row in rows {
            joined.insert(row as usize);
        }
        selection.take(groups, costs, at);
        return true;
    }
    false
}

/// How much more a counter says of a rendering than the sum of its parts.
#[derive(Clone, Copy)]
struct Rate {
    counted: i64,
    summed: i64,
}

impl Rate {
    /// Returns what a sum of parts is expected to count, rounded up; never less than the sum.
    fn expect(self, summed: i64) -> i64 {
        if self.counted <= self.summed || self.summed <= 0 {
            return summed;
        }
        let scaled = i128::from(summed) * i128::from(self.counted);
        let rounded = (scaled + i128::from(self.summed) - 1) / i128::from(self.summed);
        i64::try_from(rounded).unwrap_or(i64::MAX)
    }

    /// Returns the greatest sum of parts that is expected to count no more than there is room for.
    fn keep(self, room: i64) -> i64 {
        if self.counted <= 0 {
            return self.summed;
        }
        let scaled = i128::from(room) * i128::from(self.summed) / i128::from(self.counted);
        i64::try_from(scaled).unwrap_or(i64::MAX)
    }
}

/// Recounts the whole: once; where that is over, once the required groups alone, which shows what
/// the others add, and then behind each shedding, each of which takes at least twice as many groups
/// as the one before; and once with the groups that are offered what is left.
fn by_recounts(
    frame: &Frame,
    groups: &Groups,
    costs: &Costs,
    selection: &mut Selection,
    options: &PackOptions,
    room: Room,
) -> Result<Verified, Error> {
    let verified = |total, over| Verified {
        total,
        counts_joins: false,
        over,
    };
    let mut total = recount(frame, groups, &selection.taken, options)?;
    let mut rate = Rate {
        counted: signed(total),
        summed: signed(selection.sum(costs)),
    };
    if !room.holds(total) {
        if selection.sequence.is_empty() {
            return Ok(verified(total, true));
        }
        let floor = recount(frame, groups, &selection.required(), options)?;
        if !room.holds(floor) {
            return Ok(verified(floor, true));
        }
        let least_sum = signed(costs.sum(selection.required_tokens, selection.required_parts));
        let left = room.available.unwrap_or(i64::MAX) - signed(floor);
        let mut least = 1;
        while !room.holds(total) {
            let above = signed(selection.sum(costs)) - least_sum;
            rate = Rate {
                counted: signed(total) - signed(floor),
                summed: above,
            };
            let mut count = 0;
            while count < least || signed(selection.sum(costs)) - least_sum > rate.keep(left) {
                if selection.shed(groups, costs).is_none() {
                    break;
                }
                count += 1;
            }
            if count == 0 {
                return Ok(verified(total, true));
            }
            least = 2 * count;
            total = recount(frame, groups, &selection.taken, options)?;
        }
    }
    offer_batch(
        frame,
        groups,
        costs,
        selection,
        options,
        (room, rate),
        &mut total,
    )?;
    Ok(verified(total, false))
}

fn offer_batch(
    frame: &Frame,
    groups: &Groups,
    costs: &Costs,
    selection: &mut Selection,
    options: &PackOptions,
    (room, rate): (Room, Rate),
    total: &mut u64,
) -> Result<(), Error> {
    let mut expected = signed(*total);
    let (sequence, tokens, parts) = (selection.sequence.len(), selection.tokens, selection.parts);
    for at in 0..selection.order.len() {
        if !selection.is_open(at) {
            continue;
        }
        let group = selection.order[at] as usize;
        let added = signed(selection.sum_with(groups, costs, group)) - signed(selection.sum(costs));
        let cost = rate.expect(added);
        if room
            .available
            .is_none_or(|available| expected.saturating_add(cost) <= available)
        {
            expected += cost;
            selection.take(groups, costs, at);
        }
    }
    if selection.sequence.len() == sequence {
        return Ok(());
    }
    let with = recount(frame, groups, &selection.taken, options)?;
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

/// Counts the whole rendering of the rows of some groups.
fn recount(
    frame: &Frame,
    groups: &Groups,
    taken: &[bool],
    options: &PackOptions,
) -> Result<u64, Error> {
    let rows = (0..frame.len()).filter(|&row| taken[groups.of_row(row)]);
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

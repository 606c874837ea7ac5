//! Cache marks of messages: those of messages that are left out move to the nearest one that is sent,
//! and no more are sent than a call may have.

use std::sync::Arc;

use super::laid::{Laid, Part};
use super::parts::Request;
use crate::content::Content;
use crate::conversation::{
    Format, MOST_MARKS, Message, MessageRepair, cache_marks, takes_cache_mark, with_cache_mark,
    without_cache_marks,
};
use crate::pack::Pack;

/// Where a mark stands in a block.
const PATH: &str = "cache_control";

/// Takes the oldest marks off, where more are sent than a call may have, or moves those of messages
/// that are out to the nearest one that is in, as long as there is room; says whether something
/// changed. The newest marks keep most of the prompt. Linear.
pub(super) fn move_marks(request: &Request, laid: &mut Laid, pack: &Pack) -> bool {
    if request.format != Format::Anthropic {
        return false;
    }
    let rows = laid.talk.clone();
    let mut is_kept = vec![false; laid.parts.len()];
    for &row in pack.rows() {
        is_kept[row] = true;
    }
    // What the tools have is never touched.
    let most = MOST_MARKS.saturating_sub(request.marked_tools());
    let marks = |row: usize| cache_marks(laid.frame.content(row).stored());
    let kept: Vec<usize> = rows.clone().filter(|&row| is_kept[row]).collect();
    let counts: Vec<usize> = kept.iter().map(|&row| marks(row).len()).collect();
    let mut count: usize = counts.iter().sum();
    if count > most {
        return drop_marks(request, laid, count - most, kept.into_iter().zip(counts));
    }
    let gone: Vec<(usize, String)> = rows
        .filter(|&row| !is_kept[row])
        .flat_map(|row| marks(row).into_iter().map(move |mark| (row, mark)))
        .collect();
    let mut moved = false;
    for (row, mark) in gone.into_iter().rev() {
        if count >= most {
            break;
        }
        let stored = |row: usize| laid.frame.content(row).stored();
        let takers = kept.iter().filter(|&&to| takes_cache_mark(stored(to)));
        let to = takers.min_by_key(|&&to| to.abs_diff(row)).copied();
        // One that stands where it would go already does the same.
        let moved_to = to.and_then(|to| Some((to, with_cache_mark(stored(to), &mark)?)));
        let repair = MessageRepair {
            row: origin(request, laid, row),
            path: PATH.to_owned(),
            kind: if moved_to.is_some() {
                "moved_mark"
            } else {
                "dropped_mark"
            },
            id: None,
            to_row: moved_to.as_ref().map(|(to, _)| origin(request, laid, *to)),
        };
        match moved_to {
            Some((to, json)) => {
                rewrite(request, laid, to, json, repair);
                count += 1;
            }
            None => laid.planned.repairs.push(repair),
        }
        moved = true;
    }
    moved
}

/// Takes the first so many marks off some rows, given with how many each has.
fn drop_marks(
    request: &Request,
    laid: &mut Laid,
    mut over: usize,
    rows: impl Iterator<Item = (usize, usize)>,
) -> bool {
    for (row, has) in rows.filter(|(_, has)| *has > 0) {
        let drops = has.min(over);
        if drops == 0 {
            break;
        }
        let Some(json) = without_cache_marks(laid.frame.content(row).stored(), drops) else {
            continue;
        };
        let repair = MessageRepair {
            row: origin(request, laid, row),
            path: PATH.to_owned(),
            kind: "dropped_mark",
            id: None,
            to_row: None,
        };
        rewrite(request, laid, row, json, repair);
        over -= drops;
    }
    true
}

/// Returns the position of a row in history and final.
fn origin(request: &Request, laid: &Laid, row: usize) -> usize {
    match laid.parts[row] {
        Part::History(position) => position.unwrap_or(0),
        Part::Final(position) => request.history.len() + position.unwrap_or(0),
        _ => 0,
    }
}

/// Puts another message in a row, and writes down what was done.
fn rewrite(request: &Request, laid: &mut Laid, row: usize, json: String, repair: MessageRepair) {
    let message = Message::of_list(request.format, laid.frame.roles[row]);
    laid.replace(row, Arc::new(Content::message(message, json)));
    laid.planned.repaired.insert(row);
    laid.planned.repairs.push(repair);
}

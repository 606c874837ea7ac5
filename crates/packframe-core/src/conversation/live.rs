//! Calls that may still be answered, since nothing but results follows them.

use super::entry::{Family, Kind};
use super::format::Format;
use super::view::{Turn, View};

/// Says of each entry whether it is a call behind which nothing but results follows; in the
/// Responses API also reasoning and other calls. Linear.
pub(super) fn live(view: &View<'_>, turns: &[Turn]) -> Vec<bool> {
    let by_turn = matches!(view.format, Format::Anthropic | Format::Gemini);
    let waits = |row: &usize| {
        if by_turn {
            view.is_results_only(*row)
        } else {
            view.rows[*row].keeps_waiting
        }
    };
    let count = view.rows.len();
    let tail = count - (0..count).rev().take_while(waits).count();
    let mut is_live = vec![false; view.entries.len()];
    for turn in turns {
        // What the provider answers itself must be the last that it says.
        let mut blocks_behind = (turn.rows.end, 0);
        for at in view.entries_in(turn).rev() {
            let entry = &view.entries[at];
            if !matches!(entry.kind, Kind::Call | Kind::Result) {
                continue;
            }
            let behind = if by_turn {
                turn.rows.end
            } else {
                entry.row + 1
            };
            is_live[at] = entry.is_call() && behind >= tail;
            if entry.family == Family::Server || by_turn {
                let ends = is_last_block(view, entry.row, entry.place.block(), blocks_behind);
                if entry.family == Family::Server {
                    is_live[at] &= ends;
                }
                if ends {
                    blocks_behind = (entry.row, entry.place.block().unwrap_or(0));
                } else {
                    blocks_behind = (usize::MAX, 0);
                }
            }
        }
    }
    is_live
}

/// Says whether nothing stands between a block and the calls and results known to follow it.
fn is_last_block(
    view: &View<'_>,
    row: usize,
    block: Option<usize>,
    (next_row, next_block): (usize, usize),
) -> bool {
    let Some(block) = block else { return false };
    if row == next_row {
        return block + 1 == next_block;
    }
    if next_row == usize::MAX {
        return false;
    }
    let is_end = block + 1 == view.rows[row].blocks && next_block == 0;
    is_end && (row + 1..next_row).all(|row| view.rows[row].blocks == 0)
}

//! Cache marks of messages that are left out, moved to the nearest message that is sent.

use std::sync::Arc;

use super::laid::{Laid, Part};
use super::parts::Request;
use crate::content::Content;
use crate::conversation::{
    Format, MOST_MARKS, Message, MessageRepair, cache_marks, with_cache_mark,
};
use crate::pack::Pack;

/// Moves the marks of messages that are out to the nearest one that is in, as long as there are no
/// more than a call may have; says whether one moved. Linear.
pub(super) fn move_marks(request: &Request, laid: &mut Laid, pack: &Pack) -> bool {
    if request.format != Format::Anthropic {
        return false;
    }
    let rows = laid.talk.clone();
    let mut is_kept = vec![false; laid.parts.len()];
    for &row in pack.rows() {
        is_kept[row] = true;
    }
    let marks = |row: usize| cache_marks(laid.frame.content(row).stored());
    let kept: Vec<usize> = rows.clone().filter(|&row| is_kept[row]).collect();
    let mut count: usize = kept.iter().map(|&row| marks(row).len()).sum();
    let gone: Vec<(usize, String)> = rows
        .filter(|&row| !is_kept[row])
        .flat_map(|row| marks(row).into_iter().map(move |mark| (row, mark)))
        .collect();
    let mut moved = false;
    // The newest mark keeps most of the prompt.
    for (row, mark) in gone.into_iter().rev() {
        if count >= MOST_MARKS {
            break;
        }
        let Some(&to) = kept.iter().min_by_key(|&&to| to.abs_diff(row)) else {
            break;
        };
        let content = laid.frame.content(to);
        let (role, stored) = (laid.frame.roles[to], content.stored());
        let Some(json) = with_cache_mark(stored, &mark) else {
            continue;
        };
        let message = Message::of_list(request.format, role);
        laid.replace(to, Arc::new(Content::message(message, json)));
        laid.planned.repaired.insert(to);
        let origin = |row: usize| match laid.parts[row] {
            Part::History(position) => position.unwrap_or(0),
            Part::Final(position) => request.history.len() + position.unwrap_or(0),
            _ => 0,
        };
        let repair = MessageRepair {
            row: origin(row),
            path: "cache_control".to_owned(),
            kind: "moved_mark",
            id: None,
            to_row: Some(origin(to)),
        };
        laid.planned.repairs.push(repair);
        count += 1;
        moved = true;
    }
    moved
}

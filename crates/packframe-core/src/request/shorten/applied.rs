//! A laid request with some edits made.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::edit::Edit;
use crate::content::Content;
use crate::pack::{MessageEdit, Redaction, Shortened};
use crate::request::laid::Laid;
use crate::request::parts::Request;

/// Why an item that is thinking and nothing else is out.
pub(super) const REASON: &str = "finished_thinking";

/// Edits, and the rows that they are made of.
pub(super) struct Kept<'a> {
    pub(super) edits: &'a [Edit],
    /// Says which; all where there is nothing.
    pub(super) rows: Option<&'a dyn Fn(usize) -> bool>,
    pub(super) redactions: &'a [Redaction],
}

/// Makes edits of messages, and writes them down. Linear in the rows.
pub(super) fn applied(request: &Request, base: &Laid, kept: &Kept<'_>) -> Laid {
    let mut laid = base.clone();
    let mut now: BTreeMap<usize, Arc<Content>> = BTreeMap::new();
    for (nth, edit) in kept.edits.iter().enumerate() {
        for change in &edit.rows {
            let row = change.row;
            if change.places.is_empty() || kept.rows.is_some_and(|is_kept| !is_kept(row)) {
                continue;
            }
            let whole = base.frame.content(row);
            match &change.after {
                Some(after) => {
                    now.insert(row, Arc::clone(after));
                    laid.planned.shortened.entry(row).or_insert(Shortened {
                        whole: Arc::clone(whole),
                        tokens: change.tokens,
                    });
                }
                None => laid.leave_out(row, REASON),
            }
            let position = base.position(request, row);
            let records = change.places.iter().map(|place| MessageEdit {
                row,
                position,
                path: place.path.clone(),
                kind: edit.kind,
                edit: nth,
                limit: place.limit,
                whole: Arc::clone(whole),
                tokens_before: place.before,
                tokens_after: place.after,
            });
            laid.planned.edits.extend(records);
        }
    }
    let redacted = kept.redactions.iter();
    let redacted = redacted.filter(|it| it.alternative.is_none() && now.contains_key(&it.row));
    laid.planned.redactions = redacted.cloned().collect();
    if !now.is_empty() {
        let changes = now.into_iter().map(|(row, content)| (row, None, content));
        laid.frame = Arc::new(laid.frame.with_contents(changes));
    }
    laid
}

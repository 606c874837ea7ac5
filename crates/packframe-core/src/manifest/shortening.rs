//! What the record says of messages that were made shorter before packing.

use super::document::{EditRecord, TruncationRecord};
use crate::pack::{Ledger, Shortened};

/// Returns every change that made a message shorter, in order.
pub(super) fn edits(ledger: &Ledger) -> Vec<EditRecord> {
    let planned = ledger.options.planned.iter();
    planned
        .flat_map(|planned| &planned.edits)
        .map(|edit| {
            let accuracy = ledger.content_accuracy(edit.row);
            EditRecord {
                content_sha256: (!ledger.hides_hash(edit.row))
                    .then(|| ledger.options.shown_hash(edit.whole.hash())),
                edit: edit.edit,
                kind: edit.kind.to_owned(),
                limit: edit.limit,
                path: edit.path.clone(),
                row: edit.position,
                tokens_after: edit.tokens_after,
                tokens_after_accuracy: accuracy,
                tokens_before: edit.tokens_before,
                tokens_before_accuracy: accuracy,
            }
        })
        .collect()
}

/// Returns the hash of the content of a row as it was given; none where that would tell of a secret.
pub(super) fn whole_hash(ledger: &Ledger, row: usize) -> Option<String> {
    let shortened = ledger.options.shortened(row);
    let content = shortened.map_or_else(|| ledger.frame.content(row), |cut| &cut.whole);
    (!ledger.hides_hash(row)).then(|| ledger.options.shown_hash(content.hash()))
}

/// Returns the record of a row that changes made shorter.
pub(super) fn truncation(
    ledger: &Ledger,
    row: usize,
    before: &Shortened,
) -> Option<TruncationRecord> {
    let accuracy = ledger.content_accuracy(row);
    Some(TruncationRecord {
        at: "edits".to_owned(),
        bytes: before.whole.stored().len(),
        content_sha256: ledger.options.shown_hash(ledger.content(row).hash()),
        id: ledger.frame.id(row).clone(),
        keep: None,
        kept_at_end: None,
        kept_at_start: None,
        marker: None,
        row,
        tokens: ledger.cost(row)?.content,
        tokens_accuracy: accuracy,
        tokens_before: before.tokens,
        tokens_before_accuracy: accuracy,
    })
}

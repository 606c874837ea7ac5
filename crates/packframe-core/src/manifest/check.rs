//! What holds in every document, whoever wrote it.

use super::document::{Breakdown, Document, SelectedRecord};
use super::version::{KEYED_HASH, PLAIN_HASH};
use crate::word::Accuracy;

/// Returns what does not hold, naming the field. Linear in the rows.
pub(super) fn differences(document: &Document) -> Vec<String> {
    let mut found = Vec::new();
    let mut need = |holds: bool, what: &str| {
        if !holds {
            found.push(what.to_owned());
        }
    };
    let number = |value: Option<u64>| value.map(i128::from);
    let budget = number(document.budget);
    let kept = i128::from(document.reserve) + i128::from(document.margin);
    let available = document.available.map(i128::from);
    need(
        available == budget.map(|budget| budget - kept),
        "available: is not budget less reserve and margin",
    );
    let total = i128::from(document.total_tokens);
    need(
        document.remaining_tokens.map(i128::from) == available.map(|available| available - total),
        "remaining_tokens: is not available less total_tokens",
    );
    need(
        document.estimated == (document.accuracy != Accuracy::Exact),
        "estimated: does not go with accuracy",
    );
    need(
        [PLAIN_HASH, KEYED_HASH].contains(&document.content_hash.as_str()),
        "content_hash: is no hash that is known",
    );
    let rows = document.selected.iter().map(|record| record.row);
    need(
        are_all(rows.chain(document.excluded.iter().map(|record| record.row))),
        "selected, excluded: do not have each row once",
    );
    need(
        are_all(document.selected.iter().map(|record| record.position)),
        "selected: does not have each position once",
    );
    need(
        document.selected.iter().all(is_marked),
        "selected: has a number without its accuracy",
    );
    need(
        document.excluded.iter().all(|record| {
            [
                (record.tokens, record.tokens_accuracy),
                (record.content_tokens, record.content_tokens_accuracy),
                (record.envelope_tokens, record.envelope_tokens_accuracy),
                (record.label_tokens, record.label_tokens_accuracy),
            ]
            .into_iter()
            .all(|(tokens, accuracy)| tokens.is_some() == accuracy.is_some())
        }),
        "excluded: has a number without its accuracy",
    );
    need(
        sum(&document.tokens_by.part) == total,
        "tokens_by.part: does not sum to total_tokens",
    );
    let rows: i128 = document
        .selected
        .iter()
        .filter_map(|record| number(record.tokens))
        .sum();
    let Breakdown {
        part: _,
        retention,
        role,
        section,
    } = &document.tokens_by;
    for (name, view) in [
        ("retention", retention),
        ("role", role),
        ("section", section),
    ] {
        need(
            sum(view) == rows,
            &format!("tokens_by.{name}: does not sum to the tokens of selected"),
        );
    }
    found
}

fn is_marked(record: &SelectedRecord) -> bool {
    [
        (record.tokens, record.tokens_accuracy),
        (record.content_tokens, record.content_tokens_accuracy),
        (record.envelope_tokens, record.envelope_tokens_accuracy),
        (record.label_tokens, record.label_tokens_accuracy),
    ]
    .into_iter()
    .all(|(tokens, accuracy)| tokens.is_some() == accuracy.is_some())
}

/// Says whether some numbers are 0, 1, 2 and on, in any order, each once.
fn are_all(numbers: impl Iterator<Item = usize>) -> bool {
    let numbers: Vec<usize> = numbers.collect();
    let mut seen = vec![false; numbers.len()];
    numbers.into_iter().all(|number| {
        seen.get_mut(number)
            .is_some_and(|seen| !std::mem::replace(seen, true))
    })
}

fn sum(view: &std::collections::BTreeMap<String, super::document::Amount>) -> i128 {
    view.values().map(|amount| i128::from(amount.tokens)).sum()
}

//! Why one item is in the pack, or is not.

use super::decision::Changed;
use super::document::{Document, ExcludedRecord, SelectedRecord};
use crate::catalogue::{fill, reason_remedy, reason_sentence, texts};
use crate::nearest::nearest;
use crate::printable::printable;

/// The fate of one item, explained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Why {
    /// Its id.
    pub id: String,
    /// Its row.
    pub row: usize,
    /// `selected`, `excluded` or `merged`.
    pub fate: &'static str,
    /// Of a selected row `whole`, `cut`, `alternative` or `repaired`.
    pub form: Option<String>,
    /// The reason code; of a selected row, `required`, `pinned`, `floor`, `score` or `optimal`.
    pub reason: String,
    /// What a policy said, or the section whose cap is in the way.
    pub rule: Option<String>,
    /// By how much the rendering with its group would be over.
    pub shortfall: Option<i64>,
    /// A sentence.
    pub message: String,
    /// What can be done about it; empty where it is in.
    pub remedy: String,
}

pub(super) fn why(document: &Document, id: &str) -> Option<Why> {
    if let Some(record) = document.selected.iter().find(|record| *record.id == *id) {
        return Some(selected(document, record));
    }
    if let Some(record) = document.excluded.iter().find(|record| *record.id == *id) {
        return Some(excluded(document, record));
    }
    let record = document.merged.iter().find(|record| *record.id == *id)?;
    Some(Why {
        id: id.to_owned(),
        row: record.row,
        fate: "merged",
        form: None,
        reason: record.reason.clone(),
        rule: None,
        shortfall: None,
        message: fill(
            texts().is_merged,
            &[
                ("id", &printable(id)),
                ("into", &printable(&record.into_id)),
                ("why", &reason_sentence(&record.reason)),
            ],
        ),
        remedy: reason_remedy(&record.reason).to_owned(),
    })
}

fn selected(document: &Document, record: &SelectedRecord) -> Why {
    let texts = texts();
    let mut message = fill(
        texts.is_in,
        &[
            ("id", &printable(&record.id)),
            ("why", &reason_sentence(&record.why)),
        ],
    );
    let changed = match &*record.form {
        "cut" => Some(texts.cut),
        "alternative" => Some(texts.replaced),
        _ => None,
    };
    let lost = changed.and_then(|_| Changed::of(document).lost(record.row));
    if let (Some(changed), Some(lost), Some(after)) = (changed, lost, record.tokens) {
        let before = i128::from(after) + lost;
        message.push_str(&fill(changed, &[("before", &before), ("after", &after)]));
    }
    let place = document
        .substitutions
        .iter()
        .find(|other| other.row == record.row && other.reason.is_none())
        .filter(|_| &*record.form == "alternative")
        .map(|substitution| substitution.alternative);
    message.push_str(&redactions(document, record.row, place));
    Why {
        id: record.id.to_string(),
        row: record.row,
        fate: "selected",
        form: Some(record.form.to_string()),
        reason: record.why.to_string(),
        rule: None,
        shortfall: None,
        message,
        remedy: String::new(),
    }
}

fn excluded(document: &Document, record: &ExcludedRecord) -> Why {
    let texts = texts();
    let mut message = fill(
        texts.is_out,
        &[
            ("id", &printable(&record.id)),
            ("why", &reason_sentence(&record.reason)),
        ],
    );
    if let Some(rule) = &record.rule {
        message.push_str(&fill(texts.rule, &[("rule", &printable(rule))]));
    }
    let missed = record.shortfall.filter(|shortfall| *shortfall > 0);
    if let Some(shortfall) = missed {
        message.push_str(&fill(texts.too_many, &[("tokens", &shortfall)]));
    }
    message.push_str(&redactions(document, record.row, None));
    Why {
        id: record.id.to_string(),
        row: record.row,
        fate: "excluded",
        form: None,
        reason: record.reason.to_string(),
        rule: record.rule.clone(),
        shortfall: record.shortfall,
        message,
        remedy: unknown_requirement(document, record)
            .or_else(|| remedy(document, record, missed))
            .unwrap_or_else(|| reason_remedy(&record.reason).to_owned()),
    }
}

/// Says what was taken out of the content of a row, or of an alternative of it, and by whom.
fn redactions(document: &Document, row: usize, alternative: Option<usize>) -> String {
    let records = document
        .redactions
        .iter()
        .filter(|record| record.row == row && record.alternative == alternative);
    let by: Vec<String> = records
        .map(|record| match record.rules.as_slice() {
            [] => record.by.clone(),
            rules => format!("{}: {}", record.by, rules.join(", ")),
        })
        .collect();
    if by.is_empty() {
        return String::new();
    }
    fill(texts().redacted, &[("by", &printable(&by.join("; ")))])
}

/// Returns what to do about an item that requires an id that no row has.
fn unknown_requirement(document: &Document, record: &ExcludedRecord) -> Option<String> {
    let texts = texts();
    let id = record.rule.as_deref()?;
    if record.reason != "requirement_missing" || ids(document).any(|known| known == id) {
        return None;
    }
    let others = ids(document).filter(|known| *known != &*record.id);
    Some(match nearest(id, others) {
        Some(near) => fill(
            texts.unknown_requirement_near,
            &[("id", &printable(id)), ("near", &printable(near))],
        ),
        None => fill(texts.unknown_requirement, &[("id", &printable(id))]),
    })
}

/// Returns the ids of all rows, those that were merged away too.
fn ids(document: &Document) -> impl Iterator<Item = &str> {
    let selected = document.selected.iter().map(|record| &*record.id);
    let excluded = document.excluded.iter().map(|record| &*record.id);
    let merged = document.merged.iter().map(|record| &*record.id);
    selected.chain(excluded).chain(merged)
}

/// Returns the id of a row that is nearest to one that no row has, if one is near enough to be
/// meant.
pub(super) fn near_id<'a>(document: &'a Document, id: &str) -> Option<&'a str> {
    nearest(id, ids(document))
}

/// Returns what can be done about an item, in numbers, where they are known.
fn remedy(document: &Document, record: &ExcludedRecord, missed: Option<i64>) -> Option<String> {
    let texts = texts();
    let missed = missed?;
    let text = match &*record.reason {
        "budget" => texts.raise_budget,
        "join_cost" => texts.raise_for_joins,
        "section_cap" => {
            let section = record.rule.as_deref().or(record.section.as_deref())?;
            return Some(fill(
                texts.raise_cap,
                &[("section", &printable(section)), ("tokens", &missed)],
            ));
        }
        _ => return None,
    };
    let budget = i128::from(document.budget?) + i128::from(missed);
    Some(fill(text, &[("tokens", &missed), ("budget", &budget)]))
}

//! Why one item is in the pack, or is not.

use std::fmt::Write;

use super::document::Document;
use crate::catalogue::{reason_remedy, reason_sentence};
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
    /// The reason code; of a selected row, `required`, `pinned`, `floor` or `score`.
    pub reason: String,
    /// What a policy said.
    pub rule: Option<String>,
    /// By how much the rendering with its group would be over.
    pub shortfall: Option<i64>,
    /// A sentence.
    pub message: String,
    /// What would have admitted it; empty where it is in.
    pub remedy: String,
}

pub(super) fn why(document: &Document, id: &str) -> Option<Why> {
    let shown = printable(id);
    if let Some(record) = document.selected.iter().find(|record| *record.id == *id) {
        let sentence = match record.why.as_str() {
            "required" => "it, or a member of its group, is required",
            "pinned" => "it is pinned",
            "floor" => "its section was under its floor",
            _ => "it was among the best that fit",
        };
        return Some(Why {
            id: id.to_owned(),
            row: record.row,
            fate: "selected",
            reason: record.why.clone(),
            rule: None,
            shortfall: None,
            message: format!("'{shown}' is in the pack: {sentence}"),
            remedy: String::new(),
        });
    }
    if let Some(record) = document.excluded.iter().find(|record| *record.id == *id) {
        let mut message = format!(
            "'{shown}' is not in the pack: it {}",
            reason_sentence(&record.reason)
        );
        if let Some(rule) = &record.rule {
            let _ = write!(message, " ({})", printable(rule));
        }
        if let Some(shortfall) = record.shortfall.filter(|shortfall| *shortfall > 0) {
            let _ = write!(message, "; {shortfall} tokens too many");
        }
        return Some(Why {
            id: id.to_owned(),
            row: record.row,
            fate: "excluded",
            reason: record.reason.clone(),
            rule: record.rule.clone(),
            shortfall: record.shortfall,
            message,
            remedy: reason_remedy(&record.reason).to_owned(),
        });
    }
    let record = document.merged.iter().find(|record| *record.id == *id)?;
    Some(Why {
        id: id.to_owned(),
        row: record.row,
        fate: "merged",
        reason: record.reason.clone(),
        rule: None,
        shortfall: None,
        message: format!(
            "'{shown}' was merged into '{}': it {}",
            printable(&record.into_id),
            reason_sentence(&record.reason)
        ),
        remedy: reason_remedy(&record.reason).to_owned(),
    })
}

//! What became of the items of a pack, for those who look from outside: what lost content, and
//! what a section got.

use std::collections::HashMap;

use super::document::{Document, SectionRecord};
use crate::word::Accuracy;

/// An item that lost content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dropped {
    /// Its row.
    pub row: usize,
    /// Its id.
    pub id: String,
    /// Its section.
    pub section: Option<String>,
    /// Its place among the rows of its section.
    pub index: usize,
    /// `excluded`, `cut`, `replaced` or `redacted`.
    pub action: &'static str,
    /// The reason code; of one that was cut or replaced, what stands against the whole of it, of
    /// one that was redacted `secret_detected`.
    pub reason: String,
    /// The tokens of the whole item, if they were counted.
    pub tokens_before: Option<u64>,
    /// The tokens of what is left of it.
    pub tokens_after: u64,
    /// What both are worth.
    pub tokens_accuracy: Option<Accuracy>,
}

/// What a section got.
#[derive(Debug, Clone, PartialEq)]
pub struct SectionAccount {
    /// Its name.
    pub name: String,
    /// What the pack was told of it; `None` for a name that was not declared.
    pub declared: Option<SectionRecord>,
    /// Tokens of what is in: with header and separators where it was declared.
    pub tokens: u64,
    /// What they are worth.
    pub tokens_accuracy: Option<Accuracy>,
    /// Ids of its rows that are in, in the order of the rendering.
    pub selected: Vec<String>,
    /// Its rows that lost content, by row.
    pub dropped: Vec<Dropped>,
}

/// Returns the rows that lost content, by row.
///
/// O(n log n) in rows.
pub(super) fn dropped(document: &Document) -> Vec<Dropped> {
    let places = Places::of(document);
    let mut found: Vec<Dropped> = document
        .excluded
        .iter()
        .map(|record| Dropped {
            row: record.row,
            id: record.id.to_string(),
            section: record.section.as_deref().map(str::to_owned),
            index: places.of_row(record.row),
            action: "excluded",
            reason: record.reason.to_string(),
            tokens_before: record.tokens,
            tokens_after: 0,
            tokens_accuracy: record.tokens_accuracy,
        })
        .collect();
    let changed = Changed::of(document);
    for record in &document.selected {
        let Some(action) = action(&record.form) else {
            continue;
        };
        let lost = changed.lost(record.row);
        let tokens_after = record.tokens.unwrap_or(0);
        found.push(Dropped {
            row: record.row,
            id: record.id.to_string(),
            section: record.section.as_deref().map(str::to_owned),
            index: places.of_row(record.row),
            action,
            reason: if record.form == "redacted" {
                "secret_detected".to_owned()
            } else {
                reason_of(document, record.section.as_deref(), lost).to_owned()
            },
            tokens_before: lost.map(|lost| {
                let before = i128::from(tokens_after) + lost;
                u64::try_from(before.max(0)).unwrap_or(u64::MAX)
            }),
            tokens_after,
            tokens_accuracy: record.tokens_accuracy,
        });
    }
    found.sort_by_key(|dropped| dropped.row);
    found
}

/// Returns what a section got, or `None` where no row and no rule has the name.
pub(super) fn section(document: &Document, name: &str) -> Option<SectionAccount> {
    let declared = document
        .sections
        .iter()
        .find(|section| *section.name == *name);
    let mut selected: Vec<(usize, String)> = document
        .selected
        .iter()
        .filter(|record| record.section.as_deref() == Some(name))
        .map(|record| (record.position, record.id.to_string()))
        .collect();
    selected.sort_unstable();
    let is_known = declared.is_some()
        || !selected.is_empty()
        || document
            .excluded
            .iter()
            .any(|record| record.section.as_deref() == Some(name));
    is_known.then(|| {
        let rows = document.tokens_by.section.get(name);
        SectionAccount {
            name: name.to_owned(),
            declared: declared.cloned(),
            tokens: match (declared, rows) {
                (Some(section), _) => section.tokens,
                (None, Some(rows)) => u64::try_from(rows.tokens).unwrap_or(0),
                (None, None) => 0,
            },
            tokens_accuracy: match (declared, rows) {
                (Some(section), _) => Some(section.tokens_accuracy),
                (None, rows) => rows.map(|rows| rows.accuracy),
            },
            selected: selected.into_iter().map(|(_, id)| id).collect(),
            dropped: dropped(document)
                .into_iter()
                .filter(|dropped| dropped.section.as_deref() == Some(name))
                .collect(),
        }
    })
}

/// Returns what happened to a row that is in, in a form; `None` for a whole one.
fn action(form: &str) -> Option<&'static str> {
    match form {
        "cut" => Some("cut"),
        "alternative" => Some("replaced"),
        "redacted" => Some("redacted"),
        _ => None,
    }
}

/// Judges what stands against the whole of a row by the pack as it is: the budget, or only the cap
/// of its section. `lost` is by how many tokens the whole is more.
fn reason_of(document: &Document, section: Option<&str>, lost: Option<i128>) -> &'static str {
    let Some(lost) = lost else { return "budget" };
    let is_over = document
        .remaining_tokens
        .is_some_and(|remaining| lost > i128::from(remaining));
    let is_over_cap = document
        .sections
        .iter()
        .find(|record| Some(&*record.name) == section)
        .and_then(|record| Some(i128::from(record.tokens) + lost > i128::from(record.cap?)))
        .unwrap_or(false);
    if is_over_cap && !is_over {
        "section_cap"
    } else {
        "budget"
    }
}

/// By how many tokens the whole of each row that was cut or replaced is more.
pub(super) struct Changed(HashMap<usize, i128>);

impl Changed {
    pub(super) fn of(document: &Document) -> Self {
        let cuts = document.truncations.iter().map(|record| {
            let lost = i128::from(record.tokens_before) - i128::from(record.tokens);
            (record.row, lost)
        });
        let replaced = document.substitutions.iter().filter_map(|record| {
            let taken = record.reason.is_none();
            let lost = i128::from(record.tokens_before?) - i128::from(record.tokens?);
            taken.then_some((record.row, lost))
        });
        Self(cuts.chain(replaced).collect())
    }

    pub(super) fn lost(&self, row: usize) -> Option<i128> {
        self.0.get(&row).copied()
    }
}

/// The place of each row among the rows of its section.
struct Places(HashMap<usize, usize>);

impl Places {
    fn of(document: &Document) -> Self {
        let mut next: HashMap<Option<&str>, usize> = HashMap::new();
        let selected = document.selected.iter();
        let mut rows: Vec<(usize, Option<&str>)> = selected
            .map(|record| (record.row, record.section.as_deref()))
            .chain(
                document
                    .excluded
                    .iter()
                    .map(|record| (record.row, record.section.as_deref())),
            )
            .collect();
        rows.sort_unstable();
        Self(
            rows.into_iter()
                .map(|(row, section)| {
                    let place = next.entry(section).or_insert(0);
                    *place += 1;
                    (row, *place - 1)
                })
                .collect(),
        )
    }

    fn of_row(&self, row: usize) -> usize {
        self.0.get(&row).copied().unwrap_or(0)
    }
}

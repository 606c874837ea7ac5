//! The manifest as a table for a person to read.

use std::fmt::Write;

use super::decision::Changed;
use super::document::Document;
use crate::printable::printable;
use crate::word::Accuracy;

/// One line of the table.
struct Line {
    row: usize,
    cells: [String; 6],
}

pub(super) fn summary(document: &Document, limit: usize) -> String {
    let mut out = head(document);
    sections(document, &mut out);
    let changed = Changed::of(document);
    let mut lines: Vec<Line> = document
        .selected
        .iter()
        .map(|record| Line {
            row: record.row,
            cells: [
                record.row.to_string(),
                shorten(&record.id),
                record.role.to_string(),
                fate(&record.form).to_owned(),
                tokens(record.tokens, record.tokens_accuracy),
                match (changed.lost(record.row), record.tokens) {
                    (Some(lost), Some(tokens)) => {
                        format!("{} (of {})", record.why, i128::from(tokens) + lost)
                    }
                    _ => printable(&record.why),
                },
            ],
        })
        .chain(document.excluded.iter().map(|record| Line {
            row: record.row,
            cells: [
                record.row.to_string(),
                shorten(&record.id),
                record.role.to_string(),
                "out".to_owned(),
                tokens(record.tokens, record.tokens_accuracy),
                match record.shortfall {
                    Some(shortfall) => format!("{} ({shortfall:+})", printable(&record.reason)),
                    None => printable(&record.reason),
                },
            ],
        }))
        .collect();
    lines.sort_by_key(|line| line.row);
    let hidden = lines.len().saturating_sub(limit);
    lines.truncate(limit);
    let header = ["row", "id", "role", "fate", "tokens", "why"].map(str::to_owned);
    table(
        &mut out,
        &header,
        lines.into_iter().map(|line| line.cells),
        &[0, 4],
    );
    if hidden > 0 {
        let _ = writeln!(out, "... and {hidden} more rows");
    }
    for merged in &document.merged {
        let _ = writeln!(
            out,
            "merged {} into {}",
            shorten(&merged.id),
            shorten(&merged.into_id)
        );
    }
    out
}

/// Says what became of a row that is in, in a form.
fn fate(form: &str) -> &'static str {
    match form {
        "cut" => "cut",
        "alternative" => "alternative",
        "redacted" => "redacted",
        "repaired" => "repaired",
        _ => "in",
    }
}

/// Writes what each declared section got.
fn sections(document: &Document, out: &mut String) {
    if document.sections.is_empty() {
        return;
    }
    let rows = document.sections.iter().map(|section| {
        [
            shorten(&section.name),
            tokens(Some(section.tokens), Some(section.tokens_accuracy)),
            section
                .cap
                .map_or_else(|| "-".to_owned(), |cap| cap.to_string()),
            match section.floor {
                0 => "-".to_owned(),
                floor => tokens(Some(floor), Some(section.floor_accuracy)),
            },
            section.selected.to_string(),
            section.excluded.to_string(),
            section.drop.to_string(),
        ]
    });
    let header = ["section", "tokens", "cap", "floor", "in", "out", "drop"].map(str::to_owned);
    table(out, &header, rows, &[1, 2, 3, 4, 5]);
}

/// Writes lines under a header, as wide as they need; some columns to the right.
fn table<const COLUMNS: usize>(
    out: &mut String,
    header: &[String; COLUMNS],
    lines: impl Iterator<Item = [String; COLUMNS]>,
    right: &[usize],
) {
    let lines: Vec<[String; COLUMNS]> = std::iter::once(header.clone()).chain(lines).collect();
    let mut widths = [0; COLUMNS];
    for line in &lines {
        for (known, cell) in widths.iter_mut().zip(line) {
            *known = (*known).max(width(cell));
        }
    }
    for line in &lines {
        let mut written = String::new();
        for (at, (cell, known)) in line.iter().zip(widths).enumerate() {
            let pad = " ".repeat(known - width(cell));
            let (before, behind) = if right.contains(&at) {
                (pad.as_str(), "")
            } else {
                ("", pad.as_str())
            };
            if at > 0 {
                written.push_str("  ");
            }
            written.push_str(before);
            written.push_str(cell);
            written.push_str(behind);
        }
        out.push_str(written.trim_end());
        out.push('\n');
    }
}

fn head(document: &Document) -> String {
    let share = |key: &str| {
        document
            .tokens_by
            .part
            .get(key)
            .map_or(0, |amount| amount.tokens)
    };
    let total = document.total_tokens;
    let sign = if document.estimated { "~" } else { "" };
    let mut out = match (document.budget, document.available) {
        (Some(budget), Some(available)) => format!(
            "{sign}{total} of {available} tokens (budget {budget}, reserve {}, margin {})",
            document.reserve, document.margin
        ),
        _ => format!("{sign}{total} tokens (no budget)"),
    };
    let _ = writeln!(
        out,
        "\n{} by {}, as {} for {}:{}",
        document.accuracy,
        document.token_profile_id,
        document.render,
        document.boundary.kind,
        document.boundary.target
    );
    if let Some(count) = &document.provider_count {
        let fits = if count.fits {
            ""
        } else {
            ", which does not fit"
        };
        let _ = writeln!(
            out,
            "{} by the provider ({:+}){fits}",
            count.tokens, count.difference
        );
    }
    let headers = match share("headers") {
        0 => String::new(),
        tokens => format!(" headers {tokens},"),
    };
    let _ = writeln!(
        out,
        "content {}, envelope {}, base {}, labels {},{headers} separators {}, joins {:+}",
        share("content"),
        share("envelope"),
        share("base"),
        share("labels"),
        share("separators"),
        share("joins"),
    );
    let _ = writeln!(
        out,
        "{} in, {} out, {} merged, {} demoted or promoted",
        document.selected.len(),
        document.excluded.len(),
        document.merged.len(),
        document.demotions.len(),
    );
    out
}

/// Marks a number that is not exact.
fn tokens(tokens: Option<u64>, accuracy: Option<Accuracy>) -> String {
    match (tokens, accuracy) {
        (Some(tokens), Some(Accuracy::Exact)) => tokens.to_string(),
        (Some(tokens), _) => format!("~{tokens}"),
        _ => "-".to_owned(),
    }
}

fn shorten(id: &str) -> String {
    const WIDTH: usize = 32;
    let clean = printable(id);
    if width(&clean) <= WIDTH {
        return clean;
    }
    clean.chars().take(WIDTH - 1).chain(['…']).collect()
}

fn width(text: &str) -> usize {
    text.chars().count()
}

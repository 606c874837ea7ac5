//! The manifest as a table for a person to read.

use std::fmt::Write;

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
    let mut lines: Vec<Line> = document
        .selected
        .iter()
        .map(|record| Line {
            row: record.row,
            cells: [
                record.row.to_string(),
                shorten(&record.id),
                record.role.to_string(),
                "in".to_owned(),
                tokens(record.tokens, record.tokens_accuracy),
                record.why.clone(),
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
                    Some(shortfall) => format!("{} ({shortfall:+})", record.reason),
                    None => record.reason.clone(),
                },
            ],
        }))
        .collect();
    lines.sort_by_key(|line| line.row);
    let hidden = lines.len().saturating_sub(limit);
    lines.truncate(limit);
    let header = ["row", "id", "role", "fate", "tokens", "why"].map(str::to_owned);
    let mut widths = header.clone().map(|cell| width(&cell));
    for line in &lines {
        for (known, cell) in widths.iter_mut().zip(&line.cells) {
            *known = (*known).max(width(cell));
        }
    }
    write_line(&mut out, &header, &widths);
    for line in &lines {
        write_line(&mut out, &line.cells, &widths);
    }
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
    let _ = writeln!(
        out,
        "content {}, envelope {}, base {}, labels {}, separators {}, joins {:+}",
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

fn write_line(out: &mut String, cells: &[String; 6], widths: &[usize; 6]) {
    for (at, (cell, known)) in cells.iter().zip(widths).enumerate() {
        let pad = " ".repeat(known - width(cell));
        let right = at == 0 || at == 4;
        let (before, behind) = if right {
            (pad.as_str(), "")
        } else {
            ("", pad.as_str())
        };
        if at > 0 {
            out.push_str("  ");
        }
        out.push_str(before);
        out.push_str(cell);
        if at < 5 {
            out.push_str(behind);
        }
    }
    out.push('\n');
}

//! What errors say.
//!
//! What is wrong with a single value is told in English in every language: the sentence is made
//! where the value is refused.

use std::fmt;

use super::texts::{fill, texts};
use crate::error::{BudgetExceeded, ErrorKind, Fault, Problem, Violation};
use crate::printable::printable;

/// Differences, problems and violations that a sentence names.
const SHOWN: usize = 3;

pub(crate) fn write_error(f: &mut fmt::Formatter<'_>, kind: &ErrorKind) -> fmt::Result {
    let texts = texts();
    match kind {
        ErrorKind::InvalidItem {
            row,
            rows,
            field,
            value,
            problem,
            suggestion,
        } => {
            match (row, rows.as_slice()) {
                (_, [first, second, ..]) => write!(f, "rows {first} and {second}: ")?,
                (Some(row), _) => write!(f, "row {row}: ")?,
                _ => {}
            }
            write_value(f, field, value, problem, suggestion.as_deref())
        }
        ErrorKind::InvalidOption {
            option,
            value,
            problem,
            suggestion,
        } => write_value(f, option, value, problem, suggestion.as_deref()),
        ErrorKind::InvalidMessages { problems } => f.write_str(&of_messages(problems)),
        ErrorKind::BudgetExceeded(numbers) => f.write_str(&of_budget(numbers)),
        ErrorKind::FloorsExceedBudget { required, exceeded } => f.write_str(&fill(
            texts.floors,
            &[
                ("required", required),
                ("available", &exceeded.available),
                ("tokens", &exceeded.raise_by),
            ],
        )),
        ErrorKind::SectionOverflow {
            section,
            needed,
            allocated,
            capped,
            ..
        } => f.write_str(&fill(
            if *capped {
                texts.section
            } else {
                texts.section_starved
            },
            &[
                ("section", &printable(section)),
                ("needed", needed),
                ("allocated", allocated),
            ],
        )),
        ErrorKind::RenderingOverBudget {
            needed, available, ..
        } => f.write_str(&fill(
            texts.rendering,
            &[("needed", needed), ("available", available)],
        )),
        ErrorKind::PolicyViolation {
            violations,
            boundary,
            ..
        } => f.write_str(&of_violations(violations, boundary)),
        ErrorKind::Policy(fault) => write_fault(f, texts.policy_fault, fault),
        ErrorKind::Tokenizer(fault) => write_fault(f, texts.tokenizer_fault, fault),
        ErrorKind::Strategy(fault) => write_fault(f, texts.strategy_fault, fault),
        ErrorKind::UnsupportedContent {
            row,
            id,
            kind,
            renderer,
        } => f.write_str(&fill(
            match *kind {
                "message" => texts.unsupported_message,
                "binary" => texts.unsupported_binary,
                _ => texts.unsupported_tool,
            },
            &[("id", &printable(id)), ("row", row), ("renderer", renderer)],
        )),
        ErrorKind::ManifestCorrupt { differences } => {
            f.write_str(&fill(texts.corrupt, &[("differences", &few(differences))]))
        }
        ErrorKind::ManifestMismatch { differences } => {
            f.write_str(&fill(texts.mismatch, &[("differences", &few(differences))]))
        }
        ErrorKind::ManifestVersion { found } => {
            f.write_str(&fill(texts.version, &[("found", &printable(found))]))
        }
    }
}

/// Joins the first differences.
fn few(differences: &[String]) -> String {
    let shown: Vec<&str> = differences.iter().take(SHOWN).map(String::as_str).collect();
    let mut text = shown.join("; ");
    text.push_str(&and_more(differences.len()));
    text
}

fn and_more(all: usize) -> String {
    match all.checked_sub(SHOWN) {
        Some(hidden) if hidden > 0 => fill(texts().and_more, &[("number", &hidden)]),
        _ => String::new(),
    }
}

fn of_messages(problems: &[Problem]) -> String {
    let texts = texts();
    let mut text = texts.messages.to_owned();
    for (at, problem) in problems.iter().take(SHOWN).enumerate() {
        text.push_str(lead(at));
        let path = if problem.path.is_empty() {
            String::new()
        } else {
            format!(" {}", printable(&problem.path))
        };
        let path = match &problem.id {
            Some(id) => format!("{path} '{}'", printable(id)),
            None => path,
        };
        text.push_str(&fill(
            texts.message_at,
            &[
                ("position", &problem.position),
                ("path", &path),
                ("rule", &problem.rule),
            ],
        ));
    }
    text.push_str(&and_more(problems.len()));
    text.push_str(texts.messages_remedy);
    text
}

fn of_violations(violations: &[Violation], boundary: &str) -> String {
    let texts = texts();
    let mut text = fill(
        texts.violation,
        &[("boundary", &boundary), ("number", &violations.len())],
    );
    for (at, violation) in violations.iter().take(SHOWN).enumerate() {
        text.push_str(lead(at));
        let reason = match &violation.rule {
            Some(rule) if has_secret(violation) => format!("{}: {rule}", violation.reason),
            _ => violation.reason.clone(),
        };
        let (id, reason) = (printable(&violation.id), printable(&reason));
        match violation.row {
            Some(row) => text.push_str(&fill(
                texts.violation_at,
                &[("id", &id), ("row", &row), ("reason", &reason)],
            )),
            None => text.extend([&*id, " (", &*reason, ")"]),
        }
    }
    text.push_str(&and_more(violations.len()));
    let mut secrets = violations.iter().filter(|violation| has_secret(violation));
    match secrets.next() {
        // What stands beside the messages comes alone, without a row.
        Some(first) if first.row.is_none() => {
            text.push_str(texts.violation_beside);
            return text;
        }
        Some(_) => text.push_str(texts.violation_secret),
        None => {}
    }
    text.push_str(texts.violation_remedy);
    text
}

fn has_secret(violation: &Violation) -> bool {
    violation.reason == "secret_detected"
}

fn lead(at: usize) -> &'static str {
    if at == 0 { ": " } else { "; " }
}

fn of_budget(numbers: &BudgetExceeded) -> String {
    let texts = texts();
    let mut text = fill(
        texts.budget,
        &[("budget", &numbers.budget), ("reserve", &numbers.reserve)],
    );
    if numbers.margin > 0 {
        text.push_str(&fill(texts.budget_margin, &[("margin", &numbers.margin)]));
    }
    text.push_str(&fill(
        texts.budget_needs,
        &[
            ("available", &numbers.available),
            ("required", &numbers.required_tokens),
        ],
    ));
    if let Some(section) = &numbers.section {
        let section = printable(section);
        text.push_str(&fill(texts.budget_in, &[("section", &section)]));
    } else if let Some(at) = numbers.exceeded_at
        && let Some(cost) = numbers.item_costs.iter().find(|cost| cost.row == at)
    {
        text.push_str(&fill(
            texts.budget_at,
            &[
                ("id", &printable(&cost.id)),
                ("row", &at),
                ("tokens", &cost.tokens),
            ],
        ));
    }
    if let Some(joins) = numbers.join_tokens.filter(|joins| *joins != 0) {
        let shown = format!("{joins:+}");
        text.push_str(&fill(texts.budget_joins, &[("tokens", &shown)]));
    }
    text.push_str(&fill(texts.budget_remedy, &[("tokens", &numbers.raise_by)]));
    text
}

fn write_value(
    f: &mut fmt::Formatter<'_>,
    field: &str,
    value: &str,
    problem: &str,
    suggestion: Option<&str>,
) -> fmt::Result {
    write!(f, "{} {} {problem}", printable(field), printable(value))?;
    match suggestion {
        Some(suggestion) => write!(f, "; use {suggestion}"),
        None => Ok(()),
    }
}

fn write_fault(f: &mut fmt::Formatter<'_>, text: &str, fault: &Fault) -> fmt::Result {
    f.write_str(&fill(text, &[("which", &printable(&fault.which))]))?;
    if let Some(row) = fault.row {
        f.write_str(&fill(texts().fault_row, &[("row", &row)]))?;
    }
    write!(f, ": {}", fault.message)
}

//! What reasons and errors say, in English. Codes are the API; these sentences may change.

use std::fmt;

use crate::error::{BudgetExceeded, ErrorKind, Problem};
use crate::printable::printable;

/// Returns the sentence of a reason.
#[must_use]
pub fn reason_sentence(reason: &str) -> &'static str {
    match reason {
        "expired" => "expired at or before the time of packing",
        "quarantined" => "is quarantined",
        "restricted" => "is restricted and the boundary is external",
        "missing_provenance" => "names no source and the boundary requires one",
        "secret_detected" => "holds what has the form of a secret and the boundary is external",
        "unsupported_content" => "has content that this rendering cannot count or show",
        "duplicate" => "repeats another row and was merged into it",
        "budget" => "did not fit into the room that was left",
        "join_cost" => "fits as a sum of parts, but not as the text is joined",
        "group_incomplete" => "belongs to a group of which another member was refused",
        "empty" => "had no room for any of it when it was cut",
        "section_cap" => "did not fit under the cap of its section",
        "stopped" => "comes behind the first that did not fit, where its section stops",
        "exclusive" => "has a rival that is in",
        "requirement_missing" => "requires an item that is not in",
        "not_evaluated" => "was not decided, because packing failed before",
        _ if reason.starts_with("policy:") => "was refused by a policy",
        _ if reason.starts_with("strategy:") => "was dropped by the strategy of its section",
        _ => "was excluded",
    }
}

/// Returns what would have admitted an item that was excluded for a reason.
#[must_use]
pub fn reason_remedy(reason: &str) -> &'static str {
    match reason {
        "expired" => "set a later expires_at, or pass an earlier now",
        "quarantined" => "lift the quarantine by giving it another trust",
        "restricted" => "lower its sensitivity, or pack for an internal boundary",
        "missing_provenance" => "give it sources",
        "secret_detected" => {
            "take the secret out, pack with secrets='redact', or switch its rule off"
        }
        "unsupported_content" => "pack a text of it instead",
        "duplicate" => "see why() of that row: its content stands or falls with it",
        "budget" => {
            "raise the budget, by its shortfall at least, raise its score, or make it preferred"
        }
        "join_cost" => "raise the budget, or use another separator",
        "group_incomplete" => "admit the refused member, or take it out of the group",
        "empty" => "raise the budget, or give it an alternative",
        "section_cap" => "raise the cap of its section, by its shortfall at least",
        "stopped" => "make room for what stopped its section, or give the section another rule",
        "exclusive" => "raise its score over its rival's, or give it another key",
        "requirement_missing" => "see why() of what it requires: it stands or falls with it",
        "not_evaluated" => "mend what made packing fail",
        _ if reason.starts_with("policy:") => "change the item or the policy",
        _ if reason.starts_with("strategy:") => "ask the strategy of its section",
        _ => "",
    }
}

pub(crate) fn write_error(f: &mut fmt::Formatter<'_>, kind: &ErrorKind) -> fmt::Result {
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
        ErrorKind::InvalidMessages { problems } => write_problems(f, problems),
        ErrorKind::BudgetExceeded(numbers) => write_budget(f, numbers),
        ErrorKind::FloorsExceedBudget { required, exceeded } => write!(
            f,
            "what is required and what sections hold needs {required} tokens and {} are available; lower a min_tokens, or raise the budget by {}",
            exceeded.available, exceeded.overflow_tokens
        ),
        ErrorKind::SectionOverflow {
            section,
            needed,
            allocated,
            ..
        } => write!(
            f,
            "section '{}' needs {needed} tokens and may have {allocated}; raise its cap or the budget, or require less of it",
            printable(section)
        ),
        ErrorKind::RenderingOverBudget {
            needed, available, ..
        } => write!(
            f,
            "this rendering needs {needed} tokens and {available} are available; pack for it with render=\"text\" or render=\"messages\""
        ),
        ErrorKind::PolicyViolation {
            violations,
            boundary,
            ..
        } => {
            write!(
                f,
                "boundary {boundary} refuses {} required item(s)",
                violations.len()
            )?;
            for (at, violation) in violations.iter().take(3).enumerate() {
                let lead = if at == 0 { ": " } else { "; " };
                write!(
                    f,
                    "{lead}'{}' in row {} ({})",
                    printable(&violation.id),
                    violation.row,
                    printable(&violation.reason)
                )?;
            }
            write!(f, "; change or demote them, or pack for another boundary")
        }
        ErrorKind::Policy(fault) => write_fault(f, "policy", fault),
        ErrorKind::Tokenizer(fault) => write_fault(f, "tokenizer", fault),
        ErrorKind::Strategy(fault) => write_fault(f, "strategy", fault),
        ErrorKind::UnsupportedContent {
            row,
            id,
            kind,
            renderer,
        } => write_unsupported(f, (*row, id.as_str()), kind, renderer),
        ErrorKind::ManifestCorrupt { differences } => {
            write!(
                f,
                "this is no intact manifest: {}; read the stored original",
                differences.join("; ")
            )
        }
        ErrorKind::ManifestVersion { found } => {
            write!(
                f,
                "manifest schema version {found} is not known here; read it with a newer packframe"
            )
        }
    }
}

fn write_unsupported(
    f: &mut fmt::Formatter<'_>,
    (row, id): (usize, &str),
    kind: &str,
    renderer: &str,
) -> fmt::Result {
    let id = printable(id);
    match kind {
        "message" => write!(
            f,
            "the message in row {row} (id '{id}') has a part that is no text, such as an image, which is not counted or shown; leave the part out, or put a text in its place"
        ),
        "binary" => write!(
            f,
            "item '{id}' in row {row} is binary content, which has no text; pack a text of it"
        ),
        _ => write!(
            f,
            "item '{id}' in row {row} has the role tool and names no call, so it has no form as {renderer}; use Frame.from_messages, or another role"
        ),
    }
}

fn write_problems(f: &mut fmt::Formatter<'_>, problems: &[Problem]) -> fmt::Result {
    write!(f, "a provider would refuse these messages")?;
    for (at, problem) in problems.iter().take(3).enumerate() {
        let lead = if at == 0 { ": " } else { "; " };
        write!(f, "{lead}message {}", problem.position)?;
        if !problem.path.is_empty() {
            write!(f, " {}", printable(&problem.path))?;
        }
        write!(f, " ({})", problem.rule)?;
    }
    if problems.len() > 3 {
        write!(f, "; and {} more", problems.len() - 3)?;
    }
    write!(f, "; mend or remove them")
}

fn write_budget(f: &mut fmt::Formatter<'_>, numbers: &BudgetExceeded) -> fmt::Result {
    write!(
        f,
        "budget of {} tokens less a reserve of {}",
        numbers.budget, numbers.reserve
    )?;
    if numbers.margin > 0 {
        write!(f, " and a margin of {}", numbers.margin)?;
    }
    write!(
        f,
        " leaves {}, but what is required needs {}",
        numbers.available, numbers.required_tokens
    )?;
    if let Some(at) = numbers.exceeded_at
        && let Some(cost) = numbers.item_costs.iter().find(|cost| cost.row == at)
    {
        write!(
            f,
            " (item '{}' in row {at}, {} tokens, goes over)",
            printable(&cost.id),
            cost.tokens
        )?;
    }
    if let Some(joins) = numbers.join_tokens.filter(|joins| *joins != 0) {
        write!(f, ", {joins:+} as it is joined")?;
    }
    write!(
        f,
        "; raise the budget by {}, or require less",
        numbers.overflow_tokens
    )
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

fn write_fault(f: &mut fmt::Formatter<'_>, what: &str, fault: &crate::error::Fault) -> fmt::Result {
    write!(f, "{what} '{}' failed", printable(&fault.which))?;
    if let Some(row) = fault.row {
        write!(f, " on row {row}")?;
    }
    write!(f, ": {}", fault.message)
}

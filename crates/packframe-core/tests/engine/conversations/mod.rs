//! Lists of messages: what is refused, what a repair does, what lives or dies together.

mod anthropic;
mod chat;
mod convert;
mod gemini;
mod hostile;
mod responses;

use packframe_core::{
    Error, ErrorKind, Format, RepairMode, RepairOptions, Repaired, repair_messages,
    validate_messages,
};

/// A list that is repaired, and what comes of it.
struct Case<'a> {
    name: &'static str,
    messages: &'a [&'a str],
    /// The messages as `show` shows them, and what was done.
    expected: &'static str,
}

fn default() -> RepairOptions<'static> {
    RepairOptions::default()
}

fn placeholder() -> RepairOptions<'static> {
    RepairOptions {
        mode: RepairMode::Placeholder,
        ..default()
    }
}

/// Repairs a list, and holds that nothing refused is left, that a second repair does nothing, and
/// that what did not change is what was given.
fn repaired<'a>(
    messages: &'a [&str],
    format: Format,
    options: &RepairOptions<'_>,
) -> Result<Repaired<'a>, Error> {
    let repaired = repair_messages(messages, format, options)?;
    for message in &repaired.messages {
        if let Some(origin) = message.origin.filter(|_| !message.is_changed) {
            assert_eq!(&*message.json, messages[origin]);
        }
    }
    let again = RepairOptions {
        final_from: usize::MAX,
        ..options.clone()
    };
    let again = repair_messages(&repaired.messages, format, &again).expect("a repaired list");
    // Controls of the final are history to the second repair.
    if options.final_from == usize::MAX {
        assert_eq!(again.repairs, []);
    }
    if !options.allow_pending {
        let left = validate_messages(&repaired.messages, format, None);
        let refused = left
            .iter()
            .filter(|left| left.severity.as_str() == "refused");
        let kept: Vec<_> = refused.filter(|left| left.rule != "first_role").collect();
        assert!(kept.is_empty(), "{kept:?}");
    }
    Ok(repaired)
}

/// Shows a repaired list: positions, `*` and the JSON where a message is another, `+` where it is
/// new; then the repairs; then what is pending.
fn show(repaired: &Repaired) -> String {
    let messages = repaired.messages.iter().map(|message| {
        let origin = message.origin.map_or("+".to_owned(), |row| row.to_string());
        if message.is_changed {
            format!("{origin}*{}", message.json)
        } else {
            origin
        }
    });
    let repairs = repaired.repairs.iter().map(|repair| {
        let to = repair.to_row.map_or(String::new(), |row| format!(">{row}"));
        let id = repair.id.as_deref().unwrap_or("-");
        format!("{} {}:{} {id}{to}", repair.kind, repair.row, repair.path)
    });
    let left = repaired
        .problems
        .iter()
        .map(|left| format!("{} {}:{}", left.rule, left.position, left.path));
    let lines = [
        messages.collect::<Vec<_>>().join(" "),
        repairs.collect::<Vec<_>>().join("; "),
        left.collect::<Vec<_>>().join("; "),
    ];
    lines.join(" | ").trim_end_matches([' ', '|']).to_owned()
}

fn check(cases: &[Case<'_>], format: Format, options: &RepairOptions<'_>) {
    let mut wrong = Vec::new();
    for case in cases {
        let shown = match repaired(case.messages, format, options) {
            Ok(repaired) => show(&repaired),
            Err(error) => refusal(&error),
        };
        if shown != case.expected {
            wrong.push(format!(
                "{}\n  is   {shown}\n  want {}",
                case.name, case.expected
            ));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

fn refusal(error: &Error) -> String {
    let ErrorKind::InvalidMessages { problems } = error.kind() else {
        panic!("{error}");
    };
    let shown: Vec<String> = problems
        .iter()
        .map(|problem| format!("{} {}:{}", problem.rule, problem.position, problem.path))
        .collect();
    format!("refused {}", shown.join("; "))
}

/// The first message of the group of each message.
fn groups(messages: &[&str], format: Format) -> Vec<usize> {
    let repaired = repaired(messages, format, &default()).expect("a list that can be repaired");
    let facts = repaired.conversation.messages.iter();
    facts.map(|facts| facts.group).collect()
}

/// Why each message is protected; `-` for one that is not.
fn protections(messages: &[&str], format: Format) -> String {
    let repaired = repaired(messages, format, &default()).expect("a list that can be repaired");
    let facts = repaired.conversation.messages.iter();
    let words = facts.map(|facts| facts.protection.map_or("-", |why| why.as_str()));
    words.collect::<Vec<_>>().join(" ")
}

/// What is wrong with each message.
fn problems(messages: &[&str], format: Format, model: Option<&str>) -> String {
    let found = validate_messages(messages, format, model);
    let shown = found.iter().map(|problem| {
        let (rule, position, path) = (problem.rule, problem.position, &problem.path);
        let pending = if problem.severity.as_str() == "pending" {
            "?"
        } else {
            ""
        };
        format!("{rule}{pending} {position}:{path}")
    });
    shown.collect::<Vec<_>>().join("; ")
}

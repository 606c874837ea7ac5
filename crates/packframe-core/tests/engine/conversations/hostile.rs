//! Lists that nobody means.

use std::fmt::Write;

use packframe_core::{
    Format, RepairMode, RepairOptions, Repaired, repair_messages, validate_messages,
};

/// A generator of numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % bound
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

fn message(random: &mut Random, format: Format) -> String {
    let id = random.pick(&["a", "b", "c", "d"]);
    let odd = random.below(40);
    if odd == 0 {
        let odd = [
            "7",
            "[]",
            "{}",
            "null",
            "\"x\"",
            r#"{"role":7}"#,
            r#"{"type":"reasoning"}"#,
        ];
        return random.pick(&odd).to_owned();
    }
    match format {
        Format::OpenAiChat => match random.below(6) {
            0 => r#"{"role":"user","content":"q"}"#.to_owned(),
            1 => r#"{"role":"assistant","content":"x"}"#.to_owned(),
            2 | 3 => {
                let mut calls = String::new();
                for at in 0..random.below(4) {
                    let comma = if at > 0 { "," } else { "" };
                    let id = random.pick(&["a", "b", "c", ""]);
                    let _ = write!(
                        calls,
                        r#"{comma}{{"id":"{id}","function":{{"name":"f","arguments":"{{}}"}}}}"#
                    );
                }
                let content = random.pick(&["null", "\"t\""]);
                format!(r#"{{"role":"assistant","content":{content},"tool_calls":[{calls}]}}"#)
            }
            _ => format!(r#"{{"role":"tool","tool_call_id":"{id}","content":"r"}}"#),
        },
        Format::Anthropic | Format::Gemini => {
            let gemini = format == Format::Gemini;
            let role = random.pick(&["user", "model"]);
            let mut blocks = Vec::new();
            for _ in 0..=random.below(3) {
                let id = random.pick(&["a", "b", "c", "d"]);
                let kind = random.below(if role == "user" { 10 } else { 12 });
                blocks.push(match (kind, gemini) {
                    (0..=3, true) if role == "user" => format!(r#"{{"functionResponse":{{"id":"{id}","name":"f","response":{{}}}}}}"#),
                    (0..=3, false) if role == "user" => format!(r#"{{"type":"tool_result","tool_use_id":"{id}","content":"r"}}"#),
                    (4..=6, true) if role == "user" => format!(r#"{{"functionResponse":{{"name":"{id}","response":{{}}}}}}"#),
                    (0..=2, true) => format!(r#"{{"functionCall":{{"id":"{id}","name":"f"}},"thoughtSignature":"s"}}"#),
                    (3 | 4, true) => format!(r#"{{"functionCall":{{"name":"{id}"}}}}"#),
                    (0..=4, false) => format!(r#"{{"type":"tool_use","id":"{id}","name":"f","input":{{}}}}"#),
                    (10, false) => format!(r#"{{"type":"server_tool_use","id":"{id}","name":"web_search","input":{{}}}}"#),
                    (11, false) => format!(r#"{{"type":"web_search_tool_result","tool_use_id":"{id}","content":[]}}"#),
                    (5, false) => r#"{"type":"thinking","thinking":"t","signature":"s"}"#.to_owned(),
                    (_, true) => r#"{"text":"t"}"#.to_owned(),
                    (_, false) => r#"{"type":"text","text":"t"}"#.to_owned(),
                });
            }
            let (field, role) = match (gemini, role) {
                (true, role) => ("parts", role),
                (false, "model") => ("content", "assistant"),
                (false, role) => ("content", role),
            };
            format!(r#"{{"role":"{role}","{field}":[{}]}}"#, blocks.join(","))
        }
        Format::OpenAiResponses => item(random, id),
    }
}

fn item(random: &mut Random, id: &str) -> String {
    let program = random.pick(&["p", "q"]);
    let caller = if random.below(3) == 0 {
        format!(r#","caller":{{"type":"program","caller_id":"{program}"}}"#)
    } else {
        String::new()
    };
    let status = random.pick(&[
        "in_progress",
        "in_progress",
        "completed",
        "incomplete",
        "odd",
    ]);
    match random.below(17) {
        0 => r#"{"role":"user","content":"q"}"#.to_owned(),
        1 => {
            format!(r#"{{"type":"message","role":"assistant","id":"m{id}","content":"x"{caller}}}"#)
        }
        2 => format!(
            r#"{{"type":"reasoning","id":"r{}","summary":[]{caller}}}"#,
            random.below(9)
        ),
        3 | 4 => format!(
            r#"{{"type":"function_call","call_id":"{id}","name":"f","arguments":"{{}}"{caller}}}"#
        ),
        5 | 6 => {
            format!(r#"{{"type":"function_call_output","call_id":"{id}","output":"r"{caller}}}"#)
        }
        7 => format!(r#"{{"type":"shell_call","call_id":"{id}","status":"{status}"{caller}}}"#),
        8 => format!(
            r#"{{"type":"shell_call_output","call_id":"{id}","status":"{status}","output":[]{caller}}}"#
        ),
        9 => format!(r#"{{"type":"tool_search_call"{caller}}}"#),
        10 => format!(r#"{{"type":"tool_search_output","status":"{status}","tools":[]{caller}}}"#),
        11 => format!(r#"{{"type":"program","call_id":"{program}"}}"#),
        12 => format!(r#"{{"type":"program_output","call_id":"{program}","status":"{status}"}}"#),
        13 => format!(r#"{{"type":"mcp_approval_request","id":"{id}"{caller}}}"#),
        14 => format!(
            r#"{{"type":"mcp_approval_response","approval_request_id":"{id}","approve":true{caller}}}"#
        ),
        15 => r#"{"type":"compaction_trigger"}"#.to_owned(),
        _ => format!(r#"{{"type":"web_search_call","id":"w{id}"{caller}}}"#),
    }
}

#[test]
fn whatever_comes_out_is_accepted_and_stays_as_it_is() {
    let count = std::env::var("PACKFRAME_EXAMPLES").map_or(3_000, |n| n.parse().expect("a number"));
    for seed in 0..count {
        let mut random = Random(seed);
        let format = Format::ALL[random.below(4)];
        let length = 1 + random.below(14);
        let list: Vec<String> = (0..length).map(|_| message(&mut random, format)).collect();
        let mode = [RepairMode::Drop, RepairMode::Placeholder][random.below(2)];
        let options = RepairOptions {
            mode,
            abandoned: if random.below(3) == 0 {
                vec!["a"]
            } else {
                Vec::new()
            },
            allow_pending: random.below(4) == 0,
            ..RepairOptions::default()
        };
        let show = || format!("seed {seed} {format:?} {options:?}\n{}", list.join("\n"));
        let Ok(repaired) = repair_messages(&list, format, &options) else {
            // Refused: then something is wrong with a message alone.
            let found = validate_messages(&list, format, None);
            let alone = [
                "malformed_block",
                "unknown_role",
                "missing_content",
                "empty_content",
                "arguments_not_string",
            ];
            assert!(
                found.iter().any(|found| alone.contains(&found.rule)),
                "{}",
                show()
            );
            continue;
        };
        let again = repair_messages(&repaired.messages, format, &options).expect("repaired once");
        assert_eq!(again.repairs, [], "{}", show());
        assert_eq!(again.messages.len(), repaired.messages.len());
        let left = validate_messages(&repaired.messages, format, None);
        for problem in left {
            let waits = options.allow_pending && problem.rule == "dangling_call";
            let is_fine =
                problem.severity.as_str() == "pending" || waits || problem.rule == "first_role";
            assert!(
                is_fine,
                "{problem:?} {}\n->\n{:?}",
                show(),
                repaired.messages
            );
        }
        if !options.allow_pending {
            leave_groups(&mut random, &repaired, format, &show);
        }
        let found = validate_messages(&list, format, None);
        let refused = |rule: &str| rule != "first_role";
        let is_sound = !found
            .iter()
            .any(|found| found.severity.as_str() == "refused" && refused(found.rule));
        let controls = repaired
            .repairs
            .iter()
            .all(|repair| repair.kind == "input_control");
        if is_sound && options.abandoned.is_empty() {
            assert!(controls, "{} {:?}", show(), repaired.repairs);
        }
        for message in &repaired.messages {
            if let Some(origin) = message.origin.filter(|_| !message.is_changed) {
                assert_eq!(*message.json, list[origin]);
            }
        }
    }
}

/// Holds that what is left without some groups is accepted too.
fn leave_groups(
    random: &mut Random,
    repaired: &Repaired,
    format: Format,
    show: &dyn Fn() -> String,
) {
    let facts = &repaired.conversation.messages;
    let by_turn = repaired.conversation.groups_by_turn();
    let groups: Vec<usize> = match random.below(2) {
        0 => facts.iter().map(|facts| facts.group).collect(),
        _ => by_turn,
    };
    let stays: Vec<bool> = groups.iter().map(|_| random.below(3) > 0).collect();
    let kept: Vec<&str> = (0..groups.len())
        .filter(|row| stays[groups[*row]])
        .map(|row| &*repaired.messages[row].json)
        .collect();
    for problem in validate_messages(&kept, format, None) {
        let is_fine = problem.severity.as_str() == "pending" || problem.rule == "first_role";
        assert!(is_fine, "{problem:?} {}\n->\n{}", show(), kept.join("\n"));
    }
}

#[test]
fn nesting_is_no_danger() {
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    for format in Format::ALL {
        for list in [
            vec![deep.clone()],
            vec![format!(
                r#"{{"role":"user","content":{deep},"parts":{deep},"tool_calls":{deep},"caller":{deep}}}"#
            )],
            vec![format!(
                r#"{{"role":"assistant","content":[{{"type":"tool_use","input":{deep}}}],"tool_calls":[{deep}]}}"#
            )],
            vec![format!(
                r#"{{"type":"function_call","call_id":{deep},"arguments":{deep}}}"#
            )],
        ] {
            let _ = validate_messages(&list, *format, None);
            let _ = repair_messages(&list, *format, &RepairOptions::default());
        }
    }
}

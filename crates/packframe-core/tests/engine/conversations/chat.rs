//! Chat completions.

use packframe_core::{Format, Protection, RepairMode, RepairOptions};

use super::{Case, check, default, groups, placeholder, problems, protections, refusal, repaired};

const CHAT: Format = Format::OpenAiChat;

const ASK: &str = r#"{"role":"user","content":"q"}"#;
const SAY: &str = r#"{"role":"assistant","content":"x"}"#;
const CALL_A: &str = r#"{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}"#;
const CALL_AB: &str = r#"{"role":"assistant","content":"","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}]}"#;
const CALL_AA: &str = r#"{"role":"assistant","content":"t","reasoning_content":"r","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}"#;
const RES_A: &str = r#"{"role":"tool","tool_call_id":"a","content":"1"}"#;
const RES_B: &str = r#"{"role":"tool","tool_call_id":"b","content":"2"}"#;
const RES_Z: &str = r#"{"role":"tool","tool_call_id":"z","content":"3"}"#;
const OLD_CALL: &str =
    r#"{"role":"assistant","content":null,"function_call":{"name":"w","arguments":"{}"}}"#;
const OLD_RES: &str = r#"{"role":"function","name":"w","content":"warm"}"#;

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn what_is_accepted_stays_and_the_rest_is_mended() {
    check(
        &[
            Case {
                name: "nothing",
                messages: &[],
                expected: "",
            },
            Case {
                name: "a pair",
                messages: &[ASK, CALL_A, RES_A, SAY],
                expected: "0 1 2 3",
            },
            Case {
                name: "any order",
                messages: &[CALL_AB, RES_B, RES_A, ASK],
                expected: "0 1 2 3",
            },
            Case {
                name: "old calls",
                messages: &[ASK, OLD_CALL, OLD_RES, SAY],
                expected: "0 1 2 3",
            },
            Case {
                name: "the same id in another step",
                messages: &[CALL_A, RES_A, CALL_A, RES_A, ASK],
                expected: "0 1 2 3 4",
            },
            Case {
                name: "pending",
                messages: &[ASK, CALL_AB, RES_A],
                expected: "0 1 2 |  | pending_call 1:tool_calls[1]",
            },
            Case {
                name: "dangling",
                messages: &[CALL_A, ASK],
                expected: "1 | dangling_call 0:tool_calls[0] a",
            },
            Case {
                name: "half dangling",
                messages: &[CALL_AB, RES_A, ASK],
                expected: r#"0*{"role":"assistant","content":"","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]} 1 2 | dangling_call 0:tool_calls[1] b"#,
            },
            Case {
                name: "an orphan",
                messages: &[ASK, RES_Z, SAY],
                expected: "0 2 | orphan_result 1:tool_call_id z",
            },
            Case {
                name: "a second result",
                messages: &[CALL_A, RES_A, RES_A, ASK],
                expected: "0 1 3 | duplicate_result 2:tool_call_id a",
            },
            Case {
                name: "a result too late",
                messages: &[CALL_A, ASK, RES_A],
                expected: "0 2 1 | moved_result 2:tool_call_id a>0",
            },
            Case {
                name: "a result too early",
                messages: &[ASK, RES_A, SAY, CALL_A],
                expected: "0 2 3 1 | moved_result 1:tool_call_id a>3",
            },
            Case {
                name: "behind the results there",
                messages: &[CALL_AB, RES_B, SAY, RES_A, ASK],
                expected: "0 1 3 2 4 | moved_result 3:tool_call_id a>1",
            },
            Case {
                name: "to the nearest earlier call",
                messages: &[CALL_A, ASK, CALL_A, ASK, RES_A],
                expected: "1 2 4 3 | dangling_call 0:tool_calls[0] a; moved_result 4:tool_call_id a>2",
            },
            Case {
                name: "the same call twice",
                messages: &[CALL_AA, RES_A, RES_A, ASK],
                expected: r#"0*{"role":"assistant","content":"t","reasoning_content":"r","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]} 1 3 | duplicate_call 0:tool_calls[1] a; duplicate_result 2:tool_call_id a"#,
            },
            Case {
                name: "no list of calls",
                messages: &[
                    r#"{"role":"assistant","content":"x","tool_calls":{"id":"a"},"n":1}"#,
                    ASK,
                ],
                expected: r#"0*{"role":"assistant","content":"x","n":1} 1 | malformed_call 0:tool_calls -"#,
            },
            Case {
                name: "an empty list of calls",
                messages: &[
                    r#"{"role":"assistant","content":null,"tool_calls":[]}"#,
                    ASK,
                ],
                expected: "1 | empty_tool_calls 0:tool_calls -",
            },
            Case {
                name: "a call without an id",
                messages: &[
                    r#"{"role":"assistant","content":"x","tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}"#,
                    ASK,
                ],
                expected: r#"0*{"role":"assistant","content":"x"} 1 | malformed_call 0:tool_calls[0] -"#,
            },
            Case {
                name: "a user who calls",
                messages: &[r#"{"role":"user","content":"x","tool_calls":[1]}"#],
                expected: r#"0*{"role":"user","content":"x"} | call_in_wrong_role 0:tool_calls -"#,
            },
            Case {
                name: "in a loop that goes on",
                messages: &[ASK, CALL_AB, RES_A, SAY, CALL_A, RES_A],
                expected: r#"0 1*{"role":"assistant","content":"","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]} 2 3 4 5 | dangling_call 1:tool_calls[1] b"#,
            },
            Case {
                name: "nothing repairs it",
                messages: &[
                    ASK,
                    r#"{"role":"bot","content":"x"}"#,
                    r#"{"role":"user","content":[{"text":1}]}"#,
                ],
                expected: "refused unknown_role 1:role; malformed_block 2:content[0]",
            },
            Case {
                name: "what goes may be broken",
                messages: &[ASK, r#"{"role":"tool","content":7}"#],
                expected: "0 | malformed_call 1:tool_call_id -",
            },
            Case {
                name: "no JSON",
                messages: &["nonsense"],
                expected: "refused malformed_block 0:",
            },
        ],
        CHAT,
        &default(),
    );
}

#[test]
fn a_placeholder_is_written_where_a_result_is_missing() {
    check(
        &[
            Case {
                name: "dangling",
                messages: &[CALL_AB, RES_A, ASK],
                expected: r#"0 1 +*{"role":"tool","tool_call_id":"b","content":"[no result]"} 2 | written_result 0:tool_calls[1] b>1"#,
            },
            Case {
                name: "old",
                messages: &[OLD_CALL, ASK],
                expected: r#"0 +*{"role":"function","name":"w","content":"[no result]"} 1 | written_result 0:function_call w>0"#,
            },
            Case {
                name: "pending",
                messages: &[ASK, CALL_A],
                expected: "0 1 |  | pending_call 1:tool_calls[0]",
            },
        ],
        CHAT,
        &placeholder(),
    );
}

#[test]
fn poisoned_histories_are_mended_and_said() {
    let messages = [
        r#"{"role":"user","content":"a"}"#,
        r#"{"role":"assistant","content":"","tool_calls":[{"id":"d1","type":"function","function":{"name":"f","arguments":"{}"}}]}"#,
        r#"{"role":"user","content":"b"}"#,
        r#"{"role":"tool","tool_call_id":"ghost","content":"?"}"#,
        r#"{"role":"assistant","content":"","tool_calls":[{"id":"d2","type":"function","function":{"name":"f","arguments":"{}"}}]}"#,
        r#"{"role":"tool","tool_call_id":"d2","content":"x"}"#,
        r#"{"role":"tool","tool_call_id":"d2","content":"x again"}"#,
        r#"{"role":"assistant","content":"ok"}"#,
        r#"{"role":"user","content":"c"}"#,
    ];
    let repaired = repaired(&messages, CHAT, &default()).expect("repaired");
    let said: Vec<_> = repaired
        .repairs
        .iter()
        .map(|repair| (repair.id.as_deref().unwrap_or(""), repair.kind))
        .collect();
    let expected = [
        ("d1", "dangling_call"),
        ("ghost", "orphan_result"),
        ("d2", "duplicate_result"),
    ];
    assert_eq!(said, expected);
}

#[test]
fn pending_calls_can_be_given_up_or_allowed() {
    let given_up = RepairOptions {
        abandoned: vec!["a"],
        ..default()
    };
    check(
        &[
            Case {
                name: "given up",
                messages: &[ASK, CALL_A],
                expected: "0 | dangling_call 1:tool_calls[0] a",
            },
            Case {
                name: "the other waits",
                messages: &[ASK, CALL_AB],
                expected: r#"0 1*{"role":"assistant","content":"","tool_calls":[{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}]} | dangling_call 1:tool_calls[0] a | pending_call 1:tool_calls[0]"#,
            },
        ],
        CHAT,
        &given_up,
    );
    let allowed = RepairOptions {
        allow_pending: true,
        ..default()
    };
    let messages = [ASK, CALL_A, ASK, SAY, ASK];
    let repaired = repaired(&messages, CHAT, &allowed).expect("repaired");
    let kept = repaired.conversation.messages[1].protection;
    assert_eq!(kept.map(Protection::as_str), Some("pending_call"));
}

#[test]
fn the_final_is_never_cut() {
    let from = |final_from| RepairOptions {
        final_from,
        ..default()
    };
    let of = |messages: &[&str], final_from| match repaired(messages, CHAT, &from(final_from)) {
        Ok(repaired) => super::show(&repaired),
        Err(error) => refusal(&error),
    };
    assert_eq!(of(&[ASK, CALL_AB, RES_A, RES_B], 2), "0 1 2 3");
    assert_eq!(of(&[RES_A], 0), "refused orphan_result 0:tool_call_id");
    assert_eq!(
        of(&[CALL_A, RES_A, ASK, CALL_A, ASK], 3),
        "refused dangling_call 3:tool_calls[0]"
    );
    assert_eq!(
        of(&[CALL_A, SAY, RES_A], 2),
        "0 2 1 | moved_result 2:tool_call_id a>0"
    );
    let messages = [ASK, SAY, CALL_AB, RES_A, RES_B];
    let repaired = repaired(&messages, CHAT, &from(4)).expect("sound");
    let facts = repaired.conversation.messages.iter();
    let why: Vec<_> = facts
        .map(|facts| facts.protection.map_or("-", |why| why.as_str()))
        .collect();
    let needed = "final_dependency";
    assert_eq!(why, ["newest_user", "-", needed, needed, "final"]);
}

#[test]
fn nothing_is_repaired_where_that_is_wanted() {
    let error = RepairOptions {
        mode: RepairMode::Error,
        ..default()
    };
    check(
        &[
            Case {
                name: "sound",
                messages: &[ASK, CALL_A, RES_A],
                expected: "0 1 2",
            },
            Case {
                name: "pending",
                messages: &[ASK, CALL_A],
                expected: "0 1 |  | pending_call 1:tool_calls[0]",
            },
            Case {
                name: "broken",
                messages: &[CALL_A, ASK, RES_Z],
                expected: "refused dangling_call 0:tool_calls[0]; orphan_result 2:tool_call_id",
            },
        ],
        CHAT,
        &error,
    );
}

#[test]
fn problems_have_rule_and_place() {
    for (messages, expected) in [
        (&[][..], ""),
        (&[ASK, CALL_A][..], "pending_call? 1:tool_calls[0]"),
        (&[CALL_A, ASK][..], "dangling_call 0:tool_calls[0]"),
        (&[r#"{"role":"user"}"#][..], "missing_content 0:content"),
        (
            &[r#"{"role":"user","content":[]}"#][..],
            "empty_content 0:content",
        ),
        (&[r#"{"role":"user","content":""}"#][..], ""),
        (
            &[
                r#"{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":{}}}]}"#,
            ][..],
            "pending_call? 0:tool_calls[0]; arguments_not_string 0:tool_calls[0].function.arguments",
        ),
        (&["[]", "{}"][..], "malformed_block 0:; unknown_role 1:role"),
    ] {
        assert_eq!(problems(messages, CHAT, None), expected);
    }
}

#[test]
fn a_step_is_one_group_and_a_turn_may_be() {
    let messages = [ASK, SAY, ASK, CALL_AB, RES_A, RES_B, SAY];
    assert_eq!(groups(&messages, CHAT), [0, 1, 2, 3, 3, 3, 6]);
    let repaired = repaired(&messages, CHAT, &default()).expect("sound");
    assert_eq!(
        repaired.conversation.groups_by_turn(),
        [0, 0, 2, 2, 2, 2, 2]
    );
    let system = r#"{"role":"system","content":"s"}"#;
    assert_eq!(
        protections(
            &[system, ASK, CALL_A, RES_A, ASK, CALL_AB, RES_A, RES_B],
            CHAT
        ),
        "system - - - newest_user last_message last_message last_message",
    );
}

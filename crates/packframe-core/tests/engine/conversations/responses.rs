//! Items of the Responses API.

use packframe_core::{Format, RepairOptions};

use super::{Case, check, default, groups, placeholder, problems, protections};

const RESPONSES: Format = Format::OpenAiResponses;

const ASK: &str = r#"{"role":"user","content":"q"}"#;
const SAY: &str = r#"{"role":"assistant","content":"x"}"#;
const SAID: &str = r#"{"type":"message","id":"m","role":"assistant","content":[{"type":"output_text","text":"x"}]}"#;
const CALL_A: &str = r#"{"type":"function_call","call_id":"a","name":"f","arguments":"{}"}"#;
const CALL_B: &str = r#"{"type":"function_call","call_id":"b","name":"f","arguments":"{}"}"#;
const OUT_A: &str = r#"{"type":"function_call_output","call_id":"a","output":"1"}"#;
const OUT_B: &str = r#"{"type":"function_call_output","call_id":"b","output":"2"}"#;
const THINK_1: &str = r#"{"type":"reasoning","id":"r1","summary":[]}"#;
const THINK_2: &str = r#"{"type":"reasoning","id":"r2","summary":[]}"#;
const SHELL: &str = r#"{"type":"shell_call","call_id":"s","status":"completed"}"#;
const SHELL_GOING: &str =
    r#"{"type":"shell_call_output","call_id":"s","status":"in_progress","output":[]}"#;
const SHELL_DONE: &str =
    r#"{"type":"shell_call_output","call_id":"s","status":"completed","output":[]}"#;
const SHELL_FAILED: &str =
    r#"{"type":"shell_call_output","call_id":"s","status":"failed","output":[]}"#;
const SEARCH: &str = r#"{"type":"tool_search_call","execution":"server"}"#;
const FOUND: &str = r#"{"type":"tool_search_output","status":"completed","tools":[]}"#;
const FINDING: &str = r#"{"type":"tool_search_output","status":"in_progress","tools":[]}"#;
const PROGRAM: &str = r#"{"type":"program","call_id":"p"}"#;
const PROGRAM_DONE: &str = r#"{"type":"program_output","call_id":"p","status":"completed"}"#;
const PROGRAM_HALF: &str = r#"{"type":"program_output","call_id":"p","status":"incomplete"}"#;
const CHILD_A: &str = r#"{"type":"function_call","call_id":"a","name":"f","arguments":"{}","caller":{"type":"program","caller_id":"p"}}"#;
const CHILD_OUT_A: &str = r#"{"type":"function_call_output","call_id":"a","output":"1","caller":{"type":"program","caller_id":"p"}}"#;
const CHILD_ASK: &str =
    r#"{"type":"mcp_approval_request","id":"ap","caller":{"type":"program","caller_id":"p"}}"#;
const CHILD_WEB: &str =
    r#"{"type":"web_search_call","id":"w","caller":{"type":"program","caller_id":"p"}}"#;
const TRIGGER: &str = r#"{"type":"compaction_trigger"}"#;
const REFERENCE: &str = r#"{"id":"i"}"#;

#[test]
fn pairs_of_each_kind() {
    let pairs = [
        (CALL_A, OUT_A),
        (
            r#"{"type":"custom_tool_call","call_id":"k","name":"n","input":""}"#,
            r#"{"type":"custom_tool_call_output","call_id":"k","output":""}"#,
        ),
        (
            r#"{"type":"apply_patch_call","call_id":"k"}"#,
            r#"{"type":"apply_patch_call_output","call_id":"k","status":"completed"}"#,
        ),
        (
            r#"{"type":"computer_call","call_id":"k","id":"c"}"#,
            r#"{"type":"computer_call_output","call_id":"k","output":{}}"#,
        ),
        (
            r#"{"type":"local_shell_call","call_id":"k","id":"l"}"#,
            r#"{"type":"local_shell_call_output","id":"k","output":""}"#,
        ),
        (
            r#"{"type":"local_shell_call","call_id":"k","id":"l"}"#,
            r#"{"type":"local_shell_call_output","id":"o","call_id":"k","output":""}"#,
        ),
        (SHELL, SHELL_DONE),
        (SEARCH, FOUND),
        (
            r#"{"type":"tool_search_call","execution":"client","call_id":"k"}"#,
            r#"{"type":"tool_search_output","execution":"client","call_id":"k","tools":[]}"#,
        ),
        (
            r#"{"type":"mcp_approval_request","id":"k"}"#,
            r#"{"type":"mcp_approval_response","approval_request_id":"k","approve":true}"#,
        ),
        (
            r#"{"type":"hosted_tool_call","id":"w","provider_data":{"type":"mcp_approval_request","id":"k"}}"#,
            r#"{"type":"mcp_approval_response","approval_request_id":"k","approve":true}"#,
        ),
        (
            r#"{"type":"hosted_tool_call","id":"w","provider_data":{"type":"mcp_approval_request"}}"#,
            r#"{"type":"mcp_approval_response","approval_request_id":"w","approve":true}"#,
        ),
        (PROGRAM, PROGRAM_DONE),
        (
            r#"{"type":"future_call","call_id":"k"}"#,
            r#"{"type":"future_call_output","call_id":"k"}"#,
        ),
    ];
    for (call, output) in pairs {
        assert_eq!(
            groups(&[ASK, call, output, ASK], RESPONSES),
            [0, 1, 1, 3],
            "{call}"
        );
        check(
            &[Case {
                name: "in order",
                messages: &[call, output, ASK],
                expected: "0 1 2",
            }],
            RESPONSES,
            &default(),
        );
        for alone in [&[call, ASK][..], &[output, ASK][..]] {
            let left = super::repaired(alone, RESPONSES, &default()).expect("repaired");
            assert_eq!(left.messages.len(), 1, "{alone:?}");
        }
        let list = [output, call, ASK];
        let turned = super::repaired(&list, RESPONSES, &default()).expect("repaired");
        let by_place = call == SEARCH;
        assert_eq!(
            turned.messages.len(),
            if by_place { 1 } else { 3 },
            "{call}"
        );
    }
}

#[test]
fn outputs_find_their_calls() {
    check(
        &[
            Case {
                name: "interleaved",
                messages: &[CALL_A, CALL_B, OUT_B, OUT_A, ASK],
                expected: "0 1 2 3 4",
            },
            Case {
                name: "at a distance",
                messages: &[CALL_A, ASK, SAY, OUT_A],
                expected: "0 1 2 3",
            },
            Case {
                name: "reversed",
                messages: &[ASK, OUT_A, CALL_A],
                expected: "0 2 1 | moved_result 1:call_id a>2",
            },
            Case {
                name: "two outputs",
                messages: &[CALL_A, OUT_A, OUT_A, ASK],
                expected: "0 1 3 | duplicate_result 2:call_id a",
            },
            Case {
                name: "two calls",
                messages: &[CALL_A, CALL_A, OUT_A, ASK],
                expected: "1 2 3 | duplicate_call 0: a",
            },
            Case {
                name: "the newest answered call",
                messages: &[CALL_A, OUT_A, CALL_A, OUT_A, CALL_A],
                expected: "2 3 | duplicate_call 0: a; duplicate_result 1:call_id a; duplicate_call 4: a",
            },
            Case {
                name: "an item twice",
                messages: &[ASK, SAID, ASK, SAID],
                expected: "0 1 2 | duplicate_call 3: m",
            },
            Case {
                name: "one bad member",
                messages: &[CALL_A, OUT_A, CALL_B, ASK],
                expected: "0 1 3 | dangling_call 2: b",
            },
            Case {
                name: "a call without an id",
                messages: &[
                    r#"{"type":"function_call","name":"f","arguments":"{}"}"#,
                    OUT_A,
                    ASK,
                ],
                expected: "2 | malformed_call 0: -; orphan_result 1:call_id a",
            },
            Case {
                name: "pending",
                messages: &[ASK, CALL_A, CALL_B, OUT_B, THINK_1],
                expected: "0 1 2 3 | no_follower 4: r1 | pending_call 1:",
            },
            Case {
                name: "no words",
                messages: &[ASK, r#"{"type":7}"#],
                expected: "refused malformed_block 1:type",
            },
        ],
        RESPONSES,
        &default(),
    );
}

#[test]
fn streams_end_once() {
    check(
        &[
            Case {
                name: "to its end",
                messages: &[SHELL, SHELL_GOING, SHELL_GOING, SHELL_DONE, ASK],
                expected: "0 1 2 3 4",
            },
            Case {
                name: "going on",
                messages: &[SHELL, SHELL_GOING, ASK],
                expected: "0 1 2",
            },
            Case {
                name: "behind its end",
                messages: &[SHELL, SHELL_DONE, SHELL_GOING, ASK],
                expected: "0 1 3 | duplicate_result 2:call_id s",
            },
            Case {
                name: "no such word",
                messages: &[SHELL, SHELL_FAILED],
                expected: "0 | bad_status 1:call_id s | pending_call 0:",
            },
            Case {
                name: "searches by place",
                messages: &[SEARCH, FINDING, FOUND, SEARCH, FOUND, ASK],
                expected: "0 1 2 3 4 5",
            },
            Case {
                name: "searches, then outputs",
                messages: &[SEARCH, SEARCH, FOUND, FOUND, ASK],
                expected: "0 1 2 3 4",
            },
            Case {
                name: "one output for two",
                messages: &[SEARCH, SEARCH, FOUND, ASK],
                expected: "1 2 3 | dangling_call 0: -",
            },
            Case {
                name: "an output too early",
                messages: &[FOUND, SEARCH, SEARCH, FOUND, ASK],
                expected: "2 3 4 | orphan_result 0:call_id -; dangling_call 1: -",
            },
            Case {
                name: "a client says its id",
                messages: &[
                    r#"{"type":"tool_search_call","execution":"client"}"#,
                    FOUND,
                    ASK,
                ],
                expected: "2 | malformed_call 0: -; orphan_result 1:call_id -",
            },
        ],
        RESPONSES,
        &default(),
    );
}

#[test]
fn reasoning_needs_what_follows() {
    check(
        &[
            Case {
                name: "a call",
                messages: &[THINK_1, THINK_2, CALL_A, OUT_A, ASK],
                expected: "0 1 2 3 4",
            },
            Case {
                name: "a message",
                messages: &[THINK_1, SAID, ASK],
                expected: "0 1 2",
            },
            Case {
                name: "a message without an id",
                messages: &[THINK_1, SAY, ASK],
                expected: "1 2 | no_follower 0: r1",
            },
            Case {
                name: "an output",
                messages: &[CALL_A, THINK_1, OUT_A, ASK],
                expected: "0 2 3 | no_follower 1: r1",
            },
            Case {
                name: "another type",
                messages: &[THINK_1, r#"{"type":"some_future_type","id":"z"}"#, ASK],
                expected: "1 2 | no_follower 0: r1",
            },
            Case {
                name: "the run goes",
                messages: &[THINK_1, CALL_A, CALL_B, ASK],
                expected: "3 | dangling_call 1: a; dangling_call 2: b; no_follower 0: r1",
            },
            Case {
                name: "some of the run stays",
                messages: &[THINK_1, CALL_A, CALL_B, OUT_B, ASK],
                expected: "0 2 3 4 | dangling_call 1: a",
            },
        ],
        RESPONSES,
        &default(),
    );
    assert_eq!(
        groups(
            &[ASK, THINK_1, CALL_A, OUT_A, THINK_2, SAID, ASK],
            RESPONSES
        ),
        [0, 1, 1, 1, 4, 4, 6]
    );
    assert_eq!(
        protections(&[ASK, CALL_A, CALL_B, OUT_A, OUT_B], RESPONSES),
        "newest_user last_step last_message last_step last_message",
    );
}

#[test]
fn items_of_a_program_live_in_it() {
    check(
        &[
            Case {
                name: "a child",
                messages: &[PROGRAM, CHILD_A, CHILD_OUT_A, ASK],
                expected: "0 1 2 3",
            },
            Case {
                name: "an output without a caller",
                messages: &[PROGRAM, CHILD_A, OUT_A, PROGRAM_HALF, PROGRAM_DONE, ASK],
                expected: "0 1 2 3 4 5",
            },
            Case {
                name: "a child that waits",
                messages: &[PROGRAM, CHILD_ASK, ASK],
                expected: "0 1 2",
            },
            Case {
                name: "what stands alone",
                messages: &[PROGRAM, CHILD_WEB, ASK],
                expected: "0 1 2",
            },
            Case {
                name: "a child without an output",
                messages: &[PROGRAM, CHILD_A, ASK],
                expected: "2 | dangling_call 1: a; dangling_call 0: p",
            },
            Case {
                name: "before its program",
                messages: &[CHILD_A, PROGRAM, CHILD_OUT_A, PROGRAM_DONE, ASK],
                expected: "1 3 4 | unknown_program 0: a; unknown_program 2:call_id a",
            },
            Case {
                name: "of no program",
                messages: &[CHILD_WEB, ASK],
                expected: "1 | unknown_program 0: w",
            },
            Case {
                name: "behind its end",
                messages: &[PROGRAM, PROGRAM_DONE, CHILD_A, CHILD_OUT_A, ASK],
                expected: "0 1 4 | child_after_completed 2: a; child_after_completed 3:call_id a",
            },
            Case {
                name: "an output behind its end",
                messages: &[PROGRAM, CHILD_A, PROGRAM_DONE, OUT_A, ASK],
                expected: "0 1 3 2 4 | moved_result 3:call_id a>1",
            },
            Case {
                name: "nested",
                messages: &[
                    PROGRAM,
                    r#"{"type":"program","call_id":"n","caller":{"type":"program","caller_id":"p"}}"#,
                    r#"{"type":"program_output","call_id":"n","status":"completed"}"#,
                    PROGRAM_DONE,
                    ASK,
                ],
                expected: "0 3 4 | nested_program 1: n; nested_program 2:call_id n",
            },
            Case {
                name: "of another owner",
                messages: &[PROGRAM, CALL_A, CHILD_OUT_A, PROGRAM_DONE, ASK],
                expected: "0 3 4 | dangling_call 1: a; wrong_owner 2:call_id a",
            },
            Case {
                name: "twice",
                messages: &[PROGRAM, PROGRAM, PROGRAM_DONE, ASK],
                expected: "1 2 3 | duplicate_call 0: p",
            },
            Case {
                name: "an end before its items",
                messages: &[PROGRAM_DONE, PROGRAM, CHILD_A, OUT_A, ASK],
                expected: "1 2 3 0 4 | moved_result 0:call_id p>3",
            },
            Case {
                name: "no status",
                messages: &[PROGRAM, r#"{"type":"program_output","call_id":"p"}"#, ASK],
                expected: "2 | dangling_call 0: p; bad_status 1:call_id p",
            },
        ],
        RESPONSES,
        &default(),
    );
    assert_eq!(
        groups(&[PROGRAM, CHILD_A, ASK, OUT_A], RESPONSES),
        [0, 0, 2, 0]
    );
}

#[test]
fn controls_stand_in_the_final_only() {
    check(
        &[Case {
            name: "history",
            messages: &[CALL_A, TRIGGER, REFERENCE, OUT_A],
            expected: "0 3 | input_control 1: -; input_control 2: -",
        }],
        RESPONSES,
        &default(),
    );
    let options = RepairOptions {
        final_from: 1,
        ..default()
    };
    check(
        &[Case {
            name: "final",
            messages: &[CALL_A, OUT_A, REFERENCE, TRIGGER],
            expected: "0 1 2 3",
        }],
        RESPONSES,
        &options,
    );
    assert_eq!(problems(&[ASK, REFERENCE, TRIGGER], RESPONSES, None), "");
}

#[test]
fn placeholders_say_what_their_type_can() {
    check(
        &[
            Case {
                name: "function",
                messages: &[CALL_A, ASK],
                expected: r#"0 +*{"type":"function_call_output","call_id":"a","output":"[no result]","status":"incomplete"} 1 | written_result 0: a>0"#,
            },
            Case {
                name: "shell",
                messages: &[SHELL, ASK],
                expected: r#"0 +*{"type":"shell_call_output","call_id":"s","output":[{"stdout":"","stderr":"[no result]","outcome":{"type":"timeout"}}],"status":"incomplete"} 1 | written_result 0: s>0"#,
            },
            Case {
                name: "program",
                messages: &[PROGRAM, ASK],
                expected: r#"0 +*{"type":"program_output","call_id":"p","result":"[no result]","status":"incomplete"} 1 | written_result 0: p>0"#,
            },
            Case {
                name: "never an approval",
                messages: &[r#"{"type":"mcp_approval_request","id":"k"}"#, ASK],
                expected: "1 | dangling_call 0: k",
            },
            Case {
                name: "never a screen",
                messages: &[r#"{"type":"computer_call","call_id":"k"}"#, ASK],
                expected: "1 | dangling_call 0: k",
            },
        ],
        RESPONSES,
        &placeholder(),
    );
}

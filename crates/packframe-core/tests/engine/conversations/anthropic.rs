//! Anthropic's messages.

use packframe_core::Format;

use super::{Case, check, default, groups, placeholder, problems, protections};

const ANTHROPIC: Format = Format::Anthropic;

const ASK: &str = r#"{"role":"user","content":"q"}"#;
const SAY: &str = r#"{"role":"assistant","content":"x"}"#;
const CALL_A: &str =
    r#"{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]}"#;
const CALL_B: &str =
    r#"{"role":"assistant","content":[{"type":"tool_use","id":"b","name":"f","input":{}}]}"#;
const THINK_AB: &str = r#"{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"text","text":"on it"},{"type":"tool_use","id":"a","name":"f","input":{}},{"type":"tool_use","id":"b","name":"f","input":{}}]}"#;
const RES_A: &str =
    r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"}]}"#;
const RES_B: &str =
    r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":"2"}]}"#;
const RES_A_TEXT: &str = r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"},{"type":"text","text":"and"}]}"#;
const TEXT_RES_A: &str = r#"{"role":"user","content":[{"type":"text","text":"and"},{"type":"tool_result","tool_use_id":"a","content":"1"}]}"#;
const SEARCH: &str = r#"{"role":"assistant","content":[{"type":"server_tool_use","id":"s","name":"web_search","input":{}},{"type":"web_search_tool_result","tool_use_id":"s","content":[]},{"type":"text","text":"found"}]}"#;

#[test]
fn what_is_accepted_stays_and_the_rest_is_mended() {
    check(
        &[
            Case {
                name: "a pair",
                messages: &[ASK, CALL_A, RES_A, SAY],
                expected: "0 1 2 3",
            },
            Case {
                name: "text behind the result",
                messages: &[ASK, CALL_A, RES_A_TEXT],
                expected: "0 1 2",
            },
            Case {
                name: "two messages, one turn",
                messages: &[ASK, CALL_A, CALL_B, RES_B, RES_A],
                expected: "0 1 2 3 4",
            },
            Case {
                name: "a tool of the provider's",
                messages: &[ASK, SEARCH, ASK],
                expected: "0 1 2",
            },
            Case {
                name: "text before the result",
                messages: &[ASK, CALL_A, TEXT_RES_A],
                expected: r#"0 1 2*{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"},{"type":"text","text":"and"}]} | moved_result 2:content[1] a>2"#,
            },
            Case {
                name: "a message before the result",
                messages: &[ASK, CALL_A, ASK, RES_A, SAY],
                expected: "0 1 3 2 4 | moved_result 3:content[0] a>1",
            },
            Case {
                name: "a turn before the result",
                messages: &[ASK, CALL_A, ASK, SAY, TEXT_RES_A],
                expected: r#"0 1 +*{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"}]} 2 3 4*{"role":"user","content":[{"type":"text","text":"and"}]} | moved_result 4:content[1] a>1"#,
            },
            Case {
                name: "behind the results there",
                messages: &[ASK, CALL_A, CALL_B, RES_A_TEXT, RES_B],
                expected: r#"0 1 2 3*{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"},{"type":"tool_result","tool_use_id":"b","content":"2"},{"type":"text","text":"and"}]} | moved_result 4:content[0] b>3"#,
            },
            Case {
                name: "behind a message of results",
                messages: &[ASK, CALL_A, CALL_B, RES_A, SAY, RES_B],
                expected: r#"0 1 2 3*{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"},{"type":"tool_result","tool_use_id":"b","content":"2"}]} 4 | moved_result 5:content[0] b>3"#,
            },
            Case {
                name: "thinking goes with its call",
                messages: &[ASK, THINK_AB, RES_B, ASK],
                expected: r#"0 1*{"role":"assistant","content":[{"type":"text","text":"on it"},{"type":"tool_use","id":"b","name":"f","input":{}}]} 2 3 | thinking 1:content[0] -; dangling_call 1:content[2] a"#,
            },
            Case {
                name: "in an open loop it stays",
                messages: &[ASK, THINK_AB, RES_B, CALL_A, RES_A],
                expected: r#"0 1*{"role":"assistant","content":[{"type":"text","text":"on it"},{"type":"tool_use","id":"b","name":"f","input":{}}]} 2 3 4 | thinking 1:content[0] -; duplicate_call 1:content[2] a"#,
            },
            Case {
                name: "the newest answered call",
                messages: &[ASK, CALL_A, RES_A, CALL_A, RES_A, CALL_A, ASK],
                expected: "0 3 4 6 | duplicate_call 1:content[0] a; duplicate_result 2:content[0] a; duplicate_call 5:content[0] a",
            },
            Case {
                name: "orphans leave the text",
                messages: &[RES_A_TEXT],
                expected: r#"0*{"role":"user","content":[{"type":"text","text":"and"}]} | orphan_result 0:content[0] a"#,
            },
            Case {
                name: "a user who calls",
                messages: &[
                    ASK,
                    r#"{"role":"user","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]}"#,
                ],
                expected: "0 | call_in_wrong_role 1:content[0] a",
            },
            Case {
                name: "the model came first",
                messages: &[SAY, ASK],
                expected: "0 1 |  | first_role 0:role",
            },
            Case {
                name: "a search without results",
                messages: &[
                    ASK,
                    r#"{"role":"assistant","content":[{"type":"server_tool_use","id":"s","name":"web_search","input":{}},{"type":"text","text":"hm"}]}"#,
                    ASK,
                ],
                expected: r#"0 1*{"role":"assistant","content":[{"type":"text","text":"hm"}]} 2 | dangling_call 1:content[0] s"#,
            },
            Case {
                name: "empty text",
                messages: &[r#"{"role":"user","content":" "}"#],
                expected: "refused empty_content 0:content",
            },
        ],
        ANTHROPIC,
        &default(),
    );
}

#[test]
fn a_placeholder_is_an_error_of_the_tool() {
    check(
        &[
            Case {
                name: "behind the call",
                messages: &[ASK, CALL_A, ASK],
                expected: r#"0 1 +*{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"[no result]","is_error":true}]} 2 | written_result 1:content[0] a>1"#,
            },
            Case {
                name: "behind the results",
                messages: &[ASK, THINK_AB, RES_A_TEXT, SAY],
                expected: r#"0 1 2*{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"},{"type":"tool_result","tool_use_id":"b","content":"[no result]","is_error":true},{"type":"text","text":"and"}]} 3 | written_result 1:content[3] b>2"#,
            },
        ],
        ANTHROPIC,
        &placeholder(),
    );
    let step = r#"{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"tool_use","id":"c","name":"f","input":{}}]}"#;
    check(
        &[Case {
            name: "in an open loop",
            messages: &[ASK, step, RES_B, CALL_A, RES_A],
            expected: r#"0 1 +*{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"[no result]","is_error":true}]} 3 4 | written_result 1:content[1] c>1; orphan_result 2:content[0] b"#,
        }],
        ANTHROPIC,
        &default(),
    );
}

#[test]
fn problems_have_rule_and_place() {
    let last = [ASK, SAY];
    assert_eq!(problems(&last, ANTHROPIC, Some("claude-opus-4-5")), "");
    assert_eq!(
        problems(&last, ANTHROPIC, Some("claude-opus-4-6")),
        "last_role 1:role"
    );
    assert_eq!(
        problems(&[ASK, CALL_A, TEXT_RES_A], ANTHROPIC, None),
        "result_not_first 2:content[1]"
    );
    assert_eq!(problems(&[SAY], ANTHROPIC, None), "first_role 0:role");
    assert_eq!(
        problems(
            &[r#"{"role":"user","content":[7,{"type":"text"},{"type":"text","text":""}]}"#],
            ANTHROPIC,
            None
        ),
        "malformed_block 0:content[0]; malformed_block 0:content[1]; empty_content 0:content[2]",
    );
}

#[test]
fn an_open_loop_keeps_its_thinking() {
    let think = r#"{"role":"assistant","content":[{"type":"thinking","thinking":"step","signature":"s"},{"type":"tool_use","id":"x","name":"f","input":{}}]}"#;
    let res =
        r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":"1"}]}"#;
    let messages = [ASK, SAY, ASK, think, res, CALL_A, RES_A, CALL_B, RES_B];
    assert_eq!(groups(&messages, ANTHROPIC), [0, 1, 2, 3, 3, 5, 5, 7, 7]);
    assert_eq!(
        protections(&messages, ANTHROPIC),
        "- - newest_user open_thinking - - - last_message last_message",
    );
}

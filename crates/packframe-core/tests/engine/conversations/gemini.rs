//! Gemini's contents.

use packframe_core::Format;

use super::{Case, check, default, groups, placeholder, problems};

const GEMINI: Format = Format::Gemini;

const ASK: &str = r#"{"role":"user","parts":[{"text":"q"}]}"#;
const SAY: &str = r#"{"role":"model","parts":[{"text":"x"}]}"#;
const CALL_W: &str = r#"{"role":"model","parts":[{"functionCall":{"name":"w","args":{}}}]}"#;
const RES_W: &str =
    r#"{"role":"user","parts":[{"functionResponse":{"name":"w","response":{"t":3}}}]}"#;
const CALL_WW: &str = r#"{"role":"model","parts":[{"functionCall":{"name":"w","args":{"n":1}}},{"functionCall":{"name":"w","args":{"n":2}}}]}"#;
const RES_WW: &str = r#"{"role":"user","parts":[{"functionResponse":{"name":"w","response":{}}},{"functionResponse":{"name":"w","response":{}}}]}"#;
const SIGNED: &str = r#"{"role":"model","parts":[{"text":"hm","thought":true},{"functionCall":{"id":"1","name":"w","args":{}},"thoughtSignature":"s"},{"functionCall":{"id":"2","name":"v","args":{}}}]}"#;
const RES_2: &str =
    r#"{"role":"user","parts":[{"functionResponse":{"id":"2","name":"v","response":{}}}]}"#;
const RES_1: &str =
    r#"{"role":"user","parts":[{"functionResponse":{"id":"1","name":"w","response":{}}}]}"#;

#[test]
fn what_is_accepted_stays_and_the_rest_is_mended() {
    check(
        &[
            Case {
                name: "a pair",
                messages: &[ASK, CALL_W, RES_W, SAY],
                expected: "0 1 2 3",
            },
            Case {
                name: "by name and order",
                messages: &[ASK, CALL_WW, RES_WW, CALL_W, RES_W],
                expected: "0 1 2 3 4",
            },
            Case {
                name: "by id",
                messages: &[ASK, SIGNED, RES_2, RES_1],
                expected: "0 1 2 3",
            },
            Case {
                name: "no id in the result",
                messages: &[ASK, SIGNED, RES_2, RES_W],
                expected: "0 1 2 3",
            },
            Case {
                name: "a signed call takes all with it",
                messages: &[ASK, SIGNED, RES_2, ASK],
                expected: "0 3 | thinking 1:parts[0] -; dangling_call 1:parts[1] 1; signed_call 1:parts[2] 2; signed_call 2:parts[0] 2",
            },
            Case {
                name: "one without a signature goes alone",
                messages: &[ASK, SIGNED, RES_1, ASK],
                expected: r#"0 1*{"role":"model","parts":[{"functionCall":{"id":"1","name":"w","args":{}},"thoughtSignature":"s"}]} 2 3 | thinking 1:parts[0] -; dangling_call 1:parts[2] 2"#,
            },
            Case {
                name: "a result too late",
                messages: &[ASK, CALL_W, SAY, RES_W, ASK],
                expected: "0 1 2 3 4",
            },
            Case {
                name: "a turn too late",
                messages: &[
                    ASK,
                    CALL_W,
                    ASK,
                    SAY,
                    r#"{"role":"user","parts":[{"text":"so"},{"functionResponse":{"name":"w","response":{}}}]}"#,
                ],
                expected: r#"0 1 +*{"role":"user","parts":[{"functionResponse":{"name":"w","response":{}}}]} 2 3 4*{"role":"user","parts":[{"text":"so"}]} | moved_result 4:parts[1] w>1"#,
            },
            Case {
                name: "one too many",
                messages: &[ASK, CALL_W, RES_WW],
                expected: r#"0 1 2*{"role":"user","parts":[{"functionResponse":{"name":"w","response":{}}}]} | duplicate_result 2:parts[1] w"#,
            },
            Case {
                name: "an orphan",
                messages: &[ASK, RES_W, SAY],
                expected: "0 2 | orphan_result 1:parts[0] w",
            },
            Case {
                name: "no role",
                messages: &[r#"{"parts":[{"text":"q"}]}"#],
                expected: "0",
            },
        ],
        GEMINI,
        &default(),
    );
}

#[test]
fn a_placeholder_stands_in_a_content_of_results() {
    check(
        &[
            Case {
                name: "behind the call",
                messages: &[ASK, CALL_WW, RES_W, ASK],
                expected: r#"0 1 2 +*{"role":"user","parts":[{"functionResponse":{"name":"w","response":{"error":"[no result]"}}}]} 3 | written_result 1:parts[1] w>2"#,
            },
            Case {
                name: "two in one",
                messages: &[ASK, SIGNED, ASK],
                expected: r#"0 1 +*{"role":"user","parts":[{"functionResponse":{"id":"1","name":"w","response":{"error":"[no result]"}}},{"functionResponse":{"id":"2","name":"v","response":{"error":"[no result]"}}}]} 2 | written_result 1:parts[1] 1>1; written_result 1:parts[2] 2>1"#,
            },
        ],
        GEMINI,
        &placeholder(),
    );
}

#[test]
fn problems_and_groups() {
    assert_eq!(problems(&[SAY], GEMINI, None), "first_role 0:role");
    assert_eq!(
        problems(
            &[
                r#"{"role":"user","parts":[{},{"text":1},7]}"#,
                r#"{"role":"x","parts":[]}"#,
                r#"{"role":"user"}"#
            ],
            GEMINI,
            None
        ),
        "malformed_block 0:parts[0]; malformed_block 0:parts[1]; malformed_block 0:parts[2]; unknown_role 1:role; missing_content 2:parts",
    );
    assert_eq!(
        groups(&[ASK, CALL_W, RES_W, SAY, ASK], GEMINI),
        [0, 1, 1, 3, 4]
    );
}

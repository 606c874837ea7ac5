//! Chat messages: what one says, what it costs, which of a history must stay.

use std::sync::Arc;

use packframe_core::{
    Accuracy, Beside, Content, Error, ErrorKind, Format, Frame, FrameOptions, ItemSpec, Message,
    PackOptions, Render, RepairMode, Retention, Role, count_messages, frame_messages,
    frame_of_messages,
};

use crate::support::{
    byte_profile, bytes, frame, framed_profile, message, openai, options, packed, text,
};

const CALLS: &str = r#"[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]"#;

fn call() -> String {
    format!(r#"{{"role":"assistant","content":null,"tool_calls":{CALLS}}}"#)
}

fn result() -> String {
    r#"{"role":"tool","tool_call_id":"c1","content":"ok"}"#.to_owned()
}

fn said(role: &str, content: &str) -> String {
    format!(r#"{{"role":"{role}","content":"{content}"}}"#)
}

fn history(messages: &[String]) -> Result<Frame, Error> {
    let options = FrameOptions {
        repair: RepairMode::Error,
        ..FrameOptions::default()
    };
    frame_of_messages(messages, Format::OpenAiChat, &options)
}

fn retentions(messages: &[String]) -> Vec<Retention> {
    let frame = history(messages).expect("a provider takes them");
    (0..frame.len()).map(|row| frame.retention(row)).collect()
}

#[test]
fn instructions_the_newest_question_and_the_last_step_must_stay() {
    use Retention::{Optional as O, Required as R};
    let cases = [
        (vec![], vec![]),
        (vec![said("user", "q")], vec![R]),
        (
            vec![
                said("system", "s"),
                said("user", "q"),
                said("assistant", "a"),
                said("user", "r"),
            ],
            vec![R, O, O, R],
        ),
        (
            vec![
                said("user", "q"),
                said("developer", "d"),
                said("assistant", "a"),
            ],
            vec![R, R, R],
        ),
        (
            vec![said("user", "q"), said("user", "r"), call(), result()],
            vec![O, R, R, R],
        ),
        (
            vec![
                said("user", "q"),
                call(),
                result(),
                said("assistant", "a"),
                said("user", "r"),
            ],
            vec![O, O, O, O, R],
        ),
        (vec![said("user", "q"), call()], vec![R, R]),
    ];
    for (messages, expected) in cases {
        assert_eq!(retentions(&messages), expected, "{messages:?}");
    }
}

#[test]
fn a_call_of_two_that_waits_for_one_keeps_what_it_has() {
    let two = call().replace(
        "}}]",
        r#"}},{"id":"c2","type":"function","function":{"name":"g","arguments":""}}]"#,
    );
    assert_eq!(retentions(&[two, result()]), [Retention::Required; 2]);
}

#[test]
fn newer_messages_score_higher() {
    let frame = history(&[
        said("user", "a"),
        said("assistant", "b"),
        said("user", "c"),
        said("assistant", "d"),
    ])
    .expect("a provider takes them");
    let scores: Vec<f64> = (0..4).map(|row| frame.item(row).score()).collect();
    assert_eq!(scores, [0.25, 0.5, 0.75, 1.0]);
}

#[test]
fn every_problem_is_found_with_its_place() {
    let cases: [(&str, &[(&str, &str)]); 17] = [
        ("7", &[("", "malformed_block")]),
        ("{", &[("", "malformed_block")]),
        (r#"{"content":"a"}"#, &[("role", "unknown_role")]),
        (
            r#"{"role":"usr","content":"a"}"#,
            &[("role", "unknown_role")],
        ),
        (r#"{"role":7,"content":"a"}"#, &[("role", "unknown_role")]),
        (r#"{"role":"user"}"#, &[("content", "missing_content")]),
        (
            r#"{"role":"user","content":null}"#,
            &[("content", "missing_content")],
        ),
        (r#"{"role":"assistant"}"#, &[("content", "missing_content")]),
        (
            r#"{"role":"user","content":7}"#,
            &[("content", "malformed_block")],
        ),
        (
            r#"{"role":"user","content":[7]}"#,
            &[("content[0]", "malformed_block")],
        ),
        (
            r#"{"role":"user","content":[{"type":"text","text":"a"},{"type":"text"}]}"#,
            &[("content[1]", "malformed_block")],
        ),
        (
            r#"{"role":"tool","content":"a"}"#,
            &[("tool_call_id", "malformed_call")],
        ),
        (
            r#"{"role":"user","content":"a","tool_calls":[]}"#,
            &[("tool_calls", "call_in_wrong_role")],
        ),
        (
            r#"{"role":"assistant","tool_calls":[]}"#,
            &[("tool_calls", "empty_tool_calls")],
        ),
        (
            r#"{"role":"assistant","tool_calls":7}"#,
            &[("tool_calls", "malformed_call")],
        ),
        (
            r#"{"role":"assistant","tool_calls":[{"id":"","function":{"name":"f"}},{"id":"c"}]}"#,
            &[
                ("tool_calls[0]", "malformed_call"),
                ("tool_calls[1]", "malformed_call"),
            ],
        ),
        (
            r#"{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f","arguments":""}},{"id":"c","function":{"name":"f","arguments":""}}]}"#,
            &[("tool_calls[1].id", "duplicate_call")],
        ),
    ];
    for (json, expected) in cases {
        let problems = Message::parse(Format::OpenAiChat, json).expect_err("no provider takes it");
        let found: Vec<_> = problems
            .iter()
            .map(|problem| (problem.path.as_str(), problem.rule))
            .collect();
        assert_eq!(found, expected, "{json}");
        let error = history(&[said("user", "q"), json.to_owned()]).expect_err("nor here");
        assert!(
            matches!(error.kind(), ErrorKind::InvalidMessages { problems }
            if problems.iter().all(|problem| problem.position == 1))
        );
    }
}

#[test]
fn a_message_shows_its_text_and_its_calls() {
    let both = format!(r#"{{"role":"assistant","content":"a","tool_calls":{CALLS}}}"#);
    let cases = [
        (said("user", "q"), Some("q".to_owned())),
        (
            r#"{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}"#
                .to_owned(),
            Some("ab".to_owned()),
        ),
        (call(), Some(CALLS.to_owned())),
        (both, Some(format!("a\n{CALLS}"))),
        (
            r#"{"role":"assistant","refusal":"no"}"#.to_owned(),
            Some(String::new()),
        ),
        (
            r#"{"role":"user","content":[{"type":"image_url","image_url":{"url":"u"}}]}"#
                .to_owned(),
            None,
        ),
    ];
    for (json, expected) in cases {
        let read = Message::parse(Format::OpenAiChat, &json).expect("a provider takes it");
        let content = Content::message(read, json.as_str());
        assert_eq!(content.rendered(), expected.as_deref(), "{json}");
    }
}

/// With one token a byte, and so in numbers that can be checked by eye.
#[test]
fn a_message_costs_its_strings_and_other_fields_as_json() {
    let cases = [
        (said("user", "four"), 4, false, false),
        (
            r#"{"role":"user","content":"a","name":"bob"}"#.to_owned(),
            4,
            false,
            false,
        ),
        (
            r#"{"role":"user","content":[{"type":"text","text":"ab"},{"type":"text","text":"c"}]}"#
                .to_owned(),
            3,
            false,
            false,
        ),
        (result(), 4, false, false),
        // The name of the call, and its arguments.
        (call(), 1 + 2, true, false),
        (
            r#"{"role":"assistant","content":null,"refusal":"no","extra":null}"#.to_owned(),
            2,
            false,
            false,
        ),
        (
            r#"{"role":"user","content":"a","extra":{"b":1}}"#.to_owned(),
            8,
            true,
            true,
        ),
    ];
    for (json, tokens, guessed, unknown) in cases {
        let alone = json.contains("tool_call_id");
        let specs = if alone {
            vec![message(&call()), message(&json)]
        } else {
            vec![message(&json)]
        };
        let options = PackOptions {
            render: Some(Render::Messages),
            ..options(None, &framed_profile(7, 4))
        };
        let pack = packed(&frame(specs), options);
        let document = pack.manifest().document();
        let record = document.selected.last().expect("it is in");
        assert_eq!(record.content_tokens, Some(tokens), "{json}");
        let accuracy = if guessed {
            Accuracy::Approximate
        } else {
            Accuracy::Exact
        };
        assert_eq!(record.content_tokens_accuracy, Some(accuracy), "{json}");
        assert_eq!(document.warnings.len(), usize::from(unknown), "{json}");
        assert!(
            document
                .warnings
                .iter()
                .all(|warning| warning.code == "unknown_block")
        );
    }
}

#[test]
fn a_name_costs_one_token_more_in_the_published_framing() {
    let named = r#"{"role":"user","content":"q","name":"bob"}"#;
    let frame = frame([message(named), message(&said("user", "q")), text("q")]);
    let pack = packed(
        &frame,
        PackOptions {
            render: None,
            ..options(None, &openai("o200k_base"))
        },
    );
    let document = pack.manifest().document();
    let envelopes: Vec<_> = document
        .selected
        .iter()
        .map(|record| record.envelope_tokens)
        .collect();
    assert_eq!(envelopes, [Some(5), Some(4), Some(4)]);
    assert_eq!(document.accuracy, Accuracy::ExactText);
    assert_eq!(document.total_tokens, 3 + 5 + 4 + 4 + 2 + 1 + 1);
}

#[test]
fn messages_come_out_as_they_went_in() {
    let odd = r#"{"content":"\u0041 ü","role":"user","x":[1.0,2e3]}"#;
    let frame = frame([message(odd), text("quote \" and \n")]);
    let pack = packed(
        &frame,
        PackOptions {
            render: Some(Render::Messages),
            ..options(None, &byte_profile())
        },
    );
    let expected = format!(r#"[{odd},{{"role":"user","content":"quote \" and \n"}}]"#);
    assert_eq!(
        pack.call(Format::OpenAiChat).expect("they are messages"),
        expected
    );
    assert_eq!(pack.rendered(), expected);
}

fn listed(frame: &Frame, rows: &[usize]) -> Result<String, Error> {
    let taken = frame.take(rows).expect("no two ids are equal");
    let listed = frame_messages(&taken, Format::OpenAiChat)?;
    Ok(listed.messages)
}

#[test]
fn rows_that_chat_completions_have_no_message_for_are_refused() {
    let tool = ItemSpec {
        role: Role::Tool,
        ..text("a plain result")
    };
    let cases: [(Arc<Frame>, usize); 2] = [
        (frame([text("a"), tool]), 1),
        (frame([bytes(b"image"), text("a")]), 0),
    ];
    for (frame, at) in cases {
        let error = listed(&frame, &[0, 1]).expect_err("one of them is no message");
        match error.kind() {
            ErrorKind::UnsupportedContent { row, renderer, .. } => {
                assert_eq!((*row, *renderer), (at, "openai-chat"));
            }
            other => panic!("{other:?}"),
        }
        listed(&frame, &[1 - at]).expect("the other is one");
    }
}

#[test]
fn calls_and_results_must_pair_among_the_rows_that_are_sent() {
    let frame = frame([text("q"), message(&call()), message(&result()), text("r")]);
    listed(&frame, &[0, 1, 2, 3]).expect("they pair");
    listed(&frame, &[0, 3]).expect("none is there");
    for rows in [&[0, 2][..], &[1, 3], &[0, 2, 1]] {
        let error = listed(&frame, rows).expect_err("they do not pair");
        assert!(
            matches!(error.kind(), ErrorKind::InvalidMessages { .. }),
            "{rows:?}"
        );
    }
}

#[test]
fn a_count_of_messages_is_that_of_a_pack_and_of_the_fields_beside_them() {
    let messages = [said("system", "be kind"), said("user", "q"), call()];
    let frame = frame(messages.iter().map(|json| message(json)));
    let profile = framed_profile(7, 4);
    let beside = Beside {
        tools: Some("[{}]".to_owned()),
        ..Beside::default()
    };
    let counted = count_messages(&frame, &profile, &beside);
    let counted = counted.expect("a text each");
    let pack = packed(
        &frame,
        PackOptions {
            render: Some(Render::Messages),
            ..options(None, &profile)
        },
    );
    assert_eq!(counted.total, pack.total_tokens() + 4);
    let parts: Vec<_> = counted
        .parts
        .iter()
        .map(|part| (part.part, part.position, part.tokens))
        .collect();
    // The name and the arguments of the call, and what any message costs.
    let call = 1 + 2 + 4;
    assert_eq!(
        parts,
        [
            ("base", None, 7),
            ("message", Some(0), 11),
            ("message", Some(1), 5),
            ("message", Some(2), call),
            ("tools", None, 4),
        ]
    );
    assert_eq!(counted.accuracy, Accuracy::Approximate);
}

#[test]
fn a_picture_is_an_estimate_and_not_nothing() {
    let image = r#"{"role":"user","content":[{"type":"image_url","image_url":{"url":"x"}}]}"#;
    let frame = frame([message(&said("user", "q")), message(image)]);
    let counted = count_messages(&frame, &byte_profile(), &Beside::default()).expect("it counts");
    assert_eq!(
        (counted.total, counted.accuracy),
        (1 + 1_600, Accuracy::Approximate)
    );
}

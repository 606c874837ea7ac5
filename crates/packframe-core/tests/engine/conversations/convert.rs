//! Messages of one format, written in another.

use packframe_core::{ErrorKind, Format, convert_messages, validate_messages};

const CHAT: [&str; 8] = [
    r#"{"role":"system","content":"Be brief."}"#,
    r#"{"role":"user","content":[{"type":"text","text":"look"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]}"#,
    r#"{"role":"assistant","content":null,"reasoning_content":"hm","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"n\":1.50}"}},{"id":"b","type":"function","function":{"name":"g","arguments":""}}]}"#,
    r#"{"role":"tool","tool_call_id":"b","content":"two"}"#,
    r#"{"role":"tool","tool_call_id":"a","content":"{\"one\":1}"}"#,
    r#"{"role":"user","content":"and?"}"#,
    r#"{"role":"assistant","content":"It is \"so\"."}"#,
    r#"{"role":"user","content":"thanks"}"#,
];

fn converted(messages: &[&str], source: Format, target: Format) -> (Vec<String>, Vec<String>) {
    let converted = convert_messages(messages, source, target).expect("convertible");
    let notes = converted.notes.iter();
    let notes = notes.map(|note| format!("{} {}:{}", note.kind, note.position, note.path));
    (converted.messages.clone(), notes.collect())
}

#[test]
fn a_conversation_is_written_for_each_provider() {
    let (messages, notes) = converted(&CHAT, Format::OpenAiChat, Format::Anthropic);
    assert_eq!(
        messages,
        [
            r#"{"role":"user","content":[{"type":"text","text":"look"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]}"#,
            r#"{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{"n":1.50}},{"type":"tool_use","id":"b","name":"g","input":{}}]}"#,
            r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":"two"},{"type":"tool_result","tool_use_id":"a","content":"{\"one\":1}"},{"type":"text","text":"and?"}]}"#,
            r#"{"role":"assistant","content":[{"type":"text","text":"It is \"so\"."}]}"#,
            r#"{"role":"user","content":[{"type":"text","text":"thanks"}]}"#,
        ]
    );
    assert_eq!(notes, ["thinking 2:reasoning_content", "system 0:"]);
    let (messages, _) = converted(&CHAT, Format::OpenAiChat, Format::Gemini);
    assert_eq!(
        messages[1..4],
        [
            r#"{"role":"model","parts":[{"functionCall":{"id":"a","name":"f","args":{"n":1.50}}},{"functionCall":{"id":"b","name":"g","args":{}}}]}"#,
            r#"{"role":"user","parts":[{"functionResponse":{"id":"b","name":"g","response":{"result":"two"}}},{"functionResponse":{"id":"a","name":"f","response":{"one":1}}}]}"#,
            r#"{"role":"user","parts":[{"text":"and?"}]}"#,
        ]
    );
    let (messages, _) = converted(&CHAT, Format::OpenAiChat, Format::OpenAiResponses);
    assert_eq!(
        messages[1..5],
        [
            r#"{"role":"user","content":[{"type":"input_text","text":"look"},{"type":"input_image","image_url":"data:image/png;base64,AAAA"}]}"#,
            r#"{"type":"function_call","call_id":"a","name":"f","arguments":"{\"n\":1.50}"}"#,
            r#"{"type":"function_call","call_id":"b","name":"g","arguments":""}"#,
            r#"{"type":"function_call_output","call_id":"b","output":"two"}"#,
        ]
    );
}

#[test]
fn every_way_there_and_back_is_accepted() {
    for middle in Format::ALL {
        for target in Format::ALL {
            let there = convert_messages(&CHAT, Format::OpenAiChat, *middle).expect("convertible");
            let again = convert_messages(&there.messages, *middle, *target).expect("convertible");
            assert_eq!(
                validate_messages(&again.messages, *target, None),
                [],
                "{middle:?} {target:?}"
            );
            if middle == target {
                assert_eq!(again.messages, there.messages);
            }
        }
    }
}

#[test]
fn calls_without_ids_get_some() {
    let gemini = [
        r#"{"role":"user","parts":[{"text":"q"}]}"#,
        r#"{"role":"model","parts":[{"text":"t","thought":true},{"functionCall":{"name":"w","args":{"n":1}},"thoughtSignature":"s"},{"functionCall":{"name":"w"}}]}"#,
        r#"{"role":"user","parts":[{"functionResponse":{"name":"w","response":{"result":"1"}}},{"functionResponse":{"name":"w","response":{"error":"2"}}}]}"#,
    ];
    let (messages, notes) = converted(&gemini, Format::Gemini, Format::OpenAiChat);
    assert_eq!(
        messages[1..],
        [
            r#"{"role":"assistant","content":null,"tool_calls":[{"id":"call_1_1","type":"function","function":{"name":"w","arguments":"{\"n\":1}"}},{"id":"call_1_2","type":"function","function":{"name":"w","arguments":"{}"}}]}"#,
            r#"{"role":"tool","tool_call_id":"call_1_1","content":"1"}"#,
            r#"{"role":"tool","tool_call_id":"call_1_2","content":"2"}"#,
        ]
    );
    assert_eq!(
        notes,
        [
            "thinking 1:parts[0]",
            "signature 1:parts[1].thoughtSignature",
            "is_error 2:is_error"
        ]
    );
}

#[test]
fn what_cannot_be_said_is_named() {
    for (messages, source, target, path) in [
        (
            r#"{"role":"user","content":[{"type":"input_audio","input_audio":{}}]}"#,
            Format::OpenAiChat,
            Format::Gemini,
            "content[0]",
        ),
        (
            r#"{"type":"computer_call","call_id":"c"}"#,
            Format::OpenAiResponses,
            Format::OpenAiChat,
            "type",
        ),
        (
            r#"{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"[1]"}}]}"#,
            Format::OpenAiChat,
            Format::Anthropic,
            "arguments",
        ),
        (
            r#"{"role":"user","parts":[{"fileData":{}}]}"#,
            Format::Gemini,
            Format::Anthropic,
            "parts[0]",
        ),
        ("[]", Format::Gemini, Format::Anthropic, ""),
    ] {
        let error = convert_messages(&[messages], source, target).expect_err("no counterpart");
        let ErrorKind::InvalidMessages { problems } = error.kind() else {
            panic!("{error}");
        };
        assert_eq!(
            (problems[0].path.as_str(), problems[0].rule),
            (path, "not_convertible")
        );
    }
}

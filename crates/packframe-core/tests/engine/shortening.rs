//! Requests whose messages are made shorter before any is left out.

use std::sync::Arc;

use packframe_core::{
    ErrorKind, Format, Plan, Request, Shorten, Talk, TokenProfile, plan, validate_messages,
};

use crate::support::{byte_profile, options};

const ASKED: &str = r#"{"role":"user","content":"read"}"#;

fn call(ids: &[&str]) -> String {
    let calls = ids.iter().map(|id| {
        format!(r#"{{"id":"{id}","type":"function","function":{{"name":"f","arguments":"{{}}"}}}}"#)
    });
    let calls = calls.collect::<Vec<_>>().join(",");
    format!(r#"{{"role":"assistant","content":null,"tool_calls":[{calls}]}}"#)
}

fn result(id: &str, text: &str) -> String {
    format!(r#"{{"role":"tool","tool_call_id":"{id}","content":"{text}"}}"#)
}

fn request(history: Vec<String>, shorten: Vec<Shorten>) -> Request {
    Request {
        history: Talk::of(Format::OpenAiChat, history),
        shorten,
        ..Request::new(Format::OpenAiChat)
    }
}

fn planned(request: &Request, budget: u64, profile: &Arc<TokenProfile>) -> Plan {
    let made = plan(Arc::new(request.clone()), &options(Some(budget), profile));
    let made = made.expect("it fits");
    let messages: Vec<String> = made
        .pack()
        .rows()
        .iter()
        .map(|&row| made.pack().item(row).content().stored().to_owned())
        .collect();
    let problems = validate_messages(&messages, Format::OpenAiChat, None);
    assert!(problems.is_empty(), "{problems:?}");
    assert!(made.pack().total_tokens() <= budget);
    made
}

#[test]
fn results_of_a_step_share_what_is_left() {
    let history = vec![
        ASKED.to_owned(),
        call(&["a", "b", "c"]),
        result("a", &"1".repeat(800)),
        result("b", "short"),
        result("c", &"2".repeat(300)),
    ];
    let request = request(history, vec![Shorten::Results { least: 64 }]);
    let made = planned(&request, 500, &byte_profile());
    assert_eq!(made.pack().rows(), [0, 1, 2, 3, 4]);
    let document = made.manifest().document();
    let forms: Vec<&str> = document.selected.iter().map(|it| &*it.form).collect();
    assert_eq!(forms, ["whole", "whole", "cut", "whole", "cut"]);
    let limits: Vec<u64> = document.edits.iter().filter_map(|it| it.limit).collect();
    assert!(limits[0] - limits[1] <= 1, "{limits:?}");
    assert!(
        document
            .edits
            .iter()
            .all(|it| Some(it.tokens_after) <= it.limit)
    );
    let left = document.remaining_tokens.expect("there is a budget");
    assert!(left <= 2, "{left}");
}

#[test]
fn what_does_not_fit_at_its_shortest_is_an_error() {
    let history = vec![
        ASKED.to_owned(),
        call(&["a"]),
        result("a", &"1".repeat(800)),
    ];
    let request = request(history, vec![Shorten::Results { least: 64 }]);
    let profile = byte_profile();
    let error = plan(Arc::new(request.clone()), &options(Some(70), &profile));
    let error = error.expect_err("64 bytes and the call are more");
    let ErrorKind::BudgetExceeded(exceeded) = error.kind() else {
        panic!("{error}");
    };
    assert!(exceeded.required_tokens < 150);
    planned(&request, exceeded.required_tokens, &profile);
}

#[test]
fn what_is_too_old_is_neither_counted_nor_shortened() {
    let mut history = Vec::new();
    for at in 0..1_000 {
        let id = format!("c{at}");
        history.extend([call(&[&id]), result(&id, &"x".repeat(400))]);
    }
    history.push(ASKED.to_owned());
    let request = request(history, vec![Shorten::Results { least: 40 }]);
    let made = planned(&request, 2_000, &byte_profile());
    let rows = made.pack().rows().len();
    assert!(rows > 20, "{rows}");
    let blocks = made.explain();
    assert_eq!(blocks[0].tokens, None);
    assert_eq!(blocks[0].reason, "older_than_cut");
}

//! Requests: one frame of all parts, packed once.

use std::sync::Arc;

use packframe_core::{
    DataBlock, ErrorKind, Format, Plan, Request, Talk, TokenProfile, plan, validate_messages,
};

use crate::support::{Random, byte_profile, framed_profile, openai, options};

fn user(text: &str) -> String {
    format!("{{\"role\":\"user\",\"content\":\"{text}\"}}")
}

fn assistant(text: &str) -> String {
    format!("{{\"role\":\"assistant\",\"content\":\"{text}\"}}")
}

fn talk(format: Format, history: impl IntoIterator<Item = String>) -> Request {
    Request {
        history: Talk::of(format, history),
        ..Request::new(format)
    }
}

fn planned(request: &Request, budget: Option<u64>, profile: &Arc<TokenProfile>) -> Plan {
    plan(Arc::new(request.clone()), &options(budget, profile)).expect("it fits")
}

fn kept(plan: &Plan) -> Vec<usize> {
    plan.pack().rows().to_vec()
}

#[test]
fn history_is_a_suffix_also_behind_what_could_never_be_in() {
    let large = "x".repeat(500);
    let history = ["a", "b", &large, "c", "d"];
    let request = talk(Format::OpenAiChat, history.map(user));
    let profile = byte_profile();
    let made = planned(&request, Some(100), &profile);
    assert_eq!(kept(&made), [3, 4]);
    let reasons: Vec<String> = made
        .explain()
        .into_iter()
        .filter(|block| !block.selected)
        .map(|block| format!("{} {}", block.place, block.reason))
        .collect();
    let expected = [
        "history[0] older_than_cut",
        "history[1] older_than_cut",
        "history[2] budget",
    ];
    assert_eq!(reasons, expected);
    let with_gaps = Request {
        gaps: true,
        ..request
    };
    assert_eq!(
        kept(&planned(&with_gaps, Some(100), &profile)),
        [0, 1, 3, 4]
    );
}

#[test]
fn what_is_too_old_is_not_counted() {
    let history: Vec<String> = (0..2_000).map(|at| user(&format!("{at:04}"))).collect();
    let profile = byte_profile();
    let made = planned(&talk(Format::OpenAiChat, history), Some(400), &profile);
    assert_eq!(kept(&made).len(), 100);
    let blocks = made.explain();
    assert_eq!(blocks[0].tokens, None);
    assert_eq!(blocks[1_899].reason, "budget");
    assert_eq!(blocks[1_899].tokens, Some(4));
    let document = made.manifest().document();
    assert_eq!(document.selected.len() + document.excluded.len(), 2_000);
}

#[test]
fn a_list_begins_with_the_user_where_the_provider_wants_that() {
    let history = [
        user("aaaa"),
        assistant("b"),
        assistant("c"),
        user("d"),
        assistant("e"),
    ];
    let profile = framed_profile(0, 1);
    let request = talk(Format::Anthropic, history);
    for budget in 4..13 {
        let made = planned(&request, Some(budget), &profile);
        let messages: Vec<Box<serde_json::value::RawValue>> =
            serde_json::from_str(&made.messages()).expect("JSON");
        let texts: Vec<&str> = messages.iter().map(|message| message.get()).collect();
        assert!(validate_messages(&texts, Format::Anthropic, None).is_empty());
        assert!(made.pack().total_tokens() <= budget);
    }
    let made = planned(&request, Some(8), &profile);
    assert_eq!(kept(&made), [3, 4]);
    assert_eq!(made.explain()[1].reason, "leading");
    let none = talk(Format::Anthropic, [assistant("b")]);
    let refused = plan(Arc::new(none), &options(90, &profile)).expect_err("nobody leads");
    let ErrorKind::InvalidMessages { problems } = refused.kind() else {
        panic!("{refused}");
    };
    assert_eq!(problems[0].rule, "first_role");
}

#[test]
fn a_data_block_is_blamed_only_where_the_rest_would_fit() {
    let block = DataBlock {
        name: "ledger".to_owned(),
        instructions: "i".repeat(20),
        records: "[1]".to_owned(),
    };
    let request = Request {
        data: vec![block],
        r#final: Talk::of(Format::OpenAiChat, [user("ffff")]),
        ..Request::new(Format::OpenAiChat)
    };
    let blamed = |budget: u64| -> Option<String> {
        let given = options(budget, &byte_profile());
        match plan(Arc::new(request.clone()), &given) {
            Ok(_) => None,
            Err(error) => match error.kind() {
                ErrorKind::BudgetExceeded(numbers) => numbers.section.clone(),
                other => panic!("{other:?}"),
            },
        }
    };
    assert_eq!(blamed(3).as_deref(), Some("final"));
    assert_eq!(blamed(4).as_deref(), Some("ledger_data"));
    assert_eq!(blamed(26).as_deref(), Some("ledger_data"));
    assert_eq!(blamed(27), None);
}

#[test]
fn the_parts_of_a_receipt_are_the_total() {
    let mut random = Random::new(7);
    let profile = openai("cl100k_base");
    for _ in 0..200 {
        let history = (0..random.below(8)).map(|at| user(&format!("said {at} a1_. .s-  ")));
        let request = Request {
            system: random.one_in(2).then(|| "Be brief. a1_.".to_owned()),
            tools: random.one_in(3).then(|| "[{\"name\":\"f\"}]".to_owned()),
            r#final: Talk::of(Format::OpenAiChat, [user("what now?")]),
            ..talk(Format::OpenAiChat, history)
        };
        let made = planned(&request, None, &profile);
        let receipt = made.receipt();
        let sum: i64 = receipt.parts.iter().map(|(_, tokens)| tokens).sum();
        assert_eq!(
            sum,
            i64::try_from(receipt.input_tokens).expect("few tokens")
        );
        assert_eq!(made.id(), planned(&request, None, &profile).id());
    }
}

//! Room for what must be in the pack: the numbers when it does not fit, what is tried then, and
//! what reserve and margin keep off.

use std::sync::Arc;

use packframe_core::{
    Accuracy, Compare, Error, ErrorKind, Expression, Frame, Framing, ItemSpec, MAX_TOKENS, Margin,
    Overflow, PackOptions, Predicate, ProfileSpec, Render, Retention, Scalar, TokenProfile, pack,
};

use crate::support::{
    Bytes, Sticky, approximate, assert_partitioned, bare, byte_profile, demote, exceeded, excluded,
    frame, framed_profile, options, packed, profile, reasons, required, scored, selected, text,
};

#[test]
fn what_is_required_is_in_byte_for_byte_whatever_else_there_is() {
    let odd = "\0\r\n e\u{301} <|endoftext|> ";
    let frame = frame([scored("best", 9.0), required(odd), text("worst")]);
    let budget = odd.len() as u64 + 1;
    let pack = packed(&frame, options(budget, &byte_profile()));
    assert_eq!(pack.text().expect("it is a text"), odd);
}

#[test]
fn an_overrun_is_described_with_what_each_required_row_costs() {
    let frame = frame([
        required("aaaa"),
        text("out"),
        required("bbbb"),
        ItemSpec {
            pinned: true,
            ..text("cccc")
        },
        required("d"),
    ]);
    let options = PackOptions {
        reserve: 2,
        separator: "--".to_owned(),
        ..options(13, &byte_profile())
    };
    let numbers = exceeded(&frame, options);
    assert_eq!(
        (numbers.budget, numbers.reserve, numbers.available),
        (13, 2, 11)
    );
    assert_eq!((numbers.required_tokens, numbers.overflow_tokens), (19, 8));
    assert_eq!(numbers.exceeded_at, Some(3));
    assert_eq!(
        (numbers.join_tokens, numbers.strategies),
        (Some(0), Vec::new())
    );
    let costs: Vec<_> = numbers
        .item_costs
        .iter()
        .map(|cost| (cost.row, cost.tokens, cost.cumulative, cost.accuracy))
        .collect();
    let exact = Accuracy::Exact;
    assert_eq!(
        costs,
        [
            (0, 4, 4, exact),
            (2, 4, 10, exact),
            (3, 4, 16, exact),
            (4, 1, 19, exact),
        ]
    );
    let document = numbers.partial_manifest.document();
    assert_partitioned(document, 5);
    assert_eq!(selected(document), [0, 2]);
    assert_eq!(
        reasons(document),
        [
            (1, "not_evaluated"),
            (3, "not_evaluated"),
            (4, "not_evaluated"),
        ]
    );
}

#[test]
fn rows_refused_before_an_overrun_keep_their_reason() {
    let frame = frame([
        ItemSpec {
            trust: packframe_core::Trust::Quarantined,
            ..text("refused")
        },
        required("too long"),
    ]);
    let numbers = exceeded(&frame, options(3, &byte_profile()));
    let document = numbers.partial_manifest.document();
    assert_eq!(
        reasons(document),
        [(0, "quarantined"), (1, "not_evaluated")]
    );
    assert_eq!(excluded(document, 0).tokens, None);
    assert_eq!(excluded(document, 1).tokens, Some(8));
}

#[test]
fn parts_that_fit_and_a_text_that_does_not_are_described_with_what_joining_costs() {
    for seams in [true, false] {
        let profile = Arc::new(profile("sticky", Arc::new(Sticky { unit: 1, seams })));
        let frame = frame([required("a"), text("out"), required("b")]);
        let numbers = exceeded(&frame, options(3, &profile));
        assert_eq!(numbers.required_tokens, 2, "seams: {seams}");
        assert_eq!(numbers.join_tokens, Some(2));
        assert_eq!((numbers.overflow_tokens, numbers.exceeded_at), (1, None));
        assert_partitioned(numbers.partial_manifest.document(), 3);
        assert_eq!(packed(&frame, options(4, &profile)).rows(), [0, 2]);
    }
}

#[test]
fn a_base_that_does_not_fit_is_over_the_budget_at_no_row() {
    let render = Some(Render::Messages);
    let options = |budget| PackOptions {
        render,
        ..options(budget, &framed_profile(7, 4))
    };
    let numbers = exceeded(&frame([text("a")]), options(6));
    assert_eq!((numbers.required_tokens, numbers.overflow_tokens), (7, 1));
    assert_eq!((numbers.exceeded_at, numbers.item_costs.len()), (None, 0));
    let pack = packed(&frame([text("a")]), options(7));
    assert_eq!((pack.rows().len(), pack.total_tokens()), (0, 7));
}

#[test]
fn an_empty_frame_costs_nothing_as_a_text_and_the_base_as_messages() {
    let empty = frame([]);
    assert_eq!(
        packed(&empty, options(0, &byte_profile())).total_tokens(),
        0
    );
    let messages = PackOptions {
        render: Some(Render::Messages),
        ..options(None, &framed_profile(7, 4))
    };
    let pack = packed(&empty, messages);
    assert_eq!((pack.total_tokens(), pack.rendered().as_str()), (7, "[]"));
}

#[test]
fn demotions_are_tried_in_order_and_only_while_what_is_required_does_not_fit() {
    let id = |id: &str, spec: ItemSpec| ItemSpec {
        id: Some(id.into()),
        ..spec
    };
    let frame = frame([
        id("a", required("aaaa")),
        id("b", required("bbbb")),
        id("c", required("cccc")),
        id(
            "p",
            ItemSpec {
                pinned: true,
                ..required("pppp")
            },
        ),
        id("o", scored("oooo", 9.0)),
    ]);
    let is = |name: &str| {
        Expression::compare("id", Compare::Equal, Scalar::Text(name.to_owned()))
            .expect("the column is known")
    };
    let overflow = vec![
        Overflow::Error,
        demote(is("p"), Retention::Optional),
        demote(is("a"), Retention::Preferred),
        demote(is("b").or(is("o")), Retention::Optional),
        demote(is("c"), Retention::Optional),
    ];
    let cases: [(u64, &[usize], &[usize]); 4] = [
        (16, &[0, 1, 2, 3], &[]),
        (15, &[1, 2, 3], &[0]),
        (12, &[1, 2, 3], &[0]),
        (11, &[2, 3], &[0, 1]),
    ];
    for (budget, rows, demoted) in cases {
        let pack = packed(
            &frame,
            PackOptions {
                overflow: overflow.clone(),
                ..options(budget, &byte_profile())
            },
        );
        assert_eq!(pack.rows(), rows, "budget {budget}");
        let changed: Vec<usize> = pack
            .manifest()
            .document()
            .demotions
            .iter()
            .map(|change| {
                assert_eq!(
                    (change.by.as_str(), change.from),
                    ("overflow", Retention::Required)
                );
                change.row
            })
            .collect();
        assert_eq!(changed, demoted, "budget {budget}");
        assert_eq!(
            frame.retention(0),
            Retention::Required,
            "the frame is not changed"
        );
    }
    let numbers = exceeded(
        &frame,
        PackOptions {
            overflow,
            ..options(3, &byte_profile())
        },
    );
    let saves = ["demote"; 4]
        .map(str::to_owned)
        .into_iter()
        .zip([0, 4, 4, 4]);
    assert_eq!(numbers.strategies, saves.collect::<Vec<_>>());
    assert_eq!(numbers.required_tokens, 4);
    assert_eq!(numbers.exceeded_at, Some(3));
    assert_eq!(numbers.partial_manifest.document().demotions.len(), 3);
}

#[test]
fn a_predicate_that_does_not_answer_for_each_row_is_an_error_never_a_panic() {
    struct Short;
    impl Predicate for Short {
        fn mask(&self, _: &Frame) -> Result<Vec<bool>, Error> {
            Ok(vec![true])
        }
    }
    let to = Retention::Optional;
    let overflow = vec![Overflow::Demote {
        predicate: Arc::new(Short),
        to,
    }];
    let options = PackOptions {
        overflow,
        ..options(3, &byte_profile())
    };
    let error =
        pack(&frame([required("aa"), required("bb")]), options).expect_err("one is missing");
    assert!(matches!(error.kind(), ErrorKind::Strategy(fault) if fault.which == "where"));
}

#[test]
fn a_group_stays_required_while_a_member_is() {
    let member = |content: &str| ItemSpec {
        group: Some("g".into()),
        ..required(content)
    };
    let frame = frame([member("aa"), member("bb")]);
    let first = Expression::compare("row", Compare::Equal, Scalar::Number(0.0));
    let demote_first = demote(first.expect("the column is known"), Retention::Optional);
    let numbers = exceeded(
        &frame,
        PackOptions {
            overflow: vec![demote_first],
            ..options(3, &byte_profile())
        },
    );
    assert_eq!(numbers.strategies, [("demote".to_owned(), 0)]);
    assert_eq!(numbers.required_tokens, 4);
}

#[test]
fn a_margin_is_kept_off_only_where_the_count_is_not_exact() {
    let exact = byte_profile();
    let guess = {
        let spec = ProfileSpec {
            accuracy: Accuracy::Approximate,
            ..bare("guess", Arc::new(Bytes))
        };
        Arc::new(TokenProfile::new(spec).expect("no role is counted"))
    };
    let (text, messages) = (Render::Text, Render::Messages);
    let cases = [
        (&exact, text, Margin::Tokens(3), 0),
        (&exact, text, Margin::Fraction(0.5), 0),
        (&exact, messages, Margin::Tokens(3), 3),
        (&guess, text, Margin::Tokens(3), 3),
        (&guess, messages, Margin::Fraction(0.0), 0),
        // Of budget less reserve, rounded up, by the decimal: 0.07 of 100 is 7, not 8.
        (&guess, text, Margin::Fraction(0.07), 7),
        (&guess, text, Margin::Fraction(0.071), 8),
        (&guess, text, Margin::Fraction(1e-300), 1),
        (&guess, text, Margin::Fraction(0.999_999_9), 100),
    ];
    for (profile, render, margin, kept) in cases {
        let pack = packed(
            &frame([]),
            PackOptions {
                reserve: 10,
                margin,
                render: Some(render),
                ..options(110, profile)
            },
        );
        let document = pack.manifest().document();
        assert_eq!(document.margin, kept, "{margin:?} of {}", profile.id());
        assert_eq!(
            document.available,
            Some(100 - i64::try_from(kept).expect("small"))
        );
    }
    let unlimited = PackOptions {
        margin: Margin::Tokens(3),
        ..options(None, &guess)
    };
    let pack = packed(&frame([]), unlimited);
    let document = pack.manifest().document();
    assert_eq!((document.margin, document.available), (0, None));
}

#[test]
fn a_margin_over_what_is_left_leaves_less_than_nothing() {
    let options = PackOptions {
        margin: Margin::Tokens(15),
        ..options(10, &approximate())
    };
    let numbers = exceeded(&frame([text("a")]), options);
    assert_eq!((numbers.available, numbers.overflow_tokens), (-5, 5));
}

#[test]
fn options_out_of_range_are_named() {
    let margin = |margin| PackOptions {
        margin,
        ..options(10, &approximate())
    };
    let cases = [
        ("budget", options(MAX_TOKENS + 1, &byte_profile())),
        (
            "reserve",
            PackOptions {
                reserve: MAX_TOKENS + 1,
                ..options(None, &byte_profile())
            },
        ),
        (
            "reserve",
            PackOptions {
                reserve: 11,
                ..options(10, &byte_profile())
            },
        ),
        ("margin", margin(Margin::Tokens(MAX_TOKENS + 1))),
        ("margin", margin(Margin::Fraction(1.0))),
        ("margin", margin(Margin::Fraction(-0.1))),
        ("margin", margin(Margin::Fraction(f64::NAN))),
        ("margin", margin(Margin::Fraction(f64::INFINITY))),
    ];
    for (expected, options) in cases {
        let error = pack(&frame([text("a")]), options).expect_err("an option is out of range");
        match error.kind() {
            ErrorKind::InvalidOption { option, .. } => assert_eq!(option, expected),
            other => panic!("{expected}: {other:?}"),
        }
    }
    assert!(packed(&frame([text("a")]), options(MAX_TOKENS, &byte_profile())).complete());
}

#[test]
fn framing_decides_what_a_pack_is_made_for_where_the_caller_does_not() {
    let unsaid = |profile: &Arc<TokenProfile>| PackOptions {
        render: None,
        ..options(None, profile)
    };
    let render = |profile: &Arc<TokenProfile>| packed(&frame([]), unsaid(profile)).render();
    assert_eq!(render(&byte_profile()), Render::Text);
    assert_eq!(render(&framed_profile(0, 0)), Render::Messages);
    let openai = ProfileSpec {
        framing: Framing::OpenAiChat,
        ..bare("chat", Arc::new(Bytes))
    };
    let openai = Arc::new(TokenProfile::new(openai).expect("the roles are counted"));
    assert_eq!(render(&openai), Render::Messages);
    // Three a message and the role; three that prime the reply.
    assert_eq!(openai.base_tokens(), 3);
    assert_eq!(openai.envelope_tokens_per_item(), 3 + "user".len() as u64);
}

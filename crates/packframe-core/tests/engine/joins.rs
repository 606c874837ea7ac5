//! The rendering counted: what makes it go over is shed, the room that it leaves is offered.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use packframe_core::{
    Accuracy, ErrorKind, ItemSpec, MAX_COUNT, MessageCounter, PackOptions, ProfileSpec, Render,
    Retention, TokenProfile, pack,
};
use packframe_tokens::{Tokenizer, TokenizerError};

use crate::support::{
    Opaque, Sticky, With, bare, excluded, frame, named, openai, options, packed, profile, reasons,
    required, scored, selected, text,
};

fn sticky(seams: bool) -> Arc<TokenProfile> {
    Arc::new(profile("sticky", Arc::new(Sticky { unit: 1, seams })))
}

/// In both encodings `a1_.` is three tokens and `.s-  ` four, but the two joined are eight.
#[test]
fn parts_that_cost_more_joined_are_shed_by_real_encodings() {
    for name in ["o200k_base", "cl100k_base"] {
        let profile = openai(name);
        let count = |text: &str| profile.count(text).expect("it never fails");
        let (left, right) = ("a1_.", ".s-  ");
        let (apart, joined) = (count(left) + count(right), count("a1_..s-  "));
        assert!(joined > apart, "{name}");
        let frame = frame([scored(left, 2.0), scored(right, 1.0)]);
        let pack = packed(&frame, options(apart, &profile));
        let document = pack.manifest().document();
        assert_eq!(selected(document), [0]);
        assert_eq!(reasons(document), [(1, "join_cost")]);
        let over = i64::try_from(joined - apart).expect("small");
        assert_eq!(excluded(document, 1).shortfall, Some(over));
        let whole = packed(&frame, options(joined, &profile));
        assert!(whole.complete());
        assert_eq!(
            whole.manifest().document().tokens_by.part["joins"].tokens,
            over
        );
    }
}

#[test]
fn the_last_taken_optional_is_shed_before_any_preferred() {
    let preferred = |content: &str, score| ItemSpec {
        retention: Retention::Preferred,
        ..scored(content, score)
    };
    let cases: [(Vec<ItemSpec>, u64, &[usize]); 4] = [
        // Joined, "ab" is two over: the weaker of the two goes.
        (vec![scored("a", 2.0), scored("b", 1.0)], 2, &[0]),
        (vec![scored("a", 1.0), scored("b", 2.0)], 2, &[1]),
        (vec![scored("a", 1.0), preferred("b", 0.0)], 3, &[1]),
        // The optional goes, though the join is not its doing; then a preferred, and what was
        // shed is not offered again.
        (
            vec![preferred("a", 1.0), preferred("b", 2.0), scored("c", 9.0)],
            3,
            &[1],
        ),
    ];
    for (specs, budget, expected) in cases {
        let pack = packed(&frame(specs), options(budget, &sticky(true)));
        assert_eq!(pack.rows(), expected);
        let document = pack.manifest().document();
        assert!(
            document
                .excluded
                .iter()
                .all(|record| record.reason == "join_cost")
        );
    }
    // What an opaque tokenizer saves by a step is judged by what it says of the whole.
    let both = frame([scored("a", 2.0), scored("b", 1.0)]);
    assert_eq!(packed(&both, options(2, &sticky(false))).rows(), [0]);
    assert_eq!(packed(&both, options(3, &sticky(false))).rows(), [0]);
}

#[test]
fn room_that_joining_saves_is_offered_until_nothing_more_fits() {
    // Four equal letters joined are one token.
    let frame = frame([
        text("c"),
        text("c"),
        text("c"),
        text("c"),
        scored("dd", -1.0),
    ]);
    let pack = packed(&frame, options(1, &sticky(true)));
    assert_eq!((pack.rows(), pack.total_tokens()), (&[0, 1, 2, 3][..], 1));
    assert_eq!(
        pack.manifest().document().tokens_by.part["joins"].tokens,
        -3
    );
    assert_eq!(excluded(pack.manifest().document(), 4).shortfall, Some(1));
    // An opaque tokenizer gets one offer, by the sum of parts: nothing fits by that.
    let pack = packed(&frame, options(1, &sticky(false)));
    assert_eq!((pack.rows(), pack.total_tokens()), (&[0][..], 1));
    let shortfall = excluded(pack.manifest().document(), 1).shortfall;
    assert_eq!(shortfall, Some(1), "by the sum of parts");
}

#[test]
fn an_offer_to_an_opaque_tokenizer_is_one_batch_dropped_whole_if_it_is_over() {
    // "cc" is one token, which leaves room for "a" and "b", but not as they join.
    let specs = [
        scored("c", 9.0),
        scored("c", 8.0),
        scored("c", 7.0),
        text("a"),
        text("b"),
    ];
    let frame = frame(specs);
    let pack = packed(&frame, options(3, &sticky(false)));
    let document = pack.manifest().document();
    assert_eq!(
        (selected(document), pack.total_tokens()),
        (vec![0, 1, 2], 1)
    );
    assert_eq!(reasons(document), [(3, "budget"), (4, "budget")]);
    // With seams, the first is taken and the second is not.
    let pack = packed(&frame, options(3, &sticky(true)));
    assert_eq!((pack.rows(), pack.total_tokens()), (&[0, 1, 2, 3][..], 2));
}

#[test]
fn each_recount_that_is_over_sheds_twice_what_the_one_before_did() {
    // However little is left, the tokenizer says one too many: only nothing fits.
    let over = Opaque::new(With(|text: &str| {
        let letters = text.len() as u64;
        if letters < 2 { letters } else { 101 }
    }));
    let profile = Arc::new(profile("over", Arc::clone(&over) as _));
    let frame = frame((0..100).map(|row| named("x", &row.to_string())));
    let pack = packed(&frame, options(100, &profile));
    // Separator; 100, and nothing at all, then 1, 2, 4, 8, 16, 32 and the rest shed. An empty
    // rendering is counted like any other.
    assert_eq!(over.single.load(Relaxed), 1 + 1 + 1 + 7);
    assert_eq!((pack.rows().len(), pack.total_tokens()), (0, 0));
    assert!(
        reasons(pack.manifest().document())
            .iter()
            .all(|(_, reason)| *reason == "join_cost")
    );
}

#[test]
fn contents_are_counted_once_however_often_a_frame_is_packed() {
    let tokenizer = Opaque::new(Sticky {
        unit: 1,
        seams: false,
    });
    let spec = ProfileSpec {
        tokenizer_sha256: Some("a hash of this test alone".to_owned()),
        ..bare("opaque", Arc::clone(&tokenizer) as _)
    };
    let profile = Arc::new(TokenProfile::new(spec).expect("no role is counted"));
    let frame = frame([text("ab"), text("c"), text("c")]);
    for budget in [9, 3, 1, 9] {
        packed(&frame, options(budget, &profile));
    }
    let longer = frame
        .concat(&crate::support::frame([text("new")]))
        .expect("ids are made");
    packed(&Arc::new(longer), options(9, &profile));
    assert_eq!(tokenizer.batches.load(Relaxed), 2, "all, then the new one");
}

#[test]
fn labels_are_part_of_what_is_counted() {
    for seams in [true, false] {
        let options = |budget| PackOptions {
            labels: true,
            separator: "\n".to_owned(),
            ..options(budget, &sticky(seams))
        };
        let frame = frame([text("hi"), text(" there")]);
        let pack = packed(&frame, options(None));
        assert_eq!(pack.text().expect("it is a text"), "user: hi\nuser:  there");
        // Twenty-one characters, two of which are a space behind a space.
        assert_eq!(pack.total_tokens(), 20);
        let by = &pack.manifest().document().tokens_by.part;
        let parts = ["content", "labels", "separators", "joins"].map(|part| by[part].tokens);
        assert_eq!(parts, [8, 12, 1, -1]);
        assert!(packed(&frame, options(Some(21))).complete());
        // One that is saved by joining is found by counting joins only.
        assert_eq!(packed(&frame, options(Some(20))).complete(), seams);
        assert_eq!(packed(&frame, options(Some(19))).rows(), [0]);
    }
}

struct Hundred;

impl MessageCounter for Hundred {
    fn count_messages(&self, json: &str) -> Result<u64, TokenizerError> {
        let list: Vec<serde_json::Value> = serde_json::from_str(json)
            .map_err(|error| TokenizerError::new(error.to_string()).caused_by(error))?;
        Ok(100 + 10 * list.len() as u64)
    }
}

#[test]
fn messages_are_recounted_by_a_counter_of_whole_lists() {
    let spec = ProfileSpec {
        message_counter: Some(Arc::new(Hundred)),
        ..bare("hundred", Arc::new(With(|text: &str| text.len() as u64)))
    };
    let profile = Arc::new(TokenProfile::new(spec).expect("no role is counted"));
    let messages = |budget| PackOptions {
        render: None,
        ..options(budget, &profile)
    };
    let frame = frame([scored("aa", 2.0), scored("bb", 1.0), scored("c", 0.0)]);
    let pack = packed(&frame, messages(Some(130)));
    assert_eq!(
        (pack.render(), pack.total_tokens()),
        (Render::Messages, 130)
    );
    assert!(pack.complete());
    let document = pack.manifest().document();
    let joins = &document.tokens_by.part["joins"];
    assert_eq!((joins.tokens, joins.accuracy), (125, Accuracy::Approximate));
    // One over: as many are shed as make up for it by their parts, then what is left is offered.
    let pack = packed(&frame, messages(Some(129)));
    assert!(pack.total_tokens() <= 129);
    assert_eq!(pack.rows(), [0, 1]);
    // Nothing at all fits, and nothing was required.
    let error = pack_error(&frame, messages(Some(99)));
    assert!(
        matches!(error, ErrorKind::BudgetExceeded(numbers) if numbers.join_tokens == Some(100))
    );
}

fn pack_error(frame: &Arc<packframe_core::Frame>, options: PackOptions) -> ErrorKind {
    pack(frame, options)
        .expect_err("it cannot be packed")
        .kind()
        .clone()
}

#[test]
fn a_tokenizer_that_fails_is_an_error_naming_the_row() {
    struct Fails;
    impl Tokenizer for Fails {
        fn count(&self, text: &str) -> Result<u64, TokenizerError> {
            if text.contains('!') {
                return Err(TokenizerError::new("it does not like this"));
            }
            Ok(text.len() as u64)
        }
    }
    let fails = Arc::new(profile("fails", Arc::new(Fails)));
    let cases = [
        (vec![text("a"), text("b!")], "", Some(1)),
        (vec![text("a"), text("b")], "!", None),
    ];
    for (specs, separator, expected) in cases {
        let options = PackOptions {
            separator: separator.to_owned(),
            ..options(9, &fails)
        };
        match pack_error(&frame(specs), options) {
            ErrorKind::Tokenizer(fault) => {
                assert_eq!((fault.which.as_str(), fault.row), ("fails", expected));
                assert!(fault.cause.is_some());
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_count_that_no_text_can_have_is_an_error() {
    let huge = Arc::new(profile("huge", Arc::new(With(|_: &str| u64::MAX))));
    let error = pack_error(&frame([text("a")]), options(9, &huge));
    assert!(matches!(error, ErrorKind::Tokenizer(fault) if fault.row == Some(0)));
    let most = Arc::new(profile("most", Arc::new(With(|_: &str| MAX_COUNT))));
    let pack = packed(
        &frame([text("a")]),
        options(packframe_core::MAX_TOKENS, &most),
    );
    assert_eq!(pack.total_tokens(), MAX_COUNT);
}

#[test]
fn a_batch_that_does_not_count_each_text_is_an_error_never_a_zero() {
    struct Short;
    impl Tokenizer for Short {
        fn count(&self, text: &str) -> Result<u64, TokenizerError> {
            Ok(text.len() as u64)
        }
        fn count_batch(&self, texts: &[&str]) -> Result<Vec<u64>, TokenizerError> {
            Ok(vec![1; texts.len() - 1])
        }
    }
    let short = Arc::new(profile("short", Arc::new(Short)));
    let frame = frame([text("aaa"), required("bbb")]);
    for render in [Render::Text, Render::Messages] {
        let options = PackOptions {
            render: Some(render),
            ..options(2, &short)
        };
        let error = pack_error(&frame, options);
        assert!(matches!(error, ErrorKind::Tokenizer(fault) if fault.which == "short"));
    }
    assert!(short.count_batch(&["a", "b"], None).is_err());
}

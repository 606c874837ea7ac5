//! Rows that share one fate: by name, by calls and results, by both.

use packframe_core::{ErrorKind, ItemSpec, Retention, pack};

use crate::support::{
    byte_profile, bytes, excluded, frame, grouped, message, options, packed, reasons, required,
    scored, selected, text,
};

const CALL: &str = r#"{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"c2","type":"function","function":{"name":"g","arguments":"{}"}}]}"#;
const FIRST_RESULT: &str = r#"{"role":"tool","tool_call_id":"c1","content":"one"}"#;
const SECOND_RESULT: &str = r#"{"role":"tool","tool_call_id":"c2","content":"two"}"#;

#[test]
fn a_group_is_taken_whole_or_not_at_all() {
    let frame = frame([
        grouped("aaaa", "g"),
        text("b"),
        grouped("cccc", "g"),
        text("d"),
    ]);
    for (budget, expected) in [
        (10, vec![0, 1, 2, 3]),
        (9, vec![1, 3]),
        (2, vec![1, 3]),
        (1, vec![1]),
    ] {
        let pack = packed(&frame, options(budget, &byte_profile()));
        assert_eq!(pack.rows(), expected, "budget {budget}");
    }
}

#[test]
fn a_group_has_the_best_score_and_priority_of_its_members_and_the_place_of_the_first() {
    let in_group = |content: &str, group: &str, score, priority| ItemSpec {
        score,
        priority,
        ..grouped(content, group)
    };
    let cases = [
        // Score: the weak member is lifted by the strong one.
        (
            vec![
                scored("aa", 1.0),
                in_group("b", "g", 0.0, 0.0),
                in_group("c", "g", 2.0, 0.0),
            ],
            vec![1, 2],
        ),
        // Score and priority may come from two members.
        (
            vec![
                ItemSpec {
                    priority: 4.0,
                    ..scored("aa", 2.0)
                },
                in_group("b", "g", 2.0, 0.0),
                in_group("c", "g", 0.0, 5.0),
            ],
            vec![1, 2],
        ),
        // Equal in all: the group that starts first.
        (
            vec![
                in_group("a", "h", 0.0, 0.0),
                in_group("b", "g", 0.0, 0.0),
                in_group("c", "g", 0.0, 0.0),
                in_group("d", "h", 0.0, 0.0),
            ],
            vec![0, 3],
        ),
    ];
    for (specs, expected) in cases {
        let pack = packed(&frame(specs), options(2, &byte_profile()));
        assert_eq!(pack.rows(), expected);
    }
}

#[test]
fn one_required_member_makes_the_whole_group_required() {
    let in_group = |spec: ItemSpec| ItemSpec {
        group: Some("g".into()),
        ..spec
    };
    let frame = frame([
        scored("aaaaaa", 9.0),
        in_group(text("bb")),
        in_group(required("cc")),
        in_group(ItemSpec {
            pinned: true,
            ..text("dd")
        }),
    ]);
    let pack = packed(&frame, options(6, &byte_profile()));
    let document = pack.manifest().document();
    assert_eq!(selected(document), [1, 2, 3]);
    let why: Vec<&str> = document
        .selected
        .iter()
        .map(|record| &*record.why)
        .collect();
    assert_eq!(why, ["required", "required", "pinned"]);
    let own: Vec<Retention> = document
        .selected
        .iter()
        .map(|record| record.retention)
        .collect();
    assert_eq!(
        own,
        [
            Retention::Optional,
            Retention::Required,
            Retention::Required,
        ]
    );
}

#[test]
fn the_preferred_member_of_a_group_makes_it_preferred() {
    let frame = frame([
        scored("aaaa", 9.0),
        grouped("bb", "g"),
        ItemSpec {
            retention: Retention::Preferred,
            ..grouped("cc", "g")
        },
    ]);
    let pack = packed(&frame, options(4, &byte_profile()));
    assert_eq!(pack.rows(), [1, 2]);
}

#[test]
fn members_in_two_sections_are_refused_naming_both_rows() {
    let placed = |section: Option<&str>| ItemSpec {
        section: section.map(Into::into),
        ..grouped("a", "g")
    };
    for (first, second) in [(Some("x"), Some("y")), (Some("x"), None), (None, Some("x"))] {
        let frame = frame([text("b"), placed(first), text("c"), placed(second)]);
        let error = pack(&frame, options(9, &byte_profile())).expect_err("two sections");
        match error.kind() {
            ErrorKind::InvalidItem { rows, field, .. } => {
                assert_eq!((rows.as_slice(), field.as_str()), (&[1, 3][..], "section"));
            }
            other => panic!("{other:?}"),
        }
    }
    let same = frame([placed(Some("x")), placed(Some("x"))]);
    assert!(packed(&same, options(9, &byte_profile())).complete());
}

#[test]
fn a_call_and_all_its_results_are_one_group() {
    let frame = frame([
        text("q"),
        message(CALL),
        message(SECOND_RESULT),
        message(FIRST_RESULT),
        text("b"),
    ]);
    let pack = packed(&frame, options(4, &byte_profile()));
    let document = pack.manifest().document();
    assert_eq!(selected(document), [0, 4]);
    assert_eq!(
        reasons(document),
        [(1, "budget"), (2, "budget"), (3, "budget")]
    );
    let shortfalls: Vec<_> = [1, 2, 3]
        .map(|row| excluded(document, row).shortfall)
        .into();
    assert!(
        shortfalls
            .iter()
            .all(|shortfall| *shortfall == shortfalls[0])
    );
    let groups: Vec<_> = document
        .groups
        .iter()
        .map(|group| {
            (
                group.group.as_deref(),
                group.kind.as_str(),
                group.rows.clone(),
            )
        })
        .collect();
    assert_eq!(groups, [(None, "chat", vec![1, 2, 3])]);
}

#[test]
fn a_tie_by_messages_and_one_by_name_make_one_group() {
    let with_group = |json: &str, group: &str| ItemSpec {
        group: Some(group.into()),
        ..message(json)
    };
    let frame = frame([
        grouped("before", "g"),
        message(CALL),
        with_group(FIRST_RESULT, "g"),
        with_group(SECOND_RESULT, "h"),
        grouped("behind", "h"),
        grouped("alone", "i"),
        grouped("together", "i"),
    ]);
    let pack = packed(&frame, options(None, &byte_profile()));
    let groups: Vec<_> = pack
        .manifest()
        .document()
        .groups
        .iter()
        .map(|group| {
            (
                group.group.as_deref(),
                group.kind.as_str(),
                group.rows.clone(),
            )
        })
        .collect();
    assert_eq!(
        groups,
        [
            (Some("g"), "mixed", vec![0, 1, 2, 3, 4]),
            (Some("i"), "named", vec![5, 6]),
        ]
    );
}

#[test]
fn a_call_that_waits_at_the_end_is_no_error_and_its_results_so_far_are_tied() {
    let frame = frame([text("q"), message(CALL), message(FIRST_RESULT)]);
    let pack = packed(&frame, options(1, &byte_profile()));
    assert_eq!(pack.rows(), [0]);
    assert_eq!(pack.manifest().document().groups[0].rows, [1, 2]);
}

#[test]
fn calls_and_results_that_do_not_pair_are_refused_with_every_problem() {
    type Problems = &'static [(usize, &'static str)];
    let cases: [(Vec<ItemSpec>, Problems); 5] = [
        (vec![message(FIRST_RESULT)], &[(0, "orphan_result")]),
        (
            vec![message(CALL), message(FIRST_RESULT), message(FIRST_RESULT)],
            &[(2, "duplicate_result")],
        ),
        (
            vec![message(CALL), message(FIRST_RESULT), text("too early")],
            &[(0, "dangling_call")],
        ),
        (
            vec![message(CALL), text("between"), message(FIRST_RESULT)],
            &[(0, "dangling_call"), (2, "orphan_result")],
        ),
        (
            vec![message(CALL), message(CALL), message(FIRST_RESULT)],
            &[(0, "dangling_call")],
        ),
    ];
    for (specs, expected) in cases {
        let error = pack(&frame(specs), options(None, &byte_profile())).expect_err("no pairs");
        match error.kind() {
            ErrorKind::InvalidMessages { problems } => {
                let mut found: Vec<_> = problems
                    .iter()
                    .map(|problem| (problem.position, problem.rule))
                    .collect();
                // Each call without a result is a problem of its own.
                found.dedup();
                assert_eq!(found, expected);
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_member_that_cannot_be_shown_takes_its_group_along() {
    let in_group = |spec: ItemSpec| ItemSpec {
        group: Some("g".into()),
        ..spec
    };
    let frame = frame([in_group(text("a")), in_group(bytes(b"\x89PNG")), text("c")]);
    let pack = packed(&frame, options(None, &byte_profile()));
    let document = pack.manifest().document();
    assert_eq!(selected(document), [2]);
    assert_eq!(
        reasons(document),
        [(0, "group_incomplete"), (1, "unsupported_content")]
    );
    assert!(
        document
            .excluded
            .iter()
            .all(|record| record.tokens.is_none())
    );
}

//! Which groups are taken, and in which order.

use std::sync::Arc;

use packframe_core::{Extra, ItemSpec, PackOptions, Render, Retention, Selection};

use crate::support::{
    approximate, byte_profile, excluded, frame, framed_profile, options, packed, reasons, scored,
    selected, text,
};

fn weighed(content: &str, score: f64, priority: f64) -> ItemSpec {
    ItemSpec {
        priority,
        ..scored(content, score)
    }
}

fn preferred(content: &str, score: f64) -> ItemSpec {
    ItemSpec {
        retention: Retention::Preferred,
        ..scored(content, score)
    }
}

#[test]
fn one_of_two_is_taken_by_score_then_priority_then_tokens_then_row() {
    let cases = [
        ("score", weighed("aa", 0.0, 9.0), weighed("bb", 1.0, 0.0), 1),
        ("negative score", scored("aa", -1.0), scored("bb", -2.0), 0),
        (
            "tiny score",
            scored("aa", 0.0),
            scored("bb", f64::MIN_POSITIVE),
            1,
        ),
        ("huge score", scored("aa", f64::MAX), scored("bb", 1e300), 0),
        (
            "priority",
            weighed("aa", 1.0, 0.0),
            weighed("bb", 1.0, 1.0),
            1,
        ),
        ("tokens", weighed("aa", 1.0, 1.0), weighed("b", 1.0, 1.0), 1),
        ("row", scored("aa", 1.0), scored("bb", 1.0), 0),
        ("zeros are equal", scored("aa", -0.0), scored("bb", 0.0), 0),
        (
            "ids do not decide",
            ItemSpec {
                id: Some("z".into()),
                ..text("aa")
            },
            ItemSpec {
                id: Some("a".into()),
                ..text("bb")
            },
            0,
        ),
    ];
    for (name, first, second, expected) in cases {
        let pack = packed(&frame([first, second]), options(2, &byte_profile()));
        assert_eq!(pack.rows(), [expected], "{name}");
    }
}

#[test]
fn preferred_groups_come_before_optional_ones_of_any_score() {
    let frame = frame([scored("aaa", 9.0), preferred("bb", -9.0), scored("c", 8.0)]);
    for (budget, expected) in [(5, vec![0, 1]), (4, vec![1, 2]), (2, vec![1]), (1, vec![2])] {
        let pack = packed(&frame, options(budget, &byte_profile()));
        assert_eq!(pack.rows(), expected, "budget {budget}");
    }
}

#[test]
fn what_does_not_fit_is_skipped_and_the_scan_goes_on() {
    let frame = frame([
        scored("aaaa", 9.0),
        scored("bbbbbbbb", 8.0),
        scored("cc", 7.0),
        scored("ddd", 6.0),
        scored("e", 5.0),
    ]);
    let pack = packed(&frame, options(7, &byte_profile()));
    let document = pack.manifest().document();
    assert_eq!(selected(document), [0, 2, 4]);
    assert_eq!(reasons(document), [(1, "budget"), (3, "budget")]);
    assert_eq!(excluded(document, 1).shortfall, Some(8));
    assert_eq!(excluded(document, 3).shortfall, Some(3));
}

#[test]
fn the_layout_is_the_order_of_rows_whatever_the_order_of_taking() {
    let frame = frame([scored("a", 1.0), scored("b", 3.0), preferred("c", 0.0)]);
    let pack = packed(&frame, options(None, &byte_profile()));
    assert_eq!(pack.text().expect("it is a text"), "abc");
    let positions: Vec<usize> = pack
        .manifest()
        .document()
        .selected
        .iter()
        .map(|record| record.position)
        .collect();
    assert_eq!(positions, [0, 1, 2]);
}

#[test]
fn separators_are_paid_between_parts_only_and_an_empty_text_is_a_part() {
    let frame = frame([text(""), text("a"), text("b"), text("")]);
    for (budget, total, expected) in [
        (0, 0, vec![0]),
        (2, 2, vec![0, 3]),
        (4, 2, vec![0, 3]),
        (5, 5, vec![0, 1, 3]),
        (7, 5, vec![0, 1, 3]),
        (8, 8, vec![0, 1, 2, 3]),
    ] {
        let options = PackOptions {
            separator: "--".to_owned(),
            ..options(budget, &byte_profile())
        };
        let pack = packed(&frame, options);
        assert_eq!((pack.rows(), pack.total_tokens()), (&expected[..], total));
    }
}

#[test]
fn each_message_pays_its_envelope_and_all_pay_the_base_once() {
    let frame = frame([scored("aaa", 3.0), scored("bb", 2.0), scored("c", 1.0)]);
    for (budget, total, expected) in [
        (7, 7, vec![]),
        (12, 12, vec![2]),
        (13, 13, vec![1]),
        (14, 14, vec![0]),
        (19, 19, vec![0, 2]),
        (20, 20, vec![0, 1]),
        (24, 20, vec![0, 1]),
        (25, 25, vec![0, 1, 2]),
    ] {
        let options = PackOptions {
            render: Some(Render::Messages),
            separator: "not in messages".to_owned(),
            labels: true,
            ..options(budget, &framed_profile(7, 4))
        };
        let pack = packed(&frame, options);
        assert_eq!((pack.rows(), pack.total_tokens()), (&expected[..], total));
    }
}

#[test]
fn the_estimate_charges_one_token_at_least_for_an_item() {
    let frame = frame([text(""), text("")]);
    let options = PackOptions {
        render: Some(Render::Messages),
        ..options(1, &approximate())
    };
    let pack = packed(&frame, options);
    let document = pack.manifest().document();
    assert_eq!((selected(document), pack.total_tokens()), (vec![0], 1));
    assert_eq!(document.selected[0].content_tokens, Some(1));
    assert_eq!(document.tokens_by.part["joins"].tokens, 0);
}

#[test]
fn without_a_ceiling_all_that_is_admitted_is_taken() {
    let specs = (0..50).map(|row| {
        scored(
            &"x".repeat(row),
            f64::from(u8::try_from(row).expect("small")),
        )
    });
    let frame = frame(specs);
    let pack = packed(&frame, options(None, &byte_profile()));
    assert!(pack.complete());
    assert_eq!(
        (pack.total_tokens(), pack.remaining_tokens()),
        (49 * 25, None)
    );
}

#[test]
fn reasons_and_shortfalls_survive_a_second_pack_of_the_same_frame_with_another_budget() {
    let frame = frame([scored("aaaa", 1.0), scored("bb", 0.0)]);
    let profile = byte_profile();
    let first = packed(&frame, options(4, &profile));
    let second = packed(&frame, options(2, &profile));
    assert_eq!(excluded(first.manifest().document(), 1).shortfall, Some(2));
    assert_eq!(excluded(second.manifest().document(), 0).shortfall, Some(4));
    assert!(Arc::ptr_eq(first.frame(), second.frame()));
}

/// A search without effort never found a bound: what all items are worth together is one.
#[test]
fn regression_a_bound_that_was_never_searched_overflowed() {
    let rival = |content: &str, score: f64| ItemSpec {
        extra: Extra {
            exclusive: Some("one of them".into()),
            ..Extra::default()
        },
        ..scored(content, score)
    };
    let frame = frame([rival("a", 1.0), rival("b", 2.0)]);
    let options = PackOptions {
        selection: Selection::Optimal {
            effort: Some(0),
            values: packframe_core::Values::Scores,
            diversity: None,
        },
        ..options(9, &byte_profile())
    };
    let pack = packed(&frame, options);
    let optimal = pack.manifest().document().optimal.clone();
    let optimal = optimal.expect("selection was optimal");
    assert!(optimal.value <= optimal.upper_bound, "{optimal:?}");
    assert!(optimal.upper_bound <= 3.0, "{optimal:?}");
}

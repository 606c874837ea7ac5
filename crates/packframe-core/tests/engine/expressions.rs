//! Conditions over columns: three-valued logic, and what may be compared with what.

use std::sync::Arc;

use packframe_core::{
    Alternative, Compare, Error, ErrorKind, Expression, Extra, Frame, ItemSpec, Retention, Role,
    Scalar, Sensitivity, SortKey, Trust,
};

use crate::support::{bytes, frame, message, named, scored, text, texts, word};

fn compare(column: &str, compare: Compare, value: Scalar) -> Expression {
    Expression::compare(column, compare, value).expect("the column takes the value")
}

fn is_null(column: &str) -> Expression {
    Expression::is_null(column).expect("the column is known")
}

fn rows(frame: &Frame, expression: &Expression) -> Vec<usize> {
    (0..)
        .zip(expression.mask(frame))
        .filter_map(|(row, chosen)| chosen.then_some(row))
        .collect()
}

/// Row 0: section "x"; row 1: section "y"; row 2: none, so that comparing gives null.
fn sections() -> Arc<Frame> {
    frame(["x", "y", ""].map(|section| ItemSpec {
        section: (!section.is_empty()).then(|| section.into()),
        ..text(section)
    }))
}

#[test]
fn logic_has_three_values_and_null_selects_nothing() {
    let frame = sections();
    let is_x = || compare("section", Compare::Equal, word("x"));
    let yes = || compare("row", Compare::AtLeast, Scalar::Number(0.0));
    let no = || yes().negate();
    let cases: [(Expression, &[usize]); 14] = [
        (is_x(), &[0]),
        (is_x().negate(), &[1]),
        (is_x().negate().negate(), &[0]),
        // null and true, null and false, either way round.
        (is_x().and(yes()), &[0]),
        (yes().and(is_x()), &[0]),
        (is_x().and(no()).negate(), &[0, 1, 2]),
        (no().and(is_x()).negate(), &[0, 1, 2]),
        // null or true, null or false.
        (is_x().or(yes()), &[0, 1, 2]),
        (yes().or(is_x()), &[0, 1, 2]),
        (is_x().or(no()), &[0]),
        (is_x().or(no()).negate(), &[1]),
        // null with null.
        (is_x().and(is_x()).negate(), &[1]),
        (is_x().or(is_x().negate()), &[0, 1]),
        (is_null("section").or(is_x()), &[0, 2]),
    ];
    for (at, (expression, expected)) in cases.into_iter().enumerate() {
        assert_eq!(rows(&frame, &expression), expected, "case {at}");
    }
}

#[test]
fn is_in_is_null_where_the_value_is_missing() {
    let frame = sections();
    let among = |values: &[&str]| {
        Expression::is_in("section", values.iter().map(|value| word(value)).collect())
            .expect("the column holds strings")
    };
    assert_eq!(rows(&frame, &among(&["y", "x"])), [0, 1]);
    assert_eq!(rows(&frame, &among(&["y", "z"]).negate()), [0]);
    assert!(rows(&frame, &among(&[])).is_empty());
    assert_eq!(rows(&frame, &among(&[]).negate()), [0, 1]);
}

#[test]
fn each_comparison_holds_where_it_says() {
    let frame = frame([scored("a", -1.0), scored("b", 0.0), scored("c", 1.0)]);
    let cases: [(Compare, &[usize]); 6] = [
        (Compare::Equal, &[1]),
        (Compare::NotEqual, &[0, 2]),
        (Compare::Less, &[0]),
        (Compare::AtMost, &[0, 1]),
        (Compare::Greater, &[2]),
        (Compare::AtLeast, &[1, 2]),
    ];
    for (how, expected) in cases {
        let expression = compare("score", how, Scalar::Number(-0.0));
        assert_eq!(rows(&frame, &expression), expected, "{how:?}");
    }
    let infinite = compare("score", Compare::Less, Scalar::Number(f64::INFINITY));
    assert_eq!(rows(&frame, &infinite), [0, 1, 2]);
}

#[test]
fn every_column_can_be_asked() {
    let full = ItemSpec {
        id: Some("full".into()),
        role: Role::Assistant,
        retention: Retention::Preferred,
        score: 2.0,
        priority: 3.0,
        section: Some("s".into()),
        group: Some("g".into()),
        pinned: true,
        trust: Trust::Trusted,
        sensitivity: Sensitivity::Confidential,
        extra: Extra {
            created_at: Some(5),
            expires_at: Some(6),
            sources: vec!["kb".to_owned()],
            metadata: Some("{}".to_owned()),
            requires: vec!["other".into()],
            exclusive: Some("key".into()),
            alternatives: vec![Alternative::at(0, text("short").content)],
            cut_to: Some(4),
        },
        ..text("content")
    };
    let frame = frame([named("other", "other"), full, bytes(b"bytes")]);
    let equal = |column, value| compare(column, Compare::Equal, value);
    let cases = [
        equal("id", word("full")),
        equal("content", word("content")),
        equal("role", word("assistant")),
        equal("retention", word("preferred")),
        equal("score", Scalar::Number(2.0)),
        equal("priority", Scalar::Number(3.0)),
        equal("section", word("s")),
        equal("group", word("g")),
        equal("pinned", Scalar::Bool(true)),
        equal("created_at", Scalar::Time(5)),
        equal("expires_at", Scalar::Time(6)),
        equal("trust", word("trusted")),
        equal("sensitivity", word("confidential")),
        is_null("sources").negate(),
        is_null("metadata").negate(),
        is_null("requires").negate(),
        equal("exclusive", word("key")),
        is_null("alternatives").negate(),
        equal("cut_to", Scalar::Number(4.0)),
        equal("row", Scalar::Number(1.0)),
        equal("kind", word("text")).and(equal("content", word("content"))),
    ];
    for expression in cases {
        assert_eq!(rows(&frame, &expression), [1], "{expression:?}");
    }
    assert_eq!(rows(&frame, &is_null("content")), [2]);
    assert_eq!(rows(&frame, &equal("kind", word("binary"))), [2]);
}

#[test]
fn words_with_an_order_are_compared_in_it() {
    let of = |sensitivity| ItemSpec {
        sensitivity,
        ..text("")
    };
    let by_sensitivity = frame(Sensitivity::ALL.iter().map(|word| of(*word)));
    let over = compare("sensitivity", Compare::Greater, word("internal"));
    assert_eq!(rows(&by_sensitivity, &over), [2, 3]);
    let by_retention = frame(Retention::ALL.iter().map(|retention| ItemSpec {
        retention: *retention,
        ..text("")
    }));
    let under = compare("retention", Compare::Less, word("required"));
    assert_eq!(rows(&by_retention, &under), [0, 1]);
}

#[test]
fn turns_are_counted_from_the_last_user() {
    use Role::{Assistant, Developer, System, User};
    let cases: [(&[Role], &[Option<u32>]); 6] = [
        (&[], &[]),
        (&[System, Developer], &[None, None]),
        (&[Assistant, Assistant], &[Some(0), Some(0)]),
        (&[Assistant, User, Assistant], &[Some(1), Some(0), Some(0)]),
        (
            &[System, User, Assistant, System, User, User, Assistant],
            &[None, Some(2), Some(2), None, Some(1), Some(0), Some(0)],
        ),
        (&[User, User], &[Some(1), Some(0)]),
    ];
    for (roles, expected) in cases {
        let frame = frame(roles.iter().map(|role| ItemSpec {
            role: *role,
            ..text("")
        }));
        let turns: Vec<Option<u32>> = (0..frame.len())
            .map(|row| {
                (0..10).find(|turn| {
                    let value = Scalar::Number(f64::from(*turn));
                    compare("turn_from_end", Compare::Equal, value).mask(&frame)[row]
                })
            })
            .collect();
        assert_eq!(turns, expected, "{roles:?}");
        let nulls = is_null("turn_from_end").mask(&frame);
        assert!(
            nulls
                .iter()
                .zip(expected)
                .all(|(null, turn)| *null == turn.is_none())
        );
    }
    let tool = r#"{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":""}}]}"#;
    let frame = frame([text("q"), message(tool)]);
    let newest = compare("turn_from_end", Compare::Equal, Scalar::Number(0.0));
    assert_eq!(rows(&frame, &newest), [0, 1]);
}

fn field_and_suggestion(error: &Error) -> (&str, Option<&str>) {
    match error.kind() {
        ErrorKind::InvalidItem {
            field, suggestion, ..
        } => (field, suggestion.as_deref()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_unknown_column_is_refused_with_the_nearest_known_one() {
    let errors = [
        Expression::compare("scor", Compare::Equal, Scalar::Number(0.0)).map(drop),
        Expression::is_in("scor", Vec::new()).map(drop),
        Expression::is_null("scor").map(drop),
        SortKey::column("scor").map(drop),
    ];
    for error in errors {
        let error = error.expect_err("there is no such column");
        assert_eq!(field_and_suggestion(&error), ("scor", Some("score")));
    }
}

#[test]
fn a_value_of_another_type_is_refused() {
    let cases = [
        ("score", Compare::Equal, word("1")),
        ("score", Compare::Equal, Scalar::Bool(true)),
        ("score", Compare::Equal, Scalar::Number(f64::NAN)),
        ("id", Compare::Equal, Scalar::Number(1.0)),
        ("pinned", Compare::Equal, Scalar::Number(1.0)),
        ("created_at", Compare::Less, word("2026-01-01")),
        ("row", Compare::Less, Scalar::Time(0)),
        ("sources", Compare::Equal, word("kb")),
        ("metadata", Compare::Equal, word("{}")),
        // Words that there are not.
        ("role", Compare::Equal, word("usr")),
        ("retention", Compare::Equal, word("require")),
        ("kind", Compare::Equal, word("txt")),
        // Words that have no order.
        ("role", Compare::Less, word("user")),
        ("trust", Compare::AtMost, word("trusted")),
        ("kind", Compare::Greater, word("text")),
        ("pinned", Compare::Less, Scalar::Bool(true)),
    ];
    for (column, how, value) in cases {
        let error = Expression::compare(column, how, value).expect_err("it cannot be compared");
        assert_eq!(field_and_suggestion(&error).0, column);
        assert!(
            field_and_suggestion(&error).1.is_some(),
            "{error} has a remedy"
        );
    }
}

#[test]
fn rows_are_sorted_stably_with_nulls_last_either_way() {
    let of = |content: &str, section: Option<&str>| ItemSpec {
        section: section.map(Into::into),
        ..text(content)
    };
    let frame = frame([
        of("1", None),
        of("2", Some("b")),
        of("3", Some("a")),
        of("4", None),
        of("5", Some("b")),
    ]);
    let key = SortKey::column("section").expect("the column is known");
    let up = frame.sort(&key, false).expect("no id is given");
    assert_eq!(texts(&up), ["3", "2", "5", "1", "4"]);
    let down = frame.sort(&key, true).expect("no id is given");
    assert_eq!(texts(&down), ["2", "5", "3", "1", "4"]);
}

//! Frames: their ids, and the verbs that make one from another.

use std::sync::Arc;

use packframe_core::{ErrorKind, Extra, Frame, ItemSpec, Retention, Role, Sensitivity, Trust, hex};

use crate::support::{
    approximate, bytes, frame, grouped, ids, message, named, options, packed, required, scored,
    text, texts, try_frame,
};

/// Returns the start of a made id.
fn digits(content: &str) -> String {
    hex(text(content).content.hash())[..12].to_owned()
}

fn id_error(specs: impl IntoIterator<Item = ItemSpec>) -> Vec<usize> {
    let error = try_frame(specs).expect_err("two ids are equal");
    match error.kind() {
        ErrorKind::InvalidItem { rows, field, .. } if field == "id" => rows.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_missing_id_is_made_of_content_and_occurrence() {
    let (a, b) = (digits("a"), digits("b"));
    let frame = frame([
        text("a"),
        text("b"),
        named("a", "mine"),
        text("a"),
        text("b"),
    ]);
    // A row whose id is given is an occurrence of its content, too.
    let expected = [
        format!("{a}-1"),
        format!("{b}-1"),
        "mine".to_owned(),
        format!("{a}-3"),
        format!("{b}-2"),
    ];
    assert_eq!(ids(&frame), expected);
    for (row, id) in expected.iter().enumerate() {
        assert_eq!(frame.row_of(id), Some(row));
    }
    assert_eq!(frame.row_of("none"), None);
}

#[test]
fn a_new_row_renames_only_later_rows_of_equal_content() {
    let before = frame([text("a"), text("b"), text("a"), text("c")]);
    let with_new = frame([text("a"), text("b"), text("b"), text("a"), text("c")]);
    let (before, after) = (ids(&before), ids(&with_new));
    assert_eq!(
        [&before[..2], &before[2..]].concat(),
        [&after[..2], &after[3..]].concat()
    );
}

#[test]
fn equal_ids_are_refused_naming_both_rows() {
    let made = format!("{}-1", digits("a"));
    assert_eq!(
        id_error([named("a", "x"), text("b"), named("c", "x")]),
        [0, 2]
    );
    assert_eq!(id_error([text("a"), named("b", &made)]), [0, 1]);
    assert_eq!(id_error([named("b", &made), text("a")]), [0, 1]);
    // Its own made id, given: the next of equal content is the second occurrence.
    assert!(try_frame([named("a", &made), text("a")]).is_ok());
    // Looks made, and is nobody's.
    assert!(try_frame([named("b", &format!("{}-9", digits("a"))), text("a")]).is_ok());
}

#[test]
fn two_frames_are_joined_in_order_with_their_history() {
    let left =
        frame([required("a"), text("b")]).demote(&[true, false], Retention::Optional, "demote");
    let right = frame([text("c"), text("c")])
        .dedupe()
        .expect("no id is given");
    let right = right.promote(&[true], Retention::Preferred);
    let joined = left.concat(&right).expect("no id is given");
    assert_eq!(texts(&joined), ["a", "b", "c"]);
    let rows: Vec<_> = joined
        .demotions()
        .iter()
        .map(|change| (change.row, change.by))
        .collect();
    assert_eq!(rows, [(0, "demote"), (2, "promote")]);
    assert_eq!(joined.merges().len(), 1);
    assert_eq!(
        (joined.merges()[0].row, joined.merges()[0].into_row),
        (3, Some(2))
    );
    let twice = frame([named("a", "x")]);
    assert!(twice.concat(&twice).is_err());
    assert!(
        Arc::ptr_eq(joined.content(0), left.content(0)),
        "content is shared"
    );
}

#[test]
fn sparse_columns_of_one_side_stay_where_they_were() {
    let sectioned = frame([ItemSpec {
        section: Some("s".into()),
        ..named("a", "a")
    }]);
    let plain = frame([text("b"), text("c")]);
    for (first, second, at) in [(&sectioned, &plain, 0), (&plain, &sectioned, 2)] {
        let joined = first.concat(second).expect("the ids differ");
        for row in 0..3 {
            assert_eq!(joined.section(row).is_some(), row == at);
            assert_eq!(joined.item(row).id().is_some(), row == at);
        }
    }
}

#[test]
fn rows_are_taken_in_the_order_given_and_history_follows_them() {
    let frame = frame([text("a"), text("b"), text("c"), text("b")])
        .dedupe()
        .expect("no id is given");
    let frame = frame.promote(&[false, true, false], Retention::Required);
    let taken = frame.take(&[2, 1]).expect("no id is given");
    assert_eq!(texts(&taken), ["c", "b"]);
    assert_eq!(taken.demotions()[0].row, 1);
    assert_eq!(taken.merges()[0].into_row, Some(1));
    let gone = frame.filter(&[true, false, true]).expect("no id is given");
    assert_eq!(texts(&gone), ["a", "c"]);
    assert!(gone.demotions().is_empty());
    assert_eq!((gone.merges().len(), gone.merges()[0].into_row), (1, None));
    assert_eq!(texts(&frame.limit(2).expect("no id is given")), ["a", "b"]);
    assert_eq!(frame.limit(99).expect("no id is given").len(), 3);
}

#[test]
fn demote_never_raises_promote_never_lowers_and_pins_stay() {
    use Retention::{Optional, Preferred, Required};
    let frame = frame([
        required("r"),
        ItemSpec {
            retention: Preferred,
            ..text("p")
        },
        text("o"),
        ItemSpec {
            pinned: true,
            ..required("pin")
        },
    ]);
    let own = |frame: &Frame| -> Vec<Retention> {
        (0..frame.len())
            .map(|row| frame.item(row).retention())
            .collect()
    };
    let all = [true; 4];
    let cases = [
        (
            frame.demote(&all, Optional, "demote"),
            [Optional, Optional, Optional, Required],
        ),
        (
            frame.demote(&all, Preferred, "demote"),
            [Preferred, Preferred, Optional, Required],
        ),
        (
            frame.promote(&all, Preferred),
            [Required, Preferred, Preferred, Required],
        ),
        (frame.promote(&all, Required), [Required; 4]),
        (
            frame.demote(&[false; 4], Optional, "demote"),
            own(&frame).try_into().expect("four rows"),
        ),
    ];
    for (changed, expected) in cases {
        assert_eq!(own(&changed), expected);
        let recorded: Vec<usize> = changed
            .demotions()
            .iter()
            .map(|change| change.row)
            .collect();
        let differing: Vec<usize> = (0..4)
            .filter(|&row| own(&changed)[row] != own(&frame)[row])
            .collect();
        assert_eq!(recorded, differing);
    }
    assert!(frame.demotions().is_empty(), "the frame is not changed");
    let twice = frame
        .demote(&all, Preferred, "demote")
        .demote(&all, Optional, "demote");
    let steps: Vec<_> = twice
        .demotions()
        .iter()
        .map(|step| (step.row, step.from, step.to))
        .collect();
    assert_eq!(
        steps,
        [
            (0, Required, Preferred),
            (0, Preferred, Optional),
            (1, Preferred, Optional),
        ]
    );
}

#[test]
fn what_is_quarantined_is_not_packed() {
    let frame = frame([text("a"), text("b")]).quarantine(&[false, true]);
    let pack = packed(&Arc::new(frame), options(None, &approximate()));
    assert_eq!(pack.rows(), [0]);
}

#[test]
fn items_replace_the_rows_of_their_ids_and_the_others_go_behind() {
    let base = frame([named("a", "x"), required("b"), named("c", "z")]).demote(
        &[false, true, false],
        Retention::Optional,
        "demote",
    );
    let made = base.id(1).to_string();
    let new = frame([
        named("C", "z"),
        text("new"),
        scored("X", 5.0),
        named("A", "x"),
    ]);
    let changed = base.with_items(&new).expect("the ids differ");
    assert_eq!(texts(&changed), ["A", "b", "C", "new", "X"]);
    assert_eq!(changed.demotions().len(), 1);
    // A made id names its row, too; the change of what stood there is gone with it.
    let replaced = frame([named("B", &made)]);
    let changed = base.with_items(&replaced).expect("the ids differ");
    assert_eq!(texts(&changed), ["a", "B", "c"]);
    assert!(changed.demotions().is_empty());
    let same = base.with_items(&frame([])).expect("the ids differ");
    assert!(same.same(&base));
}

#[test]
fn equal_rows_merge_into_the_first_which_takes_what_protects() {
    let of = |trust, sensitivity, expires_at, sources: &[&str]| ItemSpec {
        trust,
        sensitivity,
        extra: Extra {
            expires_at,
            sources: sources.iter().map(|&source| source.to_owned()).collect(),
            ..Extra::default()
        },
        ..text("same")
    };
    let frame = frame([
        text("before"),
        ItemSpec {
            score: 1.0,
            priority: 3.0,
            ..of(
                Trust::Trusted,
                Sensitivity::Public,
                Some(9),
                &["kb://1", "kb://2"],
            )
        },
        ItemSpec {
            score: 2.0,
            priority: -1.0,
            ..of(
                Trust::Untrusted,
                Sensitivity::Confidential,
                Some(5),
                &["kb://2", "kb://3"],
            )
        },
        ItemSpec {
            retention: Retention::Preferred,
            ..of(Trust::Trusted, Sensitivity::Internal, None, &[])
        },
    ]);
    let merged = frame.dedupe().expect("no id is given");
    assert_eq!(texts(&merged), ["before", "same"]);
    let kept = merged.item(1).spec();
    assert_eq!(
        (kept.trust, kept.sensitivity),
        (Trust::Untrusted, Sensitivity::Confidential)
    );
    assert_eq!((kept.score, kept.priority), (2.0, 3.0));
    assert_eq!(
        (kept.retention, kept.extra.expires_at),
        (Retention::Preferred, Some(5))
    );
    assert_eq!(kept.extra.sources, ["kb://1", "kb://2", "kb://3"]);
    let recorded: Vec<_> = merged
        .merges()
        .iter()
        .map(|merge| (merge.row, merge.into_row))
        .collect();
    assert_eq!(recorded, [(2, Some(1)), (3, Some(1))]);
}

#[test]
fn what_must_stay_apart_is_not_merged() {
    let cases = [
        (
            "role",
            text("a"),
            ItemSpec {
                role: Role::Assistant,
                ..text("a")
            },
        ),
        (
            "section",
            text("a"),
            ItemSpec {
                section: Some("s".into()),
                ..text("a")
            },
        ),
        (
            "kind",
            text("a"),
            ItemSpec::of(Arc::new(packframe_core::Content::json("a"))),
        ),
        ("later required", text("a"), required("a")),
        (
            "later pinned",
            text("a"),
            ItemSpec {
                pinned: true,
                ..text("a")
            },
        ),
        ("group of the first", grouped("a", "g"), text("a")),
        ("group of the second", text("a"), grouped("a", "g")),
        (
            "messages",
            message(r#"{"role":"user","content":"q"}"#),
            message(r#"{"role":"user","content":"q"}"#),
        ),
        (
            "media type",
            bytes(b"a"),
            ItemSpec::of(Arc::new(packframe_core::Content::binary(
                b"a".to_vec(),
                "image/gif".to_owned(),
            ))),
        ),
    ];
    for (name, first, second) in cases {
        let merged = frame([first, second]).dedupe().expect("no id is given");
        assert_eq!((merged.len(), merged.merges().len()), (2, 0), "{name}");
    }
    let into_required = frame([required("a"), text("a")])
        .dedupe()
        .expect("no id is given");
    assert_eq!(into_required.len(), 1);
}

#[test]
fn a_merge_is_named_as_the_packed_frame_has_it() {
    let frame = frame([text("a"), text("a"), text("b"), text("b")])
        .dedupe()
        .expect("no id is given");
    let pack = packed(
        &Arc::new(frame.take(&[1]).expect("no id is given")),
        options(9, &approximate()),
    );
    let merged: Vec<_> = pack
        .manifest()
        .document()
        .merged
        .iter()
        .map(|merge| (merge.row, merge.into_row, merge.into_id.to_string()))
        .collect();
    assert_eq!(
        merged,
        [
            (1, None, format!("{}-1", digits("a"))),
            (3, Some(0), format!("{}-1", digits("b"))),
        ]
    );
}

//! What the boundary, the policies and the rendering let in.

use std::sync::Arc;

use packframe_core::{
    Boundary, Document, Error, ErrorKind, Extra, Frame, ItemSpec, PackOptions, Policy, Retention,
    Sensitivity, Trust, pack,
};

use crate::support::{
    Refuses, assert_partitioned, byte_profile, bytes, frame, options, packed, reasons, required,
    selected, text,
};

const NOW: i64 = 1_000_000;

fn expiring(at: i64, spec: ItemSpec) -> ItemSpec {
    let expires_at = Some(at);
    ItemSpec {
        extra: Extra {
            expires_at,
            ..spec.extra
        },
        ..spec
    }
}

fn quarantined(spec: ItemSpec) -> ItemSpec {
    ItemSpec {
        trust: Trust::Quarantined,
        ..spec
    }
}

fn restricted(spec: ItemSpec) -> ItemSpec {
    ItemSpec {
        sensitivity: Sensitivity::Restricted,
        ..spec
    }
}

fn sourced(spec: ItemSpec) -> ItemSpec {
    ItemSpec {
        extra: Extra {
            sources: vec!["kb://1".to_owned()],
            ..spec.extra
        },
        ..spec
    }
}

fn in_group(spec: ItemSpec) -> ItemSpec {
    ItemSpec {
        group: Some("g".into()),
        ..spec
    }
}

fn strict() -> PackOptions {
    PackOptions {
        boundary: Boundary::external("openai", true),
        now: Some(NOW),
        policies: vec![
            Arc::new(Refuses("first", |frame: &Frame, row| {
                let shown = frame.content(row).rendered().unwrap_or("");
                shown.contains('x').then(|| "has an x".to_owned())
            })),
            Arc::new(Refuses("second", |_: &Frame, _| Some("all".to_owned()))),
        ],
        ..options(100, &byte_profile())
    }
}

#[test]
fn the_first_rule_that_hits_decides() {
    let all = |content: &str| quarantined(restricted(expiring(NOW, text(content))));
    let frame = frame([
        all("x"),
        expiring(NOW + 1, quarantined(restricted(text("x")))),
        restricted(text("x")),
        text("x"),
        sourced(text("x")),
        sourced(text("a")),
    ]);
    let pack = packed(&frame, strict());
    let document = pack.manifest().document();
    assert_eq!(
        reasons(document),
        [
            (0, "expired"),
            (1, "quarantined"),
            (2, "restricted"),
            (3, "missing_provenance"),
            (4, "policy:first"),
            (5, "policy:second"),
        ]
    );
    let rules: Vec<Option<&str>> = document
        .excluded
        .iter()
        .map(|record| record.rule.as_deref())
        .collect();
    assert_eq!(
        rules,
        [None, None, None, None, Some("has an x"), Some("all")]
    );
    assert_eq!(document.policies, ["first", "second"]);
    assert_eq!(pack.total_tokens(), 0);
}

#[test]
fn a_policy_is_asked_only_about_rows_that_are_still_in() {
    struct Asked(std::sync::Mutex<Vec<Vec<usize>>>);
    impl Policy for Asked {
        fn id(&self) -> &'static str {
            "asked"
        }
        fn evaluate(
            &self,
            _: &Frame,
            rows: &[usize],
            boundary: &Boundary,
        ) -> Result<Vec<Option<String>>, Error> {
            assert_eq!(boundary.to_string(), "internal:application");
            self.0.lock().expect("no thread panics").push(rows.to_vec());
            Ok(vec![None; rows.len()])
        }
    }
    let asked = Arc::new(Asked(std::sync::Mutex::default()));
    let refuse: Arc<dyn Policy> = Arc::new(Refuses("odd", |_: &Frame, row| {
        (row % 2 == 1).then(|| "odd".to_owned())
    }));
    let options = PackOptions {
        policies: vec![Arc::clone(&asked) as _, refuse, Arc::clone(&asked) as _],
        ..options(100, &byte_profile())
    };
    let frame = frame([
        text("a"),
        text("b"),
        quarantined(text("c")),
        text("d"),
        text("e"),
    ]);
    packed(&frame, options);
    let asked = asked.0.lock().expect("no thread panics");
    assert_eq!(*asked, [vec![0, 1, 3, 4], vec![0, 4]]);
}

#[test]
fn an_internal_boundary_admits_restricted_and_unsourced_items() {
    let frame = frame([restricted(text("a")), text("b")]);
    assert!(packed(&frame, options(9, &byte_profile())).complete());
}

#[test]
fn without_a_time_nothing_expires() {
    let frame = frame([expiring(0, text("a"))]);
    assert!(frame.expires());
    assert!(packed(&frame, options(9, &byte_profile())).complete());
}

#[test]
fn an_offender_takes_its_group_along_and_each_offender_has_its_own_reason() {
    let frame = frame([
        in_group(text("a")),
        in_group(quarantined(text("b"))),
        in_group(expiring(NOW, text("c"))),
        text("d"),
    ]);
    let options = PackOptions {
        now: Some(NOW),
        ..options(100, &byte_profile())
    };
    let pack = packed(&frame, options);
    assert_eq!(
        reasons(pack.manifest().document()),
        [(0, "group_incomplete"), (1, "quarantined"), (2, "expired"),]
    );
    assert_eq!(pack.rows(), [3]);
}

#[test]
fn all_required_violations_are_listed_with_a_manifest_of_every_row() {
    let frame = frame([
        quarantined(text("optional")),
        required("fine"),
        quarantined(required("one")),
        in_group(text("offender of a required group: x")),
        in_group(required("member")),
        text("undecided"),
        ItemSpec {
            pinned: true,
            ..restricted(text("two"))
        },
    ]);
    let options = PackOptions {
        boundary: Boundary::external("openai", false),
        ..PackOptions {
            policies: vec![strict().policies[0].clone()],
            ..options(100, &byte_profile())
        }
    };
    let error = pack(&frame, options).expect_err("required rows are refused");
    let ErrorKind::PolicyViolation {
        violations,
        boundary,
        partial_manifest,
    } = error.kind()
    else {
        panic!("{error:?}");
    };
    assert_eq!(boundary, "external:openai");
    let found: Vec<_> = violations
        .iter()
        .map(|violation| {
            (
                violation.row.expect("a row of the frame"),
                violation.reason.as_str(),
                violation.rule.as_deref(),
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            (2, "quarantined", None),
            (3, "policy:first", Some("has an x")),
            (6, "restricted", None),
        ]
    );
    let document: &Document = partial_manifest.document();
    assert_partitioned(document, 7);
    assert!(selected(document).is_empty());
    assert_eq!(
        reasons(document),
        [
            (0, "quarantined"),
            (1, "not_evaluated"),
            (2, "quarantined"),
            (3, "policy:first"),
            (4, "not_evaluated"),
            (5, "not_evaluated"),
            (6, "restricted"),
        ]
    );
}

#[test]
fn a_policy_that_fails_is_an_error_never_a_pass() {
    struct Fails;
    impl Policy for Fails {
        fn id(&self) -> &'static str {
            "fails"
        }
        fn evaluate(
            &self,
            _: &Frame,
            rows: &[usize],
            _: &Boundary,
        ) -> Result<Vec<Option<String>>, Error> {
            Err(Error::policy(
                "fails",
                Some(rows[0]),
                "it broke".to_owned(),
                None,
            ))
        }
    }
    let options = PackOptions {
        policies: vec![Arc::new(Fails)],
        ..options(9, &byte_profile())
    };
    let error = pack(&frame([text("a")]), options).expect_err("the policy fails");
    let ErrorKind::Policy(fault) = error.kind() else {
        panic!("{error:?}");
    };
    assert_eq!((fault.which.as_str(), fault.row), ("fails", Some(0)));
}

#[test]
fn a_policy_that_does_not_answer_for_each_row_is_an_error_never_a_pass() {
    struct Silent;
    impl Policy for Silent {
        fn id(&self) -> &'static str {
            "silent"
        }
        fn evaluate(
            &self,
            _: &Frame,
            _: &[usize],
            _: &Boundary,
        ) -> Result<Vec<Option<String>>, Error> {
            Ok(Vec::new())
        }
    }
    let options = PackOptions {
        policies: vec![Arc::new(Silent)],
        ..options(9, &byte_profile())
    };
    let error = pack(&frame([text("a")]), options).expect_err("the policy says nothing");
    assert!(matches!(error.kind(), ErrorKind::Policy(fault) if fault.which == "silent"));
}

#[test]
fn a_required_content_that_cannot_be_shown_is_an_error_naming_its_row() {
    for spec in [
        ItemSpec {
            retention: Retention::Required,
            ..bytes(b"\x89PNG")
        },
        ItemSpec {
            pinned: true,
            ..bytes(b"\x89PNG")
        },
    ] {
        let error = pack(&frame([text("a"), spec]), options(None, &byte_profile()))
            .expect_err("bytes are no text");
        match error.kind() {
            ErrorKind::UnsupportedContent {
                row,
                kind,
                renderer,
                ..
            } => assert_eq!((*row, *kind, *renderer), (1, "binary", "text")),
            other => panic!("{other:?}"),
        }
    }
}

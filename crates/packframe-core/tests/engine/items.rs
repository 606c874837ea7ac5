//! Items and contents: what is refused, what is equal.

use packframe_core::{
    Accuracy, Alternative, Content, ErrorKind, Extra, Item, ItemSpec, Render, Retention, Role,
    Sensitivity, Trust, hex,
};

use crate::support::{bytes, item, message, text};

fn extra(extra: Extra) -> ItemSpec {
    ItemSpec { extra, ..text("") }
}

fn replaced_by(short: &str, value: f64) -> ItemSpec {
    extra(Extra {
        alternatives: vec![Alternative {
            value,
            ..Alternative::at(0, text(short).content)
        }],
        ..Extra::default()
    })
}

#[test]
fn names_are_required_once_and_values_are_halved() {
    let twice = ["b", "a", "b", "a"].map(Into::into).to_vec();
    let made = item(extra(Extra {
        requires: twice,
        ..Extra::default()
    }));
    let names: Vec<&str> = made.extra().map_or_else(Vec::new, |extra| {
        extra.requires.iter().map(|id| &**id).collect()
    });
    assert_eq!(names, ["b", "a"]);
    let values: Vec<f64> = [0, 1, 2, 2000]
        .into_iter()
        .map(|place| Alternative::at(place, text("x").content).value)
        .collect();
    assert_eq!(values, [0.5, 0.25, 0.125, 0.0]);
    assert!(item(replaced_by("a", 0.5)).same(&item(replaced_by("a", 0.5))));
    assert!(!item(replaced_by("a", 0.5)).same(&item(replaced_by("a", 0.25))));
    assert!(!item(replaced_by("a", 0.5)).same(&item(replaced_by("b", 0.5))));
    assert!(item(replaced_by("a", 0.0)).same(&item(replaced_by("a", -0.0))));
}

#[test]
fn a_field_out_of_range_is_named() {
    let cases = [
        (
            "score",
            ItemSpec {
                score: f64::NAN,
                ..text("")
            },
        ),
        (
            "score",
            ItemSpec {
                score: f64::INFINITY,
                ..text("")
            },
        ),
        (
            "priority",
            ItemSpec {
                priority: f64::NEG_INFINITY,
                ..text("")
            },
        ),
        (
            "id",
            ItemSpec {
                id: Some("".into()),
                ..text("")
            },
        ),
        (
            "section",
            ItemSpec {
                section: Some("".into()),
                ..text("")
            },
        ),
        (
            "group",
            ItemSpec {
                group: Some("".into()),
                ..text("")
            },
        ),
        (
            "sources",
            extra(Extra {
                sources: vec!["a".to_owned(), String::new()],
                ..Extra::default()
            }),
        ),
        (
            "requires",
            extra(Extra {
                requires: vec!["a".into(), "".into()],
                ..Extra::default()
            }),
        ),
        (
            "exclusive",
            extra(Extra {
                exclusive: Some("".into()),
                ..Extra::default()
            }),
        ),
        (
            "cut_to",
            extra(Extra {
                cut_to: Some(0),
                ..Extra::default()
            }),
        ),
        ("alternatives", replaced_by("short", f64::NAN)),
        ("alternatives", replaced_by("short", -0.1)),
        ("alternatives", replaced_by("short", 1.1)),
        (
            "role",
            ItemSpec {
                role: Role::Assistant,
                ..message(r#"{"role":"user","content":"q"}"#)
            },
        ),
    ];
    for (expected, spec) in cases {
        let error = Item::new(spec).expect_err("a field is out of range");
        match error.clone().at_row(7).kind() {
            ErrorKind::InvalidItem {
                row,
                field,
                suggestion,
                ..
            } => {
                assert_eq!((field.as_str(), *row), (expected, Some(7)));
                assert!(suggestion.is_some());
            }
            other => panic!("{other:?}"),
        }
    }
    let no_uri = Content::reference(String::new(), None, None).expect_err("it is empty");
    assert!(matches!(no_uri.kind(), ErrorKind::InvalidItem { field, .. } if field == "content"));
}

#[test]
fn an_item_is_equal_to_what_is_made_of_its_parts() {
    let full = item(ItemSpec {
        id: Some("id".into()),
        role: Role::Developer,
        retention: Retention::Required,
        score: -0.0,
        priority: 2.5,
        section: Some("s".into()),
        group: Some("g".into()),
        pinned: true,
        trust: Trust::Quarantined,
        sensitivity: Sensitivity::Internal,
        extra: Extra {
            created_at: Some(1),
            expires_at: Some(2),
            sources: vec!["kb".to_owned()],
            metadata: Some("{}".to_owned()),
            requires: vec!["a".into(), "b".into()],
            exclusive: Some("key".into()),
            alternatives: vec![Alternative::at(0, bytes(b"x").content)],
            cut_to: Some(3),
        },
        ..text("content")
    });
    assert!(full.same(&item(full.spec())));
    assert_eq!(full.score().to_bits(), 0, "zeros are one");
    assert!(!full.same(&item(ItemSpec {
        pinned: false,
        ..full.spec()
    })));
    assert!(!full.same(&item(ItemSpec {
        extra: Extra::default(),
        ..full.spec()
    })));
}

#[test]
fn contents_of_two_kinds_are_never_equal() {
    let reference = |digest: Option<&str>| {
        Content::reference("a".to_owned(), digest.map(str::to_owned), None).expect("it is a URI")
    };
    let contents = [
        Content::text("a"),
        Content::json("a"),
        reference(None),
        reference(Some("d")),
        Content::binary(b"a".to_vec(), "x/a".to_owned()),
        Content::binary(b"a".to_vec(), "x/b".to_owned()),
        Content::text("b"),
    ];
    for (i, a) in contents.iter().enumerate() {
        for (j, b) in contents.iter().enumerate() {
            assert_eq!(a.same(b), i == j, "{} and {}", a.kind(), b.kind());
        }
    }
}

#[test]
fn a_hash_is_the_sha_256_of_what_is_stored() {
    // From the standard: FIPS 180-2, "abc".
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(hex(Content::text("abc").hash()), abc);
    assert_eq!(hex(Content::json("abc").hash()), abc);
    assert_eq!(hex(bytes(b"abc").content.hash()), abc);
    let uri = Content::reference("abc".to_owned(), None, Some(1)).expect("it is a URI");
    assert_eq!(hex(uri.hash()), abc);
}

#[test]
fn words_are_read_as_they_are_written_and_others_get_the_nearest() {
    assert!(
        Role::ALL
            .iter()
            .all(|word| Role::parse(word.as_str()).is_ok_and(|read| read == *word))
    );
    assert!(
        Render::ALL
            .iter()
            .all(|word| Render::parse(&word.to_string()).is_ok())
    );
    assert_eq!(
        Accuracy::Exact.weakest(Accuracy::Calibrated),
        Accuracy::Calibrated
    );
    for (word, expected) in [("requird", "required"), ("Optional", "optional")] {
        let error = Retention::parse(word).expect_err("there is no such word");
        match error.kind() {
            ErrorKind::InvalidItem {
                field, suggestion, ..
            } => {
                assert_eq!(
                    (field.as_str(), suggestion.as_deref()),
                    ("retention", Some(expected))
                );
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn the_longest_and_the_oddest_texts_are_items() {
    for odd in ["", "\0", "\u{feff}", "\u{10ffff}", "\r\n", "a\u{301}"] {
        assert_eq!(item(text(odd)).content().rendered(), Some(odd));
    }
}

//! Sections as data.

use packframe_core::{DropRule, ErrorKind, Section};

use crate::support::{item, text};

#[test]
fn a_field_out_of_range_is_named_with_its_section() {
    let section = || Section::new("docs");
    let cases = [
        ("name", Section::new("")),
        (
            "drop",
            Section {
                strategy: Some("".into()),
                ..section()
            },
        ),
        (
            "priority",
            Section {
                priority: f64::NAN,
                ..section()
            },
        ),
        (
            "min_tokens",
            Section {
                min_tokens: u64::MAX,
                ..section()
            },
        ),
        (
            "max_tokens",
            Section {
                max_tokens: Some(1 << 63),
                ..section()
            },
        ),
        (
            "max_share",
            Section {
                max_share: Some(1.5),
                ..section()
            },
        ),
        (
            "min_tokens",
            Section {
                min_tokens: 2,
                max_tokens: Some(1),
                ..section()
            },
        ),
    ];
    for (expected, section) in cases {
        let error = section.check().expect_err("a field is out of range");
        let named = match error.kind() {
            ErrorKind::InvalidOption {
                option, suggestion, ..
            } => (option.as_str(), suggestion.is_some()),
            other => panic!("{other:?}"),
        };
        assert_eq!(named, (expected, true));
    }
    assert!(section().check().is_ok());
}

#[test]
fn a_rule_has_one_name_and_other_names_have_no_rule() {
    for rule in DropRule::ALL {
        assert_eq!(DropRule::named(rule.as_str()), Some(*rule));
    }
    assert_eq!(DropRule::named("Truncate"), None);
    let cutting: Vec<_> = DropRule::ALL.iter().filter(|rule| rule.cuts()).collect();
    assert_eq!(cutting, [&DropRule::Truncate, &DropRule::CutThenStop]);
}

#[test]
fn items_take_the_name_of_their_section() {
    let section = Section::new("docs");
    let plain = item(text("a"));
    let own = section.item(&plain).expect("it names no section");
    assert_eq!(own.section(), Some("docs"));
    assert!(section.item(&own).expect("it names this one").same(&own));
    assert!(Section::new("other").item(&own).is_err());
    let bare = section
        .bare_item(text("a").content)
        .expect("a content is enough");
    assert_eq!(bare.extra().and_then(|extra| extra.cut_to), Some(1));
}

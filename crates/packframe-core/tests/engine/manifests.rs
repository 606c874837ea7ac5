//! The record of a pack: what is in it, how it is stored, what is refused when it is read.

use std::fmt;
use std::sync::Arc;

use packframe_core::{
    Accuracy, Boundary, Content, Document, Error, ErrorKind, ItemSpec, Key, Manifest, Margin, Pack,
    PackOptions, Render, Retention, hex, reason_remedy, reason_sentence,
};
use packframe_tokens::{Tokenizer, TokenizerError};
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use crate::support::{
    Random, Refuses, approximate, byte_profile, bytes, frame, grouped, named, openai, options,
    packed, profile, required, scored, selected, text,
};

/// A pack with something of everything: refused, merged, demoted, grouped, in and out.
fn rich(render: Render) -> Pack {
    let frame = frame([
        named("You are kind.", "system"),
        ItemSpec {
            section: Some("kb".into()),
            ..scored("A passage that is in.", 2.0)
        },
        text("Twice."),
        text("Twice."),
        grouped("One of two.", "g"),
        grouped("Two of two.", "g"),
        bytes(b"image"),
        scored(
            "A long passage that is not in, as there is no room for so much.",
            -1.0,
        ),
        text("refused: \u{1f600} \" \\ \n"),
    ])
    .dedupe()
    .expect("the ids differ")
    .promote(
        &[true, false, false, false, false, false, false, false],
        Retention::Required,
    );
    packed(
        &Arc::new(frame),
        PackOptions {
            render: Some(render),
            reserve: 5,
            margin: Margin::Fraction(0.1),
            separator: "\n\n".to_owned(),
            labels: true,
            boundary: Boundary::external("openai", false),
            policies: vec![Arc::new(Refuses(
                "words",
                |frame: &packframe_core::Frame, row| {
                    let shown = frame.content(row).rendered().unwrap_or("");
                    shown
                        .starts_with("refused")
                        .then(|| "it says so, \"ü\"".to_owned())
                },
            ))],
            now: Some(1_500_000),
            ..options(60, &openai("o200k_base"))
        },
    )
}

/// Any JSON whose keys are sorted at every level; anything else is an error.
struct Sorted;

impl<'de> Deserialize<'de> for Sorted {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SortedVisitor)
    }
}

struct SortedVisitor;

impl<'de> Visitor<'de> for SortedVisitor {
    type Value = Sorted;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON without floats")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Sorted, E> {
        Ok(Sorted)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Sorted, E> {
        Ok(Sorted)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Sorted, E> {
        Ok(Sorted)
    }

    fn visit_str<E>(self, _: &str) -> Result<Sorted, E> {
        Ok(Sorted)
    }

    fn visit_unit<E>(self) -> Result<Sorted, E> {
        Ok(Sorted)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Sorted, A::Error> {
        while list.next_element::<Sorted>()?.is_some() {}
        Ok(Sorted)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Sorted, A::Error> {
        let mut last: Option<String> = None;
        while let Some((key, _)) = map.next_entry::<String, Sorted>()? {
            if last.as_ref().is_some_and(|last| *last >= key) {
                return Err(serde::de::Error::custom(format!("{key} is not in order")));
            }
            last = Some(key);
        }
        Ok(Sorted)
    }
}

#[test]
fn the_json_is_canonical() {
    for render in [Render::Text, Render::Messages] {
        let json = rich(render).manifest().to_json();
        serde_json::from_str::<Sorted>(&json).expect("keys are sorted at every level");
        serde_json::from_str::<IgnoredAny>(&json).expect("it is JSON");
        let value: Value = serde_json::from_str(&json).expect("it is JSON");
        assert_eq!(
            value.to_string(),
            json,
            "there is no white space, and text is UTF-8"
        );
        assert!(json.contains("it says so, \\\"ü\\\""));
    }
}

#[test]
fn the_id_is_the_hash_of_the_rest() {
    let json = rich(Render::Text).manifest().to_json();
    let mut value: Value = serde_json::from_str(&json).expect("it is JSON");
    let id = value
        .as_object_mut()
        .and_then(|fields| fields.remove("manifest_id"))
        .expect("there is an id");
    assert_eq!(id, hex(Content::text(value.to_string()).hash()));
}

#[test]
fn a_stored_manifest_is_read_again() {
    for render in [Render::Text, Render::Messages] {
        let manifest = rich(render).manifest().clone();
        let json = manifest.to_json();
        let read = Manifest::from_json(&json).expect("it was written here");
        assert_eq!(read, manifest);
        assert_eq!(read.to_json(), json);
        let mut value: Value = serde_json::from_str(&json).expect("it is JSON");
        if let Value::Object(fields) = &mut value {
            let reversed: Vec<_> = std::mem::take(fields).into_iter().rev().collect();
            let shown: Vec<String> = reversed
                .iter()
                .map(|(key, value)| format!(" {} : {value}", Value::from(key.as_str())))
                .collect();
            let shuffled = format!("{{{}}}\n", shown.join(",\n"));
            assert_eq!(
                Manifest::from_json(&shuffled).expect("order is nothing"),
                manifest
            );
        }
    }
}

/// Returns each way to change one value of a document.
fn tampered(value: &Value) -> Vec<Value> {
    match value {
        Value::Null => vec![Value::from(1)],
        Value::Bool(value) => vec![Value::from(!value)],
        Value::Number(number) => {
            let number = number.as_i64().expect("the numbers are small");
            vec![
                Value::from(number + 1),
                Value::from(number.to_string()),
                Value::Null,
            ]
        }
        Value::String(text) => vec![Value::from(format!("{text} ")), Value::Null],
        Value::Array(list) => {
            let mut all = vec![Value::Null];
            for (at, inner) in list.iter().enumerate() {
                for changed in tampered(inner) {
                    let mut list = list.clone();
                    list[at] = changed;
                    all.push(list.into());
                }
                let mut shorter = list.clone();
                shorter.remove(at);
                all.push(shorter.into());
                all.push([&list[..], std::slice::from_ref(inner)].concat().into());
            }
            all
        }
        Value::Object(fields) => {
            let mut all = vec![Value::Null];
            for (key, inner) in fields {
                for changed in tampered(inner) {
                    let mut fields = fields.clone();
                    fields.insert(key.clone(), changed);
                    all.push(fields.into());
                }
                let mut fewer = fields.clone();
                fewer.remove(key);
                all.push(fewer.into());
            }
            let mut more = fields.clone();
            more.insert("more".to_owned(), Value::Null);
            all.push(more.into());
            all
        }
    }
}

#[test]
fn any_change_of_a_stored_manifest_is_found() {
    let json = rich(Render::Text).manifest().to_json();
    let value: Value = serde_json::from_str(&json).expect("it is JSON");
    let changes = tampered(&value);
    assert!(changes.len() > 300);
    for changed in changes {
        let error = Manifest::from_json(&changed.to_string()).expect_err("it was changed");
        let version = changed.get("schema_version");
        match error.kind() {
            ErrorKind::ManifestCorrupt { differences } => assert!(!differences.is_empty()),
            ErrorKind::ManifestVersion { .. } => {
                assert_ne!(version, value.get("schema_version"));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn what_is_no_manifest_is_refused() {
    let kind = |json: &str| {
        let error: Error = Manifest::from_json(json).expect_err("it is no manifest");
        matches!(error.kind(), ErrorKind::ManifestVersion { .. })
    };
    for json in [
        "",
        "{",
        "[]",
        "null",
        "{}",
        r#"{"schema_version":1}"#,
        r#"{"schema_version":2}"#,
        r#"{"schema_version":2,"schema_version":2}"#,
        &"[".repeat(100_000),
    ] {
        assert!(!kind(json), "corrupt");
    }
    for version in ["3", "0", "-1", "1e99", "\"1\"", "1.5", "null"] {
        assert!(
            kind(&format!(r#"{{"schema_version":{version}}}"#)),
            "{version}"
        );
    }
}

#[test]
fn parts_sum_to_the_total_and_views_to_the_rows() {
    let mut random = Random::new(11);
    let profiles = [openai("cl100k_base"), approximate()];
    for time in 0..300 {
        let specs: Vec<ItemSpec> = (0..random.below(12))
            .map(|_| ItemSpec {
                section: random.pick(&[None, Some("a"), Some("b")]).map(Into::into),
                role: random.pick(&crate::support::ROLES),
                ..text(&random.hostile(6))
            })
            .collect();
        let pack = packed(
            &frame(specs),
            PackOptions {
                render: Some(random.pick(&[Render::Text, Render::Messages])),
                separator: random.pick(&["", "\n\n", " "]).to_owned(),
                labels: random.one_in(2),
                ..options(3 + random.below(60) as u64, &profiles[time % 2])
            },
        );
        assert_sums(pack.manifest().document());
    }
    for render in [Render::Text, Render::Messages] {
        assert_sums(rich(render).manifest().document());
    }
}

fn assert_sums(document: &Document) {
    let by = &document.tokens_by;
    let parts: i64 = by.part.values().map(|amount| amount.tokens).sum();
    assert_eq!(
        u64::try_from(parts),
        Ok(document.total_tokens),
        "{:?}",
        by.part
    );
    let rows: u64 = document
        .selected
        .iter()
        .filter_map(|record| record.tokens)
        .sum();
    for view in [&by.section, &by.role, &by.retention] {
        let tokens: i64 = view.values().map(|amount| amount.tokens).sum();
        assert_eq!(u64::try_from(tokens), Ok(rows));
    }
    for record in &document.selected {
        let parts = [
            record.content_tokens,
            record.envelope_tokens,
            record.label_tokens,
        ];
        assert_eq!(parts.into_iter().sum::<Option<u64>>(), record.tokens);
    }
}

#[test]
fn a_manifest_says_what_was_asked_and_what_came_of_it() {
    let pack = rich(Render::Text);
    let document = pack.manifest().document();
    assert_eq!(
        (document.budget, document.reserve, document.margin),
        (Some(60), 5, 0)
    );
    assert_eq!(
        (document.accuracy, document.estimated),
        (Accuracy::Exact, false)
    );
    assert_eq!(
        document.now.as_deref(),
        Some("1970-01-01T00:00:01.500000+00:00")
    );
    assert_eq!(
        (
            document.boundary.kind.as_str(),
            document.boundary.target.as_str()
        ),
        ("external", "openai")
    );
    assert_eq!(document.demotions.len(), 1);
    assert_eq!(document.merged.len(), 1);
    let messages = rich(Render::Messages);
    let document = messages.manifest().document();
    assert_eq!((document.margin, document.available), (6, Some(49)));
    assert_eq!(
        (document.accuracy, document.estimated),
        (Accuracy::ExactText, true)
    );
    assert_eq!(
        (document.rendered_bytes, &document.rendered_sha256),
        (None, &None)
    );
}

#[test]
fn a_manifest_holds_no_content() {
    for render in [Render::Text, Render::Messages] {
        let pack = rich(render);
        let (json, table) = (pack.manifest().to_json(), pack.manifest().summary(99));
        for word in [
            "You are kind",
            "passage",
            "Twice",
            "of two",
            "image",
            "refused",
        ] {
            assert!(!json.contains(word) && !table.contains(word), "{word}");
        }
    }
}

#[test]
fn the_fate_of_each_row_is_explained() {
    let pack = rich(Render::Text);
    let manifest = pack.manifest();
    let document = manifest.document();
    let why = manifest.why("system").expect("there is such a row");
    assert_eq!(
        (why.fate, why.reason.as_str(), why.row),
        ("selected", "required", 0)
    );
    for record in &document.excluded {
        let why = manifest.why(&record.id).expect("there is such a row");
        assert_eq!(
            (why.fate, &*why.reason, &why.rule),
            ("excluded", &*record.reason, &record.rule)
        );
        assert!(why.message.contains(reason_sentence(&record.reason)));
        if record.shortfall.is_some_and(|shortfall| shortfall > 0) {
            let shortfall = record.shortfall.expect("it has one").to_string();
            assert!(why.remedy.contains(&shortfall), "{}", why.remedy);
        } else {
            assert_eq!(why.remedy, reason_remedy(&record.reason));
        }
        assert!(!why.remedy.is_empty());
    }
    let why = manifest
        .why(&document.merged[0].id)
        .expect("there is such a row");
    assert_eq!((why.fate, why.reason.as_str()), ("merged", "duplicate"));
    assert_eq!(manifest.why("nobody"), None);
}

#[test]
fn the_table_shows_so_many_rows_and_says_how_many_more() {
    let frame = frame((0..30).map(|row| named("x", &format!("row\n{row}"))));
    let pack = packed(&frame, options(10, &approximate()));
    let table = pack.manifest().summary(5);
    assert!(table.contains("... and 25 more rows"), "{table}");
    assert!(
        table.contains("row\\n4") && !table.contains("row\\n5"),
        "{table}"
    );
    assert!(!pack.manifest().summary(30).contains("more rows"));
}

#[test]
fn what_is_dropped_has_its_place_in_its_section() {
    let in_section = |content: &str, section: &str, score| ItemSpec {
        section: Some(section.into()),
        ..scored(content, score)
    };
    let frame = frame([
        in_section("a", "s", 9.0),
        required("b"),
        in_section("long long long", "s", 0.0),
        scored("long long long", 0.0),
        in_section("long long long", "t", 0.0),
    ]);
    let pack = packed(&frame, options(2, &approximate()));
    assert_eq!(selected(pack.manifest().document()), [0, 1]);
    let dropped: Vec<_> = pack
        .manifest()
        .dropped()
        .into_iter()
        .map(|row| (row.row, row.section, row.index, row.reason))
        .collect();
    let budget = || "budget".to_owned();
    assert_eq!(
        dropped,
        [
            (2, Some("s".to_owned()), 1, budget()),
            (3, None, 1, budget()),
            (4, Some("t".to_owned()), 0, budget()),
        ]
    );
}

/// Has special tokens that start and end alike, one inside another, and an empty one.
struct Special(Vec<&'static str>);

impl Tokenizer for Special {
    fn count(&self, text: &str) -> Result<u64, TokenizerError> {
        Ok(text.len() as u64)
    }

    fn special_tokens(&self) -> Vec<String> {
        self.0.iter().map(|&token| token.to_owned()).collect()
    }
}

fn warned(special: &[&'static str], texts: &[&str], options: &PackOptions) -> Vec<usize> {
    let special = Arc::new(profile("special", Arc::new(Special(special.to_vec()))));
    let options = PackOptions {
        profile: special,
        ..options.clone()
    };
    let pack = packed(&frame(texts.iter().map(|content| text(content))), options);
    let document = pack.manifest().document();
    let codes = document.warnings.iter();
    assert!(
        codes
            .clone()
            .all(|warning| warning.code == "special_token_in_text")
    );
    codes.filter_map(|warning| warning.row).collect()
}

#[test]
fn a_special_token_is_of_the_part_of_the_text_in_which_it_starts() {
    let plain = options(None, &byte_profile());
    let labelled = PackOptions {
        labels: true,
        separator: "|".to_owned(),
        ..plain.clone()
    };
    for (special, texts, expected) in [
        (&["ab"][..], &["ab", "a", "b", "xaby"][..], &[0, 1, 3][..]),
        // Of two at one place the longer, and none inside another.
        (&["ab", "abc", "bc"], &["ab", "c", "bc"], &[0, 2]),
        (&["ab", "bc"], &["a", "bc"], &[0]),
        (&["<|a|>", "<|a"], &["<|", "a|<|a", "<|b"], &[0, 1]),
        (&["<|a|>", "<|b|>"], &["<|a", "|><|b|>", "<|c|>"], &[0, 1]),
        (&["", "x"], &["", "y", ""], &[]),
        (&[], &["ab"], &[]),
        (&["é"], &["", "dé", "\u{301}"], &[1]),
    ] {
        assert_eq!(
            warned(special, texts, &plain),
            expected,
            "{special:?} {texts:?}"
        );
    }
    assert_eq!(warned(&["user"], &["", "b"], &labelled), [0, 1]);
    assert_eq!(warned(&["|u", "b"], &["a", "b", "c"], &labelled), [0, 1]);
    let messages = PackOptions {
        render: Some(Render::Messages),
        ..labelled
    };
    assert_eq!(warned(&["user", "ab"], &["a", "b", "ab"], &messages), [2]);
}

#[test]
fn many_special_tokens_and_texts_full_of_them_take_linear_time() {
    const TOKENS: usize = 2_000;
    let all = "a".repeat(TOKENS);
    let nested: Vec<&'static str> = (1..=TOKENS / 10)
        .map(|length| &*all[..length].to_owned().leak())
        .collect();
    let long = "a".repeat(2_000_000);
    let started = std::time::Instant::now();
    assert_eq!(
        warned(&nested, &[&long, "b"], &options(None, &byte_profile())),
        [0]
    );
    assert!(started.elapsed().as_secs() < 10);
}

/// A pack of one-byte rows in some order.
fn in_order(names: &[usize]) -> Manifest {
    let rows = names.iter().map(|name| named("x", &name.to_string()));
    packed(&frame(rows), options(None, &byte_profile()))
        .manifest()
        .clone()
}

#[test]
fn the_fewest_moves_are_told_of_two_orders() {
    let mut random = Random::new(5);
    for _ in 0..300 {
        let count = 1 + random.below(7);
        let before: Vec<usize> = (0..count).collect();
        let mut after = before.clone();
        for at in (1..count).rev() {
            after.swap(at, random.below(at + 1));
        }
        let diff = in_order(&before).diff(&in_order(&after));
        let moved: Vec<usize> = diff
            .changed
            .iter()
            .map(|record| {
                assert_eq!(record.fields, ["position"]);
                record.id.parse().expect("it is a number")
            })
            .collect();
        let rest: Vec<usize> = after
            .iter()
            .copied()
            .filter(|name| !moved.contains(name))
            .collect();
        assert!(rest.is_sorted(), "{after:?} without {moved:?}");
        // The slow way: the longest of all choices that stay in order.
        let longest = (0..1_usize << count)
            .filter(|chosen| {
                let kept = after.iter().filter(|&&name| chosen >> name & 1 == 1);
                kept.is_sorted()
            })
            .map(|chosen: usize| chosen.count_ones() as usize)
            .max();
        assert_eq!(Some(count - moved.len()), longest, "{after:?}");
        assert_eq!(diff.entered.len() + diff.left.len(), 0);
    }
}

#[test]
fn a_manifest_is_held_against_its_frame_with_and_without_a_key() {
    let key = Key::new("hash_key", b"0123456789abcdef").expect("it is long enough");
    let rows = frame([named("one", "a"), named("two", "b")]);
    for hash_key in [None, Some(key.clone())] {
        let pack = packed(
            &rows,
            PackOptions {
                hash_key: hash_key.clone(),
                ..options(99, &byte_profile())
            },
        );
        let manifest = pack.manifest();
        let text = pack.text().expect("it was made for text");
        let used = hash_key.as_ref();
        manifest
            .verify(&rows, used, Some(&text))
            .expect("it is its frame");
        let other = frame([named("one", "a"), named("too", "b")]);
        let error = manifest
            .verify(&other, used, Some("onetoo"))
            .expect_err("it is another frame");
        let ErrorKind::ManifestMismatch { differences } = error.kind() else {
            panic!("{error:?}");
        };
        assert!(differences[0].starts_with("row 1: content_sha256 is "));
        assert!(differences[1].starts_with("rendered_sha256: "));
        assert_eq!(differences.len(), 2);
        let wrong = if used.is_some() { None } else { Some(&key) };
        let error = manifest
            .verify(&rows, wrong, None)
            .expect_err("the key does not go with the hashes");
        assert!(matches!(error.kind(), ErrorKind::InvalidOption { .. }));
    }
}

#[test]
fn a_signature_is_of_one_key_and_of_the_whole_record() {
    let key = |byte: u8| Key::new("key", &[byte; 32]).expect("it is long enough");
    let manifest = rich(Render::Text).manifest().clone();
    let signed = manifest
        .sign(&key(1))
        .expect("it is of the current version");
    assert!(signed.is_signed_by(&key(1)));
    assert!(!signed.is_signed_by(&key(2)) && !manifest.is_signed_by(&key(1)));
    let read = Manifest::from_json(&signed.to_json()).expect("it was written here");
    assert!(read == signed && read.is_signed_by(&key(1)));
}

//! Sizes and shapes that would hang an engine that is not close to linear.
//!
//! Each case takes about a second with the profile of the tests, 10 MB of one letter a few; one
//! that goes quadratic takes minutes. The limit lies between, so that a busy machine does not
//! fail it.

use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use packframe_core::{
    Error, ErrorKind, Format, Frame, FrameOptions, ItemSpec, PackOptions, Render, Retention,
    TokenProfile, frame_of_messages, pack,
};

use crate::support::{
    approximate, assert_partitioned, byte_profile, exceeded, frame, grouped, item, message, openai,
    options, packed, required, scored, text,
};

const ROWS: usize = 100_000;
const LIMIT: Duration = Duration::from_secs(60);

/// Runs a case, and fails if it takes far too long.
fn timed<T>(name: &str, run: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = run();
    let took = start.elapsed();
    println!("{name}: {took:?}");
    assert!(took < LIMIT, "{name} took {took:?}");
    result
}

/// Packs, makes the manifest, and checks total and partition.
fn pack_and_check(name: &str, frame: &Arc<Frame>, options: PackOptions) -> packframe_core::Pack {
    let profile = Arc::clone(&options.profile);
    timed(name, || {
        let pack = packed(frame, options);
        assert_partitioned(pack.manifest().document(), frame.len());
        if pack.render() == Render::Text {
            let counted = profile.count(&pack.rendered()).expect("it never fails");
            assert_eq!(pack.total_tokens(), counted);
        }
        pack
    })
}

fn whole(profile: &TokenProfile, frame: &Frame, separator: &str) -> u64 {
    let text = packframe_core::text(frame, 0..frame.len(), separator, false);
    profile.count(&text).expect("it never fails")
}

#[expect(
    clippy::cast_precision_loss,
    reason = "rows are few enough for a float"
)]
fn mixed(row: usize, content: &str) -> ItemSpec {
    scored(content, (row * 7_919 % 1_000) as f64)
}

#[test]
fn a_hundred_thousand_rows() {
    let frame = frame((0..ROWS).map(|row| mixed(row, &format!("Row {row} says something."))));
    for profile in [openai("o200k_base"), approximate()] {
        let budget = whole(&profile, &frame, "\n\n") / 2;
        for (render, separator) in [(Render::Text, "\n\n"), (Render::Messages, "")] {
            let options = PackOptions {
                render: Some(render),
                separator: separator.to_owned(),
                ..options(budget, &profile)
            };
            let pack = pack_and_check(profile.id(), &frame, options);
            assert!(!pack.complete());
        }
    }
}

#[test]
fn a_hundred_thousand_letters_without_a_separator() {
    for content in ["a", "=", " ", "\n", "文", "\u{301}"] {
        let frame = frame((0..ROWS).map(|row| mixed(row, content)));
        for profile in [openai("cl100k_base"), approximate()] {
            let budget = whole(&profile, &frame, "") / 2;
            pack_and_check(content, &frame, options(budget, &profile));
        }
    }
}

#[test]
fn a_hundred_thousand_empty_texts_among_others() {
    let frame = frame((0..ROWS).map(|row| mixed(row, if row % 2 == 0 { "" } else { "a b c" })));
    for profile in [openai("cl100k_base"), approximate()] {
        for budget in [10, 2_000, whole(&profile, &frame, "") / 2] {
            pack_and_check("empty texts", &frame, options(budget, &profile));
        }
    }
}

#[test]
fn short_texts_without_a_seam_among_a_hundred_thousand_others() {
    let frame = frame((0..20_000).map(|row| {
        if row % 8 == 0 {
            scored("a", 1e6)
        } else {
            mixed(row, "b c d")
        }
    }));
    let profile = openai("cl100k_base");
    for budget in [3_000, whole(&profile, &frame, "") / 2] {
        pack_and_check("no seam", &frame, options(budget, &profile));
    }
}

#[test]
fn ten_megabytes_of_one_letter_among_rows() {
    let letter = "a".repeat(10_000_000);
    let specs = (0..1_000).map(|row| {
        if row == 500 {
            scored(&letter, 5e5)
        } else {
            mixed(row, "A short text.")
        }
    });
    let frame = frame(specs);
    let profile = openai("o200k_base");
    for budget in [None, Some(3_000)] {
        let options = PackOptions {
            separator: "\n".to_owned(),
            ..options(budget, &profile)
        };
        let pack = timed("10 MB", || packed(&frame, options));
        assert_eq!(pack.rows().contains(&500), budget.is_none());
    }
}

#[test]
fn groups_of_a_hundred_thousand_members() {
    let frame = frame((0..ROWS).map(|row| grouped("One of many.", ["g", "h"][row % 2])));
    let profile = openai("o200k_base");
    let all = whole(&profile, &frame, "\n");
    for budget in [all, all * 3 / 4, all / 4] {
        let options = PackOptions {
            separator: "\n".to_owned(),
            ..options(budget, &profile)
        };
        pack_and_check("group", &frame, options);
    }
    let required = Frame::from_items(&[item(ItemSpec {
        retention: Retention::Required,
        ..grouped("This one must stay.", "g")
    })])
    .and_then(|first| first.concat(&frame))
    .map(Arc::new)
    .expect("ids are made");
    pack_and_check("required group", &required, options(all, &profile));
}

#[test]
fn a_hundred_thousand_required_rows_that_do_not_fit() {
    let frame = frame((0..ROWS).map(|_| required("a")));
    let numbers = timed("over", || {
        let numbers = exceeded(&frame, options(ROWS as u64 - 1, &byte_profile()));
        assert_partitioned(numbers.partial_manifest.document(), ROWS);
        numbers
    });
    assert_eq!(numbers.exceeded_at, Some(ROWS - 1));
}

/// A call and its result, tied to the step before and the one behind by name.
#[test]
fn ten_thousand_chained_ties() {
    let steps = 10_000;
    let in_group = |json: String, group: usize| ItemSpec {
        group: Some(format!("g{group}").into()),
        ..message(&json)
    };
    let frame = frame((0..steps).flat_map(|step| {
        [
            in_group(call(&[step]), step),
            in_group(result(step), step + 1),
        ]
    }));
    let pack = pack_and_check("chain", &frame, options(None, &approximate()));
    let groups = &pack.manifest().document().groups;
    assert_eq!((groups.len(), groups[0].rows.len()), (1, 2 * steps));
    assert_eq!(groups[0].kind, "mixed");
}

fn history(messages: &[String]) -> Result<Frame, Error> {
    frame_of_messages(messages, Format::OpenAiChat, &FrameOptions::default())
}

#[test]
fn one_message_with_fifty_thousand_calls() {
    let calls: Vec<usize> = (0..50_000).collect();
    let mut messages = vec![call(&calls)];
    messages.extend(calls.iter().rev().map(|&id| result(id)));
    let frame = timed("calls", || history(&messages)).expect("each call has its result");
    assert!((0..frame.len()).all(|row| frame.retention(row) == Retention::Required));
    let frame = Arc::new(frame);
    assert!(pack_and_check("calls", &frame, options(None, &approximate())).complete());
}

fn call(ids: &[usize]) -> String {
    let mut calls = String::new();
    for id in ids {
        let comma = if calls.is_empty() { "" } else { "," };
        let _ = write!(
            calls,
            r#"{comma}{{"id":"c{id}","type":"function","function":{{"name":"f","arguments":"{{}}"}}}}"#
        );
    }
    format!(r#"{{"role":"assistant","content":null,"tool_calls":[{calls}]}}"#)
}

fn result(id: usize) -> String {
    format!(r#"{{"role":"tool","tool_call_id":"c{id}","content":"ok"}}"#)
}

#[test]
fn a_hundred_thousand_equal_texts_have_ids_and_merge() {
    let frame = frame((0..ROWS).map(|_| text("same")));
    let merged = timed("dedupe", || frame.dedupe().expect("ids are made"));
    assert_eq!((merged.len(), merged.merges().len()), (1, ROWS - 1));
    assert_eq!(frame.row_of(frame.id(ROWS - 1)), Some(ROWS - 1));
}

#[test]
fn deeply_nested_messages_are_refused_not_followed() {
    let deep = format!(
        r#"{{"role":"user","content":{}{}}}"#,
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    let error = history(&[deep]).expect_err("no content is a list of lists");
    assert!(matches!(error.kind(), ErrorKind::InvalidMessages { .. }));
    let error = pack(&frame([required("a")]), options(0, &approximate())).expect_err("no room");
    assert!(matches!(error.kind(), ErrorKind::BudgetExceeded(_)));
}

//! Frames of messages: the newest that fits, what comes first, and what verbs leave.

use std::sync::Arc;

use packframe_core::{
    ErrorKind, Format, Frame, FrameOptions, Layout, Pack, PackOptions, Render, Retention,
    Selection, frame_of_messages, pack,
};

use crate::support::{byte_profile, frame, options, packed, text};

fn said(role: &str, content: &str) -> String {
    format!(r#"{{"role":"{role}","content":"{content}"}}"#)
}

fn history(format: Format, messages: &[(&str, &str)]) -> Frame {
    let messages: Vec<String> = messages
        .iter()
        .map(|(role, content)| said(role, content))
        .collect();
    frame_of_messages(&messages, format, &FrameOptions::default()).expect("a provider takes them")
}

fn newest(frame: Frame, budget: u64) -> Pack {
    packed(&Arc::new(frame), usual(budget))
}

/// With one token a byte of what is said.
fn usual(budget: u64) -> PackOptions {
    PackOptions {
        render: Some(Render::Messages),
        selection: Selection::Usual,
        ..options(Some(budget), &byte_profile())
    }
}

fn reasons(pack: &Pack) -> Vec<(usize, String)> {
    let excluded = pack.manifest().document().excluded.iter();
    excluded
        .map(|record| (record.row, record.reason.to_string()))
        .collect()
}

const TALK: [(&str, &str); 4] = [
    ("user", "a"),
    ("assistant", "bbbbbbbbb"),
    ("assistant", "c"),
    ("user", "d"),
];

#[test]
fn the_first_that_does_not_fit_ends_the_history() {
    let made = newest(history(Format::OpenAiChat, &TALK), 5);
    assert_eq!(made.rows(), [2, 3]);
    assert_eq!(
        reasons(&made),
        [(0, "older_than_cut".to_owned()), (1, "budget".to_owned())]
    );
    let by_score = PackOptions {
        selection: Selection::Greedy,
        ..usual(5)
    };
    let frame = Arc::new(history(Format::OpenAiChat, &TALK));
    let made = packed(&frame, by_score);
    assert_eq!(made.rows(), [0, 2, 3]);
}

#[test]
fn what_may_not_come_first_is_left_out_or_led() {
    let made = newest(history(Format::Anthropic, &TALK), 5);
    assert_eq!(made.rows(), [3]);
    assert_eq!(reasons(&made)[2], (2, "leading".to_owned()));
    let ends = history(Format::Anthropic, &TALK[..3]);
    let demoted = ends.demote(&[true, false, false], Retention::Optional, "demote");
    assert_eq!(newest(demoted, 3).rows(), [0, 2]);
    let alone = Arc::new(ends.take(&[1, 2]).expect("no two ids are equal"));
    let error = pack(&alone, usual(99)).expect_err("the model may not begin");
    assert!(
        matches!(error.kind(), ErrorKind::InvalidMessages { problems }
        if problems[0].rule == "first_role" && problems[0].position == 1)
    );
}

#[test]
fn plain_items_choose_before_the_messages_and_keep_their_places() {
    let plain = frame([text("x"), text("yyyyyyyyyyyy")]);
    let both = plain
        .concat(&history(Format::OpenAiChat, &TALK))
        .expect("no two ids are equal");
    let made = newest(both.clone(), 3);
    assert_eq!(made.rows(), [0, 4, 5]);
    let stable = PackOptions {
        layout: Layout::Stable,
        ..usual(99)
    };
    assert_eq!(packed(&Arc::new(both), stable).rows(), [0, 1, 2, 3, 4, 5]);
    let score = PackOptions {
        layout: Layout::Score,
        ..usual(99)
    };
    let talk = Arc::new(history(Format::OpenAiChat, &TALK));
    let error = pack(&talk, score).expect_err("it would be out of order");
    assert!(matches!(error.kind(), ErrorKind::InvalidOption { option, .. } if option == "layout"));
}

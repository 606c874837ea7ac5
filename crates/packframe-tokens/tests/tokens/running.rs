//! Counts of texts that grow, against counting the whole.

use packframe_tokens::{Approximate, Point, Running, Tokenizer};

use crate::opaque::{Failing, Opaque};
use crate::oracle::{Texts, named};

fn each_tokenizer(test: impl Fn(&dyn Tokenizer)) {
    let (o200k, cl100k) = (named("o200k_base"), named("cl100k_base"));
    test(&*o200k);
    test(&*cl100k);
    test(&Approximate);
    test(&Opaque::new(&*o200k));
}

/// Asserts that a running text has the count of the whole.
#[track_caller]
fn assert_same(running: &mut Running, tokenizer: &dyn Tokenizer) {
    let text = running.text().to_owned();
    let whole = tokenizer.count(&text).expect("it never fails");
    let counted = running.count(tokenizer).expect("it never fails");
    assert_eq!(counted, whole, "{text:?}");
}

#[test]
fn a_count_is_that_of_the_whole_after_any_steps() {
    for round in 0..1_500 {
        each_tokenizer(|tokenizer| {
            let mut texts = Texts::new(4_500 + round);
            let mut running = Running::default();
            let mut points: Vec<Point> = Vec::new();
            for _ in 0..24 {
                match texts.below(8) {
                    0 => points.push(running.point()),
                    1 if !points.is_empty() => {
                        let back = texts.below(points.len());
                        running.back_to(points[back]);
                        points.truncate(back + 1);
                    }
                    2 => {
                        // Long enough for what is remembered of a stretch.
                        let part = texts.text(2);
                        running.append(&part.repeat(1 + 900 / part.len().max(1)));
                    }
                    _ => running.append(&texts.text(3)),
                }
                if texts.below(3) > 0 {
                    assert_same(&mut running, tokenizer);
                }
            }
            assert_same(&mut running, tokenizer);
        });
    }
}

#[test]
fn long_stretches_are_counted_character_by_character() {
    each_tokenizer(|tokenizer| {
        for part in [
            "a",
            " ",
            "\n",
            "!",
            "'",
            "/",
            "aA",
            "é",
            "日",
            "\u{301}",
            "~/",
            "\t ",
            "नम",
            "👩‍🚀",
            "!\n",
            "a'",
            "A中",
            "中A",
            "\n ",
            "😀\n/",
        ] {
            let mut running = Running::default();
            for _ in 0..700 {
                running.append(part);
                running.count(tokenizer).expect("it never fails");
            }
            let middle = running.point();
            for tail in ["x", " ", "\n", "Y", "'s", "中", "\u{301}", "1", "/"] {
                running.append(tail);
                assert_same(&mut running, tokenizer);
                running.append(part);
                assert_same(&mut running, tokenizer);
                running.back_to(middle);
                assert_same(&mut running, tokenizer);
            }
        }
    });
}

#[test]
fn every_prefix_of_hostile_runs_is_exact() {
    let mut texts = Texts::new(46);
    let o200k = named("o200k_base");
    let cl100k = named("cl100k_base");
    for tokenizer in [&*o200k as &dyn Tokenizer, &*cl100k] {
        for _ in 0..150 {
            let (a, b) = (texts.any_char(), texts.any_char());
            let mut running = Running::default();
            for step in 0..900 {
                let c = if texts.below(200) == 0 { b } else { a };
                running.append(c.encode_utf8(&mut [0; 4]));
                let counted = running.count(tokenizer).expect("it never fails");
                if step % 60 == 0 || c == b {
                    let whole = tokenizer.count(running.text()).expect("it never fails");
                    assert_eq!(counted, whole, "{:?}", running.text());
                }
            }
        }
    }
}

#[test]
fn an_opaque_tokenizer_counts_only_what_changed() {
    let o200k = named("o200k_base");
    let opaque = Opaque::new(&*o200k);
    let mut running = Running::default();
    running.append("some words");
    for _ in 0..5 {
        assert_eq!(running.count(&opaque).expect("it never fails"), 2);
    }
    let point = running.point();
    running.append("");
    running.count(&opaque).expect("it never fails");
    running.append(" more");
    running.count(&opaque).expect("it never fails");
    running.back_to(point);
    running.count(&opaque).expect("it never fails");
    assert_eq!(opaque.calls(), 2);
}

#[test]
fn a_failed_count_leaves_the_text() {
    let mut running = Running::default();
    running.append("text");
    assert!(running.count(&Failing).is_err());
    assert_eq!(running.text(), "text");
    let o200k = named("o200k_base");
    assert_eq!(running.count(&*o200k).expect("it never fails"), 1);
}

//! What holds for every frame: random ones, against the slow packer and against plain counts.

use std::sync::Arc;

use packframe_core::{
    ErrorKind, Frame, ItemSpec, Pack, PackOptions, Render, Retention, Selection, TokenProfile, pack,
};

use crate::naive::{self, Outcome};
use crate::support::{
    Opaque, ROLES, Random, Sticky, approximate, assert_partitioned, byte_profile, frame,
    framed_profile, openai, options, profile, selected, text,
};

const SEPARATORS: [&str; 8] = ["", " ", "\n", "\n\n", "--- ", "…", "a1_.", "b"];

/// Makes a frame of at most `rows` rows whose texts come from `write`.
fn random_frame(
    random: &mut Random,
    rows: usize,
    write: impl Fn(&mut Random) -> String,
) -> Arc<Frame> {
    let specs: Vec<ItemSpec> = (0..random.below(rows + 1))
        .map(|_| {
            let retention = match random.below(10) {
                0 => Retention::Required,
                1..=3 => Retention::Preferred,
                _ => Retention::Optional,
            };
            ItemSpec {
                role: random.pick(&ROLES),
                retention,
                score: random.pick(&[0.0, -0.0, 1.0, 1.0, 2.5, -3.0, 1e300]),
                priority: random.pick(&[0.0, 0.0, 1.0, -1.0]),
                group: random
                    .pick(&[None, None, None, Some("g"), Some("h")])
                    .map(Into::into),
                pinned: random.one_in(30),
                ..text(&write(random))
            }
        })
        .collect();
    frame(specs)
}

/// Makes options whose budget is anywhere from nothing to more than all.
fn random_options(
    random: &mut Random,
    frame: &Frame,
    profile: &Arc<TokenProfile>,
    render: Render,
) -> PackOptions {
    let separator = random.pick(&SEPARATORS);
    let labels = random.one_in(3);
    let all = packframe_core::text(frame, 0..frame.len(), separator, labels);
    let whole = profile.count(&all).expect("it never fails");
    let most = usize::try_from(whole * 5 / 4 + 8).expect("the texts are small");
    let budget = (!random.one_in(20)).then(|| random.below(most) as u64);
    let reserve = random.pick(&[0, 0, 1, 5]).min(budget.unwrap_or(0));
    PackOptions {
        reserve,
        render: Some(render),
        separator: separator.to_owned(),
        labels,
        ..options(budget, profile)
    }
}

/// Packs, and says what came out as the slow packer does.
fn outcome(frame: &Arc<Frame>, options: PackOptions) -> (Outcome, Option<Pack>) {
    match pack(frame, options) {
        Ok(pack) => {
            let document = pack.manifest().document();
            assert_partitioned(document, frame.len());
            assert_eq!(selected(document), pack.rows());
            let out = document
                .excluded
                .iter()
                .map(|record| {
                    let shortfall = record.shortfall.expect("there is a ceiling");
                    (record.row, (record.reason.to_string(), shortfall))
                })
                .collect();
            let outcome = Outcome::Packed {
                total: pack.total_tokens(),
                rows: pack.rows().to_vec(),
                out,
            };
            (outcome, Some(pack))
        }
        Err(error) => match error.kind() {
            ErrorKind::BudgetExceeded(numbers) => {
                let document = numbers.partial_manifest.document();
                assert_partitioned(document, frame.len());
                let outcome = Outcome::Exceeded {
                    required: numbers.required_tokens,
                    overflow: numbers.overflow_tokens,
                    join: numbers.join_tokens,
                };
                (outcome, None)
            }
            other => panic!("{other:?}"),
        },
    }
}

/// Asserts the ceiling, the exact total and that all required rows are there.
fn assert_promises(frame: &Frame, options: &PackOptions, pack: &Pack) {
    let total = i64::try_from(pack.total_tokens()).expect("the texts are small");
    if let Some(budget) = options.budget {
        let available = i64::try_from(budget - options.reserve).expect("the texts are small");
        assert!(total <= available, "{total} tokens in {available}");
        assert_eq!(pack.remaining_tokens(), Some(available - total));
    } else {
        assert!(pack.complete());
    }
    if options.render == Some(Render::Text) {
        let joined = pack.text().expect("the pack was made for a text");
        let counted = options.profile.count(&joined).expect("it never fails");
        assert_eq!(pack.total_tokens(), counted, "the count of {joined:?}");
    }
    for row in 0..frame.len() {
        assert!(
            frame.retention(row) != Retention::Required || pack.rows().contains(&row),
            "required row {row} is in"
        );
    }
    for record in &pack.manifest().document().excluded {
        if record.reason == "budget" {
            assert!(record.shortfall > Some(0), "{record:?}");
        }
    }
}

fn compare_with_naive(
    random: &mut Random,
    times: usize,
    profile: &Arc<TokenProfile>,
    render: Render,
    write: impl Fn(&mut Random) -> String,
) {
    let (mut full, mut short, mut failed) = (0, 0, 0);
    for time in 0..times {
        let frame = random_frame(random, 12, &write);
        let options = random_options(random, &frame, profile, render);
        let expected = naive::pack(&frame, &options);
        let (actual, pack) = outcome(&frame, options.clone());
        let shown = || {
            let rows: Vec<String> = (0..frame.len())
                .map(|row| format!("{row}: {:?}", frame.item(row).spec()))
                .collect();
            format!(
                "case {time}: budget {:?}, reserve {}, separator {:?}, labels {}, {}\n{}",
                options.budget,
                options.reserve,
                options.separator,
                options.labels,
                profile.id(),
                rows.join("\n"),
            )
        };
        assert_eq!(actual, expected, "{}", shown());
        match pack {
            Some(pack) => {
                assert_promises(&frame, &options, &pack);
                *(if pack.complete() {
                    &mut full
                } else {
                    &mut short
                }) += 1;
            }
            None => failed += 1,
        }
    }
    println!(
        "{}: {full} complete, {short} not, {failed} over",
        profile.id()
    );
    assert!(short > times / 5, "the cases are worth their time");
}

/// Letters that stick at every border.
fn sticky(random: &mut Random) -> String {
    (0..random.below(7))
        .map(|_| random.pick(&['a', 'b', 'a', 'b', 'c', 'é']))
        .collect()
}

fn sticky_profile(unit: u64, seams: bool) -> Arc<TokenProfile> {
    let id = format!("sticky:{unit}:{seams}");
    Arc::new(profile(&id, Arc::new(Sticky { unit, seams })))
}

#[test]
fn texts_are_packed_as_the_slow_packer_does() {
    let mut random = Random::new(1);
    for unit in [1, 3] {
        let profile = sticky_profile(unit, true);
        compare_with_naive(&mut random, 3_000, &profile, Render::Text, sticky);
    }
    let hostile = |random: &mut Random| random.hostile(5);
    compare_with_naive(&mut random, 1_000, &byte_profile(), Render::Text, hostile);
    compare_with_naive(&mut random, 1_500, &approximate(), Render::Text, hostile);
}

#[test]
fn texts_of_an_opaque_tokenizer_are_packed_as_the_slow_packer_does() {
    let mut random = Random::new(2);
    for unit in [1, 3] {
        let profile = sticky_profile(unit, false);
        compare_with_naive(&mut random, 3_000, &profile, Render::Text, sticky);
    }
}

#[test]
fn texts_of_the_encodings_are_packed_as_the_slow_packer_does() {
    let mut random = Random::new(3);
    let hostile = |random: &mut Random| random.hostile(5);
    for name in ["o200k_base", "cl100k_base"] {
        compare_with_naive(&mut random, 1_000, &openai(name), Render::Text, hostile);
    }
}

#[test]
fn messages_are_packed_as_the_slow_packer_does() {
    let mut random = Random::new(4);
    let hostile = |random: &mut Random| random.hostile(5);
    for profile in [
        framed_profile(0, 0),
        framed_profile(7, 4),
        approximate(),
        sticky_profile(3, true),
        sticky_profile(1, false),
        openai("cl100k_base"),
    ] {
        compare_with_naive(&mut random, 800, &profile, Render::Messages, hostile);
    }
}

/// Longer frames, where windows between seams come and go many times, counted the plain way.
#[test]
fn the_count_kept_up_to_date_is_the_count_of_the_whole() {
    let mut random = Random::new(5);
    let profiles = [
        openai("o200k_base"),
        openai("cl100k_base"),
        approximate(),
        sticky_profile(1, true),
    ];
    for _ in 0..150 {
        for profile in &profiles {
            let parts = random.pick(&[1, 4, 20]);
            let frame = random_frame(&mut random, 80, |random| random.hostile(parts));
            let options = random_options(&mut random, &frame, profile, Render::Text);
            let (_, Some(pack)) = outcome(&frame, options.clone()) else {
                continue;
            };
            assert_promises(&frame, &options, &pack);
            assert_shortfalls(&frame, &options, &pack);
        }
    }
}

/// Counts, for each row that is out, the text with its whole group.
fn assert_shortfalls(frame: &Frame, options: &PackOptions, pack: &Pack) {
    let document = pack.manifest().document();
    for record in &document.excluded {
        let mut rows = pack.rows().to_vec();
        match &record.group {
            None => rows.push(record.row),
            group => {
                rows.extend((0..frame.len()).filter(|&row| frame.group(row) == group.as_ref()));
            }
        }
        rows.sort_unstable();
        let whole =
            packframe_core::text(frame, rows.into_iter(), &options.separator, options.labels);
        let counted = options.profile.count(&whole).expect("it never fails");
        let needed = i64::try_from(counted).expect("the texts are small");
        let available = document.available.expect("there is a ceiling");
        assert_eq!(record.shortfall, Some(needed - available), "{record:?}");
    }
}

/// A text with long stretches without a seam is counted whole, at a bounded number of times.
#[test]
fn texts_without_seams_are_counted_whole_and_within_the_bound() {
    let mut random = Random::new(6);
    for _ in 0..40 {
        let long = "a".repeat(4_000 + random.below(300));
        let frame = random_frame(&mut random, 12, |random| {
            if random.one_in(3) {
                long.clone()
            } else {
                random.hostile(4)
            }
        });
        let profile = openai("cl100k_base");
        let options = random_options(&mut random, &frame, &profile, Render::Text);
        if let (_, Some(pack)) = outcome(&frame, options.clone()) {
            assert_promises(&frame, &options, &pack);
        }
    }
}

#[test]
fn the_same_input_gives_the_same_manifest_on_any_number_of_threads() {
    let mut random = Random::new(7);
    let profiles = [
        openai("o200k_base"),
        sticky_profile(3, false),
        approximate(),
    ];
    for seed in 0..60 {
        let profile = &profiles[seed % profiles.len()];
        let mut again = Random::new(1_000 + seed as u64);
        let mut twin = Random::new(1_000 + seed as u64);
        let frame = random_frame(&mut again, 40, |random| random.hostile(6));
        let fresh = random_frame(&mut twin, 40, |random| random.hostile(6));
        let options = random_options(&mut random, &frame, profile, Render::Text);
        let json = |frame: &Arc<Frame>| match pack(frame, options.clone()) {
            Ok(pack) => pack.manifest().to_json(),
            Err(error) => match error.kind() {
                ErrorKind::BudgetExceeded(numbers) => numbers.partial_manifest.to_json(),
                other => panic!("{other:?}"),
            },
        };
        let manifests: Vec<String> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| json(&frame))).collect();
            threads
                .into_iter()
                .map(|thread| thread.join().expect("no thread panics"))
                .collect()
        });
        let warm = json(&frame);
        assert!(manifests.iter().all(|manifest| *manifest == warm));
        assert_eq!(json(&fresh), warm, "counts that were kept change nothing");
    }
}

#[test]
fn recounts_of_an_opaque_tokenizer_are_logarithmic() {
    use std::sync::atomic::Ordering::Relaxed;
    let mut random = Random::new(8);
    for rows in [1, 2, 3, 10, 100, 1_000] {
        for unit in [1, 3] {
            let specs: Vec<ItemSpec> = (0..rows).map(|_| text(&sticky(&mut random))).collect();
            let frame = frame(specs);
            let tokenizer = Opaque::new(Sticky { unit, seams: false });
            let profile = Arc::new(profile("opaque", Arc::clone(&tokenizer) as _));
            for share in [0, 1, 3, 5, 9, 10] {
                let all = packframe_core::text(&frame, 0..rows, "", false);
                let budget = profile.count(&all).expect("it never fails") * share / 10;
                let optimal = Selection::Optimal {
                    effort: None,
                    values: packframe_core::Values::Scores,
                    diversity: None,
                };
                for selection in [Selection::Greedy, optimal] {
                    tokenizer.single.store(0, Relaxed);
                    let options = PackOptions {
                        selection,
                        ..options(budget, &profile)
                    };
                    pack(&frame, options).expect("nothing is required");
                    // The separator is counted once.
                    let recounts = tokenizer.single.load(Relaxed) - 1;
                    let bound = rows.next_power_of_two().ilog2() as usize + 4;
                    assert!(recounts <= bound, "{recounts} recounts of {rows} rows");
                }
                assert!(
                    tokenizer.batches.load(Relaxed) <= 1,
                    "contents are counted once"
                );
            }
        }
    }
}

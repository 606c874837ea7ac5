//! Batches: the same numbers, and the same error, on any number of threads.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};

use packframe_core::{ErrorKind, TokenProfile};
use packframe_tokens::{Seams, Tokenizer, TokenizerError};

use crate::support::{Bytes, Random, approximate, openai, profile};

fn threads(number: usize) -> Option<NonZeroUsize> {
    NonZeroUsize::new(number)
}

/// Texts of all lengths: many empty ones, many short ones, and some far over a thread's share.
fn batch(random: &mut Random) -> Vec<String> {
    (0..random.below(120))
        .map(|_| match random.below(12) {
            0..3 => String::new(),
            3..10 => random.hostile(6),
            10 => random.hostile(40).repeat(random.below(400)),
            // No seam anywhere, under an encoding.
            _ => " ".repeat(random.below(20_000)),
        })
        .collect()
}

/// Starts a thread for each byte, if it may.
struct Eager<T>(T);

impl<T: Tokenizer> Tokenizer for Eager<T> {
    fn count(&self, text: &str) -> Result<u64, TokenizerError> {
        self.0.count(text)
    }

    fn bytes_for_a_thread(&self) -> Option<usize> {
        Some(1)
    }

    fn seams(&self) -> Option<&dyn Seams> {
        self.0.seams()
    }
}

/// Borrows a tokenizer that is shared.
struct Shared(Arc<TokenProfile>);

impl Tokenizer for Shared {
    fn count(&self, text: &str) -> Result<u64, TokenizerError> {
        self.0.tokenizer().count(text)
    }

    fn seams(&self) -> Option<&dyn Seams> {
        self.0.tokenizer().seams()
    }
}

#[test]
fn counts_are_those_of_single_texts_on_any_number_of_threads() {
    let eager = |id, inner| profile(id, Arc::new(Eager(Shared(inner))));
    let profiles = [
        profile("bytes", Arc::new(Eager(Bytes))),
        eager("approximate", approximate()),
        eager("o200k", openai("o200k_base")),
        eager("cl100k", openai("cl100k_base")),
    ];
    let mut random = Random::new(11);
    for _ in 0..10 {
        let texts = batch(&mut random);
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        for profile in &profiles {
            let expected: Vec<u64> = texts
                .iter()
                .map(|text| profile.count(text).expect("these never fail"))
                .collect();
            for number in [0, 1, 2, 3, 64] {
                let counts = profile.count_batch(&texts, threads(number));
                assert_eq!(counts.expect("these never fail"), expected, "{number}");
            }
        }
    }
}

#[test]
fn a_long_text_is_cut_at_seams_only() {
    let unit = "Ein Satz, noch 1 Satz.\r\n  I'll naïve 東京 a1_.";
    let texts = [unit.repeat(9_000), "x".repeat(200_000), String::new()];
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    for profile in [openai("o200k_base"), openai("cl100k_base"), approximate()] {
        let one = profile.count_batch(&texts, threads(1)).expect("no failure");
        let all = profile
            .count_batch(&texts, threads(64))
            .expect("no failure");
        assert_eq!(one, all);
        assert_eq!(all[0], profile.count(texts[0]).expect("no failure"));
    }
}

/// Fails on each text with an `x`, the sooner the later it stands.
struct Failing;

impl Tokenizer for Failing {
    fn count(&self, text: &str) -> Result<u64, TokenizerError> {
        if text.contains('x') {
            return Err(TokenizerError::new("an x"));
        }
        // Long texts take long, so that the threads finish in another order than they began.
        Ok(text.bytes().map(u64::from).sum())
    }

    fn bytes_for_a_thread(&self) -> Option<usize> {
        Some(1)
    }
}

#[test]
fn the_first_text_that_fails_is_named_on_any_number_of_threads() {
    let failing = profile("failing", Arc::new(Failing));
    let mut random = Random::new(12);
    for _ in 0..60 {
        let mut texts: Vec<String> = (0..400).map(|_| "a".repeat(random.below(2_000))).collect();
        for _ in 0..=random.below(20) {
            let at = random.below(texts.len());
            texts[at].insert(0, 'x');
        }
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let first = texts.iter().position(|text| text.starts_with('x'));
        for number in [0, 1, 2, 5] {
            let error = failing
                .count_batch(&texts, threads(number))
                .expect_err("one fails");
            let ErrorKind::Tokenizer(fault) = error.kind() else {
                panic!("{error}");
            };
            assert_eq!((fault.row, fault.message.as_str()), (first, "an x"));
        }
    }
}

/// Writes down which threads counted.
struct Watched {
    bytes: Option<usize>,
    seen: Mutex<Vec<ThreadId>>,
}

impl Tokenizer for Watched {
    fn count(&self, text: &str) -> Result<u64, TokenizerError> {
        let mut seen = self.seen.lock().expect("no thread panics");
        seen.push(thread::current().id());
        Ok(text.len() as u64)
    }

    fn bytes_for_a_thread(&self) -> Option<usize> {
        self.bytes
    }
}

/// Counts 2,000 texts of 1,000 bytes, and returns how many threads did it, and if this one did.
fn watch(bytes: Option<usize>, most: usize) -> (usize, bool) {
    let watched = Arc::new(Watched {
        bytes,
        seen: Mutex::default(),
    });
    let text = "a".repeat(1_000);
    let texts = vec![text.as_str(); 2_000];
    profile("watched", Arc::clone(&watched) as _)
        .count_batch(&texts, threads(most))
        .expect("no failure");
    let seen = watched.seen.lock().expect("no thread panics");
    assert_eq!(seen.len(), texts.len());
    let mut seen = seen.clone();
    let here = seen.contains(&thread::current().id());
    seen.sort_unstable_by_key(|id| format!("{id:?}"));
    seen.dedup();
    (seen.len(), here)
}

#[test]
fn threads_are_started_only_where_they_may_and_pay() {
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    assert_eq!(watch(None, 8), (1, true), "code of the caller's");
    assert_eq!(watch(Some(1), 1), (1, true), "as the caller says");
    assert_eq!(watch(Some(1_500_000), 8), (1, true), "a small batch");
    assert_eq!(
        watch(Some(100_000), 0),
        (1, true),
        "too small to start unasked"
    );
    for most in [0, 2, 3, 64] {
        let most_here = cores.min(if most == 0 { usize::MAX } else { most });
        assert!(watch(Some(1), most).0 <= most_here, "{most}");
    }
}

/// Leaves out the last count of a batch.
struct Short;

impl Tokenizer for Short {
    fn count(&self, text: &str) -> Result<u64, TokenizerError> {
        Ok(text.len() as u64)
    }

    fn count_batch(&self, texts: &[&str]) -> Result<Vec<u64>, TokenizerError> {
        texts[1..].iter().map(|text| self.count(text)).collect()
    }

    fn bytes_for_a_thread(&self) -> Option<usize> {
        Some(1)
    }
}

#[test]
fn a_batch_that_is_counted_in_part_is_the_same_error_on_any_number_of_threads() {
    let short = profile("short", Arc::new(Short));
    let texts = vec!["some text"; 3_000];
    for number in [0, 1, 2] {
        let error = short
            .count_batch(&texts, threads(number))
            .expect_err("a count is missing");
        assert!(
            error.to_string().contains("2999 counts for 3000"),
            "{error}"
        );
    }
}

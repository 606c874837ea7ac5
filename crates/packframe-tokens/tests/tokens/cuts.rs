//! Limits, cuts and chunks, against counting every candidate.

use std::time::{Duration, Instant};

use packframe_tokens::{
    Approximate, At, Keep, SplitError, Tokenizer, Truncated, count_till_limit, split, truncate,
};
use unicode_segmentation::UnicodeSegmentation;

use crate::opaque::{Failing, Opaque};
use crate::oracle::{Texts, named};

fn count(tokenizer: &dyn Tokenizer, text: &str) -> u64 {
    tokenizer.count(text).expect("it never fails")
}

fn cut<'a>(
    tokenizer: &dyn Tokenizer,
    text: &'a str,
    limit: u64,
    how: (Keep, At),
    marker: &str,
) -> Truncated<'a> {
    truncate(tokenizer, text, limit, how, marker).expect("it never fails")
}

/// Returns each tokenizer, and whether its counts are exact at seams.
fn each_tokenizer(test: impl Fn(&dyn Tokenizer)) {
    let (o200k, cl100k) = (named("o200k_base"), named("cl100k_base"));
    test(&*o200k);
    test(&*cl100k);
    test(&Approximate);
    test(&Opaque::new(&*o200k));
}

/// The parts of a text, with their ends before white space.
fn parts(text: &str, at: At) -> Vec<(usize, usize)> {
    let trimmed = |(start, part): (usize, &str)| (start, start + part.trim_end().len());
    let blank = |&(start, end): &(usize, usize)| start < end;
    match at {
        At::Grapheme => text
            .grapheme_indices(true)
            .map(|(start, part)| (start, start + part.len()))
            .collect(),
        At::Word => text
            .split_word_bound_indices()
            .map(trimmed)
            .filter(blank)
            .collect(),
        At::Sentence => text
            .split_sentence_bound_indices()
            .map(trimmed)
            .filter(blank)
            .collect(),
        At::Line => {
            let mut lines = Vec::new();
            let mut start = 0;
            for line in text.split_inclusive(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']) {
                let end = line.trim_end_matches(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']);
                if !line.trim_end().is_empty() {
                    lines.push((start, start + end.len()));
                }
                start += line.len();
            }
            lines
        }
    }
}

/// Returns where a head may end or a tail may start.
fn places(text: &str, at: At, ends: bool) -> Vec<usize> {
    let graphemes: Vec<usize> = text
        .grapheme_indices(true)
        .map(|(start, _)| start)
        .collect();
    let places = parts(text, at).into_iter();
    places
        .map(|(start, end)| if ends { end } else { start })
        .filter(|&place| 0 < place && place < text.len() && graphemes.contains(&place))
        .collect()
}

#[test]
fn a_limit_is_passed_exactly_where_the_count_is() {
    let mut texts = Texts::new(42);
    for _ in 0..6_000 {
        let text = texts.text(30);
        each_tokenizer(|tokenizer| {
            let tokens = count(tokenizer, &text);
            for limit in [0, tokens.saturating_sub(1), tokens, tokens + 1, u64::MAX] {
                let found = count_till_limit(tokenizer, &text, limit).expect("it never fails");
                assert_eq!(found, (tokens <= limit).then_some(tokens), "{text:?}");
            }
        });
    }
}

#[test]
fn long_texts_pass_limits_like_short_ones() {
    let o200k = named("o200k_base");
    for part in ["word ", "a", "!?", " ", "日本", "x\n", "12345"] {
        let text = part.repeat(60_000);
        let tokens = count(&*o200k, &text);
        for limit in [1, tokens / 2, tokens - 1, tokens] {
            let found = count_till_limit(&*o200k, &text, limit).expect("it never fails");
            assert_eq!(
                found,
                (tokens <= limit).then_some(tokens),
                "{part:?}, {limit}"
            );
        }
    }
}

#[test]
fn heads_and_tails_are_cut_where_the_next_place_is_over() {
    let mut texts = Texts::new(43);
    for round in 0..6_000 {
        let text = texts.text(14);
        let at = At::ALL[texts.below(4)];
        let marker = ["…", "", " [...]", "tional", "\n"][texts.below(5)];
        each_tokenizer(|tokenizer| {
            let whole = count(tokenizer, &text);
            for limit in [whole / 3, whole * 2 / 3, whole.saturating_sub(1), whole] {
                for keep in [Keep::Head, Keep::Tail] {
                    let result = cut(tokenizer, &text, limit, (keep, at), marker);
                    let context = format!("{round}: {text:?}, {limit}, {keep:?}, {at:?}");
                    assert_eq!(result.tokens, count(tokenizer, &result.text), "{context}");
                    assert!(result.tokens <= limit, "{context}");
                    if whole <= limit {
                        assert_eq!(result.text, text, "{context}");
                        continue;
                    }
                    let kept = |place: usize| match keep {
                        Keep::Tail => [marker, &text[place..]].concat(),
                        _ => [&text[..place], marker].concat(),
                    };
                    let mut places = places(&text, at, keep == Keep::Head);
                    if keep == Keep::Tail {
                        places.reverse();
                    }
                    let place = match (keep, result.head + result.tail) {
                        (_, 0) => None,
                        (Keep::Tail, _) => Some(text.len() - result.tail),
                        _ => Some(result.head),
                    };
                    let next = match place {
                        None => 0,
                        Some(place) => {
                            assert_eq!(result.text, kept(place), "{context}");
                            let at = places.iter().position(|&allowed| allowed == place);
                            1 + at.unwrap_or_else(|| panic!("{place} is not allowed; {context}"))
                        }
                    };
                    if let Some(&next) = places.get(next) {
                        assert!(count(tokenizer, &kept(next)) > limit, "{next}; {context}");
                    }
                }
            }
        });
    }
}

#[test]
fn with_seams_the_longest_cut_is_found() {
    let o200k = named("o200k_base");
    let text = include_str!("../../src/bpe/seams.rs");
    let text = &text[..6_000];
    for at in [At::Word, At::Grapheme] {
        let places = places(text, at, true);
        for limit in (1..1_200).step_by(17) {
            let result = cut(&*o200k, text, limit, (Keep::Head, at), "…");
            let fits = |place: usize| count(&*o200k, &[&text[..place], "…"].concat()) <= limit;
            let reach = places.partition_point(|&place| place < result.head + 300);
            let longest = places[..reach].iter().rev().find(|&&place| fits(place));
            assert_eq!(
                result.head,
                longest.copied().unwrap_or(0),
                "{limit}, {at:?}"
            );
        }
    }
}

#[test]
fn a_prefix_that_costs_more_than_the_word_is_no_obstacle() {
    let o200k = named("o200k_base");
    let text = "international affairs of every kind";
    assert!(count(&*o200k, "internationa") > count(&*o200k, "international"));
    let result = cut(&*o200k, text, 1, (Keep::Head, At::Grapheme), "");
    assert_eq!(result.text, "international");
}

#[test]
fn both_ends_share_the_room() {
    let o200k = named("o200k_base");
    let text = "one two three four five six seven eight nine ten eleven twelve";
    for limit in 1..12 {
        let result = cut(&*o200k, text, limit, (Keep::Ends, At::Word), "…");
        let head = count(&*o200k, &text[..result.head]);
        let tail = count(&*o200k, &text[text.len() - result.tail..]);
        assert!(result.tokens <= limit);
        if head > 0 && tail > 0 {
            assert!(head.abs_diff(tail) <= 1, "{limit}: {:?}", result.text);
        }
    }
    let alone = cut(
        &*o200k,
        "one two three internationalisation",
        4,
        (Keep::Ends, At::Word),
        "…",
    );
    assert_eq!(alone.text, "one two three…");
    let result = cut(&*o200k, text, 7, (Keep::Ends, At::Word), " … ");
    assert_eq!(result.text, "one two three … ten eleven twelve");
}

#[test]
fn where_nothing_fits_nothing_is_left() {
    each_tokenizer(|tokenizer| {
        for (text, limit, marker) in [
            ("international", 0, "…"),
            ("some words that are cut", 2, " [and so on and on]"),
            ("👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 3, ""),
            ("    \n\n   \t  ", 0, ""),
        ] {
            for keep in Keep::ALL {
                let result = cut(tokenizer, text, limit, (keep, At::Word), marker);
                assert_eq!((&*result.text, result.tokens), ("", 0), "{text:?}");
                assert_eq!((result.head, result.tail), (0, 0));
            }
        }
    });
}

#[test]
fn chunks_are_the_text_and_within_the_limit() {
    let mut texts = Texts::new(44);
    for round in 0..6_000 {
        let text = texts.text(20);
        let at = At::ALL[texts.below(4)];
        let most = 1 + texts.below(12) as u64;
        let overlap = texts.below(usize::try_from(most).expect("small")) as u64;
        each_tokenizer(|tokenizer| {
            let context = format!("{round}: {text:?}, {most}, {overlap}, {at:?}");
            let chunks = match split(tokenizer, &text, most, overlap, at) {
                Ok(chunks) => chunks,
                Err(SplitError::CharacterTooLong { at, tokens }) => {
                    let first = text[at..].chars().next().expect("a character");
                    assert!(tokens > most, "{context}");
                    assert_eq!(tokens, count(tokenizer, &first.to_string()), "{context}");
                    return;
                }
                Err(SplitError::Tokenizer(error)) => panic!("{error}; {context}"),
            };
            let (mut start, mut end) = (0, 0);
            let starts = places(&text, at, false);
            for (number, chunk) in chunks.iter().enumerate() {
                let part = &text[chunk.start..chunk.end];
                assert!(chunk.tokens <= most, "{context}");
                assert_eq!(chunk.tokens, count(tokenizer, part), "{context}");
                assert!(chunk.start <= end && end < chunk.end, "{context}");
                assert!(number == 0 || chunk.start > start, "{context}");
                let shared = &text[chunk.start..end];
                assert!(count(tokenizer, shared) <= overlap, "{context}");
                // A chunk does not end inside a unit that would have fitted.
                if chunk.end < text.len() && !starts.contains(&chunk.end) {
                    let mut next = starts.iter().filter(|&&place| place > end);
                    let next = next.next().map_or(text.len(), |&place| place);
                    assert!(
                        count(tokenizer, &text[chunk.start..next]) > most,
                        "{context}"
                    );
                }
                (start, end) = (chunk.start, chunk.end);
            }
            assert_eq!(end, text.len(), "{context}");
        });
    }
}

#[test]
fn chunks_of_units_that_fit_end_with_them() {
    let o200k = named("o200k_base");
    let text = "It rains. It pours all day. Then it ends.\n\nThe sun comes out.";
    let parts = |most, overlap, at| -> Vec<&str> {
        let chunks = split(&*o200k, text, most, overlap, at).expect("it never fails");
        let parts = chunks.iter().map(|chunk| &text[chunk.start..chunk.end]);
        parts.collect()
    };
    assert_eq!(
        parts(8, 0, At::Sentence),
        [
            "It rains. ",
            "It pours all day. ",
            "Then it ends.\n\n",
            "The sun comes out."
        ]
    );
    assert_eq!(
        parts(11, 6, At::Sentence),
        [
            "It rains. It pours all day. ",
            "It pours all day. Then it ends.\n\n",
            "Then it ends.\n\nThe sun comes out."
        ]
    );
    assert_eq!(parts(15, 0, At::Line), [&text[..43], &text[43..]]);
    assert!(
        split(&*o200k, "", 5, 0, At::Word)
            .expect("nothing")
            .is_empty()
    );
}

#[test]
fn an_opaque_tokenizer_is_asked_few_times() {
    let o200k = named("o200k_base");
    let text = include_str!("../../src/bpe/seams.rs").repeat(4);
    for keep in Keep::ALL {
        for at in At::ALL {
            for limit in [10, 1_000, 10_000] {
                let opaque = Opaque::new(&*o200k);
                let result = cut(&opaque, &text, limit, (keep, at), "…");
                assert!(result.tokens <= limit);
                let most = if keep == Keep::Ends { 32 } else { 14 };
                assert!(
                    opaque.calls() <= most,
                    "{} for {keep:?}, {at:?}",
                    opaque.calls()
                );
            }
        }
    }
    let opaque = Opaque::new(&*o200k);
    let chunks = split(&opaque, &text, 500, 0, At::Sentence).expect("it never fails");
    assert!(
        opaque.calls() <= chunks.len() * 9,
        "{} for {}",
        opaque.calls(),
        chunks.len()
    );
}

#[test]
fn what_a_tokenizer_fails_with_is_passed_on() {
    let how = (Keep::Head, At::Word);
    assert!(count_till_limit(&Failing, "text", 3).is_err());
    assert!(truncate(&Failing, "text", 3, how, "…").is_err());
    assert!(matches!(
        split(&Failing, "text", 3, 0, At::Word),
        Err(SplitError::Tokenizer(_))
    ));
}

/// Returns the time that work takes, the least of three.
fn time(work: impl Fn()) -> Duration {
    let once = || {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    (0..3).map(|_| once()).min().unwrap_or_default()
}

#[test]
fn hostile_texts_take_no_more_than_their_length() {
    let o200k = named("o200k_base");
    for part in [
        "a",
        " ",
        "\n",
        ".)",
        "!",
        "日",
        "🇩🇪",
        "e\u{301}",
        "aB",
        "\r\n",
        "👩‍🚀",
    ] {
        let text = |size: usize| part.repeat(size / part.len());
        let (short, long) = (text(8_000), text(64_000));
        let work = |text: &str| {
            for at in [At::Grapheme, At::Sentence] {
                cut(&*o200k, text, text.len() as u64 / 20, (Keep::Ends, at), "…");
                split(&*o200k, text, 200, 20, at).expect("it never fails");
            }
        };
        let (short, long) = (time(|| work(&short)), time(|| work(&long)));
        let most = short * 8 * 6 + Duration::from_millis(100);
        assert!(
            long < most,
            "{part:?}: {short:?}, eight times as long: {long:?}"
        );
    }
}

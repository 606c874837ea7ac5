//! One look at a text: where a secret could be, each rule is asked.
//!
//! Every form has a rare mark: a few letters, found by one automaton, or one of five bytes, found
//! by a table. Rules read from the mark to both sides, at most a fixed number of bytes back, so
//! the whole takes time in proportion to the text.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use super::ascii::{at, before, is_blank, is_line_end, is_quote, run, starts};
use super::assignment;
use super::authorization;
use super::command;
use super::found::{Found, join};
use super::private_key;
use super::rule::Rule;
use super::token;
use super::uri;
use super::vendor;
use super::word_marks;

/// Marks that are letters.
const MARKS: [&str; 14] = [
    "AKIA",
    "ASIA",
    "ABIA",
    "ACCA",
    "AIza",
    "ya29.",
    "eyJ",
    "earer ",
    "EARER ",
    "hooks.slack",
    "asic ",
    "ASIC ",
    "%3A%2F%2F",
    "%3a%2f%2f",
];

static LETTERS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostFirst)
        .build(MARKS.into_iter().chain(vendor::marks()))
        .expect("some short marks make an automaton")
});

/// Bytes at which a rule may start to read.
static BYTES: [bool; 256] = {
    let mut bytes = [false; 256];
    bytes[b'-' as usize] = true;
    bytes[b'_' as usize] = true;
    bytes[b':' as usize] = true;
    bytes[b'=' as usize] = true;
    bytes[b'>' as usize] = true;
    bytes[b'.' as usize] = true;
    bytes
};

/// Finds all secrets of a text, sorted and not overlapping, by the rules whose bits are set.
pub(super) fn scan(text: &str, rules: u32) -> Vec<Found> {
    let mut found = Vec::new();
    by_letters(text, &mut found);
    by_bytes(text.as_bytes(), &mut found);
    word_marks::scan(text, &mut found);
    found.retain(|claim| rules & claim.rule.bit() != 0);
    // Rules read bytes, and at most so many of them: a range may end within a character.
    for claim in &mut found {
        while !text.is_char_boundary(claim.start) {
            claim.start -= 1;
        }
        while !text.is_char_boundary(claim.end) {
            claim.end += 1;
        }
    }
    join(found)
}

fn by_letters(text: &str, found: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    for mark in LETTERS.find_iter(text) {
        let (start, end) = (mark.start(), mark.end());
        let claim = match mark.pattern().as_usize() {
            0..=3 => {
                let id = token::aws_id(bytes, start);
                found.extend(id.and_then(|id| token::aws_secret_after(bytes, id.end)));
                id
            }
            4 => token::google_key(bytes, start),
            5 => token::google_access(bytes, start),
            6 => token::jwt(bytes, start),
            7 | 8 if before(bytes, start).eq_ignore_ascii_case(&b'b') => {
                authorization::bearer(bytes, start - 1, end - 1)
            }
            10 | 11 if before(bytes, start).eq_ignore_ascii_case(&b'b') => {
                authorization::credentials(bytes, end - 1)
            }
            7 | 8 | 10 | 11 => None,
            9 => token::slack_webhook(bytes, start),
            12 | 13 => uri::encoded(bytes, end),
            number => vendor::at_mark(bytes, number - MARKS.len(), start, end),
        };
        found.extend(claim);
    }
}

fn by_bytes(text: &[u8], found: &mut Vec<Found>) {
    let mut place = 0;
    // What stands in the value of an assignment is no assignment of its own.
    let mut assigned = 0;
    while let Some(mark) = next_mark(text, place) {
        place = mark + 1;
        let claim = match text[mark] {
            b'_' => token::at_underscore(text, mark),
            b'.' => vendor::at_point(text, mark),
            b'>' => assignment::at_tag(text, mark),
            b':' if starts(text, place, b"//") => uri::at_colon(text, mark),
            b':' | b'=' if mark < assigned => None,
            b':' | b'=' => assignment::at_separator(text, mark),
            _ => {
                // A row of hyphens is one mark.
                place = run(text, mark, usize::MAX, |byte| byte == b'-');
                match place - mark {
                    1 => token::at_hyphen(text, mark)
                        .or_else(|| vendor::at_hyphen(text, mark))
                        .or_else(|| command::at_flag(text, mark)),
                    2 if is_option(text, mark) => {
                        assignment::at_option(text, place).or_else(|| command::at_long(text, place))
                    }
                    _ => private_key::at_dashes(text, mark, place),
                }
            }
        };
        if let Some(claim) = claim {
            found.push(claim);
            if matches!(claim.rule, Rule::Assignment | Rule::AwsSecretKey) {
                assigned = claim.end;
            }
        }
    }
}

/// Says whether two hyphens start an option of a command.
fn is_option(text: &[u8], mark: usize) -> bool {
    let last = before(text, mark);
    let free = last == 0 || is_blank(last) || is_line_end(last) || is_quote(last);
    free && at(text, mark + 2).is_ascii_alphabetic()
}

/// Returns the next byte at which a rule may start to read.
fn next_mark(text: &[u8], from: usize) -> Option<usize> {
    let rest = text.get(from..)?;
    let mut chunks = rest.chunks_exact(8);
    let mut place = from;
    for chunk in chunks.by_ref() {
        if chunk
            .iter()
            .fold(false, |any, byte| any | BYTES[usize::from(*byte)])
        {
            break;
        }
        place += 8;
    }
    let tail = text.get(place..)?;
    tail.iter()
        .position(|byte| BYTES[usize::from(*byte)])
        .map(|at| place + at)
}

//! Keeps what stands in contents from being read as the markers of a template.
//!
//! A private character is set into each special token that a content spells, and at an end of a
//! content that a neighbour could complete. It goes through the template with the content, keeps the
//! markers of the template apart from everything else, and is taken out before anything is counted.

use std::collections::HashSet;

use foldhash::fast::FixedState;

use super::json::Json;
use crate::special::SpecialTokens;

/// The private characters that are tried, of plane 15.
const FIRST: u32 = 0xF_0000;
const LAST: u32 = 0xF_FFFD;

/// What a tokenizer's special tokens start and end with.
pub(crate) struct Seal {
    special: SpecialTokens,
    /// Every proper start of a token.
    starts: HashSet<Box<str>, FixedState>,
    /// Every proper end of one.
    ends: HashSet<Box<str>, FixedState>,
    longest: usize,
}

impl Seal {
    pub(crate) fn new(special: SpecialTokens) -> Self {
        let (mut starts, mut ends) = (HashSet::default(), HashSet::default());
        let mut longest = 0;
        for token in special.all() {
            longest = longest.max(token.len());
            for (at, _) in token.char_indices().skip(1) {
                starts.insert(Box::from(&token[..at]));
                ends.insert(Box::from(&token[at..]));
            }
        }
        Self {
            special,
            starts,
            ends,
            longest,
        }
    }

    /// Returns where the special tokens stand that are markers in a text with seals.
    pub(crate) fn markers(&self, text: &str) -> impl Iterator<Item = (usize, usize)> {
        self.special.found(text)
    }

    /// Returns a character that stands in none of the values and not in the template.
    pub(crate) fn mark(template: &str, values: &[&Json]) -> Option<char> {
        let mut used = HashSet::new();
        let mut see = |text: &str| used.extend(text.chars().filter(|&c| u32::from(c) >= FIRST));
        see(template);
        for value in values {
            strings(value, &mut see);
        }
        (FIRST..=LAST)
            .filter_map(char::from_u32)
            .find(|mark| !used.contains(mark))
    }

    /// Sets seals into every string of a value, and into keys that spell a special token.
    pub(crate) fn set(&self, value: &mut Json, mark: char) {
        match value {
            Json::Text(text) => {
                if let Some(sealed) = self.sealed(text, mark, true) {
                    *text = sealed;
                }
            }
            Json::List(elements) => elements
                .iter_mut()
                .for_each(|element| self.set(element, mark)),
            Json::Object(fields) => {
                for (key, value) in fields {
                    if let Some(sealed) = self.sealed(key, mark, false) {
                        *key = sealed;
                    }
                    self.set(value, mark);
                }
            }
            _ => {}
        }
    }

    fn sealed(&self, text: &str, mark: char, at_ends: bool) -> Option<String> {
        let mut sealed = String::new();
        let mut from = 0;
        for (start, _) in self.special.found(text) {
            let first = text[start..].chars().next().map_or(0, char::len_utf8);
            sealed.push_str(&text[from..start + first]);
            sealed.push(mark);
            from = start + first;
        }
        let before = at_ends && self.completes(text);
        let behind = at_ends && self.is_open(text);
        if from == 0 && !before && !behind {
            return None;
        }
        sealed.push_str(&text[from..]);
        if before {
            sealed.insert(0, mark);
        }
        if behind {
            sealed.push(mark);
        }
        Some(sealed)
    }

    /// Says whether a text ends with the start of a special token.
    fn is_open(&self, text: &str) -> bool {
        let ends = text.char_indices().rev().map(|(at, _)| &text[at..]);
        ends.take_while(|end| end.len() < self.longest)
            .any(|end| self.starts.contains(end))
    }

    /// Says whether a text starts with the end of one.
    fn completes(&self, text: &str) -> bool {
        let places = text.char_indices().map(|(at, c)| at + c.len_utf8());
        places
            .map(|end| &text[..end])
            .take_while(|start| start.len() < self.longest)
            .any(|start| self.ends.contains(start))
    }
}

fn strings(value: &Json, see: &mut impl FnMut(&str)) {
    match value {
        Json::Text(text) => see(text),
        Json::List(elements) => elements.iter().for_each(|element| strings(element, see)),
        Json::Object(fields) => {
            for (key, value) in fields {
                see(key);
                strings(value, see);
            }
        }
        _ => {}
    }
}

//! The split of a text into pieces.

use std::sync::Mutex;

use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::{Anchored, Input};

use crate::error::TokenizerError;

/// Splits texts into pieces, in linear time.
///
/// `tiktoken`'s patterns contain `\s+(?!\S)`, which needs an engine that backtracks: that one
/// gives up with a panic on a megabyte of spaces. Here the pattern has plain `\s+` instead, a
/// lazy automaton matches it, and [`next`](Self::next) does what the look-ahead did.
///
/// A piece starts where the one before ended, since some alternative matches at each character;
/// so each search is anchored. The classes are those of `regex-syntax`, the very crate that
/// `tiktoken`'s own engine takes them from.
pub(super) struct Pretokenizer {
    automaton: DFA,
    /// Automaton states found so far, lent to one count at a time.
    caches: Mutex<Vec<Cache>>,
}

impl Pretokenizer {
    /// The caches that are kept; each takes at most 2 MB.
    const CACHES_KEPT: usize = 8;

    /// Compiles a pattern in which `\s+(?!\S)` was left out before a final `\s+`.
    pub(super) fn new(pattern: &str) -> Result<Self, TokenizerError> {
        let automaton = DFA::new(pattern).map_err(|error| {
            TokenizerError::new(format!(
                "the pretokenizer's pattern does not compile: {error}"
            ))
        })?;
        Ok(Self {
            automaton,
            caches: Mutex::new(Vec::new()),
        })
    }

    /// Shows each piece of a text, in order.
    pub(super) fn pieces<'t>(&self, text: &'t str, mut visit: impl FnMut(&'t str)) {
        let mut cache = self.borrow_cache();
        let mut start = 0;
        while start < text.len() {
            let end = self.next(&mut cache, text, start);
            visit(&text[start..end]);
            start = end;
        }
        self.return_cache(cache);
    }

    /// Returns the end of the piece that starts at `start`.
    fn next(&self, cache: &mut Cache, text: &str, start: usize) -> usize {
        let input = Input::new(text).range(start..).anchored(Anchored::Yes);
        let end = self
            .automaton
            .try_search_fwd(cache, &input)
            .expect("an automaton without quit bytes and without a limit never gives up")
            .expect("some alternative matches at each character")
            .offset();
        // Only `\s+` (and, at the end of the text, `\s+$`) ends in white space other than a line
        // break, and it ends there because what follows is no white space. Where it took more
        // than one character, `\s+(?!\S)` gives back the last one, which then starts the next
        // piece; where it took one, the look-ahead fails and plain `\s` takes it all the same.
        // `char::is_whitespace` is the property White_Space, as `\s` is.
        match text[start..end].chars().next_back() {
            Some(last) if last.is_whitespace() && !matches!(last, '\r' | '\n') => {
                let given_back = end - last.len_utf8();
                if end < text.len() && given_back > start {
                    given_back
                } else {
                    end
                }
            }
            _ => end,
        }
    }

    /// Takes a cache that is free, or makes one.
    ///
    /// It never waits: where another thread is at the list (or was, when the process forked), a
    /// new cache is cheaper.
    fn borrow_cache(&self) -> Cache {
        let kept = self
            .caches
            .try_lock()
            .ok()
            .and_then(|mut caches| caches.pop());
        kept.unwrap_or_else(|| self.automaton.create_cache())
    }

    /// Keeps a cache for the next count, if there is room.
    fn return_cache(&self, cache: Cache) {
        if let Ok(mut caches) = self.caches.try_lock()
            && caches.len() < Self::CACHES_KEPT
        {
            caches.push(cache);
        }
    }
}

//! Tokens that are looked for in a text before it is split into pieces.

use aho_corasick::{AhoCorasick, BuildError, MatchKind};

/// A token to look for.
pub(crate) struct Sought<'a> {
    pub(crate) content: &'a str,
    pub(crate) id: u32,
    /// Whether it is a token where it is found. One that is not is text, but still nothing else is
    /// found inside it or across its end.
    pub(crate) live: bool,
}

/// Tokens that are found in a text: of all that start first the longest, then on behind it.
pub(crate) struct Added {
    automaton: AhoCorasick,
    found: Box<[(u32, bool)]>,
}

/// A part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// The text from here to there.
    Text(usize, usize),
    /// A token of this id, and where it ends.
    Token(u32, usize),
}

impl Added {
    /// Looks for tokens whose contents are not empty and differ. `None` where no token is live.
    ///
    /// # Errors
    ///
    /// The contents may be too long together for an automaton: some gigabytes.
    pub(crate) fn new(sought: &[Sought<'_>]) -> Result<Option<Self>, BuildError> {
        if !sought.iter().any(|token| token.live) {
            return Ok(None);
        }
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(sought.iter().map(|token| token.content))?;
        let found = sought.iter().map(|token| (token.id, token.live)).collect();
        Ok(Some(Self { automaton, found }))
    }

    /// Returns the parts of a text, in order; no text among them is empty.
    pub(crate) fn parts<'t>(&'t self, text: &'t str) -> impl Iterator<Item = Part> + 't {
        let mut matches = self.automaton.find_iter(text).filter_map(|found| {
            let (id, live) = self.found[found.pattern().as_usize()];
            live.then_some((found.start(), found.end(), id))
        });
        let mut end = 0;
        let mut next = matches.next();
        std::iter::from_fn(move || match next {
            Some((start, stop, id)) if start == end => {
                end = stop;
                next = matches.next();
                Some(Part::Token(id, stop))
            }
            _ => {
                let stop = next.map_or(text.len(), |(start, ..)| start);
                let part = (end < stop).then_some(Part::Text(end, stop));
                end = stop;
                part
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Added, Part, Sought};

    fn parts(sought: &[(&str, bool)], text: &str) -> Vec<Part> {
        let sought: Vec<Sought<'_>> = sought
            .iter()
            .zip(0..)
            .map(|(&(content, live), id)| Sought { content, id, live })
            .collect();
        let added = Added::new(&sought).expect("a small automaton");
        added.expect("one is live").parts(text).collect()
    }

    #[test]
    fn parts_are_the_whole_text_in_order() {
        let sought = [("<a>", true), ("<ab>", true), ("b", true)];
        assert_eq!(parts(&sought, ""), []);
        assert_eq!(parts(&sought, "x"), [Part::Text(0, 1)]);
        assert_eq!(parts(&sought, "<a>"), [Part::Token(0, 3)]);
        assert_eq!(
            parts(&sought, "x<ab><a>b y"),
            [
                Part::Text(0, 1),
                Part::Token(1, 5),
                Part::Token(0, 8),
                Part::Token(2, 9),
                Part::Text(9, 11)
            ]
        );
    }

    #[test]
    fn the_longest_of_the_first_counts() {
        let sought = [("ab", true), ("abc", true), ("bcd", true)];
        assert_eq!(
            parts(&sought, "abcd"),
            [Part::Token(1, 3), Part::Text(3, 4)]
        );
    }

    #[test]
    fn what_is_text_hides_what_overlaps_it() {
        let sought = [("<s>", false), (">x", true)];
        assert_eq!(parts(&sought, "<s>x"), [Part::Text(0, 4)]);
        assert_eq!(parts(&sought, "s>x"), [Part::Text(0, 1), Part::Token(1, 3)]);
    }
}

//! Where the pieces of a text always end.
//!
//! A *word* character is one that is certainly a letter or a number (`\p{L}`, `\p{N}`); a *break*
//! is certainly no letter, number or mark (`\p{M}`) and is not the apostrophe. "Certainly" means:
//! in each Unicode version since 3.2 and in each to come, so that the rule does not depend on
//! whose tables a pattern was compiled with. Characters in neither set are never at a seam.
//!
//! A seam is an offset `p` of a text `w` between neighbours `l` and `r` where
//!
//! 1. `l` is a word character and `r` is a break, or
//! 2. `l` is a line feed or carriage return and `r` is a word character; not with GPT-2's pattern,
//!
//! and where `l r` does not stand anywhere inside an added token.
//!
//! # Why the pieces on both sides are those of each side alone
//!
//! Matching looks only ahead, so once `p` is a border the pieces behind it are those of `w[p..]`
//! alone. It remains to be shown that the pieces before it are those of `t = w[..p]` alone, that
//! is: at each place `q < p` where a match starts, the first alternative that succeeds, and how
//! far it goes, is the same in `w` and in `t`. For that it is enough that
//!
//! - *no alternative can match across `p`*: then the matches that can succeed at `q` in `w` all end
//!   at or before `p`, and a possessive or greedy loop that reaches `p` stops there in both texts;
//! - and no assertion tells the two apart: before `p` both texts are alike, so only one that is asked
//!   at `p` can.
//!
//! **Rule 1.** Where may a letter or number be followed, inside one match, by something else than a
//! letter or number? In
//!
//! - contractions, `[^\r\n\p{L}\p{N}]?\p{L}+`, ` ?\p{L}+`, ` ?\p{N}+`, `\p{N}` and `\p{N}{1,3}`: nowhere,
//!   as only their first character can be something else;
//! - `[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+` (Qwen 3.5): by a mark only;
//! - `[…]*[…]+(?i:'s|…)?` and without the contraction (o200k, Tekken): by a mark or the apostrophe;
//! - the alternatives of punctuation and of white space: they contain no letter or number at all;
//! - `DeepSeek`'s `[!-/…][A-Za-z]+` and `[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+`: by a mark only. Its patterns
//!   before those take out numbers, and ideographs and kana. Next to such a character, which no break
//!   is, a text ends for the last pattern, whatever else stands there.
//!
//! `r` is none of these. The assertions, `\s++$` and `\s+(?!\S)`, are asked behind white space, so
//! not at `p`, which stands behind a word character. What `DeepSeek`'s patterns do not match is a
//! piece up to the next match; no word character is among that, so no such piece goes over `p`.
//!
//! **Rule 2.** A line break is followed, inside a match, only by white space or `/` (`[\r\n]*`,
//! `[\r\n/]*`, `\s…`), and the optional first character of a word is no line break. So no
//! alternative can match across `p`. Let `q` be where the match starts that ends at `p` in `w`. If it
//! is one of punctuation, its `[\r\n]*` or `[\r\n/]*` is greedy and takes all up to `p` in both
//! texts. Otherwise it is all white space, and ends in a line break. In `w` it comes from
//! `\s*[\r\n]` or `\s*[\r\n]+`, which take all up to the last line break of the run: up to `p`.
//! In `t` the same alternative takes the same; in `cl100k_base`, `\s++$` comes before it and, as
//! the run ends the text, takes the same too. Matches that end before `p` see the same in both
//! texts, as under rule 1: the assertions of white space are asked at the end of a run, and the
//! run that ends at `p` is the one just dealt with. Where `r` is a number, an ideograph or kana, for
//! `DeepSeek`'s last pattern the text ends at `p` in `w` already.
//!
//! GPT-2's pattern has no alternative for line breaks. Of a run of two and more, `\s+(?!\S)` leaves
//! the last one to the next match in `w` and takes it in `t`.
//!
//! # Added tokens
//!
//! Of the added tokens that start first in a text the longest is found, then on behind it. None
//! goes over `p`, as none has `l r` inside. So up to `p` the same are found in `w` as in `t`, and behind
//! it the same as in `w[p..]`. If `l` or `r` belongs to one, the texts between them end at `p`
//! anyway; if not, the text that both belong to has the seam, as shown above.
//!
//! # Composed texts
//!
//! A character is steady if composing leaves it as it is and joins it with none before it; the text
//! before it and the text from it on are composed each by itself. All word characters, breaks and
//! line breaks are, so the composed `w` is the composed `w[..p]` with the composed `w[p..]` behind it.
//! There `l` stands as before, since only what is not steady joins with something before it. `r`
//! may have joined with marks behind it: a letter gives a letter then, and a break, such as `<` with
//! a stroke, gives a symbol beyond ASCII. Both rules ask for no more. If the added tokens that are
//! looked for in the composed text are ASCII, none has inside what `r` has become.

use super::pattern::Pattern;

/// Where the texts of a tokenizer have seams.
pub(crate) struct Seaming {
    /// Whether rule 2 holds.
    behind_lines: bool,
    /// The neighbours that stand together inside an added token, sorted.
    joined: Box<[(char, char)]>,
}

impl Seaming {
    /// Returns the seams of a pattern behind added tokens.
    pub(crate) fn new<'a>(pattern: Pattern, added: impl Iterator<Item = &'a str>) -> Self {
        let plain = Self {
            behind_lines: pattern.breaks_behind_lines(),
            joined: Box::default(),
        };
        let neighbours = |token: &'a str| token.chars().zip(token.chars().skip(1));
        let mut joined: Vec<(char, char)> = added
            .flat_map(neighbours)
            .filter(|&(left, right)| plain.is_seam(left, right))
            .collect();
        joined.sort_unstable();
        joined.dedup();
        Self {
            joined: joined.into(),
            ..plain
        }
    }

    /// Returns the first seam of a text. Stops there; O(n) where there is none.
    pub(crate) fn first(&self, text: &str) -> Option<usize> {
        let mut left = None;
        text.char_indices().find_map(|(at, right)| {
            let left = left.replace(right)?;
            self.is_seam(left, right).then_some(at)
        })
    }

    /// Returns the last seam of a text. Stops there; O(n) where there is none.
    pub(crate) fn last(&self, text: &str) -> Option<usize> {
        let mut right: Option<(usize, char)> = None;
        text.char_indices().rev().find_map(|(at, left)| {
            let (behind, right) = right.replace((at, left))?;
            self.is_seam(left, right).then_some(behind)
        })
    }

    fn is_seam(&self, left: char, right: char) -> bool {
        let borders = if is_word(left) {
            is_break(right)
        } else {
            self.behind_lines && matches!(left, '\r' | '\n') && is_word(right)
        };
        borders && (self.joined.is_empty() || self.joined.binary_search(&(left, right)).is_err())
    }
}

/// Tells whether a character certainly is a letter or a number.
fn is_word(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric();
    }
    let place = WORD.partition_point(|&(_, last)| last < c);
    WORD.get(place).is_some_and(|&(first, _)| first <= c)
}

/// Tells whether a character certainly is no letter, number, mark or apostrophe.
fn is_break(c: char) -> bool {
    match c {
        '\'' => false,
        '\0'..='\x7f' => !c.is_ascii_alphanumeric(),
        _ => BREAK.iter().any(|&(first, last)| first <= c && c <= last),
    }
}

/// Characters beyond ASCII that never were a letter, number or mark, as ranges.
const BREAK: &[(char, char)] = &[
    // No-break space, guillemets.
    ('\u{a0}', '\u{a0}'),
    ('«', '«'),
    ('»', '»'),
    // Dashes, quotation marks (the typographic apostrophe is one; the patterns know only the
    // ASCII one), bullets, ellipsis.
    ('\u{2010}', '\u{2027}'),
    // CJK space, comma, stop and brackets.
    ('\u{3000}', '\u{3003}'),
    ('\u{3008}', '\u{3011}'),
    // The full-width forms of ASCII punctuation.
    ('！', '／'),
    ('：', '＠'),
    ('［', '｀'),
    ('｛', '｝'),
];

/// Letters and numbers that were assigned early and never changed, as ranges from first to last.
const WORD: &[(char, char)] = &[
    // Latin-1, Latin Extended-A and -B, IPA.
    ('À', 'Ö'),
    ('Ø', 'ö'),
    ('ø', '\u{21f}'),
    ('\u{250}', '\u{2ad}'),
    // Greek, Cyrillic, Armenian.
    ('Ά', 'Ά'),
    ('Έ', 'Ί'),
    ('Ό', 'Ό'),
    ('Ύ', 'Ρ'),
    ('Σ', 'ώ'),
    ('Ѐ', 'ҁ'),
    ('Ґ', 'ӄ'),
    ('\u{531}', '\u{556}'),
    ('\u{561}', '\u{587}'),
    // Hebrew, Arabic, Arabic-Indic digits.
    ('\u{5d0}', '\u{5ea}'),
    ('\u{621}', '\u{63a}'),
    ('\u{641}', '\u{64a}'),
    ('\u{660}', '\u{669}'),
    ('\u{671}', '\u{6b7}'),
    // Devanagari, Bengali and Tamil letters, Devanagari digits.
    ('\u{905}', '\u{939}'),
    ('\u{966}', '\u{96f}'),
    ('\u{995}', '\u{9a8}'),
    ('\u{b95}', '\u{b95}'),
    // Thai consonants and vowels that are letters, Thai digits.
    ('\u{e01}', '\u{e30}'),
    ('\u{e40}', '\u{e46}'),
    ('\u{e50}', '\u{e59}'),
    // Georgian, Latin Extended Additional.
    ('\u{10d0}', '\u{10f0}'),
    ('\u{1e00}', '\u{1e9b}'),
    ('\u{1ea0}', '\u{1ef9}'),
    // Kana, unified ideographs, Hangul.
    ('\u{3041}', '\u{3094}'),
    ('\u{30a1}', '\u{30fa}'),
    ('\u{30fc}', '\u{30fe}'),
    ('\u{3400}', '\u{4db5}'),
    ('\u{4e00}', '\u{9fa5}'),
    ('\u{ac00}', '\u{d7a3}'),
    // Full-width digits and letters.
    ('\u{ff10}', '\u{ff19}'),
    ('\u{ff21}', '\u{ff3a}'),
    ('\u{ff41}', '\u{ff5a}'),
];

#[cfg(test)]
mod tests {
    use unicode_normalization_alignments::char::compose;

    use super::{is_break, is_word};
    use crate::bpe::class::{LETTERS, MARK, NUMBER, at, has};
    use crate::form::Form;

    /// What the proof for composed texts rests on.
    #[test]
    fn composing_leaves_both_sides_of_a_seam_what_they_are() {
        let marks: Vec<char> = ('\0'..=char::MAX)
            .filter(|&c| !Form::Nfc.is_steady(c))
            .collect();
        assert!(marks.len() > 500);
        let words = LETTERS | 1 << NUMBER;
        let (mut letters, mut symbols) = (0, 0);
        for side in ('\0'..=char::MAX).filter(|&c| is_word(c) || is_break(c)) {
            assert!(Form::Nfc.is_steady(side), "{side:?}");
            for composed in marks.iter().filter_map(|&mark| compose(side, mark)) {
                let text = composed.to_string();
                let (class, _) = at(text.as_bytes(), 0);
                if is_word(side) {
                    letters += 1;
                    assert!(has(words, class), "{side:?} gives {composed:?}");
                } else {
                    symbols += 1;
                    assert!(
                        !composed.is_ascii() && !has(words | 1 << MARK, class),
                        "{composed:?}"
                    );
                }
            }
        }
        assert!(Form::Nfc.is_steady('\r') && Form::Nfc.is_steady('\n'));
        assert!(letters > 400 && symbols == 3, "{letters} {symbols}");
    }
}

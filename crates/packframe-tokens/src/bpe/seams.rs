//! Where the pieces of both encodings always end.
//!
//! A *word* character is one that is certainly a letter or a number (`\p{L}`, `\p{N}`); a *break*
//! is certainly no letter, number or mark (`\p{M}`) and is not the apostrophe. "Certainly" means:
//! in each Unicode version since 3.2 and in each to come, so that the rule does not depend on
//! whose tables an encoding's pattern was compiled with. Characters in neither set are never at a
//! seam.
//!
//! A seam is an offset `p` of a text `w` between neighbours `l` and `r` where
//!
//! 1. `l` is a word character and `r` is a break, or
//! 2. `l` is a line feed or carriage return and `r` is a word character.
//!
//! # Why the pieces on both sides are those of each side alone
//!
//! Matching looks only ahead, so once `p` is a border the pieces behind it are those of `w[p..]`
//! alone. It remains to be shown that the pieces before it are those of `t = w[..p]` alone, that
//! is: at each place `q < p` where a match starts, the first alternative that succeeds, and how
//! far it goes, is the same in `w` and in `t`.
//!
//! **Rule 1.** *No alternative can match across `p`.* Where may a letter or number be followed,
//! inside one match, by something else than a letter or number?
//! `'(?i:[sdmt]|ll|ve|re)`, `[^\r\n\p{L}\p{N}]?\p{L}+` and `\p{N}{1,3}`: nowhere, as only their
//! first character can be something else. `[…]*[…]+(?i:'s|…)?`: by a mark or the apostrophe only,
//! and `r` is neither. The alternatives of punctuation and of white space contain no letter or
//! number at all. So the matches that can succeed at `q` in `w` all end at or before `p`, and the
//! same ones succeed in `t`, in the same order, unless an assertion tells the two apart.
//! `\s++$` and `\s+(?!\S)` are the assertions; both are asked behind white space, so not at `p`,
//! which stands behind a word character, and before `p` both texts are alike. A possessive or
//! greedy loop that reaches `p` stops there in both: in `w` as `r` is in none of the classes that
//! hold `l`.
//!
//! **Rule 2.** *No alternative can match across `p`*: a line break is followed, inside a match,
//! only by white space or `/` (`[\r\n]*`, `[\r\n/]*`, `\s…`), and the optional first character of
//! a word is no line break. Let `q` be where the match starts that ends at `p` in `w`. If it is
//! one of punctuation, its `[\r\n]*` or `[\r\n/]*` is greedy and takes all up to `p` in both
//! texts. Otherwise it is all white space, and ends in a line break. In `w` it comes from
//! `\s*[\r\n]` or `\s*[\r\n]+`, which take all up to the last line break of the run: up to `p`.
//! In `t` the same alternative takes the same; in `cl100k_base`, `\s++$` comes before it and, as
//! the run ends the text, takes the same too. Matches that end before `p` see the same in both
//! texts, as under rule 1: the assertions of white space are asked at the end of a run, and the
//! run that ends at `p` is the one just dealt with.

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

//! Secrets that people tell each other: `the password is …`, `Das Passwort lautet …`,
//! `密码是…`, `user admin, password …`.

use super::account::is_accompanied;
use super::ascii::{at, before, contains, is_blank, is_line_end, is_quote, run, run_back};
use super::found::Found;
use super::key_name;
use super::literal::quoted;
use super::rule::Rule;
use super::shape::{Shape, is_styled};
use super::told::{Sign, is_mixed, is_striking, is_told_key, is_told_password};

/// What the word before a secret names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Noun {
    /// A password, by a word that names fields too.
    Password,
    /// A password, in a language other than English.
    Foreign,
    /// A password or a success; only what is told to be one counts.
    Pass,
    /// A key or a token, by a word that names fields too.
    Key,
    /// The same in a language other than English.
    ForeignKey,
    /// `key`, which is one of many kinds.
    LoneKey,
    /// An account, which is told as name and password.
    Account,
}

impl Noun {
    /// Says whether a word names fields too: what `=` or `:` follows is an assignment then.
    const fn names_fields(self) -> bool {
        matches!(self, Self::Password | Self::Pass | Self::Key)
    }

    /// Says whether a word names a password.
    const fn is_password(self) -> bool {
        matches!(self, Self::Password | Self::Foreign)
    }

    /// Says whether a word is of a language that may put endings on it.
    const fn is_foreign(self) -> bool {
        matches!(self, Self::Foreign | Self::ForeignKey)
    }
}

/// Words between the noun and the secret that are looked at.
const WORDS: usize = 7;

/// Bytes of a value that are read at most.
const LONGEST: usize = 192;

/// Words by which both sides are the same.
const STRONG: [&str; 41] = [
    "wird",
    "wordt",
    "blir",
    "bliver",
    "será",
    "sarà",
    "będzie",
    "bude",
    "lesz",
    "будет",
    "heißt",
    "voici",
    "is",
    "was",
    "are",
    "lautet",
    "ist",
    "war",
    "lauten",
    "es",
    "era",
    "est",
    "sera",
    "é",
    "è",
    "är",
    "er",
    "wynosi",
    "jest",
    "je",
    "este",
    "είναι",
    "היא",
    "הוא",
    "هي",
    "هو",
    "là",
    "adalah",
    "ialah",
    "это",
    "है",
];

/// Words by which they may be.
const WEAK: [&str; 8] = ["to", "on", "=>", "->", "as", "auf", "til", "till"];

/// Marks and particles that stand right before a value.
const GLUE: [(&str, Sign); 26] = [
    (":", Sign::Colon),
    ("=", Sign::Colon),
    ("：", Sign::Colon),
    ("＝", Sign::Colon),
    ("- ", Sign::Strong),
    ("– ", Sign::Strong),
    ("— ", Sign::Strong),
    ("→", Sign::Strong),
    ("| ", Sign::Strong),
    ("　", Sign::Weak),
    ("是", Sign::Strong),
    ("为", Sign::Strong),
    ("為", Sign::Strong),
    ("は", Sign::Strong),
    ("が", Sign::Strong),
    ("を", Sign::Strong),
    ("는", Sign::Strong),
    ("은", Sign::Strong),
    ("이", Sign::Strong),
    ("가", Sign::Strong),
    ("คือ", Sign::Strong),
    ("「", Sign::Strong),
    ("『", Sign::Strong),
    ("“", Sign::Strong),
    ("„", Sign::Strong),
    ("«", Sign::Strong),
];

/// Reads what is said of the noun from `start` to `end`, behind it or right before it.
pub(super) fn read(text: &[u8], start: usize, end: usize, noun: Noun) -> Option<Found> {
    let first = at(text, start);
    if first.is_ascii() && before(text, start).is_ascii_alphanumeric() {
        return None;
    }
    let plural = noun == Noun::Password && at(text, end) == b's';
    let end = end + usize::from(plural);
    let place = run(text, end, 12, |byte| {
        (0x80..0xe0).contains(&byte) || noun.is_foreign() && byte.is_ascii_lowercase()
    });
    if first.is_ascii() && at(text, place).is_ascii_alphanumeric() {
        return None;
    }
    // A longer name: password_label, secret-name.
    let longer = matches!(at(text, end), b'_' | b'-') && at(text, end + 1).is_ascii_alphanumeric();
    if noun.names_fields() && longer {
        return None;
    }
    let inner = matches!(before(text, start), b'/' | b'.' | b'-' | b'_' | b'@');
    let outer = matches!(at(text, place), b'/' | b'.' | b'-' | b'_' | b'@');
    if noun == Noun::Account && (inner || outer) {
        return None;
    }
    behind(text, start, place, noun).or_else(|| ahead(text, start, noun))
}

/// Reads on from `place`, behind the noun.
fn behind(text: &[u8], start: usize, place: usize, noun: Noun) -> Option<Found> {
    let mut sign = Sign::Weak;
    // Whether a value may stand here.
    let mut near = noun != Noun::LoneKey;
    let mut place = run(text, place, 4, |byte| {
        is_quote(byte) || matches!(byte, b'*' | b')' | b'_')
    });
    if text[place..].starts_with(b"s ") && at(text, place - 1) == b'\'' {
        place += 1;
        (sign, near) = (Sign::Strong, true);
    }
    let next = run(text, place, 8, is_blank);
    if noun.names_fields() && matches!(at(text, next), b':' | b'=') {
        return below(text, next + 1, noun);
    }
    let mut with = false;
    // How many words may stand between a verb and the value: "is now", "is set to".
    let mut held = 0;
    for _ in 0..WORDS {
        let (from, glued) = glue(text, run(text, place, 8, is_blank));
        if let Some(glued) = glued {
            if before(text, from) == b' '
                && text[place..from].contains(&b'|')
                && !in_table(text, start)
            {
                return None;
            }
            (sign, near) = (glued, true);
        }
        if near && sign != Sign::Weak && is_line_end(at(text, from)) {
            return below(text, from, noun);
        }
        let word = Word::at(text, from)?;
        let apart = from > place
            || glued.is_some()
            || is_quote(before(text, place))
            || !at(text, place).is_ascii();
        let opened = matches!(text[word.start], b'}' | b']' | b')' | b'|' | b'/');
        let told = near && apart && !opened && is_told(text, start, word, noun, sign);
        let said = &text[word.start..word.end];
        // What looks like a password and like nothing else needs no verb.
        let told = told || apart && noun.is_password() && is_striking(said);
        if told || with && is_login(said) {
            return Some(Found::new(Rule::Sentence, word.start, word.end));
        }
        sign = connects(said);
        near = sign != Sign::Weak
            || noun == Noun::Account
            // How a password is written in the settings of a router.
            || near && matches!(said, [b'0'..=b'9'])
            || said == b"/"
            || noun != Noun::LoneKey && WEAK.iter().any(|weak| weak.as_bytes() == said);
        held = if sign == Sign::Strong {
            3
        } else {
            held - i32::from(held > 0)
        };
        let is_small = said
            .iter()
            .all(|byte| byte.is_ascii_lowercase() || *byte >= 0x80);
        near |= held > 0 && is_small && noun != Noun::LoneKey;
        with = noun == Noun::Account && said == b"with";
        if word.colon {
            (sign, near) = (Sign::Strong, true);
        } else if noun != Noun::Account && ends_sentence(at(text, word.end)) {
            return None;
        }
        place = word.rest;
    }
    None
}

/// Reads a value that has the line below to itself, where the noun's line ends at `end`.
fn below(text: &[u8], end: usize, noun: Noun) -> Option<Found> {
    let line = run(text, end, 4, is_blank);
    let start = run(text, line, 8, |byte| is_blank(byte) || is_line_end(byte));
    let word = Word::at(text, start).filter(|_| start > line && is_line_end(at(text, line)))?;
    let rest = run(text, word.rest, 8, is_blank);
    let alone = !word.colon && (at(text, rest) == 0 || is_line_end(at(text, rest)));
    let said = &text[word.start..word.end];
    let told = match noun {
        Noun::Password | Noun::Pass => is_told_password(said, Sign::Strong),
        _ => is_told_key(said, Sign::Strong),
    };
    (alone && told).then_some(Found::new(Rule::Sentence, word.start, word.end))
}

const fn ends_sentence(byte: u8) -> bool {
    matches!(byte, b'.' | b'!' | b'?' | b',' | b';')
}

/// Says whether the line of a place is a row of a table.
fn in_table(text: &[u8], place: usize) -> bool {
    let line = run_back(text, place, 80, |byte| !is_line_end(byte));
    text[line..place].trim_ascii_start().first() == Some(&b'|')
}

/// What may stand between a value and the noun behind it: `use … as the password`.
const AHEAD: [&str; 15] = [
    " est le", " es la", " ist das", " è la", " é a", " is het", " as the", " as your", " as my",
    " as", " is the", " is your", " is my", " is our", " for the",
];

/// Reads the value before the noun.
fn ahead(text: &[u8], start: usize, noun: Noun) -> Option<Found> {
    if !matches!(noun, Noun::Password | Noun::Foreign | Noun::Key) {
        return None;
    }
    let line = run_back(text, start, LONGEST, |byte| !is_line_end(byte));
    let said = text[line..start].strip_suffix(b" ")?;
    let rest = AHEAD
        .iter()
        .find_map(|words| said.strip_suffix(words.as_bytes()))?;
    let end = run_back(text, line + rest.len(), 1, is_quote);
    let from = run_back(text, end, end - line, |byte| byte > b' ' && !is_quote(byte));
    let first = before(text, from);
    if first > b' ' && !is_quote(first) {
        return None;
    }
    let word = Word {
        start: from,
        end,
        rest: end,
        colon: false,
    };
    is_told(text, start, word, noun, Sign::Weak).then_some(Found::new(Rule::Sentence, from, end))
}

/// Steps over what glues a value to what stands before it.
fn glue(text: &[u8], from: usize) -> (usize, Option<Sign>) {
    let (mut from, mut sign) = (from, None);
    for _ in 0..3 {
        let rest = text.get(from..).unwrap_or_default();
        let glued = GLUE
            .iter()
            .find(|(mark, _)| rest.starts_with(mark.as_bytes()));
        let Some((mark, is)) = glued else { break };
        from = run(text, from + mark.len(), 4, is_blank);
        sign = Some(*is);
    }
    (from, sign)
}

/// A word that could be a secret.
#[derive(Debug, Clone, Copy)]
struct Word {
    start: usize,
    /// Behind it, without the marks of its sentence.
    end: usize,
    /// Behind all of it.
    rest: usize,
    /// Whether a colon ends it.
    colon: bool,
}

impl Word {
    /// Reads the word that starts at `from`.
    fn at(text: &[u8], from: usize) -> Option<Self> {
        if let Some((start, end)) = quoted(text, from) {
            // What is quoted in parts, such as 'ops'@'localhost', is one.
            let rest = run(text, end, LONGEST, |byte| byte > b' ');
            return (end > start && end - start <= LONGEST).then_some(Self {
                start,
                end,
                rest,
                colon: false,
            });
        }
        let start = run(text, from, 3, |byte| {
            is_quote(byte) || matches!(byte, b'*' | b'(')
        });
        // From U+0800 on there are scripts without spaces, and marks of sentences.
        let wide = at(text, start) >= 0xe0;
        let rest = run(text, start, LONGEST, |byte| {
            byte > b' ' && byte != 0x7f && !is_quote(byte) && byte != b'<' && (wide || byte < 0xe0)
        });
        if rest == start || rest - start == LONGEST {
            return None;
        }
        let end = run_back(text, rest, 3, |byte| {
            matches!(byte, b'.' | b',' | b':' | b';' | b'?' | b')' | b'*')
        });
        let colon = before(text, rest) == b':';
        let rest = run(text, rest, 2, is_quote);
        Some(Self {
            start,
            end: end.max(start + 1),
            rest,
            colon,
        })
    }
}

/// Returns what a word says of what stands behind it.
fn connects(word: &[u8]) -> Sign {
    let strong = STRONG
        .iter()
        .any(|strong| word.eq_ignore_ascii_case(strong.as_bytes()));
    if strong { Sign::Strong } else { Sign::Weak }
}

/// Says whether a word is the secret that the noun names.
fn is_told(text: &[u8], noun_at: usize, word: Word, noun: Noun, sign: Sign) -> bool {
    let said = &text[word.start..word.end];
    match noun {
        Noun::Key | Noun::ForeignKey => {
            // API_KEY …, as a directive that sets a variable has it.
            let variable = before(text, noun_at) == b'_' && text[noun_at].is_ascii_uppercase();
            let sign = if variable && sign == Sign::Weak {
                Sign::Strong
            } else {
                sign
            };
            is_told_key(said, sign)
        }
        Noun::LoneKey => {
            let shape = Shape::of(said);
            shape.upper > 0
                && shape.lower > 0
                && is_told_key(said, sign)
                && may_be_secret(text, noun_at)
        }
        Noun::Account => {
            let pair = said.iter().position(|byte| matches!(byte, b':' | b'/'));
            let password = match pair {
                _ if text[..word.start].trim_ascii_end().ends_with(b"/") => said,
                Some(at) if at > 1 => &said[at + 1..],
                _ => return false,
            };
            !contains(said, b"://") && is_told_password(password, Sign::Weak)
        }
        Noun::Foreign if sign == Sign::Weak && is_mixed(said) => {
            is_told_password(said, Sign::Strong)
        }
        Noun::Password | Noun::Foreign | Noun::Pass => {
            let sign = match sign {
                Sign::Weak if is_accompanied(text, noun_at, true) => Sign::Strong,
                sign => sign,
            };
            let told = sign != Sign::Weak || noun != Noun::Pass || Shape::of(said).symbols > 0;
            told && is_told_password(said, sign)
        }
    }
}

/// Says whether a lone `key` at a place may be a secret one, by the word before it.
fn may_be_secret(text: &[u8], key: usize) -> bool {
    let end = run_back(text, key, 2, is_blank);
    let start = run_back(text, end, 24, |byte| {
        byte.is_ascii_alphabetic() || byte == b'-'
    });
    key_name::kind(&[&text[start..end], b"_key"].concat()).is_some()
}

/// Says whether an account is logged in to with a word.
fn is_login(word: &[u8]) -> bool {
    (Shape::of(word).symbols > 0 || is_styled(word)) && is_told_password(word, Sign::Weak)
}

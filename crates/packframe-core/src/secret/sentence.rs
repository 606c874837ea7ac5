//! Secrets that people tell each other: `the password is …`, `Das Passwort lautet …`,
//! `密码是…`, `user admin, password …`.

use super::ascii::{
    at, before, contains, is_blank, is_line_end, is_quote, is_url_safe, run, run_back,
};
use super::assignment::{is_accompanied, quoted};
use super::found::Found;
use super::key_name::Kind;
use super::placeholder::is_placeholder;
use super::rule::Rule;
use super::shape::{Shape, is_date, is_place, is_uuid, is_wordy};
use super::value::{Form, is_secret};

/// What the word before a secret names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Noun {
    /// A password, by a word that names fields too: what `=` or `:` follows is an assignment.
    Password,
    /// A password, in a language other than English.
    Foreign,
    /// A key or a token.
    Key,
    /// An account, which is told as name and password.
    Account,
}

/// How sure it is, by what stands before a value, that it is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    /// Nothing but a word, or a word that means much else.
    Weak,
    /// A word that means that both are the same.
    Strong,
    /// A colon or an equals sign.
    Colon,
}

/// Words between the noun and the secret that are looked at.
const WORDS: usize = 7;

/// Bytes of a value that are read at most.
const LONGEST: usize = 192;

/// Words by which both sides are the same.
const STRONG: [&str; 27] = [
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
    "هي",
    "هو",
    "là",
    "adalah",
    "ialah",
    "это",
    "है",
];

/// Words by which they may be.
const WEAK: [&str; 9] = ["to", "on", "=>", "->", "as", "auf", "til", "till", "–"];

/// Marks and particles that stand right before a value.
const GLUE: [(&str, Sign); 20] = [
    (":", Sign::Colon),
    ("=", Sign::Colon),
    ("：", Sign::Colon),
    ("＝", Sign::Colon),
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

/// Reads what is said of the noun from `start` to `end`.
pub(super) fn read(text: &[u8], start: usize, end: usize, noun: Noun) -> Option<Found> {
    if at(text, start).is_ascii() && before(text, start).is_ascii_alphanumeric() {
        return None;
    }
    let mut place = run(text, end, 12, |byte| {
        byte >= 0x80 && byte < 0xe1 || noun == Noun::Foreign && byte.is_ascii_lowercase()
    });
    if at(text, place).is_ascii_alphanumeric() && at(text, end).is_ascii() && noun != Noun::Foreign
    {
        return None;
    }
    place = run(text, place, 4, |byte| {
        is_quote(byte) || matches!(byte, b'*' | b')' | b'_')
    });
    let next = run(text, place, 8, is_blank);
    if noun != Noun::Foreign && noun != Noun::Account && matches!(at(text, next), b':' | b'=') {
        // An assignment, with rules of its own.
        return None;
    }
    let mut sign = Sign::Weak;
    let mut near = true;
    for _ in 0..WORDS {
        let from = run(text, place, 8, is_blank);
        let (from, glued) = glue(text, from, place);
        if let Some(glued) = glued {
            sign = glued;
        } else if from == place && !near {
            return None;
        }
        let (value, stop, ends) = value(text, from)?;
        let told = near || sign != Sign::Weak;
        if told && is_told(text, start, (value, stop), noun, sign) {
            return Some(Found::new(Rule::Sentence, value, stop));
        }
        let word = &text[value..stop];
        sign = connects(word);
        let colon = matches!(at(text, stop), b':' | b'=') || ends;
        near = sign != Sign::Weak || WEAK.iter().any(|weak| weak.as_bytes() == word);
        if noun == Noun::Account {
            near = true;
            sign = Sign::Weak;
        }
        place = stop;
        if matches!(at(text, stop), b'.' | b'!' | b'?' | b',' | b';') && noun != Noun::Account {
            return None;
        }
        if at(text, place).is_ascii_punctuation() && !colon {
            place += 1;
        }
    }
    None
}

/// Steps over what glues a value to what stands before it.
fn glue(text: &[u8], from: usize, _place: usize) -> (usize, Option<Sign>) {
    let (mut from, mut sign) = (from, None);
    for _ in 0..3 {
        let glued = GLUE
            .iter()
            .find(|(mark, _)| text[from.min(text.len())..].starts_with(mark.as_bytes()));
        let Some((mark, is)) = glued else { break };
        from = run(text, from + mark.len(), 4, is_blank);
        sign = Some(*is);
    }
    (from, sign)
}

/// Returns where a word starts and ends that could be a secret, and whether a colon ends it.
fn value(text: &[u8], from: usize) -> Option<(usize, usize, bool)> {
    if let Some((start, end)) = quoted(text, from) {
        return (end > start && end - start <= LONGEST).then_some((start, end, false));
    }
    let from = run(text, from, 3, |byte| {
        is_quote(byte) || matches!(byte, b'*' | b'(')
    });
    // From U+2000 on there are marks of sentences, and scripts without spaces.
    let ideographs = at(text, from) >= 0xe2;
    let end = run(text, from, LONGEST, |byte| {
        byte > b' '
            && byte != 0x7f
            && !is_quote(byte)
            && byte != b'<'
            && (ideographs || byte < 0xe2)
    });
    if end == from || end - from == LONGEST {
        return None;
    }
    let colon = before(text, end) == b':';
    let trimmed = run_back(text, end, 3, |byte| {
        matches!(byte, b'.' | b',' | b':' | b';' | b'?' | b')' | b'*')
    });
    Some((from, trimmed.max(from + 1), colon))
}

/// Returns what a word says of what stands behind it.
fn connects(word: &[u8]) -> Sign {
    let strong = STRONG
        .iter()
        .any(|strong| word.eq_ignore_ascii_case(strong.as_bytes()));
    if strong { Sign::Strong } else { Sign::Weak }
}

fn is_told(
    text: &[u8],
    noun_at: usize,
    (start, end): (usize, usize),
    noun: Noun,
    sign: Sign,
) -> bool {
    let word = &text[start..end];
    match noun {
        Noun::Key => is_told_key(word, sign),
        Noun::Account => {
            let pair = word.iter().position(|byte| matches!(byte, b':' | b'/'));
            let password = pair.map_or(word, |at| &word[at + 1..]);
            let follows = text[..start].trim_ascii_end().last() == Some(&b'/');
            let told = pair.is_some_and(|at| at > 1) || follows;
            told && !contains(word, b"://") && is_told_password(password, Sign::Weak)
        }
        Noun::Password | Noun::Foreign => {
            let sign = if sign == Sign::Weak && is_accompanied(text, noun_at) {
                Sign::Strong
            } else {
                sign
            };
            is_told_password(word, sign)
        }
    }
}

fn is_told_password(word: &[u8], sign: Sign) -> bool {
    let shape = Shape::of(word);
    if shape.blanks > 0 || shape.letters() + shape.foreign == 0 || shape.len < 6 {
        return sign == Sign::Colon && is_secret(Kind::Password, word, Form::Line);
    }
    let mixed = shape.symbols > 0 && shape.upper > 0 && shape.lower > 0 && shape.len >= 8;
    let made = shape.digits > 0
        || (mixed
            && sign != Sign::Weak
            && word.last().is_some_and(|last| last.is_ascii_alphanumeric()));
    let weak = sign == Sign::Weak && (is_wordy(word) || shape.len < 8 || shape.counts_up());
    made && !weak
        && !is_known(word)
        && (is_secret(Kind::Password, word, Form::Code) || is_words(word, &shape))
}

/// Says whether a value is made of words and a number as passwords are, not as names are.
fn is_words(word: &[u8], shape: &Shape) -> bool {
    let phrase = shape.joiners >= 2 && !contains(word, b"_") && !contains(word, b".");
    let styled = shape.upper > 0 && shape.lower > 0 && shape.joiners > 0;
    (phrase || styled) && is_secret(Kind::Password, word, Form::Literal) && !is_place(word)
}

fn is_told_key(word: &[u8], sign: Sign) -> bool {
    let shape = Shape::of(word);
    let hex = word.iter().all(u8::is_ascii_hexdigit);
    shape.len >= 16
        && shape.digits >= 2
        && shape.letters() >= 2
        && !is_uuid(word)
        && !(sign == Sign::Weak && hex)
        && word
            .iter()
            .all(|byte| is_url_safe(*byte) || b"+/=.~%".contains(byte))
        && is_secret(Kind::Key, word, Form::Code)
}

/// Says whether a word with digits is known to be none: an algorithm, a measure, an address.
fn is_known(word: &[u8]) -> bool {
    const ALGORITHMS: [&str; 22] = [
        "sha", "md5", "bcrypt", "scrypt", "argon", "pbkdf", "aes", "utf", "base6", "base3",
        "oauth", "rfc", "iso", "http", "tls", "ssl", "hmac", "x509", "rsa", "ed255", "mfa",
        "chacha",
    ];
    let lower = word.to_ascii_lowercase();
    let algorithm = ALGORITHMS
        .iter()
        .any(|name| lower.starts_with(name.as_bytes()))
        && is_wordy(word);
    let digits = run(word, 0, word.len(), |byte| byte.is_ascii_digit());
    let unit = &word[digits..];
    let measure = digits > 0
        && unit
            .iter()
            .all(|byte| byte.is_ascii_lowercase() || *byte == b'-');
    let mail = word
        .iter()
        .position(|byte| *byte == b'@')
        .is_some_and(|at| {
            is_wordy(&word[..at]) && contains(&word[at..], b".") && is_wordy(&word[at + 1..])
        });
    algorithm
        || measure
        || mail
        || is_date(word)
        || is_place(word)
        || is_placeholder(word)
        || word.iter().any(|byte| is_line_end(*byte))
}

//! Whether a word that somebody tells is a secret.

use super::ascii::{contains, is_url_safe, run};
use super::key_name::Kind;
use super::placeholder::is_placeholder;
use super::shape::{
    Shape, is_date, is_jumbled, is_mail, is_place, is_resource, is_styled, is_uuid, is_wordy,
};
use super::value::{Form, is_secret, trim_marks};

/// How sure it is, by what stands before a value, that it is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    /// Nothing but a word, or a word that means much else.
    Weak,
    /// A word that means that both are the same.
    Strong,
    /// A colon or an equals sign right behind the noun.
    Colon,
}

/// Says whether a value is a password by itself, whatever stands before it.
pub(super) fn is_unlike_a_name(value: &[u8]) -> bool {
    is_told_password(value, Sign::Weak)
}

/// Says whether a word is a password, by how sure it is that one stands there.
pub(super) fn is_told_password(word: &[u8], sign: Sign) -> bool {
    let shape = Shape::of(word);
    // A number in a sentence of a language without spaces.
    if shape.foreign > shape.letters() && word[0] >= 0xe0 {
        return false;
    }
    if shape.blanks > 0 || shape.letters() + shape.foreign == 0 || shape.len < 6 {
        return sign == Sign::Colon
            && shape.digits + shape.symbols > 0
            && !is_date(word)
            && is_secret(Kind::Password, word, Form::Line);
    }
    let inner = Shape::of(trim_marks(word));
    let mixed = inner.len >= 8
        && (inner.symbols > 0 && (inner.upper > 0 && inner.lower > 0 || sign == Sign::Colon));
    let jumbled = is_jumbled(word);
    let made = shape.digits > 0 || jumbled || mixed && sign != Sign::Weak;
    let plain = is_plain(word) || shape.len < 8 || shape.counts_up();
    let short = shape.upper == 0 && shape.len < 8 && is_wordy(word);
    made && !(sign == Sign::Weak && plain || short)
        && !is_known(word)
        && (is_secret(Kind::Password, word, Form::Code)
            || jumbled && is_secret(Kind::Password, word, Form::Literal)
            || is_mixed(word) && !closes(word) && is_secret(Kind::Password, word, Form::Quoted)
            || is_words(word, &shape))
}

/// Says whether a value is made of words and a number as passwords are, not as names are.
fn is_words(word: &[u8], shape: &Shape) -> bool {
    let phrase = shape.joiners >= 2 && !contains(word, b"_") && !contains(word, b".");
    let styled = shape.upper > 0 && shape.lower > 0 && shape.joiners > 0;
    (phrase || styled) && is_secret(Kind::Password, word, Form::Literal) && !is_place(word)
}

/// The same for a key or a token.
pub(super) fn is_told_key(word: &[u8], sign: Sign) -> bool {
    let shape = Shape::of(word);
    let hex = word.iter().all(u8::is_ascii_hexdigit);
    // What stands where a secret is told may be a password too.
    if sign != Sign::Weak
        && (shape.symbols > 0 || is_styled(word))
        && !is_plain(word)
        && is_told_password(word, Sign::Weak)
    {
        return true;
    }
    let short = sign != Sign::Weak && shape.len >= 10 && shape.upper > 0 && shape.lower > 0;
    (shape.len >= 16 || short)
        && shape.digits >= 2
        && shape.letters() >= 2
        && !is_uuid(word)
        && !(sign == Sign::Weak && hex)
        && !is_resource(word, &shape)
        && word
            .iter()
            .all(|byte| is_url_safe(*byte) || b"+/=.~%".contains(byte))
        && is_secret(Kind::Key, word, Form::Code)
}

/// Says whether a word has letters of both cases, digits and symbols.
pub(super) fn is_striking(word: &[u8]) -> bool {
    let shape = Shape::of(word);
    let symbols = word.iter().any(|byte| b"!%^&*+?@#~$".contains(byte));
    symbols
        && shape.len >= 8
        && shape.upper > 0
        && shape.lower > 1
        && shape.digits > 0
        && is_told_password(word, Sign::Weak)
}

/// Says whether a word has capitals, small letters, and some digits.
pub(super) fn is_mixed(word: &[u8]) -> bool {
    let shape = Shape::of(word);
    shape.len >= 8
        && shape.upper > 0
        && shape.lower > 0
        && shape.digits >= 2
        && !contains(word, b"->")
}

/// Says whether a word ends as an expression does.
fn closes(word: &[u8]) -> bool {
    matches!(word.last(), Some(b')' | b']' | b'}' | b'>'))
}

/// Says whether a word could be the name of something.
fn is_plain(word: &[u8]) -> bool {
    is_wordy(word)
        && !is_styled(word)
        && !is_jumbled(word)
        && (!word.contains(&b'@') || is_mail(word))
}

/// Starts of words with numbers that name algorithms and standards. In lower case.
const ALGORITHMS: [&str; 22] = [
    "sha", "md5", "bcrypt", "scrypt", "argon", "pbkdf", "aes", "utf", "base6", "base3", "oauth",
    "rfc", "iso", "http", "tls", "ssl", "hmac", "x509", "rsa", "ed255", "mfa", "chacha",
];

/// Says whether a word with digits is known to be none: an algorithm, a measure, an address.
fn is_known(word: &[u8]) -> bool {
    let lower = word.to_ascii_lowercase();
    let algorithm = ALGORITHMS
        .iter()
        .any(|name| lower.starts_with(name.as_bytes()))
        && is_wordy(word);
    let digits = run(word, 0, word.len(), |byte| byte.is_ascii_digit());
    let measure = digits > 0
        && word[digits..]
            .iter()
            .all(|byte| byte.is_ascii_lowercase() || *byte == b'-');
    algorithm || measure || is_mail(word) || is_date(word) || is_place(word) || is_placeholder(word)
}

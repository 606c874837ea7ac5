//! Whether the value of a field with a secret name is a secret.

use super::ascii::{contains, is_quote};
use super::filler::is_filling;
use super::key_name::Kind;
use super::placeholder::is_placeholder;
use super::sealed::is_sealed;
use super::shape::{LOOKED_AT, Shape, is_date, is_jumbled, is_place, is_styled, is_uuid, is_wordy};
use super::token::is_aws_secret;
use super::version::is_version;

/// How a value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// In quotes, or a string of JSON.
    Quoted,
    /// Bare, as in a shell, an environment file, a query or a connection string: a word stands for
    /// itself.
    Literal,
    /// Bare, behind a colon and at the end of its line, as in YAML.
    Line,
    /// Bare, where a word may be the name of a variable.
    Code,
}

/// Words that say what kind of thing stands in a field. In lower case.
const TYPES: [&[u8]; 40] = [
    b"any",
    b"binary",
    b"bool",
    b"boolean",
    b"byte",
    b"bytes",
    b"char",
    b"character",
    b"const",
    b"disabled",
    b"enabled",
    b"encrypted",
    b"file",
    b"forgotten",
    b"hashed",
    b"hidden",
    b"input",
    b"integer",
    b"interactive",
    b"keyword",
    b"mandatory",
    b"never",
    b"nullable",
    b"number",
    b"object",
    b"plain",
    b"plaintext",
    b"private",
    b"prompt",
    b"protected",
    b"public",
    b"secret",
    b"sensitive",
    b"static",
    b"varchar",
    b"wrong",
    b"missing",
    b"weak",
    b"strong",
    b"expired",
];

/// Words of sentences, by which a phrase is known to be about a password.
const PROSE: [&str; 62] = [
    "a",
    "an",
    "and",
    "are",
    "at",
    "be",
    "by",
    "can",
    "cannot",
    "characters",
    "choose",
    "confirm",
    "contain",
    "credentials",
    "current",
    "do",
    "does",
    "enter",
    "field",
    "for",
    "forgot",
    "from",
    "has",
    "have",
    "here",
    "if",
    "in",
    "incorrect",
    "invalid",
    "is",
    "it",
    "least",
    "long",
    "match",
    "minimum",
    "missing",
    "must",
    "new",
    "no",
    "not",
    "of",
    "old",
    "on",
    "or",
    "password",
    "passwords",
    "please",
    "required",
    "reset",
    "secret",
    "should",
    "show",
    "the",
    "this",
    "to",
    "token",
    "type",
    "use",
    "with",
    "wrong",
    "you",
    "your",
];

/// Says whether the value of a field is a secret.
pub(super) fn is_secret(kind: Kind, value: &[u8], form: Form) -> bool {
    let head = &value[..value.len().min(LOOKED_AT)];
    if value.len() < 4 {
        return false;
    }
    if kind != Kind::Doubtful && is_aws_secret(value) {
        return !is_placeholder(value);
    }
    let shape = Shape::of(head);
    let made = match kind {
        Kind::Password => is_password(head, &shape, form),
        Kind::Pass => {
            let told = shape.symbols > 0 || is_styled(head) || shape.len >= 8 && !is_wordy(head);
            (form != Form::Code || told)
                && shape.letters() > 0
                && shape.digits + shape.symbols > 0
                && is_password(head, &shape, form)
        }
        Kind::Key => is_key(head, &shape, form),
        Kind::Doubtful => {
            shape.len >= 16
                && shape.digits >= 2
                && shape.letters() >= 2
                && !is_uuid(head)
                && !head.contains(&b'/')
                && is_key(head, &shape, form)
        }
    };
    // What looks into the value at length comes last.
    made && !is_date(head)
        && !is_place(head)
        && !is_version(head)
        && !is_sealed(value)
        && (form == Form::Quoted || !is_code(head, form))
        && !is_placeholder(value)
}

/// Says whether a bare value is an expression: a call, an index, a path through objects.
fn is_code(value: &[u8], form: Form) -> bool {
    let first = value[0];
    // A parameter of a statement: @Password1, :password2.
    let parameter = matches!(first, b'@' | b':')
        && value[1..]
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        && mentions(value);
    if parameter {
        return true;
    }
    let name = value
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || b"_.:&>-".contains(byte))
        .count();
    let next = value.get(name).copied().unwrap_or(0);
    // What looks made by chance is no expression, unless it is closed as one.
    let shape = Shape::of(value);
    let odd = value.iter().any(|byte| b"!%^&*+=?@#~$,".contains(byte));
    let chance = odd
        && shape.digits > 0
        && shape.upper > 0
        && shape.lower > 0
        && !contains(value, b"->")
        && !value.iter().any(|byte| is_quote(*byte));
    // A bare value ends at a quote, so that of a call ends where its arguments start.
    let closed = matches!(
        value.last(),
        Some(b')' | b']' | b'}' | b'>' | b'(' | b'[' | b'{')
    );
    if chance && !closed {
        return false;
    }
    let opens = matches!(
        first,
        b'(' | b'[' | b'{' | b'<' | b'|' | b'>' | b'#' | b'\\'
    ) || is_quote(first);
    let tagged = matches!(first, b'!' | b'&' | b'*' | b'@')
        && value[1..]
            .iter()
            .all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'.' | b':' | b'!'));
    let called = name > 0 && matches!(next, b'(' | b'[' | b'{' | b'<');
    opens
        || tagged
        || form == Form::Code && is_hex_number(value)
        || called
        || contains(value, b"->")
        || contains(value, b"::")
        || is_dotted(value, form)
}

/// Says whether a value is a number as code writes it: `0x00ff`.
fn is_hex_number(value: &[u8]) -> bool {
    value.len() <= 18
        && value
            .strip_prefix(b"0x")
            .is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
}

/// Names at which a path through objects starts.
const ROOTS: [&[u8]; 34] = [
    b"app",
    b"args",
    b"cfg",
    b"conf",
    b"config",
    b"context",
    b"ctx",
    b"data",
    b"env",
    b"event",
    b"form",
    b"global",
    b"import",
    b"local",
    b"module",
    b"options",
    b"opts",
    b"os",
    b"params",
    b"parameters",
    b"process",
    b"props",
    b"req",
    b"request",
    b"res",
    b"response",
    b"secrets",
    b"self",
    b"session",
    b"settings",
    b"state",
    b"this",
    b"user",
    b"var",
];

/// Says whether a value is names with points between them, as in `config.db2.password`.
fn is_dotted(value: &[u8], form: Form) -> bool {
    // In a tag: <cfset password = form.password1>.
    let value = value.strip_suffix(b">").unwrap_or(value);
    let mut names = value.split(|byte| *byte == b'.');
    let root = names.next().unwrap_or_default();
    root.len() < value.len()
        && value.iter().all(|byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'$' | b'?' | b'!')
        })
        && (ROOTS.contains(&root)
            || form == Form::Code && is_wordy(value) && !is_styled(value)
            || value.iter().all(|byte| !byte.is_ascii_digit()))
}

fn is_password(value: &[u8], shape: &Shape, form: Form) -> bool {
    if shape.blanks > 0 {
        return is_phrase(value, shape);
    }
    if shape.only_digits() {
        return match form {
            Form::Quoted | Form::Literal => true,
            Form::Line => shape.len >= 6,
            Form::Code => false,
        };
    }
    if shape.foreign > 0 && shape.digits == 0 && shape.symbols == 0 {
        // A label in another language, more often than a password.
        return false;
    }
    let core = value.trim_ascii_end();
    let core = trim_marks(core);
    let words = Shape::of(core);
    if words.letters() + words.joiners + words.marks == words.len {
        return is_word_password(core, &words, form);
    }
    if shape.symbols == 0 && shape.marks == 0 && shape.foreign == 0 {
        // Letters and digits.
        let named = core.contains(&b'_') && is_wordy(core) && !is_styled(core);
        return match form {
            Form::Quoted | Form::Literal => !(named && mentions(core)),
            Form::Line => shape.len >= 5 && !(named && mentions(core)),
            Form::Code => shape.len >= 6 && !named && !mentions(core),
        };
    }
    shape.letters() + shape.digits + shape.foreign >= 2
}

/// Takes the marks of a sentence off the end of a value.
pub(super) fn trim_marks(value: &[u8]) -> &[u8] {
    let end = value
        .iter()
        .rposition(|byte| !matches!(byte, b'!' | b'?' | b'*' | b':' | b'.' | b',' | b';'))
        .map_or(0, |at| at + 1);
    &value[..end]
}

/// Says whether letters, and what joins them, are a password and not a label or a name.
fn is_word_password(value: &[u8], shape: &Shape, form: Form) -> bool {
    let lower = value.to_ascii_lowercase();
    let word = TYPES.contains(&lower.as_slice()) || is_filling(value);
    if word || shape.len < 5 || shape.marks > 0 || value.contains(&b'.') || value.contains(&b'_') {
        return false;
    }
    if shape.mixed_case() {
        return form != Form::Code || is_jumbled(value) && !mentions(value);
    }
    if shape.joiners > 0 {
        // Three words or more, as people are told to make them; two are a name.
        return form != Form::Code && shape.joiners >= 2 && !mentions(value) && shape.upper == 0;
    }
    let upper_first = value[0].is_ascii_uppercase();
    match form {
        Form::Quoted => !(mentions(value) || upper_first && shape.upper == 1),
        Form::Literal | Form::Line => shape.upper == 0 && !mentions(value),
        Form::Code => false,
    }
}

/// Says whether a value speaks of secrets, as the names of variables and fields do.
fn mentions(value: &[u8]) -> bool {
    let lower = value.to_ascii_lowercase();
    [
        &b"password"[..],
        b"passwd",
        b"secret",
        b"token",
        b"credential",
    ]
    .iter()
    .any(|word| contains(&lower, word))
}

/// Says whether words with spaces between them are a passphrase and not a sentence.
fn is_phrase(value: &[u8], shape: &Shape) -> bool {
    let Ok(text) = std::str::from_utf8(value) else {
        return false;
    };
    let words: Vec<String> = text
        .split_whitespace()
        .map(|word| {
            word.trim_matches(|c: char| !c.is_alphanumeric())
                .to_lowercase()
        })
        .collect();
    let plain = shape.foreign == 0 && shape.marks == 0 && shape.len <= 80;
    plain
        && words.len() >= 3
        && text.starts_with(|c: char| !c.is_uppercase())
        && !words.iter().any(|word| PROSE.contains(&word.as_str()))
}

fn is_key(value: &[u8], shape: &Shape, form: Form) -> bool {
    let contract = value.len() == 42
        && value.starts_with(b"0x")
        && value[2..].iter().all(u8::is_ascii_hexdigit);
    if shape.blanks > 0 || shape.only_digits() || contract {
        return false;
    }
    if shape.len < 8 {
        // Such as s3cr3t: digits between letters.
        return shape.len >= 6 && form != Form::Code && shape.digits >= 2 && !is_wordy(value);
    }
    if value.starts_with(b"#")
        || value.starts_with(b"data:")
        || (value.starts_with(b"sha256") && !value.starts_with(b"sha256~"))
    {
        return false;
    }
    if is_wordy(value) {
        return false;
    }
    if form == Form::Code && shape.len < 10 {
        return false;
    }
    let mixed = shape.digits > 0 && shape.letters() > 0 && !shape.counts_up();
    let chance = shape.len >= 16 && shape.mixed_case();
    let punctuated = shape.symbols >= 2 && shape.letters() > 0 && form != Form::Code;
    mixed || chance || punctuated
}

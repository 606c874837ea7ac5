//! What a value looks like: words that somebody wrote, or something that a machine made.

use super::ascii::run;

/// Bytes of a value that are looked at; what follows is taken to be like them.
pub(super) const LOOKED_AT: usize = 160;

/// How many bytes of each kind a value has.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Shape {
    pub(super) len: usize,
    pub(super) lower: usize,
    pub(super) upper: usize,
    pub(super) digits: usize,
    /// `_`, `-` and `.`, which join words.
    pub(super) joiners: usize,
    /// `/`, `|`, `,`, `:`, `;`, which stand between words.
    pub(super) marks: usize,
    /// White space.
    pub(super) blanks: usize,
    /// All other ASCII.
    pub(super) symbols: usize,
    /// Bytes of what is not ASCII.
    pub(super) foreign: usize,
    /// Bytes that are the one before plus one, in runs of at least five bytes.
    pub(super) steps: usize,
}

impl Shape {
    /// Counts the bytes of a value.
    pub(super) fn of(value: &[u8]) -> Self {
        let mut shape = Self {
            len: value.len(),
            ..Self::default()
        };
        let mut last = 0;
        let mut run = 0;
        for &byte in value {
            match byte {
                b'a'..=b'z' => shape.lower += 1,
                b'A'..=b'Z' => shape.upper += 1,
                b'0'..=b'9' => shape.digits += 1,
                b'_' | b'-' | b'.' => shape.joiners += 1,
                b'/' | b'|' | b',' | b':' | b';' => shape.marks += 1,
                b' ' | b'\t' | b'\n' | b'\r' => shape.blanks += 1,
                0x80.. => shape.foreign += 1,
                _ => shape.symbols += 1,
            }
            let follows = byte.to_ascii_lowercase() == last + 1 || (last == b'9' && byte == b'0');
            run = if follows { run + 1 } else { 0 };
            shape.steps += match run {
                0..=3 => 0,
                4 => 4,
                _ => 1,
            };
            last = byte.to_ascii_lowercase().min(0x7f);
        }
        shape
    }

    /// Returns how many letters there are.
    pub(super) const fn letters(&self) -> usize {
        self.lower + self.upper
    }

    /// Says whether nothing but digits is there.
    pub(super) const fn only_digits(&self) -> bool {
        self.digits == self.len
    }

    /// Says whether most of it counts up, as in `abcdef` or `123456`.
    pub(super) const fn counts_up(&self) -> bool {
        self.steps * 5 >= self.len * 3
    }

    /// Says whether upper and lower case are mixed as chance mixes them.
    pub(super) const fn mixed_case(&self) -> bool {
        let letters = self.letters();
        letters >= 8 && self.upper * 10 >= letters * 3 && self.lower * 10 >= letters * 3
    }
}

/// Says whether a value consists of words, numbers of at most four digits, and what joins them:
/// `db-password-v2`, `users.login_form`, `/run/secrets/token`.
pub(super) fn is_wordy(value: &[u8]) -> bool {
    // What stands between words joins them; other symbols beside digits are not written in words.
    let symbols = value.iter().any(|byte| b"!#$%^&*~+?".contains(byte));
    if symbols && value.iter().any(u8::is_ascii_digit) {
        return false;
    }
    value
        .split(|byte| !byte.is_ascii_alphanumeric())
        .filter(|segment| !segment.is_empty())
        .all(is_word)
}

/// Says whether letters and digits are a word, a number, or a word with a number behind it.
fn is_word(segment: &[u8]) -> bool {
    let letters = segment
        .iter()
        .take_while(|byte| byte.is_ascii_alphabetic())
        .count();
    let (word, number) = segment.split_at(letters);
    let shape = Shape::of(word);
    number.iter().all(u8::is_ascii_digit)
        && number.len() <= 4
        && if number.is_empty() {
            letters <= 20 && (letters < 16 || !shape.mixed_case())
        } else {
            letters <= 12 && !shape.mixed_case()
        }
}

/// Says whether a value is words with a capital each, and few numbers: `BoardsOf2024Final`.
pub(super) fn is_camel(value: &[u8]) -> bool {
    let (mut words, mut numbers, mut place) = (0, 0, 0);
    while place < value.len() {
        let digits = run(value, place, usize::MAX, |byte| byte.is_ascii_digit());
        if digits > place {
            numbers += 1;
            place = digits;
            continue;
        }
        let capital = usize::from(value[place].is_ascii_uppercase());
        let end = run(value, place + capital, usize::MAX, |byte| {
            byte.is_ascii_lowercase()
        });
        if capital == 0 && place > 0 || end - place < 2 {
            return false;
        }
        words += capital;
        place = end;
    }
    words >= 2 && numbers <= 2
}

/// Says whether a value is letters alone, of upper and lower case as chance mixes them.
pub(super) fn is_jumbled(value: &[u8]) -> bool {
    let shape = Shape::of(&value[..value.len().min(LOOKED_AT)]);
    shape.len >= 10 && shape.letters() == shape.len && shape.mixed_case()
}

/// Says whether words are put together as people make passwords: a capital and a number at the end,
/// or three words and a number.
pub(super) fn is_styled(value: &[u8]) -> bool {
    let number = value
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let words: Vec<&[u8]> = value[..value.len() - number]
        .split(|byte| matches!(byte, b'-' | b'_' | b'.'))
        .filter(|word| !word.is_empty())
        .collect();
    let letters = words
        .iter()
        .all(|word| word.len() >= 4 && word.iter().all(u8::is_ascii_alphabetic));
    let mixed =
        value.iter().any(u8::is_ascii_uppercase) && value.iter().any(u8::is_ascii_lowercase);
    // A number in the middle, as no name in one case has it: ABC1234_xYz.
    let middle = value.windows(3).any(|part| {
        part[0].is_ascii_digit() && part[1].is_ascii_digit() && matches!(part[2], b'_' | b'.')
    });
    if mixed && middle && value.len() >= 10 {
        return true;
    }
    (2..=5).contains(&number) && letters && (words.len() >= 3 || words.len() == 2 && mixed)
}

/// Says whether a value is an e-mail address.
pub(super) fn is_mail(value: &[u8]) -> bool {
    value
        .iter()
        .position(|byte| *byte == b'@')
        .is_some_and(|at| {
            let (name, host) = (&value[..at], &value[at + 1..]);
            is_wordy(name) && is_wordy(host) && host.contains(&b'.')
        })
}

/// Says whether a value could name something in a cluster or a store: `db-tls-7f9c6d5b4`.
pub(super) fn is_resource(value: &[u8], shape: &Shape) -> bool {
    shape.upper == 0
        && shape.symbols == 0
        && value.iter().any(|byte| matches!(byte, b'-' | b'.' | b'/'))
}

/// Says whether a value is a universally unique identifier: 8-4-4-4-12 hexadecimal digits.
pub(super) fn is_uuid(value: &[u8]) -> bool {
    value.len() == 36
        && value.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Says whether a value could be a date, a time or a version: digits and what joins them.
pub(super) fn is_date(value: &[u8]) -> bool {
    value
        .iter()
        .all(|byte| byte.is_ascii_digit() || b"-/.:+TZ ".contains(byte))
        && value.iter().any(|byte| !byte.is_ascii_digit())
}

/// Says whether a value names a place: a path, a URL, or a file.
pub(super) fn is_place(value: &[u8]) -> bool {
    let rooted = matches!(value, [b'/' | b'~', ..] | [b'.', b'/' | b'.', ..])
        || matches!(value, [drive, b':', b'\\' | b'/', ..] if drive.is_ascii_alphabetic());
    let stored = STORES.iter().any(|store| value.starts_with(store));
    stored || (rooted && is_wordy(value)) || super::ascii::contains(value, b"://") || is_file(value)
}

/// Starts of names that lead to a secret elsewhere.
const STORES: [&[u8]; 8] = [
    b"arn:",
    b"vault:",
    b"env:",
    b"ssm:",
    b"file:",
    b"kms:",
    b"secret:",
    b"secrets:",
];

/// Endings of the files that secrets and code stand in.
const ENDINGS: [&str; 26] = [
    "cer", "cfg", "cnf", "conf", "crt", "csv", "env", "html", "ini", "java", "jks", "js", "json",
    "key", "log", "md", "p12", "pem", "php", "pfx", "py", "toml", "ts", "txt", "yaml", "yml",
];

fn is_file(value: &[u8]) -> bool {
    let Some(dot) = value.iter().rposition(|byte| *byte == b'.') else {
        return false;
    };
    let (name, ending) = value.split_at(dot);
    is_wordy(name)
        && ENDINGS
            .iter()
            .any(|known| ending[1..].eq_ignore_ascii_case(known.as_bytes()))
}

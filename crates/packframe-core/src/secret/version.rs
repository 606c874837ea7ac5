//! Versions and ranges of them, as manifests of packages have them: `^4.0.1`, `>=1.2 <2`, `~> 2.0`.

/// Bytes of a range that are read at most.
const LONGEST: usize = 96;

/// Starts of values that say where a package comes from, in manifests of npm and its kin.
const ORIGINS: [&[u8]; 9] = [
    b"workspace:",
    b"npm:",
    b"github:",
    b"gitlab:",
    b"bitbucket:",
    b"link:",
    b"portal:",
    b"patch:",
    b"catalog:",
];

/// Names of versions that have no number.
const NAMED: [&[u8]; 3] = [b"latest", b"dev-main", b"dev-master"];

/// Signs before a version, the longer ones first.
const OPERATORS: [&[u8]; 12] = [
    b"===", b"~>", b">=", b"<=", b"==", b"!=", b"~=", b"^", b"~", b">", b"<", b"=",
];

/// Words behind the numbers of a version. In lower case, sorted.
const TAGS: [&str; 28] = [
    "a",
    "alpha",
    "android",
    "b",
    "beta",
    "build",
    "c",
    "canary",
    "dev",
    "experimental",
    "final",
    "ga",
    "jre",
    "legacy",
    "m",
    "master",
    "next",
    "nightly",
    "p",
    "patch",
    "post",
    "pre",
    "preview",
    "rc",
    "release",
    "snapshot",
    "sp",
    "stable",
];

/// Says whether a value is a version, a range of versions, or where one comes from.
pub(super) fn is_version(value: &[u8]) -> bool {
    if value.len() > LONGEST {
        return false;
    }
    if NAMED.contains(&value) || ORIGINS.iter().any(|origin| value.starts_with(origin)) {
        return true;
    }
    let mut sure = false;
    let mut sign = false;
    let parts = value
        .split(|byte| matches!(byte, b' ' | b',' | b'|'))
        .filter(|part| !part.is_empty() && *part != b"-");
    for part in parts {
        let part = part
            .strip_prefix(b"[")
            .or(part.strip_prefix(b"("))
            .unwrap_or(part);
        let part = part
            .strip_suffix(b"]")
            .or(part.strip_suffix(b")"))
            .unwrap_or(part);
        let operator = OPERATORS.iter().find(|sign| part.starts_with(sign));
        let rest = &part[operator.map_or(0, |sign| sign.len())..];
        sign |= operator.is_some();
        if rest.is_empty() {
            continue;
        }
        let Some(parts) = numbers(rest) else {
            return false;
        };
        sure |= parts > 1 || sign;
    }
    sure
}

/// Returns how many numbers a version has, or `None` for what is none.
fn numbers(version: &[u8]) -> Option<usize> {
    let mut rest = version
        .strip_prefix(b"v")
        .filter(|rest| rest.first().is_some_and(u8::is_ascii_digit))
        .unwrap_or(version);
    let mut count = 0;
    loop {
        let len = match rest.first() {
            Some(b'*' | b'x' | b'X') if count > 0 || rest.len() == 1 => 1,
            _ => rest.iter().take_while(|byte| byte.is_ascii_digit()).count(),
        };
        if len == 0 || len > 5 {
            return None;
        }
        count += 1;
        rest = &rest[len..];
        match rest {
            [b'.', next, ..] if next.is_ascii_digit() || matches!(next, b'*' | b'x' | b'X') => {
                rest = &rest[1..];
            }
            _ => break,
        }
    }
    is_tail(rest).then_some(count)
}

/// Says whether known words and numbers follow the numbers of a version: `-beta.12`, `rc1`, `+2`.
fn is_tail(tail: &[u8]) -> bool {
    let mut rest = tail;
    while !rest.is_empty() {
        if let [b'-' | b'+' | b'.' | b'@' | b'_', next @ ..] = rest {
            rest = next;
        }
        let letters = rest
            .iter()
            .take_while(|byte| byte.is_ascii_alphabetic())
            .count();
        let word = rest[..letters].to_ascii_lowercase();
        let known = std::str::from_utf8(&word).is_ok_and(|word| TAGS.binary_search(&word).is_ok());
        rest = &rest[letters..];
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        rest = &rest[digits..];
        if letters + digits == 0 || letters > 0 && !known || digits > 8 {
            return false;
        }
    }
    true
}

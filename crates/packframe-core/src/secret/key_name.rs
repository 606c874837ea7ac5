//! Names of fields that hold a secret.

/// What is expected of the value of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A password, which a person may have made up.
    Password,
    /// A key or token, which a machine made.
    Key,
    /// `pass`, which is a password or a result.
    Pass,
    /// A name that often has another meaning; only what is clearly made by a machine counts.
    Doubtful,
}

/// Words behind the noun that do not change what the field holds.
const TRAILING: [&str; 26] = [
    "base",
    "confirmation",
    "hex",
    "value",
    "1",
    "2",
    "3",
    "b64",
    "base64",
    "current",
    "default",
    "dev",
    "live",
    "new",
    "old",
    "plain",
    "plaintext",
    "prod",
    "production",
    "raw",
    "staging",
    "str",
    "string",
    "test",
    "v1",
    "v2",
];

/// Words before `token` with which it is no credential.
const COUNTED: [&str; 48] = [
    "begin",
    "bos",
    "cancel",
    "cancellation",
    "cached",
    "cls",
    "completion",
    "continuation",
    "current",
    "cursor",
    "end",
    "eos",
    "first",
    "generated",
    "image",
    "input",
    "last",
    "lexer",
    "mask",
    "max",
    "min",
    "n",
    "next",
    "num",
    "output",
    "pad",
    "page",
    "pagination",
    "per",
    "previous",
    "prev",
    "prompt",
    "reasoning",
    "sep",
    "skip",
    "space",
    "special",
    "start",
    "stop",
    "sub",
    "sync",
    "text",
    "total",
    "unk",
    "unknown",
    "used",
    "word",
    "delimiter",
];

/// Words before `key` with which it is a secret.
const SECRET_KEYS: [&str; 34] = [
    "access",
    "account",
    "admin",
    "aes",
    "api",
    "app",
    "application",
    "auth",
    "bot",
    "cipher",
    "client",
    "consumer",
    "crypto",
    "deploy",
    "encrypt",
    "encryption",
    "function",
    "hmac",
    "integration",
    "jwt",
    "license",
    "master",
    "private",
    "secret",
    "server",
    "service",
    "session",
    "shared",
    "sign",
    "signing",
    "signature",
    "subscription",
    "webhook",
    "write",
];

/// Words before `key` with which it is none.
const OPEN_KEYS: [&str; 50] = [
    "attribute",
    "cache",
    "candidate",
    "column",
    "composite",
    "config",
    "context",
    "data",
    "dedup",
    "dedupe",
    "dict",
    "event",
    "field",
    "foreign",
    "group",
    "hash",
    "header",
    "host",
    "hot",
    "i18n",
    "idempotency",
    "index",
    "item",
    "join",
    "lang",
    "locale",
    "lookup",
    "map",
    "message",
    "meta",
    "metadata",
    "object",
    "parent",
    "partition",
    "primary",
    "project",
    "public",
    "publishable",
    "range",
    "redis",
    "registry",
    "routing",
    "row",
    "s3",
    "shard",
    "site",
    "sort",
    "storage",
    "translation",
    "unique",
];

/// Words that run together in names.
const COMPOUNDS: [(&str, Kind); 25] = [
    ("password", Kind::Password),
    ("passwd", Kind::Password),
    ("passwort", Kind::Password),
    ("passphrase", Kind::Password),
    ("passcode", Kind::Password),
    ("pwd", Kind::Password),
    ("userpass", Kind::Password),
    ("dbpass", Kind::Password),
    ("mypass", Kind::Password),
    ("storepass", Kind::Password),
    ("keypass", Kind::Password),
    ("requirepass", Kind::Password),
    ("secret", Kind::Key),
    ("token", Kind::Key),
    ("authtoken", Kind::Key),
    ("accesstoken", Kind::Key),
    ("apitoken", Kind::Key),
    ("apikey", Kind::Key),
    ("apisecret", Kind::Key),
    ("clientsecret", Kind::Key),
    ("secretkey", Kind::Key),
    ("accesskey", Kind::Key),
    ("privatekey", Kind::Key),
    ("authkey", Kind::Key),
    ("accountkey", Kind::Key),
];

/// Splits a name into lower-case words: `dbPassword`, `DB_PASSWORD`, `db.password`.
fn words(name: &[u8]) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut open = false;
    for (at, &byte) in name.iter().enumerate() {
        if !byte.is_ascii_alphanumeric() {
            open = false;
            continue;
        }
        let last = at.checked_sub(1).map_or(0, |last| name[last]);
        let next = name.get(at + 1).copied().unwrap_or(0);
        let starts = byte.is_ascii_uppercase()
            && (last.is_ascii_lowercase()
                || last.is_ascii_digit()
                || (last.is_ascii_uppercase() && next.is_ascii_lowercase()));
        let lower = char::from(byte.to_ascii_lowercase());
        match words.last_mut() {
            Some(word) if open && !starts => word.push(lower),
            _ => words.push(lower.to_string()),
        }
        open = true;
    }
    words
}

/// Says whether a name has a part that all names of secrets have one of; the rest is not split
/// into words.
fn could_be(name: &[u8]) -> bool {
    // password, pswd, pwd, secret, token, key, auth, credential.
    const STARTS: [&[u8; 2]; 8] = [b"pa", b"ps", b"pw", b"se", b"to", b"ke", b"au", b"cr"];
    name.windows(2)
        .any(|pair| STARTS.contains(&&[pair[0] | 0x20, pair[1] | 0x20]))
}

/// Returns what a field of this name holds, if that is a secret.
pub(super) fn kind(name: &[u8]) -> Option<Kind> {
    if !could_be(name) {
        return None;
    }
    let mut words = words(name);
    while words.len() > 1
        && words
            .last()
            .is_some_and(|word| TRAILING.contains(&word.as_str()))
    {
        words.pop();
    }
    let last = words.pop()?;
    let last = last.trim_end_matches(|c: char| c.is_ascii_digit());
    let previous = words.last().map_or("", String::as_str);
    if matches!(previous, "encrypted" | "hashed" | "sealed") {
        return None;
    }
    match last {
        "password" | "passwd" | "passwort" | "passphrase" | "passcode" | "pwd" | "pswd"
        | "kennwort" | "senha" | "psk" => Some(Kind::Password),
        "pass" | "pw" => Some(if words.is_empty() {
            Kind::Pass
        } else {
            Kind::Password
        }),
        "token" => (!COUNTED.contains(&previous)).then_some(Kind::Key),
        "secret" => Some(Kind::Key),
        "key" => {
            if SECRET_KEYS.contains(&previous) {
                Some(Kind::Key)
            } else if previous.is_empty() || OPEN_KEYS.contains(&previous) {
                None
            } else {
                Some(Kind::Doubtful)
            }
        }
        "auth" | "credential" | "credentials" => Some(Kind::Doubtful),
        _ => COMPOUNDS
            .iter()
            .filter(|(word, _)| last.ends_with(word))
            .map(|(_, kind)| *kind)
            .next()
            .filter(|kind| *kind != Kind::Key || !last.ends_with("token") || is_token(last)),
    }
}

/// Says whether a word that ends with `token` is a credential: `authtoken`, not `detoken`.
fn is_token(word: &str) -> bool {
    [
        "auth", "access", "api", "bearer", "bot", "refresh", "session", "id", "user", "csrf",
        "xsrf",
    ]
    .iter()
    .any(|start| word.strip_suffix("token") == Some(*start))
}

/// Says whether a name is that of an AWS secret key.
pub(super) fn is_aws_secret(name: &[u8]) -> bool {
    let words = words(name).concat();
    words.contains("secretaccesskey") || words.contains("awssecret")
}

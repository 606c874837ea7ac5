//! Content that has the form of a secret: keys, tokens, credentials, passwords.
//!
//! A rule knows one form. [`SecretRules`] is the set of those that are on; it finds secrets in
//! text and in JSON, and writes the content without them. Nothing is looked up anywhere and no
//! secret is kept: what comes back is the name of a rule and a range of bytes.

mod account;
mod apart;
mod ascii;
mod assignment;
mod authorization;
mod call;
mod command;
mod filler;
mod foreign;
mod found;
mod json;
mod key_name;
mod literal;
mod placeholder;
mod private_key;
mod published;
mod reference;
mod rule;
mod scan;
mod sealed;
mod sentence;
mod shape;
mod token;
mod told;
mod uri;
mod value;
mod vendor;
mod version;
mod word_marks;

use std::collections::HashSet;

use crate::error::Error;
use found::Found;
use rule::{RULES, Rule};

/// How often a text is redacted again, where what was put in makes a secret with what is around.
const ROUNDS: usize = 8;

/// A secret in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Secret {
    /// The rule that found it, a stable word.
    pub rule: &'static str,
    /// The byte at which it starts.
    pub start: usize,
    /// The byte behind its last one.
    pub end: usize,
}

/// The rules by which secrets are found.
///
/// What only shows where a secret would stand is none: `<password>`, `${TOKEN}`, `xxxx`, the names
/// of variables, and the keys that makers print in their documentation.
///
/// # Examples
///
/// ```
/// use packframe_core::SecretRules;
///
/// let rules = SecretRules::all();
/// let text = "db: postgres://app:h4rdT0Gu3ss@db/main, password=${DB_PASSWORD}";
/// let secret = rules.first(text).expect("there is one");
/// assert_eq!((secret.rule, &text[secret.start..secret.end]), ("uri_credentials", "h4rdT0Gu3ss"));
/// assert_eq!(
///     rules.redact(text, None).as_deref(),
///     Some("db: postgres://app:[redacted:uri_credentials]@db/main, password=${DB_PASSWORD}"),
/// );
///
/// let quiet = rules.without(&["uri_credentials"])?;
/// assert_eq!(quiet.first(text), None);
/// assert_eq!(
///     rules.redact_json(r#"{"user":"ada","password":"4naly7ical"}"#, None).as_deref(),
///     Some(r#"{"user":"ada","password":"[redacted:assignment]"}"#),
/// );
/// # Ok::<(), packframe_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SecretRules {
    on: u32,
}

impl Default for SecretRules {
    fn default() -> Self {
        Self::all()
    }
}

impl SecretRules {
    /// Returns all rules, switched on.
    #[must_use]
    pub fn all() -> Self {
        Self {
            on: RULES.iter().fold(0, |on, rule| on | rule.bit()),
        }
    }

    /// Returns the names of all rules that there are, in the order in which they are asked.
    pub fn known() -> impl Iterator<Item = &'static str> {
        RULES.into_iter().map(Rule::name)
    }

    /// Returns these rules with some switched off.
    ///
    /// # Errors
    ///
    /// `InvalidOption` for a name that no rule has, with the nearest one.
    pub fn without(self, names: &[&str]) -> Result<Self, Error> {
        let mut on = self.on;
        for name in names {
            on &= !Rule::named(name)?.bit();
        }
        Ok(Self { on })
    }

    /// Says whether no rule is off.
    #[must_use]
    pub fn are_all(self) -> bool {
        self == Self::all()
    }

    /// Returns the names of the rules that are on.
    pub fn on(self) -> impl Iterator<Item = &'static str> {
        RULES
            .into_iter()
            .filter(move |rule| self.on & rule.bit() != 0)
            .map(Rule::name)
    }

    /// Returns the names of the rules that are off.
    pub fn off(self) -> impl Iterator<Item = &'static str> {
        RULES
            .into_iter()
            .filter(move |rule| self.on & rule.bit() == 0)
            .map(Rule::name)
    }

    /// Returns the secrets of a text, in order, not overlapping.
    ///
    /// Only the secret itself is in the range: of an assignment the value, of a URI the password.
    /// Finds that overlap are one, named by the leftmost and of these the longest.
    ///
    /// Cost: linear in the text.
    #[must_use]
    pub fn find(&self, text: &str) -> Vec<Secret> {
        scan::scan(text, self.on).into_iter().map(secret).collect()
    }

    /// Returns the first secret of a text.
    ///
    /// Cost: that of [`find`](Self::find).
    #[must_use]
    pub fn first(&self, text: &str) -> Option<Secret> {
        self.find(text).first().copied()
    }

    /// Returns the text with its secrets replaced, or `None` where there is none.
    ///
    /// Without a `replacement`, `[redacted:<rule>]` stands in their place. To redact the result
    /// again changes nothing.
    ///
    /// Cost: linear in the text, a few times.
    #[must_use]
    pub fn redact(&self, text: &str, replacement: Option<&str>) -> Option<String> {
        let found = scan::scan(text, self.on);
        if found.is_empty() {
            return None;
        }
        let mut written = replace(text, &found, replacement);
        for _ in 0..ROUNDS {
            let found = scan::scan(&written, self.on);
            let next = replace(&written, &found, replacement);
            if next == written {
                return Some(written);
            }
            written = next;
        }
        // A replacement of the caller's that makes new secrets each time; ours does not.
        match replacement {
            Some(_) => self.redact(&written, None).or(Some(written)),
            None => Some(written),
        }
    }

    /// Returns the secrets of a JSON text, in order, not overlapping, as ranges of the JSON text.
    ///
    /// Keys and strings are read as what they say, so `\u0041` hides nothing; the range is the
    /// whole string, without its quotes, where it is written with escapes. A string or number
    /// counts if it stands under the name of a secret, also in a list, or deeper under `value`.
    ///
    /// Cost: linear in the text.
    #[must_use]
    pub fn find_json(&self, json: &str) -> Vec<Secret> {
        let mut secrets = Vec::new();
        json::strings(json, |text| {
            let quoted = json.as_bytes()[text.start] == b'"';
            let from = text.start + usize::from(quoted);
            let closed = quoted && text.end > from && json.as_bytes()[text.end - 1] == b'"';
            let to = text.end - usize::from(closed);
            let plain = to - from == text.says.len();
            for found in self.secrets_of(&text) {
                if plain {
                    secrets.push(secret(Found {
                        start: from + found.start,
                        end: from + found.end,
                        ..found
                    }));
                } else {
                    secrets.push(secret(Found {
                        start: from,
                        end: to,
                        ..found
                    }));
                    break;
                }
            }
        });
        secrets
    }

    /// Finds the secrets of a string of a JSON text, which may be JSON of its own.
    fn secrets_of(self, text: &json::Text<'_>) -> Vec<Found> {
        let mut found = text.secrets(self.on);
        if found.is_empty() && holds_json(&text.says) {
            let inner = self.find_json(&text.says);
            found.extend(inner.into_iter().filter_map(|secret| {
                let rule = Rule::named(secret.rule).ok()?;
                Some(Found::new(rule, secret.start, secret.end))
            }));
        }
        found
    }

    /// Returns the first secret of a JSON text.
    ///
    /// Cost: that of [`find_json`](Self::find_json).
    #[must_use]
    pub fn first_json(&self, json: &str) -> Option<Secret> {
        self.find_json(json).first().copied()
    }

    /// Returns the JSON text with its secrets replaced, or `None` where there is none.
    ///
    /// What is JSON stays JSON, with its keys in order and all other bytes as they were; a number
    /// that is a secret becomes a string. Keys that would be equal get a number behind them.
    ///
    /// Cost: linear in the text, a few times.
    #[must_use]
    pub fn redact_json(&self, json: &str, replacement: Option<&str>) -> Option<String> {
        let mut written = String::with_capacity(json.len());
        let mut copied = 0;
        let mut keys = HashSet::new();
        json::strings(json, |text| {
            let found = text.secrets(self.on);
            let inner = holds_json(&text.says)
                .then(|| self.redact_json(&text.says, replacement))
                .flatten();
            let mut says = match inner {
                Some(inner) => inner,
                None if found.is_empty() => return,
                None => replace(&text.says, &found, replacement),
            };
            // What stands around is the same, so the rounds of `redact` bring it to rest.
            if let Some(again) = self.redact(&says, replacement) {
                says = again;
            }
            if text.is_key {
                let stem = says.clone();
                let mut times = 2;
                while !keys.insert(says.clone()) {
                    says = format!("{stem} {times}");
                    times += 1;
                }
            }
            if *says == *text.says {
                return;
            }
            written.push_str(&json[copied..text.start]);
            written.push_str(&serde_json::Value::from(says).to_string());
            copied = text.end;
        });
        if copied == 0 {
            return None;
        }
        written.push_str(&json[copied..]);
        Some(written)
    }
}

/// Says whether a text is JSON of its own, as the arguments of a tool call are.
fn holds_json(text: &str) -> bool {
    text.starts_with(['{', '[']) && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

fn secret(found: Found) -> Secret {
    Secret {
        rule: found.rule.name(),
        start: found.start,
        end: found.end,
    }
}

/// Writes a text with what was found replaced.
fn replace(text: &str, found: &[Found], replacement: Option<&str>) -> String {
    let mut written = String::with_capacity(text.len());
    let mut copied = 0;
    for claim in found {
        written.push_str(&text[copied..claim.start]);
        if let Some(replacement) = replacement {
            written.push_str(replacement);
        } else {
            written.push_str("[redacted:");
            written.push_str(claim.rule.name());
            written.push(']');
        }
        copied = claim.end;
    }
    written.push_str(&text[copied..]);
    written
}

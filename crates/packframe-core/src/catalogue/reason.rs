//! What the codes of reasons say.

use super::texts::texts;

/// Returns the sentence of a reason, or of why a row is in, in the language that is chosen.
#[must_use]
pub fn reason_sentence(reason: &str) -> &'static str {
    entry(reason).0
}

/// Returns what can be done about an item that was excluded for a reason.
#[must_use]
pub fn reason_remedy(reason: &str) -> &'static str {
    entry(reason).1
}

fn entry(reason: &str) -> (&'static str, &'static str) {
    let texts = texts();
    let known = texts.reasons.iter().find(|(code, ..)| *code == reason);
    match known {
        Some((_, sentence, remedy)) => (sentence, remedy),
        None if reason.starts_with("policy:") => texts.policy,
        None if reason.starts_with("strategy:") => texts.strategy,
        None => texts.other,
    }
}

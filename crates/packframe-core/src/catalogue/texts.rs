//! The sentences of one language, with gaps for names and numbers.

use std::fmt;

use super::language::{Language, language};
use super::{english, japanese, russian};

/// The sentences of one language. `{name}` is a gap.
pub(crate) struct Texts {
    /// A row that is in: `id`, `why`.
    pub(crate) is_in: &'static str,
    /// A row that is out: `id`, `why`.
    pub(crate) is_out: &'static str,
    /// A row that was merged: `id`, `into`, `why`.
    pub(crate) is_merged: &'static str,
    /// Behind it, what a policy said: `rule`.
    pub(crate) rule: &'static str,
    /// Behind it, by how much: `tokens`.
    pub(crate) too_many: &'static str,
    /// Behind it, that it was cut: `before`, `after`.
    pub(crate) cut: &'static str,
    /// Behind it, that it was replaced: `before`, `after`.
    pub(crate) replaced: &'static str,
    /// Behind it, that content was taken out: `by`.
    pub(crate) redacted: &'static str,
    /// What can be done about it: `tokens`, `budget`.
    pub(crate) raise_budget: &'static str,
    /// The same where only joining is in the way: `tokens`, `budget`.
    pub(crate) raise_for_joins: &'static str,
    /// The same under a cap: `section`, `tokens`.
    pub(crate) raise_cap: &'static str,
    /// The same where it requires an id that no row has: `id`.
    pub(crate) unknown_requirement: &'static str,
    /// The same where an id is near it: `id`, `near`.
    pub(crate) unknown_requirement_near: &'static str,
    /// Of each code of a reason or of why a row is in: the sentence, and what can be done
    /// about it.
    pub(crate) reasons: &'static [(&'static str, &'static str, &'static str)],
    /// The same for a reason of a policy, of a strategy, and for any other.
    pub(crate) policy: (&'static str, &'static str),
    pub(crate) strategy: (&'static str, &'static str),
    pub(crate) other: (&'static str, &'static str),
    /// `budget`, `reserve`.
    pub(crate) budget: &'static str,
    /// `margin`.
    pub(crate) budget_margin: &'static str,
    /// `available`, `required`.
    pub(crate) budget_needs: &'static str,
    /// `id`, `row`, `tokens`.
    pub(crate) budget_at: &'static str,
    /// `section`.
    pub(crate) budget_in: &'static str,
    /// `tokens`, with its sign.
    pub(crate) budget_joins: &'static str,
    /// `tokens`.
    pub(crate) budget_remedy: &'static str,
    /// `required`, `available`, `tokens`.
    pub(crate) floors: &'static str,
    /// `section`, `needed`, `allocated`.
    pub(crate) section: &'static str,
    /// The same where no cap is in the way: `section`, `needed`, `allocated`.
    pub(crate) section_starved: &'static str,
    /// `needed`, `available`.
    pub(crate) rendering: &'static str,
    /// `boundary`, `number`.
    pub(crate) violation: &'static str,
    /// `id`, `row`, `reason`.
    pub(crate) violation_at: &'static str,
    /// Before the remedy, where a secret was found.
    pub(crate) violation_secret: &'static str,
    /// The same, where it was found beside the messages of a request.
    pub(crate) violation_beside: &'static str,
    pub(crate) violation_remedy: &'static str,
    /// `which`.
    pub(crate) policy_fault: &'static str,
    pub(crate) tokenizer_fault: &'static str,
    pub(crate) strategy_fault: &'static str,
    /// `row`.
    pub(crate) fault_row: &'static str,
    /// A message with a part that is no text: `id`, `row`.
    pub(crate) unsupported_message: &'static str,
    /// Bytes: `id`, `row`.
    pub(crate) unsupported_binary: &'static str,
    /// An item of role tool: `id`, `row`, `renderer`.
    pub(crate) unsupported_tool: &'static str,
    pub(crate) messages: &'static str,
    /// `position`, `path` with a space before it, `rule`.
    pub(crate) message_at: &'static str,
    /// `number`.
    pub(crate) and_more: &'static str,
    pub(crate) messages_remedy: &'static str,
    /// `differences`.
    pub(crate) corrupt: &'static str,
    pub(crate) mismatch: &'static str,
    /// `found`.
    pub(crate) version: &'static str,
}

/// Returns the sentences of the language that is chosen.
pub(crate) fn texts() -> &'static Texts {
    match language() {
        Language::English => &english::TEXTS,
        Language::Russian => &russian::TEXTS,
        Language::Japanese => &japanese::TEXTS,
    }
}

/// Fills the gaps of a sentence. A value that looks like a gap stays what it is. `{name|one|many}`
/// is a number and behind it the word for one, or for any other number.
pub(crate) fn fill(text: &str, values: &[(&str, &dyn fmt::Display)]) -> String {
    let mut out = String::with_capacity(text.len() + 32);
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('{') {
        out.push_str(before);
        let (gap, behind) = behind.split_once('}').unwrap_or((behind, ""));
        let mut parts = gap.split('|');
        let name = parts.next().unwrap_or_default();
        if let Some((_, value)) = values.iter().find(|(known, _)| *known == name) {
            let shown = value.to_string();
            out.push_str(&shown);
            let one = parts.next();
            if let Some(word) = if shown == "1" { one } else { parts.next() } {
                out.push(' ');
                out.push_str(word);
            }
        }
        rest = behind;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::{english, japanese, russian};
    use super::{Texts, fill};

    fn gaps(text: &str) -> BTreeSet<&str> {
        text.split('{')
            .skip(1)
            .filter_map(|part| part.split_once('}'))
            .map(|(gap, _)| gap.split_once('|').map_or(gap, |(name, _)| name))
            .collect()
    }

    fn all(texts: &Texts) -> Vec<&'static str> {
        let mut all = vec![
            texts.is_in,
            texts.is_out,
            texts.is_merged,
            texts.rule,
            texts.too_many,
            texts.cut,
            texts.replaced,
            texts.redacted,
            texts.raise_budget,
            texts.raise_for_joins,
            texts.raise_cap,
            texts.unknown_requirement,
            texts.unknown_requirement_near,
            texts.policy.0,
            texts.policy.1,
            texts.strategy.0,
            texts.strategy.1,
            texts.other.0,
            texts.budget,
            texts.budget_margin,
            texts.budget_needs,
            texts.budget_at,
            texts.budget_in,
            texts.budget_joins,
            texts.budget_remedy,
            texts.floors,
            texts.section,
            texts.section_starved,
            texts.rendering,
            texts.violation,
            texts.violation_at,
            texts.violation_secret,
            texts.violation_beside,
            texts.violation_remedy,
            texts.policy_fault,
            texts.tokenizer_fault,
            texts.strategy_fault,
            texts.fault_row,
            texts.unsupported_message,
            texts.unsupported_binary,
            texts.unsupported_tool,
            texts.messages,
            texts.message_at,
            texts.and_more,
            texts.messages_remedy,
            texts.corrupt,
            texts.mismatch,
            texts.version,
        ];
        for (_, sentence, _) in texts.reasons {
            all.push(sentence);
        }
        all
    }

    #[test]
    fn every_language_has_every_sentence_with_the_same_gaps() {
        let codes =
            |texts: &Texts| -> Vec<&str> { texts.reasons.iter().map(|(code, ..)| *code).collect() };
        let once: BTreeSet<&str> = codes(&english::TEXTS).into_iter().collect();
        assert_eq!(once.len(), english::TEXTS.reasons.len(), "each code once");
        for other in [&russian::TEXTS, &japanese::TEXTS] {
            assert_eq!(codes(&english::TEXTS), codes(other));
            for (ours, theirs) in all(&english::TEXTS).into_iter().zip(all(other)) {
                assert!(!theirs.is_empty());
                assert_ne!(ours, theirs);
                assert_eq!(gaps(ours), gaps(theirs), "{theirs}");
            }
            for (ours, theirs) in english::TEXTS.reasons.iter().zip(other.reasons) {
                assert_eq!(ours.2.is_empty(), theirs.2.is_empty(), "{}", ours.0);
            }
        }
    }

    #[test]
    fn a_number_takes_its_word() {
        let filled = |number: u64| fill("{n|token|tokens} left", &[("n", &number)]);
        assert_eq!(filled(1), "1 token left");
        assert_eq!(filled(2), "2 tokens left");
        assert_eq!(filled(0), "0 tokens left");
    }

    #[test]
    fn a_value_that_looks_like_a_gap_stays() {
        let filled = fill("a {x} b {y}", &[("x", &"{y}"), ("y", &"{x")]);
        assert_eq!(filled, "a {y} b {x");
    }
}

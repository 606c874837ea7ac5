//! Secrets of a content: looked for once, in what is sent of it.

use std::sync::atomic::Ordering;

use super::{Body, Content};
use crate::conversation::{signed_alike, ties_alike};
use crate::secret::{Secret, SecretRules};

/// It was looked for and nothing was found; what is above is a rule.
const NONE: u8 = 1;

/// A content without its secrets.
#[derive(Debug)]
pub(crate) struct Redacted {
    pub(crate) content: Content,
    /// The rules that found something, in order of their first find.
    pub(crate) rules: Vec<&'static str>,
    /// How many secrets there were.
    pub(crate) secrets: usize,
}

impl Content {
    /// Returns the rule that finds the first secret, or `None` where there is none.
    ///
    /// A text and a URI are read as they are, JSON and messages in their keys and strings. The
    /// bytes of a binary content are not read.
    ///
    /// Cost: linear in the content the first time; later nothing, where all rules are on or there
    /// is no secret.
    #[must_use]
    pub fn secret(&self, rules: SecretRules) -> Option<&'static str> {
        let known = self.secret.load(Ordering::Relaxed);
        // Where all rules together find nothing, some of them find nothing.
        if known == NONE {
            return None;
        }
        if known > NONE && rules.are_all() {
            return SecretRules::known().nth(usize::from(known - NONE - 1));
        }
        let found = self.first(rules);
        if rules.are_all() {
            let number = found.and_then(|rule| SecretRules::known().position(|name| name == rule));
            let number = number.and_then(|number| u8::try_from(number).ok());
            let kept = number.map_or(NONE, |number| number + NONE + 1);
            self.secret.store(kept, Ordering::Relaxed);
        }
        found
    }

    fn first(&self, rules: SecretRules) -> Option<&'static str> {
        let found = match &self.body {
            Body::Text | Body::Reference(_) => rules.first(&self.text),
            Body::Json | Body::Message(_) => rules.first_json(&self.text),
            Body::Binary(_) => None,
        };
        found.map(|secret| secret.rule)
    }

    /// Returns the content with its secrets replaced; `None` where that cannot be done: where a
    /// message would be none any more, or would call or answer something else.
    pub(crate) fn redacted(&self, rules: SecretRules) -> Option<Redacted> {
        let found = match &self.body {
            Body::Text | Body::Reference(_) => rules.find(&self.text),
            Body::Json | Body::Message(_) => rules.find_json(&self.text),
            Body::Binary(_) => return None,
        };
        let content = match &self.body {
            Body::Text => Self::text(rules.redact(&self.text, None)?),
            Body::Json => Self::json(rules.redact_json(&self.text, None)?),
            Body::Reference(reference) => {
                let uri = rules.redact(&self.text, None)?;
                Self::new(uri.into(), Body::Reference(reference.clone()))
            }
            Body::Message(message) => {
                let json = rules.redact_json(&self.text, None)?;
                let same = ties_alike(message.format(), &self.text, &json)
                    && signed_alike(&self.text, &json);
                same.then(|| Self::message(message.rewritten(), json))?
            }
            Body::Binary(_) => return None,
        };
        if content.first(rules).is_some() {
            return None;
        }
        Some(Redacted::of(content, &found))
    }
}

impl Redacted {
    fn of(content: Content, found: &[Secret]) -> Self {
        let mut rules: Vec<&'static str> = Vec::new();
        for secret in found {
            if !rules.contains(&secret.rule) {
                rules.push(secret.rule);
            }
        }
        Self {
            content,
            rules,
            secrets: found.len(),
        }
    }
}

//! What a pattern finds in the contents of a frame, replaced.

use std::borrow::Cow;
use std::sync::Arc;

use regex::{NoExpand, Regex};

use super::Frame;
use super::dedupe::rename;
use crate::content::{Body, Content};
use crate::error::Error;
use crate::item::Extra;
use crate::json_text::{Step, compact, rewrite};

/// Replaces what is to be redacted in a text.
pub trait Redact {
    /// Returns the text redacted, or `None` where nothing of it is to be.
    ///
    /// # Errors
    ///
    /// `StrategyError` where code of the caller's fails.
    fn redacted(&self, row: usize, text: &str) -> Result<Option<String>, Error>;
}

/// A regular expression, and what stands in the place of what it finds.
#[derive(Debug, Clone)]
pub struct Redaction {
    pattern: Regex,
    replacement: String,
}

impl Redaction {
    /// Takes a pattern in the syntax of the crate `regex`; the replacement stands for itself.
    ///
    /// # Errors
    ///
    /// `InvalidOption` for what is no pattern, or one too large.
    pub fn new(pattern: &str, replacement: &str) -> Result<Self, Error> {
        let compiled = Regex::new(pattern).map_err(|error| {
            let said = error.to_string();
            let last = said.lines().last().unwrap_or_default();
            let problem = format!("is no pattern ({})", last.trim_start_matches("error: "));
            let remedy = "the syntax of the Rust crate regex, without look-around and \
                          back-references, or re.compile(...)";
            Error::invalid_option("pattern", shown(pattern), problem, Some(remedy))
        })?;
        Ok(Self {
            pattern: compiled,
            replacement: replacement.to_owned(),
        })
    }
}

fn shown(pattern: &str) -> String {
    let start: String = pattern.chars().take(60).collect();
    let more = if start.len() < pattern.len() {
        "…"
    } else {
        ""
    };
    format!("'{}{more}'", crate::printable::printable(&start))
}

/// What a redaction changed: the content of a row, or one of its alternatives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Redacted {
    /// The row.
    pub row: usize,
    /// The place of the alternative, where it is one.
    pub alternative: Option<usize>,
}

impl Redact for Redaction {
    fn redacted(&self, _row: usize, text: &str) -> Result<Option<String>, Error> {
        Ok(
            match self.pattern.replace_all(text, NoExpand(&self.replacement)) {
                Cow::Borrowed(_) => None,
                Cow::Owned(redacted) => Some(redacted),
            },
        )
    }
}

impl Frame {
    /// Returns the frame with what is found in its contents, and in their alternatives, replaced.
    ///
    /// Texts and URIs whole; in JSON the strings that are values, one by one, so that it stays JSON
    /// and keys stay; in messages what somebody says: the content, refusals, and the arguments of
    /// calls, in them the strings that are values. Bytes, ids, sources and metadata stay. Contents
    /// in which nothing is found are shared with this frame; what changed is in
    /// [`redacted`](Self::redacted). Made ids follow the content, and who
    /// requires a row by one requires it still.
    ///
    /// # Errors
    ///
    /// What the redaction fails with; `InvalidItem` for a URI of which nothing is left, and for an
    /// id that is made for a row and that another row was given.
    pub fn redact(&self, redaction: &dyn Redact) -> Result<Self, Error> {
        let before = self.redacted.len();
        let mut changed = self.redacted.to_vec();
        let mut contents = self.contents.to_vec();
        for (row, content) in contents.iter_mut().enumerate() {
            if let Some(redacted) = redacted(content, row, redaction)? {
                *content = Arc::new(redacted);
                let alternative = None;
                changed.push(Redacted { row, alternative });
            }
        }
        let mut extras = self.extras.as_ref().map(|extras| extras.to_vec());
        for (row, extra) in extras.iter_mut().flatten().enumerate() {
            let Some(extra) = extra
                .as_mut()
                .filter(|extra| !extra.alternatives.is_empty())
            else {
                continue;
            };
            let mut alternatives = extra.alternatives.clone();
            let mut any = false;
            for (place, alternative) in alternatives.iter_mut().enumerate() {
                if let Some(redacted) = redacted(&alternative.content, row, redaction)? {
                    alternative.content = Arc::new(redacted);
                    let alternative = Some(place);
                    changed.push(Redacted { row, alternative });
                    any = true;
                }
            }
            if any {
                *extra = Arc::new(Extra {
                    alternatives,
                    ..(**extra).clone()
                });
            }
        }
        if changed.len() == before {
            return Ok(self.clone());
        }
        changed.sort_unstable();
        changed.dedup();
        let mut frame = Self {
            redacted: Arc::new(changed),
            contents: Arc::new(contents),
            ids: Arc::default(),
            said: Arc::default(),
            ..self.clone()
        };
        frame.check_ids()?;
        if let Some(extras) = &mut extras {
            let now = |id: &str| self.row_of(id).map(|row| Arc::clone(frame.id(row)));
            for extra in extras.iter_mut().flatten() {
                *extra = rename(extra, now);
            }
        }
        frame.extras = extras.map(Arc::new);
        Ok(frame)
    }
}

/// Returns a content redacted, or `None` where nothing is found.
fn redacted(
    content: &Content,
    row: usize,
    redaction: &dyn Redact,
) -> Result<Option<Content>, Error> {
    let text = content.stored();
    Ok(match content.body() {
        Body::Text => redaction.redacted(row, text)?.map(Content::text),
        Body::Binary(_) => None,
        Body::Reference(reference) => match redaction.redacted(row, text)? {
            Some(uri) => {
                let (digest, size) = (reference.digest.clone(), reference.size);
                let made = Content::reference(uri, digest, size);
                Some(made.map_err(|error| error.at_row(row))?)
            }
            None => None,
        },
        Body::Json => values(text, |_, text| redaction.redacted(row, text))?.map(Content::json),
        Body::Message(message) => {
            let said = values(text, |path, text| match said(path) {
                Said::Text => redaction.redacted(row, text),
                Said::Arguments => arguments(text, row, redaction),
                Said::Nothing => Ok(None),
            })?;
            said.map(|json| Content::message(message.rewritten(), json))
        }
    })
}

/// Redacts the arguments of a call: in JSON its values, else the text.
fn arguments(text: &str, row: usize, redaction: &dyn Redact) -> Result<Option<String>, Error> {
    match compact(text) {
        Ok(json) => values(&json, |_, text| redaction.redacted(row, text)),
        Err(_) => redaction.redacted(row, text),
    }
}

/// Rewrites the strings of JSON that are values; `None` where none changes.
fn values(
    json: &str,
    mut redact: impl FnMut(&[Step<'_>], &str) -> Result<Option<String>, Error>,
) -> Result<Option<String>, Error> {
    let (mut changed, mut failed) = (false, None);
    let rewritten = rewrite(json, |path, text| {
        if failed.is_some() {
            return None;
        }
        match redact(path, text) {
            Ok(redacted) => {
                changed |= redacted.is_some();
                redacted
            }
            Err(error) => {
                failed = Some(error);
                None
            }
        }
    });
    match failed {
        Some(error) => Err(error),
        None => Ok(rewritten.ok().filter(|_| changed)),
    }
}

/// What a string of a message is.
enum Said {
    Text,
    Arguments,
    Nothing,
}

/// Says what stands at a place of a chat-completions message.
fn said(path: &[Step<'_>]) -> Said {
    let names: Vec<&str> = path
        .iter()
        .map(|step| match step {
            Step::Key(key) => &**key,
            Step::Element => "*",
        })
        .collect();
    match *names {
        ["content" | "refusal"] | ["content", "*", "text" | "refusal"] => Said::Text,
        ["tool_calls", "*", "function", "arguments"]
        | ["tool_calls", "*", "custom", "input"]
        | ["function_call", "arguments"] => Said::Arguments,
        _ => Said::Nothing,
    }
}

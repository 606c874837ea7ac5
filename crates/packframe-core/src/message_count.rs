//! What a list of messages costs, part by part.

use std::sync::Arc;

use crate::boundary::Boundary;
use crate::error::{Error, ErrorKind};
use crate::frame::Frame;
use crate::pack::{Margin, PackOptions, Selection, pack, signed};
use crate::profile::TokenProfile;
use crate::word::{Accuracy, Layout, Render, Role};

/// The field beside the messages that is a text, and costs what a system message does.
const SYSTEM: &str = "system";

/// What a list of messages costs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageCount {
    /// Tokens in all: the sum of the parts.
    pub total: u64,
    /// Where they go.
    pub parts: Vec<MessagePart>,
    /// The weakest of what is in it; `exact_text` where only the framing is weaker.
    pub accuracy: Accuracy,
}

/// A part of what a list of messages costs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessagePart {
    /// `base`, `message`, `joins`, or the name of a field beside the messages.
    pub part: &'static str,
    /// The place of a message in the list.
    pub position: Option<usize>,
    /// Tokens; negative where a counter of whole lists counts less than the parts.
    pub tokens: i64,
    /// Those of a message's content.
    pub content_tokens: Option<u64>,
    /// Those of a message over its content.
    pub envelope_tokens: Option<u64>,
    /// What the tokens are worth.
    pub accuracy: Accuracy,
}

/// Counts the messages of a frame as a pack of them is counted, and fields beside the messages, such
/// as `tools`, as the compact JSON that they are given as.
///
/// It packs them, without a ceiling: there is no second way to count. Nothing is published about
/// the fields that holds for more than an example, so they are approximate.
///
/// # Errors
///
/// `UnsupportedContent` for the first message that cannot be counted, where a pack leaves it out;
/// `InvalidMessages` for calls and results that do not pair; `TokenizerError` where the profile
/// fails.
pub fn count_messages(
    frame: &Arc<Frame>,
    profile: &Arc<TokenProfile>,
    fields: &[(&'static str, String)],
) -> Result<MessageCount, Error> {
    for row in 0..frame.len() {
        let content = frame.content(row);
        if content.rendered().is_none() {
            return Err(Error::new(ErrorKind::UnsupportedContent {
                row,
                id: frame.id(row).to_string(),
                kind: content.kind(),
                renderer: Render::Messages.as_str(),
            }));
        }
    }
    let packed = pack(frame, whole(profile))?;
    let ledger = packed.ledger();
    let mut parts = vec![MessagePart {
        tokens: signed(ledger.costs.as_ref().map_or(0, |costs| costs.base)),
        ..part("base")
    }];
    parts.extend(packed.rows().iter().filter_map(|&row| {
        let cost = ledger.cost(row)?;
        Some(MessagePart {
            position: Some(row),
            tokens: signed(cost.total),
            content_tokens: Some(cost.content),
            envelope_tokens: Some(cost.envelope),
            accuracy: ledger.content_accuracy(row).weakest(Accuracy::Approximate),
            ..part("message")
        })
    }));
    let mut total = packed.total_tokens();
    if profile.counts_messages() {
        let tokens = signed(total) - parts.iter().map(|part| part.tokens).sum::<i64>();
        parts.push(MessagePart {
            tokens,
            ..part("joins")
        });
    }
    let mut accuracy = ledger.accuracy(packed.rows());
    for (name, json) in fields {
        let mut counted = profile.count(json)?;
        if *name == SYSTEM {
            counted += profile.envelope(Role::System, None);
        }
        total += counted;
        accuracy = accuracy.weakest(match *name {
            SYSTEM => profile.accuracy(),
            _ => Accuracy::Approximate,
        });
        parts.push(MessagePart {
            tokens: signed(counted),
            ..part(name)
        });
    }
    Ok(MessageCount {
        total,
        parts,
        accuracy,
    })
}

/// What only messages and framing decide: nothing of framing is known for certain.
fn part(name: &'static str) -> MessagePart {
    MessagePart {
        part: name,
        position: None,
        tokens: 0,
        content_tokens: None,
        envelope_tokens: None,
        accuracy: Accuracy::Approximate,
    }
}

fn whole(profile: &Arc<TokenProfile>) -> PackOptions {
    PackOptions {
        budget: None,
        reserve: 0,
        margin: Margin::Tokens(0),
        profile: Arc::clone(profile),
        render: Some(Render::Messages),
        separator: String::new(),
        labels: false,
        boundary: Boundary::internal("application"),
        policies: Vec::new(),
        overflow: Vec::new(),
        now: None,
        sections: Vec::new(),
        layout: Layout::Input,
        previous: Vec::new(),
        strategies: Vec::new(),
        hash_key: None,
        selection: Selection::Greedy,
        merged: None,
        fixed: 0,
        planned: None,
    }
}

//! What a list of messages costs, part by part.

use std::sync::Arc;

use crate::boundary::Boundary;
use crate::error::{Error, ErrorKind};
use crate::frame::Frame;
use crate::framing::{ChatRequest, Json, fields};
use crate::pack::{Margin, PackOptions, Selection, pack, signed};
use crate::profile::TokenProfile;
use crate::rendering::messages;
use crate::word::{Accuracy, Layout, Render, Role};

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
    /// `base`, `message`, `joins`, or the name of what stands beside the messages.
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
    /// Where what is charged over the texts comes from; `None` where nothing is, or for compact JSON.
    pub source: Option<String>,
    /// When the source is from.
    pub date: Option<String>,
}

/// What stands beside the messages of a call, each as the JSON that is sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Beside {
    /// The system prompt, where it is no message: a text, or its blocks.
    pub system: Option<String>,
    /// The list of tools.
    pub tools: Option<String>,
    /// Which of them may be called.
    pub tool_choice: Option<String>,
    /// The format of the reply.
    pub response_format: Option<String>,
}

impl Beside {
    /// Returns the bytes of all of it.
    #[must_use]
    pub fn bytes(&self) -> usize {
        [&self.system, &self.tools, &self.response_format]
            .into_iter()
            .flatten()
            .map(String::len)
            .sum()
    }
}

/// Counts the messages of a frame as a pack of them is counted, and what stands beside them.
///
/// It packs them, without a ceiling: there is no second way to count. A profile that renders
/// conversations counts tools exactly; others by what is published, else as compact JSON.
///
/// # Errors
///
/// `UnsupportedContent` for the first message with a part that is no text, where the profile renders
/// conversations; `InvalidMessages` for calls and results that do not pair; `TokenizerError` where the profile
/// fails.
pub fn count_messages(
    frame: &Arc<Frame>,
    profile: &Arc<TokenProfile>,
    beside: &Beside,
) -> Result<MessageCount, Error> {
    for row in 0..frame.len() {
        let content = frame.content(row);
        if profile.counts_messages() && content.rendered().is_none() {
            return Err(unsupported(row, frame.id(row).to_string(), content.kind()));
        }
    }
    let packed = pack(frame, whole(profile))?;
    let ledger = packed.ledger();
    let (_, source, date) = profile.framing_source();
    let framed = |name| MessagePart {
        source: source.clone(),
        date: date.clone(),
        ..part(name)
    };
    let mut parts = vec![MessagePart {
        tokens: signed(ledger.costs.as_ref().map_or(0, |costs| costs.base)),
        ..framed("base")
    }];
    parts.extend(packed.rows().iter().filter_map(|&row| {
        let cost = ledger.cost(row)?;
        Some(MessagePart {
            position: Some(row),
            tokens: signed(cost.total),
            content_tokens: Some(cost.content),
            envelope_tokens: Some(cost.envelope),
            accuracy: ledger.content_accuracy(row).weakest(Accuracy::Approximate),
            ..framed("message")
        })
    }));
    let total = packed.total_tokens();
    if profile.counts_messages() {
        let tokens = signed(total) - parts.iter().map(|part| part.tokens).sum::<i64>();
        parts.push(MessagePart {
            tokens,
            ..framed("joins")
        });
    }
    let mut counted = MessageCount {
        total,
        parts,
        accuracy: ledger.accuracy(packed.rows()),
    };
    if let Some(tools) = &beside.tools
        && profile.counts_exactly()
    {
        let messages = messages(frame, packed.rows().iter().copied());
        let request = ChatRequest {
            messages: &messages,
            tools: Some(tools),
        };
        if let Some(with_tools) = profile.count_request(&request)? {
            counted.parts.push(MessagePart {
                tokens: signed(with_tools) - signed(total),
                accuracy: profile.accuracy(),
                ..framed("tools")
            });
            counted.total = with_tools;
        }
    } else if let Some(tools) = &beside.tools {
        counted.add_tools(profile, tools, beside.tool_choice.as_deref())?;
    }
    counted.add_others(profile, beside)?;
    Ok(counted)
}

impl MessageCount {
    fn add_tools(
        &mut self,
        profile: &TokenProfile,
        tools: &str,
        choice: Option<&str>,
    ) -> Result<(), Error> {
        let (tokens, source) = profile.tools_tokens(tools, choice)?;
        let (source, date) = source.unzip();
        self.add(MessagePart {
            tokens: signed(tokens),
            source,
            date,
            ..part("tools")
        });
        Ok(())
    }

    /// Adds the system text, which costs what a system message does, and what nothing is published about:
    /// its compact JSON.
    fn add_others(&mut self, profile: &TokenProfile, beside: &Beside) -> Result<(), Error> {
        if let Some(system) = &beside.system {
            let texts = Json::read(system).map(|value| fields(&value).texts);
            let texts = texts.unwrap_or_else(|| vec![system.clone()]);
            let mut tokens = profile.envelope(Role::System, None);
            for text in &texts {
                tokens += profile.count(text)?;
            }
            let (_, source, date) = profile.framing_source();
            self.add(MessagePart {
                tokens: signed(tokens),
                source,
                date,
                ..part("system")
            });
        }
        if let Some(format) = &beside.response_format {
            let tokens = profile.count(format)?;
            self.add(MessagePart {
                tokens: signed(tokens),
                ..part("response_format")
            });
        }
        Ok(())
    }

    fn add(&mut self, part: MessagePart) {
        self.total = self.total.saturating_add_signed(part.tokens);
        self.accuracy = self.accuracy.weakest(part.accuracy);
        self.parts.push(part);
    }
}

fn unsupported(row: usize, id: String, kind: &'static str) -> Error {
    Error::new(ErrorKind::UnsupportedContent {
        row,
        id,
        kind,
        renderer: Render::Messages.as_str(),
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
        source: None,
        date: None,
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

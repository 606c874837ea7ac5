//! A list of messages as a frame: which must stay, and how they are repaired.

use std::sync::Arc;

use crate::content::Content;
use crate::conversation::{
    Format, Message, MessageFacts, RepairMode, RepairOptions, Severity, id_at, look,
    repair_messages,
};
use crate::error::{Error, Problem};
use crate::frame::{Dialogue, Frame, FrameBuilder, Said};
use crate::item::{Item, ItemSpec};
use crate::word::Retention;

/// How a list of messages becomes a frame.
#[derive(Debug, Clone)]
pub struct FrameOptions {
    /// What is done about calls without results.
    pub repair: RepairMode,
    /// Ids of calls that nobody waits for.
    pub abandoned: Vec<String>,
    /// Whether every call without a result may wait for one.
    pub allow_pending: bool,
    /// Whether whole turns live or die together.
    pub by_turn: bool,
}

impl Default for FrameOptions {
    fn default() -> Self {
        Self {
            repair: RepairMode::Drop,
            abandoned: Vec::new(),
            allow_pending: false,
            by_turn: false,
        }
    }
}

/// Makes the frame of a conversation of any format from the compact JSON of its messages, repaired.
///
/// Required are the messages that are protected: system and developer messages, the newest user
/// message, the last message with its step, and a call that waits for results; the others are
/// optional. The score of message i of n is (i + 1) / n. Linear.
///
/// # Errors
///
/// `InvalidMessages` for what no repair mends, but for what may not come first: that is a matter of
/// what is kept.
pub fn frame_of_messages<T: AsRef<str>>(
    messages: &[T],
    format: Format,
    options: &FrameOptions,
) -> Result<Frame, Error> {
    let repaired = repair_messages(
        messages,
        format,
        &RepairOptions {
            mode: options.repair,
            abandoned: options.abandoned.iter().map(|id| &**id).collect(),
            allow_pending: options.allow_pending,
            ..RepairOptions::default()
        },
    )?;
    let facts = &repaired.conversation.messages;
    let texts = repaired.messages.iter().map(|message| &*message.json);
    let frame = laid(texts, facts, format)?;
    let rows = repaired.messages.iter().enumerate();
    let rebuilt = rows.filter(|(_, message)| message.is_changed);
    let dialogue = Dialogue {
        format,
        allow_pending: options.allow_pending,
        by_turn: options.by_turn,
        given: messages.len(),
        repairs: repaired.repairs.into(),
        rebuilt: rebuilt.map(|(row, _)| row).collect(),
    };
    let said = Said::new(repaired.conversation, options.by_turn);
    Ok(frame.with_said(dialogue, said))
}

/// Makes the frame of messages that are counted as they are: calls may wait, arguments need not be
/// strings, and nothing is repaired. Linear.
///
/// # Errors
///
/// `InvalidMessages` for anything else that a provider would refuse them for.
pub fn frame_to_count<T: AsRef<str>>(messages: &[T], format: Format) -> Result<Frame, Error> {
    let looked = look(messages, format, true);
    let refused = looked.problems.iter().filter(|problem| {
        problem.severity == Severity::Refused && !COUNTED.contains(&problem.rule)
    });
    let problems: Vec<Problem> = refused
        .map(|problem| Problem {
            position: problem.position,
            path: problem.path.clone(),
            rule: problem.rule,
            id: id_at(messages[problem.position].as_ref(), &problem.path),
        })
        .collect();
    if !problems.is_empty() {
        return Err(Error::invalid_messages(problems));
    }
    let texts = messages.iter().map(AsRef::as_ref);
    let frame = laid(texts, &looked.conversation.messages, format)?;
    let dialogue = Dialogue {
        format,
        allow_pending: true,
        by_turn: false,
        given: messages.len(),
        repairs: Arc::default(),
        rebuilt: Vec::new(),
    };
    Ok(frame.with_said(dialogue, Said::new(looked.conversation, false)))
}

/// What messages may break that are only counted.
const COUNTED: [&str; 3] = ["arguments_not_string", "first_role", "last_role"];

/// Lays messages in a row.
fn laid<'a>(
    texts: impl Iterator<Item = &'a str>,
    facts: &[MessageFacts],
    format: Format,
) -> Result<Frame, Error> {
    let count = facts.len();
    let mut builder = FrameBuilder::with_capacity(count);
    for (row, (json, facts)) in texts.zip(facts).enumerate() {
        #[expect(
            clippy::cast_precision_loss,
            reason = "a position only needs to keep its order"
        )]
        let score = (row + 1) as f64 / count as f64;
        let content = Content::message(Message::of_list(format, facts.role), json);
        builder.push(&Item::new(ItemSpec {
            role: facts.role,
            score,
            retention: match facts.protection {
                Some(_) => Retention::Required,
                None => Retention::Optional,
            },
            ..ItemSpec::of(Arc::new(content))
        })?);
    }
    builder.finish()
}

//! A list of messages as the items of a frame: which must stay, and which go first.

use std::sync::Arc;

use super::format::Format;
use super::message::Message;
use super::read::read;
use super::repair::{RepairMode, RepairOptions, repair_messages};
use super::ties::tie;
use crate::content::Content;
use crate::error::{Error, Problem};
use crate::frame::Frame;
use crate::item::{Item, ItemSpec};
use crate::word::{Retention, Role};

/// Makes the items of a conversation of any format from the compact JSON of its messages.
///
/// Required are the messages that are protected; what belongs together is a group, named by the
/// position of its first message. The score of message i of n is (i + 1) / n. Linear.
///
/// # Errors
///
/// `InvalidMessages` with every problem that a provider would refuse the list for, but for what may
/// not come first: that is a matter of what is kept.
pub fn talk_items(messages: Vec<String>, format: Format) -> Result<Vec<Item>, Error> {
    if format == Format::OpenAiChat {
        return history_items(messages);
    }
    let options = RepairOptions {
        mode: RepairMode::Error,
        allow_pending: true,
        ..RepairOptions::default()
    };
    let facts = repair_messages(&messages, format, &options)?.conversation;
    if facts.messages.len() < messages.len() {
        // Input controls only steer one call, so that a history has none.
        return Err(Error::invalid_messages(controls(&messages, format)));
    }
    let count = messages.len();
    let mut sizes = vec![0_usize; count];
    for message in &facts.messages {
        sizes[message.group] += 1;
    }
    let rows = messages.into_iter().zip(&facts.messages).enumerate();
    rows.map(|(position, (json, facts))| {
        #[expect(
            clippy::cast_precision_loss,
            reason = "a position only needs to keep its order"
        )]
        let score = (position + 1) as f64 / count as f64;
        let message = Message::of_list(format, facts.role);
        let tied = sizes[facts.group] > 1;
        Item::new(ItemSpec {
            role: facts.role,
            score,
            retention: match facts.protection {
                Some(_) => Retention::Required,
                None => Retention::Optional,
            },
            group: tied.then(|| format!("history[{}]", facts.group).into()),
            ..ItemSpec::of(Arc::new(Content::message(message, json)))
        })
    })
    .collect()
}

fn controls(messages: &[String], format: Format) -> Vec<Problem> {
    let view = read(messages, format);
    let rows = view.rows.iter().enumerate();
    rows.filter(|(_, row)| row.is_control())
        .map(|(position, _)| Problem {
            position,
            path: "type".to_owned(),
            rule: "input_control",
        })
        .collect()
}

/// Makes the items of a conversation from the compact JSON of its messages.
///
/// The score of message i of n is (i + 1) / n, so that the oldest goes first. Required are
/// system and developer messages, the newest user message, the last message with the whole step
/// that it belongs to, and a call that still waits for results.
///
/// # Errors
///
/// `InvalidMessages` with every problem that a provider would refuse the list for.
pub fn history_items(messages: Vec<String>) -> Result<Vec<Item>, Error> {
    let mut problems: Vec<Problem> = Vec::new();
    let mut items = Vec::with_capacity(messages.len());
    let count = messages.len();
    for (position, json) in messages.into_iter().enumerate() {
        match Message::parse(&json) {
            Ok(message) => {
                let role = message.role();
                #[expect(
                    clippy::cast_precision_loss,
                    reason = "a position only needs to keep its order"
                )]
                let score = (position + 1) as f64 / count as f64;
                items.push(Item::new(ItemSpec {
                    role,
                    score,
                    ..ItemSpec::of(Arc::new(Content::message(message, json)))
                })?);
            }
            Err(found) => problems.extend(found.into_iter().map(|problem| Problem {
                position,
                ..problem
            })),
        }
    }
    if !problems.is_empty() {
        return Err(Error::invalid_messages(problems));
    }
    let frame = Frame::from_items(items.iter())?;
    let ties = tie(&frame).map_err(Error::invalid_messages)?;
    let mut step: Vec<usize> = (0..count).collect();
    for &(row, call) in &ties.pairs {
        step[row] = call;
    }
    let newest_user = items.iter().rposition(|item| item.role() == Role::User);
    let last_step = step.last().copied();
    for (row, item) in items.iter_mut().enumerate() {
        let required = matches!(item.role(), Role::System | Role::Developer)
            || Some(row) == newest_user
            || Some(step[row]) == last_step
            || Some(step[row]) == ties.pending;
        if required {
            item.set_retention(Retention::Required);
        }
    }
    Ok(items)
}

//! A list of messages as the items of a frame: which must stay, and which go first.

use std::sync::Arc;

use super::message::Message;
use super::ties::tie;
use crate::content::Content;
use crate::error::{Error, Problem};
use crate::frame::Frame;
use crate::item::{Item, ItemSpec};
use crate::word::{Retention, Role};

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

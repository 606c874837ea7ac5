//! Messages of one format, written in another.

mod hear;
mod order;
mod say;
mod speech;

pub use speech::ConversionNote;

use super::format::Format;
use crate::error::Error;

/// Messages in another format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Converted {
    /// What is the system text where the format has it beside the messages.
    pub system: Option<String>,
    /// The JSON of the messages.
    pub messages: Vec<String>,
    /// What was left out or put elsewhere.
    pub notes: Vec<ConversionNote>,
}

/// Writes messages, given as their JSON, in another format.
///
/// Texts, pictures, calls and results are carried over; neighbouring messages of one role become
/// one where the target takes them for one, results first, and results of Gemini stand in contents
/// of their own. Thinking and signatures mean nothing to another provider and are left out, as are
/// fields without a counterpart; each is noted. The messages of the same format come back as they
/// are. Linear in the size of the JSON.
///
/// # Errors
///
/// `InvalidMessages` with the rule `not_convertible` for each place that the target cannot say.
pub fn convert_messages<T: AsRef<str>>(
    messages: &[T],
    source: Format,
    target: Format,
) -> Result<Converted, Error> {
    if source == target {
        return Ok(Converted {
            system: None,
            messages: messages
                .iter()
                .map(|json| json.as_ref().to_owned())
                .collect(),
            notes: Vec::new(),
        });
    }
    let reading = hear::hear(messages, source);
    if !reading.problems.is_empty() {
        return Err(Error::invalid_messages(reading.problems));
    }
    let said = match target {
        // There an output may stand anywhere behind its call.
        Format::OpenAiResponses => reading.said,
        _ => order::results_behind_calls(reading.said),
    };
    say::say(said, reading.notes, target).map_err(Error::invalid_messages)
}

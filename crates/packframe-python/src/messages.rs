//! Lists of messages.

use packframe_core::{Frame, MessagePart};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};

use crate::content::{message_text, read_format, value_text};
use crate::convert::{Place, one_value, text};
use crate::error::{Failure, Outcome};
use crate::json;

/// Reads a list of messages as a frame.
pub(crate) fn read(messages: &Bound<'_, PyAny>, format: &Bound<'_, PyAny>) -> Outcome<Frame> {
    let format = read_format(Some(format))?;
    let texts = texts(messages, "messages", message_text)?;
    Ok(Frame::from_items(&packframe_core::talk_items(
        texts, format,
    )?)?)
}

/// Reads a list of messages as the JSON of each; what is no dict is for the core to refuse.
pub(crate) fn any_texts(messages: &Bound<'_, PyAny>, option: &str) -> Outcome<Vec<String>> {
    texts(messages, option, value_text)
}

/// The same, with strings among the messages as what is made of them.
pub(crate) fn texts_or(
    messages: &Bound<'_, PyAny>,
    option: &str,
    of_text: impl Fn(&str) -> String,
) -> Outcome<Vec<String>> {
    texts(messages, option, |message, position| {
        if message.is_instance_of::<PyString>() {
            return Ok(of_text(text(message, Place::Option(option))?));
        }
        value_text(message, position)
    })
}

/// Reads a list of messages as the JSON of each.
fn texts(
    messages: &Bound<'_, PyAny>,
    option: &str,
    read: impl Fn(&Bound<'_, PyAny>, usize) -> Outcome<String>,
) -> Outcome<Vec<String>> {
    let refuse = |problem| -> Failure {
        let remedy = "a list of message dicts";
        Place::Option(option)
            .refuse(messages, problem, remedy)
            .into()
    };
    if let Some(problem) = one_value(messages) {
        return Err(refuse(problem));
    }
    messages
        .try_iter()
        .map_err(|_| refuse("is no list"))?
        .enumerate()
        .map(|(position, message)| read(&message?, position))
        .collect()
}

/// Returns the bytes of the messages of a frame.
pub(crate) fn bytes(frame: &Frame) -> usize {
    (0..frame.len())
        .map(|row| frame.content(row).stored().len())
        .sum()
}

/// Reads what a call has beside its messages; an empty list of tools is none.
pub(crate) fn fields(
    tools: Option<&Bound<'_, PyAny>>,
    response_format: Option<&Bound<'_, PyAny>>,
) -> Outcome<Vec<(&'static str, String)>> {
    let mut fields = Vec::new();
    if let Some(tools) = tools {
        let place = Place::Option("tools");
        let listed = tools.is_instance_of::<PyList>() || tools.is_instance_of::<PyTuple>();
        let dicts = listed
            && tools
                .try_iter()?
                .all(|tool| tool.is_ok_and(|tool| tool.is_instance_of::<PyDict>()));
        if !dicts {
            let remedy = "a list of dicts, one for each tool";
            return Err(place.refuse(tools, "is no list of tools", remedy).into());
        }
        if tools.len()? > 0 {
            fields.push(("tools", compact(tools, place)?));
        }
    }
    if let Some(format) = response_format {
        let place = Place::Option("response_format");
        if !format.is_instance_of::<PyDict>() {
            let remedy = "a dict, as it is sent";
            return Err(place.refuse(format, "is no dict", remedy).into());
        }
        fields.push(("response_format", compact(format, place)?));
    }
    Ok(fields)
}

fn compact(value: &Bound<'_, PyAny>, place: Place<'_>) -> Outcome<String> {
    let remedy = "dicts, lists, str, int, finite float, bool and None";
    json::write(value).map_err(|_| place.refuse(value, "is not JSON", remedy).into())
}

/// Name, position, tokens, those of content and envelope, and accuracy.
pub(crate) type Part = (
    &'static str,
    Option<usize>,
    i64,
    Option<u64>,
    Option<u64>,
    &'static str,
);

pub(crate) fn part(part: &MessagePart) -> Part {
    (
        part.part,
        part.position,
        part.tokens,
        part.content_tokens,
        part.envelope_tokens,
        part.accuracy.as_str(),
    )
}

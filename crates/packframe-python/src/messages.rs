//! Lists of messages.

use packframe_core::{
    Beside, Format, Frame, FrameOptions, Framing, MessagePart, TokenProfile, frame_of_messages,
    frame_to_count, unknown_option_word,
};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};

use crate::content::{invalid_message, write_message, write_value};
use crate::convert::{Place, one_value, text};
use crate::error::{Failure, Outcome, caused};
use crate::{json, model};

/// Reads the format of messages: the profile's own where none is given.
pub(crate) fn format(format: Option<&Bound<'_, PyAny>>, profile: &TokenProfile) -> Outcome<Format> {
    const KNOWN: [&str; 4] = ["openai-chat", "openai-responses", "anthropic", "gemini"];
    let Some(format) = format else {
        let word = match profile.framing() {
            Framing::Table(table) => table.format(),
            _ => KNOWN[0],
        };
        return Ok(Format::parse(word).unwrap_or(Format::OpenAiChat));
    };
    let place = Place::Option("format");
    let word = text(format, place)?;
    let known: &[&'static str] = match profile.framing() {
        Framing::Rendered(_) => &KNOWN[..1],
        _ => &KNOWN,
    };
    let found = known.iter().find(|known| **known == word);
    found
        .and_then(|word| Format::parse(word))
        .ok_or_else(|| unknown_option_word("format", word, known).into())
}

/// Reads a list of messages as a frame, repaired.
pub(crate) fn read(
    py: Python<'_>,
    messages: &Bound<'_, PyAny>,
    format: Format,
    options: &FrameOptions,
) -> Outcome<Frame> {
    let texts = texts(messages, "messages", write_message, passed_on)?;
    Ok(py.detach(|| frame_of_messages(&texts, format, options))?)
}

/// Reads a list of messages as a frame that is counted; nothing is repaired.
pub(crate) fn read_as(messages: &Bound<'_, PyAny>, format: Format) -> Outcome<Frame> {
    let py = messages.py();
    let texts = texts(messages, "messages", write_message, named)?;
    Ok(py.detach(|| frame_to_count(&texts, format))?)
}

/// Reads a list of messages as the JSON of each; what is no dict is for the core to refuse.
pub(crate) fn any_texts(messages: &Bound<'_, PyAny>, option: &str) -> Outcome<Vec<Box<str>>> {
    texts(messages, option, write_value, named)
}

/// The same, with strings among the messages as what is made of them; `path` is where their text
/// stands then.
pub(crate) fn texts_or(
    messages: &Bound<'_, PyAny>,
    option: &str,
    path: &str,
    of_text: impl Fn(&str) -> String,
) -> Outcome<Vec<Box<str>>> {
    let write = |message: &Bound<'_, PyAny>, position, json: &mut String| {
        if message.is_instance_of::<PyString>() {
            return match message.cast::<PyString>().map(|text| text.to_str()) {
                Ok(Ok(text)) => {
                    json.push_str(&of_text(text));
                    Ok(())
                }
                _ => Err(invalid_message(position, path.to_owned(), "not_json")),
            };
        }
        write_value(message, position, json)
    };
    texts(messages, option, write, named)
}

/// Makes the error of a list that raised while it was read: named, and chained.
fn named(messages: &Bound<'_, PyAny>, option: &str, raised: PyErr) -> Failure {
    let problem = "failed when it was read; see what is chained";
    let error = Place::Option(option).refuse(messages, problem, "a list of message dicts");
    caused(messages.py(), error, raised)
}

/// The same for frames, where what an iterator raises comes out as it is.
fn passed_on(_: &Bound<'_, PyAny>, _: &str, raised: PyErr) -> Failure {
    raised.into()
}

/// Reads a list of messages as the JSON of each.
fn texts(
    messages: &Bound<'_, PyAny>,
    option: &str,
    write: impl Fn(&Bound<'_, PyAny>, usize, &mut String) -> Outcome<()>,
    failed: fn(&Bound<'_, PyAny>, &str, PyErr) -> Failure,
) -> Outcome<Vec<Box<str>>> {
    let refuse = |problem| -> Failure {
        let remedy = "a list of message dicts";
        Place::Option(option)
            .refuse(messages, problem, remedy)
            .into()
    };
    if let Some(problem) = one_value(messages) {
        return Err(refuse(problem));
    }
    if model::is_one(messages) {
        return Err(refuse("is one object"));
    }
    let mut texts = Vec::with_capacity(messages.len().unwrap_or(0));
    let mut json = String::new();
    let listed = messages.try_iter().map_err(|_| refuse("is no list"))?;
    for (position, message) in listed.enumerate() {
        json.clear();
        let message = message.map_err(|raised| failed(messages, option, raised))?;
        write(&message, position, &mut json)?;
        texts.push(json.as_str().into());
    }
    Ok(texts)
}

/// Returns the bytes of the messages of a frame.
pub(crate) fn bytes(frame: &Frame) -> usize {
    (0..frame.len())
        .map(|row| frame.content(row).stored().len())
        .sum()
}

/// Reads what a call has beside its messages; an empty list of tools is none.
pub(crate) fn beside(
    tools: Option<&Bound<'_, PyAny>>,
    response_format: Option<&Bound<'_, PyAny>>,
    tool_choice: Option<&Bound<'_, PyAny>>,
    system: Option<&Bound<'_, PyAny>>,
) -> Outcome<Beside> {
    let mut beside = Beside::default();
    let plain = self::plain(tools, "tools")?;
    if let Some(tools) = plain.as_ref().or(tools) {
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
            beside.tools = Some(compact(tools, place)?);
        }
    }
    let plain = self::plain(response_format, "response_format")?;
    if let Some(format) = plain.as_ref().or(response_format) {
        let place = Place::Option("response_format");
        if !format.is_instance_of::<PyDict>() {
            let remedy = "a dict, as it is sent";
            return Err(place.refuse(format, "is no dict", remedy).into());
        }
        beside.response_format = Some(compact(format, place)?);
    }
    let plain = self::plain(tool_choice, "tool_choice")?;
    if let Some(choice) = plain.as_ref().or(tool_choice) {
        let place = Place::Option("tool_choice");
        if !(choice.is_instance_of::<PyDict>() || choice.is_instance_of::<PyString>()) {
            let remedy = "a str such as \"auto\", or a dict, as it is sent";
            return Err(place.refuse(choice, "is no choice of tools", remedy).into());
        }
        beside.tool_choice = Some(compact(choice, place)?);
    }
    beside.system = system
        .map(|system| compact(system, Place::Option("system")))
        .transpose()?;
    Ok(beside)
}

/// Returns an option with every object in it dumped, or None where it holds none.
fn plain<'py>(
    value: Option<&Bound<'py, PyAny>>,
    option: &str,
) -> Outcome<Option<Bound<'py, PyAny>>> {
    let Some(value) = value else {
        return Ok(None);
    };
    model::dumped(value).map_err(|raised| {
        let problem = "failed when it was asked for its model_dump";
        let error = Place::Option(option).refuse(value, problem, "plain dicts");
        caused(value.py(), error, raised)
    })
}

fn compact(value: &Bound<'_, PyAny>, place: Place<'_>) -> Outcome<String> {
    let remedy = "dicts, lists, str, int, finite float, bool and None";
    json::write(value).map_err(|_| place.refuse(value, "is not JSON", remedy).into())
}

/// Name, position, tokens, those of content and envelope, accuracy, source and date.
pub(crate) type Part = (
    &'static str,
    Option<usize>,
    i64,
    Option<u64>,
    Option<u64>,
    &'static str,
    Option<String>,
    Option<String>,
);

pub(crate) fn part(part: &MessagePart) -> Part {
    (
        part.part,
        part.position,
        part.tokens,
        part.content_tokens,
        part.envelope_tokens,
        part.accuracy.as_str(),
        part.source.clone(),
        part.date.clone(),
    )
}

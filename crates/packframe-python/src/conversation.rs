//! Lists of messages checked, repaired and written in another format.

use packframe_core::{
    ConversionNote, MessageProblem, MessageRepair, RepairMode, RepairOptions, nearest,
};
use pyo3::prelude::*;

use crate::content::format;
use crate::convert::{Place, names, text};
use crate::error::Outcome;
use crate::{json, messages};

/// Position, path, rule and severity.
type ProblemParts = (usize, String, &'static str, &'static str);

/// Row, path, kind, id and the row that it went to.
type RepairParts = (usize, String, &'static str, Option<String>, Option<usize>);

/// Position, path and kind.
type NoteParts = (usize, String, &'static str);

/// The messages, where each was, whether it is another, the repairs, and what is left.
type RepairedParts<'py> = (
    Bound<'py, PyAny>,
    Vec<Option<usize>>,
    Vec<bool>,
    Vec<RepairParts>,
    Vec<ProblemParts>,
);

/// Reads what is done about calls without results.
pub(crate) fn repair_mode(mode: &Bound<'_, PyAny>) -> Outcome<RepairMode> {
    let place = Place::Option("repair");
    let word = text(mode, place)?;
    let known = || RepairMode::ALL.iter().map(|mode| mode.as_str());
    RepairMode::parse(word).ok_or_else(|| {
        let remedy = nearest(word, known()).unwrap_or("'drop', 'placeholder' or 'error'");
        place.refuse(mode, "is not known", remedy).into()
    })
}

pub(crate) fn model<'a>(value: Option<&'a Bound<'_, PyAny>>) -> Outcome<Option<&'a str>> {
    value
        .map(|value| text(value, Place::Option("model")))
        .transpose()
}

fn problem(problem: MessageProblem) -> ProblemParts {
    let severity = problem.severity.as_str();
    (problem.position, problem.path, problem.rule, severity)
}

fn repair(repair: MessageRepair) -> RepairParts {
    (
        repair.row,
        repair.path,
        repair.kind,
        repair.id,
        repair.to_row,
    )
}

fn note(note: ConversionNote) -> NoteParts {
    (note.position, note.path, note.kind)
}

/// Makes fresh values of the JSON of messages.
fn values(
    py: Python<'_>,
    messages: impl Iterator<Item = impl AsRef<str>>,
) -> PyResult<Bound<'_, PyAny>> {
    let mut list = String::from("[");
    for message in messages {
        if list.len() > 1 {
            list.push(',');
        }
        list.push_str(message.as_ref());
    }
    list.push(']');
    json::read(py, &list)
}

/// Lists what a provider would refuse messages for, and what it waits for.
#[pyfunction]
pub(crate) fn validate_messages(
    py: Python<'_>,
    messages: &Bound<'_, PyAny>,
    format: &Bound<'_, PyAny>,
    model: Option<&Bound<'_, PyAny>>,
) -> Outcome<Vec<ProblemParts>> {
    let (format, model) = (self::format(format, "format")?, self::model(model)?);
    let texts = messages::any_texts(messages, "messages")?;
    let found = py.detach(|| packframe_core::validate_messages(&texts, format, model));
    Ok(found.into_iter().map(problem).collect())
}

/// Repairs messages by the smallest change.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the options of one call")]
pub(crate) fn repair_messages<'py>(
    py: Python<'py>,
    messages: &Bound<'py, PyAny>,
    r#final: &Bound<'py, PyAny>,
    format: &Bound<'py, PyAny>,
    mode: &Bound<'py, PyAny>,
    abandoned: &Bound<'py, PyAny>,
    allow_pending: bool,
    model: Option<&Bound<'py, PyAny>>,
) -> Outcome<RepairedParts<'py>> {
    let format = self::format(format, "format")?;
    let mode = repair_mode(mode)?;
    let abandoned = names(Some(abandoned), Place::Option("abandoned"))?;
    let mut texts = messages::any_texts(messages, "messages")?;
    let final_from = texts.len();
    texts.extend(messages::any_texts(r#final, "final")?);
    let options = RepairOptions {
        mode,
        abandoned: abandoned.iter().map(|id| &**id).collect(),
        allow_pending,
        final_from,
        model: self::model(model)?,
    };
    let repaired = py.detach(|| {
        packframe_core::repair_messages(&texts, format, &options)
            .and_then(packframe_core::Repaired::accepted)
    })?;
    let messages = repaired.messages.iter();
    Ok((
        values(py, messages.clone())?,
        messages.clone().map(|message| message.origin).collect(),
        messages.map(|message| message.is_changed).collect(),
        repaired.repairs.into_iter().map(repair).collect(),
        repaired.problems.into_iter().map(problem).collect(),
    ))
}

/// Writes messages in another format.
#[pyfunction]
pub(crate) fn convert_messages<'py>(
    py: Python<'py>,
    messages: &Bound<'py, PyAny>,
    source: &Bound<'py, PyAny>,
    target: &Bound<'py, PyAny>,
) -> Outcome<(Bound<'py, PyAny>, Option<String>, Vec<NoteParts>)> {
    let (source, target) = (format(source, "source")?, format(target, "target")?);
    let texts = messages::any_texts(messages, "messages")?;
    let converted = py.detach(|| packframe_core::convert_messages(&texts, source, target))?;
    Ok((
        values(py, converted.messages.iter())?,
        converted.system,
        converted.notes.into_iter().map(note).collect(),
    ))
}

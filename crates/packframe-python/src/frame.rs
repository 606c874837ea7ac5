//! Frames.

use std::sync::Arc;

use packframe_core::{
    Format, Frame as CoreFrame, FrameBuilder, FrameOptions, Item as CoreItem, Predicate, Redaction,
    Retention, SortKey,
};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};

use crate::arrow::{self, ItemTable};
use crate::conversation::repair_mode;
use crate::convert::{Place, choice, flag, listed, names, number, secret, text, tokens, word};
use crate::error::Outcome;
use crate::expression::Column;
use crate::item::{self, Item};
use crate::manifest::Manifest;
use crate::pack::{self, Pack};
use crate::predicate::Where;
use crate::ranking::Ranking;
use crate::redaction::PyRedaction;
use crate::section::Section;
use crate::{call, content, dialogue, messages, record};

/// A frame of the core.
#[pyclass(frozen, module = "packframe._core")]
pub(crate) struct Frame {
    pub(crate) inner: Arc<CoreFrame>,
}

impl From<CoreFrame> for Frame {
    fn from(inner: CoreFrame) -> Self {
        Self {
            inner: Arc::new(inner),
        }
    }
}

/// Reads items row by row.
fn items(
    values: &Bound<'_, PyAny>,
    read: fn(&Bound<'_, PyAny>) -> Outcome<CoreItem>,
) -> Outcome<CoreFrame> {
    let list = listed(values, Place::Option("items"), "a list of items or records")?;
    let mut builder = FrameBuilder::with_capacity(values.len().unwrap_or(0));
    for (row, value) in list.enumerate() {
        let value = value?;
        match value.cast::<Item>() {
            Ok(item) => builder.push(&item.get().inner),
            Err(_) => builder.push(&read(&value).map_err(|failure| record::at_row(failure, row))?),
        }
    }
    Ok(builder.finish()?)
}

impl Frame {
    fn mask(&self, py: Python<'_>, r#where: &Bound<'_, PyAny>) -> Outcome<Vec<bool>> {
        let predicate = Where::read(r#where)?;
        Ok(py.detach(|| predicate.mask(&self.inner))?)
    }
}

#[pymethods]
impl Frame {
    #[new]
    fn new(values: &Bound<'_, PyAny>) -> Outcome<Self> {
        Ok(items(values, item::read)?.into())
    }

    /// Makes the frame of the items of all sections, one section after the other.
    #[staticmethod]
    fn of_sections(sections: Vec<Bound<'_, Section>>) -> Outcome<Self> {
        let rows = sections.iter().map(|section| section.get().items.len());
        let mut builder = FrameBuilder::with_capacity(rows.sum());
        for section in &sections {
            for item in &section.get().items {
                builder.push(item);
            }
        }
        Ok(builder.finish()?.into())
    }

    #[staticmethod]
    fn from_records(records: &Bound<'_, PyAny>) -> Outcome<Self> {
        Ok(items(records, record::read)?.into())
    }

    #[staticmethod]
    fn from_messages(
        py: Python<'_>,
        messages: &Bound<'_, PyAny>,
        format: &Bound<'_, PyAny>,
        repair: &Bound<'_, PyAny>,
        abandoned: &Bound<'_, PyAny>,
        allow_pending: &Bound<'_, PyAny>,
        group_by: &Bound<'_, PyAny>,
    ) -> Outcome<Self> {
        let format = content::format(format, "format")?;
        let given_up = names(Some(abandoned), Place::Option("abandoned"))?;
        let options = FrameOptions {
            repair: repair_mode(repair)?,
            abandoned: given_up.iter().map(ToString::to_string).collect(),
            allow_pending: flag(allow_pending, "allow_pending")?,
            by_turn: choice(group_by, "group_by", ["exchange", "turn"])?,
        };
        Ok(messages::read(py, messages, format, &options)?.into())
    }

    #[staticmethod]
    fn from_arrow(table: &Bound<'_, PyAny>) -> Outcome<Self> {
        Ok(arrow::frame(table)?.into())
    }

    fn to_arrow(&self, py: Python<'_>) -> ItemTable {
        py.detach(|| ItemTable::of(&self.inner))
    }

    fn __len__(&self) -> usize {
        self.inner.len()
    }

    fn item(&self, row: usize) -> PyResult<Item> {
        if row < self.inner.len() {
            return Ok(Item {
                inner: self.inner.item(row),
            });
        }
        Err(pyo3::exceptions::PyIndexError::new_err(format!(
            "row {row} of a frame of {}",
            self.inner.len()
        )))
    }

    fn ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, (0..self.inner.len()).map(|row| &**self.inner.id(row)))
    }

    fn row_of(&self, id: &str) -> Option<usize> {
        self.inner.row_of(id)
    }

    fn near_id(&self, id: &str) -> Option<&str> {
        self.inner.near_id(id)
    }

    fn same(&self, other: &Self) -> bool {
        self.inner.same(&other.inner)
    }

    fn records<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let records = PyList::empty(py);
        for row in 0..self.inner.len() {
            records.append(record::write(py, &self.inner, row)?)?;
        }
        Ok(records)
    }

    fn openai_chat<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyAny>> {
        let listed =
            py.detach(|| packframe_core::frame_messages(&self.inner, Format::OpenAiChat))?;
        Ok(crate::json::read(py, &listed.messages)?)
    }

    fn take(&self, rows: Vec<usize>) -> Outcome<Self> {
        Ok(self.inner.take(&rows)?.into())
    }

    fn concat(&self, other: &Self) -> Outcome<Self> {
        Ok(self.inner.concat(&other.inner)?.into())
    }

    fn filter(&self, py: Python<'_>, r#where: &Bound<'_, PyAny>) -> Outcome<Self> {
        Ok(self.inner.filter(&self.mask(py, r#where)?)?.into())
    }

    fn sort(&self, by: &Bound<'_, PyAny>, descending: &Bound<'_, PyAny>) -> Outcome<Self> {
        let descending = flag(descending, "descending")?;
        let key = match by.cast::<Column>() {
            Ok(column) => SortKey::column(&column.get().name)?,
            Err(_) => SortKey::column(text(by, Place::Option("by"))?)?,
        };
        Ok(self.inner.sort(&key, descending)?.into())
    }

    fn limit(&self, count: &Bound<'_, PyAny>) -> Outcome<Self> {
        let count = tokens(count, Place::Option("n"))?;
        Ok(self
            .inner
            .limit(usize::try_from(count).unwrap_or(usize::MAX))?
            .into())
    }

    fn with_items(&self, values: &Bound<'_, PyAny>) -> Outcome<Self> {
        Ok(self.inner.with_items(&items(values, item::read)?)?.into())
    }

    fn demote(
        &self,
        py: Python<'_>,
        r#where: &Bound<'_, PyAny>,
        to: &Bound<'_, PyAny>,
    ) -> Outcome<Self> {
        let to = word(
            Some(to),
            Place::Option("to"),
            Retention::Optional,
            Retention::parse,
        )?;
        Ok(self
            .inner
            .demote(&self.mask(py, r#where)?, to, "demote")
            .into())
    }

    fn promote(
        &self,
        py: Python<'_>,
        r#where: &Bound<'_, PyAny>,
        to: &Bound<'_, PyAny>,
    ) -> Outcome<Self> {
        let to = word(
            Some(to),
            Place::Option("to"),
            Retention::Preferred,
            Retention::parse,
        )?;
        Ok(self.inner.promote(&self.mask(py, r#where)?, to).into())
    }

    fn quarantine(&self, py: Python<'_>, r#where: &Bound<'_, PyAny>) -> Outcome<Self> {
        Ok(self.inner.quarantine(&self.mask(py, r#where)?).into())
    }

    fn rank(&self, py: Python<'_>, by: &Bound<'_, PyAny>) -> Outcome<Self> {
        Ok(match Ranking::read(by, &self.inner)? {
            Ranking::Query(query) => py.detach(|| self.inner.rank(query)),
            Ranking::Scores(scores) => self.inner.with_scores(scores)?,
        }
        .into())
    }

    fn dedupe(&self, py: Python<'_>) -> Outcome<Self> {
        Ok(py.detach(|| self.inner.dedupe())?.into())
    }

    fn dedupe_near(&self, py: Python<'_>, threshold: &Bound<'_, PyAny>) -> Outcome<Self> {
        let threshold = number(Some(threshold), Place::Option("threshold"))?;
        Ok(py.detach(|| self.inner.dedupe_near(threshold))?.into())
    }

    fn redact(
        &self,
        py: Python<'_>,
        pattern: &Bound<'_, PyAny>,
        replacement: &Bound<'_, PyAny>,
    ) -> Outcome<Self> {
        let replacement = text(replacement, Place::Option("replacement"))?;
        if pattern.is_instance_of::<PyString>() {
            let redaction = Redaction::new(text(pattern, Place::Option("pattern"))?, replacement)?;
            return Ok(py.detach(|| self.inner.redact(&redaction))?.into());
        }
        let redaction = PyRedaction::new(pattern, replacement)?;
        Ok(self.inner.redact(&redaction)?.into())
    }

    /// Says whether some row expires, so that packing needs a time.
    /// The format of the conversation that the messages are; None where they are none.
    fn talk_format(&self) -> Option<&'static str> {
        let dialogue = self.inner.dialogue();
        dialogue.map(|dialogue| dialogue.format.as_str())
    }

    fn expires(&self) -> bool {
        self.inner.expires()
    }

    #[pyo3(signature = (*call))]
    fn pack(&self, py: Python<'_>, call: &Bound<'_, PyTuple>) -> Outcome<Pack> {
        let options = call::read(call, Some(&self.inner))?;
        let inner = Arc::clone(&self.inner);
        Ok(py
            .detach(move || packframe_core::pack(&inner, options))?
            .into())
    }

    /// Holds a manifest against this frame, and against the text that it says was rendered.
    fn verify(
        &self,
        py: Python<'_>,
        manifest: &Manifest,
        hash_key: Option<&Bound<'_, PyAny>>,
        rendered: Option<&Bound<'_, PyAny>>,
    ) -> Outcome<()> {
        let key = hash_key.map(|key| secret(key, "hash_key")).transpose()?;
        let rendered = rendered
            .map(|rendered| text(rendered, Place::Option("rendered")))
            .transpose()?;
        Ok(py.detach(|| manifest.inner.verify(&self.inner, key.as_ref(), rendered))?)
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyAny>,))> {
        let py = slf.py();
        let make = py.import("packframe._pickle")?.getattr("frame")?;
        let state = PyDict::new(py);
        let inner = &slf.get().inner;
        let items = PyList::empty(py);
        for row in 0..inner.len() {
            items.append(Bound::new(
                py,
                Item {
                    inner: inner.item(row),
                },
            )?)?;
        }
        state.set_item("items", items)?;
        state.set_item("demotions", pack::demotions(py, inner)?)?;
        state.set_item("merges", pack::merges(py, inner)?)?;
        state.set_item("redacted", pack::redacted(py, inner)?)?;
        state.set_item("talk", inner.dialogue().map(dialogue::state))?;
        Ok((make, (state.into_any(),)))
    }

    /// Makes a frame again from what it was pickled as.
    #[staticmethod]
    fn restore(
        values: &Bound<'_, PyAny>,
        demotions: Vec<pack::DemotionState>,
        merges: Vec<pack::MergeState>,
        redacted: Vec<pack::RedactedState>,
        talk: Option<dialogue::DialogueState>,
    ) -> Outcome<Self> {
        let frame = items(values, item::read)?;
        let frame = pack::restore(frame, demotions, merges, redacted)?;
        Ok(match talk {
            Some(state) => {
                let dialogue = dialogue::restore(state, frame.len())?;
                frame.with_dialogue(dialogue)
            }
            None => frame,
        }
        .into())
    }
}

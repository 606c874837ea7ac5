//! Packs, and the options that one is made with.

use std::sync::Arc;

use packframe_core::{
    Demotion, Format, Frame as CoreFrame, Layout, Margin, Merge, Pack as CorePack, Redacted,
    Render, Retention,
};
use pyo3::PyClass;
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyList, PyString};

use crate::convert::{Place, text, tokens};
use crate::error::Outcome;
use crate::item::Item;
use crate::json;
use crate::manifest::Manifest;

/// A pack of the core.
#[pyclass(frozen, module = "packframe._core")]
pub(crate) struct Pack {
    inner: CorePack,
}

impl From<CorePack> for Pack {
    fn from(inner: CorePack) -> Self {
        Self { inner }
    }
}

#[pymethods]
impl Pack {
    fn items<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let items = PyList::empty(py);
        for &row in self.inner.rows() {
            items.append(Bound::new(
                py,
                Item {
                    inner: self.inner.item(row),
                },
            )?)?;
        }
        Ok(items)
    }

    fn rows(&self) -> Vec<usize> {
        self.inner.rows().to_vec()
    }

    fn ids(&self) -> Vec<&str> {
        self.inner
            .rows()
            .iter()
            .map(|&row| &**self.inner.frame().id(row))
            .collect()
    }

    fn manifest(&self) -> Manifest {
        self.inner.manifest().clone().into()
    }

    fn total_tokens(&self) -> u64 {
        self.inner.total_tokens()
    }

    fn remaining_tokens(&self) -> Option<i64> {
        self.inner.remaining_tokens()
    }

    fn complete(&self) -> bool {
        self.inner.complete()
    }

    fn is_internal(&self) -> bool {
        self.inner.is_internal()
    }

    fn render(&self) -> &'static str {
        self.inner.render().as_str()
    }

    fn text<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyString>> {
        let text = py.detach(|| self.inner.text())?;
        Ok(PyString::new(py, &text))
    }

    /// Returns the pack as messages of a format: a list, or a dict where the system text stands
    /// beside them.
    fn call<'py>(&self, py: Python<'py>, format: &str) -> Outcome<Bound<'py, PyAny>> {
        let format = Format::parse(format).unwrap_or(Format::OpenAiChat);
        let call = py.detach(|| self.inner.call(format))?;
        Ok(json::read(py, &call)?)
    }

    fn rendered(&self) -> String {
        self.inner.rendered()
    }

    fn len(&self) -> usize {
        self.inner.rows().len()
    }
}

/// Reads a margin: an int of tokens, or a float that is a part of a whole.
pub(crate) fn margin(value: &Bound<'_, PyAny>) -> Outcome<Margin> {
    match value.cast::<PyFloat>() {
        Ok(part) => Ok(Margin::Fraction(part.value())),
        Err(_) => Ok(Margin::Tokens(tokens(value, Place::Option("margin"))?)),
    }
}

/// Reads what a pack is made for.
pub(crate) fn render(value: &Bound<'_, PyAny>) -> Outcome<Render> {
    let word = text(value, Place::Option("render"))?;
    Render::parse(word).map_err(|_| {
        let known: Vec<&str> = Render::ALL.iter().map(|render| render.as_str()).collect();
        packframe_core::unknown_option_word("render", word, &known).into()
    })
}

/// Reads the order of a rendering.
pub(crate) fn layout(value: &Bound<'_, PyAny>) -> Outcome<Layout> {
    let place = Place::Option("layout");
    let known = Layout::ALL.iter().map(|layout| layout.as_str());
    let word = text(value, place)?;
    Layout::parse(word).map_err(|_| {
        let remedy = packframe_core::nearest(word, known)
            .unwrap_or("'input', 'section', 'score' or 'stable'");
        place.refuse(value, "is no layout", remedy).into()
    })
}

/// Reads the rows that an earlier pack kept, in its order: id and content hash.
pub(crate) fn previous(
    value: &Bound<'_, PyAny>,
    has_key: bool,
) -> Outcome<Vec<(Arc<str>, String)>> {
    let manifest = instance::<Manifest>(value, "previous", "the PackManifest of an earlier pack")?;
    if manifest.inner.has_keyed_hashes() != has_key {
        let remedy = "the hash_key of that pack";
        return Err(Place::Option("previous")
            .refuse(value, "has hashes of another kind than this pack", remedy)
            .into());
    }
    let mut selected: Vec<_> = manifest.inner.document().selected.iter().collect();
    selected.sort_unstable_by_key(|record| record.position);
    Ok(selected
        .into_iter()
        .filter_map(|record| {
            // Of a row that secrets were taken out of, what was left of it counts.
            let left = || {
                let mut redactions = manifest.inner.document().redactions.iter();
                redactions
                    .find(|redaction| {
                        redaction.row == record.row
                            && redaction.alternative.is_none()
                            && redaction.by == "boundary"
                    })
                    .and_then(|redaction| redaction.content_sha256.clone())
            };
            let hash = record.content_sha256.clone().or_else(left)?;
            Some((Arc::clone(&record.id), hash))
        })
        .collect())
}

/// Reads an object of a class of ours.
pub(crate) fn instance<'a, T: PyClass<Frozen = pyo3::pyclass::boolean_struct::True> + Sync>(
    value: &'a Bound<'_, PyAny>,
    option: &str,
    remedy: &str,
) -> Outcome<&'a T> {
    match value.cast::<T>() {
        Ok(object) => Ok(object.get()),
        Err(_) => Err(Place::Option(option)
            .refuse(value, "is of another class", remedy)
            .into()),
    }
}

/// A demotion as it is pickled: row, from, to, by.
pub(crate) type DemotionState = (usize, String, String, String);
/// A merge as it is pickled: row, id, the row and id that it went into, hash, similarity.
pub(crate) type MergeState = (usize, String, Option<usize>, String, String, Option<f64>);

/// Writes the demotions of a frame for pickle.
pub(crate) fn demotions<'py>(py: Python<'py>, frame: &CoreFrame) -> PyResult<Bound<'py, PyList>> {
    PyList::new(
        py,
        frame.demotions().iter().map(|change| {
            (
                change.row,
                change.from.as_str(),
                change.to.as_str(),
                change.by,
            )
        }),
    )
}

/// Writes the merges of a frame for pickle.
pub(crate) fn merges<'py>(py: Python<'py>, frame: &CoreFrame) -> PyResult<Bound<'py, PyList>> {
    PyList::new(
        py,
        frame.merges().iter().map(|merge| {
            (
                merge.row,
                &*merge.id,
                merge.into_row,
                &*merge.into_id,
                &merge.content_sha256,
                merge.similarity,
            )
        }),
    )
}

/// A redaction as it is pickled: row, and the place of the alternative.
pub(crate) type RedactedState = (usize, Option<usize>);

/// Writes the redactions of a frame for pickle.
pub(crate) fn redacted<'py>(py: Python<'py>, frame: &CoreFrame) -> PyResult<Bound<'py, PyList>> {
    let redacted = frame.redacted().iter();
    PyList::new(py, redacted.map(|change| (change.row, change.alternative)))
}

/// Puts demotions, merges and redactions back.
pub(crate) fn restore(
    frame: CoreFrame,
    demotions: Vec<DemotionState>,
    merges: Vec<MergeState>,
    redacted: Vec<RedactedState>,
) -> Outcome<CoreFrame> {
    let demotions = demotions
        .into_iter()
        .map(|(row, from, to, by)| {
            let by = ["promote", "overflow"]
                .into_iter()
                .find(|known| *known == by)
                .unwrap_or("demote");
            Ok(Demotion {
                row,
                from: Retention::parse(&from)?,
                to: Retention::parse(&to)?,
                by,
            })
        })
        .collect::<Outcome<_>>()?;
    let merges = merges
        .into_iter()
        .map(
            |(row, id, into_row, into_id, content_sha256, similarity)| Merge {
                row,
                id: id.into(),
                into_row,
                into_id: into_id.into(),
                content_sha256,
                similarity,
            },
        )
        .collect();
    let redacted = redacted
        .into_iter()
        .map(|(row, alternative)| Redacted { row, alternative })
        .collect();
    Ok(frame.with_history(demotions, merges, redacted))
}

//! Frames.

use std::sync::Arc;

use packframe_core::{
    Frame as CoreFrame, FrameBuilder, Item as CoreItem, PackOptions, Predicate, Retention, SortKey,
};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};

use crate::convert::{Place, flag, instant, text, tokens, word};
use crate::error::Outcome;
use crate::expression::Column;
use crate::item::{self, Item};
use crate::options::{Boundary, Overflow};
use crate::pack::{self, Pack};
use crate::policy::PyPolicy;
use crate::predicate::Where;
use crate::profile::Profile;
use crate::{messages, record, section, value};

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
    // A string is a list of its letters, and a dict one of its keys: nobody means that.
    if values.is_instance_of::<PyString>()
        || values.is_instance_of::<PyBytes>()
        || values.is_instance_of::<PyDict>()
    {
        let remedy = "a list of items or records";
        return Err(Place::Option("items")
            .refuse(values, "is one value", remedy)
            .into());
    }
    let mut builder = FrameBuilder::with_capacity(values.len().unwrap_or(0));
    for (row, value) in values.try_iter()?.enumerate() {
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

    #[staticmethod]
    fn from_records(records: &Bound<'_, PyAny>) -> Outcome<Self> {
        Ok(items(records, record::read)?.into())
    }

    #[staticmethod]
    fn from_messages(messages: &Bound<'_, PyAny>, format: &Bound<'_, PyAny>) -> Outcome<Self> {
        Ok(messages::read(messages, format)?.into())
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
        let rows: Vec<usize> = (0..self.inner.len()).collect();
        packframe_core::check_chat(&self.inner, &rows)?;
        Ok(crate::json::read(
            py,
            &packframe_core::messages(&self.inner, rows.into_iter()),
        )?)
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

    fn sort(&self, by: &Bound<'_, PyAny>, descending: bool) -> Outcome<Self> {
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

    fn dedupe(&self, py: Python<'_>) -> Outcome<Self> {
        Ok(py.detach(|| self.inner.dedupe())?.into())
    }

    /// Says whether some row expires, so that packing needs a time.
    fn expires(&self) -> bool {
        self.inner.expires()
    }

    #[expect(clippy::too_many_arguments, reason = "a pack has these options")]
    #[pyo3(signature = (budget, reserve, profile, render, separator, labels, boundary, policies, overflow, sections, layout, previous, margin, now, selection, value, effort))]
    fn pack(
        &self,
        py: Python<'_>,
        budget: Option<&Bound<'_, PyAny>>,
        reserve: &Bound<'_, PyAny>,
        profile: &Profile,
        render: Option<&Bound<'_, PyAny>>,
        separator: &Bound<'_, PyAny>,
        labels: &Bound<'_, PyAny>,
        boundary: &Bound<'_, PyAny>,
        policies: &Bound<'_, PyAny>,
        overflow: Option<&Bound<'_, PyAny>>,
        sections: &Bound<'_, PyAny>,
        layout: &Bound<'_, PyAny>,
        previous: Option<&Bound<'_, PyAny>>,
        margin: &Bound<'_, PyAny>,
        now: Option<&Bound<'_, PyAny>>,
        selection: &Bound<'_, PyAny>,
        value: Option<&Bound<'_, PyAny>>,
        effort: Option<&Bound<'_, PyAny>>,
    ) -> Outcome<Pack> {
        let options = PackOptions {
            budget: budget
                .map(|budget| tokens(budget, Place::Option("budget")))
                .transpose()?,
            reserve: tokens(reserve, Place::Option("reserve"))?,
            margin: pack::margin(margin)?,
            profile: Arc::clone(&profile.inner),
            render: render.map(pack::render).transpose()?,
            separator: text(separator, Place::Option("separator"))?.to_owned(),
            labels: flag(labels, "labels")?,
            boundary: pack::instance::<Boundary>(boundary, "boundary", "a pf.Boundary")?
                .inner
                .clone(),
            policies: read_policies(policies)?,
            overflow: match overflow {
                Some(overflow) => {
                    pack::instance::<Overflow>(overflow, "overflow", "a pf.Overflow")?.strategies()
                }
                None => Vec::new(),
            },
            now: instant(now, Place::Option("now"))?,
            sections: section::declared(sections)?,
            layout: pack::layout(layout)?,
            previous: match previous {
                Some(previous) => pack::previous(previous)?,
                None => Vec::new(),
            },
            selection: value::selection(&self.inner, selection, value, effort)?,
        };
        let inner = Arc::clone(&self.inner);
        Ok(py
            .detach(move || packframe_core::pack(&inner, options))?
            .into())
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
        Ok((make, (state.into_any(),)))
    }

    /// Makes a frame again from what it was pickled as.
    #[staticmethod]
    fn restore(
        values: &Bound<'_, PyAny>,
        demotions: Vec<pack::DemotionState>,
        merges: Vec<pack::MergeState>,
    ) -> Outcome<Self> {
        let frame = items(values, item::read)?;
        Ok(pack::restore(frame, demotions, merges)?.into())
    }
}

fn read_policies(policies: &Bound<'_, PyAny>) -> Outcome<Vec<Arc<dyn packframe_core::Policy>>> {
    let place = Place::Option("policies");
    let listed = policies.try_iter().map_err(|_| {
        place.refuse(
            policies,
            "is no list",
            "a list of objects with id and evaluate",
        )
    })?;
    listed
        .map(|policy| {
            let policy = policy?;
            let id = policy.getattr("id").map_err(|_| {
                place.refuse(&policy, "has no id", "an object with id and evaluate")
            })?;
            let id = text(&id, Place::Option("policies"))?.to_owned();
            if !policy.hasattr("evaluate")? {
                return Err(place
                    .refuse(&policy, "has no evaluate", "an object with id and evaluate")
                    .into());
            }
            Ok(Arc::new(PyPolicy::new(id, policy.unbind())) as Arc<dyn packframe_core::Policy>)
        })
        .collect()
}

//! Items.

use std::sync::Arc;

use packframe_core::{
    Alternative as CoreAlternative, Extra, Item as CoreItem, ItemSpec, Retention, Role,
    Sensitivity, Trust, hex,
};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};

use crate::alternative;
use crate::content;
use crate::convert::{Arg, Place, datetime, instant, name, names, number, text, tokens, word};
use crate::error::Outcome;
use crate::json;
use crate::reduced::{Reduced, reduced};

/// The smallest piece of context: a content with its contract. Immutable.
///
/// Parameters
/// ----------
/// content : str, Json, Binary, Reference or Message
///     What it says. A bare dict, list or bytes is refused: its kind would be a guess.
/// id : str, optional
///     Unique in a frame; a missing one is made there from the content's hash.
/// role : {"system", "developer", "user", "assistant", "tool"}
/// retention : {"required", "preferred", "optional"}
///     A contract, not a weight: required is in the pack or packing raises; preferred is
///     considered before every optional item.
/// score, priority : float
///     Relevance from a ranker, the caller's weight. Higher is better. Finite.
/// section, group : str, optional
///     A label; items of one group are kept or excluded together.
/// requires : iterable of str
///     Ids of the items that it is nothing without: it is taken with them or not at all.
/// exclusive : str, optional
///     A key; of the groups that have it, at most one is taken.
/// alternatives : sequence of Alternative, str or other contents
///     What may stand in its place where it does not fit, best first.
/// cut_to : int, optional
///     None where it is never cut; n where it may be cut, to no less than n tokens. From 1 on,
///     since a cut to nothing is no cut: 1 is for any cut.
/// pinned : bool
///     Required, and never cut, replaced or demoted, whatever `cut_to` and `alternatives` say.
/// created_at, expires_at : datetime or ISO 8601 str, optional
///     Aware. From `expires_at` on it is not packed.
/// trust : {"trusted", "untrusted", "quarantined"}
/// sensitivity : {"public", "internal", "confidential", "restricted"}
/// sources : sequence of str
///     Where it comes from.
/// metadata : dict, optional
///     Your own JSON-able data; packframe keeps it and reads nothing in it.
///
/// Raises `InvalidItem` naming field, value and remedy. Cost: one copy of the text.
///
/// >>> import packframe as pf
/// >>> item = pf.Item("Ships in 3 days.", id="kb-17", score=0.83, sources=["kb://17"])
/// >>> item.id, item.role, item.retention
/// ('kb-17', 'user', 'optional')
/// >>> pf.Item("hi", retention="requird")
/// Traceback (most recent call last):
/// packframe.InvalidItem: retention 'requird' is none of optional, preferred, required; use required
#[pyclass(frozen, module = "packframe")]
pub(crate) struct Item {
    pub(crate) inner: CoreItem,
}

/// The parameters of an item as they came.
#[derive(Default)]
pub(crate) struct Raw<'a, 'py> {
    pub(crate) id: Option<&'a Bound<'py, PyAny>>,
    pub(crate) role: Option<&'a Bound<'py, PyAny>>,
    pub(crate) retention: Option<&'a Bound<'py, PyAny>>,
    pub(crate) score: Option<&'a Bound<'py, PyAny>>,
    pub(crate) priority: Option<&'a Bound<'py, PyAny>>,
    pub(crate) section: Option<&'a Bound<'py, PyAny>>,
    pub(crate) group: Option<&'a Bound<'py, PyAny>>,
    pub(crate) pinned: Option<&'a Bound<'py, PyAny>>,
    pub(crate) created_at: Option<&'a Bound<'py, PyAny>>,
    pub(crate) expires_at: Option<&'a Bound<'py, PyAny>>,
    pub(crate) trust: Option<&'a Bound<'py, PyAny>>,
    pub(crate) sensitivity: Option<&'a Bound<'py, PyAny>>,
    pub(crate) sources: Option<&'a Bound<'py, PyAny>>,
    pub(crate) metadata: Option<&'a Bound<'py, PyAny>>,
    pub(crate) requires: Option<&'a Bound<'py, PyAny>>,
    pub(crate) exclusive: Option<&'a Bound<'py, PyAny>>,
    /// Read already, since records write them in a way of their own.
    pub(crate) alternatives: Vec<CoreAlternative>,
    pub(crate) cut_to: Option<&'a Bound<'py, PyAny>>,
}

impl Raw<'_, '_> {
    /// Checks every field.
    pub(crate) fn item(self, content: Arc<packframe_core::Content>) -> Outcome<CoreItem> {
        let default_role = content
            .as_message()
            .map_or(Role::User, packframe_core::Message::role);
        Ok(CoreItem::new(ItemSpec {
            content,
            id: name(self.id, Place::Field("id"))?,
            role: word(self.role, Place::Field("role"), default_role, Role::parse)?,
            retention: word(
                self.retention,
                Place::Field("retention"),
                Retention::Optional,
                Retention::parse,
            )?,
            score: number(self.score, Place::Field("score"))?,
            priority: number(self.priority, Place::Field("priority"))?,
            section: name(self.section, Place::Field("section"))?,
            group: name(self.group, Place::Field("group"))?,
            pinned: flag(self.pinned)?,
            trust: word(
                self.trust,
                Place::Field("trust"),
                Trust::Untrusted,
                Trust::parse,
            )?,
            sensitivity: word(
                self.sensitivity,
                Place::Field("sensitivity"),
                Sensitivity::Public,
                Sensitivity::parse,
            )?,
            extra: Extra {
                created_at: instant(self.created_at, Place::Field("created_at"))?,
                expires_at: instant(self.expires_at, Place::Field("expires_at"))?,
                sources: sources(self.sources)?,
                metadata: metadata(self.metadata)?,
                requires: names(self.requires, Place::Field("requires"))?,
                exclusive: name(self.exclusive, Place::Field("exclusive"))?,
                alternatives: self.alternatives,
                cut_to: self
                    .cut_to
                    .filter(|value| !value.is_none())
                    .map(|value| tokens(value, Place::Field("cut_to")))
                    .transpose()?,
            },
        })?)
    }
}

#[pymethods]
impl Item {
    #[new]
    #[expect(clippy::too_many_arguments, reason = "an item has these fields")]
    #[pyo3(
        signature = (content, *, id=Arg::Missing, role=Arg::Missing, retention=Arg::Missing, score=Arg::Missing,
            priority=Arg::Missing, section=Arg::Missing, group=Arg::Missing, requires=Arg::Missing,
            exclusive=Arg::Missing, alternatives=Arg::Missing, cut_to=Arg::Missing, pinned=Arg::Missing,
            created_at=Arg::Missing, expires_at=Arg::Missing, trust=Arg::Missing, sensitivity=Arg::Missing,
            sources=Arg::Missing, metadata=Arg::Missing),
        text_signature = "(content, *, id=None, role='user', retention='optional', score=0.0, priority=0.0, \
            section=None, group=None, requires=(), exclusive=None, alternatives=(), cut_to=None, pinned=False, created_at=None, expires_at=None, trust='untrusted', \
            sensitivity='public', sources=(), metadata=None)"
    )]
    fn new(
        content: &Bound<'_, PyAny>,
        id: Arg<'_>,
        role: Arg<'_>,
        retention: Arg<'_>,
        score: Arg<'_>,
        priority: Arg<'_>,
        section: Arg<'_>,
        group: Arg<'_>,
        requires: Arg<'_>,
        exclusive: Arg<'_>,
        alternatives: Arg<'_>,
        cut_to: Arg<'_>,
        pinned: Arg<'_>,
        created_at: Arg<'_>,
        expires_at: Arg<'_>,
        trust: Arg<'_>,
        sensitivity: Arg<'_>,
        sources: Arg<'_>,
        metadata: Arg<'_>,
    ) -> Outcome<Self> {
        let raw = Raw {
            id: id.as_ref(),
            role: role.as_ref(),
            retention: retention.as_ref(),
            score: score.as_ref(),
            priority: priority.as_ref(),
            section: section.as_ref(),
            group: group.as_ref(),
            pinned: pinned.as_ref(),
            created_at: created_at.as_ref(),
            expires_at: expires_at.as_ref(),
            trust: trust.as_ref(),
            sensitivity: sensitivity.as_ref(),
            sources: sources.as_ref(),
            metadata: metadata.as_ref(),
            requires: requires.as_ref(),
            exclusive: exclusive.as_ref(),
            alternatives: alternative::read(alternatives.as_ref(), alternative::bare)?,
            cut_to: cut_to.as_ref(),
        };
        Ok(Self {
            inner: raw.item(content::read(content)?)?,
        })
    }

    /// What it says: the str, `Json`, `Binary`, `Reference` or `Message`.
    #[getter]
    fn content<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        content::write(py, self.inner.content())
    }

    /// The word for its kind: text, json, binary, reference or message.
    #[getter]
    fn kind(&self) -> &'static str {
        self.inner.content().kind()
    }

    /// What a text rendering shows, or None for bytes.
    #[getter]
    fn text(&self) -> Option<&str> {
        self.inner.content().rendered()
    }

    /// The SHA-256 of the content in hexadecimal digits: of the UTF-8 text, the compact JSON, the
    /// URI, or the bytes.
    #[getter]
    fn content_sha256(&self) -> String {
        hex(self.inner.content().hash())
    }

    /// The id that was given, or None.
    #[getter]
    fn id(&self) -> Option<&str> {
        self.inner.id()
    }

    /// Who speaks.
    #[getter]
    fn role(&self) -> &'static str {
        self.inner.role().as_str()
    }

    /// The contract, as it was given; a pinned item is required whatever this says.
    #[getter]
    fn retention(&self) -> &'static str {
        self.inner.retention().as_str()
    }

    /// Relevance from a ranker.
    #[getter]
    fn score(&self) -> f64 {
        self.inner.score()
    }

    /// The caller's weight.
    #[getter]
    fn priority(&self) -> f64 {
        self.inner.priority()
    }

    /// The section, or None.
    #[getter]
    fn section(&self) -> Option<&str> {
        self.inner.section()
    }

    /// The group, or None.
    #[getter]
    fn group(&self) -> Option<&str> {
        self.inner.group()
    }

    /// The ids of the items that it is taken with or not at all, as a tuple.
    #[getter]
    fn requires<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let requires = self.inner.extra().map_or(&[][..], |extra| &extra.requires);
        PyTuple::new(py, requires.iter().map(|id| &**id))
    }

    /// The key of which at most one group is taken, or None.
    #[getter]
    fn exclusive(&self) -> Option<&str> {
        self.inner
            .extra()
            .and_then(|extra| extra.exclusive.as_deref())
    }

    /// What may stand in its place, best first, as a tuple of `Alternative`.
    #[getter]
    fn alternatives<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let extra = self.inner.extra();
        alternative::write(py, extra.map_or(&[][..], |extra| &extra.alternatives))
    }

    /// The tokens that a cut of it has at least, or None where it is never cut.
    #[getter]
    fn cut_to(&self) -> Option<u64> {
        self.inner.extra().and_then(|extra| extra.cut_to)
    }

    /// Whether it is required and never cut, replaced or demoted.
    #[getter]
    fn pinned(&self) -> bool {
        self.inner.pinned()
    }

    /// When it was made, as a datetime in UTC, or None.
    #[getter]
    fn created_at<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        datetime(py, self.inner.extra().and_then(|extra| extra.created_at))
    }

    /// From when on it is not packed, as a datetime in UTC, or None.
    #[getter]
    fn expires_at<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        datetime(py, self.inner.extra().and_then(|extra| extra.expires_at))
    }

    /// How far it is trusted.
    #[getter]
    fn trust(&self) -> &'static str {
        self.inner.trust().as_str()
    }

    /// Who may see it.
    #[getter]
    fn sensitivity(&self) -> &'static str {
        self.inner.sensitivity().as_str()
    }

    /// Where it comes from, as a tuple.
    #[getter]
    fn sources<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(
            py,
            self.inner.extra().map_or(&[][..], |extra| &extra.sources),
        )
    }

    /// The caller's own data, as a fresh copy, or None.
    #[getter]
    fn metadata<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let stored = self
            .inner
            .extra()
            .and_then(|extra| extra.metadata.as_deref());
        stored.map(|stored| json::read(py, stored)).transpose()
    }

    /// Returns a copy with some fields changed; takes what the constructor takes.
    ///
    /// Raises `InvalidItem` as the constructor does, `TypeError` for an unknown field.
    ///
    /// >>> import packframe as pf
    /// >>> pf.Item("hi", score=0.2).replace(score=0.9).score
    /// 0.9
    #[pyo3(signature = (**changes))]
    fn replace<'py>(
        slf: &Bound<'py, Self>,
        changes: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let fields = slf.get().arguments(slf.py())?;
        if let Some(changes) = changes {
            fields.update(changes.as_mapping())?;
        }
        let content = fields.call_method1("pop", ("content",))?;
        slf.get_type().call((content,), Some(&fields))
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.inner.same(&other.inner)
    }

    fn __hash__(&self) -> u64 {
        let mut start = [0; 8];
        start.copy_from_slice(&self.inner.content().hash()[..8]);
        u64::from_le_bytes(start)
    }

    fn __repr__(&self) -> String {
        let id = self.inner.id().map_or_else(String::new, |id| {
            format!("id='{}', ", packframe_core::printable(id))
        });
        format!(
            "Item({id}{}, {} bytes, role={:?}, retention={:?}, score={})",
            self.kind(),
            self.inner.content().stored().len(),
            self.role(),
            self.retention(),
            self.score()
        )
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        let fields = self.arguments(py)?;
        let content = fields.call_method1("pop", ("content",))?;
        reduced::<Self>(py, (content,).into_pyobject(py)?, fields)
    }
}

impl Item {
    /// Returns every argument of the constructor.
    fn arguments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let fields = PyDict::new(py);
        fields.set_item("content", self.content(py)?)?;
        fields.set_item("id", self.id())?;
        fields.set_item("role", self.role())?;
        fields.set_item("retention", self.retention())?;
        fields.set_item("score", self.score())?;
        fields.set_item("priority", self.priority())?;
        fields.set_item("section", self.section())?;
        fields.set_item("group", self.group())?;
        fields.set_item("requires", self.requires(py)?)?;
        fields.set_item("exclusive", self.exclusive())?;
        fields.set_item("alternatives", self.alternatives(py)?)?;
        fields.set_item("cut_to", self.cut_to())?;
        fields.set_item("pinned", self.pinned())?;
        fields.set_item("created_at", self.created_at(py)?)?;
        fields.set_item("expires_at", self.expires_at(py)?)?;
        fields.set_item("trust", self.trust())?;
        fields.set_item("sensitivity", self.sensitivity())?;
        fields.set_item("sources", self.sources(py)?)?;
        fields.set_item("metadata", self.metadata(py)?)?;
        Ok(fields)
    }
}

fn flag(value: Option<&Bound<'_, PyAny>>) -> Outcome<bool> {
    let Some(value) = value else { return Ok(false) };
    match value.cast::<pyo3::types::PyBool>() {
        Ok(flag) => Ok(flag.is_true()),
        Err(_) => Err(Place::Field("pinned")
            .refuse(value, "is not a bool", "True or False")
            .into()),
    }
}

fn sources(value: Option<&Bound<'_, PyAny>>) -> Outcome<Vec<String>> {
    let Some(value) = value.filter(|value| !value.is_none()) else {
        return Ok(Vec::new());
    };
    let place = Place::Field("sources");
    if !(value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>()) {
        return Err(place
            .refuse(value, "is no list of names", "a list or tuple of str")
            .into());
    }
    value
        .try_iter()?
        .map(|source| Ok(text(&source?, place)?.to_owned()))
        .collect()
}

fn metadata(value: Option<&Bound<'_, PyAny>>) -> Outcome<Option<String>> {
    let Some(value) = value.filter(|value| !value.is_none()) else {
        return Ok(None);
    };
    if !value.is_instance_of::<PyDict>() {
        return Err(Place::Field("metadata")
            .refuse(value, "is no dict", "a dict of JSON values")
            .into());
    }
    content::json_text(value, "metadata").map(Some)
}

/// Reads a content of a list, which becomes an item.
pub(crate) fn read(value: &Bound<'_, PyAny>) -> Outcome<CoreItem> {
    if value.is_instance_of::<PyString>()
        || value.hasattr("__dict__")?
        || value.get_type().module()?.to_str()? == "packframe"
    {
        return Raw::default().item(content::read(value)?);
    }
    let remedy = "a str, pf.Item, or Frame.from_records for dicts";
    Err(Place::Field("content")
        .refuse(value, "is no item", remedy)
        .into())
}

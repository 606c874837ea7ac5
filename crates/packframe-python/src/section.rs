//! Sections.

use std::sync::Arc;

use packframe_core::{DropRule, Error, Item as CoreItem, Section as CoreSection, printable};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyMapping, PyString, PyTuple};

use crate::content;
use crate::convert::{Arg, Place, flag, number, text, tokens};
use crate::error::{Failure, Outcome};
use crate::item::Item;
use crate::record;
use crate::reduced::{Reduced, reduced};
use crate::slot::Slot;

/// A named part of a frame, and what it may take of the budget. Immutable.
///
/// Parameters
/// ----------
/// name : str
///     Its name, which its items get as their `section`. Not empty.
/// items : iterable of str, content or Item, optional
///     What is in it, in order. A content becomes an optional item, with `cut_to=1` where the
///     drop rule cuts. A str or a content alone is one item; a bare dict is refused.
/// priority : float
///     Sections of higher priority choose first. Finite.
/// min_tokens : int
///     The floor: tokens of room that are held for it.
/// max_tokens : int, optional
///     The cap: tokens that it may have at most, header and inner separators included.
/// max_share : float, optional
///     A cap as a share of what is available, from 0 to 1. The tighter cap binds.
/// drop : str
///     What happens to what does not fit: "truncate", "lowest_score", "cut_then_stop", "oldest",
///     "newest" or "all_or_nothing"; any other name is that of a strategy.
/// required : bool, optional
///     Of an "all_or_nothing" section: False where it may be left out; else packing fails. Another
///     section is never required as a whole, and True is refused: what must be in is an item with
///     `retention="required"`.
/// separator : str
///     What stands between its items.
/// header : str, optional
///     What stands before its items, if it has any. An empty one is none.
/// source : callable or object with `search`, optional
///     In a request: what is asked for its items, with the query of the request (None without one)
///     and a limit.
/// top_k : int, optional
///     How many items are wanted of the source, which is asked for twice as many. All that it
///     returns compete, so that this does not limit what is sent: `max_tokens` does. Both are given
///     or neither.
///
/// Raises `InvalidOption` for an argument that makes no sense, also for a floor over its own
/// cap, and `InvalidItem` for an item that is none or names another section, with its row in the
/// section. Cost: linear in the items.
///
/// >>> import packframe as pf
/// >>> section = pf.Section("history", ["Hello.", "Where is it?"], max_share=0.5, drop="oldest")
/// >>> section, [item.section for item in section.items]
/// (Section('history', 2 items, max_share=0.5, drop='oldest'), ['history', 'history'])
/// >>> pf.Section("tools", min_tokens=200, max_tokens=100)
/// Traceback (most recent call last):
/// packframe.InvalidOption: min_tokens 200 of section 'tools' is over max_tokens 100; use a min_tokens of at most 100, or a larger max_tokens
#[pyclass(frozen, module = "packframe")]
pub(crate) struct Section {
    pub(crate) inner: Arc<CoreSection>,
    pub(crate) items: Vec<CoreItem>,
    /// Whether the caller said what happens to what does not fit.
    pub(crate) drop_given: bool,
    /// Where a request looks for more items.
    source: Option<Arc<Slot>>,
    /// How many of them are wanted.
    top_k: Option<u64>,
}

#[pymethods]
impl Section {
    #[new]
    #[expect(clippy::too_many_arguments, reason = "a section has these fields")]
    #[pyo3(
        signature = (name, items=Arg::Missing, *, priority=Arg::Missing, min_tokens=Arg::Missing,
            max_tokens=None, max_share=None, drop=Arg::Missing, required=None,
            separator=Arg::Missing, header=None, source=None, top_k=None),
        text_signature = "(name, items=(), *, priority=0, min_tokens=0, max_tokens=None, \
            max_share=None, drop='truncate', required=None, separator='\\n', header=None, source=None, top_k=None)"
    )]
    fn new(
        name: &Bound<'_, PyAny>,
        items: Arg<'_>,
        priority: Arg<'_>,
        min_tokens: Arg<'_>,
        max_tokens: Option<&Bound<'_, PyAny>>,
        max_share: Option<&Bound<'_, PyAny>>,
        drop: Arg<'_>,
        required: Option<&Bound<'_, PyAny>>,
        separator: Arg<'_>,
        header: Option<&Bound<'_, PyAny>>,
        source: Option<&Bound<'_, PyAny>>,
        top_k: Option<&Bound<'_, PyAny>>,
    ) -> Outcome<Self> {
        let mut inner = CoreSection::new(text(name, Place::Option("name"))?);
        let section = Arc::clone(&inner.name);
        let named = |failure: Failure| match failure {
            Failure::Core(error) => Failure::Core(error.of_section(&section)),
            other @ Failure::Python(_) => other,
        };
        inner.priority = number(priority.as_ref(), Place::Option("priority")).map_err(named)?;
        if let Some(floor) = min_tokens.as_ref() {
            inner.min_tokens = tokens(floor, Place::Option("min_tokens")).map_err(named)?;
        }
        inner.max_tokens = max_tokens
            .map(|cap| tokens(cap, Place::Option("max_tokens")).map_err(named))
            .transpose()?;
        inner.max_share = max_share
            .map(|share| number(Some(share), Place::Option("max_share")).map_err(named))
            .transpose()?;
        if let Some(drop) = drop.as_ref() {
            let name = text(drop, Place::Option("drop"))?;
            match DropRule::named(name) {
                Some(rule) => inner.drop = rule,
                None => inner.strategy = Some(name.into()),
            }
        }
        inner.required = required
            .map(|required| flag(required, "required"))
            .transpose()?;
        if let Some(separator) = separator.as_ref() {
            text(separator, Place::Option("separator"))?.clone_into(&mut inner.separator);
        }
        inner.header = header
            .map(|header| text(header, Place::Option("header")).map(str::to_owned))
            .transpose()?;
        inner.check()?;
        let items = items
            .as_ref()
            .map_or(Ok(Vec::new()), |items| read(items, &inner))?;
        let top_k = top_k
            .map(|top_k| positive(top_k, Place::Option("top_k")))
            .transpose()?;
        if source.is_some() != top_k.is_some() {
            let (option, remedy) = match source {
                Some(_) => ("top_k", "the number of items that are wanted of the source"),
                None => ("source", "a callable, or an object with search"),
            };
            let problem = "is missing beside the other";
            return Err(Error::invalid_option(option, "None", problem, Some(remedy)).into());
        }
        if let Some(source) = source
            && !source.is_callable()
            && !source.hasattr("search")?
        {
            let remedy = "a callable, or an object with search";
            let place = Place::Option("source");
            return Err(place.refuse(source, "cannot be asked", remedy).into());
        }
        Ok(Self {
            inner: Arc::new(inner),
            items,
            drop_given: drop.as_ref().is_some(),
            source: source.map(|source| Slot::new(source.clone().unbind())),
            top_k,
        })
    }

    /// Returns the section with what its source found behind its own items, and without the source.
    fn _filled(&self, found: Vec<Bound<'_, PyAny>>) -> Outcome<Self> {
        let mut items = self.items.clone();
        let count = found.len();
        for (at, value) in found.iter().enumerate() {
            let item = self
                .candidate(value, at, count)
                .map_err(|failure| record::at_row(failure, at))?;
            items.push(item);
        }
        Ok(Self {
            inner: Arc::clone(&self.inner),
            items,
            drop_given: self.drop_given,
            source: None,
            top_k: None,
        })
    }

    /// What a request asks for more items, or None.
    #[getter]
    fn source(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.source
            .as_ref()
            .map(|source| source.get(py))
            .transpose()
    }

    /// How many items are wanted of the source, or None.
    #[getter]
    fn top_k(&self) -> Option<u64> {
        self.top_k
    }

    fn __traverse__(&self, visit: pyo3::PyVisit<'_>) -> Result<(), pyo3::PyTraverseError> {
        self.source
            .as_ref()
            .map_or(Ok(()), |source| source.traverse(&visit))
    }

    fn __clear__(&self) {
        if let Some(source) = &self.source {
            source.clear();
        }
    }

    /// Returns the section without its items.
    fn _rules(&self) -> Self {
        Self::bare(Arc::clone(&self.inner), self.drop_given)
    }

    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        &self.inner.name
    }

    /// Its items, as a tuple; each names the section.
    #[getter]
    fn items<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let items: Vec<_> = self
            .items
            .iter()
            .map(|item| {
                let inner = item.clone();
                Bound::new(py, Item { inner })
            })
            .collect::<PyResult<_>>()?;
        PyTuple::new(py, items)
    }

    /// Sections of higher priority choose first.
    #[getter]
    fn priority(&self) -> f64 {
        self.inner.priority
    }

    /// Tokens of room that are held for it.
    #[getter]
    fn min_tokens(&self) -> u64 {
        self.inner.min_tokens
    }

    /// Tokens that it may have at most, or None.
    #[getter]
    fn max_tokens(&self) -> Option<u64> {
        self.inner.max_tokens
    }

    /// The share of what is available that it may have at most, or None.
    #[getter]
    fn max_share(&self) -> Option<f64> {
        self.inner.max_share
    }

    /// The word of the drop rule, or the name of the strategy.
    #[getter]
    fn drop(&self) -> &str {
        match &self.inner.strategy {
            Some(name) => name,
            None => self.inner.drop.as_str(),
        }
    }

    /// Whether packing fails where an all-or-nothing section is left out; None means that it does.
    #[getter]
    fn required(&self) -> Option<bool> {
        self.inner.required
    }

    /// What stands between its items.
    #[getter]
    fn separator(&self) -> &str {
        &self.inner.separator
    }

    /// What stands before its items, or None.
    #[getter]
    fn header(&self) -> Option<&str> {
        self.inner.header.as_deref()
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.inner == other.inner
            && self.top_k == other.top_k
            && self.drop_given == other.drop_given
            && match (&self.source, &other.source) {
                (Some(one), Some(other)) => Arc::ptr_eq(one, other),
                (one, other) => one.is_none() && other.is_none(),
            }
            && self.items.len() == other.items.len()
            && self.items.iter().zip(&other.items).all(|(a, b)| a.same(b))
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        self.inner.name.hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self) -> String {
        let inner = &self.inner;
        let fields = [
            (inner.priority != 0.0).then(|| format!("priority={}", inner.priority)),
            (inner.min_tokens != 0).then(|| format!("min_tokens={}", inner.min_tokens)),
            inner.max_tokens.map(|cap| format!("max_tokens={cap}")),
            inner.max_share.map(|share| format!("max_share={share}")),
            Some(format!("drop='{}'", printable(self.drop()))),
        ];
        let fields: Vec<String> = fields.into_iter().flatten().collect();
        format!(
            "Section('{}', {} items, {})",
            printable(self.name()),
            self.items.len(),
            fields.join(", ")
        )
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        let fields = PyDict::new(py);
        fields.set_item("priority", self.priority())?;
        fields.set_item("min_tokens", self.min_tokens())?;
        fields.set_item("max_tokens", self.max_tokens())?;
        fields.set_item("max_share", self.max_share())?;
        if self.drop_given {
            fields.set_item("drop", self.drop())?;
        }
        fields.set_item("required", self.required())?;
        fields.set_item("separator", self.separator())?;
        fields.set_item("header", self.header())?;
        if self.top_k.is_some() {
            fields.set_item("source", self.source(py)?)?;
            fields.set_item("top_k", self.top_k)?;
        }
        let positional = (self.name(), self.items(py)?).into_pyobject(py)?;
        reduced::<Self>(py, positional, fields)
    }
}

impl Section {
    /// Makes a section without items.
    pub(crate) fn bare(inner: Arc<CoreSection>, drop_given: bool) -> Self {
        Self {
            inner,
            items: Vec::new(),
            drop_given,
            source: None,
            top_k: None,
        }
    }

    /// Reads what a source found: an item, a record, or a content, whose score then is its rank.
    fn candidate(&self, value: &Bound<'_, PyAny>, at: usize, count: usize) -> Outcome<CoreItem> {
        let section = &self.inner;
        if let Ok(item) = value.cast::<Item>() {
            return Ok(section.item(&item.get().inner)?);
        }
        if value.is_instance_of::<PyMapping>() {
            let mut spec = record::read(value)?.spec();
            if section.drop.cuts() && section.strategy.is_none() {
                spec.extra.cut_to = spec.extra.cut_to.or(Some(1));
            }
            return Ok(section.item(&CoreItem::new(spec)?)?);
        }
        let mut spec = section.bare_item(content::read(value)?)?.spec();
        #[expect(
            clippy::cast_precision_loss,
            reason = "a rank only needs to keep its order"
        )]
        let score = (count - at) as f64 / count as f64;
        spec.score = score;
        Ok(CoreItem::new(spec)?)
    }
}

/// Reads a whole number from 1.
fn positive(value: &Bound<'_, PyAny>, place: Place<'_>) -> Outcome<u64> {
    match tokens(value, place)? {
        0 => Err(place.refuse(value, "asks for nothing", "1 or more").into()),
        number => Ok(number),
    }
}

/// Reads the items of a section: an iterable of them, or one alone.
fn read(values: &Bound<'_, PyAny>, section: &CoreSection) -> Outcome<Vec<CoreItem>> {
    // A string is a list of its letters, and a dict one of its keys: nobody means that.
    let alone = values.is_instance_of::<PyString>()
        || values.is_instance_of::<PyBytes>()
        || values.is_instance_of::<PyMapping>()
        || values.is_instance_of::<Item>()
        || content::is_one(values);
    let list = if alone {
        PyList::new(values.py(), [values])?.into_any()
    } else {
        values.clone()
    };
    let listed = list.try_iter().map_err(|_| {
        let remedy = "a list of str, contents or pf.Item";
        Place::Option("items").refuse(values, "is no list", remedy)
    })?;
    listed
        .enumerate()
        .map(|(row, value)| {
            let value = value?;
            let read = match value.cast::<Item>() {
                Ok(item) => section.item(&item.get().inner).map_err(Into::into),
                Err(_) => content::read(&value).and_then(|content| Ok(section.bare_item(content)?)),
            };
            read.map_err(|failure| record::at_row(failure, row))
        })
        .collect()
}

/// Reads the sections that a pack declares: their rules only.
pub(crate) fn declared(values: &Bound<'_, PyAny>) -> Outcome<Vec<CoreSection>> {
    let place = Place::Option("sections");
    let remedy = "a list of pf.Section";
    let rows = values
        .try_iter()
        .map_err(|_| place.refuse(values, "is no list of sections", remedy))?;
    let mut sections = Vec::new();
    for value in rows {
        let value = value?;
        let section = value
            .cast::<Section>()
            .map_err(|_| place.refuse(&value, "is no section", "a pf.Section"))?
            .get();
        if !section.items.is_empty() {
            return Err(place
                .refuse(
                    &value,
                    "holds items, and those of the frame are packed",
                    "pf.pack_sections, or a section without items",
                )
                .into());
        }
        sections.push((*section.inner).clone());
    }
    Ok(sections)
}

//! The rows of a frame as an Arrow table.

use std::sync::Arc;

use arrow_buffer::{BooleanBuffer, Buffer, NullBufferBuilder};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, Fields, TimeUnit};
use packframe_core::{Body, Content, Extra, Frame, Item, alternatives_to_json};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::ffi;

/// Texts on the way to an array.
#[derive(Default)]
struct Texts {
    bytes: Vec<u8>,
    ends: Vec<i64>,
    nulls: Option<NullBufferBuilder>,
}

impl Texts {
    fn of<'a>(texts: impl Iterator<Item = Option<&'a str>>) -> ArrayData {
        let mut all = Self::default();
        texts.for_each(|text| all.push(text));
        all.finish()
    }

    fn push(&mut self, text: Option<&str>) {
        let nulls = self.nulls.get_or_insert_with(|| NullBufferBuilder::new(0));
        nulls.append(text.is_some());
        self.bytes.extend_from_slice(text.unwrap_or("").as_bytes());
        self.ends.push(length(self.bytes.len()));
    }

    fn finish(self) -> ArrayData {
        ArrayData::builder(DataType::LargeUtf8)
            .len(self.ends.len())
            .add_buffer(offsets(self.ends))
            .add_buffer(Buffer::from(self.bytes))
            .nulls(self.nulls.and_then(|mut nulls| nulls.finish()))
            .build()
            .expect("each end is behind a text")
    }
}

/// Returns the ends of values as Arrow has them: with a start.
fn offsets(ends: Vec<i64>) -> Buffer {
    let mut offsets = ends;
    offsets.insert(0, 0);
    Buffer::from(offsets)
}

/// No memory has so many bytes that an i64 could not hold their number.
fn length(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

/// Returns numbers of one type, with nulls where there is none.
fn numbers<T: Default + arrow_buffer::ArrowNativeType>(
    data_type: DataType,
    values: impl Iterator<Item = Option<T>>,
) -> ArrayData {
    let mut nulls = NullBufferBuilder::new(0);
    let values: Vec<T> = values
        .map(|value| {
            nulls.append(value.is_some());
            value.unwrap_or_default()
        })
        .collect();
    ArrayData::builder(data_type)
        .len(values.len())
        .add_buffer(Buffer::from_vec(values))
        .nulls(nulls.finish())
        .build()
        .expect("there is a bit for each value")
}

fn flags(values: impl Iterator<Item = bool>) -> ArrayData {
    let bits: BooleanBuffer = values.collect();
    ArrayData::builder(DataType::Boolean)
        .len(bits.len())
        .add_buffer(bits.into_inner())
        .build()
        .expect("there is a bit for each value")
}

/// Returns lists of texts; a row without any has an empty one.
fn lists<'a, T: Iterator<Item = &'a str>>(rows: impl Iterator<Item = T>) -> ArrayData {
    let (mut values, mut ends) = (Texts::default(), Vec::new());
    for row in rows {
        row.for_each(|text| values.push(Some(text)));
        ends.push(length(values.ends.len()));
    }
    let item = Arc::new(Field::new("item", DataType::LargeUtf8, true));
    ArrayData::builder(DataType::LargeList(item))
        .len(ends.len())
        .add_buffer(offsets(ends))
        .add_child_data(values.finish())
        .build()
        .expect("each end is behind a list")
}

/// Returns the columns of a frame, in the order of the fields of a record.
fn columns(frame: &Frame) -> Vec<(&'static str, ArrayData)> {
    let rows = 0..frame.len();
    let items: Vec<_> = rows.clone().map(|row| frame.item(row)).collect();
    let contents = || items.iter().map(|item| &**item.content());
    let plain: Vec<_> = contents().map(Content::plain).collect();
    let text = |value: fn(&Item) -> Option<&str>| Texts::of(items.iter().map(value));
    let extra = |value: fn(&Extra) -> Option<&str>| {
        Texts::of(items.iter().map(|item| item.extra().and_then(value)))
    };
    let body = |value: fn(&Body) -> Option<&str>| {
        Texts::of(contents().map(|content| value(content.body())))
    };
    let float = |value: fn(&Item) -> f64| {
        numbers(
            DataType::Float64,
            items.iter().map(|item| Some(value(item))),
        )
    };
    let time = |value: fn(&Extra) -> Option<i64>| {
        let utc = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
        numbers(utc, items.iter().map(|item| item.extra().and_then(value)))
    };
    let alternatives: Vec<Option<String>> = items
        .iter()
        .map(|item| item.extra().map_or(&[][..], |extra| &extra.alternatives))
        .map(|all| (!all.is_empty()).then(|| alternatives_to_json(all)))
        .collect();
    let sizes = contents().map(|content| match content.body() {
        Body::Reference(reference) => reference.size,
        _ => None,
    });
    let cuts = items
        .iter()
        .map(|item| item.extra().and_then(|extra| extra.cut_to));
    let requires = items.iter().map(|item| {
        let requires = item.extra().map_or(&[][..], |extra| &extra.requires);
        requires.iter().map(|id| &**id)
    });
    let sources = items.iter().map(|item| {
        let sources = item.extra().map_or(&[][..], |extra| &extra.sources);
        sources.iter().map(String::as_str)
    });
    vec![
        (
            "content",
            Texts::of(plain.iter().map(|plain| Some(&**plain))),
        ),
        (
            "kind",
            Texts::of(contents().map(|content| Some(content.kind()))),
        ),
        ("id", text(Item::id)),
        ("role", text(|item| Some(item.role().as_str()))),
        ("retention", text(|item| Some(item.retention().as_str()))),
        ("score", float(Item::score)),
        ("priority", float(Item::priority)),
        ("section", text(Item::section)),
        ("group", text(Item::group)),
        ("requires", lists(requires)),
        ("exclusive", extra(|extra| extra.exclusive.as_deref())),
        (
            "alternatives",
            Texts::of(alternatives.iter().map(Option::as_deref)),
        ),
        ("cut_to", numbers(DataType::UInt64, cuts)),
        ("pinned", flags(items.iter().map(Item::pinned))),
        ("created_at", time(|extra| extra.created_at)),
        ("expires_at", time(|extra| extra.expires_at)),
        ("trust", text(|item| Some(item.trust().as_str()))),
        (
            "sensitivity",
            text(|item| Some(item.sensitivity().as_str())),
        ),
        ("sources", lists(sources)),
        ("metadata", extra(|extra| extra.metadata.as_deref())),
        (
            "mime",
            body(|body| match body {
                Body::Binary(binary) => Some(&binary.mime),
                _ => None,
            }),
        ),
        (
            "digest",
            body(|body| match body {
                Body::Reference(reference) => reference.digest.as_deref(),
                _ => None,
            }),
        ),
        ("size", numbers(DataType::UInt64, sizes)),
        (
            "format",
            body(|body| match body {
                Body::Message(message) => Some(message.format().as_str()),
                _ => None,
            }),
        ),
    ]
}

/// The rows of a frame as an Arrow table: `Frame.to_arrow` returns it.
///
/// Whatever takes an Arrow table takes it, as `pyarrow.table(table)` and `polars.DataFrame(table)`
/// do, and as often as it likes. It has a column for each field of a record, the same for every
/// frame. Immutable.
///
/// >>> import packframe as pf
/// >>> table = pf.Frame(["a", "b"]).to_arrow()
/// >>> len(table), table.column_names[:3]
/// (2, ['content', 'kind', 'id'])
#[pyclass(frozen, module = "packframe")]
pub(crate) struct ItemTable {
    data: ArrayData,
}

impl ItemTable {
    /// Copies the rows of a frame.
    pub(crate) fn of(frame: &Frame) -> Self {
        let (fields, children): (Vec<Field>, Vec<ArrayData>) = columns(frame)
            .into_iter()
            .map(|(name, data)| (Field::new(name, data.data_type().clone(), true), data))
            .unzip();
        let data = ArrayData::builder(DataType::Struct(Fields::from(fields)))
            .len(frame.len())
            .child_data(children)
            .build()
            .expect("each column has a value for each row");
        Self { data }
    }
}

#[pymethods]
impl ItemTable {
    fn __len__(&self) -> usize {
        self.data.len()
    }

    /// The names of its columns.
    #[getter]
    fn column_names(&self) -> Vec<&str> {
        match self.data.data_type() {
            DataType::Struct(fields) => fields.iter().map(|field| &**field.name()).collect(),
            _ => Vec::new(),
        }
    }

    /// Returns the table as a stream of one record batch, in a capsule.
    ///
    /// Its types are its own, whatever is requested, as the interface allows.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        ffi::export_stream(py, &self.data)
    }

    /// Returns the table as one struct array: a schema and an array, in capsules.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let _ = requested_schema;
        ffi::export(py, &self.data)
    }

    /// Returns the schema of the table, in a capsule.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        ffi::export_schema(py, self.data.data_type())
    }

    fn __repr__(&self) -> String {
        format!("ItemTable({} rows)", self.data.len())
    }
}

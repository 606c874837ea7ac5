//! A column of texts that came through Arrow's C data interface.

use std::borrow::Cow;
use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::str;

use arrow_buffer::{ArrowNativeType, Buffer, NullBuffer};
use arrow_data::ArrayData;
use arrow_schema::DataType;
use packframe_core::{Error, ErrorKind, TokenProfile};
use pyo3::prelude::*;

use super::counts::Counts;
use super::ffi::{self, Array, Layout, Malformed, Schema, Stream, Values, Views};
use crate::detached::detached;
use crate::error::Outcome;

/// Rows that an array of nothing but nulls may have: it has no buffers, so any number costs
/// nothing until it is counted.
const MOST_NULLS: usize = 1 << 31;

/// Columns of a table that an error names.
const SHOWN: usize = 5;

/// Rows that are read with the GIL held, to see how long they are.
const FEW_ROWS: i64 = 512;

/// A column of texts: its arrays, of one layout each, as they come.
pub(super) struct Column {
    /// The name of its class, for errors.
    name: String,
    layout: Layout,
    source: Source,
}

/// Arrays, as they come.
pub(super) enum Source {
    Array(Array),
    Stream(Stream),
}

impl Source {
    /// Takes what an object hands over, and its schema; `None` where it hands over nothing.
    pub(super) fn of(object: &Bound<'_, PyAny>) -> PyResult<Option<Result<Opened, Malformed>>> {
        if object.hasattr("__arrow_c_array__")? {
            let pair = object.call_method0("__arrow_c_array__")?;
            let opened = ffi::array(&pair);
            return Ok(Some(
                opened.map(|(schema, array)| (schema, Self::Array(array))),
            ));
        }
        if !object.hasattr("__arrow_c_stream__")? {
            return Ok(None);
        }
        let capsule = object.call_method0("__arrow_c_stream__")?;
        let open = |mut stream: Stream| {
            let schema = object.py().detach(|| stream.schema())?;
            Ok((schema, Self::Stream(stream)))
        };
        Ok(Some(ffi::stream(&capsule).and_then(open)))
    }
}

/// A schema, and the arrays that it describes.
pub(super) type Opened = (Schema, Source);

impl Column {
    /// Takes what has `__arrow_c_array__` or `__arrow_c_stream__`.
    pub(super) fn read(column: &Bound<'_, PyAny>) -> Outcome<Self> {
        let name = column.get_type().fully_qualified_name()?.to_string();
        let Some(source) = Source::of(column)? else {
            let problem = "is no Arrow array";
            let remedy = "what has __arrow_c_array__ or __arrow_c_stream__, such as a column of \
                          pyarrow, polars or pandas";
            return Err(Error::invalid_option("column", name, problem, Some(remedy)).into());
        };
        let (schema, source) = source.map_err(|problem| wrong(&name, problem))?;
        Ok(Self {
            layout: layout(&name, &schema)?,
            name,
            source,
        })
    }

    /// Counts each row: with the GIL held, if it is one short array, else without.
    ///
    /// # Errors
    ///
    /// `InvalidOption` for what breaks the rules of the interface, naming the row where it is one;
    /// what the profile raises, with the row.
    pub(super) fn count(
        self,
        py: Python<'_>,
        profile: &TokenProfile,
        threads: Option<NonZeroUsize>,
    ) -> Result<Counts, Error> {
        let Self {
            name,
            layout,
            source,
        } = self;
        let mut counting = Counting {
            name: &name,
            profile,
            threads,
            counts: Counts::default(),
        };
        match source {
            Source::Array(array) if array.rows() <= FEW_ROWS => {
                let values = counting.values(array, &layout)?;
                detached(py, values.bytes(), || counting.add(&values))?;
            }
            Source::Array(array) => py.detach(|| {
                let values = counting.values(array, &layout)?;
                counting.add(&values)
            })?,
            // A producer may need the GIL on a thread of its own to go on.
            Source::Stream(mut stream) => py.detach(|| {
                while let Some(array) = counting.next(&mut stream)? {
                    let values = counting.values(array, &layout)?;
                    counting.add(&values)?;
                }
                Ok::<_, Error>(())
            })?,
        }
        Ok(counting.counts)
    }
}

/// The counting of a column, array by array.
struct Counting<'a> {
    name: &'a str,
    profile: &'a TokenProfile,
    threads: Option<NonZeroUsize>,
    counts: Counts,
}

impl Counting<'_> {
    fn next(&self, stream: &mut Stream) -> Result<Option<Array>, Error> {
        stream.next().map_err(|problem| wrong(self.name, problem))
    }

    fn values(&self, array: Array, layout: &Layout) -> Result<Values, Error> {
        array
            .values(layout)
            .map_err(|problem| wrong(self.name, problem))
    }

    fn add(&mut self, values: &Values) -> Result<(), Error> {
        let (name, before) = (self.name, self.counts.len());
        let refuse = |(row, problem): AtRow| {
            let row = before + row;
            wrong(name, format!("has a value at row {row} that {problem}"))
        };
        match values {
            Values::Null(length) if *length > MOST_NULLS => {
                return Err(wrong(name, format!("has {length} rows of nulls")));
            }
            Values::Null(length) => self.counts.add_nulls(*length),
            Values::Offsets(_) | Values::Views(_) => {
                let texts = (0..values.len())
                    .map(|row| values.text(row).map_err(|problem| (row, problem)))
                    // No profile finds a token in an empty text.
                    .map(|text| text.map(Option::unwrap_or_default))
                    .collect::<Result<Vec<&str>, _>>()
                    .map_err(refuse)?;
                let counted = self.count(&texts, |text| Some(before + text))?;
                self.counts.add(counted, values.nulls());
            }
            Values::Fixed(_) | Values::Lists(_) => {
                return Err(wrong(name, "has no texts".to_owned()));
            }
            Values::Keys(keys, dictionary) => {
                let (texts, rows) = used(keys, dictionary).map_err(refuse)?;
                let counted = self.count(&texts, |text| {
                    let row = rows.iter().position(|&found| found == Some(text));
                    row.map(|row| before + row)
                })?;
                for row in rows {
                    self.counts.push(row.map(|text| counted[text]));
                }
            }
        }
        Ok(())
    }

    /// Counts texts; an error names the row of the column.
    fn count(
        &self,
        texts: &[&str],
        row_of: impl Fn(usize) -> Option<usize>,
    ) -> Result<Vec<u64>, Error> {
        let counted = self.profile.count_batch(texts, self.threads);
        counted.map_err(|error| match error.kind() {
            ErrorKind::Tokenizer(fault) => Error::tokenizer(
                &fault.which,
                fault.row.and_then(row_of),
                fault.message.clone(),
                fault.cause.clone(),
            ),
            _ => error,
        })
    }
}

/// A row of an array, and what is wrong with it.
type AtRow = (usize, Cow<'static, str>);

type Used<'a> = (Vec<&'a str>, Vec<Option<usize>>);

/// Returns the texts of a dictionary that some row has, each of them once, and which each row has.
fn used<'a>(keys: &ArrayData, dictionary: &'a Values) -> Result<Used<'a>, AtRow> {
    let mut texts = Vec::new();
    let mut known: HashMap<usize, Option<usize>> = HashMap::new();
    let mut rows = Vec::with_capacity(keys.len());
    for row in 0..keys.len() {
        if keys.is_null(row) {
            rows.push(None);
            continue;
        }
        let key = key(keys, row).filter(|&key| key < dictionary.len());
        let key = key.ok_or((row, "has a key that its dictionary has not".into()))?;
        let place = if let Some(place) = known.get(&key) {
            *place
        } else {
            let text = dictionary.text(key).map_err(|problem| (row, problem))?;
            let place = text.map(|_| texts.len());
            texts.extend(text);
            known.insert(key, place);
            place
        };
        rows.push(place);
    }
    Ok((texts, rows))
}

impl Values {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Null(length) => *length,
            Self::Offsets(data) | Self::Keys(data, _) | Self::Fixed(data) => data.len(),
            Self::Views(views) => views.len,
            Self::Lists(lists) => lists.len,
        }
    }

    fn nulls(&self) -> Option<&NullBuffer> {
        match self {
            Self::Offsets(data) | Self::Keys(data, _) | Self::Fixed(data) => data.nulls(),
            Self::Views(views) => views.nulls.as_ref(),
            Self::Lists(lists) => lists.nulls.as_ref(),
            Self::Null(_) => None,
        }
    }

    /// Returns about how many bytes there are to count.
    fn bytes(&self) -> usize {
        match self {
            Self::Null(_) | Self::Fixed(_) | Self::Lists(_) => 0,
            Self::Offsets(data) => data.buffers()[1].len(),
            Self::Views(views) => {
                views.bytes.len() + views.data.iter().map(Buffer::len).sum::<usize>()
            }
            Self::Keys(keys, dictionary) => keys.len() + dictionary.bytes(),
        }
    }

    /// Returns the text of a row that is there, or `None` for a null, whose bytes may be anything.
    pub(super) fn text(&self, row: usize) -> Result<Option<&str>, Cow<'static, str>> {
        let bytes = match self {
            Self::Offsets(data) if data.is_valid(row) => slice(data, row),
            Self::Views(views) if views.nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row)) => {
                view(views, row)
            }
            Self::Keys(..) => return Err("is a dictionary in a dictionary".into()),
            _ => return Ok(None),
        };
        let bytes = bytes.ok_or("lies outside its buffers")?;
        match str::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(error) => Err(format!("is no UTF-8 ({error})").into()),
        }
    }
}

fn slice(data: &ArrayData, row: usize) -> Option<&[u8]> {
    let (start, end) = if *data.data_type() == DataType::LargeBinary {
        let offsets = data.buffer::<i64>(0);
        (*offsets.get(row)?, *offsets.get(row + 1)?)
    } else {
        let offsets = data.buffer::<i32>(0);
        (
            i64::from(*offsets.get(row)?),
            i64::from(*offsets.get(row + 1)?),
        )
    };
    let range = usize::try_from(start).ok()?..usize::try_from(end).ok()?;
    data.buffers()[1].get(range)
}

/// Follows a view: of at most 12 bytes it has them itself, else buffer and offset of them.
fn view(views: &Views, row: usize) -> Option<&[u8]> {
    let view = views.bytes.get(row * 16..(row + 1) * 16)?;
    let number = |at: usize| {
        let bytes = view.get(at..at + 4)?.try_into().ok()?;
        usize::try_from(i32::from_ne_bytes(bytes)).ok()
    };
    let length = number(0)?;
    if length <= 12 {
        return view.get(4..4 + length);
    }
    let (buffer, start) = (number(8)?, number(12)?);
    views
        .data
        .get(buffer)?
        .get(start..start.checked_add(length)?)
}

pub(super) fn key(keys: &ArrayData, row: usize) -> Option<usize> {
    match keys.data_type() {
        DataType::Int8 => keys.buffer::<i8>(0)[row].to_usize(),
        DataType::UInt8 => keys.buffer::<u8>(0)[row].to_usize(),
        DataType::Int16 => keys.buffer::<i16>(0)[row].to_usize(),
        DataType::UInt16 => keys.buffer::<u16>(0)[row].to_usize(),
        DataType::Int32 => keys.buffer::<i32>(0)[row].to_usize(),
        DataType::UInt32 => keys.buffer::<u32>(0)[row].to_usize(),
        DataType::Int64 => keys.buffer::<i64>(0)[row].to_usize(),
        DataType::UInt64 => keys.buffer::<u64>(0)[row].to_usize(),
        _ => None,
    }
}

/// Returns how the values of a column of texts lie in memory, or why they are none.
fn layout(name: &str, schema: &Schema) -> Result<Layout, Error> {
    text_layout(schema).ok_or_else(|| {
        let format = schema.dictionary.as_ref().unwrap_or(&schema.format);
        if schema.dictionary.is_some() && ["u", "U", "vu"].contains(&&**format) {
            return wrong(
                name,
                format!("has keys of the type {}", show(&schema.format)),
            );
        }
        no_text(name, format, schema)
    })
}

/// Returns how values lie in memory, if they are texts.
pub(super) fn text_layout(schema: &Schema) -> Option<Layout> {
    let values = match &**schema.dictionary.as_ref().unwrap_or(&schema.format) {
        "n" if schema.dictionary.is_none() => Layout::Null,
        "u" => Layout::Offsets(DataType::Binary),
        "U" => Layout::Offsets(DataType::LargeBinary),
        "vu" => Layout::Views,
        _ => return None,
    };
    if schema.dictionary.is_none() {
        return Some(values);
    }
    Some(Layout::Keys(integer(&schema.format)?, Box::new(values)))
}

/// Returns the type of integers that a format stands for.
pub(super) fn integer(format: &str) -> Option<DataType> {
    Some(match format {
        "c" => DataType::Int8,
        "C" => DataType::UInt8,
        "s" => DataType::Int16,
        "S" => DataType::UInt16,
        "i" => DataType::Int32,
        "I" => DataType::UInt32,
        "l" => DataType::Int64,
        "L" => DataType::UInt64,
        _ => return None,
    })
}

fn no_text(name: &str, format: &str, schema: &Schema) -> Error {
    if format == "+s" {
        let names = schema.fields.iter().map(|(name, _)| show(name));
        let mut columns: Vec<String> = names.take(SHOWN + 1).collect();
        if columns.len() > SHOWN {
            "'…'".clone_into(&mut columns[SHOWN]);
        }
        let problem = format!("is a table with the columns {}", columns.join(", "));
        let remedy = "one column of it, such as table[name]";
        return Error::invalid_option("column", name, problem, Some(remedy));
    }
    let problem = format!("is a column of the type {}, not of text", type_name(format));
    let remedy = "a column of utf8, large_utf8 or utf8_view, or a dictionary of one; cast it";
    Error::invalid_option("column", name, problem, Some(remedy))
}

fn wrong(name: &str, problem: Malformed) -> Error {
    let remedy = "an array that follows Arrow's C data interface, and is passed once";
    Error::invalid_option("column", name, problem, Some(remedy))
}

/// Shows a name of the producer's, in short.
pub(super) fn show(name: &str) -> String {
    let short: String = name.chars().take(40).collect();
    format!("'{}'", packframe_core::printable(&short))
}

/// Returns the name of the type that a format stands for.
pub(super) fn type_name(format: &str) -> Cow<'_, str> {
    let name = match format {
        "n" => "null",
        "u" => "utf8",
        "U" => "large_utf8",
        "vu" => "utf8_view",
        "+s" => "struct",
        "b" => "bool",
        "c" => "int8",
        "C" => "uint8",
        "s" => "int16",
        "S" => "uint16",
        "i" => "int32",
        "I" => "uint32",
        "l" => "int64",
        "L" => "uint64",
        "e" => "float16",
        "f" => "float32",
        "g" => "float64",
        "z" => "binary",
        "Z" => "large_binary",
        "vz" => "binary_view",
        "+r" => "run_end_encoded",
        _ if format.starts_with("+l") || format.starts_with("+L") || format.starts_with("+v") => {
            "list"
        }
        _ if format.starts_with("td") => "date",
        _ if format.starts_with("ts") && format.ends_with(':') => "timestamp without a time zone",
        _ if format.starts_with("ts") => "timestamp",
        _ if format.starts_with("d:") => "decimal",
        _ => return format!("with Arrow's format {}", show(format)).into(),
    };
    name.into()
}

//! A table of items that came through Arrow's C data interface.

use std::sync::Arc;

use arrow_schema::DataType;
use packframe_core::{
    ContentFields, Error, Extra, Frame, FrameBuilder, Item, ItemSpec, Message, Retention, Role,
    Sensitivity, Trust, alternatives_from_json, metadata_json, nearest, parse_iso,
};
use pyo3::prelude::*;

use super::cell::{Clock, Problem};
use super::column::{Source, integer, show, text_layout, type_name};
use super::ffi::{Array, Columns, Layout, Malformed, Schema, Values};
use crate::error::Outcome;

/// What the values of a field are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Type {
    Text,
    Number,
    Whole,
    Flag,
    Time,
    Texts,
}

/// The fields of an item, in the order in which a table of ours has them.
const FIELDS: [(&str, Type); 24] = [
    ("content", Type::Text),
    ("kind", Type::Text),
    ("id", Type::Text),
    ("role", Type::Text),
    ("retention", Type::Text),
    ("score", Type::Number),
    ("priority", Type::Number),
    ("section", Type::Text),
    ("group", Type::Text),
    ("requires", Type::Texts),
    ("exclusive", Type::Text),
    ("alternatives", Type::Text),
    ("cut_to", Type::Whole),
    ("pinned", Type::Flag),
    ("created_at", Type::Time),
    ("expires_at", Type::Time),
    ("trust", Type::Text),
    ("sensitivity", Type::Text),
    ("sources", Type::Texts),
    ("metadata", Type::Text),
    ("mime", Type::Text),
    ("digest", Type::Text),
    ("size", Type::Whole),
    ("format", Type::Text),
];

impl Type {
    /// Returns how values of the type lie in memory, and the clock of timestamps.
    fn layout(self, schema: &Schema) -> Option<(Layout, Option<Clock>)> {
        let format = &*schema.format;
        if format == "n" && schema.dictionary.is_none() {
            return Some((Layout::Null, None));
        }
        if matches!(self, Self::Text | Self::Time)
            && let Some(layout) = text_layout(schema)
        {
            return Some((layout, None));
        }
        if schema.dictionary.is_some() {
            return None;
        }
        match self {
            Self::Text => None,
            Self::Number => number(format).map(|layout| (layout, None)),
            Self::Whole => integer(format).map(|kind| (Layout::Fixed(kind), None)),
            Self::Flag => (format == "b").then_some((Layout::Fixed(DataType::Boolean), None)),
            Self::Time => {
                let clock = Clock::of(format)?;
                Some((Layout::Fixed(DataType::Int64), Some(clock)))
            }
            Self::Texts => {
                let offset = match format {
                    "+l" => DataType::Int32,
                    "+L" => DataType::Int64,
                    _ => return None,
                };
                let (_, values) = schema.fields.first()?;
                let values = text_layout(values)?;
                Some((Layout::Lists(offset, Box::new(values)), None))
            }
        }
    }

    /// Says what a column of the type may be.
    const fn remedy(self) -> &'static str {
        match self {
            Self::Text => "a column of utf8, large_utf8 or utf8_view, or a dictionary of one",
            Self::Number => "a column of ints, float32 or float64",
            Self::Whole => "a column of ints",
            Self::Flag => "a column of bool",
            Self::Time => "a column of timestamps with a time zone, or of ISO 8601 texts",
            Self::Texts => "a column of lists of utf8",
        }
    }
}

fn number(format: &str) -> Option<Layout> {
    Some(Layout::Fixed(match format {
        "f" => DataType::Float32,
        "g" => DataType::Float64,
        _ => integer(format)?,
    }))
}

/// Where the columns of a table are, by field.
#[derive(Default)]
struct Places {
    /// How each column lies in memory.
    layouts: Vec<Layout>,
    column: [Option<usize>; FIELDS.len()],
    clock: [Option<Clock>; FIELDS.len()],
}

impl Places {
    fn of(schema: &Schema) -> Result<Self, Error> {
        let mut places = Self::default();
        for (at, (name, column)) in schema.fields.iter().enumerate() {
            let known = FIELDS.iter().position(|(field, _)| field == name);
            let Some(field) = known else {
                let fields = FIELDS.iter().map(|(field, _)| *field);
                let meant = crate::convert::content_word(name);
                let remedy = meant.or_else(|| nearest(name, fields.clone())).map_or_else(
                    || format!("one of {}", fields.collect::<Vec<_>>().join(", ")),
                    str::to_owned,
                );
                let problem = "is no column of an item";
                return Err(Error::invalid_item(
                    name,
                    show(name),
                    problem,
                    Some(&remedy),
                ));
            };
            if places.column[field].is_some() {
                let problem = "is the name of two columns";
                let remedy = Some("each column once");
                return Err(Error::invalid_item(name, show(name), problem, remedy));
            }
            let (_, kind) = FIELDS[field];
            let (layout, clock) = kind.layout(column).ok_or_else(|| {
                let format = column.dictionary.as_ref().unwrap_or(&column.format);
                let problem = "is not a type of this column";
                Error::invalid_item(name, type_name(format), problem, Some(kind.remedy()))
            })?;
            places.column[field] = Some(at);
            places.clock[field] = clock;
            places.layouts.push(layout);
        }
        if places.column[0].is_none() {
            let remedy = Some("a table with the column content");
            return Err(Error::invalid_item("content", "", "is missing", remedy));
        }
        Ok(places)
    }
}

/// Reads a frame from what has `__arrow_c_array__` or `__arrow_c_stream__`, and is a table.
pub(super) fn read(table: &Bound<'_, PyAny>) -> Outcome<Frame> {
    let name = table.get_type().fully_qualified_name()?.to_string();
    let remedy = "a table or record batch of pyarrow, polars, pandas or DuckDB, passed once";
    let wrong = |problem: Malformed| Error::invalid_option("table", &*name, problem, Some(remedy));
    let source = Source::of(table)?.ok_or_else(|| wrong("is no Arrow table".to_owned()))?;
    let (schema, source) = source.map_err(wrong)?;
    if schema.format != "+s" || schema.dictionary.is_some() {
        let format = schema.dictionary.as_ref().unwrap_or(&schema.format);
        let problem = format!("is a column of the type {}, not a table", type_name(format));
        return Err(wrong(problem).into());
    }
    let places = Places::of(&schema)?;
    // A producer may need the GIL on a thread of its own to go on.
    let frame = table.py().detach(|| {
        let mut rows = Rows::new(&places);
        match source {
            Source::Array(array) => rows.add(array, &wrong)?,
            Source::Stream(mut stream) => {
                while let Some(array) = stream.next().map_err(wrong)? {
                    rows.add(array, &wrong)?;
                }
            }
        }
        rows.builder.finish()
    })?;
    Ok(frame)
}

/// Items on the way from tables to a frame.
struct Rows<'a> {
    places: &'a Places,
    builder: FrameBuilder,
    before: usize,
    /// The last section, group and exclusive key: tables name them row after row.
    last: [Option<Arc<str>>; 3],
}

impl<'a> Rows<'a> {
    fn new(places: &'a Places) -> Self {
        Self {
            places,
            builder: FrameBuilder::with_capacity(0),
            before: 0,
            last: [None, None, None],
        }
    }

    fn add(&mut self, array: Array, wrong: &impl Fn(Malformed) -> Error) -> Result<(), Error> {
        let columns = array.columns(&self.places.layouts).map_err(wrong)?;
        if let Some(nulls) = columns
            .nulls
            .as_ref()
            .filter(|nulls| nulls.null_count() > 0)
        {
            let row = self.before + nulls.iter().position(|valid| !valid).unwrap_or(0);
            return Err(wrong(format!("has a null at row {row}")));
        }
        for row in 0..columns.rows {
            let item = self
                .item(&columns, row)
                .map_err(|error| error.at_row(self.before + row))?;
            self.builder.push(&item);
        }
        self.before += columns.rows;
        Ok(())
    }

    fn item(&mut self, columns: &Columns, row: usize) -> Result<Item, Error> {
        let [section, group, exclusive] = &mut self.last;
        let row = Row {
            places: self.places,
            columns,
            at: row,
        };
        let fields = ContentFields {
            content: row.text("content")?,
            kind: row.text("kind")?,
            mime: row.text("mime")?,
            digest: row.text("digest")?,
            size: row.whole("size")?,
            format: row.text("format")?,
        };
        let content = Arc::new(fields.content()?);
        let role = content.as_message().map_or(Role::User, Message::role);
        Item::new(ItemSpec {
            id: row.text("id")?.map(Arc::from),
            role: row.word("role", role, Role::parse)?,
            retention: row.word("retention", Retention::Optional, Retention::parse)?,
            score: row.number("score"),
            priority: row.number("priority"),
            section: row.shared("section", section)?,
            group: row.shared("group", group)?,
            pinned: row
                .get("pinned")
                .is_some_and(|values| values.flag(row.at) == Some(true)),
            trust: row.word("trust", Trust::Untrusted, Trust::parse)?,
            sensitivity: row.word("sensitivity", Sensitivity::Public, Sensitivity::parse)?,
            extra: Extra {
                created_at: row.time("created_at")?,
                expires_at: row.time("expires_at")?,
                sources: row.texts("sources", str::to_owned)?,
                metadata: row.text("metadata")?.map(metadata_json).transpose()?,
                requires: row.texts("requires", Arc::from)?,
                exclusive: row.shared("exclusive", exclusive)?,
                alternatives: row
                    .text("alternatives")?
                    .map_or_else(|| Ok(Vec::new()), alternatives_from_json)?,
                cut_to: row.whole("cut_to")?,
            },
            content,
        })
    }
}

/// One row of a table.
struct Row<'a> {
    places: &'a Places,
    columns: &'a Columns,
    at: usize,
}

impl<'a> Row<'a> {
    fn place(field: &str) -> usize {
        let place = FIELDS.iter().position(|(name, _)| *name == field);
        place.expect("only fields of an item are asked for")
    }

    fn get(&self, field: &str) -> Option<&'a Values> {
        self.places.column[Self::place(field)].map(|at| &self.columns.values[at])
    }

    fn text(&self, field: &str) -> Result<Option<&'a str>, Error> {
        self.get(field).map_or(Ok(None), |values| {
            values
                .string(self.at)
                .map_err(|problem| refuse(field, problem))
        })
    }

    fn texts<T>(&self, field: &str, make: impl Fn(&'a str) -> T) -> Result<Vec<T>, Error> {
        let Some(values) = self.get(field) else {
            return Ok(Vec::new());
        };
        let texts = values
            .strings(self.at)
            .map_err(|problem| refuse(field, problem))?;
        Ok(texts.into_iter().map(make).collect())
    }

    fn shared(&self, field: &str, last: &mut Option<Arc<str>>) -> Result<Option<Arc<str>>, Error> {
        let Some(text) = self.text(field)? else {
            return Ok(None);
        };
        if last.as_deref() != Some(text) {
            *last = Some(text.into());
        }
        Ok(last.clone())
    }

    fn word<T>(
        &self,
        field: &str,
        default: T,
        parse: fn(&str) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.text(field)?.map_or(Ok(default), parse)
    }

    fn number(&self, field: &str) -> f64 {
        let number = self.get(field).and_then(|values| values.number(self.at));
        number.unwrap_or(0.0)
    }

    fn whole(&self, field: &str) -> Result<Option<u64>, Error> {
        let whole = self.get(field).and_then(|values| values.whole(self.at));
        let checked = whole.map(|whole| {
            u64::try_from(whole).map_err(|_| {
                Error::invalid_item(field, whole.to_string(), "is negative", Some("0 or more"))
            })
        });
        checked.transpose()
    }

    fn time(&self, field: &str) -> Result<Option<packframe_core::Instant>, Error> {
        if let Some(clock) = self.places.clock[Self::place(field)] {
            let values = self.get(field);
            return values.map_or(Ok(None), |values| {
                values.time(self.at, clock).map_err(|problem| {
                    let remedy = Some("a column of timestamps with a time zone");
                    Error::invalid_item(field, "a timestamp", problem, remedy)
                })
            });
        }
        let Some(text) = self.text(field)? else {
            return Ok(None);
        };
        let parsed = parse_iso(text).filter(|instant| crate::convert::is_known(*instant));
        let refuse = || {
            let (problem, remedy) = packframe_core::iso_problem(text);
            Error::invalid_item(field, show(text), problem, Some(remedy))
        };
        parsed.map(Some).ok_or_else(refuse)
    }
}

fn refuse(field: &str, problem: Problem) -> Error {
    let remedy = "an array that follows Arrow's C data interface";
    Error::invalid_item(field, "a value", problem, Some(remedy))
}

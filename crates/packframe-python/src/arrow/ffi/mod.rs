//! Arrow's C data interface: the one place of this crate that follows pointers.
//!
//! What a producer hands over is checked as far as the interface allows. It tells no sizes, so a
//! buffer is taken to be as long as the array's length, and its last offset, say; that memory is
//! not written to while an array is held is the producer's promise, too.

mod export;
mod stream;

use std::ffi::{CStr, c_char, c_void};
use std::ptr::{self, NonNull};
use std::sync::Arc;

use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer};
use arrow_data::ffi::FFI_ArrowArray;
use arrow_data::{ArrayData, ArrayDataBuilder};
use arrow_schema::DataType;
use arrow_schema::ffi::FFI_ArrowSchema;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

pub(super) use export::{export, export_schema, export_stream};
pub(super) use stream::Stream;

/// What is wrong with what a producer handed over, as the predicate of a sentence.
pub(super) type Malformed = String;

/// What a schema says of a column.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Schema {
    /// The format of its values; of a dictionary, of its keys.
    pub(super) format: String,
    /// The format of the values of its dictionary, if it has one.
    pub(super) dictionary: Option<String>,
    /// Its columns, if it is a table; its values, if it is a list; down to the lists in a table.
    pub(super) fields: Vec<(String, Self)>,
}

/// How the values of an array lie in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Layout {
    /// Nowhere: all are null.
    Null,
    /// Side by side, with offsets of 32 or of 64 bits.
    Offsets(DataType),
    /// Behind views of 16 bytes.
    Views,
    /// As keys into a dictionary.
    Keys(DataType, Box<Self>),
    /// Side by side, of one width; a bool is one bit.
    Fixed(DataType),
    /// As the values of another array, with offsets of 32 or of 64 bits.
    Lists(DataType, Box<Self>),
}

/// The values of an array. No byte of them has been looked at.
#[derive(Debug)]
pub(super) enum Values {
    /// So many nulls.
    Null(usize),
    /// `Binary` or `LargeBinary`, validated.
    Offsets(ArrayData),
    /// Views, which may point anywhere.
    Views(Views),
    /// Keys, which may be out of bounds, and the dictionary.
    Keys(ArrayData, Box<Self>),
    /// Numbers or bits.
    Fixed(ArrayData),
    /// Lists, which may lie anywhere.
    Lists(Lists),
}

/// Lists of the values of another array.
#[derive(Debug)]
pub(super) struct Lists {
    pub(super) len: usize,
    /// `Int32` or `Int64`, one more than there are lists; none where there is no list.
    pub(super) offsets: ArrayData,
    pub(super) nulls: Option<NullBuffer>,
    pub(super) values: Box<Values>,
}

/// The columns of a table, with as many rows each.
pub(super) struct Columns {
    pub(super) rows: usize,
    /// The rows that are no rows.
    pub(super) nulls: Option<NullBuffer>,
    pub(super) values: Vec<Values>,
}

/// Views and what they point into.
#[derive(Debug)]
pub(super) struct Views {
    pub(super) len: usize,
    /// 16 bytes each.
    pub(super) bytes: Buffer,
    pub(super) data: Vec<Buffer>,
    pub(super) nulls: Option<NullBuffer>,
}

/// An array that was moved out of its producer's hands.
pub(super) struct Array(Arc<FFI_ArrowArray>);

/// Moves the array out of the two capsules that `__arrow_c_array__` returned.
pub(super) fn array(pair: &Bound<'_, PyAny>) -> Result<(Schema, Array), Malformed> {
    let pair = pair.cast::<PyTuple>().ok();
    let pair = pair.and_then(|pair| pair.get_item(0).ok().zip(pair.get_item(1).ok()));
    let (schema, array) = pair.ok_or("has no pair of schema and array")?;
    let schema = pointer::<FFI_ArrowSchema>(&schema, c"arrow_schema")?;
    let array = pointer::<FFI_ArrowArray>(&array, c"arrow_array")?;
    // SAFETY: a capsule of this name points to a schema, which it owns and we only read here.
    let schema = describe(unsafe { schema.as_ref() })?;
    // SAFETY: a capsule of this name points to an array; taking it leaves a released one behind.
    let array = unsafe { FFI_ArrowArray::from_raw(array.as_ptr()) };
    if array.is_released() {
        return Err("was consumed before".to_owned());
    }
    Ok((schema, Array(Arc::new(array))))
}

/// Moves the stream out of the capsule that `__arrow_c_stream__` returned.
pub(super) fn stream(capsule: &Bound<'_, PyAny>) -> Result<Stream, Malformed> {
    let stream = pointer::<Stream>(capsule, c"arrow_array_stream")?;
    // SAFETY: a capsule of this name points to a stream; taking it leaves a released one behind.
    let stream = unsafe { ptr::replace(stream.as_ptr(), Stream::RELEASED) };
    if stream.release.is_none() {
        return Err("was consumed before".to_owned());
    }
    Ok(stream)
}

fn pointer<T>(capsule: &Bound<'_, PyAny>, name: &CStr) -> Result<NonNull<T>, Malformed> {
    let pointer = capsule
        .cast::<PyCapsule>()
        .ok()
        .and_then(|capsule| capsule.pointer_checked(Some(name)).ok())
        .map(NonNull::cast::<T>)
        .filter(|pointer| pointer.is_aligned());
    pointer.ok_or_else(|| format!("has no capsule named {}", name.to_string_lossy()))
}

/// Copies a C string, and at most a few hundred bytes of it.
///
/// # Safety
///
/// It points to a C string.
unsafe fn text(string: *const c_char) -> String {
    // SAFETY: as the caller promises.
    let bytes = unsafe { CStr::from_ptr(string) }.to_bytes();
    String::from_utf8_lossy(&bytes[..bytes.len().min(300)]).into_owned()
}

/// The first fields of a schema, as the interface has them: the crate's own type panics where
/// they are null.
#[repr(C)]
struct SchemaHead {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    children: i64,
    child: *mut *mut FFI_ArrowSchema,
}

fn schema_head(schema: &FFI_ArrowSchema) -> &SchemaHead {
    // SAFETY: both types are the C struct ArrowSchema; this one has its first fields.
    unsafe { &*ptr::from_ref(schema).cast() }
}

/// How deep a schema is read: a table, its lists, their values.
const DEPTH: usize = 3;

fn describe(schema: &FFI_ArrowSchema) -> Result<Schema, Malformed> {
    describe_to(schema, DEPTH)
}

fn describe_to(schema: &FFI_ArrowSchema, depth: usize) -> Result<Schema, Malformed> {
    if schema.release().is_none() {
        return Err("was consumed before".to_owned());
    }
    let head = schema_head(schema);
    let format = format(schema)?;
    let mut fields = Vec::new();
    if depth > 1 && format.starts_with('+') && !head.child.is_null() {
        for at in 0..usize::try_from(head.children).unwrap_or(0) {
            // SAFETY: there are so many pointers to children.
            let child = unsafe { *head.child.add(at) };
            // SAFETY: each points to a schema, or is null.
            let child = unsafe { child.as_ref() }.ok_or("has a column without a schema")?;
            let name = schema_head(child).name;
            let name = if name.is_null() {
                String::new()
            } else {
                // SAFETY: a name that is not null is a C string.
                unsafe { text(name) }
            };
            fields.push((name, describe_to(child, depth - 1)?));
        }
    }
    Ok(Schema {
        format,
        dictionary: schema.dictionary().map(self::format).transpose()?,
        fields,
    })
}

fn format(schema: &FFI_ArrowSchema) -> Result<String, Malformed> {
    let format = schema_head(schema).format;
    if format.is_null() {
        return Err("has a schema without a format".to_owned());
    }
    // SAFETY: a format is a C string.
    Ok(unsafe { text(format) })
}

/// The first fields of an array, as the interface has them.
#[repr(C)]
struct ArrayHead {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *const *const c_void,
    children: *const *const FFI_ArrowArray,
}

fn array_head(array: &FFI_ArrowArray) -> &ArrayHead {
    // SAFETY: both types are the C struct ArrowArray; this one has its first fields.
    unsafe { &*ptr::from_ref(array).cast() }
}

impl Array {
    /// Returns how many rows it says it has.
    pub(super) fn rows(&self) -> i64 {
        array_head(&self.0).length
    }

    /// Takes the buffers of an array that has a layout.
    pub(super) fn values(self, layout: &Layout) -> Result<Values, Malformed> {
        Part::of(&self.0, &self.0)?.values(layout)
    }

    /// Takes the columns of a table that have layouts.
    pub(super) fn columns(self, layouts: &[Layout]) -> Result<Columns, Malformed> {
        let table = Part::of(&self.0, &self.0)?;
        let children = array_head(&self.0).n_children;
        if usize::try_from(children) != Ok(layouts.len()) {
            return Err(format!("has {children} columns, and not {}", layouts.len()));
        }
        let column = |(at, layout)| table.child(at)?.part_of(&table)?.values(layout);
        Ok(Columns {
            rows: table.length,
            nulls: table.null_bits()?,
            values: layouts
                .iter()
                .enumerate()
                .map(column)
                .collect::<Result<_, _>>()?,
        })
    }
}

/// An array, or the dictionary of one, and who owns its memory.
struct Part<'a> {
    array: &'a FFI_ArrowArray,
    owner: &'a Arc<FFI_ArrowArray>,
    length: usize,
    offset: usize,
    /// Length and offset.
    end: usize,
    nulls: i64,
    buffers: usize,
}

impl<'a> Part<'a> {
    fn of(array: &'a FFI_ArrowArray, owner: &'a Arc<FFI_ArrowArray>) -> Result<Self, Malformed> {
        let head = array_head(array);
        let size =
            |what: &str, size: i64| usize::try_from(size).map_err(|_| format!("has {what} {size}"));
        let length = size("a length of", head.length)?;
        let offset = size("an offset of", head.offset)?;
        let end = length
            .checked_add(offset)
            .filter(|&end| bytes(end, 16).is_ok());
        let end = end.ok_or_else(|| format!("has a length of {length}"))?;
        let buffers = size("a number of buffers of", head.n_buffers)?;
        if buffers > 0 && head.buffers.is_null() {
            return Err("has no buffers".to_owned());
        }
        Ok(Self {
            array,
            owner,
            length,
            offset,
            end,
            nulls: head.null_count,
            buffers,
        })
    }

    /// Returns a child of the array.
    fn child(&self, at: usize) -> Result<Part<'a>, Malformed> {
        let head = array_head(self.array);
        if head.children.is_null() || usize::try_from(head.n_children).is_ok_and(|n| n <= at) {
            return Err("has no array for its values".to_owned());
        }
        // SAFETY: there are so many pointers to children.
        let child = unsafe { *head.children.add(at) };
        // SAFETY: each points to an array that its parent keeps, or is null.
        let child = unsafe { child.as_ref() }.filter(|child| !child.is_released());
        Part::of(child.ok_or("has no array for its values")?, self.owner)
    }

    /// Returns the rows that a table has of the column.
    fn part_of(mut self, table: &Self) -> Result<Self, Malformed> {
        if self.length < table.end {
            let (length, end) = (self.length, table.end);
            return Err(format!("has a column of {length} rows, and not {end}"));
        }
        self.offset += table.offset;
        self.length = table.length;
        self.end = self.offset + self.length;
        Ok(self)
    }

    fn values(&self, layout: &Layout) -> Result<Values, Malformed> {
        Ok(match layout {
            Layout::Null => Values::Null(self.length),
            Layout::Offsets(data_type) => Values::Offsets(self.offsets(data_type)?),
            Layout::Views => Values::Views(self.views()?),
            Layout::Keys(key, values) => {
                self.expect(2)?;
                let width = key.primitive_width().unwrap_or(1);
                let keys = self.buffer(1, bytes(self.end, width)?)?;
                let keys = self.build(ArrayData::builder(key.clone()).add_buffer(keys))?;
                let dictionary = self.array.dictionary().ok_or("has no dictionary")?;
                let dictionary = Part::of(dictionary, self.owner)?.values(values)?;
                Values::Keys(keys, Box::new(dictionary))
            }
            Layout::Fixed(data_type) => Values::Fixed(self.fixed(data_type)?),
            Layout::Lists(offset, values) => Values::Lists(self.lists(offset, values)?),
        })
    }

    fn fixed(&self, data_type: &DataType) -> Result<ArrayData, Malformed> {
        self.expect(2)?;
        if self.length == 0 {
            return Ok(ArrayData::new_empty(data_type));
        }
        let size = match data_type.primitive_width() {
            Some(width) => bytes(self.end, width)?,
            None => self.end.div_ceil(8),
        };
        self.build(ArrayData::builder(data_type.clone()).add_buffer(self.buffer(1, size)?))
    }

    fn lists(&self, offset: &DataType, values: &Layout) -> Result<Lists, Malformed> {
        self.expect(2)?;
        let mut offsets = ArrayData::new_empty(offset);
        if self.length > 0 {
            let width = offset.primitive_width().unwrap_or(1);
            offsets = ArrayData::builder(offset.clone())
                .add_buffer(self.buffer(1, bytes(self.end + 1, width)?)?)
                .len(self.length + 1)
                .offset(self.offset)
                .align_buffers(true)
                .build()
                .map_err(|error| malformed(&error))?;
        }
        Ok(Lists {
            len: self.length,
            offsets,
            nulls: self.null_bits()?,
            values: Box::new(self.child(0)?.values(values)?),
        })
    }

    /// Returns which values are null, if any may be.
    fn null_bits(&self) -> Result<Option<NullBuffer>, Malformed> {
        Ok(self
            .validity()?
            .map(|bits| NullBuffer::new(BooleanBuffer::new(bits, self.offset, self.length))))
    }

    fn offsets(&self, data_type: &DataType) -> Result<ArrayData, Malformed> {
        self.expect(3)?;
        let builder = ArrayData::builder(data_type.clone());
        if self.length == 0 {
            // Its offsets may be missing altogether.
            return ArrayData::builder(data_type.clone())
                .add_buffers([Buffer::default(), Buffer::default()])
                .build()
                .map_err(|error| malformed(&error));
        }
        let width = if *data_type == DataType::LargeBinary {
            8
        } else {
            4
        };
        let offsets = self.buffer(1, bytes(self.end + 1, width)?)?;
        let last = &offsets[self.end * width..];
        let last = match last.try_into().map(i32::from_ne_bytes) {
            Ok(last) => i64::from(last),
            Err(_) => last.try_into().map_or(-1, i64::from_ne_bytes),
        };
        let size = usize::try_from(last)
            .ok()
            .filter(|&size| bytes(size, 1).is_ok());
        let size = size.ok_or_else(|| format!("has a last offset of {last}"))?;
        self.build(builder.add_buffers([offsets, self.buffer(2, size)?]))
    }

    fn views(&self) -> Result<Views, Malformed> {
        if self.buffers < 3 {
            return Err(format!("has {} buffers, and not 3 or more", self.buffers));
        }
        let count = self.buffers - 3;
        let sizes = self.buffer(self.buffers - 1, bytes(count, 8)?)?;
        let data = sizes
            .chunks_exact(8)
            .enumerate()
            .map(|(at, size)| {
                let size = size.try_into().map_or(-1, i64::from_ne_bytes);
                let bytes = usize::try_from(size)
                    .ok()
                    .filter(|&size| bytes(size, 1).is_ok());
                self.buffer(
                    at + 2,
                    bytes.ok_or_else(|| format!("has a buffer of {size} bytes"))?,
                )
            })
            .collect::<Result<_, _>>()?;
        let views = self.buffer(1, bytes(self.end, 16)?)?;
        Ok(Views {
            len: self.length,
            bytes: views.slice(self.offset * 16),
            data,
            nulls: self.null_bits()?,
        })
    }

    fn expect(&self, buffers: usize) -> Result<(), Malformed> {
        if self.buffers == buffers {
            return Ok(());
        }
        Err(format!("has {} buffers, and not {buffers}", self.buffers))
    }

    /// Finishes an array: the crate validates it, offsets included.
    fn build(&self, builder: ArrayDataBuilder) -> Result<ArrayData, Malformed> {
        builder
            .len(self.length)
            .offset(self.offset)
            .null_bit_buffer(self.validity()?)
            .align_buffers(true)
            .build()
            .map_err(|error| malformed(&error))
    }

    /// Returns the bits that say which values are not null, if there are any.
    fn validity(&self) -> Result<Option<Buffer>, Malformed> {
        let is_there = self.start(0).is_some();
        if !is_there && self.nulls > 0 {
            return Err(format!("has {} nulls and no validity buffer", self.nulls));
        }
        if !is_there || self.length == 0 {
            return Ok(None);
        }
        self.buffer(0, self.end.div_ceil(8)).map(Some)
    }

    /// Returns where a buffer starts, if there is one.
    fn start(&self, at: usize) -> Option<NonNull<u8>> {
        if at >= self.buffers {
            return None;
        }
        NonNull::new(self.array.buffer(at).cast_mut())
    }

    /// Takes one of the buffers that are there, of so many bytes.
    fn buffer(&self, at: usize, bytes: usize) -> Result<Buffer, Malformed> {
        match self.start(at) {
            // A producer may point anywhere with a buffer of no bytes.
            _ if bytes == 0 => Ok(Buffer::default()),
            // SAFETY: the interface says that the buffer has these bytes, and the owner keeps them.
            Some(start) => Ok(unsafe {
                Buffer::from_custom_allocation(start, bytes, Arc::clone(self.owner) as _)
            }),
            None => Err(format!("has no buffer {at}")),
        }
    }
}

fn malformed(error: &arrow_schema::ArrowError) -> Malformed {
    format!("is invalid: {error}")
}

/// Returns the bytes of so many values, if memory can have as many.
fn bytes(values: usize, width: usize) -> Result<usize, Malformed> {
    values
        .checked_mul(width)
        .filter(|&bytes| isize::try_from(bytes).is_ok_and(|bytes| bytes < isize::MAX / 2))
        .ok_or_else(|| format!("has a length of {values}"))
}

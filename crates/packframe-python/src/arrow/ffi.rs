//! Arrow's C data interface: the one file of this crate that follows pointers.
//!
//! What a producer hands over is checked as far as the interface allows. It tells no sizes, so a
//! buffer is taken to be as long as the array's length, and its last offset, say; that memory is
//! not written to while an array is held is the producer's promise, too.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::{self, NonNull};
use std::sync::Arc;

use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer};
use arrow_data::ffi::FFI_ArrowArray;
use arrow_data::{ArrayData, ArrayDataBuilder};
use arrow_schema::DataType;
use arrow_schema::ffi::{FFI_ArrowSchema, Flags};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

/// What is wrong with what a producer handed over, as the predicate of a sentence.
pub(super) type Malformed = String;

/// What a schema says of a column.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Schema {
    /// The format of its values; of a dictionary, of its keys.
    pub(super) format: String,
    /// The format of the values of its dictionary, if it has one.
    pub(super) dictionary: Option<String>,
    /// The names of its columns, if it is a table; a few, if they are many.
    pub(super) columns: Vec<String>,
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

/// Puts an array and its schema into capsules, for a consumer to take.
pub(super) fn export<'py>(
    py: Python<'py>,
    data: &ArrayData,
) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
    let array = FFI_ArrowArray::new(data);
    Ok((
        export_schema(py, data.data_type())?,
        PyCapsule::new_with_value(py, array, c"arrow_array")?,
    ))
}

/// Puts a schema into a capsule, for a consumer to take.
pub(super) fn export_schema<'py>(
    py: Python<'py>,
    data_type: &DataType,
) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(data_type)
        .and_then(|schema| schema.with_flags(Flags::NULLABLE))
        .map_err(|error| pyo3::exceptions::PyValueError::new_err(error.to_string()))?;
    PyCapsule::new_with_value(py, schema, c"arrow_schema")
}

/// A stream of arrays, as the interface has it.
#[repr(C)]
pub(super) struct Stream {
    get_schema: Option<unsafe extern "C" fn(*mut Self, *mut FFI_ArrowSchema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut Self, *mut FFI_ArrowArray) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut Self) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut Self)>,
    private_data: *mut c_void,
}

// SAFETY: a stream may be moved to another thread; no two use it, since it cannot be shared.
unsafe impl Send for Stream {}

impl Drop for Stream {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: the stream is not released, and it is its own.
            unsafe { release(self) };
        }
    }
}

impl Stream {
    const RELEASED: Self = Self {
        get_schema: None,
        get_next: None,
        get_last_error: None,
        release: None,
        private_data: ptr::null_mut(),
    };

    /// Returns what all arrays of the stream are.
    pub(super) fn schema(&mut self) -> Result<Schema, Malformed> {
        let get_schema = self.get_schema.ok_or("is a stream without a schema")?;
        let mut schema = FFI_ArrowSchema::empty();
        // SAFETY: the stream is not released, and the schema is there to be written to.
        let code = unsafe { get_schema(self, &raw mut schema) };
        if code != 0 {
            return Err(self.failed(code));
        }
        describe(&schema)
    }

    /// Returns the next array, or `None` behind the last.
    pub(super) fn next(&mut self) -> Result<Option<Array>, Malformed> {
        let get_next = self.get_next.ok_or("is a stream without arrays")?;
        let mut array = FFI_ArrowArray::empty();
        // SAFETY: the stream is not released, and the array is there to be written to.
        let code = unsafe { get_next(self, &raw mut array) };
        if code != 0 {
            return Err(self.failed(code));
        }
        Ok((!array.is_released()).then(|| Array(Arc::new(array))))
    }

    fn failed(&mut self, code: c_int) -> Malformed {
        let said = self.get_last_error.and_then(|get_last_error| {
            // SAFETY: the stream is not released, and its last call failed.
            let said = unsafe { get_last_error(self) };
            // SAFETY: what it says is a C string that lives until the next call.
            (!said.is_null()).then(|| unsafe { text(said) })
        });
        let said = said.filter(|said| !said.is_empty());
        match said {
            Some(said) => format!("is a stream that failed with: {said}"),
            None => format!("is a stream that failed with code {code}"),
        }
    }
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

fn describe(schema: &FFI_ArrowSchema) -> Result<Schema, Malformed> {
    const SHOWN: usize = 5;
    if schema.release().is_none() {
        return Err("was consumed before".to_owned());
    }
    let head = schema_head(schema);
    let format = format(schema)?;
    let mut columns = Vec::new();
    if format == "+s" && !head.child.is_null() {
        let count = usize::try_from(head.children).unwrap_or(0);
        for at in 0..count.min(SHOWN) {
            // SAFETY: there are so many pointers to children.
            let child = unsafe { *head.child.add(at) };
            // SAFETY: each points to a schema, or is null.
            let child = unsafe { child.as_ref() }.ok_or("has a column without a schema")?;
            let name = schema_head(child).name;
            columns.push(if name.is_null() {
                String::new()
            } else {
                // SAFETY: a name that is not null is a C string.
                unsafe { text(name) }
            });
        }
        if count > SHOWN {
            columns.push("…".to_owned());
        }
    }
    Ok(Schema {
        format,
        dictionary: schema.dictionary().map(self::format).transpose()?,
        columns,
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
        })
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
            nulls: self
                .validity()?
                .map(|bits| NullBuffer::new(BooleanBuffer::new(bits, self.offset, self.length))),
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
        if self.array.buffer(0).is_null() && self.nulls > 0 {
            return Err(format!("has {} nulls and no validity buffer", self.nulls));
        }
        if self.array.buffer(0).is_null() || self.length == 0 {
            return Ok(None);
        }
        self.buffer(0, self.end.div_ceil(8)).map(Some)
    }

    /// Takes one of the buffers that are there, of so many bytes.
    fn buffer(&self, at: usize, bytes: usize) -> Result<Buffer, Malformed> {
        match NonNull::new(self.array.buffer(at).cast_mut()) {
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

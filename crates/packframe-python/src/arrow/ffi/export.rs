//! Arrays handed over to a consumer.

use std::ffi::{c_char, c_int};
use std::ptr;

use arrow_data::ArrayData;
use arrow_data::ffi::FFI_ArrowArray;
use arrow_schema::DataType;
use arrow_schema::ffi::{FFI_ArrowSchema, Flags};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::stream::Stream;

/// Puts an array and its schema into capsules, for a consumer to take.
pub(in crate::arrow) fn export<'py>(
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
pub(in crate::arrow) fn export_schema<'py>(
    py: Python<'py>,
    data_type: &DataType,
) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(data_type)
        .and_then(|schema| schema.with_flags(Flags::NULLABLE))
        .map_err(|error| pyo3::exceptions::PyValueError::new_err(error.to_string()))?;
    PyCapsule::new_with_value(py, schema, c"arrow_schema")
}

/// Puts one array into a stream in a capsule, for a consumer to take.
pub(in crate::arrow) fn export_stream<'py>(
    py: Python<'py>,
    data: &ArrayData,
) -> PyResult<Bound<'py, PyCapsule>> {
    let source = Box::new(Source {
        data_type: data.data_type().clone(),
        array: Some(data.clone()),
    });
    let stream = Stream {
        get_schema: Some(get_schema),
        get_next: Some(get_next),
        get_last_error: Some(get_last_error),
        release: Some(release),
        private_data: Box::into_raw(source).cast(),
    };
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}

/// What a stream of ours has as its private data.
struct Source {
    data_type: DataType,
    /// The array that is still to come.
    array: Option<ArrayData>,
}

/// Returns what a stream of ours hands out.
///
/// # Safety
///
/// The stream is one of ours, not released, and in no other's hands.
unsafe fn source<'a>(stream: *mut Stream) -> &'a mut Source {
    // SAFETY: as the caller promises, the private data is the box of `export_stream`.
    unsafe { &mut *(*stream).private_data.cast::<Source>() }
}

/// The code of an error that says that an argument is not usable.
const EINVAL: c_int = 22;

unsafe extern "C" fn get_schema(stream: *mut Stream, schema: *mut FFI_ArrowSchema) -> c_int {
    // SAFETY: the consumer calls this with the stream that has it.
    let source = unsafe { source(stream) };
    let Ok(described) = FFI_ArrowSchema::try_from(&source.data_type) else {
        return EINVAL;
    };
    // SAFETY: there is room for a schema, and what is there is not ours to drop.
    unsafe { ptr::write(schema, described) };
    0
}

unsafe extern "C" fn get_next(stream: *mut Stream, array: *mut FFI_ArrowArray) -> c_int {
    // SAFETY: the consumer calls this with the stream that has it.
    let source = unsafe { source(stream) };
    let next = source
        .array
        .take()
        .map_or_else(FFI_ArrowArray::empty, |data| FFI_ArrowArray::new(&data));
    // SAFETY: there is room for an array, and what is there is not ours to drop.
    unsafe { ptr::write(array, next) };
    0
}

unsafe extern "C" fn get_last_error(_stream: *mut Stream) -> *const c_char {
    ptr::null()
}

unsafe extern "C" fn release(stream: *mut Stream) {
    // SAFETY: the consumer calls this once, with the stream that has it.
    let stream = unsafe { &mut *stream };
    // SAFETY: the private data is the box of `export_stream`, and nobody has it from now on.
    drop(unsafe { Box::from_raw(stream.private_data.cast::<Source>()) });
    stream.release = None;
    stream.private_data = ptr::null_mut();
}

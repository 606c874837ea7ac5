//! Arrays that come one after the other.

use std::ffi::{c_char, c_int, c_void};
use std::ptr;
use std::sync::Arc;

use arrow_data::ffi::FFI_ArrowArray;
use arrow_schema::ffi::FFI_ArrowSchema;

use super::{Array, Malformed, Schema, describe, text};

/// A stream of arrays, as the interface has it.
#[repr(C)]
pub(in crate::arrow) struct Stream {
    pub(super) get_schema: Option<unsafe extern "C" fn(*mut Self, *mut FFI_ArrowSchema) -> c_int>,
    pub(super) get_next: Option<unsafe extern "C" fn(*mut Self, *mut FFI_ArrowArray) -> c_int>,
    pub(super) get_last_error: Option<unsafe extern "C" fn(*mut Self) -> *const c_char>,
    pub(super) release: Option<unsafe extern "C" fn(*mut Self)>,
    pub(super) private_data: *mut c_void,
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
    pub(super) const RELEASED: Self = Self {
        get_schema: None,
        get_next: None,
        get_last_error: None,
        release: None,
        private_data: ptr::null_mut(),
    };

    /// Returns what all arrays of the stream are.
    pub(in crate::arrow) fn schema(&mut self) -> Result<Schema, Malformed> {
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
    pub(in crate::arrow) fn next(&mut self) -> Result<Option<Array>, Malformed> {
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

//! Columns of texts in Arrow's memory, counted where they lie.

mod column;
mod counts;
#[expect(unsafe_code, reason = "Arrow's C data interface hands over pointers")]
mod ffi;

use std::num::NonZeroUsize;

use packframe_core::TokenProfile;
use pyo3::prelude::*;

pub(crate) use self::counts::CountArray;
use crate::error::Outcome;

/// Counts each row of a column; a null stays one.
pub(crate) fn count(
    column: &Bound<'_, PyAny>,
    profile: &TokenProfile,
    threads: Option<NonZeroUsize>,
) -> Outcome<CountArray> {
    let counts = column::Column::read(column)?.count(column.py(), profile, threads)?;
    Ok(counts.finish().into())
}

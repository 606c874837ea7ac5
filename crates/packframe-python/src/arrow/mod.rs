//! Arrow: columns of texts, counted where they lie, and tables of items.

mod cell;
mod column;
mod counts;
#[expect(unsafe_code, reason = "Arrow's C data interface hands over pointers")]
mod ffi;
mod items;
mod table;

use std::num::NonZeroUsize;

use packframe_core::{Frame, TokenProfile};
use pyo3::prelude::*;

pub(crate) use self::counts::CountArray;
pub(crate) use self::items::ItemTable;
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

/// Reads a frame from a table.
pub(crate) fn frame(table: &Bound<'_, PyAny>) -> Outcome<Frame> {
    table::read(table)
}

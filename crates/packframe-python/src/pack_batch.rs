//! Many frames packed in one call.

use std::num::NonZeroUsize;
use std::sync::Arc;

use packframe_core::Frame as CoreFrame;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::call;
use crate::error::Outcome;
use crate::frame::Frame;
use crate::pack::Pack;
use crate::texts;

/// Packs many frames, each into its own budget, in one release of the GIL.
///
/// `call` has the options of each pack; its budget is not read.
#[pyfunction]
pub(crate) fn pack_many<'py>(
    py: Python<'py>,
    frames: Vec<Bound<'py, Frame>>,
    budgets: Vec<Bound<'py, PyAny>>,
    call: &Bound<'py, PyTuple>,
    threads: Option<&Bound<'py, PyAny>>,
) -> Outcome<Bound<'py, PyList>> {
    let threads: Option<NonZeroUsize> = texts::threads(threads)?;
    let options = call::read(call, None)?;
    let frames = frames
        .iter()
        .zip(&budgets)
        .enumerate()
        .map(|(at, (frame, budget))| {
            let option = format!("budget[{at}]");
            Ok((
                Arc::clone(&frame.get().inner),
                call::read_budget(budget, &option)?,
            ))
        })
        .collect::<Outcome<Vec<(Arc<CoreFrame>, Option<u64>)>>>()?;
    let packs = py.detach(|| packframe_core::pack_many(&frames, &options, threads))?;
    let packs = packs.into_iter().map(Pack::from);
    let packs = packs.map(|pack| Bound::new(py, pack));
    Ok(PyList::new(py, packs.collect::<PyResult<Vec<_>>>()?)?)
}

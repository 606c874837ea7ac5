//! Counts as an Arrow array.

use arrow_buffer::{Buffer, NullBuffer, NullBufferBuilder};
use arrow_data::ArrayData;
use arrow_schema::DataType;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyIterator, PyList};

use super::ffi;

/// Counts on the way to an array.
pub(super) struct Counts {
    tokens: Vec<i64>,
    nulls: NullBufferBuilder,
}

impl Default for Counts {
    fn default() -> Self {
        Self {
            tokens: Vec::new(),
            nulls: NullBufferBuilder::new(0),
        }
    }
}

impl Counts {
    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    pub(super) fn add(&mut self, counts: Vec<u64>, nulls: Option<&NullBuffer>) {
        match nulls {
            Some(nulls) => self.nulls.append_buffer(nulls),
            None => self.nulls.append_n_non_nulls(counts.len()),
        }
        self.tokens.extend(counts.into_iter().map(signed));
    }

    pub(super) fn add_nulls(&mut self, rows: usize) {
        self.nulls.append_n_nulls(rows);
        self.tokens.resize(self.tokens.len() + rows, 0);
    }

    pub(super) fn push(&mut self, count: Option<u64>) {
        self.nulls.append(count.is_some());
        self.tokens.push(count.map_or(0, signed));
    }

    pub(super) fn finish(mut self) -> ArrayData {
        let builder = ArrayData::builder(DataType::Int64)
            .len(self.tokens.len())
            .nulls(self.nulls.finish())
            .add_buffer(Buffer::from(self.tokens));
        builder.build().expect("there is a bit for each count")
    }
}

/// No text has so many tokens that an i64 could not hold them.
fn signed(tokens: u64) -> i64 {
    i64::try_from(tokens).unwrap_or(i64::MAX)
}

/// The counts of a column, as an Arrow array of the type int64: `count_arrow` returns it.
///
/// Whatever takes an Arrow array takes it without a copy, as `pyarrow.array(counts)` and
/// `polars.Series(counts)` do. A row that was null is null. `len()`, indexing and comparing work
/// as for a list; `to_pylist()` makes one. Immutable, and it pickles.
///
/// >>> import packframe as pf
/// >>> pf.CountArray([3, None]).to_pylist()
/// [3, None]
#[pyclass(frozen, sequence, module = "packframe")]
pub(crate) struct CountArray {
    data: ArrayData,
}

impl From<ArrayData> for CountArray {
    fn from(data: ArrayData) -> Self {
        Self { data }
    }
}

impl CountArray {
    fn get(&self, row: usize) -> Option<i64> {
        self.data
            .is_valid(row)
            .then(|| self.data.buffer::<i64>(0)[row])
    }

    fn all(&self) -> impl ExactSizeIterator<Item = Option<i64>> {
        (0..self.data.len()).map(|row| self.get(row))
    }
}

#[pymethods]
impl CountArray {
    #[new]
    #[pyo3(signature = (counts, /))]
    fn new(counts: Vec<Option<u64>>) -> Self {
        let mut all = Counts::default();
        for count in counts {
            all.push(count);
        }
        all.finish().into()
    }

    fn __len__(&self) -> usize {
        self.data.len()
    }

    fn __getitem__(&self, row: isize) -> PyResult<Option<i64>> {
        let from_end = if row < 0 { self.data.len() } else { 0 };
        match from_end.checked_add_signed(row) {
            Some(row) if row < self.data.len() => Ok(self.get(row)),
            _ => Err(PyIndexError::new_err(format!(
                "row {row} of {} counts",
                self.data.len()
            ))),
        }
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.to_pylist(py)?.try_iter()
    }

    /// How many rows are null.
    #[getter]
    fn null_count(&self) -> usize {
        self.data.null_count()
    }

    /// Returns the counts as a list of int, with None for a null.
    fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.all())
    }

    /// Returns the array as Arrow's C data interface has it: a schema and an array, in capsules.
    ///
    /// It is int64 whatever is requested, as the interface allows.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let _ = requested_schema;
        ffi::export(py, &self.data)
    }

    /// Returns the schema of the array, in a capsule.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        ffi::export_schema(py, self.data.data_type())
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.all().eq(other.all())
    }

    fn __repr__(&self) -> String {
        format!(
            "CountArray({} rows, {} null)",
            self.data.len(),
            self.data.null_count()
        )
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyList>,))> {
        let counts = slf.get().to_pylist(slf.py())?;
        Ok((slf.get_type().into_any(), (counts,)))
    }
}

//! Objects as they are pickled: by the call that makes them again.

use pyo3::PyTypeInfo;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple, PyType};

/// What `__reduce__` returns: what makes the object, with class, arguments and named arguments.
pub(crate) type Reduced<'py> = (
    Bound<'py, PyAny>,
    (Bound<'py, PyType>, Bound<'py, PyTuple>, Bound<'py, PyDict>),
);

/// Returns how an object is made again, which every protocol of pickle can say.
pub(crate) fn reduced<'py, T: PyTypeInfo>(
    py: Python<'py>,
    arguments: Bound<'py, PyTuple>,
    named: Bound<'py, PyDict>,
) -> PyResult<Reduced<'py>> {
    static MAKE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let make = MAKE.import(py, "copyreg", "__newobj_ex__")?.clone();
    Ok((make, (py.get_type::<T>(), arguments, named)))
}

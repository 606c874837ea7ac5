//! Errors of the core as exceptions of the package.

use packframe_core::{BudgetExceeded, Error, ErrorKind, Fault, ItemCost, Problem, Violation};
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList};

use crate::manifest::Manifest;

/// An error on its way to Python: of the core, or raised by Python code that it called.
#[derive(Debug)]
pub(crate) enum Failure {
    Core(Error),
    Python(PyErr),
}

/// What the functions of this crate return.
pub(crate) type Outcome<T> = Result<T, Failure>;

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Core(error)
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Self::Python(error)
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Python(error) => error,
            Failure::Core(error) => {
                Python::attach(|py| raise(py, &error).unwrap_or_else(|broken| broken))
            }
        }
    }
}

/// Finds what Python code raised below an error of the core.
fn cause(fault: &Fault) -> Option<&PyErr> {
    let mut at: Option<&(dyn std::error::Error + 'static)> = fault
        .cause
        .as_deref()
        .map(|cause| cause as &(dyn std::error::Error + 'static));
    while let Some(error) = at {
        if let Some(raised) = error.downcast_ref::<PyErr>() {
            return Some(raised);
        }
        at = error.source();
    }
    None
}

fn raise(py: Python<'_>, error: &Error) -> PyResult<PyErr> {
    static BUILD: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let attributes = PyDict::new(py);
    let class = fill(py, error, &attributes)?;
    if let Some(frame) = error.frame() {
        attributes.set_item("frame", frame)?;
    }
    let raised = match error.kind() {
        ErrorKind::Policy(fault) | ErrorKind::Tokenizer(fault) | ErrorKind::Strategy(fault) => {
            cause(fault)
        }
        _ => None,
    };
    // What is no Exception, such as KeyboardInterrupt, is not ours to wrap.
    if let Some(raised) = raised.filter(|raised| !raised.is_instance_of::<PyException>(py)) {
        return Ok(raised.clone_ref(py));
    }
    let maker = BUILD.import(py, "packframe._errors", "from_core")?;
    let built = PyErr::from_value(maker.call1((class, error.to_string(), attributes))?);
    if let Some(raised) = raised {
        built.set_cause(py, Some(raised.clone_ref(py)));
    }
    Ok(built)
}

/// Makes an error of what Python code of the caller's raised while a value of theirs was read: the
/// place, with what was raised chained. What is no Exception stays what it is.
pub(crate) fn caused(py: Python<'_>, error: Error, raised: PyErr) -> Failure {
    if !raised.is_instance_of::<PyException>(py) {
        return raised.into();
    }
    let built = PyErr::from(Failure::Core(error));
    built.set_cause(py, Some(raised));
    built.into()
}

/// Writes the attributes of an error and returns the name of its class.
fn fill(py: Python<'_>, error: &Error, to: &Bound<'_, PyDict>) -> PyResult<&'static str> {
    Ok(match error.kind() {
        ErrorKind::InvalidItem {
            row,
            rows,
            field,
            value,
            suggestion,
            ..
        } => {
            to.set_item("row", *row)?;
            to.set_item("rows", rows)?;
            to.set_item("field", field)?;
            to.set_item("value", value)?;
            to.set_item("suggestion", suggestion)?;
            "InvalidItem"
        }
        ErrorKind::InvalidOption {
            option,
            value,
            suggestion,
            ..
        } => {
            to.set_item("option", option)?;
            to.set_item("value", value)?;
            to.set_item("suggestion", suggestion)?;
            "InvalidOption"
        }
        ErrorKind::InvalidMessages { problems } => {
            to.set_item("problems", list(py, problems, problem)?)?;
            "InvalidMessages"
        }
        ErrorKind::BudgetExceeded(numbers) => {
            fill_budget(py, numbers, to)?;
            "BudgetExceeded"
        }
        ErrorKind::FloorsExceedBudget { .. } | ErrorKind::SectionOverflow { .. } => {
            fill_sections(py, error, to)?
        }
        ErrorKind::RenderingOverBudget {
            budget,
            reserve,
            needed,
            available,
        } => {
            to.set_item("budget", *budget)?;
            to.set_item("reserve", *reserve)?;
            to.set_item("required_tokens", *needed)?;
            let over = i64::try_from(*needed).unwrap_or(i64::MAX) - *available;
            to.set_item("overflow_tokens", over)?;
            to.set_item("item_costs", PyList::empty(py))?;
            to.set_item("strategies", PyList::empty(py))?;
            to.set_item("needed", *needed)?;
            to.set_item("available", *available)?;
            "RenderingOverBudget"
        }
        ErrorKind::PolicyViolation {
            violations,
            boundary,
            partial_manifest,
        } => {
            to.set_item("violations", list(py, violations, violation)?)?;
            to.set_item("boundary", boundary)?;
            to.set_item(
                "partial_manifest",
                Manifest::from((**partial_manifest).clone()),
            )?;
            "PolicyViolation"
        }
        ErrorKind::Policy(fault) => fill_fault(fault, to, "PolicyError")?,
        ErrorKind::Tokenizer(fault) => fill_fault(fault, to, "TokenizerError")?,
        ErrorKind::Strategy(fault) => fill_fault(fault, to, "StrategyError")?,
        ErrorKind::UnsupportedContent {
            row,
            id,
            kind,
            renderer,
        } => {
            to.set_item("row", *row)?;
            to.set_item("id", id)?;
            to.set_item("kind", *kind)?;
            to.set_item("renderer", *renderer)?;
            "UnsupportedContent"
        }
        ErrorKind::ManifestCorrupt { differences } => {
            to.set_item("code", "MANIFEST_CORRUPT")?;
            to.set_item("differences", differences)?;
            "ManifestError"
        }
        ErrorKind::ManifestMismatch { differences } => {
            to.set_item("code", "MANIFEST_MISMATCH")?;
            to.set_item("differences", differences)?;
            "ManifestError"
        }
        ErrorKind::ManifestVersion { found } => {
            to.set_item("code", "MANIFEST_VERSION")?;
            to.set_item("differences", [format!("schema_version {found}")])?;
            "ManifestError"
        }
        _ => "PackframeError",
    })
}

/// The same for errors of sections.
fn fill_sections(py: Python<'_>, error: &Error, to: &Bound<'_, PyDict>) -> PyResult<&'static str> {
    Ok(match error.kind() {
        ErrorKind::FloorsExceedBudget { required, exceeded } => {
            fill_budget(py, exceeded, to)?;
            to.set_item("required", *required)?;
            "FloorsExceedBudget"
        }
        ErrorKind::SectionOverflow {
            needed,
            allocated,
            exceeded,
            ..
        } => {
            fill_budget(py, exceeded, to)?;
            to.set_item("needed", *needed)?;
            to.set_item("allocated", *allocated)?;
            "SectionOverflow"
        }
        _ => "BudgetExceeded",
    })
}

fn fill_fault(
    fault: &Fault,
    to: &Bound<'_, PyDict>,
    class: &'static str,
) -> PyResult<&'static str> {
    to.set_item("which", &fault.which)?;
    to.set_item("row", fault.row)?;
    to.set_item(
        "cause",
        cause(fault)
            .map(|raised| raised.value(to.py()).repr())
            .transpose()?,
    )?;
    Ok(class)
}

fn fill_budget(py: Python<'_>, numbers: &BudgetExceeded, to: &Bound<'_, PyDict>) -> PyResult<()> {
    to.set_item("budget", numbers.budget)?;
    to.set_item("reserve", numbers.reserve)?;
    to.set_item("margin", numbers.margin)?;
    to.set_item("available", numbers.available)?;
    to.set_item("required_tokens", numbers.required_tokens)?;
    to.set_item("overflow_tokens", numbers.overflow_tokens)?;
    to.set_item("section", &numbers.section)?;
    to.set_item("item_costs", list(py, &numbers.item_costs, item_cost)?)?;
    to.set_item("exceeded_at", numbers.exceeded_at)?;
    to.set_item("strategies", list(py, &numbers.strategies, strategy)?)?;
    to.set_item("join_tokens", numbers.join_tokens)?;
    to.set_item("accuracy", numbers.accuracy().as_str())?;
    to.set_item(
        "partial_manifest",
        Manifest::from(numbers.partial_manifest.clone()),
    )
}

/// Turns each value into a dict.
pub(crate) fn list<'py, T>(
    py: Python<'py>,
    values: &[T],
    fill: fn(&T, &Bound<'py, PyDict>) -> PyResult<()>,
) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for value in values {
        let record = PyDict::new(py);
        fill(value, &record)?;
        list.append(record)?;
    }
    Ok(list)
}

fn problem(problem: &Problem, to: &Bound<'_, PyDict>) -> PyResult<()> {
    to.set_item("position", problem.position)?;
    to.set_item("path", &problem.path)?;
    to.set_item("rule", problem.rule)?;
    to.set_item("id", &problem.id)
}

fn violation(violation: &Violation, to: &Bound<'_, PyDict>) -> PyResult<()> {
    to.set_item("row", violation.row)?;
    to.set_item("id", &violation.id)?;
    to.set_item("rule", &violation.rule)?;
    to.set_item("reason", &violation.reason)
}

fn item_cost(cost: &ItemCost, to: &Bound<'_, PyDict>) -> PyResult<()> {
    to.set_item("row", cost.row)?;
    to.set_item("id", &cost.id)?;
    to.set_item("tokens", cost.tokens)?;
    to.set_item("cumulative", cost.cumulative)?;
    to.set_item("accuracy", cost.accuracy.as_str())
}

fn strategy((name, saves): &(String, u64), to: &Bound<'_, PyDict>) -> PyResult<()> {
    to.set_item("strategy", name)?;
    to.set_item("saves", *saves)
}

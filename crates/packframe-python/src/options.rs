//! What a caller may say about a pack.

use std::sync::Arc;

use packframe_core::{
    Boundary as CoreBoundary, Error, Overflow as CoreOverflow, Retention, SecretRules, Secrets,
    parse_at, parse_keep,
};
use packframe_tokens::{At, Keep};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::convert::{Arg, Place, flag, listed, text, word};
use crate::error::Outcome;
use crate::predicate::Where;
use crate::slot::Slot;

/// Where a pack goes, and with it which items it may take along.
///
/// >>> import packframe as pf
/// >>> pf.Boundary.external("openai", require_provenance=True)
/// Boundary.external('openai', require_provenance=True)
#[pyclass(frozen, eq, module = "packframe")]
#[derive(PartialEq)]
pub(crate) struct Boundary {
    pub(crate) inner: CoreBoundary,
}

#[pymethods]
impl Boundary {
    /// Returns a place inside the application: nothing is refused for where it goes.
    #[staticmethod]
    #[pyo3(signature = (target=None), text_signature = "(target='application')")]
    fn internal(target: Option<&Bound<'_, PyAny>>) -> Outcome<Self> {
        let target = target.map_or(Ok("application"), read_target)?;
        Ok(Self {
            inner: CoreBoundary::internal(target),
        })
    }

    /// Returns a place outside, such as a model provider.
    ///
    /// Restricted items are refused, with `require_provenance` those without sources, and items
    /// that hold what has the form of a secret: a key, a token, a password. With
    /// `secrets="redact"` they go with `[redacted:<rule>]` in its place, with `secrets="allow"` as
    /// they are. `without` names rules that are off; the manifest lists what was switched off.
    ///
    /// `InvalidOption` for a word or a rule that there is not, with the nearest one.
    ///
    /// >>> import packframe as pf
    /// >>> frame = pf.Frame([pf.Item("db: postgres://app:h4rdT0Gu3ss@db/main")])
    /// >>> frame.pack(100, boundary=pf.Boundary.external("openai")).manifest.excluded[0]["rule"]
    /// 'uri_credentials'
    /// >>> quiet = pf.Boundary.external("openai", secrets="redact")
    /// >>> frame.pack(100, boundary=quiet).text
    /// 'db: postgres://app:[redacted:uri_credentials]@db/main'
    #[staticmethod]
    #[pyo3(
        signature = (target, *, require_provenance=Arg::Missing, secrets=Arg::Missing, without=Arg::Missing),
        text_signature = "(target, *, require_provenance=False, secrets='exclude', without=())"
    )]
    fn external(
        target: &Bound<'_, PyAny>,
        require_provenance: Arg<'_>,
        secrets: Arg<'_>,
        without: Arg<'_>,
    ) -> Outcome<Self> {
        let require_provenance = require_provenance
            .as_ref()
            .map_or(Ok(false), |value| flag(value, "require_provenance"))?;
        let secrets = secrets
            .as_ref()
            .map_or(Ok(Secrets::Exclude), read_secrets)?;
        let rules = without
            .as_ref()
            .map_or(Ok(SecretRules::all()), read_rules)?;
        let inner = CoreBoundary::external(read_target(target)?, require_provenance)
            .with_secrets(secrets, rules);
        Ok(Self { inner })
    }

    /// Returns the names of all rules for secrets, in the order in which they are asked.
    #[staticmethod]
    fn secret_rules(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
        PyTuple::new(py, SecretRules::known().collect::<Vec<_>>())
    }

    /// `"internal"` or `"external"`.
    #[getter]
    fn kind(&self) -> &'static str {
        self.inner.kind()
    }

    /// The name of the place.
    #[getter]
    fn target(&self) -> &str {
        self.inner.target()
    }

    /// Whether items without sources are refused.
    #[getter]
    fn require_provenance(&self) -> bool {
        self.inner.require_provenance()
    }

    /// What becomes of content with secrets: `"exclude"`, `"redact"` or `"allow"`; inside the
    /// application it is `"allow"`.
    #[getter]
    fn secrets(&self) -> &'static str {
        self.inner.secrets().as_str()
    }

    /// The names of the rules for secrets that are off.
    #[getter]
    fn without<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.off())
    }

    fn __str__(&self) -> String {
        self.inner.to_string()
    }

    fn __repr__(&self) -> String {
        let mut options = String::new();
        if self.inner.require_provenance() {
            options.push_str(", require_provenance=True");
        }
        if self.inner.is_external() && self.inner.secrets() != Secrets::Exclude {
            options += &[", secrets='", self.inner.secrets().as_str(), "'"].concat();
        }
        let off: Vec<String> = self.off().iter().map(|rule| format!("'{rule}'")).collect();
        if let [rule] = &off[..] {
            options += &[", without=(", rule, ",)"].concat();
        } else if !off.is_empty() {
            options += &[", without=(", &off.join(", "), ")"].concat();
        }
        format!(
            "Boundary.{}('{}'{options})",
            self.inner.kind(),
            self.inner.target()
        )
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        self.inner.to_string().hash(&mut hasher);
        self.inner.require_provenance().hash(&mut hasher);
        self.inner.secrets().hash(&mut hasher);
        self.inner.secret_rules().hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, BoundaryState)> {
        let make = slf.py().import("packframe._pickle")?.getattr("boundary")?;
        let inner = &slf.get().inner;
        Ok((
            make,
            (
                inner.kind().to_owned(),
                inner.target().to_owned(),
                inner.require_provenance(),
                inner.secrets().as_str(),
                slf.get().off(),
            ),
        ))
    }
}

/// A boundary as it is pickled: kind, target, whether sources are required, what becomes of
/// secrets, rules that are off.
type BoundaryState = (String, String, bool, &'static str, Vec<&'static str>);

impl Boundary {
    fn off(&self) -> Vec<&'static str> {
        self.inner.secret_rules().off().collect()
    }
}

fn read_secrets(value: &Bound<'_, PyAny>) -> Outcome<Secrets> {
    let place = Place::Option("secrets");
    let known = Secrets::ALL.iter().map(|secrets| secrets.as_str());
    let word = text(value, place)?;
    Secrets::parse(word).ok_or_else(|| {
        let remedy =
            packframe_core::nearest(word, known).unwrap_or("'exclude', 'redact' or 'allow'");
        place
            .refuse(value, "is no treatment of secrets", remedy)
            .into()
    })
}

fn read_rules(value: &Bound<'_, PyAny>) -> Outcome<SecretRules> {
    let place = Place::Option("without");
    let names = listed(value, place, "a tuple of names of rules")?;
    let mut rules = SecretRules::all();
    for name in names {
        rules = rules.without(&[text(&name?, place)?])?;
    }
    Ok(rules)
}

fn read_target<'a>(target: &'a Bound<'_, PyAny>) -> Outcome<&'a str> {
    let place = Place::Option("target");
    match text(target, place)? {
        "" => Err(place
            .refuse(target, "is empty", "the name of the place")
            .into()),
        target => Ok(target),
    }
}

/// What to do when required items do not fit: strategies that are tried in order, joined by `|`.
///
/// >>> import packframe as pf
/// >>> pf.Overflow.demote(pf.col("turn_from_end") > 4) | pf.Overflow.error()
/// Overflow(demote | error)
#[pyclass(frozen, module = "packframe")]
pub(crate) struct Overflow {
    strategies: Vec<Strategy>,
}

enum Strategy {
    Error,
    Truncate {
        keep: Keep,
        at: At,
        marker: String,
    },
    Substitute,
    Demote {
        predicate: Arc<Where>,
        to: Retention,
    },
}

impl Strategy {
    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        Ok(match self {
            Self::Error => Self::Error,
            Self::Truncate { keep, at, marker } => Self::Truncate {
                keep: *keep,
                at: *at,
                marker: marker.clone(),
            },
            Self::Substitute => Self::Substitute,
            Self::Demote { predicate, to } => Self::Demote {
                predicate: Arc::new(predicate.copy(py)?),
                to: *to,
            },
        })
    }

    fn slot(&self) -> Option<&Slot> {
        match self {
            Self::Error | Self::Truncate { .. } | Self::Substitute => None,
            Self::Demote { predicate, .. } => predicate.slot(),
        }
    }
}

impl Overflow {
    /// Returns the strategies for the core.
    pub(crate) fn strategies(&self) -> Vec<CoreOverflow> {
        self.strategies
            .iter()
            .map(|strategy| match strategy {
                Strategy::Error => CoreOverflow::Error,
                Strategy::Truncate { keep, at, marker } => CoreOverflow::Truncate {
                    keep: *keep,
                    at: *at,
                    marker: marker.clone(),
                },
                Strategy::Substitute => CoreOverflow::Substitute,
                Strategy::Demote { predicate, to } => CoreOverflow::Demote {
                    predicate: Arc::clone(predicate) as Arc<_>,
                    to: *to,
                },
            })
            .collect()
    }
}

#[pymethods]
impl Overflow {
    /// Returns the default: packing raises `BudgetExceeded`.
    #[staticmethod]
    fn error() -> Self {
        Self {
            strategies: vec![Strategy::Error],
        }
    }

    /// Returns the strategy that cuts required items which allow it with `cut_to`: those of the
    /// lowest priority first, then the newest by `created_at`, then by row, each only as far as it
    /// has to be. `keep`, `at` and `marker` as in `TokenProfile.truncate`; JSON loses trailing
    /// elements and gets no marker. An item of which nothing is left is excluded (`empty`). Pinned
    /// items are exempt.
    #[staticmethod]
    #[pyo3(signature = (*, keep=Arg::Missing, at=Arg::Missing, marker=Arg::Missing), text_signature = "(*, keep='head', at='word', marker='…')")]
    fn truncate(keep: Arg<'_>, at: Arg<'_>, marker: Arg<'_>) -> Outcome<Self> {
        let keep = keep.as_ref().map_or(Ok(Keep::Head), |keep| {
            Outcome::Ok(parse_keep(text(keep, Place::Option("keep"))?)?)
        })?;
        let at = at.as_ref().map_or(Ok(At::Word), |at| {
            Outcome::Ok(parse_at(text(at, Place::Option("at"))?)?)
        })?;
        let marker = marker
            .as_ref()
            .map_or(Ok("…"), |marker| text(marker, Place::Option("marker")))?;
        Ok(Self {
            strategies: vec![Strategy::Truncate {
                keep,
                at,
                marker: marker.to_owned(),
            }],
        })
    }

    /// Returns the strategy that puts alternatives in the place of required items, in the same
    /// order: of each the best that makes all fit, or else its shortest. Pinned items are exempt.
    #[staticmethod]
    fn substitute() -> Self {
        Self {
            strategies: vec![Strategy::Substitute],
        }
    }

    /// Returns the strategy that demotes the required items chosen by `where`, a condition or a
    /// callable from an item to a bool. Pinned items are exempt. Each demotion is in the manifest.
    #[staticmethod]
    #[pyo3(signature = (r#where, *, to=None), text_signature = "(where, *, to='optional')")]
    fn demote(r#where: &Bound<'_, PyAny>, to: Option<&Bound<'_, PyAny>>) -> Outcome<Self> {
        let to = word(
            to,
            Place::Option("to"),
            Retention::Optional,
            Retention::parse,
        )?;
        if to == Retention::Required {
            let problem = "is no demotion of a required item";
            return Err(Error::invalid_option(
                "to",
                to.as_str(),
                problem,
                Some("preferred or optional"),
            )
            .into());
        }
        let predicate = Arc::new(Where::read(r#where)?);
        Ok(Self {
            strategies: vec![Strategy::Demote { predicate, to }],
        })
    }

    fn __or__(&self, py: Python<'_>, other: &Self) -> PyResult<Self> {
        let both = self.strategies.iter().chain(&other.strategies);
        Ok(Self {
            strategies: both
                .map(|strategy| strategy.copy(py))
                .collect::<PyResult<_>>()?,
        })
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyList>,))> {
        let py = slf.py();
        let make = py.import("packframe._pickle")?.getattr("overflow")?;
        let strategies = PyList::empty(py);
        for strategy in &slf.get().strategies {
            match strategy {
                Strategy::Error => strategies.append(("error",))?,
                Strategy::Truncate { keep, at, marker } => {
                    strategies.append(("truncate", keep.as_str(), at.as_str(), marker))?;
                }
                Strategy::Substitute => strategies.append(("substitute",))?,
                Strategy::Demote { predicate, to } => {
                    strategies.append(("demote", predicate.object(py)?, to.as_str()))?;
                }
            }
        }
        Ok((make, (strategies,)))
    }

    fn __traverse__(&self, visit: pyo3::PyVisit<'_>) -> Result<(), pyo3::PyTraverseError> {
        self.strategies
            .iter()
            .filter_map(Strategy::slot)
            .try_for_each(|slot| slot.traverse(&visit))
    }

    fn __clear__(&self) {
        self.strategies
            .iter()
            .filter_map(Strategy::slot)
            .for_each(Slot::clear);
    }

    fn __repr__(&self) -> String {
        let names: Vec<&str> = self
            .strategies
            .iter()
            .map(|strategy| match strategy {
                Strategy::Error => "error",
                Strategy::Truncate { .. } => "truncate",
                Strategy::Substitute => "substitute",
                Strategy::Demote { .. } => "demote",
            })
            .collect();
        format!("Overflow({})", names.join(" | "))
    }
}

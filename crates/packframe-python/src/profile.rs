//! Token profiles, and the vocabulary behind them.

use std::sync::Arc;

use packframe_core::{Accuracy, Error, Framing, MAX_COUNT, ProfileSpec, TokenProfile};
use packframe_tokens::{Approximate, Conservative, HuggingFace, OpenAi, Tokenizer, TokenizerError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use crate::convert::{Place, flag, text, tokens};
use crate::counter::{PyCounter, PyMessageCounter};
use crate::error::Outcome;
use crate::slot::Slot;

/// Text from which on a count releases the GIL: below, the release costs more than it gives.
const DETACH_BYTES: usize = 8_192;

/// A token profile of the core.
#[pyclass(frozen, module = "packframe._core")]
pub(crate) struct Profile {
    pub(crate) inner: Arc<TokenProfile>,
    slots: Vec<Arc<Slot>>,
}

impl Profile {
    fn native(spec: ProfileSpec) -> Outcome<Self> {
        Ok(Self {
            inner: Arc::new(TokenProfile::new(spec)?),
            slots: Vec::new(),
        })
    }
}

fn unusable(id: &str, error: &TokenizerError) -> packframe_core::Error {
    packframe_core::Error::tokenizer(
        id,
        None,
        error.message().to_owned(),
        Some(Arc::new(error.clone())),
    )
}

#[pymethods]
impl Profile {
    #[staticmethod]
    fn approximate(conservative: &Bound<'_, PyAny>) -> Outcome<Self> {
        let (id, hash, tokenizer, accuracy): (_, _, Arc<dyn Tokenizer>, _) =
            if flag(conservative, "conservative")? {
                let tokenizer = Conservative;
                let hash = tokenizer.fingerprint();
                let id = "approximate:conservative";
                (id, hash, Arc::new(tokenizer), Accuracy::Bounded)
            } else {
                let tokenizer = Approximate;
                let hash = tokenizer.fingerprint();
                (
                    "approximate",
                    hash,
                    Arc::new(tokenizer),
                    Accuracy::Approximate,
                )
            };
        Self::native(ProfileSpec {
            id: id.to_owned(),
            tokenizer_sha256: Some(hash.to_owned()),
            tokenizer,
            accuracy,
            framing: Framing::None,
            least_per_item: 1,
            asserted_by_caller: false,
            version: None,
            message_counter: None,
        })
    }

    #[staticmethod]
    fn openai(encoding: &Bound<'_, PyAny>) -> Outcome<Self> {
        let place = Place::Option("encoding");
        let name = text(encoding, place)?;
        let known: Vec<&str> = OpenAi::names().collect();
        if !known.contains(&name) {
            return Err(place
                .refuse(encoding, "is no known encoding", &known.join(" or "))
                .into());
        }
        let id = format!("openai:{name}");
        let tokenizer = OpenAi::named(name).map_err(|error| unusable(&id, &error))?;
        Self::native(ProfileSpec {
            id,
            tokenizer_sha256: Some(tokenizer.fingerprint().to_owned()),
            tokenizer,
            accuracy: Accuracy::Exact,
            framing: Framing::OpenAiChat,
            least_per_item: 0,
            asserted_by_caller: false,
            version: None,
            message_counter: None,
        })
    }

    #[staticmethod]
    fn huggingface(
        py: Python<'_>,
        json: &Bound<'_, PyBytes>,
        base_tokens: &Bound<'_, PyAny>,
        envelope_tokens_per_item: &Bound<'_, PyAny>,
    ) -> Outcome<Self> {
        let bytes = json.as_bytes();
        let tokenizer = py
            .detach(|| HuggingFace::from_json(bytes))
            .map_err(|error| unusable("huggingface", &error))?;
        let hash = tokenizer.fingerprint().to_owned();
        Self::native(ProfileSpec {
            id: format!("huggingface:{}", &hash[..12]),
            tokenizer_sha256: Some(hash),
            tokenizer: Arc::new(tokenizer),
            accuracy: Accuracy::Exact,
            framing: framing(base_tokens, envelope_tokens_per_item)?,
            least_per_item: 0,
            asserted_by_caller: false,
            version: None,
            message_counter: None,
        })
    }

    #[staticmethod]
    #[expect(
        clippy::too_many_arguments,
        reason = "a custom profile has these options"
    )]
    #[pyo3(signature = (id, count, batch, count_messages, base_tokens, envelope_tokens_per_item, exact, version))]
    fn custom(
        id: &Bound<'_, PyAny>,
        count: Py<PyAny>,
        batch: bool,
        count_messages: Option<Py<PyAny>>,
        base_tokens: &Bound<'_, PyAny>,
        envelope_tokens_per_item: &Bound<'_, PyAny>,
        exact: &Bound<'_, PyAny>,
        version: Option<&Bound<'_, PyAny>>,
    ) -> Outcome<Self> {
        let exact = flag(exact, "exact")?;
        let count = Slot::new(count);
        let mut slots = vec![Arc::clone(&count)];
        let message_counter = count_messages.map(|callable| {
            let count_messages = Slot::new(callable);
            slots.push(Arc::clone(&count_messages));
            Arc::new(PyMessageCounter { count_messages }) as Arc<dyn packframe_core::MessageCounter>
        });
        let inner = TokenProfile::new(ProfileSpec {
            id: read_id(id)?.to_owned(),
            tokenizer: Arc::new(PyCounter { count, batch }),
            tokenizer_sha256: None,
            accuracy: if exact {
                Accuracy::Exact
            } else {
                Accuracy::Approximate
            },
            framing: framing(base_tokens, envelope_tokens_per_item)?,
            least_per_item: 0,
            asserted_by_caller: exact,
            version: version
                .map(|version| text(version, Place::Option("version")).map(str::to_owned))
                .transpose()?,
            message_counter,
        })?;
        Ok(Self {
            inner: Arc::new(inner),
            slots,
        })
    }

    #[getter]
    fn id(&self) -> &str {
        self.inner.id()
    }

    #[getter]
    fn fingerprint(&self) -> &str {
        self.inner.fingerprint()
    }

    #[getter]
    fn accuracy(&self) -> &'static str {
        self.inner.accuracy().as_str()
    }

    #[getter]
    fn base_tokens(&self) -> u64 {
        self.inner.base_tokens()
    }

    #[getter]
    fn envelope_tokens_per_item(&self) -> u64 {
        self.inner.envelope_tokens_per_item()
    }

    fn count(&self, py: Python<'_>, text: &Bound<'_, PyAny>) -> Outcome<u64> {
        let text = crate::convert::text(text, Place::Option("text"))?;
        let count = || self.inner.count(text);
        Ok(if text.len() < DETACH_BYTES {
            count()
        } else {
            py.detach(count)
        }?)
    }

    fn count_batch<'py>(
        &self,
        py: Python<'py>,
        texts: &Bound<'py, PyAny>,
    ) -> Outcome<Bound<'py, PyList>> {
        let held: Vec<Bound<'_, PyAny>> = texts.try_iter()?.collect::<PyResult<_>>()?;
        let texts: Vec<&str> = held
            .iter()
            .map(|text| crate::convert::text(text, Place::Option("texts")))
            .collect::<Outcome<_>>()?;
        let counts = py.detach(|| self.inner.count_batch(&texts))?;
        Ok(PyList::new(py, counts)?)
    }

    fn __traverse__(&self, visit: pyo3::PyVisit<'_>) -> Result<(), pyo3::PyTraverseError> {
        self.slots.iter().try_for_each(|slot| slot.traverse(&visit))
    }

    fn __clear__(&self) {
        for slot in &self.slots {
            slot.clear();
        }
    }
}

fn read_id<'a>(id: &'a Bound<'_, PyAny>) -> Outcome<&'a str> {
    let place = Place::Option("id");
    match text(id, place)? {
        "" => Err(place.refuse(id, "is empty", "a name").into()),
        id => Ok(id),
    }
}

fn framing(base: &Bound<'_, PyAny>, envelope: &Bound<'_, PyAny>) -> Outcome<Framing> {
    let base = tokens(base, Place::Option("base_tokens"))?;
    let envelope = tokens(envelope, Place::Option("envelope_tokens_per_item"))?;
    for (option, tokens) in [
        ("base_tokens", base),
        ("envelope_tokens_per_item", envelope),
    ] {
        if tokens > MAX_COUNT {
            let problem = "is more than a message can have";
            return Err(Error::invalid_option(
                option,
                tokens.to_string(),
                problem,
                Some("fewer tokens"),
            )
            .into());
        }
    }
    Ok(if base == 0 && envelope == 0 {
        Framing::None
    } else {
        Framing::Flat { base, envelope }
    })
}

/// Returns the vocabulary of an OpenAI encoding: the bytes of each token, and its rank.
#[pyfunction]
pub(crate) fn openai_ranks<'py>(py: Python<'py>, encoding: &str) -> Outcome<Bound<'py, PyDict>> {
    let tokenizer = OpenAi::named(encoding).map_err(|error| unusable("openai", &error))?;
    let ranks = PyDict::new(py);
    for (token, rank) in tokenizer.ranks() {
        ranks.set_item(PyBytes::new(py, token), rank)?;
    }
    Ok(ranks)
}

/// Returns the pattern that an OpenAI encoding splits text with, as published.
#[pyfunction]
pub(crate) fn openai_pattern(encoding: &str) -> Outcome<&'static str> {
    let tokenizer = OpenAi::named(encoding).map_err(|error| unusable("openai", &error))?;
    Ok(tokenizer.pattern())
}

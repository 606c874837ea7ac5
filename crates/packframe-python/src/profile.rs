//! Token profiles, and the vocabulary behind them.

use std::sync::Arc;

use packframe_core::{
    Accuracy, ChatRequest, Error, Format, Framing, MAX_COUNT, ProfileSpec, Provider, TableFraming,
    TokenProfile, character_offsets, parse_at, parse_keep, quoted, unknown_option_word,
};
use packframe_tokens::{
    Approximate, Conservative, HuggingFace, OpenAi, Special, Tokenizer, TokenizerError,
};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};

use crate::convert::{Place, flag, text, tokens};
use crate::counter::{PyCounter, PyMessageCounter};
use crate::detached::detached;
use crate::error::Outcome;
use crate::slot::Slot;
use crate::{arrow, messages, texts};

/// A token profile of the core.
#[pyclass(frozen, module = "packframe._core")]
pub(crate) struct Profile {
    pub(crate) inner: Arc<TokenProfile>,
    slots: Vec<Arc<Slot>>,
    counted_by: &'static str,
    why_library: Option<String>,
}

impl Profile {
    pub(crate) fn native(spec: ProfileSpec, counted_by: &'static str) -> Outcome<Self> {
        Ok(Self {
            inner: Arc::new(TokenProfile::new(spec)?),
            slots: Vec::new(),
            counted_by,
            why_library: None,
        })
    }
}

impl Profile {
    /// Adds why the library counts, if it does.
    pub(crate) fn explained(self, why_library: Option<String>) -> Self {
        Self {
            why_library,
            ..self
        }
    }
}

/// What a token profile calls without a Python frame, as it is called thousands of times a second.
///
/// It holds what its [`Profile`] holds, and the subclass holds that one, which alone shows the
/// garbage collector the callables: shown twice, they would seem to have fewer owners than they do.
#[pyclass(frozen, subclass, module = "packframe._core")]
pub(crate) struct ProfileBase {
    inner: Arc<TokenProfile>,
}

#[pymethods]
impl ProfileBase {
    #[new]
    #[pyo3(signature = (core, recipe))]
    fn new(core: &Profile, recipe: &Bound<'_, PyAny>) -> Self {
        let _ = recipe; // The subclass keeps it.
        Self {
            inner: Arc::clone(&core.inner),
        }
    }

    /// Returns the number of tokens of a text; 0 for an empty one.
    ///
    /// Special tokens in text are text, unless the profile was made with `special="parse"`. Linear
    /// in the text, but for one stretch without a border
    /// of n bytes, which costs n log n; from 8 kB on without the GIL. Raises `InvalidOption` for
    /// what is no text or has a lone surrogate, `TokenizerError` where a callable fails.
    ///
    /// >>> import packframe as pf
    /// >>> pf.profiles.openai("o200k_base").count("Where is my order?")
    /// 5
    fn count(&self, py: Python<'_>, text: &Bound<'_, PyAny>) -> Outcome<u64> {
        let text = crate::convert::text(text, Place::Option("text"))?;
        Ok(detached(py, text.len(), || self.inner.count(text))?)
    }
}

pub(crate) fn unusable(id: &str, error: &TokenizerError) -> packframe_core::Error {
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
    #[pyo3(signature = (conservative, format=None, model=None))]
    fn approximate(
        conservative: &Bound<'_, PyAny>,
        format: Option<&Bound<'_, PyAny>>,
        model: Option<&Bound<'_, PyAny>>,
    ) -> Outcome<Self> {
        let model = model
            .map(|model| text(model, Place::Option("model")))
            .transpose()?;
        let format = format
            .map(|format| crate::content::format(format, "format"))
            .transpose()?;
        let framing = format.map_or(Framing::None, |format| Framing::of_format(format, model));
        let (id, hash, accuracy, counted_by);
        let tokenizer: Arc<dyn Tokenizer>;
        if flag(conservative, "conservative")? {
            id = "approximate:conservative";
            let bound = Conservative::new().map_err(|error| unusable(id, &error))?;
            (hash, accuracy) = (bound.fingerprint(), Accuracy::Bounded);
            counted_by = "engine";
            tokenizer = Arc::new(bound);
        } else {
            id = "approximate";
            (hash, accuracy) = (Approximate.fingerprint().to_owned(), Accuracy::Approximate);
            counted_by = "estimate";
            tokenizer = Arc::new(Approximate);
        }
        let spec = ProfileSpec {
            id: match format {
                None => id.to_owned(),
                Some(format) => format!("{id}:{}", format.as_str()),
            },
            tokenizer_sha256: Some(hash),
            tokenizer,
            accuracy,
            least_per_item: u64::from(framing == Framing::None),
            framing,
            asserted_by_caller: false,
            version: None,
            message_counter: None,
        };
        Self::native(spec, counted_by)
    }

    #[staticmethod]
    fn openai(
        encoding: &Bound<'_, PyAny>,
        special: &Bound<'_, PyAny>,
        model: Option<&Bound<'_, PyAny>>,
    ) -> Outcome<Self> {
        let name = read_encoding(encoding)?;
        let special = read_special(special)?;
        let framing = match model {
            None => Framing::OpenAiChat,
            Some(model) => {
                let model = text(model, Place::Option("model"))?;
                Framing::Table(TableFraming::new(
                    Provider::OpenAiChat,
                    Some(model),
                    Some(name),
                ))
            }
        };
        let id = with_special(format!("openai:{name}"), special);
        let tokenizer = OpenAi::open(name, special).map_err(|error| unusable(&id, &error))?;
        Self::native(
            ProfileSpec {
                id,
                tokenizer_sha256: Some(tokenizer.fingerprint().to_owned()),
                tokenizer,
                accuracy: Accuracy::Exact,
                framing,
                least_per_item: 0,
                asserted_by_caller: false,
                version: None,
                message_counter: None,
            },
            "engine",
        )
    }

    #[staticmethod]
    fn huggingface(
        py: Python<'_>,
        json: &Bound<'_, PyBytes>,
        base_tokens: &Bound<'_, PyAny>,
        envelope_tokens_per_item: &Bound<'_, PyAny>,
        special: &Bound<'_, PyAny>,
    ) -> Outcome<Self> {
        let bytes = json.as_bytes();
        let special = read_special(special)?;
        let tokenizer = py
            .detach(|| HuggingFace::open(bytes, special))
            .map_err(|error| unusable("huggingface", &error))?;
        let hash = tokenizer.fingerprint().to_owned();
        let why_library = tokenizer.why_library().map(str::to_owned);
        let counted_by = match why_library {
            None => "engine",
            Some(_) => "library",
        };
        let profile = Self::native(
            ProfileSpec {
                id: with_special(format!("huggingface:{}", &hash[..12]), special),
                tokenizer_sha256: Some(hash),
                tokenizer: Arc::new(tokenizer),
                accuracy: Accuracy::Exact,
                framing: framing(base_tokens, envelope_tokens_per_item)?,
                least_per_item: 0,
                asserted_by_caller: false,
                version: None,
                message_counter: None,
            },
            counted_by,
        )?;
        Ok(Self {
            why_library,
            ..profile
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
            counted_by: "caller",
            why_library: None,
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
    fn counted_by(&self) -> &'static str {
        self.counted_by
    }

    #[getter]
    fn why_library(&self) -> Option<&str> {
        self.why_library.as_deref()
    }

    #[getter]
    fn base_tokens(&self) -> u64 {
        self.inner.base_tokens()
    }

    #[getter]
    fn envelope_tokens_per_item(&self) -> u64 {
        self.inner.envelope_tokens_per_item()
    }

    fn count_till_limit(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyAny>,
        limit: &Bound<'_, PyAny>,
    ) -> Outcome<Option<u64>> {
        let text = crate::convert::text(text, Place::Option("text"))?;
        let limit = crate::limit::limit(limit, "limit")?;
        let count = || self.inner.count_till_limit(text, limit);
        Ok(detached(py, text.len(), count)?)
    }

    fn encode<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyAny>,
    ) -> Outcome<Bound<'py, PyList>> {
        let text = crate::convert::text(text, Place::Option("text"))?;
        let ids = detached(py, text.len(), || self.inner.encode(text))?;
        Ok(PyList::new(py, ids)?)
    }

    fn decode_bytes<'py>(
        &self,
        py: Python<'py>,
        ids: &Bound<'py, PyAny>,
    ) -> Outcome<Bound<'py, PyBytes>> {
        let ids = crate::limit::ids(ids)?;
        let bytes = detached(py, ids.len(), || self.inner.decode_bytes(&ids))?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn token_offsets<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyAny>,
    ) -> Outcome<Bound<'py, PyList>> {
        let text = crate::convert::text(text, Place::Option("text"))?;
        let ends = detached(py, text.len(), || self.inner.token_offsets(text))?;
        Ok(PyList::new(py, ends)?)
    }

    #[pyo3(signature = (texts, threads=None))]
    fn count_batch<'py>(
        &self,
        py: Python<'py>,
        texts: &Bound<'py, PyAny>,
        threads: Option<&Bound<'py, PyAny>>,
    ) -> Outcome<Bound<'py, PyList>> {
        let threads = texts::threads(threads)?;
        let held = texts::held(texts)?;
        let (texts, bytes) = texts::borrow(&held)?;
        let counts = detached(py, bytes, || self.inner.count_batch(&texts, threads))?;
        Ok(PyList::new(py, counts)?)
    }

    #[pyo3(signature = (column, threads=None))]
    fn count_arrow(
        &self,
        column: &Bound<'_, PyAny>,
        threads: Option<&Bound<'_, PyAny>>,
    ) -> Outcome<arrow::CountArray> {
        let threads = texts::threads(threads)?;
        arrow::count(column, &self.inner, threads)
    }

    /// Returns total, parts and accuracy; each part with its name, position, tokens, those of
    /// content and envelope, accuracy, source and date.
    #[expect(
        clippy::too_many_arguments,
        reason = "a call of a model has these parts"
    )]
    fn count_messages<'py>(
        &self,
        py: Python<'py>,
        messages: &Bound<'py, PyAny>,
        format: Option<&Bound<'py, PyAny>>,
        tools: Option<&Bound<'py, PyAny>>,
        response_format: Option<&Bound<'py, PyAny>>,
        tool_choice: Option<&Bound<'_, PyAny>>,
        system: Option<&Bound<'_, PyAny>>,
    ) -> Outcome<(u64, Bound<'py, PyList>, &'static str)> {
        let beside = messages::beside(tools, response_format, tool_choice, system)?;
        let format = messages::format(format, &self.inner)?;
        let frame = Arc::new(messages::read_as(messages, format)?);
        let bytes = messages::bytes(&frame) + beside.bytes();
        let counted = detached(py, bytes, || {
            packframe_core::count_messages(&frame, &self.inner, &beside)
        })?;
        let parts = PyList::new(py, counted.parts.iter().map(messages::part))?;
        Ok((counted.total, parts, counted.accuracy.as_str()))
    }

    /// Returns the text that messages are for the model.
    fn render_messages(
        &self,
        py: Python<'_>,
        messages: &Bound<'_, PyAny>,
        tools: Option<&Bound<'_, PyAny>>,
    ) -> Outcome<String> {
        let frame = messages::read_as(messages, Format::OpenAiChat)?;
        let beside = messages::beside(tools, None, None, None)?;
        let bytes = messages::bytes(&frame) + beside.bytes();
        let shown = detached(py, bytes, || {
            let messages = packframe_core::messages(&frame, 0..frame.len());
            let request = ChatRequest {
                messages: &messages,
                tools: beside.tools.as_deref(),
            };
            self.inner.shown(&request)
        })?;
        shown.ok_or_else(|| {
            let message =
                "it renders no messages; use harmony, mistral or chat_template".to_owned();
            Error::tokenizer(self.inner.id(), None, message, None).into()
        })
    }

    fn truncate<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyAny>,
        limit: &Bound<'_, PyAny>,
        keep: &Bound<'_, PyAny>,
        at: &Bound<'_, PyAny>,
        marker: &Bound<'_, PyAny>,
    ) -> Outcome<Bound<'py, PyAny>> {
        let whole = crate::convert::text(text, Place::Option("text"))?;
        let limit = crate::limit::limit(limit, "limit")?;
        let keep = parse_keep(crate::convert::text(keep, Place::Option("keep"))?)?;
        let at = parse_at(crate::convert::text(at, Place::Option("at"))?)?;
        let place = Place::Option("marker");
        if marker.is_none() {
            let remedy = "\"\" for a cut without a marker";
            return Err(place.refuse(marker, "is no text", remedy).into());
        }
        let marker = crate::convert::text(marker, place)?;
        let cut = || self.inner.truncate(whole, limit, (keep, at), marker);
        let cut = detached(py, whole.len(), cut)?;
        Ok(if cut.head == whole.len() {
            text.clone()
        } else {
            PyString::new(py, &cut.text).into_any()
        })
    }

    /// Returns the text, the tokens, the start and the end in characters of each chunk.
    fn split<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyAny>,
        max_tokens: &Bound<'_, PyAny>,
        overlap: &Bound<'_, PyAny>,
        at: &Bound<'_, PyAny>,
    ) -> Outcome<Bound<'py, PyList>> {
        let text = crate::convert::text(text, Place::Option("text"))?;
        let most = crate::limit::limit(max_tokens, "max_tokens")?;
        let overlap = crate::limit::limit(overlap, "overlap")?;
        let at = parse_at(crate::convert::text(at, Place::Option("at"))?)?;
        let chunks = detached(py, text.len(), || self.inner.split(text, most, overlap, at))?;
        let places = character_offsets(text, &chunks);
        let chunks = chunks
            .iter()
            .zip(places)
            .map(|(chunk, (start, end))| (&text[chunk.start..chunk.end], chunk.tokens, start, end));
        Ok(PyList::new(py, chunks.collect::<Vec<_>>())?)
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

/// Reads the name of an encoding.
pub(crate) fn read_encoding<'a>(encoding: &'a Bound<'_, PyAny>) -> Outcome<&'a str> {
    let name = text(encoding, Place::Option("encoding"))?;
    let known: Vec<&str> = OpenAi::names().collect();
    if known.contains(&name) {
        return Ok(name);
    }
    Err(unknown_encoding(name, &known).into())
}

/// Makes the error about a name that no encoding has, which may be that of a model.
fn unknown_encoding(name: &str, known: &[&str]) -> Error {
    match OpenAi::encoding_of_model(name) {
        Some(encoding) => {
            let problem = "is a model, whose encoding tiktoken's model.py names";
            Error::invalid_option("encoding", quoted(name), problem, Some(encoding))
        }
        None => unknown_option_word("encoding", name, known),
    }
}

/// Reads what special tokens in a text are.
fn read_special(special: &Bound<'_, PyAny>) -> Outcome<Special> {
    match text(special, Place::Option("special"))? {
        "text" => Ok(Special::Text),
        "parse" => Ok(Special::Parse),
        word => Err(unknown_option_word("special", word, &["text", "parse"]).into()),
    }
}

/// Adds to an id that special tokens are parsed.
fn with_special(id: String, special: Special) -> String {
    match special {
        Special::Text => id,
        Special::Parse => format!("{id}:parse"),
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

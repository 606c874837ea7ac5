//! Token profiles that know what frames a conversation.

use std::sync::Arc;

use packframe_core::{
    Accuracy, ChatTemplate, Error, Framing, Harmony, MistralVersion, ProfileSpec, Provider,
    RenderedCounter, Renderer, TableFraming, TemplateSpec, unknown_option_word,
};
use packframe_tokens::{
    Approximate, HuggingFace, OpenAi, Special, Tekken, Tokenizer, TokenizerError,
};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::convert::{Place, flag, text};
use crate::error::Outcome;
use crate::profile::{Profile, read_encoding, unusable};

/// Makes a profile that counts content by an encoding, or by the estimate, and frames it by the
/// numbers of a provider.
#[pyfunction]
pub(crate) fn framed_profile(
    provider: &str,
    encoding: Option<&Bound<'_, PyAny>>,
    model: Option<&Bound<'_, PyAny>>,
) -> Outcome<Profile> {
    let provider = match provider {
        "openai-responses" => Provider::OpenAiResponses,
        "anthropic" => Provider::Anthropic,
        _ => Provider::Gemini,
    };
    let model = model
        .map(|model| text(model, Place::Option("model")))
        .transpose()?;
    let encoding = encoding.map(read_encoding).transpose()?;
    let framing = Framing::Table(TableFraming::new(provider, model, encoding));
    let name = encoding.or(model);
    let id = match name {
        Some(name) => format!("{}:{name}", provider.format()),
        None => provider.format().to_owned(),
    };
    let spec = ProfileSpec {
        id,
        tokenizer_sha256: Some(Approximate.fingerprint().to_owned()),
        tokenizer: Arc::new(Approximate),
        accuracy: Accuracy::Approximate,
        framing,
        least_per_item: 0,
        asserted_by_caller: false,
        version: None,
        message_counter: None,
    };
    let Some(encoding) = encoding else {
        return Profile::native(spec, "estimate");
    };
    let tokenizer = OpenAi::named(encoding).map_err(|error| unusable(&spec.id, &error))?;
    let spec = ProfileSpec {
        tokenizer_sha256: Some(tokenizer.fingerprint().to_owned()),
        tokenizer,
        accuracy: Accuracy::Exact,
        ..spec
    };
    Profile::native(spec, "engine")
}

/// Makes the profile of Harmony.
#[pyfunction]
pub(crate) fn harmony_profile(
    system: &Bound<'_, PyAny>,
    model_identity: Option<&Bound<'_, PyAny>>,
    reasoning_effort: Option<&Bound<'_, PyAny>>,
    knowledge_cutoff: Option<&Bound<'_, PyAny>>,
    current_date: Option<&Bound<'_, PyAny>>,
    drop_analysis: &Bound<'_, PyAny>,
    add_generation_prompt: &Bound<'_, PyAny>,
) -> Outcome<Profile> {
    let option =
        |value: Option<&Bound<'_, PyAny>>, name: &'static str| -> Outcome<Option<String>> {
            value
                .map(|value| text(value, Place::Option(name)).map(str::to_owned))
                .transpose()
        };
    let effort = option(reasoning_effort, "reasoning_effort")?;
    if let Some(word) = &effort
        && !["low", "medium", "high"].contains(&word.as_str())
    {
        let known = ["low", "medium", "high"];
        return Err(unknown_option_word("reasoning_effort", word, &known).into());
    }
    let harmony = Harmony {
        system: flag(system, "system")?,
        model_identity: option(model_identity, "model_identity")?,
        reasoning_effort: effort,
        knowledge_cutoff: option(knowledge_cutoff, "knowledge_cutoff")?,
        current_date: option(current_date, "current_date")?,
        drop_analysis: flag(drop_analysis, "drop_analysis")?,
        add_generation_prompt: flag(add_generation_prompt, "add_generation_prompt")?,
    };
    let id = "harmony".to_owned();
    let tokenizer = OpenAi::named("o200k_harmony").map_err(|error| unusable(&id, &error))?;
    let hash = tokenizer.fingerprint().to_owned();
    rendered(id, hash, tokenizer, Renderer::Harmony(harmony), None)
}

/// Makes the profile of one of Mistral's instruct formats, from a `tokenizer.json` or a
/// `tekken.json`.
#[pyfunction]
pub(crate) fn mistral_profile(
    py: Python<'_>,
    json: &Bound<'_, PyBytes>,
    version: Option<&Bound<'_, PyAny>>,
) -> Outcome<Profile> {
    let bytes = json.as_bytes();
    let fail = |error: TokenizerError| unusable("mistral", &error);
    let (tokenizer, named) = py
        .detach(|| {
            if !Tekken::is_one(bytes) {
                return Ok((HuggingFace::from_json(bytes)?, None));
            }
            let tekken = Tekken::from_json(bytes)?;
            let made = HuggingFace::from_json(tekken.tokenizer_json())?;
            Ok((made, Some(tekken.version().to_owned())))
        })
        .map_err(fail)?;
    let known = MistralVersion::ALL.map(|(name, _)| name);
    let word = match version {
        Some(version) => Some(text(version, Place::Option("version"))?.to_owned()),
        None => named,
    };
    let Some(word) = word else {
        let problem = "is needed for a tokenizer.json, which does not say it";
        let remedy = "one of v1, v2, v3, v7, v11, v13";
        return Err(
            Error::invalid_option("version", "None".to_owned(), problem, Some(remedy)).into(),
        );
    };
    let Some(version) = MistralVersion::parse(&word) else {
        return Err(unknown_option_word("version", &word, &known).into());
    };
    let hash = tokenizer.fingerprint().to_owned();
    let why = tokenizer.why_library().map(str::to_owned);
    let id = format!("mistral:{}:{}", version.as_str(), &hash[..12]);
    rendered(
        id,
        hash,
        Arc::new(tokenizer),
        Renderer::Mistral(version),
        why,
    )
}

/// Makes the profile of a chat template.
#[pyfunction]
pub(crate) fn template_profile(
    py: Python<'_>,
    json: &Bound<'_, PyBytes>,
    source: String,
    tool_source: Option<String>,
    variables: &Bound<'_, PyAny>,
    now: Option<String>,
    add_generation_prompt: &Bound<'_, PyAny>,
) -> Outcome<Profile> {
    let bytes = json.as_bytes();
    let place = Place::Option("variables");
    let remedy = "a dict of str, int, float, bool, lists and dicts";
    let variables = crate::json::write(variables)
        .map_err(|_| place.refuse(variables, "is not JSON", remedy))?;
    let add_generation_prompt = flag(add_generation_prompt, "add_generation_prompt")?;
    let id = "chat_template";
    let made = py.detach(|| -> Result<_, TokenizerError> {
        let tokenizer = Arc::new(HuggingFace::from_json(bytes)?);
        let hash = tokenizer.fingerprint().to_owned();
        let why = tokenizer.why_library().map(str::to_owned);
        // On the engine a text is the sum of what stands between its special tokens.
        let parse: Option<Arc<dyn Tokenizer>> = match why {
            None => None,
            Some(_) => Some(Arc::new(HuggingFace::open(bytes, Special::Parse)?)),
        };
        let template = ChatTemplate::new(TemplateSpec {
            source,
            tool_source,
            variables,
            now,
            add_generation_prompt,
            text: Arc::clone(&tokenizer) as Arc<dyn Tokenizer>,
            parse,
        })?;
        Ok((tokenizer, template, hash, why))
    });
    let (tokenizer, template, hash, why) = made.map_err(|error| unusable(id, &error))?;
    let renderer = Renderer::Template(Box::new(template));
    rendered(
        format!("{id}:{}", &hash[..12]),
        hash,
        tokenizer,
        renderer,
        why,
    )
}

/// Makes a profile that renders conversations and counts them as rendered.
fn rendered(
    id: String,
    hash: String,
    tokenizer: Arc<dyn Tokenizer>,
    renderer: Renderer,
    why_library: Option<String>,
) -> Outcome<Profile> {
    let counter = RenderedCounter::new(renderer, Arc::clone(&tokenizer));
    let counted_by = match why_library {
        None => "engine",
        Some(_) => "library",
    };
    let profile = Profile::native(
        ProfileSpec {
            id,
            tokenizer_sha256: Some(hash),
            tokenizer,
            accuracy: Accuracy::Exact,
            framing: Framing::Rendered(counter.framing()),
            least_per_item: 0,
            asserted_by_caller: false,
            version: None,
            message_counter: Some(Arc::new(counter)),
        },
        counted_by,
    )?;
    Ok(profile.explained(why_library))
}

/// Returns the table of framing, as JSON.
#[pyfunction]
pub(crate) const fn framing_table() -> &'static str {
    packframe_core::FRAMING_TABLE
}

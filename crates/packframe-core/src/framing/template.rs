//! The chat template of an open model, rendered as `transformers` renders it.

use std::borrow::Cow;
use std::sync::Arc;

use jiff::civil::{DateTime, Time};
use jiff::fmt::temporal::Pieces;
use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, Error, ErrorKind, Value};
use packframe_tokens::{Tokenizer, TokenizerError};

use super::call;
use super::json::Json;
use super::python;
use super::request::ChatRequest;
use super::seal::Seal;
use crate::special::SpecialTokens;

/// What a template may do at most: a unit is an instruction, or 64 bytes that it makes.
const LEAST_FUEL: u64 = 1_000_000;
/// What each byte of the messages and tools adds to that.
const FUEL_A_BYTE: u64 = 16;
/// The most bytes of a template.
const LONGEST: usize = 1 << 20;

/// What a chat template is made from.
pub struct TemplateSpec {
    /// The template.
    pub source: String,
    /// The template for calls with tools, where the model has one of its own.
    pub tool_source: Option<String>,
    /// What the template may name beside the messages, as a JSON object: `bos_token` and the like.
    pub variables: String,
    /// The time that `strftime_now` tells, as ISO 8601; an offset changes nothing. Without one a
    /// template that asks for the time fails.
    pub now: Option<String>,
    /// Whether the reply is opened at the end.
    pub add_generation_prompt: bool,
    /// Counts texts in which special tokens are text.
    pub text: Arc<dyn Tokenizer>,
    /// Counts a text with its special tokens, where that is more than the sum of what stands between.
    pub parse: Option<Arc<dyn Tokenizer>>,
}

/// A chat template with the tokenizer that it is counted with.
pub struct ChatTemplate {
    env: Environment<'static>,
    has_tool_source: bool,
    spec: TemplateSpec,
    variables: Json,
    seal: Seal,
}

impl ChatTemplate {
    /// Parses a template.
    ///
    /// # Errors
    ///
    /// A template that does not parse or is longer than a megabyte, and variables that are no object.
    pub fn new(spec: TemplateSpec) -> Result<Self, TokenizerError> {
        let Some(variables @ Json::Object(_)) = Json::read(&spec.variables) else {
            return Err(TokenizerError::new("the variables are no JSON object"));
        };
        let mut env = Environment::new();
        let syntax = SyntaxConfig::builder()
            .trim_blocks(true)
            .lstrip_blocks(true)
            .build()
            .map_err(|error| failed(&error))?;
        env.set_syntax(syntax);
        python::install(&mut env);
        let now = spec.now.as_deref().map(read_time).transpose()?;
        env.add_function("strftime_now", move |format: &str| time(now, format));
        let mut add = |name: &'static str, source: &str| {
            if source.len() > LONGEST {
                let long = source.len();
                return Err(TokenizerError::new(format!(
                    "a chat template of {long} bytes is longer than the limit of {LONGEST}"
                )));
            }
            env.add_template_owned(name, without_generation(source))
                .map_err(|error| failed(&error))
        };
        add("chat", &spec.source)?;
        if let Some(source) = &spec.tool_source {
            add("tools", source)?;
        }
        Ok(Self {
            env,
            has_tool_source: spec.tool_source.is_some(),
            variables,
            seal: Seal::new(SpecialTokens::of(&*spec.text)),
            spec,
        })
    }

    /// Returns the text that a conversation is for the model.
    ///
    /// # Errors
    ///
    /// What is no list of messages; what the template refuses, or fails at, or makes too much of.
    pub fn shown(&self, request: &ChatRequest<'_>) -> Result<String, TokenizerError> {
        let (rendered, mark) = self.render(request)?;
        Ok(without(&rendered, mark).into_owned())
    }

    /// Counts the tokens of a conversation: the template's markers are special tokens, and what
    /// stands in the messages is text.
    ///
    /// # Errors
    ///
    /// As [`shown`](Self::shown), and where the tokenizer fails.
    pub fn count(&self, request: &ChatRequest<'_>) -> Result<u64, TokenizerError> {
        let (rendered, mark) = self.render(request)?;
        let found: Vec<(usize, usize)> = self.seal.markers(&rendered).collect();
        if let Some(parse) = &self.spec.parse {
            // A text whose markers are all the template's is what the tokenizer is made for.
            let clean = without(&rendered, mark);
            let same = match &clean {
                Cow::Borrowed(_) => true,
                Cow::Owned(clean) => {
                    let markers =
                        |text: &str, (start, end): (usize, usize)| text[start..end].to_owned();
                    let ours = found.iter().map(|&place| markers(&rendered, place));
                    ours.eq(self.seal.markers(clean).map(|place| markers(clean, place)))
                }
            };
            if same {
                return parse.count(&clean);
            }
        }
        let mut pieces: Vec<Cow<'_, str>> = Vec::with_capacity(found.len() + 1);
        let mut from = 0;
        for &(start, end) in &found {
            pieces.push(without(&rendered[from..start], mark));
            from = end;
        }
        pieces.push(without(&rendered[from..], mark));
        let texts: Vec<&str> = pieces
            .iter()
            .map(|piece| &**piece)
            .filter(|piece| !piece.is_empty())
            .collect();
        let counts = self.spec.text.count_batch(&texts)?;
        Ok(found.len() as u64 + counts.iter().sum::<u64>())
    }

    /// Renders the template, with seals in what the contents spell.
    fn render(&self, request: &ChatRequest<'_>) -> Result<(String, char), TokenizerError> {
        let mut messages = Json::List(
            call::messages(request.messages)?
                .into_iter()
                .map(prepared)
                .collect(),
        );
        let tools = call::tools(request.tools)?;
        let mut tools = if tools.is_empty() {
            Json::Null
        } else {
            Json::List(tools)
        };
        let mark = Seal::mark(&self.spec.source, &[&messages, &tools, &self.variables])
            .ok_or_else(|| TokenizerError::new("every private character stands in the messages"))?;
        self.seal.set(&mut messages, mark);
        self.seal.set(&mut tools, mark);
        let name = if self.has_tool_source && tools != Json::Null {
            "tools"
        } else {
            "chat"
        };
        let mut context: Vec<(&str, Value)> = vec![
            ("messages", python::value(&messages)),
            ("tools", python::value(&tools)),
            ("documents", Value::from(())),
            (
                "add_generation_prompt",
                Value::from(self.spec.add_generation_prompt),
            ),
        ];
        let variables = self.variables.fields();
        context.extend(
            variables
                .iter()
                .map(|(name, of)| (name.as_str(), python::value(of))),
        );
        let bytes = request.messages.len() + request.tools.map_or(0, str::len);
        let mut env = self.env.clone();
        env.set_fuel(Some(LEAST_FUEL + FUEL_A_BYTE * bytes as u64));
        let template = env.get_template(name).map_err(|error| failed(&error))?;
        let rendered = template
            .render(Value::from_pairs(context))
            .map_err(|error| failed(&error))?;
        Ok((rendered, mark))
    }

    /// Returns what decides the rendering, for a fingerprint.
    pub(crate) fn described(&self) -> String {
        format!(
            "chat template\n{:?}\n{:?}\n{}\n{:?}\n{}",
            self.spec.source,
            self.spec.tool_source,
            self.spec.variables,
            self.spec.now,
            self.spec.add_generation_prompt
        )
    }
}

/// Drops keys without a value, and names the reasoning as templates look for it.
fn prepared(message: Json) -> Json {
    let Json::Object(mut fields) = message else {
        return message;
    };
    fields.retain(|(_, value)| *value != Json::Null);
    let reasoning = ["reasoning_content", "thinking", "reasoning"]
        .iter()
        .find_map(|name| fields.iter().find(|(key, _)| key == name))
        .map(|(_, value)| value.clone());
    if let Some(reasoning) = reasoning {
        if !fields.iter().any(|(key, _)| key == "thinking") {
            fields.insert(0, ("thinking".to_owned(), reasoning.clone()));
        }
        match fields
            .iter_mut()
            .find(|(key, _)| key == "reasoning_content")
        {
            Some((_, value)) => *value = reasoning,
            None => fields.push(("reasoning_content".to_owned(), reasoning)),
        }
    }
    Json::Object(fields)
}

fn without(text: &str, mark: char) -> Cow<'_, str> {
    if text.contains(mark) {
        Cow::Owned(text.replace(mark, ""))
    } else {
        Cow::Borrowed(text)
    }
}

fn read_time(text: &str) -> Result<DateTime, TokenizerError> {
    let pieces = Pieces::parse(text)
        .map_err(|error| TokenizerError::new(format!("now is no ISO 8601 time: {error}")))?;
    let time = pieces.time().unwrap_or(Time::midnight());
    Ok(DateTime::from_parts(pieces.date(), time))
}

fn time(now: Option<DateTime>, format: &str) -> Result<String, Error> {
    let Some(now) = now else {
        return Err(Error::new(
            ErrorKind::InvalidOperation,
            "it asks for the time, and none was given; pass now=",
        ));
    };
    jiff::fmt::strtime::format(format, now)
        .map_err(|error| Error::new(ErrorKind::InvalidOperation, error.to_string()))
}

/// Takes out the tags that mark for training what the assistant says; they print nothing.
fn without_generation(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(at) = rest.find("{%") {
        let Some(length) = rest[at..].find("%}") else {
            break;
        };
        let tag = &rest[at..at + length + 2];
        let word =
            tag[2..tag.len() - 2].trim_matches(|c: char| c == '-' || c == '+' || c.is_whitespace());
        out.push_str(&rest[..at]);
        match word {
            "generation" => out.push_str(&tag.replacen("generation", "if true", 1)),
            "endgeneration" => out.push_str(&tag.replacen("endgeneration", "endif", 1)),
            _ => out.push_str(tag),
        }
        rest = &rest[at + length + 2..];
    }
    out.push_str(rest);
    out
}

fn failed(error: &Error) -> TokenizerError {
    let line = error.line().map(|line| format!(" (line {line})"));
    let told = if error.kind() == ErrorKind::OutOfFuel {
        "it did more than a template may; its work is bounded".to_owned()
    } else {
        let mut told = error
            .detail()
            .map_or_else(|| error.kind().to_string(), str::to_owned);
        let mut source = std::error::Error::source(error);
        while let Some(cause) = source {
            told.push_str(": ");
            told.push_str(&cause.to_string());
            source = cause.source();
        }
        told
    };
    TokenizerError::new(format!(
        "the chat template failed{}: {told}",
        line.unwrap_or_default()
    ))
}

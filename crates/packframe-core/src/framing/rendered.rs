//! Conversations that are rendered as the model reads them, and counted as rendered.

use std::sync::Arc;

use packframe_tokens::{Tokenizer, TokenizerError};

use super::counter::MessageCounter;
use super::harmony::Harmony;
use super::mistral::MistralVersion;
use super::request::ChatRequest;
use super::table::FramingRow;
use super::template::ChatTemplate;

/// What renders conversations.
pub enum Renderer {
    /// Harmony, of gpt-oss.
    Harmony(Harmony),
    /// Mistral's instruct formats.
    Mistral(MistralVersion),
    /// The chat template of an open model.
    Template(Box<ChatTemplate>),
}

/// A renderer, with the tokenizer that counts what it makes.
pub struct RenderedCounter {
    renderer: Renderer,
    tokenizer: Arc<dyn Tokenizer>,
}

/// How the total of a rendered conversation is shared out, and where the format comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderedFraming {
    pub(crate) base: u64,
    pub(crate) message: u64,
    pub(crate) call: u64,
    pub(crate) source: String,
    pub(crate) date: Option<String>,
    pub(crate) described: String,
}

impl RenderedCounter {
    /// Makes a counter.
    #[must_use]
    pub fn new(renderer: Renderer, tokenizer: Arc<dyn Tokenizer>) -> Self {
        Self {
            renderer,
            tokenizer,
        }
    }

    /// Returns the framing of its profile.
    ///
    /// For a template the shares are measured on two lists of messages, where it takes them.
    #[must_use]
    pub fn framing(&self) -> RenderedFraming {
        let (row, described) = match &self.renderer {
            Renderer::Harmony(harmony) => (FramingRow::of("harmony"), format!("{harmony:?}")),
            Renderer::Mistral(version) => (FramingRow::of("mistral"), format!("{version:?}")),
            Renderer::Template(template) => return self.of_template(template),
        };
        let empty = self.count(&ChatRequest::of("[]")).unwrap_or(0);
        RenderedFraming {
            base: match &self.renderer {
                Renderer::Harmony(_) => empty,
                _ => row.tokens("reply"),
            },
            message: row.tokens("message"),
            call: row.tokens("call"),
            source: row.source.clone(),
            date: Some(row.date.clone()),
            described,
        }
    }

    fn of_template(&self, template: &ChatTemplate) -> RenderedFraming {
        const ONE: &str = r#"[{"role":"user","content":"x"}]"#;
        const THREE: &str = r#"[{"role":"user","content":"x"},{"role":"assistant","content":"x"},{"role":"user","content":"x"}]"#;
        let count = |messages| self.count(&ChatRequest::of(messages)).ok();
        let word = self.tokenizer.count("x").unwrap_or(0);
        let (base, message) = match (count(ONE), count(THREE)) {
            (Some(one), Some(three)) => {
                let message = three.saturating_sub(one + 2 * word) / 2;
                (one.saturating_sub(message + word), message)
            }
            (Some(one), None) => (0, one.saturating_sub(word)),
            _ => (0, 0),
        };
        RenderedFraming {
            base,
            message,
            call: 0,
            source: "the model's chat template, as transformers renders it".to_owned(),
            date: None,
            described: template.described(),
        }
    }

    fn count(&self, request: &ChatRequest<'_>) -> Result<u64, TokenizerError> {
        match &self.renderer {
            Renderer::Harmony(harmony) => harmony.render(request)?.count(&*self.tokenizer),
            Renderer::Mistral(version) => version.render(request)?.count(&*self.tokenizer),
            Renderer::Template(template) => template.count(request),
        }
    }
}

impl MessageCounter for RenderedCounter {
    fn count_messages(&self, json: &str) -> Result<u64, TokenizerError> {
        self.count(&ChatRequest::of(json))
    }

    fn count_request(&self, request: &ChatRequest<'_>) -> Result<Option<u64>, TokenizerError> {
        self.count(request).map(Some)
    }

    fn shown(&self, request: &ChatRequest<'_>) -> Result<Option<String>, TokenizerError> {
        let shown = match &self.renderer {
            Renderer::Harmony(harmony) => harmony.render(request)?.shown(),
            Renderer::Mistral(version) => version.render(request)?.shown(),
            Renderer::Template(template) => template.shown(request)?,
        };
        Ok(Some(shown))
    }

    fn is_exact(&self) -> bool {
        true
    }
}

//! What messages cost over their texts, by published numbers.

use super::table::FramingRow;

/// The format whose framing a table has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    /// Chat completions.
    OpenAiChat,
    /// The Responses API.
    OpenAiResponses,
    /// Anthropic's messages.
    Anthropic,
    /// Gemini's contents.
    Gemini,
}

impl Provider {
    /// Returns the name of its wire format.
    #[must_use]
    pub const fn format(self) -> &'static str {
        match self {
            Self::OpenAiChat => "openai-chat",
            Self::OpenAiResponses => "openai-responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }
}

/// The rows of a table that a profile charges by.
#[derive(Debug, Clone)]
pub struct TableFraming {
    pub(crate) provider: Provider,
    pub(crate) messages: &'static FramingRow,
    pub(crate) tools: Option<&'static FramingRow>,
}

impl PartialEq for TableFraming {
    fn eq(&self, other: &Self) -> bool {
        self.described() == other.described()
    }
}

impl Eq for TableFraming {}

impl TableFraming {
    /// Returns the rows for a model of a provider; without one, or for one that is not known, those
    /// of its most common generation.
    ///
    /// `encoding` says which tools are meant where no model does.
    #[must_use]
    pub fn new(provider: Provider, model: Option<&str>, encoding: Option<&str>) -> Self {
        let find = |format: &str, default: &str| {
            model
                .and_then(|model| FramingRow::for_model(format, model))
                .unwrap_or_else(|| FramingRow::of(default))
        };
        let old = matches!(encoding, Some("cl100k_base" | "p50k_base" | "r50k_base"));
        let openai_tools = if old {
            "openai-tools/gpt-4"
        } else {
            "openai-tools/gpt-4o"
        };
        let (messages, tools) = match provider {
            Provider::OpenAiChat => (
                find("openai-chat", "openai-chat/gpt-4"),
                Some(find("openai-tools", openai_tools)),
            ),
            Provider::OpenAiResponses => (
                FramingRow::of("openai-responses"),
                Some(find("openai-tools", openai_tools)),
            ),
            Provider::Anthropic => (
                find("anthropic", "anthropic/4.6"),
                Some(find("anthropic-tools", "anthropic-tools/4")),
            ),
            Provider::Gemini => (FramingRow::of("gemini"), None),
        };
        Self {
            provider,
            messages,
            tools,
        }
    }

    /// Returns the name of its wire format.
    #[must_use]
    pub const fn format(&self) -> &'static str {
        self.provider.format()
    }

    /// Returns the tokens that each entry of `tool_calls` costs over its name and arguments.
    pub(crate) fn call(&self) -> u64 {
        match self.provider {
            Provider::OpenAiChat => FramingRow::of("openai-calls").tokens("call"),
            _ => self.messages.tokens("call"),
        }
    }

    /// Says whether the role of a message is counted as text.
    pub(crate) fn counts_roles(&self) -> bool {
        matches!(
            self.provider,
            Provider::OpenAiChat | Provider::OpenAiResponses
        )
    }

    /// Returns what decides its numbers, for a fingerprint.
    pub(crate) fn described(&self) -> String {
        let tools = self.tools.map(|row| (&row.id, &row.numbers));
        format!(
            "{:?} {} {:?} {tools:?} {}",
            self.provider,
            self.messages.id,
            self.messages.numbers,
            self.call()
        )
    }
}

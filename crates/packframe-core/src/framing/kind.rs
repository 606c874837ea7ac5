//! What messages cost over their content.

use super::charges::{Provider, TableFraming};
use super::rendered::RenderedFraming;
use crate::conversation::Format;

/// What messages cost over their content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Framing {
    /// Nothing is known, and nothing charged.
    None,
    /// Numbers of the caller's.
    Flat {
        /// Tokens once a call.
        base: u64,
        /// Tokens once an item.
        envelope: u64,
    },
    /// Chat completions as published for gpt-4: 3 a message, its role, 1 for a name; 3 that prime the
    /// reply.
    OpenAiChat,
    /// Numbers of the table of framing.
    Table(TableFraming),
    /// A format that is rendered, and counted as rendered.
    Rendered(RenderedFraming),
}

impl Framing {
    /// Returns what frames messages of a format, for a model where one is named.
    #[must_use]
    pub fn of_format(format: Format, model: Option<&str>) -> Self {
        let provider = match (format, model) {
            (Format::OpenAiChat, None) => return Self::OpenAiChat,
            (Format::OpenAiChat, _) => Provider::OpenAiChat,
            (Format::OpenAiResponses, _) => Provider::OpenAiResponses,
            (Format::Anthropic, _) => Provider::Anthropic,
            (Format::Gemini, _) => Provider::Gemini,
        };
        Self::Table(TableFraming::new(provider, model, None))
    }
}

/// The numbers of a framing.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Charges {
    /// Tokens once a call.
    pub(crate) base: u64,
    /// Tokens once a message.
    pub(crate) message: u64,
    /// Whether the role is counted as text.
    pub(crate) roles: bool,
    /// Tokens for a name, over the name itself; may be negative.
    pub(crate) name: i64,
    /// Tokens for each call of a tool, over its name and arguments.
    pub(crate) call: u64,
}

impl Framing {
    /// Returns the rows of the table that it charges by.
    pub(crate) fn table(&self) -> Option<TableFraming> {
        match self {
            Self::OpenAiChat => Some(TableFraming::new(Provider::OpenAiChat, None, None)),
            Self::Table(table) => Some(table.clone()),
            _ => None,
        }
    }

    pub(crate) fn charges(&self) -> Charges {
        match self {
            Self::None => Charges::default(),
            Self::Flat { base, envelope } => Charges {
                base: *base,
                message: *envelope,
                ..Charges::default()
            },
            Self::Rendered(rendered) => Charges {
                base: rendered.base,
                message: rendered.message,
                call: rendered.call,
                ..Charges::default()
            },
            Self::OpenAiChat | Self::Table(_) => {
                self.table().map_or_else(Charges::default, |table| Charges {
                    base: table.messages.tokens("reply"),
                    message: table.messages.tokens("message"),
                    roles: table.counts_roles(),
                    name: table.messages.number("name"),
                    call: table.call(),
                })
            }
        }
    }

    /// Returns the word for it, its source and the source's date.
    pub(crate) fn source(&self) -> (&'static str, Option<String>, Option<String>) {
        match self {
            Self::None => ("none", None, None),
            Self::Flat { .. } => ("table", Some("caller".to_owned()), None),
            Self::Rendered(rendered) => (
                "rendered",
                Some(rendered.source.clone()),
                rendered.date.clone(),
            ),
            Self::OpenAiChat | Self::Table(_) => {
                let table = self.table();
                let row = table.map(|table| table.messages);
                (
                    "table",
                    row.map(|row| row.source.clone()),
                    row.map(|row| row.date.clone()),
                )
            }
        }
    }

    /// Returns what decides its numbers, for a fingerprint.
    pub(crate) fn described(&self) -> String {
        match self {
            Self::None | Self::Flat { .. } => format!("{self:?}"),
            Self::OpenAiChat | Self::Table(_) => self
                .table()
                .map_or_else(String::new, |table| table.described()),
            Self::Rendered(rendered) => rendered.described.clone(),
        }
    }
}

//! One message of a conversation.

use std::sync::OnceLock;

use super::facts::role_of;
use super::fields::{Fields, elements, text as text_of};
use super::format::Format;
use super::texts::counted as counted_of;
use crate::error::Problem;
use crate::once::once;
use crate::word::Role;

/// Fields of the calls of chat completions, whose names and arguments are counted.
pub(super) const CALL_FIELDS: [&str; 2] = ["tool_calls", "function_call"];

/// What a message is made of. Its JSON is kept by the content.
#[derive(Debug, Clone)]
pub struct Message {
    format: Format,
    /// Whether it is known to be one string and its role, so that it has no name and calls nothing.
    is_plain: bool,
    /// Who speaks; of a message of a request it is settled when the request is laid out.
    role: OnceLock<Role>,
    /// What is read when it is asked for first: most messages of a long history never are.
    counted: OnceLock<Box<Counted>>,
    /// What a text rendering shows, the same way; `None` where a part of the content is no text.
    text: OnceLock<Option<Box<str>>>,
}

/// What the tokens of a message are counted from.
#[derive(Debug, Clone, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says something else that was found"
)]
pub(crate) struct Counted {
    /// Strings, counted one by one.
    pub(crate) texts: Vec<Box<str>>,
    /// Whether it has a name, which costs one token more.
    pub(crate) named: bool,
    /// How many calls of tools it makes.
    pub(crate) calls: u64,
    /// Whether a field was counted as compact JSON.
    pub(crate) approximate: bool,
    /// Whether a field was counted as compact JSON that nothing is published about.
    pub(crate) unknown_field: bool,
    /// Whether there are media in it.
    pub(crate) has_media: bool,
    /// Tokens that are estimated, and not counted.
    pub(crate) estimate: u64,
}

impl Message {
    /// Reads a message from its JSON, alone.
    ///
    /// # Errors
    ///
    /// Every problem that a provider would refuse the message alone for; positions are 0. What only
    /// a list can say, such as a call without a result, is none.
    pub fn parse(format: Format, json: &str) -> Result<Self, Vec<Problem>> {
        Ok(Self::of_list(format, role_of(format, json)?))
    }

    /// Makes a message of a list that is checked as a whole, which says its role.
    #[must_use]
    pub fn of_list(format: Format, role: Role) -> Self {
        Self {
            role: role.into(),
            ..Self::unread(format)
        }
    }

    /// Makes such a message whose role nobody has read yet.
    pub(crate) fn unread(format: Format) -> Self {
        Self {
            format,
            is_plain: false,
            role: OnceLock::new(),
            counted: OnceLock::new(),
            text: OnceLock::new(),
        }
    }

    /// Says who speaks, where nobody has yet: the JSON alone decides that.
    pub(crate) fn settle(&self, role: Role) {
        let _ = self.role.set(role);
    }

    /// Makes such a message that is one string and its role.
    pub(crate) fn of_string(format: Format, role: Role) -> Self {
        Self {
            is_plain: true,
            ..Self::of_list(format, role)
        }
    }

    /// Makes the message that it is rewritten as: the same says something else.
    pub(crate) fn rewritten(&self) -> Self {
        Self::of_list(self.format, self.role())
    }

    /// Returns its role.
    #[must_use]
    pub fn role(&self) -> Role {
        self.role.get().copied().unwrap_or(Role::User)
    }

    /// Returns its wire format.
    #[must_use]
    pub const fn format(&self) -> Format {
        self.format
    }

    /// Returns what a text rendering shows, or `None` where a part of the content is no text. Linear
    /// the first time.
    pub(crate) fn text(&self, json: &str) -> Option<&str> {
        once(&self.text, || {
            if self.format == Format::OpenAiChat && !self.is_plain {
                return chat_text(json);
            }
            Some(match &self.counted(json).texts[..] {
                [text] => text.clone(),
                texts => texts.join("\n").into(),
            })
        })
        .as_deref()
    }

    /// Says whether a text rendering shows it, without reading it where that can be avoided.
    pub(crate) fn has_text(&self, json: &str) -> bool {
        self.is_plain || self.format != Format::OpenAiChat || self.text(json).is_some()
    }

    /// Says whether it has a name, and how many calls of tools it makes.
    pub(crate) fn charged(&self, json: &str) -> (bool, u64) {
        if self.is_plain {
            return (false, 0);
        }
        let counted = self.counted(json);
        (counted.named, counted.calls)
    }

    /// Returns what its tokens are counted from. Linear the first time.
    pub(crate) fn counted(&self, json: &str) -> &Counted {
        once::<Box<Counted>>(&self.counted, || Box::new(counted_of(self.format, json)))
    }
}

/// Joins the texts of a message of chat completions, and its calls as they came.
fn chat_text(json: &str) -> Option<Box<str>> {
    let fields = Fields::parse(json)?;
    let mut shown = String::new();
    if let Some(content) = fields.get("content") {
        match (text_of(content), elements(content)) {
            (Some(text), _) => shown.push_str(&text),
            (None, parts) => {
                for part in parts? {
                    let part = Fields::parse(part)?;
                    let is_text = part.text("type").as_deref() == Some("text");
                    shown.push_str(&part.text("text").filter(|_| is_text)?);
                }
            }
        }
    }
    for raw in CALL_FIELDS.iter().filter_map(|name| fields.get(name)) {
        if !shown.is_empty() {
            shown.push('\n');
        }
        shown.push_str(raw);
    }
    Some(shown.into())
}

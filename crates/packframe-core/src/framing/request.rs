//! What is counted of one call of a model: its messages, and what stands beside them.

/// A call of a model, each part as the JSON that is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChatRequest<'a> {
    /// The list of messages.
    pub messages: &'a str,
    /// The list of tools, if there are any.
    pub tools: Option<&'a str>,
}

impl<'a> ChatRequest<'a> {
    /// Makes a call of messages alone.
    #[must_use]
    pub const fn of(messages: &'a str) -> Self {
        Self {
            messages,
            tools: None,
        }
    }
}

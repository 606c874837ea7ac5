//! Harmony, the format that gpt-oss reads: conversations as the library `openai-harmony` renders
//! them.
//!
//! Each part of a header is encoded alone there, and so it is here: the role, the name behind it,
//! the recipient, the channel, the content.

use std::collections::HashMap;

use packframe_tokens::TokenizerError;

use super::call::{self, calls, reasoning, texts};
use super::json::{Json, Style};
use super::request::ChatRequest;
use super::run::Runs;
use super::typescript::type_of;

/// What the system message of a Harmony conversation says, and what is rendered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Harmony {
    /// Whether there is a system message at all.
    pub system: bool,
    /// Its first line.
    pub model_identity: Option<String>,
    /// `low`, `medium` or `high`.
    pub reasoning_effort: Option<String>,
    /// The date that the model's knowledge ends at, such as `2024-06`.
    pub knowledge_cutoff: Option<String>,
    /// The date of the conversation: an argument, never the clock.
    pub current_date: Option<String>,
    /// Whether reasoning before the first final answer goes once a turn is over.
    pub drop_analysis: bool,
    /// Whether the assistant's turn is opened at the end.
    pub add_generation_prompt: bool,
}

impl Default for Harmony {
    /// What `openai-harmony` says by itself.
    fn default() -> Self {
        Self {
            system: true,
            model_identity: Some(
                "You are ChatGPT, a large language model trained by OpenAI.".to_owned(),
            ),
            reasoning_effort: Some("medium".to_owned()),
            knowledge_cutoff: Some("2024-06".to_owned()),
            current_date: None,
            drop_analysis: true,
            add_generation_prompt: true,
        }
    }
}

/// A message as Harmony has them.
#[derive(Default)]
struct Turn {
    author: String,
    /// What stands behind the role, as `:name`.
    name: Option<String>,
    recipient: Option<String>,
    channel: Option<&'static str>,
    /// Whether the content is JSON by a constraint.
    constrained: bool,
    content: Vec<String>,
    /// Whether it ends with a call.
    calls: bool,
    is_assistant: bool,
}

impl Harmony {
    /// Renders a conversation.
    ///
    /// Messages of the roles `system` and `developer` are developer messages, the tools stand in the
    /// first. Of an assistant message reasoning is the channel `analysis`, a call and the text before
    /// it `commentary`, other text `final`; a field `channel` overrules that.
    ///
    /// # Errors
    ///
    /// What is no list of messages, and a result of a tool whose name is not known.
    pub(crate) fn render(&self, request: &ChatRequest<'_>) -> Result<Runs, TokenizerError> {
        let messages = call::messages(request.messages)?;
        let tools = call::tools(request.tools)?;
        let mut turns = Vec::with_capacity(messages.len() + 2);
        if self.system {
            turns.push(Turn {
                author: "system".to_owned(),
                content: vec![self.system_text(!tools.is_empty())],
                ..Turn::default()
            });
        }
        let mut section = (!tools.is_empty()).then(|| tools_section(&tools));
        let leads = messages.first().is_some_and(is_developer);
        if !leads && let Some(section) = section.take() {
            turns.push(developer(None, Some(section)));
        }
        let mut names: HashMap<String, String> = HashMap::new();
        for message in &messages {
            push_turns(&mut turns, message, &mut section, &mut names)?;
        }
        Ok(self.runs(&turns))
    }

    fn runs(&self, turns: &[Turn]) -> Runs {
        let last_is_final = turns
            .iter()
            .rev()
            .find(|turn| turn.is_assistant)
            .is_some_and(|turn| turn.channel == Some("final"));
        let first_final = turns.iter().position(|turn| turn.channel == Some("final"));
        let until = match first_final {
            Some(first) if self.drop_analysis && last_is_final => first,
            _ => 0,
        };
        let mut runs = Runs::default();
        for (at, turn) in turns.iter().enumerate() {
            if at >= until || turn.channel != Some("analysis") {
                turn.render(&mut runs);
            }
        }
        if self.add_generation_prompt {
            runs.marker("<|start|>");
            runs.text("assistant");
        }
        runs
    }

    fn system_text(&self, has_functions: bool) -> String {
        let mut top: Vec<String> = Vec::new();
        top.extend(self.model_identity.clone());
        let line = |name: &str, value: &Option<String>| {
            value.as_ref().map(|value| format!("{name}: {value}"))
        };
        top.extend(line("Knowledge cutoff", &self.knowledge_cutoff));
        top.extend(line("Current date", &self.current_date));
        let mut sections = Vec::new();
        if !top.is_empty() {
            sections.push(top.join("\n"));
        }
        sections.extend(line("Reasoning", &self.reasoning_effort));
        let mut channels = "# Valid channels: analysis, commentary, final. \
                            Channel must be included for every message."
            .to_owned();
        if has_functions {
            channels
                .push_str("\nCalls to these tools must go to the commentary channel: 'functions'.");
        }
        sections.push(channels);
        sections.join("\n\n")
    }
}

impl Turn {
    fn render(&self, runs: &mut Runs) {
        runs.marker("<|start|>");
        runs.text(self.author.as_str());
        if let Some(name) = &self.name {
            runs.text(format!(":{name}"));
        }
        if let Some(recipient) = &self.recipient {
            runs.text(format!(" to={recipient}"));
        }
        if let Some(channel) = self.channel {
            runs.marker("<|channel|>");
            runs.text(channel);
        }
        if self.constrained {
            runs.text(" ");
            runs.marker("<|constrain|>");
            runs.text("json");
        }
        runs.marker("<|message|>");
        for content in &self.content {
            runs.text(content.as_str());
        }
        runs.marker(if self.calls { "<|call|>" } else { "<|end|>" });
    }
}

fn is_developer(message: &Json) -> bool {
    matches!(message.string("role"), Some("system" | "developer"))
}

fn developer(instructions: Option<String>, tools: Option<String>) -> Turn {
    let mut sections = Vec::new();
    if let Some(instructions) = instructions {
        sections.push("# Instructions".to_owned());
        sections.push(instructions);
    }
    sections.extend(tools);
    Turn {
        author: "developer".to_owned(),
        content: vec![sections.join("\n\n")],
        ..Turn::default()
    }
}

fn push_turns(
    turns: &mut Vec<Turn>,
    message: &Json,
    section: &mut Option<String>,
    names: &mut HashMap<String, String>,
) -> Result<(), TokenizerError> {
    let content: Vec<String> = texts(message.get("content"))
        .into_iter()
        .map(str::to_owned)
        .collect();
    let name = message.string("name");
    match message.string("role") {
        Some("system" | "developer") => {
            turns.push(developer(Some(content.concat()), section.take()));
        }
        Some("assistant") => push_assistant(turns, message, content, names),
        Some("tool" | "function") => {
            let by_id = message.string("tool_call_id").and_then(|id| names.get(id));
            let Some(tool) = by_id.map(String::as_str).or(name) else {
                return Err(TokenizerError::new(
                    "a result of a tool has neither a name nor the id of a call before it; \
                     Harmony puts the tool's name into the header",
                ));
            };
            turns.push(Turn {
                author: format!("functions.{tool}"),
                recipient: Some("assistant".to_owned()),
                channel: Some("commentary"),
                content,
                ..Turn::default()
            });
        }
        role => turns.push(Turn {
            author: role.unwrap_or("user").to_owned(),
            name: name.map(str::to_owned),
            content,
            ..Turn::default()
        }),
    }
    Ok(())
}

fn push_assistant(
    turns: &mut Vec<Turn>,
    message: &Json,
    content: Vec<String>,
    names: &mut HashMap<String, String>,
) {
    let of = |channel, content| Turn {
        author: "assistant".to_owned(),
        name: message.string("name").map(str::to_owned),
        channel: Some(channel),
        content,
        is_assistant: true,
        ..Turn::default()
    };
    if let Some(text) = reasoning(message) {
        turns.push(of("analysis", vec![text.to_owned()]));
    }
    let calls = calls(message, Style::COMPACT);
    let channel = match message.string("channel") {
        Some("analysis") => "analysis",
        Some("commentary") => "commentary",
        Some("final") => "final",
        _ if calls.is_empty() => "final",
        _ => "commentary",
    };
    let said = content.iter().any(|text| !text.is_empty());
    if said || calls.is_empty() {
        turns.push(of(channel, content));
    }
    for call in calls {
        if let Some(id) = call.id {
            names.insert(id.to_owned(), call.name.to_owned());
        }
        turns.push(Turn {
            recipient: Some(format!("functions.{}", call.name)),
            constrained: true,
            calls: true,
            ..of("commentary", vec![call.arguments])
        });
    }
}

fn tools_section(tools: &[Json]) -> String {
    let mut lines = vec![
        "## functions\n".to_owned(),
        "namespace functions {\n".to_owned(),
    ];
    for tool in tools {
        let function = tool.get("function").unwrap_or(tool);
        let description = function.string("description").unwrap_or("");
        lines.extend(description.lines().map(|line| format!("// {line}")));
        let name = function.string("name").unwrap_or("");
        lines.push(match function.get("parameters") {
            Some(parameters) => format!("type {name} = (_: {}) => any;\n", type_of(parameters)),
            None => format!("type {name} = () => any;\n"),
        });
    }
    lines.push("} // namespace functions".to_owned());
    format!("# Tools\n\n{}", lines.join("\n"))
}

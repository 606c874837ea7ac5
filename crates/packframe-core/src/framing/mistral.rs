//! Mistral's instruct formats, as the library `mistral-common` encodes them.
//!
//! Requests are normalized first, as that library normalizes them: neighbouring messages of a role
//! become one, arguments and results that are JSON are written again with its spaces. Each marker is
//! one token, and each text is encoded alone.

use packframe_tokens::TokenizerError;

use super::call::{self, calls, texts};
use super::json::{Json, Style};
use super::request::ChatRequest;
use super::run::Runs;

/// A generation of the format, oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MistralVersion {
    /// `[INST]` as text, no tools.
    V1,
    /// Markers, tools before the last user message.
    V2,
    /// Ids of calls, results one by one.
    V3,
    /// A system prompt of its own.
    V7,
    /// Calls one by one.
    V11,
    /// Tools before the first user message, no ids.
    V13,
}

impl MistralVersion {
    /// Every version with its name, in order.
    pub const ALL: [(&'static str, Self); 6] = [
        ("v1", Self::V1),
        ("v2", Self::V2),
        ("v3", Self::V3),
        ("v7", Self::V7),
        ("v11", Self::V11),
        ("v13", Self::V13),
    ];

    /// Reads a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|(known, _)| *known == name)
            .map(|(_, version)| version)
    }

    /// Returns its name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        let mut all = Self::ALL.into_iter();
        all.find(|(_, version)| *version == self)
            .map_or("", |(name, _)| name)
    }
}

/// A message after normalization.
enum Turn<'a> {
    System(String),
    User(String),
    Assistant(Assistant<'a>),
    Result {
        id: &'a str,
        name: Option<&'a str>,
        content: String,
    },
}

#[derive(Default)]
struct Assistant<'a> {
    content: String,
    calls: Vec<Call<'a>>,
    /// Whether the model goes on with it.
    prefix: bool,
}

struct Call<'a> {
    id: Option<&'a str>,
    name: &'a str,
    arguments: Json,
}

impl MistralVersion {
    /// Renders a conversation.
    ///
    /// # Errors
    ///
    /// What is no list of messages, and what `mistral-common` refuses: tools and results before v2,
    /// text beside calls before v7, an assistant message with neither.
    pub(crate) fn render(self, request: &ChatRequest<'_>) -> Result<Runs, TokenizerError> {
        let messages = call::messages(request.messages)?;
        let tools = call::tools(request.tools)?;
        if self == Self::V1 && !tools.is_empty() {
            return Err(refused("format v1 has no tools; use v2 or later"));
        }
        let (system, turns) = self.normalized(&messages)?;
        let is_user = |turn: &Turn<'_>| matches!(turn, Turn::User(_));
        let first = turns.iter().position(is_user);
        let last = turns.iter().rposition(is_user);
        let mut runs = Runs::default();
        runs.marker("<s>");
        for (at, turn) in turns.iter().enumerate() {
            let before_last = last.is_some_and(|last| at < last);
            match turn {
                Turn::System(text) => {
                    runs.marker("[SYSTEM_PROMPT]");
                    runs.text(text.as_str());
                    runs.marker("[/SYSTEM_PROMPT]");
                }
                Turn::User(text) => {
                    let place = if self >= Self::V13 { first } else { last };
                    let shown = if Some(at) == place { &tools[..] } else { &[] };
                    let with_system = match self {
                        Self::V1 => first,
                        _ => last,
                    };
                    let system = system.as_deref().filter(|_| Some(at) == with_system);
                    self.push_user(&mut runs, text, system, shown);
                }
                Turn::Assistant(message) => self.push_assistant(&mut runs, message, before_last)?,
                Turn::Result { .. } if self == Self::V2 && before_last => {}
                Turn::Result { id, name, content } => {
                    self.push_result(&mut runs, id, *name, content)?;
                }
            }
        }
        Ok(runs)
    }

    fn push_user(self, runs: &mut Runs, text: &str, system: Option<&str>, tools: &[Json]) {
        let text = match system {
            Some(system) => format!("{system}\n\n{text}"),
            None => text.to_owned(),
        };
        if self == Self::V1 {
            runs.text(format!("[INST] {text} [/INST]"));
            return;
        }
        if !tools.is_empty() {
            runs.marker("[AVAILABLE_TOOLS]");
            let tools = Json::List(tools.iter().map(shown_tool).collect());
            runs.text(tools.write(Style::PYTHON));
            runs.marker("[/AVAILABLE_TOOLS]");
        }
        runs.marker("[INST]");
        runs.text(text);
        runs.marker("[/INST]");
    }

    fn push_assistant(
        self,
        runs: &mut Runs,
        message: &Assistant<'_>,
        before_last: bool,
    ) -> Result<(), TokenizerError> {
        let (content, calls) = (&message.content, &message.calls);
        if content.is_empty() && calls.is_empty() {
            return Err(refused("an assistant message has neither text nor calls"));
        }
        if self == Self::V1 && !calls.is_empty() {
            return Err(refused("format v1 has no tools; use v2 or later"));
        }
        if self < Self::V7 && !content.is_empty() && !calls.is_empty() {
            return Err(refused(
                "an assistant message has text and calls, which formats before v7 do not have",
            ));
        }
        if self == Self::V2 && !calls.is_empty() && before_last {
            return Ok(());
        }
        if self == Self::V1 {
            runs.text(content.as_str());
        } else {
            runs.text(content.trim_end_matches(' '));
        }
        self.push_calls(runs, calls);
        if !message.prefix {
            runs.marker("</s>");
        }
        Ok(())
    }

    fn push_calls(self, runs: &mut Runs, calls: &[Call<'_>]) {
        if calls.is_empty() {
            return;
        }
        if self < Self::V11 {
            let listed = calls.iter().map(|call| {
                let mut fields = vec![
                    ("name".to_owned(), Json::Text(call.name.to_owned())),
                    ("arguments".to_owned(), call.arguments.clone()),
                ];
                if self >= Self::V3
                    && let Some(id) = call.id
                {
                    fields.push(("id".to_owned(), Json::Text(id.to_owned())));
                }
                Json::Object(fields)
            });
            runs.marker("[TOOL_CALLS]");
            runs.text(Json::List(listed.collect()).write(Style::PYTHON));
            return;
        }
        for call in calls {
            runs.marker("[TOOL_CALLS]");
            runs.text(call.name);
            if self == Self::V11
                && let Some(id) = call.id
            {
                runs.marker("[CALL_ID]");
                runs.text(id);
            }
            runs.marker("[ARGS]");
            runs.text(call.arguments.write(Style::PYTHON));
        }
    }

    fn push_result(
        self,
        runs: &mut Runs,
        id: &str,
        name: Option<&str>,
        content: &str,
    ) -> Result<(), TokenizerError> {
        let text = |text: &str| Json::Text(text.to_owned());
        let of = |key: &str, value: Json| (key.to_owned(), value);
        match self {
            Self::V1 => return Err(refused("format v1 has no tools; use v2 or later")),
            Self::V2 => {
                runs.marker("[TOOL_RESULTS]");
                let result = Json::Object(vec![
                    of("name", name.map_or(Json::Null, text)),
                    of("content", parsed(content)),
                ]);
                runs.text(Json::List(vec![result]).write(Style::PYTHON));
            }
            Self::V3 => {
                runs.marker("[TOOL_RESULTS]");
                let result = Json::Object(vec![
                    of("content", parsed(content)),
                    of("call_id", text(id)),
                ]);
                runs.text(result.write(Style::PYTHON));
            }
            Self::V7 | Self::V11 => {
                runs.marker("[TOOL_RESULTS]");
                runs.text(id);
                runs.marker("[TOOL_CONTENT]");
                runs.text(content);
            }
            Self::V13 => {
                runs.marker("[TOOL_RESULTS]");
                runs.text(content);
            }
        }
        runs.marker("[/TOOL_RESULTS]");
        Ok(())
    }

    /// Joins neighbouring messages of a role; before v7 all system prompts become one.
    fn normalized(
        self,
        messages: &[Json],
    ) -> Result<(Option<String>, Vec<Turn<'_>>), TokenizerError> {
        let mut system = Vec::new();
        let mut turns: Vec<Turn<'_>> = Vec::new();
        let mut from = 0;
        let mut ids: Vec<&str> = Vec::new();
        while from < messages.len() {
            let role = role(&messages[from]);
            let run = messages[from..]
                .iter()
                .take_while(|message| self::role(message) == role);
            let run: Vec<&Json> = run.collect();
            from += run.len();
            match role {
                "system" => {
                    let prompts = run.iter().map(|message| joined(&[message]));
                    if self >= Self::V7 {
                        turns.extend(prompts.map(Turn::System));
                    } else {
                        system.extend(prompts.filter(|prompt| !prompt.is_empty()));
                    }
                }
                "user" => turns.push(Turn::User(joined(&run))),
                "assistant" => {
                    let made = self.assistant(&run)?;
                    ids.extend(made.calls.iter().filter_map(|call| call.id));
                    turns.push(Turn::Assistant(made));
                }
                _ => {
                    let mut results: Vec<&Json> = run;
                    if self >= Self::V13 {
                        let place = |message: &Json| {
                            let id = message.string("tool_call_id").unwrap_or("null");
                            ids.iter()
                                .rposition(|known| *known == id)
                                .unwrap_or(usize::MAX)
                        };
                        results.sort_by_key(|message| place(message));
                    }
                    turns.extend(results.iter().map(|message| self.result(message)));
                    ids.clear();
                }
            }
        }
        let starts_with_user = matches!(turns.first(), Some(Turn::User(_)));
        if turns.is_empty() || (self < Self::V7 && !starts_with_user) {
            turns.insert(0, Turn::User(String::new()));
        }
        let system = (!system.is_empty()).then(|| system.join("\n\n"));
        Ok((system, turns))
    }

    fn assistant<'a>(self, run: &[&'a Json]) -> Result<Assistant<'a>, TokenizerError> {
        let mut made = Assistant {
            content: joined(run),
            ..Assistant::default()
        };
        for message in run {
            let calls = calls(message, Style::PYTHON);
            let said = texts(message.get("content"))
                .iter()
                .any(|text| !text.is_empty());
            if self < Self::V7 && said && !calls.is_empty() {
                return Err(refused(
                    "an assistant message has text and calls, which formats before v7 do not have",
                ));
            }
            made.calls.extend(calls.into_iter().map(|call| Call {
                id: call.id.filter(|id| !id.is_empty() && *id != "null"),
                name: call.name,
                arguments: parsed(&normalized(call.arguments)),
            }));
            made.prefix |= message.get("prefix") == Some(&Json::Bool(true));
        }
        Ok(made)
    }

    fn result(self, message: &Json) -> Turn<'_> {
        let content = joined(&[message]);
        Turn::Result {
            id: message.string("tool_call_id").unwrap_or(""),
            name: message.string("name"),
            content: if self >= Self::V7 {
                content
            } else {
                normalized(content)
            },
        }
    }
}

fn role(message: &Json) -> &str {
    match message.string("role") {
        Some("system" | "developer") => "system",
        Some("assistant") => "assistant",
        Some("user") => "user",
        _ => "tool",
    }
}

fn refused(problem: &str) -> TokenizerError {
    TokenizerError::new(problem)
}

/// Joins all texts of some messages that are not empty.
fn joined(messages: &[&Json]) -> String {
    let texts = messages
        .iter()
        .flat_map(|message| texts(message.get("content")))
        .filter(|text| !text.is_empty());
    texts.collect::<Vec<_>>().join("\n\n")
}

/// Writes a content that is JSON anew; an empty one is an empty object.
fn normalized(content: String) -> String {
    if content.is_empty() {
        return "{}".to_owned();
    }
    match Json::read(&content) {
        Some(value) => value.write(Style::PYTHON),
        None => content,
    }
}

/// Returns the JSON of a text, or the text as a string.
fn parsed(content: &str) -> Json {
    Json::read(content).unwrap_or_else(|| Json::Text(content.to_owned()))
}

/// Returns a tool with the fields that are shown, in their order.
fn shown_tool(tool: &Json) -> Json {
    let function = tool.get("function").unwrap_or(tool);
    let field = |key: &str, default: Json| {
        let value = function.raw(key).cloned().unwrap_or(default);
        (key.to_owned(), value)
    };
    let function = vec![
        field("name", Json::Text(String::new())),
        field("description", Json::Text(String::new())),
        field("parameters", Json::Object(Vec::new())),
    ];
    Json::Object(vec![
        ("type".to_owned(), Json::Text("function".to_owned())),
        ("function".to_owned(), Json::Object(function)),
    ])
}

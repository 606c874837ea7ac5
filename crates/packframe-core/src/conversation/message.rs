//! One message of a chat-completions conversation.

use std::collections::{BTreeMap, HashSet};
use std::sync::OnceLock;

use foldhash::fast::FixedState;
use serde_json::Value;
use serde_json::value::RawValue;

use super::facts::role_of;
use super::format::Format;
use super::texts::counted as counted_of;
use crate::error::Problem;
use crate::framing::{Json, Style, calls};
use crate::once::once;
use crate::word::Role;

/// Fields of calls, whose names and arguments are counted.
pub(crate) const CALL_FIELDS: [&str; 2] = ["tool_calls", "function_call"];

/// What a message is made of. Its JSON is kept by the content.
#[derive(Debug, Clone)]
pub struct Message {
    format: Format,
    is_of_list: bool,
    /// Whether it is known to be one string and its role, so that it has no name and calls nothing.
    is_plain: bool,
    /// Who speaks; of a message of a request it is settled when the request is laid out.
    role: OnceLock<Role>,
    /// What is read when it is asked for first: most messages of a long history never are.
    said: OnceLock<Box<Said>>,
    calls: Box<[Box<str>]>,
    answers: Option<Box<str>>,
}

/// What a message says.
#[derive(Debug, Clone)]
struct Said {
    /// What a text rendering shows; `None` where a content part is no text.
    text: Option<Box<str>>,
    counted: Counted,
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
    /// Reads a message from its JSON.
    ///
    /// # Errors
    ///
    /// Every problem that a provider would refuse the message alone for; positions are 0.
    pub fn parse(json: &str) -> Result<Self, Vec<Problem>> {
        let fields: BTreeMap<String, &RawValue> =
            serde_json::from_str(json).map_err(|_| vec![problem("", "malformed_block")])?;
        let mut problems = Vec::new();
        let named = string(&fields, "role");
        // The older role of a result, which has the name of the function in the place of an id.
        let is_function = named.as_deref() == Some("function");
        let role = if is_function {
            Role::Tool
        } else if let Some(Ok(role)) = named.as_deref().map(Role::parse) {
            role
        } else {
            return Err(vec![problem("role", "unknown_role")]);
        };
        let parts = content_parts(&fields, &mut problems);
        let calls = call_ids(&fields, role, &mut problems);
        let answers = string(&fields, "tool_call_id").map(String::into_boxed_str);
        if is_function && !present(&fields, "name") {
            problems.push(problem("name", "malformed_call"));
        } else if role == Role::Tool && answers.is_none() && !is_function {
            problems.push(problem("tool_call_id", "malformed_call"));
        }
        let content_is_null = matches!(parts, Parts::Null);
        let has_substitute = ["tool_calls", "function_call", "refusal", "audio"]
            .iter()
            .any(|name| present(&fields, name));
        if content_is_null && !(role == Role::Assistant && has_substitute) && problems.is_empty() {
            problems.push(problem("content", "missing_content"));
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let said = Said {
            text: rendered(&fields, &parts),
            counted: counted(&fields, parts),
        };
        Ok(Self {
            format: Format::OpenAiChat,
            is_of_list: false,
            is_plain: false,
            role: role.into(),
            said: Box::new(said).into(),
            calls: calls.into_boxed_slice(),
            answers: answers.filter(|_| role == Role::Tool),
        })
    }

    /// Reads a message of any format from its JSON, alone.
    ///
    /// # Errors
    ///
    /// Every problem that a provider would refuse the message alone for; positions are 0. What only
    /// a list can say, such as a call without a result, is none.
    pub fn parse_as(format: Format, json: &str) -> Result<Self, Vec<Problem>> {
        if format == Format::OpenAiChat {
            return Self::parse(json);
        }
        match role_of(format, json) {
            Ok(role) => Ok(Self::of_list(format, role)),
            Err(problems) => Err(problems),
        }
    }

    /// Makes a message of a list that is checked as a whole, which says its role and ties.
    #[must_use]
    pub fn of_list(format: Format, role: Role) -> Self {
        Self {
            format,
            is_of_list: true,
            is_plain: false,
            role: role.into(),
            said: OnceLock::new(),
            calls: Box::default(),
            answers: None,
        }
    }

    /// Makes such a message whose role nobody has read yet.
    pub(crate) fn unread(format: Format) -> Self {
        Self {
            role: OnceLock::new(),
            ..Self::of_list(format, Role::User)
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

    /// Says whether its list says what belongs to it, and not the message itself.
    #[must_use]
    pub const fn is_of_list(&self) -> bool {
        self.is_of_list
    }

    /// Returns what a text rendering shows, or `None` where a part of the content is no text.
    pub(crate) fn text(&self, json: &str) -> Option<&str> {
        self.said(json).text.as_deref()
    }

    /// Returns the ids of the tool calls that it makes.
    #[must_use]
    pub fn calls(&self) -> &[Box<str>] {
        &self.calls
    }

    /// Returns the id of the tool call that it answers.
    #[must_use]
    pub fn answers(&self) -> Option<&str> {
        self.answers.as_deref()
    }

    /// Says whether it has a name, and how many calls of tools it makes.
    pub(crate) fn charged(&self, json: &str) -> (bool, u64) {
        if self.is_plain {
            return (false, 0);
        }
        let counted = self.counted(json);
        (counted.named, counted.calls)
    }

    /// Returns what its tokens are counted from.
    pub(crate) fn counted(&self, json: &str) -> &Counted {
        &self.said(json).counted
    }

    /// Reads what it says, once.
    fn said(&self, json: &str) -> &Said {
        once::<Box<Said>>(&self.said, || {
            let counted = counted_of(self.format, json);
            let text = match &counted.texts[..] {
                [text] => text.clone(),
                texts => texts.join("\n").into(),
            };
            Box::new(Said {
                text: Some(text),
                counted,
            })
        })
    }
}

enum Parts {
    Null,
    /// One string, or the strings of a list of text parts, and what the parts have beside them.
    Texts {
        texts: Vec<String>,
        others: Vec<String>,
    },
    Unsupported,
}

fn problem(path: &str, rule: &'static str) -> Problem {
    Problem {
        position: 0,
        path: path.to_owned(),
        rule,
    }
}

fn present(fields: &BTreeMap<String, &RawValue>, name: &str) -> bool {
    fields.get(name).is_some_and(|raw| raw.get() != "null")
}

fn string(fields: &BTreeMap<String, &RawValue>, name: &str) -> Option<String> {
    fields
        .get(name)
        .and_then(|raw| serde_json::from_str(raw.get()).ok())
}

fn content_parts(fields: &BTreeMap<String, &RawValue>, problems: &mut Vec<Problem>) -> Parts {
    let Some(raw) = fields.get("content").filter(|raw| raw.get() != "null") else {
        return Parts::Null;
    };
    if let Ok(text) = serde_json::from_str(raw.get()) {
        return Parts::Texts {
            texts: vec![text],
            others: Vec::new(),
        };
    }
    let Ok(parts) = serde_json::from_str::<Vec<&RawValue>>(raw.get()) else {
        problems.push(problem("content", "malformed_block"));
        return Parts::Null;
    };
    let (mut texts, mut others) = (Vec::with_capacity(parts.len()), Vec::new());
    let mut supported = true;
    for (at, part) in parts.iter().enumerate() {
        // What is no object has no type either.
        let part: BTreeMap<String, &RawValue> =
            serde_json::from_str(part.get()).unwrap_or_default();
        match (string(&part, "type").as_deref(), string(&part, "text")) {
            (Some("text"), Some(text)) => {
                texts.push(text);
                let beside = part
                    .iter()
                    .filter(|(name, _)| *name != "type" && *name != "text");
                others.extend(beside.map(|(_, raw)| raw.get().to_owned()));
            }
            (Some("text") | None, _) => {
                problems.push(problem(&format!("content[{at}]"), "malformed_block"));
            }
            _ => supported = false,
        }
    }
    if supported {
        Parts::Texts { texts, others }
    } else {
        Parts::Unsupported
    }
}

fn call_ids(
    fields: &BTreeMap<String, &RawValue>,
    role: Role,
    problems: &mut Vec<Problem>,
) -> Vec<Box<str>> {
    if !present(fields, "tool_calls") {
        return Vec::new();
    }
    if role != Role::Assistant {
        problems.push(problem("tool_calls", "call_in_wrong_role"));
        return Vec::new();
    }
    let Ok(Value::Array(calls)) = serde_json::from_str(fields["tool_calls"].get()) else {
        problems.push(problem("tool_calls", "malformed_call"));
        return Vec::new();
    };
    if calls.is_empty() {
        problems.push(problem("tool_calls", "empty_tool_calls"));
    }
    let mut ids: Vec<Box<str>> = Vec::with_capacity(calls.len());
    let mut known: HashSet<&str, FixedState> = HashSet::default();
    for (at, call) in calls.iter().enumerate() {
        let id = call
            .get("id")
            .and_then(Value::as_str)
            .filter(|id| !id.is_empty());
        let body = call.get("function").or_else(|| call.get("custom"));
        let named = body
            .and_then(|body| body.get("name"))
            .is_some_and(Value::is_string);
        match id {
            Some(id) if named => {
                if !known.insert(id) {
                    problems.push(problem(&format!("tool_calls[{at}].id"), "duplicate_call"));
                }
                ids.push(id.into());
            }
            _ => problems.push(problem(&format!("tool_calls[{at}]"), "malformed_call")),
        }
    }
    ids
}

fn rendered(fields: &BTreeMap<String, &RawValue>, parts: &Parts) -> Option<Box<str>> {
    let mut text = match parts {
        Parts::Null => String::new(),
        Parts::Texts { texts, .. } => texts.concat(),
        Parts::Unsupported => return None,
    };
    for name in CALL_FIELDS {
        if present(fields, name) {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(fields[name].get());
        }
    }
    Some(text.into())
}

fn counted(fields: &BTreeMap<String, &RawValue>, parts: Parts) -> Counted {
    let mut counted = Counted {
        named: present(fields, "name"),
        ..Counted::default()
    };
    if let Parts::Texts { texts, others } = parts {
        counted.approximate |= !others.is_empty();
        counted.unknown_field |= !others.is_empty();
        let all = texts.into_iter().chain(others);
        counted.texts.extend(all.map(String::into_boxed_str));
    }
    for (name, raw) in fields {
        if name == "role" || name == "content" || raw.get() == "null" {
            continue;
        }
        if CALL_FIELDS.contains(&name.as_str()) {
            count_calls(name, raw, &mut counted);
            continue;
        }
        if let Ok(text) = serde_json::from_str::<String>(raw.get()) {
            counted.texts.push(text.into());
        } else {
            counted.texts.push(raw.get().into());
            counted.approximate = true;
            counted.unknown_field = true;
        }
    }
    counted
}

/// Counts the names and arguments of calls: a string as it is, anything else as compact JSON.
fn count_calls(name: &str, raw: &RawValue, counted: &mut Counted) {
    counted.approximate = true;
    let Some(value @ (Json::List(_) | Json::Object(_))) = Json::read(raw.get()) else {
        counted.texts.push(raw.get().into());
        return;
    };
    let message = Json::Object(vec![(name.to_owned(), value)]);
    for call in calls(&message, Style::COMPACT) {
        counted.calls += 1;
        let texts: [Box<str>; 2] = [call.name.into(), call.arguments.into()];
        let said = texts.into_iter().filter(|text| !text.is_empty());
        counted.texts.extend(said);
    }
}

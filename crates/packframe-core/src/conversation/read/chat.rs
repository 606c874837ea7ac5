//! Messages of chat completions.

use crate::conversation::entry::{Entry, Family, Kind, Place};
use crate::conversation::fields::{Fields, elements, text};
use crate::conversation::rule::Rule;
use crate::conversation::view::{Row, Speaker, View};

/// Fields that hold what the model thought.
pub(in crate::conversation) const THINKING: [&str; 4] = [
    "reasoning_content",
    "reasoning",
    "reasoning_details",
    "thinking_blocks",
];

/// What an assistant may say instead of content.
pub(in crate::conversation) const SUBSTITUTES: [&str; 4] =
    ["tool_calls", "function_call", "refusal", "audio"];

pub(super) fn read<'a>(fields: &Fields<'a>, view: &mut View<'a>) -> Row<'a> {
    let role = fields.text("role");
    let speaker = match role.as_deref() {
        Some("system") => Speaker::System,
        Some("developer") => Speaker::Developer,
        Some("user") => Speaker::User,
        Some("assistant") => Speaker::Assistant,
        Some("tool" | "function") => Speaker::Tool,
        _ => {
            view.flaw("role", Rule::UnknownRole);
            Speaker::Unknown
        }
    };
    read_content(fields, speaker, view);
    read_calls(fields, speaker, view);
    let row = view.rows.len();
    if speaker == Speaker::Tool {
        let (family, field) = match role.as_deref() {
            Some("function") => (Family::Named, "name"),
            _ => (Family::Tool, "tool_call_id"),
        };
        let id = fields.id(field);
        let mut entry = Entry::new(row, Place::Whole(field), Kind::Result, family);
        match &id {
            Some(id) => entry.key = Some(view.key(family, "", id.clone())),
            None => entry.fault = Some(Rule::OrphanResult),
        }
        view.entries.push(entry.with_id(id));
    } else if speaker == Speaker::Assistant {
        for name in THINKING {
            if fields.get(name).is_some() {
                let place = Place::Field(name);
                let entry = Entry::new(row, place, Kind::Thinking, Family::Tool);
                view.entries.push(entry);
            }
        }
    }
    Row {
        blocks: 1,
        keeps_waiting: speaker == Speaker::Tool,
        ..Row::new(speaker)
    }
}

fn read_content<'a>(fields: &Fields<'a>, speaker: Speaker, view: &mut View<'a>) {
    let Some(content) = fields.get("content") else {
        let says = SUBSTITUTES.iter().any(|name| fields.get(name).is_some());
        if speaker != Speaker::Assistant || !says {
            view.flaw("content", Rule::MissingContent);
        }
        return;
    };
    if text(content).is_some() {
        return;
    }
    let Some(parts) = elements(content) else {
        return view.flaw("content", Rule::MalformedBlock);
    };
    if parts.is_empty() && !(speaker == Speaker::Assistant && fields.get("tool_calls").is_some()) {
        view.flaw("content", Rule::EmptyContent);
    }
    for (at, part) in parts.iter().enumerate() {
        let part = Fields::parse(part).unwrap_or_default();
        let sound = match part.text("type").as_deref() {
            None => false,
            Some("text") => part.text("text").is_some(),
            Some("refusal") => part.text("refusal").is_some(),
            Some(_) => true,
        };
        if !sound {
            view.flaw(format!("content[{at}]"), Rule::MalformedBlock);
        }
    }
}

fn read_calls<'a>(fields: &Fields<'a>, speaker: Speaker, view: &mut View<'a>) {
    let row = view.rows.len();
    let field =
        |name, rule| Entry::new(row, Place::Field(name), Kind::Call, Family::Tool).faulty(rule);
    if let Some(raw) = fields.get("tool_calls") {
        match elements(raw) {
            _ if speaker != Speaker::Assistant => {
                view.entries
                    .push(field("tool_calls", Rule::CallInWrongRole));
            }
            None => view.entries.push(field("tool_calls", Rule::MalformedCall)),
            Some(calls) if calls.is_empty() => {
                view.entries.push(field("tool_calls", Rule::EmptyToolCalls));
            }
            Some(calls) => {
                for (at, call) in calls.into_iter().enumerate() {
                    read_call(call, at, view);
                }
            }
        }
    }
    if let Some(raw) = fields.get("function_call") {
        if speaker != Speaker::Assistant {
            view.entries
                .push(field("function_call", Rule::CallInWrongRole));
            return;
        }
        let call = Fields::parse(raw).unwrap_or_default();
        let place = Place::Field("function_call");
        let mut entry = Entry::new(row, place, Kind::Call, Family::Named);
        match call.id("name") {
            Some(name) => {
                entry.key = Some(view.key(Family::Named, "", name.clone()));
                entry.id = Some(name);
                check_arguments(&call, "arguments", "function_call.arguments", view);
            }
            None => entry.fault = Some(Rule::MalformedCall),
        }
        view.entries.push(entry);
    }
}

fn read_call<'a>(raw: &'a str, at: usize, view: &mut View<'a>) {
    let call = Fields::parse(raw).unwrap_or_default();
    let mut entry = Entry::new(view.rows.len(), Place::Call(at), Kind::Call, Family::Tool);
    let custom = call.object("custom");
    let (body, input) = match &custom {
        Some(body) => (Some(body.clone()), "input"),
        None => (call.object("function"), "arguments"),
    };
    entry.id = call.id("id");
    match (&entry.id, body) {
        (Some(id), Some(body)) if body.text("name").is_some() => {
            entry.key = Some(view.key(Family::Tool, "", id.clone()));
            let within = if custom.is_some() {
                "custom"
            } else {
                "function"
            };
            let path = format!("tool_calls[{at}].{within}.{input}");
            check_arguments(&body, input, &path, view);
        }
        _ => entry.fault = Some(Rule::MalformedCall),
    }
    view.entries.push(entry);
}

/// Checks what a call passes on; a provider takes none for an empty one.
pub(super) fn check_arguments<'a>(call: &Fields<'a>, field: &str, path: &str, view: &mut View<'a>) {
    if call.get(field).is_some_and(|raw| text(raw).is_none()) {
        view.flaw(path, Rule::ArgumentsNotString);
    }
}

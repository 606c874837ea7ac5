//! Messages of chat completions.

use crate::conversation::entry::{Entry, Family, Kind, Place};
use crate::conversation::fields::{Fields, elements, is_text, text};
use crate::conversation::rule::Rule;
use crate::conversation::view::{Row, Speaker, View};

/// Fields that hold signed thinking; what is not signed is text like any other.
const THINKING: [&str; 2] = ["reasoning_details", "thinking_blocks"];

/// What an assistant may say instead of content.
const SUBSTITUTES: [&str; 4] = ["tool_calls", "function_call", "refusal", "audio"];

pub(super) fn read<'a>(fields: &Fields<'a>, view: &mut View<'a>) -> Row<'a> {
    let role = fields.text("role");
    let speaker = match role.as_deref() {
        Some("system") => Speaker::System,
        Some("developer") => Speaker::Developer,
        Some("user") => Speaker::User,
        Some("assistant") => Speaker::Assistant,
        Some("tool" | "function") => Speaker::Tool,
        _ => {
            // What it should have held depends on its role.
            view.flaw("role", Rule::UnknownRole);
            return Row::new(Speaker::Unknown);
        }
    };
    let may_be_null = role.as_deref() == Some("function") && fields.has("content");
    read_content(fields, speaker, may_be_null, view);
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
            None => entry.fault = Some(Rule::MalformedCall),
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

fn read_content<'a>(fields: &Fields<'a>, speaker: Speaker, may_be_null: bool, view: &mut View<'a>) {
    let Some(content) = fields.get("content") else {
        let says = SUBSTITUTES.iter().any(|name| fields.get(name).is_some());
        if !may_be_null && (speaker != Speaker::Assistant || !says) {
            view.flaw("content", Rule::MissingContent);
        }
        return;
    };
    if is_text(content) {
        return;
    }
    let Some(parts) = elements(content) else {
        return view.flaw("content", Rule::MalformedBlock);
    };
    if parts.is_empty() {
        view.flaw("content", Rule::EmptyContent);
    }
    check_blocks(&parts, "content", is_sound, view);
}

/// Writes down which blocks are none.
pub(super) fn check_blocks(
    blocks: &[&str],
    at: &str,
    is_sound: fn(&str, &Fields<'_>) -> bool,
    view: &mut View<'_>,
) {
    for (index, block) in blocks.iter().enumerate() {
        let block = Fields::parse(block).unwrap_or_default();
        let kind = block.id("type");
        if !kind.is_some_and(|kind| is_sound(&kind, &block)) {
            view.flaw(format!("{at}[{index}]"), Rule::MalformedBlock);
        }
    }
}

/// Says whether a block of a type has what it must have; what nobody knows is no fault.
fn is_sound(kind: &str, block: &Fields<'_>) -> bool {
    match kind {
        "text" | "refusal" => block.has_text(kind),
        "image_url" | "input_audio" | "file" => block.object(kind).is_some(),
        _ => true,
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
                if !call.has_text("arguments") {
                    view.flaw("function_call.arguments", Rule::ArgumentsNotString);
                }
            }
            None => entry.fault = Some(Rule::MalformedCall),
        }
        view.entries.push(entry);
    }
}

fn read_call<'a>(raw: &'a str, at: usize, view: &mut View<'a>) {
    let call = Fields::parse(raw).unwrap_or_default();
    let mut entry = Entry::new(view.rows.len(), Place::Call(at), Kind::Call, Family::Tool);
    let within = match call.get("type").map(text) {
        None => Some(("function", "arguments")),
        Some(Some(kind)) => match &*kind {
            "function" => Some(("function", "arguments")),
            "custom" => Some(("custom", "input")),
            _ => None,
        },
        Some(None) => None,
    };
    let body = within.and_then(|(field, _)| call.object(field));
    let body = body.filter(|body| body.id("name").is_some());
    entry.id = call.id("id");
    match (&entry.id, within, body) {
        (Some(id), Some((field, input)), Some(body)) => {
            entry.key = Some(view.key(Family::Tool, "", id.clone()));
            if !body.has_text(input) {
                let path = format!("tool_calls[{at}].{field}.{input}");
                view.flaw(path, Rule::ArgumentsNotString);
            }
        }
        _ => entry.fault = Some(Rule::MalformedCall),
    }
    view.entries.push(entry);
}

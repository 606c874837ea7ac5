//! Items of the Responses API.

use std::borrow::Cow;

use super::chat::check_arguments;
use crate::conversation::entry::{Entry, Family, Kind, Place, Status};
use crate::conversation::fields::{Fields, elements, text};
use crate::conversation::rule::Rule;
use crate::conversation::view::{Row, Sort, Speaker, View};

/// Items that a provider's tool made, call and result in one, and what else the model made alone.
const SELF_CONTAINED: [&str; 8] = [
    "file_search_call",
    "web_search_call",
    "code_interpreter_call",
    "image_generation_call",
    "mcp_list_tools",
    "mcp_call",
    "hosted_tool_call",
    "compaction",
];

pub(super) fn read<'a>(fields: &Fields<'a>, view: &mut View<'a>) -> Row<'a> {
    let kind = match fields.get("type") {
        None if fields.get("role").is_some() => Some(Cow::Borrowed("message")),
        None if fields.get("id").is_some() => Some(Cow::Borrowed("item_reference")),
        raw => raw.and_then(text),
    };
    let Some(kind) = kind else {
        view.flaw("type", Rule::MalformedBlock);
        return Row::new(Speaker::Unknown);
    };
    let mut row = match &*kind {
        "message" => message(fields, view),
        "compaction_trigger" | "item_reference" => Row {
            sort: Sort::Control,
            keeps_waiting: true,
            ..Row::new(Speaker::User)
        },
        "reasoning" => Row {
            sort: Sort::Reasoning,
            keeps_waiting: true,
            ..Row::new(Speaker::Assistant)
        },
        "hosted_tool_call" => hosted(fields, view),
        _ => match family(&kind) {
            Some((family, Kind::Result)) => result(fields, family, &kind, view),
            Some((family, _)) => call(fields, family, &kind, view),
            None if SELF_CONTAINED.contains(&&*kind) => Row {
                sort: Sort::Made,
                keeps_waiting: kind.ends_with("_call"),
                ..Row::new(Speaker::Assistant)
            },
            None => other(fields, &kind, view),
        },
    };
    // The `id` of such an output is that of its call.
    if kind != "local_shell_call_output" && kind != "item_reference" {
        row.item_id = fields.id("id");
    }
    let caller = fields.object("caller");
    let caller = caller.filter(|caller| caller.text("type").as_deref() == Some("program"));
    if let Some(id) = caller.and_then(|caller| caller.id("caller_id")) {
        row.owner = Some(view.key(Family::Program, "", id));
    }
    row
}

fn family(kind: &str) -> Option<(Family, Kind)> {
    let (stem, is) = match kind.strip_suffix("_output") {
        Some(stem) => (stem, Kind::Result),
        None => (kind, Kind::Call),
    };
    Some(match (stem, is) {
        ("function_call", _) => (Family::Function, is),
        ("custom_tool_call", _) => (Family::Custom, is),
        ("apply_patch_call", _) => (Family::ApplyPatch, is),
        ("computer_call", _) => (Family::Computer, is),
        ("local_shell_call", _) => (Family::LocalShell, is),
        ("shell_call", _) => (Family::Shell, is),
        ("tool_search_call", Kind::Call) | ("tool_search", Kind::Result) => (Family::Search, is),
        ("program", _) => (Family::Program, is),
        ("mcp_approval_request", Kind::Call) => (Family::Approval, Kind::Call),
        ("mcp_approval_response", Kind::Call) => (Family::Approval, Kind::Result),
        _ => return None,
    })
}

fn message<'a>(fields: &Fields<'a>, view: &mut View<'a>) -> Row<'a> {
    let speaker = match fields.text("role").as_deref() {
        Some("system") => Speaker::System,
        Some("developer") => Speaker::Developer,
        Some("user") => Speaker::User,
        Some("assistant") => Speaker::Assistant,
        _ => {
            view.flaw("role", Rule::UnknownRole);
            Speaker::Unknown
        }
    };
    let mut row = Row::new(speaker);
    row.blocks = 1;
    if speaker == Speaker::Assistant && fields.id("id").is_some() {
        row.sort = Sort::Made;
    }
    match fields.get("content") {
        None => view.flaw("content", Rule::MissingContent),
        Some(raw) if text(raw).is_some() => {}
        Some(raw) => match elements(raw) {
            None => view.flaw("content", Rule::MalformedBlock),
            Some(parts) => {
                for (at, part) in parts.iter().enumerate() {
                    let part = Fields::parse(part).unwrap_or_default();
                    let sound = match part.text("type").as_deref() {
                        None => false,
                        Some("input_text" | "output_text" | "text") => part.text("text").is_some(),
                        Some("refusal") => part.text("refusal").is_some(),
                        Some(_) => true,
                    };
                    if !sound {
                        view.flaw(format!("content[{at}]"), Rule::MalformedBlock);
                    }
                }
            }
        },
    }
    row
}

fn call<'a>(
    fields: &Fields<'a>,
    family: Family,
    kind: &Cow<'a, str>,
    view: &mut View<'a>,
) -> Row<'a> {
    let path = if family == Family::Approval {
        "id"
    } else {
        "call_id"
    };
    let mut entry = Entry::new(view.rows.len(), Place::Whole(path), Kind::Call, family);
    let id = fields.id(path);
    entry.client = fields.text("execution").as_deref() == Some("client");
    let named = !matches!(family, Family::Function | Family::Custom) || fields.id("name").is_some();
    match &id {
        Some(id) if named => {
            entry.key = Some(view.key(family, "", id.clone()));
        }
        None if family == Family::Search && !entry.client => {}
        _ => entry.fault = Some(Rule::MalformedCall),
    }
    let input = match family {
        Family::Function => Some("arguments"),
        Family::Custom => Some("input"),
        _ => None,
    };
    if let Some(input) = input.filter(|_| entry.fault.is_none()) {
        match fields.get(input) {
            None => entry.fault = Some(Rule::MalformedCall),
            Some(_) => check_arguments(fields, input, input, view),
        }
    }
    entry.patient = match family {
        Family::Approval => true,
        Family::Shell => fields.text("status").as_deref() != Some("completed"),
        _ => false,
    };
    entry.name = Some(kind.clone());
    view.entries
        .push(entry.with_id(id.or_else(|| fields.id("id"))));
    Row {
        sort: Sort::Made,
        keeps_waiting: true,
        ..Row::new(Speaker::Assistant)
    }
}

fn result<'a>(
    fields: &Fields<'a>,
    family: Family,
    kind: &Cow<'a, str>,
    view: &mut View<'a>,
) -> Row<'a> {
    let path = match family {
        Family::Approval => "approval_request_id",
        _ => "call_id",
    };
    let mut entry = Entry::new(view.rows.len(), Place::Whole(path), Kind::Result, family);
    let (id, second) = match family {
        Family::LocalShell => match (fields.id("id"), fields.id("call_id")) {
            (Some(id), second) => (Some(id), second),
            (None, second) => (second, None),
        },
        _ => (fields.id(path), None),
    };
    entry.client = fields.text("execution").as_deref() == Some("client");
    entry.key = id.as_ref().map(|id| view.key(family, "", id.clone()));
    entry.second_key = second.map(|second| view.key(family, "", second));
    if id.is_none() && (family != Family::Search || entry.client) {
        entry.fault = Some(Rule::OrphanResult);
    }
    entry.status = status(fields, family);
    if entry.status == Status::Bad && entry.fault.is_none() {
        entry.fault = Some(Rule::BadStatus);
    }
    entry.name = Some(kind.clone());
    view.entries
        .push(entry.with_id(id.or_else(|| fields.id("id"))));
    Row {
        keeps_waiting: true,
        ..Row::new(Speaker::Tool)
    }
}

/// Reads how far an output has come.
fn status(fields: &Fields<'_>, family: Family) -> Status {
    if !family.streams() {
        return Status::Done;
    }
    let Some(raw) = fields.get("status") else {
        return if family == Family::Program {
            Status::Bad
        } else {
            Status::Done
        };
    };
    match (family, text(raw).as_deref()) {
        (Family::Program, Some("incomplete"))
        | (Family::Shell | Family::Search, Some("in_progress")) => Status::Open,
        (_, Some("completed")) | (Family::Shell | Family::Search, Some("incomplete")) => {
            Status::Done
        }
        _ => Status::Bad,
    }
}

/// An approval that the SDK wraps in another item, or the call of a hosted tool.
fn hosted<'a>(fields: &Fields<'a>, view: &mut View<'a>) -> Row<'a> {
    let row = Row {
        sort: Sort::Made,
        keeps_waiting: true,
        ..Row::new(Speaker::Assistant)
    };
    let data = fields
        .object("provider_data")
        .or_else(|| fields.object("providerData"));
    let request = data.filter(|data| data.text("type").as_deref() == Some("mcp_approval_request"));
    let Some(request) = request else { return row };
    let place = Place::Whole("provider_data");
    let mut entry = Entry::new(view.rows.len(), place, Kind::Call, Family::Approval);
    let id = request
        .id("id")
        .or_else(|| fields.id("call_id"))
        .or_else(|| fields.id("id"));
    match &id {
        Some(id) => entry.key = Some(view.key(Family::Approval, "", id.clone())),
        None => entry.fault = Some(Rule::MalformedCall),
    }
    entry.patient = true;
    view.entries.push(entry.with_id(id));
    row
}

/// An item of a type that nobody has told us about: a call or an output if it says so.
fn other<'a>(fields: &Fields<'a>, kind: &Cow<'a, str>, view: &mut View<'a>) -> Row<'a> {
    let Some(id) = fields.id("call_id") else {
        return Row::new(Speaker::Assistant);
    };
    let (stem, is) = match kind.strip_suffix("_output") {
        Some(stem) => (stem, Kind::Result),
        None => (&**kind, Kind::Call),
    };
    if !stem.ends_with("_call") {
        return Row::new(Speaker::Assistant);
    }
    let mut entry = Entry::new(view.rows.len(), Place::Whole("call_id"), is, Family::Other);
    entry.key = Some(view.key(Family::Other, stem.to_owned(), id.clone()));
    entry.name = Some(kind.clone());
    view.entries.push(entry.with_id(Some(id)));
    Row {
        sort: if is == Kind::Call {
            Sort::Made
        } else {
            Sort::Said
        },
        keeps_waiting: true,
        ..Row::new(if is == Kind::Call {
            Speaker::Assistant
        } else {
            Speaker::Tool
        })
    }
}

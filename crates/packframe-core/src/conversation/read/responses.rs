//! Items of the Responses API.

use std::borrow::Cow;

use super::chat::check_blocks;
use crate::conversation::entry::{Entry, Family, Kind, Place, Status};
use crate::conversation::fields::{Fields, elements, is_text, text};
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
        None if fields.get("role").is_none() && fields.id("id").is_some() => {
            Some(Cow::Borrowed("item_reference"))
        }
        None => Some(Cow::Borrowed("message")),
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
    if kind != "local_shell_call_output" && !row.is_control() {
        row.item_id = fields.id("id");
    }
    let caller = fields.object("caller");
    let caller = caller.filter(|caller| caller.text("type").as_deref() == Some("program"));
    if let Some(caller) = caller.filter(|_| !row.is_control()) {
        let id = caller.text("caller_id").unwrap_or_default();
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
            return Row::new(Speaker::Unknown);
        }
    };
    let mut row = Row::new(speaker);
    row.blocks = 1;
    if speaker == Speaker::Assistant && fields.id("id").is_some() {
        row.sort = Sort::Made;
    }
    read_said(fields, "content", view);
    row
}

/// Reads what a message or an output says: a string, or blocks.
fn read_said<'a>(fields: &Fields<'a>, field: &str, view: &mut View<'a>) {
    match fields.get(field) {
        None => view.flaw(field, Rule::MissingContent),
        Some(raw) if is_text(raw) => {}
        Some(raw) => match elements(raw) {
            Some(blocks) => check_blocks(&blocks, field, is_sound, view),
            None => view.flaw(field, Rule::MalformedBlock),
        },
    }
}

fn is_sound(kind: &str, block: &Fields<'_>) -> bool {
    match kind {
        "input_text" | "output_text" | "text" | "summary_text" => block.has_text("text"),
        "refusal" => block.has_text("refusal"),
        _ => true,
    }
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
    if let Some(input) = input.filter(|_| entry.fault.is_none())
        && !fields.has_text(input)
    {
        view.flaw(input, Rule::ArgumentsNotString);
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
            (Some(id), second) => {
                entry.place = Place::Whole("id");
                (Some(id), second)
            }
            (None, Some(second)) => (Some(second), None),
            (None, None) => {
                entry.place = Place::Whole("id");
                (None, None)
            }
        },
        _ => (fields.id(path), None),
    };
    if matches!(family, Family::Function | Family::Custom) {
        read_said(fields, "output", view);
    }
    entry.client = fields.text("execution").as_deref() == Some("client");
    entry.key = id.as_ref().map(|id| view.key(family, "", id.clone()));
    entry.second_key = second.map(|second| view.key(family, "", second));
    if id.is_none() && (family != Family::Search || entry.client) {
        entry.fault = Some(Rule::MalformedCall);
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
    let named = [
        (request.id("id"), "provider_data.id"),
        (fields.id("call_id"), "call_id"),
        (fields.id("id"), "id"),
    ];
    let named = named.into_iter().find_map(|(id, path)| Some((id?, path)));
    let (id, path) = named.map_or((None, "provider_data.id"), |(id, path)| (Some(id), path));
    let place = Place::Whole(path);
    let mut entry = Entry::new(view.rows.len(), place, Kind::Call, Family::Approval);
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

//! Gemini's contents.

use crate::conversation::entry::{Entry, Family, Kind, Place};
use crate::conversation::fields::{Fields, elements, is_text, text};
use crate::conversation::rule::Rule;
use crate::conversation::view::{Row, Speaker, View};

pub(super) fn read<'a>(fields: &Fields<'a>, view: &mut View<'a>) -> Row<'a> {
    let role = fields.get("role").map(text);
    let speaker = match &role {
        // A content without a role is the user's.
        None => Speaker::User,
        Some(Some(role)) if role == "user" => Speaker::User,
        Some(Some(role)) if role == "model" => Speaker::Assistant,
        // Older documents have results come from these.
        Some(Some(role)) if role == "function" || role == "tool" => Speaker::Tool,
        Some(_) => {
            view.flaw("role", Rule::UnknownRole);
            return Row::new(Speaker::Unknown);
        }
    };
    let mut row = Row::new(speaker);
    let Some(raw) = fields.get("parts") else {
        view.flaw("parts", Rule::MissingContent);
        return row;
    };
    let Some(parts) = elements(raw) else {
        view.flaw("parts", Rule::MalformedBlock);
        return row;
    };
    row.blocks = parts.len();
    if parts.is_empty() {
        view.flaw("parts", Rule::EmptyContent);
    }
    for (at, part) in parts.into_iter().enumerate() {
        read_part(part, at, speaker, view);
    }
    row
}

fn read_part<'a>(raw: &'a str, at: usize, speaker: Speaker, view: &mut View<'a>) {
    let path = || format!("parts[{at}]");
    let Some(part) = Fields::parse(raw) else {
        return view.flaw(path(), Rule::MalformedBlock);
    };
    let place = Place::Part(at);
    let row = view.rows.len();
    let signed = part
        .either("thoughtSignature", "thought_signature")
        .is_some();
    if let Some(call) = part.either("functionCall", "function_call") {
        let call = Fields::parse(call).unwrap_or_default();
        let (id, name) = (call.id("id"), call.id("name"));
        let mut entry = Entry::new(row, place, Kind::Call, Family::Tool);
        let args = call
            .get("args")
            .is_none_or(|args| Fields::parse(args).is_some());
        match &name {
            _ if speaker != Speaker::Assistant => entry.fault = Some(Rule::CallInWrongRole),
            Some(name) if args && id.is_some() == call.get("id").is_some() => {
                let named = view.key(Family::Named, "", name.clone());
                match &id {
                    Some(id) => {
                        entry.key = Some(view.key(Family::Tool, "", id.clone()));
                        entry.second_key = Some(named);
                    }
                    None => entry.key = Some(named),
                }
            }
            _ => entry.fault = Some(Rule::MalformedCall),
        }
        if id.is_none() {
            entry.family = Family::Named;
        }
        entry.signed = signed;
        entry.name.clone_from(&name);
        view.entries.push(entry.with_id(id.or(name)));
    } else if let Some(result) = part.either("functionResponse", "function_response") {
        let result = Fields::parse(result).unwrap_or_default();
        let (id, name) = (result.id("id"), result.id("name"));
        let mut entry = Entry::new(row, place, Kind::Result, Family::Tool);
        match &name {
            Some(name) if id.is_some() == result.get("id").is_some() => {
                let named = view.key(Family::Named, "", name.clone());
                if let Some(id) = &id {
                    entry.key = Some(view.key(Family::Tool, "", id.clone()));
                    entry.second_key = Some(named);
                } else {
                    entry.key = Some(named);
                    entry.family = Family::Named;
                }
                if result.object("response").is_none() {
                    view.flaw_in(path(), Rule::MalformedBlock);
                }
            }
            _ => entry.fault = Some(Rule::MalformedCall),
        }
        view.entries.push(entry.with_id(id.or(name)));
    } else {
        let is_text = part.get("text").is_none_or(is_text);
        let is_object = |name: &str, other: &str| {
            let data = part.either(name, other);
            data.is_none_or(|raw| Fields::parse(raw).is_some())
        };
        let is_data = is_object("inlineData", "inline_data") && is_object("fileData", "file_data");
        // A field that is null is none.
        let is_empty = part.iter().all(|(_, raw)| raw == "null");
        if is_empty || !is_text || !is_data {
            view.flaw(path(), Rule::MalformedBlock);
        }
        if part.get("thought") == Some("true") {
            let entry = Entry::new(row, place, Kind::Thinking, Family::Tool);
            view.entries.push(entry);
        }
    }
}

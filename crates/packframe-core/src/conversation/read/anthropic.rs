//! Anthropic's messages.

use super::chat::check_blocks;
use crate::conversation::entry::{Entry, Family, Kind, Place};
use crate::conversation::fields::{Fields, elements, is_text, text};
use crate::conversation::rule::Rule;
use crate::conversation::view::{Row, Speaker, View};

pub(super) fn read<'a>(fields: &Fields<'a>, view: &mut View<'a>) -> Row<'a> {
    let speaker = match fields.text("role").as_deref() {
        Some("user") => Speaker::User,
        Some("assistant") => Speaker::Assistant,
        _ => {
            view.flaw("role", Rule::UnknownRole);
            return Row::new(Speaker::Unknown);
        }
    };
    let mut row = Row::new(speaker);
    let Some(content) = fields.get("content") else {
        view.flaw("content", Rule::MissingContent);
        return row;
    };
    if let Some(said) = text(content) {
        row.blocks = 1;
        row.is_empty = said.is_empty();
        if said.trim().is_empty() {
            view.flaw("content", Rule::EmptyContent);
        }
        return row;
    }
    let Some(blocks) = elements(content) else {
        view.flaw("content", Rule::MalformedBlock);
        return row;
    };
    row.blocks = blocks.len();
    row.is_empty = blocks.is_empty();
    if row.is_empty {
        view.flaw("content", Rule::EmptyContent);
    }
    for (at, block) in blocks.into_iter().enumerate() {
        read_block(block, at, speaker, view);
    }
    row
}

fn read_block<'a>(raw: &'a str, at: usize, speaker: Speaker, view: &mut View<'a>) {
    let path = || format!("content[{at}]");
    let Some((block, kind)) = Fields::parse(raw).and_then(|block| {
        let kind = block.id("type")?;
        Some((block, kind))
    }) else {
        return view.flaw(path(), Rule::MalformedBlock);
    };
    let place = Place::Block(at);
    let row = view.rows.len();
    match &*kind {
        "text" => match block.text("text") {
            None => view.flaw(path(), Rule::MalformedBlock),
            Some(said) if said.trim().is_empty() => view.flaw(path(), Rule::EmptyContent),
            Some(_) => {}
        },
        "thinking" | "redacted_thinking" => {
            let is_sound = match &*kind {
                "thinking" => block
                    .text("thinking")
                    .and(block.text("signature"))
                    .is_some(),
                _ => block.has_text("data"),
            };
            if !is_sound {
                view.flaw(path(), Rule::MalformedBlock);
            }
            let entry = Entry::new(row, place, Kind::Thinking, Family::Tool);
            view.entries.push(entry);
        }
        "tool_use" | "server_tool_use" | "mcp_tool_use" => {
            let family = if kind == "tool_use" {
                Family::Tool
            } else {
                Family::Server
            };
            let id = block.id("id");
            let mut entry = Entry::new(row, place, Kind::Call, family);
            entry.name = if kind == "mcp_tool_use" {
                Some("mcp".into())
            } else {
                block.text("name")
            };
            let named = block.id("name").is_some();
            let input = block.object("input").is_some();
            match &id {
                _ if speaker != Speaker::Assistant => entry.fault = Some(Rule::CallInWrongRole),
                Some(id) if named && input => {
                    entry.key = Some(view.key(family, "", id.clone()));
                }
                _ => entry.fault = Some(Rule::MalformedCall),
            }
            view.entries.push(entry.with_id(id));
        }
        kind if kind == "tool_result" || kind.ends_with("_tool_result") => {
            let family = if kind == "tool_result" {
                Family::Tool
            } else {
                Family::Server
            };
            let id = block.id("tool_use_id");
            let mut entry = Entry::new(row, place, Kind::Result, family);
            match &id {
                Some(id) => entry.key = Some(view.key(family, "", id.clone())),
                None => entry.fault = Some(Rule::MalformedCall),
            }
            if family == Family::Tool {
                read_inner(&block, &path(), view);
            }
            view.entries.push(entry.with_id(id));
        }
        "image" | "document" if block.object("source").is_none() => {
            view.flaw(path(), Rule::MalformedBlock);
        }
        _ => {}
    }
}

/// Reads what a result holds: nothing, a string, or blocks.
fn read_inner<'a>(result: &Fields<'a>, path: &str, view: &mut View<'a>) {
    let Some(content) = result.get("content").filter(|raw| !is_text(raw)) else {
        return;
    };
    let path = format!("{path}.content");
    match elements(content) {
        Some(blocks) => {
            let before = view.flaws.len();
            check_blocks(&blocks, &path, is_sound, view);
            let entry = Some(view.entries.len());
            for flaw in &mut view.flaws[before..] {
                flaw.entry = entry;
            }
        }
        None => view.flaw_in(path, Rule::MalformedBlock),
    }
}

fn is_sound(kind: &str, block: &Fields<'_>) -> bool {
    match kind {
        "text" | "thinking" => block.has_text(kind),
        "redacted_thinking" => block.has_text("data"),
        "image" | "document" => block.object("source").is_some(),
        _ => true,
    }
}

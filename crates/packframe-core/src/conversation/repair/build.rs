//! Messages made anew: without what goes, with what moves and what is written.

use std::collections::BTreeMap;

use super::RepairedMessage;
use super::plan::{Act, Plan};
use crate::conversation::entry::{Entry, Family, Place};
use crate::conversation::fields::{Fields, elements, list, object, text};
use crate::conversation::format::Format;
use crate::conversation::links::Links;
use crate::conversation::view::View;

/// What is done to one message.
#[derive(Debug, Default)]
struct Edit {
    /// Blocks, or calls, that go.
    gone: Vec<usize>,
    /// Fields that go.
    fields: Vec<&'static str>,
    /// Blocks that come, each with the block that it stands before.
    comes: Vec<(usize, String)>,
}

/// What comes behind a message.
#[derive(Debug, Default)]
struct Behind {
    rows: Vec<usize>,
    blocks: Vec<String>,
    messages: Vec<String>,
}

/// Where a result goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Goal {
    /// Behind a message.
    Behind(usize),
    /// Into a message, before a block of it.
    Into(usize, usize),
}

impl Goal {
    const fn row(self) -> usize {
        match self {
            Self::Behind(row) | Self::Into(row, _) => row,
        }
    }
}

/// Makes the messages that a plan leaves, and says behind or into which message each result went,
/// a written one by its call. Linear.
pub(super) fn build<'m>(
    messages: &[RepairedMessage<'m>],
    view: &View<'_>,
    links: &Links,
    plan: &Plan,
) -> (Vec<RepairedMessage<'m>>, Vec<(usize, usize)>) {
    let mut build = Build {
        messages,
        view,
        links,
        plan,
        edits: BTreeMap::new(),
        behind: BTreeMap::new(),
        leaves: vec![false; messages.len()],
        targets: Vec::new(),
    };
    build.go();
    if matches!(view.format, Format::Anthropic | Format::Gemini) {
        build.place_blocks();
    } else {
        build.place_rows();
    }
    let Build {
        edits,
        behind,
        leaves,
        targets,
        ..
    } = build;
    let mut rebuilt: BTreeMap<usize, Option<String>> = edits
        .into_iter()
        .map(|(row, edit)| (row, edited(&messages[row].json, view.format, edit)))
        .collect();
    let mut made = Vec::with_capacity(messages.len());
    for (row, message) in messages.iter().enumerate() {
        if !leaves[row] {
            match rebuilt.remove(&row) {
                None => made.push(message.clone()),
                Some(None) => {}
                Some(Some(json)) => made.push(RepairedMessage {
                    json: json.into(),
                    is_changed: true,
                    plain: None,
                    ..message.clone()
                }),
            }
        }
        let Some(behind) = behind.get(&row) else {
            continue;
        };
        made.extend(behind.rows.iter().map(|row| messages[*row].clone()));
        let blocks = match behind.blocks.as_slice() {
            [] => None,
            blocks => Some(of_blocks(view.format, blocks)),
        };
        made.extend(
            behind
                .messages
                .iter()
                .cloned()
                .chain(blocks)
                .map(|json| RepairedMessage {
                    origin: None,
                    json: json.into(),
                    is_changed: true,
                    plain: None,
                }),
        );
    }
    (made, targets)
}

/// Makes a message of results only.
fn of_blocks(format: Format, blocks: &[String]) -> String {
    let content = list(blocks.iter().map(String::as_str));
    let field = if format == Format::Gemini {
        "parts"
    } else {
        "content"
    };
    object([("role", "\"user\""), (field, &content)])
}

struct Build<'a, 'b> {
    messages: &'a [RepairedMessage<'a>],
    view: &'a View<'b>,
    links: &'a Links,
    plan: &'a Plan,
    edits: BTreeMap<usize, Edit>,
    behind: BTreeMap<usize, Behind>,
    /// Whether a message does not stay where it is.
    leaves: Vec<bool>,
    targets: Vec<(usize, usize)>,
}

impl Build<'_, '_> {
    fn entry(&self, at: usize) -> &Entry<'_> {
        &self.view.entries[at]
    }

    /// Takes out what goes.
    fn go(&mut self) {
        for (at, act) in self.plan.acts.iter().enumerate() {
            if matches!(act, Act::Go(..)) {
                let (row, place) = (self.entry(at).row, self.entry(at).place);
                match place {
                    Place::Whole(_) => self.leaves[row] = true,
                    Place::Field(name) => self.edits.entry(row).or_default().fields.push(name),
                    Place::Call(at) | Place::Block(at) | Place::Part(at) => {
                        self.edits.entry(row).or_default().gone.push(at);
                    }
                }
            }
        }
    }

    /// Places what moves and what is written where a result is a message.
    fn place_rows(&mut self) {
        let is_chat = self.view.format == Format::OpenAiChat;
        // By the message, or the call, the last row that belongs to it and stays.
        let mut last: Vec<usize> = (0..self.view.entries.len())
            .map(|at| self.entry(at).row)
            .collect();
        let mut last_of_row: Vec<usize> = (0..self.view.rows.len()).collect();
        for at in 0..self.view.entries.len() {
            if self.plan.acts[at] != Act::Keep {
                continue;
            }
            let row = self.entry(at).row;
            if let Some(call) = self.links.call[at] {
                last[call] = last[call].max(row);
                let of = self.entry(call).row;
                last_of_row[of] = last_of_row[of].max(row);
            }
            let caller = self.links.call[at].unwrap_or(at);
            if let Some(program) = self.links.program[caller] {
                last[program] = last[program].max(row);
            }
        }
        let anchor = |at: usize| {
            if is_chat {
                last_of_row[self.view.entries[at].row]
            } else {
                last[at]
            }
        };
        for (at, act) in self.plan.acts.iter().enumerate() {
            if let Some(call) = self.links.call[at].filter(|_| *act == Act::Move) {
                let row = self.view.entries[at].row;
                self.leaves[row] = true;
                self.targets.push((at, anchor(call)));
                self.behind.entry(anchor(call)).or_default().rows.push(row);
            }
        }
        for (call, json) in &self.plan.written {
            self.targets.push((*call, anchor(*call)));
            let behind = self.behind.entry(anchor(*call)).or_default();
            behind.messages.push(json.clone());
        }
    }

    /// Places what moves and what is written where results are blocks.
    fn place_blocks(&mut self) {
        // Of each turn, the last result that stands behind it as it should: row and block.
        let mut front: Vec<Option<(usize, usize)>> = vec![None; self.links.turns.len()];
        for at in 0..self.view.entries.len() {
            let entry = self.entry(at);
            if let (Some(call), Some(block), Act::Keep) =
                (self.links.call[at], entry.place.block(), self.plan.acts[at])
                && entry.family != Family::Server
            {
                front[self.links.turn_of[self.entry(call).row]] = Some((entry.row, block));
            }
        }
        let mut at = 0;
        while at < self.view.entries.len() {
            let row = self.entry(at).row;
            let end = self.view.rows[row].entries.end;
            self.move_row(row, &front);
            at = end;
        }
        for (call, json) in &self.plan.written {
            let goal = self.goal(*call, None, &front);
            self.targets.push((*call, goal.row()));
            match goal {
                Goal::Behind(row) => {
                    self.behind
                        .entry(row)
                        .or_default()
                        .blocks
                        .push(json.clone());
                }
                Goal::Into(row, before) => {
                    let edit = self.edits.entry(row).or_default();
                    edit.comes.push((before, json.clone()));
                }
            }
        }
    }

    /// Moves what moves of one message: the message itself where nothing of it stays.
    fn move_row(&mut self, row: usize, front: &[Option<(usize, usize)>]) {
        let goals: Vec<(usize, Goal)> = self.view.rows[row]
            .entries
            .clone()
            .filter(|at| self.plan.acts[*at] == Act::Move)
            .filter_map(|at| {
                let call = self.links.call[at]?;
                Some((at, self.goal(call, Some(at), front)))
            })
            .collect();
        let Some(&(_, first)) = goals.first() else {
            return;
        };
        let targets = goals.iter().map(|(at, goal)| (*at, goal.row()));
        self.targets.extend(targets);
        let is_one = goals.iter().all(|(_, goal)| *goal == first);
        if let Goal::Behind(target) = first
            && is_one
            && goals.len() == self.view.rows[row].blocks
            && self.view.is_results_only(row)
        {
            self.leaves[row] = true;
            self.behind.entry(target).or_default().rows.push(row);
            return;
        }
        let blocks = blocks(&self.messages[row].json, self.view.format);
        for (at, goal) in goals {
            let Some(block) = self.entry(at).place.block() else {
                continue;
            };
            self.edits.entry(row).or_default().gone.push(block);
            let json = blocks.get(block).copied().unwrap_or("null").to_owned();
            match goal {
                Goal::Behind(target) => self.behind.entry(target).or_default().blocks.push(json),
                Goal::Into(target, before) => {
                    let edit = self.edits.entry(target).or_default();
                    edit.comes.push((before, json));
                }
            }
        }
    }

    /// Returns where a result of a call goes; a written one comes from nowhere.
    fn goal(&self, call: usize, result: Option<usize>, front: &[Option<(usize, usize)>]) -> Goal {
        let entry = self.entry(call);
        if entry.family == Family::Server {
            let behind = entry.place.block().map_or(0, |block| block + 1);
            return Goal::Into(entry.row, behind);
        }
        let turn = self.links.turn_of[entry.row];
        let model_end = self.links.turns[turn].rows.end;
        let from = result.map(|at| self.entry(at).row);
        match front[turn] {
            Some((row, _)) if self.view.format == Format::Gemini => Goal::Behind(row),
            None if self.view.format == Format::Gemini => Goal::Behind(model_end - 1),
            Some((row, block)) => Goal::Into(row, block + 1),
            None if from == Some(model_end) && !self.is_all_moved(model_end) => {
                Goal::Into(model_end, 0)
            }
            None => Goal::Behind(model_end - 1),
        }
    }

    fn is_all_moved(&self, row: usize) -> bool {
        let moved = self.view.rows[row]
            .entries
            .clone()
            .filter(|at| self.plan.acts[*at] == Act::Move)
            .count();
        moved == self.view.rows[row].blocks
    }
}

/// Returns the blocks of a message, as they are written.
fn blocks(json: &str, format: Format) -> Vec<&str> {
    let name = if format == Format::Gemini {
        "parts"
    } else {
        "content"
    };
    let fields = Fields::parse(json).unwrap_or_default();
    fields.get(name).and_then(elements).unwrap_or_default()
}

/// Makes a message anew; nothing where nothing of it is left.
fn edited(json: &str, format: Format, mut edit: Edit) -> Option<String> {
    edit.gone.sort_unstable();
    edit.comes.sort_by_key(|(before, _)| *before);
    let fields = Fields::parse(json)?;
    let name = match format {
        Format::Gemini => "parts",
        Format::Anthropic => "content",
        _ => "tool_calls",
    };
    let old = fields.get(name).and_then(elements).unwrap_or_default();
    let mut made: Vec<&str> = Vec::with_capacity(old.len());
    let mut comes = edit.comes.iter().peekable();
    for (at, block) in old.iter().enumerate() {
        while let Some((_, json)) = comes.next_if(|(before, _)| *before <= at) {
            made.push(json);
        }
        if edit.gone.binary_search(&at).is_err() {
            made.push(block);
        }
    }
    made.extend(comes.map(|(_, json)| json.as_str()));
    let is_chat = format == Format::OpenAiChat;
    let without =
        |field: &str| edit.fields.contains(&field) || (is_chat && field == name && made.is_empty());
    let is_empty = if is_chat {
        let says = |field: &str| {
            let raw = fields.get(field).filter(|_| !without(field));
            raw.is_some_and(|raw| raw != "[]" && text(raw).is_none_or(|text| !text.is_empty()))
        };
        let calls = made.is_empty() || without(name);
        calls
            && !["content", "function_call", "refusal", "audio"]
                .into_iter()
                .any(says)
    } else {
        made.is_empty()
    };
    if is_empty {
        return None;
    }
    let content = list(made.iter().copied());
    let kept = fields.iter().filter(|(field, _)| !without(field));
    let is_rebuilt = !edit.gone.is_empty() || !edit.comes.is_empty();
    Some(object(kept.map(|(field, raw)| {
        if field == name && is_rebuilt {
            (field, content.as_str())
        } else {
            (field, raw)
        }
    })))
}

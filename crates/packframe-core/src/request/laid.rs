//! The parts of a request as one frame, with the sections and the order of the rendering.

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;
use std::sync::Arc;

use foldhash::fast::FixedState;

use super::parts::{Request, data_name, message};
use super::template::{Slice, slices};
use crate::content::Content;
use crate::conversation::{
    Format, Message, MessageFacts, RepairOptions, Repaired, RepairedMessage, Severity, repair_given,
};
use crate::error::{Error, Problem};
use crate::frame::{Frame, FrameBuilder};
use crate::item::{Item, ItemSpec};
use crate::pack::{Expected, Merged, PackOptions, Planned};
use crate::section::{DropRule, Section};
use crate::word::{Layout, Render, Retention, Role, Sensitivity, Trust};

/// What stands between two parts of the system text.
const JOINER: &str = "\n\n";

/// What a row of the frame is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// The system text, or a piece of it.
    System,
    /// An item of a section of the context, by the place of both.
    Context(usize, usize),
    /// The instructions of a data block.
    Instructions(usize),
    /// The records of a data block.
    Records(usize),
    /// A message of the history, by its position; none for one that a repair wrote.
    History(Option<usize>),
    /// A message of the final, by its position.
    Final(Option<usize>),
}

/// The frame of a request.
#[derive(Debug, Clone)]
pub(super) struct Laid {
    pub(super) frame: Arc<Frame>,
    /// Of each row, what it is.
    pub(super) parts: Vec<Part>,
    sections: Vec<Section>,
    merged: Option<Merged>,
    joiner: &'static str,
    /// The rows of history and final.
    pub(super) talk: Range<usize>,
    /// Of each of them, what is known.
    pub(super) facts: Vec<MessageFacts>,
    /// Of each of them, the first of its group, counted from the first.
    pub(super) groups: Vec<usize>,
    pub(super) planned: Planned,
}

impl Laid {
    /// Lays the parts of a request in a row. Linear.
    ///
    /// # Errors
    ///
    /// `InvalidMessages` for messages that no repair mends; `InvalidItem` for ids that come twice;
    /// `InvalidOption` for a template that does not name its sections once.
    pub(super) fn of(request: &Request) -> Result<Self, Error> {
        let repaired = repaired(request)?;
        let mut laying = Laying::new(request);
        laying.system_and_context()?;
        laying.data()?;
        laying.talk(&repaired);
        laying.finish(repaired)
    }

    /// Completes the options of a pack.
    pub(super) fn options(&self, given: &PackOptions, fixed: u64) -> PackOptions {
        PackOptions {
            render: Some(Render::Messages),
            layout: Layout::Section,
            separator: self.joiner.to_owned(),
            labels: false,
            sections: self.sections.clone(),
            merged: self.merged,
            fixed,
            planned: Some(Arc::new(self.planned.clone())),
            ..given.clone()
        }
    }

    /// Says whether a row is a part of the merged text.
    pub(super) fn is_merged(&self, row: usize) -> bool {
        let merged = self.merged.map_or(0, |merged| merged.sections);
        let name = self.frame.section(row);
        self.sections[..merged]
            .iter()
            .any(|section| Some(&section.name) == name)
    }

    /// Returns the role of the merged message.
    pub(super) fn merged_role(&self) -> Option<Role> {
        self.merged.map(|merged| merged.role)
    }

    /// Puts another content in a row.
    pub(super) fn replace(&mut self, row: usize, content: Arc<Content>) {
        let frame = Arc::make_mut(&mut self.frame);
        Arc::make_mut(&mut frame.contents)[row] = content;
    }

    /// Returns the position of a message in history and final; of one that a repair wrote, that of
    /// the one before it.
    pub(super) fn position(&self, request: &Request, row: usize) -> usize {
        let before = self.parts[..=row].iter().rev();
        let position = |part: &Part| match part {
            Part::History(position) => *position,
            Part::Final(position) => position.map(|at| request.history.len() + at),
            _ => None,
        };
        before.into_iter().find_map(position).unwrap_or(0)
    }

    /// Leaves a row out, alone: what lives or dies with it does so without it.
    pub(super) fn leave_out(&mut self, row: usize, reason: &'static str) {
        let frame = Arc::make_mut(&mut self.frame);
        Arc::make_mut(&mut frame.retentions)[row] = Retention::Optional;
        if let Some(groups) = &mut frame.groups {
            Arc::make_mut(groups)[row] = None;
        }
        self.planned.out.push((row, reason));
    }

    /// Returns the rows of history and final that are required.
    pub(super) fn required_rows(&self) -> Vec<usize> {
        let rows = self.talk.clone();
        rows.filter(|&row| self.frame.retention(row) == Retention::Required)
            .collect()
    }

    /// Makes rows required.
    pub(super) fn require(&mut self, rows: &[usize]) {
        let frame = Arc::make_mut(&mut self.frame);
        let retentions = Arc::make_mut(&mut frame.retentions);
        for &row in rows {
            retentions[row] = Retention::Required;
            self.planned.held.insert(row);
        }
    }
}

/// Repairs history and final as one list.
fn repaired(request: &Request) -> Result<Repaired<'_>, Error> {
    let options = RepairOptions {
        mode: request.repair,
        abandoned: request.abandoned.iter().map(|id| &**id).collect(),
        allow_pending: request.allow_pending,
        final_from: request.history.len(),
        model: request.model.as_deref(),
    };
    let given = request.history.given().chain(request.r#final.given());
    let repaired = repair_given(given, request.format, &options)?;
    // What may not come first is left out later; what may not come last is what was said last.
    let last: Vec<Problem> = repaired
        .problems
        .iter()
        .filter(|problem| problem.rule == "last_role")
        .map(|problem| Problem {
            position: repaired.messages[problem.position]
                .origin
                .unwrap_or(problem.position),
            path: problem.path.clone(),
            rule: problem.rule,
            id: None,
        })
        .collect();
    if last.is_empty() {
        Ok(repaired)
    } else {
        Err(Error::invalid_messages(last))
    }
}

/// A frame while it is being laid.
struct Laying<'a> {
    request: &'a Request,
    builder: FrameBuilder,
    parts: Vec<Part>,
    sections: Vec<Section>,
    merged: Option<Merged>,
    joiner: &'static str,
    planned: Planned,
    groups: Vec<usize>,
}

impl<'a> Laying<'a> {
    fn new(request: &'a Request) -> Self {
        let rows = request.history.len() + request.r#final.len() + 8;
        Self {
            request,
            builder: FrameBuilder::with_capacity(rows),
            parts: Vec::with_capacity(rows),
            sections: Vec::new(),
            merged: None,
            joiner: JOINER,
            planned: Planned {
                has_tools: request.tools.is_some(),
                has_reply: request.response_format.is_some(),
                messages: match (request.only_context, request.format) {
                    (true, _) => Expected::None,
                    (false, Format::OpenAiChat) => Expected::Any,
                    (false, _) => Expected::Said,
                },
                ..Planned::default()
            },
            groups: Vec::new(),
        }
    }

    fn push(&mut self, part: Part, item: &Item) {
        if item.retention == Retention::Required && !matches!(part, Part::Context(..)) {
            self.planned.held.insert(self.parts.len());
        }
        self.parts.push(part);
        self.builder.push(item);
    }

    fn required(
        &mut self,
        part: Part,
        section: &Arc<str>,
        role: Role,
        content: Content,
    ) -> Result<(), Error> {
        let item = Item::new(ItemSpec {
            role,
            retention: Retention::Required,
            section: Some(Arc::clone(section)),
            ..ItemSpec::of(Arc::new(content))
        })?;
        self.push(part, &item);
        Ok(())
    }

    /// Declares a section of required parts.
    fn plain_section(&mut self, name: &str) -> Arc<str> {
        let section = Section {
            drop: DropRule::LowestScore,
            ..Section::new(name)
        };
        let name = Arc::clone(&section.name);
        self.sections.push(section);
        name
    }

    fn system_and_context(&mut self) -> Result<(), Error> {
        let request = self.request;
        let system = request.system.as_deref().unwrap_or("");
        let sliced = slices(system, request)?;
        let is_template = sliced.iter().any(|slice| matches!(slice, Slice::Slot(_)));
        if request.context_is_user {
            for place in 0..request.context.len() {
                self.context(place);
            }
            self.merge(Role::User);
            self.beside()?;
            return Ok(());
        }
        for (at, slice) in sliced.iter().enumerate() {
            match slice {
                Slice::Text(text) => {
                    let name = match at {
                        0 => "system".to_owned(),
                        _ => format!("system:{at}"),
                    };
                    let name = self.plain_section(&name);
                    self.required(Part::System, &name, Role::System, Content::text(*text))?;
                }
                Slice::Slot(place) => self.context(*place),
            }
        }
        if is_template {
            self.joiner = "";
        } else {
            for place in 0..request.context.len() {
                self.context(place);
            }
        }
        if !request.has_system_messages() {
            for (block, data) in request.data.iter().enumerate() {
                // The template says what stands before and behind its sections; instructions stand
                // apart.
                let gap = if self.joiner.is_empty() { JOINER } else { "" };
                let text = format!("{gap}{}", data.instructions);
                let name = self.plain_section(&format!("{}:instructions", data_name(&data.name)));
                let part = Part::Instructions(block);
                self.required(part, &name, Role::System, Content::text(text))?;
            }
        }
        self.merge(Role::System);
        Ok(())
    }

    fn merge(&mut self, role: Role) {
        let sections = self.sections.len();
        self.merged = (sections > 0).then_some(Merged { role, sections });
    }

    /// Puts the system text in a message of its own; where the format has no system messages, with
    /// the instructions of data blocks behind it.
    fn beside(&mut self) -> Result<(), Error> {
        let request = self.request;
        let mut texts: Vec<&str> = request.system.as_deref().into_iter().collect();
        if !request.has_system_messages() {
            texts.extend(request.data.iter().map(|data| &*data.instructions));
        }
        texts.retain(|text| !text.is_empty());
        if texts.is_empty() {
            return Ok(());
        }
        let name = self.plain_section("system");
        self.planned.before_merged = 1;
        let content = Content::text(texts.join(JOINER));
        self.required(Part::System, &name, Role::System, content)
    }

    fn context(&mut self, place: usize) {
        let section = &self.request.context[place];
        let own = section.rules.priority;
        let priority = self.request.priority(&section.rules.name, own);
        self.sections
            .push(section.resolved(priority.unwrap_or(own)));
        for (at, item) in section.items.iter().enumerate() {
            let part = Part::Context(place, at);
            if priority.is_some() {
                self.push(part, item);
                continue;
            }
            self.planned.out.push((self.parts.len(), "not_prioritised"));
            let mut item = item.clone();
            item.retention = Retention::Optional;
            item.pinned = false;
            self.push(part, &item);
        }
    }

    fn data(&mut self) -> Result<(), Error> {
        let request = self.request;
        for (block, data) in request.data.iter().enumerate() {
            let name = self.plain_section(&data_name(&data.name));
            if request.has_system_messages() && !data.instructions.is_empty() {
                let content = Content::text(&*data.instructions);
                self.required(Part::Instructions(block), &name, Role::System, content)?;
            }
            let json = message(request.format, Role::User, &data.records);
            let read = Message::of_list(request.format, Role::User);
            let content = Content::message(read, json);
            self.required(Part::Records(block), &name, Role::User, content)?;
        }
        Ok(())
    }

    fn talk(&mut self, repaired: &Repaired<'_>) {
        let request = self.request;
        let conversation = &repaired.conversation;
        self.groups = if request.by_turn {
            conversation.groups_by_turn()
        } else {
            let facts = conversation.messages.iter();
            facts.map(|facts| facts.group).collect()
        };
        let history_len = request.history.len();
        let is_final: Vec<bool> = final_rows(repaired, history_len);
        let needed: HashSet<usize, FixedState> = (0..is_final.len())
            .filter(|&row| is_final[row])
            .map(|row| self.groups[row])
            .collect();
        let mut sizes = vec![0_usize; is_final.len()];
        for &group in &self.groups {
            sizes[group] += 1;
        }
        let priority = request.priority("history", 0.0);
        let history: Arc<str> = "history".into();
        let last: Arc<str> = "final".into();
        self.sections.push(Section {
            priority: priority.unwrap_or(0.0),
            drop: if request.gaps {
                DropRule::LowestScore
            } else {
                DropRule::Oldest
            },
            ..Section::new(Arc::clone(&history))
        });
        if !request.gaps {
            self.planned.strict = Some(Arc::clone(&history));
        }
        self.plain_section("final");
        let count = is_final.len();
        for (at, given) in repaired.messages.iter().enumerate() {
            let facts = &conversation.messages[at];
            let group = self.groups[at];
            let is_needed = needed.contains(&group);
            let is_out = !is_needed && priority.is_none();
            let row = self.parts.len();
            if is_out {
                self.planned.out.push((row, "not_prioritised"));
            }
            if given.is_changed {
                self.planned.repaired.insert(row);
            }
            let required = is_needed || (facts.protection.is_some() && !is_out);
            let tied = sizes[group] > 1 && !is_needed;
            #[expect(
                clippy::cast_precision_loss,
                reason = "a position only needs to keep its order"
            )]
            let score = (at + 1) as f64 / count as f64;
            // What an item is checked for holds here: the list was.
            let item = Item {
                content: self.content(given, facts.role),
                id: None,
                section: Some(Arc::clone(if is_final[at] { &last } else { &history })),
                group: tied.then(|| format!("history[{group}]").into()),
                extra: None,
                score,
                priority: 0.0,
                role: facts.role,
                retention: if required {
                    Retention::Required
                } else {
                    Retention::Optional
                },
                trust: Trust::Untrusted,
                sensitivity: Sensitivity::Public,
                pinned: false,
            };
            let part = match given.origin {
                Some(row) if row >= history_len => Part::Final(Some(row - history_len)),
                None if is_final[at] => Part::Final(None),
                origin => Part::History(origin),
            };
            self.push(part, &item);
        }
        self.planned.repairs.clone_from(&repaired.repairs);
        let start = self.parts.len() - repaired.messages.len();
        let left = repaired.problems.iter();
        let waits = left.filter(|problem| problem.severity == Severity::Pending);
        self.planned.pending = waits.map(|problem| start + problem.position).collect();
    }

    /// Returns the content of a message: the one that was given, where no repair changed it.
    fn content(&self, message: &RepairedMessage<'_>, role: Role) -> Arc<Content> {
        if let Some(row) = message.origin.filter(|_| !message.is_changed) {
            let history = self.request.history.contents();
            let given = match row.checked_sub(history.len()) {
                None => &history[row],
                Some(row) => &self.request.r#final.contents()[row],
            };
            if let Some(read) = given.as_message().filter(|_| !message.is_plain()) {
                read.settle(role);
            }
            return Arc::clone(given);
        }
        let read = Message::of_list(self.request.format, role);
        Arc::new(Content::message(read, &*message.json))
    }

    fn finish(self, repaired: Repaired<'_>) -> Result<Laid, Error> {
        let count = repaired.messages.len();
        let rows = self.parts.len();
        Ok(Laid {
            frame: Arc::new(self.builder.finish()?),
            parts: self.parts,
            sections: self.sections,
            merged: self.merged,
            joiner: self.joiner,
            talk: rows - count..rows,
            facts: repaired.conversation.messages,
            groups: self.groups,
            planned: self.planned,
        })
    }
}

/// Says of each message whether it stands in the final: also one that a repair wrote there, or moved
/// there from the history.
fn final_rows(repaired: &Repaired<'_>, history: usize) -> Vec<bool> {
    let mut is_final = false;
    repaired
        .messages
        .iter()
        .map(|message| {
            is_final |= message.origin.is_some_and(|row| row >= history);
            is_final
        })
        .collect()
}

/// Returns the rows of a set, in order.
pub(super) fn sorted(rows: impl IntoIterator<Item = usize>) -> Vec<usize> {
    rows.into_iter()
        .collect::<BTreeSet<usize>>()
        .into_iter()
        .collect()
}

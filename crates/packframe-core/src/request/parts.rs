//! The parts of a request, as the caller gives them.

use super::talk::Talk;
use crate::conversation::{Format, MOST_MARKS, RepairMode, Shorten, marked_tools};
use crate::error::{Error, Problem};
use crate::item::Item;
use crate::key::Key;
use crate::profile::TokenProfile;
pub(super) use crate::rendering::message;
use crate::section::{DropRule, Section};
use crate::word::Role;

/// Names of the parts of a request that no section of the context may have.
const TAKEN: [&str; 4] = ["system", "tools", "history", "final"];

/// A section of the context with its items.
#[derive(Debug, Clone)]
pub struct ContextSection {
    /// Its rules.
    pub rules: Section,
    /// Whether the caller said what happens to what does not fit.
    pub drop_given: bool,
    /// Its items, in order; each names the section.
    pub items: Vec<Item>,
}

/// Fixed instructions and one message of records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataBlock {
    /// Its name.
    pub name: String,
    /// What the model is told about the records.
    pub instructions: String,
    /// The records, as compact JSON.
    pub records: String,
}

/// A whole provider call: what there is to send, and by which rules it is chosen from.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option")]
pub struct Request {
    /// The format of the messages.
    pub format: Format,
    /// What the model is told first; `{name}` is the place of a section of the context.
    pub system: Option<String>,
    /// The tools, as compact JSON.
    pub tools: Option<String>,
    /// Which of the tools may be called, as compact JSON.
    pub tool_choice: Option<String>,
    /// The format of the reply, as compact JSON.
    pub response_format: Option<String>,
    /// The sections of the context, in the order of the rendering.
    pub context: Vec<ContextSection>,
    /// Whether the context is a message of the user's; else it is a part of the system text.
    pub context_is_user: bool,
    /// Blocks of data.
    pub data: Vec<DataBlock>,
    /// The conversation until now.
    pub history: Talk,
    /// What is answered.
    pub r#final: Talk,
    /// The names of the sections that choose first, in order.
    pub priorities: Vec<String>,
    /// Whether older history may come in behind what did not fit.
    pub gaps: bool,
    /// Whether whole turns live or die together.
    pub by_turn: bool,
    /// What is done about calls without results.
    pub repair: RepairMode,
    /// Ids of calls that nobody waits for.
    pub abandoned: Vec<String>,
    /// Whether every call without a result may wait for one.
    pub allow_pending: bool,
    /// Whether only system text and context are planned, so that no message is expected.
    pub only_context: bool,
    /// The model, for what only some models refuse.
    pub model: Option<String>,
    /// The secret of references to sources.
    pub trace_key: Option<Key>,
    /// What may be shortened before anything is left out, in this order.
    pub shorten: Vec<Shorten>,
}

impl Request {
    /// The names that `priorities` has where the caller says nothing.
    pub const PRIORITIES: [&'static str; 4] = ["profile", "session", "rag", "history"];

    /// Starts a request of nothing.
    #[must_use]
    pub fn new(format: Format) -> Self {
        Self {
            format,
            system: None,
            tools: None,
            tool_choice: None,
            response_format: None,
            context: Vec::new(),
            context_is_user: false,
            data: Vec::new(),
            history: Talk::default(),
            r#final: Talk::default(),
            priorities: Self::PRIORITIES.map(str::to_owned).into(),
            gaps: false,
            by_turn: false,
            repair: RepairMode::Drop,
            abandoned: Vec::new(),
            allow_pending: false,
            only_context: false,
            model: None,
            trace_key: None,
            shorten: Vec::new(),
        }
    }

    /// Returns the request of the next turn: the final is history, and behind it stand more messages,
    /// the last so many of them as the new final.
    #[must_use]
    pub fn extended(&self, more: &Talk, finals: usize) -> Self {
        let (more, last) = more.split(finals);
        Self {
            history: self.history.followed_by(&self.r#final).followed_by(&more),
            r#final: last,
            ..self.clone()
        }
    }

    /// Returns what a user says as a message, as JSON.
    #[must_use]
    pub fn of_user(&self, text: &str) -> String {
        message(self.format, Role::User, text)
    }

    /// Returns where the text of such a message stands in it.
    #[must_use]
    pub fn path_of_user(&self) -> &'static str {
        match self.format {
            Format::Gemini => "parts[0].text",
            _ => "content",
        }
    }

    /// Returns the request without tools, data, history and final.
    #[must_use]
    pub fn context_only(&self) -> Self {
        Self {
            tools: None,
            tool_choice: None,
            response_format: None,
            data: Vec::new(),
            history: Talk::default(),
            r#final: Talk::default(),
            only_context: true,
            ..self.clone()
        }
    }

    /// Says whether the format has system messages among its messages.
    pub(super) fn has_system_messages(&self) -> bool {
        matches!(self.format, Format::OpenAiChat | Format::OpenAiResponses)
    }

    /// Checks the names of sections and data blocks.
    ///
    /// # Errors
    ///
    /// `InvalidOption` for a name that is a part's own, or comes twice.
    pub(super) fn check(&self) -> Result<(), Error> {
        let mut taken: Vec<String> = TAKEN.map(str::to_owned).into();
        let names = self.data.iter().map(|block| ("data", &*block.name));
        let sections = self.context.iter();
        let sections = sections.map(|section| ("context", &*section.rules.name));
        for (option, name) in names.chain(sections) {
            let shown = crate::printable::quoted(name);
            if name.is_empty() {
                let remedy = Some("a name");
                return Err(Error::invalid_option(option, shown, "is empty", remedy));
            }
            let owned = match option {
                "data" => data_name(name),
                _ => name.to_owned(),
            };
            if taken.contains(&owned) {
                let problem = "is the name of two parts of the request";
                let remedy = Some("a name of its own for each");
                return Err(Error::invalid_option(option, shown, problem, remedy));
            }
            taken.push(owned);
        }
        let marks = self.marked_tools();
        if marks > MOST_MARKS {
            let problem = "have more cache marks than a call may have";
            let remedy = format!("at most {MOST_MARKS}: the last one keeps them all");
            let shown = format!("with {marks} marks");
            return Err(Error::invalid_option(
                "tools",
                shown,
                problem,
                Some(&remedy),
            ));
        }
        for (at, name) in self.priorities.iter().enumerate() {
            if self.priorities[..at].contains(name) {
                let shown = crate::printable::quoted(name);
                let remedy = Some("each name once");
                return Err(Error::invalid_option(
                    "priorities",
                    shown,
                    "comes twice",
                    remedy,
                ));
            }
        }
        Ok(())
    }

    /// Checks that the final says something, where the provider takes nothing else. What it refuses
    /// in any message, [`validate_messages`](crate::validate_messages) refuses.
    ///
    /// # Errors
    ///
    /// `InvalidMessages` with the rule `empty_content`.
    pub(super) fn check_final(&self) -> Result<(), Error> {
        if self.format != Format::Gemini {
            return Ok(());
        }
        let last = self.r#final.contents().iter().enumerate();
        let blank = last.filter(|(_, content)| content.is_blank());
        let problems: Vec<Problem> = blank
            .map(|(at, _)| Problem {
                position: self.history.len() + at,
                path: "parts".to_owned(),
                rule: "empty_content",
                id: None,
            })
            .collect();
        if problems.is_empty() {
            Ok(())
        } else {
            Err(Error::invalid_messages(problems))
        }
    }

    /// Returns how many tools have a cache mark of Anthropic's.
    pub(super) fn marked_tools(&self) -> usize {
        let tools = self.tools.as_deref();
        let tools = tools.filter(|_| self.format == Format::Anthropic);
        tools.map_or(0, marked_tools)
    }

    /// Checks that a profile can count the format.
    ///
    /// # Errors
    ///
    /// `InvalidOption` where it renders conversations and the format is not that of its messages.
    pub(super) fn check_profile(&self, profile: &TokenProfile) -> Result<(), Error> {
        if !profile.counts_exactly() || self.format == Format::OpenAiChat {
            return Ok(());
        }
        Err(Error::invalid_option(
            "token_profile",
            crate::printable::quoted(profile.id()),
            format!(
                "renders openai-chat, and the format is {}",
                self.format.as_str()
            ),
            Some("a profile of the provider's, or messages converted to openai-chat"),
        ))
    }

    /// Returns the priority of a section, or nothing where it is not rendered: that of its place in
    /// the priorities, counted from the end and from 1; else its own.
    pub(super) fn priority(&self, name: &str, own: f64) -> Option<f64> {
        match self.priorities.iter().position(|known| known == name) {
            Some(place) => u32::try_from(self.priorities.len() - place)
                .ok()
                .map(f64::from),
            None if Self::PRIORITIES.contains(&name) => None,
            None => Some(own),
        }
    }
}

impl ContextSection {
    /// Returns the rules of the section in a request: what the caller left open is decided by the
    /// name.
    pub(super) fn resolved(&self, priority: f64) -> Section {
        let mut rules = self.rules.clone();
        rules.priority = priority;
        if !self.drop_given {
            match &*rules.name {
                "profile" => {
                    rules.drop = DropRule::AllOrNothing;
                    rules.required = rules.required.or(Some(false));
                }
                "session" | "rag" => rules.drop = DropRule::CutThenStop,
                _ => {}
            }
        }
        rules
    }
}

/// Returns the name of the section of a data block.
pub(super) fn data_name(name: &str) -> String {
    format!("{name}_data")
}

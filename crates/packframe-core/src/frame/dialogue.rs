//! The messages of a frame as the conversation that they are.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use super::Frame;
use crate::conversation::{
    Conversation, Format, Message, MessageFacts, MessageProblem, MessageRepair, Severity, id_at,
    look,
};
use crate::error::{Error, Problem};
use crate::once::once;
use crate::word::Role;

/// What makes the messages of a frame a conversation, of which packing keeps the newest.
#[derive(Debug, Clone, PartialEq)]
pub struct Dialogue {
    /// The format of the messages.
    pub format: Format,
    /// Whether every call without a result may wait for one.
    pub allow_pending: bool,
    /// Whether whole turns live or die together.
    pub by_turn: bool,
    /// How many messages were given.
    pub given: usize,
    /// What was repaired, by the positions of what was given.
    pub repairs: Arc<[MessageRepair]>,
    /// The rows whose messages were rebuilt by a repair, in order.
    pub rebuilt: Vec<usize>,
}

/// What is known about the messages of a frame, in the order of their rows.
#[derive(Debug, Default)]
pub(crate) struct Said {
    /// The row of each; plain items count as messages of their roles.
    pub(crate) rows: Vec<usize>,
    /// What is known of each.
    pub(crate) facts: Vec<MessageFacts>,
    /// Of each, the first that it lives or dies with.
    pub(crate) groups: Vec<usize>,
    /// What a provider would refuse them for, but for what stands first: that is a matter of what
    /// is kept.
    problems: Vec<Problem>,
}

/// What is known about the messages of a frame, found when it is first asked for.
pub(super) type Saying = Arc<OnceLock<Said>>;

impl Dialogue {
    /// Returns it for other rows: each is given with its new place.
    pub(super) fn moved(&self, place: impl Fn(usize) -> Option<usize>) -> Self {
        let mut rebuilt: Vec<usize> = self.rebuilt.iter().filter_map(|&row| place(row)).collect();
        rebuilt.sort_unstable();
        Self {
            rebuilt,
            ..self.clone()
        }
    }

    /// Returns the conversation of this one and another behind it, whose rows start at `offset`.
    ///
    /// # Errors
    ///
    /// `InvalidOption` for messages of two formats.
    fn with(&self, other: &Self, offset: usize) -> Result<Self, Error> {
        if self.format != other.format {
            let problem = format!(
                "is not {}, the format of the rows before",
                self.format.as_str()
            );
            let remedy = Some("pf.convert_messages, for one of both");
            let shown = format!("'{}'", other.format.as_str());
            return Err(Error::invalid_option("format", shown, problem, remedy));
        }
        let mut joined = self.clone();
        joined.allow_pending |= other.allow_pending;
        joined.by_turn |= other.by_turn;
        let rebuilt = other.rebuilt.iter().map(|row| row + offset);
        joined.rebuilt.extend(rebuilt);
        // Parts of one list that are put together again were repaired once.
        if !Arc::ptr_eq(&self.repairs, &other.repairs) {
            joined.given += other.given;
            let behind = other.repairs.iter().cloned().map(|repair| MessageRepair {
                row: repair.row + self.given,
                to_row: repair.to_row.map(|row| row + self.given),
                ..repair
            });
            joined.repairs = self.repairs.iter().cloned().chain(behind).collect();
        }
        Ok(joined)
    }

    /// Returns what two frames, one behind the other, are together.
    ///
    /// # Errors
    ///
    /// `InvalidOption` for messages of two formats.
    pub(super) fn joined(
        one: Option<&Arc<Self>>,
        other: Option<&Arc<Self>>,
        offset: usize,
    ) -> Result<Option<Arc<Self>>, Error> {
        Ok(match (one, other) {
            (Some(one), Some(other)) => Some(Arc::new(one.with(other, offset)?)),
            (Some(one), None) => Some(Arc::clone(one)),
            (None, Some(other)) => Some(Arc::new(other.moved(|row| Some(row + offset)))),
            (None, None) => None,
        })
    }
}

impl Said {
    /// Takes what is known of messages that stand in the first rows of a frame.
    pub(crate) fn new(conversation: Conversation, by_turn: bool) -> Self {
        let groups = if by_turn {
            conversation.groups_by_turn()
        } else {
            let facts = conversation.messages.iter();
            facts.map(|facts| facts.group).collect()
        };
        Self {
            rows: (0..groups.len()).collect(),
            facts: conversation.messages,
            groups,
            problems: Vec::new(),
        }
    }

    /// Looks at the messages of a frame. Linear in them.
    fn of(frame: &Frame) -> Self {
        let Some(format) = frame.format() else {
            return Self::default();
        };
        let (mut rows, mut texts) = (Vec::new(), Vec::new());
        for row in 0..frame.len() {
            if let Some(text) = frame.said_in(row, format) {
                rows.push(row);
                texts.push(text);
            }
        }
        let dialogue = frame.dialogue.as_deref();
        let looked = look(
            &texts,
            format,
            dialogue.is_some_and(|dialogue| dialogue.allow_pending),
        );
        let by_turn = dialogue.is_some_and(|dialogue| dialogue.by_turn);
        let mut said = Self::new(looked.conversation, by_turn);
        let refused = looked.problems.into_iter().filter(is_about_the_list);
        said.problems = refused
            .map(|problem| Problem {
                id: id_at(texts[problem.position].as_ref(), &problem.path),
                position: rows[problem.position],
                path: problem.path,
                rule: problem.rule,
            })
            .collect();
        for (facts, &row) in said.facts.iter_mut().zip(&rows) {
            facts.is_user &= frame.content(row).as_message().is_some();
        }
        said.rows = rows;
        said
    }
}

/// Says whether a provider refuses a list for something in its midst.
fn is_about_the_list(problem: &MessageProblem) -> bool {
    problem.severity == Severity::Refused && !["first_role", "last_role"].contains(&problem.rule)
}

impl Frame {
    /// Returns what makes its messages a conversation, or nothing where they are none.
    #[must_use]
    pub fn dialogue(&self) -> Option<&Dialogue> {
        self.dialogue.as_deref()
    }

    /// Returns the frame as a conversation.
    #[must_use]
    pub fn with_dialogue(self, dialogue: Dialogue) -> Self {
        Self {
            dialogue: Some(Arc::new(dialogue)),
            said: Saying::default(),
            ..self
        }
    }

    /// The same, with what is known of all of its rows.
    pub(crate) fn with_said(self, dialogue: Dialogue, said: Said) -> Self {
        Self {
            said: Arc::new(OnceLock::from(said)),
            ..self.with_dialogue(dialogue)
        }
    }

    /// Returns the format of its messages: that of the conversation, else of the first message.
    #[must_use]
    pub fn format(&self) -> Option<Format> {
        if let Some(dialogue) = &self.dialogue {
            return Some(dialogue.format);
        }
        if !self.has_messages() {
            return None;
        }
        let mut messages = self
            .contents
            .iter()
            .filter_map(|content| content.as_message());
        messages.next().map(Message::format)
    }

    /// Returns what is known about its messages.
    ///
    /// # Errors
    ///
    /// `InvalidMessages` for all that a provider would refuse them for.
    pub(crate) fn said(&self) -> Result<&Said, Error> {
        let said = once(&self.said, || Said::of(self));
        if said.problems.is_empty() {
            return Ok(said);
        }
        Err(Error::invalid_messages(said.problems.clone()))
    }

    /// Returns the rows that messages tie: each with the first row that it lives or dies with.
    ///
    /// # Errors
    ///
    /// `InvalidMessages` for all that a provider would refuse them for.
    pub(crate) fn ties(&self) -> Result<Vec<(usize, usize)>, Error> {
        if !self.has_messages() {
            return Ok(Vec::new());
        }
        let said = self.said()?;
        let tied = said.groups.iter().enumerate();
        let tied = tied.filter(|(at, first)| at != *first);
        Ok(tied
            .map(|(at, &first)| (said.rows[at], said.rows[first]))
            .collect())
    }

    /// Returns what a row says to a list of messages; nothing where it stands beside them.
    fn said_in(&self, row: usize, format: Format) -> Option<Cow<'_, str>> {
        let content = &self.contents[row];
        let message = content.as_message();
        if message.is_some_and(|message| message.format() == format) {
            return Some(Cow::Borrowed(content.stored()));
        }
        let role = match (self.roles[row], format) {
            (Role::System | Role::Developer, Format::Anthropic | Format::Gemini) => return None,
            // It answers no call, and cannot be sent.
            (Role::Tool, _) => "user",
            (Role::Assistant, Format::Gemini) => "model",
            (role, _) => role.as_str(),
        };
        let content = match format {
            Format::Gemini => "\"parts\":[{\"text\":\"-\"}]",
            _ => "\"content\":\"-\"",
        };
        Some(Cow::Owned(format!("{{\"role\":\"{role}\",{content}}}")))
    }
}

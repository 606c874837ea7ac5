//! A list of messages as calls, results and turns, read once.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use foldhash::fast::FixedState;

use super::entry::{Entry, Family, Kind};
use super::format::Format;
use super::rule::Rule;
use crate::word::Role;

/// Who speaks, in the terms of every format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Speaker {
    System,
    Developer,
    User,
    Assistant,
    Tool,
    Unknown,
}

impl Speaker {
    /// Returns the role, in the words of a frame, of what holds more than results.
    pub(crate) const fn role(self) -> Role {
        match self {
            Self::System => Role::System,
            Self::Developer => Role::Developer,
            Self::Assistant => Role::Assistant,
            Self::Tool => Role::Tool,
            Self::User | Self::Unknown => Role::User,
        }
    }
}

/// What an item of the Responses API is to reasoning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    /// The caller said it, or nobody knows who.
    Said,
    /// It only steers the call and says nothing.
    Control,
    /// The model made it, so that reasoning may stand before it.
    Made,
    Reasoning,
}

/// A message.
#[derive(Debug, Clone)]
pub(super) struct Row<'a> {
    pub(super) speaker: Speaker,
    /// Its entries among those of the view.
    pub(super) entries: Range<usize>,
    /// How many blocks its content has; a string is one.
    pub(super) blocks: usize,
    /// Whether its content is there and has nothing in it.
    pub(super) is_empty: bool,
    pub(super) sort: Sort,
    /// Whether a call may wait behind which it follows.
    pub(super) keeps_waiting: bool,
    /// The id of the item.
    pub(super) item_id: Option<Cow<'a, str>>,
    /// The key of the program that it belongs to.
    pub(super) owner: Option<u32>,
}

impl Row<'_> {
    pub(super) fn new(speaker: Speaker) -> Self {
        Self {
            speaker,
            entries: 0..0,
            blocks: 0,
            is_empty: false,
            sort: Sort::Said,
            keeps_waiting: false,
            item_id: None,
            owner: None,
        }
    }

    pub(super) fn is_control(&self) -> bool {
        self.sort == Sort::Control
    }

    pub(super) fn is_reasoning(&self) -> bool {
        self.sort == Sort::Reasoning
    }

    /// Says whether the model made it and it is no reasoning.
    pub(super) fn is_model_made(&self) -> bool {
        self.sort == Sort::Made
    }
}

/// Who may call and who may answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Model,
    Answer,
    Other,
}

/// Neighbouring messages that a provider takes for one.
#[derive(Debug, Clone)]
pub(super) struct Turn {
    pub(super) rows: Range<usize>,
    pub(super) side: Side,
}

/// Something that is wrong with a message alone and that nothing repairs.
#[derive(Debug, Clone)]
pub(super) struct Flaw {
    pub(super) row: usize,
    /// The entry that it is in, by its number.
    pub(super) entry: Option<usize>,
    pub(super) path: String,
    pub(super) rule: Rule,
}

type KeyMap<'a> = HashMap<(Family, Cow<'a, str>, Cow<'a, str>), u32, FixedState>;

/// A list of messages, read.
#[derive(Debug)]
pub(super) struct View<'a> {
    pub(super) format: Format,
    pub(super) rows: Vec<Row<'a>>,
    pub(super) entries: Vec<Entry<'a>>,
    pub(super) flaws: Vec<Flaw>,
    keys: KeyMap<'a>,
    /// Of each key, whether a call has it.
    called: Vec<bool>,
}

impl<'a> View<'a> {
    pub(super) fn new(format: Format, rows: usize) -> Self {
        Self {
            format,
            rows: Vec::with_capacity(rows),
            entries: Vec::with_capacity(rows),
            flaws: Vec::new(),
            keys: HashMap::default(),
            called: Vec::new(),
        }
    }

    /// Returns how many keys there are.
    pub(super) fn keys(&self) -> usize {
        self.keys.len()
    }

    /// Returns the number of a key; the type matters only to a family that has many.
    pub(super) fn key(
        &mut self,
        family: Family,
        kind: impl Into<Cow<'a, str>>,
        id: Cow<'a, str>,
    ) -> u32 {
        let next = u32::try_from(self.keys.len()).unwrap_or(u32::MAX);
        *self.keys.entry((family, kind.into(), id)).or_insert(next)
    }

    /// Learns which keys the calls have, when all is read.
    pub(super) fn learn_calls(&mut self) {
        self.called = vec![false; self.keys.len()];
        for entry in &self.entries {
            if let Some(key) = entry.key.filter(|_| entry.is_call()) {
                self.called[key as usize] = true;
            }
        }
    }

    /// Says whether a call has a key.
    pub(super) fn is_called(&self, key: u32) -> bool {
        self.called.get(key as usize).copied().unwrap_or(false)
    }

    /// Writes down what is wrong with the message that is being read.
    pub(super) fn flaw(&mut self, path: impl Into<String>, rule: Rule) {
        self.flaws.push(Flaw {
            row: self.rows.len(),
            entry: None,
            path: path.into(),
            rule,
        });
    }

    /// Writes down what is wrong with the entry that is being read, which comes next.
    pub(super) fn flaw_in(&mut self, path: impl Into<String>, rule: Rule) {
        self.flaws.push(Flaw {
            row: self.rows.len(),
            entry: Some(self.entries.len()),
            path: path.into(),
            rule,
        });
    }

    /// Returns the entries of a row.
    pub(super) fn entries_of(&self, row: usize) -> &[Entry<'a>] {
        &self.entries[self.rows[row].entries.clone()]
    }

    /// Returns the numbers of the entries of a turn.
    pub(super) fn entries_in(&self, turn: &Turn) -> Range<usize> {
        let rows = &self.rows[turn.rows.clone()];
        match (rows.first(), rows.last()) {
            (Some(first), Some(last)) => first.entries.start..last.entries.end,
            _ => 0..0,
        }
    }

    /// Returns how many results a row has.
    pub(super) fn results_of(&self, row: usize) -> usize {
        let entries = self.entries_of(row).iter();
        entries.filter(|entry| entry.kind == Kind::Result).count()
    }

    /// Says whether a row is what a user says: there is something in it that is no result.
    pub(super) fn is_speech(&self, row: usize) -> bool {
        self.rows[row].speaker == Speaker::User
            && !self.rows[row].is_control()
            && (self.rows[row].blocks == 0 || self.rows[row].blocks > self.results_of(row))
    }

    /// Says whether a row holds results and nothing else.
    pub(super) fn is_results_only(&self, row: usize) -> bool {
        let results = self.results_of(row);
        match self.format {
            Format::OpenAiChat | Format::OpenAiResponses => results > 0,
            Format::Anthropic | Format::Gemini => {
                self.rows[row].speaker != Speaker::Assistant
                    && results > 0
                    && results == self.rows[row].blocks
            }
        }
    }

    /// Returns what the provider takes for one message each. Linear.
    pub(super) fn turns(&self) -> Vec<Turn> {
        let mut turns: Vec<Turn> = Vec::with_capacity(self.rows.len());
        for (at, row) in self.rows.iter().enumerate() {
            let side = match row.speaker {
                Speaker::Assistant => Side::Model,
                Speaker::Tool => Side::Answer,
                Speaker::User if self.format != Format::OpenAiChat => Side::Answer,
                _ => Side::Other,
            };
            let merges = match side {
                Side::Model => self.format != Format::OpenAiChat,
                Side::Answer => true,
                Side::Other => false,
            };
            match turns.last_mut() {
                Some(turn) if merges && turn.side == side => turn.rows.end = at + 1,
                _ => turns.push(Turn {
                    rows: at..at + 1,
                    side,
                }),
            }
        }
        turns
    }
}

//! A call, a result or a piece of thinking in a message, and where it stands.

use std::borrow::Cow;

use super::rule::Rule;

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Call,
    Result,
    /// Thinking that goes where a call of its message goes.
    Thinking,
    /// An item that is neither, and stands alone.
    Item,
}

/// Which calls and results may belong together at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Family {
    /// A tool of the caller's, by id.
    Tool,
    /// A function, by name: the old calls of chat completions, and Gemini's calls without an id.
    Named,
    /// A tool of the provider's, answered in the turn that calls it.
    Server,
    Function,
    Custom,
    ApplyPatch,
    Computer,
    LocalShell,
    Shell,
    Search,
    Approval,
    Program,
    /// Any other item type, which the key names.
    Other,
}

impl Family {
    /// Says whether a call may have several outputs, one after the other.
    pub(super) const fn streams(self) -> bool {
        matches!(self, Self::Shell | Self::Search | Self::Program)
    }

    /// Says whether a result may be written for a call that has none: nobody approves, and nobody
    /// makes a picture of a screen, in another's place.
    pub(super) const fn is_writable(self) -> bool {
        !matches!(self, Self::Approval | Self::Computer)
    }
}

/// Where an entry stands in its message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// The message is the entry; the path names the field that says so.
    Whole(&'static str),
    /// A field of the message.
    Field(&'static str),
    /// An element of `tool_calls`.
    Call(usize),
    /// An element of `content`.
    Block(usize),
    /// An element of `parts`.
    Part(usize),
}

impl Place {
    /// Returns the place among the blocks of a message, where it is one.
    pub(super) const fn block(self) -> Option<usize> {
        match self {
            Self::Block(at) | Self::Part(at) => Some(at),
            _ => None,
        }
    }
}

/// How far an output has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    /// More may come.
    Open,
    /// The last one.
    Done,
    /// A word that such an output cannot have.
    Bad,
}

/// A call, a result or a piece of thinking.
#[derive(Debug, Clone)]
pub(super) struct Entry<'a> {
    pub(super) row: usize,
    pub(super) place: Place,
    pub(super) kind: Kind,
    pub(super) family: Family,
    /// What ties it, as a number; nothing for what has no usable id.
    pub(super) key: Option<u32>,
    /// A second key, which counts where nothing has the first.
    pub(super) second_key: Option<u32>,
    /// What a person would call it by.
    pub(super) id: Option<Cow<'a, str>>,
    /// The name of the function, or the type of the item.
    pub(super) name: Option<Cow<'a, str>>,
    /// What is wrong with it alone.
    pub(super) fault: Option<Rule>,
    pub(super) status: Status,
    /// Whether the provider signed the call.
    pub(super) signed: bool,
    /// Whether the caller runs the search.
    pub(super) client: bool,
    /// Whether the provider takes the call without a result for as long as it likes.
    pub(super) patient: bool,
}

impl<'a> Entry<'a> {
    /// Makes one without any tie.
    pub(super) fn new(row: usize, place: Place, kind: Kind, family: Family) -> Self {
        Self {
            row,
            place,
            kind,
            family,
            key: None,
            second_key: None,
            id: None,
            name: None,
            fault: None,
            status: Status::Done,
            signed: false,
            client: false,
            patient: false,
        }
    }

    /// Says what is wrong with it alone.
    pub(super) fn faulty(mut self, rule: Rule) -> Self {
        self.fault = Some(rule);
        self
    }

    /// Says what a person would call it by.
    pub(super) fn with_id(mut self, id: Option<Cow<'a, str>>) -> Self {
        self.id = id;
        self
    }

    /// Returns its path in the message.
    pub(super) fn path(&self) -> String {
        match self.place {
            // The item is the call.
            Place::Whole(_) if self.kind != Kind::Result => String::new(),
            Place::Whole(path) | Place::Field(path) => path.to_owned(),
            Place::Call(at) => format!("tool_calls[{at}]"),
            Place::Block(at) => format!("content[{at}]"),
            Place::Part(at) => format!("parts[{at}]"),
        }
    }

    /// Returns the path of what ties it.
    pub(super) fn key_path(&self) -> String {
        let path = self.path();
        match (self.place, self.kind) {
            (Place::Whole(path), _) => path.to_owned(),
            (Place::Block(_), Kind::Result) => format!("{path}.tool_use_id"),
            (Place::Part(_), Kind::Result) => {
                let is_named = self.family == Family::Named || self.fault.is_some();
                let field = if is_named { "name" } else { "id" };
                format!("{path}.functionResponse.{field}")
            }
            (Place::Part(_), _) => format!("{path}.functionCall.id"),
            (Place::Block(_) | Place::Call(_), _) => format!("{path}.id"),
            (Place::Field(_), _) => path,
        }
    }

    /// Returns the key of its name, where a name may tie it.
    pub(super) fn name_key(&self) -> Option<u32> {
        if self.family == Family::Named {
            self.key
        } else {
            self.second_key
        }
    }

    /// Says whether it is a call that can be answered.
    pub(super) fn is_call(&self) -> bool {
        self.kind == Kind::Call && self.fault.is_none()
    }
}

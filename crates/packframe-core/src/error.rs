//! Everything that can go wrong, as data.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use crate::catalogue;
use crate::manifest::Manifest;

/// What a callable of the caller's raised, kept so that it can be chained.
pub type Cause = Arc<dyn std::error::Error + Send + Sync>;

/// An error of packframe.
#[derive(Debug, Clone)]
pub struct Error {
    kind: Box<ErrorKind>,
    frame: Option<usize>,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind) -> Self {
        Self {
            kind: Box::new(kind),
            frame: None,
        }
    }

    /// Returns what went wrong.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// Returns the frame of a batch that it is about, by position.
    #[must_use]
    pub const fn frame(&self) -> Option<usize> {
        self.frame
    }

    /// Says which frame of a batch it is about.
    #[must_use]
    pub(crate) fn in_frame(mut self, position: usize) -> Self {
        self.frame = Some(position);
        self
    }

    /// Makes an error about a field of an item that stands in no frame yet.
    #[must_use]
    pub fn invalid_item(
        field: impl Into<String>,
        value: impl Into<String>,
        problem: impl Into<Cow<'static, str>>,
        suggestion: Option<&str>,
    ) -> Self {
        Self::new(ErrorKind::InvalidItem {
            row: None,
            rows: Vec::new(),
            field: field.into(),
            value: value.into(),
            problem: problem.into(),
            suggestion: suggestion.map(str::to_owned),
        })
    }

    /// Makes an error about an option of a call.
    #[must_use]
    pub fn invalid_option(
        option: impl Into<String>,
        value: impl Into<String>,
        problem: impl Into<Cow<'static, str>>,
        suggestion: Option<&str>,
    ) -> Self {
        Self::new(ErrorKind::InvalidOption {
            option: option.into(),
            value: value.into(),
            problem: problem.into(),
            suggestion: suggestion.map(str::to_owned),
        })
    }

    /// Makes an error about a stored manifest that cannot be read.
    #[must_use]
    pub fn manifest_corrupt(differences: Vec<String>) -> Self {
        Self::new(ErrorKind::ManifestCorrupt { differences })
    }

    /// Makes an error about messages that no provider would accept.
    #[must_use]
    pub fn invalid_messages(problems: Vec<Problem>) -> Self {
        Self::new(ErrorKind::InvalidMessages { problems })
    }

    /// Makes an error about a tokenizer that failed.
    #[must_use]
    pub fn tokenizer(
        which: impl Into<String>,
        row: Option<usize>,
        message: String,
        cause: Option<Cause>,
    ) -> Self {
        Self::new(ErrorKind::Tokenizer(Fault {
            which: which.into(),
            row,
            message,
            cause,
        }))
    }

    /// Makes an error about a policy that failed.
    #[must_use]
    pub fn policy(
        which: impl Into<String>,
        row: Option<usize>,
        message: String,
        cause: Option<Cause>,
    ) -> Self {
        Self::new(ErrorKind::Policy(Fault {
            which: which.into(),
            row,
            message,
            cause,
        }))
    }

    /// Makes an error about a strategy, such as a `where` callable, that failed.
    #[must_use]
    pub fn strategy(
        which: impl Into<String>,
        row: Option<usize>,
        message: String,
        cause: Option<Cause>,
    ) -> Self {
        Self::new(ErrorKind::Strategy(Fault {
            which: which.into(),
            row,
            message,
            cause,
        }))
    }

    /// Says of which field of an item the value of an `InvalidItem` is a part.
    #[must_use]
    pub fn part_of(mut self, whole: &str, part: &str) -> Self {
        if let ErrorKind::InvalidItem { field, problem, .. } = self.kind.as_mut() {
            *problem = format!("as {field} of {part} {problem}").into();
            whole.clone_into(field);
        }
        self
    }

    /// Says of which section the value of an `InvalidOption` is.
    #[must_use]
    pub fn of_section(mut self, name: &str) -> Self {
        if let ErrorKind::InvalidOption { problem, .. } = self.kind.as_mut() {
            let section = crate::printable::printable(name);
            *problem = format!("of section '{section}' {problem}").into();
        }
        self
    }

    /// Says in which row of a frame the item of an `InvalidItem` stands.
    #[must_use]
    pub fn at_row(mut self, at: usize) -> Self {
        if let ErrorKind::InvalidItem { row, rows, .. } = self.kind.as_mut()
            && row.is_none()
        {
            *row = Some(at);
            if rows.is_empty() {
                rows.push(at);
            }
        }
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(frame) = self.frame {
            write!(f, "frame {frame}: ")?;
        }
        catalogue::write_error(f, &self.kind)
    }
}

impl std::error::Error for Error {}

/// What went wrong, with its numbers.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An item, or a field of one, is not usable.
    InvalidItem {
        /// The row in the frame, if there is one.
        row: Option<usize>,
        /// All rows concerned.
        rows: Vec<usize>,
        /// The field.
        field: String,
        /// The value, in short.
        value: String,
        /// What is wrong with the value, as the predicate of a sentence.
        problem: Cow<'static, str>,
        /// What was probably meant, or what to do.
        suggestion: Option<String>,
    },
    /// An option of a call is not usable.
    InvalidOption {
        /// The option.
        option: String,
        /// The value, in short.
        value: String,
        /// What is wrong with the value, as the predicate of a sentence.
        problem: Cow<'static, str>,
        /// What was probably meant, or what to do.
        suggestion: Option<String>,
    },
    /// A provider would refuse these messages.
    InvalidMessages {
        /// Every problem found.
        problems: Vec<Problem>,
    },
    /// What must be in the pack does not fit.
    BudgetExceeded(BudgetExceeded),
    /// What is held for sections is more than there is room for.
    FloorsExceedBudget {
        /// Base, required items and what is held, in tokens.
        required: u64,
        /// The required items, against what there is room for.
        exceeded: BudgetExceeded,
    },
    /// What must be in a section does not fit into it.
    SectionOverflow {
        /// Its name.
        section: String,
        /// Tokens that it would have.
        needed: u64,
        /// Tokens that it may have.
        allocated: u64,
        /// Whether its cap is what is in the way, and not what chose before it.
        capped: bool,
        /// The required items, against what there is room for.
        exceeded: BudgetExceeded,
    },
    /// A rendering other than the packed one does not fit.
    RenderingOverBudget {
        /// The ceiling of the call.
        budget: u64,
        /// The part kept for the reply.
        reserve: u64,
        /// Tokens that the rendering has.
        needed: u64,
        /// Tokens that there is room for.
        available: i64,
    },
    /// Required items are refused by the boundary or by a policy.
    PolicyViolation {
        /// Every required violation.
        violations: Vec<Violation>,
        /// The boundary, as `kind:target`.
        boundary: String,
        /// What was decided until then.
        partial_manifest: Box<Manifest>,
    },
    /// A policy failed.
    Policy(Fault),
    /// A tokenizer failed.
    Tokenizer(Fault),
    /// A strategy failed.
    Strategy(Fault),
    /// A required content cannot be rendered.
    UnsupportedContent {
        /// Its row.
        row: usize,
        /// Its id.
        id: String,
        /// Its kind.
        kind: &'static str,
        /// Who cannot render it.
        renderer: &'static str,
    },
    /// A stored manifest is not what it says it is.
    ManifestCorrupt {
        /// What is wrong.
        differences: Vec<String>,
    },
    /// A manifest speaks of another frame, or of another text.
    ManifestMismatch {
        /// Where they differ, by row and key.
        differences: Vec<String>,
    },
    /// A stored manifest has a schema version that this library does not read.
    ManifestVersion {
        /// The version found.
        found: String,
    },
}

/// One reason why a provider would refuse a list of messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The message, by its position.
    pub position: usize,
    /// The place in the message, such as `tool_calls[0].id`.
    pub path: String,
    /// The rule that is broken, a stable word.
    pub rule: &'static str,
    /// The id of the call, the result or the item at this place, where it has one.
    pub id: Option<String>,
}

/// A required item that is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Its row; none for what stands beside the messages of a request.
    pub row: Option<usize>,
    /// Its id, or the option of the request.
    pub id: String,
    /// What the policy said, if it was one.
    pub rule: Option<String>,
    /// The reason code.
    pub reason: String,
}

/// What must be in the pack, against what there is room for.
#[derive(Debug, Clone)]
pub struct BudgetExceeded {
    /// The ceiling of the call.
    pub budget: u64,
    /// The part kept for the reply.
    pub reserve: u64,
    /// The part kept off, since the count is not exact.
    pub margin: u64,
    /// What is left of the budget.
    pub available: i64,
    /// What base, required items and separators cost.
    pub required_tokens: u64,
    /// How much too much that is.
    pub overflow_tokens: u64,
    /// How many tokens more the budget needs: more than `overflow_tokens` where the margin is a
    /// fraction of it and grows along.
    pub raise_by: u64,
    /// The section that is over, where it is one.
    pub section: Option<String>,
    /// What each required item costs.
    pub item_costs: Vec<ItemCost>,
    /// The row at which the room ran out.
    pub exceeded_at: Option<usize>,
    /// What each strategy that was tried could save.
    pub strategies: Vec<(String, u64)>,
    /// What joining costs over the sum of the parts, if the rendering was counted.
    pub join_tokens: Option<i64>,
    /// What was decided until then.
    pub partial_manifest: Manifest,
}

impl BudgetExceeded {
    /// Returns what its numbers are worth: the weakest of what was counted.
    #[must_use]
    pub fn accuracy(&self) -> crate::word::Accuracy {
        self.item_costs.iter().map(|cost| cost.accuracy).fold(
            self.partial_manifest.accuracy(),
            crate::word::Accuracy::weakest,
        )
    }
}

/// The cost of one required item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemCost {
    /// Its row.
    pub row: usize,
    /// Its id.
    pub id: String,
    /// Its tokens.
    pub tokens: u64,
    /// Base and all required items up to this one, with separators.
    pub cumulative: u64,
    /// What the number is worth.
    pub accuracy: crate::word::Accuracy,
}

/// A callable of the caller's that failed.
#[derive(Debug, Clone)]
pub struct Fault {
    /// Its id.
    pub which: String,
    /// The row that it failed on, where that is known.
    pub row: Option<usize>,
    /// What happened.
    pub message: String,
    /// What it raised.
    pub cause: Option<Cause>,
}

//! The smallest piece of context: a content with its contract.

use std::collections::HashSet;
use std::sync::Arc;

use foldhash::fast::FixedState;

use crate::alternative::Alternative;
use crate::content::Content;
use crate::error::Error;
use crate::instant::Instant;
use crate::word::{Retention, Role, Sensitivity, Trust};

/// What an item is made from; every field is the caller's.
#[derive(Debug, Clone)]
pub struct ItemSpec {
    /// What it says.
    pub content: Arc<Content>,
    /// Its name in the frame, if the caller gives one.
    pub id: Option<Arc<str>>,
    /// Who speaks.
    pub role: Role,
    /// Its contract.
    pub retention: Retention,
    /// Relevance from a ranker.
    pub score: f64,
    /// The caller's weight.
    pub priority: f64,
    /// The section it belongs to.
    pub section: Option<Arc<str>>,
    /// The group whose fate it shares.
    pub group: Option<Arc<str>>,
    /// Required, and never cut, replaced or demoted.
    pub pinned: bool,
    /// How far it is trusted.
    pub trust: Trust,
    /// Who may see it.
    pub sensitivity: Sensitivity,
    /// What few items have.
    pub extra: Extra,
}

/// What few items have; kept apart so that the others do not pay for it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extra {
    /// When it was made.
    pub created_at: Option<Instant>,
    /// From when on it is not packed.
    pub expires_at: Option<Instant>,
    /// Where it comes from.
    pub sources: Vec<String>,
    /// The caller's own data, as compact JSON.
    pub metadata: Option<String>,
    /// The ids of the items that it is nothing without.
    pub requires: Vec<Arc<str>>,
    /// The key of which at most one group is taken.
    pub exclusive: Option<Arc<str>>,
    /// What may stand in its place, best first.
    pub alternatives: Vec<Alternative>,
    /// The tokens that a cut of it has at least; `None` where it is never cut.
    pub cut_to: Option<u64>,
}

impl Extra {
    /// Checks and completes the fields: ids that are named twice are named once.
    fn checked(mut self) -> Result<Self, Error> {
        if self.sources.iter().any(String::is_empty) {
            return Err(empty("sources", "names that are not empty"));
        }
        if self.requires.iter().any(|id| id.is_empty()) {
            return Err(empty("requires", "ids that are not empty"));
        }
        if self.exclusive.as_ref().is_some_and(|key| key.is_empty()) {
            return Err(empty("exclusive", "None or a name"));
        }
        if self.cut_to == Some(0) {
            let remedy = "1 where any cut will do, or None where it is never cut";
            let problem = "leaves nothing of it";
            return Err(Error::invalid_item("cut_to", "0", problem, Some(remedy)));
        }
        for (place, alternative) in self.alternatives.iter_mut().enumerate() {
            alternative
                .check()
                .map_err(|error| error.part_of("alternatives", &format!("alternative {place}")))?;
            // Adding zero turns a negative zero into a positive one.
            alternative.value += 0.0;
        }
        self.requires = once_each(self.requires);
        Ok(self)
    }
}

/// Returns the names in their order, without those that were named before.
pub(crate) fn once_each(mut names: Vec<Arc<str>>) -> Vec<Arc<str>> {
    let mut seen: HashSet<Arc<str>, FixedState> = HashSet::default();
    names.retain(|name| seen.insert(Arc::clone(name)));
    names
}

fn empty(field: &str, remedy: &str) -> Error {
    Error::invalid_item(field, "''", "is empty", Some(remedy))
}

impl ItemSpec {
    /// Starts an item with every default.
    #[must_use]
    pub fn of(content: Arc<Content>) -> Self {
        Self {
            content,
            id: None,
            role: Role::User,
            retention: Retention::Optional,
            score: 0.0,
            priority: 0.0,
            section: None,
            group: None,
            pinned: false,
            trust: Trust::Untrusted,
            sensitivity: Sensitivity::Public,
            extra: Extra::default(),
        }
    }
}

/// An item whose fields were checked.
#[derive(Debug, Clone)]
pub struct Item {
    pub(crate) content: Arc<Content>,
    pub(crate) id: Option<Arc<str>>,
    pub(crate) section: Option<Arc<str>>,
    pub(crate) group: Option<Arc<str>>,
    pub(crate) extra: Option<Arc<Extra>>,
    pub(crate) score: f64,
    pub(crate) priority: f64,
    pub(crate) role: Role,
    pub(crate) retention: Retention,
    pub(crate) trust: Trust,
    pub(crate) sensitivity: Sensitivity,
    pub(crate) pinned: bool,
}

impl Item {
    /// Checks the fields of an item.
    ///
    /// # Errors
    ///
    /// `InvalidItem` for a score or priority that is not finite, an empty id, section, group,
    /// source, required id or exclusive key, a `cut_to` of 0, an alternative that is a message or
    /// whose value is no share, and a role that is not the one of the message.
    pub fn new(spec: ItemSpec) -> Result<Self, Error> {
        for (field, value) in [("score", spec.score), ("priority", spec.priority)] {
            if !value.is_finite() {
                return Err(Error::invalid_item(
                    field,
                    value.to_string(),
                    "is not finite",
                    Some("a finite number"),
                ));
            }
        }
        for (field, value) in [
            ("id", &spec.id),
            ("section", &spec.section),
            ("group", &spec.group),
        ] {
            if value.as_ref().is_some_and(|value| value.is_empty()) {
                return Err(empty(field, "None or a name"));
            }
        }
        if let Some(message) = spec.content.as_message()
            && message.role() != spec.role
        {
            return Err(Error::invalid_item(
                "role",
                spec.role.as_str(),
                format!(
                    "is not the role of the message, which is {}",
                    message.role()
                ),
                Some(message.role().as_str()),
            ));
        }
        let extra = if spec.extra == Extra::default() {
            None
        } else {
            Some(Arc::new(spec.extra.checked()?))
        };
        Ok(Self {
            content: spec.content,
            id: spec.id,
            section: spec.section,
            group: spec.group,
            extra,
            // Adding zero turns a negative zero into a positive one, so that they sort as equal.
            score: spec.score + 0.0,
            priority: spec.priority + 0.0,
            role: spec.role,
            retention: spec.retention,
            trust: spec.trust,
            sensitivity: spec.sensitivity,
            pinned: spec.pinned,
        })
    }

    /// Takes the item apart again.
    #[must_use]
    pub fn spec(&self) -> ItemSpec {
        ItemSpec {
            content: Arc::clone(&self.content),
            id: self.id.clone(),
            role: self.role,
            retention: self.retention,
            score: self.score,
            priority: self.priority,
            section: self.section.clone(),
            group: self.group.clone(),
            pinned: self.pinned,
            trust: self.trust,
            sensitivity: self.sensitivity,
            extra: self.extra.as_deref().cloned().unwrap_or_default(),
        }
    }

    /// Returns what it says.
    #[must_use]
    pub fn content(&self) -> &Arc<Content> {
        &self.content
    }

    /// Returns the id that the caller gave.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// Returns the section.
    #[must_use]
    pub fn section(&self) -> Option<&str> {
        self.section.as_deref()
    }

    /// Returns the group.
    #[must_use]
    pub fn group(&self) -> Option<&str> {
        self.group.as_deref()
    }

    /// Returns the role.
    #[must_use]
    pub const fn role(&self) -> Role {
        self.role
    }

    /// Returns the retention.
    #[must_use]
    pub const fn retention(&self) -> Retention {
        self.retention
    }

    /// Returns the score.
    #[must_use]
    pub const fn score(&self) -> f64 {
        self.score
    }

    /// Returns the priority.
    #[must_use]
    pub const fn priority(&self) -> f64 {
        self.priority
    }

    /// Says whether it is pinned.
    #[must_use]
    pub const fn pinned(&self) -> bool {
        self.pinned
    }

    /// Returns the trust.
    #[must_use]
    pub const fn trust(&self) -> Trust {
        self.trust
    }

    /// Returns the sensitivity.
    #[must_use]
    pub const fn sensitivity(&self) -> Sensitivity {
        self.sensitivity
    }

    /// Returns what few items have.
    #[must_use]
    pub fn extra(&self) -> Option<&Extra> {
        self.extra.as_deref()
    }

    /// Says whether two items are equal in every field.
    #[must_use]
    pub fn same(&self, other: &Self) -> bool {
        self.content.same(&other.content)
            && self.id == other.id
            && self.section == other.section
            && self.group == other.group
            && self.extra == other.extra
            && self.score.to_bits() == other.score.to_bits()
            && self.priority.to_bits() == other.priority.to_bits()
            && (
                self.role,
                self.retention,
                self.trust,
                self.sensitivity,
                self.pinned,
            ) == (
                other.role,
                other.retention,
                other.trust,
                other.sensitivity,
                other.pinned,
            )
    }
}

//! A named part of a frame, and what it may take of the budget.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::content::Content;
use crate::conversation::Message;
use crate::error::Error;
use crate::item::{Extra, Item, ItemSpec};
use crate::printable::printable;
use crate::word::{Role, words};

words! {
    /// What a section does with what does not fit into it.
    DropRule, "drop":
    /// The best first; the first that does not fit is cut, later ones may still fit.
    Truncate = "truncate",
    /// The best first; what does not fit is left out, later ones may still fit.
    LowestScore = "lowest_score",
    /// The best first; the first that does not fit is cut, and nothing comes after it.
    CutThenStop = "cut_then_stop",
    /// From the last row backwards, up to the first that does not fit.
    Oldest = "oldest",
    /// From the first row onwards, up to the first that does not fit.
    Newest = "newest",
    /// All of the section or nothing of it.
    AllOrNothing = "all_or_nothing",
}

impl DropRule {
    /// Returns the rule that has a name, if one has: any other name is a strategy's.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|rule| rule.as_str() == name)
    }

    /// Says whether the rule cuts an item that allows it.
    #[must_use]
    pub const fn cuts(self) -> bool {
        matches!(self, Self::Truncate | Self::CutThenStop)
    }
}

/// A named part of a frame with a floor, a cap, a priority and a drop rule.
///
/// # Examples
///
/// ```
/// use packframe_core::{DropRule, Section};
///
/// let history = Section {
///     min_tokens: 200,
///     max_share: Some(0.5),
///     drop: DropRule::Oldest,
///     ..Section::new("history")
/// };
/// assert!(history.check().is_ok());
/// let contradictory = Section { max_tokens: Some(100), ..history };
/// assert!(contradictory.check().is_err());
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// Its name, which its items carry.
    pub name: Arc<str>,
    /// Sections of higher priority choose first.
    pub priority: f64,
    /// Tokens of room that are held for it.
    pub min_tokens: u64,
    /// Tokens that it may have at most.
    pub max_tokens: Option<u64>,
    /// The share of what is available that it may have at most.
    pub max_share: Option<f64>,
    /// What happens to what does not fit into it.
    pub drop: DropRule,
    /// Whether packing fails where an all-or-nothing section is left out; `None` means that it
    /// does. Of a section with another rule nothing is required, and only `Some(true)` is refused.
    pub required: Option<bool>,
    /// Stands between its items.
    pub separator: String,
    /// Stands before its items, if it has any. An empty one is none.
    pub header: Option<String>,
    /// The name of the strategy that drops instead of the rule; the rule is for where it fails.
    pub strategy: Option<Arc<str>>,
}

impl Section {
    /// Tokens that a floor or a cap can be at most.
    const MOST: u64 = i64::MAX as u64;

    /// Starts a section with every default.
    #[must_use]
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self {
            name: name.into(),
            priority: 0.0,
            min_tokens: 0,
            max_tokens: None,
            max_share: None,
            drop: DropRule::Truncate,
            required: None,
            separator: "\n".to_owned(),
            header: None,
            strategy: None,
        }
    }

    /// Returns its header, if it has one: an empty one would show a separator alone.
    #[must_use]
    pub fn shown_header(&self) -> Option<&str> {
        self.header.as_deref().filter(|header| !header.is_empty())
    }

    /// Checks the fields.
    ///
    /// # Errors
    ///
    /// `InvalidOption` for an empty name or strategy, a priority that is not finite, a floor or a
    /// cap that no budget can reach, a share outside 0 to 1, a floor over its own cap, and a
    /// section that is required as a whole and has another drop rule than all or nothing.
    pub fn check(&self) -> Result<(), Error> {
        if self.name.is_empty() {
            let problem = "is empty";
            return Err(Error::invalid_option("name", "''", problem, Some("a name")));
        }
        if self.strategy.as_ref().is_some_and(|name| name.is_empty()) {
            let remedy = "the name of a rule or of a strategy";
            return Err(Error::invalid_option(
                "drop",
                "''",
                "is empty",
                Some(remedy),
            ));
        }
        if !self.priority.is_finite() {
            let remedy = "a finite number";
            return Err(self.refuse("priority", self.priority, "is not finite", remedy));
        }
        let caps = self.max_tokens.map(|tokens| ("max_tokens", tokens));
        for (option, tokens) in [("min_tokens", self.min_tokens)].into_iter().chain(caps) {
            if tokens > Self::MOST {
                let remedy = format!("at most {}", Self::MOST);
                return Err(self.refuse(option, tokens, "is too large", &remedy));
            }
        }
        if let Some(share) = self.max_share
            && !(0.0..=1.0).contains(&share)
        {
            let remedy = "a fraction from 0 to 1";
            return Err(self.refuse("max_share", share, "is no share of the budget", remedy));
        }
        if self.required == Some(true)
            && (self.drop != DropRule::AllOrNothing || self.strategy.is_some())
        {
            let drop = self.strategy.as_deref().unwrap_or(self.drop.as_str());
            let problem = format!("is nothing to the drop rule '{}'", printable(drop));
            let remedy = "drop='all_or_nothing', or items with retention='required'";
            return Err(self.refuse("required", "True", &problem, remedy));
        }
        if let Some(most) = self.max_tokens
            && self.min_tokens > most
        {
            let remedy = format!("a min_tokens of at most {most}, or a larger max_tokens");
            let problem = format!("is over max_tokens {most}");
            return Err(self.refuse("min_tokens", self.min_tokens, &problem, &remedy));
        }
        Ok(())
    }

    /// Returns an item as one of this section.
    ///
    /// # Errors
    ///
    /// `InvalidItem` for one that names another section.
    pub fn item(&self, item: &Item) -> Result<Item, Error> {
        if let Some(other) = item.section().filter(|other| *other != &*self.name) {
            let value = format!("'{}'", printable(other));
            let problem = format!("is not the section '{}'", printable(&self.name));
            let remedy = "no section on the item, or the name of the one that it stands in";
            return Err(Error::invalid_item("section", value, problem, Some(remedy)));
        }
        Ok(Item {
            section: Some(Arc::clone(&self.name)),
            ..item.clone()
        })
    }

    /// Makes an optional item of this section, which may be cut where the rule cuts.
    ///
    /// # Errors
    ///
    /// None at present: a content and the defaults make an item.
    pub fn bare_item(&self, content: Arc<Content>) -> Result<Item, Error> {
        let cuts = self.drop.cuts() && self.strategy.is_none();
        Item::new(ItemSpec {
            role: content.as_message().map_or(Role::User, Message::role),
            section: Some(Arc::clone(&self.name)),
            extra: Extra {
                cut_to: cuts.then_some(1),
                ..Extra::default()
            },
            ..ItemSpec::of(content)
        })
    }

    /// Makes the error for an option of this section.
    fn refuse(&self, option: &str, value: impl fmt::Display, problem: &str, remedy: &str) -> Error {
        let section = printable(&self.name);
        let problem = format!("of section '{section}' {problem}");
        Error::invalid_option(option, value.to_string(), problem, Some(remedy))
    }
}

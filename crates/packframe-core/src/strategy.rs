//! Rules of the caller's: what a section keeps.

use std::sync::Arc;

use crate::content::Content;
use crate::error::Error;
use crate::item::Item;
use crate::profile::TokenProfile;
use crate::section::Section;

/// A rule that decides what a section keeps.
pub trait Strategy: Send + Sync {
    /// Returns its name, which a section names as its `drop`.
    fn name(&self) -> &str;

    /// Says which of a section's items stay, within so many tokens: header and separators included,
    /// as a sum of parts; `None` where there is no ceiling.
    ///
    /// The items are all that are admitted, the required ones among them, each with its row.
    ///
    /// # Errors
    ///
    /// `StrategyError` where the rule itself fails.
    fn apply(
        &self,
        section: &Section,
        items: &[(usize, Item)],
        allocated: Option<u64>,
        profile: &TokenProfile,
    ) -> Result<DropResult, Error>;
}

/// What a strategy decided.
#[derive(Debug, Clone, Default)]
pub struct DropResult {
    /// What stays: the row, and the content where it is another.
    pub kept: Vec<(usize, Option<Arc<Content>>)>,
    /// What it says of single rows.
    pub reasons: Vec<(usize, String)>,
    /// What is wrong with the answer, if something is: then the default rule decides.
    pub fault: Option<String>,
}

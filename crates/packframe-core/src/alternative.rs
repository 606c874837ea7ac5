//! What may stand in the place of an item's content.

use std::sync::Arc;

use crate::content::Content;
use crate::error::Error;

/// A replacement for an item's content, and the share of the item's value that it keeps.
#[derive(Debug, Clone)]
pub struct Alternative {
    /// What it says.
    pub content: Arc<Content>,
    /// The share of the item's value that it keeps, from 0 to 1.
    pub value: f64,
}

impl Alternative {
    /// Makes the alternative at a place of the list, from 0, with the value of that place: a
    /// half for the first, and half as much for each one further down.
    #[must_use]
    pub fn at(place: usize, content: Arc<Content>) -> Self {
        let place = i32::try_from(place).unwrap_or(i32::MAX);
        Self {
            content,
            value: 0.5_f64.powi(place.saturating_add(1)),
        }
    }

    /// Checks the value and the kind of the content.
    ///
    /// # Errors
    ///
    /// `InvalidItem` for a value that is no share, and for a message: what is tied to it, such as
    /// the results of its calls, would lose what it answers.
    pub fn check(&self) -> Result<(), Error> {
        if !(0.0..=1.0).contains(&self.value) {
            return Err(Error::invalid_item(
                "value",
                self.value.to_string(),
                "is no share of the item's value",
                Some("a value from 0 to 1"),
            ));
        }
        if self.content.as_message().is_some() {
            return Err(Error::invalid_item(
                "content",
                "a message",
                "cannot stand in for a content",
                Some("a str, pf.Json, pf.Reference or pf.Binary"),
            ));
        }
        Ok(())
    }
}

impl PartialEq for Alternative {
    fn eq(&self, other: &Self) -> bool {
        self.content.same(&other.content) && self.value.to_bits() == other.value.to_bits()
    }
}

impl Eq for Alternative {}

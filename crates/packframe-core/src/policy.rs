//! Rules of the caller's: which items a boundary may not have, which rows a verb is for, what rows
//! are worth.

use crate::boundary::Boundary;
use crate::error::Error;
use crate::frame::{Expression, Frame};

/// A rule that may refuse an item for a boundary.
pub trait Policy: Send + Sync {
    /// Returns its id, which stands in reasons as `policy:<id>`.
    fn id(&self) -> &str;

    /// Says for each of some rows why it is refused, or `None`.
    ///
    /// # Errors
    ///
    /// `PolicyError` where the rule itself fails: that never admits an item.
    fn evaluate(
        &self,
        frame: &Frame,
        rows: &[usize],
        boundary: &Boundary,
    ) -> Result<Vec<Option<String>>, Error>;
}

/// Chooses rows of a frame.
pub trait Predicate: Send + Sync {
    /// Says for every row whether it is chosen.
    ///
    /// # Errors
    ///
    /// `StrategyError` where a callable of the caller's fails.
    fn mask(&self, frame: &Frame) -> Result<Vec<bool>, Error>;

    /// Says whether this runs code of the caller's, which has to stay on the calling thread.
    fn calls_back(&self) -> bool {
        true
    }
}

/// Says what rows are worth to an optimal selection.
pub trait Valuer: Send + Sync {
    /// Says for each of some rows what it is worth: finite, and from 0.
    ///
    /// # Errors
    ///
    /// `StrategyError` where a callable of the caller's fails, `InvalidItem` for what is no number.
    fn values(&self, frame: &Frame, rows: &[usize]) -> Result<Vec<f64>, Error>;
}

impl Predicate for Expression {
    fn mask(&self, frame: &Frame) -> Result<Vec<bool>, Error> {
        Ok(Self::mask(self, frame))
    }

    fn calls_back(&self) -> bool {
        false
    }
}

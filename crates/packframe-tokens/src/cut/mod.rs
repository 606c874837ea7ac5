//! How long a cut of a text may be.

mod ruler;
mod search;

pub(crate) use self::ruler::{Ruler, Wanted};
pub(crate) use self::search::Measured;

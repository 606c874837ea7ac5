//! Which groups are taken into the room that the required ones leave.

mod bundle;
mod field;
mod judge;
mod reform;
mod runs;
mod scan;

pub(crate) use bundle::{Bar, Changes};
pub(crate) use field::{Field, descending};
pub(crate) use judge::{BySum, Judge};
pub(crate) use runs::Runs;
pub(crate) use scan::{Pass, Scan};

//! Chat messages: what one says and costs, what ties them, which of them must stay.

mod history;
mod message;
mod ties;

pub use history::history_items;
pub use message::{Format, Message};
pub(crate) use ties::{Ties, tie};

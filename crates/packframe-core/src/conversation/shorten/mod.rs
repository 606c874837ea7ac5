//! How one message gets shorter: its results, its texts and its thinking, without changing what it
//! is.

mod json;
mod path;
mod results;
mod share;
mod step;
mod text;
mod thinking;

pub(crate) use json::{is_container, left_out, shrunk};
pub(crate) use path::{Path, raws_at, replaced};
pub(crate) use results::{Spot, cleared, results};
pub(crate) use share::shares;
pub use step::Shorten;
pub(crate) use text::plain_text;
pub(crate) use thinking::{Thought, has_item_id, without_thinking};

//! Chat messages: what one says and costs, what ties them, which of them must stay, and how a list of
//! them is checked, repaired and written in another format.

mod answers;
mod cache_mark;
mod convert;
mod entry;
mod facts;
mod fields;
mod format;
mod items;
mod judge;
mod links;
mod live;
mod look;
mod message;
mod named;
mod prefill;
mod read;
mod repair;
mod rule;
mod searches;
mod shorten;
mod signed;
mod steps;
mod texts;
mod validate;
mod view;
mod waiting;

pub(crate) use cache_mark::{
    MOST_MARKS, cache_marks, marked_tools, takes_cache_mark, with_cache_mark, without_cache_marks,
};
pub use convert::{ConversionNote, Converted, convert_messages};
pub use facts::{Conversation, MessageFacts, Protection};
pub use format::Format;
pub use judge::{MessageProblem, Severity};
pub(crate) use look::{look, ties_alike};
pub(crate) use message::Counted;
pub use message::Message;
pub(crate) use named::id_at;
pub(crate) use read::plain_speaker;
pub(crate) use repair::{Given, repair_given};
pub use repair::{
    MessageRepair, RepairMode, RepairOptions, Repaired, RepairedMessage, repair_messages,
};
pub use shorten::Shorten;
pub(crate) use shorten::{
    Path, Spot, Thought, cleared, has_item_id, is_container, left_out, plain_text, raws_at,
    replaced, results, shares, shrunk, without_thinking,
};
pub(crate) use signed::signed_alike;
pub(crate) use validate::refused;
pub use validate::validate_messages;
pub(crate) use view::Speaker;

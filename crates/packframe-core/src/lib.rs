//! The decision engine of packframe: frames of context, packed into a token budget.
//!
//! A [`Frame`] of [`Item`]s goes through one pipeline, [`pack`]: group, admit, cost, reserve,
//! select, lay out, verify. Each stage hands its result to the next, and all of them write down
//! what they decide; the [`Manifest`] shows it. The engine knows tokens only through
//! [`packframe_tokens::Tokenizer`], reads no clock, starts no thread and touches no file.

mod boundary;
mod catalogue;
mod content;
mod conversation;
mod error;
mod frame;
mod instant;
mod item;
mod manifest;
mod nearest;
mod pack;
mod policy;
mod profile;
mod rendering;
mod word;

pub use boundary::Boundary;
pub use catalogue::{reason_remedy, reason_sentence};
pub use content::{Binary, Body, Content, CostKey, Hash, MAX_COUNT, Reference, hex};
pub use conversation::{Format, Message, history_items};
pub use error::{BudgetExceeded, Cause, Error, ErrorKind, Fault, ItemCost, Problem, Violation};
pub use frame::{Compare, Demotion, Expression, Frame, FrameBuilder, Merge, Scalar, SortKey};
pub use instant::{Instant, iso, parse_iso};
pub use item::{Extra, Item, ItemSpec};
pub use manifest::{
    Amount, BoundaryRecord, Breakdown, DemotionRecord, Document, Dropped, ExcludedRecord,
    GroupRecord, Manifest, MergedRecord, Nothing, ProfileRecord, SCHEMA_VERSION, SelectedRecord,
    WarningRecord, Why,
};
pub use nearest::nearest;
pub use pack::{MAX_TOKENS, Margin, Overflow, Pack, PackOptions, pack};
pub use policy::{Policy, Predicate};
pub use profile::{Framing, MessageCounter, ProfileSpec, TokenProfile};
pub use rendering::{check_chat, messages, text};
pub use word::{Accuracy, Render, Retention, Role, Sensitivity, Trust};

//! The decision engine of packframe: frames of context, packed into a token budget.
//!
//! A [`Frame`] of [`Item`]s goes through one pipeline, [`pack`]: group, admit, cost, reserve,
//! select, lay out, verify. Each stage hands its result to the next, and all of them write down
//! what they decide; the [`Manifest`] shows it. The engine knows tokens only through
//! [`packframe_tokens::Tokenizer`], reads no clock, touches no file, and starts threads only for
//! batches, and joins them.
//!
//! # Examples
//!
//! A required question, and of two passages the better one that fits:
//!
//! ```
//! use std::sync::Arc;
//!
//! use packframe_core::{
//!     Accuracy, Boundary, Content, Error, Frame, Framing, Item, ItemSpec, Layout, Margin,
//!     PackOptions, ProfileSpec, Retention, Selection, TokenProfile, pack,
//! };
//! use packframe_tokens::OpenAi;
//!
//! let text = |text: &str| ItemSpec::of(Arc::new(Content::text(text)));
//! let items = [
//!     Item::new(ItemSpec { retention: Retention::Required, ..text("Who wrote it?") })?,
//!     Item::new(ItemSpec { score: 0.9, ..text("It was written in 1843 by Ada Lovelace.") })?,
//!     Item::new(ItemSpec { score: 0.4, ..text("It was printed in London.") })?,
//! ];
//! let frame = Arc::new(Frame::from_items(&items)?);
//!
//! let tokenizer = OpenAi::named("o200k_base").expect("the encoding is known");
//! let profile = Arc::new(TokenProfile::new(ProfileSpec {
//!     id: "openai:o200k_base".to_owned(),
//!     tokenizer_sha256: Some(tokenizer.fingerprint().to_owned()),
//!     tokenizer,
//!     accuracy: Accuracy::Exact,
//!     framing: Framing::None,
//!     least_per_item: 0,
//!     asserted_by_caller: false,
//!     version: None,
//!     message_counter: None,
//! })?);
//! let packed = pack(&frame, PackOptions {
//!     budget: Some(20),
//!     reserve: 0,
//!     margin: Margin::Tokens(0),
//!     profile: Arc::clone(&profile),
//!     render: None,
//!     separator: "\n\n".to_owned(),
//!     labels: false,
//!     boundary: Boundary::internal("application"),
//!     policies: Vec::new(),
//!     overflow: Vec::new(),
//!     now: None,
//!     sections: Vec::new(),
//!     layout: Layout::Input,
//!     previous: Vec::new(),
//!     strategies: Vec::new(),
//!     hash_key: None,
//!     selection: Selection::Greedy,
//!     merged: None,
//!     fixed: 0,
//!     planned: None,
//! })?;
//!
//! let text = packed.text()?;
//! assert_eq!(text, "Who wrote it?\n\nIt was written in 1843 by Ada Lovelace.");
//! assert_eq!(packed.total_tokens(), profile.count(&text)?);
//! let why = packed.manifest().why(frame.id(2)).expect("each row has a fate");
//! assert_eq!((why.fate, why.reason.as_str()), ("excluded", "budget"));
//! # Ok::<(), Error>(())
//! ```

mod alternative;
mod batch;
mod boundary;
mod catalogue;
mod content;
mod conversation;
mod count_memory;
mod counter;
mod error;
mod frame;
mod framing;
mod history;
mod instant;
mod item;
mod json_cut;
mod json_text;
mod key;
mod manifest;
mod message_count;
mod nearest;
mod once;
mod optimal;
mod pack;
mod pack_batch;
mod policy;
mod printable;
mod profile;
mod recall;
mod rendering;
mod request;
mod secret;
mod section;
mod share;
mod special;
mod strategy;
mod text_verbs;
mod word;

pub use alternative::Alternative;
pub use boundary::{Boundary, Secrets};
pub use catalogue::{Language, language, reason_remedy, reason_sentence, set_language};
pub use content::{
    Binary, Body, Content, ContentFields, CostKey, Hash, MAX_COUNT, Reference,
    alternatives_from_json, alternatives_to_json, hex, metadata_json,
};
pub use conversation::{
    Conversation, ConversionNote, Converted, Format, Message, MessageFacts, MessageProblem,
    MessageRepair, Protection, RepairMode, RepairOptions, Repaired, RepairedMessage, Severity,
    Shorten, convert_messages, repair_messages, validate_messages,
};
pub use counter::{TokenCounter, TokenMark};
pub use error::{BudgetExceeded, Cause, Error, ErrorKind, Fault, ItemCost, Problem, Violation};
pub use frame::{
    Compare, Demotion, Dialogue, Expression, Frame, FrameBuilder, Merge, Redact, Redacted,
    Redaction, Scalar, SortKey,
};
pub use framing::{
    ChatRequest, ChatTemplate, FRAMING_TABLE, Framing, FramingRow, Harmony, MessageCounter,
    MistralVersion, Provider, RenderedCounter, RenderedFraming, Renderer, TableFraming,
    TemplateSpec,
};
pub use history::{FrameOptions, frame_of_messages, frame_to_count, pack};
pub use instant::{Instant, iso, iso_problem, parse_iso};
pub use item::{Extra, Item, ItemSpec};
pub use key::Key;
pub use manifest::{
    Amount, BoundaryRecord, Breakdown, Change, DemotionRecord, Diff, DiffRecord, Document, Dropped,
    EditRecord, ExcludedRecord, FateRecord, GroupRecord, Manifest, MergedRecord, Nothing,
    OptimalRecord, ProfileRecord, ProviderCountRecord, RedactionRecord, RepairRecord,
    SCHEMA_VERSION, SectionAccount, SectionRecord, SelectedRecord, SignatureRecord,
    SubstitutionRecord, TruncationRecord, WarningRecord, Why,
};
pub use message_count::{Beside, MessageCount, MessagePart, count_messages};
pub use nearest::{nearest, unknown_field_word, unknown_option_word};
pub use pack::{
    MAX_TOKENS, Margin, Merged, Overflow, Pack, PackOptions, Planned, Selection, Values,
};
pub use pack_batch::pack_many;
pub use policy::{Policy, Predicate, Valuer};
pub use printable::{printable, quoted};
pub use profile::{ProfileSpec, TokenProfile};
pub use rendering::{Listed, frame_messages, messages, text};
pub use request::{
    ContextSection, DataBlock, Explained, Origin, Plan, Receipt, Request, Talk, plan,
};
pub use secret::{Secret, SecretRules};
pub use section::{DropRule, Section};
pub use strategy::{DropResult, Strategy};
pub use text_verbs::{character_offsets, parse_at, parse_keep, unknown_id};
pub use word::{Accuracy, Layout, Render, Retention, Role, Sensitivity, Trust};

//! The manifest as it is stored: schema version 2.
//!
//! Fields stand in the order of their names, so that the JSON is canonical as it is written. A new
//! field belongs into `manifest.schema.json` too; what version 1 had not stands in `version.rs`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::section::DropRule;
use crate::word::{Accuracy, Layout, Render, Retention, Role};

/// The schema version that this library writes.
pub const SCHEMA_VERSION: u32 = 2;

/// A number of tokens and what it is worth.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Amount {
    /// What the number is worth.
    pub accuracy: Accuracy,
    /// Tokens; negative where joining saves some.
    pub tokens: i64,
}

/// Where the pack goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoundaryRecord {
    /// `internal` or `external`.
    pub kind: String,
    /// Whether items without sources are refused.
    pub require_provenance: bool,
    /// The name of the place.
    pub target: String,
}

/// What is known of an optimal selection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OptimalRecord {
    /// What repeating took off the value of what was selected, in all.
    pub discount: f64,
    /// What it takes off the value of a row that is equal to another, as a part; `None` for nothing.
    pub diversity: Option<f64>,
    /// Nodes that were searched.
    pub effort: u64,
    /// What may be missing of the bound, as a part of it.
    pub gap: f64,
    /// Whether nothing is worth more.
    pub proved: bool,
    /// What no selection is worth more than.
    pub upper_bound: f64,
    /// What was selected is worth, preferred and optional.
    pub value: f64,
}

/// A change of a row's retention.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DemotionRecord {
    /// `demote`, `promote` or `overflow`.
    pub by: String,
    /// What it was.
    pub from: Retention,
    /// The row.
    pub row: usize,
    /// What it is now.
    pub to: Retention,
}

/// A row that is in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelectedRecord {
    /// The hash of its content; `None` where a secret in it was refused or taken out.
    pub content_sha256: Option<String>,
    /// Tokens of its content.
    pub content_tokens: Option<u64>,
    /// What they are worth.
    pub content_tokens_accuracy: Option<Accuracy>,
    /// Tokens over its content, as a message.
    pub envelope_tokens: Option<u64>,
    /// What they are worth.
    pub envelope_tokens_accuracy: Option<Accuracy>,
    /// `whole`, `redacted`, `cut` or `alternative`.
    pub form: Cow<'static, str>,
    /// Its group.
    pub group: Option<Arc<str>>,
    /// Its id.
    pub id: Arc<str>,
    /// Tokens of its label, in a text.
    pub label_tokens: Option<u64>,
    /// What they are worth.
    pub label_tokens_accuracy: Option<Accuracy>,
    /// Where its part starts in the text, in bytes: at its label, if it has one.
    pub offset_bytes: Option<usize>,
    /// Tokens of the text that end there or before.
    pub offset_tokens: Option<usize>,
    /// What they are worth.
    pub offset_tokens_accuracy: Option<Accuracy>,
    /// Its place in the rendering.
    pub position: usize,
    /// Its retention.
    pub retention: Retention,
    /// Its role.
    pub role: Role,
    /// Its row.
    pub row: usize,
    /// Its section.
    pub section: Option<Arc<str>>,
    /// Tokens in all.
    pub tokens: Option<u64>,
    /// What they are worth.
    pub tokens_accuracy: Option<Accuracy>,
    /// `required`, `pinned`, `floor` or `score`.
    pub why: Cow<'static, str>,
}

/// A row that is out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExcludedRecord {
    /// The hash of its content; `None` where a secret in it was refused or taken out.
    pub content_sha256: Option<String>,
    /// Tokens of its content.
    pub content_tokens: Option<u64>,
    /// What they are worth.
    pub content_tokens_accuracy: Option<Accuracy>,
    /// Tokens over its content, as a message.
    pub envelope_tokens: Option<u64>,
    /// What they are worth.
    pub envelope_tokens_accuracy: Option<Accuracy>,
    /// Its group.
    pub group: Option<Arc<str>>,
    /// Its id.
    pub id: Arc<str>,
    /// Tokens of its label, in a text.
    pub label_tokens: Option<u64>,
    /// What they are worth.
    pub label_tokens_accuracy: Option<Accuracy>,
    /// The reason code.
    pub reason: Cow<'static, str>,
    /// Its retention.
    pub retention: Retention,
    /// Its role.
    pub role: Role,
    /// Its row.
    pub row: usize,
    /// What a policy said.
    pub rule: Option<String>,
    /// Its section.
    pub section: Option<Arc<str>>,
    /// By how much the rendering with its group would be over.
    pub shortfall: Option<i64>,
    /// What the shortfall is worth.
    pub shortfall_accuracy: Option<Accuracy>,
    /// Tokens in all.
    pub tokens: Option<u64>,
    /// What they are worth.
    pub tokens_accuracy: Option<Accuracy>,
}

/// A row that was merged into another before packing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MergedRecord {
    /// The hash of its content; `None` where a secret in it was refused or taken out.
    pub content_sha256: Option<String>,
    /// Its id.
    pub id: Arc<str>,
    /// The id of the row that it was merged into.
    pub into_id: Arc<str>,
    /// That row, if it is still in the frame.
    pub into_row: Option<usize>,
    /// `duplicate`.
    pub reason: String,
    /// Its row in the frame that was deduplicated.
    pub row: usize,
    /// How similar the two are, where near ones were merged.
    pub similarity: Option<f64>,
}

/// Rows that share one fate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupRecord {
    /// Its name, if it has one.
    pub group: Option<Arc<str>>,
    /// `named`, `chat`, or `mixed`.
    pub kind: String,
    /// Its rows.
    pub rows: Vec<usize>,
}

/// A proof that whoever holds a key wrote the rest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignatureRecord {
    /// `hmac-sha256`.
    pub algorithm: String,
    /// The code of the canonical JSON without `manifest_id` and `signature`.
    pub value: String,
}

/// Something that the caller should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WarningRecord {
    /// A stable code.
    pub code: String,
    /// The row it is about.
    pub row: Option<usize>,
}

/// A section that was declared, and what it got.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SectionRecord {
    /// Tokens that it may have at most: the tighter of `max_tokens` and `max_share`.
    pub cap: Option<u64>,
    /// The drop rule.
    pub drop: DropRule,
    /// Rows of it that are out.
    pub excluded: usize,
    /// Tokens up to which room was held for it.
    pub floor: u64,
    /// What they are worth.
    pub floor_accuracy: Accuracy,
    /// Tokens of its header, with what stands behind it.
    pub header_tokens: u64,
    /// What they are worth.
    pub header_tokens_accuracy: Accuracy,
    /// The cap that was asked for, as a share of what is available.
    pub max_share: Option<f64>,
    /// The cap that was asked for.
    pub max_tokens: Option<u64>,
    /// The floor that was asked for.
    pub min_tokens: u64,
    /// Its name.
    pub name: Arc<str>,
    /// Its priority.
    pub priority: f64,
    /// Rows of it that are in.
    pub selected: usize,
    /// The strategy that dropped instead of the rule.
    pub strategy: Option<Arc<str>>,
    /// Why the strategy's answer was set aside and the default rule decided; `None` if it stood.
    pub strategy_fault: Option<String>,
    /// Tokens of what is in, with header and separators, as a sum of parts.
    pub tokens: u64,
    /// What they are worth.
    pub tokens_accuracy: Accuracy,
}

/// An item that was cut.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TruncationRecord {
    /// Where a cut may be; `element` for JSON, `strategy` where one of the caller's cut, `edits` for
    /// a message that edits made shorter.
    pub at: String,
    /// Bytes of its content before.
    pub bytes: usize,
    /// The hash of the content that it is packed as.
    pub content_sha256: String,
    /// Its id.
    pub id: Arc<str>,
    /// Which part is kept; `None` for `strategy` and `edits`, as in the next three.
    pub keep: Option<String>,
    /// Bytes of the end that are kept.
    pub kept_at_end: Option<usize>,
    /// Bytes of the start that are kept.
    pub kept_at_start: Option<usize>,
    /// What stands in the place of the rest.
    pub marker: Option<String>,
    /// Its row.
    pub row: usize,
    /// Tokens of its content now.
    pub tokens: u64,
    /// What they are worth.
    pub tokens_accuracy: Accuracy,
    /// Tokens of its content before.
    pub tokens_before: u64,
    /// What they are worth.
    pub tokens_before_accuracy: Accuracy,
}

/// A content that something was taken out of: secrets, at the boundary, or what a pattern found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RedactionRecord {
    /// The place of the alternative, where it is one.
    pub alternative: Option<usize>,
    /// `boundary`, or `redact` where the frame was redacted before.
    pub by: String,
    /// The hash of what is left; `None` where a secret in that was refused.
    pub content_sha256: Option<String>,
    /// The id of the item.
    pub id: Arc<str>,
    /// Its row.
    pub row: usize,
    /// The rules that found something, in the order of the content; none of a pattern.
    pub rules: Vec<String>,
    /// How many secrets there were; `None` where a pattern was looked for.
    pub secrets: Option<usize>,
}

/// An item that an alternative stands in for, or an alternative that was refused.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubstitutionRecord {
    /// The place of the alternative in the item's list.
    pub alternative: usize,
    /// The hash of the alternative; `None` where a secret in it was refused or taken out.
    pub content_sha256: Option<String>,
    /// Its id.
    pub id: Arc<str>,
    /// Why the alternative was refused; `None` where it is in.
    pub reason: Option<String>,
    /// Its row.
    pub row: usize,
    /// What a policy said.
    pub rule: Option<String>,
    /// Tokens of the alternative, if it was counted.
    pub tokens: Option<u64>,
    /// What they are worth.
    pub tokens_accuracy: Option<Accuracy>,
    /// Tokens of the item's own content, if they were counted.
    pub tokens_before: Option<u64>,
    /// What they are worth.
    pub tokens_before_accuracy: Option<Accuracy>,
    /// The share of the item's value that it keeps.
    pub value: f64,
}

/// What was counted with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProfileRecord {
    /// Whether the accuracy is the caller's word.
    pub asserted_by_caller: bool,
    /// Tokens that a list of messages costs once.
    pub base_tokens: u64,
    /// Tokens that each message costs over its content.
    pub envelope_tokens_per_item: u64,
    /// `none`, `table` or `rendered`.
    pub framing: String,
    /// The date of the source.
    pub framing_date: Option<String>,
    /// Where the framing's numbers come from.
    pub framing_source: Option<String>,
    /// The hash of the tokenizer's data.
    pub tokenizer_sha256: Option<String>,
    /// Whether the fingerprint covers the tokenizer's data.
    pub verified: bool,
}

/// Where the tokens went, by four views of the same pack.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Breakdown {
    /// By what they are for; sums to the total.
    pub part: BTreeMap<String, Amount>,
    /// By retention of the selected rows.
    pub retention: BTreeMap<String, Amount>,
    /// By role of the selected rows.
    pub role: BTreeMap<String, Amount>,
    /// By section of the selected rows; the empty name is none.
    pub section: BTreeMap<String, Amount>,
}

/// One change of a message, made before packing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RepairRecord {
    /// The id of the call, the result or the item.
    pub id: Option<String>,
    /// What was done.
    pub kind: String,
    /// The place in the message.
    pub path: String,
    /// The message, by its position in history and final.
    pub row: usize,
    /// The message of the call behind which a result stands now, by its position.
    pub to_row: Option<usize>,
}

/// The provider's own count of the request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProviderCountRecord {
    /// What it has more than `total_tokens`.
    pub difference: i64,
    /// Whether it is within what is available.
    pub fits: bool,
    /// Tokens as the provider counts them.
    pub tokens: u64,
}

/// One change that made a message shorter, made before packing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EditRecord {
    /// The hash of the whole message; `None` where secrets were taken out of it.
    pub content_sha256: Option<String>,
    /// Its number: changes that were made together have the same.
    pub edit: usize,
    /// `thinking`, `clear`, `results` or `text`.
    pub kind: String,
    /// The tokens that the place may have, where it was cut.
    pub limit: Option<u64>,
    /// The place in the message; empty for all of it.
    pub path: String,
    /// The message, by its position in history and final.
    pub row: usize,
    /// Tokens of the place now.
    pub tokens_after: u64,
    /// What they are worth.
    pub tokens_after_accuracy: Accuracy,
    /// Tokens of the place before.
    pub tokens_before: u64,
    /// What they are worth.
    pub tokens_before_accuracy: Accuracy,
}

/// Nothing: lists that this version of the library has no entries for.
pub type Nothing = Vec<()>;

/// The manifest as it is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// The weakest of what is in the pack.
    pub accuracy: Accuracy,
    /// Budget less reserve and margin.
    pub available: Option<i64>,
    /// Where the pack goes.
    pub boundary: BoundaryRecord,
    /// The ceiling of the call.
    pub budget: Option<u64>,
    /// What the hashes of contents are: `sha256`, or `hmac-sha256` with a key of the caller's.
    pub content_hash: String,
    /// Changes of retention.
    pub demotions: Vec<DemotionRecord>,
    /// Messages that were made shorter.
    pub edits: Vec<EditRecord>,
    /// Whether the count is not exact.
    pub estimated: bool,
    /// Rows that are out.
    pub excluded: Vec<ExcludedRecord>,
    /// Groups of two rows and more.
    pub groups: Vec<GroupRecord>,
    /// Hooks that ran.
    pub hooks: Nothing,
    /// Text that was put in.
    pub insertions: Nothing,
    /// Whether a text shows who speaks.
    pub labels: bool,
    /// The order of the rendering.
    pub layout: Layout,
    /// The version of the library that packed.
    pub library_version: String,
    /// The SHA-256 of this document without this field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub manifest_id: Option<String>,
    /// Tokens kept off.
    pub margin: u64,
    /// Rows merged before packing.
    pub merged: Vec<MergedRecord>,
    /// The time against which items expired.
    pub now: Option<String>,
    /// What is known of an optimal selection; `None` of a greedy one.
    pub optimal: Option<OptimalRecord>,
    /// Ids of the policies.
    pub policies: Vec<String>,
    /// The provider's own count, once it is known.
    pub provider_count: Option<ProviderCountRecord>,
    /// Secrets, and what patterns found, that were taken out.
    pub redactions: Vec<RedactionRecord>,
    /// What is left.
    pub remaining_tokens: Option<i64>,
    /// `text` or `messages`.
    pub render: Render,
    /// Bytes of the text.
    pub rendered_bytes: Option<usize>,
    /// The SHA-256 of the text.
    pub rendered_sha256: Option<String>,
    /// Messages that were mended.
    pub repairs: Vec<RepairRecord>,
    /// The part kept for the reply.
    pub reserve: u64,
    /// The version of this schema.
    pub schema_version: u32,
    /// Sections that were declared.
    pub sections: Vec<SectionRecord>,
    /// Rows that are in, by row; `position` is their place in the rendering.
    pub selected: Vec<SelectedRecord>,
    /// How groups were selected.
    pub selection: String,
    /// What stands between two parts of a text.
    pub separator: String,
    /// Who vouches for the rest.
    pub signature: Option<SignatureRecord>,
    /// The strategy that shifted a conversation.
    pub strategy: Option<String>,
    /// Alternatives that were taken.
    pub substitutions: Vec<SubstitutionRecord>,
    /// Rules that were switched off.
    pub switches: Vec<String>,
    /// What was counted with.
    pub token_profile: ProfileRecord,
    /// The hash of all that decides its numbers.
    pub token_profile_fingerprint: String,
    /// Its name.
    pub token_profile_id: String,
    /// Where the tokens went.
    pub tokens_by: Breakdown,
    /// Tokens of the rendering.
    pub total_tokens: u64,
    /// Items that were cut.
    pub truncations: Vec<TruncationRecord>,
    /// What the caller should know.
    pub warnings: Vec<WarningRecord>,
}

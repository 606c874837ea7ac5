//! What differs between two packs.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Write;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use super::document::Document;
use crate::content::unhex;
use crate::printable::printable;
use crate::word::{Accuracy, Retention, Role};

/// What differs between two packs, by the ids of their rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Diff {
    /// The id of the manifest after.
    pub after_id: Option<String>,
    /// The id of the manifest before.
    pub before_id: Option<String>,
    /// What changed, but neither entered nor left; by row.
    pub changed: Vec<DiffRecord>,
    /// What is in now and was not; by row.
    pub entered: Vec<DiffRecord>,
    /// What was in and is not now; by row before.
    pub left: Vec<DiffRecord>,
    /// Values of the whole that differ, by key.
    pub numbers: BTreeMap<String, Change>,
}

/// A value of the whole in two packs; null where one has no such value.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// What it is now.
    pub after: Value,
    /// What it was.
    pub before: Value,
}

/// One id in two packs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DiffRecord {
    /// What it is now; `None` where no row has the id.
    pub after: Option<FateRecord>,
    /// What it was; `None` where no row had the id.
    pub before: Option<FateRecord>,
    /// Which keys differ. `position` is there where it stands elsewhere among what is in both.
    pub fields: Vec<&'static str>,
    /// The id.
    pub id: Arc<str>,
}

/// What became of a row, for a comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FateRecord {
    /// The hash of its content.
    pub content_sha256: Option<String>,
    /// `selected`, `excluded` or `merged`.
    pub fate: &'static str,
    /// The form of a selected row.
    pub form: Option<String>,
    /// Its place in the rendering.
    pub position: Option<usize>,
    /// The reason code; of a selected row, why it is in.
    pub reason: String,
    /// Its retention.
    pub retention: Option<Retention>,
    /// Its role.
    pub role: Option<Role>,
    /// Its row.
    pub row: usize,
    /// Its section.
    pub section: Option<Arc<str>>,
    /// Its tokens.
    pub tokens: Option<u64>,
    /// What they are worth.
    pub tokens_accuracy: Option<Accuracy>,
}

/// Compares two documents. O(n log n) in rows.
pub(super) fn diff(before: &Document, after: &Document) -> Diff {
    let (old, new) = (fates(before), fates(after));
    let moved = moved(&old, &new);
    let hashes = before.content_hash == after.content_hash;
    let mut found = Diff {
        after_id: after.manifest_id.clone(),
        before_id: before.manifest_id.clone(),
        changed: Vec::new(),
        entered: Vec::new(),
        left: Vec::new(),
        numbers: numbers(before, after),
    };
    let is_in = |fate: Option<&FateRecord>| fate.is_some_and(|fate| fate.fate == "selected");
    let mut ids: Vec<(&Arc<str>, bool, usize)> = new
        .iter()
        .map(|(id, fate)| (id, false, fate.row))
        .chain(
            old.iter()
                .filter(|(id, _)| !new.contains_key(*id))
                .map(|(id, fate)| (id, true, fate.row)),
        )
        .collect();
    ids.sort_unstable_by(|a, b| (a.1, a.2, a.0).cmp(&(b.1, b.2, b.0)));
    for (id, ..) in ids {
        let (was, is) = (old.get(id), new.get(id));
        let fields = match (was, is) {
            (Some(was), Some(is)) => fields(was, is, hashes, moved.contains(id)),
            _ => vec!["fate"],
        };
        if fields.is_empty() {
            continue;
        }
        let record = DiffRecord {
            after: is.cloned(),
            before: was.cloned(),
            fields,
            id: Arc::clone(id),
        };
        match (is_in(was), is_in(is)) {
            (false, true) => found.entered.push(record),
            (true, false) => found.left.push(record),
            _ => found.changed.push(record),
        }
    }
    found
        .left
        .sort_by_key(|record| record.before.as_ref().map(|fate| fate.row));
    found
}

fn fates(document: &Document) -> HashMap<Arc<str>, FateRecord> {
    let mut found = HashMap::new();
    for record in &document.merged {
        let fate = FateRecord {
            content_sha256: record.content_sha256.clone(),
            fate: "merged",
            form: None,
            position: None,
            reason: record.reason.clone(),
            retention: None,
            role: None,
            row: record.row,
            section: None,
            tokens: None,
            tokens_accuracy: None,
        };
        found.insert(Arc::clone(&record.id), fate);
    }
    for record in &document.excluded {
        let fate = FateRecord {
            content_sha256: record.content_sha256.clone(),
            fate: "excluded",
            form: None,
            position: None,
            reason: record.reason.to_string(),
            retention: Some(record.retention),
            role: Some(record.role),
            row: record.row,
            section: record.section.clone(),
            tokens: record.tokens,
            tokens_accuracy: record.tokens_accuracy,
        };
        found.insert(Arc::clone(&record.id), fate);
    }
    for record in &document.selected {
        let fate = FateRecord {
            content_sha256: record.content_sha256.clone(),
            fate: "selected",
            form: Some(record.form.to_string()),
            position: Some(record.position),
            reason: record.why.to_string(),
            retention: Some(record.retention),
            role: Some(record.role),
            row: record.row,
            section: record.section.clone(),
            tokens: record.tokens,
            tokens_accuracy: record.tokens_accuracy,
        };
        found.insert(Arc::clone(&record.id), fate);
    }
    found
}

fn fields(was: &FateRecord, is: &FateRecord, hashes: bool, moved: bool) -> Vec<&'static str> {
    [
        (
            "content_sha256",
            hashes && was.content_sha256 != is.content_sha256,
        ),
        ("fate", was.fate != is.fate),
        ("form", was.form != is.form && was.fate == is.fate),
        ("position", moved),
        ("reason", was.reason != is.reason && was.fate == is.fate),
        ("retention", was.retention != is.retention),
        ("role", was.role != is.role),
        ("section", was.section != is.section),
        ("tokens", was.tokens != is.tokens),
        ("tokens_accuracy", was.tokens_accuracy != is.tokens_accuracy),
    ]
    .into_iter()
    .filter_map(|(name, differs)| differs.then_some(name))
    .collect()
}

/// Returns the fewest ids whose moving turns the old order of what is in both into the new one:
/// all but a longest increasing run of new places.
fn moved<'a>(
    old: &'a HashMap<Arc<str>, FateRecord>,
    new: &HashMap<Arc<str>, FateRecord>,
) -> HashSet<&'a Arc<str>> {
    let mut kept: Vec<(usize, usize, &Arc<str>)> = old
        .iter()
        .filter_map(|(id, was)| Some((was.position?, new.get(id)?.position?, id)))
        .collect();
    kept.sort_unstable();
    // Of each length, the run that ends in the lowest place; and before each id the one in its run.
    let mut ends: Vec<usize> = Vec::new();
    let mut previous: Vec<Option<usize>> = vec![None; kept.len()];
    for at in 0..kept.len() {
        let length = ends.partition_point(|&end| kept[end].1 < kept[at].1);
        previous[at] = length.checked_sub(1).map(|before| ends[before]);
        if length == ends.len() {
            ends.push(at);
        } else {
            ends[length] = at;
        }
    }
    let mut stays = vec![false; kept.len()];
    let mut at = ends.last().copied();
    while let Some(place) = at {
        stays[place] = true;
        at = previous[place];
    }
    kept.into_iter()
        .zip(stays)
        .filter(|(_, stays)| !stays)
        .map(|((.., id), _)| id)
        .collect()
}

/// Returns the values of the whole that differ.
fn numbers(before: &Document, after: &Document) -> BTreeMap<String, Change> {
    let (old, new) = (values(before), values(after));
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    names
        .into_iter()
        .filter_map(|name| {
            let before = old.get(name).cloned().unwrap_or(Value::Null);
            let after = new.get(name).cloned().unwrap_or(Value::Null);
            (before != after).then(|| (name.clone(), Change { after, before }))
        })
        .collect()
}

fn values(document: &Document) -> BTreeMap<String, Value> {
    let mut values = BTreeMap::new();
    let mut put = |name: &str, value: Value| values.insert(name.to_owned(), value);
    put("accuracy", document.accuracy.as_str().into());
    put("available", document.available.into());
    let boundary = &document.boundary;
    put(
        "boundary",
        format!("{}:{}", boundary.kind, boundary.target).into(),
    );
    put("budget", document.budget.into());
    put("content_hash", document.content_hash.as_str().into());
    put("labels", document.labels.into());
    put("layout", document.layout.as_str().into());
    put("library_version", document.library_version.as_str().into());
    put("margin", document.margin.into());
    put("now", document.now.as_deref().into());
    put("policies", document.policies.clone().into());
    put("remaining_tokens", document.remaining_tokens.into());
    put("render", document.render.as_str().into());
    put(
        "rendered_sha256",
        document.rendered_sha256.as_deref().into(),
    );
    put("reserve", document.reserve.into());
    put("schema_version", document.schema_version.into());
    put("selection", document.selection.as_str().into());
    put("separator", document.separator.as_str().into());
    put(
        "token_profile_fingerprint",
        document.token_profile_fingerprint.as_str().into(),
    );
    put(
        "token_profile_id",
        document.token_profile_id.as_str().into(),
    );
    put("total_tokens", document.total_tokens.into());
    for section in &document.sections {
        let name = &section.name;
        put(&format!("sections.{name}.cap"), section.cap.into());
        put(&format!("sections.{name}.floor"), section.floor.into());
        put(&format!("sections.{name}.tokens"), section.tokens.into());
    }
    for (part, amount) in &document.tokens_by.part {
        put(&format!("tokens_by.part.{part}"), amount.tokens.into());
    }
    values
}

impl Diff {
    /// Says whether nothing differs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let rows = self.changed.len() + self.entered.len() + self.left.len();
        rows == 0 && self.numbers.is_empty()
    }

    /// Returns lines for a person to read; at most so many ids are shown.
    #[must_use]
    pub fn summary(&self, limit: usize) -> String {
        if self.is_empty() {
            return "no difference\n".to_owned();
        }
        let mut out = format!(
            "{} entered, {} left, {} changed\n",
            self.entered.len(),
            self.left.len(),
            self.changed.len()
        );
        for (name, Change { after, before }) in &self.numbers {
            let name = printable(name);
            let _ = writeln!(out, "{name}: {} -> {}", plain(before), plain(after));
        }
        let rows = [
            ("entered", &self.entered),
            ("left", &self.left),
            ("changed", &self.changed),
        ];
        let mut shown = 0;
        let mut hidden = 0;
        for (word, records) in rows {
            for record in records {
                if shown == limit {
                    hidden += 1;
                    continue;
                }
                shown += 1;
                let _ = writeln!(out, "{word} {}: {}", printable(&record.id), told(record));
            }
        }
        if hidden > 0 {
            let _ = writeln!(out, "... and {hidden} more ids");
        }
        out
    }
}

/// Says what differs of one id.
fn told(record: &DiffRecord) -> String {
    let fate = |fate: Option<&FateRecord>| match fate {
        None => "absent".to_owned(),
        Some(fate) if fate.fate == "selected" => format!("in ({})", printable(&fate.reason)),
        Some(fate) if fate.fate == "excluded" => format!("out ({})", printable(&fate.reason)),
        Some(_) => "merged".to_owned(),
    };
    let (was, is) = (record.before.as_ref(), record.after.as_ref());
    let mut parts = Vec::new();
    for &field in &record.fields {
        let pair = |value: fn(&FateRecord) -> Option<String>| {
            let show = |fate: Option<&FateRecord>| {
                fate.and_then(value)
                    .map_or_else(|| "-".to_owned(), |value| printable(&value))
            };
            format!("{field} {} -> {}", show(was), show(is))
        };
        parts.push(match field {
            "fate" => format!("{} -> {}", fate(was), fate(is)),
            "content_sha256" => "other content".to_owned(),
            "form" => pair(|fate| fate.form.clone()),
            "position" => pair(|fate| Some(fate.position?.to_string())),
            "reason" => pair(|fate| Some(fate.reason.clone())),
            "retention" => pair(|fate| Some(fate.retention?.to_string())),
            "role" => pair(|fate| Some(fate.role?.to_string())),
            "section" => pair(|fate| fate.section.as_deref().map(str::to_owned)),
            "tokens" => pair(|fate| Some(fate.tokens?.to_string())),
            _ => pair(|fate| Some(fate.tokens_accuracy?.to_string())),
        });
    }
    parts.join(", ")
}

fn plain(value: &Value) -> String {
    match value {
        // So much of a hash tells it from others.
        Value::String(text) if text.len() == 64 && unhex(text).is_some() => {
            format!("{}…", &text[..12])
        }
        Value::String(text) => printable(text),
        other => printable(&other.to_string()),
    }
}

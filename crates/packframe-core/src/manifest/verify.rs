//! A manifest held against the frame and the text that it speaks of.

use std::collections::{HashMap, HashSet};

use sha2::{Digest, Sha256};

use super::document::{Document, TruncationRecord};
use crate::content::{Content, Hash};
use crate::frame::Frame;
use crate::json_cut::JsonCut;
use crate::key::{Key, shown_hash};
use crate::printable::printable;
use crate::word::{Retention, Role};

/// Differences that are listed.
const MOST: usize = 100;

/// What a record says of a row that its frame says too.
struct Row<'a> {
    at: usize,
    id: &'a str,
    content_sha256: Option<&'a str>,
    section: Option<&'a str>,
    role: Role,
    retention: Retention,
    group: Option<&'a str>,
}

/// Returns where a document and a frame, or a text, do not agree, each naming row and key.
///
/// O(n log n) in rows, and linear in contents that were not hashed before.
pub(super) fn differences(
    document: &Document,
    frame: &Frame,
    key: Option<&Key>,
    rendered: Option<&str>,
) -> Vec<String> {
    let mut found = Found(Vec::new(), 0);
    let rows = rows(document);
    if rows.len() != frame.len() {
        found.add(&format!(
            "the manifest has {} rows, the frame has {}",
            rows.len(),
            frame.len()
        ));
    }
    // What packing lowered is higher in the frame that was given to it, and what it had to lead with
    // is lower.
    let mut given: HashMap<usize, Retention> = HashMap::new();
    for change in document
        .demotions
        .iter()
        .filter(|change| ["overflow", "leading"].contains(&&*change.by))
    {
        given.entry(change.row).or_insert(change.from);
    }
    for recorded in rows.iter().filter(|recorded| recorded.at < frame.len()) {
        let retention = given.get(&recorded.at).copied();
        row(recorded, retention, frame, key, &mut found);
    }
    cuts(document, frame, key, &mut found);
    replacements(document, frame, key, &mut found);
    if let Some(text) = rendered {
        let shown = shown_hash(key, &Sha256::digest(text.as_bytes()).into());
        if document.rendered_sha256.as_deref() != Some(&shown) {
            found.add("rendered_sha256: is of another text");
        }
        if document.rendered_bytes != Some(text.len()) {
            found.add(&format!(
                "rendered_bytes: is {}, the text has {}",
                document.rendered_bytes.unwrap_or(0),
                text.len()
            ));
        }
    }
    found.list()
}

fn rows(document: &Document) -> Vec<Row<'_>> {
    let selected = document.selected.iter().map(|record| Row {
        at: record.row,
        id: &record.id,
        content_sha256: record.content_sha256.as_deref(),
        section: record.section.as_deref(),
        role: record.role,
        retention: record.retention,
        group: record.group.as_deref(),
    });
    let excluded = document.excluded.iter().map(|record| Row {
        at: record.row,
        id: &record.id,
        content_sha256: record.content_sha256.as_deref(),
        section: record.section.as_deref(),
        role: record.role,
        retention: record.retention,
        group: record.group.as_deref(),
    });
    let mut rows: Vec<Row<'_>> = selected.chain(excluded).collect();
    rows.sort_unstable_by_key(|row| row.at);
    rows
}

fn row(
    recorded: &Row<'_>,
    given: Option<Retention>,
    frame: &Frame,
    key: Option<&Key>,
    found: &mut Found,
) {
    let at = recorded.at;
    let mut compare = |name: &str, recorded: &str, framed: &str| {
        if recorded != framed {
            found.add(&format!(
                "row {at}: {name} is {}, the frame has {}",
                printable(recorded),
                printable(framed)
            ));
        }
    };
    compare("id", recorded.id, frame.id(at));
    if let Some(hash) = recorded.content_sha256 {
        compare(
            "content_sha256",
            hash,
            &shown_hash(key, frame.content(at).hash()),
        );
    }
    let none = "none";
    compare(
        "section",
        recorded.section.unwrap_or(none),
        frame.section(at).map_or(none, |name| name),
    );
    compare(
        "group",
        recorded.group.unwrap_or(none),
        frame.group(at).map_or(none, |name| name),
    );
    compare("role", recorded.role.as_str(), frame.roles[at].as_str());
    // A pinned row is recorded as required; documents of before have what the item says.
    let recorded = given.unwrap_or(recorded.retention);
    if recorded != frame.retentions[at] {
        let framed = frame.retention(at).as_str();
        compare("retention", recorded.as_str(), framed);
    }
}

/// Cuts again what was cut.
fn cuts(document: &Document, frame: &Frame, key: Option<&Key>, found: &mut Found) {
    // What a strategy of the caller's made cannot be made again here, nor what was cut of a content
    // that secrets had been taken out of.
    let redacted: HashSet<usize> = document
        .redactions
        .iter()
        .filter(|record| record.alternative.is_none() && record.by == "boundary")
        .map(|record| record.row)
        .collect();
    let again = document.truncations.iter().filter(|record| {
        !matches!(&*record.at, "strategy" | "edits") && !redacted.contains(&record.row)
    });
    for record in again {
        let row = record.row;
        let cut = (row < frame.len())
            .then(|| cut_again(frame.content(row), record))
            .flatten();
        let hash: Option<Hash> = cut.map(|text| Sha256::digest(text.as_bytes()).into());
        if hash.map(|hash| shown_hash(key, &hash)).as_ref() != Some(&record.content_sha256) {
            found.add(&format!(
                "row {row}: truncations.content_sha256 is not that of the frame's content, cut so"
            ));
        }
    }
}

fn cut_again(content: &Content, record: &TruncationRecord) -> Option<String> {
    let stored = content.stored();
    if record.at == "element" {
        return JsonCut::of(stored).after(record.kept_at_start?);
    }
    let start = stored.get(..record.kept_at_start?)?;
    let end = stored.get(stored.len().checked_sub(record.kept_at_end?)?..)?;
    Some([start, record.marker.as_deref()?, end].concat())
}

fn replacements(document: &Document, frame: &Frame, key: Option<&Key>, found: &mut Found) {
    for record in &document.substitutions {
        let row = record.row;
        let given = (row < frame.len())
            .then(|| frame.extra(row)?.alternatives.get(record.alternative))
            .flatten();
        let hash = given.map(|given| shown_hash(key, given.content.hash()));
        if record.content_sha256.is_some() && hash != record.content_sha256 {
            found.add(&format!(
                "row {row}: substitutions.content_sha256 is not that of the frame's alternative {}",
                record.alternative
            ));
        }
    }
}

/// The differences that are listed, and how many there are in all.
struct Found(Vec<String>, usize);

impl Found {
    fn add(&mut self, difference: &str) {
        self.1 += 1;
        if self.0.len() < MOST {
            self.0.push(difference.to_owned());
        }
    }

    fn list(mut self) -> Vec<String> {
        if self.1 > self.0.len() {
            self.0.push(format!("and {} more", self.1 - self.0.len()));
        }
        self.0
    }
}

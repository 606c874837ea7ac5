//! The document of a pack, from what its stages wrote down.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use super::document::{
    Amount, BoundaryRecord, Breakdown, DemotionRecord, Document, ExcludedRecord, GroupRecord,
    MergedRecord, ProfileRecord, SCHEMA_VERSION, SelectedRecord,
};
use super::warnings::warnings;
use crate::content::hex;
use crate::frame::Frame;
use crate::instant::iso;
use crate::pack::{Fate, Ledger, row_accuracy, signed};
use crate::rendering;
use crate::word::{Accuracy, Render};

pub(super) fn document(ledger: &Ledger) -> Document {
    let (frame, options, room) = (&*ledger.frame, &*ledger.options, ledger.room);
    let profile = &*options.profile;
    let rows = ledger.selected();
    let total = ledger.total();
    let accuracy = ledger.accuracy(&rows);
    let text = (options.render() == Render::Text).then(|| {
        rendering::text(
            frame,
            rows.iter().copied(),
            &options.separator,
            options.labels,
        )
    });
    let (framing, source, date) = profile.framing_source();
    let selected: Vec<SelectedRecord> = rows
        .iter()
        .enumerate()
        .map(|(position, &row)| selected_record(ledger, row, position))
        .collect();
    Document {
        accuracy,
        available: room.available,
        boundary: BoundaryRecord {
            kind: options.boundary.kind().to_owned(),
            require_provenance: options.boundary.require_provenance(),
            target: options.boundary.target().to_owned(),
        },
        budget: room.budget,
        demotions: frame
            .demotions()
            .iter()
            .map(|change| DemotionRecord {
                by: change.by.to_owned(),
                from: change.from,
                row: change.row,
                to: change.to,
            })
            .collect(),
        estimated: accuracy != Accuracy::Exact,
        excluded: (0..frame.len())
            .filter_map(|row| excluded_record(ledger, row))
            .collect(),
        groups: groups(ledger),
        hooks: Vec::new(),
        insertions: Vec::new(),
        labels: options.labels,
        layout: "input".to_owned(),
        library_version: env!("CARGO_PKG_VERSION").to_owned(),
        manifest_id: None,
        margin: room.margin,
        merged: merged(frame),
        now: options.now.map(iso),
        policies: ledger.policies.clone(),
        remaining_tokens: room.available.map(|available| available - signed(total)),
        render: options.render(),
        rendered_bytes: text.as_ref().map(String::len),
        rendered_sha256: text
            .as_ref()
            .map(|text| hex(&Sha256::digest(text.as_bytes()).into())),
        repairs: Vec::new(),
        reserve: room.reserve,
        schema_version: SCHEMA_VERSION,
        sections: Vec::new(),
        selection: "greedy".to_owned(),
        separator: options.separator.clone(),
        strategy: None,
        substitutions: Vec::new(),
        switches: Vec::new(),
        token_profile: ProfileRecord {
            asserted_by_caller: profile.asserted_by_caller(),
            base_tokens: profile.base_tokens(),
            envelope_tokens_per_item: profile.envelope_tokens_per_item(),
            framing: framing.to_owned(),
            framing_date: date.map(str::to_owned),
            framing_source: source.map(str::to_owned),
            tokenizer_sha256: profile.tokenizer_sha256().map(str::to_owned),
            verified: profile.tokenizer_sha256().is_some(),
        },
        token_profile_fingerprint: profile.fingerprint().to_owned(),
        token_profile_id: profile.id().to_owned(),
        tokens_by: breakdown(ledger, &selected, total),
        selected,
        total_tokens: total,
        truncations: Vec::new(),
        warnings: warnings(ledger, &rows, text.as_deref()),
    }
}

fn merged(frame: &Frame) -> Vec<MergedRecord> {
    frame
        .merges()
        .iter()
        .map(|merge| MergedRecord {
            content_sha256: merge.content_sha256.clone(),
            id: merge.id.clone(),
            into_id: merge
                .into_row
                .map_or(&merge.into_id, |row| frame.id(row))
                .clone(),
            into_row: merge.into_row,
            reason: "duplicate".to_owned(),
            row: merge.row,
        })
        .collect()
}

fn selected_record(ledger: &Ledger, row: usize, position: usize) -> SelectedRecord {
    let frame = &*ledger.frame;
    let why = match ledger.fate(row) {
        Fate::Selected { why } => why,
        Fate::Excluded { .. } => unreachable!("only selected rows are recorded as selected"),
    };
    let accuracy = RowAccuracy::of(ledger, row);
    let cost = ledger.cost(row);
    SelectedRecord {
        content_sha256: hex(frame.content(row).hash()),
        content_tokens: cost.map(|cost| cost.content),
        content_tokens_accuracy: cost.map(|_| accuracy.content),
        envelope_tokens: cost.map(|cost| cost.envelope),
        envelope_tokens_accuracy: cost.map(|_| accuracy.envelope),
        form: "whole".to_owned(),
        group: frame.group(row).cloned(),
        id: frame.id(row).clone(),
        label_tokens: cost.map(|cost| cost.label),
        label_tokens_accuracy: cost.map(|_| accuracy.label),
        position,
        retention: frame.retentions[row],
        role: frame.roles[row],
        row,
        section: frame.section(row).cloned(),
        tokens: cost.map(|cost| cost.total),
        tokens_accuracy: cost.map(|_| accuracy.total),
        why: why.to_owned(),
    }
}

fn excluded_record(ledger: &Ledger, row: usize) -> Option<ExcludedRecord> {
    let Fate::Excluded {
        reason,
        rule,
        shortfall,
    } = ledger.fate(row)
    else {
        return None;
    };
    let frame = &*ledger.frame;
    let accuracy = RowAccuracy::of(ledger, row);
    let cost = ledger.cost(row);
    Some(ExcludedRecord {
        content_sha256: hex(frame.content(row).hash()),
        content_tokens: cost.map(|cost| cost.content),
        content_tokens_accuracy: cost.map(|_| accuracy.content),
        envelope_tokens: cost.map(|cost| cost.envelope),
        envelope_tokens_accuracy: cost.map(|_| accuracy.envelope),
        group: frame.group(row).cloned(),
        id: frame.id(row).clone(),
        label_tokens: cost.map(|cost| cost.label),
        label_tokens_accuracy: cost.map(|_| accuracy.label),
        reason,
        retention: frame.retentions[row],
        role: frame.roles[row],
        row,
        rule,
        section: frame.section(row).cloned(),
        shortfall,
        tokens: cost.map(|cost| cost.total),
        tokens_accuracy: cost.map(|_| accuracy.total),
    })
}

/// What the numbers of one row are worth.
struct RowAccuracy {
    content: Accuracy,
    envelope: Accuracy,
    label: Accuracy,
    total: Accuracy,
}

impl RowAccuracy {
    fn of(ledger: &Ledger, row: usize) -> Self {
        let render = ledger.options.render();
        let content = ledger.content_accuracy(row);
        let label = label_accuracy(ledger);
        Self {
            content,
            envelope: framing_accuracy(render),
            label,
            total: row_accuracy(content.weakest(label), render),
        }
    }
}

/// What base and envelope are worth: nothing exact is known of them, but that a text has none.
fn framing_accuracy(render: Render) -> Accuracy {
    match render {
        Render::Text => Accuracy::Exact,
        Render::Messages => Accuracy::Approximate,
    }
}

fn label_accuracy(ledger: &Ledger) -> Accuracy {
    if ledger.options.labels && ledger.options.render() == Render::Text {
        ledger.options.profile.accuracy()
    } else {
        Accuracy::Exact
    }
}

fn groups(ledger: &Ledger) -> Vec<GroupRecord> {
    let (frame, groups) = (&*ledger.frame, &ledger.groups);
    (0..groups.len())
        .filter(|&group| groups.rows(group).len() > 1)
        .map(|group| {
            let rows: Vec<usize> = groups.rows(group).iter().map(|&row| row as usize).collect();
            GroupRecord {
                group: rows.iter().find_map(|&row| frame.group(row).cloned()),
                kind: groups.kind(frame, group).to_owned(),
                rows,
            }
        })
        .collect()
}

fn breakdown(ledger: &Ledger, selected: &[SelectedRecord], total: u64) -> Breakdown {
    let options = &*ledger.options;
    let render = options.render();
    let profile = options.profile.accuracy();
    let sum = |part: fn(&SelectedRecord) -> Option<u64>| -> i64 {
        selected.iter().filter_map(part).map(signed).sum()
    };
    let content = sum(|record| record.content_tokens);
    let envelope = sum(|record| record.envelope_tokens);
    let labels = sum(|record| record.label_tokens);
    let (base, separator) = match &ledger.costs {
        Some(costs) if total > 0 || !selected.is_empty() => {
            (signed(costs.base), signed(costs.separator))
        }
        _ => (0, 0),
    };
    let separators = separator * signed(selected.len().saturating_sub(1) as u64);
    let joins = signed(total) - base - content - envelope - labels - separators;
    let of_text = if render == Render::Text {
        profile
    } else {
        Accuracy::Exact
    };
    let counted_whole = render == Render::Messages && options.profile.counts_messages();
    let of_joins = if counted_whole {
        Accuracy::Approximate
    } else {
        of_text
    };
    let of_content = selected
        .iter()
        .filter_map(|record| record.content_tokens_accuracy)
        .fold(profile, Accuracy::weakest);
    let mut by = Breakdown::default();
    for (part, tokens, accuracy) in [
        ("base", base, framing_accuracy(render)),
        ("content", content, of_content),
        ("envelope", envelope, framing_accuracy(render)),
        ("joins", joins, of_joins),
        ("labels", labels, label_accuracy(ledger)),
        ("separators", separators, of_text),
    ] {
        by.part.insert(part.to_owned(), Amount { accuracy, tokens });
    }
    for record in selected {
        let section = record.section.as_deref().unwrap_or("");
        add(&mut by.section, section, record);
        add(&mut by.role, record.role.as_str(), record);
        add(&mut by.retention, record.retention.as_str(), record);
    }
    by
}

fn add(view: &mut BTreeMap<String, Amount>, key: &str, record: &SelectedRecord) {
    let (Some(tokens), Some(accuracy)) = (record.tokens, record.tokens_accuracy) else {
        return;
    };
    match view.get_mut(key) {
        Some(amount) => {
            amount.tokens += signed(tokens);
            amount.accuracy = amount.accuracy.weakest(accuracy);
        }
        None => {
            view.insert(
                key.to_owned(),
                Amount {
                    accuracy,
                    tokens: signed(tokens),
                },
            );
        }
    }
}

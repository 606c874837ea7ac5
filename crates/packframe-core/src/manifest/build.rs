//! The document of a pack, from what its stages wrote down.

use std::collections::BTreeMap;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::document::{
    Amount, BoundaryRecord, Breakdown, DemotionRecord, Document, ExcludedRecord, GroupRecord,
    MergedRecord, OptimalRecord, ProfileRecord, RedactionRecord, RepairRecord, SCHEMA_VERSION,
    SectionRecord, SelectedRecord, SubstitutionRecord, TruncationRecord,
};
use super::offsets::Offsets;
use super::shortening::{edits, truncation, whole_hash};
use super::version::{KEYED_HASH, PLAIN_HASH};
use super::warnings::warnings;
use crate::content::unhex;
use crate::frame::Merge;
use crate::instant::iso;
use crate::pack::{Fate, Kind, Ledger, Optimum, Redaction, UNITS, row_accuracy, signed};
use crate::profile::TokenProfile;
use crate::word::{Accuracy, Render};

pub(super) fn document(ledger: &Ledger) -> Document {
    let (frame, options, room) = (&*ledger.frame, &*ledger.options, ledger.room);
    let profile = &*options.profile;
    let filled = ledger.filled();
    let rows: Vec<usize> = filled
        .iter()
        .filter_map(|&slot| ledger.slots.row(slot))
        .collect();
    let total = ledger.total();
    let accuracy = ledger.accuracy(&rows);
    let text = (options.render() == Render::Text).then(|| ledger.rendered(&filled).text());
    let offsets = text
        .as_deref()
        .map(|text| Offsets::of(ledger, &filled, text));
    let mut selected: Vec<SelectedRecord> = rows
        .iter()
        .enumerate()
        .map(|(position, &row)| selected_record(ledger, row, position, offsets.as_ref()))
        .collect();
    selected.sort_unstable_by_key(|record| record.row);
    Document {
        accuracy,
        available: room.available,
        boundary: BoundaryRecord {
            kind: options.boundary.kind().to_owned(),
            require_provenance: options.boundary.require_provenance(),
            target: options.boundary.target().to_owned(),
        },
        budget: room.budget,
        content_hash: match options.hash_key {
            None => PLAIN_HASH.to_owned(),
            Some(_) => KEYED_HASH.to_owned(),
        },
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
        edits: edits(ledger),
        estimated: accuracy != Accuracy::Exact,
        excluded: (0..frame.len())
            .filter_map(|row| excluded_record(ledger, row))
            .collect(),
        groups: groups(ledger),
        hooks: Vec::new(),
        insertions: Vec::new(),
        labels: options.labels,
        layout: options.layout,
        library_version: env!("CARGO_PKG_VERSION").to_owned(),
        manifest_id: None,
        margin: room.margin,
        merged: merged(ledger),
        now: options.now.map(iso),
        optimal: ledger.optimum().map(OptimalRecord::from),
        policies: ledger.policies.clone(),
        provider_count: None,
        remaining_tokens: room.available.map(|available| available - signed(total)),
        render: options.render(),
        redactions: redactions(ledger),
        rendered_bytes: text.as_ref().map(String::len),
        rendered_sha256: text
            .as_ref()
            .map(|text| options.shown_hash(&Sha256::digest(text.as_bytes()).into())),
        repairs: repairs(ledger),
        reserve: room.reserve,
        schema_version: SCHEMA_VERSION,
        sections: sections(ledger),
        selection: options.selection.as_str().to_owned(),
        separator: options.separator.clone(),
        signature: None,
        strategy: None,
        substitutions: substitutions(ledger),
        switches: options.boundary.switches(),
        token_profile: profile_record(profile),
        token_profile_fingerprint: profile.fingerprint().to_owned(),
        token_profile_id: profile.id().to_owned(),
        tokens_by: breakdown(ledger, &selected, total),
        selected,
        total_tokens: total,
        truncations: truncations(ledger, &rows),
        warnings: warnings(ledger, &filled, text.as_deref()),
    }
}

fn repairs(ledger: &Ledger) -> Vec<RepairRecord> {
    let planned = ledger.options.planned.iter();
    planned
        .flat_map(|planned| &planned.repairs)
        .map(|repair| RepairRecord {
            id: repair.id.clone(),
            kind: repair.kind.to_owned(),
            path: repair.path.clone(),
            row: repair.row,
            to_row: repair.to_row,
        })
        .collect()
}

fn profile_record(profile: &TokenProfile) -> ProfileRecord {
    let (framing, source, date) = profile.framing_source();
    ProfileRecord {
        asserted_by_caller: profile.asserted_by_caller(),
        base_tokens: profile.base_tokens(),
        envelope_tokens_per_item: profile.envelope_tokens_per_item(),
        framing: framing.to_owned(),
        framing_date: date,
        framing_source: source,
        tokenizer_sha256: profile.tokenizer_sha256().map(str::to_owned),
        verified: profile.tokenizer_sha256().is_some(),
    }
}

impl From<Optimum> for OptimalRecord {
    fn from(optimum: Optimum) -> Self {
        let value = in_scores(optimum.value);
        let upper_bound = in_scores(optimum.upper);
        Self {
            diversity: optimum.diversity,
            discount: in_scores((optimum.discount, 0)),
            effort: optimum.effort,
            gap: optimum.gap,
            proved: optimum.is_proved,
            upper_bound,
            value,
        }
    }
}

/// Returns a sum of values, preferred and optional, as scores are given.
#[expect(clippy::cast_precision_loss, reason = "a sum of scores is a float")]
fn in_scores((preferred, optional): (u64, u64)) -> f64 {
    (u128::from(preferred) + u128::from(optional)) as f64 / UNITS
}

fn merged(ledger: &Ledger) -> Vec<MergedRecord> {
    let (frame, options) = (&*ledger.frame, &*ledger.options);
    // A near duplicate may hold a secret that the row it was merged into does not.
    let searched = options.boundary.searched_by().is_some();
    let is_hidden = |merge: &Merge| searched && merge.similarity.is_some_and(|part| part < 1.0);
    frame
        .merges()
        .iter()
        .map(|merge| MergedRecord {
            // What is merged is like what it is merged into.
            content_sha256: merge
                .into_row
                .is_none_or(|row| !ledger.hides_hash(row))
                .min(!is_hidden(merge))
                .then(|| {
                    unhex(&merge.content_sha256).map_or_else(
                        || merge.content_sha256.clone(),
                        |hash| options.shown_hash(&hash),
                    )
                }),
            id: merge.id.clone(),
            into_id: merge
                .into_row
                .map_or(&merge.into_id, |row| frame.id(row))
                .clone(),
            into_row: merge.into_row,
            reason: "duplicate".to_owned(),
            row: merge.row,
            similarity: merge.similarity,
        })
        .collect()
}

fn sections(ledger: &Ledger) -> Vec<SectionRecord> {
    let (division, groups) = (&ledger.found.division, &ledger.found.groups);
    if ledger.options.sections.is_empty() {
        return Vec::new();
    }
    let mut counts = vec![(0, 0); division.len()];
    // Of what is in, and of all: a floor may be what all rows of a section cost.
    let mut weakest = vec![ledger.options.profile.accuracy(); division.len()];
    let mut all = weakest.clone();
    for row in 0..ledger.frame.len() {
        let section = division.section(groups.of_row(row));
        let own = RowAccuracy::of(ledger, row).total;
        all[section] = all[section].weakest(own);
        match ledger.fate(row) {
            Fate::Selected { .. } => {
                counts[section].0 += 1;
                weakest[section] = weakest[section].weakest(own);
            }
            Fate::Excluded { .. } => counts[section].1 += 1,
        }
    }
    let declared = ledger.options.sections.iter().enumerate();
    declared
        .map(|(at, section)| {
            let number = at + 1;
            let part = division.part(number);
            SectionRecord {
                cap: part.cap,
                drop: section.drop,
                excluded: counts[number].1,
                floor: ledger.floor(number),
                floor_accuracy: all[number],
                header_tokens: part.header,
                header_tokens_accuracy: ledger.options.profile.accuracy(),
                max_share: section.max_share,
                max_tokens: section.max_tokens,
                min_tokens: section.min_tokens,
                name: Arc::clone(&section.name),
                priority: section.priority,
                selected: counts[number].0,
                strategy: section.strategy.clone(),
                strategy_fault: ledger.fault(number).cloned(),
                tokens: ledger.section_tokens(number),
                tokens_accuracy: weakest[number],
            }
        })
        .collect()
}

fn truncations(ledger: &Ledger, rows: &[usize]) -> Vec<TruncationRecord> {
    let record = |&row: &usize| {
        if let Some(shortened) = ledger.options.shortened(row) {
            return truncation(ledger, row, shortened);
        }
        let form = ledger.form(row)?;
        // Nothing is known of what a strategy of the caller's kept.
        let kept = match &form.kind {
            Kind::Cut(kept) => Some(kept),
            Kind::Strategy => None,
            Kind::Alternative(_) => return None,
        };
        let before = ledger.whole_cost(row)?;
        let accuracy = ledger.content_accuracy(row);
        Some(TruncationRecord {
            at: match kept {
                None => "strategy",
                Some(kept) if kept.json => "element",
                Some(kept) => kept.at.as_str(),
            }
            .to_owned(),
            bytes: ledger.frame.content(row).stored().len(),
            content_sha256: ledger.options.shown_hash(form.content.hash()),
            id: ledger.frame.id(row).clone(),
            keep: kept.map(|kept| kept.keep.as_str().to_owned()),
            kept_at_end: kept.map(|kept| kept.tail),
            kept_at_start: kept.map(|kept| kept.head),
            marker: kept.map(|kept| kept.marker.clone()),
            row,
            tokens: form.tokens,
            tokens_accuracy: accuracy,
            tokens_before: before.content,
            tokens_before_accuracy: accuracy,
        })
    };
    let mut records: Vec<TruncationRecord> = rows.iter().filter_map(record).collect();
    records.sort_by_key(|record| record.row);
    records
}

fn substitutions(ledger: &Ledger) -> Vec<SubstitutionRecord> {
    let frame = &*ledger.frame;
    let record = |row: usize, place: usize| {
        let given = frame
            .extra(row)
            .and_then(|extra| extra.alternatives.get(place));
        given.map(|given| SubstitutionRecord {
            alternative: place,
            content_sha256: (!ledger.is_redacted(row, Some(place)))
                .then(|| ledger.options.shown_hash(given.content.hash())),
            id: frame.id(row).clone(),
            reason: None,
            row,
            rule: None,
            tokens: None,
            tokens_accuracy: None,
            tokens_before: ledger.whole_cost(row).map(|cost| cost.content),
            tokens_before_accuracy: ledger.whole_cost(row).map(|_| ledger.content_accuracy(row)),
            value: given.value,
        })
    };
    let mut records: Vec<SubstitutionRecord> = ledger
        .alternatives()
        .into_iter()
        .filter_map(|(row, place, tokens)| {
            let mut taken = record(row, place)?;
            taken.tokens = Some(tokens);
            taken.tokens_accuracy = Some(ledger.content_accuracy(row));
            Some(taken)
        })
        .collect();
    for (row, place, refusal) in ledger.found.refusals.alternatives() {
        if let Some(mut refused) = record(row, place) {
            let (reason, rule) = refusal.code();
            if reason == "secret_detected" {
                refused.content_sha256 = None;
            }
            refused.reason = Some(reason);
            refused.rule = rule;
            records.push(refused);
        }
    }
    records.sort_by_key(|record| (record.row, record.alternative));
    records
}

fn redactions(ledger: &Ledger) -> Vec<RedactionRecord> {
    let frame = &*ledger.frame;
    let record = |row: usize, alternative: Option<usize>, by: &str| {
        let content = match alternative {
            None => frame.content(row),
            Some(place) => &frame.extra(row)?.alternatives.get(place)?.content,
        };
        // What was redacted before may hold a secret still, and may have been refused for it.
        let refused = ledger.found.refusals.is_secret(row, alternative);
        Some(RedactionRecord {
            alternative,
            by: by.to_owned(),
            content_sha256: (!refused).then(|| ledger.options.shown_hash(content.hash())),
            id: frame.id(row).clone(),
            row,
            rules: Vec::new(),
            secrets: None,
        })
    };
    let before = frame.redacted().iter();
    let before = before.filter_map(|change| record(change.row, change.alternative, "redact"));
    let here = |redaction: &Redaction| {
        let found = record(redaction.row, redaction.alternative, "boundary")?;
        Some(RedactionRecord {
            rules: redaction.rules.iter().map(ToString::to_string).collect(),
            secrets: Some(redaction.secrets),
            ..found
        })
    };
    let mut records: Vec<RedactionRecord> = before
        .chain(ledger.found.redactions.iter().filter_map(here))
        .collect();
    records.sort_by_key(|record| (record.row, record.alternative));
    records
}

fn selected_record(
    ledger: &Ledger,
    row: usize,
    position: usize,
    offsets: Option<&Offsets>,
) -> SelectedRecord {
    let frame = &*ledger.frame;
    let why = match ledger.fate(row) {
        Fate::Selected { why } => why,
        Fate::Excluded { .. } => unreachable!("only selected rows are recorded as selected"),
    };
    let accuracy = RowAccuracy::of(ledger, row);
    let cost = ledger.cost(row);
    SelectedRecord {
        content_sha256: whole_hash(ledger, row),
        content_tokens: cost.map(|cost| cost.content),
        content_tokens_accuracy: cost.map(|_| accuracy.content),
        envelope_tokens: cost.map(|cost| cost.envelope),
        envelope_tokens_accuracy: cost.map(|_| accuracy.envelope),
        form: ledger.form_word(row).into(),
        group: frame.group(row).cloned(),
        id: frame.id(row).clone(),
        label_tokens: cost.map(|cost| cost.label),
        label_tokens_accuracy: cost.map(|_| accuracy.label),
        offset_bytes: offsets.map(|offsets| offsets.bytes[position]),
        offset_tokens: offsets
            .and_then(|offsets| offsets.tokens.as_ref())
            .map(|tokens| tokens[position]),
        offset_tokens_accuracy: offsets
            .and_then(|offsets| offsets.tokens.as_ref())
            .map(|_| ledger.options.profile.accuracy()),
        position,
        retention: frame.retention(row),
        role: frame.roles[row],
        row,
        section: frame.section(row).cloned(),
        tokens: cost.map(|cost| cost.total),
        tokens_accuracy: cost.map(|_| accuracy.total),
        why: why.into(),
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
    // The rendering with it is what was, or would be, counted.
    let whole = accuracy.total.weakest(ledger.options.profile.accuracy());
    Some(ExcludedRecord {
        content_sha256: (!ledger.hides_hash(row))
            .then(|| ledger.options.shown_hash(frame.content(row).hash())),
        content_tokens: cost.map(|cost| cost.content),
        content_tokens_accuracy: cost.map(|_| accuracy.content),
        envelope_tokens: cost.map(|cost| cost.envelope),
        envelope_tokens_accuracy: cost.map(|_| accuracy.envelope),
        group: frame.group(row).cloned(),
        id: frame.id(row).clone(),
        label_tokens: cost.map(|cost| cost.label),
        label_tokens_accuracy: cost.map(|_| accuracy.label),
        reason,
        retention: frame.retention(row),
        role: frame.roles[row],
        row,
        rule,
        section: frame.section(row).cloned(),
        shortfall,
        shortfall_accuracy: shortfall.map(|_| whole),
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
        let is_message = ledger.is_message(row);
        let content = ledger.content_accuracy(row);
        let label = label_accuracy(ledger);
        Self {
            content,
            envelope: framing_accuracy(is_message),
            label,
            total: row_accuracy(content.weakest(label), is_message),
        }
    }
}

/// What base and envelope are worth: nothing exact is known of them, but that a text has none.
fn framing_accuracy(is_message: bool) -> Accuracy {
    if is_message {
        Accuracy::Approximate
    } else {
        Accuracy::Exact
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
    let (frame, groups) = (&*ledger.frame, &ledger.found.groups);
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
    let division = &ledger.found.division;
    let opened = selected.iter().any(|record| !ledger.is_message(record.row));
    let opening = if opened { signed(division.opening) } else { 0 };
    let envelope = sum(|record| record.envelope_tokens);
    let labels = sum(|record| record.label_tokens);
    // What frames the message that sections are merged into is no row's own.
    let base = match &ledger.costs {
        Some(costs) if total > 0 || !selected.is_empty() => signed(costs.base) + opening,
        _ => 0,
    };
    let (headers, separators) = ledger.between(selected.iter().map(|record| record.row));
    let joins = signed(total) - base - content - envelope - headers - labels - separators;
    let in_messages = render == Render::Messages;
    let of_text = if !in_messages || options.merged.is_some() {
        profile
    } else {
        Accuracy::Exact
    };
    let counted_whole = in_messages && options.profile.counts_messages();
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
        ("base", base, framing_accuracy(in_messages)),
        ("content", content, of_content),
        ("envelope", envelope, framing_accuracy(in_messages)),
        ("headers", headers, of_text),
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

//! What deserves a look in a pack.

use std::collections::HashSet;

use super::document::WarningRecord;
use crate::content::{Body, Content};
use crate::nearest::nearest;
use crate::pack::{Expected, Fate, Ledger, label};
use crate::profile::TokenProfile;
use crate::word::{Layout, Role};

/// Names of sections that are compared with those that are declared.
const LOOKED_AT: usize = 64;

/// Finds what deserves a look in the filled slots of a pack, in their order; `text` is the rendering, if
/// the pack is made for one.
///
/// Linear in the text.
pub(super) fn warnings(
    ledger: &Ledger,
    filled: &[usize],
    text: Option<&str>,
) -> Vec<WarningRecord> {
    let mut found = in_rendering(ledger, filled, text);
    found.extend(never_cut(ledger));
    found.extend(near_sections(ledger));
    found.extend(without_rows(ledger));
    let unknown = ledger.found.bonds.unknown_rows().into_iter();
    found.extend(unknown.map(|row| warning("unknown_requirement", row)));
    let waiting = ledger.options.planned.iter();
    let waiting = waiting.flat_map(|planned| planned.pending.iter().copied());
    let sent = waiting.filter(|&row| matches!(ledger.fate(row), Fate::Selected { .. }));
    found.extend(sent.map(|row| warning("pending_call", row)));
    found.extend(without_messages(ledger, filled));
    found
}

/// Says whether a request is planned that has no message, which no provider takes.
fn without_messages(ledger: &Ledger, filled: &[usize]) -> Option<WarningRecord> {
    let options = &*ledger.options;
    let has_one = match options.planned.as_ref()?.messages {
        Expected::None => true,
        Expected::Any => !filled.is_empty(),
        Expected::Said => filled
            .iter()
            .filter_map(|&slot| ledger.slots.row(slot))
            .any(|row| ledger.content(row).as_message().is_some() || is_said(ledger, row)),
    };
    (!has_one).then(|| WarningRecord {
        code: "no_messages".to_owned(),
        row: None,
    })
}

/// Says whether a row is a part of the context that the user says.
fn is_said(ledger: &Ledger, row: usize) -> bool {
    let options = &*ledger.options;
    let said = options.merged.filter(|merged| merged.role == Role::User);
    said.is_some_and(|merged| {
        let name = ledger.frame.section(row);
        options.sections[..merged.sections]
            .iter()
            .any(|section| Some(&section.name) == name)
    })
}

fn in_rendering(ledger: &Ledger, filled: &[usize], text: Option<&str>) -> Vec<WarningRecord> {
    let profile = &ledger.options.profile;
    match text {
        Some(text) => in_text(ledger, filled, text)
            .map(|row| warning("special_token_in_text", row))
            .collect(),
        None => filled
            .iter()
            .filter_map(|&slot| ledger.slots.row(slot))
            .flat_map(|row| {
                let blank = says_nothing(ledger, row).then_some("empty_text");
                let found = in_message(ledger.content(row), profile).chain(blank);
                found.map(move |code| warning(code, row))
            })
            .collect(),
    }
}

/// Finds the rows that are out though they could have been cut, were their content of another kind:
/// messages, URIs and bytes are never cut.
fn never_cut(ledger: &Ledger) -> impl Iterator<Item = WarningRecord> + '_ {
    let frame = &*ledger.frame;
    let rows = (0..frame.len()).filter(|_| frame.extras.is_some());
    rows.filter(|&row| {
        let cut_to = frame.extra(row).and_then(|extra| extra.cut_to);
        let cuttable = matches!(frame.content(row).body(), Body::Text | Body::Json);
        cut_to.is_some()
            && !cuttable
            && ledger.found.refusals.of(row).is_none()
            && matches!(ledger.fate(row), Fate::Excluded { .. })
    })
    .map(|row| warning("never_cut", row))
}

/// Finds the sections that nobody declared and that are nearly one that is, each by its first row:
/// among the first [`LOOKED_AT`] such names.
fn near_sections(ledger: &Ledger) -> Vec<WarningRecord> {
    let declared: HashSet<&str> = ledger
        .options
        .sections
        .iter()
        .map(|section| &*section.name)
        .collect();
    if declared.is_empty() {
        return Vec::new();
    }
    let mut labels = HashSet::new();
    (0..ledger.frame.len())
        .filter_map(|row| Some((row, &**ledger.frame.section(row)?)))
        .filter(|(_, label)| !declared.contains(label) && labels.insert(*label))
        .take(LOOKED_AT)
        .filter(|(_, label)| nearest(label, declared.iter().copied()).is_some())
        .map(|(row, _)| warning("section_not_declared", row))
        .collect()
}

/// Finds the declared sections that no row names, in their order: where sections bring their items
/// along, in the layout by sections or in a request, an empty one is nothing odd.
fn without_rows(ledger: &Ledger) -> Vec<WarningRecord> {
    let (frame, options) = (&*ledger.frame, &*ledger.options);
    if options.sections.is_empty()
        || options.layout == Layout::Section
        || options
            .planned
            .as_ref()
            .is_some_and(|planned| !planned.ties)
        || frame.is_empty()
    {
        return Vec::new();
    }
    let named: HashSet<&str> = (0..frame.len())
        .filter_map(|row| frame.section(row).map(|name| &**name))
        .collect();
    let empty = options
        .sections
        .iter()
        .filter(|section| !named.contains(&*section.name));
    empty
        .map(|_| WarningRecord {
            code: "section_without_rows".to_owned(),
            row: None,
        })
        .collect()
}

fn warning(code: &str, row: usize) -> WarningRecord {
    WarningRecord {
        code: code.to_owned(),
        row: Some(row),
    }
}

/// Returns the rows in whose part of a text a special token starts: a part is the label, the
/// content and what stands behind it, so that one which only joining makes is found, too.
fn in_text<'a>(
    ledger: &'a Ledger,
    filled: &'a [usize],
    text: &'a str,
) -> impl Iterator<Item = usize> + 'a {
    let mut starts = ledger.options.profile.special().starts(text).peekable();
    let mut end = 0;
    let gaps = filled
        .windows(2)
        .map(|pair| ledger.slots.gap(pair[0], pair[1]).len())
        .chain(std::iter::once(0));
    filled.iter().zip(gaps).filter_map(move |(&slot, gap)| {
        // Most texts have none, and then there is nothing to measure.
        starts.peek()?;
        let row = ledger.slots.row(slot);
        end += gap;
        end += match row {
            Some(row) => {
                let shown = ledger.content(row).rendered().map_or(0, str::len);
                if ledger.options.labels {
                    shown + label(ledger.frame.roles[row]).len()
                } else {
                    shown
                }
            }
            None => ledger.slots.header(slot).len(),
        };
        let mut found = false;
        while starts.next_if(|&start| start < end).is_some() {
            found = true;
        }
        row.filter(|_| found)
    })
}

/// Says whether a row is what the user says in the final of a request, and that is nothing at all.
fn says_nothing(ledger: &Ledger, row: usize) -> bool {
    let is_final = ledger.options.planned.is_some()
        && ledger
            .frame
            .section(row)
            .is_some_and(|name| &**name == "final");
    is_final && ledger.frame.roles[row] == Role::User && ledger.content(row).is_blank()
}

/// Returns the codes of what deserves a look in a row that is sent as a message.
fn in_message(content: &Content, profile: &TokenProfile) -> impl Iterator<Item = &'static str> {
    let special = profile.special();
    let (special, unknown, media) = match content.counted() {
        Some(counted) => (
            counted.texts.iter().any(|text| special.are_in(text)),
            counted.unknown_field,
            counted.has_media,
        ),
        None => (
            content.rendered().is_some_and(|text| special.are_in(text)),
            false,
            false,
        ),
    };
    let special = special.then_some("special_token_in_text");
    special
        .into_iter()
        .chain(unknown.then_some("unknown_block"))
        .chain(media.then_some("media_estimated"))
}

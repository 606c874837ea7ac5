//! What deserves a look in a pack.

use super::document::WarningRecord;
use crate::content::Content;
use crate::conversation::Message;
use crate::pack::{Ledger, label};
use crate::profile::TokenProfile;

/// Finds what deserves a look in the filled slots of a pack, in their order; `text` is the rendering, if
/// the pack is made for one.
///
/// Linear in the text.
pub(super) fn warnings(
    ledger: &Ledger,
    filled: &[usize],
    text: Option<&str>,
) -> Vec<WarningRecord> {
    let profile = &ledger.options.profile;
    match text {
        Some(text) => in_text(ledger, filled, text)
            .map(|row| warning("special_token_in_text", row))
            .collect(),
        None => filled
            .iter()
            .filter_map(|&slot| ledger.slots.row(slot))
            .flat_map(|row| {
                in_message(ledger.content(row), profile).map(move |code| warning(code, row))
            })
            .collect(),
    }
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

/// Returns the codes of what deserves a look in a row that is sent as a message.
fn in_message(content: &Content, profile: &TokenProfile) -> impl Iterator<Item = &'static str> {
    let special = profile.special();
    let (special, unknown) = match content.as_message().map(Message::counted) {
        Some(counted) => (
            counted.texts.iter().any(|text| special.are_in(text)),
            counted.unknown_field,
        ),
        None => (
            content.rendered().is_some_and(|text| special.are_in(text)),
            false,
        ),
    };
    let special = special.then_some("special_token_in_text");
    special
        .into_iter()
        .chain(unknown.then_some("unknown_block"))
}

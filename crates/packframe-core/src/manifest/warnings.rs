//! What deserves a look in a pack.

use super::document::WarningRecord;
use crate::conversation::Message;
use crate::frame::Frame;
use crate::pack::{Ledger, PackOptions, label};
use crate::profile::TokenProfile;

/// Finds what deserves a look in the rows of a pack, in their order; `text` is the rendering, if
/// the pack is made for one.
///
/// Linear in the text.
pub(super) fn warnings(ledger: &Ledger, rows: &[usize], text: Option<&str>) -> Vec<WarningRecord> {
    let (frame, options) = (&*ledger.frame, &*ledger.options);
    match text {
        Some(text) => in_text(frame, rows, options, text)
            .map(|row| warning("special_token_in_text", row))
            .collect(),
        None => rows
            .iter()
            .flat_map(|&row| {
                in_message(frame, row, &options.profile).map(move |code| warning(code, row))
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
/// content and the separator behind it, so that one which only joining makes is found, too.
fn in_text(
    frame: &Frame,
    rows: &[usize],
    options: &PackOptions,
    text: &str,
) -> impl Iterator<Item = usize> {
    let mut starts = options.profile.special().starts(text).peekable();
    let mut end = 0;
    rows.iter().copied().filter(move |&row| {
        // Most texts have none, and then there is nothing to measure.
        if starts.peek().is_none() {
            return false;
        }
        if options.labels {
            end += label(frame.roles[row]).len();
        }
        end += frame.content(row).rendered().map_or(0, str::len) + options.separator.len();
        let mut found = false;
        while starts.next_if(|&start| start < end).is_some() {
            found = true;
        }
        found
    })
}

/// Returns the codes of what deserves a look in a row that is sent as a message.
fn in_message(
    frame: &Frame,
    row: usize,
    profile: &TokenProfile,
) -> impl Iterator<Item = &'static str> {
    let content = frame.content(row);
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

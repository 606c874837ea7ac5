//! Messages of each format, read into one view.

mod anthropic;
mod chat;
mod gemini;
mod responses;

use super::entry::{Entry, Family, Kind, Place};
use super::fields::Fields;
use super::format::Format;
use super::rule::Rule;
use super::view::{Row, Speaker, View};

/// Reads the JSON of messages. Linear in its size.
pub(super) fn read<T: AsRef<str>>(messages: &[T], format: Format) -> View<'_> {
    let mut view = View::new(format, messages.len());
    for json in messages {
        let first = view.entries.len();
        let mut row = match Fields::parse(json.as_ref()) {
            None => {
                view.flaw("", Rule::MalformedBlock);
                Row::new(Speaker::Unknown)
            }
            Some(fields) => match format {
                Format::OpenAiChat => chat::read(&fields, &mut view),
                Format::OpenAiResponses => responses::read(&fields, &mut view),
                Format::Anthropic => anthropic::read(&fields, &mut view),
                Format::Gemini => gemini::read(&fields, &mut view),
            },
        };
        if format == Format::OpenAiResponses && view.entries.len() == first {
            // There an item is one entry, whatever it is.
            let place = Place::Whole("");
            let entry = Entry::new(view.rows.len(), place, Kind::Item, Family::Other);
            view.entries.push(entry.with_id(row.item_id.clone()));
        }
        row.entries = first..view.entries.len();
        view.rows.push(row);
    }
    view.learn_calls();
    view
}

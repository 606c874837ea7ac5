//! Messages of each format, read into one view.

mod anthropic;
mod chat;
mod gemini;
mod plain;
mod responses;

pub(crate) use self::plain::speaker as plain_speaker;
use super::entry::{Entry, Family, Kind, Place};
use super::fields::Fields;
use super::format::Format;
use super::rule::Rule;
use super::view::{Row, Speaker, View};

/// Reads the JSON of messages. Linear in its size.
pub(super) fn read<T: AsRef<str>>(messages: &[T], format: Format) -> View<'_> {
    let json = messages.iter().map(T::as_ref);
    read_told(
        json.map(|json| (json, plain::speaker(json, format))),
        format,
    )
}

/// Reads the JSON of messages, of those that are one string knowing who speaks.
pub(super) fn read_told<'a>(
    messages: impl ExactSizeIterator<Item = (&'a str, Option<Speaker>)>,
    format: Format,
) -> View<'a> {
    let mut view = View::new(format, messages.len());
    for (json, plain) in messages {
        let first = view.entries.len();
        let mut row = match plain {
            Some(speaker) => plain::row(speaker),
            None => match Fields::parse(json) {
                None => {
                    view.flaw("", Rule::MalformedBlock);
                    Row::new(Speaker::Unknown)
                }
                Some(fields) => read_fields(&fields, &mut view),
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

/// Reads one message.
fn read_fields<'a>(fields: &Fields<'a>, view: &mut View<'a>) -> Row<'a> {
    match view.format {
        Format::OpenAiChat => chat::read(fields, view),
        Format::OpenAiResponses => responses::read(fields, view),
        Format::Anthropic => anthropic::read(fields, view),
        Format::Gemini => gemini::read(fields, view),
    }
}

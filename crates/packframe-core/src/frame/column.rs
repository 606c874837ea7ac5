//! The columns of a frame, as conditions and sorting see them.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::Frame;
use super::turns::turns_from_end;
use crate::error::{Error, ErrorKind};
use crate::instant::Instant;
use crate::item::Extra;
use crate::nearest::{nearest, unknown_field_word};
use crate::word::{Retention, Role, Sensitivity, Trust};

/// What the values of a column are.
#[derive(Debug, Clone, Copy)]
pub(super) enum Type {
    Text,
    Number,
    Bool,
    Time,
    /// One of the words of an enum, which are compared for equality only.
    Word(fn(&str) -> Result<(), Error>),
    /// One of the words of an enum that has an order.
    Ranked(fn(&str) -> Result<u8, Error>),
    /// Something that can only be there or not.
    Presence,
}

const COLUMNS: &[(&str, Type)] = &[
    ("id", Type::Text),
    ("content", Type::Text),
    ("kind", Type::Word(kind_word)),
    ("role", Type::Word(|word| Role::parse(word).map(|_| ()))),
    (
        "retention",
        Type::Ranked(|word| Retention::parse(word).map(|word| word as u8)),
    ),
    ("score", Type::Number),
    ("priority", Type::Number),
    ("section", Type::Text),
    ("group", Type::Text),
    ("pinned", Type::Bool),
    ("created_at", Type::Time),
    ("expires_at", Type::Time),
    ("trust", Type::Word(|word| Trust::parse(word).map(|_| ()))),
    (
        "sensitivity",
        Type::Ranked(|word| Sensitivity::parse(word).map(|word| word as u8)),
    ),
    ("sources", Type::Presence),
    ("metadata", Type::Presence),
    ("requires", Type::Presence),
    ("exclusive", Type::Text),
    ("alternatives", Type::Presence),
    ("cut_to", Type::Number),
    ("row", Type::Number),
    ("turn_from_end", Type::Number),
];

const KINDS: [&str; 5] = ["text", "json", "binary", "reference", "message"];

fn kind_word(word: &str) -> Result<(), Error> {
    if KINDS.contains(&word) {
        return Ok(());
    }
    Err(unknown_field_word("kind", word, &KINDS))
}

/// Returns the type of a column, or an error that names the nearest one.
pub(super) fn column_type(name: &str) -> Result<Type, Error> {
    if let Some((_, kind)) = COLUMNS.iter().find(|(known, _)| *known == name) {
        return Ok(*kind);
    }
    let known = COLUMNS.iter().map(|(known, _)| *known);
    let suggestion = nearest(name, known.clone()).map_or_else(
        || format!("one of {}", known.collect::<Vec<_>>().join(", ")),
        str::to_owned,
    );
    Err(Error::new(ErrorKind::InvalidItem {
        row: None,
        rows: Vec::new(),
        field: name.to_owned(),
        value: format!("'{name}'"),
        problem: "is no column of an item".into(),
        suggestion: Some(suggestion),
    }))
}

/// Refuses the name of a column that there is not.
pub(super) fn known_column(name: &str) -> Result<(), Error> {
    column_type(name).map(|_| ())
}

/// One value of a column.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Cell<'a> {
    Null,
    Text(Cow<'a, str>),
    Number(f64),
    Bool(bool),
    Time(Instant),
    Rank(u8),
}

impl Cell<'_> {
    /// Returns the order of two values of one type.
    pub(super) fn order(&self, other: &Cell<'_>) -> Option<Ordering> {
        match (self, other) {
            (Self::Text(a), Cell::Text(b)) => Some(a.cmp(b)),
            (Self::Number(a), Cell::Number(b)) => a.partial_cmp(b),
            (Self::Bool(a), Cell::Bool(b)) => Some(a.cmp(b)),
            (Self::Time(a), Cell::Time(b)) => Some(a.cmp(b)),
            (Self::Rank(a), Cell::Rank(b)) => Some(a.cmp(b)),
            _ => None,
        }
    }
}

/// Returns a known column.
pub(super) fn column<'a>(frame: &'a Frame, name: &str) -> Vec<Cell<'a>> {
    fn text(text: Option<&str>) -> Cell<'_> {
        text.map_or(Cell::Null, |text| Cell::Text(text.into()))
    }
    fn time<'a>(instant: Option<Instant>) -> Cell<'a> {
        instant.map_or(Cell::Null, Cell::Time)
    }
    fn present<'a>(frame: &Frame, row: usize, is: fn(&Extra) -> bool) -> Cell<'a> {
        if frame.extra(row).is_some_and(is) {
            Cell::Bool(true)
        } else {
            Cell::Null
        }
    }
    let rows = 0..frame.len();
    match name {
        "id" => rows.map(|row| text(Some(frame.id(row)))).collect(),
        "content" => rows
            .map(|row| text(frame.contents[row].rendered()))
            .collect(),
        "kind" => rows
            .map(|row| text(Some(frame.contents[row].kind())))
            .collect(),
        "role" => rows
            .map(|row| text(Some(frame.roles[row].as_str())))
            .collect(),
        "retention" => rows
            .map(|row| Cell::Rank(frame.retentions[row] as u8))
            .collect(),
        "score" => rows.map(|row| Cell::Number(frame.scores[row])).collect(),
        "priority" => rows
            .map(|row| Cell::Number(frame.priorities[row]))
            .collect(),
        "section" => rows
            .map(|row| text(frame.section(row).map(|name| &**name)))
            .collect(),
        "group" => rows
            .map(|row| text(frame.group(row).map(|name| &**name)))
            .collect(),
        "pinned" => rows.map(|row| Cell::Bool(frame.pins[row])).collect(),
        "created_at" => rows
            .map(|row| time(frame.extra(row).and_then(|extra| extra.created_at)))
            .collect(),
        "expires_at" => rows
            .map(|row| time(frame.extra(row).and_then(|extra| extra.expires_at)))
            .collect(),
        "trust" => rows
            .map(|row| text(Some(frame.trusts[row].as_str())))
            .collect(),
        "sensitivity" => rows
            .map(|row| Cell::Rank(frame.sensitivities[row] as u8))
            .collect(),
        "sources" => rows
            .map(|row| present(frame, row, |extra| !extra.sources.is_empty()))
            .collect(),
        "metadata" => rows
            .map(|row| present(frame, row, |extra| extra.metadata.is_some()))
            .collect(),
        "requires" => rows
            .map(|row| present(frame, row, |extra| !extra.requires.is_empty()))
            .collect(),
        "exclusive" => rows
            .map(|row| {
                text(
                    frame
                        .extra(row)
                        .and_then(|extra| extra.exclusive.as_deref()),
                )
            })
            .collect(),
        "alternatives" => rows
            .map(|row| present(frame, row, |extra| !extra.alternatives.is_empty()))
            .collect(),
        #[expect(
            clippy::cast_precision_loss,
            reason = "a count of tokens beyond 2^53 is as good as any other"
        )]
        "cut_to" => rows
            .map(
                |row| match frame.extra(row).and_then(|extra| extra.cut_to) {
                    Some(tokens) => Cell::Number(tokens as f64),
                    None => Cell::Null,
                },
            )
            .collect(),
        #[expect(
            clippy::cast_precision_loss,
            reason = "rows beyond 2^53 do not fit into memory"
        )]
        "row" => rows.map(|row| Cell::Number(row as f64)).collect(),
        "turn_from_end" => turns_from_end(frame)
            .into_iter()
            .map(|turn| turn.map_or(Cell::Null, |turn| Cell::Number(f64::from(turn))))
            .collect(),
        _ => rows.map(|_| Cell::Null).collect(),
    }
}

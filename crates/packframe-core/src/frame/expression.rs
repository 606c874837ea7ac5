//! Conditions over columns, evaluated for all rows at once.

use std::cmp::Ordering;

use super::Frame;
use super::turns::turns_from_end;
use crate::error::{Error, ErrorKind};
use crate::instant::Instant;
use crate::nearest::nearest;
use crate::word::{Retention, Role, Sensitivity, Trust};

/// What the values of a column are.
#[derive(Debug, Clone, Copy)]
enum Type {
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
    ("row", Type::Number),
    ("turn_from_end", Type::Number),
];

const KINDS: [&str; 5] = ["text", "json", "binary", "reference", "message"];

fn kind_word(word: &str) -> Result<(), Error> {
    if KINDS.contains(&word) {
        return Ok(());
    }
    let suggestion =
        nearest(word, KINDS).map_or_else(|| format!("one of {}", KINDS.join(", ")), str::to_owned);
    Err(Error::invalid_item(
        "kind",
        word,
        "is not one of the known words",
        Some(&suggestion),
    ))
}

/// Returns the type of a column, or an error that names the nearest one.
fn column_type(name: &str) -> Result<Type, Error> {
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

/// A value that a column is compared with.
#[derive(Debug, Clone, PartialEq)]
pub enum Scalar {
    /// A string.
    Text(String),
    /// A number.
    Number(f64),
    /// A truth value.
    Bool(bool),
    /// A time.
    Time(Instant),
}

impl Scalar {
    const fn name(&self) -> &'static str {
        match self {
            Self::Text(_) => "a string",
            Self::Number(_) => "a number",
            Self::Bool(_) => "a bool",
            Self::Time(_) => "a datetime",
        }
    }
}

/// How a column is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compare {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
}

impl Compare {
    const fn orders(self) -> bool {
        !matches!(self, Self::Equal | Self::NotEqual)
    }

    fn holds(self, order: Ordering) -> bool {
        match self {
            Self::Equal => order.is_eq(),
            Self::NotEqual => order.is_ne(),
            Self::Less => order.is_lt(),
            Self::AtMost => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::AtLeast => order.is_ge(),
        }
    }
}

/// A condition that was checked against the columns that there are.
#[derive(Debug, Clone)]
pub struct Expression(Node);

#[derive(Debug, Clone)]
enum Node {
    Compare {
        column: String,
        compare: Compare,
        value: Cell<'static>,
    },
    IsIn {
        column: String,
        values: Vec<Cell<'static>>,
    },
    IsNull {
        column: String,
    },
    And(Box<Node>, Box<Node>),
    Or(Box<Node>, Box<Node>),
    Not(Box<Node>),
}

/// One value of a column.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Cell<'a> {
    Null,
    Text(std::borrow::Cow<'a, str>),
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

impl Expression {
    /// Compares a column with a value.
    ///
    /// # Errors
    ///
    /// `InvalidItem` for an unknown column, a value of another type, an unknown word, and an
    /// order of words that have none.
    pub fn compare(column: &str, compare: Compare, value: Scalar) -> Result<Self, Error> {
        let kind = column_type(column)?;
        if compare.orders() && matches!(kind, Type::Word(_) | Type::Bool) {
            return Err(Error::invalid_item(
                column,
                "",
                "has no order",
                Some("== or is_in"),
            ));
        }
        let value = cell(column, kind, value)?;
        Ok(Self(Node::Compare {
            column: column.to_owned(),
            compare,
            value,
        }))
    }

    /// Says whether a column has one of several values.
    ///
    /// # Errors
    ///
    /// As [`compare`](Self::compare).
    pub fn is_in(column: &str, values: Vec<Scalar>) -> Result<Self, Error> {
        let kind = column_type(column)?;
        let values = values
            .into_iter()
            .map(|value| cell(column, kind, value))
            .collect::<Result<_, _>>()?;
        Ok(Self(Node::IsIn {
            column: column.to_owned(),
            values,
        }))
    }

    /// Says whether a column has no value.
    ///
    /// # Errors
    ///
    /// `InvalidItem` for an unknown column.
    pub fn is_null(column: &str) -> Result<Self, Error> {
        known_column(column)?;
        Ok(Self(Node::IsNull {
            column: column.to_owned(),
        }))
    }

    /// Both hold.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(Node::And(Box::new(self.0), Box::new(other.0)))
    }

    /// One of the two holds.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self(Node::Or(Box::new(self.0), Box::new(other.0)))
    }

    /// It does not hold.
    #[must_use]
    pub fn negate(self) -> Self {
        Self(Node::Not(Box::new(self.0)))
    }

    /// Evaluates the condition for every row; a comparison with a missing value selects nothing.
    #[must_use]
    pub fn mask(&self, frame: &Frame) -> Vec<bool> {
        evaluate(&self.0, frame)
            .into_iter()
            .map(|truth| truth == Some(true))
            .collect()
    }
}

/// Three-valued logic: `None` is unknown.
fn evaluate(node: &Node, frame: &Frame) -> Vec<Option<bool>> {
    match node {
        Node::Compare {
            column: name,
            compare,
            value,
        } => column(frame, name)
            .iter()
            .map(|cell| cell.order(value).map(|order| compare.holds(order)))
            .collect(),
        Node::IsIn {
            column: name,
            values,
        } => column(frame, name)
            .iter()
            .map(|cell| {
                (*cell != Cell::Null).then(|| {
                    values
                        .iter()
                        .any(|value| cell.order(value) == Some(Ordering::Equal))
                })
            })
            .collect(),
        Node::IsNull { column: name } => column(frame, name)
            .iter()
            .map(|cell| Some(*cell == Cell::Null))
            .collect(),
        Node::And(a, b) => zip(a, b, frame, |a, b| match (a, b) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        }),
        Node::Or(a, b) => zip(a, b, frame, |a, b| match (a, b) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        }),
        Node::Not(inner) => evaluate(inner, frame)
            .into_iter()
            .map(|truth| truth.map(|truth| !truth))
            .collect(),
    }
}

fn zip(
    a: &Node,
    b: &Node,
    frame: &Frame,
    join: fn(Option<bool>, Option<bool>) -> Option<bool>,
) -> Vec<Option<bool>> {
    evaluate(a, frame)
        .into_iter()
        .zip(evaluate(b, frame))
        .map(|(a, b)| join(a, b))
        .collect()
}

fn cell(column: &str, kind: Type, value: Scalar) -> Result<Cell<'static>, Error> {
    let shown = match &value {
        Scalar::Text(text) => format!("'{text}'"),
        Scalar::Number(number) => number.to_string(),
        Scalar::Bool(value) => value.to_string(),
        Scalar::Time(instant) => crate::instant::iso(*instant),
    };
    let wanted = match (kind, value) {
        (Type::Text, Scalar::Text(text)) => return Ok(Cell::Text(text.into())),
        (Type::Word(check), Scalar::Text(text)) => {
            return check(&text).map(|()| Cell::Text(text.into()));
        }
        (Type::Ranked(rank), Scalar::Text(text)) => return rank(&text).map(Cell::Rank),
        (Type::Number, Scalar::Number(number)) if !number.is_nan() => {
            return Ok(Cell::Number(number));
        }
        (Type::Bool, Scalar::Bool(value)) => return Ok(Cell::Bool(value)),
        (Type::Time, Scalar::Time(instant)) => return Ok(Cell::Time(instant)),
        (Type::Presence, _) => {
            return Err(Error::invalid_item(
                column,
                shown,
                "cannot be compared",
                Some("is_null()"),
            ));
        }
        (Type::Number, Scalar::Number(_)) => "a number that is not NaN",
        (Type::Text | Type::Word(_) | Type::Ranked(_), other) => {
            let problem = format!("is {}, and the column holds strings", other.name());
            return Err(Error::invalid_item(
                column,
                shown,
                problem,
                Some("a string"),
            ));
        }
        (Type::Number, _) => "a number",
        (Type::Bool, _) => "True or False",
        (Type::Time, _) => "an aware datetime",
    };
    Err(Error::invalid_item(
        column,
        shown,
        "is not of the column's type",
        Some(wanted),
    ))
}

/// Returns a known column.
pub(super) fn column<'a>(frame: &'a Frame, name: &str) -> Vec<Cell<'a>> {
    fn text(text: Option<&str>) -> Cell<'_> {
        text.map_or(Cell::Null, |text| Cell::Text(text.into()))
    }
    fn time<'a>(instant: Option<Instant>) -> Cell<'a> {
        instant.map_or(Cell::Null, Cell::Time)
    }
    fn present<'a>(is: bool) -> Cell<'a> {
        if is { Cell::Bool(true) } else { Cell::Null }
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
            .map(|row| {
                present(
                    frame
                        .extra(row)
                        .is_some_and(|extra| !extra.sources.is_empty()),
                )
            })
            .collect(),
        "metadata" => rows
            .map(|row| {
                present(
                    frame
                        .extra(row)
                        .is_some_and(|extra| extra.metadata.is_some()),
                )
            })
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

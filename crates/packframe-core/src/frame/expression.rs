//! Conditions over columns, evaluated for all rows at once.

use std::cmp::Ordering;

use super::Frame;
use super::column::{Cell, Type, column, column_type, known_column};
use crate::error::Error;
use crate::instant::Instant;

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
///
/// # Examples
///
/// A missing value makes a comparison unknown, and what is not known is not chosen, either way.
///
/// ```
/// use std::sync::Arc;
///
/// use packframe_core::{Compare, Content, Error, Expression, Frame, Item, ItemSpec, Scalar};
///
/// let in_section = |section: Option<&str>| {
///     Item::new(ItemSpec {
///         section: section.map(Into::into),
///         ..ItemSpec::of(Arc::new(Content::text("a passage")))
///     })
/// };
/// let frame = Frame::from_items(&[in_section(Some("kb"))?, in_section(None)?])?;
/// let in_kb = Expression::compare("section", Compare::Equal, Scalar::Text("kb".to_owned()))?;
/// assert_eq!(in_kb.mask(&frame), [true, false]);
/// assert_eq!(in_kb.negate().mask(&frame), [false, false]);
/// # Ok::<(), Error>(())
/// ```
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

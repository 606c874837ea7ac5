//! Conditions over columns, evaluated for all rows at once.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

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
/// Conditions of any depth are made, evaluated and dropped without recursion.
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
#[derive(Clone)]
pub struct Expression(Arc<Node>);

impl fmt::Debug for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Expression").finish_non_exhaustive()
    }
}

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
    Joined {
        join: Join,
        parts: Vec<Arc<Node>>,
    },
}

/// How conditions are joined into one.
#[derive(Clone, Copy)]
enum Join {
    And,
    Or,
    /// Of one condition: it does not hold.
    Not,
}

impl Drop for Node {
    fn drop(&mut self) {
        let mut parts = self.take_parts();
        while let Some(part) = parts.pop() {
            if let Some(mut node) = Arc::into_inner(part) {
                parts.append(&mut node.take_parts());
            }
        }
    }
}

impl Node {
    fn take_parts(&mut self) -> Vec<Arc<Self>> {
        match self {
            Self::Joined { parts, .. } => std::mem::take(parts),
            _ => Vec::new(),
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
        Ok(Self::leaf(Node::Compare {
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
        let mut values: Vec<Cell<'static>> = values
            .into_iter()
            .map(|value| cell(column, kind, value))
            .collect::<Result<_, _>>()?;
        values.sort_by(|a, b| a.order(b).unwrap_or(Ordering::Equal));
        Ok(Self::leaf(Node::IsIn {
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
        Ok(Self::leaf(Node::IsNull {
            column: column.to_owned(),
        }))
    }

    /// Both hold.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self::joined(Join::And, vec![self.0, other.0])
    }

    /// One of the two holds.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self::joined(Join::Or, vec![self.0, other.0])
    }

    /// It does not hold.
    #[must_use]
    pub fn negate(self) -> Self {
        Self::joined(Join::Not, vec![self.0])
    }

    fn leaf(node: Node) -> Self {
        Self(Arc::new(node))
    }

    fn joined(join: Join, parts: Vec<Arc<Node>>) -> Self {
        Self::leaf(Node::Joined { join, parts })
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

/// A truth value for each row: `None` is unknown.
type Truths = Vec<Option<bool>>;

/// What is still to be done of an evaluation.
enum Step<'a> {
    Visit(&'a Node),
    Join(Join),
}

/// Evaluates parts before what joins them, by three-valued logic.
fn evaluate(root: &Node, frame: &Frame) -> Truths {
    let mut steps = vec![Step::Visit(root)];
    let mut done: Vec<Truths> = Vec::new();
    while let Some(step) = steps.pop() {
        let truths = match step {
            Step::Visit(Node::Joined { join, parts }) => {
                steps.push(Step::Join(*join));
                steps.extend(parts.iter().map(|part| Step::Visit(part)));
                continue;
            }
            Step::Visit(leaf) => evaluate_leaf(leaf, frame),
            Step::Join(join) => {
                let first = done.pop().unwrap_or_default();
                match join {
                    Join::Not => first
                        .into_iter()
                        .map(|truth| truth.map(|truth| !truth))
                        .collect(),
                    Join::And => zip(first, done.pop(), false),
                    Join::Or => zip(first, done.pop(), true),
                }
            }
        };
        done.push(truths);
    }
    done.pop().unwrap_or_default()
}

fn evaluate_leaf(leaf: &Node, frame: &Frame) -> Truths {
    match leaf {
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
                let order = |value: &Cell<'_>| value.order(cell).unwrap_or(Ordering::Less);
                (*cell != Cell::Null).then(|| values.binary_search_by(order).is_ok())
            })
            .collect(),
        Node::IsNull { column: name } => column(frame, name)
            .iter()
            .map(|cell| Some(*cell == Cell::Null))
            .collect(),
        Node::Joined { .. } => Vec::new(),
    }
}

/// Joins two truths a row: where one is `deciding`, so is the result.
fn zip(first: Truths, second: Option<Truths>, deciding: bool) -> Truths {
    let join = |(a, b)| match (a, b) {
        (Some(a), _) | (_, Some(a)) if a == deciding => Some(deciding),
        (Some(_), Some(b)) if b == deciding => Some(deciding),
        (Some(_), Some(_)) => Some(!deciding),
        _ => None,
    };
    first
        .into_iter()
        .zip(second.unwrap_or_default())
        .map(join)
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

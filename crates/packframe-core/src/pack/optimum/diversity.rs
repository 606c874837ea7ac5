//! Values of rows that repeat others, discounted.

use crate::pack::select::{Field, descending};
use crate::word::Retention;

/// Returns the value of each row, less what it repeats.
///
/// Rows are walked in the order of retention (that of their group, required ones first), then of
/// value, descending, then of place. Each is worth `value · (1 − diversity · likeness)`, where
/// `likeness` is its greatest similarity to a row before it that is in another group: maximal
/// marginal relevance (Carbonell and Goldstein, 1998), in an order that no choice changes, so that
/// values stay sums. Rows that were refused are not there.
pub(super) fn discounted(field: &Field<'_>, values: &[f64], diversity: f64) -> Vec<f64> {
    let group = |row: usize| field.groups.of_row(row);
    let mut order: Vec<usize> = (0..values.len())
        .filter(|&row| !field.refused[group(row)])
        .collect();
    let rank = |row: usize| match field.retentions[group(row)] {
        Retention::Required => 0,
        Retention::Preferred => 1,
        Retention::Optional => 2,
    };
    order.sort_by_key(|&row| (rank(row), descending(values[row] + 0.0), row));
    let mut discounted = values.to_vec();
    for (&row, likeness) in order.iter().zip(field.frame.likeness(&order, group)) {
        discounted[row] = values[row] * (1.0 - diversity * likeness);
    }
    discounted
}

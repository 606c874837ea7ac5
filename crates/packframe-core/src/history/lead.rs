//! The first message of a list: some providers take only one of the user's.

use std::collections::BTreeMap;

use crate::conversation::MessageFacts;
use crate::pack::{Pack, Planned};
use crate::word::Retention;

/// The messages of a frame, in order.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Told<'a> {
    /// The row of each.
    pub(crate) rows: &'a [usize],
    /// Of each, what is known.
    pub(crate) facts: &'a [MessageFacts],
    /// Of each, the first that it lives or dies with.
    pub(crate) groups: &'a [usize],
}

/// What is done about the first message of a pack.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Lead {
    /// Nothing: it may come first.
    Fine,
    /// Older ones may not come in, as the plan says now.
    Excluded,
    /// These rows have to be in.
    Required(Vec<usize>),
}

/// Changes a plan where a message of a pack comes first that may not.
///
/// The oldest optional groups go. Where none is left, the nearest older message of the user's has to
/// be in. Each time fewer groups can go or more are required, so that packing again comes to an end.
/// Linear.
///
/// # Errors
///
/// The row that comes first, where there is no such message.
pub(crate) fn lead(told: Told<'_>, pack: &Pack, planned: &mut Planned) -> Result<Lead, usize> {
    let Told {
        rows,
        facts,
        groups,
    } = told;
    let frame = pack.frame();
    let mut is_in = vec![false; frame.len()];
    for &row in pack.rows() {
        is_in[row] = true;
    }
    let kept: Vec<usize> = (0..rows.len()).filter(|&at| is_in[rows[at]]).collect();
    let Some(&foremost) = kept.first() else {
        return Ok(Lead::Fine);
    };
    if facts[foremost].may_lead {
        return Ok(Lead::Fine);
    }
    // A group is required where one of its rows is, and where it is in although it should go.
    let mut required = vec![false; groups.len()];
    for (at, &group) in groups.iter().enumerate() {
        let row = rows[at];
        required[group] |= frame.retention(row) == Retention::Required
            || (is_in[row] && planned.leading.contains(&row));
    }
    let mut optional: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut first_required = None;
    for at in kept {
        if required[groups[at]] {
            first_required.get_or_insert(at);
        } else {
            optional.entry(groups[at]).or_default().push(at);
        }
    }
    let mut is_changed = false;
    loop {
        let oldest = optional.first_key_value().map(|(_, group)| group[0]);
        let first = oldest.into_iter().chain(first_required).min();
        if first.is_none_or(|first| facts[first].may_lead) {
            return Ok(if is_changed {
                Lead::Excluded
            } else {
                Lead::Fine
            });
        }
        let Some((_, group)) = optional.pop_first() else {
            break;
        };
        planned.leading.extend(group.iter().map(|&at| rows[at]));
        is_changed = true;
    }
    let first = first_required.unwrap_or(0);
    let user = (0..first).rev().find(|&at| {
        // What it belongs to may begin with another message.
        let leads = facts[groups[at]].may_lead;
        leads && facts[at].is_user && !planned.out.iter().any(|(out, _)| *out == rows[at])
    });
    let Some(user) = user else {
        return Err(rows[first]);
    };
    let of_group = (0..groups.len()).filter(|&at| groups[at] == groups[user]);
    let of_group: Vec<usize> = of_group.map(|at| rows[at]).collect();
    for row in &of_group {
        planned.leading.remove(row);
    }
    Ok(Lead::Required(of_group))
}

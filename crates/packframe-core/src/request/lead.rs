//! The first message of a list: some providers take only one of the user's.

use std::collections::BTreeMap;

use super::laid::{Laid, Part};
use super::parts::Request;
use crate::conversation::Format;
use crate::error::{Error, Problem};
use crate::pack::Pack;
use crate::word::Role;

/// Changes a plan in which a message comes first that may not; says whether it has to be packed
/// again.
///
/// The oldest optional groups go. Where none is left, the nearest older message of the user's
/// becomes required. Linear.
///
/// # Errors
///
/// `InvalidMessages` with the rule `first_role` where there is no such message.
pub(super) fn lead(request: &Request, laid: &mut Laid, pack: &Pack) -> Result<bool, Error> {
    let is_free = matches!(request.format, Format::OpenAiChat | Format::OpenAiResponses);
    if is_free || is_led(laid, pack) {
        return Ok(false);
    }
    let start = laid.talk.start;
    let kept = pack.rows().iter().filter(|row| laid.talk.contains(row));
    let frame = pack.frame();
    let is_required = |row: usize| frame.retention(row) == crate::word::Retention::Required;
    // A group is required where one of its rows is.
    let mut required = vec![false; laid.groups.len()];
    for (at, &group) in laid.groups.iter().enumerate() {
        required[group] |= is_required(start + at);
    }
    let mut optional: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut first_required = None;
    for &row in kept {
        let group = laid.groups[row - start];
        if required[group] {
            first_required.get_or_insert(row);
        } else {
            optional.entry(group).or_default().push(row);
        }
    }
    let may_lead = |row: usize| laid.facts[row - start].may_lead;
    let mut gone = Vec::new();
    let leads = loop {
        let oldest = optional.first_key_value().map(|(_, rows)| rows[0]);
        let Some(first) = oldest.into_iter().chain(first_required).min() else {
            break true;
        };
        if may_lead(first) {
            break true;
        }
        match optional.pop_first() {
            Some((_, rows)) => gone.extend(rows),
            None => break false,
        }
    };
    let is_changed = !gone.is_empty();
    laid.planned.leading.extend(gone);
    if leads {
        return Ok(is_changed);
    }
    let first = first_required.unwrap_or(start);
    let user = (start..first).rev().find(|row| {
        // What it belongs to may begin with another message.
        let leads = laid.facts[laid.groups[row - start]].may_lead;
        leads
            && laid.facts[row - start].is_user
            && !laid.planned.out.iter().any(|(out, _)| out == row)
    });
    let Some(user) = user else {
        let position = match laid.parts[first] {
            Part::History(position) => position.unwrap_or(0),
            Part::Final(position) => request.history.len() + position.unwrap_or(0),
            _ => 0,
        };
        return Err(Error::invalid_messages(vec![Problem {
            position,
            path: "role".to_owned(),
            rule: "first_role",
            id: None,
        }]));
    };
    let group = laid.groups[user - start];
    let rows: Vec<usize> = (0..laid.groups.len())
        .filter(|&at| laid.groups[at] == group)
        .map(|at| start + at)
        .collect();
    for row in &rows {
        laid.planned.leading.remove(row);
    }
    laid.require(&rows);
    Ok(true)
}

/// Says whether what comes first may: a message of data, one of the context, or one of the user's.
fn is_led(laid: &Laid, pack: &Pack) -> bool {
    let rows = pack.rows();
    let has_data = || {
        rows.iter()
            .any(|&row| matches!(laid.parts[row], Part::Records(_)))
    };
    let by_context =
        laid.merged_role() == Some(Role::User) && rows.iter().any(|&row| laid.is_merged(row));
    let first = rows.iter().find(|row| laid.talk.contains(row));
    by_context || has_data() || first.is_none_or(|&row| laid.facts[row - laid.talk.start].may_lead)
}

//! Which rows the boundary, the policies and the rendering let in.

use std::sync::Arc;

use super::groups::Groups;
use super::options::PackOptions;
use crate::error::{Error, ErrorKind, Violation};
use crate::frame::Frame;
use crate::policy::Policy;
use crate::word::{Retention, Sensitivity, Trust};

/// Why a row is out before anything is counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    Expired,
    Quarantined,
    Restricted,
    MissingProvenance,
    /// The reason code of a policy, and what it said.
    Policy(Arc<str>, String),
    Unsupported,
    GroupIncomplete,
}

/// The refusals of a frame: of each row, if it is refused.
#[derive(Debug, Clone)]
pub(crate) struct Refusals(Option<Vec<Option<Refusal>>>);

impl Refusals {
    /// Returns why a row is refused.
    pub(crate) fn of(&self, row: usize) -> Option<&Refusal> {
        self.0.as_ref().and_then(|rows| rows[row].as_ref())
    }

    /// Says whether a group is out: then all its rows are.
    pub(crate) fn group(&self, groups: &Groups, group: usize) -> bool {
        self.of(groups.rows(group)[0] as usize).is_some()
    }

    fn put(&mut self, len: usize, row: usize, refusal: Refusal) {
        self.0.get_or_insert_with(|| vec![None; len])[row] = Some(refusal);
    }
}

/// What a boundary and the policies decided.
#[derive(Debug)]
pub(crate) struct Admission {
    pub(crate) refusals: Refusals,
    /// Offending rows of required groups, in order.
    pub(crate) violations: Vec<usize>,
}

/// Applies expiry, quarantine, the boundary and the policies, in this order; the first hit decides.
///
/// # Errors
///
/// `PolicyError` where a policy fails.
pub(crate) fn admit(
    frame: &Frame,
    groups: &Groups,
    options: &PackOptions,
    policies: &[Arc<dyn Policy>],
) -> Result<Admission, Error> {
    let mut refusals = Refusals(None);
    for row in 0..frame.len() {
        if let Some(refusal) = built_in(frame, row, options) {
            refusals.put(frame.len(), row, refusal);
        }
    }
    for policy in policies {
        let rows: Vec<usize> = (0..frame.len())
            .filter(|&row| refusals.of(row).is_none())
            .collect();
        let reason: Arc<str> = format!("policy:{}", policy.id()).into();
        let verdicts = policy.evaluate(frame, &rows, &options.boundary)?;
        if verdicts.len() != rows.len() {
            let message = format!(
                "it gave {} verdicts for {} items",
                verdicts.len(),
                rows.len()
            );
            return Err(Error::policy(policy.id(), None, message, None));
        }
        for (&row, verdict) in rows.iter().zip(verdicts) {
            if let Some(rule) = verdict {
                refusals.put(frame.len(), row, Refusal::Policy(Arc::clone(&reason), rule));
            }
        }
    }
    let violations = close_groups(frame, groups, &mut refusals);
    Ok(Admission {
        refusals,
        violations,
    })
}

fn built_in(frame: &Frame, row: usize, options: &PackOptions) -> Option<Refusal> {
    let extra = frame.extra(row);
    let expires = extra.and_then(|extra| extra.expires_at);
    if let (Some(expires), Some(now)) = (expires, options.now)
        && expires <= now
    {
        return Some(Refusal::Expired);
    }
    if frame.trusts[row] == Trust::Quarantined {
        return Some(Refusal::Quarantined);
    }
    if !options.boundary.is_external() {
        return None;
    }
    if frame.sensitivities[row] == Sensitivity::Restricted {
        return Some(Refusal::Restricted);
    }
    let sourced = extra.is_some_and(|extra| !extra.sources.is_empty());
    (options.boundary.require_provenance() && !sourced).then_some(Refusal::MissingProvenance)
}

/// Puts the other members of an offender's group out; returns the offenders of required groups.
fn close_groups(frame: &Frame, groups: &Groups, refusals: &mut Refusals) -> Vec<usize> {
    let mut violations = Vec::new();
    if refusals.0.is_none() {
        return violations;
    }
    for group in 0..groups.len() {
        let rows = groups.rows(group);
        if !rows.iter().any(|&row| refusals.of(row as usize).is_some()) {
            continue;
        }
        let required = groups.retention(frame, group) == Retention::Required;
        for &row in rows {
            let row = row as usize;
            match (refusals.of(row).is_some(), required) {
                (true, true) => violations.push(row),
                (false, false) => refusals.put(frame.len(), row, Refusal::GroupIncomplete),
                _ => {}
            }
        }
    }
    violations.sort_unstable();
    violations
}

/// Puts out what the rendering cannot show.
///
/// # Errors
///
/// `UnsupportedContent` for a required one, naming its row.
pub(crate) fn support(
    frame: &Frame,
    groups: &Groups,
    refusals: &mut Refusals,
    renderer: &'static str,
) -> Result<(), Error> {
    let mut retentions = None;
    for row in 0..frame.len() {
        let content = frame.content(row);
        if content.rendered().is_some() || refusals.of(row).is_some() {
            continue;
        }
        let retentions = retentions.get_or_insert_with(|| groups.retentions(frame));
        if retentions[groups.of_row(row)] == Retention::Required {
            return Err(Error::new(ErrorKind::UnsupportedContent {
                row,
                id: frame.id(row).to_string(),
                kind: content.kind(),
                renderer,
            }));
        }
        refusals.put(frame.len(), row, Refusal::Unsupported);
    }
    if retentions.is_some() {
        close_groups(frame, groups, refusals);
    }
    Ok(())
}

/// Describes the offenders of required groups.
pub(crate) fn violations(frame: &Frame, admission: &Admission) -> Vec<Violation> {
    admission
        .violations
        .iter()
        .filter_map(|&row| {
            let (reason, rule) = admission.refusals.of(row)?.code();
            Some(Violation {
                row,
                id: frame.id(row).to_string(),
                rule,
                reason,
            })
        })
        .collect()
}

impl Refusal {
    /// Returns the reason code, and what a policy said.
    pub(crate) fn code(&self) -> (String, Option<String>) {
        let reason = match self {
            Self::Expired => "expired",
            Self::Quarantined => "quarantined",
            Self::Restricted => "restricted",
            Self::MissingProvenance => "missing_provenance",
            Self::Unsupported => "unsupported_content",
            Self::GroupIncomplete => "group_incomplete",
            Self::Policy(reason, rule) => return (reason.to_string(), Some(rule.clone())),
        };
        (reason.to_owned(), None)
    }
}

//! Which rows the boundary, the policies and the rendering let in.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::groups::Groups;
use super::options::PackOptions;
use crate::boundary::Secrets;
use crate::content::Content;
use crate::error::{Error, ErrorKind, Violation};
use crate::frame::{Frame, FrameBuilder};
use crate::item::Item;
use crate::policy::Policy;
use crate::word::{Render, Retention, Sensitivity, Trust};

/// Why a row is out before anything is counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    Expired,
    Quarantined,
    Restricted,
    MissingProvenance,
    /// The rule that found a secret.
    Secret(&'static str),
    /// The reason code of a policy, and what it said.
    Policy(Arc<str>, String),
    Unsupported,
    GroupIncomplete,
    /// Nothing was left of it when it was cut.
    Empty,
    /// A request leaves it out, for this reason.
    Planned(&'static str),
}

/// The refusals of a frame: of each row, if it is refused.
#[derive(Debug, Clone, Default)]
pub(crate) struct Refusals {
    rows: Option<Vec<Option<Refusal>>>,
    /// The alternatives that are refused, by row and place.
    alternatives: BTreeMap<(usize, usize), Refusal>,
}

impl Refusals {
    /// Returns why a row is refused.
    pub(crate) fn of(&self, row: usize) -> Option<&Refusal> {
        self.rows.as_ref().and_then(|rows| rows[row].as_ref())
    }

    /// Says whether a group is out: then all its rows are.
    pub(crate) fn group(&self, groups: &Groups, group: usize) -> bool {
        self.of(groups.rows(group)[0] as usize).is_some()
    }

    /// Says whether a row, or an alternative of one, is refused for a secret.
    pub(crate) fn is_secret(&self, row: usize, alternative: Option<usize>) -> bool {
        let refusal = match alternative {
            None => self.of(row),
            Some(place) => self.alternatives.get(&(row, place)),
        };
        matches!(refusal, Some(Refusal::Secret(_)))
    }

    /// Says whether an alternative of a row is refused.
    pub(crate) fn refuses_alternative(&self, row: usize, place: usize) -> bool {
        !self.alternatives.is_empty() && self.alternatives.contains_key(&(row, place))
    }

    /// Returns the alternatives that are refused: row, place, and why.
    pub(crate) fn alternatives(&self) -> impl Iterator<Item = (usize, usize, &Refusal)> {
        let refused = self.alternatives.iter();
        refused.map(|(&(row, place), refusal)| (row, place, refusal))
    }

    /// Returns the frame as code of the caller's may see it, where that is another one: without
    /// the alternatives that are refused. Their places are those of the whole lists everywhere else.
    pub(crate) fn shown(&self, frame: &Frame) -> Option<Frame> {
        (!self.alternatives.is_empty())
            .then(|| frame.without_alternatives(|row, place| self.refuses_alternative(row, place)))
    }

    /// Returns an item as code of the caller's may see it.
    pub(crate) fn shown_item(&self, frame: &Frame, row: usize) -> Item {
        let mut item = frame.item(row);
        let mut refused = self.alternatives.range((row, 0)..=(row, usize::MAX));
        if refused.next().is_some()
            && let Some(extra) = &mut item.extra
        {
            let mut places = 0..;
            let alternatives = &mut Arc::make_mut(extra).alternatives;
            alternatives.retain(|_| {
                let place = places.next();
                !place.is_some_and(|place| self.refuses_alternative(row, place))
            });
        }
        item
    }

    /// Puts a row out.
    pub(crate) fn put(&mut self, len: usize, row: usize, refusal: Refusal) {
        self.rows.get_or_insert_with(|| vec![None; len])[row] = Some(refusal);
    }
}

/// What was taken out of a row, or of one of its alternatives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Redaction {
    pub(crate) row: usize,
    /// The place of the alternative, where it is one.
    pub(crate) alternative: Option<usize>,
    /// The rules that found something.
    pub(crate) rules: Vec<&'static str>,
    /// How many secrets there were.
    pub(crate) secrets: usize,
}

/// What a boundary and the policies decided.
#[derive(Debug)]
pub(crate) struct Admission {
    pub(crate) refusals: Refusals,
    /// The frame without secrets, where some were taken out.
    pub(crate) frame: Option<Frame>,
    /// What was taken out, by row and alternative.
    pub(crate) redactions: Vec<Redaction>,
    /// Offending rows of required groups, in order.
    pub(crate) violations: Vec<usize>,
}

/// Applies expiry, quarantine, the boundary and the policies, in this order; the first hit decides.
///
/// Policies see contents as they would go: without the secrets that are taken out, and without the
/// alternatives that are refused.
///
/// # Errors
///
/// `PolicyError` where a policy fails.
pub(crate) fn admit(
    frame: &Frame,
    (groups, retentions): (&Groups, &[Retention]),
    options: &PackOptions,
    policies: &[Arc<dyn Policy>],
) -> Result<Admission, Error> {
    let mut refusals = Refusals::default();
    for &(row, reason) in options.planned.iter().flat_map(|planned| &planned.out) {
        refusals.put(frame.len(), row, Refusal::Planned(reason));
    }
    for row in 0..frame.len() {
        if refusals.of(row).is_some() {
            continue;
        }
        if let Some(refusal) = built_in(frame, row, options) {
            refusals.put(frame.len(), row, refusal);
        }
    }
    let search = search(frame, &mut refusals, options);
    let (redacted, redactions) = match search {
        Some((frame, redactions)) => (Some(frame), redactions),
        None => (None, Vec::new()),
    };
    let frame = redacted.as_ref().unwrap_or(frame);
    let without = refusals.shown(frame);
    let shown = without.as_ref().unwrap_or(frame);
    for policy in policies {
        let rows: Vec<usize> = (0..frame.len())
            .filter(|&row| refusals.of(row).is_none())
            .collect();
        let reason: Arc<str> = format!("policy:{}", policy.id()).into();
        let verdicts = policy.evaluate(shown, &rows, &options.boundary)?;
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
    admit_alternatives(frame, &mut refusals, options, policies)?;
    let violations = close_groups(frame, groups, retentions, &mut refusals);
    Ok(Admission {
        refusals,
        frame: redacted,
        redactions,
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

/// Looks for secrets in what was admitted so far, where it goes outside: refuses rows and
/// alternatives that hold some, or takes them out and returns the frame without them.
fn search(
    frame: &Frame,
    refusals: &mut Refusals,
    options: &PackOptions,
) -> Option<(Frame, Vec<Redaction>)> {
    let rules = options.boundary.searched_by()?;
    let redacts = options.boundary.secrets() == Secrets::Redact;
    let (mut changes, mut redactions) = (Vec::new(), Vec::new());
    // Returns the rule where the content has to be refused.
    let mut look = |row: usize, alternative: Option<usize>, content: &Content| {
        let rule = content.secret(rules)?;
        let Some(redacted) = redacts.then(|| content.redacted(rules)).flatten() else {
            return Some(rule);
        };
        changes.push((row, alternative, Arc::new(redacted.content)));
        redactions.push(Redaction {
            row,
            alternative,
            rules: redacted.rules,
            secrets: redacted.secrets,
        });
        None
    };
    for row in 0..frame.len() {
        if refusals.of(row).is_some() {
            continue;
        }
        if let Some(rule) = look(row, None, frame.content(row)) {
            refusals.put(frame.len(), row, Refusal::Secret(rule));
            continue;
        }
        let given = frame
            .extra(row)
            .map_or(&[][..], |extra| &extra.alternatives);
        for (place, alternative) in given.iter().enumerate() {
            if let Some(rule) = look(row, Some(place), &alternative.content) {
                refusals
                    .alternatives
                    .insert((row, place), Refusal::Secret(rule));
            }
        }
    }
    (!changes.is_empty()).then(|| (frame.with_contents(changes), redactions))
}

/// Lets the policies see the alternatives of the rows that are admitted, each in the place of its
/// item's content; those that they refuse are dropped, and the item stays.
fn admit_alternatives(
    frame: &Frame,
    refusals: &mut Refusals,
    options: &PackOptions,
    policies: &[Arc<dyn Policy>],
) -> Result<(), Error> {
    if frame.extras.is_none() || policies.is_empty() {
        return Ok(());
    }
    let given = |row: usize| {
        frame
            .extra(row)
            .map_or(&[][..], |extra| &extra.alternatives)
    };
    for place in 0.. {
        let rows: Vec<usize> = (0..frame.len())
            .filter(|&row| refusals.of(row).is_none() && given(row).len() > place)
            .collect();
        if rows.is_empty() {
            break;
        }
        let mut builder = FrameBuilder::default();
        for &row in &rows {
            let mut item = refusals.shown_item(frame, row);
            item.content = Arc::clone(&given(row)[place].content);
            builder.push(&item);
        }
        let shown = builder.finish()?;
        for policy in policies {
            let open: Vec<usize> = (0..rows.len())
                .filter(|&at| !refusals.refuses_alternative(rows[at], place))
                .collect();
            let reason: Arc<str> = format!("policy:{}", policy.id()).into();
            let verdicts = policy.evaluate(&shown, &open, &options.boundary)?;
            for (at, verdict) in open.into_iter().zip(verdicts) {
                if let Some(rule) = verdict {
                    let refusal = Refusal::Policy(Arc::clone(&reason), rule);
                    refusals.alternatives.insert((rows[at], place), refusal);
                }
            }
        }
    }
    Ok(())
}

/// Puts the other members of an offender's group out; returns the offenders of required groups.
fn close_groups(
    frame: &Frame,
    groups: &Groups,
    retentions: &[Retention],
    refusals: &mut Refusals,
) -> Vec<usize> {
    let mut violations = Vec::new();
    if refusals.rows.is_none() {
        return violations;
    }
    for (group, retention) in retentions.iter().enumerate() {
        let rows = groups.rows(group);
        if !rows.iter().any(|&row| refusals.of(row as usize).is_some()) {
            continue;
        }
        let required = *retention == Retention::Required;
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
    retentions: &[Retention],
    refusals: &mut Refusals,
    renderer: &'static str,
) -> Result<(), Error> {
    let as_messages = renderer == Render::Messages.as_str();
    // A message is sent as it came, pictures and all.
    let is_shown =
        |content: &Content| (as_messages && content.as_message().is_some()) || content.has_text();
    let mut any = false;
    for row in 0..frame.len() {
        let content = frame.content(row);
        if is_shown(content) || refusals.of(row).is_some() {
            continue;
        }
        if retentions[groups.of_row(row)] == Retention::Required {
            return Err(Error::new(ErrorKind::UnsupportedContent {
                row,
                id: frame.id(row).to_string(),
                kind: content.kind(),
                renderer,
            }));
        }
        refusals.put(frame.len(), row, Refusal::Unsupported);
        any = true;
    }
    for row in (0..frame.len()).filter(|_| frame.extras.is_some()) {
        let given = frame
            .extra(row)
            .map_or(&[][..], |extra| &extra.alternatives);
        for (place, alternative) in given.iter().enumerate() {
            if !alternative.content.has_text() {
                let place = (row, place);
                refusals
                    .alternatives
                    .entry(place)
                    .or_insert(Refusal::Unsupported);
            }
        }
    }
    if any {
        close_groups(frame, groups, retentions, refusals);
    }
    Ok(())
}

/// Describes the offenders of required groups.
pub(crate) fn violations(frame: &Frame, refusals: &Refusals, rows: &[usize]) -> Vec<Violation> {
    rows.iter()
        .filter_map(|&row| {
            let (reason, rule) = refusals.of(row)?.code();
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
            Self::Secret(rule) => return ("secret_detected".to_owned(), Some((*rule).to_owned())),
            Self::Unsupported => "unsupported_content",
            Self::GroupIncomplete => "group_incomplete",
            Self::Empty => "empty",
            Self::Planned(reason) => reason,
            Self::Policy(reason, rule) => return (reason.to_string(), Some(rule.clone())),
        };
        (reason.to_owned(), None)
    }
}

//! What each row costs.

use super::admit::Refusals;
use super::groups::Groups;
use super::options::PackOptions;
use crate::error::Error;
use crate::frame::Frame;
use crate::profile::TokenProfile;
use crate::word::{Accuracy, Render, Role};

/// The costs of the rows that were admitted; others cost nothing here.
#[derive(Debug)]
pub(crate) struct Costs {
    pub(crate) render: Render,
    pub(crate) base: u64,
    pub(crate) separator: u64,
    labels: Option<[u64; Role::ALL.len()]>,
    /// What the tokenizer counts in a row's content: in units of its seams, where it has some and
    /// the content is one text; else in tokens.
    units: Vec<u64>,
    content: Vec<u64>,
    envelope: Vec<u64>,
    total: Vec<u64>,
}

/// One row's cost, taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RowCost {
    pub(crate) content: u64,
    pub(crate) envelope: u64,
    pub(crate) label: u64,
    pub(crate) total: u64,
}

impl Costs {
    /// Counts every admitted row once; counts that a content keeps are not made again.
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the tokenizer fails, naming the row.
    pub(crate) fn of(
        frame: &Frame,
        groups: &Groups,
        refusals: &Refusals,
        options: &PackOptions,
    ) -> Result<Self, Error> {
        let profile = &*options.profile;
        let render = options.render();
        let admitted: Vec<usize> = (0..frame.len())
            .filter(|&row| !refusals.group(groups, groups.of_row(row)))
            .collect();
        let units = count_rows(frame, &admitted, profile, render)?;
        let separator = match render {
            Render::Text => profile.count(&options.separator)?,
            Render::Messages => 0,
        };
        let labels = if options.labels && render == Render::Text {
            let mut tokens = [0; Role::ALL.len()];
            for (tokens, role) in tokens.iter_mut().zip(Role::ALL) {
                *tokens = profile.count(&label(*role))?;
            }
            Some(tokens)
        } else {
            None
        };
        let mut costs = Self {
            render,
            base: if render == Render::Messages {
                profile.base_tokens()
            } else {
                0
            },
            separator,
            labels,
            content: vec![0; frame.len()],
            envelope: vec![
                0;
                if render == Render::Messages {
                    frame.len()
                } else {
                    0
                }
            ],
            total: vec![0; frame.len()],
            units,
        };
        let seams = profile.tokenizer().seams();
        for &row in &admitted {
            let units = costs.units[row];
            let content = match seams {
                Some(seams) if !as_message(frame, row, render) => seams.tokens(units),
                _ => units,
            };
            let mut extra = costs.label(frame.roles[row]);
            if render == Render::Messages {
                let envelope = profile.envelope(frame.roles[row], frame.content(row).as_message());
                costs.envelope[row] = envelope;
                extra += envelope;
            }
            let total = (content + extra).max(profile.least_per_item());
            costs.content[row] = total - extra;
            costs.total[row] = total;
        }
        Ok(costs)
    }

    /// Returns what a row costs, without separators.
    pub(crate) fn total(&self, row: usize) -> u64 {
        self.total[row]
    }

    /// Returns the units of a row's content.
    pub(crate) fn units(&self, row: usize) -> u64 {
        self.units[row]
    }

    /// Returns what a row costs, taken apart.
    pub(crate) fn row(&self, row: usize, role: Role) -> RowCost {
        RowCost {
            content: self.content[row],
            envelope: self.envelope.get(row).copied().unwrap_or(0),
            label: self.label(role),
            total: self.total[row],
        }
    }

    /// Returns the sum of a group's rows, without separators.
    pub(crate) fn group(&self, groups: &Groups, group: usize) -> u64 {
        groups
            .rows(group)
            .iter()
            .map(|&row| self.total[row as usize])
            .sum()
    }

    /// Returns base, parts and the separators between them.
    pub(crate) fn sum(&self, tokens: u64, parts: usize) -> u64 {
        self.base + tokens + self.separator * parts.saturating_sub(1) as u64
    }

    fn label(&self, role: Role) -> u64 {
        self.labels.map_or(0, |labels| labels[role as usize])
    }
}

/// Says whether a row is counted as a message, field by field, and not as one text.
fn as_message(frame: &Frame, row: usize, render: Render) -> bool {
    render == Render::Messages && frame.content(row).as_message().is_some()
}

/// Returns what stands before a part of a text that shows who speaks.
pub(crate) fn label(role: Role) -> String {
    format!("{role}: ")
}

/// Returns what a row's content tokens are worth.
pub(crate) fn content_accuracy(
    frame: &Frame,
    row: usize,
    profile: &TokenProfile,
    render: Render,
) -> Accuracy {
    let guessed = render == Render::Messages
        && frame
            .content(row)
            .as_message()
            .is_some_and(|message| message.counted().approximate);
    if guessed {
        Accuracy::Approximate
    } else {
        profile.accuracy()
    }
}

/// Returns the units of the contents of some rows; of the others, 0.
fn count_rows(
    frame: &Frame,
    rows: &[usize],
    profile: &TokenProfile,
    render: Render,
) -> Result<Vec<u64>, Error> {
    let mut units = vec![0; frame.len()];
    let mut missing = Vec::new();
    for &row in rows {
        let content = frame.content(row);
        match content.cost(profile.cost_key(as_message(frame, row, render))) {
            Some(known) => units[row] = known,
            None => missing.push(row),
        }
    }
    if missing.is_empty() {
        return Ok(units);
    }
    let mut texts: Vec<&str> = Vec::with_capacity(missing.len());
    let mut owner: Vec<usize> = Vec::with_capacity(missing.len());
    for &row in &missing {
        let content = frame.content(row);
        let before = texts.len();
        match content
            .as_message()
            .filter(|_| as_message(frame, row, render))
        {
            Some(message) => texts.extend(message.counted().texts.iter().map(|text| &**text)),
            None => texts.extend(content.rendered()),
        }
        owner.resize(owner.len() + texts.len() - before, row);
    }
    if let Some(seams) = profile.tokenizer().seams() {
        for (text, &row) in texts.iter().zip(&owner) {
            let counted = seams.units(text);
            units[row] += if as_message(frame, row, render) {
                seams.tokens(counted)
            } else {
                counted
            };
        }
    } else {
        let counts = profile.tokenizer().count_batch(&texts).map_err(|error| {
            profile.failed(
                error.position().and_then(|at| owner.get(at).copied()),
                &error,
            )
        })?;
        profile.complete(&texts, &counts)?;
        for (count, &row) in counts.into_iter().zip(&owner) {
            units[row] += profile.checked(Some(row), count)?;
        }
    }
    for &row in &missing {
        let content = frame.content(row);
        content.keep_cost(profile.cost_key(as_message(frame, row, render)), units[row]);
    }
    Ok(units)
}

//! What each row costs.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::FixedState;

use super::admit::Refusals;
use super::division::Division;
use super::form::{Form, Kind};
use super::groups::Groups;
use super::options::PackOptions;
use crate::content::Content;
use crate::error::Error;
use crate::frame::Frame;
use crate::profile::TokenProfile;
use crate::secret::SecretRules;
use crate::word::{Accuracy, Render, Retention, Role};

/// The costs of the rows that were admitted; others cost nothing here.
#[derive(Debug)]
pub(crate) struct Costs {
    /// Of each row, whether it is a message; empty where all are parts of one text.
    messages: Vec<bool>,
    pub(crate) base: u64,
    labels: Option<[u64; Role::ALL.len()]>,
    /// What the tokenizer counts in a row's content: in units of its seams, where it has some and
    /// the content is one text; else in tokens.
    units: Vec<u64>,
    content: Vec<u64>,
    envelope: Vec<u64>,
    total: Vec<u64>,
    /// Of each row, whether it was not counted, since it is older than all that there is room for;
    /// empty where all were.
    uncounted: Vec<bool>,
    /// Of the rows that have any, the alternatives, best first.
    alternatives: HashMap<u32, Vec<Form>, FixedState>,
    /// The least that an item costs.
    least: u64,
    /// The rules by which a cut is searched for secrets that what it leaves out kept from being
    /// some; `None` where nothing is searched.
    searched_by: Option<SecretRules>,
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
        (groups, division): (&Groups, &Division),
        refusals: &Refusals,
        options: &PackOptions,
    ) -> Result<Self, Error> {
        let profile = &*options.profile;
        let render = options.render();
        let admitted: Vec<usize> = (0..frame.len())
            .filter(|&row| !refusals.group(groups, groups.of_row(row)))
            .collect();
        let messages: Vec<bool> = match render {
            Render::Text => Vec::new(),
            Render::Messages => (0..frame.len())
                .map(|row| !division.joins(groups.of_row(row)))
                .collect(),
        };
        let is_message = |row: usize| messages.get(row).copied().unwrap_or(false);
        let (now, late) = late_rows(frame, (groups, division), admitted, options)?;
        let mut units = vec![0; frame.len()];
        count_rows(frame, &now, profile, is_message, &mut units)?;
        let mut admitted = now;
        let mut uncounted = Vec::new();
        if !late.is_empty() {
            let counted = count_late(frame, groups, &late, options, is_message, &mut units)?;
            uncounted = vec![false; frame.len()];
            for &row in &late[counted..] {
                uncounted[row] = true;
            }
            admitted.extend_from_slice(&late[..counted]);
        }
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
            base: if render == Render::Messages {
                profile.base_tokens() + options.fixed
            } else {
                options.fixed
            },
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
            uncounted,
            messages,
            alternatives: HashMap::default(),
            least: profile.least_per_item(),
            searched_by: options.boundary.searched_by(),
        };
        let seams = profile.tokenizer().seams();
        for &row in &admitted {
            let units = costs.units[row];
            let content = match seams {
                Some(seams) if !(costs.is_message(row) && is_chat(frame, row)) => {
                    seams.tokens(units)
                }
                _ => units,
            };
            let mut extra = costs.label(frame.roles[row]);
            if costs.is_message(row) {
                let envelope = profile.envelope(frame.roles[row], Some(frame.content(row)));
                costs.envelope[row] = envelope;
                extra += envelope;
            }
            let total = (content + extra).max(profile.least_per_item());
            costs.content[row] = total - extra;
            costs.total[row] = total;
        }
        costs.count_alternatives(frame, &admitted, refusals, profile)?;
        Ok(costs)
    }

    /// Counts the alternatives of some rows, those that were refused left out.
    fn count_alternatives(
        &mut self,
        frame: &Frame,
        rows: &[usize],
        refusals: &Refusals,
        profile: &TokenProfile,
    ) -> Result<(), Error> {
        let mut owners = Vec::new();
        let mut contents = Vec::new();
        for &row in rows.iter().filter(|_| frame.extras.is_some()) {
            let given = frame
                .extra(row)
                .map_or(&[][..], |extra| &extra.alternatives);
            for (place, alternative) in given.iter().enumerate() {
                if alternative.content.rendered().is_some()
                    && !refusals.refuses_alternative(row, place)
                {
                    owners.push((row, place));
                    contents.push(Arc::clone(&alternative.content));
                }
            }
        }
        let units = count_contents(&contents, |at| Some(owners[at].0), |_| false, profile)?;
        for (((row, place), content), units) in owners.into_iter().zip(contents).zip(units) {
            let form = self.formed(
                frame,
                row,
                profile,
                Kind::Alternative(place),
                content,
                units,
            );
            let number = u32::try_from(row).expect("the number of rows was checked");
            self.alternatives.entry(number).or_default().push(form);
        }
        Ok(())
    }

    /// Says whether a row was counted.
    pub(crate) fn is_counted(&self, row: usize) -> bool {
        self.uncounted.get(row).is_none_or(|uncounted| !uncounted)
    }

    /// Says whether a row is a message by itself; else it is a part of a text.
    pub(crate) fn is_message(&self, row: usize) -> bool {
        self.messages.get(row).copied().unwrap_or(false)
    }

    /// Says whether a content that was made here, by a cut or a strategy, holds a secret and goes
    /// outside.
    pub(crate) fn refuses(&self, cut: &Content) -> bool {
        self.searched_by
            .is_some_and(|rules| cut.secret(rules).is_some())
    }

    /// Counts a form of a row.
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the tokenizer fails.
    pub(crate) fn form(
        &self,
        frame: &Frame,
        row: usize,
        profile: &TokenProfile,
        kind: Kind,
        content: Arc<Content>,
    ) -> Result<Form, Error> {
        let contents = [content];
        let units = count_contents(&contents, |_| Some(row), |_| false, profile)?;
        let [content] = contents;
        Ok(self.formed(frame, row, profile, kind, content, units[0]))
    }

    fn formed(
        &self,
        frame: &Frame,
        row: usize,
        profile: &TokenProfile,
        kind: Kind,
        content: Arc<Content>,
        units: u64,
    ) -> Form {
        let tokens = profile
            .tokenizer()
            .seams()
            .map_or(units, |seams| seams.tokens(units));
        let extra = self.extra(frame, row);
        let total = (tokens + extra).max(self.least);
        Form {
            kind,
            content,
            units,
            tokens: total - extra,
            total,
        }
    }

    /// Returns what a row costs over its content: label and envelope.
    pub(crate) fn extra(&self, frame: &Frame, row: usize) -> u64 {
        self.label(frame.roles[row]) + self.envelope.get(row).copied().unwrap_or(0)
    }

    /// Returns the alternatives of a row, best first.
    pub(crate) fn alternatives(&self, row: usize) -> &[Form] {
        if self.alternatives.is_empty() {
            return &[];
        }
        let number = u32::try_from(row).expect("the number of rows was checked");
        self.alternatives.get(&number).map_or(&[], |forms| forms)
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

    fn label(&self, role: Role) -> u64 {
        self.labels.map_or(0, |labels| labels[role as usize])
    }
}

/// Says whether the content of a row is a message, which is counted field by field where it stays one.
fn is_chat(frame: &Frame, row: usize) -> bool {
    frame.content(row).as_message().is_some()
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
    is_message: bool,
) -> Accuracy {
    let guessed = is_message
        && frame
            .content(row)
            .counted()
            .is_some_and(|counted| counted.approximate);
    if guessed {
        Accuracy::Approximate
    } else {
        profile.accuracy()
    }
}

/// How many rows of a history are counted before it is looked whether there is room for more.
const LATE_ROWS: usize = 256;

/// Parts the rows that are admitted: those that are counted in any case, and those of the strict
/// section that may be out, in the order of its run. The run ends at the first that does not fit, so
/// that none has to be counted behind it.
fn late_rows(
    frame: &Frame,
    (groups, division): (&Groups, &Division),
    admitted: Vec<usize>,
    options: &PackOptions,
) -> Result<(Vec<usize>, Vec<usize>), Error> {
    let strict = (0..division.len()).find(|&section| division.part(section).strict);
    let is_open = options.room()?.available.is_none() || options.counts_messages();
    let Some(strict) = strict.filter(|_| !is_open) else {
        return Ok((admitted, Vec::new()));
    };
    let may_be_out: Vec<bool> = (0..groups.len())
        .map(|group| {
            division.section(group) == strict
                && groups.retention(frame, group) == Retention::Optional
        })
        .collect();
    let (late, now): (Vec<usize>, Vec<usize>) = admitted
        .into_iter()
        .partition(|&row| may_be_out[groups.of_row(row)]);
    // A group is as old as its first row.
    let mut keyed: Vec<(usize, usize)> = late
        .into_iter()
        .map(|row| (usize::MAX - groups.of_row(row), row))
        .collect();
    keyed.sort_unstable();
    Ok((now, keyed.into_iter().map(|(_, row)| row).collect()))
}

/// Counts rows in their order until they alone are more than there is room for; returns how many
/// were counted.
fn count_late(
    frame: &Frame,
    groups: &Groups,
    late: &[usize],
    options: &PackOptions,
    is_message: impl Fn(usize) -> bool,
    units: &mut [u64],
) -> Result<usize, Error> {
    let profile = &*options.profile;
    let available = options.room()?.available.unwrap_or(i64::MAX);
    let (mut sum, mut counted) = (0, 0);
    while counted < late.len() {
        let mut end = (counted + LATE_ROWS).min(late.len());
        // A group is counted whole.
        while end < late.len() && groups.of_row(late[end]) == groups.of_row(late[end - 1]) {
            end += 1;
        }
        let rows = &late[counted..end];
        count_rows(frame, rows, profile, &is_message, units)?;
        counted = end;
        // Seams count parts of a text in other units; a message is counted in tokens.
        let tokens = rows
            .iter()
            .map(|&row| units[row] + profile.least_envelope(frame.roles[row]));
        sum += tokens.sum::<u64>();
        if super::options::signed(sum) > available {
            break;
        }
    }
    Ok(counted)
}

/// Counts the contents of some rows.
fn count_rows(
    frame: &Frame,
    rows: &[usize],
    profile: &TokenProfile,
    is_message: impl Fn(usize) -> bool,
    units: &mut [u64],
) -> Result<(), Error> {
    let counts_fields = |row: usize| is_message(row) && is_chat(frame, row);
    let mut missing = Vec::new();
    for &row in rows {
        let key = profile.cost_key(counts_fields(row));
        match frame.content(row).cost(key) {
            Some(known) => units[row] = known,
            None => missing.push(row),
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    let contents: Vec<Arc<Content>> = missing
        .iter()
        .map(|&row| Arc::clone(frame.content(row)))
        .collect();
    let counted = count_contents(
        &contents,
        |at| Some(missing[at]),
        |at| counts_fields(missing[at]),
        profile,
    )?;
    for (row, counted) in missing.into_iter().zip(counted) {
        units[row] = counted;
    }
    Ok(())
}

/// Returns the tokens of the content of a message, counted field by field; kept with it.
///
/// # Errors
///
/// `TokenizerError` where the tokenizer fails.
pub(crate) fn message_tokens(profile: &TokenProfile, content: &Arc<Content>) -> Result<u64, Error> {
    let counted = count_contents(std::slice::from_ref(content), |_| None, |_| true, profile)?;
    Ok(counted[0])
}

/// Returns the units of some contents, counted in one batch; what a content keeps is not counted
/// again.
fn count_contents(
    contents: &[Arc<Content>],
    row: impl Fn(usize) -> Option<usize>,
    is_message: impl Fn(usize) -> bool,
    profile: &TokenProfile,
) -> Result<Vec<u64>, Error> {
    let mut units = vec![0; contents.len()];
    let mut texts: Vec<&str> = Vec::with_capacity(contents.len());
    let mut owner: Vec<usize> = Vec::with_capacity(contents.len());
    // A tokenizer of the caller's is asked, whatever it said before.
    let seams = profile.tokenizer().seams();
    let mut memory = seams.map(|_| profile.messages().lend());
    for (at, content) in contents.iter().enumerate() {
        if let Some(known) = content.cost(profile.cost_key(is_message(at))) {
            units[at] = known;
            continue;
        }
        let before = texts.len();
        let message = content.as_message().filter(|_| is_message(at));
        if let (Some(message), Some(memory)) = (message, &memory)
            && let Some(known) = memory.get(message.format(), content.hash())
        {
            units[at] = known;
            continue;
        }
        match content.counted().filter(|_| is_message(at)) {
            Some(counted) => {
                units[at] += counted.estimate;
                texts.extend(counted.texts.iter().map(|text| &**text));
            }
            None => texts.extend(content.rendered()),
        }
        owner.resize(owner.len() + texts.len() - before, at);
    }
    if let Some(seams) = seams {
        for (text, &at) in texts.iter().zip(&owner) {
            let counted = seams.units(text);
            units[at] += if is_message(at) {
                seams.tokens(counted)
            } else {
                counted
            };
        }
    } else if !texts.is_empty() {
        let counts = profile.tokenizer().count_batch(&texts).map_err(|error| {
            let at = error.position().and_then(|at| owner.get(at).copied());
            profile.failed(at.and_then(&row), &error)
        })?;
        profile.complete(&texts, &counts)?;
        for (count, &at) in counts.into_iter().zip(&owner) {
            units[at] += profile.checked(row(at), count)?;
        }
    }
    for (at, (content, &units)) in contents.iter().zip(&units).enumerate() {
        content.keep_cost(profile.cost_key(is_message(at)), units);
        let message = content.as_message().filter(|_| is_message(at));
        if let (Some(message), Some(memory)) = (message, &mut memory) {
            memory.put(message.format(), content.hash(), units);
        }
    }
    if let Some(memory) = memory {
        memory.give_back();
    }
    Ok(units)
}

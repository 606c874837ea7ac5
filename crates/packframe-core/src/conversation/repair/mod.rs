//! A list of messages made acceptable by the smallest change.

mod build;
mod plan;
mod written;

use std::borrow::Cow;
use std::collections::HashSet;

use foldhash::fast::FixedState;

use self::plan::{Act, Choice, Plan};
use super::facts::Conversation;
use super::fields::Fields;
use super::format::Format;
use super::judge::{MessageProblem, Severity};
use super::links::Links;
use super::look::link;
use super::named::id_at;
use super::read::{plain_speaker, read_told};
use super::rule::Rule;
use super::validate::problems;
use super::view::{Speaker, View};
use crate::error::{Error, Problem};

/// How often a list is looked at again after a change; a change can uncover the next fault, as an
/// item that goes leaves its program empty.
const PASSES: usize = 32;

/// What is done about a call that has no result, and whether anything is done at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RepairMode {
    /// The call goes.
    Drop,
    /// A result is written.
    Placeholder,
    /// Nothing is repaired; a list that would have to be is refused.
    Error,
}

impl RepairMode {
    /// Every mode, in order.
    pub const ALL: &'static [Self] = &[Self::Drop, Self::Placeholder, Self::Error];

    /// Returns its word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Drop => "drop",
            Self::Placeholder => "placeholder",
            Self::Error => "error",
        }
    }

    /// Reads a word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|mode| mode.as_str() == word)
    }
}

/// How a list is repaired.
#[derive(Debug, Clone)]
pub struct RepairOptions<'a> {
    /// What is done.
    pub mode: RepairMode,
    /// Ids of calls that nobody waits for.
    pub abandoned: Vec<&'a str>,
    /// Whether every call without a result may wait for one.
    pub allow_pending: bool,
    /// The position of the first message of the final; all are history where it is their number.
    pub final_from: usize,
    /// The model that they go to, for what only some models refuse.
    pub model: Option<&'a str>,
}

impl Default for RepairOptions<'_> {
    fn default() -> Self {
        Self {
            mode: RepairMode::Drop,
            abandoned: Vec::new(),
            allow_pending: false,
            final_from: usize::MAX,
            model: None,
        }
    }
}

/// A message of a repaired list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepairedMessage<'a> {
    /// Its position before; none for a message that was made.
    pub origin: Option<usize>,
    /// Its JSON, byte for byte as it was given where it did not change.
    pub json: Cow<'a, str>,
    /// Whether it is another than the one that was given.
    pub is_changed: bool,
    /// Who speaks, of one that is one string.
    plain: Option<Speaker>,
}

/// A message that is given to be repaired.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Given<'a> {
    /// Its JSON.
    pub(crate) json: &'a str,
    /// Who speaks, of one that is one string.
    pub(crate) plain: Option<Speaker>,
}

impl RepairedMessage<'_> {
    /// Says whether it is one string, and its role.
    pub(crate) fn is_plain(&self) -> bool {
        self.plain.is_some()
    }
}

impl AsRef<str> for RepairedMessage<'_> {
    fn as_ref(&self) -> &str {
        &self.json
    }
}

/// One change of a repair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageRepair {
    /// The message, by its position before; of a written result that of the call.
    pub row: usize,
    /// The place in the message.
    pub path: String,
    /// What was done: the rule for what went, `thinking` and `signed_call` for what went with it,
    /// `input_control`, `moved_result`, `written_result`.
    pub kind: &'static str,
    /// The id of the call, the result or the item.
    pub id: Option<String>,
    /// The message behind which, or in which, a result stands now, by its position before.
    pub to_row: Option<usize>,
}

impl MessageRepair {
    /// Every kind, but for those that are rules.
    const KINDS: [&'static str; 5] = [
        "input_control",
        "moved_result",
        "signed_call",
        "thinking",
        "written_result",
    ];

    /// Reads the word of a kind.
    #[must_use]
    pub fn kind_named(word: &str) -> Option<&'static str> {
        let rules = Rule::ALL.iter().map(|rule| rule.as_str());
        rules.chain(Self::KINDS).find(|known| *known == word)
    }
}

/// A repaired list.
#[derive(Debug)]
pub struct Repaired<'a> {
    /// The messages.
    pub messages: Vec<RepairedMessage<'a>>,
    /// What was done, in order.
    pub repairs: Vec<MessageRepair>,
    /// What the list still waits for, and what only its first or last role is refused for.
    pub problems: Vec<MessageProblem>,
    /// What belongs together, what is protected, and the turns, by position in `messages`.
    pub conversation: Conversation,
}

impl Repaired<'_> {
    /// Returns itself where no problem is left that a provider refuses.
    ///
    /// # Errors
    ///
    /// `InvalidMessages` for a first or last role that may not stand there.
    pub fn accepted(self) -> Result<Self, Error> {
        let refused: Vec<&MessageProblem> = self
            .problems
            .iter()
            .filter(|problem| is_refused(problem))
            .collect();
        if refused.is_empty() {
            return Ok(self);
        }
        Err(Error::invalid_messages(
            refused
                .into_iter()
                .map(|problem| problem_at(problem, &self.messages))
                .collect(),
        ))
    }
}

/// Repairs messages, given as their JSON, and says what belongs together in what is left.
///
/// Input controls of the history are taken out first. Then results that stand where no provider
/// takes them move behind their calls, what is said twice goes, results without a call go, calls
/// without a result go or get one, and reasoning without a follower goes. What is accepted neither
/// moves nor changes, and a second repair changes nothing. Linear in the size of the JSON for each
/// of a few looks at it.
///
/// # Errors
///
/// `InvalidMessages` for what no repair mends, for what would be taken out of the final, and with
/// [`RepairMode::Error`] for all that a repair would change.
pub fn repair_messages<'a, T: AsRef<str>>(
    messages: &'a [T],
    format: Format,
    options: &RepairOptions<'_>,
) -> Result<Repaired<'a>, Error> {
    let json = messages.iter().map(T::as_ref);
    let given = json.map(|json| Given {
        json,
        plain: plain_speaker(json, format),
    });
    repair_given(given, format, options)
}

/// Repairs messages as [`repair_messages`] does, knowing which of them are one string.
pub(crate) fn repair_given<'a>(
    messages: impl Iterator<Item = Given<'a>>,
    format: Format,
    options: &RepairOptions<'_>,
) -> Result<Repaired<'a>, Error> {
    let abandoned: HashSet<&str, FixedState> = options.abandoned.iter().copied().collect();
    let choice = Choice {
        writes: options.mode == RepairMode::Placeholder,
        allow_pending: options.allow_pending,
        abandoned: &abandoned,
    };
    let mut list: Vec<RepairedMessage<'a>> = messages
        .enumerate()
        .map(|(row, given)| RepairedMessage {
            origin: Some(row),
            json: Cow::Borrowed(given.json),
            is_changed: false,
            plain: given.plain,
        })
        .collect();
    let mut repairs = Vec::new();
    if format == Format::OpenAiResponses {
        take_controls(&mut list, options.final_from, &mut repairs);
    }
    for _ in 0..PASSES {
        let made = {
            let view = read(&list, format);
            let links = link(&view);
            let plan = Plan::of(&view, &links, &choice);
            if plan.is_empty() {
                return finish(&list, &view, &links, repairs, options);
            }
            if options.mode == RepairMode::Error {
                return Err(refuse(&list, &view, &plan, options));
            }
            keep_flawed(&list, &view, &plan)?;
            keep_final(&list, &view, &plan, options.final_from)?;
            let (made, targets) = build::build(&list, &view, &links, &plan);
            record(&list, &view, &plan, &targets, &mut repairs);
            made
        };
        list = made;
    }
    let view = read(&list, format);
    let left = problems(&view, options.model, options.allow_pending);
    Err(Error::invalid_messages(
        left.iter()
            .filter(|problem| is_refused(problem))
            .map(|problem| problem_at(problem, &list))
            .collect(),
    ))
}

/// Reads a list while it is repaired.
fn read<'a>(list: &'a [RepairedMessage<'_>], format: Format) -> View<'a> {
    let told = list.iter().map(|message| (&*message.json, message.plain));
    read_told(told, format)
}

/// Takes input controls out of the history.
fn take_controls(
    list: &mut Vec<RepairedMessage<'_>>,
    final_from: usize,
    repairs: &mut Vec<MessageRepair>,
) {
    let view = read(list, Format::OpenAiResponses);
    let goes: Vec<bool> = view
        .rows
        .iter()
        .enumerate()
        .map(|(row, item)| item.is_control() && row < final_from)
        .collect();
    for (row, _) in goes.iter().enumerate().filter(|(_, goes)| **goes) {
        repairs.push(MessageRepair {
            row,
            path: String::new(),
            kind: "input_control",
            // It is no item of its own, so that the view does not know its id.
            id: Fields::parse(&list[row].json)
                .and_then(|fields| fields.id("id").map(Cow::into_owned)),
            to_row: None,
        });
    }
    if repairs.is_empty() {
        return;
    }
    let mut goes = goes.into_iter();
    list.retain(|_| !goes.next().unwrap_or(false));
}

fn finish<'a>(
    list: &[RepairedMessage<'a>],
    view: &View<'_>,
    links: &Links,
    repairs: Vec<MessageRepair>,
    options: &RepairOptions<'_>,
) -> Result<Repaired<'a>, Error> {
    let found = problems(view, options.model, options.allow_pending);
    let (left, refused): (Vec<_>, Vec<_>) = found
        .into_iter()
        .partition(|problem| problem.severity == Severity::Pending || is_about_an_end(problem));
    if !refused.is_empty() {
        return Err(Error::invalid_messages(
            refused
                .iter()
                .map(|problem| problem_at(problem, list))
                .collect(),
        ));
    }
    let final_from = list
        .iter()
        .position(|message| message.origin.is_some_and(|row| row >= options.final_from))
        .unwrap_or(list.len());
    let waiting: Vec<usize> = left
        .iter()
        .filter(|problem| problem.severity == Severity::Pending)
        .map(|problem| problem.position)
        .collect();
    Ok(Repaired {
        messages: list.to_vec(),
        repairs,
        problems: left,
        conversation: Conversation::of(view, links, final_from, &waiting),
    })
}

fn is_about_an_end(problem: &MessageProblem) -> bool {
    problem.rule == Rule::FirstRole.as_str() || problem.rule == Rule::LastRole.as_str()
}

fn is_refused(problem: &MessageProblem) -> bool {
    problem.severity == Severity::Refused
}

/// Returns the position before of a message, or of the one before it where it was made.
fn origin(list: &[RepairedMessage<'_>], row: usize) -> usize {
    list[..=row]
        .iter()
        .rev()
        .find_map(|message| message.origin)
        .unwrap_or(0)
}

fn problem_at(problem: &MessageProblem, list: &[RepairedMessage<'_>]) -> Problem {
    Problem {
        position: origin(list, problem.position),
        path: problem.path.clone(),
        rule: problem.rule,
        id: id_at(&list[problem.position].json, &problem.path),
    }
}

/// Refuses what a repair would have to change.
fn refuse(
    list: &[RepairedMessage<'_>],
    view: &View<'_>,
    plan: &Plan,
    options: &RepairOptions<'_>,
) -> Error {
    let found = problems(view, options.model, options.allow_pending);
    let mut refused: Vec<Problem> = found
        .iter()
        .filter(|problem| problem.severity == Severity::Refused && !is_about_an_end(problem))
        .map(|problem| problem_at(problem, list))
        .collect();
    if refused.is_empty() {
        // Calls that the caller gave up, which a provider would still wait for.
        let gone = plan
            .acts
            .iter()
            .zip(&view.entries)
            .filter_map(|(act, entry)| {
                let Act::Go(rule, _) = act else { return None };
                Some(Problem {
                    position: origin(list, entry.row),
                    path: entry.path(),
                    rule: rule.as_str(),
                    id: entry.id.as_deref().map(str::to_owned),
                })
            });
        refused.extend(gone);
    }
    Error::invalid_messages(refused)
}

/// Refuses a plan that moves what is wrong in itself, while it is known where it stood.
fn keep_flawed(list: &[RepairedMessage<'_>], view: &View<'_>, plan: &Plan) -> Result<(), Error> {
    let moved = view.flaws.iter().filter(|flaw| {
        let act = flaw.entry.map(|entry| plan.acts[entry]);
        act == Some(Act::Move)
    });
    let problems: Vec<Problem> = moved
        .map(|flaw| Problem {
            position: origin(list, flaw.row),
            path: flaw.path.clone(),
            rule: flaw.rule.as_str(),
            id: id_at(&list[flaw.row].json, &flaw.path),
        })
        .collect();
    if problems.is_empty() {
        Ok(())
    } else {
        Err(Error::invalid_messages(problems))
    }
}

/// Refuses a plan that takes something out of the final.
fn keep_final(
    list: &[RepairedMessage<'_>],
    view: &View<'_>,
    plan: &Plan,
    final_from: usize,
) -> Result<(), Error> {
    let mut problems: Vec<Problem> = Vec::new();
    for (act, entry) in plan.acts.iter().zip(&view.entries) {
        let Act::Go(rule, _) = act else { continue };
        if let Some(position) = list[entry.row].origin.filter(|row| *row >= final_from) {
            problems.push(Problem {
                position,
                path: entry.path(),
                rule: rule.as_str(),
                id: entry.id.as_deref().map(str::to_owned),
            });
        }
    }
    if problems.is_empty() {
        Ok(())
    } else {
        Err(Error::invalid_messages(problems))
    }
}

/// Writes down what a plan does.
fn record(
    list: &[RepairedMessage<'_>],
    view: &View<'_>,
    plan: &Plan,
    targets: &[(usize, usize)],
    repairs: &mut Vec<MessageRepair>,
) {
    let mut records = Vec::new();
    let of = |at: usize, kind, to: Option<usize>| {
        let entry = &view.entries[at];
        MessageRepair {
            row: origin(list, entry.row),
            path: entry.path(),
            kind,
            id: entry.id.as_deref().map(str::to_owned),
            to_row: to.map(|row| origin(list, row)),
        }
    };
    for (at, act) in plan.acts.iter().enumerate() {
        if let Act::Go(_, kind) = act {
            records.push(of(at, *kind, None));
        }
    }
    for &(at, row) in targets {
        let kind = if plan.acts[at] == Act::Move {
            "moved_result"
        } else {
            "written_result"
        };
        records.push(of(at, kind, Some(row)));
    }
    // By message, as one reads them.
    records.sort_by_key(|record| record.row);
    repairs.extend(records);
}

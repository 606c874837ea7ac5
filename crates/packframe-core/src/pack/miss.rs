//! Why groups that were neither refused nor taken are out of a pack.

use std::borrow::Cow;

use super::cost::Costs;
use super::joined::Joined;
use super::ledger::{Complete, Ledger};
use super::lines::{Price, price};
use super::options::signed;
use super::select::{Bar, Field};
use super::standing::{Change, section_tokens};
use super::verify::{join, new_slots};
use crate::section::DropRule;
use crate::word::Retention;

/// Why a group that was neither refused nor taken is out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Miss {
    pub(crate) reason: Cow<'static, str>,
    pub(crate) rule: Option<String>,
    /// By how much the rendering with it would be over, or its section.
    pub(crate) shortfall: Option<i64>,
}

impl Default for Miss {
    fn default() -> Self {
        Self::plain("budget")
    }
}

impl Miss {
    fn by(reason: &'static str, rule: Option<String>) -> Self {
        Self {
            rule,
            ..Self::plain(reason)
        }
    }

    fn plain(reason: &'static str) -> Self {
        Self {
            reason: reason.into(),
            rule: None,
            shortfall: None,
        }
    }
}

/// Judges, by the pack as it is, every group that is out.
///
/// Each is counted into the rendering once, where joins are counted.
pub(crate) fn misses(ledger: &Ledger, decided: &Complete, costs: &Costs) -> Vec<Option<Miss>> {
    let found = &ledger.found;
    let refused: Vec<bool> = (0..found.groups.len())
        .map(|group| found.refusals.group(&found.groups, group))
        .collect();
    let field = Field::new(
        &ledger.frame,
        &found.groups,
        &found.bonds,
        &found.division,
        costs,
        &ledger.options.profile,
        ledger.room,
        &found.retentions,
        refused,
        decided.bare.clone(),
    );
    let seams = ledger
        .options
        .profile
        .tokenizer()
        .seams()
        .filter(|_| decided.verified.counts_joins);
    let mut judge = Judge {
        ledger,
        decided,
        field: &field,
        joined: seams.and_then(|seams| {
            let standing = &decided.standing;
            join(&field, &ledger.slots, standing, &ledger.options, seams)
        }),
        priced: Vec::new(),
    };
    let (slots, standing) = (&ledger.slots, &decided.standing);
    judge.priced = price(&field, slots, standing, judge.joined.as_mut(), 2);
    let mut misses = vec![None; found.groups.len()];
    for section in 0..found.division.len() {
        judge.section(section, &mut misses);
    }
    misses
}

struct Judge<'a> {
    ledger: &'a Ledger,
    decided: &'a Complete,
    field: &'a Field<'a>,
    joined: Option<Joined<'a>>,
    /// Of each line of requirements, what the pack would cost with it; empty where there is none.
    priced: Vec<Option<Price>>,
}

impl Judge<'_> {
    fn section(&mut self, section: usize, misses: &mut [Option<Miss>]) {
        let (field, decided) = (self.field, self.decided);
        let rule = field.division.part(section).rule;
        let queue = &field.queues[section];
        let unbegun = rule == DropRule::CutThenStop && !decided.runs.has_begun(section);
        // Preferred and optional groups of a section have runs of their own, but for the chain.
        let mut stopped = [unbegun; 2];
        // Groups that would come first and may not: what is older did not fit beside them.
        let mut led: Vec<u32> = Vec::new();
        let cut = decided.runs.cut(field.division, section);
        // All of an all-or-nothing section share one fate, which is found once.
        let mut shared: Option<Miss> = None;
        for (at, &number) in queue.groups.iter().enumerate() {
            let group = number as usize;
            let lane = usize::from(at < queue.preferred);
            if !decided.standing.taken[group] {
                let is_cut = lane == 0 && cut.is_some_and(|cut| number < cut);
                let miss = match &shared {
                    Some(miss) => miss.clone(),
                    None => self.group(group, stopped[lane] || is_cut, &led),
                };
                if miss.reason == "leading" {
                    led.push(number);
                    misses[group] = Some(miss);
                    continue;
                }
                stopped[lane] |= !led.is_empty();
                if rule == DropRule::AllOrNothing && !decided.runs.dropped.contains_key(&number) {
                    shared.get_or_insert_with(|| miss.clone());
                }
                misses[group] = Some(miss);
            }
            stopped[lane] |= match rule {
                DropRule::Oldest | DropRule::Newest => {
                    let retention = field.retentions[group];
                    decided.runs.stop(section, retention) == Some(group)
                }
                DropRule::CutThenStop => {
                    decided.runs.stop(section, Retention::Optional) == Some(group)
                }
                _ => false,
            };
        }
    }

    fn group(&mut self, group: usize, is_stopped: bool, led: &[u32]) -> Miss {
        let (field, standing) = (self.field, &self.decided.standing);
        let barred = standing.barred[group];
        let number = u32::try_from(group).unwrap_or(u32::MAX);
        if let Some((reason, rule)) = self.decided.runs.dropped.get(&number) {
            return Miss {
                reason: reason.clone().into(),
                rule: rule.clone(),
                shortfall: None,
            };
        }
        let first = field.groups.rows(group)[0] as usize;
        if self.ledger.options.leads_wrongly(first) {
            return Miss::plain("leading");
        }
        let node = field.reach.node(group);
        let priced = node.and_then(|node| self.priced[node as usize].clone());
        let found = match &priced {
            // Nothing bars it.
            Some(_) => Ok(Vec::new()),
            None => field
                .bundle(standing, group)
                .map(|bundle| bundle.groups().to_vec()),
        };
        let bundle = match found {
            Ok(bundle) => bundle,
            Err(_) if barred => field.company(standing, group),
            Err(Bar::Missing) => return Miss::by("requirement_missing", self.missing(group)),
            Err(Bar::Rival) => return Miss::by("exclusive", self.rivalry(group)),
        };
        if is_stopped && !barred {
            let section = field.division.section(group);
            if field.division.part(section).strict {
                return Miss::plain("older_than_cut");
            }
            let name = field.division.part(section).name.as_ref();
            return Miss::by("stopped", name.map(ToString::to_string));
        }
        let Price {
            total,
            rendered,
            over,
        } = match priced {
            Some(priced) if led.is_empty() => priced,
            _ => self.price_of(&[&*bundle, led].concat()),
        };
        let own = field.division.section(group);
        let cap = over
            .into_iter()
            .min_by_key(|&(section, _)| (section != own, section));
        let available = self.ledger.room.available.unwrap_or(i64::MAX);
        match cap {
            Some((section, over)) if rendered <= available => Miss {
                reason: "section_cap".into(),
                rule: field
                    .division
                    .part(section)
                    .name
                    .as_ref()
                    .map(ToString::to_string),
                shortfall: Some(over),
            },
            _ => Miss {
                reason: if barred || cap.is_none() && total <= available {
                    "join_cost".into()
                } else {
                    "budget".into()
                },
                rule: None,
                shortfall: Some(rendered - available),
            },
        }
    }

    /// Returns the first id that a group requires and that is not in.
    fn missing(&self, group: usize) -> Option<String> {
        let frame = self.field.frame;
        let is_in = |id: &str| {
            frame
                .row_of(id)
                .is_some_and(|row| self.decided.standing.taken[self.field.groups.of_row(row)])
        };
        let rows = self.field.groups.rows(group).iter();
        rows.filter_map(|&row| frame.extra(row as usize))
            .flat_map(|extra| &extra.requires)
            .find(|id| !is_in(id))
            .map(ToString::to_string)
    }

    /// Returns the first exclusive key of a group, or of its all-or-nothing section, that another
    /// group which is in has, or that comes twice with it.
    fn rivalry(&self, group: usize) -> Option<String> {
        let (field, standing) = (self.field, &self.decided.standing);
        let bonds = field.bonds;
        let company = field.company(standing, group);
        let section = field.division.section(group);
        let whole = field.division.part(section).rule == DropRule::AllOrNothing;
        let is_own =
            |other: usize| other == group || whole && field.division.section(other) == section;
        let count = |key: u32| {
            let has = |other: &&u32| bonds.keys(**other as usize).contains(&key);
            company.iter().filter(has).count()
        };
        let own = company.iter().filter(|&&other| is_own(other as usize));
        own.flat_map(|&other| bonds.keys(other as usize))
            .filter(|&&key| standing.holder(key).is_some() || count(key) > 1)
            .map(|&key| bonds.name(key).to_owned())
            .min()
    }

    /// Returns what the pack would cost with some groups more.
    fn price_of(&mut self, bundle: &[u32]) -> Price {
        let (field, standing) = (self.field, &self.decided.standing);
        let changes = field.changes(bundle, None);
        let weight = standing.weigh(field.division, &changes);
        let total = weight.total;
        let rendered = match &mut self.joined {
            Some(joined) if joined.is_patient() => {
                let added = new_slots(&self.ledger.slots, field, standing, bundle);
                signed(joined.tokens_with(&added)) + weight.apart
            }
            _ => total,
        };
        Price {
            total,
            rendered,
            over: self.caps(&changes),
        }
    }

    /// Returns the sections whose caps some changes would break, and by how much.
    fn caps(&self, changes: &[Change]) -> Vec<(usize, i64)> {
        let (division, standing) = (self.field.division, &self.decided.standing);
        changes
            .iter()
            .filter_map(|change| {
                let mut tally = standing.tally(change.section);
                let before = section_tokens(division, change.section, tally);
                tally.tokens += change.tokens;
                tally.parts += change.parts;
                let tokens = section_tokens(division, change.section, tally);
                let cap = signed(division.part(change.section).cap?);
                (tokens > cap && tokens > before).then_some((change.section, tokens - cap))
            })
            .collect()
    }
}

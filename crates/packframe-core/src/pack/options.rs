//! What a caller may say about a pack.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use packframe_tokens::{At, Keep};

use super::admit::Redaction;
use super::shortened::{MessageEdit, Shortened};
use crate::boundary::Boundary;
use crate::content::Hash;
use crate::conversation::MessageRepair;
use crate::error::Error;
use crate::instant::Instant;
use crate::key::{Key, shown_hash};
use crate::policy::{Policy, Predicate, Valuer};
use crate::profile::TokenProfile;
use crate::section::Section;
use crate::strategy::Strategy;
use crate::word::{Accuracy, Layout, Render, Retention, Role};

/// The greatest number of tokens that a budget may be.
pub const MAX_TOKENS: u64 = i64::MAX as u64;

/// Tokens kept off a pack whose count is not exact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Margin {
    /// So many tokens.
    Tokens(u64),
    /// A part of budget less reserve, rounded up.
    Fraction(f64),
}

/// What to do when required items do not fit. Several are tried in order.
#[derive(Clone)]
pub enum Overflow {
    /// Give up.
    Error,
    /// Cut the required items that allow it.
    Truncate {
        /// What a cut keeps.
        keep: Keep,
        /// Where a cut may be.
        at: At,
        /// What stands in the place of what is cut.
        marker: String,
    },
    /// Put alternatives in the place of required items.
    Substitute,
    /// Demote the required items that are chosen.
    Demote {
        /// Chooses them; pinned ones are exempt.
        predicate: Arc<dyn Predicate>,
        /// What they become.
        to: Retention,
    },
}

/// Where the values of rows come from.
#[derive(Clone, Default)]
pub enum Values {
    /// Their scores.
    #[default]
    Scores,
    /// One for each row.
    Given(Arc<[f64]>),
    /// Code of the caller's, which is asked for the rows that are admitted.
    Asked(Arc<dyn Valuer>),
}

/// How groups are selected.
#[derive(Clone, Default)]
pub enum Selection {
    /// Where the caller says nothing: by scans; of a conversation, the newest that fits.
    #[default]
    Usual,
    /// By scans, in the order of retention, sections and score.
    Greedy,
    /// As one problem: what is worth most.
    Optimal {
        /// Nodes that a search may use; `None` for the default, 2,000,000.
        effort: Option<u64>,
        /// The value of each row.
        values: Values,
        /// How much less a row is worth for what it repeats of others: from 0, which is nothing, to
        /// 1, where what is equal is worth nothing.
        diversity: Option<f64>,
    },
}

impl Selection {
    /// Returns its word.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Usual | Self::Greedy => "greedy",
            Self::Optimal { .. } => "optimal",
        }
    }

    /// Takes the code of the caller's out, if values come from some: it is held only while packing.
    pub(crate) fn take_valuer(&mut self) -> Option<Arc<dyn Valuer>> {
        match self {
            Self::Optimal { values, .. } if matches!(values, Values::Asked(_)) => {
                match std::mem::take(values) {
                    Values::Asked(valuer) => Some(valuer),
                    Values::Scores | Values::Given(_) => None,
                }
            }
            Self::Usual | Self::Greedy | Self::Optimal { .. } => None,
        }
    }
}

/// What a caller may say about a pack.
#[derive(Clone)]
pub struct PackOptions {
    /// The ceiling of the whole call, or `None` for none.
    pub budget: Option<u64>,
    /// The part kept for the reply.
    pub reserve: u64,
    /// Tokens kept off a pack whose count is not exact.
    pub margin: Margin,
    /// What counts.
    pub profile: Arc<TokenProfile>,
    /// What the pack is made for; `None` leaves it to the profile.
    pub render: Option<Render>,
    /// What stands between two parts of a text.
    pub separator: String,
    /// Whether a text shows who speaks before each part.
    pub labels: bool,
    /// Where the pack goes.
    pub boundary: Boundary,
    /// Rules that may refuse items, in order.
    pub policies: Vec<Arc<dyn Policy>>,
    /// What to try when required items do not fit, in order.
    pub overflow: Vec<Overflow>,
    /// The time against which items expire.
    pub now: Option<Instant>,
    /// The sections of the frame that have rules of their own.
    pub sections: Vec<Section>,
    /// The order of the rendering.
    pub layout: Layout,
    /// The pack before this one, for the stable layout: id and content hash of its rows, in order.
    pub previous: Vec<(Arc<str>, String)>,
    /// Rules that sections may name instead of a drop rule.
    pub strategies: Vec<Arc<dyn Strategy>>,
    /// The secret that keys the hashes of contents in the manifest; `None` for plain hashes.
    pub hash_key: Option<Key>,
    /// How groups are selected.
    pub selection: Selection,
    /// The sections that are one message, where the pack is made for messages.
    pub merged: Option<Merged>,
    /// Tokens that the call costs besides what is packed, such as its tools.
    pub fixed: u64,
    /// What a request knows of the rows that the frame does not say.
    pub planned: Option<Arc<Planned>>,
}

/// Which rows of a request are messages of the call, that has to have one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Expected {
    /// No message is expected.
    #[default]
    None,
    /// All that is sent.
    Any,
    /// All but the system text, which stands beside them.
    Said,
}

/// What a request knows of the rows of its frame that the frame does not say.
#[derive(Debug, Clone, Default)]
pub struct Planned {
    /// How many messages stand before the one that sections are merged into.
    pub(crate) before_merged: usize,
    /// The section whose first miss ends its run, whatever room the others would have.
    pub(crate) strict: Option<Arc<str>>,
    /// Rows that are out before anything is counted, each with the reason.
    pub(crate) out: Vec<(usize, &'static str)>,
    /// Rows that may not come in, since they would come first and may not.
    pub(crate) leading: BTreeSet<usize>,
    /// Rows whose messages were rebuilt by a repair.
    pub(crate) repaired: BTreeSet<usize>,
    /// What was repaired.
    pub(crate) repairs: Vec<MessageRepair>,
    /// Rows with calls that wait for results: no provider takes them before these are there.
    pub(crate) pending: BTreeSet<usize>,
    /// Rows that are required whatever the caller's strategies say: no item of the context.
    pub(crate) held: BTreeSet<usize>,
    /// Whether the call has tools, which only a profile that renders conversations counts exactly.
    pub(crate) has_tools: bool,
    /// Which of what is sent are its messages.
    pub(crate) messages: Expected,
    /// Whether the call has a format of the reply, which nobody counts exactly.
    pub(crate) has_reply: bool,
    /// Rows whose messages were made shorter.
    pub(crate) shortened: BTreeMap<usize, Shortened>,
    /// How they were.
    pub(crate) edits: Vec<MessageEdit>,
    /// What had been taken out of them before.
    pub(crate) redactions: Vec<Redaction>,
    /// Whether messages say what belongs together; else the groups of the frame say all of it.
    pub(crate) ties: bool,
    /// Of each row, whether it is of a conversation that chooses behind all sections, strictly from
    /// its newest row on, unless it is in a declared section; empty where there is none.
    pub(crate) apart: Vec<bool>,
}

/// The first sections that are declared as one message, which stands before all others: their items
/// are joined into it, with headers and separators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Merged {
    /// The role of the message.
    pub role: Role,
    /// How many sections.
    pub sections: usize,
}

/// How much there is room for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    pub(crate) budget: Option<u64>,
    pub(crate) reserve: u64,
    pub(crate) margin: u64,
    pub(crate) available: Option<i64>,
    /// The part of budget less reserve that is kept off, where the margin is one.
    pub(crate) fraction: Option<f64>,
}

impl Room {
    /// Returns the tokens that the budget has to be raised by so that `needed` tokens fit, of
    /// which `over` are too many now: a margin that is a fraction grows along.
    pub(crate) fn raise_by(self, needed: i64, over: u64) -> u64 {
        let (Some(fraction), Some(budget)) = (self.fraction, self.budget) else {
            return over;
        };
        let needed = u64::try_from(needed).unwrap_or(0);
        let (mut low, mut high) = (needed, MAX_TOKENS);
        while low < high {
            let left = low + (high - low) / 2;
            if left - fraction_up(fraction, left).min(left) >= needed {
                high = left;
            } else {
                low = left + 1;
            }
        }
        low.saturating_add(self.reserve).saturating_sub(budget)
    }

    /// Says whether so many tokens are within what is available.
    pub(crate) fn holds(self, tokens: u64) -> bool {
        self.holds_sum(signed(tokens))
    }

    /// Returns the room that is left beside so many tokens.
    pub(crate) fn less(self, tokens: i64) -> Self {
        Self {
            available: self.available.map(|available| available - tokens),
            ..self
        }
    }

    /// The same for a sum of parts.
    pub(crate) fn holds_sum(self, tokens: i64) -> bool {
        self.available.is_none_or(|available| tokens <= available)
    }
}

/// Every token number is far below 2^63: a count has at most 40 bits, and a budget 63.
pub(crate) fn signed(tokens: u64) -> i64 {
    i64::try_from(tokens).unwrap_or(i64::MAX)
}

impl PackOptions {
    /// Returns the name of the section whose first miss ends its run.
    pub(crate) fn strict(&self) -> Option<&Arc<str>> {
        self.planned.as_ref()?.strict.as_ref()
    }

    /// Says whether messages say what belongs together.
    pub(crate) fn ties(&self) -> bool {
        self.planned.as_ref().is_none_or(|planned| planned.ties)
    }

    /// Returns the rows of a conversation that chooses behind all sections; empty where there is
    /// none.
    pub(crate) fn apart(&self) -> &[bool] {
        self.planned.as_ref().map_or(&[], |planned| &planned.apart)
    }

    /// Says whether a row is a message that was rebuilt.
    pub(crate) fn is_repaired(&self, row: usize) -> bool {
        let planned = self.planned.as_ref();
        planned.is_some_and(|planned| planned.repaired.contains(&row))
    }

    /// Says whether a row stays required, whatever the caller's strategies say.
    pub(crate) fn is_held(&self, row: usize) -> bool {
        let planned = self.planned.as_ref();
        planned.is_some_and(|planned| planned.held.contains(&row))
    }

    /// Says whether what stands beside the messages is an estimate.
    pub(crate) fn guesses_beside(&self) -> bool {
        let planned = self.planned.as_ref();
        planned.is_some_and(|planned| {
            planned.has_reply || planned.has_tools && !self.profile.counts_exactly()
        })
    }

    /// Returns the message that a row was before it was made shorter, if it was.
    pub(crate) fn shortened(&self, row: usize) -> Option<&Shortened> {
        self.planned.as_ref()?.shortened.get(&row)
    }

    /// Says whether a row may not come in, since it would come first.
    pub(crate) fn leads_wrongly(&self, row: usize) -> bool {
        let planned = self.planned.as_ref();
        planned.is_some_and(|planned| planned.leading.contains(&row))
    }

    /// Returns the hash of a content as the manifest shows it.
    pub(crate) fn shown_hash(&self, hash: &Hash) -> String {
        shown_hash(self.hash_key.as_ref(), hash)
    }

    /// Says whether the items of a section, by number, are parts of a text; else each is a message.
    pub(crate) fn joins(&self, section: usize) -> bool {
        match self.render() {
            Render::Text => true,
            Render::Messages => self
                .merged
                .is_some_and(|merged| (1..=merged.sections).contains(&section)),
        }
    }

    /// Says whether the rendering is a list of messages that its owner counts.
    pub(crate) fn counts_messages(&self) -> bool {
        self.render() == Render::Messages && self.profile.counts_messages()
    }

    pub(crate) fn render(&self) -> Render {
        self.render.unwrap_or_else(|| self.profile.default_render())
    }

    /// Returns what there is room for.
    ///
    /// # Errors
    ///
    /// `InvalidOption` for a reserve over the budget, and for numbers out of range.
    pub(crate) fn room(&self) -> Result<Room, Error> {
        for (option, value) in [
            ("budget", self.budget.unwrap_or(0)),
            ("reserve", self.reserve),
        ] {
            if value > MAX_TOKENS {
                return Err(Error::invalid_option(
                    option,
                    value.to_string(),
                    "is too large",
                    Some("fewer tokens"),
                ));
            }
        }
        let Some(budget) = self.budget else {
            return Ok(Room {
                budget: None,
                reserve: self.reserve,
                margin: 0,
                available: None,
                fraction: None,
            });
        };
        if self.reserve > budget {
            let problem = format!("is over the budget of {budget}");
            let remedy = format!("at most {budget}");
            return Err(Error::invalid_option(
                "reserve",
                self.reserve.to_string(),
                problem,
                Some(&remedy),
            ));
        }
        let left = budget - self.reserve;
        let exact = self.render() == Render::Text && self.profile.accuracy() == Accuracy::Exact;
        let margin = match self.margin {
            Margin::Tokens(tokens) if tokens > MAX_TOKENS => {
                return Err(Error::invalid_option(
                    "margin",
                    tokens.to_string(),
                    "is too large",
                    Some("fewer tokens"),
                ));
            }
            Margin::Fraction(part) if !(0.0..1.0).contains(&part) => {
                return Err(Error::invalid_option(
                    "margin",
                    part.to_string(),
                    "is no part of a whole",
                    Some("tokens as an int, or a fraction from 0 to below 1"),
                ));
            }
            _ if exact => 0,
            Margin::Tokens(tokens) => tokens,
            Margin::Fraction(part) => fraction_up(part, left),
        };
        Ok(Room {
            budget: Some(budget),
            reserve: self.reserve,
            margin,
            available: Some(signed(left) - signed(margin)),
            fraction: match self.margin {
                Margin::Fraction(part) if !exact => Some(part),
                _ => None,
            },
        })
    }
}

/// Returns ⌈part · whole⌉ by the shortest decimal that gives the float, so that 0.07 is 7/100.
fn fraction_up(part: f64, whole: u64) -> u64 {
    let (product, scale) = decimal(part, whole);
    match scale {
        _ if product == 0 => 0,
        Some(scale) => u64::try_from(product.div_ceil(scale)).unwrap_or(whole),
        None => 1,
    }
}

/// Returns ⌊part · whole⌋ by the shortest decimal that gives the float, for a part of up to 1.
pub(super) fn fraction_down(part: f64, whole: u64) -> u64 {
    if part >= 1.0 {
        return whole;
    }
    let (product, scale) = decimal(part, whole);
    scale.map_or(0, |scale| u64::try_from(product / scale).unwrap_or(whole))
}

/// Returns the digits of a part below 1 times a whole, and the power of ten that they are over;
/// `None` for one that is larger than any product.
fn decimal(part: f64, whole: u64) -> (u128, Option<u128>) {
    let shown = part.to_string();
    let digits = shown.split_once('.').map_or("", |(_, digits)| digits);
    // A float below 1 has at most 17 digits behind its zeros: 10^17 · 2^63 has 37 digits.
    let numerator: u128 = digits.trim_start_matches('0').parse().unwrap_or(0);
    let scale = u32::try_from(digits.len())
        .ok()
        .and_then(|length| 10_u128.checked_pow(length));
    (numerator * u128::from(whole), scale)
}

#[cfg(test)]
mod tests {
    use super::{fraction_down, fraction_up};

    #[test]
    fn a_fraction_is_taken_by_its_shortest_decimal() {
        for (part, whole, expected) in [
            (0.07, 100, 7),
            (0.07, 21, 2),
            (0.1, 30, 3),
            (0.0, 9, 0),
            (0.3, 10, 3),
            (1e-300, 8, 1),
            (0.999_999, 1, 1),
        ] {
            assert_eq!(fraction_up(part, whole), expected, "{part} of {whole}");
        }
        for (part, whole, expected) in [
            (0.07, 100, 7),
            (0.29, 100, 29),
            (0.3, 9, 2),
            (1.0, 9, 9),
            (0.0, 9, 0),
            (1e-300, 8, 0),
        ] {
            assert_eq!(fraction_down(part, whole), expected, "{part} of {whole}");
        }
    }
}

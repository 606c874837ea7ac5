//! A request that does not fit, with messages made shorter before any is left out.

mod applied;
mod cut;
mod edit;
mod limit;
mod list;
mod trial;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use self::applied::{Kept, applied};
use self::edit::{Edit, Scale};
use self::limit::longest;
use self::list::List;
use self::trial::Trial;
use super::laid::Laid;
use super::parts::Request;
use super::settle::{Settled, Unsettled, settle};
use crate::content::Content;
use crate::error::{Error, ErrorKind};
use crate::pack::{Fate, Ledger, PackOptions, Redaction, signed};

/// The newest messages of a history that are looked at first; four times as many next.
const NEAR: usize = 256;

type Outcome = Result<Settled, Box<Unsettled>>;

/// Plans a request with as little shortened as lets all stay that could.
///
/// If all fits, nothing is shortened. Else what stays is what would if all that may be shortened were
/// as short as it gets. Of the edits of what stays, in their order, the fewest are made that let it
/// fit, and the last of them goes no further than a search finds that it must. All that is sent was
/// packed as it is.
///
/// Packs a few times, and once more for each doubling of the edits where a profile renders
/// conversations.
///
/// # Errors
///
/// `TokenizerError` where the tokenizer fails. What packing raises is inside.
pub(super) fn shorten(
    request: &Request,
    base: &Laid,
    options: &PackOptions,
) -> Result<Outcome, Error> {
    let first = settle(request, base.clone(), options);
    let seen = match &first {
        Ok(settled) if is_all_in(settled) => return Ok(marked(first, request, options)),
        Ok(settled) => Seen::of(settled.pack.ledger()),
        Err(unsettled) => match partial(&unsettled.error).map(Seen::of) {
            Some(seen) => seen,
            None => return Ok(first),
        },
    };
    let shortening = Shortening {
        request,
        base,
        options,
        seen: &seen,
        scale: Scale {
            format: request.format,
            profile: &options.profile,
        },
    };
    let Some((edits, shortest)) = shortening.shortest(&first)? else {
        return Ok(marked(first, request, options));
    };
    match shortest {
        Err(unsettled) if first.is_err() => Ok(Err(unsettled)),
        Err(_) => Ok(marked(first, request, options)),
        Ok(shortest) => {
            let settled = shortening.least(edits, shortest)?;
            Ok(settled.marked(request, options))
        }
    }
}

fn marked(outcome: Outcome, request: &Request, options: &PackOptions) -> Outcome {
    outcome.and_then(|settled| settled.marked(request, options))
}

/// Says whether nothing was left out or cut for want of room.
fn is_all_in(settled: &Settled) -> bool {
    let ledger = settled.pack.ledger();
    (0..ledger.frame.len()).all(|row| {
        ledger.form(row).is_none()
            && (ledger.found.refusals.of(row).is_some()
                || matches!(ledger.fate(row), Fate::Selected { .. }))
    })
}

/// Returns what was decided until something did not fit.
fn partial(error: &Error) -> Option<&Ledger> {
    match error.kind() {
        ErrorKind::BudgetExceeded(exceeded)
        | ErrorKind::FloorsExceedBudget { exceeded, .. }
        | ErrorKind::SectionOverflow { exceeded, .. } => exceeded.partial_manifest.ledger(),
        _ => None,
    }
}

/// What boundary and policies said of the whole messages.
struct Seen {
    out: BTreeSet<usize>,
    /// Contents without their secrets.
    redacted: BTreeMap<usize, Arc<Content>>,
    redactions: Vec<Redaction>,
}

impl Seen {
    fn of(ledger: &Ledger) -> Self {
        let rows = 0..ledger.frame.len();
        let redactions = &ledger.found.redactions;
        let own = redactions.iter().filter(|it| it.alternative.is_none());
        Self {
            out: rows
                .filter(|&row| ledger.found.refusals.of(row).is_some())
                .collect(),
            redacted: own
                .map(|it| (it.row, Arc::clone(ledger.frame.content(it.row))))
                .collect(),
            redactions: redactions.clone(),
        }
    }
}

struct Shortening<'a> {
    request: &'a Request,
    base: &'a Laid,
    options: &'a PackOptions,
    seen: &'a Seen,
    scale: Scale<'a>,
}

impl Shortening<'_> {
    /// Makes every edit that could matter; nothing where there is none.
    fn shortest(&self, first: &Outcome) -> Result<Option<(Vec<Edit>, Outcome)>, Error> {
        let talk = self.base.talk.clone();
        let mut near = if self.request.gaps { talk.len() } else { NEAR };
        loop {
            let from = talk.end.saturating_sub(near).max(talk.start);
            let list = List {
                laid: self.base,
                scale: self.scale,
                searched_by: self.options.boundary.searched_by(),
                out: &self.seen.out,
                redacted: &self.seen.redacted,
                from,
            };
            let edits = list.edits(&self.request.shorten)?;
            if from == talk.start && edits.is_empty() {
                return Ok(None);
            }
            let laid = applied(self.request, self.base, &self.all(&edits));
            let outcome = settle(self.request, laid, self.options);
            let is_last = match &outcome {
                Err(_) => true,
                Ok(settled) => self.ends_behind(settled, from),
            };
            if from == talk.start || is_last {
                return Ok((!edits.is_empty() || first.is_err()).then_some((edits, outcome)));
            }
            near = near.saturating_mul(4);
        }
    }

    /// Says whether the history ends behind a row: what is before was not asked.
    fn ends_behind(&self, settled: &Settled, from: usize) -> bool {
        let ledger = settled.pack.ledger();
        let start = self.base.talk.start;
        (from..self.base.talk.end).any(|row| {
            let first = start + self.base.groups[row - start];
            let is_out = matches!(ledger.fate(row), Fate::Excluded { .. });
            first >= from && is_out && ledger.found.refusals.of(row).is_none()
        })
    }

    fn all<'b>(&'b self, edits: &'b [Edit]) -> Kept<'b> {
        Kept {
            edits,
            rows: None,
            redactions: &self.seen.redactions,
        }
    }

    /// Makes as few of the edits as let all stay that stays with all of them.
    fn least(&self, edits: Vec<Edit>, shortest: Settled) -> Result<Settled, Error> {
        let rows: BTreeSet<usize> = shortest.pack.rows().iter().copied().collect();
        let start = self.base.talk.start;
        let groups: BTreeSet<usize> = rows
            .iter()
            .filter(|row| self.base.talk.contains(row))
            .map(|row| self.base.groups[row - start])
            .collect();
        let is_kept = |row: usize| groups.contains(&self.base.groups[row - start]);
        let mut edits = edits;
        edits.retain(|edit| edit.rows.iter().any(|edit| is_kept(edit.row)));
        let available = shortest.pack.ledger().room.available.unwrap_or(i64::MAX);
        // Tokens where only the first edits are made: none, one, and so on.
        let mut tokens = vec![signed(shortest.pack.total_tokens())];
        for edit in edits.iter().rev() {
            let last = tokens.last().copied().unwrap_or(0);
            tokens.push(last + edit.saved(self.scale, is_kept));
        }
        tokens.reverse();
        let likely = tokens.iter().position(|tokens| *tokens <= available);
        let likely = likely.unwrap_or(edits.len());
        let trial = Trial {
            request: self.request,
            base: self.base,
            options: self.options,
            scale: self.scale,
            redactions: &self.seen.redactions,
            shortest: &shortest,
            rows,
            is_kept: &is_kept,
        };
        let is_sum = !self.options.profile.counts_messages();
        let (mut low, mut high) = (0, edits.len());
        let mut best = None;
        let mut next = likely;
        while low <= high {
            match trial.of(&edits[..next])? {
                Some(settled) => {
                    best = Some((next, settled));
                    if is_sum && next <= likely || next == 0 {
                        break;
                    }
                    high = next - 1;
                }
                None => low = next + 1,
            }
            if low > high {
                break;
            }
            next = low + (high - low) / 2;
        }
        let Some((count, settled)) = best else {
            // What the sums do not say: all edits are made, also those of what is out.
            return Ok(shortest);
        };
        let mut made = edits;
        made.truncate(count);
        let longer = longest(&trial, made, &settled, available)?;
        Ok(longer.unwrap_or(settled))
    }
}

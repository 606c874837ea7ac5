//! Which part of a request does not fit.

use std::sync::Arc;

use super::laid::{Laid, Part, sorted};
use super::parts::{Request, data_name};
use crate::error::{Error, ErrorKind};
use crate::pack::{Overflow, PackOptions, pack, signed};
use crate::word::Retention;

/// Names the part that is too big, in the order in which parts claim their room: system and tools,
/// the final and what it depends on, the reserve, what must stay of the rest, data blocks.
///
/// # Errors
///
/// What it is given, with its section; what counting raises.
pub(super) fn blame(
    error: Error,
    request: &Request,
    laid: &Laid,
    options: &PackOptions,
) -> Result<Error, Error> {
    let ErrorKind::BudgetExceeded(numbers) = error.kind() else {
        return Ok(error);
    };
    let (budget, available) = (signed(numbers.budget), numbers.available);
    let claims = Claims::of(request, laid);
    let section = claims.first_over(laid, options, budget, available)?;
    let mut numbers = numbers.clone();
    numbers.section = section.or(numbers.section);
    Ok(Error::new(ErrorKind::BudgetExceeded(numbers)))
}

/// The rows that must be there, by what claims them.
struct Claims {
    system: Vec<usize>,
    last: Vec<usize>,
    dependencies: Vec<usize>,
    rest: Vec<(String, Vec<usize>)>,
    data: Vec<(String, Vec<usize>)>,
}

impl Claims {
    fn of(request: &Request, laid: &Laid) -> Self {
        let mut claims = Self {
            system: Vec::new(),
            last: Vec::new(),
            dependencies: Vec::new(),
            rest: vec![("history".to_owned(), Vec::new())],
            data: request
                .data
                .iter()
                .map(|block| (data_name(&block.name), Vec::new()))
                .collect(),
        };
        let mut sections: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut groups_required = vec![false; laid.groups.len()];
        let mut groups_final = vec![false; laid.groups.len()];
        let start = laid.talk.start;
        for (at, &group) in laid.groups.iter().enumerate() {
            groups_required[group] |= laid.frame.retention(start + at) == Retention::Required;
            groups_final[group] |= matches!(laid.parts[start + at], Part::Final(_));
        }
        for (row, part) in laid.parts.iter().enumerate() {
            match *part {
                Part::System => claims.system.push(row),
                Part::Final(_) => claims.last.push(row),
                Part::Instructions(block) | Part::Records(block) => claims.data[block].1.push(row),
                Part::History(_) => {
                    let group = laid.groups[row - start];
                    if groups_final[group] {
                        claims.dependencies.push(row);
                    } else if groups_required[group] {
                        claims.rest[0].1.push(row);
                    }
                }
                Part::Context(place, _) => {
                    if laid.frame.retention(row) != Retention::Required {
                        continue;
                    }
                    match sections.last_mut().filter(|(known, _)| *known == place) {
                        Some((_, rows)) => rows.push(row),
                        None => sections.push((place, vec![row])),
                    }
                }
            }
        }
        let name = |place: usize| request.context[place].rules.name.to_string();
        let named = sections
            .into_iter()
            .map(|(place, rows)| (name(place), rows));
        claims.rest.splice(0..0, named);
        claims
    }

    fn first_over(
        self,
        laid: &Laid,
        options: &PackOptions,
        budget: i64,
        available: i64,
    ) -> Result<Option<String>, Error> {
        let mut rows = Vec::new();
        let mut over = |more: &[usize], fixed: u64, room: i64| -> Result<bool, Error> {
            rows.extend_from_slice(more);
            match needed(laid, options, &rows, fixed) {
                Ok(tokens) => Ok(signed(tokens) > room),
                // A profile that renders may not be able to say this part alone.
                Err(error) if matches!(error.kind(), ErrorKind::Tokenizer(_)) => Ok(false),
                Err(error) => Err(error),
            }
        };
        let tools = options.fixed;
        let word = |word: &str| Ok(Some(word.to_owned()));
        if !self.system.is_empty() && over(&self.system, 0, budget)? {
            return word("system");
        }
        if tools > 0 && over(&[], tools, budget)? {
            return word("tools");
        }
        if !self.last.is_empty() && over(&self.last, tools, budget)? {
            return word("final");
        }
        if !self.dependencies.is_empty() && over(&self.dependencies, tools, budget)? {
            return word("final_dependency");
        }
        if options.reserve > 0 && over(&[], tools, available)? {
            return word("reserve");
        }
        for (name, more) in self.rest.iter().chain(&self.data) {
            if !more.is_empty() && over(more, tools, available)? {
                return word(name);
            }
        }
        // Nothing is required, and yet it is too much: what the provider puts around a call.
        if rows.is_empty() && signed(needed(laid, options, &rows, tools)?) > available {
            return word("framing");
        }
        Ok(None)
    }
}

/// Counts a request of some rows only.
fn needed(laid: &Laid, options: &PackOptions, rows: &[usize], fixed: u64) -> Result<u64, Error> {
    let rows = sorted(rows.iter().copied());
    let frame = Arc::new(laid.frame.take(&rows)?);
    let mut all = laid.options(options, fixed);
    all.budget = None;
    all.reserve = 0;
    all.policies = Vec::new();
    all.overflow = vec![Overflow::Error];
    let planned = crate::pack::Planned {
        before_merged: laid.planned.before_merged,
        ..crate::pack::Planned::default()
    };
    all.planned = Some(Arc::new(planned));
    Ok(pack(&frame, all)?.total_tokens())
}

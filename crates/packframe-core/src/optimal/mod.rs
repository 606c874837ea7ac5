//! The best choice under a capacity: a multiple-choice knapsack with rooms and bonds.
//!
//! Units are taken in one of their choices or left; rooms are parts of the capacity with a floor, a
//! cap and a price of entry; a unit may need others, and have rivals. What is sought is the greatest
//! gain, compared digit by digit, and then the fewest tokens. Knows nothing of frames.
//!
//! Bound units become one class, of whose combinations one is taken ([`compile`]). The linear
//! relaxation prices a token of the capacity and of each room ([`prices`]), which bounds every
//! solution; dynamic programming over what can still win finds the best ([`core`], [`relax`]). Bonds
//! that no class can take in are priced too, and branched on ([`search`]). Effort counts states of
//! the dynamic program and nodes of the search, never time, so that a result depends on the problem
//! alone.

mod compile;
mod core;
mod gauge;
mod greedy;
mod prices;
mod problem;
mod relax;
mod search;
#[cfg(test)]
mod tests;
mod toll;
mod view;

pub(crate) use problem::{Choice, Gain, Picks, Problem, Room, Unit};

use self::core::Meter;
use compile::Compiled;
use problem::Scale;
use search::Search;

/// States and nodes that a search may use where the caller says nothing.
pub(crate) const DEFAULT_EFFORT: u64 = 2_000_000;

/// The best choice that was found.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) picks: Picks,
    /// Value of what is preferred and optional that no choice is over: the first digit that is not
    /// proved is followed by what was found.
    pub(crate) upper: (u64, u64),
    /// Whether nothing is better.
    pub(crate) is_proved: bool,
    /// States and nodes that were used.
    pub(crate) effort: u64,
}

/// Finds the best choice; `None` where what has to be taken does not fit.
pub(crate) fn solve(problem: &Problem, effort: u64) -> Option<Answer> {
    let scale = Scale::of(problem);
    let compiled = Compiled::of(problem, &scale);
    let mut search = Search {
        problem,
        scale: &scale,
        compiled: &compiled,
        meter: Meter {
            used: 0,
            limit: effort,
            dropped: None,
        },
        best: None,
    };
    let found = search.run();
    let effort = search.meter.used;
    let (worth, picks) = found.best?;
    let gain = problem.gain(&picks);
    let (sections, preferred, optional) = scale.values(found.upper);
    let same = u64::try_from(sections).is_ok_and(|sections| sections == gain.sections);
    let upper = if !same || preferred > gain.preferred {
        (preferred.max(gain.preferred), gain.optional)
    } else {
        (gain.preferred, optional.max(gain.optional))
    };
    Some(Answer {
        picks,
        upper,
        is_proved: found.upper <= worth && scale.shift == 0,
        effort,
    })
}

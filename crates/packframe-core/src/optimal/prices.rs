//! What a token is worth, of the capacity and in each room: the dual of the linear relaxation.

use super::compile::{Compiled, number};
use super::gauge::Gauge;
use super::problem::Problem;
use super::view::View;

/// Prices a token, and what they leave of each class.
#[derive(Debug, Clone)]
pub(super) struct Prices {
    /// A token of the capacity.
    pub(super) top: i128,
    /// A token in each room.
    pub(super) rooms: Vec<i128>,
    /// Of each class, the option at which the linear relaxation breaks off.
    pub(super) base: Vec<u32>,
    /// Of each class, the option of a solution that fits.
    pub(super) filled: Vec<u32>,
    /// What that solution is worth.
    pub(super) worth: i128,
}

/// A step along the hull of a class: more tokens for more worth, at a falling rate.
struct Rise {
    rate: i128,
    class: u32,
    /// The option that it ends at.
    to: u32,
}

impl Prices {
    /// Fills the capacity along the hulls of all classes; `None` where what has to be taken does
    /// not fit.
    ///
    /// O(n log n).
    pub(super) fn of(problem: &Problem, compiled: &Compiled, view: &View) -> Option<Self> {
        let limit = problem.limit();
        let mut gauge = Gauge::new(problem);
        let rises = start(compiled, view, &mut gauge)?;
        if gauge.taken > limit {
            return None;
        }
        let mut base: Vec<u32> = view.classes.iter().map(|class| class.opts.0).collect();
        let mut prices = Self {
            top: 0,
            rooms: vec![0; problem.rooms.len()],
            base: base.clone(),
            filled: Vec::new(),
            worth: 0,
        };
        let mut is_capped = vec![false; problem.rooms.len()];
        let mut is_over = false;
        let mut start_at = rises.len();
        for (at, rise) in rises.iter().enumerate() {
            let class = rise.class as usize;
            let room = view.classes[class].room;
            let now = base[class];
            let tokens = tokens_between(view, now, rise.to);
            if let Some(room) = room
                && is_capped[room as usize]
            {
                continue;
            }
            if is_over
                && let Some(room) = room
                && gauge.levels[room as usize].tokens >= problem.rooms[room as usize].floor
            {
                continue;
            }
            let price = gauge.price(room, tokens);
            match (price, room) {
                (None, Some(room)) => {
                    is_capped[room as usize] = true;
                    prices.rooms[room as usize] = rise.rate + 1;
                    start_at = start_at.min(at);
                }
                (None, None) => {}
                (Some(price), _) if price > 0 && is_over => {
                    // A room that reached its floor goes no further.
                    if let Some(room) = room
                        && gauge.levels[room as usize].tokens < problem.rooms[room as usize].floor
                    {
                        is_capped[room as usize] = true;
                        prices.rooms[room as usize] = rise.rate + 1;
                    }
                }
                (Some(price), _) if gauge.taken + price > limit => {
                    is_over = true;
                    prices.top = rise.rate + 1;
                    start_at = start_at.min(at);
                    if let Some(room) = room
                        && gauge.levels[room as usize].tokens < problem.rooms[room as usize].floor
                    {
                        is_capped[room as usize] = true;
                        prices.rooms[room as usize] = rise.rate + 1;
                    }
                    for (room, price) in prices.rooms.iter_mut().enumerate() {
                        if is_capped[room] {
                            continue;
                        }
                        if gauge.levels[room].tokens >= problem.rooms[room].floor {
                            *price = prices.top;
                        }
                    }
                }
                (Some(price), _) => {
                    gauge.add(room, tokens, price);
                    base[class] = rise.to;
                }
            }
            if is_over && problem.rooms.is_empty() {
                break;
            }
        }
        prices.base.clone_from(&base);
        fill(
            view,
            rises.get(start_at..).unwrap_or(&[]),
            &mut gauge,
            &mut base,
            limit,
        );
        prices.worth = base.iter().map(|&opt| view.opts[opt as usize].worth).sum();
        prices.worth -= gauge.entries();
        prices.filled = base;
        Some(prices)
    }

    /// Returns what a token of a class is priced at.
    pub(super) fn of_class(&self, room: Option<u32>) -> i128 {
        room.map_or(self.top, |room| self.rooms[room as usize])
    }
}

/// Takes the first option of each class, and returns all steps in the order of their rates.
fn start(compiled: &Compiled, view: &View, gauge: &mut Gauge<'_>) -> Option<Vec<Rise>> {
    let mut rises: Vec<Rise> = Vec::with_capacity(view.opts.len());
    for (at, class) in view.classes.iter().enumerate() {
        let opt = view.opts[class.opts.0 as usize];
        if !compiled.picks(opt.combo).is_empty() {
            let price = gauge.price(class.room, opt.tokens)?;
            gauge.add(class.room, opt.tokens, price);
        }
        hull(view, at, &mut rises);
    }
    rises.sort_unstable_by(|a, b| {
        b.rate
            .cmp(&a.rate)
            .then(a.class.cmp(&b.class))
            .then(a.to.cmp(&b.to))
    });
    Some(rises)
}

/// Takes what else fits, in the order of steps.
fn fill(view: &View, rises: &[Rise], gauge: &mut Gauge<'_>, base: &mut [u32], limit: i64) {
    for rise in rises {
        let class = rise.class as usize;
        let room = view.classes[class].room;
        if base[class] >= rise.to {
            continue;
        }
        let tokens = tokens_between(view, base[class], rise.to);
        if let Some(price) = gauge.price(room, tokens)
            && gauge.taken + price <= limit
        {
            gauge.add(room, tokens, price);
            base[class] = rise.to;
        }
    }
}

fn tokens_between(view: &View, from: u32, to: u32) -> i64 {
    view.opts[to as usize].tokens - view.opts[from as usize].tokens
}

/// Finds the steps along the upper hull of a class.
fn hull(view: &View, class: usize, rises: &mut Vec<Rise>) {
    let (first, end) = view.classes[class].opts;
    let begin = rises.len();
    let rate = |from: u32, to: u32| {
        let (from, to) = (&view.opts[from as usize], &view.opts[to as usize]);
        (to.worth - from.worth).div_euclid(i128::from(to.tokens - from.tokens))
    };
    for to in first + 1..end {
        loop {
            let from = rises[begin..].last().map_or(first, |last| last.to);
            let now = rate(from, to);
            match rises[begin..].last() {
                Some(last) if last.rate <= now => {
                    rises.pop();
                }
                _ => {
                    rises.push(Rise {
                        rate: now,
                        class: number(class),
                        to,
                    });
                    break;
                }
            }
        }
    }
}

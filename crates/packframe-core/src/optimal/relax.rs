//! The best solution of a view, bonds between its classes left out: each room by itself, then all.

use super::compile::{Compiled, number};
use super::core::{Field, Meter, ROOT, Step, Trail, Turn, step};
use super::prices::Prices;
use super::problem::{Picks, Problem, Room};
use super::view::View;

/// What is known of a view.
#[derive(Debug)]
pub(super) struct Relaxed {
    /// The best solution, if one is worth more than what was asked for.
    pub(super) best: Option<(i128, Picks)>,
    /// What no solution is worth more than.
    pub(super) upper: i128,
}

/// One way to fill a room: what it takes of the capacity, what it is worth.
#[derive(Debug, Clone, Copy)]
struct Fill {
    tokens: i64,
    worth: i128,
    /// The state that it comes from; `None` for an empty room.
    node: Option<u32>,
}

/// What the prices say of a room.
#[derive(Debug, Clone, Copy)]
struct Bound {
    /// What its classes are worth at most, over their price.
    classes: i128,
    /// The most that the whole room may add, over the price of what it takes.
    filled: i128,
    best: i128,
}

pub(super) struct Relaxation<'a> {
    problem: &'a Problem,
    compiled: &'a Compiled,
    view: &'a View,
    prices: Prices,
    top: i128,
    rooms: Vec<Bound>,
    /// Of each room, its classes.
    members: Vec<Vec<u32>>,
}

impl<'a> Relaxation<'a> {
    /// Prices a view; `None` where what has to be taken does not fit.
    pub(super) fn of(problem: &'a Problem, compiled: &'a Compiled, view: &'a View) -> Option<Self> {
        let prices = Prices::of(problem, compiled, view)?;
        let mut members = vec![Vec::new(); problem.rooms.len()];
        let mut sums = vec![0_i128; problem.rooms.len()];
        let mut top = 0;
        for (at, class) in view.classes.iter().enumerate() {
            let most = most(view, at, prices.of_class(class.room));
            match class.room {
                Some(room) => {
                    members[room as usize].push(number(at));
                    sums[room as usize] += most;
                }
                None => top += most,
            }
        }
        if prices.top > 0 {
            top += prices.top * i128::from(problem.limit());
        }
        let rooms = problem
            .rooms
            .iter()
            .zip(sums)
            .enumerate()
            .map(|(at, (room, classes))| bound(room, classes, prices.top, prices.rooms[at]))
            .collect();
        Some(Self {
            problem,
            compiled,
            view,
            prices,
            top,
            rooms,
            members,
        })
    }

    /// Returns what no solution is worth more than.
    pub(super) fn upper(&self) -> i128 {
        self.top + self.rooms.iter().map(|room| room.best).sum::<i128>()
    }

    /// Returns the combinations that the bound takes.
    pub(super) fn combos(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.view.classes.len()).map(|class| {
            let price = self.prices.of_class(self.view.classes[class].room);
            let opts = self.view.opts(class);
            let value = |opt: &super::view::Opt| opt.worth - price * i128::from(opt.tokens);
            let mut best = &opts[0];
            for opt in &opts[1..] {
                if value(opt) > value(best) {
                    best = opt;
                }
            }
            best.combo
        })
    }

    /// Returns what a token of a unit's room is priced at.
    pub(super) fn price(&self, room: Option<u32>) -> i128 {
        self.prices.of_class(room)
    }

    /// Searches for the best solution worth more than `least`.
    pub(super) fn solve(&self, least: i128, meter: &mut Meter) -> Relaxed {
        let upper = self.upper();
        if upper <= least {
            return Relaxed { best: None, upper };
        }
        let mut best = None;
        let mut least = least;
        if self.prices.worth > least {
            least = self.prices.worth;
            best = Some((least, self.picks_of(&self.prices.filled)));
        }
        let mut trail = Trail::default();
        let mut dropped = i128::MIN;
        let mut fills: Vec<Vec<Fill>> = Vec::with_capacity(self.rooms.len());
        for room in 0..self.rooms.len() {
            let fill = self.fills(room, upper - least, &mut trail, meter);
            if let Some(lost) = meter.dropped.take() {
                dropped = dropped.max(upper - lost);
            }
            if fill.is_empty() {
                let upper = least.max(dropped);
                return Relaxed { best, upper };
            }
            fills.push(fill);
        }
        let (field, upper) = self.field(&fills);
        let mut most = upper - least;
        if most > 0 {
            let (end, _) = field.search(&mut most, &mut trail, meter, true);
            if let Some(lost) = meter.dropped.take() {
                dropped = dropped.max(upper - lost);
            }
            if let Some(end) = end {
                least = upper - end.loss;
                let picks = self.picks_at(&fills, &trail, end.node, end.turn);
                best = Some((least, picks));
            }
        }
        let upper = least.max(dropped.min(upper));
        Relaxed { best, upper }
    }

    fn step(&self, class: usize) -> Step {
        let (first, _) = self.view.classes[class].opts;
        let price = self.prices.of_class(self.view.classes[class].room);
        let most = most(self.view, class, price);
        let turns: Vec<Turn> = (first..)
            .zip(self.view.opts(class))
            .map(|(tag, opt)| Turn {
                tokens: opt.tokens,
                loss: most - opt.worth + price * i128::from(opt.tokens),
                tag,
            })
            .collect();
        step(
            number(class),
            (self.prices.base[class] - first) as usize,
            &turns,
        )
    }

    /// Finds the ways to fill a room that lose less than `most` against the bound.
    fn fills(&self, at: usize, most: i128, trail: &mut Trail, meter: &mut Meter) -> Vec<Fill> {
        let room = &self.problem.rooms[at];
        let (top, price) = (self.prices.top, self.prices.rooms[at]);
        let bound = self.rooms[at];
        let mut fills = Vec::new();
        let has_to = self.members[at].iter().any(|&class| {
            let first = self.view.opts(class as usize)[0];
            !self.compiled.picks(first.combo).is_empty()
        });
        if !room.is_open && !has_to {
            let tokens = room.takes_empty();
            if bound.best + top * i128::from(tokens) < most {
                fills.push(Fill {
                    tokens,
                    worth: 0,
                    node: None,
                });
            }
        }
        let base: i64 = self.members[at]
            .iter()
            .map(|&class| self.view.opts[self.prices.base[class as usize] as usize].tokens)
            .sum();
        let by_capacity = self.problem.limit() - room.joiner;
        let (limit, under) = match room.cap {
            Some(cap) if cap <= by_capacity => (cap, (price - top).max(0)),
            _ => (by_capacity, 0),
        };
        let loss = bound.best - bound.filled;
        let field = Field {
            steps: self.members[at]
                .iter()
                .map(|&class| self.step(class as usize))
                .collect(),
            tokens: room.start + base,
            loss,
            limit,
            price,
            under,
        };
        let mut most = most;
        if loss >= most {
            return fills;
        }
        let (_, states) = field.search(&mut most, trail, meter, false);
        let entry = if room.is_open {
            0
        } else {
            i128::from(room.joiner + room.start)
        };
        for state in states {
            let tokens = room.takes(state.tokens);
            let worth = bound.classes + price * i128::from(state.tokens - room.start)
                - (state.loss - loss)
                - entry;
            if bound.best - (worth - top * i128::from(tokens)) >= most {
                continue;
            }
            let is_bare = state.tokens == room.start && !room.is_open && !has_to;
            if is_bare && self.is_empty(at, trail, state.node) {
                continue;
            }
            fills.push(Fill {
                tokens,
                worth,
                node: Some(state.node),
            });
        }
        fills.sort_by(|a, b| a.tokens.cmp(&b.tokens).then(b.worth.cmp(&a.worth)));
        let mut highest = i128::MIN;
        fills.retain(|fill| {
            let is_better = fill.worth > highest;
            highest = highest.max(fill.worth);
            is_better
        });
        fills
    }

    /// Says whether a state of a room takes nothing.
    fn is_empty(&self, room: usize, trail: &Trail, node: u32) -> bool {
        let mut chosen = self.prices.base.clone();
        follow(trail, node, &mut chosen);
        self.members[room].iter().all(|&class| {
            let opt = &self.view.opts[chosen[class as usize] as usize];
            self.compiled.picks(opt.combo).is_empty()
        })
    }

    /// Puts the classes in no room and the rooms side by side.
    fn field(&self, fills: &[Vec<Fill>]) -> (Field, i128) {
        let price = self.prices.top;
        let mut upper = self.top;
        let mut tokens = 0;
        let mut steps = Vec::new();
        for (at, class) in self.view.classes.iter().enumerate() {
            if class.room.is_none() {
                tokens += self.view.opts[self.prices.base[at] as usize].tokens;
                steps.push(self.step(at));
            }
        }
        for (at, fills) in fills.iter().enumerate() {
            let value = |fill: &Fill| fill.worth - price * i128::from(fill.tokens);
            let mut base = 0;
            for place in 1..fills.len() {
                if value(&fills[place]) > value(&fills[base]) {
                    base = place;
                }
            }
            let most = value(&fills[base]);
            upper += most;
            tokens += fills[base].tokens;
            let turns: Vec<Turn> = (0..)
                .zip(fills)
                .map(|(tag, fill)| Turn {
                    tokens: fill.tokens,
                    loss: most - value(fill),
                    tag,
                })
                .collect();
            let class = number(self.view.classes.len() + at);
            steps.push(step(class, base, &turns));
        }
        let field = Field {
            steps,
            tokens,
            loss: 0,
            limit: self.problem.limit(),
            price,
            under: price,
        };
        (field, upper)
    }

    fn picks_of(&self, chosen: &[u32]) -> Picks {
        let mut picks = vec![None; self.problem.units.len()];
        for &opt in chosen {
            for &(unit, choice) in self.compiled.picks(self.view.opts[opt as usize].combo) {
                picks[unit as usize] = Some(choice);
            }
        }
        picks
    }

    /// Follows a trail back to all that was picked.
    fn picks_at(
        &self,
        fills: &[Vec<Fill>],
        trail: &Trail,
        node: u32,
        turn: Option<(u32, u32)>,
    ) -> Picks {
        let classes = self.view.classes.len();
        let mut chosen = self.prices.base.clone();
        let price = self.prices.top;
        // The rooms' own turns stand behind those of the classes.
        chosen.extend(fills.iter().map(|fills| {
            let value = |fill: &Fill| fill.worth - price * i128::from(fill.tokens);
            let mut base = 0;
            for place in 1..fills.len() {
                if value(&fills[place]) > value(&fills[base]) {
                    base = place;
                }
            }
            number(base)
        }));
        follow(trail, node, &mut chosen);
        if let Some((class, tag)) = turn {
            chosen[class as usize] = tag;
        }
        let (chosen, rooms) = chosen.split_at_mut(classes);
        let mut is_out = vec![false; classes];
        for (at, fill) in rooms.iter().enumerate() {
            match fills[at][*fill as usize].node {
                Some(node) => follow(trail, node, chosen),
                None => {
                    for &class in &self.members[at] {
                        is_out[class as usize] = true;
                    }
                }
            }
        }
        let kept: Vec<u32> = chosen
            .iter()
            .zip(is_out)
            .filter(|(_, is_out)| !is_out)
            .map(|(opt, _)| *opt)
            .collect();
        self.picks_of(&kept)
    }
}

/// Sets what each class turned to on the way to a node: each at most once.
fn follow(trail: &Trail, mut node: u32, chosen: &mut [u32]) {
    while node != ROOT {
        let (before, class, tag) = trail.nodes[node as usize];
        chosen[class as usize] = tag;
        node = before;
    }
}

/// Returns the most that an option of a class is worth over its price.
fn most(view: &View, class: usize, price: i128) -> i128 {
    view.opts(class)
        .iter()
        .map(|opt| opt.worth - price * i128::from(opt.tokens))
        .max()
        .unwrap_or(0)
}

/// Bounds what a room may add: where it is filled up to its floor or its cap, or left empty.
fn bound(room: &Room, classes: i128, top: i128, price: i128) -> Bound {
    let at = |tokens: i64| {
        price * i128::from(tokens - room.start)
            - top * i128::from(room.joiner + room.floor.max(tokens))
    };
    let mut slack = at(room.floor);
    if let Some(cap) = room.cap
        && price >= top
    {
        slack = slack.max(at(cap));
    }
    let entry = if room.is_open {
        0
    } else {
        i128::from(room.joiner + room.start)
    };
    let filled = classes + slack - entry;
    let best = if room.is_open {
        filled
    } else {
        filled.max(-top * i128::from(room.takes_empty()))
    };
    Bound {
        classes,
        filled,
        best,
    }
}

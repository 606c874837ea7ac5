//! Bound units made one: classes of which exactly one combination is taken.

use super::problem::{Picks, Problem, Scale};

/// Combinations that a class may have; with more, its bonds are cut.
const MOST_COMBOS: usize = 4096;

/// Combinations that are looked at before a class is given up.
const MOST_STEPS: usize = 40_000;

/// One combination of a class.
#[derive(Debug, Clone, Copy)]
pub(super) struct Combo {
    pub(super) tokens: i64,
    pub(super) worth: i128,
    /// Its picks, as a part of all picks.
    picks: (u32, u32),
}

/// A class: of its combinations, one is taken. Taking nothing may be one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Head {
    pub(super) room: Option<u32>,
    pub(super) combos: (u32, u32),
    /// Whether a bond was cut that one of its units has.
    pub(super) is_linked: bool,
}

/// A problem as classes, and the bonds that are left between them.
#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) heads: Vec<Head>,
    pub(super) combos: Vec<Combo>,
    picks: Vec<(u32, u32)>,
    /// The cut bonds: places in the problem's needs and rivals.
    pub(super) needs: Vec<(u32, u32)>,
    pub(super) rivals: Vec<Vec<u32>>,
}

impl Compiled {
    pub(super) fn of(problem: &Problem, scale: &Scale) -> Self {
        let mut compiled = Self {
            heads: Vec::with_capacity(problem.units.len()),
            combos: Vec::with_capacity(problem.units.len() * 2),
            picks: Vec::with_capacity(problem.units.len()),
            needs: Vec::new(),
            rivals: Vec::new(),
        };
        let mut members = components(problem);
        let mut bonds = Bonds::of(problem);
        members.sort_unstable();
        let mut at = 0;
        while at < members.len() {
            let root = members[at].0;
            let end = at
                + members[at..]
                    .iter()
                    .take_while(|member| member.0 == root)
                    .count();
            let units: Vec<u32> = members[at..end].iter().map(|member| member.1).collect();
            at = end;
            if let [unit] = units[..] {
                compiled.push_alone(problem, scale, unit, false);
            } else if !compiled.push_bound(problem, scale, &units, &mut bonds) {
                for &unit in &units {
                    compiled.push_alone(problem, scale, unit, true);
                }
                for &unit in &units {
                    let needs = &bonds.needs[unit as usize];
                    compiled
                        .needs
                        .extend(needs.iter().map(|&need| (unit, need)));
                }
                for rivals in &problem.rivals {
                    if rivals.len() > 1 && units.binary_search(&rivals[0]).is_ok() {
                        compiled.rivals.push(rivals.clone());
                    }
                }
            }
        }
        compiled
    }

    /// Returns what a combination picks: units and choices.
    pub(super) fn picks(&self, combo: u32) -> &[(u32, u32)] {
        let (start, end) = self.combos[combo as usize].picks;
        &self.picks[start as usize..end as usize]
    }

    fn begin(&self) -> u32 {
        number(self.combos.len())
    }

    fn push(&mut self, tokens: i64, worth: i128, picks: &[(u32, u32)]) {
        let start = number(self.picks.len());
        self.picks.extend_from_slice(picks);
        self.combos.push(Combo {
            tokens,
            worth,
            picks: (start, number(self.picks.len())),
        });
    }

    /// Ends a class: its combinations by tokens; if nothing else sees them, only those that no
    /// shorter one is worth as much as.
    fn finish(&mut self, start: u32, room: Option<u32>, is_linked: bool) {
        let combos = &mut self.combos[start as usize..];
        combos.sort_by(|a, b| a.tokens.cmp(&b.tokens).then(b.worth.cmp(&a.worth)));
        if !is_linked {
            let mut kept = 0;
            for at in 0..combos.len() {
                if kept == 0 || combos[at].worth > combos[kept - 1].worth {
                    combos[kept] = combos[at];
                    kept += 1;
                }
            }
            self.combos.truncate(start as usize + kept);
        }
        self.heads.push(Head {
            room,
            combos: (start, number(self.combos.len())),
            is_linked,
        });
    }

    fn push_alone(&mut self, problem: &Problem, scale: &Scale, number: u32, is_linked: bool) {
        let unit = &problem.units[number as usize];
        let start = self.begin();
        if !unit.must {
            self.push(0, 0, &[]);
        }
        for (place, choice) in (0..).zip(&unit.choices) {
            let worth = scale.worth(choice.gain, choice.tokens);
            self.push(choice.tokens, worth, &[(number, place)]);
        }
        self.finish(start, unit.room, is_linked);
    }

    /// Makes a class of bound units; says whether it could be done.
    fn push_bound(
        &mut self,
        problem: &Problem,
        scale: &Scale,
        units: &[u32],
        bonds: &mut Bonds,
    ) -> bool {
        let room = problem.units[units[0] as usize].room;
        if units
            .iter()
            .any(|&unit| problem.units[unit as usize].room != room)
        {
            return false;
        }
        let start = self.begin();
        let picks = self.picks.len();
        let is_plain = |&unit: &u32| problem.units[unit as usize].choices.len() == 1;
        let made = match chain(units, bonds) {
            Some(chain) if chain.iter().all(is_plain) => {
                self.push_plain_chain(problem, scale, &chain);
                true
            }
            Some(chain) => self.push_chain(problem, scale, &chain),
            None => self.push_all(problem, scale, units, bonds),
        };
        if !made {
            self.combos.truncate(start as usize);
            self.picks.truncate(picks);
            return false;
        }
        self.finish(start, room, false);
        true
    }

    /// Each beginning of a chain of units that have one choice each: their picks are the beginnings of
    /// one list. Linear.
    fn push_plain_chain(&mut self, problem: &Problem, scale: &Scale, chain: &[u32]) {
        let start = number(self.picks.len());
        let must = |unit: &u32| problem.units[*unit as usize].must;
        let least = chain.iter().rposition(must).map_or(0, |at| at + 1);
        let most_tokens = problem.most_tokens();
        let (mut tokens, mut worth) = (0, 0);
        if least == 0 {
            self.push(0, 0, &[]);
        }
        for (at, &unit) in chain.iter().enumerate() {
            let choice = &problem.units[unit as usize].choices[0];
            tokens += choice.tokens;
            worth += scale.worth(choice.gain, choice.tokens);
            if tokens > most_tokens {
                return;
            }
            self.picks.push((unit, 0));
            if at + 1 >= least {
                self.combos.push(Combo {
                    tokens,
                    worth,
                    picks: (start, number(self.picks.len())),
                });
            }
        }
    }

    /// Each beginning of a chain, in all forms worth their tokens.
    fn push_chain(&mut self, problem: &Problem, scale: &Scale, chain: &[u32]) -> bool {
        // (tokens, worth, steps back, choice) of each beginning of some length.
        let mut steps: Vec<(u32, u32, u32)> = Vec::new();
        let mut now: Vec<(i64, i128, u32)> = vec![(0, 0, u32::MAX)];
        let mut ends: Vec<(i64, i128, u32)> = Vec::new();
        let must = chain
            .iter()
            .filter(|&&unit| problem.units[unit as usize].must)
            .count();
        if must == 0 {
            ends.push((0, 0, u32::MAX));
        }
        let mut seen = 0;
        let most_tokens = problem.most_tokens();
        for &unit in chain {
            let mut next: Vec<(i64, i128, u32, u32)> = Vec::new();
            for &(tokens, worth, step) in &now {
                for (place, choice) in (0..).zip(&problem.units[unit as usize].choices) {
                    let tokens = tokens + choice.tokens;
                    if tokens <= most_tokens {
                        let worth = worth + scale.worth(choice.gain, choice.tokens);
                        next.push((tokens, worth, step, place));
                    }
                }
            }
            next.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)));
            now.clear();
            for (tokens, worth, step, place) in next {
                if now.last().is_none_or(|last| worth > last.1) {
                    steps.push((step, unit, place));
                    now.push((tokens, worth, number(steps.len() - 1)));
                }
            }
            seen += usize::from(problem.units[unit as usize].must);
            if seen == must {
                ends.extend_from_slice(&now);
            }
            if steps.len() > 50 * MOST_COMBOS {
                return false;
            }
        }
        ends.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)));
        let mut best = i128::MIN;
        let mut picks: Vec<(u32, u32)> = Vec::new();
        let mut total = 0;
        for (tokens, worth, mut step) in ends {
            if worth <= best {
                continue;
            }
            best = worth;
            picks.clear();
            while step != u32::MAX {
                let (back, unit, place) = steps[step as usize];
                picks.push((unit, place));
                step = back;
            }
            total += picks.len();
            if total > 4_000_000 {
                return false;
            }
            self.push(tokens, worth, &picks);
        }
        true
    }

    /// All combinations that the bonds allow, if they are few.
    fn push_all(
        &mut self,
        problem: &Problem,
        scale: &Scale,
        units: &[u32],
        bonds: &mut Bonds,
    ) -> bool {
        let start = self.combos.len();
        let mut walk = Walk {
            problem,
            scale,
            units,
            bonds,
            picks: Vec::new(),
            steps: 0,
            most: start + MOST_COMBOS,
            most_tokens: problem.most_tokens(),
        };
        walk.from(0, 0, 0, self)
    }
}

struct Walk<'a> {
    problem: &'a Problem,
    scale: &'a Scale,
    units: &'a [u32],
    bonds: &'a mut Bonds,
    picks: Vec<(u32, u32)>,
    steps: usize,
    most: usize,
    most_tokens: i64,
}

impl Walk<'_> {
    fn from(&mut self, at: usize, tokens: i64, worth: i128, into: &mut Compiled) -> bool {
        self.steps += 1;
        if self.steps > MOST_STEPS || into.combos.len() >= self.most {
            return false;
        }
        let Some(&unit) = self.units.get(at) else {
            let whole = self.picks.iter().all(|&(unit, _)| {
                let needs = &self.bonds.needs[unit as usize];
                needs.iter().all(|&need| self.bonds.taken[need as usize])
            });
            if whole {
                into.push(tokens, worth, &self.picks);
            }
            return true;
        };
        let number = unit as usize;
        if !self.problem.units[number].must && !self.from(at + 1, tokens, worth, into) {
            return false;
        }
        let keys = self.bonds.keys[number].clone();
        if keys.iter().any(|&key| self.bonds.held[key as usize]) {
            return true;
        }
        for &key in &keys {
            self.bonds.held[key as usize] = true;
        }
        self.bonds.taken[number] = true;
        let mut done = true;
        for (place, choice) in (0..).zip(&self.problem.units[number].choices) {
            let with = tokens + choice.tokens;
            if done && with <= self.most_tokens {
                self.picks.push((unit, place));
                let worth = worth + self.scale.worth(choice.gain, choice.tokens);
                done = self.from(at + 1, with, worth, into);
                self.picks.pop();
            }
        }
        self.bonds.taken[number] = false;
        for &key in &keys {
            self.bonds.held[key as usize] = false;
        }
        done
    }
}

/// The bonds of each unit.
pub(super) struct Bonds {
    pub(super) needs: Vec<Vec<u32>>,
    pub(super) keys: Vec<Vec<u32>>,
    taken: Vec<bool>,
    held: Vec<bool>,
}

impl Bonds {
    pub(super) fn of(problem: &Problem) -> Self {
        let units = problem.units.len();
        let mut bonds = Self {
            needs: vec![Vec::new(); units],
            keys: vec![Vec::new(); units],
            taken: vec![false; units],
            held: vec![false; problem.rivals.len()],
        };
        for &(unit, need) in &problem.needs {
            bonds.needs[unit as usize].push(need);
        }
        for (key, rivals) in (0..).zip(&problem.rivals) {
            for &unit in rivals {
                bonds.keys[unit as usize].push(key);
            }
        }
        bonds
    }
}

/// Returns units of which each requires the one before, in that order, if these are so.
fn chain(units: &[u32], bonds: &Bonds) -> Option<Vec<u32>> {
    let mut first = None;
    let mut next: Vec<(u32, u32)> = Vec::with_capacity(units.len());
    for &unit in units {
        let (needs, keys) = (&bonds.needs[unit as usize], &bonds.keys[unit as usize]);
        match needs[..] {
            _ if !keys.is_empty() => return None,
            [] if first.is_none() => first = Some(unit),
            [need] => next.push((need, unit)),
            _ => return None,
        }
    }
    next.sort_unstable();
    if next.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        return None;
    }
    let mut chain = vec![first?];
    while let Ok(at) = next.binary_search_by_key(chain.last()?, |pair| pair.0) {
        chain.push(next[at].1);
    }
    (chain.len() == units.len()).then_some(chain)
}

/// Returns the top of a unit's tree, and makes the way there shorter.
fn top(above: &mut [u32], mut unit: u32) -> u32 {
    while above[unit as usize] != unit {
        above[unit as usize] = above[above[unit as usize] as usize];
        unit = above[unit as usize];
    }
    unit
}

/// Returns each unit with the least unit that it is bound to.
fn components(problem: &Problem) -> Vec<(u32, u32)> {
    let mut above: Vec<u32> = (0..number(problem.units.len())).collect();
    let mut join = |a: u32, b: u32| {
        let (a, b) = (top(&mut above, a), top(&mut above, b));
        above[a.max(b) as usize] = a.min(b);
    };
    for &(unit, need) in &problem.needs {
        join(unit, need);
    }
    for rivals in &problem.rivals {
        for pair in rivals.windows(2) {
            join(pair[0], pair[1]);
        }
    }
    (0..number(problem.units.len()))
        .map(|unit| (top(&mut above, unit), unit))
        .collect()
}

/// Says whether picks keep all bonds.
pub(super) fn first_broken(compiled: &Compiled, picks: &Picks) -> Option<Broken> {
    let taken = |unit: u32| picks[unit as usize].is_some();
    for &(unit, need) in &compiled.needs {
        if taken(unit) && !taken(need) {
            return Some(Broken {
                unit,
                need: Some(need),
            });
        }
    }
    for rivals in &compiled.rivals {
        let mut in_key = rivals.iter().copied().filter(|&unit| taken(unit));
        if let (Some(unit), Some(_)) = (in_key.next(), in_key.next()) {
            return Some(Broken { unit, need: None });
        }
    }
    None
}

/// A bond that picks break: a unit without what it needs, or beside a rival.
#[derive(Debug, Clone, Copy)]
pub(super) struct Broken {
    pub(super) unit: u32,
    pub(super) need: Option<u32>,
}

pub(super) fn number(at: usize) -> u32 {
    u32::try_from(at).expect("the number of rows was checked")
}

//! Branch and bound over the bonds that no class could take in.

use std::collections::BinaryHeap;

use super::compile::{Bonds, Broken, Compiled, first_broken};
use super::core::Meter;
use super::greedy::{Offer, greedy};
use super::problem::{Picks, Problem, Scale};
use super::relax::{Relaxation, Relaxed};
use super::toll::Toll;
use super::view::{Fix, View};

/// What the search found.
pub(super) struct Found {
    /// The best solution; `None` where what has to be taken does not fit.
    pub(super) best: Option<(i128, Picks)>,
    pub(super) upper: i128,
}

pub(super) struct Search<'a> {
    pub(super) problem: &'a Problem,
    pub(super) scale: &'a Scale,
    pub(super) compiled: &'a Compiled,
    pub(super) meter: Meter,
    pub(super) best: Option<(i128, Picks)>,
}

impl Search<'_> {
    pub(super) fn run(&mut self) -> Found {
        let free = vec![Fix::Free; self.problem.units.len()];
        let upper = if self.compiled.needs.is_empty() && self.compiled.rivals.is_empty() {
            self.without_bonds(&free)
        } else {
            self.with_bonds(&free)
        };
        let least = self.best.as_ref().map_or(i128::MIN, |best| best.0);
        Found {
            best: self.best.take(),
            upper: upper.unwrap_or(i128::MIN).max(least),
        }
    }

    pub(super) fn least(&self) -> i128 {
        self.best.as_ref().map_or(NOTHING, |best| best.0)
    }

    pub(super) fn offer(&mut self, worth: i128, picks: Picks) {
        if worth > self.least() {
            self.best = Some((worth, picks));
        }
    }

    /// Solves a view, with a part of the effort that is left.
    pub(super) fn relax(&mut self, fixes: &[Fix], toll: &Toll, part: u64) -> Option<Relaxed> {
        let extra = toll.extra(self.problem, self.compiled);
        let view = View::of(self.compiled, fixes, &extra)?;
        let relaxation = Relaxation::of(self.problem, self.compiled, &view)?;
        let mut meter = Meter {
            used: 0,
            limit: (self.meter.limit.saturating_sub(self.meter.used)) / part,
            dropped: None,
        };
        let least = self.least() - toll.constant();
        let mut relaxed = relaxation.solve(least, &mut meter);
        self.meter.used += meter.used + 1;
        relaxed.upper += toll.constant();
        Some(relaxed)
    }

    fn without_bonds(&mut self, free: &[Fix]) -> Option<i128> {
        let relaxed = self.relax(free, &Toll::default(), 1)?;
        if let Some((worth, picks)) = relaxed.best {
            self.offer(worth, picks);
        }
        Some(relaxed.upper)
    }

    fn with_bonds(&mut self, free: &[Fix]) -> Option<i128> {
        let bonds = Bonds::of(self.problem);
        let toll = self.toll(free, &bonds)?;
        self.polish(&bonds);
        let (toll, bound) = self.sharpen(free, toll, &bonds);
        let mut upper = i128::MIN;
        // What may be worth most is looked at first, so that the bound falls with each node.
        let mut nodes: Vec<Vec<(u32, Fix)>> = vec![Vec::new()];
        let mut open = BinaryHeap::from([(bound, 0)]);
        while let Some((bound, node)) = open.pop() {
            let settled = std::mem::take(&mut nodes[node]);
            if bound <= self.least() {
                continue;
            }
            if self.meter.is_spent() {
                upper = upper.max(bound);
                continue;
            }
            let Some(fixes) = spread(free, &settled, &bonds) else {
                continue;
            };
            let Some(relaxed) = self.relax(&fixes, &toll, 8) else {
                continue;
            };
            let bound = bound.min(relaxed.upper);
            let Some((_, picks)) = relaxed.best else {
                if bound > self.least() {
                    upper = upper.max(bound);
                }
                continue;
            };
            let before = self.least();
            self.mend(&picks, &bonds);
            if self.least() > before {
                self.polish(&bonds);
            }
            let mut broken = first_broken(self.compiled, &picks);
            if broken.is_none() {
                // It keeps all bonds, but their prices may hide a better one.
                let worth = self.worth(&picks);
                self.offer(worth, picks);
                let Some(relaxed) = self.relax(&fixes, &Toll::default(), 8) else {
                    continue;
                };
                if let Some((worth, picks)) = relaxed.best {
                    broken = first_broken(self.compiled, &picks);
                    if broken.is_none() {
                        self.offer(worth, picks);
                    }
                }
                if broken.is_none() {
                    upper = upper.max(bound.min(relaxed.upper));
                }
            }
            if let Some(Broken { unit, need }) = broken {
                let mut out = settled.clone();
                out.push((unit, Fix::Out));
                let mut kept = settled;
                kept.push((unit, Fix::In));
                debug_assert!(need.is_none_or(|need| fixes[need as usize] != Fix::In));
                for settled in [out, kept] {
                    open.push((bound, nodes.len()));
                    nodes.push(settled);
                }
            }
        }
        Some(upper)
    }

    /// Returns what picks are worth, with what comes with the first unit of each room.
    pub(super) fn worth(&self, picks: &Picks) -> i128 {
        let mut worth = 0;
        let mut is_open: Vec<bool> = self.problem.rooms.iter().map(|room| room.is_open).collect();
        for (unit, pick) in self.problem.units.iter().zip(picks) {
            let Some(pick) = pick else { continue };
            let choice = &unit.choices[*pick as usize];
            worth += self.scale.worth(choice.gain, choice.tokens);
            if let Some(room) = unit.room
                && !is_open[room as usize]
            {
                is_open[room as usize] = true;
                let room = &self.problem.rooms[room as usize];
                worth -= i128::from(room.joiner + room.start);
            }
        }
        worth
    }

    /// Ranks all choices by what they are worth against the price of their tokens.
    pub(super) fn offers(&self, relaxation: &Relaxation<'_>, extra: &[i128]) -> Vec<Offer> {
        let mut offers = Vec::with_capacity(self.problem.units.len());
        for (number, unit) in (0..).zip(&self.problem.units) {
            let price = as_float(relaxation.price(unit.room)).max(1e-9);
            for (choice, option) in (0..).zip(&unit.choices) {
                let worth = self.scale.worth(option.gain, option.tokens) + extra[number as usize];
                offers.push(Offer {
                    rank: as_float(worth) / (price * as_float(i128::from(option.tokens.max(1)))),
                    unit: number,
                    choice,
                });
            }
        }
        offers
    }

    /// Makes a solution of picks that break bonds: what is picked comes first.
    pub(super) fn mend(&mut self, picks: &Picks, bonds: &Bonds) {
        let mut offers = Vec::with_capacity(self.problem.units.len());
        for (number, unit) in (0..).zip(&self.problem.units) {
            for (choice, option) in (0..).zip(&unit.choices) {
                let worth = as_float(self.scale.worth(option.gain, option.tokens));
                let is_picked = picks[number as usize] == Some(choice);
                let rank = worth / as_float(i128::from(option.tokens.max(1)));
                offers.push(Offer {
                    rank: if is_picked { rank * 1e12 } else { rank },
                    unit: number,
                    choice,
                });
            }
        }
        if let Some((worth, picks)) = greedy(self.problem, self.scale, bonds, offers) {
            self.offer(worth, picks);
        }
    }

    /// Solves anew around the best solution: only what no cut bond holds is free.
    pub(super) fn polish(&mut self, bonds: &Bonds) {
        let Some((_, picks)) = &self.best else { return };
        let mut fixes = vec![Fix::Free; self.problem.units.len()];
        for head in self.compiled.heads.iter().filter(|head| head.is_linked) {
            for combo in head.combos.0..head.combos.1 {
                for &(unit, _) in self.compiled.picks(combo) {
                    fixes[unit as usize] = match picks[unit as usize] {
                        Some(_) => Fix::In,
                        None => Fix::Out,
                    };
                }
            }
        }
        // What nothing needs and has no rivals may come in, and what nothing needs may go.
        let mut is_needed = vec![false; fixes.len()];
        for &(_, need) in &self.compiled.needs {
            is_needed[need as usize] = true;
        }
        for unit in 0..fixes.len() {
            let met = bonds.needs[unit]
                .iter()
                .all(|&need| picks[need as usize].is_some());
            let may_come = if is_needed[unit] {
                bonds.needs[unit].is_empty() && picks[unit].is_none()
            } else {
                met
            };
            if may_come && bonds.keys[unit].is_empty() {
                fixes[unit] = Fix::Free;
            }
        }
        if let Some(relaxed) = self.relax(&fixes, &Toll::default(), 8)
            && let Some((worth, picks)) = relaxed.best
            && first_broken(self.compiled, &picks).is_none()
        {
            self.offer(worth, picks);
        }
    }
}

/// Less than any solution is worth.
const NOTHING: i128 = -(1 << 100);

/// Settles what follows from what was settled; `None` where it contradicts itself.
fn spread(free: &[Fix], settled: &[(u32, Fix)], bonds: &Bonds) -> Option<Vec<Fix>> {
    let mut fixes = free.to_vec();
    for &(unit, fix) in settled {
        let now = &mut fixes[unit as usize];
        if *now != Fix::Free && *now != fix {
            return None;
        }
        *now = fix;
    }
    let mut held: Vec<bool> = Vec::new();
    loop {
        let mut changed = false;
        held.clear();
        for unit in 0..fixes.len() {
            if fixes[unit] == Fix::In {
                for &need in &bonds.needs[unit] {
                    match fixes[need as usize] {
                        Fix::In => {}
                        Fix::Out => return None,
                        Fix::Free => {
                            fixes[need as usize] = Fix::In;
                            changed = true;
                        }
                    }
                }
                for &key in &bonds.keys[unit] {
                    let key = key as usize;
                    if held.len() <= key {
                        held.resize(key + 1, false);
                    }
                    if held[key] {
                        return None;
                    }
                    held[key] = true;
                }
            } else if fixes[unit] == Fix::Free {
                let gone = |need: &u32| fixes[*need as usize] == Fix::Out;
                if bonds.needs[unit].iter().any(gone) {
                    fixes[unit] = Fix::Out;
                    changed = true;
                }
            }
        }
        for (fix, keys) in fixes.iter_mut().zip(&bonds.keys) {
            let rival = |key: &u32| held.get(*key as usize).copied().unwrap_or(false);
            if *fix == Fix::Free && keys.iter().any(rival) {
                *fix = Fix::Out;
                changed = true;
            }
        }
        if !changed {
            return Some(fixes);
        }
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a rank, or the length of a step"
)]
pub(super) fn as_float(number: i128) -> f64 {
    number as f64
}

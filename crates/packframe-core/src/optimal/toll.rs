//! What bonds cost that no class could take in, so that the bound is near.

use super::compile::{Bonds, Compiled, first_broken};
use super::greedy::greedy;
use super::problem::Problem;
use super::relax::Relaxation;
use super::search::{Search, as_float};
use super::view::{Fix, View};

/// Rounds in which the prices of bonds are sought by the linear relaxation.
const ROUNDS: usize = 60;

/// Rounds in which they are bettered by solutions of the relaxed problem, which are dearer.
const SHARP_ROUNDS: usize = 60;

/// Of these in a row that better little, the last.
const MOST_STALE: usize = 6;

/// What each bond costs: of each unit what it is worth more, and what is added to all.
#[derive(Debug, Clone, Default)]
pub(super) struct Toll {
    needs: Vec<i128>,
    rivals: Vec<i128>,
}

impl Toll {
    pub(super) fn extra(&self, problem: &Problem, compiled: &Compiled) -> Vec<i128> {
        let mut extra = vec![0; problem.units.len()];
        for (&(unit, need), toll) in compiled.needs.iter().zip(&self.needs) {
            extra[unit as usize] -= toll;
            extra[need as usize] += toll;
        }
        for (rivals, toll) in compiled.rivals.iter().zip(&self.rivals) {
            for &unit in rivals {
                extra[unit as usize] -= toll;
            }
        }
        extra
    }

    pub(super) fn constant(&self) -> i128 {
        self.rivals.iter().sum()
    }
}

impl Search<'_> {
    /// Seeks prices of bonds that bound well, by steps against what is broken; solutions that are
    /// found on the way are kept.
    pub(super) fn toll(&mut self, free: &[Fix], bonds: &Bonds) -> Option<Toll> {
        let mut toll = Toll {
            needs: vec![0; self.compiled.needs.len()],
            rivals: vec![0; self.compiled.rivals.len()],
        };
        let mut best: Option<(i128, Toll)> = None;
        let mut pace = 1.0;
        let mut stale = 0;
        for round in 0..ROUNDS {
            let extra = toll.extra(self.problem, self.compiled);
            let view = View::of(self.compiled, free, &extra)?;
            let relaxation = Relaxation::of(self.problem, self.compiled, &view)?;
            let upper = relaxation.upper() + toll.constant();
            if round % 6 == 0 {
                let offers = self.offers(&relaxation, &extra);
                if let Some((worth, picks)) = greedy(self.problem, self.scale, bonds, offers) {
                    self.offer(worth, picks);
                }
            }
            if best.as_ref().is_none_or(|best| upper < best.0) {
                best = Some((upper, toll.clone()));
                stale = 0;
            } else {
                stale += 1;
                if stale == 4 {
                    pace *= 0.5;
                    stale = 0;
                }
            }
            if upper <= self.least() {
                break;
            }
            let mut taken = vec![0_i128; self.problem.units.len()];
            for combo in relaxation.combos() {
                for &(unit, _) in self.compiled.picks(combo) {
                    taken[unit as usize] = 1;
                }
            }
            let most = upper - self.least().max(0);
            if !self.step(&mut toll, &taken, most, pace) {
                break;
            }
        }
        best.map(|best| best.1)
    }

    /// Makes a step of prices against the bonds that are broken; says whether any is.
    fn step(&self, toll: &mut Toll, taken: &[i128], most: i128, pace: f64) -> bool {
        let needs = self
            .compiled
            .needs
            .iter()
            .map(|&(unit, need)| taken[unit as usize] - taken[need as usize]);
        let rivals = self.compiled.rivals.iter().map(|rivals| {
            let count: i128 = rivals.iter().map(|&unit| taken[unit as usize]).sum();
            count - 1
        });
        let slopes: Vec<i128> = needs.chain(rivals).collect();
        let prices = toll.needs.iter().chain(&toll.rivals);
        let norm: i128 = slopes
            .iter()
            .zip(prices)
            .filter(|(slope, price)| **slope > 0 || **price > 0)
            .map(|(slope, _)| slope * slope)
            .sum();
        if norm == 0 {
            return false;
        }
        let length = as_float(most) * pace / as_float(norm);
        let prices = toll.needs.iter_mut().chain(&mut toll.rivals);
        for (price, slope) in prices.zip(slopes) {
            *price = (*price + as_whole(length * as_float(slope))).max(0);
        }
        true
    }

    /// Betters prices by the very solutions of the relaxed problem: dearer than its linear one, and
    /// nearer. Returns the best prices, and what no solution is worth more than.
    pub(super) fn sharpen(&mut self, fixes: &[Fix], toll: Toll, bonds: &Bonds) -> (Toll, i128) {
        let mut best = (toll.clone(), i128::MAX);
        let mut way: Vec<i128> = Vec::new();
        let mut toll = toll;
        let mut pace = 0.5;
        let mut stale = 0;
        let limit = self.meter.used + (self.meter.limit.saturating_sub(self.meter.used)) / 2;
        for round in 0..SHARP_ROUNDS {
            let Some(relaxed) = self.relax(fixes, &toll, 8) else {
                return (best.0, i128::MIN);
            };
            let is_better = relaxed.upper < best.1;
            // A step that betters little says that no step will better much.
            let missed = best.1.saturating_sub(self.least());
            if best.1.saturating_sub(relaxed.upper) > missed / 32 {
                stale = 0;
            } else {
                stale += 1;
            }
            if is_better {
                best = (toll.clone(), relaxed.upper);
            } else {
                pace *= 0.5;
            }
            if best.1 <= self.least() || stale == MOST_STALE {
                break;
            }
            if let Some((_, picks)) = relaxed.best {
                if first_broken(self.compiled, &picks).is_none() {
                    let worth = self.worth(&picks);
                    self.offer(worth, picks.clone());
                } else {
                    let before = self.least();
                    self.mend(&picks, bonds);
                    if self.least() > before || round == 0 {
                        self.polish(bonds);
                    }
                }
                if is_better {
                    way = picks
                        .iter()
                        .map(|pick| i128::from(pick.is_some()))
                        .collect();
                }
            }
            toll = best.0.clone();
            let most = best.1 - self.least().max(0);
            if way.is_empty() || self.meter.used > limit || !self.step(&mut toll, &way, most, pace)
            {
                break;
            }
        }
        best
    }
}

#[expect(clippy::cast_possible_truncation, reason = "it saturates")]
fn as_whole(number: f64) -> i128 {
    number as i128
}

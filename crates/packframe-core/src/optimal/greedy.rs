//! A solution that keeps all bonds, made by taking what is worth most a token.

use super::compile::Bonds;
use super::gauge::Gauge;
use super::problem::{Picks, Problem, Scale};

/// A choice of a unit, and how good it looks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Offer {
    pub(super) rank: f64,
    pub(super) unit: u32,
    pub(super) choice: u32,
}

/// Takes offers by rank, each with all that it needs, where rooms and capacity let it in.
///
/// A choice that is worth more takes the place of one that is in. O(n log n), and linear in what
/// comes along.
pub(super) fn greedy(
    problem: &Problem,
    scale: &Scale,
    bonds: &Bonds,
    mut offers: Vec<Offer>,
) -> Option<(i128, Picks)> {
    offers.sort_unstable_by(|a, b| {
        b.rank
            .total_cmp(&a.rank)
            .then(a.unit.cmp(&b.unit))
            .then(a.choice.cmp(&b.choice))
    });
    let mut gauge = Gauge::new(problem);
    let mut picks: Picks = vec![None; problem.units.len()];
    let mut held = vec![false; problem.rivals.len()];
    let mut worth = 0;
    let value = |unit: u32, choice: u32| {
        let choice = &problem.units[unit as usize].choices[choice as usize];
        scale.worth(choice.gain, choice.tokens)
    };
    for offer in &offers {
        let unit = &problem.units[offer.unit as usize];
        if let Some(now) = picks[offer.unit as usize] {
            let more = value(offer.unit, offer.choice) - value(offer.unit, now);
            let tokens = |choice: u32| unit.choices[choice as usize].tokens;
            let part = (unit.room, tokens(offer.choice) - tokens(now));
            if more > 0 && gauge.take_all(&[part]) {
                picks[offer.unit as usize] = Some(offer.choice);
                worth += more;
            }
            continue;
        }
        let Some(along) = along(problem, bonds, &picks, &held, offer.unit) else {
            continue;
        };
        let shortest = |unit: u32| {
            let choices = (0..).zip(&problem.units[unit as usize].choices);
            choices
                .min_by_key(|(_, choice)| choice.tokens)
                .map_or(0, |(place, _)| place)
        };
        let dearest = |unit: u32| {
            let choices = 0..super::compile::number(problem.units[unit as usize].choices.len());
            choices.max_by_key(|&place| value(unit, place)).unwrap_or(0)
        };
        let ways: [&dyn Fn(u32) -> u32; 2] = [&dearest, &shortest];
        for way in ways {
            let taken: Vec<(u32, u32)> = along
                .iter()
                .map(|&other| match other {
                    other if other == offer.unit => (other, offer.choice),
                    other => (other, way(other)),
                })
                .collect();
            let parts: Vec<(Option<u32>, i64)> = taken
                .iter()
                .map(|&(other, choice)| {
                    let unit = &problem.units[other as usize];
                    (unit.room, unit.choices[choice as usize].tokens)
                })
                .collect();
            if gauge.take_all(&parts) {
                for (other, choice) in taken {
                    picks[other as usize] = Some(choice);
                    worth += value(other, choice);
                    for &key in &bonds.keys[other as usize] {
                        held[key as usize] = true;
                    }
                }
                break;
            }
            if along.len() == 1 {
                break;
            }
        }
    }
    let all = problem.units.iter().zip(&picks);
    if gauge.taken > problem.limit()
        || all
            .into_iter()
            .any(|(unit, pick)| unit.must && pick.is_none())
    {
        return None;
    }
    Some((worth - gauge.entries(), picks))
}

/// Returns a unit with all that it needs and that is not in; `None` where rivals are in the way, or
/// something that has no choice.
fn along(
    problem: &Problem,
    bonds: &Bonds,
    picks: &Picks,
    held: &[bool],
    unit: u32,
) -> Option<Vec<u32>> {
    let mut along = vec![unit];
    let mut keys: Vec<u32> = Vec::new();
    let mut at = 0;
    while let Some(&next) = along.get(at) {
        at += 1;
        if problem.units[next as usize].choices.is_empty() {
            return None;
        }
        for &key in &bonds.keys[next as usize] {
            if held[key as usize] || keys.contains(&key) {
                return None;
            }
            keys.push(key);
        }
        for &need in &bonds.needs[next as usize] {
            if picks[need as usize].is_none() && !along.contains(&need) {
                along.push(need);
            }
        }
    }
    Some(along)
}

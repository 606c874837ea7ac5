//! The order rules as bonds: a run is kept, and what may be passed.

use super::plan::Plan;
use crate::pack::select::Field;
use crate::pack::standing::Standing;
use crate::section::DropRule;
use crate::word::Retention;

impl Plan {
    /// Returns the groups of the chain of sections, in its order.
    pub(super) fn chain(&self, field: &Field<'_>) -> Vec<(u32, bool)> {
        let mut run = Vec::new();
        for strongest in [Retention::Preferred, Retention::Optional] {
            for &section in &field.division.order {
                let queue = &field.queues[section];
                if field.division.part(section).rule == DropRule::CutThenStop
                    && queue.strongest == Some(strongest)
                {
                    let known = |group: &u32| self.of[*group as usize].is_some();
                    run.extend(
                        queue
                            .groups
                            .iter()
                            .copied()
                            .filter(known)
                            .map(|group| (group, true)),
                    );
                }
            }
        }
        run
    }

    /// Lets each group of a run need the one before, or, where that may have a rival in, the last
    /// that may not.
    pub(super) fn order(&mut self, field: &Field<'_>, standing: &Standing, strict: (&[u32], bool)) {
        let (strict, all) = strict;
        let mut holders = vec![0_usize; field.bonds.key_count];
        for &group in self.members.iter().flatten() {
            for &key in field.bonds.keys(group as usize) {
                holders[key as usize] += 1;
            }
        }
        let may_pass = |group: u32| {
            field.bonds.key_count > 0
                && !all
                && !strict.contains(&group)
                && field.bundle(standing, group as usize).is_ok_and(|bundle| {
                    let has_rivals = |group: &u32| {
                        let keys = field.bonds.keys(*group as usize);
                        keys.iter().any(|key| holders[*key as usize] > 1)
                    };
                    bundle.groups().iter().any(has_rivals)
                })
        };
        for run in &self.runs {
            let mut before = None;
            for &(group, ends) in run {
                let unit = self.of[group as usize];
                if let (Some(unit), Some(before)) = (unit, before) {
                    self.problem.needs.push((unit, before));
                }
                if ends && !may_pass(group) {
                    before = unit;
                }
            }
        }
    }

    /// Returns the groups of which one is in where a group, or what it needs, is out for a rival.
    pub(super) fn rivals(&self, field: &Field<'_>, standing: &Standing, group: u32) -> Vec<u32> {
        let Ok(bundle) = field.bundle(standing, group as usize) else {
            return Vec::new();
        };
        let keys: Vec<u32> = bundle
            .groups()
            .iter()
            .flat_map(|&group| field.bonds.keys(group as usize))
            .copied()
            .collect();
        let others = self.members.iter().flatten().copied();
        others
            .filter(|other| !bundle.groups().contains(other))
            .filter(|&other| {
                let own = field.bonds.keys(other as usize);
                own.iter().any(|key| keys.contains(key))
            })
            .collect()
    }

    /// Returns the groups that could be taken, are not, and that their run goes past.
    pub(super) fn broken(&self, field: &Field<'_>, standing: &Standing) -> Vec<u32> {
        let mut broken = Vec::new();
        for run in &self.runs {
            let mut passed: Vec<u32> = Vec::new();
            for &(group, ends) in run {
                if standing.taken[group as usize] {
                    broken.append(&mut passed);
                } else if ends && field.is_open(standing, group as usize) {
                    passed.push(group);
                }
            }
        }
        broken
    }
}

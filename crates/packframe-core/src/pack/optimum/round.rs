//! One problem solved so that its runs are kept.

use super::plan::Plan;
use crate::error::Error;
use crate::optimal::{Answer, Gain, Picks, solve};
use crate::pack::select::Field;
use crate::pack::standing::Standing;

/// How many problems are solved for the runs of one selection.
const MOST_SOLVES: usize = 24;

/// A plan that was solved.
pub(super) struct Solved {
    pub(super) answer: Answer,
    pub(super) standing: Standing,
    pub(super) effort: u64,
}

/// What a plan is made from.
pub(super) struct Round<'c, 'a> {
    pub(super) field: &'c Field<'a>,
    pub(super) start: &'c Standing,
    pub(super) values: &'c [f64],
    pub(super) shrink: i64,
    pub(super) effort: u64,
}

impl Round<'_, '_> {
    /// Solves a plan so that its runs are kept: no run goes past a group that could be taken. Where
    /// something was kept, nothing is held.
    ///
    /// A group with a rival may be passed while the rival is in. The search is let pass all of them;
    /// where it passed one without a rival, it is run again: once with that group as the end of its
    /// run, and once for each rival, with the rival in.
    pub(super) fn solve(&self, kept: Option<&Picks>) -> Result<Option<Solved>, Error> {
        let (field, start) = (self.field, self.start);
        let mut open: Vec<(Vec<u32>, Vec<u32>)> = vec![(Vec::new(), Vec::new())];
        let mut best: Option<((Gain, i64), Solved)> = None;
        let mut upper = None;
        let mut used = 0;
        let mut is_proved = true;
        let mut solves = 0;
        while let Some((strict, needed)) = open.pop() {
            let is_last = solves == MOST_SOLVES;
            if is_last {
                is_proved = false;
                if best.is_some() {
                    break;
                }
            }
            solves += 1;
            let mut plan = Plan::of(field, start, self.values, self.shrink, (&strict, is_last))?;
            if let Some(kept) = kept {
                plan.release(kept);
            }
            if !is_last && !plan.require(&needed) {
                continue;
            }
            let Some(answer) = solve(&plan.problem, self.effort) else {
                continue;
            };
            used += answer.effort;
            upper.get_or_insert(answer.upper);
            is_proved &= answer.is_proved;
            let mut standing = start.clone();
            plan.apply(field, &mut standing, &answer.picks);
            let key = (
                plan.problem.gain(&answer.picks),
                -standing.total(field.division),
            );
            if best.as_ref().is_some_and(|best| key <= best.0) {
                continue;
            }
            let broken = plan.broken(field, &standing).first().copied();
            if let Some(group) = broken {
                for rival in plan.rivals(field, start, group) {
                    let mut needed = needed.clone();
                    needed.push(rival);
                    open.push((strict.clone(), needed));
                }
                let mut strict = strict;
                strict.push(group);
                open.push((strict, needed));
                continue;
            }
            best = Some((
                key,
                Solved {
                    answer,
                    standing,
                    effort: 0,
                },
            ));
        }
        Ok(best.map(|(_, mut solved)| {
            if let Some(upper) = upper.filter(|_| !is_proved) {
                solved.answer.upper = upper;
            }
            solved.answer.is_proved = is_proved;
            solved.effort = used;
            solved
        }))
    }
}

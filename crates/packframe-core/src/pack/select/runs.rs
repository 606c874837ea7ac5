//! How far the runs of the order rules came.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::field::Field;
use crate::error::Error;
use crate::pack::division::Division;
use crate::pack::standing::Standing;
use crate::section::DropRule;
use crate::word::Retention;

/// How far the runs of the order rules came.
#[derive(Debug, Clone)]
pub(crate) struct Runs {
    /// Of each section, the group at which its run stopped; of oldest and newest sections, for each
    /// retention.
    pub(super) stops: Vec<[Option<u32>; 2]>,
    /// Of each chain section, whether its scan began.
    pub(super) begun: Vec<bool>,
    /// Of each chain section, whether a cut closed it for good.
    pub(super) closed: Vec<bool>,
    /// What strategies dropped: the reason, and what they say.
    pub(crate) dropped: HashMap<u32, (String, Option<String>)>,
    /// Of the sections whose strategy was replaced by the default rule, why.
    pub(crate) faults: BTreeMap<usize, String>,
    /// The sections that a strategy was asked about.
    pub(super) asked: HashSet<usize>,
}

impl Runs {
    pub(crate) fn new(division: &Division) -> Self {
        let sections = division.len();
        Self {
            stops: vec![[None; 2]; sections],
            begun: vec![false; sections],
            closed: vec![false; sections],
            dropped: HashMap::new(),
            faults: BTreeMap::new(),
            asked: HashSet::new(),
        }
    }

    /// Returns the group at which a run stopped.
    pub(crate) fn stop(&self, section: usize, retention: Retention) -> Option<usize> {
        self.stops[section][lane(retention)].map(|group| group as usize)
    }

    /// Returns the preferred group that was missed in a strict section: what is older stays out, too.
    pub(crate) fn cut(&self, division: &Division, section: usize) -> Option<u32> {
        let missed = self.stops[section][lane(Retention::Preferred)];
        missed.filter(|_| division.part(section).strict)
    }

    /// Stops each run at the first group of its order that could be taken and is not.
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the tokenizer fails.
    pub(crate) fn settle(&mut self, field: &Field<'_>, standing: &Standing) -> Result<(), Error> {
        let mut is_closed = false;
        for strongest in [Retention::Preferred, Retention::Optional] {
            for &section in &field.division.order {
                let queue = &field.queues[section];
                match field.division.part(section).rule {
                    DropRule::CutThenStop if queue.strongest == Some(strongest) => {
                        if is_closed {
                            continue;
                        }
                        self.begun[section] = true;
                        let open = |group: &u32| {
                            !standing.taken[*group as usize]
                                && field.is_open(standing, *group as usize)
                        };
                        self.stops[section][0] = queue.groups.iter().copied().find(open);
                        is_closed = self.stops[section][0].is_some();
                    }
                    DropRule::Oldest | DropRule::Newest => {
                        let mut stop = None;
                        for &group in field.queue(section, strongest) {
                            if !standing.taken[group as usize]
                                && field.is_open(standing, group as usize)
                                && field.ends_run(section, group as usize)?
                            {
                                stop = Some(group);
                                break;
                            }
                        }
                        self.stops[section][lane(strongest)] = stop;
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Stops the run of optional groups of an order section at a group.
    pub(crate) fn stop_at(&mut self, section: usize, group: u32) {
        self.stops[section][lane(Retention::Optional)] = Some(group);
    }

    /// Says whether the scan of a chain section began.
    pub(crate) fn has_begun(&self, section: usize) -> bool {
        self.begun[section]
    }
}

/// The run of a retention.
pub(super) fn lane(retention: Retention) -> usize {
    usize::from(retention == Retention::Preferred)
}

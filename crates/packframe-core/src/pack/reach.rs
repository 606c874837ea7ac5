//! What a group brings along, where that is one line: found and priced without walking it.

use super::bonds::Bonds;
use super::cost::Costs;
use super::groups::Groups;
use crate::word::Retention;

/// No node.
const END: u32 = u32::MAX;

/// The groups that require at most one other, which requires at most one other, and so on: chains,
/// trees that grow towards their leaves, and cycles at their ends, which come together or not at all.
///
/// What is required anyway does not count: it is in. Made in linear time; a question costs O(log n).
#[derive(Debug, Default)]
pub(crate) struct Reach {
    /// Of each group, its node; `END` where what it brings along is no line. Empty where no group
    /// requires any.
    of: Vec<u32>,
    nodes: Vec<Node>,
    /// The groups of all nodes, one after the other.
    members: Vec<u32>,
}

/// A group, or a cycle of groups.
#[derive(Debug, Clone, Copy)]
struct Node {
    members: (u32, u32),
    /// The node that it requires.
    next: u32,
    /// A node further on, so that none is far.
    jump: u32,
    depth: u32,
    /// Tokens of it and of all that it brings along.
    tokens: u64,
    /// Groups of it and of all that it brings along.
    groups: u32,
    /// Whether nothing of that was refused, has rivals or requires what is not there.
    is_clean: bool,
}

/// What a group comes with: itself, and what is not in yet of what it brings along.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Company {
    pub(crate) tokens: u64,
    pub(crate) groups: u32,
}

impl Reach {
    /// Finds lines. `fits` says which groups may be part of one.
    pub(crate) fn of(
        groups: &Groups,
        bonds: &Bonds,
        costs: &Costs,
        retentions: &[Retention],
        refused: &[bool],
        fits: impl Fn(usize) -> bool,
    ) -> Self {
        let mut reach = Self::default();
        if !bonds.has_needs() {
            return reach;
        }
        reach.of = vec![END; groups.len()];
        let is_in = |group: u32| retentions[group as usize] == Retention::Required;
        // The only group that a group requires; `None` where it requires several.
        let only = |group: u32| {
            let mut open = bonds
                .needs(group as usize)
                .iter()
                .filter(|need| !is_in(**need));
            match (open.next(), open.next()) {
                (_, Some(_)) => None,
                (next, None) => Some(next.copied()),
            }
        };
        let own_clean = |group: u32| {
            let group = group as usize;
            !refused[group] && bonds.keys(group).is_empty() && !bonds.asks_unknown(groups, group)
        };
        let mut is_done = vec![false; groups.len()];
        // Of each group on the way, its place there, plus one.
        let mut places = vec![0_usize; groups.len()];
        let mut way: Vec<u32> = Vec::new();
        for start in 0..groups.len() {
            let start = u32::try_from(start).unwrap_or(END);
            if is_done[start as usize] || is_in(start) {
                continue;
            }
            way.clear();
            let mut at = Some(start);
            // Whether what the way ends at is a line, and from where on the way is a cycle.
            let (mut is_line, mut cycle) = (true, usize::MAX);
            while let Some(group) = at {
                if is_done[group as usize] {
                    is_line = reach.of[group as usize] != END;
                    break;
                }
                if places[group as usize] > 0 {
                    cycle = places[group as usize] - 1;
                    break;
                }
                way.push(group);
                places[group as usize] = way.len();
                match only(group) {
                    Some(next) if fits(group as usize) => at = next,
                    _ => {
                        is_line = false;
                        break;
                    }
                }
            }
            let mut next = match at {
                Some(group) if is_done[group as usize] => reach.of[group as usize],
                _ => END,
            };
            let mut end = way.len();
            while end > 0 {
                let begin = if cycle < end { cycle } else { end - 1 };
                let members = &way[begin..end];
                for &group in members {
                    is_done[group as usize] = true;
                }
                if is_line {
                    let is_clean = members.iter().all(|&group| own_clean(group));
                    let tokens = members
                        .iter()
                        .map(|&group| costs.group(groups, group as usize))
                        .sum();
                    next = reach.push(members, next, tokens, is_clean);
                }
                end = begin;
            }
        }
        reach
    }

    fn push(&mut self, members: &[u32], next: u32, tokens: u64, is_clean: bool) -> u32 {
        let node = u32::try_from(self.nodes.len()).unwrap_or(END);
        for &group in members {
            self.of[group as usize] = node;
        }
        let start = u32::try_from(self.members.len()).unwrap_or(END);
        self.members.extend_from_slice(members);
        let count = u32::try_from(members.len()).unwrap_or(END);
        let behind = self.nodes.get(next as usize).copied();
        // Myers' jumps: as far again as the last jump went, where the last two went as far.
        let jump = behind.map_or(END, |behind| {
            let depth = |node: u32| self.nodes.get(node as usize).map_or(0, |node| node.depth);
            let far = self
                .nodes
                .get(behind.jump as usize)
                .map_or(END, |far| far.jump);
            let (first, second) = (depth(behind.jump), depth(far));
            if behind.depth - first == first - second {
                far
            } else {
                next
            }
        });
        self.nodes.push(Node {
            members: (start, start + count),
            next,
            jump,
            depth: behind.map_or(0, |behind| behind.depth) + 1,
            tokens: tokens + behind.map_or(0, |behind| behind.tokens),
            groups: count + behind.map_or(0, |behind| behind.groups),
            is_clean: is_clean && behind.is_none_or(|behind| behind.is_clean),
        });
        node
    }

    /// Returns how many nodes there are.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the node of a group.
    pub(crate) fn node(&self, group: usize) -> Option<u32> {
        self.of.get(group).copied().filter(|&node| node != END)
    }

    /// Returns the groups of a node: several where they are a cycle.
    pub(crate) fn members(&self, node: u32) -> &[u32] {
        let (start, end) = self.nodes[node as usize].members;
        &self.members[start as usize..end as usize]
    }

    /// Returns the node that a node requires; it has a lower number.
    pub(crate) fn next(&self, node: u32) -> Option<u32> {
        Some(self.nodes[node as usize].next).filter(|&next| next != END)
    }

    /// Says whether nothing that a group brings along was refused, has rivals, or requires what is
    /// not there: then only what was taken out again can bar it.
    pub(crate) fn is_clean(&self, group: usize) -> bool {
        self.node(group)
            .is_some_and(|node| self.nodes[node as usize].is_clean)
    }

    /// Returns the first node of a line whose groups are in; `None` where none is.
    pub(crate) fn first_in(&self, taken: &[bool], node: u32) -> Option<u32> {
        let is_in = |node: u32| {
            let first = self.nodes.get(node as usize).map(|node| node.members.0);
            first.is_none_or(|first| taken[self.members[first as usize] as usize])
        };
        let mut at = node;
        while !is_in(at) {
            let jump = self.nodes[at as usize].jump;
            at = if is_in(jump) {
                self.nodes[at as usize].next
            } else {
                jump
            };
        }
        Some(at).filter(|&at| at != END)
    }

    /// Returns what a group that is out comes with, if that is a line.
    pub(crate) fn company(&self, taken: &[bool], group: usize) -> Option<Company> {
        let node = self.node(group)?;
        let own = self.nodes[node as usize];
        let there = self
            .first_in(taken, node)
            .map(|there| self.nodes[there as usize]);
        Some(Company {
            tokens: own.tokens - there.map_or(0, |there| there.tokens),
            groups: own.groups - there.map_or(0, |there| there.groups),
        })
    }
}

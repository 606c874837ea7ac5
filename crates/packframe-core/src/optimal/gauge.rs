//! What is taken of the capacity, and what is in each room.

use super::problem::{ENDLESS, Problem, Room};

/// What is in a room.
#[derive(Clone, Copy)]
pub(super) struct Level {
    pub(super) tokens: i64,
    pub(super) is_filled: bool,
}

/// Tokens of the capacity, and of rooms, as options are taken.
#[derive(Clone)]
pub(super) struct Gauge<'a> {
    problem: &'a Problem,
    pub(super) levels: Vec<Level>,
    pub(super) taken: i64,
}

impl<'a> Gauge<'a> {
    /// Starts with what is there from the start.
    pub(super) fn new(problem: &'a Problem) -> Self {
        Self {
            problem,
            levels: problem
                .rooms
                .iter()
                .map(|room| Level {
                    tokens: room.start,
                    is_filled: room.is_open,
                })
                .collect(),
            taken: problem.rooms.iter().map(Room::takes_empty).sum(),
        }
    }

    /// Returns the tokens of what came with the first unit of each room.
    pub(super) fn entries(&self) -> i128 {
        let rooms = self.problem.rooms.iter().zip(&self.levels);
        rooms
            .filter(|(room, level)| level.is_filled && !room.is_open)
            .map(|(room, _)| i128::from(room.joiner + room.start))
            .sum()
    }

    /// Takes all of some tokens, if caps and capacity let them in.
    pub(super) fn take_all(&mut self, parts: &[(Option<u32>, i64)]) -> bool {
        let taken = self.taken;
        let before: Vec<(u32, Level)> = parts
            .iter()
            .filter_map(|part| part.0)
            .map(|room| (room, self.levels[room as usize]))
            .collect();
        let fits = parts.iter().all(|&(room, tokens)| {
            let price = self.price(room, tokens);
            if let Some(price) = price {
                self.add(room, tokens, price);
            }
            price.is_some()
        });
        if fits && self.taken <= self.problem.limit() {
            return true;
        }
        self.taken = taken;
        for (room, level) in before {
            self.levels[room as usize] = level;
        }
        false
    }

    fn takes(&self, room: usize, level: Level) -> i64 {
        let room = &self.problem.rooms[room];
        if level.is_filled {
            room.takes(level.tokens)
        } else {
            room.takes_empty()
        }
    }

    /// Returns what the capacity has to give for more tokens; `None` where a cap forbids them.
    pub(super) fn price(&self, room: Option<u32>, tokens: i64) -> Option<i64> {
        let Some(room) = room else {
            return Some(tokens);
        };
        let room = room as usize;
        let level = self.levels[room];
        let after = Level {
            tokens: level.tokens + tokens,
            is_filled: true,
        };
        let cap = self.problem.rooms[room].cap.unwrap_or(ENDLESS);
        (after.tokens <= cap).then(|| self.takes(room, after) - self.takes(room, level))
    }

    pub(super) fn add(&mut self, room: Option<u32>, tokens: i64, price: i64) {
        self.taken += price;
        if let Some(room) = room {
            let level = &mut self.levels[room as usize];
            level.tokens += tokens;
            level.is_filled = true;
        }
    }
}

//! Against all choices, one by one.

use super::{Choice, DEFAULT_EFFORT, Gain, Picks, Problem, Room, Unit, solve};

/// Numbers from a seed: xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % most.max(1)
    }

    fn tokens(&mut self, most: u64) -> i64 {
        i64::try_from(self.below(most)).expect("it is small")
    }

    fn place(&mut self, most: usize) -> u32 {
        u32::try_from(self.below(most as u64)).expect("it is small")
    }
}

fn problem(random: &mut Random) -> Problem {
    let rooms: Vec<Room> = (0..random.below(4))
        .map(|_| {
            let cap = (random.below(2) == 0).then(|| 5 + random.tokens(30));
            let is_open = random.below(4) == 0;
            Room {
                floor: if random.below(2) == 0 {
                    random.tokens(15).min(cap.unwrap_or(99))
                } else {
                    0
                },
                cap,
                start: random.tokens(5) - 1,
                is_open,
                joiner: random.tokens(3),
            }
        })
        .collect();
    let units = 1 + random.place(9) as usize;
    let spread = [2, 5, 1000][random.place(3) as usize];
    let units: Vec<Unit> = (0..units)
        .map(|_| {
            let is_preferred = random.below(3) == 0;
            let choices = 1 + random.below(3);
            Unit {
                room: (!rooms.is_empty() && random.below(3) > 0).then(|| random.place(rooms.len())),
                choices: (0..choices)
                    .map(|_| {
                        let value = random.below(spread);
                        Choice {
                            tokens: 1 + random.tokens(20),
                            gain: Gain {
                                sections: u64::from(random.below(20) == 0),
                                preferred: if is_preferred { value } else { 0 },
                                optional: if is_preferred { 0 } else { value },
                                groups: 1,
                            },
                        }
                    })
                    .collect(),
                must: random.below(15) == 0,
            }
        })
        .collect();
    let mut needs = Vec::new();
    let mut rivals = Vec::new();
    for _ in 0..random.below(5) {
        let pair = (random.place(units.len()), random.place(units.len()));
        if pair.0 != pair.1 {
            needs.push(pair);
        }
    }
    for _ in 0..random.below(3) {
        let mut group: Vec<u32> = (0..3).map(|_| random.place(units.len())).collect();
        group.sort_unstable();
        group.dedup();
        rivals.push(group);
    }
    let least: i64 = rooms.iter().map(Room::takes_empty).sum();
    Problem {
        capacity: (random.below(10) > 0).then(|| least + random.tokens(80)),
        rooms,
        units,
        needs,
        rivals,
    }
}

/// Returns the tokens of picks, if they keep everything.
fn tokens(problem: &Problem, picks: &Picks) -> Option<i64> {
    let taken = |unit: u32| picks[unit as usize].is_some();
    let lonely = |&(unit, need): &(u32, u32)| taken(unit) && !taken(need);
    let crowded = |rivals: &Vec<u32>| rivals.iter().filter(|&&unit| taken(unit)).count() > 1;
    let missing = |(unit, pick): (&Unit, &Option<u32>)| unit.must && pick.is_none();
    if problem.needs.iter().any(lonely)
        || problem.rivals.iter().any(crowded)
        || problem.units.iter().zip(picks).any(missing)
    {
        return None;
    }
    let mut own = 0;
    let mut rooms: Vec<Option<i64>> = vec![None; problem.rooms.len()];
    for (unit, pick) in problem.units.iter().zip(picks) {
        if let Some(pick) = pick {
            let tokens = unit.choices[*pick as usize].tokens;
            match unit.room {
                Some(room) => *rooms[room as usize].get_or_insert(0) += tokens,
                None => own += tokens,
            }
        }
    }
    let (mut taken, mut used) = (own, own);
    for (room, filled) in problem.rooms.iter().zip(rooms) {
        if let Some(filled) = filled {
            let within = room.start + filled;
            if room.cap.is_some_and(|cap| within > cap) {
                return None;
            }
            taken += room.takes(within);
            used += filled
                + if room.is_open {
                    0
                } else {
                    room.start + room.joiner
                };
        } else {
            taken += room.takes_empty();
        }
    }
    (taken <= problem.limit()).then_some(used)
}

/// Returns the best gain and the fewest tokens with it.
fn best(problem: &Problem) -> Option<(Gain, i64)> {
    let mut best: Option<(Gain, i64)> = None;
    let mut picks: Picks = vec![None; problem.units.len()];
    loop {
        if let Some(tokens) = tokens(problem, &picks) {
            let found = (problem.gain(&picks), -tokens);
            best = best.max(Some(found));
        }
        let mut at = 0;
        loop {
            let Some(unit) = problem.units.get(at) else {
                return best;
            };
            let next = picks[at].map_or(0, |pick| pick + 1);
            if (next as usize) < unit.choices.len() {
                picks[at] = Some(next);
                break;
            }
            picks[at] = None;
            at += 1;
        }
    }
}

#[test]
fn nothing_is_better_than_what_is_proved() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for round in 0..5_000 {
        let problem = problem(&mut random);
        let Some(answer) = solve(&problem, DEFAULT_EFFORT) else {
            assert_eq!(best(&problem), None, "round {round}: {problem:#?}");
            continue;
        };
        let tokens = tokens(&problem, &answer.picks);
        let found = tokens.map(|tokens| (problem.gain(&answer.picks), -tokens));
        assert_eq!(
            found,
            best(&problem),
            "round {round}: {problem:#?} {answer:?}"
        );
        assert!(answer.is_proved, "round {round}: {problem:#?} {answer:?}");
    }
}

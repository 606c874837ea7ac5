//! Dynamic programming over the classes in which a solution may differ from the linear one.
//!
//! A solution is known by what it loses against the bound: each option loses something against the
//! best of its class at the price of a token, and so does each token that is left. Whatever loses
//! as much as the best solution known is let go. Classes are opened in the order of what they lose
//! a token, as in Pisinger's "A minimal algorithm for the multiple-choice knapsack problem", 1995.

/// An option of a step: tokens against the base, loss, and what it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turn {
    pub(super) tokens: i64,
    pub(super) loss: i128,
    pub(super) tag: u32,
}

/// A class that is opened: its options, the base among them.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) class: u32,
    pub(super) turns: Vec<Turn>,
    /// What the base option loses.
    pub(super) base_loss: i128,
}

/// One way to come to so many tokens.
#[derive(Debug, Clone, Copy)]
pub(super) struct State {
    pub(super) tokens: i64,
    pub(super) loss: i128,
    pub(super) node: u32,
}

/// How states came about: the node before, a class, and what it turned to.
#[derive(Debug, Default)]
pub(super) struct Trail {
    pub(super) nodes: Vec<(u32, u32, u32)>,
}

/// The node of a state that turned nowhere.
pub(super) const ROOT: u32 = u32::MAX;

/// The tag of a base option.
const BASE: u32 = u32::MAX;

/// Counts what was searched.
#[derive(Debug, Clone, Copy)]
pub(super) struct Meter {
    pub(super) used: u64,
    pub(super) limit: u64,
    /// What the best of all that was let go unsearched loses, against the bound of its search.
    pub(super) dropped: Option<i128>,
}

impl Meter {
    fn width(&self) -> usize {
        let left = self.limit.saturating_sub(self.used);
        usize::try_from(left / 16).unwrap_or(usize::MAX).max(8)
    }

    pub(super) fn is_spent(&self) -> bool {
        self.used >= self.limit
    }
}

/// What is searched.
pub(super) struct Field {
    pub(super) steps: Vec<Step>,
    /// Tokens of all base options, and what is there besides.
    pub(super) tokens: i64,
    /// What is lost whatever is chosen.
    pub(super) loss: i128,
    /// Tokens that there may be.
    pub(super) limit: i64,
    /// The price of a token, for comparing two states.
    pub(super) price: i128,
    /// What each token that is left loses.
    pub(super) under: i128,
}

/// The least loss a token of the classes that are still closed: taking more, taking less.
#[derive(Clone, Copy)]
struct Rates {
    more: i128,
    less: i128,
}

/// The best end that was found.
#[derive(Debug, Clone, Copy)]
pub(super) struct End {
    pub(super) loss: i128,
    /// The node before the last turn, and that turn: class and tag.
    pub(super) node: u32,
    pub(super) turn: Option<(u32, u32)>,
}

impl Field {
    /// Puts steps in the order in which they are opened, options without hope left out.
    fn order(&mut self, most: i128) -> Vec<Rates> {
        let mut rest = 0;
        for step in &mut self.steps {
            step.turns.retain(|turn| turn.loss < most);
        }
        self.steps.retain(|step| {
            let only_base = step.turns.iter().all(|turn| turn.tag == BASE);
            if only_base {
                rest += step.base_loss;
            }
            !only_base
        });
        self.loss += rest;
        let rates = |step: &Step| {
            let mut rates = Rates {
                more: i128::MAX,
                less: i128::MAX,
            };
            for turn in step.turns.iter().filter(|turn| turn.tokens != 0) {
                let rate = turn.loss / i128::from(turn.tokens.abs());
                let side = if turn.tokens > 0 {
                    &mut rates.more
                } else {
                    &mut rates.less
                };
                *side = rate.min(*side);
            }
            rates
        };
        let mut keyed: Vec<(i128, usize, Rates)> = self
            .steps
            .iter()
            .enumerate()
            .map(|(at, step)| {
                let rates = rates(step);
                (rates.more.min(rates.less), at, rates)
            })
            .collect();
        keyed.sort_unstable_by_key(|key| (key.0, key.1));
        let mut steps: Vec<Option<Step>> = self.steps.drain(..).map(Some).collect();
        self.steps = keyed.iter().filter_map(|key| steps[key.1].take()).collect();
        let mut after = vec![
            Rates {
                more: i128::MAX,
                less: i128::MAX,
            };
            keyed.len() + 1
        ];
        for at in (0..keyed.len()).rev() {
            let own = keyed[at].2;
            after[at] = Rates {
                more: own.more.min(after[at + 1].more),
                less: own.less.min(after[at + 1].less),
            };
        }
        after
    }

    /// Returns the least that a state loses in the end; `None` where it comes to none.
    fn least(&self, tokens: i64, loss: i128, rates: Rates, most: i128) -> Option<i128> {
        let least = if tokens > self.limit {
            if rates.less >= most {
                return None;
            }
            loss + rates.less * i128::from(tokens - self.limit)
        } else {
            loss + self.under.min(rates.more) * i128::from(self.limit - tokens)
        };
        (least < most).then_some(least)
    }

    /// Searches for ends that lose less than `most`: the best, or all states.
    pub(super) fn search(
        mut self,
        most: &mut i128,
        trail: &mut Trail,
        meter: &mut Meter,
        only_best: bool,
    ) -> (Option<End>, Vec<State>) {
        let after = self.order(*most);
        let mut best = None;
        let mut bases: i128 = self.steps.iter().map(|step| step.base_loss).sum();
        let mut states = vec![State {
            tokens: self.tokens,
            loss: self.loss,
            node: ROOT,
        }];
        if only_best && self.tokens <= self.limit {
            let loss = self.loss + bases + self.under * i128::from(self.limit - self.tokens);
            if loss < *most {
                *most = loss;
                best = Some(End {
                    loss,
                    node: ROOT,
                    turn: None,
                });
            }
            self.try_single(most, &mut best, bases);
        }
        let mut next: Vec<(State, u32)> = Vec::new();
        for (at, step) in self.steps.iter().enumerate() {
            bases -= step.base_loss;
            let rates = after[at + 1];
            next.clear();
            for turn in &step.turns {
                if turn.loss >= *most {
                    continue;
                }
                for state in &states {
                    let loss = state.loss + turn.loss;
                    let tokens = state.tokens + turn.tokens;
                    if self.least(tokens, loss, rates, *most).is_none() {
                        continue;
                    }
                    if only_best && tokens <= self.limit {
                        let end = loss + bases + self.under * i128::from(self.limit - tokens);
                        if end < *most {
                            *most = end;
                            best = Some(End {
                                loss: end,
                                node: state.node,
                                turn: (turn.tag != BASE).then_some((step.class, turn.tag)),
                            });
                        }
                    }
                    let state = State {
                        tokens,
                        loss,
                        node: state.node,
                    };
                    next.push((state, turn.tag));
                }
            }
            meter.used += next.len() as u64;
            // What lies in order is found to be so: this merges runs.
            next.sort_by(|(a, _), (b, _)| a.tokens.cmp(&b.tokens).then(a.loss.cmp(&b.loss)));
            let mut highest = i128::MIN;
            next.retain(|(state, _)| {
                let worth = self.price * i128::from(state.tokens - self.tokens) - state.loss;
                let is_better = worth > highest;
                highest = highest.max(worth);
                is_better
            });
            let width = meter.width();
            if next.len() > width {
                self.narrow(&mut next, width, rates, *most, meter);
            }
            states.clear();
            for &(mut state, tag) in &next {
                if tag != BASE {
                    trail.nodes.push((state.node, step.class, tag));
                    state.node = super::compile::number(trail.nodes.len() - 1);
                }
                states.push(state);
            }
            if states.is_empty() {
                break;
            }
        }
        states.retain(|state| state.tokens <= self.limit);
        (best, states)
    }

    /// Tries each option alone: a good end early lets much go.
    fn try_single(&self, most: &mut i128, best: &mut Option<End>, bases: i128) {
        for step in &self.steps {
            for turn in &step.turns {
                let tokens = self.tokens + turn.tokens;
                if tokens > self.limit {
                    continue;
                }
                let left = self.under * i128::from(self.limit - tokens);
                let loss = self.loss + bases - step.base_loss + turn.loss + left;
                if loss < *most {
                    *most = loss;
                    *best = Some(End {
                        loss,
                        node: ROOT,
                        turn: (turn.tag != BASE).then_some((step.class, turn.tag)),
                    });
                }
            }
        }
    }

    /// Keeps the states that lose least in the end, and remembers the best that goes.
    fn narrow(
        &self,
        next: &mut Vec<(State, u32)>,
        width: usize,
        rates: Rates,
        most: i128,
        meter: &mut Meter,
    ) {
        let least = |state: &State| {
            self.least(state.tokens, state.loss, rates, most)
                .unwrap_or(most)
        };
        let key = |(state, tag): &(State, u32)| (least(state), state.tokens, *tag);
        next.select_nth_unstable_by_key(width, key);
        for (state, _) in &next[width..] {
            let lost = least(state);
            meter.dropped = Some(meter.dropped.map_or(lost, |dropped| dropped.min(lost)));
        }
        next.truncate(width);
        next.sort_unstable_by_key(|(state, tag)| (state.tokens, state.loss, *tag));
    }
}

/// Makes a step of the options of a class: tokens, loss and tag of each; the base is one of them.
pub(super) fn step(class: u32, base: usize, options: &[Turn]) -> Step {
    let tokens = options[base].tokens;
    let turns = options
        .iter()
        .enumerate()
        .map(|(at, option)| Turn {
            tokens: option.tokens - tokens,
            loss: option.loss,
            tag: if at == base { BASE } else { option.tag },
        })
        .collect();
    Step {
        class,
        turns,
        base_loss: options[base].loss,
    }
}

//! The slow, obvious packer: the oracle for what is selected, and why the rest is not.

use std::collections::{BTreeMap, BTreeSet};

use packframe_core::{Frame, PackOptions, Render, Retention};
use packframe_tokens::Tokenizer;

/// What the naive packer decides.
#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    Packed {
        total: u64,
        rows: Vec<usize>,
        /// Of each row that is out: reason and shortfall.
        out: BTreeMap<usize, (String, i64)>,
    },
    Exceeded {
        required: u64,
        overflow: u64,
        join: Option<i64>,
    },
}

/// One group.
struct Group {
    rows: Vec<usize>,
    retention: Retention,
    score: f64,
    priority: f64,
    tokens: i64,
}

/// Packs plain texts without sections, admission or overflow strategies.
pub fn pack(frame: &Frame, options: &PackOptions) -> Outcome {
    Naive {
        frame,
        options,
        groups: Vec::new(),
        available: options
            .budget
            .map(|budget| i64::try_from(budget).expect("small") - signed(options.reserve)),
    }
    .pack()
}

fn signed(tokens: u64) -> i64 {
    i64::try_from(tokens).expect("the texts are small")
}

struct Naive<'a> {
    frame: &'a Frame,
    options: &'a PackOptions,
    groups: Vec<Group>,
    available: Option<i64>,
}

impl Naive<'_> {
    fn pack(mut self) -> Outcome {
        self.group();
        let mut taken: Vec<usize> = self.with_retention(Retention::Required);
        let required = self.sum(&taken);
        if !self.fits(required) {
            if self.options.render != Some(Render::Text) {
                return self.exceeded(required, None);
            }
            if !self.fits(self.rendered(&taken)) {
                return self.exceeded(required, Some(self.rendered(&taken)));
            }
        }
        let order: Vec<usize> = [Retention::Preferred, Retention::Optional]
            .into_iter()
            .flat_map(|retention| self.with_retention(retention))
            .collect();
        let mandatory = taken.len();
        for &group in &order {
            if self.fits(self.sum(&with(&taken, group))) {
                taken.push(group);
            }
        }
        let mut shed = BTreeSet::new();
        if self.options.render == Some(Render::Text) {
            let verified = if self.tokenizer().seams().is_some() {
                self.verify_by_steps(&mut taken, &order, mandatory, &mut shed)
            } else {
                self.verify_by_recounts(&mut taken, &order, mandatory, &mut shed)
            };
            if !verified {
                return self.exceeded(required, Some(self.rendered(&taken)));
            }
        }
        self.packed(&taken, &order, &shed)
    }

    fn tokenizer(&self) -> &dyn Tokenizer {
        self.options.profile.tokenizer()
    }

    fn count(&self, text: &str) -> i64 {
        signed(self.tokenizer().count(text).expect("it never fails"))
    }

    fn group(&mut self) {
        let mut names: Vec<String> = Vec::new();
        for row in 0..self.frame.len() {
            let name = match self.frame.group(row) {
                Some(name) => format!("named {name}"),
                None => format!("row {row}"),
            };
            if !names.contains(&name) {
                names.push(name.clone());
                self.groups.push(Group {
                    rows: Vec::new(),
                    retention: Retention::Optional,
                    score: f64::NEG_INFINITY,
                    priority: f64::NEG_INFINITY,
                    tokens: 0,
                });
            }
            let at = names
                .iter()
                .position(|known| *known == name)
                .expect("it was just put in");
            let (item, tokens) = (self.frame.item(row), self.row_tokens(row));
            let group = &mut self.groups[at];
            group.rows.push(row);
            group.retention = group.retention.max(self.frame.retention(row));
            group.score = group.score.max(item.score());
            group.priority = group.priority.max(item.priority());
            group.tokens += tokens;
        }
    }

    fn row_tokens(&self, row: usize) -> i64 {
        let item = self.frame.item(row);
        let content = self.count(item.content().rendered().expect("only texts are packed"));
        let extra = if self.options.render == Some(Render::Messages) {
            signed(self.options.profile.envelope(item.role(), None))
        } else if self.options.labels {
            self.count(&format!("{}: ", item.role()))
        } else {
            0
        };
        (content + extra).max(signed(self.options.profile.least_per_item()))
    }

    /// Returns the groups of a retention, best first; required ones in their order.
    fn with_retention(&self, retention: Retention) -> Vec<usize> {
        let mut groups: Vec<usize> = (0..self.groups.len())
            .filter(|&group| self.groups[group].retention == retention)
            .collect();
        if retention != Retention::Required {
            groups.sort_by(|&a, &b| {
                let (a, b) = (&self.groups[a], &self.groups[b]);
                (b.score, b.priority)
                    .partial_cmp(&(a.score, a.priority))
                    .expect("scores are finite")
                    .then((a.tokens, a.rows[0]).cmp(&(b.tokens, b.rows[0])))
            });
        }
        groups
    }

    fn rows(&self, groups: &[usize]) -> Vec<usize> {
        let mut rows: Vec<usize> = groups
            .iter()
            .flat_map(|&group| self.groups[group].rows.clone())
            .collect();
        rows.sort_unstable();
        rows
    }

    /// Base, parts and separators.
    fn sum(&self, groups: &[usize]) -> i64 {
        let parts: i64 = groups.iter().map(|&group| self.groups[group].tokens).sum();
        if self.options.render == Some(Render::Messages) {
            return signed(self.options.profile.base_tokens()) + parts;
        }
        let gaps = self.rows(groups).len().saturating_sub(1) as u64;
        parts + signed(gaps) * self.count(&self.options.separator)
    }

    /// The count of the rendering.
    fn rendered(&self, groups: &[usize]) -> i64 {
        if self.options.render == Some(Render::Messages) {
            return self.sum(groups);
        }
        let parts: Vec<String> = self
            .rows(groups)
            .into_iter()
            .map(|row| {
                let item = self.frame.item(row);
                let text = item.content().rendered().expect("only texts are packed");
                if self.options.labels {
                    format!("{}: {text}", item.role())
                } else {
                    text.to_owned()
                }
            })
            .collect();
        self.count(&parts.join(&self.options.separator))
    }

    fn fits(&self, tokens: i64) -> bool {
        self.available.is_none_or(|available| tokens <= available)
    }

    /// Sheds the last taken optional group, else the last preferred one.
    fn shed_one(&self, taken: &mut Vec<usize>, mandatory: usize) -> Option<usize> {
        let optional = |&at: &usize| self.groups[taken[at]].retention == Retention::Optional;
        let at = (mandatory..taken.len())
            .rev()
            .find(optional)
            .or_else(|| (mandatory..taken.len()).next_back())?;
        Some(taken.remove(at))
    }

    fn verify_by_steps(
        &self,
        taken: &mut Vec<usize>,
        order: &[usize],
        mandatory: usize,
        shed: &mut BTreeSet<usize>,
    ) -> bool {
        while !self.fits(self.rendered(taken)) {
            match self.shed_one(taken, mandatory) {
                Some(group) => shed.insert(group),
                None => return false,
            };
        }
        loop {
            let before = taken.len();
            for &group in order {
                if !taken.contains(&group)
                    && !shed.contains(&group)
                    && self.fits(self.rendered(&with(taken, group)))
                {
                    taken.push(group);
                }
            }
            if taken.len() == before {
                return true;
            }
        }
    }

    fn verify_by_recounts(
        &self,
        taken: &mut Vec<usize>,
        order: &[usize],
        mandatory: usize,
        shed: &mut BTreeSet<usize>,
    ) -> bool {
        let bare = taken[..mandatory].to_vec();
        let (floor, least_sum) = (self.rendered(&bare), self.sum(&bare));
        let mut rate = (self.rendered(taken), self.sum(taken));
        if !self.fits(self.rendered(taken)) && !self.fits(floor) {
            *taken = bare;
            return false;
        }
        let mut least = 1;
        while !self.fits(self.rendered(taken)) {
            let available = self.available.expect("without a ceiling all fits");
            rate = (self.rendered(taken) - floor, self.sum(taken) - least_sum);
            let keep = if rate.0 > 0 {
                (available - floor) * rate.1 / rate.0
            } else {
                rate.1
            };
            let mut count = 0;
            while count < least || self.sum(taken) - least_sum > keep {
                let Some(group) = self.shed_one(taken, mandatory) else {
                    break;
                };
                shed.insert(group);
                count += 1;
            }
            if count == 0 {
                return false;
            }
            least = 2 * count;
        }
        let mut offered = taken.clone();
        let mut expected = self.rendered(taken);
        for &group in order {
            if taken.contains(&group) || shed.contains(&group) {
                continue;
            }
            let added = self.sum(&with(&offered, group)) - self.sum(&offered);
            let superadditive = rate.1 > 0 && rate.0 > rate.1;
            let cost = if superadditive {
                (added * rate.0 + rate.1 - 1) / rate.1
            } else {
                added
            };
            if self.fits(expected + cost) {
                expected += cost;
                offered.push(group);
            }
        }
        if self.fits(self.rendered(&offered)) {
            *taken = offered;
        }
        true
    }

    fn packed(&self, taken: &[usize], order: &[usize], shed: &BTreeSet<usize>) -> Outcome {
        let counts_joins =
            self.options.render == Some(Render::Text) && self.tokenizer().seams().is_some();
        let mut out = BTreeMap::new();
        for &group in order.iter().filter(|group| !taken.contains(group)) {
            let more = with(taken, group);
            let needed = if counts_joins {
                self.rendered(&more)
            } else {
                self.sum(&more)
            };
            let available = self.available.expect("without a ceiling nothing is out");
            let reason = if shed.contains(&group) || self.fits(self.sum(&more)) {
                "join_cost"
            } else {
                "budget"
            };
            for &row in &self.groups[group].rows {
                out.insert(row, (reason.to_owned(), needed - available));
            }
        }
        Outcome::Packed {
            total: u64::try_from(self.rendered(taken)).expect("counts are not negative"),
            rows: self.rows(taken),
            out,
        }
    }

    fn exceeded(&self, required: i64, rendered: Option<i64>) -> Outcome {
        let available = self.available.expect("without a ceiling all fits");
        let over = rendered.unwrap_or(required) - available;
        Outcome::Exceeded {
            required: u64::try_from(required).expect("counts are not negative"),
            overflow: u64::try_from(over).expect("it is over"),
            join: rendered.map(|rendered| rendered - required),
        }
    }
}

fn with(groups: &[usize], one_more: usize) -> Vec<usize> {
    [groups, &[one_more]].concat()
}

//! The decisions of a plan, without any text.

use super::laid::Part;
use super::parts::data_name;
use super::plan::Plan;
use crate::content::hex;
use crate::pack::Fate;

/// Which part of a request a block is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The system text.
    System,
    /// The context.
    Context,
    /// A data block.
    Data,
    /// The history.
    History,
    /// The final.
    Final,
}

impl Origin {
    /// Returns its word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Context => "context",
            Self::Data => "data",
            Self::History => "history",
            Self::Final => "final",
        }
    }
}

/// The fate of a block: an item of the context, or messages that live or die together.
#[derive(Debug, Clone, PartialEq)]
pub struct Explained {
    /// Where the caller gave it, such as `rag[3]` and `history[4:6]`.
    pub place: String,
    /// The part of the request.
    pub origin: Origin,
    /// Whether it is in.
    pub selected: bool,
    /// `whole`, `cut`, `alternative`, `redacted` or `repaired`, where it is in.
    pub form: Option<&'static str>,
    /// Why it is in, or out.
    pub reason: String,
    /// What it costs or would cost alone, framing included; nothing where it was not counted.
    pub tokens: Option<u64>,
    /// Its score, where it is an item of the context.
    pub score: Option<f64>,
    /// The code of its source under the trace key.
    pub source_ref: Option<String>,
}

impl Plan {
    /// Returns the fate of every block, in the order of the rendering. O(n log n) in rows.
    #[must_use]
    pub fn explain(&self) -> Vec<Explained> {
        let mut found = Vec::new();
        let talk = self.laid.talk.clone();
        for row in 0..talk.start {
            found.push(self.block(&[row]));
        }
        let mut blocks: Vec<Vec<usize>> = vec![Vec::new(); self.laid.groups.len()];
        for (at, &group) in self.laid.groups.iter().enumerate() {
            blocks[group].push(talk.start + at);
        }
        for rows in blocks.iter().filter(|rows| !rows.is_empty()) {
            let is_final = |row: &&usize| matches!(self.laid.parts[**row], Part::Final(_));
            let (last, history): (Vec<&usize>, Vec<&usize>) = rows.iter().partition(is_final);
            for rows in [history, last].iter().filter(|rows| !rows.is_empty()) {
                let rows: Vec<usize> = rows.iter().map(|row| **row).collect();
                found.push(self.block(&rows));
            }
        }
        found.sort_by_key(|block| block.0);
        found.into_iter().map(|(_, block)| block).collect()
    }

    fn block(&self, rows: &[usize]) -> (usize, Explained) {
        let ledger = self.pack.ledger();
        let first = rows[0];
        let costs = rows.iter().map(|&row| ledger.cost(row));
        let tokens = costs.map(|cost| cost.map(|cost| cost.total)).sum();
        let (selected, reason) = match ledger.fate(first) {
            Fate::Selected { why } => (true, why.to_owned()),
            Fate::Excluded { reason, .. } => (false, reason.into_owned()),
        };
        let form = rows.iter().map(|&row| ledger.form_word(row));
        let form = form.reduce(|one, other| if one == "whole" { other } else { one });
        let part = self.laid.parts[first];
        let (origin, score) = match part {
            Part::System => (Origin::System, None),
            Part::Context(..) => (Origin::Context, Some(self.laid.frame.scores[first])),
            Part::Instructions(_) | Part::Records(_) => (Origin::Data, None),
            Part::History(_) => (Origin::History, None),
            Part::Final(_) => (Origin::Final, None),
        };
        let explained = Explained {
            place: self.place(rows),
            origin,
            selected,
            form: form.filter(|_| selected),
            reason,
            tokens,
            score,
            source_ref: self.source_ref(first),
        };
        (first, explained)
    }

    fn place(&self, rows: &[usize]) -> String {
        let request = &self.request;
        match self.laid.parts[rows[0]] {
            Part::System => "system".to_owned(),
            Part::Context(section, item) => {
                let name = crate::printable::printable(&request.context[section].rules.name);
                format!("{name}[{item}]")
            }
            Part::Instructions(block) => {
                format!("{}.instructions", data_name(&request.data[block].name))
            }
            Part::Records(block) => format!("{}.records", data_name(&request.data[block].name)),
            Part::History(_) => format!("history[{}]", self.spans(rows)),
            Part::Final(_) => format!("final[{}]", self.spans(rows)),
        }
    }

    /// Returns positions as they are sliced: `4`, `4:6`, `1,4:6`; of what a repair wrote, `new`.
    fn spans(&self, rows: &[usize]) -> String {
        let mut positions: Vec<usize> = rows
            .iter()
            .filter_map(|&row| match self.laid.parts[row] {
                Part::History(position) | Part::Final(position) => position,
                _ => None,
            })
            .collect();
        positions.sort_unstable();
        let mut spans: Vec<(usize, usize)> = Vec::new();
        for position in positions {
            match spans.last_mut() {
                Some((_, end)) if *end == position => *end += 1,
                _ => spans.push((position, position + 1)),
            }
        }
        if spans.is_empty() {
            return "new".to_owned();
        }
        let shown = spans.iter().map(|&(from, to)| match to - from {
            1 => from.to_string(),
            _ => format!("{from}:{to}"),
        });
        shown.collect::<Vec<_>>().join(",")
    }

    /// Returns the code of where an item comes from: its sources, else the id that it was given.
    fn source_ref(&self, row: usize) -> Option<String> {
        let key = self.request.trace_key.as_ref()?;
        let item = self.laid.frame.item(row);
        let sources = item.extra().map_or(&[][..], |extra| &extra.sources);
        let source = match sources {
            [] => item.id()?.to_owned(),
            sources => sources.join("\n"),
        };
        Some(hex(&key.code(source.as_bytes())))
    }
}

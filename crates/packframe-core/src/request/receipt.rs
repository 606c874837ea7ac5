//! What a planned request costs, by part.

use super::laid::Part;
use super::plan::Plan;
use crate::pack::signed;
use crate::word::Accuracy;

/// What a planned request costs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// Tokens of the whole request.
    pub input_tokens: u64,
    /// Tokens kept for the reply.
    pub output_reserve_tokens: u64,
    /// Tokens that are left, or nothing where there is no ceiling.
    pub remaining_tokens: Option<i64>,
    /// Where they go: name of the part and tokens, which together are all.
    pub parts: Vec<(&'static str, i64)>,
    /// What the total is worth.
    pub accuracy: Accuracy,
}

impl Plan {
    /// Returns what the request costs, part by part; the parts and what joining them costs are the
    /// total.
    #[must_use]
    pub fn receipt(&self) -> Receipt {
        let ledger = self.pack.ledger();
        let rows = self.pack.rows();
        let (mut system, mut context, mut data) = (0, 0, 0);
        let (mut history, mut last, mut envelopes) = (0, 0, 0);
        for &row in rows {
            let Some(cost) = ledger.cost(row) else {
                continue;
            };
            let part = match self.laid.parts[row] {
                Part::System => &mut system,
                Part::Context(..) => &mut context,
                Part::Instructions(_) | Part::Records(_) => &mut data,
                Part::History(_) => &mut history,
                Part::Final(_) => &mut last,
            };
            *part += signed(cost.content);
            envelopes += signed(cost.envelope);
        }
        let (headers, _) = ledger.between(rows.iter().copied());
        let tools = signed(self.tools_tokens);
        let total = self.pack.total_tokens();
        let base = ledger.costs.as_ref().map_or(0, |costs| signed(costs.base));
        let opened = rows.iter().any(|&row| self.laid.is_merged(row));
        let opening = if opened {
            signed(ledger.found.division.opening)
        } else {
            0
        };
        let framing = base - tools + envelopes + opening;
        context += headers;
        let known = tools + system + context + data + history + last + framing;
        let room = ledger.room;
        Receipt {
            input_tokens: total,
            output_reserve_tokens: room.reserve,
            remaining_tokens: self.pack.remaining_tokens(),
            parts: vec![
                ("system", system),
                ("tools", tools),
                ("context", context),
                ("data", data),
                ("history", history),
                ("final", last),
                ("framing", framing),
                ("joins", signed(total) - known),
            ],
            accuracy: ledger.accuracy(rows),
        }
    }
}

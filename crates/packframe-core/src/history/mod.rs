//! A frame packed; of a conversation, the newest that fits.

mod lead;
mod of_messages;

use std::collections::BTreeSet;
use std::sync::Arc;

pub use of_messages::{FrameOptions, frame_of_messages, frame_to_count};

pub(crate) use lead::{Lead, Told, lead};

use crate::conversation::Format;
use crate::error::{Error, Problem};
use crate::frame::{Dialogue, Frame, Said};
use crate::pack::{self, Pack, PackOptions, Planned, Selection};
use crate::word::Layout;

/// Packs a frame.
///
/// Of a conversation that fits in the room which required and other rows leave, a contiguous suffix:
/// a group is as old as its first row, and no optional one is in that is older than the first that
/// did not fit. Where a message would come first that may not, the oldest optional groups go, and
/// where none is left, the nearest older message of the user's becomes required. With a selection
/// that the caller names, its messages compete by score.
///
/// O(n log n) in rows, and linear in the text that was not counted before.
///
/// # Errors
///
/// `InvalidOption`, `InvalidItem` and `InvalidMessages` for what cannot be packed at all;
/// `PolicyViolation`, `UnsupportedContent`, `BudgetExceeded`, `FloorsExceedBudget` and
/// `SectionOverflow` for what must be in the pack and cannot be; `PolicyError`, `StrategyError` and
/// `TokenizerError` for callables that fail.
pub fn pack(frame: &Arc<Frame>, options: PackOptions) -> Result<Pack, Error> {
    let Some(dialogue) = frame.dialogue() else {
        return pack::pack(frame, options);
    };
    if options.layout == Layout::Score && matches!(options.selection, Selection::Usual) {
        let problem = "would put a conversation out of order";
        return Err(Error::invalid_option(
            "layout",
            "'score'".to_owned(),
            problem,
            Some("'input', 'section' or 'stable', or selection='greedy'"),
        ));
    }
    let said = frame.said()?;
    let mut frame = Arc::clone(frame);
    let mut planned = planned(&frame, dialogue, said, &options);
    loop {
        let packed = pack::pack(
            &frame,
            PackOptions {
                planned: Some(Arc::new(planned.clone())),
                ..options.clone()
            },
        )?;
        let told = Told {
            rows: &said.rows,
            facts: &said.facts,
            groups: &said.groups,
        };
        match first(dialogue.format, told, &packed, &mut planned)? {
            Lead::Fine => return Ok(packed),
            Lead::Excluded => {}
            Lead::Required(rows) => frame = Arc::new(frame.lead_with(&rows)),
        }
    }
}

/// Looks at what comes first.
fn first(
    format: Format,
    told: Told<'_>,
    packed: &Pack,
    planned: &mut Planned,
) -> Result<Lead, Error> {
    if matches!(format, Format::OpenAiChat | Format::OpenAiResponses) {
        return Ok(Lead::Fine);
    }
    lead(told, packed, planned).map_err(|row| {
        Error::invalid_messages(vec![Problem {
            position: row,
            path: "role".to_owned(),
            rule: "first_role",
            id: None,
        }])
    })
}

fn planned(frame: &Frame, dialogue: &Dialogue, said: &Said, options: &PackOptions) -> Planned {
    let mut planned = Planned {
        repaired: dialogue
            .rebuilt
            .iter()
            .copied()
            .collect::<BTreeSet<usize>>(),
        repairs: dialogue.repairs.to_vec(),
        ties: true,
        ..Planned::default()
    };
    if matches!(options.selection, Selection::Usual) {
        planned.apart = vec![false; frame.len()];
        for &row in &said.rows {
            planned.apart[row] = frame.content(row).as_message().is_some();
        }
    }
    planned
}

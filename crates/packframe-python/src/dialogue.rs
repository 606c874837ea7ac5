//! What makes a frame a conversation, as it is pickled.

use packframe_core::{Dialogue, Error, Format, MessageRepair};

use crate::error::Outcome;

/// Row, path, kind, id and the row that it went to.
type RepairState = (usize, String, String, Option<String>, Option<usize>);

/// Format, allow_pending, by_turn, how many were given, repairs, rebuilt rows.
pub(crate) type DialogueState = (String, bool, bool, usize, Vec<RepairState>, Vec<usize>);

/// Writes it for pickle.
pub(crate) fn state(dialogue: &Dialogue) -> DialogueState {
    let repairs = dialogue.repairs.iter().map(|repair| {
        let (path, kind) = (repair.path.clone(), repair.kind.to_owned());
        (repair.row, path, kind, repair.id.clone(), repair.to_row)
    });
    (
        dialogue.format.as_str().to_owned(),
        dialogue.allow_pending,
        dialogue.by_turn,
        dialogue.given,
        repairs.collect(),
        dialogue.rebuilt.clone(),
    )
}

/// Makes it again for a frame of so many rows.
pub(crate) fn restore(state: DialogueState, rows: usize) -> Outcome<Dialogue> {
    let (format, allow_pending, by_turn, given, repairs, mut rebuilt) = state;
    let Some(known) = Format::parse(&format) else {
        let problem = "is no known format";
        return Err(Error::invalid_option("format", format, problem, None).into());
    };
    rebuilt.retain(|row| *row < rows);
    let repairs = repairs
        .into_iter()
        .filter_map(|(row, path, kind, id, to_row)| {
            let kind = MessageRepair::kind_named(&kind)?;
            Some(MessageRepair {
                row,
                path,
                kind,
                id,
                to_row,
            })
        });
    Ok(Dialogue {
        format: known,
        allow_pending,
        by_turn,
        given,
        repairs: repairs.collect(),
        rebuilt,
    })
}

//! The first message of a list: some providers take only one of the user's.

use super::laid::{Laid, Part};
use super::parts::Request;
use crate::conversation::Format;
use crate::error::{Error, Problem};
use crate::history::{self, Lead, Told};
use crate::pack::Pack;
use crate::word::Role;

/// Changes a plan in which a message comes first that may not; says whether it has to be packed
/// again. Linear.
///
/// # Errors
///
/// `InvalidMessages` with the rule `first_role` where nothing can be done about it.
pub(super) fn lead(request: &Request, laid: &mut Laid, pack: &Pack) -> Result<bool, Error> {
    let is_free = matches!(request.format, Format::OpenAiChat | Format::OpenAiResponses);
    if is_free || is_led(laid, pack) {
        return Ok(false);
    }
    let rows: Vec<usize> = laid.talk.clone().collect();
    let told = Told {
        rows: &rows,
        facts: &laid.facts,
        groups: &laid.groups,
    };
    match history::lead(told, pack, &mut laid.planned) {
        Ok(Lead::Fine) => Ok(false),
        Ok(Lead::Excluded) => Ok(true),
        Ok(Lead::Required(rows)) => {
            laid.require(&rows);
            Ok(true)
        }
        Err(row) => Err(Error::invalid_messages(vec![Problem {
            position: match laid.parts[row] {
                Part::History(position) => position.unwrap_or(0),
                Part::Final(position) => request.history.len() + position.unwrap_or(0),
                _ => 0,
            },
            path: "role".to_owned(),
            rule: "first_role",
            id: None,
        }])),
    }
}

/// Says whether what comes first may: a message of data, one of the context, or one of the user's.
fn is_led(laid: &Laid, pack: &Pack) -> bool {
    let rows = pack.rows();
    let has_data = || {
        rows.iter()
            .any(|&row| matches!(laid.parts[row], Part::Records(_)))
    };
    let by_context =
        laid.merged_role() == Some(Role::User) && rows.iter().any(|&row| laid.is_merged(row));
    let first = rows.iter().find(|row| laid.talk.contains(row));
    by_context || has_data() || first.is_none_or(|&row| laid.facts[row - laid.talk.start].may_lead)
}

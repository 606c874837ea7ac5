//! Which turn of a conversation a row belongs to, counted from the end.

use super::Frame;
use crate::word::Role;

/// Returns, for each row, how many turns start after the one that it stands in.
///
/// A turn starts at each row of a user. Rows of system and developer belong to none; what else
/// stands before the first user is a turn of its own.
pub(super) fn turns_from_end(frame: &Frame) -> Vec<Option<u32>> {
    let mut later = 0;
    let mut turns: Vec<Option<u32>> = frame
        .roles
        .iter()
        .rev()
        .map(|role| match role {
            Role::System | Role::Developer => None,
            Role::User => {
                later += 1;
                Some(later - 1)
            }
            Role::Assistant | Role::Tool => Some(later),
        })
        .collect();
    turns.reverse();
    turns
}

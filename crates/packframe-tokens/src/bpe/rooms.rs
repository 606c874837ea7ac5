//! Rooms for counting, lent to one count at a time.

use std::sync::Mutex;

use super::counter::Room;

/// The rooms that are free.
#[derive(Default)]
pub(super) struct Rooms(Mutex<Vec<Room>>);

impl Rooms {
    /// The rooms that are kept.
    const KEPT: usize = 8;

    /// Takes a room that is free, or makes one.
    ///
    /// It never waits: where another thread is at the list (or was, when the process forked), a
    /// new room is cheaper.
    pub(super) fn borrow(&self) -> Room {
        let kept = self.0.try_lock().ok().and_then(|mut rooms| rooms.pop());
        kept.unwrap_or_else(Room::new)
    }

    /// Keeps a room for the next count, if there is room.
    pub(super) fn give_back(&self, room: Room) {
        if let Ok(mut rooms) = self.0.try_lock()
            && rooms.len() < Self::KEPT
        {
            rooms.push(room);
        }
    }
}

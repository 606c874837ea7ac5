//! How often a counter of whole texts may still be asked.

/// The recounts that are left to a selection: ⌈log₂ n⌉ + 4 of n rows in all.
#[derive(Debug, Clone, Copy)]
pub(super) struct Recounts {
    left: u32,
}

impl Recounts {
    pub(super) fn of(rows: usize) -> Self {
        let log = usize::BITS - rows.saturating_sub(1).leading_zeros();
        Self { left: log + 4 }
    }

    pub(super) fn left(self) -> u32 {
        self.left
    }

    /// Returns what is left after one.
    pub(super) fn fewer(self) -> Self {
        Self {
            left: self.left.saturating_sub(1),
        }
    }

    /// Is told of those that verification may need for a selection that was counted.
    pub(super) fn verify(&mut self, holds: bool, groups: usize) {
        let most = if holds { 1 } else { shedding(groups) };
        self.left = self.left.saturating_sub(most);
    }

    /// Says whether so many groups may be shed, if they are over.
    pub(super) fn allows(self, groups: usize) -> bool {
        self.left >= shedding(groups)
    }
}

/// Returns the recounts that shedding may need: the required groups alone, each time twice as many
/// groups taken out, and what is offered the rest.
fn shedding(groups: usize) -> u32 {
    groups.checked_ilog2().map_or(1, |log| log + 3)
}

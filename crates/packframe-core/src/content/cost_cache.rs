//! The counts of one content, per tokenizer and rendering.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};

/// Two counts are kept: services count with one tokenizer, seldom with two.
const SLOTS: usize = 2;
/// Bits of a slot that hold the count; the others hold the key.
const COUNT_BITS: u32 = 40;
/// The greatest count that is kept, and the greatest that a text is allowed to have.
pub const MAX_COUNT: u64 = (1 << COUNT_BITS) - 1;

/// Names what was counted by what: a tokenizer, and the text or the message of a content.
///
/// Keys are small numbers given out once a process; they never reach a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CostKey(u32);

static NEXT: AtomicU32 = AtomicU32::new(1);
static KNOWN: LazyLock<Mutex<HashMap<(String, bool), u32>>> = LazyLock::new(Mutex::default);

impl CostKey {
    /// Returns the key of a tokenizer that is known by its fingerprint.
    #[must_use]
    pub fn of(fingerprint: &str, messages: bool) -> Self {
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        Self(
            *known
                .entry((fingerprint.to_owned(), messages))
                .or_insert_with(|| Self::fresh().0),
        )
    }

    /// Says whether anything is kept under it.
    pub(super) const fn is_kept(self) -> bool {
        self.0 != 0
    }

    /// Returns a key that nobody else has, for a callable whose behaviour has no fingerprint.
    #[must_use]
    pub fn fresh() -> Self {
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        // Key 0 is kept nowhere: after 16 million callables the counts of later ones are not kept.
        Self(if next < 1 << (64 - COUNT_BITS) {
            next
        } else {
            0
        })
    }
}

/// Lock-free: a slot is one number, and a lost race costs one more count, never a wrong one.
#[derive(Debug, Default)]
pub(super) struct CostCache {
    slots: [AtomicU64; SLOTS],
}

impl CostCache {
    pub(super) fn get(&self, key: CostKey) -> Option<u64> {
        if key.0 == 0 {
            return None;
        }
        self.slots
            .iter()
            .map(|slot| slot.load(Ordering::Relaxed))
            .find_map(|slot| (slot >> COUNT_BITS == u64::from(key.0)).then_some(slot & MAX_COUNT))
    }

    pub(super) fn put(&self, key: CostKey, tokens: u64) {
        if key.0 == 0 || tokens > MAX_COUNT {
            return;
        }
        let free = self.slots.iter().position(|slot| {
            let slot = slot.load(Ordering::Relaxed);
            slot == 0 || slot >> COUNT_BITS == u64::from(key.0)
        });
        let at = free.unwrap_or(key.0 as usize % SLOTS);
        self.slots[at].store(u64::from(key.0) << COUNT_BITS | tokens, Ordering::Relaxed);
    }
}

//! The counts of messages that came before, by their hashes.

use std::collections::HashMap;
use std::sync::Mutex;

use foldhash::fast::FixedState;

use crate::content::Hash;
use crate::conversation::Format;

/// Messages that are remembered at most.
const MOST: usize = 65_536;

type Known = HashMap<(Format, Hash), u64, FixedState>;

/// Remembers what messages count with one profile, by the SHA-256 of what they are stored as: a
/// conversation that is passed again with one more message is not counted again. No text is kept.
///
/// When it is full, it forgets all and begins anew. What it answers never depends on what it knows.
#[derive(Debug, Default)]
pub(crate) struct CountMemory {
    known: Mutex<Known>,
}

/// What is lent of a memory to one count; a second one at the same time begins with nothing.
#[derive(Debug)]
pub(crate) struct Lent<'a> {
    memory: &'a CountMemory,
    known: Known,
}

impl CountMemory {
    /// Lends what is known. Never waits.
    pub(crate) fn lend(&self) -> Lent<'_> {
        let known = self.known.try_lock();
        Lent {
            memory: self,
            known: known.map_or_else(
                |_| Known::default(),
                |mut known| std::mem::take(&mut *known),
            ),
        }
    }
}

impl Lent<'_> {
    /// Returns the tokens of a message.
    pub(crate) fn get(&self, format: Format, hash: &Hash) -> Option<u64> {
        self.known.get(&(format, *hash)).copied()
    }

    /// Remembers the tokens of a message.
    pub(crate) fn put(&mut self, format: Format, hash: &Hash, tokens: u64) {
        if self.known.len() >= MOST {
            self.known.clear();
        }
        self.known.insert((format, *hash), tokens);
    }

    /// Gives back what is known, if that is more than was learnt meanwhile. Never waits.
    pub(crate) fn give_back(self) {
        if let Ok(mut known) = self.memory.known.try_lock()
            && known.len() < self.known.len()
        {
            *known = self.known;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CountMemory, MOST};
    use crate::conversation::Format;

    #[test]
    fn remembers_by_format_and_hash_and_stays_small() {
        let memory = CountMemory::default();
        let hash = |number: usize| {
            let mut hash = [0; 32];
            hash[..8].copy_from_slice(&number.to_le_bytes());
            hash
        };
        let mut lent = memory.lend();
        lent.put(Format::OpenAiChat, &hash(1), 7);
        assert_eq!(lent.get(Format::OpenAiChat, &hash(1)), Some(7));
        assert_eq!(lent.get(Format::Anthropic, &hash(1)), None);
        lent.give_back();
        let mut lent = memory.lend();
        assert_eq!(
            memory.lend().get(Format::OpenAiChat, &hash(1)),
            None,
            "it is lent"
        );
        assert_eq!(lent.get(Format::OpenAiChat, &hash(1)), Some(7));
        for number in 0..=MOST {
            lent.put(Format::Gemini, &hash(number), 1);
            assert!(lent.known.len() <= MOST);
        }
        lent.give_back();
        assert_eq!(memory.lend().get(Format::Gemini, &hash(MOST)), Some(1));
    }
}

//! The counts of short texts that come again and again where texts are joined.

use std::collections::HashMap;
use std::sync::Mutex;

use foldhash::fast::FixedState;
use packframe_tokens::Seams;

/// Bytes of the longest text that is remembered: what lies between two parts is seldom longer.
const LONGEST: usize = 512;
/// Bytes that are remembered at most, with what each text takes beside its own.
const MOST: usize = 256 * 1024;
const EACH: usize = 40;

/// Remembers what short texts count with one tokenizer.
///
/// When it is full, it forgets all and begins anew. What it answers never depends on what it knows.
#[derive(Debug, Default)]
pub(crate) struct Recall {
    known: HashMap<Box<str>, u64, FixedState>,
    bytes: usize,
}

impl Recall {
    /// Returns the units of a text.
    pub(crate) fn units(&mut self, seams: &dyn Seams, text: &str) -> u64 {
        if text.len() > LONGEST {
            return seams.units(text);
        }
        if let Some(&units) = self.known.get(text) {
            return units;
        }
        let units = seams.units(text);
        if self.bytes + text.len() + EACH > MOST {
            self.known.clear();
            self.bytes = 0;
        }
        self.bytes += text.len() + EACH;
        self.known.insert(text.into(), units);
        units
    }
}

/// Lends what was remembered to one pack after the other; to a second one at the same time, nothing.
#[derive(Debug, Default)]
pub(crate) struct Lender {
    recall: Mutex<Recall>,
}

impl Lender {
    /// Never waits.
    pub(crate) fn borrow(&self) -> Recall {
        self.recall
            .try_lock()
            .map_or_else(|_| Recall::default(), |mut kept| std::mem::take(&mut *kept))
    }

    /// Keeps whichever knows more. Never waits.
    pub(crate) fn give_back(&self, recall: Recall) {
        if let Ok(mut kept) = self.recall.try_lock()
            && kept.bytes < recall.bytes
        {
            *kept = recall;
        }
    }
}

#[cfg(test)]
mod tests {
    use packframe_tokens::{OpenAi, Tokenizer};

    use super::{EACH, Lender, MOST};

    #[test]
    fn answers_what_the_tokenizer_does_and_stays_small() {
        let tokenizer = OpenAi::named("cl100k_base").expect("it is known");
        let seams = tokenizer.seams().expect("it has some");
        let (lender, mut forgot) = (Lender::default(), false);
        for round in 0..3 {
            let mut recall = lender.borrow();
            for number in 0..4_000 {
                let text = format!("{number} dolores {}", "est ".repeat(number % 140));
                let before = recall.bytes;
                assert_eq!(recall.units(seams, &text), seams.units(&text), "{text}");
                forgot |= recall.bytes < before;
                assert!(recall.bytes <= MOST && recall.known.len() <= MOST / EACH);
            }
            assert_eq!(recall.units(seams, ""), 0, "{round}");
            lender.give_back(recall);
        }
        assert!(forgot && lender.borrow().bytes > 0);
        assert_eq!(lender.borrow().bytes, 0, "it is lent");
    }
}

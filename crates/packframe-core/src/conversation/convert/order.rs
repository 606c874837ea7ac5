//! What is said, with every result behind the call that it answers.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::speech::{Part, Speech, Voice};

/// Puts results right behind what the model said when it called, where they stand later. One whose
/// call is not there stays. Linear.
pub(super) fn results_behind_calls(said: Vec<Speech>) -> Vec<Speech> {
    // The last message of the model's in a row with each of its messages.
    let mut ends = vec![0; said.len()];
    for at in (0..said.len()).rev() {
        let goes_on = said
            .get(at + 1)
            .is_some_and(|next| next.voice == Voice::Assistant);
        ends[at] = if goes_on { ends[at + 1] } else { at };
    }
    let mut calls: HashMap<String, usize, FixedState> = HashMap::default();
    let mut behind: Vec<Vec<Speech>> = said.iter().map(|_| Vec::new()).collect();
    let mut left = Vec::with_capacity(said.len());
    for (at, mut speech) in said.into_iter().enumerate() {
        let mut parts = Vec::with_capacity(speech.parts.len());
        for part in speech.parts {
            match &part {
                Part::Call(call) if speech.voice == Voice::Assistant => {
                    calls.insert(call.id.clone(), ends[at]);
                }
                Part::Outcome(outcome) => {
                    if let Some(&end) = calls.get(&outcome.id) {
                        behind[end].push(Speech {
                            position: speech.position,
                            voice: Voice::User,
                            parts: vec![part],
                        });
                        continue;
                    }
                }
                _ => {}
            }
            parts.push(part);
        }
        speech.parts = parts;
        left.push(speech);
    }
    let mut ordered = Vec::with_capacity(left.len());
    for (speech, behind) in left.into_iter().zip(behind) {
        if !speech.parts.is_empty() {
            ordered.push(speech);
        }
        ordered.extend(behind);
    }
    ordered
}

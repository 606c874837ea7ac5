//! The language of sentences for people, one for the whole process.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::word::words;

words! {
    /// A language that sentences are known in.
    Language, "language":
    /// The default.
    English = "en",
    /// Russian.
    Russian = "ru",
    /// Japanese.
    Japanese = "ja",
}

/// The place of the language among all.
static CHOSEN: AtomicUsize = AtomicUsize::new(0);

/// Returns the language of sentences.
#[must_use]
pub fn language() -> Language {
    let place = CHOSEN.load(Ordering::Relaxed);
    Language::ALL
        .get(place)
        .copied()
        .unwrap_or(Language::English)
}

/// Chooses the language of sentences for the whole process, and returns the one before.
pub fn set_language(language: Language) -> Language {
    let place = Language::ALL.iter().position(|known| *known == language);
    let before = CHOSEN.swap(place.unwrap_or(0), Ordering::Relaxed);
    Language::ALL
        .get(before)
        .copied()
        .unwrap_or(Language::English)
}

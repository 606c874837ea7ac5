//! A text cut in the middle to a number of tokens, with a mark that says how much is left out.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::iter;

use packframe_tokens::{At, Keep};

use crate::conversation::{Path, Spot, is_container, left_out, raws_at, replaced, shares, shrunk};
use crate::error::Error;
use crate::profile::TokenProfile;

/// How often a cut is made one token shorter, where the number in its mark costs more than the
/// greatest that could stand there.
const RETRIES: u64 = 4;

/// What a result, or the text of a message, says that may be cut.
#[derive(Debug)]
pub(super) struct Said {
    pub(super) spot: Spot,
    pieces: Vec<Text>,
}

/// What a piece says, as it is counted.
#[derive(Debug)]
struct Text {
    said: String,
    tokens: u64,
    /// Whether it is an object; else it is a string.
    is_object: bool,
    /// Where it is JSON: how far it may be cut.
    json: Option<Rungs>,
}

impl Said {
    /// Reads and counts what a message says in some places. Linear.
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the tokenizer fails.
    pub(super) fn all(
        profile: &TokenProfile,
        json: &str,
        spots: Vec<Spot>,
    ) -> Result<Vec<Self>, Error> {
        let pieces = spots.iter().flat_map(|spot| &spot.pieces);
        let paths: Vec<&Path> = pieces.map(|piece| &piece.path).collect();
        let mut raws = raws_at(json, &paths).into_iter();
        let mut texts = Vec::with_capacity(spots.len());
        for spot in &spots {
            let of_spot = spot.pieces.iter().zip(raws.by_ref());
            let of_spot = of_spot.map(|(piece, raw)| Text::of(profile, raw, piece.is_object));
            texts.push(of_spot.collect::<Result<Vec<_>, _>>()?);
        }
        let both = spots.into_iter().zip(texts);
        Ok(both.map(|(spot, pieces)| Self { spot, pieces }).collect())
    }

    /// Returns the tokens of all of it.
    pub(super) fn tokens(&self) -> u64 {
        self.pieces.iter().map(|text| text.tokens).sum()
    }

    /// Returns the pieces that a limit of tokens cuts, as JSON, nothing for those that it does not,
    /// and the tokens of all of it then.
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the tokenizer fails.
    pub(super) fn cut(
        &self,
        profile: &TokenProfile,
        limit: u64,
    ) -> Result<(Vec<Option<String>>, u64), Error> {
        let sizes: Vec<u64> = self.pieces.iter().map(|text| text.tokens).collect();
        let mut tokens = 0;
        let mut made = Vec::with_capacity(sizes.len());
        for (text, share) in self.pieces.iter().zip(shares(&sizes, limit)) {
            let cut = if text.tokens > share {
                text.cut(profile, share)?
            } else {
                None
            };
            tokens += cut.as_ref().map_or(text.tokens, |cut| cut.1);
            made.push(cut.map(|(cut, _)| {
                if text.is_object {
                    cut
                } else {
                    serde_json::Value::from(cut).to_string()
                }
            }));
        }
        Ok((made, tokens))
    }
}

/// Returns JSON with other pieces.
pub(super) fn with_pieces(json: &str, said: Vec<(&Said, Vec<Option<String>>)>) -> String {
    let changes = said.into_iter().flat_map(|(said, made)| {
        let pieces = said.spot.pieces.iter().zip(made);
        pieces.filter_map(|(piece, raw)| raw.map(|raw| (&piece.path, raw)))
    });
    replaced(json, &changes.collect::<Vec<_>>())
}

impl Text {
    fn of(profile: &TokenProfile, raw: Option<&str>, is_object: bool) -> Result<Self, Error> {
        let said = match raw {
            Some(raw) if is_object => raw.to_owned(),
            Some(raw) => serde_json::from_str(raw).unwrap_or_default(),
            None => String::new(),
        };
        Ok(Self {
            tokens: profile.count(&said)?,
            json: (is_object || is_container(&said)).then(|| Rungs::of(&said)),
            said,
            is_object,
        })
    }

    /// Cuts it, and counts it; nothing where that saves nothing. Where not even a mark is within the
    /// limit, the shortest is made.
    fn cut(&self, profile: &TokenProfile, limit: u64) -> Result<Option<(String, u64)>, Error> {
        let (made, tokens) = if let Some(rungs) = &self.json {
            rungs.cut(profile, &self.said, limit)?
        } else {
            let made = of_text(profile, &self.said, limit)?;
            let tokens = profile.count(&made)?;
            (made, tokens)
        };
        Ok((tokens < self.tokens).then_some((made, tokens)))
    }
}

/// The part of its room by which a cut of JSON may be shorter than it had to be.
const PRECISION: usize = 2_048;

/// The rooms that JSON is cut to, from none to all but one character, and the tokens of those that
/// were tried. Each is longer than the one before by a character and a part of it.
///
/// Every search for a limit goes the same way through them, so that each has few to count that
/// another has not, and what it finds depends on the limit alone.
#[derive(Debug)]
struct Rungs {
    rooms: Vec<usize>,
    tokens: RefCell<BTreeMap<usize, u64>>,
}

impl Rungs {
    fn of(text: &str) -> Self {
        let size = text.chars().count();
        let next = |room: &usize| Some(room + 1 + room / PRECISION);
        let rooms = iter::successors(Some(0), next).take_while(|room| *room < size.max(1));
        Self {
            rooms: rooms.collect(),
            tokens: RefCell::default(),
        }
    }

    /// Cuts to the longest that a search by halves finds within a limit, and returns its tokens.
    ///
    /// Linear in the text for each rung that it counts: as many as there are halves.
    fn cut(&self, profile: &TokenProfile, text: &str, limit: u64) -> Result<(String, u64), Error> {
        let (mut low, mut high) = (0, self.rooms.len());
        // The longest so far, if it was not made in an earlier search.
        let mut made = None;
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            let (cut, tokens) = self.at(profile, text, middle)?;
            if tokens <= limit {
                (low, made) = (middle, cut);
            } else {
                high = middle;
            }
        }
        let (_, tokens) = self.at(profile, text, low)?;
        let made = made.unwrap_or_else(|| shrunk(text, self.rooms[low]));
        Ok((made, tokens))
    }

    /// Returns the tokens of a rung, and the text where it had to be made.
    fn at(
        &self,
        profile: &TokenProfile,
        text: &str,
        rung: usize,
    ) -> Result<(Option<String>, u64), Error> {
        let known = self.tokens.borrow().get(&rung).copied();
        if let Some(tokens) = known {
            return Ok((None, tokens));
        }
        let made = shrunk(text, self.rooms[rung]);
        let tokens = profile.count(&made)?;
        self.tokens.borrow_mut().insert(rung, tokens);
        Ok((Some(made), tokens))
    }
}

/// Cuts a text at words, or inside of them where words are long.
fn of_text(profile: &TokenProfile, text: &str, limit: u64) -> Result<String, Error> {
    let count = text.chars().count();
    // No number that will stand there is longer.
    let mark = format!(" {} ", left_out(count, "characters"));
    for less in 0..=RETRIES {
        let Some(limit) = limit.checked_sub(less) else {
            break;
        };
        let kept = |at: At| -> Result<(usize, usize), Error> {
            let cut = profile.truncate(text, limit, (Keep::Ends, at), &mark)?;
            Ok((cut.head, cut.tail))
        };
        let (words, inside) = (kept(At::Word)?, kept(At::Grapheme)?);
        let is_wordy = (words.0 + words.1) * 2 >= inside.0 + inside.1;
        let (head, tail) = if is_wordy { words } else { inside };
        let end = text.len() - tail;
        if head + tail == 0 || head >= end {
            break;
        }
        let mark = left_out(text[head..end].chars().count(), "characters");
        let made = format!("{} {mark} {}", &text[..head], &text[end..]);
        if profile.count_till_limit(&made, limit + less)?.is_some() {
            return Ok(made);
        }
    }
    Ok(left_out(count, "characters"))
}

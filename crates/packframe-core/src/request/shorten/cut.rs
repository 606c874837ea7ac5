//! A text cut in the middle to a number of tokens, with a mark that says how much is left out.

use packframe_tokens::{At, Keep};

use crate::conversation::{Piece, Spot, is_container, left_out, raw_at, replaced, shares, shrunk};
use crate::error::Error;
use crate::profile::TokenProfile;

/// How often a cut is made one token shorter, where the number in its mark costs more than the
/// greatest that could stand there.
const RETRIES: u64 = 4;

/// What a result, or the text of a message, says that may be cut, and its tokens.
#[derive(Debug, Clone)]
pub(super) struct Said {
    pub(super) spot: Spot,
    /// Of each piece.
    sizes: Vec<u64>,
}

impl Said {
    /// Counts the pieces.
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the tokenizer fails.
    pub(super) fn of(profile: &TokenProfile, json: &str, spot: Spot) -> Result<Self, Error> {
        let sizes = spot.pieces.iter().map(|piece| match said(json, piece) {
            Some(text) => profile.count(&text),
            None => Ok(0),
        });
        let sizes = sizes.collect::<Result<_, _>>()?;
        Ok(Self { spot, sizes })
    }

    /// Returns the tokens of all of it.
    pub(super) fn tokens(&self) -> u64 {
        self.sizes.iter().sum()
    }

    /// Returns the pieces that a limit of tokens cuts, as JSON, and the tokens of all of it then.
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the tokenizer fails.
    pub(super) fn cut(
        &self,
        profile: &TokenProfile,
        json: &str,
        limit: u64,
    ) -> Result<(Vec<String>, u64), Error> {
        let mut tokens = 0;
        let mut made = Vec::with_capacity(self.sizes.len());
        let shares = shares(&self.sizes, limit);
        for ((piece, &size), share) in self.spot.pieces.iter().zip(&self.sizes).zip(shares) {
            let cut = match said(json, piece) {
                Some(text) if size > share => cut(profile, &text, size, share, piece.is_object)?,
                _ => None,
            };
            let raw = raw_at(json, &piece.path).unwrap_or("null");
            tokens += cut.as_ref().map_or(size, |cut| cut.1);
            made.push(match cut {
                None => raw.to_owned(),
                Some((text, _)) if piece.is_object => text,
                Some((text, _)) => serde_json::Value::from(text).to_string(),
            });
        }
        Ok((made, tokens))
    }
}

/// Returns JSON with other pieces.
pub(super) fn with_pieces(json: &str, said: &[(&Said, Vec<String>)]) -> String {
    let changes = said.iter().flat_map(|(said, made)| {
        let pieces = said.spot.pieces.iter().zip(made);
        pieces.map(|(piece, raw)| (&piece.path, raw.clone()))
    });
    replaced(json, &changes.collect::<Vec<_>>())
}

/// Returns what a piece says, as it is counted.
fn said(json: &str, piece: &Piece) -> Option<String> {
    let raw = raw_at(json, &piece.path)?;
    if piece.is_object {
        return Some(raw.to_owned());
    }
    serde_json::from_str(raw).ok()
}

/// Cuts a text, and counts it; nothing where that saves nothing. Where not even a mark is within the
/// limit, the shortest is made.
fn cut(
    profile: &TokenProfile,
    text: &str,
    tokens: u64,
    limit: u64,
    is_object: bool,
) -> Result<Option<(String, u64)>, Error> {
    let made = if is_object || is_container(text) {
        of_json(profile, text, tokens, limit)?
    } else {
        of_text(profile, text, limit)?
    };
    let counted = profile.count(&made)?;
    Ok((counted < tokens).then_some((made, counted)))
}

/// The part of its room by which a cut of JSON may be shorter than it had to be: elements are no
/// finer, and each try reads all of it.
const PRECISION: usize = 128;

/// Cuts JSON: the longest that a search finds to fit, from what it would be if all of it had the
/// same tokens a character.
fn of_json(profile: &TokenProfile, text: &str, tokens: u64, limit: u64) -> Result<String, Error> {
    let size = text.chars().count();
    let share = u128::from(limit) * size as u128 / u128::from(tokens.max(1));
    let share = usize::try_from(share).unwrap_or(size);
    let (mut low, mut high) = (0, size);
    let mut best = None;
    let mut next = share;
    while high - low > 1 + low / PRECISION {
        let room = next.clamp(low + 1, high - 1);
        let made = shrunk(text, room);
        if profile.count_till_limit(&made, limit)?.is_some() {
            best = Some(made);
            low = room;
        } else {
            high = room;
        }
        // Near the first guess at first.
        let near = share / 8;
        next = match (low, high) {
            (low, _) if low == share => share + near,
            (_, high) if high == share => share - near,
            _ => low + (high - low) / 2,
        };
    }
    Ok(best.unwrap_or_else(|| shrunk(text, 0)))
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

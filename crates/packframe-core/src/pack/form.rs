//! What an item is packed as: whole, one of its alternatives, or cut.

use std::sync::Arc;

use packframe_tokens::{At, Keep, cut_places};

use super::cost::Costs;
use crate::content::{Body, Content};
use crate::error::Error;
use crate::frame::Frame;
use crate::json_cut::JsonCut;
use crate::profile::TokenProfile;

/// A form of an item other than the whole.
#[derive(Debug, Clone)]
pub(crate) struct Form {
    pub(crate) kind: Kind,
    pub(crate) content: Arc<Content>,
    /// What the tokenizer counts in the content: in units of its seams, where it has some.
    pub(crate) units: u64,
    /// Tokens of the content.
    pub(crate) tokens: u64,
    /// Tokens of content, label and envelope.
    pub(crate) total: u64,
}

/// What became of an item's content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The alternative at a place of its list stands in for it.
    Alternative(usize),
    /// It was cut.
    Cut(Kept),
    /// A strategy of the caller's gave it another content.
    Strategy,
}

/// What a cut kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Kept {
    /// How many bytes of the start.
    pub(crate) head: usize,
    /// How many bytes of the end.
    pub(crate) tail: usize,
    pub(crate) keep: Keep,
    pub(crate) at: At,
    /// What stands in the place of the rest; empty for JSON.
    pub(crate) marker: String,
    /// Whether it was cut by elements.
    pub(crate) json: bool,
}

/// Cuts that are counted into the rendering at most, to find the longest.
const TRIED: usize = 24;

/// How to cut.
#[derive(Debug, Clone)]
pub(crate) struct Knife {
    pub(crate) keep: Keep,
    pub(crate) at: At,
    pub(crate) marker: String,
}

impl Default for Knife {
    fn default() -> Self {
        Self {
            keep: Keep::Head,
            at: At::Word,
            marker: "…".to_owned(),
        }
    }
}

impl Knife {
    /// Cuts the content of a row, so that it costs at most `most` tokens with label and envelope
    /// and its content at least what the item allows; `None` where that cannot be done.
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the tokenizer fails.
    pub(crate) fn cut(
        &self,
        frame: &Frame,
        row: usize,
        costs: &Costs,
        profile: &TokenProfile,
        most: i64,
    ) -> Result<Option<Form>, Error> {
        let Some(least) = frame.extra(row).and_then(|extra| extra.cut_to) else {
            return Ok(None);
        };
        let extra = costs.extra(frame, row);
        let Some(limit) = u64::try_from(most)
            .ok()
            .and_then(|most| most.checked_sub(extra))
        else {
            return Ok(None);
        };
        if limit < least {
            return Ok(None);
        }
        let content = frame.content(row);
        let found = match content.body() {
            Body::Text => {
                let text = content.stored();
                let cut = profile.truncate(text, limit, (self.keep, self.at), &self.marker)?;
                if cut.text.is_empty() || cut.head == text.len() {
                    return Ok(None);
                }
                let kept = Kept {
                    head: cut.head,
                    tail: cut.tail,
                    keep: self.keep,
                    at: self.at,
                    marker: self.marker.clone(),
                    json: false,
                };
                Some((Content::text(cut.text.into_owned()), kept))
            }
            Body::Json => {
                let cut = JsonCut::of(content.stored()).longest(|text| {
                    let tokens = profile.count(text)?;
                    Ok::<_, Error>(tokens <= limit)
                })?;
                cut.map(|(text, head)| {
                    let kept = Kept {
                        head,
                        tail: 0,
                        keep: Keep::Head,
                        at: self.at,
                        marker: String::new(),
                        json: true,
                    };
                    (Content::json(text), kept)
                })
            }
            Body::Reference(_) | Body::Binary(_) | Body::Message(_) => None,
        };
        let Some((content, kept)) = found.filter(|(content, _)| !costs.refuses(content)) else {
            return Ok(None);
        };
        let form = costs.form(frame, row, profile, Kind::Cut(kept), Arc::new(content))?;
        Ok((form.tokens >= least && form.tokens <= limit).then_some(form))
    }

    /// Says whether a cut of a row to so many tokens has room for nothing of it.
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the tokenizer fails.
    pub(crate) fn leaves_nothing(
        &self,
        frame: &Frame,
        row: usize,
        costs: &Costs,
        profile: &TokenProfile,
        most: i64,
    ) -> Result<bool, Error> {
        let content = frame.content(row);
        let extra = costs.extra(frame, row);
        let limit = u64::try_from(most).unwrap_or(0).saturating_sub(extra);
        match content.body() {
            Body::Text => {
                let how = (self.keep, self.at);
                let cut = profile.truncate(content.stored(), limit, how, &self.marker)?;
                Ok(cut.text.is_empty())
            }
            Body::Json => Ok(JsonCut::of(content.stored())
                .longest(|text| Ok::<_, Error>(profile.count(text)? <= limit))?
                .is_none()),
            _ => Ok(false),
        }
    }

    /// Returns the longer cuts of the start of a row's text, longest first: between what a form
    /// keeps and so many bytes, and no more than [`TRIED`] of the shorter ones.
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the tokenizer fails.
    pub(crate) fn longer(
        &self,
        frame: &Frame,
        row: usize,
        costs: &Costs,
        profile: &TokenProfile,
        (shorter, longest): (&Kept, usize),
    ) -> Result<Vec<Form>, Error> {
        let text = frame.content(row).stored();
        let mut places = cut_places(text, self.at, shorter.head + 1, longest);
        places.truncate(TRIED);
        let mut forms = Vec::new();
        for &head in places.iter().rev() {
            let kept = Kept {
                head,
                ..shorter.clone()
            };
            let content = Content::text(format!("{}{}", &text[..head], self.marker));
            if costs.refuses(&content) {
                continue;
            }
            let form = costs.form(frame, row, profile, Kind::Cut(kept), Arc::new(content))?;
            if form.total < costs.total(row) {
                forms.push(form);
            }
        }
        Ok(forms)
    }
}

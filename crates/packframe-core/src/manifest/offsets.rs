//! Where the parts of a text start.

use packframe_tokens::Encode;

use crate::pack::{Ledger, label};
use crate::word::Role;

/// Where the parts of a text start.
pub(super) struct Offsets {
    /// In bytes, of each row in the order of the rendering.
    pub(super) bytes: Vec<usize>,
    /// Tokens that end there or before, if the tokenizer says where tokens end. One without seams is
    /// not kept behind packing.
    pub(super) tokens: Option<Vec<usize>>,
}

impl Offsets {
    /// Encodes only what lies around the starts of the rows; linear in that.
    pub(super) fn of(ledger: &Ledger, filled: &[usize], text: &str) -> Self {
        let labels = ledger.options.labels;
        let widths = Role::ALL
            .iter()
            .map(|&role| label(role).len() * usize::from(labels));
        let widths: Vec<usize> = widths.collect();
        let mut parts = Vec::with_capacity(filled.len());
        let mut at = 0;
        for piece in ledger.slots.pieces(filled) {
            at += piece.gap.len();
            match piece.row {
                Some(row) => {
                    let start = at;
                    at += widths[ledger.frame.roles[row] as usize];
                    let content = at;
                    at += ledger.content(row).rendered().map_or(0, str::len);
                    parts.push(Part {
                        row,
                        start,
                        content,
                    });
                }
                None => at += piece.header.len(),
            }
        }
        let bytes = parts.iter().map(|part| part.start).collect();
        let tokens = tokens_before(ledger, &parts, text);
        Self { bytes, tokens }
    }
}

/// A row in a text.
struct Part {
    row: usize,
    /// Where it starts: at its label, if it has one.
    start: usize,
    /// Where its content starts.
    content: usize,
}

/// Counts the tokens before each part; `None` where the tokenizer has no seams or no ids, or fails.
///
/// No token lies over a seam, and what lies between the first and the last seam of a content has as
/// many tokens in every text: all of the content's, less those outside the two, which are kept on
/// it. So only the stretches from one content's last seam to the next one's first are encoded.
///
/// Where a normalizer changed such a stretch, nobody knows where its tokens end: those that start
/// in it end where the last one before did.
fn tokens_before(ledger: &Ledger, parts: &[Part], text: &str) -> Option<Vec<usize>> {
    let profile = &*ledger.options.profile;
    let (seams, encoder) = (profile.tokenizer().seams()?, profile.tokenizer().encoder()?);
    let costs = ledger.costs.as_ref()?;
    let key = profile.cost_key(false);
    let mut walk = Walk::new(encoder, text);
    for (at, part) in parts.iter().enumerate() {
        let content = ledger.content(part.row);
        let shown = content.rendered().unwrap_or("");
        let edges = content.edge_seams(key, || seams.first_seam(shown).zip(seams.last_seam(shown)));
        let Some((first, last)) = edges else { continue };
        walk.go_to(part.content + first, &parts[walk.found.len()..=at])?;
        let units = ledger
            .form(part.row)
            .map_or_else(|| costs.units(part.row), |form| form.units);
        let (head, tail) = content.edge_units(key, || {
            (seams.units(&shown[..first]), seams.units(&shown[last..]))
        });
        let inner = units.checked_sub(head)?.checked_sub(tail)?;
        walk.jump_to(part.content + last, usize::try_from(inner).ok()?);
    }
    let left = &parts[walk.found.len()..];
    if !left.is_empty() {
        walk.go_to(text.len(), left)?;
    }
    Some(walk.found)
}

/// A way along a text.
struct Walk<'a> {
    encoder: &'a dyn Encode,
    text: &'a str,
    at: usize,
    /// Tokens up to there.
    tokens: usize,
    /// Of each part that was passed, the tokens that end at its start or before.
    found: Vec<usize>,
}

impl<'a> Walk<'a> {
    fn new(encoder: &'a dyn Encode, text: &'a str) -> Self {
        Self {
            encoder,
            text,
            at: 0,
            tokens: 0,
            found: Vec::new(),
        }
    }

    /// Encodes up to a seam or the end, behind the starts of some parts; `None` where that fails.
    fn go_to(&mut self, end: usize, parts: &[Part]) -> Option<()> {
        let (from, mut parts) = (self.at, parts.iter().peekable());
        let (tokens, found) = (&mut self.tokens, &mut self.found);
        let mut visit = |_: u32, end: usize| {
            while parts.next_if(|part| part.start < from + end).is_some() {
                found.push(*tokens);
            }
            *tokens += 1;
            true
        };
        let stretch = &self.text[from..end];
        self.encoder.each_token(stretch, &mut visit).ok()?;
        found.extend(parts.map(|_| *tokens));
        self.at = end;
        Some(())
    }

    /// Goes on at a seam so many tokens behind.
    fn jump_to(&mut self, seam: usize, tokens: usize) {
        self.at = seam;
        self.tokens += tokens;
    }
}

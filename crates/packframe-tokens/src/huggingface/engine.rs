//! A `tokenizer.json` on the engine.

use std::collections::HashSet;

use super::file::{AddedToken, File, Model, Vocab};
use super::letters::byte_of;
use super::merges::{Merge, Origin, origins};
use super::recognise::Reason;
use crate::added::{Added, Sought};
use crate::bpe::{Bpe, Odd, Pattern, Seaming};
use crate::form::Form;
use crate::pipeline::{Found, Pipeline};
use crate::special::Special;
use crate::tokenizer::Seams;

/// The most roots that pieces are searched for; the files that are known have some hundreds.
const MOST_ROOTS: usize = 10_000;

/// A tokenizer of a file whose pieces and merges the engine knows.
pub(super) struct Engine {
    pipeline: Pipeline,
    /// The id of each rank.
    ids: Vec<u32>,
    /// The ranks in the order of their ids.
    by_id: Vec<u32>,
    /// The bytes of the tokens behind those of the tables, by rank.
    others: Vec<Box<[u8]>>,
    /// Whether texts are composed.
    composes: bool,
    added: Vec<Name>,
    /// The added tokens that are marked special.
    special: Vec<String>,
}

/// An added token of a file.
pub(super) struct Name {
    pub(super) content: String,
    pub(super) id: u32,
    /// Whether the model has a token of that name.
    pub(super) is_known: bool,
}

impl Engine {
    /// Makes one of a file.
    ///
    /// # Errors
    ///
    /// A file that the engine does not take.
    pub(super) fn new(file: &File<'_>, special: Special) -> Result<Self, Reason> {
        let (bpe, ranked) = model(&file.model, file.pattern)?;
        let vocabulary = &file.model.vocabulary;
        let ids: Vec<u32> = ranked.iter().map(|&token| vocabulary.id(token)).collect();
        let mut by_id: Vec<u32> = (0..).take(ids.len()).collect();
        by_id.sort_unstable_by_key(|&rank| ids[rank as usize]);
        let in_tables = bpe.vocabulary().len() as usize;
        let others = ranked[in_tables..]
            .iter()
            .map(|&token| vocabulary.token(token).into());
        let others = others.collect();
        let added = resolve(&file.added, &file.model.vocabulary)?;
        let mut raw = Vec::new();
        let mut normalized: Vec<(String, u32, bool)> = Vec::new();
        let tokens = file.added.iter().filter(|token| !token.content.is_empty());
        for (token, id) in tokens.zip(added.iter().map(|name| name.id)) {
            let live = !token.special || special == Special::Parse;
            if live && (token.single_word || token.lstrip || token.rstrip) {
                return Err("it has an added token that looks at what is around it".to_owned());
            }
            if token.normalized {
                let content = file.form.map_or_else(
                    || token.content.clone(),
                    |form| form.of(&token.content).into_owned(),
                );
                normalized.push((content, id, live));
            } else {
                raw.push(Sought {
                    content: &token.content,
                    id,
                    live,
                });
            }
        }
        let normalized: Vec<Sought<'_>> = normalized
            .iter()
            .map(|(content, id, live)| Sought {
                content,
                id: *id,
                live: *live,
            })
            .collect();
        let mut contents = HashSet::new();
        if !normalized
            .iter()
            .all(|token| contents.insert(token.content))
        {
            return Err("two of its added tokens are one when they are normalized".to_owned());
        }
        let seaming = seaming(file, &raw, &normalized);
        let look = |tokens: &[Sought<'_>]| Added::new(tokens).map_err(|error| error.to_string());
        Ok(Self {
            pipeline: Pipeline::new(bpe, seaming)
                .looking_for(look(&raw)?)
                .normalizing(file.form, look(&normalized)?),
            ids,
            by_id,
            others,
            composes: file.form.is_some(),
            added,
            special: special_tokens(&file.added),
        })
    }

    /// Returns the added tokens that are marked special.
    pub(super) fn special_tokens(&self) -> &[String] {
        &self.special
    }

    /// Returns the added tokens.
    pub(super) fn added(&self) -> &[Name] {
        &self.added
    }

    /// Returns what counts.
    pub(super) const fn pipeline(&self) -> &Pipeline {
        &self.pipeline
    }

    /// Returns the ids of the tokens of a text.
    pub(super) fn encode(&self, text: &str) -> Vec<u32> {
        let mut ids = Vec::new();
        self.each_token(text, |id, _| {
            ids.push(id);
            true
        });
        ids
    }

    /// Shows the id of each token of a text and where it ends, if the text was not changed there,
    /// until told to stop.
    pub(super) fn each_token(&self, text: &str, mut visit: impl FnMut(u32, Option<usize>) -> bool) {
        self.pipeline.each_token(text, |token, end| {
            let id = match token {
                Found::Rank(rank) => self.ids[rank as usize],
                Found::Added(id) => id,
            };
            visit(id, end)
        });
    }

    /// Returns the bytes of the token of an id, if there is one.
    pub(super) fn bytes_of(&self, id: u32) -> Option<Vec<u8>> {
        if let Some(name) = self.added.iter().find(|name| name.id == id) {
            return Some(name.content.clone().into_bytes());
        }
        let place = self
            .by_id
            .binary_search_by_key(&id, |&rank| self.ids[rank as usize]);
        let rank = self.by_id[place.ok()?];
        let vocabulary = self.pipeline.bpe().vocabulary();
        Some(if rank < vocabulary.len() {
            vocabulary.token(rank).to_vec()
        } else {
            self.others[(rank - vocabulary.len()) as usize].to_vec()
        })
    }
}

/// Fills the engine with a model; returns the tokens by rank as well.
fn model(model: &Model, pattern: Pattern) -> Result<(Bpe, Vec<u32>), Reason> {
    let vocabulary = &model.vocabulary;
    let tokens = u32::try_from(vocabulary.len()).map_err(|error| error.to_string())?;
    let mut bytes = [u32::MAX; 256];
    for at in 0..tokens {
        if let &[byte] = vocabulary.token(at) {
            bytes[usize::from(byte)] = at;
        }
    }
    if bytes.contains(&u32::MAX) {
        return Err("not every byte is a token of it".to_owned());
    }
    let merges = &model.merges;
    let origins = origins(merges, tokens, |token| vocabulary.token(token), &bytes)?;
    let origin = |token: u32| origins[token as usize];
    // The tokens by rank: bytes, plain ones, the others that are made, those that are not.
    let mut ranked: Vec<u32> = bytes.to_vec();
    let mut halves = vec![0; ranked.len()];
    let mut others = Vec::new();
    let mut roots = Vec::new();
    for (merge, place) in merges.iter().zip(0..) {
        match origin(merge.made) {
            Origin::Plain(made) if made == place => {
                ranked.push(merge.made);
                let half = vocabulary.token(merge.left).len();
                halves.push(u8::try_from(half).map_err(|error| error.to_string())?);
            }
            Origin::Root(made) if made == place => {
                roots.push(vocabulary.token(merge.made));
                others.push(merge.made);
            }
            Origin::Grown(made) if made == place => others.push(merge.made),
            _ => {}
        }
    }
    let tables = ranked
        .iter()
        .map(|&token| vocabulary.token(token))
        .zip(halves);
    let store = Bpe::filled(tables).ok_or("its tokens are made to collide")?;
    ranked.extend(others);
    let mut odd = Odd::default();
    if !roots.is_empty() {
        if roots.len() > MOST_ROOTS {
            return Err("most of its merges are out of order".to_owned());
        }
        let mut ranks = vec![u32::MAX; vocabulary.len()];
        for (&token, rank) in ranked.iter().zip(0..) {
            ranks[token as usize] = rank;
        }
        let made = |(merge, place): &(&Merge, u32)| match origin(merge.made) {
            Origin::Plain(made) | Origin::Root(made) | Origin::Grown(made) => made == *place,
            Origin::None | Origin::Byte => false,
        };
        let joins = merges.iter().zip(0..).filter(made).map(|(merge, _)| {
            [merge.left, merge.right, merge.made].map(|token| ranks[token as usize])
        });
        odd = odd.merged(roots.into_iter(), joins)?;
    }
    if model.ignore_merges {
        let whole = (0..tokens).filter(|&token| origin(token) == Origin::None);
        let first = ranked.len();
        ranked.extend(whole);
        let ranks = first..;
        let whole = ranked[first..]
            .iter()
            .zip(ranks)
            .filter_map(|(&token, rank)| {
                Some((vocabulary.token(token).into(), u32::try_from(rank).ok()?))
            });
        odd = odd.whole(whole);
    }
    Ok((Bpe::new(pattern, store).with(odd), ranked))
}

/// Finds the id of each added token that has a name, as the library does: that of the vocabulary's token of the
/// same name, or the next one that is free behind the vocabulary.
fn resolve(added: &[AddedToken], vocabulary: &Vocab) -> Result<Vec<Name>, Reason> {
    // Names are looked up by their bytes, so only those of letters are sought among them.
    let mut sought: std::collections::HashMap<Vec<u8>, Option<u32>> = added
        .iter()
        .filter_map(|token| Some((letters(&token.content)?, None)))
        .collect();
    for at in 0..u32::try_from(vocabulary.len()).unwrap_or(u32::MAX) {
        if let Some(found) = sought.get_mut(vocabulary.token(at)) {
            *found = Some(vocabulary.id(at));
        }
    }
    let known = |content: &str| match letters(content) {
        Some(bytes) => sought.get(&bytes).copied().flatten(),
        None => vocabulary.foreign.get(content).copied(),
    };
    let mut next = u32::try_from(vocabulary.len() + vocabulary.foreign.len())
        .map_err(|error| error.to_string())?;
    let (mut contents, mut ids) = (HashSet::new(), HashSet::new());
    let mut resolved = Vec::with_capacity(added.len());
    for token in added.iter().filter(|token| !token.content.is_empty()) {
        let known = known(&token.content);
        let id = known.unwrap_or_else(|| {
            next += 1;
            next - 1
        });
        if !contents.insert(&token.content) || !ids.insert(id) {
            return Err("two of its added tokens are one".to_owned());
        }
        resolved.push(Name {
            content: token.content.clone(),
            id,
            is_known: known.is_some(),
        });
    }
    Ok(resolved)
}

/// Returns the bytes that the letters of a name stand for, if all do.
pub(super) fn letters(name: &str) -> Option<Vec<u8>> {
    name.chars().map(byte_of).collect()
}

/// Returns where texts have seams, if it is known.
fn seaming(file: &File<'_>, raw: &[Sought<'_>], normalized: &[Sought<'_>]) -> Option<Seaming> {
    let contents = raw.iter().chain(normalized).map(|token| token.content);
    match file.form {
        None => {}
        // What is composed behind a seam is beyond ASCII, so no such token begins there.
        Some(Form::Nfc) if normalized.iter().all(|token| token.content.is_ascii()) => {}
        Some(_) => return None,
    }
    Some(Seaming::new(file.pattern, contents))
}

impl Seams for Engine {
    fn units(&self, text: &str) -> u64 {
        self.pipeline.count(text)
    }

    fn tokens(&self, units: u64) -> u64 {
        units
    }

    fn most_units(&self, bytes: usize) -> u64 {
        // Composing makes up to three times as many bytes of a text.
        let composed = if self.composes { 3 } else { 1 };
        bytes as u64 * composed
    }

    fn first_seam(&self, text: &str) -> Option<usize> {
        self.pipeline.seaming()?.first(text)
    }

    fn last_seam(&self, text: &str) -> Option<usize> {
        self.pipeline.seaming()?.last(text)
    }
}

fn special_tokens(added: &[AddedToken]) -> Vec<String> {
    let special = added.iter().filter(|token| token.special);
    special.map(|token| token.content.clone()).collect()
}

//! Everything that could be shortened, in the order in which it is.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use super::edit::{Cut, Edit, Given, PlaceEdit, RowEdit, Scale};
use crate::content::Content;
use crate::conversation::{
    Format, Protection, Shorten, Spot, Thought, cleared, has_item_id, plain_text, results,
    without_thinking,
};
use crate::error::Error;
use crate::request::laid::{Laid, Part};
use crate::secret::SecretRules;
use crate::word::{Retention, Role};

/// The messages of a request, while the list of edits is made: each as the edits so far leave it.
pub(super) struct List<'a> {
    pub(super) laid: &'a Laid,
    pub(super) scale: Scale<'a>,
    /// The rules by which what is made is searched for secrets, if it is.
    pub(super) searched_by: Option<SecretRules>,
    /// Rows that are out in any case.
    pub(super) out: &'a BTreeSet<usize>,
    /// The contents that edits start from, where they are not those of the frame.
    pub(super) redacted: &'a BTreeMap<usize, Arc<Content>>,
    /// The first row of those that are looked at, beside those that are required.
    pub(super) from: usize,
}

impl List<'_> {
    /// Makes the list: by step, in a step the oldest first, each as short as it gets.
    ///
    /// Linear in the messages that are looked at, and in the steps.
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the tokenizer fails.
    pub(super) fn edits(&self, steps: &[Shorten]) -> Result<Vec<Edit>, Error> {
        let mut making = Making {
            list: self,
            rows: self.rows(),
            now: self.redacted.clone(),
            gone: BTreeSet::new(),
            edits: Vec::new(),
        };
        for step in steps {
            match step {
                Shorten::Thinking => making.thinking()?,
                Shorten::Clear {
                    keep_last,
                    placeholder,
                } => making.clear(*keep_last, placeholder)?,
                Shorten::Results { least } => making.results(*least)?,
                Shorten::Text { least } => making.text(*least)?,
            }
        }
        Ok(making.edits)
    }

    /// The rows that are looked at, ascending: with all results of a step where one is.
    fn rows(&self) -> Vec<usize> {
        let talk = self.laid.talk.clone();
        let required = self.required_groups();
        let mut rows = Vec::new();
        for row in talk.clone() {
            let is_near = row >= self.from || required[self.laid.groups[row - talk.start]];
            if is_near && !self.out.contains(&row) {
                rows.push(row);
            }
        }
        rows
    }

    /// Says of each group, by its first row, whether it has to stay.
    fn required_groups(&self) -> Vec<bool> {
        let start = self.laid.talk.start;
        let mut required = vec![false; self.laid.groups.len()];
        for (at, &group) in self.laid.groups.iter().enumerate() {
            required[group] |= self.laid.frame.retention(start + at) == Retention::Required;
        }
        required
    }

    /// Returns the rows of the steps that have not ended: behind the newest words of the user's,
    /// where the list does not end in words. Words beside results, in one turn of Anthropic's, end
    /// nothing.
    fn open(&self) -> Range<usize> {
        let (talk, facts) = (self.laid.talk.clone(), &self.laid.facts);
        if self.scale.format == Format::Anthropic {
            let behind = facts
                .iter()
                .rposition(|facts| facts.role == Role::Assistant);
            let behind = behind.map_or(0, |at| at + 1);
            let mut turn = talk.start + behind..talk.end;
            let answers = |row: usize| {
                let json = self.laid.frame.content(row).stored();
                !results(Format::Anthropic, json).is_empty()
            };
            if turn.any(answers) {
                let newest = facts[..behind].iter().rposition(|facts| facts.is_user);
                return talk.start + newest.map_or(0, |at| at + 1)..talk.end;
            }
        }
        let waits = facts
            .iter()
            .any(|facts| facts.protection == Some(Protection::PendingCall));
        let goes_on = facts
            .last()
            .is_some_and(|last| last.is_result || last.role == Role::Assistant);
        if !waits && !goes_on {
            return talk.end..talk.end;
        }
        let newest = facts.iter().rposition(|facts| facts.is_user);
        talk.start + newest.map_or(0, |at| at + 1)..talk.end
    }
}

struct Making<'a, 'b> {
    list: &'a List<'b>,
    rows: Vec<usize>,
    /// Contents that are not those of the frame any more.
    now: BTreeMap<usize, Arc<Content>>,
    /// Rows that went.
    gone: BTreeSet<usize>,
    edits: Vec<Edit>,
}

impl Making<'_, '_> {
    fn content(&self, row: usize) -> Arc<Content> {
        let now = self.now.get(&row);
        Arc::clone(now.unwrap_or_else(|| self.list.laid.frame.content(row)))
    }

    fn role(&self, row: usize) -> Role {
        self.list.laid.frame.roles[row]
    }

    fn is_final(&self, row: usize) -> bool {
        matches!(self.list.laid.parts[row], Part::Final(_))
    }

    /// Puts an edit into the list, where it saves something and shows no secret.
    fn push(&mut self, edit: Edit) {
        let shows = |made: &Arc<Content>| {
            let rules = self.list.searched_by;
            rules.is_some_and(|rules| made.secret(rules).is_some())
        };
        let made = edit.rows.iter().filter_map(|edit| edit.after.as_ref());
        if made.into_iter().any(shows) || edit.saved(self.list.scale, |_| true) <= 0 {
            return;
        }
        for row in &edit.rows {
            match &row.after {
                Some(after) => {
                    self.now.insert(row.row, Arc::clone(after));
                }
                None => {
                    self.gone.insert(row.row);
                }
            }
        }
        self.edits.push(edit);
    }

    /// Lets thinking go of steps that have ended.
    fn thinking(&mut self) -> Result<(), Error> {
        let scale = self.list.scale;
        let open = self.list.open();
        for row in self.rows.clone() {
            let facts = &self.list.laid.facts[row - self.list.laid.talk.start];
            let stays = matches!(
                facts.protection,
                Some(Protection::LastMessage | Protection::LastStep | Protection::OpenThinking)
            );
            let is_made = self.role(row) == Role::Assistant && !self.gone.contains(&row);
            if !is_made || stays || open.contains(&row) || self.is_final(row) {
                continue;
            }
            let before = self.content(row);
            let after = match without_thinking(scale.format, before.stored()) {
                None => continue,
                Some(Thought::Nothing) if self.is_known(row) => continue,
                Some(Thought::Nothing) => None,
                Some(Thought::Rest(json)) => Some(scale.message(self.role(row), json)),
            };
            let left = after.as_ref().map(|after| scale.content(after));
            let place = PlaceEdit {
                path: String::new(),
                limit: None,
                before: scale.content(&before)?,
                after: left.unwrap_or(Ok(0))?,
            };
            self.push(Edit {
                kind: "thinking",
                rows: vec![RowEdit {
                    row,
                    tokens: place.before,
                    before,
                    after,
                    left: place.after,
                    places: vec![place],
                }],
                cut: None,
            });
        }
        Ok(())
    }

    /// Says whether the provider knows, of what was made with some reasoning, that it was.
    fn is_known(&self, row: usize) -> bool {
        let behind = row + 1..self.list.laid.talk.end;
        behind
            .take_while(|&row| self.role(row) == Role::Assistant)
            .filter(|&row| {
                let json = self.content(row);
                without_thinking(Format::OpenAiResponses, json.stored()).is_none()
            })
            .any(|row| has_item_id(self.content(row).stored()))
    }

    fn spots(&self, row: usize) -> Vec<Spot> {
        // A message of the model's or the operator's has none.
        if matches!(
            self.role(row),
            Role::Assistant | Role::System | Role::Developer
        ) {
            return Vec::new();
        }
        results(self.list.scale.format, self.content(row).stored())
    }

    /// Puts a placeholder in the place of all results but the newest.
    fn clear(&mut self, keep_last: usize, placeholder: &str) -> Result<(), Error> {
        let scale = self.list.scale;
        let mut left = keep_last;
        let mut stay: BTreeMap<usize, usize> = BTreeMap::new();
        for row in self.list.laid.talk.clone().rev() {
            if left == 0 {
                break;
            }
            let newest = self.spots(row).len().min(left);
            left -= newest;
            stay.insert(row, newest);
        }
        for row in self.rows.clone() {
            let spots = self.spots(row);
            let goes = spots.len() - stay.get(&row).copied().unwrap_or(0).min(spots.len());
            for spot in &spots[..goes] {
                let before = self.content(row);
                let made = cleared(scale.format, before.stored(), spot, placeholder);
                let Some(json) = made.filter(|json| json != before.stored()) else {
                    continue;
                };
                let after = scale.message(self.role(row), json);
                let (had, has) = (scale.content(&before)?, scale.content(&after)?);
                let said = scale.profile.count(placeholder)?;
                let place = PlaceEdit {
                    path: spot.path.to_string(),
                    limit: None,
                    before: (had + said).saturating_sub(has),
                    after: said,
                };
                self.push(Edit {
                    kind: "clear",
                    rows: vec![RowEdit {
                        row,
                        tokens: had,
                        before,
                        after: Some(after),
                        left: has,
                        places: vec![place],
                    }],
                    cut: None,
                });
            }
        }
        Ok(())
    }

    /// Cuts the results of each step.
    fn results(&mut self, least: u64) -> Result<(), Error> {
        let mut at = 0;
        while at < self.rows.len() {
            let mut given: Vec<(usize, Arc<Content>, Vec<Spot>)> = Vec::new();
            // Results that stand side by side are of one step.
            while let Some(&row) = self.rows.get(at) {
                let is_next = given.last().is_none_or(|(last, ..)| last + 1 == row);
                let spots = self.spots(row);
                if spots.is_empty() || !is_next {
                    break;
                }
                given.push((row, self.content(row), spots));
                at += 1;
            }
            if given.is_empty() {
                at += 1;
                continue;
            }
            self.cut("results", given, least)?;
        }
        Ok(())
    }

    /// Cuts the texts that may be left out.
    fn text(&mut self, least: u64) -> Result<(), Error> {
        let required = self.list.required_groups();
        for row in self.rows.clone() {
            let group = self.list.laid.groups[row - self.list.laid.talk.start];
            let speaks = matches!(self.role(row), Role::User | Role::Assistant);
            if required[group] || self.is_final(row) || !speaks {
                continue;
            }
            let content = self.content(row);
            if let Some(spot) = plain_text(self.list.scale.format, content.stored()) {
                self.cut("text", vec![(row, content, vec![spot])], least)?;
            }
        }
        Ok(())
    }

    fn cut(
        &mut self,
        kind: &'static str,
        given: Vec<(usize, Arc<Content>, Vec<Spot>)>,
        least: u64,
    ) -> Result<(), Error> {
        let scale = self.list.scale;
        let given = given.into_iter();
        let given = given.map(|(row, content, spots)| Given::of(row, content, spots, scale));
        let cut = Cut::of(kind, least, given.collect::<Result<_, _>>()?);
        if cut.most() <= least {
            return Ok(());
        }
        self.push(Edit::cut(&Rc::new(cut), least, scale)?);
        Ok(())
    }
}

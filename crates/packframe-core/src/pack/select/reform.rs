//! Better forms for what was cut or replaced.

use super::field::{number, signed};
use super::judge::Judge;
use super::scan::Scan;
use crate::error::Error;
use crate::pack::form::{Form, Kind};
use crate::pack::standing::Change;

/// Tokens that joining may save on the two borders of a cut.
const JOINS_SAVE: i64 = 8;

impl Scan<'_, '_> {
    /// Gives each item that was cut or replaced the best form that now fits, in the order of
    /// selection; says whether one has another.
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the tokenizer fails.
    pub(crate) fn reform(&mut self, judge: &mut dyn Judge, by_sum: bool) -> Result<bool, Error> {
        if self.standing.forms.is_empty() {
            return Ok(false);
        }
        let mut any = false;
        for at in 0..self.standing.sequence.len() {
            let group = self.standing.sequence[at].group as usize;
            if let Some(form) = self.standing.form(group).cloned() {
                any |= self.reform_one(group, &form, judge, by_sum)?;
            }
        }
        Ok(any)
    }

    fn reform_one(
        &mut self,
        group: usize,
        form: &Form,
        judge: &mut dyn Judge,
        by_sum: bool,
    ) -> Result<bool, Error> {
        let field = self.field;
        let better = match form.kind {
            Kind::Alternative(place) => place,
            Kind::Cut(_) => usize::MAX,
            Kind::Strategy => return Ok(false),
        };
        let alternatives = field
            .alternatives(group)
            .iter()
            .filter(|other| matches!(other.kind, Kind::Alternative(place) if place < better));
        for other in std::iter::once(None).chain(alternatives.map(Some)) {
            if self.try_instead(group, form, other, judge)? {
                return Ok(true);
            }
        }
        let (Kind::Cut(_), Some(row)) = (&form.kind, field.pliable(group)) else {
            return Ok(false);
        };
        let section = field.division.section(group);
        let mut tally = self.standing.tally(section);
        tally.tokens -= signed(form.total);
        tally.parts -= 1;
        let by_cap = field.most_by_cap(section, tally);
        if by_sum {
            let most = field.most_tokens(&self.standing, section, tally);
            return match self.longer_cut(row, form, most)? {
                Some(longer) => self.try_instead(group, form, Some(&longer), judge),
                None => Ok(false),
            };
        }
        // Joining may save tokens over the sum of parts, so that longer cuts are tried, too.
        let left = judge.left(field, &self.standing).saturating_add(JOINS_SAVE);
        let whole = signed(field.costs.group(field.groups, group));
        let most = signed(form.total)
            .saturating_add(left)
            .min(by_cap)
            .min(whole - 1);
        let Some(longest) = self.longer_cut(row, form, most)? else {
            return Ok(false);
        };
        let forms = match (&form.kind, &longest.kind) {
            (Kind::Cut(shorter), Kind::Cut(kept)) if !kept.json => {
                let (frame, costs) = (field.frame, field.costs);
                let between = (shorter, kept.head);
                field
                    .knife
                    .longer(frame, row, costs, field.profile, between)?
            }
            _ => self.shrinking(row, form, longest)?,
        };
        for longer in forms {
            if self.try_instead(group, form, Some(&longer), judge)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns a cut by elements and the next shorter ones, down to what joining may save.
    fn shrinking(&self, row: usize, form: &Form, longest: Form) -> Result<Vec<Form>, Error> {
        let least = signed(longest.total) - 2 * JOINS_SAVE;
        let mut forms = vec![longest];
        while let Some(last) = forms.last()
            && signed(last.total) > least
            && let Some(shorter) = self.longer_cut(row, form, signed(last.total) - 1)?
        {
            forms.push(shorter);
        }
        Ok(forms)
    }

    fn longer_cut(&self, row: usize, form: &Form, most: i64) -> Result<Option<Form>, Error> {
        let field = self.field;
        let longer = field.cut(row, most)?;
        Ok(longer.filter(|longer| longer.content.stored().len() > form.content.stored().len()))
    }

    fn try_instead(
        &mut self,
        group: usize,
        now: &Form,
        other: Option<&Form>,
        judge: &mut dyn Judge,
    ) -> Result<bool, Error> {
        let field = self.field;
        let whole = field.costs.group(field.groups, group);
        let tokens = signed(other.map_or(whole, |other| other.total)) - signed(now.total);
        let change = [Change {
            section: field.division.section(group),
            tokens,
            parts: 0,
        }];
        let weight = self.standing.weigh(field.division, &change);
        if weight.over_cap.is_some()
            || !judge.holds_instead(field, &self.standing, group, other, weight)?
        {
            return Ok(false);
        }
        judge.reformed(field, group, other);
        self.standing.apply(field.division, &change);
        match other {
            Some(other) => {
                self.standing.forms.insert(number(group), other.clone());
            }
            None => {
                self.standing.forms.remove(&number(group));
            }
        }
        Ok(true)
    }
}

//! What every pack promises, for packs of everything that proptest draws.
//!
//! `PROPTEST_CASES` says how many, `PROPTEST_RNG_SEED` which; a case that fails is shown as small
//! as it can be made. No file of failures is kept: a bug leaves a test of its own.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::env::var_os;
use std::sync::Arc;

use packframe_core::{
    Content, Document, DropRule, Error, ErrorKind, ExcludedRecord, Frame, Layout, Manifest, Pack,
    PackOptions, Render, Retention, Role, pack,
};
use proptest::test_runner::{Config, RngSeed, TestRunner};

use crate::case::{Case, cases};
use crate::support::{assert_partitioned, selected};

/// Cases where `PROPTEST_CASES` says nothing.
const CASES: u32 = 1_000;

#[test]
fn every_pack_keeps_its_promises() {
    let mut config = Config {
        failure_persistence: None,
        ..Config::default()
    };
    if var_os("PROPTEST_CASES").is_none() {
        config.cases = CASES;
    }
    if var_os("PROPTEST_RNG_SEED").is_none() {
        config.rng_seed = RngSeed::Fixed(0);
    }
    let (all, packs, misses) = (config.cases, Cell::new(0), Cell::new(0));
    let checked = TestRunner::new(config).run(&cases(), |case| {
        if let Some(judged) = check(&case) {
            packs.set(packs.get() + 1);
            misses.set(misses.get() + judged);
        }
        Ok(())
    });
    if let Err(failure) = checked {
        panic!("{failure}");
    }
    println!(
        "{} packs of {all}, {} rows out for want of room",
        packs.get(),
        misses.get()
    );
    assert!(packs.get() > all / 2, "the cases are worth their time");
    assert!(
        misses.get() > all as usize,
        "the budgets are worth their time"
    );
}

/// Packs a case and checks all promises; returns the rows whose shortfall was counted again, or
/// nothing where what is required cannot be packed.
fn check(case: &Case) -> Option<usize> {
    let (frame, profile) = (case.frame(), case.profile());
    let options = case.options(&frame, &profile);
    let outcome = pack(&frame, options.clone());
    let id = id_of(&outcome);
    assert_eq!(
        id_of(&pack(&frame, options.clone())),
        id,
        "the same call again"
    );
    let fresh = pack(&case.frame(), options.clone());
    assert_eq!(
        id_of(&fresh),
        id,
        "the same call with contents never counted"
    );
    match outcome {
        Ok(pack) => {
            let promises = Promises {
                case,
                options: &options,
                pack: &pack,
                document: pack.manifest().document(),
                groups: case.groups(),
            };
            Some(promises.check())
        }
        Err(error) => {
            if let Some(manifest) = partial(&error) {
                assert_partitioned(manifest.document(), frame.len());
            }
            None
        }
    }
}

/// Returns the id of a pack's manifest, or what an error says with that of its partial one.
fn id_of(outcome: &Result<Pack, Error>) -> String {
    let id = |manifest: &Manifest| manifest.document().manifest_id.clone();
    match outcome {
        Ok(pack) => format!("{:?}", id(pack.manifest())),
        Err(error) => format!("{error}: {:?}", partial(error).map(id)),
    }
}

/// Returns what was decided before an error; panics on errors that these cases cannot have.
fn partial(error: &Error) -> Option<&Manifest> {
    match error.kind() {
        ErrorKind::BudgetExceeded(exceeded)
        | ErrorKind::FloorsExceedBudget { exceeded, .. }
        | ErrorKind::SectionOverflow { exceeded, .. } => Some(&exceeded.partial_manifest),
        ErrorKind::PolicyViolation {
            partial_manifest, ..
        } => Some(partial_manifest),
        ErrorKind::UnsupportedContent { .. } => None,
        ErrorKind::InvalidItem { field, .. } if field == "requires" || field == "exclusive" => None,
        other => panic!("{other:?}"),
    }
}

struct Promises<'a> {
    case: &'a Case,
    options: &'a PackOptions,
    pack: &'a Pack,
    document: &'a Document,
    /// A number for each row that rows of one group share.
    groups: Vec<usize>,
}

impl Promises<'_> {
    fn check(&self) -> usize {
        assert_partitioned(self.document, self.frame().len());
        let mut rows = self.pack.rows().to_vec();
        assert_eq!(rows, self.order(&rows), "the layout");
        rows.sort_unstable();
        assert_eq!(rows, selected(self.document));
        self.check_total();
        self.check_required();
        self.check_bonds();
        self.check_forms();
        self.check_sections();
        self.check_misses()
    }

    fn frame(&self) -> &Frame {
        self.pack.frame()
    }

    fn is_in(&self, row: usize) -> bool {
        self.pack.rows().contains(&row)
    }

    /// Counts the rendering again.
    fn check_total(&self) {
        let total = self.pack.total_tokens();
        let rendered = self.pack.rendered();
        if self.options.render == Some(Render::Text) {
            assert_eq!(self.text(self.pack.rows()), rendered, "the rendering");
            assert_eq!(
                self.count(&rendered),
                signed(total),
                "the count of {rendered:?}"
            );
        } else {
            assert_eq!(
                self.sum(self.pack.rows()),
                signed(total),
                "the sum of {rendered}"
            );
        }
        let Some(available) = self.document.available else {
            assert_eq!(
                (self.options.budget, self.pack.remaining_tokens()),
                (None, None)
            );
            return;
        };
        assert!(signed(total) <= available, "{total} tokens in {available}");
        assert_eq!(
            self.pack.remaining_tokens(),
            Some(available - signed(total))
        );
        let kept_off = self.document.margin + self.options.reserve;
        let budget = self.options.budget.expect("there is a ceiling");
        assert_eq!(available, signed(budget) - signed(kept_off));
        let parts = self.document.tokens_by.part.values();
        let sum: i64 = parts.map(|amount| amount.tokens).sum();
        assert_eq!(sum, signed(total), "the parts add up");
    }

    /// What is required is in, with what it requires, unless a strategy let it go.
    fn check_required(&self) {
        let frame = self.frame();
        let demoted = |row: usize| {
            let mut changes = self.document.demotions.iter();
            changes.any(|change| change.row == row && change.by == "overflow")
        };
        for row in 0..frame.len() {
            let given = self.case.frame().retention(row);
            if given != Retention::Required || demoted(row) {
                continue;
            }
            let let_go = self
                .excluded(row)
                .is_some_and(|record| record.reason == "empty");
            assert!(self.is_in(row) || let_go, "required row {row} is in");
        }
    }

    /// Groups share one fate, what a row requires is in with it, and no key is taken twice.
    fn check_bonds(&self) {
        let frame = self.frame();
        let mut holders = std::collections::BTreeMap::new();
        for &row in self.pack.rows() {
            let group = self.groups[row];
            for other in 0..frame.len() {
                assert!(
                    self.groups[other] != group || self.is_in(other),
                    "{row} without {other}"
                );
            }
            let Some(extra) = frame.extra(row) else {
                continue;
            };
            for id in &extra.requires {
                let other = frame.row_of(id);
                assert!(
                    other.is_some_and(|row| self.is_in(row)),
                    "row {row} without {id}"
                );
            }
            if let Some(key) = &extra.exclusive {
                let holder = *holders.entry(Arc::clone(key)).or_insert(group);
                assert_eq!(holder, group, "two groups have the key {key}");
            }
        }
    }

    /// Cuts and replacements are of rows that allow them, and cuts are long enough.
    fn check_forms(&self) {
        let frame = self.frame();
        let whole = |row: usize| {
            let mut members = (0..frame.len()).filter(|&other| other != row);
            members.any(|other| self.groups[other] == self.groups[row])
                || frame.item(row).spec().pinned
        };
        for cut in &self.document.truncations {
            let extra = frame.extra(cut.row).expect("it may be cut");
            let least = extra.cut_to.expect("it may be cut");
            assert!(!whole(cut.row), "{cut:?}");
            assert!(
                least <= cut.tokens && cut.tokens < cut.tokens_before,
                "{least}: {cut:?}"
            );
        }
        for record in &self.document.selected {
            let (row, content) = (record.row, self.content(record.row));
            let own = content.same(frame.content(row));
            match &*record.form {
                "whole" => assert!(own, "{record:?}"),
                "alternative" => {
                    let alternatives = &frame.extra(row).expect("it has some").alternatives;
                    let mut known = alternatives.iter();
                    assert!(!whole(row) && known.any(|it| it.content.same(&content)));
                }
                "cut" => assert!(self.document.truncations.iter().any(|cut| cut.row == row)),
                other => panic!("{other}"),
            }
        }
    }

    /// Caps hold on the sum of the parts, which is what the record says.
    fn check_sections(&self) {
        for (number, record) in self.document.sections.iter().enumerate() {
            let rows = self.of_section(self.pack.rows(), Some(number));
            let tokens = self.section_sum(&rows, Some(number));
            assert_eq!(signed(record.tokens), tokens, "{record:?}");
            let rules = &self.case.sections[number];
            let share = rules.max_share.zip(self.document.available);
            let share = share.map(|(part, available)| available.max(0) * i64::from(part) / 100);
            let cap = rules.max_tokens.map(signed).into_iter().chain(share).min();
            assert_eq!(record.cap.map(signed), cap, "{record:?}");
            assert!(cap.is_none_or(|cap| tokens <= cap), "{record:?}");
            if rules.drop == DropRule::AllOrNothing {
                self.check_whole(number);
            }
        }
    }

    /// An all-or-nothing section that has something beside the required rows misses nothing for
    /// want of room.
    fn check_whole(&self, number: usize) {
        let of_it = |row: usize| self.section(row) == Some(number);
        let mut selected = self.document.selected.iter();
        let by_choice = |why: &str| why != "required" && why != "pinned";
        if selected.any(|record| of_it(record.row) && by_choice(&record.why)) {
            for record in self
                .document
                .excluded
                .iter()
                .filter(|record| of_it(record.row))
            {
                assert!(!wants_room(record), "{record:?}");
            }
        }
    }

    /// Counts, for each row that is out for want of room, the rendering with its group, whole, and
    /// with all that it requires.
    fn check_misses(&self) -> usize {
        let mut judged = 0;
        for record in &self.document.excluded {
            let Some(available) = self.document.available.filter(|_| wants_room(record)) else {
                assert!(
                    record.shortfall.is_none() || record.reason == "section_cap",
                    "{record:?}"
                );
                continue;
            };
            let mut rows = self.pack.rows().to_vec();
            rows.extend(self.company(record.row));
            let rows = self.order(&rows);
            let needed = if self.case.counts_joins() {
                self.count(&self.text(&rows))
            } else {
                self.sum(&rows)
            };
            let shortfall = record.shortfall.expect("there is a ceiling");
            assert_eq!(needed - available, shortfall, "{record:?} with {rows:?}");
            let opaque = self.options.render == Some(Render::Text) && !self.case.counts_joins();
            assert!(
                shortfall > 0 || opaque && record.reason == "join_cost",
                "{record:?}"
            );
            judged += 1;
        }
        judged
    }

    /// Returns the rows that come into the pack with a row.
    fn company(&self, row: usize) -> BTreeSet<usize> {
        let frame = self.frame();
        let mut rows = BTreeSet::new();
        let mut open = vec![row];
        while let Some(row) = open.pop() {
            if self.is_in(row) || !rows.insert(row) {
                continue;
            }
            open.extend((0..frame.len()).filter(|&other| self.groups[other] == self.groups[row]));
            if let Some(extra) = frame.extra(row) {
                open.extend(extra.requires.iter().filter_map(|id| frame.row_of(id)));
            }
            let own = self.section(row);
            if own.is_some_and(|own| self.case.sections[own].drop == DropRule::AllOrNothing) {
                let refused = |row: usize| self.excluded(row).is_some_and(was_refused);
                open.extend(
                    (0..frame.len()).filter(|&other| self.section(other) == own && !refused(other)),
                );
            }
        }
        rows
    }

    fn excluded(&self, row: usize) -> Option<&ExcludedRecord> {
        self.document
            .excluded
            .iter()
            .find(|record| record.row == row)
    }

    fn section(&self, row: usize) -> Option<usize> {
        self.case.section_of(self.frame(), row)
    }

    fn of_section(&self, rows: &[usize], section: Option<usize>) -> Vec<usize> {
        let of_it = |row: &usize| self.section(*row) == section;
        rows.iter().copied().filter(of_it).collect()
    }

    /// Returns what a row is packed as; whole, where it is out.
    fn content(&self, row: usize) -> Arc<Content> {
        if self.is_in(row) {
            Arc::clone(self.pack.item(row).content())
        } else {
            Arc::clone(self.frame().content(row))
        }
    }

    /// Puts rows into the order of the layout.
    fn order(&self, rows: &[usize]) -> Vec<usize> {
        let frame = self.frame();
        let mut rows = rows.to_vec();
        rows.sort_unstable();
        match self.options.layout {
            Layout::Input => {}
            Layout::Section => rows.sort_by_key(|&row| self.section(row).map_or(0, |at| at + 1)),
            Layout::Score => {
                let best = |row: usize, field: fn(&packframe_core::Item) -> f64| {
                    let members =
                        (0..frame.len()).filter(|&at| self.groups[at] == self.groups[row]);
                    members
                        .map(|at| field(&frame.item(at)))
                        .fold(f64::NEG_INFINITY, f64::max)
                };
                rows.sort_by(|&a, &b| {
                    let score = |row| best(row, packframe_core::Item::score);
                    let priority = |row| best(row, packframe_core::Item::priority);
                    (score(b).total_cmp(&score(a)))
                        .then(priority(b).total_cmp(&priority(a)))
                        .then(self.groups[a].cmp(&self.groups[b]))
                });
            }
            Layout::Stable => rows.sort_by_key(|&row| {
                let mut kept = self.options.previous.iter();
                // A row that was kept twice stands where it stood last.
                kept.rposition(|(id, _)| id == frame.id(row))
                    .unwrap_or(usize::MAX)
            }),
        }
        rows
    }

    fn label(&self, row: usize) -> String {
        if self.options.labels {
            format!("{}: ", self.frame().item(row).role())
        } else {
            String::new()
        }
    }

    /// Joins rows, in this order.
    fn text(&self, rows: &[usize]) -> String {
        let part = |&row: &usize| {
            let content = self.content(row);
            self.label(row) + content.rendered().expect("bytes are never packed")
        };
        let join = |rows: &[usize], separator: &str| {
            rows.iter().map(part).collect::<Vec<_>>().join(separator)
        };
        if self.options.layout != Layout::Section {
            return join(rows, &self.options.separator);
        }
        let mut sections = Vec::new();
        for section in std::iter::once(None).chain((0..self.case.sections.len()).map(Some)) {
            let own = self.of_section(rows, section);
            let Some(number) = section else {
                sections.extend((!own.is_empty()).then(|| join(&own, &self.options.separator)));
                continue;
            };
            let rules = &self.case.sections[number];
            if !own.is_empty() {
                let header = rules
                    .shown_header()
                    .into_iter()
                    .map(|header| header.to_owned() + rules.separator);
                sections.push(header.collect::<String>() + &join(&own, rules.separator));
            }
        }
        sections.join(&self.options.separator)
    }

    fn count(&self, text: &str) -> i64 {
        signed(self.options.profile.count(text).expect("it never fails"))
    }

    /// Returns the sum of the parts of a rendering.
    fn sum(&self, rows: &[usize]) -> i64 {
        if self.options.render == Some(Render::Messages) {
            let base = signed(self.options.profile.base_tokens());
            return base + rows.iter().map(|&row| self.cost(row)).sum::<i64>();
        }
        let sections = std::iter::once(None).chain((0..self.case.sections.len()).map(Some));
        let sums = sections
            .map(|section| self.of_section(rows, section))
            .filter(|own| !own.is_empty());
        let sums: Vec<i64> = sums
            .map(|own| self.section_sum(&own, self.section(own[0])))
            .collect();
        let joiners = sums.len().saturating_sub(1);
        sums.iter().sum::<i64>() + signed(joiners as u64) * self.count(&self.options.separator)
    }

    /// Returns the sum of the parts of a section.
    fn section_sum(&self, rows: &[usize], section: Option<usize>) -> i64 {
        let costs: i64 = rows.iter().map(|&row| self.cost(row)).sum();
        if rows.is_empty() || self.options.render == Some(Render::Messages) {
            return costs;
        }
        let mut parts = rows.len() - 1;
        let mut header = 0;
        let mut separator = self.options.separator.as_str();
        if let Some(number) = section.filter(|_| self.options.layout == Layout::Section) {
            let rules = &self.case.sections[number];
            separator = rules.separator;
            if let Some(text) = rules.shown_header() {
                parts += 1;
                header = self.count(text);
            }
        }
        costs + header + signed(parts as u64) * self.count(separator)
    }

    /// Returns what a row costs by itself: as the record says for calls of tools, whose arguments
    /// are counted too, and counted again for all others.
    fn cost(&self, row: usize) -> i64 {
        let item = self.frame().item(row);
        let recorded = || {
            let mut selected = self.document.selected.iter();
            let found = selected.find(|record| record.row == row);
            let tokens = found.map_or_else(|| self.excluded(row)?.tokens, |record| record.tokens);
            signed(tokens.expect("it was counted"))
        };
        let content = self.content(row);
        let messages = self.options.render == Some(Render::Messages);
        let is_message = item.content().as_message().is_some();
        if messages && is_message && item.role() != Role::User {
            return recorded();
        }
        let extra = if messages {
            let message = content.as_message();
            signed(
                self.options
                    .profile
                    .envelope(item.role(), message.map(|_| &*content)),
            )
        } else {
            self.count(&self.label(row))
        };
        let text = content.rendered().expect("bytes are never packed");
        let least = signed(self.options.profile.least_per_item());
        (self.count(text) + extra).max(least)
    }
}

/// Says whether a row is out for want of room.
fn wants_room(record: &ExcludedRecord) -> bool {
    record.reason == "budget" || record.reason == "join_cost"
}

/// Says whether a row was refused before anything was selected.
fn was_refused(record: &ExcludedRecord) -> bool {
    let refusals = [
        "expired",
        "quarantined",
        "unsupported_content",
        "group_incomplete",
        "empty",
    ];
    refusals.contains(&&*record.reason)
}

fn signed(tokens: u64) -> i64 {
    i64::try_from(tokens).expect("the texts are small")
}

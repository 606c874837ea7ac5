//! What holds in every document, whoever wrote it.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::document::{Amount, Breakdown, Document, SelectedRecord};
use super::version::{KEYED_HASH, PLAIN_HASH, is_current};
use crate::word::Accuracy;

/// The differences that are told.
const MOST: usize = 100;

/// What became of a content that is in.
const FORMS: &[&str] = &["whole", "redacted", "cut", "alternative", "repaired"];
/// Why a row is in.
const WHYS: &[&str] = &["required", "pinned", "floor", "score", "optimal"];
/// Why a row is out, but for policies and strategies, which have names.
const REASONS: &[&str] = &[
    "expired",
    "quarantined",
    "missing_provenance",
    "restricted",
    "secret_detected",
    "unsupported_content",
    "empty",
    "duplicate",
    "budget",
    "section_cap",
    "stopped",
    "not_prioritised",
    "group_incomplete",
    "exclusive",
    "requirement_missing",
    "join_cost",
    "not_evaluated",
    "older_than_cut",
    "leading",
    "duplicate_call",
    "duplicate_result",
    "manual",
    "low_relevance",
    "summarized",
    "orphan_result",
    "dangling_call",
    "no_follower",
    "input_control",
    "finished_thinking",
    "hook",
];
/// Where the tokens of a pack go.
const PARTS: &[&str] = &[
    "base",
    "content",
    "envelope",
    "headers",
    "joins",
    "labels",
    "separators",
];

/// Returns what does not hold, naming the field. Linear in the rows, but for sorting them.
pub(super) fn differences(document: &Document) -> Vec<String> {
    let mut found = Found::default();
    numbers(document, &mut found);
    words(document, &mut found);
    rows(document, &mut found);
    records(document, &mut found);
    sums(document, &mut found);
    forms(document, &mut found);
    sections(document, &mut found);
    rendering(document, &mut found);
    found.0
}

/// What was found not to hold.
#[derive(Default)]
struct Found(Vec<String>);

impl Found {
    fn need(&mut self, holds: bool, what: impl FnOnce() -> String) {
        if !holds && self.0.len() < MOST {
            self.0.push(what());
        }
    }

    /// Needs a word to be one of a list.
    fn word(&mut self, path: &str, word: &str, known: &[&str]) {
        self.need(known.contains(&word), || {
            let shown: String = word.chars().take(60).collect();
            format!("{path}: '{shown}' is none of {}", known.join(", "))
        });
    }

    /// Needs a word to be the code of a reason.
    fn reason(&mut self, path: &str, word: &str) {
        let named = ["policy:", "strategy:"]
            .iter()
            .any(|kind| word.len() > kind.len() && word.starts_with(kind));
        if !named {
            self.word(path, word, REASONS);
        }
    }

    /// Needs a hash to have the form of one.
    fn hash(&mut self, path: &str, hash: Option<&str>) {
        let is_hash = |hash: &str| {
            let digits = hash.bytes();
            hash.len() == 64
                && digits
                    .into_iter()
                    .all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'))
        };
        self.need(hash.is_none_or(is_hash), || {
            format!("{path}: is no hash of 64 digits")
        });
    }
}

/// What is left of the budget, and what the count is worth.
fn numbers(document: &Document, found: &mut Found) {
    let budget = document.budget.map(i128::from);
    let kept = i128::from(document.reserve) + i128::from(document.margin);
    let available = document.available.map(i128::from);
    found.need(available == budget.map(|budget| budget - kept), || {
        "available: is not budget less reserve and margin".to_owned()
    });
    let total = i128::from(document.total_tokens);
    let left = document.remaining_tokens.map(i128::from);
    found.need(left == available.map(|available| available - total), || {
        "remaining_tokens: is not available less total_tokens".to_owned()
    });
    if let Some(count) = &document.provider_count {
        let difference = i128::from(count.tokens) - total;
        found.need(i128::from(count.difference) == difference, || {
            "provider_count.difference: is not tokens less total_tokens".to_owned()
        });
        let fits = left.is_none_or(|left| difference <= left);
        found.need(count.fits == fits, || {
            "provider_count.fits: does not go with remaining_tokens".to_owned()
        });
    }
    let is_estimated = document.accuracy != Accuracy::Exact;
    found.need(document.estimated == is_estimated, || {
        "estimated: does not go with accuracy".to_owned()
    });
}

/// Words of closed lists that the types leave open, and the form of hashes.
fn words(document: &Document, found: &mut Found) {
    found.need(
        [PLAIN_HASH, KEYED_HASH].contains(&document.content_hash.as_str()),
        || "content_hash: is no hash that is known".to_owned(),
    );
    found.word(
        "boundary.kind",
        &document.boundary.kind,
        &["internal", "external"],
    );
    found.word("selection", &document.selection, &["greedy", "optimal"]);
    let is_optimal = document.selection == "optimal" || document.optimal.is_none();
    found.need(is_optimal, || {
        "optimal: is there, and selection is not optimal".to_owned()
    });
    found.word(
        "token_profile.framing",
        &document.token_profile.framing,
        &["none", "table", "rendered"],
    );
    found.hash("rendered_sha256", document.rendered_sha256.as_deref());
    if let Some(signature) = &document.signature {
        found.word("signature.algorithm", &signature.algorithm, &[KEYED_HASH]);
    }
    for (at, record) in document.demotions.iter().enumerate() {
        let by = ["demote", "promote", "overflow", "leading"];
        found.word(&format!("demotions[{at}].by"), &record.by, &by);
    }
    for (at, record) in document.groups.iter().enumerate() {
        let kinds = ["named", "chat", "mixed"];
        found.word(&format!("groups[{at}].kind"), &record.kind, &kinds);
    }
    for (at, record) in document.selected.iter().enumerate() {
        found.word(&format!("selected[{at}].form"), &record.form, FORMS);
        found.word(&format!("selected[{at}].why"), &record.why, WHYS);
        let hash = record.content_sha256.as_deref();
        found.hash(&format!("selected[{at}].content_sha256"), hash);
    }
    for (at, record) in document.excluded.iter().enumerate() {
        found.reason(&format!("excluded[{at}].reason"), &record.reason);
        let hash = record.content_sha256.as_deref();
        found.hash(&format!("excluded[{at}].content_sha256"), hash);
    }
    for (at, record) in document.merged.iter().enumerate() {
        found.reason(&format!("merged[{at}].reason"), &record.reason);
        let hash = record.content_sha256.as_deref();
        found.hash(&format!("merged[{at}].content_sha256"), hash);
    }
    for (at, record) in document.substitutions.iter().enumerate() {
        if let Some(reason) = &record.reason {
            found.reason(&format!("substitutions[{at}].reason"), reason);
        }
        let hash = record.content_sha256.as_deref();
        found.hash(&format!("substitutions[{at}].content_sha256"), hash);
    }
    for (at, record) in document.truncations.iter().enumerate() {
        let places = [
            "grapheme", "word", "sentence", "line", "element", "strategy", "edits",
        ];
        found.word(&format!("truncations[{at}].at"), &record.at, &places);
        let keeps = ["head", "tail", "ends"];
        if let Some(keep) = &record.keep {
            found.word(&format!("truncations[{at}].keep"), keep, &keeps);
        }
        let is_known = [
            record.keep.is_some(),
            record.kept_at_end.is_some(),
            record.kept_at_start.is_some(),
            record.marker.is_some(),
        ];
        let is_own = !matches!(&*record.at, "strategy" | "edits");
        found.need(is_known.into_iter().all(|known| known == is_own), || {
            format!("truncations[{at}]: says what a strategy kept, or not what a cut did")
        });
        let hash = Some(&*record.content_sha256);
        found.hash(&format!("truncations[{at}].content_sha256"), hash);
    }
    for (at, record) in document.edits.iter().enumerate() {
        let path = |name: &str| format!("edits[{at}].{name}");
        let kinds = ["thinking", "clear", "results", "text"];
        found.word(&path("kind"), &record.kind, &kinds);
        let is_cut = matches!(&*record.kind, "results" | "text");
        found.need(record.limit.is_some() == is_cut, || {
            format!("edits[{at}].limit: is not there for a cut alone")
        });
        found.need(record.tokens_after <= record.tokens_before, || {
            format!("edits[{at}].tokens_after: is more than before")
        });
        found.hash(&path("content_sha256"), record.content_sha256.as_deref());
    }
    for (at, record) in document.redactions.iter().enumerate() {
        let by = ["boundary", "redact"];
        found.word(&format!("redactions[{at}].by"), &record.by, &by);
        let is_counted = record.secrets.is_some() == (record.by == "boundary");
        found.need(is_counted, || {
            format!("redactions[{at}].secrets: is not there for a boundary alone")
        });
        let hash = record.content_sha256.as_deref();
        found.hash(&format!("redactions[{at}].content_sha256"), hash);
    }
}

/// Each row has one fate, and what speaks of a row speaks of one that there is.
fn rows(document: &Document, found: &mut Found) {
    let selected = document.selected.iter().map(|record| record.row);
    let excluded = document.excluded.iter().map(|record| record.row);
    let count = document.selected.len() + document.excluded.len();
    found.need(are_all(selected.clone().chain(excluded.clone())), || {
        "selected, excluded: do not have each row once".to_owned()
    });
    found.need(selected.is_sorted(), || {
        "selected: is not in the order of rows".to_owned()
    });
    found.need(excluded.is_sorted(), || {
        "excluded: is not in the order of rows".to_owned()
    });
    let positions = document.selected.iter().map(|record| record.position);
    found.need(are_all(positions), || {
        "selected: does not have each position once".to_owned()
    });
    let mut ids: HashMap<usize, &str> = HashMap::with_capacity(count);
    ids.extend(document.selected.iter().map(|it| (it.row, &*it.id)));
    ids.extend(document.excluded.iter().map(|it| (it.row, &*it.id)));
    found.need(
        ids.values().collect::<HashSet<_>>().len() == ids.len(),
        || "selected, excluded: have an id twice".to_owned(),
    );
    let named = |row: usize, id: &str| ids.get(&row).is_some_and(|known| *known == id);
    for (at, record) in document.merged.iter().enumerate() {
        let holds = record
            .into_row
            .is_none_or(|row| named(row, &record.into_id));
        found.need(holds, || {
            format!("merged[{at}].into_row: is no row with the id of into_id")
        });
    }
    for (at, record) in document.demotions.iter().enumerate() {
        found.need(record.row < count, || {
            format!("demotions[{at}].row: is no row")
        });
    }
    let mut grouped = HashSet::new();
    for (at, record) in document.groups.iter().enumerate() {
        let mut rows = record.rows.iter();
        let holds = record.rows.len() > 1 && rows.all(|row| *row < count && grouped.insert(*row));
        found.need(holds, || {
            format!("groups[{at}].rows: are not two rows and more, each of one group")
        });
    }
    for (at, record) in document.truncations.iter().enumerate() {
        found.need(named(record.row, &record.id), || {
            format!("truncations[{at}].row: is no row with this id")
        });
    }
    for (at, record) in document.substitutions.iter().enumerate() {
        found.need(named(record.row, &record.id), || {
            format!("substitutions[{at}].row: is no row with this id")
        });
    }
    for (at, record) in document.redactions.iter().enumerate() {
        found.need(named(record.row, &record.id), || {
            format!("redactions[{at}].row: is no row with this id")
        });
    }
    for (at, record) in document.warnings.iter().enumerate() {
        found.need(record.row.is_none_or(|row| row < count), || {
            format!("warnings[{at}].row: is no row")
        });
    }
}

type Number = (Option<u64>, Option<Accuracy>);

/// Every number of a row stands beside its accuracy, and the parts of a row are its tokens.
fn records(document: &Document, found: &mut Found) {
    let mut record = |path: String, numbers: [Number; 4]| {
        let is_marked = |(tokens, accuracy): &Number| tokens.is_some() == accuracy.is_some();
        found.need(numbers.iter().all(is_marked), || {
            format!("{path}: has a number without its accuracy")
        });
        let [total, parts @ ..] = numbers.map(|(tokens, _)| tokens.map(i128::from));
        let sum: Option<i128> = parts.into_iter().sum();
        found.need(total == sum, || {
            format!("{path}.tokens: is not the sum of content, envelope and label")
        });
    };
    for (at, it) in document.selected.iter().enumerate() {
        record(
            format!("selected[{at}]"),
            [
                (it.tokens, it.tokens_accuracy),
                (it.content_tokens, it.content_tokens_accuracy),
                (it.envelope_tokens, it.envelope_tokens_accuracy),
                (it.label_tokens, it.label_tokens_accuracy),
            ],
        );
    }
    for (at, it) in document.excluded.iter().enumerate() {
        record(
            format!("excluded[{at}]"),
            [
                (it.tokens, it.tokens_accuracy),
                (it.content_tokens, it.content_tokens_accuracy),
                (it.envelope_tokens, it.envelope_tokens_accuracy),
                (it.label_tokens, it.label_tokens_accuracy),
            ],
        );
    }
}

/// The views of the tokens are those of the rows that are in.
fn sums(document: &Document, found: &mut Found) {
    let Breakdown {
        part,
        retention,
        role,
        section,
    } = &document.tokens_by;
    for name in part.keys() {
        found.word("tokens_by.part", name, PARTS);
    }
    let sum: i128 = part.values().map(|amount| i128::from(amount.tokens)).sum();
    found.need(sum == i128::from(document.total_tokens), || {
        "tokens_by.part: does not sum to total_tokens".to_owned()
    });
    let of_rows = |number: fn(&SelectedRecord) -> Option<u64>| -> i128 {
        let numbers = document.selected.iter().filter_map(number);
        numbers.map(i128::from).sum()
    };
    for (name, sum) in [
        ("content", of_rows(|record| record.content_tokens)),
        ("envelope", of_rows(|record| record.envelope_tokens)),
        ("labels", of_rows(|record| record.label_tokens)),
    ] {
        let told = part.get(name).map(|amount| i128::from(amount.tokens));
        found.need(told == Some(sum), || {
            format!("tokens_by.part.{name}: is not the sum of the rows in selected")
        });
    }
    let mut view =
        |name: &str, told: &BTreeMap<String, Amount>, key: fn(&SelectedRecord) -> &str| {
            let mut sums: BTreeMap<&str, i128> = BTreeMap::new();
            for record in &document.selected {
                if let Some(tokens) = record.tokens {
                    *sums.entry(key(record)).or_default() += i128::from(tokens);
                }
            }
            let told = told
                .iter()
                .map(|(key, amount)| (key.as_str(), i128::from(amount.tokens)));
            found.need(told.eq(sums), || {
                format!("tokens_by.{name}: does not sum to the tokens of selected")
            });
        };
    view("retention", retention, |record| record.retention.as_str());
    view("role", role, |record| record.role.as_str());
    view("section", section, |record| {
        record.section.as_deref().unwrap_or("")
    });
}

/// Each form that is not whole has the record of what was done, and the other way round.
fn forms(document: &Document, found: &mut Found) {
    let cut: Vec<usize> = document.truncations.iter().map(|it| it.row).collect();
    let replaced = document.substitutions.iter();
    let replaced: Vec<usize> = replaced
        .filter(|it| it.reason.is_none())
        .map(|it| it.row)
        .collect();
    for (form, list, told) in [
        ("cut", "truncations", cut),
        ("alternative", "substitutions", replaced),
    ] {
        let of_form = document.selected.iter().filter(|it| it.form == form);
        found.need(of_form.map(|it| it.row).eq(told), || {
            format!("{list}: are not those of the rows in selected of the form {form}")
        });
    }
}

/// The rows of the declared sections are counted.
fn sections(document: &Document, found: &mut Found) {
    let mut names = HashSet::new();
    let mut rows: HashMap<&str, (usize, usize)> = HashMap::new();
    let selected = document.selected.iter();
    for section in selected.filter_map(|record| record.section.as_deref()) {
        rows.entry(section).or_default().0 += 1;
    }
    let excluded = document.excluded.iter();
    for section in excluded.filter_map(|record| record.section.as_deref()) {
        rows.entry(section).or_default().1 += 1;
    }
    for (at, record) in document.sections.iter().enumerate() {
        found.need(names.insert(&record.name), || {
            format!("sections[{at}].name: is there twice")
        });
        let counted = rows.get(&*record.name).copied().unwrap_or_default();
        found.need((record.selected, record.excluded) == counted, || {
            format!("sections[{at}]: selected and excluded are not the numbers of its rows")
        });
    }
}

/// What is said of a text is said of texts only, and its parts stand in it in order.
fn rendering(document: &Document, found: &mut Found) {
    let is_text = document.render == crate::word::Render::Text;
    found.need(document.rendered_sha256.is_some() == is_text, || {
        "rendered_sha256: is not there for a text alone".to_owned()
    });
    found.need(document.rendered_bytes.is_some() == is_text, || {
        "rendered_bytes: is not there for a text alone".to_owned()
    });
    if !is_current(document) {
        return;
    }
    let mut placed: Vec<&SelectedRecord> = document.selected.iter().collect();
    placed.sort_unstable_by_key(|record| record.position);
    let given = placed.iter().all(|it| it.offset_bytes.is_some() == is_text);
    let offsets = placed.iter().filter_map(|it| it.offset_bytes);
    let is_inside = |end: usize| offsets.clone().all(|offset| offset <= end);
    let in_order = offsets.clone().is_sorted() && document.rendered_bytes.is_none_or(is_inside);
    found.need(given && in_order, || {
        "selected: offset_bytes are not places of the text, in the order of position".to_owned()
    });
    let tokens = placed.iter().filter_map(|it| it.offset_tokens);
    let marked = placed
        .iter()
        .all(|it| it.offset_tokens.is_some() == it.offset_tokens_accuracy.is_some());
    found.need(marked && tokens.is_sorted(), || {
        "selected: offset_tokens are not in the order of position, each with its accuracy"
            .to_owned()
    });
}

/// Says whether some numbers are 0, 1, 2 and on, in any order, each once.
fn are_all(numbers: impl Iterator<Item = usize>) -> bool {
    let numbers: Vec<usize> = numbers.collect();
    let mut seen = vec![false; numbers.len()];
    numbers.into_iter().all(|number| {
        seen.get_mut(number)
            .is_some_and(|seen| !std::mem::replace(seen, true))
    })
}

//! Packs as data, drawn by proptest: a frame of everything an item may have, and options. What is
//! drawn is plain, so that a case that fails shrinks to few rows and short texts.

use std::collections::HashMap;
use std::sync::Arc;

use packframe_core::{
    Alternative, Boundary, Content, DropRule, Expression, Extra, Format, Frame, Item, ItemSpec,
    Layout, Margin, Message, Overflow, PackOptions, Render, Retention, Role, Section, Selection,
    TokenProfile, Trust, hex,
};
use packframe_tokens::{At, Keep};
use proptest::collection::vec;
use proptest::option::{of, weighted};
use proptest::prelude::{BoxedStrategy, Just, Strategy, any, prop_oneof};
use proptest::sample::select;

use crate::support::{
    FRAGMENTS, ROLES, Sticky, approximate, byte_profile, demote, framed_profile, openai, profile,
};

/// Names of sections: as many are declared as are drawn, the others are labels.
const SECTIONS: [&str; 5] = ["a", "b", "c", "d", "nobody's"];

/// The time at which a case is packed.
pub const NOW: i64 = 1_000;

/// What a row says.
#[derive(Debug, Clone)]
pub enum Said {
    Text(String),
    /// A JSON list of strings.
    Json(Vec<String>),
    Reference(String),
    Bytes(Vec<u8>),
    Message(Role, String),
    /// A call of a tool and its result: two rows.
    Call(String),
}

/// A row, or the two of a call.
#[derive(Debug, Clone)]
pub struct Row {
    pub said: Said,
    pub role: Role,
    pub retention: Retention,
    pub score: i8,
    pub priority: i8,
    pub section: Option<usize>,
    pub group: Option<usize>,
    pub pinned: bool,
    /// Other rows by number, modulo the rows that there are; one more is nobody's id.
    pub requires: Vec<usize>,
    pub exclusive: Option<usize>,
    pub alternatives: Vec<Said>,
    pub cut_to: Option<u64>,
    pub quarantined: bool,
    pub expired: bool,
}

/// A section's rules.
#[derive(Debug, Clone)]
pub struct Rules {
    pub drop: DropRule,
    pub required: Option<bool>,
    pub priority: i8,
    pub min_tokens: u64,
    pub max_tokens: Option<u64>,
    /// In hundredths.
    pub max_share: Option<u8>,
    pub separator: &'static str,
    pub header: Option<String>,
}

/// What counts.
#[derive(Debug, Clone, Copy)]
pub enum Counter {
    Bytes,
    Framed,
    Sticky { unit: u64, seams: bool },
    Approximate,
    OpenAi(&'static str),
}

/// What is tried when required rows do not fit.
#[derive(Debug, Clone, Copy)]
pub enum Escape {
    Truncate(Keep, At),
    Substitute,
    Demote(Retention),
}

/// One call.
#[derive(Debug, Clone)]
pub struct Case {
    pub rows: Vec<Row>,
    pub sections: Vec<Rules>,
    pub counter: Counter,
    pub render: Render,
    /// Of the count of all, in hundredths; `None` for no ceiling.
    pub budget: Option<u64>,
    pub reserve: u64,
    pub margin: u64,
    pub separator: &'static str,
    pub labels: bool,
    pub layout: Layout,
    /// Rows that an earlier pack kept, in its order.
    pub previous: Vec<usize>,
    pub overflow: Vec<Escape>,
    /// Nodes of a search, where selection is optimal.
    pub optimal: Option<u64>,
}

impl Said {
    /// Makes the contents of the rows that say this.
    fn contents(&self, number: usize) -> Vec<Content> {
        let message = |json: String| {
            let message = Message::parse(Format::OpenAiChat, &json).expect("a provider takes it");
            Content::message(message, json)
        };
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        match self {
            Self::Text(text) => vec![Content::text(text.as_str())],
            Self::Json(values) => vec![Content::json(
                serde_json::Value::from(values.clone()).to_string(),
            )],
            Self::Reference(rest) => {
                let uri = format!("s3://{rest}");
                vec![Content::reference(uri, None, Some(7)).expect("it is not empty")]
            }
            Self::Bytes(data) => vec![Content::binary(data.clone(), "image/png".to_owned())],
            Self::Message(role, text) => {
                let text = quoted(text);
                vec![message(format!(r#"{{"role":"{role}","content":{text}}}"#))]
            }
            Self::Call(result) => {
                let (id, result) = (format!("call_{number}"), quoted(result));
                let function = r#"{"name":"look","arguments":"{}"}"#;
                vec![
                    message(format!(
                        r#"{{"role":"assistant","content":null,"tool_calls":[{{"id":"{id}","type":"function","function":{function}}}]}}"#
                    )),
                    message(format!(
                        r#"{{"role":"tool","tool_call_id":"{id}","content":{result}}}"#
                    )),
                ]
            }
        }
    }

    /// Makes what may stand in the place of another content: no message may.
    fn alternative(&self) -> Content {
        match self {
            Self::Message(_, text) | Self::Call(text) => Content::text(text.as_str()),
            other => other.contents(0).remove(0),
        }
    }
}

impl Case {
    /// Makes the frame anew: none of its contents was counted before.
    pub fn frame(&self) -> Arc<Frame> {
        let mut sections: HashMap<usize, Option<usize>> = HashMap::new();
        let contents: Vec<Vec<Content>> = (self.rows.iter().enumerate())
            .map(|(number, row)| row.said.contents(number))
            .collect();
        let total: usize = contents.iter().map(Vec::len).sum();
        let mut items = Vec::new();
        for (row, contents) in self.rows.iter().zip(contents) {
            // All members of a group are in the section of its first.
            let section = match row.group {
                Some(group) => *sections.entry(group).or_insert(row.section),
                None => row.section,
            };
            for content in contents {
                let id = format!("i{}", items.len());
                let spec = row.spec(content, id, section, total);
                items.push(Item::new(spec).expect("the fields are in range"));
            }
        }
        Arc::new(Frame::from_items(&items).expect("no two ids are equal"))
    }

    /// Returns a number for each row that rows of one group share.
    pub fn groups(&self) -> Vec<usize> {
        let mut first: HashMap<usize, usize> = HashMap::new();
        let mut groups = Vec::new();
        for row in &self.rows {
            let own = groups.len();
            let group = row
                .group
                .map_or(own, |name| *first.entry(name).or_insert(own));
            let rows = if matches!(row.said, Said::Call(_)) {
                2
            } else {
                1
            };
            groups.extend(std::iter::repeat_n(group, rows));
        }
        groups
    }

    /// Returns the number of the declared section of each row.
    pub fn section_of(&self, frame: &Frame, row: usize) -> Option<usize> {
        let name = frame.section(row)?;
        SECTIONS[..self.sections.len()]
            .iter()
            .position(|known| **known == **name)
    }

    /// Makes the profile.
    pub fn profile(&self) -> Arc<TokenProfile> {
        match self.counter {
            Counter::Bytes => byte_profile(),
            Counter::Framed => framed_profile(5, 3),
            Counter::Sticky { unit, seams } => {
                Arc::new(profile("sticky", Arc::new(Sticky { unit, seams })))
            }
            Counter::Approximate => approximate(),
            Counter::OpenAi(name) => openai(name),
        }
    }

    /// Makes the options; the budget is a part of what all rows take.
    pub fn options(&self, frame: &Frame, profile: &Arc<TokenProfile>) -> PackOptions {
        let all = packframe_core::text(frame, 0..frame.len(), self.separator, self.labels);
        let mut whole = profile.count(&all).expect("it never fails");
        if self.render == Render::Messages {
            let envelope = profile.envelope_tokens_per_item();
            whole += profile.base_tokens() + envelope * frame.len() as u64;
        }
        let sections = self.sections.iter().zip(SECTIONS);
        let kept = self.previous.iter().filter(|_| !frame.is_empty());
        PackOptions {
            budget: self.budget.map(|part| whole * part / 100 + self.reserve),
            reserve: self.reserve,
            margin: Margin::Tokens(self.margin),
            profile: Arc::clone(profile),
            render: Some(self.render),
            separator: self.separator.to_owned(),
            labels: self.labels,
            boundary: Boundary::internal("application"),
            policies: Vec::new(),
            overflow: self
                .overflow
                .iter()
                .map(|escape| escape.strategy())
                .collect(),
            now: Some(NOW),
            sections: sections.map(|(rules, name)| rules.section(name)).collect(),
            layout: self.layout,
            previous: kept
                .map(|row| row % frame.len())
                .map(|row| (Arc::clone(frame.id(row)), hex(frame.content(row).hash())))
                .collect(),
            strategies: Vec::new(),
            hash_key: None,
            selection: match self.optimal {
                None => Selection::Greedy,
                Some(effort) => Selection::Optimal {
                    effort: Some(effort),
                    values: packframe_core::Values::Scores,
                    diversity: None,
                },
            },
            merged: None,
            fixed: 0,
            planned: None,
        }
    }

    /// Says whether the tokens of the joined text decide, and not the sum of the parts.
    pub fn counts_joins(&self) -> bool {
        let opaque = matches!(self.counter, Counter::Sticky { seams: false, .. });
        self.render == Render::Text && !opaque
    }
}

impl Row {
    fn spec(&self, content: Content, id: String, section: Option<usize>, rows: usize) -> ItemSpec {
        let role = content.as_message().map_or(self.role, Message::role);
        let required = self.requires.iter().map(|number| number % (rows + 1));
        ItemSpec {
            id: Some(id.into()),
            role,
            retention: self.retention,
            score: f64::from(self.score),
            priority: f64::from(self.priority),
            section: section.map(|number| SECTIONS[number].into()),
            group: self.group.map(|number| format!("g{number}").into()),
            pinned: self.pinned,
            trust: if self.quarantined {
                Trust::Quarantined
            } else {
                Trust::Untrusted
            },
            extra: Extra {
                expires_at: self.expired.then_some(NOW - 1),
                requires: required.map(|number| format!("i{number}").into()).collect(),
                exclusive: self.exclusive.map(|number| format!("x{number}").into()),
                alternatives: (self.alternatives.iter().enumerate())
                    .map(|(place, said)| Alternative::at(place, Arc::new(said.alternative())))
                    .collect(),
                cut_to: self.cut_to,
                ..Extra::default()
            },
            ..ItemSpec::of(Arc::new(content))
        }
    }
}

impl Rules {
    /// Returns the header that is shown: an empty one is none.
    pub fn shown_header(&self) -> Option<&str> {
        self.header.as_deref().filter(|header| !header.is_empty())
    }

    fn section(&self, name: &str) -> Section {
        Section {
            priority: f64::from(self.priority),
            // A floor over its own cap is refused.
            min_tokens: self.min_tokens.min(self.max_tokens.unwrap_or(u64::MAX)),
            max_tokens: self.max_tokens,
            max_share: self.max_share.map(|part| f64::from(part) / 100.0),
            drop: self.drop,
            required: self.required,
            separator: self.separator.to_owned(),
            header: self.header.clone(),
            ..Section::new(name)
        }
    }
}

impl Escape {
    fn strategy(self) -> Overflow {
        match self {
            Self::Truncate(keep, at) => Overflow::Truncate {
                keep,
                at,
                marker: "…".to_owned(),
            },
            Self::Substitute => Overflow::Substitute,
            Self::Demote(to) => demote(everything(), to),
        }
    }
}

/// An expression that chooses every row.
fn everything() -> Expression {
    Expression::is_null("row")
        .expect("rows have numbers")
        .negate()
}

/// Draws a text of parts that stick together at their ends.
fn texts(parts: usize) -> BoxedStrategy<String> {
    let run = (
        select(&[' ', '\n', '\t', 'a', 'b', '\u{301}', '0'][..]),
        1..9_usize,
    );
    let part = prop_oneof![
        8 => select(FRAGMENTS).prop_map(str::to_owned),
        4 => select(&["a", "b", "ab", "ba", "c", "é", "\r\n", "word "][..]).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
        1 => run.prop_map(|(one, times)| String::from(one).repeat(times)),
    ];
    vec(part, 0..=parts)
        .prop_map(|parts| parts.concat())
        .boxed()
}

/// Draws what a row says.
fn said() -> BoxedStrategy<Said> {
    let role = select(&[Role::User, Role::Assistant, Role::System][..]);
    prop_oneof![
        20 => texts(6).prop_map(Said::Text),
        3 => vec(texts(2), 0..4).prop_map(Said::Json),
        1 => texts(2).prop_map(Said::Reference),
        1 => vec(any::<u8>(), 0..3).prop_map(Said::Bytes),
        3 => (role, texts(4)).prop_map(|(role, text)| Said::Message(role, text)),
        2 => texts(3).prop_map(Said::Call),
    ]
    .boxed()
}

/// Draws a row; most have few of the many things that a row may have.
fn row() -> BoxedStrategy<Row> {
    let retention = prop_oneof![
        6 => Just(Retention::Optional),
        3 => Just(Retention::Preferred),
        1 => Just(Retention::Required),
    ];
    let about = (said(), select(&ROLES[..]), retention, 0..4_i8, 0..2_i8);
    let bonds = (
        weighted(0.7, 0..SECTIONS.len()),
        weighted(0.15, 0..3_usize),
        prop_oneof![5 => Just(Vec::new()), 1 => vec(any::<usize>(), 1..3)],
        weighted(0.15, 0..3_usize),
    );
    let one_in = |times: u32| prop_oneof![times - 1 => Just(false), 1 => Just(true)];
    let forms = (
        prop_oneof![4 => Just(Vec::new()), 1 => vec(said(), 1..3)],
        weighted(0.4, 1..6_u64),
        one_in(40),
        one_in(30),
        one_in(30),
    );
    (about, bonds, forms)
        .prop_map(|(about, bonds, forms)| {
            let (said, role, retention, score, priority) = about;
            let (section, group, requires, exclusive) = bonds;
            let (alternatives, cut_to, pinned, quarantined, expired) = forms;
            Row {
                said,
                role,
                retention,
                score,
                priority,
                section,
                group,
                pinned,
                requires,
                exclusive,
                alternatives,
                cut_to,
                quarantined,
                expired,
            }
        })
        .boxed()
}

/// Draws the rules of a section.
fn rules() -> BoxedStrategy<Rules> {
    let rule = (
        select(DropRule::ALL),
        prop_oneof![2 => Just(Some(false)), 1 => Just(None)],
    );
    let caps = (
        prop_oneof![2 => Just(0), 1 => 0..12_u64],
        weighted(0.3, 0..60_u64),
        weighted(0.2, 0..=100_u8),
    );
    let looks = (
        select(&["", "\n", "\n\n", "b", "--- "][..]),
        weighted(0.4, texts(2)),
    );
    (rule, -1..3_i8, caps, looks)
        .prop_map(
            |((drop, required), priority, caps, (separator, header))| Rules {
                drop,
                required,
                priority,
                min_tokens: caps.0,
                max_tokens: caps.1,
                max_share: caps.2,
                separator,
                header,
            },
        )
        .boxed()
}

fn counters() -> BoxedStrategy<Counter> {
    prop_oneof![
        Just(Counter::Bytes),
        Just(Counter::Framed),
        (select(&[1, 3][..]), any::<bool>())
            .prop_map(|(unit, seams)| Counter::Sticky { unit, seams }),
        Just(Counter::Approximate),
        select(&["o200k_base", "cl100k_base"][..]).prop_map(Counter::OpenAi),
    ]
    .boxed()
}

fn escapes() -> BoxedStrategy<Vec<Escape>> {
    let keep = select(&Keep::ALL[..]);
    let at = select(&At::ALL[..]);
    let escape = prop_oneof![
        (keep, at).prop_map(|(keep, at)| Escape::Truncate(keep, at)),
        Just(Escape::Substitute),
        select(&[Retention::Preferred, Retention::Optional][..]).prop_map(Escape::Demote),
    ];
    prop_oneof![4 => Just(Vec::new()), 1 => vec(escape, 1..3)].boxed()
}

/// Draws a call with everything switched on.
pub fn cases() -> BoxedStrategy<Case> {
    let data = (vec(row(), 0..14), vec(rules(), 0..5), counters());
    let room = (
        prop_oneof![12 => (0..115_u64).prop_map(Some), 1 => Just(None)],
        select(&[0, 0, 1, 5][..]),
        select(&[0, 0, 2][..]),
    );
    let render = prop_oneof![2 => Just(Render::Text), 1 => Just(Render::Messages)];
    let separator = select(&["", " ", "\n", "\n\n", "--- ", "…", "a1_.", "b"][..]);
    let looks = (render, separator, any::<bool>(), select(Layout::ALL));
    let rest = (
        vec(any::<usize>(), 0..4),
        escapes(),
        of(select(&[0, 1, 50, 5_000][..])),
    );
    (data, room, looks, rest)
        .prop_map(|(data, room, looks, rest)| {
            let (rows, sections, counter) = data;
            let (budget, reserve, margin) = room;
            let (render, separator, labels, layout) = looks;
            let (previous, overflow, optimal) = rest;
            Case {
                rows,
                sections,
                counter,
                render,
                budget,
                reserve,
                margin,
                separator,
                labels,
                layout,
                previous,
                overflow,
                optimal,
            }
        })
        .boxed()
}

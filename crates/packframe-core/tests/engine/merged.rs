//! Sections that are one message before the others: what is rendered is what is counted.

use std::sync::Arc;

use packframe_core::{
    DropRule, ErrorKind, Frame, ItemSpec, Layout, Merged, Overflow, Pack, PackOptions, Render,
    Retention, Role, Section, TokenProfile, pack,
};
use serde_json::Value;

use crate::support::{
    Random, approximate, assert_partitioned, frame, framed_profile, openai, options, text,
};

const TEXTS: [&str; 8] = [
    "a1_.",
    ".s-  ",
    "internationalisation",
    "Item done.\r\n",
    "\n\n",
    "",
    "שלום תודה",
    "The quick brown fox.",
];
const MERGED: usize = 3;

fn random_frame(random: &mut Random) -> Arc<Frame> {
    let names = ["system", "profile", "rag", "history"];
    let count = random.below(14);
    frame((0..count).map(|_| {
        let section = random.below(names.len());
        let content = format!("{}{}", random.pick(&TEXTS), random.pick(&TEXTS));
        let mut spec = ItemSpec {
            section: Some(names[section].into()),
            role: random.pick(&[Role::User, Role::Assistant]),
            retention: random.pick(&[
                Retention::Optional,
                Retention::Optional,
                Retention::Preferred,
                Retention::Required,
            ]),
            score: f64::from(u8::try_from(random.below(4)).expect("it is small")),
            ..text(&content)
        };
        if random.one_in(3) {
            spec.extra.cut_to = Some(1);
        }
        spec
    }))
}

fn random_options(random: &mut Random, profile: &Arc<TokenProfile>) -> PackOptions {
    let mut sections: Vec<Section> = ["system", "profile", "rag", "history"]
        .map(Section::new)
        .into();
    for section in &mut sections {
        section.priority = f64::from(u8::try_from(random.below(3)).expect("it is small"));
        section.drop = random.pick(&[
            DropRule::Truncate,
            DropRule::LowestScore,
            DropRule::CutThenStop,
            DropRule::Oldest,
        ]);
        random
            .pick(&["\n", "", " "])
            .clone_into(&mut section.separator);
        section.header = random.one_in(3).then(|| "# About\n".to_owned());
        section.min_tokens = if random.one_in(4) { 6 } else { 0 };
    }
    sections[MERGED].header = None;
    let most = random.pick(&[20, 60, 200]);
    PackOptions {
        render: Some(Render::Messages),
        layout: Layout::Section,
        separator: random.pick(&["\n\n", "", "\n"]).to_owned(),
        sections,
        merged: Some(Merged {
            role: Role::System,
            sections: MERGED,
        }),
        fixed: random.pick(&[0, 0, 5]),
        overflow: if random.one_in(2) {
            vec![Overflow::Substitute]
        } else {
            Vec::new()
        },
        ..options(random.below(most) as u64, profile)
    }
}

/// Counts the messages of a pack as a provider would.
fn recount(profile: &TokenProfile, pack: &Pack, fixed: u64) -> u64 {
    let messages: Vec<Value> =
        serde_json::from_str(&pack.rendered()).expect("the rendering is JSON");
    let mut total = profile.base_tokens() + fixed;
    for message in &messages {
        let role = message["role"].as_str().expect("a role");
        let known = Role::ALL.iter().find(|known| known.as_str() == role);
        let role = *known.expect("it is known");
        let content = message["content"].as_str().expect("a text");
        let content = profile.count(content).expect("it never fails");
        let cost = content + profile.envelope(role, None);
        total += cost.max(profile.least_per_item());
    }
    total
}

#[test]
fn what_is_rendered_is_what_is_counted() {
    let mut random = Random::new(31);
    let profiles = [openai("cl100k_base"), framed_profile(3, 4), approximate()];
    let (mut packed, mut merged, mut shed) = (0, 0, 0);
    for _ in 0..3_000 {
        let frame = random_frame(&mut random);
        let profile = &random.pick(&[0, 1, 2]);
        let profile = &profiles[*profile];
        let options = random_options(&mut random, profile);
        let (budget, fixed) = (options.budget.expect("there is one"), options.fixed);
        match pack(&frame, options) {
            Ok(pack) => {
                packed += 1;
                let document = pack.manifest().document();
                assert_partitioned(document, frame.len());
                assert!(pack.total_tokens() <= budget);
                if profile.least_per_item() == 0 {
                    assert_eq!(recount(profile, &pack, fixed), pack.total_tokens());
                }
                let parts: i64 = document
                    .tokens_by
                    .part
                    .values()
                    .map(|part| part.tokens)
                    .sum();
                assert_eq!(
                    parts,
                    i64::try_from(pack.total_tokens()).expect("it is small")
                );
                merged += usize::from(pack.rendered().contains("system"));
                shed += document.excluded.len();
            }
            Err(error) => assert!(
                matches!(
                    error.kind(),
                    ErrorKind::BudgetExceeded(_) | ErrorKind::FloorsExceedBudget { .. }
                ),
                "{error}"
            ),
        }
    }
    assert!(
        packed > 1_000 && merged > 500 && shed > 1_000,
        "{packed} {merged} {shed}"
    );
}

#[test]
fn shortfalls_are_what_the_rendering_would_be_over() {
    let mut random = Random::new(77);
    let profile = openai("cl100k_base");
    let mut judged = 0;
    for _ in 0..600 {
        let frame = random_frame(&mut random);
        let options = random_options(&mut random, &profile);
        let (budget, without) = (options.budget.expect("there is one"), options.clone());
        let Ok(pack) = pack(&frame, options) else {
            continue;
        };
        for out in &pack.manifest().document().excluded {
            if out.reason != "budget" {
                continue;
            }
            let rows: Vec<usize> = (0..frame.len())
                .filter(|row| *row == out.row || pack.rows().contains(row))
                .collect();
            if !pack.complete() && !pack.manifest().document().truncations.is_empty() {
                continue;
            }
            let with = Arc::new(frame.take(&rows).expect("they are rows"));
            let all = PackOptions {
                budget: None,
                ..without.clone()
            };
            let all = packframe_core::pack(&with, all).expect("there is no ceiling");
            let over = i64::try_from(all.total_tokens()).expect("it is small")
                - i64::try_from(budget).expect("it is small");
            assert_eq!(out.shortfall, Some(over), "row {}", out.row);
            assert!(over > 0);
            judged += 1;
        }
    }
    assert!(judged > 200, "{judged}");
}

//! Conversations that are rendered, and numbers of framing.

use std::sync::Arc;

use packframe_core::{
    Accuracy, Beside, ChatRequest, ChatTemplate, Format, FrameOptions, Framing, FramingRow,
    Harmony, MessageCounter, MistralVersion, ProfileSpec, Provider, RenderedCounter, Renderer,
    TableFraming, TemplateSpec, TokenProfile, count_messages, frame_of_messages,
};
use packframe_tokens::{OpenAi, Tokenizer};

use crate::support::{Bytes, bare, frame, message};

const USER: &str = r#"[{"role":"user","content":"hello"}]"#;

fn harmony(options: Harmony) -> RenderedCounter {
    let tokenizer = OpenAi::named("o200k_harmony").expect("the encoding is known");
    RenderedCounter::new(Renderer::Harmony(options), tokenizer)
}

fn bare_harmony() -> Harmony {
    Harmony {
        system: false,
        add_generation_prompt: false,
        ..Harmony::default()
    }
}

fn template(source: &str) -> Result<RenderedCounter, packframe_tokens::TokenizerError> {
    let text: Arc<dyn Tokenizer> = Arc::new(Marked);
    let template = ChatTemplate::new(TemplateSpec {
        source: source.to_owned(),
        tool_source: None,
        variables: r#"{"bos":"<s>"}"#.to_owned(),
        now: Some("2026-11-30T12:00:00".to_owned()),
        add_generation_prompt: true,
        text: Arc::clone(&text),
        parse: None,
    })?;
    Ok(RenderedCounter::new(
        Renderer::Template(Box::new(template)),
        text,
    ))
}

/// A token a byte, and one special token.
struct Marked;

impl Tokenizer for Marked {
    fn count(&self, text: &str) -> Result<u64, packframe_tokens::TokenizerError> {
        Bytes.count(text)
    }

    fn special_tokens(&self) -> Vec<String> {
        vec!["<s>".to_owned(), "<end>".to_owned()]
    }
}

#[test]
fn harmony_costs_what_was_measured() {
    let plain = harmony(bare_harmony());
    let open = harmony(Harmony {
        system: false,
        ..Harmony::default()
    });
    let whole = harmony(Harmony {
        add_generation_prompt: false,
        ..Harmony::default()
    });
    let dated = harmony(Harmony {
        add_generation_prompt: false,
        current_date: Some("2025-06-28".to_owned()),
        ..Harmony::default()
    });
    for (counter, messages, wanted) in [
        (&plain, USER, 5),
        (&open, USER, 7),
        (
            &plain,
            r#"[{"role":"user","name":"alice","content":"hello"}]"#,
            7,
        ),
        (&plain, r#"[{"role":"assistant","content":"hello"}]"#, 7),
        (&plain, r#"[{"role":"developer","content":"hello"}]"#, 8),
        (&whole, "[]", 50),
        (&dated, "[]", 61),
    ] {
        assert_eq!(
            counter.count_messages(messages).expect("it is rendered"),
            wanted
        );
    }
    let tools = r#"[{"type":"function","function":{"name":"now","description":"Get time"}}]"#;
    let request = ChatRequest {
        messages: "[]",
        tools: Some(tools),
    };
    assert_eq!(
        plain.count_request(&request).expect("it is rendered"),
        Some(27)
    );
    assert_eq!(
        whole.count_request(&request).expect("it is rendered"),
        Some(91)
    );
}

#[test]
fn reasoning_goes_where_the_turn_is_over() {
    let messages = r#"[{"role":"user","content":"hello"},{"role":"assistant","reasoning":"think think","content":"hello"},{"role":"user","content":"hello"}]"#;
    for (drop_analysis, wanted) in [(true, 19), (false, 27)] {
        let counter = harmony(Harmony {
            system: false,
            drop_analysis,
            ..Harmony::default()
        });
        assert_eq!(
            counter.count_messages(messages).expect("it is rendered"),
            wanted
        );
    }
}

#[test]
fn mistral_writes_each_generation() {
    let messages = r#"[{"role":"system","content":"s"},{"role":"user","content":"u"},{"role":"user","content":"v"}]"#;
    for (version, wanted) in [
        (MistralVersion::V1, "<s>[INST] s\n\nu\n\nv [/INST]"),
        (MistralVersion::V3, "<s>[INST]s\n\nu\n\nv[/INST]"),
        (
            MistralVersion::V7,
            "<s>[SYSTEM_PROMPT]s[/SYSTEM_PROMPT][INST]u\n\nv[/INST]",
        ),
    ] {
        let counter = RenderedCounter::new(Renderer::Mistral(version), Arc::new(Bytes));
        let shown = counter
            .shown(&ChatRequest::of(messages))
            .expect("it is rendered");
        assert_eq!(shown.as_deref(), Some(wanted));
        assert_eq!(MistralVersion::parse(version.as_str()), Some(version));
    }
}

#[test]
fn markers_of_a_template_are_tokens_and_contents_are_text() {
    let source = "{{ bos }}{% for m in messages %}{{ m.content }}<end>{% endfor %}";
    let counter = template(source).expect("it parses");
    let count = |messages: &str| counter.count_messages(messages).expect("it is rendered");
    assert_eq!(count(USER), 1 + 5 + 1);
    assert_eq!(count(r#"[{"role":"user","content":"<end>"}]"#), 1 + 5 + 1);
    // Two contents, or a content and the template, never make a marker of halves.
    let halves = r#"[{"role":"user","content":"<e"},{"role":"user","content":"nd>"}]"#;
    assert_eq!(count(halves), 1 + 2 + 1 + 3 + 1);
    let joined = template("{% for m in messages %}{{ m.content }}{% endfor %}").expect("it parses");
    assert_eq!(joined.count_messages(halves).expect("it is rendered"), 5);
    let shown = joined
        .shown(&ChatRequest::of(halves))
        .expect("it is rendered");
    assert_eq!(shown.as_deref(), Some("<end>"));
    // A content with the first private characters changes nothing.
    let private = format!(r#"[{{"role":"user","content":"{}<end>"}}]"#, '\u{f0000}');
    assert_eq!(
        joined.count_messages(&private).expect("it is rendered"),
        4 + 5
    );
}

#[test]
fn a_template_ends_soon_or_fails() {
    for source in [
        "{% for i in range(9999) %}{% for j in range(9999) %}x{% endfor %}{% endfor %}",
        "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
        "{{ 'x' * 999999999999 }}",
        "{{ raise_exception('no') }}",
        "{{ nothing() }}",
    ] {
        let counter = template(source).expect("it parses");
        let error = counter.count_messages(USER).expect_err(source);
        assert!(error.message().contains("chat template"), "{error:?}");
    }
    assert!(template("{% for").is_err());
    let counter = template("{{ strftime_now('%Y') }}").expect("it parses");
    let shown = counter
        .shown(&ChatRequest::of(USER))
        .expect("it is rendered");
    assert_eq!(shown.as_deref(), Some("2026"));
}

#[test]
fn messages_that_are_no_list_are_an_error() {
    let counter = harmony(Harmony::default());
    for bad in ["", "{}", "7"] {
        assert!(counter.count_messages(bad).is_err(), "{bad}");
    }
    let deep = format!("[{}{}]", "[".repeat(500), "]".repeat(500));
    assert!(counter.count_messages(&deep).is_err());
}

#[test]
fn a_rendered_total_is_exact_and_its_parts_sum_to_it() {
    let tokenizer = OpenAi::named("o200k_harmony").expect("the encoding is known");
    let renders = RenderedCounter::new(Renderer::Harmony(Harmony::default()), tokenizer.clone());
    let spec = ProfileSpec {
        framing: Framing::Rendered(renders.framing()),
        message_counter: Some(Arc::new(renders)),
        ..bare("harmony", tokenizer)
    };
    let profile = Arc::new(TokenProfile::new(spec).expect("no role is counted"));
    let frame = frame([message(r#"{"role":"user","content":"hello"}"#)]);
    let beside = Beside {
        tools: Some(r#"[{"type":"function","function":{"name":"now"}}]"#.to_owned()),
        ..Beside::default()
    };
    let counted = count_messages(&frame, &profile, &beside).expect("it is rendered");
    assert_eq!(counted.accuracy, Accuracy::Exact);
    let sum: i64 = counted.parts.iter().map(|part| part.tokens).sum();
    assert_eq!(u64::try_from(sum), Ok(counted.total));
    assert!(counted.parts.iter().all(|part| part.source.is_some()));
}

#[test]
fn published_numbers_frame_items_of_other_formats() {
    let framing = TableFraming::new(Provider::Anthropic, Some("claude-opus-4-7"), None);
    let spec = ProfileSpec {
        framing: Framing::Table(framing),
        ..bare("anthropic", Arc::new(Bytes))
    };
    let profile = Arc::new(TokenProfile::new(spec).expect("no role is counted"));
    let items = [
        r#"{"role":"user","content":"hello"}"#.to_owned(),
        r#"{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{"a":1}}]}"#
            .to_owned(),
    ];
    let beside = Beside {
        tools: Some("[{}]".to_owned()),
        tool_choice: Some(r#""none""#.to_owned()),
        ..Beside::default()
    };
    let options = FrameOptions::default();
    let frame = frame_of_messages(&items, Format::Anthropic, &options).expect("they are sound");
    let frame = Arc::new(frame);
    let counted = count_messages(&frame, &profile, &beside).expect("it never fails");
    assert_eq!(counted.total, (11 + 5) + (11 + 1 + 7) + (346 + 4));
    assert!(FramingRow::all().len() > 10);
}

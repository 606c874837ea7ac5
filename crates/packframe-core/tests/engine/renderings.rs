//! A pack as the text or the messages that it was made for, and as the other.

use std::sync::Arc;

use packframe_core::{Content, ErrorKind, Format, ItemSpec, PackOptions, Render, Role};

use crate::support::{byte_profile, bytes, frame, framed_profile, options, packed, required, text};

#[test]
fn a_text_joins_labels_parts_and_separators() {
    let reference = Content::reference("kb://7".to_owned(), None, None).expect("it is a URI");
    let frame = frame([
        ItemSpec {
            role: Role::System,
            ..text("be kind")
        },
        text(""),
        ItemSpec::of(Arc::new(Content::json(r#"{"b":1,"a":"ü"}"#))),
        ItemSpec {
            role: Role::Tool,
            ..ItemSpec::of(Arc::new(reference))
        },
    ]);
    for (labels, expected) in [
        (false, "be kind|||{\"b\":1,\"a\":\"ü\"}||kb://7"),
        (
            true,
            "system: be kind||user: ||user: {\"b\":1,\"a\":\"ü\"}||tool: kb://7",
        ),
    ] {
        let pack = packed(
            &frame,
            PackOptions {
                separator: "||".to_owned(),
                labels,
                ..options(None, &byte_profile())
            },
        );
        let expected = expected.replace("|||{", "||||{");
        assert_eq!(pack.text().expect("it is a text"), expected);
        assert_eq!(pack.rendered(), expected);
        assert_eq!(pack.total_tokens(), expected.len() as u64);
        let document = pack.manifest().document();
        assert_eq!(document.rendered_bytes, Some(expected.len()));
        assert_eq!(
            document.rendered_sha256,
            Some(packframe_core::hex(Content::text(expected).hash()))
        );
    }
}

#[test]
fn the_other_rendering_is_counted_and_refused_where_it_is_over() {
    let frame = frame([required("aaa"), required("bbb")]);
    let as_text = |budget| packed(&frame, options(budget, &framed_profile(7, 4)));
    let error = as_text(20)
        .call(Format::OpenAiChat)
        .expect_err("it is 21 as messages");
    assert!(matches!(
        error.kind(),
        ErrorKind::RenderingOverBudget {
            needed: 21,
            available: 20,
            ..
        }
    ));
    as_text(21)
        .call(Format::OpenAiChat)
        .expect("it fits as messages");
    let as_messages = |separator: &str| {
        packed(
            &frame,
            PackOptions {
                separator: separator.to_owned(),
                render: Some(Render::Messages),
                ..options(21, &framed_profile(7, 4))
            },
        )
    };
    let error = as_messages(&"-".repeat(16))
        .text()
        .expect_err("it is 22 as a text");
    assert!(matches!(
        error.kind(),
        ErrorKind::RenderingOverBudget {
            needed: 22,
            available: 21,
            ..
        }
    ));
    as_messages(&"-".repeat(15))
        .text()
        .expect("it fits as a text");
}

#[test]
fn a_pack_says_what_it_holds() {
    let frame = frame([text("aaa"), text("bb"), bytes(b"c")]);
    let pack = packed(
        &frame,
        PackOptions {
            reserve: 1,
            ..options(5, &byte_profile())
        },
    );
    assert_eq!((pack.rows(), pack.total_tokens()), (&[1][..], 2));
    assert_eq!(
        (pack.remaining_tokens(), pack.complete(), pack.is_internal()),
        (Some(2), false, true)
    );
}

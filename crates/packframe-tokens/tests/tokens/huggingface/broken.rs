//! Files that are broken, hostile, or none.

use packframe_tokens::{HuggingFace, Tokenizer};
use serde_json::{Value, json};

use super::assert_same;
use super::file::files;
use crate::oracle::Texts;
use crate::trained;

#[test]
fn what_is_no_tokenizer_is_an_error_that_says_why() {
    const CASES: [(&[u8], &str); 7] = [
        (b"", "EOF"),
        (b"{}", "Model"),
        (b"[]", "invalid"),
        (b"null", "invalid"),
        (b"\xff\xfe{", "expected value"),
        (br#"{"version": "9.0", "model": {}}"#, "version"),
        (
            br#"{"version": "1.0", "added_tokens": [], "model": {"type": "Nonsense"}}"#,
            "",
        ),
    ];
    for (json, why) in CASES {
        let error = HuggingFace::from_json(json).expect_err("no tokenizer");
        let message = error.to_string();
        assert!(message.contains(why), "{message:?} does not say {why:?}");
        assert!(
            message.contains(&format!("{} bytes", json.len())),
            "{message}"
        );
    }
    let deep = "[".repeat(1_000_000);
    HuggingFace::from_json(deep.as_bytes()).expect_err("no tokenizer");
}

#[test]
fn broken_files_never_panic() {
    const JUNK: &[u8] = b"\"\\{}[],:0123456789eE-+.nulltruefalse \0\xff";
    let mut texts = Texts::new(9);
    for (_, json) in files() {
        for end in (0..json.len()).step_by(1 + json.len() / 200) {
            HuggingFace::from_json(&json[..end]).expect_err("cut short");
        }
        for _ in 0..400 {
            let mut broken = json.clone();
            for _ in 0..=texts.below(3) {
                let at = texts.below(broken.len());
                broken[at] = JUNK[texts.below(JUNK.len())];
            }
            if let Ok(tokenizer) = HuggingFace::from_json(&broken) {
                // An error is as good as a count here.
                let _ = tokenizer.count("hello <tool> wörld! <|end|> 中文\n");
            }
        }
    }
}

#[test]
fn a_file_that_is_too_long_names_the_limit() {
    let json = vec![b' '; HuggingFace::LONGEST + 1];
    let message = HuggingFace::from_json(&json)
        .expect_err("too long")
        .to_string();
    assert!(
        message.contains("134217729") && message.contains("134217728"),
        "{message}"
    );
}

#[test]
fn messages_are_one_line() {
    for json in [
        &b"{}"[..],
        b"",
        &vec![b','; 20_000_000],
        &vec![b' '; HuggingFace::LONGEST + 1],
    ] {
        let message = HuggingFace::from_json(json)
            .expect_err("no tokenizer")
            .to_string();
        assert!(
            !message.contains(['\n', '\\']) && !message.contains("  "),
            "{message}"
        );
    }
}

/// A file that is cut, changed or turned around is taken as the library takes it, or is an error
/// where the library has one.
#[test]
fn broken_files_are_to_the_engine_what_they_are_to_the_library() {
    const JUNK: &[&str] = &[
        "\"",
        "\\",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "0",
        "9",
        "-",
        "e5",
        "null",
        "true",
        "false",
        " ",
        "Ġ",
        "a",
        "\u{0}",
        "\\u0120",
        "\\ud800",
        "4294967295",
        "4294967296",
        "1.5",
    ];
    let mut texts = Texts::new(25);
    let (mut same, mut refused) = (0, 0);
    for file in trained::files() {
        let json = file.json.to_string();
        for round in 0..150 {
            let mut broken = json.clone();
            if round % 2 == 0 {
                broken = turn_around(&file.json, &mut texts).to_string();
            }
            for _ in 0..texts.below(3) * (round % 2) {
                // Most of a file is its model: half of the places are in the rest.
                let model = broken.find("\"model\"").unwrap_or(broken.len() / 2);
                let limit = [broken.len(), model.max(1)][texts.below(2)];
                let mut at = texts.below(limit);
                while !broken.is_char_boundary(at) {
                    at -= 1;
                }
                let end = broken[at..]
                    .chars()
                    .next()
                    .map_or(at, |c| at + c.len_utf8());
                let junk = JUNK[texts.below(JUNK.len())];
                match texts.below(3) {
                    0 => broken.insert_str(at, junk),
                    1 => broken.replace_range(at..end, junk),
                    _ => broken.replace_range(at..end, ""),
                }
            }
            let ours = HuggingFace::from_json(broken.as_bytes());
            let library = std::panic::catch_unwind(|| {
                tokenizers::Tokenizer::from_bytes(broken.as_bytes()).ok()
            });
            let Ok(Some(mut library)) = library else {
                refused += 1;
                assert!(ours.is_err(), "{}: {ours:?}", file.name);
                continue;
            };
            let ours = ours.expect("the library takes it");
            let _ = library.with_truncation(None);
            library.with_padding(None);
            library.set_encode_special_tokens(true);
            same += usize::from(ours.why_library().is_none());
            for _ in 0..10 {
                let text = format!("{}<tool>{}", texts.text(6), texts.text(3));
                let right = std::panic::catch_unwind(|| library.encode_fast(text.as_str(), false));
                if let Ok(Ok(right)) = right {
                    assert_same(file.name, &ours, &library, &text);
                    drop(right);
                }
            }
        }
    }
    assert!(same > 100 && refused > 300, "{same} {refused}");
}

/// Changes some values of a file, each to one that might be there as well.
fn turn_around(file: &Value, texts: &mut Texts) -> Value {
    let mut file = file.clone();
    for _ in 0..=texts.below(3) {
        let merges = file["model"]["merges"].as_array_mut().expect("a list");
        let (one, other) = (texts.below(merges.len()), texts.below(merges.len()));
        match texts.below(9) {
            0 => merges.swap(one, other),
            1 => drop(merges.remove(one)),
            2 => {
                let merge = merges.remove(one);
                merges.insert(0, merge);
            }
            3 => merges[one] = merges[other].clone(),
            4 => {
                let vocab = file["model"]["vocab"].as_object_mut().expect("a map");
                let token = vocab
                    .keys()
                    .nth(texts.below(vocab.len()))
                    .expect("one")
                    .clone();
                let id = json!(texts.below(3_000));
                vocab.insert(token, id);
            }
            5 => {
                let vocab = file["model"]["vocab"].as_object_mut().expect("a map");
                vocab.insert(format!("Ġnew{one}"), json!(10_000 + one));
            }
            6 => {
                let token = texts.below(8);
                let flag = ["lstrip", "rstrip", "single_word", "normalized", "special"];
                let flag = &mut file["added_tokens"][token][flag[texts.below(5)]];
                *flag = json!(!flag.as_bool().expect("a flag"));
            }
            7 => {
                let content = ["<tool>", " a", "é", "e\u{301}", "1", "\n", "x"][texts.below(7)];
                file["added_tokens"][texts.below(8)]["content"] = json!(content);
            }
            _ => {
                let form = ["NFC", "NFD", "NFKC", "Lowercase"][texts.below(4)];
                file["normalizer"] = json!({"type": form});
            }
        }
    }
    file
}

#[test]
fn hostile_files_are_taken_or_refused_soon() {
    let plain = &trained::files()[1].json;
    // Written as text: a value of that depth would need a deep stack itself.
    let nested = |name: &str, inner: &str, depth: usize| {
        let open = format!("{{\"type\":\"Sequence\",\"{inner}\":[").repeat(depth);
        let deep = format!("{open}{{\"type\":\"NFC\"}}{}", "]}".repeat(depth));
        let mut file = plain.clone();
        file[name] = json!("here");
        file.to_string().replace("\"here\"", &deep)
    };
    let with = |change: &dyn Fn(&mut Value)| {
        let mut file = plain.clone();
        change(&mut file);
        file.to_string()
    };
    let text = plain.to_string();
    let many = with(&|file| {
        let token = file["added_tokens"][2].clone();
        let more = (0..50_000).map(|at| {
            let mut token = token.clone();
            token["content"] = json!(format!("<t{at}>"));
            token
        });
        file["added_tokens"] = more.collect();
    });
    let files = [
        many,
        nested("normalizer", "normalizers", 30),
        nested("normalizer", "normalizers", 3_000),
        nested("pre_tokenizer", "pretokenizers", 3_000),
        with(&|file| file["model"]["merges"] = json!([["never", "there"]])),
        with(&|file| file["model"]["merges"] = json!([["a", "b", "c"]])),
        with(&|file| file["model"]["merges"] = json!([["a"], "a b"])),
        with(&|file| file["model"]["merges"] = json!([])),
        with(&|file| file["model"]["vocab"] = json!({})),
        with(&|file| file["model"]["vocab"]["a"] = json!(u64::MAX)),
        with(&|file| file["model"]["vocab"]["a"] = json!(-1)),
        with(&|file| file["added_tokens"][0]["content"] = json!("")),
        with(&|file| file["added_tokens"][0]["id"] = json!(1.5)),
        with(&|file| file["decoder"] = json!(vec![1; 2_000_000])),
        text.replacen("\"model\"", "\"model\":{},\"model\"", 1),
        text.replacen("\"vocab\"", "\"vocab\":{},\"vocab\"", 1),
        text.replacen("\"merges\"", "\"merges\":[],\"merges\"", 1),
        text.replacen("\"version\"", "\"version\":\"1.0\",\"version\"", 1),
        text.replacen("\"version\"", "\"unknown\":1,\"version\"", 1),
        format!("{text}x"),
        format!(" \n{text}\n "),
    ];
    for json in files {
        let shown: String = json.chars().take(80).collect();
        let ours = HuggingFace::from_json(json.as_bytes());
        let library = tokenizers::Tokenizer::from_bytes(json.as_bytes());
        assert_eq!(ours.is_ok(), library.is_ok(), "{shown}");
        if let (Ok(ours), Ok(mut library)) = (ours, library) {
            library.set_encode_special_tokens(true);
            for text in [
                "Hello <t77> <t49999>!",
                "think 123 it's\n\n",
                "<|end|><tool>",
            ] {
                assert_same(&shown, &ours, &library, text);
            }
        }
    }
}

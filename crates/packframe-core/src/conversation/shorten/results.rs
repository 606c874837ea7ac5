//! The results of tools in a message: where their texts are, and a placeholder in their place.

use super::path::{Path, raw_at, replaced};
use crate::conversation::fields::{Fields, elements, list, object, quoted, text};
use crate::conversation::format::Format;

/// The result of a call, or the text of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Spot {
    /// Where it is.
    pub(crate) path: Path,
    /// What it says that may be cut; other parts of it stay.
    pub(crate) pieces: Vec<Piece>,
}

/// A text that may be cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) path: Path,
    /// Whether it is a JSON object; else it is a string.
    pub(crate) is_object: bool,
}

impl Piece {
    /// Names a string.
    pub(super) fn text(path: Path) -> Self {
        Self {
            path,
            is_object: false,
        }
    }
}

/// Returns the results in a message, in order. Results of tools that the provider ran are none: they
/// are sealed. Linear.
pub(crate) fn results(format: Format, json: &str) -> Vec<Spot> {
    let Some(fields) = Fields::parse(json) else {
        return Vec::new();
    };
    let spot = match format {
        Format::OpenAiChat => of_chat(&fields),
        Format::OpenAiResponses => of_item(&fields),
        Format::Anthropic => return of_blocks(&fields),
        Format::Gemini => return of_parts(&fields),
    };
    spot.into_iter().collect()
}

fn of_chat(fields: &Fields<'_>) -> Option<Spot> {
    let role = fields.text("role")?;
    matches!(&*role, "tool" | "function")
        .then(|| said(fields.get("content"), Path::default().key("content")))
        .flatten()
}

fn of_blocks(fields: &Fields<'_>) -> Vec<Spot> {
    let blocks = fields.get("content").and_then(elements);
    let path = Path::default().key("content");
    let spot = |(at, raw): (usize, &str)| {
        let block = Fields::parse(raw)?;
        (block.text("type")? == "tool_result")
            .then(|| said(block.get("content"), path.at(at).key("content")))
            .flatten()
    };
    let blocks = blocks.unwrap_or_default().into_iter().enumerate();
    blocks.filter_map(spot).collect()
}

fn of_parts(fields: &Fields<'_>) -> Vec<Spot> {
    let parts = fields.get("parts").and_then(elements);
    let path = Path::default().key("parts");
    let spot = |(at, raw): (usize, &str)| {
        let part = Fields::parse(raw)?;
        let names = ["functionResponse", "function_response"];
        let name = names.into_iter().find(|name| part.get(name).is_some())?;
        part.object(name)?.object("response")?;
        let path = path.at(at).key(name).key("response");
        Some(Spot {
            pieces: vec![Piece {
                path: path.clone(),
                is_object: true,
            }],
            path,
        })
    };
    let parts = parts.unwrap_or_default().into_iter().enumerate();
    parts.filter_map(spot).collect()
}

fn of_item(fields: &Fields<'_>) -> Option<Spot> {
    let kind = fields.text("type")?;
    let path = Path::default();
    match &*kind {
        "program_output" => said(fields.get("result"), path.key("result")),
        "shell_call_output" => {
            let path = path.key("output");
            let runs = elements(fields.get("output")?)?;
            let pieces = runs.iter().enumerate().flat_map(|(at, raw)| {
                let run = Fields::parse(raw).unwrap_or_default();
                let texts = ["stdout", "stderr"].into_iter();
                let texts = texts.filter(move |name| run.text(name).is_some());
                let path = path.at(at);
                texts.map(move |name| Piece::text(path.key(name)))
            });
            let pieces: Vec<Piece> = pieces.collect();
            (!pieces.is_empty()).then_some(Spot { path, pieces })
        }
        _ if kind.ends_with("_output") => said(fields.get("output"), path.key("output")),
        _ => None,
    }
}

/// Finds the texts of what is a string or a list of parts.
pub(super) fn said(raw: Option<&str>, path: Path) -> Option<Spot> {
    let raw = raw?;
    if text(raw).is_some() {
        let pieces = vec![Piece::text(path.clone())];
        return Some(Spot { path, pieces });
    }
    let pieces: Vec<Piece> = elements(raw)?
        .iter()
        .enumerate()
        .filter(|(_, raw)| is_text_part(raw))
        .map(|(at, _)| Piece::text(path.at(at).key("text")))
        .collect();
    Some(Spot { path, pieces })
}

/// Says whether a part is a text and nothing else.
pub(super) fn is_text_part(raw: &str) -> bool {
    let part = Fields::parse(raw).unwrap_or_default();
    let kind = part.text("type");
    matches!(kind.as_deref(), Some("text" | "input_text" | "output_text"))
        && part.text("text").is_some()
}

/// Returns a message with a placeholder for what a result says; what kind of value that is stays.
/// Nothing where there is no result.
pub(crate) fn cleared(
    format: Format,
    json: &str,
    spot: &Spot,
    placeholder: &str,
) -> Option<String> {
    let raw = raw_at(json, &spot.path)?;
    let said = quoted(placeholder);
    let made = match raw.as_bytes().first()? {
        b'"' => said,
        b'{' => {
            let failed = Fields::parse(raw)?.has("error");
            object([(if failed { "error" } else { "output" }, &*said)])
        }
        b'[' if elements(raw)?.iter().all(|raw| is_run(raw)) && !spot.pieces.is_empty() => {
            let texts = spot.pieces.iter().enumerate();
            let changes: Vec<(&Path, String)> = texts
                .map(|(at, piece)| (&piece.path, if at == 0 { said.clone() } else { quoted("") }))
                .collect();
            return Some(replaced(json, &changes));
        }
        b'[' => {
            let mark = elements(raw)?.into_iter().rev().find_map(|part| {
                let part = Fields::parse(part)?;
                part.get("cache_control")
            });
            let kind = match format {
                Format::OpenAiResponses => "\"input_text\"",
                _ => "\"text\"",
            };
            let fields = [("type", kind), ("text", &*said)];
            let mark = mark.map(|mark| ("cache_control", mark));
            let part = object(fields.into_iter().chain(mark));
            list([&*part])
        }
        _ => return None,
    };
    Some(replaced(json, &[(&spot.path, made)]))
}

/// Says whether it is what one command of a shell said.
fn is_run(raw: &str) -> bool {
    let run = Fields::parse(raw).unwrap_or_default();
    run.get("type").is_none() && (run.has("stdout") || run.has("stderr"))
}

#[cfg(test)]
mod tests {
    use super::{Format, cleared, results};

    #[test]
    fn results_are_found_and_cleared_in_their_shape() {
        for (format, json, paths, expected) in [
            (
                Format::OpenAiChat,
                r#"{"role":"tool","tool_call_id":"a","content":"long"}"#,
                "content: content",
                r#"{"role":"tool","tool_call_id":"a","content":"-"}"#,
            ),
            (
                Format::Anthropic,
                r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","is_error":true,"content":[{"type":"text","text":"x"},{"type":"image","source":{}},{"type":"text","text":"y","cache_control":{"type":"ephemeral"}}]},{"type":"text","text":"b"}]}"#,
                "content[0].content: content[0].content[0].text content[0].content[2].text",
                r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","is_error":true,"content":[{"type":"text","text":"-","cache_control":{"type":"ephemeral"}}]},{"type":"text","text":"b"}]}"#,
            ),
            (
                Format::Gemini,
                r#"{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"a":1}}}]}"#,
                "parts[0].functionResponse.response: parts[0].functionResponse.response",
                r#"{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"-"}}}]}"#,
            ),
            (
                Format::OpenAiResponses,
                r#"{"type":"function_call_output","call_id":"a","output":[{"type":"input_text","text":"x"},{"type":"input_image","image_url":"u"}]}"#,
                "output: output[0].text",
                r#"{"type":"function_call_output","call_id":"a","output":[{"type":"input_text","text":"-"}]}"#,
            ),
            (
                Format::OpenAiResponses,
                r#"{"type":"shell_call_output","call_id":"a","output":[{"stdout":"x","stderr":"y","outcome":{"type":"exit","exit_code":0}}]}"#,
                "output: output[0].stdout output[0].stderr",
                r#"{"type":"shell_call_output","call_id":"a","output":[{"stdout":"-","stderr":"","outcome":{"type":"exit","exit_code":0}}]}"#,
            ),
        ] {
            let found = results(format, json);
            let shown: Vec<String> = found
                .iter()
                .map(|spot| {
                    let pieces = spot.pieces.iter().map(|piece| piece.path.to_string());
                    format!("{}: {}", spot.path, pieces.collect::<Vec<_>>().join(" "))
                })
                .collect();
            assert_eq!(shown, [paths], "{json}");
            assert_eq!(
                cleared(format, json, &found[0], "-").as_deref(),
                Some(expected)
            );
        }
    }

    #[test]
    fn what_is_no_result_of_a_tool_of_the_callers_is_none() {
        for (format, json) in [
            (Format::OpenAiChat, r#"{"role":"user","content":"a"}"#),
            (
                Format::Anthropic,
                r#"{"role":"assistant","content":[{"type":"web_search_tool_result","tool_use_id":"a","content":[]}]}"#,
            ),
            (
                Format::OpenAiResponses,
                r#"{"type":"computer_call_output","call_id":"a","output":{"type":"computer_screenshot"}}"#,
            ),
            (Format::Gemini, r#"{"role":"user","parts":[{"text":"a"}]}"#),
        ] {
            assert!(results(format, json).is_empty(), "{json}");
        }
    }
}

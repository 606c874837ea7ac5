//! What is said, as messages of each format.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::Converted;
use super::speech::{
    Call, ConversionNote, Outcome, Part, Picture, Source, Speech, Voice, not_convertible, plain,
};
use crate::conversation::fields::{Fields, list, object, quoted};
use crate::conversation::format::Format;
use crate::error::Problem;

/// Writes what is said. Linear.
pub(super) fn say(
    said: Vec<Speech>,
    notes: Vec<ConversionNote>,
    format: Format,
) -> Result<Converted, Vec<Problem>> {
    let mut saying = Saying {
        format,
        names: HashMap::default(),
        customs: HashMap::default(),
        system: Vec::new(),
        messages: Vec::new(),
        turn: None,
        calling: None,
        notes,
        problems: Vec::new(),
        position: 0,
    };
    for speech in said {
        saying.position = speech.position;
        match format {
            Format::OpenAiChat => saying.chat(speech),
            Format::OpenAiResponses => saying.items(speech),
            Format::Anthropic | Format::Gemini => saying.blocks(speech),
        }
    }
    saying.end_calling();
    saying.end_turn();
    if !saying.problems.is_empty() {
        return Err(saying.problems);
    }
    Ok(Converted {
        system: (!saying.system.is_empty()).then(|| saying.system.join("\n\n")),
        messages: saying.messages,
        notes: saying.notes,
    })
}

/// The blocks of a message that grows while the same side speaks.
#[derive(Debug)]
struct Turn {
    is_model: bool,
    results: Vec<String>,
    others: Vec<String>,
}

struct Saying {
    format: Format,
    /// The names of the calls, by id.
    names: HashMap<String, String, FixedState>,
    /// Whether a call is one of a custom tool.
    customs: HashMap<String, bool, FixedState>,
    system: Vec<String>,
    messages: Vec<String>,
    turn: Option<Turn>,
    /// What the model says in a message of chat completions that may take more calls.
    calling: Option<(Vec<Part>, Vec<String>)>,
    notes: Vec<ConversionNote>,
    problems: Vec<Problem>,
    position: usize,
}

impl Saying {
    fn refuse(&mut self, path: &str) {
        self.problems.push(not_convertible(self.position, path));
    }

    fn note(&mut self, path: &str, kind: &'static str) {
        self.notes.push(ConversionNote {
            position: self.position,
            path: path.to_owned(),
            kind,
        });
    }

    fn learn(&mut self, call: &Call) {
        self.names.insert(call.id.clone(), call.name.clone());
        self.customs.insert(call.id.clone(), call.is_custom);
    }

    fn chat(&mut self, speech: Speech) {
        let mut calls = Vec::new();
        let mut parts = Vec::new();
        for part in speech.parts {
            match part {
                Part::Call(call) => {
                    self.learn(&call);
                    calls.push(chat_call(&call));
                }
                Part::Outcome(outcome) => {
                    self.end_calling();
                    if outcome.is_error {
                        self.note("is_error", "is_error");
                    }
                    let Some(said) = plain(&outcome.content) else {
                        self.refuse("content");
                        continue;
                    };
                    self.messages.push(object([
                        ("role", "\"tool\""),
                        ("tool_call_id", &quoted(&outcome.id)),
                        ("content", &quoted(&said)),
                    ]));
                }
                part => parts.push(part),
            }
        }
        let role = match speech.voice {
            Voice::Assistant => {
                // Calls of one step stand in one message.
                if calls.is_empty() {
                    self.end_calling();
                }
                let (said, called) = self.calling.get_or_insert_default();
                said.extend(parts);
                called.extend(calls);
                return;
            }
            Voice::System => "\"system\"",
            Voice::Developer => "\"developer\"",
            Voice::User => "\"user\"",
        };
        self.end_calling();
        if !parts.is_empty() {
            let content = chat_content(&parts);
            let fields = [("role", role), ("content", &*content)];
            self.messages.push(object(fields));
        }
    }

    /// Writes what the model has said.
    fn end_calling(&mut self) {
        let Some((parts, calls)) = self.calling.take() else {
            return;
        };
        let content = if !parts.is_empty() {
            chat_content(&parts)
        } else if calls.is_empty() {
            return;
        } else {
            "null".to_owned()
        };
        let shown = if calls.is_empty() { 2 } else { 3 };
        let calls = list(calls.iter().map(String::as_str));
        let fields = [
            ("role", "\"assistant\""),
            ("content", &*content),
            ("tool_calls", &*calls),
        ];
        self.messages.push(object(fields.into_iter().take(shown)));
    }

    fn items(&mut self, speech: Speech) {
        let mut parts = Vec::new();
        let mut calls = Vec::new();
        for part in speech.parts {
            match part {
                Part::Call(call) => {
                    self.learn(&call);
                    calls.push(item_call(&call));
                }
                Part::Outcome(outcome) => {
                    if outcome.is_error {
                        self.note("is_error", "is_error");
                    }
                    let is_custom = outcome.is_custom
                        || self.customs.get(&outcome.id).copied().unwrap_or(false);
                    self.messages.push(item_output(&outcome, is_custom));
                }
                part => parts.push(part),
            }
        }
        let (role, kind) = match speech.voice {
            Voice::System => ("\"system\"", "\"input_text\""),
            Voice::Developer => ("\"developer\"", "\"input_text\""),
            Voice::User => ("\"user\"", "\"input_text\""),
            Voice::Assistant => ("\"assistant\"", "\"output_text\""),
        };
        if !parts.is_empty() {
            let content = match plain(&parts).filter(|_| parts.len() == 1) {
                Some(said) => quoted(&said),
                None => item_blocks(&parts, kind),
            };
            self.messages
                .push(object([("role", role), ("content", &*content)]));
        }
        self.messages.extend(calls);
    }

    fn blocks(&mut self, speech: Speech) {
        if matches!(speech.voice, Voice::System | Voice::Developer) {
            match plain(&speech.parts) {
                Some(said) => self.system.push(said),
                None => self.refuse("content"),
            }
            return self.note("", "system");
        }
        let is_model = speech.voice == Voice::Assistant;
        if self
            .turn
            .as_ref()
            .is_none_or(|turn| turn.is_model != is_model)
        {
            self.end_turn();
        }
        for part in speech.parts {
            let is_result = matches!(part, Part::Outcome(_));
            let block = match self.format {
                Format::Gemini => self.gemini_part(part),
                _ => self.anthropic_block(part),
            };
            let Some(block) = block else { continue };
            let turn = self.turn.get_or_insert_with(|| Turn {
                is_model,
                results: Vec::new(),
                others: Vec::new(),
            });
            if is_result {
                turn.results.push(block);
            } else {
                turn.others.push(block);
            }
        }
    }

    /// Writes the message that has grown.
    fn end_turn(&mut self) {
        let Some(turn) = self.turn.take() else { return };
        let blocks = |blocks: &[String]| list(blocks.iter().map(String::as_str));
        if self.format == Format::Gemini {
            // Results stand in a content of their own.
            let role = if turn.is_model {
                "\"model\""
            } else {
                "\"user\""
            };
            for part in [turn.results, turn.others] {
                if !part.is_empty() {
                    let parts = blocks(&part);
                    self.messages
                        .push(object([("role", role), ("parts", &*parts)]));
                }
            }
            return;
        }
        let role = if turn.is_model {
            "\"assistant\""
        } else {
            "\"user\""
        };
        let content = blocks(&[turn.results, turn.others].concat());
        self.messages
            .push(object([("role", role), ("content", &*content)]));
    }

    fn anthropic_block(&mut self, part: Part) -> Option<String> {
        Some(match part {
            // The provider takes no empty text.
            Part::Text(said) if said.trim().is_empty() => return None,
            Part::Text(said) => text_block(&said),
            Part::Picture(picture) => anthropic_picture(&picture),
            Part::Call(call) => {
                let input = self.arguments(&call)?;
                object([
                    ("type", "\"tool_use\""),
                    ("id", &*quoted(&call.id)),
                    ("name", &*quoted(&call.name)),
                    ("input", &*input),
                ])
            }
            Part::Outcome(outcome) => {
                let content = if let Some(said) = plain(&outcome.content) {
                    quoted(&said)
                } else {
                    let blocks = outcome.content.into_iter();
                    let blocks: Vec<String> = blocks
                        .filter_map(|part| self.anthropic_block(part))
                        .collect();
                    list(blocks.iter().map(String::as_str))
                };
                let id = quoted(&outcome.id);
                let fields = [
                    ("type", "\"tool_result\""),
                    ("tool_use_id", &*id),
                    ("content", &*content),
                    ("is_error", "true"),
                ];
                object(
                    fields
                        .into_iter()
                        .take(if outcome.is_error { 4 } else { 3 }),
                )
            }
        })
    }

    fn gemini_part(&mut self, part: Part) -> Option<String> {
        Some(match part {
            Part::Text(said) if said.is_empty() => return None,
            Part::Text(said) => object([("text", &*quoted(&said))]),
            Part::Picture(picture) => {
                let (Source::Base64(data), Some(mime)) = (&picture.at, &picture.mime) else {
                    // A content names the media type of a file, which an address does not.
                    self.refuse("content");
                    return None;
                };
                let data = object([("mimeType", &*quoted(mime)), ("data", &*quoted(data))]);
                object([("inlineData", &*data)])
            }
            Part::Call(call) => {
                let args = self.arguments(&call)?;
                let call = object([
                    ("id", &*quoted(&call.id)),
                    ("name", &*quoted(&call.name)),
                    ("args", &*args),
                ]);
                object([("functionCall", &*call)])
            }
            Part::Outcome(outcome) => {
                let known = outcome
                    .name
                    .as_ref()
                    .or_else(|| self.names.get(&outcome.id));
                let (Some(name), Some(said)) = (known.cloned(), plain(&outcome.content)) else {
                    self.refuse("content");
                    return None;
                };
                let key = if outcome.is_error { "error" } else { "result" };
                let response = match Fields::parse(&said) {
                    Some(_) if !outcome.is_error => said,
                    _ => object([(key, &*quoted(&said))]),
                };
                let result = object([
                    ("id", &*quoted(&outcome.id)),
                    ("name", &*quoted(&name)),
                    ("response", &*response),
                ]);
                object([("functionResponse", &*result)])
            }
        })
    }

    /// Returns the object that a call passes on.
    fn arguments(&mut self, call: &Call) -> Option<String> {
        self.learn(call);
        let input = call.input.trim();
        if call.is_custom {
            self.refuse("tool_calls");
            return None;
        }
        if input.is_empty() {
            return Some("{}".to_owned());
        }
        if Fields::parse(input).is_none() {
            self.refuse("arguments");
            return None;
        }
        Some(input.to_owned())
    }
}

fn text_block(said: &str) -> String {
    object([("type", "\"text\""), ("text", &*quoted(said))])
}

fn anthropic_picture(picture: &Picture) -> String {
    let source = match &picture.at {
        Source::Url(url) => object([("type", "\"url\""), ("url", &*quoted(url))]),
        Source::Base64(data) => {
            let mime = picture.mime.as_deref().unwrap_or("image/png");
            object([
                ("type", "\"base64\""),
                ("media_type", &*quoted(mime)),
                ("data", &*quoted(data)),
            ])
        }
    };
    object([("type", "\"image\""), ("source", &*source)])
}

fn chat_content(parts: &[Part]) -> String {
    if let [Part::Text(said)] = parts {
        return quoted(said);
    }
    let blocks: Vec<String> = parts.iter().filter_map(chat_block).collect();
    list(blocks.iter().map(String::as_str))
}

fn chat_block(part: &Part) -> Option<String> {
    match part {
        Part::Text(said) => Some(text_block(said)),
        Part::Picture(picture) => {
            let url = object([("url", &*quoted(&picture.url()))]);
            Some(object([("type", "\"image_url\""), ("image_url", &*url)]))
        }
        Part::Call(_) | Part::Outcome(_) => None,
    }
}

fn chat_call(call: &Call) -> String {
    let (kind, field) = if call.is_custom {
        ("custom", "input")
    } else {
        ("function", "arguments")
    };
    let body = object([
        ("name", &*quoted(&call.name)),
        (field, &*quoted(&call.input)),
    ]);
    object([
        ("id", &*quoted(&call.id)),
        ("type", &*quoted(kind)),
        (kind, &*body),
    ])
}

fn item_blocks(parts: &[Part], kind: &str) -> String {
    let blocks: Vec<String> = parts
        .iter()
        .filter_map(|part| match part {
            Part::Text(said) => Some(object([("type", kind), ("text", &*quoted(said))])),
            Part::Picture(picture) => Some(object([
                ("type", "\"input_image\""),
                ("image_url", &*quoted(&picture.url())),
            ])),
            Part::Call(_) | Part::Outcome(_) => None,
        })
        .collect();
    list(blocks.iter().map(String::as_str))
}

fn item_call(call: &Call) -> String {
    let (kind, field) = if call.is_custom {
        ("\"custom_tool_call\"", "input")
    } else {
        ("\"function_call\"", "arguments")
    };
    object([
        ("type", kind),
        ("call_id", &*quoted(&call.id)),
        ("name", &*quoted(&call.name)),
        (field, &*quoted(&call.input)),
    ])
}

fn item_output(outcome: &Outcome, is_custom: bool) -> String {
    let kind = if is_custom {
        "\"custom_tool_call_output\""
    } else {
        "\"function_call_output\""
    };
    let output = match plain(&outcome.content) {
        Some(said) => quoted(&said),
        None => item_blocks(&outcome.content, "\"input_text\""),
    };
    object([
        ("type", kind),
        ("call_id", &*quoted(&outcome.id)),
        ("output", &*output),
    ])
}

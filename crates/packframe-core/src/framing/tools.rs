//! What tools cost, by published numbers where there are some, else as the JSON that is sent.

use super::charges::{Provider, TableFraming};
use super::json::{Json, Style};
use super::table::FramingRow;

/// What is charged for tools: numbers, and texts that are counted.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Charged {
    pub(crate) fixed: i64,
    pub(crate) texts: Vec<String>,
    /// Where the numbers come from, and when that is from.
    pub(crate) source: Option<(String, String)>,
}

/// What the caller says of the use of tools.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Choice {
    Auto,
    None,
    Any,
    Named(String),
}

impl Choice {
    fn read(json: Option<&str>) -> Self {
        let Some(value) = json.and_then(Json::read) else {
            return Self::Auto;
        };
        let body = value.get("function").unwrap_or(&value);
        if let Some(name) = body.string("name") {
            return Self::Named(name.to_owned());
        }
        match value.as_text().or_else(|| value.string("type")) {
            Some("none") => Self::None,
            Some("any" | "required") => Self::Any,
            _ => Self::Auto,
        }
    }
}

/// Charges for a list of tools, given as JSON.
pub(crate) fn charge(framing: Option<&TableFraming>, tools: &str, choice: Option<&str>) -> Charged {
    let Some(Json::List(listed)) = Json::read(tools) else {
        return as_json(tools);
    };
    if listed.is_empty() {
        return Charged::default();
    }
    let choice = Choice::read(choice);
    let rows = framing.and_then(|framing| Some((framing.provider, framing.tools?)));
    match rows {
        Some((Provider::OpenAiChat | Provider::OpenAiResponses, row)) => {
            by_cookbook(row, &listed, &choice)
        }
        Some((Provider::Anthropic, row)) => {
            let number = match choice {
                Choice::Auto => "auto",
                Choice::None => "none",
                Choice::Any => "any",
                Choice::Named(_) => "tool",
            };
            Charged {
                fixed: row.number(number),
                source: Some((row.source.clone(), row.date.clone())),
                ..as_json(tools)
            }
        }
        _ => as_json(tools),
    }
}

fn as_json(tools: &str) -> Charged {
    Charged {
        texts: vec![tools.to_owned()],
        ..Charged::default()
    }
}

/// The way of the cookbook of `OpenAI`; what its example does not have counts as compact JSON.
fn by_cookbook(row: &FramingRow, tools: &[Json], choice: &Choice) -> Charged {
    let mut charged = Charged {
        fixed: row.number("end"),
        texts: Vec::new(),
        source: Some((row.source.clone(), row.date.clone())),
    };
    for tool in tools {
        let function = tool.get("function").unwrap_or(tool);
        let Some(name) = function.string("name") else {
            charged.texts.push(tool.compact());
            continue;
        };
        charged.fixed += row.number("function");
        let description = function.string("description").unwrap_or("");
        charged
            .texts
            .push(format!("{name}:{}", without_stop(description)));
        rest(
            function,
            &["type", "name", "description", "parameters"],
            &mut charged,
        );
        let Some(parameters) = function.get("parameters") else {
            continue;
        };
        rest(
            parameters,
            &["type", "properties", "required"],
            &mut charged,
        );
        let properties = parameters.get("properties").map_or(&[][..], Json::fields);
        if !properties.is_empty() {
            charged.fixed += row.number("properties");
        }
        for (key, property) in properties {
            charge_property(row, key, property, &mut charged);
        }
    }
    let tool_choice = FramingRow::of("openai-tool-choice");
    match choice {
        Choice::None => charged.fixed += tool_choice.number("none"),
        Choice::Named(name) => {
            charged.fixed += tool_choice.number("named");
            charged.texts.push(name.clone());
        }
        Choice::Auto | Choice::Any => {}
    }
    charged
}

fn charge_property(row: &FramingRow, key: &str, property: &Json, charged: &mut Charged) {
    charged.fixed += row.number("property");
    if let Some(Json::List(choices)) = property.get("enum") {
        charged.fixed += row.number("enum");
        for choice in choices {
            charged.fixed += row.number("choice");
            charged.texts.push(plain(choice));
        }
    }
    let kind = property.get("type").map_or_else(String::new, plain);
    let description = property.string("description").unwrap_or("");
    charged
        .texts
        .push(format!("{key}:{kind}:{}", without_stop(description)));
    rest(property, &["type", "description", "enum"], charged);
}

/// Charges for what is not named, as compact JSON.
fn rest(value: &Json, named: &[&str], charged: &mut Charged) {
    let fields = value.fields().iter();
    let others: Vec<(String, Json)> = fields
        .filter(|(key, _)| !named.contains(&key.as_str()))
        .cloned()
        .collect();
    if !others.is_empty() {
        charged
            .texts
            .push(Json::Object(others).write(Style::COMPACT));
    }
}

fn plain(value: &Json) -> String {
    value
        .as_text()
        .map_or_else(|| value.compact(), str::to_owned)
}

fn without_stop(text: &str) -> &str {
    text.strip_suffix('.').unwrap_or(text)
}

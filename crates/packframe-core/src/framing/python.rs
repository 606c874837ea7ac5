//! What chat templates expect of Python: filters, tests and methods that minijinja has differently.

use minijinja::value::{Kwargs, ValueKind};
use minijinja::{Environment, Error, ErrorKind, Output, State, Value, escape_formatter};
use minijinja_contrib::pycompat;

use super::json::{Json, Style, python_float};

/// Nested values that are written; a template cannot make deeper ones by accident.
const MAX_DEPTH: usize = 200;

/// The most spaces of an indent: they are written for every line, and paid for behind.
const MAX_INDENT: usize = 32;

/// Makes an environment behave as the one that `transformers` renders chat templates in.
pub(crate) fn install(env: &mut Environment<'_>) {
    env.set_formatter(print);
    env.set_unknown_method_callback(method);
    env.add_filter("tojson", tojson);
    env.add_filter("string", string);
    env.add_filter("trim", |text: &str, chars: Option<&str>| strip(text, chars));
    env.add_test("sequence", |value: &Value| {
        matches!(
            value.kind(),
            ValueKind::String | ValueKind::Seq | ValueKind::Map | ValueKind::Undefined
        )
    });
    env.add_test("iterable", |value: &Value| {
        matches!(
            value.kind(),
            ValueKind::String
                | ValueKind::Seq
                | ValueKind::Map
                | ValueKind::Iterable
                | ValueKind::Undefined
        )
    });
    env.add_function("raise_exception", |message: &str| -> Result<Value, Error> {
        Err(Error::new(ErrorKind::InvalidOperation, message.to_owned()))
    });
}

/// Returns a value for a template.
pub(crate) fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::from(()),
        Json::Bool(value) => Value::from(*value),
        Json::Whole(digits) => match (digits.parse::<i64>(), digits.parse::<i128>()) {
            (Ok(number), _) => Value::from(number),
            (_, Ok(number)) => Value::from(number),
            _ => Value::from(digits.parse::<f64>().unwrap_or(f64::INFINITY)),
        },
        Json::Float(value) => Value::from(*value),
        Json::Text(text) => Value::from(text.as_str()),
        Json::List(elements) => Value::from(elements.iter().map(value).collect::<Vec<_>>()),
        Json::Object(fields) => {
            Value::from_pairs(fields.iter().map(|(key, of)| (key.as_str(), value(of))))
        }
    }
}

fn print(out: &mut Output<'_>, state: &mut State<'_, '_>, value: &Value) -> Result<(), Error> {
    match value.kind() {
        ValueKind::None | ValueKind::Bool | ValueKind::Number | ValueKind::Seq | ValueKind::Map => {
            let shown = shown(value, 0)?;
            state.consume_fuel(shown.len() as u64 / 64)?;
            out.write_str(&shown).map_err(Error::from)
        }
        _ => escape_formatter(out, state, value),
    }
}

/// Returns what Python's `str` makes of a value.
fn string(value: &Value) -> Result<String, Error> {
    match value.as_str() {
        Some(text) => Ok(text.to_owned()),
        None => shown(value, 0),
    }
}

/// Returns what Python's `repr` makes of a value.
fn shown(value: &Value, depth: usize) -> Result<String, Error> {
    if depth > MAX_DEPTH {
        let problem = "a value is nested too deeply to be printed";
        return Err(Error::new(ErrorKind::InvalidOperation, problem));
    }
    let all = |values: Vec<Value>| -> Result<Vec<String>, Error> {
        values.iter().map(|value| shown(value, depth + 1)).collect()
    };
    Ok(match value.kind() {
        ValueKind::None => "None".to_owned(),
        ValueKind::Bool if value.is_true() => "True".to_owned(),
        ValueKind::Bool => "False".to_owned(),
        ValueKind::Number if !value.is_integer() => {
            let number = f64::try_from(value.clone())?;
            match number {
                f64::INFINITY => "inf".to_owned(),
                f64::NEG_INFINITY => "-inf".to_owned(),
                _ if number.is_nan() => "nan".to_owned(),
                _ => python_float(number),
            }
        }
        ValueKind::String => quoted(value.as_str().unwrap_or_default()),
        ValueKind::Seq => format!("[{}]", all(value.try_iter()?.collect())?.join(", ")),
        ValueKind::Map => {
            let mut fields = Vec::new();
            for key in value.try_iter()? {
                let of = shown(&value.get_item(&key)?, depth + 1)?;
                fields.push(format!("{}: {of}", shown(&key, depth + 1)?));
            }
            format!("{{{}}}", fields.join(", "))
        }
        _ => value.to_string(),
    })
}

fn quoted(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') {
        '"'
    } else {
        '\''
    };
    let mut out = String::from(quote);
    for letter in text.chars() {
        match letter {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\\' => out.push_str("\\\\"),
            letter if letter == quote => {
                out.push('\\');
                out.push(letter);
            }
            letter => out.push(letter),
        }
    }
    out.push(quote);
    out
}

fn is_space(letter: char) -> bool {
    letter.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&letter)
}

fn strip(text: &str, chars: Option<&str>) -> String {
    match chars {
        Some(chars) => text.trim_matches(|letter| chars.contains(letter)),
        None => text.trim_matches(is_space),
    }
    .to_owned()
}

fn method(
    state: &mut State<'_, '_>,
    value: &Value,
    name: &str,
    args: &[Value],
) -> Result<Value, Error> {
    if let (Some(text), []) = (value.as_str(), args) {
        match name {
            "strip" => return Ok(Value::from(text.trim_matches(is_space))),
            "lstrip" => return Ok(Value::from(text.trim_start_matches(is_space))),
            "rstrip" => return Ok(Value::from(text.trim_end_matches(is_space))),
            _ => {}
        }
    }
    if name == "format" && value.as_str().is_some_and(is_wide) {
        let problem = "a format asks for more than 9,999 letters, or takes its width from a value";
        return Err(Error::new(ErrorKind::InvalidOperation, problem));
    }
    pycompat::unknown_method_callback(state, value, name, args)
}

/// Says whether a format may write far more than it is given, which the library does not charge for.
fn is_wide(format: &str) -> bool {
    let mut digits = 0;
    let mut open = 0_u32;
    for letter in format.replace("{{", "").replace("}}", "").chars() {
        digits = if letter.is_numeric() { digits + 1 } else { 0 };
        match letter {
            '{' => open += 1,
            '}' => open = open.saturating_sub(1),
            _ => {}
        }
        if digits > 4 || open > 1 {
            return true;
        }
    }
    false
}

/// Writes a value as `json.dumps` does, with the options that `transformers` lets a template set.
#[expect(
    clippy::needless_pass_by_value,
    reason = "a filter takes its options by value"
)]
fn tojson(value: &Value, kwargs: Kwargs) -> Result<String, Error> {
    let indent: Option<usize> = kwargs.get("indent")?;
    let ascii: Option<bool> = kwargs.get("ensure_ascii")?;
    let sorted: Option<bool> = kwargs.get("sort_keys")?;
    let separators: Option<Vec<String>> = kwargs.get("separators")?;
    kwargs.assert_all_used()?;
    if indent.is_some_and(|spaces| spaces > MAX_INDENT) {
        let problem = "an indent of more than 32 spaces";
        return Err(Error::new(ErrorKind::InvalidOperation, problem));
    }
    let (item, key) = match separators.as_deref() {
        Some([item, key]) => (item.as_str(), key.as_str()),
        _ if indent.is_some() => (",", ": "),
        _ => (", ", ": "),
    };
    let style = Style {
        item,
        key,
        indent,
        ascii: ascii.unwrap_or(false),
        sorted: sorted.unwrap_or(false),
    };
    Ok(json_of(value, 0)?.write(style))
}

fn json_of(value: &Value, depth: usize) -> Result<Json, Error> {
    let refuse = |what: &str| Error::new(ErrorKind::InvalidOperation, what.to_owned());
    if depth > MAX_DEPTH {
        return Err(refuse("a value is nested too deeply for tojson"));
    }
    Ok(match value.kind() {
        ValueKind::None => Json::Null,
        ValueKind::Bool => Json::Bool(value.is_true()),
        ValueKind::Number if value.is_integer() => Json::Whole(value.to_string().into()),
        ValueKind::Number => Json::Float(f64::try_from(value.clone())?),
        ValueKind::String => Json::Text(value.as_str().unwrap_or_default().to_owned()),
        ValueKind::Seq | ValueKind::Iterable => {
            let elements = value.try_iter()?;
            let elements = elements.map(|element| json_of(&element, depth + 1));
            Json::List(elements.collect::<Result<_, _>>()?)
        }
        ValueKind::Map => {
            let mut fields = Vec::new();
            for key in value.try_iter()? {
                let of = json_of(&value.get_item(&key)?, depth + 1)?;
                let name = key.as_str().map_or_else(|| key.to_string(), str::to_owned);
                fields.push((name, of));
            }
            Json::Object(fields)
        }
        kind => return Err(refuse(&format!("a value of kind {kind} is no JSON"))),
    })
}

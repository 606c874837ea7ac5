//! The types of a tool's arguments in the way of TypeScript, as Harmony shows them to a model.

use std::collections::HashSet;
use std::fmt::{self, Write as _};

use super::json::{Json, Style};

/// Levels of a schema that are shown; what is deeper is `any`.
const MAX_DEPTH: usize = 64;

/// Returns the type that a JSON schema describes.
pub(crate) fn type_of(schema: &Json) -> String {
    Schema { schema, depth: 0 }.shown("")
}

#[derive(Clone, Copy)]
struct Schema<'a> {
    schema: &'a Json,
    depth: usize,
}

impl<'a> Schema<'a> {
    fn below(self, schema: &'a Json) -> Self {
        Self {
            schema,
            depth: self.depth + 1,
        }
    }

    fn string(self, key: &str) -> Option<&'a str> {
        self.schema.string(key)
    }

    fn one_of(self) -> Option<&'a [Json]> {
        match self.schema.get("oneOf") {
            Some(Json::List(variants)) => Some(variants),
            _ => None,
        }
    }

    fn shown(self, indent: &str) -> String {
        if self.depth > MAX_DEPTH {
            return "any".to_owned();
        }
        if let Some(variants) = self.one_of() {
            return self.union(variants, indent);
        }
        match self.schema.get("type") {
            Some(Json::List(types)) => {
                let names: Vec<&str> = types.iter().filter_map(Json::as_text).map(named).collect();
                if names.is_empty() {
                    "any".to_owned()
                } else {
                    names.join(" | ")
                }
            }
            Some(Json::Text(name)) => self.of_type(name, indent),
            _ => "any".to_owned(),
        }
    }

    fn of_type(self, name: &str, indent: &str) -> String {
        match name {
            "object" => self.object(indent),
            "string" => self.string_type(),
            "number" | "integer" => "number".to_owned(),
            "boolean" => "boolean".to_owned(),
            "array" => match self.schema.get("items") {
                Some(items) => format!("{}[]", self.below(items).shown(indent)),
                None => "Array<any>".to_owned(),
            },
            _ => "any".to_owned(),
        }
    }

    fn string_type(self) -> String {
        let choices = self.schema.get("enum").map_or(&[][..], Json::list);
        let choices: Vec<String> = choices
            .iter()
            .filter_map(Json::as_text)
            .map(|choice| format!("\"{choice}\""))
            .collect();
        if choices.is_empty() {
            "string".to_owned()
        } else {
            choices.join(" | ")
        }
    }

    /// Each variant stands on a line of its own, with its description and default behind it.
    fn union(self, variants: &'a [Json], indent: &str) -> String {
        let mut out = String::new();
        for variant in variants {
            let variant = self.below(variant);
            put(&mut out, format_args!("\n{indent} | "));
            out.push_str(&variant.nullable(&format!("{indent}   ")));
            let mut remarks: Vec<String> = Vec::new();
            remarks.extend(variant.string("description").map(str::to_owned));
            if let Some(default) = variant.schema.raw("default") {
                remarks.push(match default.as_text() {
                    Some(text) if !variant.is_enum() => format!("default: \"{text}\""),
                    _ => format!("default: {}", default.write(Style::COMPACT)),
                });
            }
            push_remarks(&mut out, &remarks);
        }
        out
    }

    /// Returns the type, with `null` where the schema says that it may be.
    fn nullable(self, indent: &str) -> String {
        let shown = self.shown(indent);
        if self.schema.get("nullable") == Some(&Json::Bool(true)) && !shown.contains("null") {
            format!("{shown} | null")
        } else {
            shown
        }
    }

    fn is_enum(self) -> bool {
        let choices = self.schema.get("enum").map_or(&[][..], Json::list);
        !choices.is_empty()
    }

    /// Returns the default, quoted where it is any string.
    fn default(self) -> Option<String> {
        let default = self.schema.raw("default")?;
        Some(match default.as_text() {
            Some(text) if self.is_enum() => format!("default: {text}"),
            Some(text) => format!("default: \"{text}\""),
            None => format!("default: {}", default.write(Style::COMPACT)),
        })
    }

    fn object(self, indent: &str) -> String {
        let mut out = String::new();
        if let Some(description) = self.string("description") {
            put(&mut out, format_args!("{indent}// {description}\n"));
        }
        out.push_str("{\n");
        let required = self.schema.get("required").map_or(&[][..], Json::list);
        let required: HashSet<&str> = required.iter().filter_map(Json::as_text).collect();
        let properties = self.schema.get("properties").map_or(&[][..], Json::fields);
        for (key, property) in properties {
            let mark = if required.contains(key.as_str()) {
                ""
            } else {
                "?"
            };
            self.below(property)
                .property(&mut out, &format!("{key}{mark}"), indent);
        }
        put(&mut out, format_args!("{indent}}}"));
        out
    }

    fn property(self, out: &mut String, key: &str, indent: &str) {
        if let Some(title) = self.string("title") {
            put(out, format_args!("{indent}// {title}\n{indent}//\n"));
        }
        let is_union = self.schema.get("oneOf").is_some();
        if !is_union && let Some(description) = self.string("description") {
            put(out, format_args!("{indent}// {description}\n"));
        }
        let examples = self.schema.get("examples").map_or(&[][..], Json::list);
        if !examples.is_empty() {
            put(out, format_args!("{indent}// Examples:\n"));
            for example in examples.iter().filter_map(Json::as_text) {
                put(out, format_args!("{indent}// - \"{example}\"\n"));
            }
        }
        if let Some(variants) = self.one_of() {
            self.property_union(out, key, indent, variants);
            return;
        }
        put(out, format_args!("{indent}{key}: "));
        out.push_str(&self.nullable(&format!("{indent}    ")));
        out.push(',');
        if !is_union && let Some(default) = self.default() {
            put(out, format_args!(" // {default}"));
        }
        out.push('\n');
    }

    fn property_union(self, out: &mut String, key: &str, indent: &str, variants: &'a [Json]) {
        let description = self.string("description");
        let first = variants
            .first()
            .and_then(|first| first.string("description"));
        // What the property and its first variant both say is said once.
        let above = description.filter(|_| description != first);
        if let Some(description) = above {
            put(out, format_args!("{indent}// {description}\n"));
        }
        if let Some(default) = self.default() {
            put(out, format_args!("{indent}// {default}\n"));
        }
        put(out, format_args!("{indent}{key}:\n"));
        for (at, variant) in variants.iter().enumerate() {
            let variant = self.below(variant);
            put(out, format_args!("{indent} | "));
            out.push_str(&variant.nullable(&format!("{indent}   ")));
            let mut remarks: Vec<String> = Vec::new();
            if !(at == 0 && above.is_some()) {
                let own = variant.string("description");
                remarks.extend(
                    own.filter(|own| Some(*own) != description)
                        .map(str::to_owned),
                );
            }
            remarks.extend(variant.default());
            push_remarks(out, &remarks);
            out.push('\n');
        }
        put(out, format_args!("{indent},\n"));
    }
}

fn put(out: &mut String, text: fmt::Arguments<'_>) {
    out.write_fmt(text)
        .expect("a string takes all that is written");
}

fn named(name: &str) -> &str {
    match name {
        "integer" => "number",
        other => other,
    }
}

fn push_remarks(out: &mut String, remarks: &[String]) {
    if !remarks.is_empty() {
        put(out, format_args!(" // {}", remarks.join(" ")));
    }
}

//! A planned request as the provider takes it.

use super::laid::Part;
use super::parts::message;
use super::plan::Plan;
use crate::conversation::Format;
use crate::word::Role;

impl Plan {
    /// Returns the messages as a JSON array; the system text is one of them in chat completions
    /// only.
    #[must_use]
    pub fn messages(&self) -> String {
        if self.request.format == Format::OpenAiChat {
            return self.pack.messages();
        }
        let mut list = String::from("[");
        let mut say = |json: &str| {
            if list.len() > 1 {
                list.push(',');
            }
            list.push_str(json);
        };
        let format = self.request.format;
        if self.laid.merged_role() == Some(Role::User)
            && let Some(text) = self.pack.merged_text()
        {
            say(&message(format, Role::User, &text));
        }
        for &row in self.pack.rows() {
            if self.laid.is_merged(row) || self.laid.parts[row] == Part::System {
                continue;
            }
            let content = self.pack.content(row);
            if content.as_message().is_some() {
                say(content.stored());
            } else {
                let text = content.rendered().unwrap_or("");
                say(&message(format, Role::System, text));
            }
        }
        list.push(']');
        list
    }

    /// Returns the system text, context and all, or nothing where there is none.
    #[must_use]
    pub fn system_text(&self) -> Option<String> {
        if self.laid.merged_role() == Some(Role::System) {
            return self.pack.merged_text();
        }
        let mut rows = self.pack.rows().iter();
        let row = rows.find(|&&row| self.laid.parts[row] == Part::System)?;
        self.pack.content(*row).rendered().map(str::to_owned)
    }

    /// Returns the whole call as a JSON object: messages, system text, tools, their choice and the
    /// format of the reply under the names that the format has for them.
    #[must_use]
    pub fn call(&self) -> String {
        let (system, list) = match self.request.format {
            Format::OpenAiChat => (None, "messages"),
            Format::OpenAiResponses => (Some("instructions"), "input"),
            Format::Anthropic => (Some("system"), "messages"),
            Format::Gemini => (Some("system_instruction"), "contents"),
        };
        let mut fields = Vec::new();
        if let Some(name) = system
            && let Some(text) = self.system_text()
        {
            fields.push(format!("\"{name}\":{}", serde_json::Value::from(text)));
        }
        fields.push(format!("\"{list}\":{}", self.messages()));
        fields.extend(self.request.beside_fields());
        format!("{{{}}}", fields.join(","))
    }
}

//! The numbers of framing, each with its source, its date and what it is worth.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;

use crate::once::once;

/// The table, as it lies in the package.
pub const FRAMING_TABLE: &str = include_str!("table.json");

/// Numbers from one source.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FramingRow {
    /// Its name: the format, and the generation behind a slash.
    pub id: String,
    /// What the names of its models start with; of all that fit a name the longest counts.
    pub models: Vec<String>,
    /// Tokens by what costs them.
    pub numbers: BTreeMap<String, i64>,
    /// Where they come from.
    pub source: String,
    /// When the source is from, or was read where it has no date.
    pub date: String,
    /// `published`, `measured`, `reverse engineered`, `unverified` or `estimate`.
    pub status: String,
    /// What more there is to know.
    pub note: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[serde(rename = "read")]
    _read: String,
    rows: Vec<FramingRow>,
}

impl FramingRow {
    /// Returns every row, in the table's order.
    ///
    /// # Panics
    ///
    /// Never: the table is part of the library, and a test reads it.
    #[must_use]
    pub fn all() -> &'static [Self] {
        static ROWS: OnceLock<Vec<FramingRow>> = OnceLock::new();
        once::<Vec<Self>>(&ROWS, || {
            let table: Table = serde_json::from_str(FRAMING_TABLE).expect("a test reads the table");
            table.rows
        })
    }

    /// Returns the row of an id.
    pub(crate) fn of(id: &str) -> &'static Self {
        let mut rows = Self::all().iter();
        rows.find(|row| row.id == id)
            .expect("a test looks up every id")
    }

    /// Returns the row of a format that is for a model, or `None` where none is.
    pub(crate) fn for_model(format: &str, model: &str) -> Option<&'static Self> {
        let model = bare(model);
        let of_format = |row: &&Self| {
            let rest = row.id.strip_prefix(format);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let fits = |row: &'static Self| {
            let known = row
                .models
                .iter()
                .filter(|start| model.starts_with(start.as_str()));
            known.map(String::len).max().map(|length| (length, row))
        };
        let found = Self::all().iter().filter(of_format).filter_map(fits);
        found.max_by_key(|(length, _)| *length).map(|(_, row)| row)
    }

    /// Returns a number, 0 where there is none.
    pub(crate) fn number(&self, name: &str) -> i64 {
        self.numbers.get(name).copied().unwrap_or(0)
    }

    /// Returns a number that is never negative.
    pub(crate) fn tokens(&self, name: &str) -> u64 {
        u64::try_from(self.number(name)).unwrap_or(0)
    }
}

/// Returns the name of a model without what providers and fine-tuning set before it.
fn bare(model: &str) -> String {
    let model = model.to_ascii_lowercase();
    let model = model.rsplit('/').next().unwrap_or_default();
    let model = model.strip_prefix("ft:").unwrap_or(model);
    // Bedrock and Vertex set vendor and region before the name.
    let start = model.find("claude").unwrap_or(0);
    model[start..].replace("claude-4-", "claude-opus-4-")
}

#[cfg(test)]
mod tests {
    use super::FramingRow;

    #[test]
    fn every_row_names_its_source_and_date() {
        let known = [
            "published",
            "measured",
            "reverse engineered",
            "unverified",
            "estimate",
        ];
        for row in FramingRow::all() {
            assert!(!row.source.is_empty(), "{}", row.id);
            assert!(row.date.len() >= 7, "{}", row.id);
            assert!(known.contains(&row.status.as_str()), "{}", row.id);
            assert!(!row.numbers.is_empty(), "{}", row.id);
            assert!(
                std::ptr::eq(FramingRow::of(&row.id), row),
                "{} comes twice",
                row.id
            );
        }
    }

    #[test]
    fn models_find_their_generation() {
        for (format, model, wanted) in [
            ("openai-chat", "gpt-4o-mini", Some("openai-chat/gpt-4")),
            (
                "openai-chat",
                "gpt-3.5-turbo-0301",
                Some("openai-chat/gpt-3.5-turbo-0301"),
            ),
            (
                "openai-chat",
                "ft:gpt-3.5-turbo-0613:me",
                Some("openai-chat/gpt-4"),
            ),
            (
                "openai-chat",
                "openai/gpt-5.1",
                Some("openai-chat/reasoning"),
            ),
            ("openai-tools", "gpt-4-turbo", Some("openai-tools/gpt-4")),
            ("openai-tools", "gpt-4o", Some("openai-tools/gpt-4o")),
            ("anthropic", "claude-opus-4-7", Some("anthropic/4.7")),
            ("anthropic", "claude-opus-5-5", Some("anthropic/4.8")),
            (
                "anthropic",
                "us.anthropic.claude-sonnet-4-5",
                Some("anthropic/4.6"),
            ),
            (
                "anthropic-tools",
                "claude-3-5-haiku-20241022",
                Some("anthropic-tools/haiku-3.5"),
            ),
            (
                "anthropic-tools",
                "claude-opus-5",
                Some("anthropic-tools/4"),
            ),
            ("openai-chat", "mistral-large", None),
        ] {
            let found = FramingRow::for_model(format, model).map(|row| row.id.as_str());
            assert_eq!(found, wanted, "{model}");
        }
    }
}

//! Stored documents of every schema version that is known.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::canonical;
use super::document::{Document, SCHEMA_VERSION};
use crate::error::{Error, ErrorKind};

/// What `content_hash` says of plain hashes, and of hashes with a key.
pub(super) const PLAIN_HASH: &str = "sha256";
pub(super) const KEYED_HASH: &str = "hmac-sha256";

/// The oldest version that is read.
const OLDEST: u32 = 1;

/// What documents of version 1 have not: where, which key, and the JSON that stands for it in memory.
const NOT_IN_1: [(&str, &str, &str); 11] = [
    ("", "content_hash", "\"sha256\""),
    ("", "edits", "[]"),
    ("", "optimal", "null"),
    ("", "provider_count", "null"),
    ("", "redactions", "[]"),
    ("", "signature", "null"),
    ("excluded", "shortfall_accuracy", "null"),
    ("merged", "similarity", "null"),
    ("selected", "offset_bytes", "null"),
    ("selected", "offset_tokens", "null"),
    ("selected", "offset_tokens_accuracy", "null"),
];
/// What documents of version 1 have nothing of.
const EMPTY_IN_1: [&str; 3] = ["sections", "substitutions", "truncations"];
/// The key that comes behind that of the id.
const BEHIND_ID: &str = ",\"margin\":";
/// Bytes that the JSON of most records is not over, and that of what stands beside them.
const RECORD: usize = 640;
const BESIDE: usize = 4096;
/// Characters of one difference that are shown.
const WIDTH: usize = 200;

/// Reads a document of any known version; its hash is not looked at.
pub(super) fn read(json: &str) -> Result<Document, Error> {
    let mut source = serde_json::Deserializer::from_str(json);
    let value = Unique
        .deserialize(&mut source)
        .and_then(|value| source.end().map(|()| value))
        .map_err(|error| corrupt(&error.to_string()))?;
    let Value::Object(mut fields) = value else {
        return Err(corrupt("it is no JSON object"));
    };
    let Some(version) = fields.get("schema_version") else {
        return Err(corrupt("schema_version is missing"));
    };
    match version.as_u64() {
        Some(known) if known == u64::from(SCHEMA_VERSION) => {}
        Some(known) if known == u64::from(OLDEST) => raise(&mut fields)?,
        _ => {
            let found = shorten(&version.to_string());
            return Err(Error::new(ErrorKind::ManifestVersion { found }));
        }
    }
    let value = Value::Object(fields);
    let document: Document = serde_path_to_error::deserialize(&value).map_err(|error| {
        let (path, problem) = (error.path().to_string(), error.inner().to_string());
        if path == "." {
            corrupt(&problem)
        } else {
            corrupt(&format!("{path}: {problem}"))
        }
    })?;
    // A key that may be null is not missed above.
    let whole = serde_json::to_value(&document).expect("it was JSON before");
    match missing(&whole, &value) {
        Some(path) => Err(corrupt(&format!("{path}: is missing"))),
        None => Ok(document),
    }
}

/// Returns the path of a key that a value lacks.
fn missing(whole: &Value, value: &Value) -> Option<String> {
    match (whole, value) {
        (Value::Object(whole), Value::Object(fields)) => whole.iter().find_map(|(key, inner)| {
            let Some(value) = fields.get(key) else {
                return Some(key.clone());
            };
            let path = missing(inner, value)?;
            let dot = if path.starts_with('[') { "" } else { "." };
            Some(format!("{key}{dot}{path}"))
        }),
        (Value::Array(whole), Value::Array(values)) => {
            let mut pairs = whole.iter().zip(values).enumerate();
            pairs
                .find_map(|(at, (whole, value))| Some(format!("[{at}].{}", missing(whole, value)?)))
        }
        _ => None,
    }
}

/// Writes a document as its version has it: keys sorted.
pub(super) fn value(document: &Document) -> Value {
    let mut value =
        serde_json::to_value(document).expect("a document has string keys and finite numbers");
    if document.schema_version == OLDEST
        && let Value::Object(fields) = &mut value
    {
        for (place, key, _) in NOT_IN_1 {
            for record in records(fields, place) {
                record.retain(|name, _| name != key);
            }
        }
    }
    value
}

/// Writes canonical JSON: keys sorted, no white space.
pub(super) fn write(document: &Document) -> String {
    if document.schema_version == OLDEST {
        return value(document).to_string();
    }
    let records = document.selected.len() + document.excluded.len();
    let mut written = String::with_capacity(BESIDE + records * RECORD);
    canonical::append(document, &mut written)
        .expect("a document has string keys and finite numbers");
    written
}

/// Puts its id into the canonical JSON of a document without one.
///
/// No key of the caller's stands before its place, and in a string quotes are escaped.
pub(super) fn put_id(json: &mut String, id: &str) {
    let place = json.find(BEHIND_ID).expect("every document has a margin");
    json.insert_str(place, &format!(",\"manifest_id\":\"{id}\""));
}

/// Says whether a document is of the version that this library writes.
pub(super) fn is_current(document: &Document) -> bool {
    document.schema_version == SCHEMA_VERSION
}

/// Fills in what version 1 had not.
fn raise(fields: &mut Map<String, Value>) -> Result<(), Error> {
    for key in EMPTY_IN_1 {
        if fields
            .get(key)
            .and_then(Value::as_array)
            .is_some_and(|list| !list.is_empty())
        {
            return Err(corrupt(&format!(
                "{key}: has records, and version 1 knows none"
            )));
        }
    }
    for (place, key, standing) in NOT_IN_1 {
        let filled: Value = serde_json::from_str(standing).expect("the table has JSON");
        for record in records(fields, place) {
            if record.insert(key.to_owned(), filled.clone()).is_some() {
                let dot = if place.is_empty() { "" } else { "." };
                return Err(corrupt(&format!(
                    "{place}{dot}{key}: version 1 has no such key"
                )));
            }
        }
    }
    Ok(())
}

/// Returns the objects at a place: the document itself, or the records of one of its lists.
fn records<'a>(
    fields: &'a mut Map<String, Value>,
    place: &str,
) -> Box<dyn Iterator<Item = &'a mut Map<String, Value>> + 'a> {
    if place.is_empty() {
        return Box::new(std::iter::once(fields));
    }
    let list = fields.get_mut(place).and_then(Value::as_array_mut);
    Box::new(list.into_iter().flatten().filter_map(Value::as_object_mut))
}

pub(super) fn corrupt(problem: &str) -> Error {
    Error::manifest_corrupt(vec![shorten(problem)])
}

fn shorten(problem: &str) -> String {
    let mut shown: String = problem.chars().take(WIDTH).collect();
    if shown.len() < problem.len() {
        shown.push('…');
    }
    shown
}

/// Reads JSON whose objects have no key twice: two readers could take different ones.
struct Unique;

impl<'de> DeserializeSeed<'de> for Unique {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, source: D) -> Result<Value, D::Error> {
        source.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Unique {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Value, E> {
        Ok(Value::Bool(truth))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(Value::from(number))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(Value::from(number))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(Value::from(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::from(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element_seed(Self)? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(key) = object.next_key::<String>()? {
            let value = object.next_value_seed(Self)?;
            if fields.contains_key(&key) {
                return Err(A::Error::custom(format!("{key} is there twice")));
            }
            fields.insert(key, value);
        }
        Ok(Value::Object(fields))
    }
}

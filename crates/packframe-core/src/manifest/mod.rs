//! The record of every decision of a pack: content-free, immutable, stored as canonical JSON.

mod build;
mod document;
mod summary;
mod warnings;
mod why;

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use sha2::{Digest, Sha256};

pub use document::{
    Amount, BoundaryRecord, Breakdown, DemotionRecord, Document, ExcludedRecord, GroupRecord,
    MergedRecord, Nothing, OptimalRecord, ProfileRecord, SCHEMA_VERSION, SectionRecord,
    SelectedRecord, SubstitutionRecord, TruncationRecord, WarningRecord,
};
pub use why::Why;

use crate::content::hex;
use crate::error::{Error, ErrorKind};
use crate::once::once;
use crate::pack::Ledger;

/// The record of every decision of a pack.
///
/// It is a view of what the stages wrote down; the document is made when it is first asked for.
#[derive(Debug, Clone)]
pub struct Manifest(Arc<Inner>);

#[derive(Debug)]
enum Inner {
    /// Of a pack that was made here.
    Live {
        ledger: Arc<Ledger>,
        document: OnceLock<Document>,
    },
    /// Read from where it was stored.
    Stored(Document),
}

/// An excluded row, without its costs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dropped {
    /// Its row.
    pub row: usize,
    /// Its id.
    pub id: String,
    /// Its section.
    pub section: Option<String>,
    /// Its place among the rows of its section.
    pub index: usize,
    /// The reason code.
    pub reason: String,
    /// Its tokens, if they were counted.
    pub tokens: Option<u64>,
}

impl Manifest {
    pub(crate) fn of(ledger: Arc<Ledger>) -> Self {
        Self(Arc::new(Inner::Live {
            ledger,
            document: OnceLock::new(),
        }))
    }

    /// Returns what is stored.
    #[must_use]
    pub fn document(&self) -> &Document {
        match &*self.0 {
            Inner::Stored(document) => document,
            Inner::Live { ledger, document } => once(document, || {
                let mut document = build::document(ledger);
                document.manifest_id = Some(id_of(&document));
                document
            }),
        }
    }

    /// Writes canonical JSON: keys sorted, no white space, UTF-8.
    #[must_use]
    pub fn to_json(&self) -> String {
        write(self.document())
    }

    /// Reads what [`to_json`](Self::to_json) wrote, in any order of keys.
    ///
    /// # Errors
    ///
    /// `ManifestVersion` for a schema that is not known, `ManifestCorrupt` for a document that is
    /// not of the schema or that does not have the hash it names.
    pub fn from_json(json: &str) -> Result<Self, Error> {
        let value: serde_json::Value = serde_json::from_str(json)
            .map_err(|error| Error::manifest_corrupt(vec![error.to_string()]))?;
        match value.get("schema_version") {
            Some(version) if *version == SCHEMA_VERSION => {}
            Some(version) => {
                return Err(Error::new(ErrorKind::ManifestVersion {
                    found: version.to_string(),
                }));
            }
            None => {
                return Err(Error::manifest_corrupt(vec![
                    "schema_version is missing".to_owned(),
                ]));
            }
        }
        let document: Document = serde_json::from_value(value)
            .map_err(|error| Error::manifest_corrupt(vec![error.to_string()]))?;
        let mut bare = document.clone();
        let named = bare.manifest_id.take();
        let actual = id_of(&bare);
        if named.as_deref() != Some(&actual) {
            let named = named.unwrap_or_else(|| "nothing".to_owned());
            return Err(Error::manifest_corrupt(vec![format!(
                "manifest_id is {named}, the hash is {actual}"
            )]));
        }
        Ok(Self(Arc::new(Inner::Stored(document))))
    }

    /// Returns the rows that are out, in order, with their place among the rows of their section.
    #[must_use]
    pub fn dropped(&self) -> Vec<Dropped> {
        let mut places: HashMap<Option<&str>, usize> = HashMap::new();
        let document = self.document();
        let mut sections: Vec<(usize, Option<&str>)> = document
            .selected
            .iter()
            .map(|record| (record.row, record.section.as_deref()))
            .chain(
                document
                    .excluded
                    .iter()
                    .map(|record| (record.row, record.section.as_deref())),
            )
            .collect();
        sections.sort_unstable();
        let index: HashMap<usize, usize> = sections
            .into_iter()
            .map(|(row, section)| {
                let place = places
                    .entry(section)
                    .and_modify(|place| *place += 1)
                    .or_insert(0);
                (row, *place)
            })
            .collect();
        document
            .excluded
            .iter()
            .map(|record| Dropped {
                row: record.row,
                id: record.id.to_string(),
                section: record.section.as_deref().map(str::to_owned),
                index: index[&record.row],
                reason: record.reason.clone(),
                tokens: record.tokens,
            })
            .collect()
    }

    /// Returns a table for a person to read; at most so many rows are shown.
    #[must_use]
    pub fn summary(&self, limit: usize) -> String {
        summary::summary(self.document(), limit)
    }

    /// Explains the fate of an item, or returns `None` where no row has the id.
    #[must_use]
    pub fn why(&self, id: &str) -> Option<Why> {
        why::why(self.document(), id)
    }
}

impl PartialEq for Manifest {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.document() == other.document()
    }
}

fn write(document: &Document) -> String {
    serde_json::to_string(document).expect("a document has string keys only")
}

fn id_of(document: &Document) -> String {
    debug_assert!(
        document.manifest_id.is_none(),
        "the id is a hash of the rest"
    );
    hex(&Sha256::digest(write(document).as_bytes()).into())
}

//! The record of every decision of a pack: content-free, immutable, stored as canonical JSON.

mod build;
mod canonical;
mod check;
mod decision;
mod diff;
mod document;
mod offsets;
mod shortening;
mod summary;
mod verify;
mod version;
mod warnings;
mod why;

use std::sync::{Arc, OnceLock};

use serde::{Serialize, Serializer};
use sha2::{Digest, Sha256};

pub use decision::{Dropped, SectionAccount};
pub use diff::{Change, Diff, DiffRecord, FateRecord};
pub use document::{
    Amount, BoundaryRecord, Breakdown, DemotionRecord, Document, EditRecord, ExcludedRecord,
    GroupRecord, MergedRecord, Nothing, OptimalRecord, ProfileRecord, ProviderCountRecord,
    RedactionRecord, RepairRecord, SCHEMA_VERSION, SectionRecord, SelectedRecord, SignatureRecord,
    SubstitutionRecord, TruncationRecord, WarningRecord,
};
pub use why::Why;

use crate::content::{hex, unhex};
use crate::error::{Error, ErrorKind};
use crate::frame::Frame;
use crate::key::Key;
use crate::once::once;
use crate::pack::Ledger;
use crate::word::Accuracy;

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
            Inner::Live { ledger, document } => once(document, || named(ledger).0),
        }
    }

    /// Returns the decisions that it shows, where the pack was made here.
    pub(crate) fn ledger(&self) -> Option<&Ledger> {
        match &*self.0 {
            Inner::Stored(_) => None,
            Inner::Live { ledger, .. } => Some(ledger),
        }
    }

    /// Returns what the pack is worth, without making the document.
    pub(crate) fn accuracy(&self) -> Accuracy {
        match &*self.0 {
            Inner::Stored(document) => document.accuracy,
            Inner::Live { ledger, .. } => ledger.accuracy(&ledger.selected()),
        }
    }

    /// Writes canonical JSON: keys sorted, no white space, UTF-8.
    #[must_use]
    pub fn to_json(&self) -> String {
        let Inner::Live { ledger, document } = &*self.0 else {
            return version::write(self.document());
        };
        let mut json = None;
        let document = once(document, || {
            let (document, written) = named(ledger);
            json = Some(written);
            document
        });
        json.map_or_else(
            || version::write(document),
            |mut json| {
                version::put_id(
                    &mut json,
                    document.manifest_id.as_deref().unwrap_or_default(),
                );
                json
            },
        )
    }

    /// Reads what [`to_json`](Self::to_json) wrote, in any order of keys; of every schema version
    /// up to the current one.
    ///
    /// # Errors
    ///
    /// `ManifestVersion` for a schema that is not known, `ManifestCorrupt` for a document that is
    /// not of the schema, that does not have the hash it names, or whose numbers do not add up.
    pub fn from_json(json: &str) -> Result<Self, Error> {
        let document = version::read(json)?;
        let mut bare = document.clone();
        let named = bare.manifest_id.take();
        let actual = id_of(&bare);
        if named.as_deref() != Some(&actual) {
            let named = named.unwrap_or_else(|| "nothing".to_owned());
            return Err(version::corrupt(&format!(
                "manifest_id: is {named}, the hash of the rest is {actual}"
            )));
        }
        let differences = check::differences(&document);
        if !differences.is_empty() {
            return Err(Error::manifest_corrupt(differences));
        }
        Ok(Self(Arc::new(Inner::Stored(document))))
    }

    /// Says whether the document is as it is stored: one of an older version has less than
    /// [`document`](Self::document) shows.
    #[must_use]
    pub fn is_current(&self) -> bool {
        version::is_current(self.document())
    }

    /// Returns the same record with the provider's own count of the request, in the place of one that it
    /// had, and without a signature.
    ///
    /// # Errors
    ///
    /// `ManifestVersion` for a document of an older version, which has no place for it.
    pub fn checked(&self, tokens: u64) -> Result<Self, Error> {
        let document = self.current()?;
        let difference = i128::from(tokens) - i128::from(document.total_tokens);
        let left = document.remaining_tokens.map(i128::from);
        let mut checked = unsigned(document);
        checked.provider_count = Some(ProviderCountRecord {
            difference: i64::try_from(difference).unwrap_or(i64::MAX),
            fits: left.is_none_or(|left| difference <= left),
            tokens,
        });
        checked.manifest_id = Some(id_of(&checked));
        Ok(Self(Arc::new(Inner::Stored(checked))))
    }

    /// Returns the document, where it is of the version that is written.
    fn current(&self) -> Result<&Document, Error> {
        let document = self.document();
        if version::is_current(document) {
            return Ok(document);
        }
        let found = document.schema_version.to_string();
        Err(Error::new(ErrorKind::ManifestVersion { found }))
    }

    /// Returns the same record with a proof that whoever holds the key vouches for it; one that it
    /// had is replaced.
    ///
    /// # Errors
    ///
    /// `ManifestVersion` for a document of an older version, which has no place for it.
    pub fn sign(&self, key: &Key) -> Result<Self, Error> {
        let mut signed = unsigned(self.current()?);
        signed.signature = Some(SignatureRecord {
            algorithm: version::KEYED_HASH.to_owned(),
            value: hex(&key.code(signed_bytes(&signed).as_bytes())),
        });
        signed.manifest_id = Some(id_of(&signed));
        Ok(Self(Arc::new(Inner::Stored(signed))))
    }

    /// Says whether the holder of a key signed the record as it is. Never of one without a
    /// signature. The codes are compared in constant time.
    #[must_use]
    pub fn is_signed_by(&self, key: &Key) -> bool {
        let document = self.document();
        let code = document
            .signature
            .as_ref()
            .filter(|signature| signature.algorithm == version::KEYED_HASH)
            .and_then(|signature| unhex(&signature.value));
        let Some(code) = code else { return false };
        key.confirms(signed_bytes(&unsigned(document)).as_bytes(), &code)
    }

    /// Holds the record against the frame that was packed, and against the text if there is one:
    /// ids, hashes, sections, groups, roles and retentions of all rows, and what was cut and
    /// replaced. Where hashes have a key, it is needed.
    ///
    /// # Errors
    ///
    /// `ManifestMismatch` with every difference; `InvalidOption` for a key that is missing or that
    /// hashes without one do not need, and for a text where the pack was made for messages.
    pub fn verify(
        &self,
        frame: &Frame,
        key: Option<&Key>,
        rendered: Option<&str>,
    ) -> Result<(), Error> {
        let document = self.document();
        let is_keyed = self.has_keyed_hashes();
        if is_keyed != key.is_some() {
            let (value, problem, remedy) = if is_keyed {
                (
                    "None",
                    "is missing: the hashes have a key",
                    "the key of the pack",
                )
            } else {
                ("given", "is too much: the hashes have no key", "None")
            };
            return Err(Error::invalid_option(
                "hash_key",
                value,
                problem,
                Some(remedy),
            ));
        }
        if rendered.is_some() && document.rendered_sha256.is_none() {
            return Err(Error::invalid_option(
                "rendered",
                "given",
                "cannot be checked: the pack was made for messages",
                Some("None"),
            ));
        }
        let differences = verify::differences(document, frame, key, rendered);
        if differences.is_empty() {
            Ok(())
        } else {
            Err(Error::new(ErrorKind::ManifestMismatch { differences }))
        }
    }

    /// Says whether the hashes of contents have a key.
    #[must_use]
    pub fn has_keyed_hashes(&self) -> bool {
        self.document().content_hash == version::KEYED_HASH
    }

    /// Compares this pack, as the one before, with another.
    #[must_use]
    pub fn diff(&self, after: &Self) -> Diff {
        diff::diff(self.document(), after.document())
    }

    /// Returns the rows that lost content, by row, with their place among the rows of their
    /// section.
    #[must_use]
    pub fn dropped(&self) -> Vec<Dropped> {
        decision::dropped(self.document())
    }

    /// Returns what a section got, or `None` where no row and no rule has the name.
    #[must_use]
    pub fn section(&self, name: &str) -> Option<SectionAccount> {
        decision::section(self.document(), name)
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

    /// Returns the id of a row that is nearest to one that no row has, if one is near enough to
    /// be meant. Linear in rows.
    #[must_use]
    pub fn near_id(&self, id: &str) -> Option<&str> {
        why::near_id(self.document(), id)
    }
}

impl PartialEq for Manifest {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.document() == other.document()
    }
}

impl Serialize for Manifest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.is_current() {
            self.document().serialize(serializer)
        } else {
            version::value(self.document()).serialize(serializer)
        }
    }
}

/// Returns the document without its signature and the id that covers it.
fn unsigned(document: &Document) -> Document {
    Document {
        manifest_id: None,
        signature: None,
        ..document.clone()
    }
}

/// Returns what is signed: the canonical JSON without `manifest_id` and `signature`.
fn signed_bytes(unsigned: &Document) -> String {
    let mut value = version::value(unsigned);
    if let serde_json::Value::Object(fields) = &mut value {
        fields.retain(|name, _| name != "signature");
    }
    value.to_string()
}

/// Makes the document of a pack, and its JSON without the id.
fn named(ledger: &Ledger) -> (Document, String) {
    let mut document = build::document(ledger);
    let json = version::write(&document);
    document.manifest_id = Some(hash_of(&json));
    (document, json)
}

fn id_of(document: &Document) -> String {
    debug_assert!(
        document.manifest_id.is_none(),
        "the id is a hash of the rest"
    );
    hash_of(&version::write(document))
}

fn hash_of(json: &str) -> String {
    hex(&Sha256::digest(json.as_bytes()).into())
}

//! What an item says: text, JSON, a reference, bytes, or a chat message.

mod cost_cache;
mod edge_cache;
mod record;
mod secret;

use std::sync::OnceLock;
use std::sync::atomic::AtomicU8;

use sha2::{Digest, Sha256};

pub use cost_cache::{CostKey, MAX_COUNT};
pub use record::{ContentFields, alternatives_from_json, alternatives_to_json, metadata_json};

use crate::conversation::{Counted, Message};
use crate::error::Error;
use crate::once::once;
use cost_cache::CostCache;
use edge_cache::EdgeCache;

/// A SHA-256.
pub type Hash = [u8; 32];

/// One content, shared by every frame that it stands in.
///
/// Its hash, its counts, where it can be joined and whether it holds a secret are found once and kept.
///
/// # Examples
///
/// ```
/// use packframe_core::{Content, hex};
///
/// let json = Content::json(r#"{"answer":42}"#);
/// assert_eq!((json.kind(), json.rendered()), ("json", Some(r#"{"answer":42}"#)));
/// assert!(hex(json.hash()).starts_with("ecf59a"));
/// assert_eq!(Content::binary(vec![0], "image/png".to_owned()).rendered(), None);
/// ```
#[derive(Debug)]
pub struct Content {
    /// Text; compact JSON; a URI; the message as compact JSON; empty for bytes.
    text: Box<str>,
    body: Body,
    /// Boxed, since most contents are never hashed.
    hash: OnceLock<Box<Hash>>,
    costs: CostCache,
    edges: EdgeCache,
    /// What all rules for secrets together found first: see `secret`.
    secret: AtomicU8,
}

/// What a content has beside its text.
#[derive(Debug, Clone)]
pub enum Body {
    /// Nothing: the text is all.
    Text,
    /// Nothing: the text is compact JSON.
    Json,
    /// A URI, which is the text, and what is known of what stands there.
    Reference(Box<Reference>),
    /// Bytes.
    Binary(Box<Binary>),
    /// A chat message.
    Message(Box<Message>),
}

/// What is known of the target of a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// A digest, in the caller's own notation.
    pub digest: Option<String>,
    /// The size in bytes.
    pub size: Option<u64>,
}

/// Bytes with their media type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binary {
    /// The media type.
    pub mime: String,
    /// The bytes.
    pub data: Vec<u8>,
}

impl Content {
    /// Makes a text.
    #[must_use]
    pub fn text(text: impl Into<Box<str>>) -> Self {
        Self::new(text.into(), Body::Text)
    }

    /// Makes a JSON content from compact JSON.
    #[must_use]
    pub fn json(compact: impl Into<Box<str>>) -> Self {
        Self::new(compact.into(), Body::Json)
    }

    /// Makes a reference.
    ///
    /// # Errors
    ///
    /// `InvalidItem` for an empty URI.
    pub fn reference(
        uri: String,
        digest: Option<String>,
        size: Option<u64>,
    ) -> Result<Self, Error> {
        if uri.is_empty() {
            return Err(Error::invalid_item(
                "content",
                "''",
                "is no URI",
                Some("a URI that is not empty"),
            ));
        }
        Ok(Self::new(
            uri.into(),
            Body::Reference(Box::new(Reference { digest, size })),
        ))
    }

    /// Makes a binary content.
    #[must_use]
    pub fn binary(data: Vec<u8>, mime: String) -> Self {
        Self::new("".into(), Body::Binary(Box::new(Binary { mime, data })))
    }

    /// Makes a message content.
    #[must_use]
    pub fn message(message: Message, compact: impl Into<Box<str>>) -> Self {
        Self::new(compact.into(), Body::Message(Box::new(message)))
    }

    fn new(text: Box<str>, body: Body) -> Self {
        Self {
            text,
            body,
            hash: OnceLock::new(),
            costs: CostCache::default(),
            edges: EdgeCache::default(),
            secret: AtomicU8::new(0),
        }
    }

    /// Returns what it has beside its text.
    #[must_use]
    pub const fn body(&self) -> &Body {
        &self.body
    }

    /// Returns the text that it is stored as; for a message, its JSON.
    #[must_use]
    pub fn stored(&self) -> &str {
        &self.text
    }

    /// Returns the word for its kind.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self.body {
            Body::Text => "text",
            Body::Json => "json",
            Body::Reference(_) => "reference",
            Body::Binary(_) => "binary",
            Body::Message(_) => "message",
        }
    }

    /// Returns what a text rendering shows, or `None` where it can show nothing.
    #[must_use]
    pub fn rendered(&self) -> Option<&str> {
        match &self.body {
            Body::Text | Body::Json | Body::Reference(_) => Some(&self.text),
            Body::Binary(_) => None,
            Body::Message(message) => message.text(&self.text),
        }
    }

    /// Says whether a text rendering shows it, without reading it where that can be avoided.
    pub(crate) fn has_text(&self) -> bool {
        match &self.body {
            Body::Message(message) => message.has_text(&self.text),
            _ => self.rendered().is_some(),
        }
    }

    /// Returns the message, if it is one.
    #[must_use]
    pub fn as_message(&self) -> Option<&Message> {
        match &self.body {
            Body::Message(message) => Some(message),
            _ => None,
        }
    }

    /// Says whether a message has a name, and how many calls of tools it makes.
    pub(crate) fn charged(&self) -> Option<(bool, u64)> {
        self.as_message().map(|message| message.charged(&self.text))
    }

    /// Returns what the tokens of a message are counted from; nothing for what is none.
    pub(crate) fn counted(&self) -> Option<&Counted> {
        self.as_message().map(|message| message.counted(&self.text))
    }

    /// Says whether it is a message that says nothing at all. Linear the first time.
    pub(crate) fn is_blank(&self) -> bool {
        self.counted().is_some_and(|counted| {
            let says = counted.texts.iter().any(|text| !text.is_empty());
            !says && !counted.has_media && !counted.unknown_field && counted.calls == 0
        })
    }

    /// Returns the SHA-256 of what it is stored as; of the bytes for a binary content.
    pub fn hash(&self) -> &Hash {
        once::<Box<Hash>>(&self.hash, || {
            Box::new(match &self.body {
                Body::Binary(binary) => Sha256::digest(&binary.data).into(),
                _ => Sha256::digest(self.text.as_bytes()).into(),
            })
        })
    }

    /// Says whether two contents are of one kind and equal.
    #[must_use]
    pub fn same(&self, other: &Self) -> bool {
        self.text == other.text
            && match (&self.body, &other.body) {
                (Body::Text, Body::Text) | (Body::Json, Body::Json) => true,
                (Body::Reference(a), Body::Reference(b)) => a == b,
                (Body::Binary(a), Body::Binary(b)) => a == b,
                (Body::Message(a), Body::Message(b)) => a.format() == b.format(),
                _ => false,
            }
    }

    /// Returns the count kept under a key.
    #[must_use]
    pub fn cost(&self, key: CostKey) -> Option<u64> {
        self.costs.get(key)
    }

    /// Keeps a count under a key.
    pub fn keep_cost(&self, key: CostKey, tokens: u64) {
        self.costs.put(key, tokens);
    }

    /// Returns the first and the last seam of its text for the tokenizer of a key, found now if
    /// they are not kept.
    pub(crate) fn edge_seams(
        &self,
        key: CostKey,
        find: impl FnOnce() -> Option<(usize, usize)>,
    ) -> Option<(usize, usize)> {
        self.edges.seams(key, find)
    }

    /// Returns the units before the first and behind the last of these, counted now if they are
    /// not kept.
    pub(crate) fn edge_units(
        &self,
        key: CostKey,
        count: impl FnOnce() -> (u64, u64),
    ) -> (u64, u64) {
        self.edges.outside(key, count)
    }
}

/// Reads what [`hex`] wrote, or returns `None`.
#[must_use]
pub fn unhex(text: &str) -> Option<Hash> {
    let mut hash = [0; 32];
    let digits = text.as_bytes();
    if digits.len() != 64 {
        return None;
    }
    for (byte, pair) in hash.iter_mut().zip(digits.chunks_exact(2)) {
        for &digit in pair {
            let value = match digit {
                b'0'..=b'9' => digit - b'0',
                b'a'..=b'f' => digit - b'a' + 10,
                _ => return None,
            };
            *byte = *byte << 4 | value;
        }
    }
    Some(hash)
}

/// Writes a hash as 64 hexadecimal digits.
#[must_use]
#[expect(clippy::missing_panics_doc, reason = "digits are ASCII")]
pub fn hex(hash: &Hash) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = [0; 64];
    for (pair, byte) in text.chunks_exact_mut(2).zip(hash) {
        pair[0] = DIGITS[usize::from(byte >> 4)];
        pair[1] = DIGITS[usize::from(byte & 15)];
    }
    String::from_utf8(text.to_vec()).expect("digits are ASCII")
}

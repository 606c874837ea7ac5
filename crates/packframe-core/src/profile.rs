//! What a pack is counted with: a tokenizer, the framing of messages, and what both are worth.

use std::num::NonZeroUsize;
use std::sync::Arc;

use packframe_tokens::{Tokenizer, TokenizerError};
use sha2::{Digest, Sha256};

use crate::batch;
use crate::content::Content;
use crate::content::{CostKey, MAX_COUNT, hex};
use crate::count_memory::CountMemory;
use crate::error::{Cause, Error};
use crate::framing::{self, Charges, ChatRequest, Framing, MessageCounter};
use crate::recall::Lender;
use crate::special::SpecialTokens;
use crate::word::{Accuracy, Render, Role};

/// What a profile is made from.
pub struct ProfileSpec {
    /// Its name.
    pub id: String,
    /// What counts.
    pub tokenizer: Arc<dyn Tokenizer>,
    /// The hash of the tokenizer's own data in hexadecimal digits, or `None` for a callable.
    pub tokenizer_sha256: Option<String>,
    /// What a count is worth.
    pub accuracy: Accuracy,
    /// What messages cost over their content.
    pub framing: Framing,
    /// The least that an item costs.
    pub least_per_item: u64,
    /// Whether the accuracy is the caller's word.
    pub asserted_by_caller: bool,
    /// The version that the caller gives a callable.
    pub version: Option<String>,
    /// What counts whole lists of messages, if anything does.
    pub message_counter: Option<Arc<dyn MessageCounter>>,
}

/// What a pack is counted with.
pub struct TokenProfile {
    spec: ProfileSpec,
    fingerprint: String,
    text_key: CostKey,
    message_key: CostKey,
    role_tokens: [u64; Role::ALL.len()],
    counts_messages: bool,
    counts_exactly: bool,
    charges: Charges,
    special: Arc<SpecialTokens>,
    joins: Lender,
    messages: CountMemory,
}

/// Stands where a tokenizer was that is needed no more.
struct Settled;

impl Tokenizer for Settled {
    fn count(&self, _text: &str) -> Result<u64, TokenizerError> {
        Err(TokenizerError::new("packing is over"))
    }
}

impl std::fmt::Debug for TokenProfile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TokenProfile")
            .field("id", &self.spec.id)
            .finish_non_exhaustive()
    }
}

impl TokenProfile {
    /// Makes a profile; its fingerprint is computed here, once.
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the tokenizer cannot count the names of the roles.
    pub fn new(spec: ProfileSpec) -> Result<Self, Error> {
        let mut role_tokens = [0; Role::ALL.len()];
        let charges = spec.framing.charges();
        if charges.roles {
            for (tokens, role) in role_tokens.iter_mut().zip(Role::ALL) {
                *tokens = spec
                    .tokenizer
                    .count(role.as_str())
                    .map_err(|error| Error::tokenizer(&spec.id, None, error.to_string(), None))?;
            }
        }
        let described = format!(
            "packframe profile 1\n{}\n{:?}\n{}\n{}\n{}\n{:?}\n{:?}",
            spec.id,
            spec.tokenizer_sha256,
            spec.accuracy,
            spec.framing.described(),
            spec.least_per_item,
            spec.version,
            spec.message_counter.is_some(),
        );
        let (text_key, message_key) = match &spec.tokenizer_sha256 {
            Some(hash) => (CostKey::of(hash, false), CostKey::of(hash, true)),
            None => (CostKey::fresh(), CostKey::fresh()),
        };
        let fingerprint = hex(&Sha256::digest(described.as_bytes()).into());
        Ok(Self {
            counts_messages: spec.message_counter.is_some(),
            counts_exactly: is_exact(&spec),
            charges,
            special: Arc::new(SpecialTokens::of(&*spec.tokenizer)),
            spec,
            fingerprint,
            text_key,
            message_key,
            role_tokens,
            joins: Lender::default(),
            messages: CountMemory::default(),
        })
    }

    /// Returns the profile without the callables that packing needed: what a manifest keeps.
    ///
    /// A tokenizer with seams stays, since shortfalls are counted when they are asked for.
    pub(crate) fn settled(self: &Arc<Self>) -> Arc<Self> {
        if self.tokenizer().seams().is_some() {
            return Arc::clone(self);
        }
        Arc::new(Self {
            spec: ProfileSpec {
                id: self.spec.id.clone(),
                tokenizer: Arc::new(Settled),
                tokenizer_sha256: self.spec.tokenizer_sha256.clone(),
                accuracy: self.spec.accuracy,
                framing: self.spec.framing.clone(),
                least_per_item: self.spec.least_per_item,
                asserted_by_caller: self.spec.asserted_by_caller,
                version: self.spec.version.clone(),
                message_counter: None,
            },
            fingerprint: self.fingerprint.clone(),
            text_key: self.text_key,
            message_key: self.message_key,
            role_tokens: self.role_tokens,
            counts_messages: self.counts_messages,
            counts_exactly: self.counts_exactly,
            charges: self.charges,
            special: Arc::clone(&self.special),
            joins: Lender::default(),
            messages: CountMemory::default(),
        })
    }

    /// Says whether whole lists of messages are counted by the owner.
    #[must_use]
    pub const fn counts_messages(&self) -> bool {
        self.counts_messages
    }

    /// Says whether whole lists of messages are counted as exactly as texts, framing included.
    #[must_use]
    pub const fn counts_exactly(&self) -> bool {
        self.counts_exactly
    }

    /// Returns what messages cost over their content.
    #[must_use]
    pub const fn framing(&self) -> &Framing {
        &self.spec.framing
    }

    /// Returns its name.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.spec.id
    }

    /// Returns the hash of all that decides its numbers.
    #[must_use]
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Returns the hash of the tokenizer's own data.
    #[must_use]
    pub fn tokenizer_sha256(&self) -> Option<&str> {
        self.spec.tokenizer_sha256.as_deref()
    }

    /// Returns what a count of a text is worth.
    #[must_use]
    pub const fn accuracy(&self) -> Accuracy {
        self.spec.accuracy
    }

    /// Says whether the accuracy is the caller's word.
    #[must_use]
    pub const fn asserted_by_caller(&self) -> bool {
        self.spec.asserted_by_caller
    }

    /// Returns what counts.
    #[must_use]
    pub fn tokenizer(&self) -> &dyn Tokenizer {
        &*self.spec.tokenizer
    }

    /// Returns its special tokens.
    pub(crate) fn special(&self) -> &SpecialTokens {
        &self.special
    }

    /// Returns what is remembered of short texts between others.
    pub(crate) fn joins(&self) -> &Lender {
        &self.joins
    }

    /// Returns what messages that came before count.
    pub(crate) fn messages(&self) -> &CountMemory {
        &self.messages
    }

    /// Counts one text.
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the tokenizer fails.
    pub fn count(&self, text: &str) -> Result<u64, Error> {
        let counted = self
            .tokenizer()
            .count(text)
            .map_err(|error| self.failed(None, &error))?;
        self.checked(None, counted)
    }

    /// Counts each text, in order, on at most so many threads; `None` leaves it to the batch.
    ///
    /// Only as many are started as pay, and as there are cores, and all have ended when this returns. The result, and the
    /// text that an error names, are the same for any number.
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the tokenizer fails, with the position as its row.
    pub fn count_batch(
        &self,
        texts: &[&str],
        threads: Option<NonZeroUsize>,
    ) -> Result<Vec<u64>, Error> {
        let counts = batch::count(self.tokenizer(), texts, threads)
            .map_err(|error| self.failed(error.position(), &error))?;
        self.complete(texts, &counts)?;
        counts
            .into_iter()
            .enumerate()
            .map(|(at, count)| self.checked(Some(at), count))
            .collect()
    }

    /// Refuses a batch of counts that leaves texts out, or they would be packed as if they were free.
    pub(crate) fn complete(&self, texts: &[&str], counts: &[u64]) -> Result<(), Error> {
        if counts.len() == texts.len() {
            return Ok(());
        }
        let message = format!(
            "it returned {} counts for {} texts; return one for each",
            counts.len(),
            texts.len()
        );
        Err(Error::tokenizer(self.id(), None, message, None))
    }

    /// Counts a list of messages with the owner's counter, if there is one.
    pub(crate) fn count_messages(&self, json: &str) -> Option<Result<u64, Error>> {
        let counted = self.message_counter()?.count_messages(json);
        Some(
            counted
                .map_err(|error| self.failed(None, &error))
                .and_then(|count| self.checked(None, count)),
        )
    }

    /// Turns what a tokenizer raised into an error that names the row.
    pub(crate) fn failed(&self, row: Option<usize>, error: &TokenizerError) -> Error {
        let cause: Cause = Arc::new(error.clone());
        Error::tokenizer(self.id(), row, error.message().to_owned(), Some(cause))
    }

    /// Refuses a count that no text can have.
    pub(crate) fn checked(&self, row: Option<usize>, tokens: u64) -> Result<u64, Error> {
        if tokens <= MAX_COUNT {
            return Ok(tokens);
        }
        Err(Error::tokenizer(self.id(), row, too_many(tokens), None))
    }

    /// Returns what counts whole lists of messages.
    #[must_use]
    pub fn message_counter(&self) -> Option<&dyn MessageCounter> {
        self.spec.message_counter.as_deref()
    }

    /// Returns the least that an item costs.
    #[must_use]
    pub const fn least_per_item(&self) -> u64 {
        self.spec.least_per_item
    }

    /// Counts a call with its tools with the owner's counter; `None` where it knows no tools.
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the counter fails.
    pub fn count_request(&self, request: &ChatRequest<'_>) -> Result<Option<u64>, Error> {
        let Some(counter) = self.message_counter() else {
            return Ok(None);
        };
        let tokens = counter
            .count_request(request)
            .map_err(|error| self.failed(None, &error))?;
        tokens.map(|tokens| self.checked(None, tokens)).transpose()
    }

    /// Returns the text that a call is for the model; `None` for a profile that renders none.
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the renderer fails.
    pub fn shown(&self, request: &ChatRequest<'_>) -> Result<Option<String>, Error> {
        let Some(counter) = self.message_counter() else {
            return Ok(None);
        };
        counter
            .shown(request)
            .map_err(|error| self.failed(None, &error))
    }

    /// Returns the tokens that tools cost beside the messages, with the source of what is charged
    /// over their texts and its date; each is the JSON that is sent.
    ///
    /// The tokens are approximate. For a profile that renders conversations, ask
    /// [`count_request`](Self::count_request).
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the tokenizer fails.
    pub fn tools_tokens(
        &self,
        tools: &str,
        choice: Option<&str>,
    ) -> Result<(u64, Option<(String, String)>), Error> {
        let table = self.spec.framing.table();
        let charged = framing::charge(table.as_ref(), tools, choice);
        let texts: Vec<&str> = charged.texts.iter().map(String::as_str).collect();
        let counts = self.count_batch(&texts, None)?;
        let tokens = counts
            .iter()
            .sum::<u64>()
            .saturating_add_signed(charged.fixed);
        Ok((self.checked(None, tokens)?, charged.source))
    }

    /// Returns the tokens that a list of messages costs once.
    #[must_use]
    pub const fn base_tokens(&self) -> u64 {
        self.charges.base
    }

    /// Returns the tokens that each message costs over its content, for a user's message.
    #[must_use]
    pub const fn envelope_tokens_per_item(&self) -> u64 {
        self.charges.message + self.role_tokens[Role::User as usize]
    }

    /// Returns the tokens that one message costs over its content.
    #[must_use]
    pub fn envelope(&self, role: Role, content: Option<&Content>) -> u64 {
        let (named, calls) = content.and_then(Content::charged).unwrap_or((false, 0));
        self.charged(self.role_tokens[role as usize], named, calls)
    }

    /// Returns the least that a message of a role costs over its content, whatever it holds.
    pub(crate) fn least_envelope(&self, role: Role) -> u64 {
        let named = self.charges.name < 0;
        self.charged(self.role_tokens[role as usize], named, 0)
    }

    /// Returns what a message costs whose role has so many tokens, with a name and some calls.
    pub(crate) fn charged(&self, role: u64, named: bool, calls: u64) -> u64 {
        let Charges {
            message,
            name,
            call,
            ..
        } = self.charges;
        let tokens = message + role + call * calls;
        if named {
            tokens.saturating_add_signed(name)
        } else {
            tokens
        }
    }

    /// Returns the word for its framing, its source and the source's date.
    #[must_use]
    pub fn framing_source(&self) -> (&'static str, Option<String>, Option<String>) {
        self.spec.framing.source()
    }

    /// Returns what a pack with this profile is made for where the caller does not say.
    #[must_use]
    pub fn default_render(&self) -> Render {
        if self.spec.framing == Framing::None && !self.counts_messages {
            Render::Text
        } else {
            Render::Messages
        }
    }

    pub(crate) const fn cost_key(&self, messages: bool) -> CostKey {
        if messages {
            self.message_key
        } else {
            self.text_key
        }
    }
}

fn is_exact(spec: &ProfileSpec) -> bool {
    let counter = spec.message_counter.as_ref();
    counter.is_some_and(|counter| counter.is_exact())
}

/// Says what is wrong with a count that no text can have.
pub(crate) fn too_many(tokens: u64) -> String {
    format!("it returned {tokens}, more than a text can have; return the number of tokens")
}

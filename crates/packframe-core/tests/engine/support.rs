//! What the tests are written with: short ways to items, profiles and options, tokenizers of
//! their own, and random numbers from a seed.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use packframe_core::{
    Accuracy, Boundary, BudgetExceeded, Content, Document, Error, ErrorKind, ExcludedRecord,
    Expression, Format, Frame, Framing, Item, ItemSpec, Layout, Margin, Message, Overflow, Pack,
    PackOptions, Policy, Predicate, ProfileSpec, Render, Retention, Role, Scalar, Selection,
    TokenProfile, pack,
};
use packframe_tokens::{Approximate, OpenAi, Seams, Tokenizer, TokenizerError};

/// Starts an item of a text.
pub fn text(text: &str) -> ItemSpec {
    ItemSpec::of(Arc::new(Content::text(text)))
}

/// Starts an item of a required text.
pub fn required(content: &str) -> ItemSpec {
    ItemSpec {
        retention: Retention::Required,
        ..text(content)
    }
}

/// Starts an item of a text with a score.
pub fn scored(content: &str, score: f64) -> ItemSpec {
    ItemSpec {
        score,
        ..text(content)
    }
}

/// Starts an item of a text in a group.
pub fn grouped(content: &str, group: &str) -> ItemSpec {
    ItemSpec {
        group: Some(group.into()),
        ..text(content)
    }
}

/// Starts an item of a text with an id.
pub fn named(content: &str, id: &str) -> ItemSpec {
    ItemSpec {
        id: Some(id.into()),
        ..text(content)
    }
}

/// Starts an item of a chat message.
pub fn message(json: &str) -> ItemSpec {
    let message =
        Message::parse(Format::OpenAiChat, json).expect("the message is one that a provider takes");
    ItemSpec {
        role: message.role(),
        ..ItemSpec::of(Arc::new(Content::message(message, json)))
    }
}

/// Starts an item of bytes.
pub fn bytes(data: &[u8]) -> ItemSpec {
    ItemSpec::of(Arc::new(Content::binary(data.to_vec(), "image/png".into())))
}

pub fn item(spec: ItemSpec) -> Item {
    Item::new(spec).expect("the fields are in range")
}

/// Makes a frame that is expected to be one.
pub fn frame(specs: impl IntoIterator<Item = ItemSpec>) -> Arc<Frame> {
    Arc::new(try_frame(specs).expect("no two ids are equal"))
}

pub fn try_frame(specs: impl IntoIterator<Item = ItemSpec>) -> Result<Frame, Error> {
    let items: Vec<Item> = specs.into_iter().map(item).collect();
    Frame::from_items(&items)
}

/// Returns the ids of a frame's rows.
pub fn ids(frame: &Frame) -> Vec<String> {
    (0..frame.len())
        .map(|row| frame.id(row).to_string())
        .collect()
}

/// Returns what the rows of a frame show in a text.
pub fn texts(frame: &Frame) -> Vec<&str> {
    (0..frame.len())
        .map(|row| frame.content(row).rendered().unwrap_or("<none>"))
        .collect()
}

/// Makes a profile of an exact tokenizer without framing.
pub fn profile(id: &str, tokenizer: Arc<dyn Tokenizer>) -> TokenProfile {
    TokenProfile::new(bare(id, tokenizer)).expect("no role is counted")
}

/// Starts the profile of an exact tokenizer without framing.
pub fn bare(id: &str, tokenizer: Arc<dyn Tokenizer>) -> ProfileSpec {
    ProfileSpec {
        id: id.to_owned(),
        tokenizer,
        tokenizer_sha256: None,
        accuracy: Accuracy::Exact,
        framing: Framing::None,
        least_per_item: 0,
        asserted_by_caller: true,
        version: None,
        message_counter: None,
    }
}

/// One token a byte, each border a seam.
pub fn byte_profile() -> Arc<TokenProfile> {
    Arc::new(profile("bytes", Arc::new(Bytes)))
}

/// One token a byte, with framing of so many tokens.
pub fn framed_profile(base: u64, envelope: u64) -> Arc<TokenProfile> {
    let spec = ProfileSpec {
        framing: Framing::Flat { base, envelope },
        ..bare("framed", Arc::new(Bytes))
    };
    Arc::new(TokenProfile::new(spec).expect("no role is counted"))
}

/// The estimate, as the Python package makes it.
pub fn approximate() -> Arc<TokenProfile> {
    let spec = ProfileSpec {
        tokenizer_sha256: Some(Approximate.fingerprint().to_owned()),
        accuracy: Accuracy::Approximate,
        least_per_item: 1,
        ..bare("approximate", Arc::new(Approximate))
    };
    Arc::new(TokenProfile::new(spec).expect("no role is counted"))
}

/// An encoding of `OpenAI`'s, as the Python package makes it.
pub fn openai(name: &str) -> Arc<TokenProfile> {
    let tokenizer = OpenAi::named(name).expect("the encoding is known");
    let spec = ProfileSpec {
        tokenizer_sha256: Some(tokenizer.fingerprint().to_owned()),
        framing: Framing::OpenAiChat,
        asserted_by_caller: false,
        ..bare(&format!("openai:{name}"), tokenizer)
    };
    Arc::new(TokenProfile::new(spec).expect("the encoding can count the roles"))
}

/// Starts options for a text without separators.
pub fn options(budget: impl Into<Option<u64>>, profile: &Arc<TokenProfile>) -> PackOptions {
    PackOptions {
        budget: budget.into(),
        reserve: 0,
        margin: Margin::Tokens(0),
        profile: Arc::clone(profile),
        render: Some(Render::Text),
        separator: String::new(),
        labels: false,
        boundary: Boundary::internal("application"),
        policies: Vec::new(),
        overflow: Vec::new(),
        now: None,
        sections: Vec::new(),
        layout: Layout::Input,
        previous: Vec::new(),
        strategies: Vec::new(),
        hash_key: None,
        selection: Selection::Greedy,
        merged: None,
        fixed: 0,
        planned: None,
    }
}

/// Packs what is expected to fit.
pub fn packed(frame: &Arc<Frame>, options: PackOptions) -> Pack {
    pack(frame, options).expect("what is required fits")
}

/// Packs what is expected not to fit.
pub fn exceeded(frame: &Arc<Frame>, options: PackOptions) -> BudgetExceeded {
    match pack(frame, options)
        .expect_err("what is required does not fit")
        .kind()
    {
        ErrorKind::BudgetExceeded(numbers) => numbers.clone(),
        other => panic!("not over the budget, but {other:?}"),
    }
}

/// Returns the record of a row that is out.
pub fn excluded(document: &Document, row: usize) -> &ExcludedRecord {
    document
        .excluded
        .iter()
        .find(|record| record.row == row)
        .expect("the row is out")
}

/// Returns row and reason of all that is out.
pub fn reasons(document: &Document) -> Vec<(usize, &str)> {
    document
        .excluded
        .iter()
        .map(|record| (record.row, &*record.reason))
        .collect()
}

/// Returns the rows that are in, as the manifest has them.
pub fn selected(document: &Document) -> Vec<usize> {
    document.selected.iter().map(|record| record.row).collect()
}

/// Asserts that each row of the frame has one fate.
pub fn assert_partitioned(document: &Document, rows: usize) {
    let mut all = selected(document);
    all.extend(document.excluded.iter().map(|record| record.row));
    all.sort_unstable();
    assert_eq!(all, (0..rows).collect::<Vec<_>>(), "each row has one fate");
}

/// One token a byte; each border of characters is a seam.
pub struct Bytes;

impl Tokenizer for Bytes {
    fn count(&self, text: &str) -> Result<u64, TokenizerError> {
        Ok(text.len() as u64)
    }

    fn seams(&self) -> Option<&dyn Seams> {
        Some(self)
    }
}

impl Seams for Bytes {
    fn units(&self, text: &str) -> u64 {
        text.len() as u64
    }

    fn tokens(&self, units: u64) -> u64 {
        units
    }

    fn most_units(&self, bytes: usize) -> u64 {
        bytes as u64
    }

    fn first_seam(&self, text: &str) -> Option<usize> {
        first_border(text, |_, _| true)
    }

    fn last_seam(&self, text: &str) -> Option<usize> {
        last_border(text, |_, _| true)
    }
}

/// A token a character, but one less where two equal ones meet and two more where `b` follows
/// `a`: joining can save and can cost. `unit` characters make one token, rounded up.
pub struct Sticky {
    pub unit: u64,
    pub seams: bool,
}

impl Sticky {
    fn sticks(left: char, right: char) -> i64 {
        match (left, right) {
            _ if left == right => -1,
            ('a', 'b') => 2,
            _ => 0,
        }
    }
}

impl Tokenizer for Sticky {
    fn count(&self, text: &str) -> Result<u64, TokenizerError> {
        Ok(self.tokens(self.units(text)))
    }

    fn seams(&self) -> Option<&dyn Seams> {
        self.seams.then_some(self)
    }
}

impl Seams for Sticky {
    fn units(&self, text: &str) -> u64 {
        let chars = text.chars().count();
        let joins: i64 = text
            .chars()
            .zip(text.chars().skip(1))
            .map(|(left, right)| Self::sticks(left, right))
            .sum();
        (chars as u64)
            .checked_add_signed(joins)
            .expect("there are fewer borders than characters")
    }

    fn tokens(&self, units: u64) -> u64 {
        units.div_ceil(self.unit)
    }

    fn most_units(&self, bytes: usize) -> u64 {
        3 * bytes as u64
    }

    fn first_seam(&self, text: &str) -> Option<usize> {
        first_border(text, |left, right| Self::sticks(left, right) == 0)
    }

    fn last_seam(&self, text: &str) -> Option<usize> {
        last_border(text, |left, right| Self::sticks(left, right) == 0)
    }
}

fn first_border(text: &str, is_seam: fn(char, char) -> bool) -> Option<usize> {
    text.char_indices()
        .zip(text.char_indices().skip(1))
        .find_map(|((_, left), (at, right))| is_seam(left, right).then_some(at))
}

fn last_border(text: &str, is_seam: fn(char, char) -> bool) -> Option<usize> {
    text.char_indices()
        .zip(text.char_indices().skip(1))
        .filter_map(|((_, left), (at, right))| is_seam(left, right).then_some(at))
        .last()
}

/// Hides the seams of a tokenizer, and counts how often it is asked.
pub struct Opaque<T> {
    pub inner: T,
    /// Texts counted one by one: separator, labels, and each recount.
    pub single: AtomicUsize,
    /// Batches counted: the contents.
    pub batches: AtomicUsize,
}

impl<T> Opaque<T> {
    pub fn new(inner: T) -> Arc<Self> {
        Arc::new(Self {
            inner,
            single: AtomicUsize::new(0),
            batches: AtomicUsize::new(0),
        })
    }
}

impl<T: Tokenizer> Tokenizer for Opaque<T> {
    fn count(&self, text: &str) -> Result<u64, TokenizerError> {
        self.single.fetch_add(1, Ordering::Relaxed);
        self.inner.count(text)
    }

    fn count_batch(&self, texts: &[&str]) -> Result<Vec<u64>, TokenizerError> {
        self.batches.fetch_add(1, Ordering::Relaxed);
        self.inner.count_batch(texts)
    }
}

/// Counts with a function.
pub struct With<F>(pub F);

impl<F: Fn(&str) -> u64 + Send + Sync> Tokenizer for With<F> {
    fn count(&self, text: &str) -> Result<u64, TokenizerError> {
        Ok((self.0)(text))
    }
}

/// A policy of a function from row to verdict.
pub struct Refuses<F>(pub &'static str, pub F);

impl<F: Fn(&Frame, usize) -> Option<String> + Send + Sync> Policy for Refuses<F> {
    fn id(&self) -> &str {
        self.0
    }

    fn evaluate(
        &self,
        frame: &Frame,
        rows: &[usize],
        _: &Boundary,
    ) -> Result<Vec<Option<String>>, Error> {
        Ok(rows.iter().map(|&row| (self.1)(frame, row)).collect())
    }
}

/// Demotes the required rows that an expression chooses.
pub fn demote(expression: Expression, to: Retention) -> Overflow {
    let predicate: Arc<dyn Predicate> = Arc::new(expression);
    Overflow::Demote { predicate, to }
}

/// A string to compare with.
pub fn word(text: &str) -> Scalar {
    Scalar::Text(text.to_owned())
}

pub const ROLES: [Role; 4] = [Role::System, Role::Developer, Role::User, Role::Assistant];

/// Random numbers from a seed (`SplitMix64`). The seed is printed, and shown when a test fails.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        println!("seed {seed}");
        Self(seed)
    }

    /// Returns a number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        usize::try_from(z % limit as u64).expect("below a usize")
    }

    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// Returns a text of at most `parts` parts that stick together at their ends.
    pub fn hostile(&mut self, parts: usize) -> String {
        let mut text = String::new();
        for _ in 0..self.below(parts + 1) {
            match self.below(8) {
                0 => {
                    let run = self.pick(&[' ', '\n', '\t', '\u{a0}', 'a', '=', '\u{301}', '0']);
                    let times = 1 + self.below(9);
                    text.extend(std::iter::repeat_n(run, times));
                }
                1 => {
                    let scalar = u32::try_from(self.below(0x11_0000)).expect("below 0x110000");
                    text.extend(char::from_u32(scalar));
                }
                _ => text.push_str(self.pick(FRAGMENTS)),
            }
        }
        text
    }
}

pub const FRAGMENTS: &[&str] = &[
    "a1_.",
    ".s-  ",
    "\r\n",
    "\r",
    "\n",
    "\n\n",
    " \n ",
    "  ",
    " ",
    "\0",
    "e\u{301}",
    "\u{301}\u{302}",
    "日本語",
    "文",
    "。",
    "한국어",
    "👩\u{200d}👩\u{200d}👧",
    "🇩🇪",
    "😀",
    "SGVsbG8sIHdvcmxkIQ==",
    "dGhlIHF1aWNr",
    "'s",
    "'",
    "don't",
    "international",
    "inter",
    "national",
    "Hello",
    " world",
    "123",
    "4567",
    "<|endoftext|>",
    "<|im_start|>",
    "{\"a\":[1,2]}",
    "//",
    "https://example.com/",
    "!!!",
    "...",
    "…",
    "ПРИВЕТ",
    "मानक",
    "สวัสดี",
    "ﬁ",
    "ß",
    "\u{feff}",
    "\u{85}",
    "\u{2028}",
    "x",
    "B",
];

//! How many tokens a text is, and where it can be cut so that the counts of the parts add up.
//!
//! Four tokenizers stand behind one trait:
//!
//! - [`OpenAi`] counts exactly as `tiktoken`'s `encode_ordinary` does, and has [`Seams`].
//! - [`HuggingFace`] counts exactly as the `tokenizers` library does with a `tokenizer.json`: a
//!   byte-level BPE on the engine of the above, with [`Seams`], any other on that library.
//! - [`Approximate`] estimates from the UTF-8 bytes alone, and has [`Seams`].
//! - [`Conservative`] counts what the hungrier of two encodings does.
//!
//! Text is data: special tokens in it are text, and no text makes a count panic, hang or take
//! more than O(n log n).
//!
//! # Examples
//!
//! ```
//! use packframe_tokens::{OpenAi, Seams, Tokenizer, TokenizerError};
//!
//! let openai = OpenAi::named("o200k_base")?;
//! assert_eq!(openai.count("Hello, world!")?, 4);
//! assert_eq!(openai.first_seam("Hello, world!"), Some(5));
//! # Ok::<(), TokenizerError>(())
//! ```

mod added;
mod approximate;
mod bpe;
mod conservative;
mod cut;
mod digest;
mod encode;
mod error;
mod form;
mod huggingface;
mod ids;
mod openai;
mod pipeline;
mod running;
mod segment;
mod special;
mod split;
mod tekken;
mod till_limit;
mod tokenizer;
mod trail;
mod truncate;
mod unfinished;

pub use approximate::Approximate;
pub use conservative::Conservative;
pub use encode::Encode;
pub use error::TokenizerError;
pub use huggingface::HuggingFace;
pub use ids::{encode, encoder, token_offsets};
pub use openai::OpenAi;
pub use running::{Point, Running};
pub use segment::At;
pub use special::Special;
pub use split::{Chunk, SplitError, split};
pub use tekken::Tekken;
pub use till_limit::count_till_limit;
pub use tokenizer::{Seams, Tokenizer};
pub use truncate::{Keep, Truncated, cut_places, truncate};
pub use unfinished::{Advance, Unfinished};

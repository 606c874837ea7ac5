//! What reasons and errors say, in several languages. Codes are the API; these sentences may
//! change, and no stored document has them.

mod english;
mod error;
mod japanese;
mod language;
mod reason;
mod russian;
mod texts;

pub(crate) use error::write_error;
pub use language::{Language, language, set_language};
pub use reason::{reason_remedy, reason_sentence};
pub(crate) use texts::{fill, texts};

//! What a conversation costs over its texts: published numbers, and formats that are rendered.

mod call;
mod charges;
mod counter;
mod fields;
mod harmony;
mod json;
mod kind;
mod mistral;
mod python;
mod rendered;
mod request;
mod run;
mod seal;
mod table;
mod template;
mod tools;
mod typescript;

pub(crate) use call::calls;
pub use charges::{Provider, TableFraming};
pub use counter::MessageCounter;
pub(crate) use fields::fields;
pub use harmony::Harmony;
pub(crate) use json::{Json, Style};
pub(crate) use kind::Charges;
pub use kind::Framing;
pub use mistral::MistralVersion;
pub use rendered::{RenderedCounter, RenderedFraming, Renderer};
pub use request::ChatRequest;
pub use table::{FRAMING_TABLE, FramingRow};
pub use template::{ChatTemplate, TemplateSpec};
pub(crate) use tools::charge;

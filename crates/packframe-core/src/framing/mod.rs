//! What a conversation costs over its texts: published numbers, and formats that are rendered.

mod call;
mod harmony;
mod json;
mod mistral;
mod python;
mod request;
mod run;
mod seal;
mod template;
mod typescript;

pub use harmony::Harmony;
pub use mistral::MistralVersion;
pub use request::ChatRequest;
pub use template::{ChatTemplate, TemplateSpec};

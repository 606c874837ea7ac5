//! The extension module `packframe._core`: converts, releases the GIL, delegates, maps errors.

#![expect(
    clippy::doc_link_with_quotes,
    clippy::doc_markdown,
    clippy::needless_pass_by_value,
    clippy::unused_self,
    reason = "methods have the shape that Python asks for, and their docs are Python docstrings"
)]

mod alternative;
mod arrow;
mod call;
mod content;
mod conversation;
mod convert;
mod counter;
mod detached;
mod dialogue;
mod error;
mod expression;
mod frame;
mod framed;
mod item;
mod json;
mod language;
mod limit;
mod manifest;
mod messages;
mod model;
mod objects;
mod options;
mod pack;
mod pack_batch;
mod policy;
mod predicate;
mod profile;
mod ranking;
mod record;
mod redaction;
mod reduced;
mod request;
mod running;
mod section;
mod slot;
mod strategy;
mod texts;
mod value;

use pyo3::prelude::*;

/// The native half of packframe.
#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<content::Json>()?;
    module.add_class::<content::Binary>()?;
    module.add_class::<content::Reference>()?;
    module.add_class::<content::Message>()?;
    module.add_class::<alternative::Alternative>()?;
    module.add_class::<item::Item>()?;
    module.add_class::<section::Section>()?;
    module.add_class::<expression::Column>()?;
    module.add_class::<expression::Expression>()?;
    module.add_class::<frame::Frame>()?;
    module.add_class::<options::Boundary>()?;
    module.add_class::<options::Overflow>()?;
    module.add_class::<arrow::CountArray>()?;
    module.add_class::<arrow::ItemTable>()?;
    module.add_class::<profile::Profile>()?;
    module.add_class::<profile::ProfileBase>()?;
    module.add_class::<running::Counter>()?;
    module.add_class::<running::TokenMark>()?;
    module.add_class::<pack::Pack>()?;
    module.add_class::<manifest::Manifest>()?;
    module.add_class::<request::Request>()?;
    module.add_class::<request::Plan>()?;
    module.add_function(wrap_pyfunction!(pack_batch::pack_many, module)?)?;
    module.add_class::<manifest::Diff>()?;
    module.add_function(wrap_pyfunction!(conversation::validate_messages, module)?)?;
    module.add_function(wrap_pyfunction!(conversation::repair_messages, module)?)?;
    module.add_function(wrap_pyfunction!(conversation::convert_messages, module)?)?;
    module.add_function(wrap_pyfunction!(language::set_language, module)?)?;
    module.add_function(wrap_pyfunction!(language::reason_sentence, module)?)?;
    module.add_function(wrap_pyfunction!(framed::framed_profile, module)?)?;
    module.add_function(wrap_pyfunction!(framed::harmony_profile, module)?)?;
    module.add_function(wrap_pyfunction!(framed::mistral_profile, module)?)?;
    module.add_function(wrap_pyfunction!(framed::template_profile, module)?)?;
    module.add_function(wrap_pyfunction!(framed::framing_table, module)?)?;
    module.add_function(wrap_pyfunction!(profile::openai_ranks, module)?)?;
    module.add_function(wrap_pyfunction!(profile::openai_pattern, module)?)?;
    Ok(())
}

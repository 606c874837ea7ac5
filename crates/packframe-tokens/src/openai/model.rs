//! Which encoding a model of `OpenAI`'s has.

/// Families of models, and the encoding of each: a name stands for itself, and for what follows it
/// behind a `-` or a `:`; one with a `*` for all that starts so. The first that fits holds.
///
/// These are facts of the table that `OpenAI` publishes in `tiktoken/model.py` (version 0.14), which
/// has older models too. It holds nothing for `gpt-4.5` itself, but for what starts with `gpt-4.5-`.
const FAMILIES: [(&str, &str); 16] = [
    ("gpt-oss", "o200k_harmony"),
    ("gpt-5*", "o200k_base"),
    ("gpt-4.5", "o200k_base"),
    ("gpt-4.1", "o200k_base"),
    ("gpt-4o", "o200k_base"),
    ("chatgpt-4o", "o200k_base"),
    ("o1", "o200k_base"),
    ("o3", "o200k_base"),
    ("o4-mini", "o200k_base"),
    ("gpt-4", "cl100k_base"),
    ("gpt-3.5", "cl100k_base"),
    ("gpt-35-turbo", "cl100k_base"),
    ("text-embedding-3", "cl100k_base"),
    ("text-embedding-ada-002", "cl100k_base"),
    ("davinci-002", "cl100k_base"),
    ("babbage-002", "cl100k_base"),
];

/// Returns the encoding of a model, fine-tuned (`ft:`) or not, or `None` where the name is not known.
pub(super) fn encoding_of(model: &str) -> Option<&'static str> {
    let model = model.to_lowercase();
    let model = model.strip_prefix("ft:").unwrap_or(&model);
    let fits = |family: &str| match family.strip_suffix('*') {
        Some(start) => model.starts_with(start),
        None => model
            .strip_prefix(family)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', ':'])),
    };
    let found = FAMILIES.iter().find(|(family, _)| fits(family));
    found.map(|&(_, encoding)| encoding)
}

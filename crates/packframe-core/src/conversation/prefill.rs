//! Which models continue a message that the caller has begun for them.

use super::format::Format;

/// Says whether a model takes a list that ends with a message of the model's.
///
/// Anthropic took that away with version 4.6 of its models, and the families behind it have it
/// neither (its notes on what is new in 4.6, and its guide to migration). A model that is not known
/// takes it.
pub(super) fn is_taken(format: Format, model: &str) -> bool {
    if format != Format::Anthropic {
        return true;
    }
    let Some(at) = model.rfind("claude-") else {
        return true;
    };
    let words: Vec<&str> = model[at + "claude-".len()..]
        .split(['-', '.', '@', ':', '_'])
        .collect();
    if words.contains(&"mythos") {
        return false;
    }
    // A date is no version.
    let numbers = |word: &&str| (word.len() < 3).then(|| word.parse::<u32>().ok()).flatten();
    let Some(first) = words.iter().position(|word| numbers(word).is_some()) else {
        return true;
    };
    let major = numbers(&words[first]).unwrap_or(0);
    let minor = words.get(first + 1).and_then(numbers).unwrap_or(0);
    (major, minor) < (4, 6)
}

#[cfg(test)]
mod tests {
    use super::is_taken;
    use crate::conversation::format::Format;

    #[test]
    fn prefill_ends_with_version_4_6() {
        for (model, taken) in [
            ("claude-3-5-sonnet-20241022", true),
            ("claude-3-opus-latest", true),
            ("claude-2.1", true),
            ("claude-opus-4-20250514", true),
            ("claude-haiku-4-5-20251001", true),
            ("anthropic/claude-sonnet-4.5", true),
            ("claude-opus-4-6", false),
            ("us.anthropic.claude-opus-4-6-v1", false),
            ("claude-sonnet-4-6", false),
            ("anthropic/claude-opus-4.7", false),
            ("claude-sonnet-5", false),
            ("claude-mythos-preview", false),
            ("claude-instant", true),
            ("gpt-4o", true),
        ] {
            assert_eq!(is_taken(Format::Anthropic, model), taken, "{model}");
        }
        assert!(is_taken(Format::OpenAiChat, "claude-opus-4-6"));
    }
}

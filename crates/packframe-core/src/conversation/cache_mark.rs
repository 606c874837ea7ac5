//! Marks of Anthropic's that say up to where a prompt is kept: on blocks of messages.

use super::fields::{Fields, elements, list, object, quoted};

const MARK: &str = "cache_control";

/// Marks that a call may have.
pub(crate) const MOST_MARKS: usize = 4;

/// Returns the marks of the blocks of a message, as JSON, in order. Linear.
pub(crate) fn cache_marks(json: &str) -> Vec<String> {
    if !json.contains(MARK) {
        return Vec::new();
    }
    blocks(json)
        .iter()
        .filter_map(|block| Fields::parse(block)?.get(MARK).map(str::to_owned))
        .collect()
}

/// Returns how many of a list of tools are marked. Linear.
pub(crate) fn marked_tools(json: &str) -> usize {
    let tools = elements(json).unwrap_or_default().into_iter();
    tools
        .filter(|tool| Fields::parse(tool).is_some_and(|tool| tool.get(MARK).is_some()))
        .count()
}

/// Returns a message without the first so many of the marks on its blocks. Linear.
pub(crate) fn without_cache_marks(json: &str, mut count: usize) -> Option<String> {
    let fields = Fields::parse(json)?;
    let mut blocks = blocks(json);
    for block in &mut blocks {
        if count == 0 {
            break;
        }
        let Some(read) = Fields::parse(block).filter(|read| read.get(MARK).is_some()) else {
            continue;
        };
        let bare = object(read.iter().filter(|(name, _)| *name != MARK));
        *block = bare;
        count -= 1;
    }
    let content = list(blocks.iter().map(String::as_str));
    Some(object(fields.iter().map(|(field, raw)| match field {
        "content" => (field, content.as_str()),
        _ => (field, raw),
    })))
}

/// Blocks that the API takes a mark on, as its page on prompt caching lists them.
const MARKABLE: [&str; 5] = ["text", "image", "document", "tool_use", "tool_result"];

fn takes_mark(block: &str) -> bool {
    let kind = Fields::parse(block).and_then(|block| block.text("type").map(String::from));
    kind.is_some_and(|kind| MARKABLE.contains(&&*kind))
}

/// Says whether a mark may stand in a message, or stands there. Linear.
pub(crate) fn takes_cache_mark(json: &str) -> bool {
    let fields = Fields::parse(json);
    let content = fields.as_ref().and_then(|fields| fields.get("content"));
    content.is_some_and(|content| {
        content.starts_with('"') || blocks(json).iter().any(|block| takes_mark(block))
    })
}

/// Returns a message with a mark on the last of its blocks that takes one and has none behind it; a
/// text becomes a block. `None` where no block takes one, or where that one has a mark already.
pub(crate) fn with_cache_mark(json: &str, mark: &str) -> Option<String> {
    let fields = Fields::parse(json)?;
    let content = fields.get("content")?;
    let content = if content.starts_with('"') {
        let block = object([("type", "\"text\""), ("text", content), (MARK, mark)]);
        list([block.as_str()])
    } else {
        let mut blocks: Vec<String> = elements(content)?.into_iter().map(str::to_owned).collect();
        let at = blocks.iter().rposition(|block| takes_mark(block))?;
        let block = Fields::parse(&blocks[at])?;
        if block.get(MARK).is_some() {
            return None;
        }
        let marked = object(block.iter().chain([(MARK, mark)]));
        blocks[at] = marked;
        list(blocks.iter().map(String::as_str))
    };
    let name = quoted("content");
    debug_assert!(json.contains(&name), "the message has a content");
    Some(object(fields.iter().map(|(field, raw)| {
        if field == "content" {
            (field, content.as_str())
        } else {
            (field, raw)
        }
    })))
}

fn blocks(json: &str) -> Vec<String> {
    let fields = Fields::parse(json);
    let content = fields.as_ref().and_then(|fields| fields.get("content"));
    let found = content.and_then(elements).unwrap_or_default();
    found.into_iter().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::{
        cache_marks, marked_tools, takes_cache_mark, with_cache_mark, without_cache_marks,
    };

    const MARK: &str = r#"{"type":"ephemeral"}"#;

    #[test]
    fn a_mark_goes_on_the_last_block_that_takes_one() {
        let text = r#"{"role":"user","content":"a"}"#;
        let marked = with_cache_mark(text, MARK).expect("a text takes one");
        assert_eq!(
            marked,
            r#"{"role":"user","content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]}"#
        );
        assert_eq!(cache_marks(&marked), [MARK]);
        assert_eq!(with_cache_mark(&marked, MARK), None);
        let thought = r#"{"role":"assistant","content":[{"type":"thinking","thinking":"t"}]}"#;
        assert_eq!(with_cache_mark(thought, MARK), None);
        assert!(!takes_cache_mark(thought) && takes_cache_mark(text) && takes_cache_mark(&marked));
        let odd = r#"{"role":"user","content":[{"type":"text","text":"a"},{"type":"hologram"}]}"#;
        let marked = with_cache_mark(odd, MARK).expect("the text takes one");
        assert!(marked.contains(r#""text":"a","cache_control""#), "{marked}");
        assert!(cache_marks(text).is_empty());
    }

    #[test]
    fn the_first_marks_go() {
        let twice = r#"{"role":"user","content":[{"type":"text","cache_control":{"type":"ephemeral"},"text":"a"},{"type":"text","text":"b","cache_control":{"type":"ephemeral"}}],"x":1}"#;
        let once = r#"{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b","cache_control":{"type":"ephemeral"}}],"x":1}"#;
        assert_eq!(without_cache_marks(twice, 1).as_deref(), Some(once));
        let bare = without_cache_marks(twice, 5).expect("a message");
        assert!(cache_marks(&bare).is_empty());
        assert_eq!(
            marked_tools(r#"[{"name":"f"},{"name":"g","cache_control":{}}]"#),
            1
        );
    }
}

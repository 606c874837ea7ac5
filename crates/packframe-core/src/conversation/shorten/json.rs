//! JSON cut in the middle, so that it stays JSON: both ends of its lists, objects and strings stay.

use packframe_tokens::{At, cut_places};
use serde_json::value::RawValue;

use super::share::shares;
use crate::conversation::fields::{Fields, elements, list, object, quoted, text};

/// Characters that a value has to get, or the list or object that it stands in loses some.
const LEAST: usize = 24;

/// What part of a list an element may need, beyond which it is cut and no other goes for it.
const PART: usize = 4;

/// Levels that are looked into; what stands deeper goes as one.
const DEEPEST: usize = 32;

/// Bytes around a place in which a border between graphemes is looked for.
const NEAR: usize = 128;

/// The key of what says how many fields are left out.
const KEY: &str = "…";

/// Says how much is left out, in the place of it.
pub(crate) fn left_out(count: usize, what: &str) -> String {
    format!("[… {count} {what} left out …]")
}

/// Says whether a text is a JSON list or object.
pub(crate) fn is_container(text: &str) -> bool {
    text.trim_start().starts_with(['[', '{']) && serde_json::from_str::<&RawValue>(text).is_ok()
}

/// Returns JSON made shorter to about so many characters; it is not longer than before, and with no
/// room it is the shortest that this makes.
///
/// A list keeps elements at both ends, whole as long as they are no large part of it; an object keeps
/// its fields, and those at both ends where it has too many; a string keeps both ends; JSON in a
/// string stays JSON. What gets less is what is longest. Numbers and words stay.
pub(crate) fn shrunk(raw: &str, room: usize) -> String {
    shrink(raw.trim(), room, 0)
}

fn characters(text: &str) -> usize {
    text.chars().count()
}

fn shrink(raw: &str, room: usize, depth: usize) -> String {
    let size = characters(raw);
    if size <= room {
        return raw.to_owned();
    }
    let made = match raw.as_bytes().first() {
        Some(b'"') => string(raw, (size, room), depth),
        Some(b'[' | b'{') if depth == DEEPEST => Some(quoted(&left_out(size, "characters"))),
        Some(b'[') => elements(raw).map(|items| of_list(&items, room, depth)),
        Some(b'{') => Fields::parse(raw).map(|fields| of_object(&fields, room, depth)),
        _ => None,
    };
    // A mark may be longer than what it stands for.
    made.filter(|made| characters(made) < size)
        .unwrap_or_else(|| raw.to_owned())
}

fn string(raw: &str, (size, room): (usize, usize), depth: usize) -> Option<String> {
    let said = text(raw)?;
    let length = characters(&said);
    // Escapes take their part of the room.
    let inner = room.saturating_sub(2) * length / size.saturating_sub(2).max(1);
    if depth < DEEPEST && is_container(&said) {
        return Some(quoted(&shrink(said.trim(), inner, depth + 1)));
    }
    Some(quoted(&both_ends(&said, length, inner)))
}

/// Returns a text cut in the middle to so many characters.
fn both_ends(text: &str, length: usize, room: usize) -> String {
    let mark = characters(&left_out(length, "characters")) + 2;
    let kept = room.saturating_sub(mark);
    if kept < 2 {
        return left_out(length, "characters");
    }
    let byte = |count: usize| {
        let mut places = text.char_indices().map(|(at, _)| at);
        places.nth(count).unwrap_or(text.len())
    };
    let (head, tail) = (byte(kept.div_ceil(2)), byte(length - kept / 2));
    let ends = cut_places(text, At::Grapheme, head.saturating_sub(NEAR), head);
    let starts = cut_places(text, At::Grapheme, tail, tail + NEAR);
    let head = ends.last().copied().unwrap_or(0);
    let tail = starts.first().copied().unwrap_or(text.len());
    let gone = characters(&text[head..tail]);
    let mark = left_out(gone, "characters");
    let (start, end) = (text[..head].trim_end(), text[tail..].trim_start());
    [start, end].join(&format!(" {mark} "))
}

fn of_list(items: &[&str], room: usize, depth: usize) -> String {
    let sizes: Vec<usize> = items.iter().map(|raw| characters(raw) + 1).collect();
    let inner = room.saturating_sub(2);
    let fitted = fit(
        &sizes,
        inner,
        LEAST.max(inner / PART),
        characters(&mark_of(items.len(), "items")) + 1,
    );
    let made = |at: usize| shrink(items[at], fitted.shares[at].saturating_sub(1), depth + 1);
    let mark = fitted.gone().map(|gone| mark_of(gone, "items"));
    let front = (0..fitted.front).map(made);
    let back = (items.len() - fitted.back..items.len()).map(made);
    let all: Vec<String> = front.chain(mark).chain(back).collect();
    list(all.iter().map(String::as_str))
}

fn of_object(fields: &Fields<'_>, room: usize, depth: usize) -> String {
    let fields: Vec<(&str, &str)> = fields.iter().collect();
    let over = |name: &str| characters(&quoted(name)) + 2;
    let sizes: Vec<usize> = fields
        .iter()
        .map(|(name, raw)| over(name) + characters(raw))
        .collect();
    let inner = room.saturating_sub(2);
    let fitted = fit(
        &sizes,
        inner,
        LEAST,
        characters(&mark_of(fields.len(), "fields")) + over(KEY),
    );
    let made = |at: usize| {
        let (name, raw) = fields[at];
        let room = fitted.shares[at].saturating_sub(over(name));
        (name.to_owned(), shrink(raw, room, depth + 1))
    };
    let mark = fitted.gone().map(|gone| {
        let mut key = KEY.to_owned();
        while fields.iter().any(|(name, _)| *name == key) {
            key.push_str(KEY);
        }
        (key, mark_of(gone, "fields"))
    });
    let front = (0..fitted.front).map(made);
    let back = (fields.len() - fitted.back..fields.len()).map(made);
    let all: Vec<(String, String)> = front.chain(mark).chain(back).collect();
    object(all.iter().map(|(name, raw)| (&**name, &**raw)))
}

fn mark_of(gone: usize, what: &str) -> String {
    quoted(&left_out(gone, what))
}

/// How many of a list stay at each end, and the room of each.
struct Fitted {
    front: usize,
    back: usize,
    shares: Vec<usize>,
}

impl Fitted {
    /// Returns how many go, if some do.
    fn gone(&self) -> Option<usize> {
        let gone = self.shares.len() - self.front - self.back;
        (gone > 0).then_some(gone)
    }
}

/// Finds out how many stay where each needs its size, or `cap` at least.
fn fit(sizes: &[usize], room: usize, cap: usize, mark: usize) -> Fitted {
    let need = |at: usize| sizes[at].min(cap);
    let count = sizes.len();
    if (0..count).map(need).sum::<usize>() <= room {
        return Fitted {
            front: count,
            back: 0,
            shares: shared(sizes, room),
        };
    }
    let room = room.saturating_sub(mark);
    let (mut front, mut back, mut left) = (0, 0, room);
    let mut is_full = [false, false];
    while front + back < count && is_full != [true, true] {
        if !is_full[0] {
            match left.checked_sub(need(front)) {
                Some(rest) => (front, left) = (front + 1, rest),
                None => is_full[0] = true,
            }
        }
        if !is_full[1] && front + back < count {
            match left.checked_sub(need(count - 1 - back)) {
                Some(rest) => (back, left) = (back + 1, rest),
                None => is_full[1] = true,
            }
        }
    }
    let stays = |at: usize| at < front || at >= count - back;
    let kept: Vec<usize> = (0..count).filter(|&at| stays(at)).collect();
    let of_kept: Vec<usize> = kept.iter().map(|&at| sizes[at]).collect();
    let mut all = vec![0; count];
    for (at, share) in kept.into_iter().zip(shared(&of_kept, room)) {
        all[at] = share;
    }
    Fitted {
        front,
        back,
        shares: all,
    }
}

fn shared(sizes: &[usize], room: usize) -> Vec<usize> {
    let sizes: Vec<u64> = sizes.iter().map(|&size| size as u64).collect();
    let shares = shares(&sizes, room as u64);
    let shares = shares.into_iter().map(usize::try_from);
    shares.map(|share| share.unwrap_or(usize::MAX)).collect()
}

#[cfg(test)]
mod tests {
    use super::{RawValue, is_container, shrunk};

    #[test]
    fn both_ends_stay_and_it_stays_json() {
        let numbers: Vec<String> = (0..100).map(|number| number.to_string()).collect();
        let numbers = format!("[{}]", numbers.join(","));
        assert_eq!(
            shrunk(&numbers, 50),
            r#"[0,1,2,3,"[… 92 items left out …]",96,97,98,99]"#
        );
        let text = format!("{{\"id\":7,\"log\":\"{}\"}}", "ab ".repeat(100));
        assert_eq!(
            shrunk(&text, 70),
            r#"{"id":7,"log":"ab ab ab ab [… 279 characters left out …] ab ab ab "}"#
        );
        let inner = format!("{{\"output\":{}}}", serde_json::Value::from(numbers));
        let made = shrunk(&inner, 80);
        let value: serde_json::Value = serde_json::from_str(&made).expect("it is JSON");
        let said = value["output"].as_str().expect("a text stays one");
        assert!(is_container(said) && said.starts_with("[0,1,"), "{said}");
    }

    #[test]
    fn it_is_never_longer_and_always_json() {
        let deep = "[".repeat(200) + "1" + &"]".repeat(200);
        let many: Vec<String> = (0..40).map(|at| format!("\"k{at}\":{at}")).collect();
        for json in [
            "[]",
            "{}",
            "[1,2]",
            "{\"a\":{}}",
            "\"\"",
            "-1.50e3",
            " [ 1 , \"é\" ] ",
            &deep,
            &format!("{{{}}}", many.join(",")),
            &format!("[{{\"a\":\"{}\"}},2]", "日本語".repeat(90)),
            &format!("{{\"…\":1,\"b\":[{}]}}", "null,".repeat(50) + "0"),
        ] {
            let size = json.chars().count();
            let mut before = 0;
            for room in 0..=size {
                let made = shrunk(json, room);
                assert!(made.chars().count() <= size, "{json} {room}");
                let value = serde_json::from_str::<&RawValue>(&made);
                assert!(value.is_ok(), "{json} {room} {made}");
                before = before.max(made.chars().count());
            }
            assert_eq!(before, json.trim().chars().count());
        }
    }
}

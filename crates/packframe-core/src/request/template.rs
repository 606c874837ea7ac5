//! A system text with places for sections of the context.

use super::parts::Request;
use crate::error::Error;
use crate::printable::quoted;

/// A piece of a system text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Slice<'a> {
    Text(&'a str),
    /// The place of a section, by its place in the context.
    Slot(usize),
}

/// Cuts a system text at the names of sections in braces; any other brace is text.
///
/// # Errors
///
/// `InvalidOption` where some sections have a place and others have none, where one has two, and
/// where the context is no part of the system text.
pub(super) fn slices<'a>(system: &'a str, request: &Request) -> Result<Vec<Slice<'a>>, Error> {
    let mut found = Vec::new();
    let mut used = vec![false; request.context.len()];
    let (mut from, mut at) = (0, 0);
    while let Some(open) = system[at..].find('{').map(|open| at + open) {
        at = open + 1;
        let Some(close) = system[at..].find('}').map(|close| at + close) else {
            break;
        };
        let name = &system[at..close];
        let named = |section: &super::ContextSection| &*section.rules.name == name;
        let Some(place) = request.context.iter().position(named) else {
            continue;
        };
        if used[place] {
            return Err(refuse(name, "has two places in it", "each section once"));
        }
        used[place] = true;
        if from < open {
            found.push(Slice::Text(&system[from..open]));
        }
        found.push(Slice::Slot(place));
        at = close + 1;
        from = at;
    }
    if from < system.len() {
        found.push(Slice::Text(&system[from..]));
    }
    if !used.contains(&true) {
        return Ok(found);
    }
    if request.context_is_user {
        let name = &request.context[used.iter().position(|used| *used).unwrap_or(0)];
        let remedy = "context_role=\"system\", or no place";
        let problem = "has a place in it, and the context is the user's";
        return Err(refuse(&name.rules.name, problem, remedy));
    }
    match used.iter().position(|used| !used) {
        Some(place) => {
            let name = &request.context[place].rules.name;
            let problem = "has no place in it, and others have";
            Err(refuse(
                name,
                problem,
                "a place for each section, or for none",
            ))
        }
        None => Ok(found),
    }
}

fn refuse(name: &str, problem: &str, remedy: &str) -> Error {
    let problem = format!("{problem}: {}", quoted(name));
    Error::invalid_option("system", quoted(name), problem, Some(remedy))
}

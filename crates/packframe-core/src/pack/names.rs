//! Secrets in what stands beside contents: names, which the manifest shows, and headers and
//! separators, which a rendering shows.

use std::collections::HashSet;
use std::sync::Arc;

use super::options::PackOptions;
use crate::error::Error;
use crate::frame::{Frame, sparse};
use crate::printable::printable;
use crate::secret::SecretRules;

/// What an error shows of a text that holds a secret.
const HIDDEN: &str = "(not shown)";

/// Looks for secrets where contents are searched for them: in ids, in the names of sections and
/// groups, in keys and required ids, in headers and separators. None of these can be left out or
/// redacted, so each is an error, whatever becomes of contents.
///
/// Linear in the names that were given.
///
/// # Errors
///
/// `InvalidItem` for a name, with its row and field, and `InvalidOption` for a header, a separator
/// or a declared name. No message shows the text.
pub(crate) fn check_names(frame: &Frame, options: &PackOptions) -> Result<(), Error> {
    let Some(rules) = options.boundary.searched_by() else {
        return Ok(());
    };
    check_options(options, rules)?;
    let columns = [
        ("section", &frame.sections),
        ("group", &frame.groups),
        ("id", &frame.given_ids),
    ];
    // Many rows share one name.
    let mut seen: HashSet<&str> = HashSet::new();
    let look = |row: usize, field: &str, name: &Arc<str>| -> Result<(), Error> {
        match rules.first(name) {
            None => Ok(()),
            Some(secret) => {
                let problem = format!(
                    "has the form of a secret ({}), and names stand in the manifest",
                    secret.rule
                );
                let remedy = "a name without it, or Boundary.external(..., secrets='allow')";
                Err(Error::invalid_item(field, HIDDEN, problem, Some(remedy)).at_row(row))
            }
        }
    };
    for (field, column) in columns {
        seen.clear();
        for row in (0..frame.len()).filter(|_| column.is_some()) {
            if let Some(name) = sparse(column.as_ref(), row)
                && (field == "id" || seen.insert(name))
            {
                look(row, field, name)?;
            }
        }
    }
    for row in (0..frame.len()).filter(|_| frame.extras.is_some()) {
        let Some(extra) = frame.extra(row) else {
            continue;
        };
        if let Some(key) = &extra.exclusive {
            look(row, "exclusive", key)?;
        }
        for id in &extra.requires {
            look(row, "requires", id)?;
        }
    }
    Ok(())
}

fn check_options(options: &PackOptions, rules: SecretRules) -> Result<(), Error> {
    let target = printable(options.boundary.target());
    let remedy = "a text without it, or Boundary.external(..., secrets='allow')";
    let look = |option: &str, of: &str, text: &str| match rules.first(text) {
        None => Ok(()),
        Some(secret) => {
            let problem = format!(
                "{of}has the form of a secret ({}) and would go to '{target}'",
                secret.rule
            );
            Err(Error::invalid_option(option, HIDDEN, problem, Some(remedy)))
        }
    };
    look("separator", "", &options.separator)?;
    for section in &options.sections {
        look("name", "of a section ", &section.name)?;
        let of = format!("of section '{}' ", printable(&section.name));
        look("separator", &of, &section.separator)?;
        if let Some(header) = section.shown_header() {
            look("header", &of, header)?;
        }
    }
    Ok(())
}

//! Places in the JSON of a message, and other JSON put there.

use std::borrow::Cow;
use std::fmt;

use crate::conversation::fields::{Fields, elements, list, object};

/// A step into JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// The value of a key.
    Key(&'static str),
    /// An element of a list.
    At(usize),
}

/// A place in JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Path(Vec<Step>);

impl Path {
    /// Returns the place of the value of a key here.
    pub(crate) fn key(&self, name: &'static str) -> Self {
        self.with(Step::Key(name))
    }

    /// Returns the place of an element of the list here.
    pub(crate) fn at(&self, place: usize) -> Self {
        self.with(Step::At(place))
    }

    fn with(&self, step: Step) -> Self {
        let steps = self.0.iter().copied().chain([step]);
        Self(steps.collect())
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, step) in self.0.iter().enumerate() {
            match step {
                Step::Key(name) if at == 0 => f.write_str(name)?,
                Step::Key(name) => write!(f, ".{name}")?,
                Step::At(place) => write!(f, "[{place}]")?,
            }
        }
        Ok(())
    }
}

/// Returns the JSON at a place, or nothing where there is none.
pub(super) fn raw_at<'a>(json: &'a str, path: &Path) -> Option<&'a str> {
    let mut raw = json;
    for step in &path.0 {
        raw = match step {
            Step::Key(name) => Fields::parse(raw)?.get(name)?,
            Step::At(place) => elements(raw)?.get(*place).copied()?,
        };
    }
    Some(raw)
}

/// Returns the JSON at each of some places, nothing where there is none. Linear for each level of the
/// places, where those of one value stand together.
pub(crate) fn raws_at<'a>(json: &'a str, paths: &[&Path]) -> Vec<Option<&'a str>> {
    let mut found = vec![None; paths.len()];
    let places = paths.iter().enumerate();
    let places: Vec<(usize, &[Step])> = places.map(|(at, path)| (at, &path.0[..])).collect();
    find(json, &places, &mut found);
    found
}

fn find<'a>(json: &'a str, places: &[(usize, &[Step])], found: &mut [Option<&'a str>]) {
    let has = |is: fn(&Step) -> bool| places.iter().any(|(_, path)| path.first().is_some_and(is));
    let fields = has(|step| matches!(step, Step::Key(_))).then(|| Fields::parse(json));
    let values = has(|step| matches!(step, Step::At(_))).then(|| elements(json));
    let (fields, values) = (fields.flatten(), values.flatten());
    for of_step in places.chunk_by(|(_, one), (_, other)| one.first() == other.first()) {
        let Some(step) = of_step.first().and_then(|(_, path)| path.first()) else {
            for (at, _) in of_step {
                found[*at] = Some(json);
            }
            continue;
        };
        let raw = match step {
            Step::Key(name) => fields.as_ref().and_then(|fields| fields.get(name)),
            Step::At(place) => values
                .as_ref()
                .and_then(|values| values.get(*place).copied()),
        };
        if let Some(raw) = raw {
            let rest = of_step.iter().map(|(at, path)| (*at, &path[1..]));
            find(raw, &rest.collect::<Vec<_>>(), found);
        }
    }
}

/// Returns JSON with other JSON in some places, none of which is in another. What stands beside them
/// keeps its bytes. Linear for each level of the places.
pub(crate) fn replaced(json: &str, changes: &[(&Path, String)]) -> String {
    let changes: Vec<(&[Step], &str)> = changes
        .iter()
        .map(|(path, raw)| (&path.0[..], &**raw))
        .collect();
    rebuilt(json, &changes).into_owned()
}

fn rebuilt<'a>(json: &'a str, changes: &[(&[Step], &'a str)]) -> Cow<'a, str> {
    let Some((first, raw)) = changes.first() else {
        return Cow::Borrowed(json);
    };
    let inner = |step: Step| -> Vec<(&[Step], &'a str)> {
        let of_step = changes
            .iter()
            .filter(|(path, _)| path.first() == Some(&step));
        of_step.map(|(path, raw)| (&path[1..], *raw)).collect()
    };
    match first.first() {
        None => Cow::Borrowed(raw),
        Some(Step::Key(_)) => {
            let Some(fields) = Fields::parse(json) else {
                return Cow::Borrowed(json);
            };
            let made: Vec<(&str, Cow<'_, str>)> = fields
                .iter()
                .map(|(name, raw)| {
                    let known = changes.iter().find_map(|(path, _)| match path.first() {
                        Some(Step::Key(key)) if *key == name => Some(*key),
                        _ => None,
                    });
                    (
                        name,
                        known.map_or(Cow::Borrowed(raw), |key| {
                            rebuilt(raw, &inner(Step::Key(key)))
                        }),
                    )
                })
                .collect();
            Cow::Owned(object(made.iter().map(|(name, raw)| (*name, &**raw))))
        }
        Some(Step::At(_)) => {
            let Some(values) = elements(json) else {
                return Cow::Borrowed(json);
            };
            let mut by_place: Vec<Vec<(&[Step], &'a str)>> = vec![Vec::new(); values.len()];
            for (path, raw) in changes {
                if let Some(Step::At(place)) = path.first()
                    && let Some(of_place) = by_place.get_mut(*place)
                {
                    of_place.push((&path[1..], raw));
                }
            }
            let made: Vec<Cow<'_, str>> = values
                .iter()
                .zip(&by_place)
                .map(|(raw, changes)| rebuilt(raw, changes))
                .collect();
            Cow::Owned(list(made.iter().map(|raw| &**raw)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Path, raw_at, replaced};

    #[test]
    fn what_stands_beside_a_place_keeps_its_bytes() {
        let json =
            r#"{"b":1.50,"content":[{"x": 1},{"text":"a","n":[1, 2]},{"text":"b"}],"z":null}"#;
        let content = Path::default().key("content");
        let (one, other) = (content.at(1).key("text"), content.at(2).key("text"));
        assert_eq!(one.to_string(), "content[1].text");
        assert_eq!(raw_at(json, &one), Some("\"a\""));
        assert_eq!(raw_at(json, &content.at(7)), None);
        assert_eq!(
            replaced(
                json,
                &[(&one, "\"A\"".to_owned()), (&other, "\"B\"".to_owned())]
            ),
            r#"{"b":1.50,"content":[{"x": 1},{"text":"A","n":[1, 2]},{"text":"B"}],"z":null}"#
        );
        assert_eq!(replaced(json, &[]), json);
        assert_eq!(replaced("[1]", &[(&one, "2".to_owned())]), "[1]");
    }
}

//! JSON cut by elements, so that it stays JSON.

/// Where a compact JSON text may be cut.
#[derive(Debug)]
pub(crate) struct JsonCut<'a> {
    text: &'a str,
    /// Bytes of the text that each cut keeps, in order.
    places: Vec<usize>,
}

impl<'a> JsonCut<'a> {
    /// Finds the places. Linear.
    ///
    /// A place is behind each element of an outermost list and each value of the objects around it,
    /// and behind the opening bracket of such a list; a record in a list stays whole or goes. The
    /// whole is no place.
    pub(crate) fn of(text: &'a str) -> Self {
        let mut places = Vec::new();
        // How deep the outermost list that is open lies.
        let mut list: Option<usize> = None;
        walk(text, |at, byte, depth| match byte {
            b'[' if list.is_none() => {
                list = Some(depth);
                if depth > 1 {
                    places.push(at + 1);
                }
            }
            b'{' if list.is_none() && depth > 1 => places.push(at + 1),
            b']' if list == Some(depth + 1) => list = None,
            b',' if depth > 0 && list.is_none_or(|list| list == depth) => places.push(at),
            _ => {}
        });
        Self { text, places }
    }

    /// Returns the longest cut that a search by halves finds to fit, and the bytes of the text that
    /// it keeps; `None` where none fits. It is not shorter than the longest one all of whose
    /// shorter ones fit.
    ///
    /// # Errors
    ///
    /// What `fits` fails with.
    pub(crate) fn longest<E>(
        &self,
        mut fits: impl FnMut(&str) -> Result<bool, E>,
    ) -> Result<Option<(String, usize)>, E> {
        let (mut low, mut high) = (0, self.places.len());
        let mut best = None;
        while low < high {
            let middle = low + (high - low) / 2;
            let text = self.at(middle);
            if fits(&text)? {
                best = Some((text, self.places[middle]));
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Ok(best)
    }

    /// Returns the cut that keeps so many bytes of the text, or `None` where no cut does.
    pub(crate) fn after(&self, kept: usize) -> Option<String> {
        let place = self.places.binary_search(&kept).ok()?;
        Some(self.at(place))
    }

    /// Returns the text cut at a place, with what is open there closed.
    fn at(&self, place: usize) -> String {
        let kept = &self.text[..self.places[place]];
        let mut open = Vec::new();
        walk(kept, |_, byte, _| match byte {
            b'[' => open.push(']'),
            b'{' => open.push('}'),
            b']' | b'}' => {
                open.pop();
            }
            _ => {}
        });
        let mut text = kept.to_owned();
        text.extend(open.into_iter().rev());
        text
    }
}

/// Goes through the bytes outside strings: place, byte, and how many containers are open behind it.
fn walk(text: &str, mut visit: impl FnMut(usize, u8, usize)) {
    let bytes = text.as_bytes();
    let (mut at, mut depth, mut in_string) = (0, 0_usize, false);
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if in_string => at += 1,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            byte => {
                match byte {
                    b'[' | b'{' => depth += 1,
                    b']' | b'}' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                visit(at, byte, depth);
            }
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::JsonCut;

    fn all(text: &str) -> Vec<String> {
        let cut = JsonCut::of(text);
        (0..cut.places.len()).map(|place| cut.at(place)).collect()
    }

    #[test]
    fn a_list_is_cut_behind_its_elements() {
        assert_eq!(
            all("[1,[2,3],\"a,]\\\"\",4]"),
            ["[1]", "[1,[2,3]]", "[1,[2,3],\"a,]\\\"\"]"]
        );
        assert_eq!(
            all("{\"a\":1,\"b\":{\"c\":[5,6]}}"),
            [
                "{\"a\":1}",
                "{\"a\":1,\"b\":{}}",
                "{\"a\":1,\"b\":{\"c\":[]}}",
                "{\"a\":1,\"b\":{\"c\":[5]}}",
            ]
        );
        let records = "{\"rows\":[{\"id\":1,\"t\":[2,3]},{\"id\":4}],\"more\":5}";
        assert_eq!(
            all(records),
            [
                "{\"rows\":[]}",
                "{\"rows\":[{\"id\":1,\"t\":[2,3]}]}",
                "{\"rows\":[{\"id\":1,\"t\":[2,3]},{\"id\":4}]}",
            ]
        );
        for scalar in ["", "1", "\"text, more\"", "null", "[]", "{}", "[1]"] {
            assert!(all(scalar).is_empty(), "{scalar}");
        }
    }

    #[test]
    fn the_longest_that_fits_is_found() {
        let cut = JsonCut::of("[1,2,3,4,5,6]");
        for most in 0..20 {
            let found = cut.longest(|text| Ok::<_, ()>(text.len() <= most));
            let expected = (1..6)
                .map(|count| {
                    let inner: Vec<String> = (1..=count).map(|n: u32| n.to_string()).collect();
                    format!("[{}]", inner.join(","))
                })
                .rfind(|text| text.len() <= most);
            assert_eq!(found.map(|found| found.map(|(text, _)| text)), Ok(expected));
        }
    }
}

//! Regular expressions in the one spelling that all of the same meaning share.
//!
//! Only as much is read as the patterns of byte-level vocabularies are made of; what is beyond that
//! has no spelling here.

/// The alternatives of a regular expression, each in canonical spelling.
///
/// Spelled alike are: characters and their escapes, the members of a class in any order, a class of
/// one member and that member, alternatives of plain words in any order and in any nesting, and a
/// possessive repetition that could give back nothing anyway. Returns `None` for what this module
/// does not read.
pub(super) fn alternatives(pattern: &str) -> Option<Vec<String>> {
    let mut reader = Reader {
        rest: pattern,
        depth: 0,
    };
    let alternatives = reader.alternatives()?;
    if !reader.rest.is_empty() {
        return None;
    }
    let mut spelled: Vec<String> = Vec::new();
    let mut words: Vec<String> = Vec::new();
    for alternative in &alternatives {
        if let Some(more) = alternative.words() {
            words.extend(more);
        } else {
            flush(&mut words, &mut spelled)?;
            spelled.push(alternative.spell()?);
        }
    }
    flush(&mut words, &mut spelled)?;
    Some(spelled)
}

/// Moves words that stand next to each other into one alternative.
fn flush(words: &mut Vec<String>, spelled: &mut Vec<String>) -> Option<()> {
    if !words.is_empty() {
        spelled.push(spell_words(std::mem::take(words))?);
    }
    Some(())
}

/// Spells alternatives of words. Their order means nothing as long as none begins another.
fn spell_words(mut words: Vec<String>) -> Option<String> {
    words.sort_unstable();
    words.dedup();
    let begins = |pair: &[String]| pair[1].starts_with(pair[0].as_str());
    if words.windows(2).any(begins) {
        return None;
    }
    Some(words.join("|"))
}

/// Items in a row.
#[derive(Debug, Default)]
struct Sequence(Vec<(Item, Times)>);

/// What a pattern is made of.
#[derive(Debug)]
enum Item {
    /// A character, and whether its case matters.
    Character(char, bool),
    /// A class, spelled.
    Class(String),
    /// Alternatives.
    Group(Vec<Sequence>),
    /// A look ahead that must fail, spelled.
    NotAhead(String),
}

/// How often an item stands there.
#[derive(Debug, PartialEq, Eq)]
struct Times {
    least: u32,
    most: Option<u32>,
    possessive: bool,
}

impl Times {
    const ONCE: Self = Self {
        least: 1,
        most: Some(1),
        possessive: false,
    };
}

/// Classes and groups in each other; a pattern has two.
const DEEPEST: u32 = 8;

struct Reader<'p> {
    rest: &'p str,
    depth: u32,
}

impl Reader<'_> {
    fn take(&mut self, expected: &str) -> bool {
        let rest = self.rest.strip_prefix(expected);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn next(&mut self) -> Option<char> {
        let mut characters = self.rest.chars();
        let next = characters.next();
        self.rest = characters.as_str();
        next
    }

    fn alternatives(&mut self) -> Option<Vec<Sequence>> {
        self.cased_alternatives(true)
    }

    fn cased_alternatives(&mut self, cased: bool) -> Option<Vec<Sequence>> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let mut alternatives = vec![self.sequence(cased)?];
        while self.take("|") {
            alternatives.push(self.sequence(cased)?);
        }
        self.depth -= 1;
        Some(alternatives)
    }

    fn sequence(&mut self, cased: bool) -> Option<Sequence> {
        let mut sequence = Sequence::default();
        while !self.rest.is_empty() && !self.rest.starts_with(['|', ')']) {
            let item = self.item(cased)?;
            let times = self.times()?;
            sequence.0.push((item, times));
        }
        Some(sequence)
    }

    fn item(&mut self, cased: bool) -> Option<Item> {
        if self.take("(?!") {
            let mut inner = self.cased_alternatives(cased)?;
            let only = inner.pop().filter(|_| inner.is_empty())?;
            return self.take(")").then_some(Item::NotAhead(only.spell()?));
        }
        for (opening, cased) in [("(?i:", false), ("(?:", cased)] {
            if self.take(opening) {
                let inner = self.cased_alternatives(cased)?;
                return self.take(")").then_some(Item::Group(inner));
            }
        }
        match self.next()? {
            '[' => Some(Item::Class(self.class(cased)?)),
            '\\' => Some(match self.escape()? {
                Escape::Character(character) => Item::Character(character, cased),
                Escape::Class(class) => Item::Class(class),
            }),
            // A bare bracket or quantifier, an anchor and a point mean something else.
            '(' | ')' | ']' | '{' | '}' | '?' | '*' | '+' | '^' | '$' | '.' => None,
            character => Some(Item::Character(character, cased)),
        }
    }

    fn escape(&mut self) -> Option<Escape> {
        Some(match self.next()? {
            'r' => Escape::Character('\r'),
            'n' => Escape::Character('\n'),
            't' => Escape::Character('\t'),
            class @ ('s' | 'S') => Escape::Class(format!(r"\{class}")),
            class @ ('p' | 'P') => {
                if !self.take("{") {
                    return None;
                }
                let (name, rest) = self.rest.split_once('}')?;
                self.rest = rest;
                let known = name.chars().all(|letter| letter.is_ascii_alphabetic());
                if !known || name.is_empty() {
                    return None;
                }
                Escape::Class(format!(r"\{class}{{{name}}}"))
            }
            character if character.is_ascii_punctuation() => Escape::Character(character),
            _ => return None,
        })
    }

    fn class(&mut self, cased: bool) -> Option<String> {
        // The characters of a class that knows no case would have to be known in both.
        if !cased {
            let (members, rest) = self.rest.split_once(']')?;
            let letters = members.chars().all(|member| member.is_ascii_lowercase());
            self.rest = rest;
            return letters.then(|| class_of(false, members.chars().map(spell).collect(), true));
        }
        let negated = self.take("^");
        let mut members = Vec::new();
        while !self.take("]") {
            if self.take("[") || self.take("&&") {
                return None;
            }
            let member = match self.next()? {
                '\\' => match self.escape()? {
                    Escape::Class(class) => {
                        members.push(class);
                        continue;
                    }
                    Escape::Character(character) => character,
                },
                character => character,
            };
            if self.rest.starts_with('-') && !self.rest.starts_with("-]") {
                self.next();
                let last = match self.next()? {
                    '[' | '\\' => return None,
                    last => last,
                };
                members.push(format!("{}-{}", spell(member), spell(last)));
            } else {
                members.push(spell(member));
            }
        }
        (!members.is_empty()).then(|| class_of(negated, members, false))
    }

    fn times(&mut self) -> Option<Times> {
        let (least, most) = if self.take("?") {
            (0, Some(1))
        } else if self.take("*") {
            (0, None)
        } else if self.take("+") {
            (1, None)
        } else if self.take("{") {
            let (counts, rest) = self.rest.split_once('}')?;
            self.rest = rest;
            let (least, most) = counts.split_once(',').unwrap_or((counts, counts));
            let most: u32 = most.parse().ok()?;
            let least: u32 = least.parse().ok()?;
            // A plus behind the counts repeats the repetition, for the engine of the library.
            if least > most || self.rest.starts_with(['+', '?', '*', '{']) {
                return None;
            }
            (least, Some(most))
        } else {
            return Some(Times::ONCE);
        };
        let possessive = self.take("+");
        // A lazy repetition, or one repeated.
        if self.rest.starts_with(['+', '?', '*', '{']) {
            return None;
        }
        Some(Times {
            least,
            most,
            possessive,
        })
    }
}

enum Escape {
    Character(char),
    Class(String),
}

/// Spells a class. One member alone is spelled as outside of a class.
fn class_of(negated: bool, mut members: Vec<String>, caseless: bool) -> String {
    members.sort_unstable();
    members.dedup();
    let only = members.len() == 1 && !negated && !caseless && !members[0].contains('-');
    if only && let Some(member) = members.pop() {
        return member;
    }
    let negation = if negated { "^" } else { "" };
    let case = if caseless { "(?i)" } else { "" };
    format!("[{case}{negation}{}]", members.concat())
}

/// Spells a character.
fn spell(character: char) -> String {
    match character {
        '\r' => r"\r".to_owned(),
        '\n' => r"\n".to_owned(),
        '\t' => r"\t".to_owned(),
        _ if character.is_ascii_punctuation() => format!("\\{character}"),
        _ => character.to_string(),
    }
}

impl Sequence {
    /// Returns the words that the sequence matches, if it matches but some.
    fn words(&self) -> Option<Vec<String>> {
        let mut words = vec![String::new()];
        for (item, times) in &self.0 {
            if *times != Times::ONCE {
                return None;
            }
            let ends: Vec<String> = match item {
                Item::Character(character, cased) => vec![spell_cased(*character, *cased)],
                Item::Class(class) => {
                    let letters = class.strip_prefix("[(?i)")?.strip_suffix(']')?;
                    letters
                        .chars()
                        .map(|letter| spell_cased(letter, false))
                        .collect()
                }
                Item::Group(alternatives) => {
                    let words: Option<Vec<Vec<String>>> =
                        alternatives.iter().map(Self::words).collect();
                    words?.concat()
                }
                Item::NotAhead(_) => return None,
            };
            let longer = |word: &String| -> Vec<String> {
                ends.iter().map(|end| format!("{word}{end}")).collect()
            };
            words = words.iter().flat_map(longer).collect();
            if words.len() > 100 {
                return None;
            }
        }
        Some(words)
    }

    /// Spells the sequence.
    fn spell(&self) -> Option<String> {
        let mut spelled = String::new();
        for (at, (item, times)) in self.0.iter().enumerate() {
            match item {
                Item::Character(character, cased) => spelled += &spell_cased(*character, *cased),
                Item::Class(class) => spelled += class,
                Item::NotAhead(inner) => spelled.extend(["(?!", inner, ")"]),
                Item::Group(alternatives) => {
                    let words: Option<Vec<Vec<String>>> =
                        alternatives.iter().map(Self::words).collect();
                    spelled.extend(["(?:", &spell_words(words?.concat())?, ")"]);
                }
            }
            match times {
                Times {
                    least: 1,
                    most: Some(1),
                    ..
                } => {}
                Times {
                    least: 0,
                    most: Some(1),
                    ..
                } => spelled.push('?'),
                Times {
                    least: 0,
                    most: None,
                    ..
                } => spelled.push('*'),
                Times {
                    least: 1,
                    most: None,
                    ..
                } => spelled.push('+'),
                Times { least, most, .. } => {
                    let (least, most) = (least.to_string(), (*most)?.to_string());
                    spelled.extend(["{", &least, ",", &most, "}"]);
                }
            }
            // A repetition gives something back only where what follows it fails, and what may be
            // missing never does.
            let never_fails = |(_, times): &(Item, Times)| times.least == 0;
            if times.possessive && !self.0[at + 1..].iter().all(never_fails) {
                spelled.push('+');
            }
        }
        Some(spelled)
    }
}

/// Spells a character whose case matters or not.
fn spell_cased(character: char, cased: bool) -> String {
    if cased || !character.is_alphabetic() {
        spell(character)
    } else {
        format!("(?i){character}")
    }
}

#[cfg(test)]
mod tests {
    use super::alternatives;

    #[track_caller]
    fn same(one: &str, other: &str) {
        let spelled = alternatives(one).expect("it is read");
        assert_eq!(Some(spelled), alternatives(other), "{one} and {other}");
    }

    #[test]
    fn what_means_the_same_is_spelled_alike() {
        same("(?i:'s|'t|'re|'ve|'m|'ll|'d)", "'(?i:[sdmt]|ll|ve|re)");
        same("(?i:'s)|(?i:'t)", "(?i:'t|'s)");
        same("'s|'t|'re", "'(?:re|s|t)");
        same(
            r"[^\r\n\p{L}\p{N}]?\p{L}+",
            "[^\\p{N}\r\n\\p{L}]?[\\p{L}]++",
        );
        same(r" ?[^\s\p{L}\p{N}]++[\r\n]*+", r" ?[^\p{N}\s\p{L}]+[\n\r]*");
        same(r"\p{N}{1,1}", r"\p{N}");
        same(r"\p{N}{1}", r"\p{N}");
        same(r"[!\-a]", r"[a!-]");
    }

    #[test]
    fn what_means_something_else_is_not() {
        let others = [
            (r"\p{L}+", r"\p{N}+"),
            (r"(?i:'s)", "'s"),
            (r"[^\r\n]?+[\p{L}\p{M}]+", r"[^\r\n]?[\p{L}\p{M}]+"),
            (r"[a-c]", r"[abc-]"),
            (r"[^a]", r"[a]"),
            (r"\s+(?!\S)", r"\s+"),
            (r"a|b c*", r"b c*|a"),
        ];
        for (one, other) in others {
            let spelled = alternatives(one);
            assert!(spelled.is_some(), "{one}");
            assert_ne!(spelled, alternatives(other), "{one} and {other}");
        }
    }

    #[test]
    fn what_is_beyond_it_is_not_read() {
        let beyond = [
            "(",
            ")",
            "[",
            "[]",
            "a{",
            "a{2",
            "a{x}",
            "^a",
            "a$",
            ".",
            r"\d",
            r"\b",
            r"\p{}",
            "(?=a)",
            "(?<!a)",
            "(a)",
            r"\p{N}{1,3}+",
            "a+?",
            "a++*",
            "[a&&b]",
            "[[:alpha:]]",
            r"\x41",
            r"[\x{41}]",
            "(?i:[^s])",
            "(?i:[a-z])",
            "a|ab",
            "\\",
            r"\p{^L}",
            "{1}",
            "a{3,1}",
            "((((((((((((",
        ];
        for pattern in beyond {
            assert_eq!(alternatives(pattern), None, "{pattern}");
        }
        assert_eq!(alternatives(&"(?:".repeat(100_000)), None);
    }
}

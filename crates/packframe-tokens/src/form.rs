//! Unicode normal forms, as the `tokenizers` library has them.

use std::borrow::Cow;

use unicode_normalization_alignments::UnicodeNormalization;

use crate::bpe::table::{Table, table};

/// A normal form. The crate that makes it is the one that the library uses, whose tables are of
/// Unicode 9: what has been assigned since is left as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Composed.
    Nfc,
    /// Decomposed.
    Nfd,
    /// Composed, with compatibility characters replaced.
    Nfkc,
    /// Decomposed, with compatibility characters replaced.
    Nfkd,
}

static STEADY1: Table<u16> = table!("steady.stage1", u16);
static STEADY2: Table<u8> = table!("steady.stage2", u8);

/// The first byte of the characters from U+0300 on; those below are steady.
const FIRST: u8 = 0xCC;

impl Form {
    /// Returns the normal form of a text. One look at each byte where nothing changes.
    pub(crate) fn of(self, text: &str) -> Cow<'_, str> {
        let collect = |characters: &mut dyn Iterator<Item = (char, isize)>| {
            Cow::Owned(characters.map(|(character, _)| character).collect())
        };
        match self {
            Self::Nfc => nfc(text),
            // No form changes a character of ASCII, and one behind it begins with a character that
            // is not.
            _ if text.is_ascii() => Cow::Borrowed(text),
            Self::Nfd => collect(&mut text.nfd()),
            Self::Nfkc => collect(&mut text.nfkc()),
            Self::Nfkd => collect(&mut text.nfkd()),
        }
    }
}

/// Composes a text.
///
/// A character is *steady* if it is its own composed form, starts a new combining sequence, and
/// joins with none before it: so the text before it and the text from it on are composed each by
/// itself. What is not steady is composed together with the character before it, and all else is
/// copied.
fn nfc(text: &str) -> Cow<'_, str> {
    let Some(mut from) = next_unsteady(text, 0) else {
        return Cow::Borrowed(text);
    };
    let mut composed = String::with_capacity(text.len());
    let mut done = 0;
    loop {
        let before = text[..from].chars().next_back().map_or(0, char::len_utf8);
        let start = (from - before).max(done);
        let end = next_steady(text, from);
        composed.push_str(&text[done..start]);
        composed.extend(text[start..end].nfc().map(|(character, _)| character));
        done = end;
        match next_unsteady(text, end) {
            Some(next) => from = next,
            None => break,
        }
    }
    composed.push_str(&text[done..]);
    Cow::Owned(composed)
}

/// Returns the start of the first character from `start` on that is not steady.
fn next_unsteady(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = start;
    loop {
        // A block of bytes at once, without a branch for each.
        while let Some(block) = bytes[at..].first_chunk::<64>() {
            if block.iter().map(|&byte| u8::from(byte >= FIRST)).max() != Some(0) {
                break;
            }
            at += block.len();
        }
        at += bytes[at..].iter().position(|&byte| byte >= FIRST)?;
        let character = text[at..].chars().next()?;
        if !is_steady(character) {
            return Some(at);
        }
        at += character.len_utf8();
    }
}

/// Returns the start of the first steady character from `start` on, or the end of the text.
fn next_steady(text: &str, start: usize) -> usize {
    let mut characters = text[start..].char_indices();
    characters
        .find(|&(_, character)| is_steady(character))
        .map_or(text.len(), |(at, _)| start + at)
}

/// Says whether composing leaves a character as it is, and joins it with none before it.
pub(crate) fn is_steady(character: char) -> bool {
    let code = u32::from(character);
    let block = usize::from(STEADY1.get()[(code >> 7) as usize]);
    STEADY2.get()[block << 7 | (code & 0x7F) as usize] != 0
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use tokenizers::normalizers::{NFC, NFD, NFKC, NFKD};
    use tokenizers::{NormalizedString, Normalizer, NormalizerWrapper};
    use unicode_normalization_alignments::char::compose;

    use super::{Form, is_steady};

    #[track_caller]
    fn check(text: &str) {
        let forms: [(Form, NormalizerWrapper); 4] = [
            (Form::Nfc, NFC.into()),
            (Form::Nfd, NFD.into()),
            (Form::Nfkc, NFKC.into()),
            (Form::Nfkd, NFKD.into()),
        ];
        for (ours, theirs) in forms {
            let mut normalized = NormalizedString::from(text);
            theirs.normalize(&mut normalized).expect("a normal form");
            assert_eq!(ours.of(text), normalized.get(), "{ours:?} of {text:?}");
        }
    }

    #[test]
    fn every_character_has_the_form_of_the_library() {
        for character in '\0'..=char::MAX {
            check(&format!(
                "a{character}\u{301}{character}b\u{323}{character}"
            ));
        }
    }

    #[test]
    fn random_texts_have_the_form_of_the_library() {
        const KINDS: [char; 24] = [
            'a',
            'e',
            ' ',
            '=',
            'é',
            '\u{301}',
            '\u{323}',
            '\u{338}',
            '\u{345}',
            'ﬁ',
            '\u{212b}',
            '각',
            '가',
            '\u{1100}',
            '\u{1161}',
            '\u{11a8}',
            'か',
            '\u{3099}',
            '\u{958}',
            '\u{93c}',
            '\u{94d}',
            '\u{1d15e}',
            '中',
            '\u{1e0a}',
        ];
        let mut state = 5_u64;
        for _ in 0..30_000 {
            let mut text = String::new();
            loop {
                state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                let number = (state >> 33) as usize;
                if number.is_multiple_of(13) {
                    break;
                }
                text.push(KINDS[number / 13 % KINDS.len()]);
            }
            check(&text);
        }
    }

    /// Joined characters are among those that are taken apart, so their parts tell all there are.
    #[test]
    fn nothing_joins_with_a_steady_character() {
        let mut heads = BTreeSet::new();
        for character in '\0'..=char::MAX {
            let text = character.to_string();
            let parts = Form::Nfd.of(&text);
            if parts != text {
                // The first part, and what it has become on the way.
                let mut head = None;
                for part in parts.chars() {
                    head = head.map_or(Some(part), |head| compose(head, part).or(Some(head)));
                    heads.extend(head);
                }
            }
        }
        assert!(heads.len() > 1_000, "{}", heads.len());
        // Syllables join with what is behind them, and with nothing before: one tells for all.
        heads.retain(|&head| !('각'..='힣').contains(&head));
        let steady: Vec<char> = ('\0'..'\u{20000}')
            .filter(|&tail| is_steady(tail))
            .collect();
        for &head in &heads {
            for &tail in &steady {
                assert_eq!(compose(head, tail), None, "{head:?} {tail:?}");
            }
        }
    }
}

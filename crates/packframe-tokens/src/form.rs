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

impl Form {
    /// Returns the normal form of a text. One look at each byte where nothing changes.
    ///
    /// A character is *steady* if the form leaves it as it is, it starts a new combining sequence,
    /// and joins with none before it: so the text before it and the text from it on have their
    /// forms each by itself. What is not steady is normalized together with the character before
    /// it, and all else is copied.
    pub(crate) fn of(self, text: &str) -> Cow<'_, str> {
        let Some(mut from) = self.next_unsteady(text, 0) else {
            return Cow::Borrowed(text);
        };
        let mut normalized = String::with_capacity(text.len());
        let mut done = 0;
        loop {
            let before = text[..from].chars().next_back().map_or(0, char::len_utf8);
            let start = (from - before).max(done);
            let end = self.next_steady(text, from);
            normalized.push_str(&text[done..start]);
            self.push(&text[start..end], &mut normalized);
            done = end;
            match self.next_unsteady(text, end) {
                Some(next) => from = next,
                None => break,
            }
        }
        normalized.push_str(&text[done..]);
        Cow::Owned(normalized)
    }

    /// Adds the normal form of a text.
    fn push(self, text: &str, normalized: &mut String) {
        let character = |(character, _)| character;
        match self {
            Self::Nfc => normalized.extend(text.nfc().map(character)),
            Self::Nfd => normalized.extend(text.nfd().map(character)),
            Self::Nfkc => normalized.extend(text.nfkc().map(character)),
            Self::Nfkd => normalized.extend(text.nfkd().map(character)),
        }
    }

    /// Returns the first byte of characters that may not be steady: from U+0300 on for the composed
    /// form, beyond ASCII for the others.
    const fn first(self) -> u8 {
        match self {
            Self::Nfc => 0xCC,
            Self::Nfd | Self::Nfkc | Self::Nfkd => 0xC2,
        }
    }

    /// Returns the start of the first character from `start` on that is not steady.
    fn next_unsteady(self, text: &str, start: usize) -> Option<usize> {
        let first = self.first();
        let bytes = text.as_bytes();
        let mut at = start;
        loop {
            // A block of bytes at once, without a branch for each.
            while let Some(block) = bytes[at..].first_chunk::<64>() {
                if block.iter().map(|&byte| u8::from(byte >= first)).max() != Some(0) {
                    break;
                }
                at += block.len();
            }
            at += bytes[at..].iter().position(|&byte| byte >= first)?;
            let character = text[at..].chars().next()?;
            if !self.is_steady(character) {
                return Some(at);
            }
            at += character.len_utf8();
        }
    }

    /// Returns the start of the first steady character from `start` on, or the end of the text.
    fn next_steady(self, text: &str, start: usize) -> usize {
        let mut characters = text[start..].char_indices();
        characters
            .find(|&(_, character)| self.is_steady(character))
            .map_or(text.len(), |(at, _)| start + at)
    }

    /// Says whether a character is steady.
    pub(crate) fn is_steady(self, character: char) -> bool {
        let code = u32::from(character);
        let block = usize::from(STEADY1.get()[(code >> 7) as usize]);
        let forms = STEADY2.get()[block << 7 | (code & 0x7F) as usize];
        forms >> self as u8 & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use tokenizers::normalizers::{NFC, NFD, NFKC, NFKD};
    use tokenizers::{NormalizedString, Normalizer, NormalizerWrapper};
    use unicode_normalization_alignments::char::compose;

    use super::Form;

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
            .filter(|&tail| Form::Nfc.is_steady(tail))
            .collect();
        for &head in &heads {
            for &tail in &steady {
                assert_eq!(compose(head, tail), None, "{head:?} {tail:?}");
            }
        }
    }
}

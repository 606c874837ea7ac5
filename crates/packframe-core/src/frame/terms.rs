//! What a text is searched and compared by: words, and runs of scripts that put no spaces between
//! them.

use unicode_segmentation::UnicodeSegmentation;

/// A piece of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// A word of UAX 29 with a letter or a number in it.
    Word(&'a str),
    /// A longest run of letters and marks of scripts without spaces.
    Run(&'a str),
}

/// Letters, marks and number letters of the scripts Han, Hiragana, Katakana, Thai, Lao, Khmer and
/// Myanmar, and the marks that kana share, by Unicode 16, in order; a test compares them with the
/// tables of `regex`.
const UNSPACED: &[(u32, u32)] = &[
    (0x0e01, 0x0e3a),
    (0x0e40, 0x0e4e),
    (0x0e81, 0x0e82),
    (0x0e84, 0x0e84),
    (0x0e86, 0x0e8a),
    (0x0e8c, 0x0ea3),
    (0x0ea5, 0x0ea5),
    (0x0ea7, 0x0ebd),
    (0x0ec0, 0x0ec4),
    (0x0ec6, 0x0ec6),
    (0x0ec8, 0x0ece),
    (0x0edc, 0x0edf),
    (0x1000, 0x103f),
    (0x1050, 0x108f),
    (0x109a, 0x109d),
    (0x1780, 0x17d3),
    (0x17d7, 0x17d7),
    (0x17dc, 0x17dd),
    (0x3005, 0x3005),
    (0x3007, 0x3007),
    (0x3021, 0x3029),
    (0x3038, 0x303b),
    (0x3041, 0x3096),
    (0x3099, 0x309a),
    (0x309d, 0x309f),
    (0x30a1, 0x30fa),
    (0x30fc, 0x30ff),
    (0x31f0, 0x31ff),
    (0x3400, 0x4dbf),
    (0x4e00, 0x9fff),
    (0xa9e0, 0xa9ef),
    (0xa9fa, 0xa9fe),
    (0xaa60, 0xaa76),
    (0xaa7a, 0xaa7f),
    (0xf900, 0xfa6d),
    (0xfa70, 0xfad9),
    (0xff66, 0xff9f),
    (0x0001_6fe3, 0x0001_6fe3),
    (0x0001_6ff0, 0x0001_6ff1),
    (0x0001_aff0, 0x0001_aff3),
    (0x0001_aff5, 0x0001_affb),
    (0x0001_affd, 0x0001_affe),
    (0x0001_b000, 0x0001_b122),
    (0x0001_b132, 0x0001_b132),
    (0x0001_b150, 0x0001_b152),
    (0x0001_b155, 0x0001_b155),
    (0x0001_b164, 0x0001_b167),
    (0x0002_0000, 0x0002_a6df),
    (0x0002_a700, 0x0002_b739),
    (0x0002_b740, 0x0002_b81d),
    (0x0002_b820, 0x0002_cea1),
    (0x0002_ceb0, 0x0002_ebe0),
    (0x0002_ebf0, 0x0002_ee5d),
    (0x0002_f800, 0x0002_fa1d),
    (0x0003_0000, 0x0003_134a),
    (0x0003_1350, 0x0003_23af),
];

/// Says whether a character is a letter or a mark of a script without spaces between words.
fn is_unspaced(character: char) -> bool {
    let code = u32::from(character);
    if code < UNSPACED[0].0 {
        return false;
    }
    let behind = UNSPACED.partition_point(|(first, _)| *first <= code);
    code <= UNSPACED[behind - 1].1
}

/// Hands over the pieces of a text, in order. Linear.
///
/// The text is cut into runs and what stands between; the words are those of what stands between,
/// by the crate `unicode-segmentation`.
pub(super) fn each_piece<'a>(text: &'a str, mut visit: impl FnMut(Piece<'a>)) {
    let mut rest = text;
    let ascii = text.is_ascii();
    while !rest.is_empty() {
        let run = if ascii { None } else { rest.find(is_unspaced) };
        let (between, from) = rest.split_at(run.unwrap_or(rest.len()));
        for word in between.unicode_words() {
            visit(Piece::Word(word));
        }
        let end = from.find(|character| !is_unspaced(character));
        let (run, behind) = from.split_at(end.unwrap_or(from.len()));
        if !run.is_empty() {
            visit(Piece::Run(run));
        }
        rest = behind;
    }
}

/// Puts the case-folded text behind what is there.
pub(super) fn fold_into(text: &str, folded: &mut String) {
    if text.is_ascii() {
        let from = folded.len();
        folded.push_str(text);
        folded[from..].make_ascii_lowercase();
    } else {
        folded.extend(text.chars().map(fold));
    }
}

/// Returns one character for all that Unicode's simple case folding takes for one.
///
/// That is the lower case of the upper case, by the mappings to one character that the standard
/// library has, but for the characters below. A test compares the classes with the tables of
/// `regex`.
pub(super) fn fold(character: char) -> char {
    fn one(mut mapped: impl ExactSizeIterator<Item = char>) -> Option<char> {
        mapped.next().filter(|_| mapped.len() == 0)
    }
    if character.is_ascii() {
        return character.to_ascii_lowercase();
    }
    match character {
        // Its upper case is that of the dotted one, which it is not.
        'ı' => 'ı',
        // They are one in folding, and no upper case of one character says so.
        '\u{1fd3}' => '\u{390}',
        '\u{1fe3}' => '\u{3b0}',
        '\u{fb05}' => '\u{fb06}',
        _ => {
            let upper = one(character.to_uppercase()).unwrap_or(character);
            one(upper.to_lowercase()).unwrap_or(upper)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use regex::Regex;
    use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

    use super::{Piece, UNSPACED, each_piece, fold, fold_into, is_unspaced};

    fn pieces(text: &str) -> Vec<Piece<'_>> {
        let mut pieces = Vec::new();
        each_piece(text, |piece| pieces.push(piece));
        pieces
    }

    fn all() -> impl Iterator<Item = char> {
        (0..=0x0010_ffff).filter_map(char::from_u32)
    }

    #[test]
    fn scripts_without_spaces_are_those_of_unicode() {
        let scripts = "[[\\p{Han}\\p{Hiragana}\\p{Katakana}\\p{Thai}\\p{Lao}\\p{Khmer}\\p{Myanmar}ー\u{3099}\u{309a}\u{ff70}\u{ff9e}\u{ff9f}]&&[\\p{L}\\p{M}\\p{Nl}]]";
        let regex = Regex::new(scripts).expect("the pattern is one");
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        let mut buffer = [0; 4];
        for code in all()
            .filter(|c| regex.is_match(c.encode_utf8(&mut buffer)))
            .map(u32::from)
        {
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == code => *last = code,
                _ => ranges.push((code, code)),
            }
        }
        let shown: Vec<String> = ranges
            .iter()
            .map(|(a, b)| format!("({a:#x}, {b:#x})"))
            .collect();
        assert_eq!(UNSPACED, ranges, "{}", shown.join(", "));
        assert!(is_unspaced('猫') && is_unspaced('ก') && !is_unspaced('a') && !is_unspaced('。'));
    }

    #[test]
    fn folding_joins_what_simple_case_folding_joins() {
        let assigned = Regex::new("\\P{Cn}").expect("the pattern is one");
        let mut class_of: HashMap<char, Vec<char>> = HashMap::new();
        let mut buffer = [0; 4];
        // The tables of the two are a version of Unicode apart.
        for character in all().filter(|c| assigned.is_match(c.encode_utf8(&mut buffer))) {
            class_of.entry(fold(character)).or_default().push(character);
        }
        for class in class_of.values() {
            let one = class[0];
            let mut right = ClassUnicode::new([ClassUnicodeRange::new(one, one)]);
            right.case_fold_simple();
            let right = right.iter().flat_map(|range| range.start()..=range.end());
            assert_eq!(*class, right.collect::<Vec<char>>(), "{one:?}");
        }
        let mut folded = "x".to_owned();
        fold_into("ΣΑΣ Straße", &mut folded);
        fold_into("ABC", &mut folded);
        assert_eq!(folded, "xσασ straßeabc");
    }

    #[test]
    fn a_text_is_words_and_runs() {
        use Piece::{Run, Word};
        for (text, expected) in [
            ("", vec![]),
            ("  ,;-- 🙂 ", vec![]),
            (
                "It can't be 3.5!",
                vec![Word("It"), Word("can't"), Word("be"), Word("3.5")],
            ),
            (
                "東京でpython3を。使う",
                vec![Run("東京で"), Word("python3"), Run("を"), Run("使う")],
            ),
            ("สวัสดี ๑๒ ครับ", vec![Run("สวัสดี"), Word("๑๒"), Run("ครับ")]),
            (
                "שלום 세계 Ünï",
                vec![Word("שלום"), Word("세계"), Word("Ünï")],
            ),
        ] {
            assert_eq!(pieces(text), expected, "{text}");
        }
    }
}

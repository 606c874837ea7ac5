//! The letters that stand for bytes in a byte-level vocabulary.

/// Returns the byte that a letter stands for.
///
/// The printable characters of Latin-1 stand for their own byte; the letters from U+0100 on for the
/// other bytes, in order.
pub(super) fn byte_of(letter: char) -> Option<u8> {
    match u32::from(letter) {
        code @ (0x21..=0x7E | 0xA1..=0xAC | 0xAE..=0xFF) => u8::try_from(code).ok(),
        code @ 0x100..=0x120 => u8::try_from(code - 0x100).ok(),
        code @ 0x121..=0x142 => u8::try_from(code - 0x121 + 0x7F).ok(),
        0x143 => Some(0xAD),
        _ => None,
    }
}

/// Returns the letter that stands for a byte.
pub(super) fn letter_of(byte: u8) -> char {
    let code = u32::from(byte);
    let code = match byte {
        0x21..=0x7E | 0xA1..=0xAC | 0xAE..=0xFF => code,
        0x00..=0x20 => 0x100 + code,
        0x7F..=0xA0 => 0x121 + code - 0x7F,
        0xAD => 0x143,
    };
    char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use tokenizers::pre_tokenizers::byte_level::ByteLevel;

    use super::{byte_of, letter_of};

    #[test]
    fn letters_are_those_of_the_library() {
        let alphabet = ByteLevel::alphabet();
        let own = (0..=u8::MAX).map(letter_of);
        assert!(own.clone().all(|letter| alphabet.contains(&letter)));
        assert_eq!(
            own.clone().collect::<std::collections::HashSet<_>>().len(),
            256
        );
        for byte in 0..=u8::MAX {
            assert_eq!(byte_of(letter_of(byte)), Some(byte));
        }
        let letters = ('\0'..=char::MAX).filter(|&letter| byte_of(letter).is_some());
        assert_eq!(letters.count(), 256);
    }
}

//! Secret keys: for hashes that only their holders can compare, and for signatures.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::content::{Hash, hex};
use crate::error::Error;

/// A secret for HMAC-SHA-256 (RFC 2104). It is never shown.
#[derive(Clone)]
pub struct Key(Hmac<Sha256>);

impl Key {
    /// Bytes that a key has at least: 128 bits, below which trying all of them is no dream.
    pub const MIN_BYTES: usize = 16;

    /// Takes the bytes of the key that an option names.
    ///
    /// # Errors
    ///
    /// `InvalidOption` for less than [`MIN_BYTES`](Self::MIN_BYTES), naming their number only.
    pub fn new(option: &str, bytes: &[u8]) -> Result<Self, Error> {
        match Hmac::new_from_slice(bytes) {
            Ok(hmac) if bytes.len() >= Self::MIN_BYTES => Ok(Self(hmac)),
            _ => Err(Error::invalid_option(
                option,
                format!("of {} bytes", bytes.len()),
                "is too short for a secret",
                Some("16 random bytes or more, such as secrets.token_bytes(32)"),
            )),
        }
    }

    /// Returns the authentication code of some bytes.
    #[must_use]
    pub fn code(&self, bytes: &[u8]) -> Hash {
        let mut hmac = self.0.clone();
        hmac.update(bytes);
        hmac.finalize().into_bytes().into()
    }

    /// Says whether a code is that of some bytes, in a time that does not tell where it differs.
    #[must_use]
    pub fn confirms(&self, bytes: &[u8], code: &Hash) -> bool {
        let mut hmac = self.0.clone();
        hmac.update(bytes);
        hmac.verify_slice(code).is_ok()
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key")
    }
}

/// Returns the hash of a content as it may be shown: itself, or its code where there is a key, so
/// that nobody without the key can try what the content was.
pub(crate) fn shown_hash(key: Option<&Key>, hash: &Hash) -> String {
    key.map_or_else(|| hex(hash), |key| hex(&key.code(hash)))
}

#[cfg(test)]
mod tests {
    use super::Key;
    use crate::content::hex;

    #[test]
    fn codes_are_those_of_the_standard() {
        // RFC 4231, test case 1: a key of twenty bytes 0x0b.
        let key = Key::new("key", &[0x0b; 20]).expect("it is long enough");
        let code = key.code(b"Hi There");
        assert_eq!(
            hex(&code),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        );
        assert!(key.confirms(b"Hi There", &code));
        assert!(!key.confirms(b"Hi there", &code));
        assert_eq!(format!("{key:?}"), "Key");
    }

    #[test]
    fn short_keys_are_refused() {
        assert!(Key::new("key", &[7; 15]).is_err());
        assert!(Key::new("key", &[7; 16]).is_ok());
    }
}

//! SHA-256 as text.

use std::fmt::Write;

use sha2::{Digest, Sha256};

/// Returns the SHA-256 of some bytes as 64 lower-case hexadecimal digits.
pub(crate) fn sha256_hex(bytes: &[u8]) -> String {
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        write!(hex, "{byte:02x}").expect("a string takes every write");
    }
    hex
}

//! Values that are encrypted, and say so by their form: what is in them cannot be read without a
//! key that is elsewhere.

use super::ascii::{is_base64, starts};

/// Bytes from which on a value without a closing mark counts as one; bare values are seen so far.
const LEAST_SEALED: usize = 192;

/// Starts of values that are sealed, whatever follows: Ansible Vault, the transit engine of Vault,
/// Spring Cloud Config, PGP messages, age.
const STARTS: [&[u8]; 6] = [
    b"$ANSIBLE_VAULT;",
    b"vault:v1:",
    b"{cipher}",
    b"-----BEGIN PGP MESSAGE-----",
    b"-----BEGIN AGE ENCRYPTED FILE-----",
    // DPAPI, as ConvertFrom-SecureString writes it: version, and the id of the provider.
    b"01000000d08c9ddf0115d1118c7a00c04fc297eb",
];

/// Says whether a value is encrypted: a value of sops, of a sealed secret, of a vault.
pub(super) fn is_sealed(value: &[u8]) -> bool {
    STARTS.iter().any(|start| value.starts_with(start))
        || is_enclosed(value)
        || is_envelope(value)
        || value
            .strip_prefix(b"encrypted:")
            .is_some_and(|rest| rest.len() >= 32 && rest.iter().all(|byte| is_base64(*byte)))
}

/// Says whether a value says in brackets how it was encrypted: `ENC[AES256_GCM,…]` of sops,
/// `ENC[PKCS7,…]` of eyaml, `ENC(…)` of Jasypt, `EJ[1:…]` of ejson.
fn is_enclosed(value: &[u8]) -> bool {
    if value.starts_with(b"EJ[1:") {
        return true;
    }
    if let Some(rest) = value.strip_prefix(b"ENC[") {
        let method = rest
            .iter()
            .take_while(|byte| {
                byte.is_ascii_uppercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-')
            })
            .count();
        // A bare value may be cut at the comma.
        return method >= 3 && (method == rest.len() || rest[method] == b',');
    }
    value
        .strip_prefix(b"ENC(")
        .and_then(|rest| rest.strip_suffix(b")").or(Some(rest)))
        .is_some_and(|inner| inner.len() >= 16 && inner.iter().all(|byte| is_base64(*byte)))
}

/// Says whether a value is base64 of an encrypted key and what was encrypted with it.
///
/// A sealed secret starts with the length of a key of 4096 bits, 512 as two bytes, so with `Ag`
/// and one of `ABCD` (sources of sealed-secrets, `pkg/crypto`); what KMS encrypts with a key of its
/// own starts with `AQICAH` or `AQECAH`.
fn is_envelope(value: &[u8]) -> bool {
    let sealed =
        value.len() >= LEAST_SEALED && value.starts_with(b"Ag") && matches!(value[2], b'A'..=b'D');
    let managed =
        value.len() >= 100 && (starts(value, 0, b"AQICAH") || starts(value, 0, b"AQECAH"));
    (sealed || managed) && value.iter().all(|byte| is_base64(*byte))
}

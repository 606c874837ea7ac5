//! Keys that makers and standards print to show what one looks like.

/// Samples, each with where it is printed.
const PUBLISHED: [&[u8]; 13] = [
    // cloud.google.com, "Manage API keys".
    b"AIzaSyDaGmWKa4JsXZ-HjGw7ISLn_3namBGewQe",
    // docs.stripe.com, "Authentication".
    b"sk_test_4eC39HqLyjWDarjtT1zdp7dc",
    b"sk_test_BQokikJOvBiI2HlWgH4olfQ2",
    // RFC 7617 and before it RFC 2617, section 2: Aladdin and "open sesame".
    b"QWxhZGRpbjpvcGVuIHNlc2FtZQ==",
    // The same without the space, as encyclopedias and RFC 2617's readers have it.
    b"QWxhZGRpbjpPcGVuU2VzYW1l",
    // RFC 7617, section 2.1.
    b"dGVzdDoxMjPCow==",
    // RFC 6750, section 2.
    b"mF_9.B5f-4.1JqM",
    // RFC 6749, sections 2.3.1, 4.1.4 and 6.
    b"czZCaGRSa3F0MzpnWDFmQmF0M2JW",
    b"gX1fBat3bV",
    b"7Fjfp0ZBr1KtDRbnfVdmIw",
    b"2YotnFZFEjr1zCsicMWpAA",
    b"tGzv3JOkF0XG5Qx2TlKWIA",
    // RFC 7519, section 3.1.
    b"eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.\
      eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.\
      dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
];

/// How the claims start of every token that the debugger of jwt.io shows first:
/// `{"sub":"1234567890","name":"John Doe",`.
const SHOWN_CLAIMS: &[u8] = b"eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiw";

/// Says whether a key is one that is printed to show the form.
pub(super) fn is_published(key: &[u8]) -> bool {
    PUBLISHED.contains(&key)
        || key.starts_with(b"eyJ")
            && key
                .split(|byte| *byte == b'.')
                .nth(1)
                .is_some_and(|claims| claims.starts_with(SHOWN_CLAIMS))
}

//! Times as the core sees them: microseconds since 1970, UTC. It never reads a clock.

use jiff::SignedDuration;
use jiff::civil::DateTime;
use jiff::fmt::temporal::Pieces;

/// Microseconds since the start of 1970, UTC.
pub type Instant = i64;

/// A date and time of UTC, not a `jiff::Timestamp`: that one ends 26 hours before the year 9999
/// does, and the last moment of that year is what many write for "never".
const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);

/// Writes a time as ISO 8601 with the offset `+00:00`, microseconds only where there are any.
///
/// # Examples
///
/// ```
/// assert_eq!(packframe_core::iso(0), "1970-01-01T00:00:00+00:00");
/// assert_eq!(packframe_core::iso(-1), "1969-12-31T23:59:59.999999+00:00");
/// ```
#[must_use]
pub fn iso(instant: Instant) -> String {
    let format = if instant % 1_000_000 == 0 {
        "%Y-%m-%dT%H:%M:%S+00:00"
    } else {
        "%Y-%m-%dT%H:%M:%S.%6f+00:00"
    };
    EPOCH
        .saturating_add(SignedDuration::from_micros(instant))
        .strftime(format)
        .to_string()
}

/// Reads an ISO 8601 time with an offset, such as `2026-01-31T12:00:00+01:00` or `…Z`; what is
/// finer than a microsecond is cut off. Any other text gives `None`.
#[must_use]
pub fn parse_iso(text: &str) -> Option<Instant> {
    let pieces = Pieces::parse(text).ok()?;
    let local = DateTime::from_parts(pieces.date(), pieces.time()?);
    let offset = SignedDuration::from_secs(i64::from(pieces.to_numeric_offset()?.seconds()));
    let since = local.duration_since(EPOCH).checked_sub(offset)?;
    i64::try_from(since.as_nanos().div_euclid(1_000)).ok()
}

/// Says what is wrong with a text that is no ISO 8601 time with an offset, and what to do.
#[must_use]
pub fn iso_problem(text: &str) -> (&'static str, &'static str) {
    let lacks_offset = Pieces::parse(text)
        .is_ok_and(|pieces| pieces.time().is_some() && pieces.to_numeric_offset().is_none());
    if lacks_offset {
        ("has no offset", "the same with one, such as +00:00 or Z")
    } else {
        (
            "is no ISO 8601 time",
            "a date, a time and an offset, such as 2026-01-31T12:00:00+00:00",
        )
    }
}

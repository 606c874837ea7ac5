//! Times as the core sees them: microseconds since 1970, UTC. It never reads a clock.

use jiff::Timestamp;

/// Microseconds since the start of 1970, UTC.
pub type Instant = i64;

/// Writes a time as ISO 8601 with the offset `+00:00`, microseconds only where there are any.
#[must_use]
pub fn iso(instant: Instant) -> String {
    let clamped = instant.clamp(
        Timestamp::MIN.as_microsecond(),
        Timestamp::MAX.as_microsecond(),
    );
    let time = Timestamp::from_microsecond(clamped).unwrap_or(Timestamp::MAX);
    let format = if instant % 1_000_000 == 0 {
        "%Y-%m-%dT%H:%M:%S+00:00"
    } else {
        "%Y-%m-%dT%H:%M:%S.%6f+00:00"
    };
    time.strftime(format).to_string()
}

/// Reads an ISO 8601 time with an offset, such as `2026-01-31T12:00:00+01:00` or `…Z`; what is
/// finer than a microsecond is cut off. Any other text gives `None`.
#[must_use]
pub fn parse_iso(text: &str) -> Option<Instant> {
    text.parse::<Timestamp>()
        .ok()
        .map(Timestamp::as_microsecond)
}

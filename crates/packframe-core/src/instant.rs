//! Times as the core sees them: microseconds since 1970, UTC. It never reads a clock.

use std::fmt::Write;

/// Microseconds since the start of 1970, UTC.
pub type Instant = i64;

/// Writes a time as ISO 8601 with the offset `+00:00`, microseconds only where there are any.
///
/// Days become dates by counting eras of 400 years from 1 March of year 0, so that the leap day
/// ends a year.
#[must_use]
pub fn iso(instant: Instant) -> String {
    let seconds = instant.div_euclid(1_000_000);
    let micros = instant.rem_euclid(1_000_000);
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let since_era = days + 719_468;
    let era = since_era.div_euclid(146_097);
    let day_of_era = since_era.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let clock = (second / 3600, second / 60 % 60, second % 60);
    let mut text = format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}",
        clock.0, clock.1, clock.2
    );
    if micros != 0 {
        let _ = write!(text, ".{micros:06}");
    }
    text.push_str("+00:00");
    text
}

//! Times as ISO 8601.

use packframe_core::{iso, parse_iso};

/// Seconds since 1970 as Python's `datetime` has them, and the date.
const CASES: &[(i64, &str)] = &[
    (-62_135_596_800, "0001-01-01T00:00:00+00:00"),
    (-62_104_060_801, "0001-12-31T23:59:59+00:00"),
    (-62_009_452_800, "0004-12-31T00:00:00+00:00"),
    (-11_676_096_000, "1600-01-01T00:00:00+00:00"),
    (-11_670_998_400, "1600-02-29T00:00:00+00:00"),
    (-11_670_912_000, "1600-03-01T00:00:00+00:00"),
    (-2_203_891_200, "1900-03-01T00:00:00+00:00"),
    (-2_203_977_600, "1900-02-28T00:00:00+00:00"),
    (-31_536_000, "1969-01-01T00:00:00+00:00"),
    (-1, "1969-12-31T23:59:59+00:00"),
    (0, "1970-01-01T00:00:00+00:00"),
    (951_782_400, "2000-02-29T00:00:00+00:00"),
    (951_868_799, "2000-02-29T23:59:59+00:00"),
    (951_868_800, "2000-03-01T00:00:00+00:00"),
    (1_709_210_096, "2024-02-29T12:34:56+00:00"),
    (4_107_542_400, "2100-03-01T00:00:00+00:00"),
    (4_107_456_000, "2100-02-28T00:00:00+00:00"),
    (253_402_300_799, "9999-12-31T23:59:59+00:00"),
];

#[test]
fn times_are_written_as_iso_8601_in_utc() {
    for &(seconds, expected) in CASES {
        assert_eq!(iso(seconds * 1_000_000), expected);
    }
}

#[test]
fn microseconds_are_written_only_where_there_are_any() {
    assert_eq!(iso(1), "1970-01-01T00:00:00.000001+00:00");
    assert_eq!(iso(1_500_000), "1970-01-01T00:00:01.500000+00:00");
    assert_eq!(iso(-1), "1969-12-31T23:59:59.999999+00:00");
    assert_eq!(
        iso(253_402_300_799_999_999),
        "9999-12-31T23:59:59.999999+00:00"
    );
}

/// Counts the days of ten thousand years one by one.
#[test]
fn each_day_of_the_calendar_has_its_date() {
    let mut days = -719_162;
    for year in 1..=9_999 {
        let leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
        let february = if leap { 29 } else { 28 };
        let lengths = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        for (month, length) in (1..).zip(lengths) {
            for day in [1, length] {
                let instant = (days + day - 1) * 86_400_000_000;
                let expected = format!("{year:04}-{month:02}-{day:02}T00:00:00+00:00");
                assert_eq!(iso(instant), expected);
            }
            days += length;
        }
    }
}

#[test]
fn what_was_written_is_read_again() {
    let odd = [
        1,
        -1,
        1_500_000,
        253_402_300_799_999_999,
        -62_135_596_799_999_999,
    ];
    let cases = CASES.iter().map(|(seconds, _)| seconds * 1_000_000);
    for instant in cases.chain(odd) {
        assert_eq!(parse_iso(&iso(instant)), Some(instant), "{}", iso(instant));
    }
}

#[test]
fn offsets_are_read_and_what_is_finer_than_a_microsecond_is_cut_off() {
    for (text, expected) in [
        ("1970-01-01T00:00:00Z", Some(0)),
        ("1970-01-01T01:00:00+01:00", Some(0)),
        ("1969-12-31T18:30:00-05:30", Some(0)),
        ("1970-01-01 00:00:00.5z", Some(500_000)),
        ("1970-01-01T00:00:00.0000019Z", Some(1)),
        ("1969-12-31T23:59:59.9999999Z", Some(-1)),
        ("9999-12-31T23:59:59.999999Z", Some(253_402_300_799_999_999)),
        ("9999-12-31T23:59:59+14:00", Some(253_402_250_399_000_000)),
        ("0001-01-01T00:00:00Z", Some(-62_135_596_800_000_000)),
        // Without an offset it is no moment, without a time it is no time.
        ("1970-01-01T00:00:00", None),
        ("1970-01-01", None),
        ("1970-02-30T00:00:00Z", None),
        ("1970-01-01T24:00:00Z", None),
        ("", None),
        ("never", None),
        ("1970-01-01T00:00:00Z tail", None),
    ] {
        assert_eq!(parse_iso(text), expected, "{text:?}");
    }
}

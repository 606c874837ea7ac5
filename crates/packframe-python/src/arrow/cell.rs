//! Single values of Arrow columns.

use std::borrow::Cow;

use arrow_data::ArrayData;
use arrow_schema::DataType;
use packframe_core::Instant;

use super::column::key;
use super::ffi::{Lists, Values};

/// What is wrong with a value, as the predicate of a sentence.
pub(super) type Problem = Cow<'static, str>;

/// The unit of a column of timestamps, and whether they are in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Clock {
    unit: Unit,
    aware: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Second,
    Millisecond,
    Microsecond,
    Nanosecond,
}

impl Clock {
    /// Reads the format of a column of timestamps.
    pub(super) fn of(format: &str) -> Option<Self> {
        let (unit, zone) = format.split_once(':')?;
        let unit = match unit {
            "tss" => Unit::Second,
            "tsm" => Unit::Millisecond,
            "tsu" => Unit::Microsecond,
            "tsn" => Unit::Nanosecond,
            _ => return None,
        };
        Some(Self {
            unit,
            aware: !zone.is_empty(),
        })
    }

    fn instant(self, ticks: i64) -> Option<Instant> {
        match self.unit {
            Unit::Second => ticks.checked_mul(1_000_000),
            Unit::Millisecond => ticks.checked_mul(1_000),
            Unit::Microsecond => Some(ticks),
            Unit::Nanosecond => Some(ticks.div_euclid(1_000)),
        }
    }
}

impl Values {
    /// Returns a text; of a dictionary, that of its key.
    pub(super) fn string(&self, row: usize) -> Result<Option<&str>, Problem> {
        let Self::Keys(keys, dictionary) = self else {
            return self.text(row);
        };
        if keys.is_null(row) {
            return Ok(None);
        }
        let key = key(keys, row).filter(|&key| key < dictionary.len());
        dictionary.text(key.ok_or("has a key that its dictionary has not")?)
    }

    fn fixed(&self, row: usize) -> Option<&ArrayData> {
        match self {
            Self::Fixed(data) if data.is_valid(row) => Some(data),
            _ => None,
        }
    }

    /// Returns a number.
    pub(super) fn number(&self, row: usize) -> Option<f64> {
        let data = self.fixed(row)?;
        Some(match data.data_type() {
            DataType::Float32 => data.buffer::<f32>(0)[row].into(),
            DataType::Float64 => data.buffer::<f64>(0)[row],
            #[expect(
                clippy::cast_precision_loss,
                reason = "as Python makes a float of an int"
            )]
            _ => integer(data, row)? as f64,
        })
    }

    /// Returns a whole number.
    pub(super) fn whole(&self, row: usize) -> Option<i128> {
        integer(self.fixed(row)?, row)
    }

    /// Returns a bool.
    pub(super) fn flag(&self, row: usize) -> Option<bool> {
        let data = self.fixed(row)?;
        let at = data.offset() + row;
        Some(data.buffers()[0][at / 8] >> (at % 8) & 1 == 1)
    }

    /// Returns a time.
    pub(super) fn time(&self, row: usize, clock: Clock) -> Result<Option<Instant>, Problem> {
        let Some(data) = self.fixed(row) else {
            return Ok(None);
        };
        if !clock.aware {
            return Err("has no time zone".into());
        }
        let instant = clock.instant(data.buffer::<i64>(0)[row]);
        let known = instant.filter(|instant| crate::convert::is_known(*instant));
        known
            .map(Some)
            .ok_or_else(|| "is outside the years 1 to 9999 in UTC".into())
    }

    /// Returns the texts of a list; a null is an empty one.
    pub(super) fn strings(&self, row: usize) -> Result<Vec<&str>, Problem> {
        let Self::Lists(lists) = self else {
            return Ok(Vec::new());
        };
        if lists.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
            return Ok(Vec::new());
        }
        let range = range(lists, row).ok_or("lies outside its values")?;
        let texts = range.map(|at| lists.values.string(at)?.ok_or("has a null in it".into()));
        texts.collect()
    }
}

fn range(lists: &Lists, row: usize) -> Option<std::ops::Range<usize>> {
    let (start, end) = if *lists.offsets.data_type() == DataType::Int64 {
        let offsets = lists.offsets.buffer::<i64>(0);
        (*offsets.get(row)?, *offsets.get(row + 1)?)
    } else {
        let offsets = lists.offsets.buffer::<i32>(0);
        (
            i64::from(*offsets.get(row)?),
            i64::from(*offsets.get(row + 1)?),
        )
    };
    let range = usize::try_from(start).ok()?..usize::try_from(end).ok()?;
    (range.start <= range.end && range.end <= lists.values.len()).then_some(range)
}

fn integer(data: &ArrayData, row: usize) -> Option<i128> {
    Some(match data.data_type() {
        DataType::Int8 => data.buffer::<i8>(0)[row].into(),
        DataType::UInt8 => data.buffer::<u8>(0)[row].into(),
        DataType::Int16 => data.buffer::<i16>(0)[row].into(),
        DataType::UInt16 => data.buffer::<u16>(0)[row].into(),
        DataType::Int32 => data.buffer::<i32>(0)[row].into(),
        DataType::UInt32 => data.buffer::<u32>(0)[row].into(),
        DataType::Int64 => data.buffer::<i64>(0)[row].into(),
        DataType::UInt64 => data.buffer::<u64>(0)[row].into(),
        _ => return None,
    })
}

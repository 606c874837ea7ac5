//! Records as canonical JSON: keys in their order, no white space.

use std::fmt;

use serde::ser::{
    Error as _, Impossible, Serialize, SerializeMap, SerializeSeq, SerializeStruct, Serializer,
};

/// Appends the JSON of a value: the bytes that `serde_json` writes, in about a quarter of the
/// instructions, since keys of records need no escapes and most strings are seen to need none at
/// once. Whatever is rare, `serde_json` writes.
///
/// # Errors
///
/// For bytes, tuples, enums with values and keys that are no strings, which no document has.
pub(super) fn append(value: &impl Serialize, out: &mut String) -> fmt::Result {
    value.serialize(Json { out })
}

struct Json<'a> {
    out: &'a mut String,
}

impl<'a> Json<'a> {
    fn whole(self, negative: bool, mut number: u64) {
        let mut digits = [0; 20];
        let mut at = digits.len();
        loop {
            at -= 1;
            digits[at] = b'0' + (number % 10) as u8;
            number /= 10;
            if number == 0 {
                break;
            }
        }
        if negative {
            self.out.push('-');
        }
        let digits = std::str::from_utf8(&digits[at..]);
        self.out.push_str(digits.expect("digits are ASCII"));
    }

    fn rarely(self, value: &(impl Serialize + ?Sized)) -> fmt::Result {
        let written = serde_json::to_string(value).map_err(fmt::Error::custom)?;
        self.out.push_str(&written);
        Ok(())
    }

    fn open(self, open: char, close: char) -> Parts<'a> {
        self.out.push(open);
        Parts {
            out: self.out,
            close,
            is_first: true,
        }
    }
}

/// Says whether a string stands in JSON as it is. Every byte is looked at, so that the compiler
/// can look at sixteen at a time.
fn is_plain(text: &str) -> bool {
    let odd = |byte| u8::from(byte < b' ') | u8::from(byte == b'"') | u8::from(byte == b'\\');
    text.bytes().fold(0, |found, byte| found | odd(byte)) == 0
}

type Never = Impossible<(), fmt::Error>;

impl<'a> Serializer for Json<'a> {
    type Ok = ();
    type Error = fmt::Error;
    type SerializeSeq = Parts<'a>;
    type SerializeTuple = Never;
    type SerializeTupleStruct = Never;
    type SerializeTupleVariant = Never;
    type SerializeMap = Parts<'a>;
    type SerializeStruct = Parts<'a>;
    type SerializeStructVariant = Never;

    fn serialize_bool(self, value: bool) -> fmt::Result {
        self.out.push_str(if value { "true" } else { "false" });
        Ok(())
    }

    fn serialize_i8(self, value: i8) -> fmt::Result {
        self.serialize_i64(value.into())
    }

    fn serialize_i16(self, value: i16) -> fmt::Result {
        self.serialize_i64(value.into())
    }

    fn serialize_i32(self, value: i32) -> fmt::Result {
        self.serialize_i64(value.into())
    }

    fn serialize_i64(self, value: i64) -> fmt::Result {
        self.whole(value < 0, value.unsigned_abs());
        Ok(())
    }

    fn serialize_u8(self, value: u8) -> fmt::Result {
        self.serialize_u64(value.into())
    }

    fn serialize_u16(self, value: u16) -> fmt::Result {
        self.serialize_u64(value.into())
    }

    fn serialize_u32(self, value: u32) -> fmt::Result {
        self.serialize_u64(value.into())
    }

    fn serialize_u64(self, value: u64) -> fmt::Result {
        self.whole(false, value);
        Ok(())
    }

    fn serialize_f32(self, value: f32) -> fmt::Result {
        self.rarely(&value)
    }

    fn serialize_f64(self, value: f64) -> fmt::Result {
        self.rarely(&value)
    }

    fn serialize_char(self, value: char) -> fmt::Result {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> fmt::Result {
        if !is_plain(value) {
            return self.rarely(value);
        }
        self.out.reserve(value.len() + 2);
        self.out.push('"');
        self.out.push_str(value);
        self.out.push('"');
        Ok(())
    }

    fn serialize_bytes(self, _: &[u8]) -> fmt::Result {
        Err(fmt::Error)
    }

    fn serialize_none(self) -> fmt::Result {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> fmt::Result {
        value.serialize(self)
    }

    fn serialize_unit(self) -> fmt::Result {
        self.out.push_str("null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> fmt::Result {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, word: &'static str) -> fmt::Result {
        self.serialize_str(word)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> fmt::Result {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> fmt::Result {
        Err(fmt::Error)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Parts<'a>, fmt::Error> {
        Ok(self.open('[', ']'))
    }

    fn serialize_tuple(self, _: usize) -> Result<Never, fmt::Error> {
        Err(fmt::Error)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Never, fmt::Error> {
        Err(fmt::Error)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Never, fmt::Error> {
        Err(fmt::Error)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Parts<'a>, fmt::Error> {
        Ok(self.open('{', '}'))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Parts<'a>, fmt::Error> {
        Ok(self.open('{', '}'))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Never, fmt::Error> {
        Err(fmt::Error)
    }
}

/// A list or an object that is being written.
struct Parts<'a> {
    out: &'a mut String,
    close: char,
    is_first: bool,
}

impl Parts<'_> {
    fn part(&mut self) -> Json<'_> {
        if !std::mem::replace(&mut self.is_first, false) {
            self.out.push(',');
        }
        Json { out: self.out }
    }

    fn close(self) {
        self.out.push(self.close);
    }
}

impl SerializeSeq for Parts<'_> {
    type Ok = ();
    type Error = fmt::Error;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> fmt::Result {
        value.serialize(self.part())
    }

    fn end(self) -> fmt::Result {
        self.close();
        Ok(())
    }
}

impl SerializeMap for Parts<'_> {
    type Ok = ();
    type Error = fmt::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> fmt::Result {
        let json = self.part();
        let from = json.out.len();
        key.serialize(json)?;
        if self.out[from..].starts_with('"') {
            Ok(())
        } else {
            Err(fmt::Error)
        }
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> fmt::Result {
        self.out.push(':');
        value.serialize(Json { out: self.out })
    }

    fn end(self) -> fmt::Result {
        self.close();
        Ok(())
    }
}

impl SerializeStruct for Parts<'_> {
    type Ok = ();
    type Error = fmt::Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> fmt::Result {
        let json = self.part();
        json.out.push('"');
        json.out.push_str(key);
        json.out.push_str("\":");
        value.serialize(Json { out: json.out })
    }

    fn end(self) -> fmt::Result {
        self.close();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Serialize;

    use super::append;
    use crate::word::Role;

    #[derive(Serialize)]
    struct Record<'a> {
        flag: bool,
        float: f64,
        list: Vec<Option<i64>>,
        map: BTreeMap<&'a str, u64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        seldom: Option<()>,
        text: &'a str,
        unit: (),
        word: Role,
    }

    fn check(value: &impl Serialize) {
        let mut out = "before".to_owned();
        append(value, &mut out).expect("a document may have it");
        let known = serde_json::to_string(value).expect("it is JSON");
        assert_eq!(out.strip_prefix("before"), Some(&*known));
    }

    #[test]
    fn is_what_serde_json_writes() {
        for code in (0..0x300).chain([0x2028, 0xfeff, 0x1_f600]) {
            let character = char::from_u32(code).expect("it is none of a pair");
            for text in [
                character.to_string(),
                format!("sixteen bytes and{character}x"),
            ] {
                check(&text);
                check(&BTreeMap::from([(text, 1)]));
            }
        }
        for number in [0, 1, 9, 10, -1, -10, 1_234_567_890, i64::MAX, i64::MIN] {
            check(&number);
        }
        check(&[u64::MAX, 10_000_000_000_000_000_000, 99].to_vec());
        for float in [0.0, -0.0, 1.0, 0.1, 1e300, 5e-324, 1.0 / 3.0, f64::NAN] {
            check(&float);
        }
        for text in ["", "plain", "a \"quoted\"\n\\ text"] {
            for seldom in [None, Some(())] {
                let record = || Record {
                    flag: text.is_empty(),
                    float: 2.5,
                    list: vec![None, Some(-3), Some(70)],
                    map: BTreeMap::from([(text, 7), ("b", 0)]),
                    seldom,
                    text,
                    unit: (),
                    word: Role::Developer,
                };
                check(&record());
                check(&vec![record(), record()]);
            }
        }
        check(&Vec::<u64>::new());
        check(&BTreeMap::<String, u64>::new());
    }

    #[test]
    fn what_no_document_has_is_refused() {
        let mut out = String::new();
        assert!(append(&(1, 2), &mut out).is_err());
        assert!(append(&BTreeMap::from([(1, 2)]), &mut out).is_err());
    }
}

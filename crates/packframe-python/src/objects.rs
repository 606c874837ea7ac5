//! Serialized values as Python objects: dicts, lists, strings and numbers.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;

use foldhash::fast::FixedState;
use pyo3::BoundObject;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use serde::ser::{
    self, Impossible, Serialize, SerializeMap, SerializeSeq, SerializeStruct, Serializer,
};

/// Returns a value as Python objects that are all its own; strings that come again may be one
/// object. Linear.
///
/// # Errors
///
/// What Python raises, and `TypeError` for bytes, tuples and enums with values, which no document has.
pub(crate) fn objects<'py>(
    py: Python<'py>,
    value: &(impl Serialize + ?Sized),
) -> PyResult<Bound<'py, PyAny>> {
    let words = Words::new(py);
    Ok(value.serialize(Objects { words: &words })?)
}

/// Bytes of the longest string that may be made once for many places: longer ones are hashes and
/// names of one row.
const SHORT: usize = 16;
/// How many short strings are kept; where two have one place, the later one stays.
const PLACES: usize = 64;

/// The strings that come again and again in a document, each made once: keys and words of the
/// library by where they lie in memory, short strings by what they say.
struct Words<'py> {
    py: Python<'py>,
    known: RefCell<HashMap<(usize, usize), Bound<'py, PyString>, FixedState>>,
    /// Of each kind of record, its keys in order.
    shapes: RefCell<Vec<Shape<'py>>>,
    short: RefCell<Vec<Option<Short<'py>>>>,
}

struct Shape<'py> {
    name: &'static str,
    keys: Vec<(&'static str, Bound<'py, PyString>)>,
}

struct Short<'py> {
    length: usize,
    bytes: [u8; SHORT],
    made: Bound<'py, PyString>,
}

impl<'py> Words<'py> {
    fn new(py: Python<'py>) -> Self {
        Self {
            py,
            known: RefCell::default(),
            shapes: RefCell::default(),
            short: RefCell::new((0..PLACES).map(|_| None).collect()),
        }
    }

    /// Returns a word of the library's own: nothing else ever lies where it does.
    fn word(&self, word: &'static str) -> Bound<'py, PyString> {
        let place = (word.as_ptr().addr(), word.len());
        let mut known = self.known.borrow_mut();
        let made = known
            .entry(place)
            .or_insert_with(|| PyString::intern(self.py, word));
        made.clone()
    }

    fn string(&self, text: &str) -> Bound<'py, PyString> {
        let length = text.len();
        if length > SHORT {
            return PyString::new(self.py, text);
        }
        let mut bytes = [0; SHORT];
        bytes[..length].copy_from_slice(text.as_bytes());
        let place = place_of(bytes);
        let mut short = self.short.borrow_mut();
        match &short[place] {
            Some(known) if known.length == length && known.bytes == bytes => known.made.clone(),
            _ => {
                let made = PyString::new(self.py, text);
                short[place] = Some(Short {
                    length,
                    bytes,
                    made: made.clone(),
                });
                made
            }
        }
    }

    /// Takes the keys of a kind of record; they come back when it is written.
    fn shape(&self, name: &'static str) -> Shape<'py> {
        let mut shapes = self.shapes.borrow_mut();
        let at = shapes.iter().rposition(|shape| shape.name == name);
        at.map_or_else(
            || Shape {
                name,
                keys: Vec::new(),
            },
            |at| shapes.swap_remove(at),
        )
    }

    fn give_back(&self, shape: Shape<'py>) {
        self.shapes.borrow_mut().push(shape);
    }
}

/// Spreads short strings over their places.
fn place_of(bytes: [u8; SHORT]) -> usize {
    // Any odd number with bits all over it would do.
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
    let both = u128::from_le_bytes(bytes);
    #[expect(clippy::cast_possible_truncation, reason = "the two halves are meant")]
    let (low, high) = (both as u64, (both >> 64) as u64);
    let mixed = (low ^ high.rotate_left(29)).wrapping_mul(SPREAD);
    usize::try_from(mixed >> 58).map_or(0, |place| place % PLACES)
}

/// What went wrong: always what Python is to raise.
#[derive(Debug)]
struct Failure(PyErr);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Failure {}

impl ser::Error for Failure {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(PyTypeError::new_err(message.to_string()))
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Self(error)
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        failure.0
    }
}

fn none_such<T>(what: &str) -> Result<T, Failure> {
    Err(ser::Error::custom(format!("a document has no {what}")))
}

type Made<'py> = Result<Bound<'py, PyAny>, Failure>;
type Never<'py> = Impossible<Bound<'py, PyAny>, Failure>;

#[derive(Clone, Copy)]
struct Objects<'a, 'py> {
    words: &'a Words<'py>,
}

/// Numbers and truth values, which PyO3 knows.
macro_rules! as_they_are {
    ($($method:ident: $kind:ty),+ $(,)?) => {
        $(fn $method(self, value: $kind) -> Made<'py> {
            match value.into_pyobject(self.words.py) {
                Ok(made) => Ok(made.into_bound().into_any()),
                Err(never) => match never {},
            }
        })+
    };
}

impl<'a, 'py> Serializer for Objects<'a, 'py> {
    type Ok = Bound<'py, PyAny>;
    type Error = Failure;
    type SerializeSeq = Elements<'a, 'py>;
    type SerializeTuple = Never<'py>;
    type SerializeTupleStruct = Never<'py>;
    type SerializeTupleVariant = Never<'py>;
    type SerializeMap = Entries<'a, 'py>;
    type SerializeStruct = Fields<'a, 'py>;
    type SerializeStructVariant = Never<'py>;

    as_they_are! {
        serialize_bool: bool,
        serialize_i8: i8,
        serialize_i16: i16,
        serialize_i32: i32,
        serialize_i64: i64,
        serialize_u8: u8,
        serialize_u16: u16,
        serialize_u32: u32,
        serialize_u64: u64,
        serialize_f32: f32,
        serialize_f64: f64,
    }

    fn serialize_char(self, value: char) -> Made<'py> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Made<'py> {
        Ok(self.words.string(value).into_any())
    }

    fn serialize_bytes(self, _: &[u8]) -> Made<'py> {
        none_such("bytes")
    }

    fn serialize_none(self) -> Made<'py> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Made<'py> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Made<'py> {
        Ok(self.words.py.None().into_bound(self.words.py))
    }

    fn serialize_unit_struct(self, _: &'static str) -> Made<'py> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Made<'py> {
        Ok(self.words.word(variant).into_any())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Made<'py> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Made<'py> {
        none_such(name)
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<Elements<'a, 'py>, Failure> {
        Ok(Elements {
            words: self.words,
            made: Vec::with_capacity(length.unwrap_or(0)),
        })
    }

    fn serialize_tuple(self, _: usize) -> Result<Never<'py>, Failure> {
        none_such("tuples")
    }

    fn serialize_tuple_struct(self, name: &'static str, _: usize) -> Result<Never<'py>, Failure> {
        none_such(name)
    }

    fn serialize_tuple_variant(
        self,
        name: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Never<'py>, Failure> {
        none_such(name)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Entries<'a, 'py>, Failure> {
        Ok(Entries {
            words: self.words,
            made: PyDict::new(self.words.py),
            key: None,
        })
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Fields<'a, 'py>, Failure> {
        Ok(Fields {
            words: self.words,
            made: PyDict::new(self.words.py),
            shape: self.words.shape(name),
            at: 0,
        })
    }

    fn serialize_struct_variant(
        self,
        name: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Never<'py>, Failure> {
        none_such(name)
    }
}

/// A list that is being made.
struct Elements<'a, 'py> {
    words: &'a Words<'py>,
    made: Vec<Bound<'py, PyAny>>,
}

impl<'py> SerializeSeq for Elements<'_, 'py> {
    type Ok = Bound<'py, PyAny>;
    type Error = Failure;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Failure> {
        self.made
            .push(value.serialize(Objects { words: self.words })?);
        Ok(())
    }

    fn end(self) -> Made<'py> {
        Ok(PyList::new(self.words.py, self.made)?.into_any())
    }
}

/// A dict that is being made of a map.
struct Entries<'a, 'py> {
    words: &'a Words<'py>,
    made: Bound<'py, PyDict>,
    key: Option<Bound<'py, PyAny>>,
}

impl<'py> SerializeMap for Entries<'_, 'py> {
    type Ok = Bound<'py, PyAny>;
    type Error = Failure;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Failure> {
        self.key = Some(key.serialize(Objects { words: self.words })?);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Failure> {
        let key = self.key.take().expect("a value comes behind its key");
        let value = value.serialize(Objects { words: self.words })?;
        Ok(self.made.set_item(key, value)?)
    }

    fn end(self) -> Made<'py> {
        Ok(self.made.into_any())
    }
}

/// A dict that is being made of a record.
struct Fields<'a, 'py> {
    words: &'a Words<'py>,
    made: Bound<'py, PyDict>,
    shape: Shape<'py>,
    /// The place of the next key.
    at: usize,
}

impl<'py> SerializeStruct for Fields<'_, 'py> {
    type Ok = Bound<'py, PyAny>;
    type Error = Failure;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<(), Failure> {
        let value = value.serialize(Objects { words: self.words })?;
        // Records that leave a key out have the next one in its place.
        match self.shape.keys.get(self.at) {
            Some((known, made)) if std::ptr::eq(*known, key) => self.made.set_item(made, value)?,
            _ => {
                let made = self.words.word(key);
                self.made.set_item(&made, value)?;
                self.shape.keys.truncate(self.at);
                self.shape.keys.push((key, made));
            }
        }
        self.at += 1;
        Ok(())
    }

    fn end(self) -> Made<'py> {
        self.words.give_back(self.shape);
        Ok(self.made.into_any())
    }
}

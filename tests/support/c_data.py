"""Arrow arrays written by hand, field by field, so that each may be wrong."""

from __future__ import annotations

import ctypes
import struct
from typing import Any

PyCapsule_New = ctypes.pythonapi.PyCapsule_New
PyCapsule_New.restype = ctypes.py_object
PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Schema(ctypes.Structure):
    """ArrowSchema of Arrow's C data interface."""


class Array(ctypes.Structure):
    """ArrowArray of Arrow's C data interface."""


class Stream(ctypes.Structure):
    """ArrowArrayStream of Arrow's C stream interface."""


ReleaseSchema = ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))
ReleaseArray = ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))
ReleaseStream = ctypes.CFUNCTYPE(None, ctypes.POINTER(Stream))
GetSchema = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Schema))
GetNext = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Array))
GetError = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(Stream))

Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", ctypes.POINTER(Schema)),
    ("release", ReleaseSchema),
    ("private_data", ctypes.c_void_p),
]
Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))),
    ("dictionary", ctypes.POINTER(Array)),
    ("release", ReleaseArray),
    ("private_data", ctypes.c_void_p),
]
Stream._fields_ = [
    ("get_schema", GetSchema),
    ("get_next", GetNext),
    ("get_last_error", GetError),
    ("release", ReleaseStream),
    ("private_data", ctypes.c_void_p),
]


def offsets(*values: int, width: int = 4) -> bytes:
    """Return offsets as they lie in memory."""
    return struct.pack(f"={len(values)}{'iq'[width == 8]}", *values)


def view(data: bytes, buffer: int = 0, offset: int = 0, length: int | None = None) -> bytes:
    """Return a view of some bytes: inline where they are 12 at most."""
    length = len(data) if length is None else length
    if length <= 12:
        return struct.pack("=i12s", length, data)
    return struct.pack("=i4sii", length, data[:4], buffer, offset)


class Column:
    """A column of one array, written by hand; counts how often its array was released.

    `data` has the bytes of each buffer, or None for a null pointer. Other fields of the two
    structures are given by their names, those of the schema with `schema_` before.
    """

    def __init__(
        self,
        data: list[bytes | None],
        length: int,
        *,
        format: str | None = "u",
        dictionary: Column | None = None,
        names: tuple[str, str] = ("arrow_schema", "arrow_array"),
        **fields: Any,
    ) -> None:
        self.released = 0
        self._kept: list[Any] = [dictionary]
        self.schema, self.array = Schema(), Array()
        self.schema.format = None if format is None else format.encode()
        self.schema.release = self._keep(ReleaseSchema(self._release_schema))
        self.array.release = self._keep(ReleaseArray(self._release_array))
        pointers = self._keep((ctypes.c_void_p * max(len(data), 1))())
        for at, part in enumerate(data):
            if part is not None:
                held = self._keep(ctypes.create_string_buffer(part, max(len(part), 1)))
                pointers[at] = ctypes.addressof(held)
        self.array.length, self.array.n_buffers = length, len(data)
        self.array.buffers = ctypes.cast(pointers, ctypes.POINTER(ctypes.c_void_p))
        if dictionary is not None:
            self.schema.dictionary = ctypes.pointer(dictionary.schema)
            self.array.dictionary = ctypes.pointer(dictionary.array)
        for field, value in fields.items():
            if field.startswith("schema_"):
                setattr(self.schema, field.removeprefix("schema_"), value)
            else:
                setattr(self.array, field, value)
        self._names = [name.encode() for name in names]

    def adopt(self, children: dict[str, Column]) -> None:
        """Make this one of columns: a struct of fields, or a list of the one that it is given."""
        schemas = self._keep((ctypes.POINTER(Schema) * len(children))())
        arrays = self._keep((ctypes.POINTER(Array) * len(children))())
        for at, (name, child) in enumerate(self._keep(children).items()):
            child.schema.name = name.encode()
            schemas[at] = ctypes.pointer(child.schema)
            arrays[at] = ctypes.pointer(child.array)
        self.schema.n_children = self.array.n_children = len(children)
        self.schema.children = ctypes.cast(schemas, type(self.schema.children))
        self.array.children = ctypes.cast(arrays, type(self.array.children))

    def _keep(self, value: Any) -> Any:
        self._kept.append(value)
        return value

    def _release_schema(self, schema: Any) -> None:
        schema.contents.release = ReleaseSchema()

    def _release_array(self, array: Any) -> None:
        self.released += 1
        array.contents.release = ReleaseArray()

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]:
        """Return the capsules, without destructors: what nobody takes is not released."""
        del requested_schema
        schema, array = (
            PyCapsule_New(ctypes.addressof(value), ctypes.c_char_p(name), None)
            for value, name in zip((self.schema, self.array), self._names, strict=True)
        )
        return schema, array


class Table:
    """A struct array written by hand, of columns that were."""

    def __init__(self, columns: dict[str, Column], length: int, **fields: Any) -> None:
        self.table = Column([None], length, format="+s", **fields)
        self.table.adopt(columns)
        if "n_children" in fields:
            self.table.array.n_children = fields["n_children"]

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]:
        """Return the capsules."""
        return self.table.__arrow_c_array__(requested_schema)


class Chunks:
    """A stream of columns that were written by hand; may fail on the way."""

    def __init__(
        self,
        columns: list[Column],
        *,
        code: int = 0,
        error: bytes | None = b"the disk is gone",
        name: str = "arrow_array_stream",
        **fields: Any,
    ) -> None:
        self.released = 0
        self._columns = columns
        self._left = iter(columns)
        self._code = code
        self._error = None if error is None else ctypes.create_string_buffer(error)
        self.stream = Stream(
            GetSchema(self._schema),
            GetNext(self._next),
            GetError(lambda _: self._error and ctypes.addressof(self._error)),
            ReleaseStream(self._release),
            None,
        )
        for field, value in fields.items():
            setattr(self.stream, field, value)
        self._name = name.encode()

    def _schema(self, _: Any, schema: Any) -> int:
        ctypes.memmove(schema, ctypes.addressof(self._columns[0].schema), ctypes.sizeof(Schema))
        return 0

    def _next(self, _: Any, array: Any) -> int:
        column = next(self._left, None)
        if column is not None:
            ctypes.memmove(array, ctypes.addressof(column.array), ctypes.sizeof(Array))
            return 0
        if not self._code:
            ctypes.memset(array, 0, ctypes.sizeof(Array))
        return self._code

    def _release(self, stream: Any) -> None:
        self.released += 1
        stream.contents.release = ReleaseStream()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Return the capsule, without a destructor."""
        del requested_schema
        return PyCapsule_New(ctypes.addressof(self.stream), ctypes.c_char_p(self._name), None)

"""Columns of texts in Arrow's memory, from producers of all kinds, and to consumers."""

from __future__ import annotations

import ctypes
import gc
import pickle
import threading
from typing import TYPE_CHECKING, Any

import nanoarrow
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import packframe as pf
from support.c_data import Chunks, Column, Stream, offsets, view
from support.examples import examples
from support.pairs import PAIRS, pair
from support.texts import FRAGMENTS, texts

if TYPE_CHECKING:
    from collections.abc import Callable

Rows = list[str | None]

PRODUCERS: dict[str, Callable[[Rows], Any]] = {
    "pyarrow utf8": lambda rows: pa.array(rows, pa.string()),
    "pyarrow large_utf8": lambda rows: pa.array(rows, pa.large_string()),
    "pyarrow utf8_view": lambda rows: pa.array(rows, pa.string_view()),
    "pyarrow dictionary": lambda rows: pa.array(rows, pa.dictionary(pa.int8(), pa.string())),
    "pyarrow slice": lambda rows: pa.array(["before", None, *rows, None, "behind"], pa.string())[
        2 : 2 + len(rows)
    ],
    "pyarrow slice of views": lambda rows: pa.array(
        ["before", None, *rows, "behind, and long enough for a buffer"], pa.string_view()
    )[2 : 2 + len(rows)],
    "pyarrow slice of a dictionary": lambda rows: pa.array(
        ["before", None, *rows], pa.dictionary(pa.uint64(), pa.large_string())
    )[2:],
    "pyarrow chunks": lambda rows: pa.chunked_array(
        [rows[:1], [], rows[1:3], rows[3:]], pa.string()
    ),
    "pyarrow chunks of dictionaries": lambda rows: pa.chunked_array(
        [pa.array(part, pa.string()).dictionary_encode() for part in (rows[:2], rows[2:])]
    ),
    "polars": lambda rows: pl.Series(rows, dtype=pl.String),
    "polars chunks": lambda rows: pl.Series(rows[:2], dtype=pl.String).append(
        pl.Series(rows[2:], dtype=pl.String)
    ),
    "polars categories": lambda rows: pl.Series(rows, dtype=pl.Categorical),
    "nanoarrow utf8": lambda rows: nanoarrow.Array(rows, nanoarrow.string()),
    "nanoarrow large_utf8": lambda rows: nanoarrow.Array(rows, nanoarrow.large_string()),
    # Not its utf8_view: nanoarrow 0.9 crashes when it builds one of some rows.
    "nanoarrow stream": lambda rows: nanoarrow.ArrayStream(rows, nanoarrow.string()),
}


def right(profile: pf.TokenProfile, rows: Rows) -> list[int | None]:
    """Return the counts of rows."""
    return [None if row is None else profile.count(row) for row in rows]


@pytest.mark.parametrize("producer", PRODUCERS)
@examples(25)
@given(rows=st.lists(texts | st.none(), max_size=20))
def test_every_producer_and_layout_counts_alike(producer: str, rows: Rows) -> None:
    """Counts are those of the texts, whatever library has them and however they lie in memory."""
    for name in ("o200k_base", "hf_bpe", "words"):
        profile = pair(name).profile
        for threads in (None, 1, 2):
            counts = profile.count_arrow(PRODUCERS[producer](rows), threads=threads)
            assert counts.to_pylist() == right(profile, rows)


@pytest.mark.parametrize("name", sorted(PAIRS))
def test_every_profile_counts_columns(name: str) -> None:
    """Every kind of profile counts a column as it counts its texts."""
    profile = pair(name).profile
    rows: Rows = [*FRAGMENTS, None, *FRAGMENTS]
    for column in (pa.array(rows), pa.array(rows).dictionary_encode()):
        assert profile.count_arrow(column).to_pylist() == right(profile, rows)


@pytest.mark.parametrize("producer", PRODUCERS)
def test_a_column_may_be_long(producer: str) -> None:
    """A column of megabytes, counted on several threads, keeps its order."""
    profile = pf.profiles.openai("cl100k_base")
    rows: Rows = [fragment * (row % 50) or None for row, fragment in enumerate(FRAGMENTS * 20)]
    if "dictionary" in producer:
        rows = rows[:100]  # its keys have 8 bits
    found = profile.count_arrow(PRODUCERS[producer](rows)).to_pylist()
    assert found == right(profile, rows)


def test_a_column_of_nulls_is_one() -> None:
    """A column without a type, as one of nothing but nulls has, gives nulls."""
    profile = pf.profiles.openai("o200k_base")
    empty = pa.array([], pa.null())
    for column, rows in ((pa.nulls(3), 3), (pl.Series([None, None]), 2), (empty, 0)):
        counts = profile.count_arrow(column)
        assert (len(counts), counts.null_count) == (rows, rows)


# What comes back.


def test_counts_go_to_every_consumer_without_a_copy() -> None:
    """pyarrow, polars and nanoarrow take the counts as int64, and pyarrow copies nothing."""
    profile = pf.profiles.openai("o200k_base")
    counts = profile.count_arrow(pa.array(["Where?", None, "", "In Oslo."]))
    wanted = [2, None, 0, 3]
    first, second = pa.array(counts), pa.array(counts)
    assert (first.type, first.to_pylist(), first.null_count) == (pa.int64(), wanted, 1)
    assert first.buffers()[1].address == second.buffers()[1].address
    first.validate(full=True)
    series = pl.Series(counts)
    assert series.dtype == pl.Int64()
    assert series.to_list() == wanted
    assert nanoarrow.Array(counts).to_pylist() == wanted
    assert nanoarrow.Schema(counts).type == nanoarrow.Type.INT64
    del counts
    gc.collect()
    assert second.to_pylist() == wanted
    table = pa.table({"text": ["Where?", None, "", "In Oslo."], "tokens": second})
    assert table.column("tokens").to_pylist() == wanted


def test_counts_are_a_sequence() -> None:
    """Counts have a length, rows, an equality and a repr, and they pickle."""
    counts = pf.CountArray([3, None, 0])
    assert (len(counts), counts[0], counts[1], counts[-1]) == (3, 3, None, 0)
    assert list(counts) == counts.to_pylist() == [3, None, 0]
    for row in (3, -4, 10**9):
        with pytest.raises(IndexError):
            counts[row]
    assert counts == pf.CountArray([3, None, 0]) != pf.CountArray([3, 0, 0])
    assert counts != [3, None, 0]
    assert pickle.loads(pickle.dumps(counts)) == counts
    assert repr(counts) == "CountArray(3 rows, 1 null)"
    assert (len(pf.CountArray([])), pa.array(pf.CountArray([])).to_pylist()) == (0, [])
    with pytest.raises(TypeError):
        hash(counts)
    with pytest.raises(AttributeError):
        counts.null_count = 2  # type: ignore[misc]


def test_capsules_that_nobody_takes_are_released() -> None:
    """Counts that were exported and thrown away leave nothing behind, and can be exported again."""
    counts = pf.CountArray([1, 2])
    for _ in range(100):
        counts.__arrow_c_array__(None)
        counts.__arrow_c_schema__()
    assert pa.array(counts).to_pylist() == [1, 2]


# What is refused.


def refused(column: Any) -> pf.InvalidOption:
    """Return the error of a column."""
    with pytest.raises(pf.InvalidOption) as caught:
        pf.profiles.openai("o200k_base").count_arrow(column)
    assert caught.value.option == "column"
    return caught.value


@pytest.mark.parametrize(
    ("column", "named"),
    [
        (pa.array([1, 2]), "int64"),
        (pa.array([b"a"]), "binary"),
        (pa.array([1.5]), "float64"),
        (pa.array([["a"]]), "list"),
        (pa.array([1, 2]).dictionary_encode(), "int64"),
        (pa.chunked_array([[True]]), "bool"),
        (pl.Series([1], dtype=pl.UInt8), "uint8"),
        (nanoarrow.Array([1], nanoarrow.int32()), "int32"),
        (pa.array([{"a": "x", "b": 1}]), "'a', 'b'"),
        (pa.record_batch({"text": ["a"]}), "'text'"),
        (
            pa.table({str(number): ["a"] for number in range(9)}),
            "'0', '1', '2', '3', '4', '…'",
        ),
        (pl.DataFrame({"text": ["a"], "n": [1]}), "'text', 'n'"),
        (pa.array([None], pa.timestamp("us")), "timestamp"),
        (7, "int"),
        ("text", "str"),
        (["a"], "list"),
        (None, "NoneType"),
    ],
    ids=str,
)
def test_what_is_no_column_of_texts_is_named(column: Any, named: str) -> None:
    """A column of another type is refused with its type, a table with its columns."""
    assert named in str(refused(column))


def test_a_stream_is_read_once() -> None:
    """A stream that was read has nothing left, and says so."""
    reader = pa.chunked_array([["a"]]).__arrow_c_stream__()

    class Again:
        def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
            return reader

    assert len(pf.profiles.openai("o200k_base").count_arrow(Again())) == 1
    assert "consumed" in str(refused(Again()))


def test_an_array_is_taken_once() -> None:
    """A pair of capsules that was taken has nothing left, and says so."""
    pair = pa.array(["a", "b"]).__arrow_c_array__()

    class Again:
        def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
            return pair

    assert len(pf.profiles.openai("o200k_base").count_arrow(Again())) == 2
    assert "consumed" in str(refused(Again()))


TEXT = b"one two three, four, five"
GOOD: dict[str, Callable[[], Column]] = {
    "utf8": lambda: Column([None, offsets(0, 3, 7), TEXT], 2),
    "large_utf8": lambda: Column([None, offsets(0, 3, 7, width=8), TEXT], 2, format="U"),
    "utf8_view": lambda: Column(
        [None, view(b"one") + view(TEXT), TEXT, offsets(len(TEXT), width=8)], 2, format="vu"
    ),
    "dictionary": lambda: Column(
        [None, bytes([1, 0])],
        2,
        format="c",
        dictionary=Column([None, offsets(0, 3, 7), TEXT], 2),
    ),
}


@pytest.mark.parametrize("kind", GOOD)
def test_what_was_taken_is_released_once(kind: str) -> None:
    """The memory of an array is given back when it was counted, once, and also after an error."""
    profile = pf.profiles.openai("o200k_base")
    column = GOOD[kind]()
    assert len(profile.count_arrow(column)) == 2
    assert column.released == 1
    columns = [GOOD[kind]() for _ in range(3)]
    stream = Chunks(columns)
    assert len(profile.count_arrow(stream)) == 6
    assert ([column.released for column in columns], stream.released) == ([1, 1, 1], 1)

    def fail(_: str) -> int:
        raise KeyError

    columns = [GOOD[kind]() for _ in range(3)]
    stream = Chunks(columns)
    with pytest.raises(pf.TokenizerError):
        pf.profiles.custom("mine", fail).count_arrow(stream)
    assert ([column.released for column in columns], stream.released) == ([1, 0, 0], 1)


def without_dictionary(column: Column) -> Column:
    """Take the dictionary away that the schema tells of."""
    column.array.dictionary = None
    return column


HUGE = 2**62
MALFORMED: dict[str, Callable[[], Column]] = {
    "no buffers at all": lambda: Column([], 1, buffers=None),
    "a null pointer to three buffers": lambda: Column([b"", b"", b""], 1, buffers=None),
    "two buffers": lambda: Column([None, offsets(0, 3)], 1),
    "four buffers": lambda: Column([None, offsets(0, 3), TEXT, TEXT], 1),
    "a negative number of buffers": lambda: Column([None, offsets(0, 3), TEXT], 1, n_buffers=-3),
    "a negative length": lambda: Column([None, offsets(0, 3), TEXT], -1),
    "a negative offset": lambda: Column([None, offsets(0, 3), TEXT], 1, offset=-1),
    "a length that overflows": lambda: Column([None, offsets(0, 3), TEXT], HUGE),
    "an offset that overflows": lambda: Column([None, offsets(0, 3), TEXT], 1, offset=2**63 - 1),
    "no offsets": lambda: Column([None, None, TEXT], 1),
    "no values": lambda: Column([None, offsets(0, 3), None], 1),
    "nulls without bits": lambda: Column([None, offsets(0, 3), TEXT], 1, null_count=1),
    "a negative last offset": lambda: Column([None, offsets(0, -3), TEXT], 1),
    "a negative first offset": lambda: Column([None, offsets(-3, 3), TEXT], 1),
    "offsets that go back": lambda: Column([None, offsets(0, 9, 3, 12), TEXT], 3),
    "an offset over the last": lambda: Column([None, offsets(0, 90, 12), TEXT], 2),
    "a huge last offset": lambda: Column(
        [None, offsets(0, HUGE * 2 - 1, width=8), TEXT], 1, format="U"
    ),
    "no format": lambda: Column([None, offsets(0, 3), TEXT], 1, format=None),
    "a schema that was released": lambda: Column(
        [None, offsets(0, 3), TEXT], 1, schema_release=type(Column([], 0).schema.release)()
    ),
    "an array that was released": lambda: Column(
        [None, offsets(0, 3), TEXT], 1, release=type(Column([], 0).array.release)()
    ),
    "two buffers of views": lambda: Column([None, view(b"a")], 1, format="vu"),
    "views without a buffer": lambda: Column([None, None, None], 1, format="vu"),
    "a view into no buffer": lambda: Column([None, view(TEXT), None], 1, format="vu"),
    "a view into another buffer": lambda: Column(
        [None, view(TEXT, buffer=1), TEXT, offsets(len(TEXT), width=8)], 1, format="vu"
    ),
    "a view into a negative buffer": lambda: Column(
        [None, view(TEXT, buffer=-1), TEXT, offsets(len(TEXT), width=8)], 1, format="vu"
    ),
    "a view behind its buffer": lambda: Column(
        [None, view(TEXT, offset=5), TEXT, offsets(len(TEXT), width=8)], 1, format="vu"
    ),
    "a view before its buffer": lambda: Column(
        [None, view(TEXT, offset=-5), TEXT, offsets(len(TEXT), width=8)], 1, format="vu"
    ),
    "a view of a negative length": lambda: Column(
        [None, view(b"a", length=-1), None], 1, format="vu"
    ),
    "a view longer than its buffer": lambda: Column(
        [None, view(TEXT, length=2**31 - 1), TEXT, offsets(len(TEXT), width=8)], 1, format="vu"
    ),
    "views of a negative buffer": lambda: Column(
        [None, view(TEXT), TEXT, offsets(-5, width=8)], 1, format="vu"
    ),
    "views without the sizes of buffers": lambda: Column(
        [None, view(TEXT), TEXT, None], 1, format="vu"
    ),
    "a key over the dictionary": lambda: Column(
        [None, bytes([2])], 1, format="c", dictionary=GOOD["utf8"]()
    ),
    "a negative key": lambda: Column(
        [None, bytes([255])], 1, format="c", dictionary=GOOD["utf8"]()
    ),
    "keys without a dictionary": lambda: without_dictionary(
        Column([None, bytes([0])], 1, format="c", dictionary=GOOD["utf8"]())
    ),
    "keys that are no integers": lambda: Column(
        [None, b"12345678"], 1, format="g", dictionary=GOOD["utf8"]()
    ),
    "no keys": lambda: Column([None, None], 1, format="c", dictionary=GOOD["utf8"]()),
    "a broken dictionary": lambda: Column(
        [None, bytes([0])], 1, format="c", dictionary=MALFORMED["offsets that go back"]()
    ),
    "a dictionary of no length": lambda: Column(
        [None, bytes([0])], 1, format="c", dictionary=Column([None, None, None], 0)
    ),
    "nulls without end": lambda: Column([], HUGE, format="n"),
}


@pytest.mark.parametrize("kind", MALFORMED)
def test_malformed_arrays_are_errors(kind: str) -> None:
    """What breaks the rules of the interface, as far as it can be seen, is refused and released."""
    column = MALFORMED[kind]()
    refused(column)
    assert column.released == int(kind != "no format" and "was released" not in kind)
    stream = Chunks([GOOD["utf8"](), MALFORMED["offsets that go back"]()])
    refused(stream)
    assert stream.released == 1


@pytest.mark.parametrize("kind", ["arrow_schema", "arrow_array", "arrow_array_stream"])
def test_capsules_with_another_name_are_refused(kind: str) -> None:
    """A capsule is asked for by its name; another one is not followed, and not released."""
    columns: dict[str, Any] = {
        "arrow_array_stream": Chunks([GOOD["utf8"]()], name="another"),
        "arrow_schema": Column([None, offsets(0, 3), TEXT], 1, names=("another", "arrow_array")),
        "arrow_array": Column([None, offsets(0, 3), TEXT], 1, names=("arrow_schema", "another")),
    }
    column = columns[kind]
    assert kind in str(refused(column))
    assert column.released == 0


@pytest.mark.parametrize("given", [None, 7, (), (1, 2), [1, 2], "ab", (None,)], ids=repr)
def test_producers_that_return_no_capsules_are_refused(given: Any) -> None:
    """What is no pair of capsules, or no capsule, is refused."""

    class Bad:
        def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
            return given

    class BadStream:
        def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
            return given

    refused(Bad())
    refused(BadStream())


def test_what_a_producer_raises_passes_through() -> None:
    """An error of a producer's own code is not wrapped."""

    class Broken:
        def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
            raise LookupError

    with pytest.raises(LookupError):
        pf.profiles.openai("o200k_base").count_arrow(Broken())


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"code": 5}, "the disk is gone"),
        ({"code": 5, "error": None}, "code 5"),
        ({"code": 5, "error": b"\xff\xfe"}, "\ufffd"),
        ({"code": 5, "get_last_error": type(Stream().get_last_error)()}, "code 5"),
        ({"get_next": type(Stream().get_next)()}, "without arrays"),
        ({"get_schema": type(Stream().get_schema)()}, "without a schema"),
        ({"release": type(Stream().release)()}, "consumed"),
    ],
    ids=str,
)
def test_streams_that_fail_say_why(fields: dict[str, Any], said: str) -> None:
    """What a stream says of its failure is in the error, and it is released."""
    stream = Chunks([GOOD["utf8"]()], **fields)
    assert said in str(refused(stream))
    assert stream.released == int("release" not in fields)


INVALID = b"ab\xffcd"
HALF = "é".encode()
SURROGATE = "\ud800".encode("utf-8", "surrogatepass")
NO_UTF8: dict[str, tuple[Callable[[], Any], int]] = {
    "utf8": (lambda: Column([None, offsets(0, 2, 5), INVALID], 2), 1),
    "large_utf8": (
        lambda: Column([None, offsets(0, 2, 5, width=8), INVALID], 2, format="U"),
        1,
    ),
    "utf8_view": (lambda: Column([None, view(b"ab") + view(INVALID), None], 2, format="vu"), 1),
    "dictionary": (
        lambda: Column(
            [None, bytes([0, 0, 1])],
            3,
            format="c",
            dictionary=Column([None, offsets(0, 2, 5), INVALID], 2),
        ),
        2,
    ),
    "a character cut in two": (lambda: Column([None, offsets(0, 1, 2), HALF], 2), 0),
    "its second half": (lambda: Column([None, offsets(0, 0, 1, 2), HALF], 1, offset=2), 0),
    "a surrogate": (lambda: Column([None, offsets(0, 0, 3), SURROGATE], 2), 1),
    "a later chunk": (
        lambda: Chunks([GOOD["utf8"](), Column([None, offsets(0, 2, 5), INVALID], 2)]),
        3,
    ),
}


@pytest.mark.parametrize("kind", NO_UTF8)
def test_values_that_are_no_utf8_are_named_by_their_row(kind: str) -> None:
    """Bytes that are no UTF-8, or half a character, are refused with their row."""
    make, row = NO_UTF8[kind]
    said = str(refused(make()))
    assert "UTF-8" in said
    assert f"row {row} " in said


def test_bytes_under_a_null_may_be_anything() -> None:
    """A null row has no value: what lies there is not read."""
    profile = pf.profiles.openai("o200k_base")
    bits = bytes([0b01])
    for column in (
        Column([bits, offsets(0, 2, 5), INVALID], 2, null_count=1),
        Column([bits, offsets(0, 2, 5), INVALID], 2, null_count=-1),
        Column([bits, view(b"ab") + view(TEXT, buffer=9), None], 2, format="vu", null_count=1),
        Column([bits, bytes([0, 77])], 2, format="c", null_count=1, dictionary=GOOD["utf8"]()),
        Column(
            [None, bytes([0, 1])],
            2,
            format="c",
            dictionary=Column([bits, offsets(0, 2, 5), INVALID], 2, null_count=1),
        ),
    ):
        assert profile.count_arrow(column).to_pylist() == [1, None]


def test_arrays_need_not_be_aligned() -> None:
    """Offsets at an odd address are read as well."""
    profile = pf.profiles.openai("o200k_base")
    for width, letter in ((4, "u"), (8, "U")):
        column = Column([None, b"?" + offsets(0, 3, 7, width=width), TEXT], 2, format=letter)
        column.array.buffers[1] += 1
        assert profile.count_arrow(column).to_pylist() == [1, 1]
    views = Column([None, b"?" + view(b"one") + view(b" two"), None], 2, format="vu")
    views.array.buffers[1] += 1
    assert profile.count_arrow(views).to_pylist() == [1, 1]


def test_errors_of_a_callable_name_the_row() -> None:
    """The row of the column is named, in later chunks and for values of a dictionary too."""

    def count(text: str) -> int:
        return len(text) if text != "bad" else -1

    profile = pf.profiles.custom("mine", count)
    rows: Rows = ["a", None, "b", "a", "bad", "bad"]
    plain = pa.array(rows)
    for column in (
        plain,
        plain.dictionary_encode(),
        pa.chunked_array([rows[:2], rows[2:]]),
        pa.chunked_array([plain[:3].dictionary_encode(), plain[3:].dictionary_encode()]),
    ):
        with pytest.raises(pf.TokenizerError) as caught:
            profile.count_arrow(column)
        assert caught.value.row == 4


def test_values_of_a_dictionary_are_counted_once() -> None:
    """Of a dictionary each value that some row has is counted once, and no other."""
    seen: list[str] = []

    def count(text: str) -> int:
        seen.append(text)
        return len(text)

    rows = ["aa", "b", "aa", "ccc", "b"] * 10
    column = pa.array([*rows, "unused"]).dictionary_encode()[:-1]
    counts = pf.profiles.custom("mine", count).count_arrow(column)
    assert seen == ["aa", "b", "ccc"]
    assert counts.to_pylist() == [len(row) for row in rows]


def test_a_stream_that_needs_python_may_run_on_another_thread() -> None:
    """A stream whose arrays are made by Python on a thread of its own does not hang."""
    columns = [GOOD["utf8"]() for _ in range(2)]
    left = iter(columns)

    class OnAnotherThread(Chunks):
        def _next(self, _: Any, array: Any) -> int:
            def fetch() -> None:
                column = next(left, None)
                ctypes.memset(array, 0, ctypes.sizeof(array.contents))
                if column is not None:
                    ctypes.memmove(
                        array, ctypes.addressof(column.array), ctypes.sizeof(column.array)
                    )

            worker = threading.Thread(target=fetch)
            worker.start()
            worker.join()
            return 0

    counts = pf.profiles.openai("o200k_base").count_arrow(OnAnotherThread(columns))
    assert counts.to_pylist() == [1, 1, 1, 1]


def test_threads_are_checked_before_the_column_is_taken() -> None:
    """A bad number of threads leaves the array with its owner."""
    column = GOOD["utf8"]()
    with pytest.raises(pf.InvalidOption) as caught:
        pf.profiles.openai("o200k_base").count_arrow(column, threads=0)
    assert (caught.value.option, column.released) == ("threads", 0)

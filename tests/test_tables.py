"""Frames from Arrow tables and back, with producers and consumers of all kinds."""

from __future__ import annotations

import threading
import time
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import nanoarrow
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import packframe as pf
from support.c_data import Column, Table, offsets, view
from support.examples import examples
from support.frames import Plan, plans
from support.texts import texts

if TYPE_CHECKING:
    from collections.abc import Callable

NOON = datetime(2026, 1, 31, 12, 0, 0, 123456, timezone.utc)

EVERYTHING = pf.Frame(
    [
        pf.Item(
            "größe\0\r\n",
            id="a",
            role="system",
            retention="required",
            score=0.5,
            priority=-2,
            section="facts",
            group="g",
            requires=["b", "c"],
            alternatives=[
                pf.Alternative("short", 0.30000000000000004),
                pf.Json({"k": ["ü", 1.5, None]}),
                pf.Reference("kb://1", digest="d", size=2**63),
                pf.Binary(b"\0\xff", "image/png"),
            ],
            cut_to=7,
            created_at=NOON,
            expires_at=NOON + timedelta(days=9),
            trust="trusted",
            sensitivity="restricted",
            sources=["kb://1", "kb://2"],
            metadata={"a": [1, {"b": "ü\n"}], "n": 1e-7},
        ),
        pf.Item(pf.Json({"z": [1, 2.5, "x"], "a": None}), id="b", exclusive="key"),
        pf.Item(pf.Binary(b"bytes", "image/png"), id="c", pinned=True),
        pf.Item(pf.Reference("kb://17", digest="sha256:0", size=2**64 - 1), id="d"),
        pf.Item(pf.Message({"role": "assistant", "content": "Hi!", "x": [1]}), role="assistant"),
        pf.Item(""),
    ]
)

CONSUMERS: dict[str, Callable[[pf.ItemTable], Any]] = {
    "itself": lambda table: table,
    "pyarrow table": pa.table,
    "pyarrow batch": pa.record_batch,
    "pyarrow reader": pa.RecordBatchReader.from_stream,
    "pyarrow sliced": lambda table: _padded(pa.table(table)),
    "pyarrow chunks": lambda table: pa.concat_tables(
        [pa.table(table).slice(0, 2), pa.table(table).slice(2)]
    ),
    "pyarrow views": lambda table: _cast(pa.table(table), pa.string_view()),
    "pyarrow dictionaries": lambda table: _encoded(pa.table(table)),
    "polars": pl.DataFrame,
    "nanoarrow": nanoarrow.ArrayStream,
}


def _padded(table: Any) -> Any:
    both = pa.concat_tables([table, table, table]).combine_chunks()
    return both.slice(len(table), len(table)).to_batches()[0]


def _cast(table: Any, text: Any) -> Any:
    fields = [
        field.with_type(text) if field.type == pa.large_string() else field
        for field in table.schema
    ]
    return table.cast(pa.schema(fields))


def _encoded(table: Any) -> Any:
    columns = [
        column.dictionary_encode() if column.type == pa.large_string() else column
        for column in table.columns
    ]
    return pa.table(columns, names=table.column_names)


@pytest.mark.parametrize("consumer", CONSUMERS)
def test_a_frame_comes_back_equal(consumer: str) -> None:
    """Every field of an item goes through a table of another library and back."""
    back = pf.Frame.from_arrow(CONSUMERS[consumer](EVERYTHING.to_arrow()))
    assert back.to_records() == EVERYTHING.to_records()
    assert back == EVERYTHING


def test_an_empty_frame_comes_back() -> None:
    """A table of no rows is an empty frame, in one batch of none or in no batch."""
    table = pa.table(pf.Frame().to_arrow())
    for empty in (pf.Frame().to_arrow(), table, table.slice(0, 0), pl.DataFrame(table)):
        assert len(pf.Frame.from_arrow(empty)) == 0


@examples(150)
@given(plan=plans())
def test_any_frame_comes_back_equal(plan: Plan) -> None:
    """A generated frame goes through Arrow and back."""
    try:
        frame = plan.frame()
    except (pf.InvalidItem, pf.InvalidMessages):
        return
    assert pf.Frame.from_arrow(frame.to_arrow()) == frame
    assert pf.Frame.from_arrow(pl.DataFrame(frame.to_arrow())) == frame


@examples(100)
@given(rows=st.lists(st.tuples(texts, st.floats(-9, 9), st.booleans()), max_size=12))
def test_a_table_is_what_its_records_are(rows: list[tuple[str, float, bool]]) -> None:
    """A table gives the frame that its rows give as records."""
    records = [{"content": text, "score": score, "pinned": pin} for text, score, pin in rows]
    columns = {
        "pinned": pa.array([pin for *_, pin in rows], pa.bool_()),
        "content": pa.array([text for text, *_ in rows], pa.string()),
        "score": pa.array([score for _, score, _ in rows], pa.float64()),
    }
    assert pf.Frame.from_arrow(pa.table(columns)) == pf.Frame.from_records(records)


@pytest.mark.parametrize(
    ("column", "values", "read"),
    [
        ("score", pa.array([1, None], pa.int8()), [1.0, 0.0]),
        ("score", pa.array([2**53 + 1, 3], pa.uint64()), [2.0**53, 3.0]),
        ("score", pa.array([0.1, -0.0], pa.float32()), [pa.scalar(0.1, pa.float32()).as_py(), 0.0]),
        ("priority", pa.nulls(2), [0.0, 0.0]),
        ("cut_to", pa.array([None, 3], pa.int16()), [None, 3]),
        ("pinned", pa.array([True, None]), [True, False]),
        ("role", pa.array(["tool", None]), ["tool", "user"]),
        ("section", pa.array(["a", None]).dictionary_encode(), ["a", None]),
        ("sources", pa.array([["x", "y"], None]), [("x", "y"), ()]),
        ("requires", pa.array([[], ["z"]], pa.large_list(pa.string_view())), [(), ("z",)]),
        ("created_at", pa.array([NOON, None], pa.timestamp("us", "UTC")), [NOON, None]),
        ("created_at", pa.array([NOON, NOON], pa.timestamp("ns", "Asia/Tokyo")), [NOON, NOON]),
        ("expires_at", pa.array([0, -1], pa.timestamp("s", "UTC")), None),
        ("expires_at", pa.array([None, None], pa.timestamp("ms")), [None, None]),
        ("created_at", pa.array([NOON.isoformat(), None]), [NOON, None]),
        ("metadata", pa.array(['{"a": [1.0, "\\u00e9"]}', None]), [{"a": [1.0, "é"]}, None]),
        ("alternatives", pa.array(['["x"]', "[]"]), [(pf.Alternative("x", 0.5),), ()]),
    ],
    ids=str,
)
def test_columns_of_every_type(column: str, values: Any, read: list[Any] | None) -> None:
    """Each type that a column may have gives the values that it has; a null gives the default."""
    frame = pf.Frame.from_arrow(pa.table({"content": ["one", "two"], column: values}))
    got = [getattr(item, column) for item in frame]
    if read is None:
        second = timedelta(seconds=1)
        epoch = datetime(1970, 1, 1, tzinfo=timezone.utc)
        read = [epoch, epoch - second]
    assert got == read


@pytest.mark.parametrize(
    ("columns", "row", "field", "suggestion"),
    [
        ({"text": ["a"]}, None, "text", "content"),
        ({"content": ["a"], "retension": ["required"]}, None, "retension", "retention"),
        ({"score": [1.0]}, None, "content", "content"),
        ({}, None, "content", "content"),
        ({"content": ["a", None]}, 1, "content", ""),
        ({"content": [1]}, None, "content", "utf8"),
        ({"content": ["a"], "score": ["0.5"]}, None, "score", "float64"),
        ({"content": ["a"], "score": [True]}, None, "score", "float64"),
        ({"content": ["a"], "cut_to": [1.0]}, None, "cut_to", "ints"),
        ({"content": ["a"], "pinned": [1]}, None, "pinned", "bool"),
        ({"content": ["a"], "sources": ["kb://1"]}, None, "sources", "lists"),
        ({"content": ["a"], "sources": [[1]]}, None, "sources", "lists"),
        ({"content": ["a"], "sources": [["x", None]]}, 0, "sources", ""),
        ({"content": ["a", "b"], "score": [0.0, float("nan")]}, 1, "score", "finite"),
        ({"content": ["a", "b"], "priority": [float("inf"), 0]}, 0, "priority", "finite"),
        ({"content": ["a", "b"], "cut_to": [1, -1]}, 1, "cut_to", "0"),
        ({"content": ["a", "b"], "cut_to": [1, 0]}, 1, "cut_to", "1"),
        ({"content": ["a", "b"], "id": ["x", "x"]}, 1, "id", "own"),
        ({"content": ["a", "b"], "id": ["", "x"]}, 0, "id", ""),
        ({"content": ["a"], "role": ["usr"]}, 0, "role", "user"),
        ({"content": ["a"], "kind": ["jsn"]}, 0, "kind", "json"),
        ({"content": ["{"], "kind": ["json"]}, 0, "content", "JSON"),
        ({"content": ["?"], "kind": ["binary"], "mime": ["a/b"]}, 0, "content", "base64"),
        ({"content": ["aa=="], "kind": ["binary"]}, 0, "mime", "media"),
        ({"content": ["a"], "digest": ["x"]}, 0, "digest", "kind"),
        ({"content": ["a"], "metadata": ["[1]"]}, 0, "metadata", "object"),
        ({"content": ["a"], "metadata": ["nope"]}, 0, "metadata", "JSON"),
        ({"content": ["a"], "alternatives": ["{}"]}, 0, "alternatives", "list"),
        ({"content": ["a"], "alternatives": ['[{"kind": "json"}]']}, 0, "alternatives", ""),
        (
            {"content": ["a"], "alternatives": ['[{"content": "x", "value": 2}]']},
            0,
            "alternatives",
            "",
        ),
        ({"content": ["a"], "created_at": ["yesterday"]}, 0, "created_at", "offset"),
        ({"content": ["a"], "created_at": [datetime(2026, 1, 1)]}, 0, "created_at", "zone"),  # noqa: DTZ001
    ],
    ids=str,
)
def test_what_is_wrong_is_named(
    columns: dict[str, list[Any]], row: int | None, field: str, suggestion: str
) -> None:
    """An unusable table raises with row, field and remedy."""
    with pytest.raises(pf.InvalidItem) as caught:
        pf.Frame.from_arrow(pa.table(columns))
    error = caught.value
    assert (error.row, error.field) == (row, field)
    assert suggestion in (error.suggestion or "")


def test_an_error_counts_rows_over_all_batches() -> None:
    """The row of an error is that of the whole table."""
    table = pa.concat_tables(
        [pa.table({"content": ["a", "b"]}), pa.table({"content": ["c", None]})]
    )
    with pytest.raises(pf.InvalidItem) as caught:
        pf.Frame.from_arrow(table)
    assert caught.value.row == 3


@pytest.mark.parametrize(
    "table",
    [7, "text", ["a"], None, pa.array(["a"]), pl.Series(["a"]), [{"content": "a"}]],
    ids=str,
)
def test_what_is_no_table_is_refused(table: Any) -> None:
    """A column, a list or a number is no table."""
    with pytest.raises(pf.InvalidOption) as caught:
        pf.Frame.from_arrow(table)
    assert caught.value.option == "table"


def test_two_columns_of_one_name_are_refused() -> None:
    """A name that stands twice is refused, not read once."""
    table = pa.table([["a"], ["b"]], names=["content", "content"])
    with pytest.raises(pf.InvalidItem):
        pf.Frame.from_arrow(table)


def test_a_table_is_read_once_and_written_often() -> None:
    """A consumed stream says so; a table of ours is exported as often as one likes."""
    capsule = pa.table({"content": ["a"]}).__arrow_c_stream__()

    class Again:
        def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
            return capsule

    assert len(pf.Frame.from_arrow(Again())) == 1
    with pytest.raises(pf.InvalidOption, match="consumed"):
        pf.Frame.from_arrow(Again())
    table = EVERYTHING.to_arrow()
    assert pa.table(table).equals(pa.table(table))
    for _ in range(50):
        table.__arrow_c_stream__()
        table.__arrow_c_array__()
        table.__arrow_c_schema__()
    assert pa.schema(table).names == table.column_names
    assert repr(table) == "ItemTable(6 rows)"


def _content(**fields: Any) -> Column:
    return Column([None, offsets(0, 3, 7), b"one two"], 2, **fields)


def _lists(starts: bytes, **fields: Any) -> Column:
    lists = Column([None, starts], 2, format="+l", **fields)
    lists.adopt({"item": _content()})
    return lists


def test_a_table_written_by_hand_is_read_and_released_once() -> None:
    """What was taken is given back, once, and an offset of the table moves all of its columns."""
    table = Table({"content": _content(), "sources": _lists(offsets(0, 1, 2))}, 2)
    frame = pf.Frame.from_arrow(table)
    assert [(item.content, item.sources) for item in frame] == [
        ("one", ("one",)),
        (" two", (" two",)),
    ]
    assert table.table.released == 1
    moved = Table({"content": _content()}, 1, offset=1)
    assert [item.content for item in pf.Frame.from_arrow(moved)] == [" two"]
    assert moved.table.released == 1


STRAY = view(b"one") + view(b"x" * 20, buffer=5)
"""Two views, the second of a buffer that there is not."""


@pytest.mark.parametrize(
    "table",
    [
        Table({"content": _content()}, 3),
        Table({"content": _content()}, 2, offset=1),
        Table({"content": _content()}, 2, n_children=0),
        Table({"content": _content()}, -1),
        Table({"content": _content(), "sources": _lists(offsets(0, 1, 3))}, 2),
        Table({"content": _content(), "sources": _lists(offsets(0, 2, 1))}, 2),
        Table({"content": _content(), "sources": _lists(offsets(-1, 1, 2))}, 2),
        Table({"content": _content(), "sources": _lists(offsets(0, 1, 2), n_buffers=1)}, 2),
        Table({"content": Column([None, offsets(0, 1, 2), b"\xff\xff"], 2)}, 2),
        Table(
            {"content": Column([None, STRAY, b"x" * 20, offsets(20, width=8)], 2, format="vu")}, 2
        ),
    ],
    ids=range(10),
)
def test_a_malformed_table_is_refused(table: Table) -> None:
    """Lengths, offsets, lists and bytes that lie raise a typed error, and memory is given back."""
    with pytest.raises((pf.InvalidOption, pf.InvalidItem)):
        pf.Frame.from_arrow(table)
    assert table.table.released == 1


def test_a_row_that_is_null_is_refused() -> None:
    """A struct array with a null has a row that is none."""
    rows = pa.array([{"content": "a"}, None])
    with pytest.raises(pf.InvalidOption, match="row 1"):
        pf.Frame.from_arrow(rows)


def test_other_threads_run_meanwhile() -> None:
    """The GIL is released while a table is read."""
    table = pa.table({"content": [f"text {number}" for number in range(300_000)]})
    ticks = 0
    done = threading.Event()

    def read() -> None:
        pf.Frame.from_arrow(table)
        done.set()

    thread = threading.Thread(target=read)
    thread.start()
    while not done.is_set():
        ticks += 1
        time.sleep(0.0002)
    thread.join()
    assert ticks > 3


def test_a_million_rows_take_ten_times_what_a_hundred_thousand_take() -> None:
    """Reading and writing are near linear."""

    def cost(rows: int) -> float:
        table = pa.table({"content": [f"text {row}" for row in range(rows)], "score": range(rows)})
        start = time.process_time()
        assert len(pf.Frame.from_arrow(table).to_arrow()) == rows
        return time.process_time() - start

    cost(1_000)
    small = min(cost(100_000) for _ in range(2))
    assert cost(1_000_000) < 30 * small

"""Tables whose memory lies, drawn: whatever stands in it, a frame or a typed error comes back.

Arrow's C data interface does not say how long a buffer is, so no reader can know that a length or
a last offset is over it. What is drawn here stays within what was allocated; all else may be wrong.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, NamedTuple

from hypothesis import event, given
from hypothesis import strategies as st

import packframe as pf
from support.c_data import Column, Table, offsets, view
from support.examples import examples

if TYPE_CHECKING:
    from collections.abc import Callable

REFUSALS = (pf.InvalidOption, pf.InvalidItem, pf.InvalidMessages)

PAD = bytes(512)
"""Stands behind every buffer, so that what is drawn never leads out of what was allocated."""

NAMES = (
    *("content", "kind", "id", "role", "retention", "score", "priority", "section", "group"),
    *("requires", "exclusive", "alternatives", "cut_to", "pinned", "created_at", "expires_at"),
    *("trust", "sensitivity", "sources", "metadata", "mime", "digest", "size", "format", "contnet"),
)

WORDS = st.sampled_from(
    [
        *(b"text", b"json", b"binary", b"message", b"user", b"tool", b"required", b"preferred"),
        *(b"trusted", b"public", b"restricted", b"a", b"", b"2026-01-31T12:00:00Z", b"{}", b"[1"),
        *(b'{"role":"user","content":"a"}', b'[{"content":"a"}]', b"openai-chat", b"\xff", b"\xc3"),
        *("größe".encode(), b"\xed\xa0\x80", b"\0", b"AAAA", b"image/png", b"x" * 13, b"y" * 40),
    ]
)

small = st.integers(-3, 40)
bits = st.binary(max_size=2)


class Cells(NamedTuple):
    """A column, and what its cells are where the memory is right; None where that is not said."""

    column: Column
    texts: list[str | None] | None


def read(rows: int, valid: bytes | None, cell: Callable[[int], bytes]) -> list[str | None] | None:
    """Return the texts of cells; None where one is no UTF-8."""
    found: list[str | None] = []
    for row in range(rows):
        if valid is not None and not valid[row // 8] >> row % 8 & 1:
            found.append(None)
            continue
        try:
            found.append(cell(row).decode())
        except UnicodeDecodeError:
            return None
    return found


@st.composite
def lies(draw: st.DrawFn) -> dict[str, int]:
    """Draw fields of the two structures that are not as they should be; mostly none."""
    if draw(st.integers(0, 9)):
        return {}
    wrong = {
        "length": st.integers(-2, 12),
        "offset": st.integers(-2, 8),
        "null_count": st.integers(-2, 9),
        "n_buffers": st.integers(-1, 2),
        "n_children": st.integers(-1, 0),
    }
    return draw(st.fixed_dictionaries({}, optional=wrong))


def lied(column: Column, fields: dict[str, int]) -> Column:
    """Return a column with fields of its array that are not as they should be."""
    for field, value in fields.items():
        setattr(column.array, field, value)
    return column


@st.composite
def texts(draw: st.DrawFn, rows: int) -> Cells:
    """Draw a column of texts whose offsets are often right."""
    cells = draw(st.lists(WORDS, min_size=rows, max_size=rows))
    data = b"".join(cells)
    ends = [sum(map(len, cells[:at])) for at in range(rows + 1)]
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
        ends[draw(st.integers(0, rows))] = draw(st.integers(-3, len(data) + 3))
    valid = draw(st.none() | bits.map(lambda bits: bits + PAD))
    fields = draw(lies())
    wide = draw(st.booleans())
    starts = offsets(*ends, width=8 if wide else 4) + PAD
    column = Column([valid, starts, data + PAD], rows, format="U" if wide else "u")
    known = (
        None if fields else read(rows, valid, lambda row: (data + PAD)[ends[row] : ends[row + 1]])
    )
    return Cells(lied(column, fields), known)


@st.composite
def views(draw: st.DrawFn, rows: int) -> Cells:
    """Draw a column of views, which may point anywhere near their two buffers."""
    data = [draw(WORDS) * 3 + b"." * 20 for _ in range(draw(st.integers(0, 2)))]
    cells, made = [], []
    for _ in range(rows):
        if draw(st.booleans()):
            cells.append(draw(WORDS)[:12])
            made.append(view(cells[-1]))
            continue
        length, start = draw(st.integers(-2, 45)), draw(small)
        buffer = draw(st.integers(-1, 2))
        known = data[buffer] if 0 <= buffer < len(data) else b""
        cells.append(known[max(start, 0) :][: max(length, 0)])
        prefix = cells[-1][:4] if draw(st.integers(0, 5)) else b"????"
        made.append(struct.pack("=i4sii", length, prefix, buffer, start))
    sizes = offsets(*(draw(st.just(len(one)) | small) for one in data), width=8)
    fields = draw(lies())
    buffers = [None, b"".join(made) + PAD, *(one + PAD for one in data), sizes + PAD]
    return Cells(lied(Column(buffers, rows, format="vu"), fields), None)


@st.composite
def keys(draw: st.DrawFn, rows: int) -> Cells:
    """Draw a column of keys into a dictionary, which may be outside of it."""
    size = draw(st.integers(0, 3))
    chosen = [draw(st.integers(-1, size)) for _ in range(rows)]
    dictionary = draw(texts(size))
    kind, code = draw(st.sampled_from([("c", "b"), ("s", "h"), ("i", "i"), ("l", "q"), ("f", "f")]))
    packed = struct.pack(f"={rows}{code}", *chosen) + PAD
    column = Column([None, packed], rows, format=kind, dictionary=dictionary.column)
    cells = dictionary.texts
    right = kind != "f" and cells is not None and all(0 <= key < size for key in chosen)
    return Cells(column, [cells[key] for key in chosen] if right and cells is not None else None)


@st.composite
def lists(draw: st.DrawFn, rows: int) -> Cells:
    """Draw a column of lists of texts."""
    held = draw(st.integers(0, 6))
    ends = sorted(draw(st.lists(st.integers(0, held), min_size=rows + 1, max_size=rows + 1)))
    if not draw(st.integers(0, 3)):
        ends[draw(st.integers(0, rows))] = draw(st.integers(-2, held + 2))
    fields = draw(lies())
    column = Column([None, offsets(*ends) + PAD], rows, format="+l")
    column.adopt({"item": draw(texts(held)).column})
    return Cells(lied(column, fields), None)


@st.composite
def numbers(draw: st.DrawFn, rows: int) -> Cells:
    """Draw a column of numbers, flags, times or nothing, out of any bytes."""
    formats = ["c", "C", "s", "S", "i", "I", "l", "L", "f", "g", "b", "tsu:UTC", "tsn:", "e", "n"]
    data = draw(st.binary(max_size=8 * rows)) + PAD
    kind = draw(st.sampled_from(formats))
    valid = draw(st.none() | bits.map(lambda bits: bits + PAD))
    fields = draw(lies())
    column = Column([] if kind == "n" else [valid, data], rows, format=kind)
    return Cells(lied(column, fields), None)


@st.composite
def tables(draw: st.DrawFn) -> tuple[Table, list[str | None] | None]:
    """Draw a table, and what its contents are where they are said."""
    rows = draw(st.integers(0, 5))
    text = texts(rows) | keys(rows) | views(rows)
    columns = {"content": draw(text)}
    for name in draw(st.lists(st.sampled_from(NAMES), max_size=4, unique=True)):
        columns.setdefault(name, draw(text | lists(rows) | numbers(rows)))
    fields = draw(lies())
    # Columns of a struct may be longer than it is, not shorter.
    table = Table({name: cells.column for name, cells in columns.items()}, rows)
    lied(table.table, fields)
    known = columns["content"].texts if len(columns) == 1 and not fields else None
    return table, known


@examples(400)
@given(drawn=tables())
def test_a_table_gives_a_frame_or_a_typed_error(
    drawn: tuple[Table, list[str | None] | None],
) -> None:
    """Nothing crashes, what was taken is given back once, and a frame that comes is a frame."""
    table, known = drawn
    try:
        frame = pf.Frame.from_arrow(table)
    except REFUSALS as refusal:
        event(f"refused: {type(refusal).__name__}")
        assert table.table.released == 1
        return
    event("read")
    assert table.table.released == 1
    if known is not None:
        assert [item.content for item in frame] == known
    again = pf.Frame.from_arrow(frame.to_arrow())
    assert again.to_records() == frame.to_records()
    try:
        pack = frame.pack(12, token_profile=len, render="text")
    except pf.PackframeError as error:
        event(f"not packed: {type(error).__name__}")
        return
    assert len(pack.text) <= 12
    outcomes = [*pack.manifest.to_dict()["selected"], *pack.manifest.to_dict()["excluded"]]
    assert sorted(record["row"] for record in outcomes) == list(range(len(frame)))

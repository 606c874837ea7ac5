"""Frames: constructors, access, records, files."""

from __future__ import annotations

import copy
import hashlib
import json
import operator
import pickle
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given

import packframe as pf
from support.examples import examples
from support.frames import Plan, plans

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def contents(frame: pf.Frame) -> list[Any]:
    """Return the contents of a frame."""
    return [item.content for item in frame]


LIST = '["a"]'
"""A JSON list, as it is rendered."""


# Construction and access.


def test_items_texts_and_contents_make_a_frame() -> None:
    """A frame takes items, texts and content objects, from any iterable."""

    def several() -> Iterator[Any]:
        yield pf.Item("a", id="x")
        yield "b"
        yield pf.Json([1])

    frame = pf.Frame(several())
    assert len(frame) == 3
    assert [item.kind for item in frame] == ["text", "text", "json"]
    assert frame == pf.Frame([pf.Item("a", id="x"), pf.Item("b"), pf.Item(pf.Json([1]))])
    assert len(pf.Frame()) == 0
    assert list(pf.Frame([])) == []


@pytest.mark.parametrize("items", [7, [7], [None], [{"content": "a"}], [["a"]], [b"a"]], ids=repr)
def test_a_frame_takes_nothing_else(items: Any) -> None:
    """What is no item and no content is refused."""
    with pytest.raises((pf.InvalidItem, pf.InvalidOption)):
        pf.Frame(items)


def test_rows_and_ids_give_items() -> None:
    """A frame is read by row, from the end, by slice and by id."""
    frame = pf.Frame([pf.Item("a", id="x"), pf.Item("b"), pf.Item("c", id="z")])
    assert frame[0].content == "a"
    assert frame[-1].content == "c"
    assert frame["z"].content == "c"
    assert frame[frame.ids[1]].content == "b"
    assert contents(frame[1:]) == ["b", "c"]
    assert isinstance(frame[:0], pf.Frame)
    for row in (3, -4):
        with pytest.raises(IndexError):
            frame[row]
    with pytest.raises(KeyError):
        frame["nobody"]
    assert "x" in frame
    assert "nobody" not in frame


def test_missing_ids_are_made_of_content_and_occurrence() -> None:
    """A made id is the start of the content hash and the occurrence, from 1."""
    frame = pf.Frame(["a", "b", "a", pf.Item("c", id="mine"), pf.Json(["a"]), "a"])
    first = {text: hashlib.sha256(text.encode()).hexdigest()[:12] for text in ("a", "b", LIST)}
    a, b, json_list = first["a"], first["b"], first[LIST]
    assert frame.ids == (f"{a}-1", f"{b}-1", f"{a}-2", "mine", f"{json_list}-1", f"{a}-3")
    assert [item.id for item in frame] == [None, None, None, "mine", None, None]
    assert isinstance(frame.ids, tuple)


def test_a_given_id_counts_as_an_occurrence() -> None:
    """Occurrences are counted over all rows of equal content, named ones too."""
    start = hashlib.sha256(b"a").hexdigest()[:12]
    assert pf.Frame([pf.Item("a", id="x"), "a"]).ids == ("x", f"{start}-2")
    assert pf.Frame([pf.Item("a", id=f"{start}-1"), "a"]).ids == (f"{start}-1", f"{start}-2")


def test_an_inserted_row_renames_only_later_equals() -> None:
    """Made ids of other content do not move when a row is inserted."""
    before = pf.Frame(["a", "b", "a"]).ids
    after = pf.Frame(["a", "new", "b", "a", "a"]).ids
    assert (after[0], *after[2:4]) == before


def test_frames_compare_pickle_and_copy() -> None:
    """Frames with equal items are equal and survive pickle and copy."""
    frame = pf.Frame([pf.Item("a", score=1), pf.Json({"k": 1})])
    assert frame == pf.Frame([pf.Item("a", score=1.0), pf.Json({"k": 1})])
    assert frame != pf.Frame(["a"])
    for again in (pickle.loads(pickle.dumps(frame)), copy.copy(frame), copy.deepcopy(frame)):
        assert again == frame
        assert again.ids == frame.ids


def test_frames_add_and_extend() -> None:
    """Plus and extend give a longer frame and leave the parts alone."""
    one, other = pf.Frame(["a"]), pf.Frame(["b", "a"])
    assert contents(one + other) == ["a", "b", "a"]
    assert (one + other).ids[2].endswith("-2")
    assert contents(one.extend(["b", pf.Item("c")])) == ["a", "b", "c"]
    assert contents(one.extend(other)) == ["a", "b", "a"]
    assert contents(one) == ["a"]
    with pytest.raises(TypeError):
        operator.add(one, ["b"])


def test_the_repr_of_a_frame_shows_its_shape() -> None:
    """The repr of a frame is short and shows no payload."""
    frame = pf.Frame(["MARKEDPAYLOAD" * 9] * 1000)
    assert "MARKEDPAYLOAD" not in repr(frame)
    assert "1000" in repr(frame) or "1,000" in repr(frame)
    assert len(repr(frame)) < 400


def test_a_big_frame_is_read_fast_by_id() -> None:
    """Access by id in a frame of many rows does not scan it each time."""
    frame = pf.Frame.from_records({"content": f"{row}", "id": f"i{row}"} for row in range(50_000))
    assert all(frame[f"i{row}"].content == f"{row}" for row in range(0, 50_000, 5))


# Records and files.


@examples(150)
@given(plan=plans(with_verbs=False))
def test_records_come_back_as_they_were(plan: Plan) -> None:
    """Frames survive to_records, JSON and from_records."""
    try:
        frame = plan.frame()
    except pf.InvalidItem:
        return
    records = frame.to_records()
    assert pf.Frame.from_records(records) == frame
    assert pf.Frame.from_records(records).ids == frame.ids
    assert pf.Frame.from_records(json.loads(json.dumps(records))) == frame
    assert pf.Frame.from_records(records).to_records() == records


def test_records_hold_what_is_not_default() -> None:
    """A record has content, kind where it is no text, and each field that is not its default."""
    when = datetime(2026, 1, 1, tzinfo=timezone.utc)
    frame = pf.Frame(
        [
            "a",
            pf.Item(pf.Json({"b": 1}), score=1.5, expires_at=when, id="x", sources=["s"]),
            pf.Reference("kb://1", size=3),
            pf.Binary(b"\x00\x01", "image/png"),
            pf.Item(pf.Message({"role": "assistant", "content": "x"}), role="assistant"),
        ]
    )
    records = frame.to_records()
    assert records[0] == {"content": "a"}
    moment = records[1].pop("expires_at")
    assert datetime.fromisoformat(moment.replace("Z", "+00:00")) == when
    assert records[1].pop("sources") in (["s"], ("s",))
    assert records[1] == {"content": {"b": 1}, "kind": "json", "score": 1.5, "id": "x"}
    assert records[2] == {"content": "kb://1", "kind": "reference", "size": 3}
    assert records[3] == {"content": "AAE=", "kind": "binary", "mime": "image/png"}
    assert records[4].pop("role", "assistant") == "assistant"
    assert records[4].pop("format", "openai-chat") == "openai-chat"
    assert records[4] == {"content": {"role": "assistant", "content": "x"}, "kind": "message"}


TIED: list[dict[str, Any]] = [
    {"content": "a", "id": "a", "exclusive": "k", "cut_to": 3, "requires": ["b"]},
    {
        "content": "b",
        "id": "b",
        "alternatives": [
            {"content": "short", "value": 0.5},
            {"content": {"b": [1.5, "ü"]}, "kind": "json", "value": 0.3},
            {"content": "kb://1", "kind": "reference", "size": 3, "digest": "d", "value": 1.0},
            {"content": "AAE=", "kind": "binary", "mime": "image/png", "value": 0.0},
        ],
    },
    {"content": "c"},
]


def test_records_hold_what_ties_and_shortens(tmp_path: Path) -> None:
    """Requirements, keys, alternatives and least cuts survive records, files and pickle."""
    frame = pf.Frame.from_records(TIED)
    assert frame.to_records() == TIED
    assert pf.Frame(list(frame)) == frame
    assert pf.Frame.from_records(json.loads(json.dumps(frame.to_records()))) == frame
    assert pickle.loads(pickle.dumps(frame)) == frame
    frame.write_jsonl(tmp_path / "frame.jsonl")
    assert pf.Frame.read_jsonl(tmp_path / "frame.jsonl").to_records() == TIED


def test_records_take_alternatives_in_short() -> None:
    """An alternative of a record may be a content, an object, or a record without a value."""
    short = ["x", pf.Alternative("y", 0.2), {"content": "z"}, {"content": "z", "value": None}]
    frame = pf.Frame.from_records([{"content": "a", "alternatives": short, "requires": None}])
    assert [alternative.value for alternative in frame[0].alternatives] == [0.5, 0.2, 0.125, 0.0625]
    assert [alternative.content for alternative in frame[0].alternatives] == ["x", "y", "z", "z"]


def test_verbs_keep_what_ties_and_shortens() -> None:
    """No verb loses requirements, keys, alternatives or least cuts."""
    frame = pf.Frame.from_records(TIED)
    items = list(frame)
    assert list(frame.filter(pf.col("row") < 2)) == items[:2]
    assert list(frame.sort("content", descending=True)) == items[::-1]
    assert list(frame.limit(2)) == items[:2]
    assert list(pf.Frame(["x"]) + frame)[1:] == items
    assert list(frame + pf.Frame(["x"]))[:-1] == items
    assert list(pf.Frame().extend(items)) == items
    assert frame.with_items([items[1].replace(cut_to=9)])["b"].alternatives == items[1].alternatives
    assert frame.quarantine(pf.col("row") == 0)[0] == items[0].replace(trust="quarantined")
    promoted = frame.promote(pf.col("row") == 1)
    assert promoted[1] == items[1].replace(retention="preferred")
    assert promoted.demote(pf.col("row") == 1)[1] == items[1]
    assert list(frame.dedupe()) == items


@pytest.mark.parametrize(
    ("condition", "rows"),
    [
        (pf.col("exclusive") == "k", [0]),
        (pf.col("exclusive").is_in(["j", "k"]), [0]),
        (pf.col("exclusive").is_null(), [1, 2]),
        (pf.col("cut_to") >= 3, [0]),
        (pf.col("cut_to") > 3, []),
        (~pf.col("cut_to").is_null(), [0]),
        (~pf.col("requires").is_null(), [0]),
        (pf.col("alternatives").is_null(), [0, 2]),
    ],
)
def test_columns_see_what_ties_and_shortens(condition: Any, rows: list[int]) -> None:
    """Conditions read the key and the least cut, and whether there is a list."""
    frame = pf.Frame.from_records(TIED)
    assert frame.filter(condition) == pf.Frame([frame[row] for row in rows])


@pytest.mark.parametrize(
    ("record", "field"),
    [
        ({"content": "a", "kind": "binary"}, "mime"),
        ({"content": "%%%", "kind": "binary", "mime": "image/png"}, "content"),
        ({"content": 7, "kind": "reference"}, "content"),
        ({"content": [], "kind": "message"}, "content"),
        ({"content": "a", "mime": "image/png"}, "mime"),
        ({"content": "a", "digest": "d"}, "digest"),
        ({"content": "kb://1", "kind": "reference", "size": -1}, "size"),
        ({"content": "kb://1", "kind": "reference", "size": True}, "size"),
    ],
)
def test_records_of_other_kinds_are_checked(record: dict[str, Any], field: str) -> None:
    """Content and its extras have to fit the kind of a record."""
    with pytest.raises((pf.InvalidItem, pf.InvalidMessages)) as caught:
        pf.Frame.from_records([{"content": "a"}, record])
    if isinstance(caught.value, pf.InvalidItem):
        assert (caught.value.row, caught.value.field) == (1, field)


def test_records_are_read_from_any_mapping_source() -> None:
    """Records come from lists, generators and tuples, and are not changed."""
    record = {"content": "a", "sources": ["s"], "metadata": {"k": [1]}}
    before = copy.deepcopy(record)
    frame = pf.Frame.from_records(record for _ in range(2))
    assert frame == pf.Frame.from_records((record, record))
    (frame[0].metadata or {})["k"].append(2)
    assert record == before


@examples(40)
@given(plan=plans(with_verbs=False))
def test_jsonl_comes_back_as_it_was(tmp_path_factory: pytest.TempPathFactory, plan: Plan) -> None:
    """Frames survive a file, one record a line."""
    try:
        frame = plan.frame()
    except pf.InvalidItem:
        return
    path = tmp_path_factory.mktemp("jsonl") / "frame.jsonl"
    frame.write_jsonl(path)
    lines = path.read_text(encoding="utf-8").split("\n")
    assert lines.pop() == ""
    assert len(lines) == len(frame)
    assert [json.loads(line) for line in lines] == json.loads(json.dumps(frame.to_records()))
    assert pf.Frame.read_jsonl(path) == frame
    assert pf.Frame.read_jsonl(str(path)) == frame
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_a_bad_line_names_its_row(tmp_path: Path) -> None:
    """A line that is no record names the row; blank lines do not count."""
    path = tmp_path / "frame.jsonl"
    path.write_text('{"content": "a"}\n\n{"content": "b"}\n')
    assert contents(pf.Frame.read_jsonl(path)) == ["a", "b"]
    for line in ("{", "7", '{"content": 7}', '{"content": "x", "score": NaN}', '{"kind": "text"}'):
        path.write_text('{"content": "a"}\n' + line + "\n")
        with pytest.raises(pf.InvalidItem) as caught:
            pf.Frame.read_jsonl(path)
        assert caught.value.row == 1
    with pytest.raises(FileNotFoundError):
        pf.Frame.read_jsonl(tmp_path / "nowhere.jsonl")


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    """Writing goes through a temporary file, so that a path is never half-written."""
    path = tmp_path / "frame.jsonl"
    pf.Frame(["old"]).write_jsonl(path)
    pf.Frame(["new"] * 3).write_jsonl(path)
    assert len(pf.Frame.read_jsonl(path)) == 3
    with pytest.raises(FileNotFoundError):
        pf.Frame(["x"]).write_jsonl(tmp_path / "no" / "such" / "folder.jsonl")
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]

"""Frames: constructors, access, verbs, records, files."""

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
from hypothesis import strategies as st

import packframe as pf
from oracle.condition import Condition, on
from support.conditions import conditions, expression
from support.examples import examples
from support.frames import Plan, Verb, plans

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
    with pytest.raises((pf.InvalidItem, TypeError)):
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


# Conditions and verbs.


@examples(300)
@given(plan=plans(with_verbs=False), condition=conditions)
def test_conditions_select_what_the_oracle_selects(plan: Plan, condition: Condition) -> None:
    """A col expression selects the rows for which three-valued logic says true."""
    try:
        frame = plan.frame()
    except pf.InvalidItem:
        return
    slow = plan.oracle()
    where = on(condition, slow)
    right = [row.sha256 for row in slow.rows if where(row)]
    got = frame.filter(expression(condition))
    assert [item.content_sha256 for item in got] == right


@examples(200)
@given(plan=plans(with_messages=False), data=st.data())
def test_verbs_do_what_the_oracle_does(plan: Plan, data: st.DataObject) -> None:
    """Verbs give the rows, retentions, merges and demotions that the oracle gives."""
    small = Plan([], plan.records * data.draw(st.integers(1, 2)), records_first=True, verbs=())
    for record in small.records:
        assert "content" in record
    chosen = (*plan.verbs, Verb("dedupe"))
    plan = Plan(
        [], [_unnamed(record) for record in small.records], records_first=True, verbs=chosen
    )
    frame, slow = plan.frame(), plan.oracle()
    assert frame.ids == slow.ids
    for item, row in zip(frame, slow.rows, strict=True):
        assert item.content_sha256 == row.sha256
        for name in ("retention", "trust", "sensitivity", "score", "priority", "expires_at"):
            assert getattr(item, name) == getattr(row, name), name
        assert tuple(item.sources) == row.sources
    manifest = _manifest(frame)
    if manifest is not None:
        assert manifest["merged"] == slow.merged()
        assert manifest["demotions"] == slow.demoted()


def _unnamed(record: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in record.items() if key != "id"}


def _manifest(frame: pf.Frame) -> dict[str, Any] | None:
    now = datetime(2020, 1, 1, tzinfo=timezone.utc)
    try:
        values: dict[str, Any] = frame.pack(None, now=now).manifest.to_dict()
    except pf.PackframeError:
        return None
    return values


def test_a_callable_selects_too() -> None:
    """A callable on items does what an expression does."""
    frame = pf.Frame([pf.Item("a", score=1), pf.Item("b"), pf.Item("c", score=2)])
    assert contents(frame.filter(lambda item: item.score > 0)) == ["a", "c"]
    assert contents(frame.filter(pf.col("score") > 0)) == ["a", "c"]
    assert frame.demote(lambda item: item.content == "b") == frame
    with pytest.raises(pf.StrategyError) as caught:
        frame.filter(lambda item: bool(item.score / 0))
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert caught.value.row == 0


@pytest.mark.parametrize("where", [True, None, "role", 7, [True]], ids=repr)
def test_a_condition_is_an_expression_or_a_callable(where: Any) -> None:
    """Anything else is refused."""
    with pytest.raises((TypeError, pf.InvalidOption)):
        pf.Frame(["a"]).filter(where)


def test_an_expression_has_no_truth() -> None:
    """``and``, ``or`` and ``not`` on expressions are errors, not silent nonsense."""
    with pytest.raises(TypeError):
        bool(pf.col("role") == "user")


@pytest.mark.parametrize(("name", "nearest"), [("rolle", "role"), ("scores", "score")])
def test_an_unknown_column_names_the_nearest(name: str, nearest: str) -> None:
    """An unknown column is an InvalidItem with the nearest known name."""
    with pytest.raises(pf.InvalidItem) as caught:
        pf.Frame(["a"]).filter(pf.col(name) == "user")
    assert (caught.value.field, caught.value.suggestion) == (name, nearest)
    with pytest.raises(pf.InvalidItem) as caught:
        pf.Frame(["a"]).sort(name)
    assert (caught.value.field, caught.value.suggestion) == (name, nearest)


def test_turns_are_counted_from_the_end() -> None:
    """A turn starts at each user row; system rows belong to none."""
    roles = ["assistant", "system", "user", "assistant", "developer", "user", "tool", "user"]
    frame = pf.Frame([pf.Item(f"{row}", role=role) for row, role in enumerate(roles)])
    for turn, rows in {0: ["7"], 1: ["5", "6"], 2: ["2", "3"], 3: ["0"]}.items():
        assert contents(frame.filter(pf.col("turn_from_end") == turn)) == rows
    assert contents(frame.filter(pf.col("turn_from_end").is_null())) == ["1", "4"]
    assert contents(frame.filter(~(pf.col("turn_from_end") > 0))) == ["7"]


def test_sort_is_stable_with_nulls_last() -> None:
    """Equal rows keep their order, rows without a value come last, either way round."""
    frame = pf.Frame(
        [
            pf.Item("a", section="y", score=1),
            pf.Item("b", score=2),
            pf.Item("c", section="x", score=1),
            pf.Item("d", section="y", score=2),
        ]
    )
    assert contents(frame.sort("section")) == ["c", "a", "d", "b"]
    assert contents(frame.sort("section", descending=True)) == ["a", "d", "c", "b"]
    assert contents(frame.sort(pf.col("score"))) == ["a", "c", "b", "d"]
    assert contents(frame.sort("score", descending=True)) == ["b", "d", "a", "c"]
    by_retention = pf.Frame([pf.Item(name, retention=name) for name in ("required", "optional")])
    assert len(by_retention.sort("retention")) == 2


def test_limit_keeps_the_first() -> None:
    """Limit takes rows from the front and refuses nonsense."""
    frame = pf.Frame(["a", "b", "c"])
    assert contents(frame.limit(2)) == ["a", "b"]
    assert contents(frame.limit(0)) == []
    assert contents(frame.limit(9)) == ["a", "b", "c"]
    bad: list[Any] = [-1, True, 1.5, "1"]
    for number in bad:
        with pytest.raises((pf.InvalidOption, TypeError)):
            frame.limit(number)


def test_with_items_replaces_and_appends() -> None:
    """An item whose id is there replaces that row, the others are appended."""
    frame = pf.Frame([pf.Item("a", id="x"), pf.Item("b"), pf.Item("c", id="z")])
    after = frame.with_items([pf.Item("new", id="z"), pf.Item("d"), pf.Item("e", id="w")])
    assert contents(after) == ["a", "b", "new", "d", "e"]
    assert after["z"].content == "new"
    assert contents(frame) == ["a", "b", "c"]


def test_demote_lowers_and_promote_raises() -> None:
    """Neither goes the other way; pinned rows are never demoted."""
    frame = pf.Frame(
        [
            pf.Item("a", retention="required"),
            pf.Item("b", retention="preferred"),
            pf.Item("c"),
            pf.Item("d", retention="required", pinned=True),
        ]
    )
    everything = pf.col("row") >= 0

    def retentions(other: pf.Frame) -> list[str]:
        return [item.retention for item in other]

    assert retentions(frame.demote(everything)) == ["optional"] * 3 + ["required"]
    lowered = frame.demote(everything, to="preferred")
    assert retentions(lowered) == ["preferred", "preferred", "optional", "required"]
    raised = frame.promote(everything)
    assert retentions(raised) == ["required", "preferred", "preferred", "required"]
    assert retentions(frame.promote(everything, to="required")) == ["required"] * 4
    assert lowered.pack(100).manifest.to_dict()["demotions"] == [
        {"row": 0, "from": "required", "to": "preferred", "by": "demote"}
    ]
    assert raised.pack(100).manifest.to_dict()["demotions"] == [
        {"row": 2, "from": "optional", "to": "preferred", "by": "promote"}
    ]
    for verb in (frame.demote, frame.promote):
        with pytest.raises((pf.InvalidOption, pf.InvalidItem)):
            verb(everything, to="requird")
    assert frame.demote(everything, to="required") == frame


def test_demotions_follow_their_rows() -> None:
    """The manifest names demoted rows as they stand in the packed frame."""
    frame = pf.Frame([pf.Item(name, retention="required") for name in "abc"])
    lowered = frame.demote(pf.col("row") >= 1)
    turned = lowered.sort("row", descending=True)
    assert sorted(record["row"] for record in _demotions(turned)) == [0, 1]
    assert [record["row"] for record in _demotions(lowered[2:])] == [0]
    assert [record["row"] for record in _demotions(pf.Frame(["x"]) + lowered)] == [2, 3]
    assert _demotions(lowered.limit(1)) == []


def _demotions(frame: pf.Frame) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = frame.pack(None).manifest.to_dict()["demotions"]
    return found


def test_quarantine_marks_rows() -> None:
    """Quarantined rows stay in the frame and out of the pack."""
    frame = pf.Frame(["a", "b"]).quarantine(pf.col("row") == 1)
    assert [item.trust for item in frame] == ["untrusted", "quarantined"]
    assert frame.pack(100).text == "a"


def test_dedupe_merges_into_the_first() -> None:
    """The survivor takes the worst trust, the strongest retention and the best rank."""
    early = datetime(2030, 1, 1, tzinfo=timezone.utc)
    frame = pf.Frame(
        [
            pf.Item("a", score=1, trust="trusted", sources=["x"], id="first"),
            pf.Item("b"),
            pf.Item("a", priority=3, sensitivity="internal", sources=["y", "x"], expires_at=early),
            pf.Item("a", retention="preferred", score=0.5),
        ]
    )
    merged = frame.dedupe()
    assert contents(merged) == ["a", "b"]
    item = merged[0]
    assert (item.id, item.trust, item.sensitivity) == ("first", "untrusted", "internal")
    assert (item.retention, item.score, item.priority) == ("preferred", 1.0, 3.0)
    assert tuple(item.sources) == ("x", "y")
    assert item.expires_at == early
    now = datetime(2026, 1, 1, tzinfo=timezone.utc)
    records = merged.pack(100, now=now).manifest.to_dict()["merged"]
    assert [(r["row"], r["into_row"], r["into_id"], r["reason"]) for r in records] == [
        (2, 0, "first", "duplicate"),
        (3, 0, "first", "duplicate"),
    ]
    assert [record["id"] for record in records] == [frame.ids[2], frame.ids[3]]


def test_dedupe_never_merges_what_differs() -> None:
    """Other role, section, kind or group, messages and required rows stay."""
    message = pf.Message({"role": "user", "content": "a"})
    items = [
        pf.Item("a"),
        pf.Item("a", role="system"),
        pf.Item("a", section="s"),
        pf.Item(pf.Json("a")),
        pf.Item("a ", id="x"),
        pf.Item("a", group="g"),
        pf.Item("a", group="g"),
        pf.Item(message),
        pf.Item(message),
        pf.Item("a", retention="required"),
        pf.Item("a", pinned=True),
    ]
    assert list(pf.Frame(items).dedupe()) == items
    assert len(pf.Frame([*items, pf.Item("a")]).dedupe()) == len(items)
    with pytest.raises((pf.InvalidOption, ValueError)):
        pf.Frame(items).dedupe(by="nearly")


def test_a_merge_whose_survivor_is_gone_says_so() -> None:
    """A merged row whose survivor was filtered out has no row to point at."""
    frame = pf.Frame(["a", "b", "a"]).dedupe()
    assert [r["into_row"] for r in frame.pack(100).manifest.to_dict()["merged"]] == [0]
    moved = pf.Frame(["x"]) + frame
    assert [r["into_row"] for r in moved.pack(100).manifest.to_dict()["merged"]] == [1]
    gone = frame.filter(pf.col("row") == 1)
    assert [r["into_row"] for r in gone.pack(100).manifest.to_dict()["merged"]] == [None]


def test_verbs_leave_the_frame_alone() -> None:
    """Every verb returns a new frame."""
    frame = pf.Frame([pf.Item("a", retention="required"), pf.Item("a"), pf.Item("b", score=1)])
    before = frame.to_records()
    everything = pf.col("row") >= 0
    for changed in (
        frame.filter(pf.col("row") > 0),
        frame.sort("score", descending=True),
        frame.limit(1),
        frame.with_items([pf.Item("x")]),
        frame.demote(everything),
        frame.promote(everything),
        frame.quarantine(everything),
        frame.dedupe(),
        frame.extend(["x"]),
        frame + pf.Frame(["x"]),
    ):
        assert changed != frame
        assert frame.to_records() == before

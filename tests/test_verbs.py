"""Verbs on frames and the conditions that they take."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import packframe as pf
from oracle.condition import Condition, on
from support.conditions import conditions, expression
from support.examples import examples
from support.frames import Plan, Verb, plans


def contents(frame: pf.Frame) -> list[Any]:
    """Return the contents of a frame."""
    return [item.content for item in frame]


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
        assert {record.pop("similarity") for record in manifest["merged"]} <= {None}
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
    """Other role, section, kind, ties or group, messages and required rows stay."""
    message = pf.Message({"role": "user", "content": "a"})
    items = [
        pf.Item("a"),
        pf.Item("a", role="system"),
        pf.Item("a", section="s"),
        pf.Item(pf.Json("a")),
        pf.Item("a ", id="x"),
        pf.Item("a", group="g"),
        pf.Item("a", group="g"),
        pf.Item("a", exclusive="k"),
        pf.Item("a", exclusive="l"),
        pf.Item("a", requires=["x"]),
        pf.Item("a", requires=["x", "y"]),
        pf.Item(message),
        pf.Item(message),
        pf.Item("a", retention="required"),
        pf.Item("a", pinned=True),
    ]
    assert list(pf.Frame(items).dedupe()) == items
    assert len(pf.Frame([*items, pf.Item("a")]).dedupe()) == len(items)
    with pytest.raises((pf.InvalidOption, ValueError)):
        pf.Frame(items).dedupe(by="nearly")


def test_dedupe_renames_what_is_required() -> None:
    """Who requires a merged row, or one whose made id changes, requires the row that stays."""
    made = pf.Frame(["a", "a", pf.Item("a", role="tool")]).ids
    frame = pf.Frame(
        [
            "a",
            "a",
            pf.Item("a", role="tool"),
            pf.Item("b", id="b"),
            pf.Item("b", id="b2"),
            pf.Item("c", requires=[made[1], "b2", "b", "nobody", made[2], made[0]]),
            pf.Item("d", requires=["b", "nobody"]),
            pf.Item("d", requires=["nobody", "b"]),
        ]
    )
    merged = frame.dedupe()
    assert contents(merged) == ["a", "a", "b", "c", "d"]
    assert merged[3].requires == (merged.ids[0], "b", "nobody", merged.ids[1])
    assert merged[4].requires == ("b", "nobody")
    assert merged.dedupe() == merged


@pytest.mark.parametrize(
    ("kept", "merged", "cut_to"),
    [
        ({"cut_to": 5}, {}, 5),
        ({}, {"cut_to": 5}, None),
        ({"cut_to": 5}, {"cut_to": 7}, 5),
        ({"cut_to": 5}, {"retention": "preferred"}, None),
        ({}, {"retention": "preferred", "cut_to": 5}, 5),
        ({"retention": "preferred", "cut_to": 5}, {}, 5),
        ({"retention": "required"}, {"retention": "preferred", "cut_to": 5}, None),
        ({"retention": "required", "cut_to": 5}, {}, 5),
        ({"pinned": True}, {"retention": "preferred", "cut_to": 5}, None),
    ],
    ids=repr,
)
def test_dedupe_cuts_as_the_strongest_may(
    kept: dict[str, Any], merged: dict[str, Any], cut_to: int | None
) -> None:
    """How a merged row may be cut and replaced goes with the retention that wins."""
    first, second = (
        pf.Item("a", alternatives=["short"] if "cut_to" in fields else [], **fields)
        for fields in (kept, merged)
    )
    (item,) = pf.Frame([first, second]).dedupe()
    assert item.cut_to == cut_to
    assert len(item.alternatives) == (cut_to is not None)


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

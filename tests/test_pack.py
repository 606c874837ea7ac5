"""The call ``pack`` and its result."""

from __future__ import annotations

import json
import pickle
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import pytest

import packframe as pf

if TYPE_CHECKING:
    from collections.abc import Callable

WORDS = pf.profiles.custom("words", lambda text: len(text.split()), exact=True)
NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
OPENAI = pf.Boundary.external("openai")


def reasons(pack: pf.Pack) -> dict[int, str]:
    """Return the reason for each row that is out."""
    return {record["row"]: record["reason"] for record in pack.manifest.to_dict()["excluded"]}


def rows(pack: pf.Pack) -> list[int]:
    """Return the rows that are kept."""
    return [record["row"] for record in pack.manifest.to_dict()["selected"]]


def test_the_defaults_are_spelt_out() -> None:
    """Packing with a budget alone is packing with the documented defaults."""
    frame = pf.Frame([pf.Item(f"text {row}", score=row) for row in range(50)])
    short = frame.pack(budget=80)
    long = frame.pack(
        80,
        reserve=0,
        token_profile=pf.profiles.approximate(),
        render="text",
        separator="\n\n",
        labels=False,
        boundary=pf.Boundary.internal("application"),
        policies=(),
        overflow=pf.Overflow.error(),
        selection="greedy",
        layout="input",
        margin=0,
        now=None,
    )
    assert short.manifest.to_json() == long.manifest.to_json()
    manifest = short.manifest.to_dict()
    boundary = {"kind": "internal", "target": "application", "require_provenance": False}
    assert manifest["boundary"] == boundary
    assert (manifest["render"], manifest["separator"]) == ("text", "\n\n")
    assert (manifest["selection"], manifest["layout"]) == ("greedy", "input")


def test_options_are_keyword_only() -> None:
    """Only the budget is positional, and it has to be there."""
    frame: Any = pf.Frame(["a"])
    with pytest.raises(TypeError):
        frame.pack(10, 5)
    with pytest.raises(TypeError):
        frame.pack()


def test_a_pack_tells_its_numbers() -> None:
    """Tokens, what remains, items, completeness and text of a pack agree."""
    frame = pf.Frame([pf.Item("one two", id="x"), pf.Item("three", score=1), pf.Item("a " * 9)])
    pack = frame.pack(7, reserve=2, token_profile=WORDS)
    assert [item.content for item in pack.items] == ["one two", "three"]
    assert pack.text == pack.to_text() == "one two\n\nthree"
    assert (pack.total_tokens, pack.used_tokens, pack.remaining_tokens) == (3, 3, 2)
    assert not pack.complete
    assert frame.pack(None, token_profile=WORDS).complete
    assert frame.pack(None, token_profile=WORDS).remaining_tokens is None
    assert "one two" not in repr(pack)


def test_dropped_items_are_decisions() -> None:
    """Each item that is out is a frozen decision with reason and a sentence."""
    frame = pf.Frame(
        [
            pf.Item("one two three", section="docs", id="x"),
            pf.Item("four", trust="quarantined"),
            pf.Item("five"),
        ]
    )
    pack = frame.pack(1, token_profile=WORDS)
    first, second = pack.dropped()
    assert (first.row, first.id, first.section) == (0, "x", "docs")
    assert (first.action, first.reason) == ("excluded", "budget")
    assert (first.tokens_before, first.tokens_after) == (3, 0)
    assert (second.row, second.reason, second.section) == (1, "quarantined", None)
    for decision in (first, second):
        assert isinstance(decision, pf.Decision)
        assert isinstance(decision.index, int)
        assert len(decision.message) > 10
        frozen: Any = decision
        with pytest.raises((AttributeError, TypeError)):
            frozen.reason = "other"


def test_packs_pickle_and_write_json() -> None:
    """A pack survives pickle; its JSON holds rendering and manifest."""
    for render in ("text", "messages"):
        pack = pf.Frame(["ü", pf.Json({"k": 1})]).pack(100, render=render)
        again = pickle.loads(pickle.dumps(pack))
        assert again.to_json() == pack.to_json()
        assert list(again.items) == list(pack.items)
        values = json.loads(pack.to_json())
        assert values["manifest"] == pack.manifest.to_dict()
        assert json.loads(pack.to_json(indent=2)) == values
        if render == "text":
            assert values["text"] == pack.text
        else:
            assert [message["content"] for message in values["messages"]] == ["ü", '{"k":1}']
        assert "\n" in pack.to_json(indent=2)


def test_labels_name_the_role() -> None:
    """Labels stand before each part of a text, and are counted."""
    frame = pf.Frame([pf.Item("hi", role="user"), pf.Item("yes", role="assistant")])
    pack = frame.pack(
        100, labels=True, token_profile=pf.profiles.openai("o200k_base"), render="text"
    )
    assert pack.text == "user: hi\n\nassistant: yes"
    parts = pack.manifest.to_dict()["tokens_by"]["part"]
    assert parts["labels"]["tokens"] > 0
    assert pf.profiles.openai("o200k_base").count(pack.text) == pack.total_tokens


def test_separators_are_part_of_the_text() -> None:
    """The separator stands between parts, whatever it is, and is counted."""
    for separator in ("", "\n", " | ", "<|endoftext|>", "\x00"):
        pack = pf.Frame(["a", "b", "c"]).pack(100, separator=separator)
        assert pack.text == separator.join("abc")
        assert pack.manifest.to_dict()["separator"] == separator


def test_contents_render_as_text() -> None:
    """JSON is compact, a reference its URI, a message its text."""
    frame = pf.Frame(
        [
            "text",
            pf.Json({"b": [1], "a": "ü"}),
            pf.Reference("kb://1"),
            pf.Message({"role": "user", "content": [{"type": "text", "text": "hi"}]}),
        ]
    )
    pack = frame.pack(100, separator="|")
    assert pack.text == 'text|{"b":[1],"a":"ü"}|kb://1|hi'


def test_messages_keep_role_and_text() -> None:
    """Plain items become messages of their role, message items stay as they were."""
    message = {"role": "user", "content": "hi", "name": "Ada", "x": None}
    frame = pf.Frame([pf.Item("s", role="system"), pf.Json([1])]) + pf.Frame.from_messages(
        [message]
    )
    pack = frame.pack(100, token_profile=pf.profiles.openai("o200k_base"), boundary=OPENAI)
    assert pack.to_openai_chat() == [
        {"role": "system", "content": "s"},
        {"role": "user", "content": "[1]"},
        message,
    ]
    assert list(pack.to_openai_chat()[2]) == ["role", "content", "name", "x"]
    pack.to_openai_chat()[2]["name"] = "other"
    assert pack.to_openai_chat()[2] == message


def test_openai_framing_is_as_published() -> None:
    """Three tokens a message and its role, one for a name, three for the reply."""
    profile = pf.profiles.openai("cl100k_base")
    messages = [
        {"role": "system", "content": "You answer briefly."},
        {"role": "user", "content": "hello world", "name": "Ada"},
    ]
    pack = pf.Frame.from_messages(messages).pack(100, token_profile=profile)
    texts = ["You answer briefly.", "hello world", "Ada"]
    right = 3 + 2 * 3 + 1 + sum(map(profile.count, [*texts, "system", "user"]))
    assert pack.total_tokens == right
    manifest = pack.manifest.to_dict()
    assert (manifest["render"], manifest["accuracy"]) == ("messages", "exact_text")
    assert manifest["estimated"] is True
    assert manifest["token_profile"]["framing"] == "table"
    assert manifest["token_profile"]["framing_source"]
    assert manifest["tokens_by"]["part"]["base"] == {"tokens": 3, "accuracy": "approximate"}


# Boundaries and renderings.


def test_another_rendering_is_counted_when_asked_for() -> None:
    """A rendering that the pack was not made for is counted, and refused if it is over."""
    profile = pf.profiles.openai("o200k_base")
    frame = pf.Frame(["a", "b", "c"])
    text = frame.pack(5, token_profile=profile, render="text", boundary=OPENAI)
    with pytest.raises(pf.RenderingOverBudget) as caught:
        text.to_openai_chat()
    assert caught.value.needed == 3 + 3 * (1 + 3 + 1)
    assert caught.value.available == 5
    assert caught.value.code == "RENDERING_OVER_BUDGET"
    assert isinstance(caught.value, pf.BudgetExceeded)
    roomy = frame.pack(100, token_profile=profile, render="text", boundary=OPENAI)
    assert len(roomy.to_openai_chat()) == 3
    wide = frame.pack(18, token_profile=profile, separator="x y z " * 9, boundary=OPENAI)
    assert len(wide.to_openai_chat()) == 3
    for show in (wide.to_text, lambda: wide.text):
        with pytest.raises(pf.RenderingOverBudget):
            show()
    assert frame.pack(None, token_profile=profile, separator="x" * 99, boundary=OPENAI).to_text()


def test_an_internal_pack_for_a_provider_warns() -> None:
    """A pack that was made for inside gives a BoundaryWarning when rendered for a provider."""
    pack = pf.Frame(["a"]).pack(100)
    with pytest.warns(pf.BoundaryWarning):
        pack.to_openai_chat()
    assert pf.Frame(["a"]).pack(100, boundary=OPENAI).to_openai_chat()
    assert issubclass(pf.BoundaryWarning, UserWarning)


def test_a_plain_tool_item_is_no_message() -> None:
    """A provider wants a call id on a tool message, so a plain item of role tool is refused."""
    pack = pf.Frame([pf.Item("out", role="tool")]).pack(100, boundary=OPENAI)
    assert pack.text == "out"
    with pytest.raises(pf.UnsupportedContent) as caught:
        pack.to_openai_chat()
    assert caught.value.row == 0


def test_boundaries_refuse_in_order() -> None:
    """Expiry, quarantine, restriction, provenance, policies: the first hit decides."""

    class Never:
        id = "never"

        def evaluate(self, item: pf.Item, boundary: pf.Boundary) -> str | None:
            del item
            return f"not {boundary.target}"

    everything: dict[str, Any] = {
        "expires_at": NOW,
        "trust": "quarantined",
        "sensitivity": "restricted",
    }
    items = [
        pf.Item("a", **everything),
        pf.Item("b", trust="quarantined", sensitivity="restricted"),
        pf.Item("c", sensitivity="restricted"),
        pf.Item("d"),
        pf.Item("e", sources=["kb://1"]),
    ]
    frame = pf.Frame(items)
    strict = pf.Boundary.external("openai", require_provenance=True)
    pack = frame.pack(100, boundary=strict, policies=[Never()], now=NOW)
    assert list(reasons(pack).values()) == [
        "expired",
        "quarantined",
        "restricted",
        "missing_provenance",
        "policy:never",
    ]
    records = pack.manifest.to_dict()["excluded"]
    assert [record["rule"] for record in records] == [None] * 4 + ["not openai"]
    assert {record["tokens"] for record in records} == {None}
    assert pack.manifest.to_dict()["policies"] == ["never"]
    inside = frame.pack(100, now=NOW)
    assert list(reasons(inside).values()) == ["expired", "quarantined"]


def test_expiry_needs_a_time() -> None:
    """An item expires at its moment; without ``now`` the present is taken and recorded."""
    frame = pf.Frame([pf.Item("a", expires_at=NOW), pf.Item("b", expires_at=NOW + timedelta(1))])
    assert frame.pack(100, now=NOW).text == "b"
    assert frame.pack(100, now=NOW - timedelta(microseconds=1)).text == "a\n\nb"
    manifest = frame.pack(100, now=NOW).manifest.to_dict()
    assert manifest["now"] == "2026-01-01T00:00:00+00:00"
    later = frame.pack(100, now=NOW.replace(microsecond=50)).manifest.to_dict()
    assert later["now"] == "2026-01-01T00:00:00.000050+00:00"
    east = NOW.astimezone(timezone(timedelta(hours=9)))
    assert frame.pack(100, now=east).manifest.to_dict()["now"] == manifest["now"]
    before = datetime.now(timezone.utc)
    taken = datetime.fromisoformat(frame.pack(100).manifest.to_dict()["now"])
    assert before <= taken <= datetime.now(timezone.utc)
    assert pf.Frame(["a"]).pack(100).manifest.to_dict()["now"] is None


def test_all_required_violations_are_listed() -> None:
    """A PolicyViolation lists every required offender and carries the partial manifest."""
    frame = pf.Frame(
        [
            pf.Item("a", retention="required", trust="quarantined", id="x"),
            pf.Item("b", trust="quarantined"),
            pf.Item("c", pinned=True, sensitivity="restricted"),
            pf.Item("d", group="g", sensitivity="restricted"),
            pf.Item("e", group="g", retention="required"),
        ]
    )
    with pytest.raises(pf.PolicyViolation) as caught:
        frame.pack(100, boundary=OPENAI)
    error = caught.value
    assert [(found["row"], found["reason"]) for found in error.violations] == [
        (0, "quarantined"),
        (2, "restricted"),
        (3, "restricted"),
    ]
    assert error.violations[0]["id"] == "x"
    assert error.boundary == "external:openai"
    assert isinstance(error, PermissionError)
    partial = error.partial_manifest.to_dict()
    assert [record["reason"] for record in partial["excluded"]] == [
        "quarantined",
        "quarantined",
        "restricted",
        "restricted",
        "not_evaluated",
    ]


def test_binary_is_unsupported() -> None:
    """Optional binary content is left out with its group, required raises."""
    data = pf.Binary(b"\x00", "image/png")
    frame = pf.Frame([pf.Item(data, group="g"), pf.Item("caption", group="g"), "text"])
    assert reasons(frame.pack(100)) == {0: "unsupported_content", 1: "group_incomplete"}
    with pytest.raises(pf.UnsupportedContent) as caught:
        pf.Frame(["a", pf.Item(data, id="x", retention="required")]).pack(100, render="messages")
    error = caught.value
    assert (error.row, error.id, error.kind, error.renderer) == (1, "x", "binary", "messages")
    assert isinstance(error, ValueError)


def test_groups_in_two_sections_are_refused() -> None:
    """A group cannot be in two sections, or half in one."""
    frame = pf.Frame([pf.Item("a", group="g", section="s"), "b", pf.Item("c", group="g")])
    with pytest.raises(pf.InvalidItem) as caught:
        frame.pack(100)
    assert list(caught.value.rows) == [0, 2]
    assert caught.value.field == "section"


def test_the_clock_is_not_read_by_the_core() -> None:
    """Two packs of items without expiry are equal at any time."""
    frame = pf.Frame(["a", "b"])
    assert frame.pack(9).manifest.manifest_id == frame.pack(9).manifest.manifest_id


def test_frames_share_counted_content() -> None:
    """A counter is asked once for a content, also in frames that verbs made of it."""
    seen: list[str] = []

    def count(text: str) -> int:
        seen.append(text)
        return len(text)

    profile = pf.profiles.custom("mine", count)
    frame = pf.Frame([f"text {row}" for row in range(40)])
    frame.pack(50, token_profile=profile)
    first = len(seen)
    assert first >= 40
    contents = {f"text {row}" for row in range(40)}
    for other in (frame, frame.limit(30), frame.demote(pf.col("row") > 3), frame.extend(["new"])):
        before = len(seen)
        other.pack(60, token_profile=profile)
        assert not contents & set(seen[before:])


BOUNDARY: Any = pf.Boundary
OVERFLOW: Any = pf.Overflow


@pytest.mark.parametrize(
    "make",
    [
        lambda: BOUNDARY.external(7),
        lambda: BOUNDARY.external("x", require_provenance="yes"),
        lambda: OVERFLOW.demote("role"),
        lambda: OVERFLOW.demote(pf.col("role") == "user", to="requird"),
        lambda: OVERFLOW.demote(pf.col("role") == "user", to="required"),
        lambda: BOUNDARY.internal(""),
        lambda: OVERFLOW.demote(pf.col("rolle") == "user"),
    ],
)
def test_bad_boundaries_and_overflows_are_refused(make: Callable[[], Any]) -> None:
    """Boundaries and overflow strategies check what they are made of, at the latest in a pack."""
    with pytest.raises((pf.InvalidOption, pf.InvalidItem, TypeError)):
        pf.Frame([pf.Item("a b", retention="required")]).pack(0, overflow=make())


def test_boundaries_compare_and_pickle() -> None:
    """Boundaries are values."""
    assert pf.Boundary.internal() == pf.Boundary.internal("application")
    assert pf.Boundary.external("x") != pf.Boundary.external("x", require_provenance=True)
    assert pickle.loads(pickle.dumps(OPENAI)) == OPENAI
    assert OPENAI.target == "openai"


def test_a_policy_sees_item_and_boundary() -> None:
    """A policy is asked with the items that no rule before it refused."""
    seen: list[tuple[str, str]] = []

    class Watching:
        id = "watch"

        def evaluate(self, item: pf.Item, boundary: pf.Boundary) -> str | None:
            seen.append((item.content, boundary.target))
            return "no b" if item.content == "b" else None

    frame = pf.Frame(["a", "b", pf.Item("c", trust="quarantined")])
    pack = frame.pack(100, boundary=OPENAI, policies=(Watching(),))
    assert seen == [("a", "openai"), ("b", "openai")]
    assert reasons(pack) == {1: "policy:watch", 2: "quarantined"}


def test_any_object_with_id_and_evaluate_is_a_policy() -> None:
    """Policies are recognised by what they can do."""

    class Named:
        id = "named"

        def evaluate(self, item: pf.Item, boundary: pf.Boundary) -> None:
            """Refuse nothing."""

    policy: Any = Named()
    named: pf.Policy = policy
    assert named.id == "named"
    assert hasattr(pf, "Policy")
    assert pf.Frame(["a"]).pack(9, policies=[policy]).complete
    for bad in (type("NoId", (), {"evaluate": print})(), type("NoRule", (), {"id": "x"})()):
        with pytest.raises((pf.InvalidOption, TypeError)):
            pf.Frame(["a"]).pack(9, policies=[bad])

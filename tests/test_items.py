"""Items and their contents."""

from __future__ import annotations

import copy
import hashlib
import json
import pickle
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given

import packframe as pf
from oracle.row import compact
from support.examples import examples
from support.texts import json_values, texts

UTC = timezone.utc
CET = timezone(timedelta(hours=1))
MESSAGE: dict[str, Any] = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"q": "ü"}'}}
    ],
    "x": [1, {"b": 1, "a": 2}],
}


def sha256(data: bytes) -> str:
    """Hash bytes."""
    return hashlib.sha256(data).hexdigest()


def test_defaults_are_those_of_the_specification() -> None:
    """An item with nothing but content has the documented defaults."""
    item = pf.Item("hello")
    assert (item.content, item.text, item.kind) == ("hello", "hello", "text")
    assert (item.id, item.section, item.group, item.metadata) == (None, None, None, None)
    assert (item.role, item.retention) == ("user", "optional")
    assert (item.trust, item.sensitivity) == ("untrusted", "public")
    assert (item.score, item.priority, item.pinned) == (0.0, 0.0, False)
    assert (item.created_at, item.expires_at) == (None, None)
    assert tuple(item.sources) == ()
    assert (item.requires, item.exclusive, item.alternatives, item.cut_to) == ((), None, (), None)


def test_fields_come_back_as_given() -> None:
    """Every field of an item can be read."""
    when = datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=CET)
    item = pf.Item(
        "x",
        id="kb-17",
        role="system",
        retention="required",
        score=0.83,
        priority=2,
        section="docs",
        group="g",
        pinned=True,
        created_at=when,
        expires_at="2027-01-01T00:00:00Z",
        trust="trusted",
        sensitivity="confidential",
        sources=["kb://17", "kb://18"],
        metadata={"b": [1, None], "a": {"ü": True}},
    )
    assert (item.id, item.role) == ("kb-17", "system")
    assert (item.score, item.priority) == (0.83, 2.0)
    assert (item.section, item.group, item.pinned) == ("docs", "g", True)
    assert item.created_at == when
    assert item.created_at.utcoffset() is not None
    assert item.expires_at == datetime(2027, 1, 1, tzinfo=UTC)
    assert (item.trust, item.sensitivity) == ("trusted", "confidential")
    assert tuple(item.sources) == ("kb://17", "kb://18")
    assert item.metadata == {"b": [1, None], "a": {"ü": True}}
    assert list(item.metadata) == ["b", "a"]


def test_a_pinned_item_keeps_the_retention_that_it_was_given() -> None:
    """An item says what it was given, pinned or not; a pack records a pinned one as required."""
    for retention in ("required", "preferred", "optional"):
        item = pf.Item("x", retention=retention, pinned=True)
        assert item.retention == retention
        record = pf.Frame([item]).pack(9).manifest.to_dict()["selected"][0]
        assert (record["retention"], record["why"]) == ("required", "pinned")
        with pytest.raises(pf.BudgetExceeded):
            pf.Frame([item]).pack(0)


def test_options_are_keyword_only() -> None:
    """Only content is positional."""
    make: Any = pf.Item
    with pytest.raises(TypeError):
        make("x", "id")


@pytest.mark.parametrize("name", ["content", "id", "role", "score", "text", "new"])
def test_items_are_frozen(name: str) -> None:
    """No attribute of an item can be set."""
    with pytest.raises((AttributeError, TypeError)):
        setattr(pf.Item("x"), name, "y")


def test_metadata_is_a_copy() -> None:
    """Changing what went in or came out does not change the item."""
    metadata: dict[str, Any] = {"k": [1]}
    value: dict[str, Any] = {"k": [1]}
    sources = ["a"]
    item = pf.Item(pf.Json(value), metadata=metadata, sources=sources)
    metadata["k"].append(2)
    value["k"].append(2)
    sources.append("b")
    (item.metadata or {})["k"].append(3)
    item.content.value["k"].append(3)
    assert item.metadata == {"k": [1]}
    assert item.content.value == {"k": [1]}
    assert tuple(item.sources) == ("a",)


def test_text_is_hashed_as_utf8() -> None:
    """The hash of a text is over its UTF-8 bytes, no normal form applied."""
    for text in ("", "e\u0301", "é", "a\r\nb", "\x00"):
        assert pf.Item(text).content_sha256 == sha256(text.encode())


def test_json_renders_compact() -> None:
    """JSON is compact, in the given key order, non-ASCII kept."""
    item = pf.Item(pf.Json({"b": [1, 2.5, None, True], "a": "ü\n\u2028", "é": {}}))
    assert item.text == '{"b":[1,2.5,null,true],"a":"ü\\n\u2028","é":{}}'
    assert item.kind == "json"
    assert item.content_sha256 == sha256(item.text.encode())
    assert list(item.content.value) == ["b", "a", "é"]


@examples(150)
@given(value=json_values)
def test_json_comes_back_as_it_was(value: Any) -> None:
    """Any JSON value survives, and renders as the json module writes it."""
    item = pf.Item(pf.Json(value))
    assert item.text == compact(value)
    assert item.content.value == value
    assert compact(item.content.value) == compact(value)


@pytest.mark.parametrize("number", [1e22, 1e-7, 1.5e300, -0.0, 5e-324, 0.1, 123456789.123456789])
def test_floats_in_json_keep_their_value(number: float) -> None:
    """A float in JSON is written so that it reads back the same."""
    text = pf.Item(pf.Json([number])).text
    assert text is not None
    assert json.loads(text) == [number]
    assert isinstance(json.loads(text)[0], float)


def test_a_reference_renders_as_its_uri() -> None:
    """A reference shows and hashes its URI and keeps digest and size."""
    item = pf.Item(pf.Reference("kb://ü", digest="sha256:00", size=12))
    assert (item.kind, item.text) == ("reference", "kb://ü")
    assert item.content_sha256 == sha256("kb://ü".encode())
    assert (item.content.uri, item.content.digest, item.content.size) == ("kb://ü", "sha256:00", 12)
    bare = pf.Reference("kb://1")
    assert (bare.digest, bare.size) == (None, None)


def test_binary_has_no_text() -> None:
    """Binary content keeps its bytes and type, and shows no text."""
    item = pf.Item(pf.Binary(b"\x00\xff", "image/png"))
    assert (item.kind, item.text) == ("binary", None)
    assert item.content_sha256 == sha256(b"\x00\xff")
    assert (item.content.data, item.content.mime) == (b"\x00\xff", "image/png")


def test_a_message_is_kept_whole() -> None:
    """A message keeps unknown fields and key order; its text is what a reader sees."""
    item = pf.Item(pf.Message(MESSAGE), role="assistant")
    assert item.kind == "message"
    assert compact(item.content.value) == compact(MESSAGE)
    assert item.content.format == "openai-chat"
    assert item.content_sha256 == sha256(compact(MESSAGE).encode())
    assert item.text == compact(MESSAGE["tool_calls"])
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    both = pf.Message({"role": "assistant", "content": parts, "tool_calls": MESSAGE["tool_calls"]})
    assert pf.Item(both, role="assistant").text == "ab\n" + compact(MESSAGE["tool_calls"])
    assert pf.Item(pf.Message({"role": "user", "content": "hi"})).text == "hi"


def test_messages_are_copies() -> None:
    """The value of a message is a fresh copy each time."""
    source = copy.deepcopy(MESSAGE)
    message = pf.Message(source)
    source["x"].append(7)
    message.value["x"].append(8)
    assert message.value == MESSAGE


def test_an_unknown_message_format_is_refused() -> None:
    """A format that this version does not know is an error."""
    with pytest.raises((pf.InvalidItem, pf.InvalidOption, pf.InvalidMessages)):
        pf.Item(pf.Message({"role": "user", "content": "x"}, format="anthropic-2"))


SAMPLES: list[Any] = [
    "text",
    pf.Json({"k": [1, "ü"]}) if hasattr(pf, "Json") else None,
    pf.Binary(b"\x00", "image/png") if hasattr(pf, "Binary") else None,
    pf.Reference("kb://1", digest="d", size=1) if hasattr(pf, "Reference") else None,
    pf.Message({"role": "user", "content": "x"}) if hasattr(pf, "Message") else None,
]


@pytest.mark.parametrize("number", range(len(SAMPLES)))
def test_items_compare_by_value_and_pickle(number: int) -> None:
    """Equal items are equal, differ by any field, and survive pickle and copy."""
    content = SAMPLES[number]
    fields: dict[str, Any] = {
        "id": "a",
        "score": 1.5,
        "sources": ["s"],
        "metadata": {"k": 1},
        "requires": ["b", "c"],
        "exclusive": "k",
        "alternatives": ["short", pf.Alternative(pf.Json([1]), 0.1)],
        "cut_to": 7,
    }
    item = pf.Item(content, **fields)
    assert item == pf.Item(content, **fields)
    assert not item != pf.Item(content, **fields)  # noqa: SIM202 - both operators are meant
    for change in (
        {"id": "b"},
        {"content": "other"},
        {"requires": ["c", "b"]},
        {"exclusive": None},
        {"alternatives": ["short"]},
        {"alternatives": ["short", pf.Alternative(pf.Json([1]), 0.2)]},
        {"alternatives": ["other", pf.Alternative(pf.Json([1]), 0.1)]},
        {"cut_to": None},
        {"cut_to": 8},
    ):
        assert item != item.replace(**change)
    assert item != pf.Item(content)
    assert item != "text"
    for again in (pickle.loads(pickle.dumps(item)), copy.copy(item), copy.deepcopy(item)):
        assert again == item
        assert again.content_sha256 == item.content_sha256
    assert pickle.loads(pickle.dumps(item.content)) == content


def test_replace_changes_only_what_it_names() -> None:
    """Replace gives a new item and checks it like a new one."""
    item = pf.Item("x", id="a", score=0.5, group="g")
    other = item.replace(score=1, id=None)
    assert (item.id, item.score) == ("a", 0.5)
    assert (other.id, other.score, other.group, other.content) == (None, 1.0, "g", "x")
    assert item.replace() == item
    with pytest.raises(pf.InvalidItem) as caught:
        item.replace(retention="prefered")
    assert (caught.value.field, caught.value.suggestion) == ("retention", "preferred")
    with pytest.raises((TypeError, pf.InvalidItem)):
        item.replace(retension="required")


@examples(100)
@given(text=texts)
def test_the_repr_shows_no_payload(text: str) -> None:
    """A repr is short, whatever the content."""
    long = "MARKEDPAYLOAD" + text * 50
    assert len(repr(pf.Item(long))) < 300
    assert "MARKEDPAYLOAD" not in repr(pf.Item(long))


@pytest.mark.parametrize("score", [0, -1, 3, 2.5, -0.0, 1e308, 5e-324])
def test_scores_are_any_finite_number(score: float) -> None:
    """Negative, large and tiny scores are fine."""
    assert pf.Item("x", score=score).score == score


@pytest.mark.parametrize(
    ("given_", "expected"),
    [
        ("2026-01-01T00:00:00Z", datetime(2026, 1, 1, tzinfo=UTC)),
        ("2026-01-01T00:00:00+00:00", datetime(2026, 1, 1, tzinfo=UTC)),
        ("2026-01-01T01:00:00+01:00", datetime(2026, 1, 1, tzinfo=UTC)),
        ("2026-01-01T00:00:00.25Z", datetime(2026, 1, 1, 0, 0, 0, 250_000, tzinfo=UTC)),
        ("2025-12-31T23:59:59.000001-00:30", datetime(2026, 1, 1, 0, 29, 59, 1, tzinfo=UTC)),
        (datetime(2026, 1, 1, 1, tzinfo=CET), datetime(2026, 1, 1, tzinfo=UTC)),
        (datetime(1, 1, 2, tzinfo=UTC), datetime(1, 1, 2, tzinfo=UTC)),
        (datetime.max.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)),
    ],
)
def test_times_are_aware(given_: Any, expected: datetime) -> None:
    """Aware datetimes and ISO strings with an offset are the moment that they name."""
    item = pf.Item("x", created_at=given_, expires_at=given_)
    assert item.created_at == item.expires_at == expected
    assert pf.Item("x", expires_at=given_) == pf.Item("x", expires_at=expected)


def test_subclasses_of_str_are_text() -> None:
    """A subclass of str is text like any other."""

    class Text(str):
        __slots__ = ()

    assert pf.Item(Text("x")) == pf.Item("x")
    assert pf.Item("x", id=Text("a")).id == "a"


def test_what_ties_and_shortens_comes_back_as_given() -> None:
    """Requirements, the key, alternatives and the least cut are what was given."""
    item = pf.Item(
        "x",
        requires=(name for name in ["b", "a", "b"]),
        exclusive="k",
        alternatives=("one", pf.Json({"a": 1}), pf.Reference("kb://1"), pf.Binary(b"x", "a/b")),
        cut_to=1,
        pinned=True,
    )
    assert (item.requires, item.exclusive, item.cut_to) == (("b", "a"), "k", 1)
    kinds = [type(alternative.content) for alternative in item.alternatives]
    assert kinds == [str, pf.Json, pf.Reference, pf.Binary]
    assert item.alternatives[0] == pf.Alternative("one", 0.5)
    assert item.replace(requires=None, alternatives=None) == item.replace(
        requires=(), alternatives=[]
    )


def test_a_set_of_requirements_has_an_order() -> None:
    """A set, whose order no two runs share, is read in the order of its names."""
    names = {f"id-{number}" for number in range(50)}
    assert pf.Item("x", requires=names).requires == tuple(sorted(names))
    assert pf.Item("x", requires=frozenset(names)).requires == tuple(sorted(names))


def test_alternatives_keep_half_and_half_of_that() -> None:
    """Without a value of its own, an alternative keeps a half, the next a quarter, and so on."""
    mixed = ["a", pf.Alternative("b", 0.9), pf.Alternative("c"), "d"]
    values = [alternative.value for alternative in pf.Item("x", alternatives=mixed).alternatives]
    assert values == [0.5, 0.9, 0.125, 0.0625]
    many = pf.Item("x", alternatives=["y"] * 1100).alternatives
    assert [alternative.value for alternative in many[:1070]] == [
        0.5**place for place in range(1, 1071)
    ]
    assert many[-1].value == 0.0


@pytest.mark.parametrize("value", [0, 1, 0.0, -0.0, 1.0, 0.5, 5e-324, None])
def test_alternatives_compare_by_value_and_pickle(value: float | None) -> None:
    """Equal alternatives are equal, differ by content and value, and survive pickle and copy."""
    made = pf.Alternative("x" * 99, value)
    assert (made.content, made.value) == ("x" * 99, value)
    assert made == pf.Alternative("x" * 99, value)
    assert hash(made) == hash(pf.Alternative("x" * 99, 0.25))
    assert made != pf.Alternative("x" * 99, 0.25)
    assert made != pf.Alternative("y", value)
    assert made != "x" * 99
    for again in (pickle.loads(pickle.dumps(made)), copy.copy(made), copy.deepcopy(made)):
        assert again == made
    assert "xxx" not in repr(made)
    with pytest.raises((AttributeError, TypeError)):
        made.value = 1.0  # type: ignore[misc]

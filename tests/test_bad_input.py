"""Bad items, fields and options: a typed error or a right answer, never a panic."""

from __future__ import annotations

import math
import pickle
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pytest

import packframe as pf
from support.pairs import pair

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PROFILES = ("approximate", "o200k_base", "cl100k_base", "hf_bpe", "hf_wordpiece", "words")


@pytest.mark.parametrize("name", PROFILES)
def test_an_empty_frame_packs_to_nothing(name: str) -> None:
    """An empty frame is an empty text of no tokens, at any budget."""
    for budget in (0, 1, 8_000, None):
        pack = pf.Frame().pack(budget, token_profile=pair(name).profile, render="text")
        assert (pack.text, pack.total_tokens, len(pack.items)) == ("", 0, 0)
        assert pack.complete
        assert pack.manifest.to_dict()["selected"] == []


def test_an_empty_frame_costs_the_base_as_messages() -> None:
    """An empty list of messages costs the base, and is an error where that does not fit."""
    profile = pf.profiles.openai("o200k_base")
    assert pf.Frame().pack(3, token_profile=profile).total_tokens == 3
    with pytest.raises(pf.BudgetExceeded) as caught:
        pf.Frame().pack(2, token_profile=profile)
    assert caught.value.exceeded_at is None
    assert caught.value.required_tokens == 3
    assert caught.value.overflow_tokens == 1
    assert list(caught.value.item_costs) == []


@pytest.mark.parametrize("name", PROFILES)
def test_empty_text_is_a_part(name: str) -> None:
    """Empty texts are kept and pay their separators."""
    frame = pf.Frame(["", "", ""])
    pack = frame.pack(100, token_profile=pair(name).profile, render="text")
    assert pack.text == "\n\n\n\n"
    assert len(pack.items) == 3
    assert pair(name).profile.count("") == 0


@pytest.mark.parametrize("name", PROFILES)
def test_nul_is_a_character(name: str) -> None:
    """NUL is kept and counted as the tokenizer counts it."""
    text = "a\x00b\x00\x00"
    profile, counter = pair(name).profile, pair(name).counter
    assert profile.count(text) == counter.count(text)
    pack = pf.Frame([pf.Item(text, id="n\x00")]).pack(100, token_profile=profile, render="text")
    assert pack.text == text
    assert pack.manifest.to_dict()["selected"][0]["id"] == "n\x00"


SURROGATES = ["\ud800", "a\udfffb", "\udc80\ud800"]


@pytest.mark.parametrize("text", SURROGATES)
def test_lone_surrogates_are_invalid_items(text: str) -> None:
    """A lone surrogate in any text of an item is an error that names the row and the field."""
    for field in ("content", "id", "section", "group", "exclusive"):
        record = {"content": "x", field: text}
        with pytest.raises(pf.InvalidItem) as caught:
            pf.Frame.from_records([{"content": "fine"}, record])
        assert caught.value.row == 1
        assert caught.value.field == field
        assert pickle.loads(pickle.dumps(caught.value)).row == 1
    nested: list[tuple[str, Any]] = [
        ("sources", [text]),
        ("metadata", {"k": text}),
        ("metadata", {text: 1}),
        ("requires", ["a", text]),
        ("alternatives", [text]),
        ("alternatives", ["fine", {"content": text}]),
        ("alternatives", [{"content": [text], "kind": "json"}]),
        ("alternatives", [{"content": text, "kind": "reference"}]),
    ]
    for field, value in nested:
        with pytest.raises(pf.InvalidItem) as caught:
            pf.Frame.from_records([{"content": "x", field: value}])
        assert caught.value.field == field
    with pytest.raises(pf.InvalidItem):
        pf.Item(text)
    with pytest.raises((pf.InvalidItem, ValueError)):
        pf.Item(pf.Json({"k": [text]}))
    with pytest.raises((pf.InvalidItem, ValueError)):
        pf.Item(pf.Reference(text))


@pytest.mark.parametrize("text", SURROGATES)
def test_lone_surrogates_elsewhere_are_typed_errors(text: str) -> None:
    """Surrogates in messages, separators and counted text raise what a caller can catch."""
    with pytest.raises((pf.InvalidMessages, ValueError)):
        pf.Frame.from_messages([{"role": "user", "content": text}])
    with pytest.raises((pf.InvalidOption, UnicodeEncodeError)):
        pf.Frame(["a", "b"]).pack(100, separator=text)
    with pytest.raises((pf.InvalidOption, UnicodeEncodeError)):
        pf.profiles.openai("o200k_base").count(text)


@pytest.mark.parametrize(
    "content",
    [{"a": 1}, ["a"], b"a", bytearray(b"a"), 1, 1.5, True, None, ("a",), object(), {1, 2}],
    ids=repr,
)
def test_a_kind_is_never_guessed(content: Any) -> None:
    """Content that is neither text nor a content object is an error, never a guess."""
    with pytest.raises(pf.InvalidItem) as caught:
        pf.Item(content)
    assert caught.value.field == "content"
    assert caught.value.row is None
    with pytest.raises(pf.InvalidItem) as caught:
        pf.Frame.from_records([{"content": "x"}, {"content": content}])
    assert (caught.value.row, caught.value.field) == (1, "content")


@pytest.mark.parametrize("content", [{"a": 1}, ["a"], b"a"], ids=repr)
def test_a_refused_content_comes_with_a_suggestion(content: Any) -> None:
    """A bare dict, list or bytes says what to wrap it in."""
    with pytest.raises(pf.InvalidItem) as caught:
        pf.Item(content)
    assert caught.value.suggestion


def test_duplicate_ids_name_both_rows() -> None:
    """A duplicate id is an error that names both rows."""
    items = [pf.Item("a", id="x"), pf.Item("b"), pf.Item("c", id="x")]
    makes: tuple[Callable[[], pf.Frame], ...] = (
        lambda: pf.Frame(items),
        lambda: pf.Frame.from_records([{"content": "a", "id": "x"}, {"content": "b"}] * 2),
        lambda: pf.Frame(items[:2]) + pf.Frame(items[2:]),
        lambda: pf.Frame(items[:2]).extend(items[2:]),
    )
    for make in makes:
        with pytest.raises(pf.InvalidItem) as caught:
            make()
        assert list(caught.value.rows) == [0, 2]
        assert caught.value.field == "id"


@pytest.mark.parametrize("field", ["score", "priority"])
@pytest.mark.parametrize(
    "value", [math.nan, math.inf, -math.inf, True, False, "1", None, [1], 1j, 10**400], ids=repr
)
def test_bad_scores_are_invalid_items(field: str, value: Any) -> None:
    """A score that is no finite number names row and field."""
    with pytest.raises(pf.InvalidItem) as caught:
        pf.Item("x", **{field: value})
    assert (caught.value.row, caught.value.field) == (None, field)
    with pytest.raises(pf.InvalidItem) as caught:
        pf.Frame.from_records([{"content": "x"}, {"content": "y", field: value}])
    assert (caught.value.row, caught.value.field) == (1, field)


BAD_OPTIONS: list[tuple[str, Any]] = [
    ("budget", True),
    ("budget", False),
    ("budget", -1),
    ("budget", 10.0),
    ("budget", math.nan),
    ("budget", "10"),
    ("budget", [10]),
    ("budget", -(2**70)),
    ("reserve", True),
    ("reserve", -1),
    ("reserve", 1.5),
    ("reserve", 101),
    ("reserve", "1"),
    ("reserve", None),
    ("margin", True),
    ("margin", -1),
    ("margin", -0.1),
    ("margin", 1.0),
    ("margin", 1.5),
    ("margin", math.nan),
    ("margin", math.inf),
    ("margin", "1"),
    ("render", "texts"),
    ("render", "TEXT"),
    ("render", 1),
    ("selection", "greedily"),
    ("layout", "inputs"),
    ("layout", 3),
    ("separator", 1),
    ("separator", None),
    ("separator", b"\n"),
    ("labels", 1),
    ("labels", "yes"),
    ("now", datetime(2026, 1, 1)),  # noqa: DTZ001 - naive on purpose
    ("now", 17),
    ("boundary", "external:openai"),
    ("overflow", "demote"),
    ("policies", 7),
    ("policies", [7]),
    ("token_profile", 7),
    ("token_profile", "o200k_base"),
]


@pytest.mark.parametrize(("option", "value"), BAD_OPTIONS, ids=repr)
def test_bad_options_are_named(option: str, value: Any) -> None:
    """An argument that makes no sense is an error that names it and its value."""
    arguments: dict[str, Any] = {"budget": 100} | {option: value}
    with pytest.raises(pf.InvalidOption) as caught:
        pf.Frame(["a"]).pack(**arguments)
    assert caught.value.option == option
    assert caught.value.code == "INVALID_OPTION"
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("option", ["bugdet", "attachments"])
def test_options_of_other_versions_are_unknown(option: str) -> None:
    """A keyword that this version does not know is a TypeError, not ignored."""
    arguments: dict[str, Any] = {option: None}
    with pytest.raises(TypeError):
        pf.Frame(["a"]).pack(100, **arguments)


def test_a_budget_of_nothing() -> None:
    """A budget of 0 holds nothing: optional items are out, a required one is an error."""
    pack = pf.Frame(["a", "b"]).pack(0)
    assert (pack.text, pack.total_tokens, pack.remaining_tokens) == ("", 0, 0)
    assert [decision.reason for decision in pack.dropped()] == ["budget", "budget"]
    with pytest.raises(pf.BudgetExceeded) as caught:
        pf.Frame([pf.Item("a", retention="required")]).pack(0)
    assert caught.value.exceeded_at == 0
    assert caught.value.available == 0


@pytest.mark.parametrize("budget", [2**31, 2**63 - 1, 2**63, 2**64, 2**70])
def test_huge_budgets_work_or_are_refused(budget: int) -> None:
    """A budget beyond 64 bits is packed or refused, never wrapped around."""
    try:
        pack = pf.Frame(["a"]).pack(budget)
    except pf.InvalidOption:
        assert budget > 2**31
    else:
        assert pack.remaining_tokens == budget - pack.total_tokens


@pytest.mark.parametrize(
    ("field", "nearest"),
    [
        ("retension", "retention"),
        ("Role", "role"),
        ("scores", "score"),
        ("pined", "pinned"),
        ("expire_at", "expires_at"),
        ("source", "sources"),
        ("require", "requires"),
        ("exclusiv", "exclusive"),
        ("alternative", "alternatives"),
        ("cutto", "cut_to"),
        ("meta_data", "metadata"),
    ],
)
def test_an_unknown_field_names_the_nearest(field: str, nearest: str) -> None:
    """A misspelt key of a record names row, key and the nearest known key."""
    with pytest.raises(pf.InvalidItem) as caught:
        pf.Frame.from_records([{"content": "a"}, {"content": "a", field: 1}])
    assert (caught.value.row, caught.value.field) == (1, field)
    assert caught.value.suggestion == nearest


def test_a_record_without_content_is_refused() -> None:
    """A record has to have content."""
    with pytest.raises(pf.InvalidItem) as caught:
        pf.Frame.from_records([{"id": "a"}])
    assert (caught.value.row, caught.value.field) == (0, "content")


@pytest.mark.parametrize("record", [7, "text", None, ["content", "a"]], ids=repr)
def test_a_record_that_is_no_dict_is_refused(record: Any) -> None:
    """What stands in for a record and is none names its row."""
    with pytest.raises((pf.InvalidItem, TypeError)) as caught:
        pf.Frame.from_records([{"content": "a"}, record])
    assert getattr(caught.value, "row", 1) == 1


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("role", "users"),
        ("role", "User"),
        ("role", None),
        ("role", 1),
        ("retention", "require"),
        ("retention", True),
        ("trust", "trustworthy"),
        ("sensitivity", "secret"),
        ("kind", "txt"),
        ("pinned", "yes"),
        ("pinned", 1),
        ("id", ""),
        ("id", 7),
        ("section", ""),
        ("group", ""),
        ("group", 3),
        ("sources", "kb://1"),
        ("sources", [""]),
        ("sources", [1]),
        ("sources", 5),
        ("requires", "ab"),
        ("requires", [""]),
        ("requires", [1]),
        ("requires", ["a", None]),
        ("requires", {"a": 1}),
        ("requires", b"ab"),
        ("requires", 5),
        ("exclusive", ""),
        ("exclusive", 3),
        ("exclusive", ["a"]),
        ("cut_to", 0),
        ("cut_to", -1),
        ("cut_to", True),
        ("cut_to", False),
        ("cut_to", 1.0),
        ("cut_to", math.nan),
        ("cut_to", "5"),
        ("cut_to", 2**64),
        ("cut_to", -(2**70)),
        ("alternatives", "short"),
        ("alternatives", 5),
        ("alternatives", {"content": "short"}),
        ("alternatives", [1]),
        ("alternatives", [None]),
        ("alternatives", ["a", b"b"]),
        ("alternatives", [["a"]]),
        ("alternatives", [pf.Item("a")]),
        ("alternatives", [pf.Message({"role": "user", "content": "x"})]),
        ("metadata", [1]),
        ("metadata", "x"),
        ("metadata", {"k": object()}),
        ("metadata", {1: "x"}),
        ("metadata", {"k": math.nan}),
        ("created_at", datetime(2026, 1, 1)),  # noqa: DTZ001 - naive on purpose
        ("expires_at", datetime(2026, 1, 1)),  # noqa: DTZ001 - naive on purpose
        ("expires_at", "2026-01-01T00:00:00"),
        ("expires_at", "2026-01-01"),
        ("expires_at", "tomorrow"),
        ("expires_at", 1767225600),
        ("created_at", "2026-13-01T00:00:00Z"),
    ],
    ids=repr,
)
def test_wrong_values_name_row_and_field(field: str, value: Any) -> None:
    """A wrong word, type or naive time names row, field and value."""
    with pytest.raises(pf.InvalidItem) as caught:
        pf.Frame.from_records([{"content": "a"}, {"content": "b", field: value}])
    assert (caught.value.row, caught.value.field) == (1, field)
    if field != "kind":
        with pytest.raises(pf.InvalidItem) as caught:
            pf.Item("b", **{field: value})
        assert (caught.value.row, caught.value.field) == (None, field)


@pytest.mark.parametrize(
    "value", [math.nan, math.inf, -0.1, 1.01, True, False, "0.5", [0.5], 10**400], ids=repr
)
def test_the_value_of_an_alternative_is_a_share(value: Any) -> None:
    """A value of an alternative is a number from 0 to 1, or the error names it."""
    with pytest.raises(pf.InvalidItem) as caught:
        pf.Alternative("x", value)
    assert (caught.value.row, caught.value.field) == (None, "value")
    short: dict[str, Any] = {"content": "x"}
    records: list[dict[str, Any]] = [
        {"content": "a"},
        {"content": "b", "alternatives": ["y", short]},
    ]
    pf.Frame.from_records(records)
    short["value"] = value
    with pytest.raises(pf.InvalidItem) as caught:
        pf.Frame.from_records(records)
    assert (caught.value.row, caught.value.field) == (1, "alternatives")
    assert "alternative 1" in str(caught.value)


@pytest.mark.parametrize(
    ("alternative", "suggestion"),
    [
        ({"contents": "x"}, "content"),
        ({"content": "x", "valeu": 0.5}, "value"),
        ({"content": "x", "score": 1}, None),
        ({"content": "x", "kind": "txt"}, "text"),
        ({"content": "x", "size": 3}, None),
        ({"value": 0.5}, None),
        ({}, None),
        ({"content": {"a": 1}}, None),
        ({"content": "x", "alternatives": ["y"]}, None),
        ({"content": "%%%", "kind": "binary", "mime": "image/png"}, None),
        ({"content": {"role": "user", "content": "x"}, "kind": "message"}, None),
    ],
    ids=repr,
)
def test_a_bad_record_of_an_alternative_is_named(alternative: Any, suggestion: str | None) -> None:
    """An error in the record of an alternative names the row, the field and the remedy."""
    with pytest.raises(pf.InvalidItem) as caught:
        pf.Frame.from_records([{"content": "b", "alternatives": [alternative]}])
    assert (caught.value.row, caught.value.field) == (0, "alternatives")
    assert caught.value.suggestion
    assert suggestion in {None, caught.value.suggestion}
    with pytest.raises(pf.InvalidItem) as caught:
        pf.Item("b", alternatives=[alternative])
    assert (caught.value.row, caught.value.field) == (None, "alternatives")


def test_a_wrong_word_names_the_nearest() -> None:
    """A misspelt word of an option or a field suggests the right one."""
    with pytest.raises(pf.InvalidOption) as option:
        pf.Frame(["a"]).pack(10, render="mesages")
    assert "messages" in str(option.value.suggestion)
    with pytest.raises(pf.InvalidItem) as item:
        pf.Item("a", retention="prefered")
    assert item.value.suggestion == "preferred"


def test_an_iterator_that_fails_passes_its_exception_on() -> None:
    """What the iterator of records raises comes out as it is."""

    def records() -> Iterator[dict[str, Any]]:
        yield {"content": "a"}
        raise ZeroDivisionError("half-way")

    with pytest.raises(ZeroDivisionError):
        pf.Frame.from_records(records())

    def items() -> Iterator[pf.Item]:
        yield pf.Item("a")
        raise ZeroDivisionError("half-way")

    with pytest.raises(ZeroDivisionError):
        pf.Frame(items())
    with pytest.raises(ZeroDivisionError):
        pf.Frame(["a"]).extend(items())
    with pytest.raises(ZeroDivisionError):
        pf.Frame.from_messages({"role": "user", "content": str(1 // number)} for number in (1, 0))

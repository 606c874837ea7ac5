"""Bad input: a typed error or a right answer, never a panic."""

from __future__ import annotations

import json
import math
import multiprocessing
import os
import pickle
import sys
import warnings
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import pytest

import packframe as pf
from support import vocabularies
from support.pairs import pair

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

PROFILES = ("approximate", "o200k_base", "cl100k_base", "hf_bpe", "hf_wordpiece", "words")


# Nothing, or nearly nothing.


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


# What is no text.

SURROGATES = ["\ud800", "a\udfffb", "\udc80\ud800"]


@pytest.mark.parametrize("text", SURROGATES)
def test_lone_surrogates_are_invalid_items(text: str) -> None:
    """A lone surrogate in any text of an item is an error that names the row and the field."""
    for field in ("content", "id", "section", "group"):
        record = {"content": "x", field: text}
        with pytest.raises(pf.InvalidItem) as caught:
            pf.Frame.from_records([{"content": "fine"}, record])
        assert caught.value.row == 1
        assert caught.value.field == field
        assert pickle.loads(pickle.dumps(caught.value)).row == 1
    for field, value in (("sources", [text]), ("metadata", {"k": text}), ("metadata", {text: 1})):
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


# Large input.


@pytest.mark.parametrize("name", ["approximate", "o200k_base", "cl100k_base"])
def test_ten_megabytes_of_one_letter(name: str) -> None:
    """Ten megabytes of one letter are counted and packed, not given up."""
    text = "a" * 10_000_000
    profile = pair(name).profile
    count = profile.count(text)
    assert 0 < count <= len(text)
    pack = pf.Frame([pf.Item(text), pf.Item("b", score=1.0)]).pack(
        count + 10, token_profile=profile, render="text"
    )
    assert len(pack.items) == 2
    assert pf.Frame([text]).pack(count - 1, token_profile=profile, render="text").text == ""


def test_a_hundred_thousand_items() -> None:
    """A hundred thousand items are packed in both renderings, every row with one fate."""
    number = 100_000
    frame = pf.Frame.from_records(
        {"content": f"item {row}", "score": row % 1000, "group": f"g{row // 3}"}
        for row in range(number)
    )
    for render in ("text", "messages"):
        pack = frame.pack(50_000, token_profile=pf.profiles.openai("o200k_base"), render=render)
        assert 49_000 < pack.total_tokens <= 50_000
        manifest = pack.manifest.to_dict()
        assert len(manifest["selected"]) + len(manifest["excluded"]) == number
        assert len({record["row"] for record in manifest["selected"]}) == len(pack.items)


def test_a_long_chain_of_calls() -> None:
    """A message with thousands of calls and as many results is one group."""
    names = [f"c{number}" for number in range(5_000)]
    function = {"name": "f", "arguments": "{}"}
    calls = [{"id": name, "type": "function", "function": function} for name in names]
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": calls},
        *({"role": "tool", "tool_call_id": name, "content": name} for name in reversed(names)),
        {"role": "user", "content": "and?"},
    ]
    frame = pf.Frame.from_messages(messages)
    manifest = frame.pack(100, token_profile=pf.profiles.openai("o200k_base")).manifest.to_dict()
    assert [record["row"] for record in manifest["selected"]] == [0, len(messages) - 1]
    assert len(manifest["groups"][0]["rows"]) == 5_001


# Ids.


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


# Numbers.


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
    ("selection", None),
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


@pytest.mark.parametrize(
    "option", ["sections", "effort", "previous", "value", "hash_key", "bugdet"]
)
def test_options_of_other_versions_are_unknown(option: str) -> None:
    """A keyword that this version does not know is a TypeError, not ignored."""
    arguments: dict[str, Any] = {option: None}
    with pytest.raises(TypeError):
        pf.Frame(["a"]).pack(100, **arguments)


@pytest.mark.parametrize("field", ["cut_to", "alternatives", "requires", "exclusive"])
def test_fields_of_other_versions_are_unknown(field: str) -> None:
    """A field that this version does not know is refused, not ignored."""
    arguments: dict[str, Any] = {field: None}
    with pytest.raises(TypeError):
        pf.Item("a", **arguments)
    with pytest.raises(pf.InvalidItem) as caught:
        pf.Frame.from_records([{"content": "a", field: None}])
    assert (caught.value.row, caught.value.field) == (0, field)


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


# Words and names.


@pytest.mark.parametrize(
    ("field", "nearest"),
    [
        ("retension", "retention"),
        ("Role", "role"),
        ("scores", "score"),
        ("pined", "pinned"),
        ("expire_at", "expires_at"),
        ("source", "sources"),
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


def test_a_wrong_word_names_the_nearest() -> None:
    """A misspelt word of an option or a field suggests the right one."""
    with pytest.raises(pf.InvalidOption) as option:
        pf.Frame(["a"]).pack(10, render="mesages")
    assert "messages" in str(option.value.suggestion)
    with pytest.raises(pf.InvalidItem) as item:
        pf.Item("a", retention="prefered")
    assert item.value.suggestion == "preferred"


# Callables of the user.


class Refusing:
    """A policy that misbehaves."""

    id = "mine"

    def __init__(self, answer: Callable[[], Any]) -> None:
        self.answer = answer

    def evaluate(self, item: pf.Item, boundary: pf.Boundary) -> Any:
        """Answer whatever it was made for."""
        del item, boundary
        return self.answer()


def _boom() -> Any:
    raise KeyError("boom")


def test_a_policy_that_raises_is_an_error_not_a_pass() -> None:
    """What a policy raises is chained into a PolicyError that names policy and row."""
    with pytest.raises(pf.PolicyError) as caught:
        pf.Frame(["a"]).pack(100, policies=[Refusing(_boom)])
    assert caught.value.which == "mine"
    assert caught.value.row == 0
    assert isinstance(caught.value.__cause__, KeyError)
    assert caught.value.code == "POLICY_ERROR"


@pytest.mark.parametrize("answer", [True, False, 0, 1, [], b"no", object()], ids=repr)
def test_a_policy_that_answers_nonsense_is_an_error(answer: Any) -> None:
    """A policy answers with a string or None, anything else is a PolicyError."""
    with pytest.raises(pf.PolicyError) as caught:
        pf.Frame(["a"]).pack(100, policies=[Refusing(lambda: answer)])
    assert (caught.value.which, caught.value.row) == ("mine", 0)


def test_an_interrupt_in_a_policy_passes_through() -> None:
    """KeyboardInterrupt in a callable is never swallowed."""

    def interrupt() -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pf.Frame(["a"]).pack(100, policies=[Refusing(interrupt)])


GARBAGE: list[Any] = [-1, 1.5, None, "3", 2**70, True, [1], math.nan, object()]


@pytest.mark.parametrize("answer", GARBAGE, ids=repr)
def test_a_counter_that_returns_garbage_is_an_error(answer: Any) -> None:
    """A count is an int that is not negative, anything else is a TokenizerError."""
    profiles: list[Any] = [
        pf.profiles.custom("mine", lambda _: answer),
        lambda _: answer,
    ]
    for profile in profiles:
        with pytest.raises(pf.TokenizerError) as caught:
            pf.Frame(["a", "b"]).pack(100, token_profile=profile)
        assert caught.value.code == "TOKENIZER_ERROR"
    with pytest.raises(pf.TokenizerError):
        profiles[0].count("a")


def test_a_counter_that_raises_is_chained() -> None:
    """What a counter raises is the cause of a TokenizerError."""
    with pytest.raises(pf.TokenizerError) as caught:
        pf.Frame(["a"]).pack(100, token_profile=pf.profiles.custom("mine", lambda _: _boom()))
    assert isinstance(caught.value.__cause__, KeyError)
    assert caught.value.which == "mine"


class Batches:
    """A tokenizer that counts in batches, badly."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def count_batch(self, texts: list[str]) -> Any:
        """Answer whatever it was made for."""
        del texts
        return self.answer


@pytest.mark.parametrize("answer", [[], [1], [1, 2, 3, 4, 5, 6, 7], None, 3, ["a", "b"], [-1, 2]])
def test_a_batch_that_returns_garbage_is_an_error(answer: Any) -> None:
    """A batch has one count a text, anything else is a TokenizerError."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pf.PerformanceWarning)
        profile = pf.profiles.huggingface(Batches(answer))
        with pytest.raises(pf.TokenizerError):
            pf.Frame(["one", "two"]).pack(100, token_profile=profile)


def test_a_counter_of_messages_that_returns_garbage_is_an_error() -> None:
    """The count of a list of messages is checked like any other."""
    pf.Frame(["a"]).pack(100, token_profile=pf.profiles.custom("m", len, count_messages=len))
    for answer in GARBAGE:

        def count_messages(_: list[dict[str, Any]], answer: Any = answer) -> int:
            made: int = answer
            return made

        profile = pf.profiles.custom("mine", len, count_messages=count_messages)
        with pytest.raises(pf.TokenizerError):
            pf.Frame(["a"]).pack(100, token_profile=profile)


def test_counts_that_overflow_are_errors() -> None:
    """Counts whose sum passes 64 bits give an error, not a wrong sum."""
    profile = pf.profiles.custom("mine", lambda _: 2**62)
    frame = pf.Frame([pf.Item(str(row), retention="required") for row in range(9)])
    with pytest.raises((pf.TokenizerError, pf.BudgetExceeded)):
        frame.pack(2**62, token_profile=profile, separator="")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "null",
        "[]",
        "{}",
        '{"model": {}}',
        '{"model": {"type": "BPE"}}',
        "\x00",
        "{" * 5000,
    ],
)
def test_a_broken_tokenizer_json_is_an_error(text: str, tmp_path: Path) -> None:
    """JSON that describes no tokenizer is a TokenizerError, from text, bytes or a file."""
    path = tmp_path / "tokenizer.json"
    path.write_text(text)
    for form in (text, text.encode(), path):
        with pytest.raises(pf.TokenizerError) as caught:
            pf.profiles.huggingface(form)
        assert pickle.loads(pickle.dumps(caught.value)).code == "TOKENIZER_ERROR"
    with pytest.raises(pf.TokenizerError):
        pf.profiles.huggingface(b"\xff\xfe{}")


def test_a_truncated_tokenizer_json_is_an_error() -> None:
    """A tokenizer.json that ends too early is an error."""
    text = vocabularies.hugging_face_json("bpe")
    for end in (len(text) // 3, len(text) - 1):
        with pytest.raises(pf.TokenizerError):
            pf.profiles.huggingface(text[:end])


def test_a_missing_tokenizer_file_is_the_error_of_the_system(tmp_path: Path) -> None:
    """A path to nowhere is a FileNotFoundError."""
    with pytest.raises(FileNotFoundError):
        pf.profiles.huggingface(tmp_path / "nowhere.json")


def test_an_unknown_encoding_is_refused() -> None:
    """An unknown encoding name is a ValueError or KeyError that suggests the known ones."""
    for name in ("o200k", "gpt-4o", "", "O200K_BASE"):
        with pytest.raises((pf.InvalidOption, KeyError, ValueError)):
            pf.profiles.openai(name)


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


# Processes and threads.


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_fork_after_counting_works() -> None:
    """A child that was forked after counting counts and packs like its parent."""
    profile = pf.profiles.openai("o200k_base")
    frame = pf.Frame(["some text to count"] * 50)
    right = frame.pack(60, token_profile=profile).manifest.manifest_id
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            again = frame.pack(60, token_profile=profile).manifest.manifest_id
            counts = profile.count_batch(["x " * 9000] * 8)
            os.write(writer, f"{again} {len(set(counts))}".encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        assert pipe.read() == f"{right} 1"
    os.waitpid(child, 0)


def test_eight_threads_pack_one_frame() -> None:
    """Eight threads that pack one frame with a Python counter all get the right pack."""
    frame = pf.Frame([pf.Item(f"word {row} " * (row % 5), score=row % 3) for row in range(300)])
    profile = pf.profiles.custom("words", lambda text: len(text.split()), exact=True)

    def pack(budget: int) -> tuple[int, str]:
        return budget, frame.pack(budget, token_profile=profile).manifest.manifest_id

    right = dict(map(pack, range(0, 400, 50)))
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(pack, [*right] * 8)) == set(right.items())


def _echo(thing: Any) -> Any:
    return thing


def _errors() -> list[pf.PackframeError]:
    """Return one of every error that packing raises."""

    def caught(make: Callable[[], Any]) -> pf.PackframeError:
        with pytest.raises(pf.PackframeError) as error:
            make()
        return error.value

    required = pf.Frame([pf.Item("a long text of words", retention="required")])
    bad = pf.Frame([pf.Item("x", retention="required", trust="quarantined")])
    binary = pf.Frame([pf.Item(pf.Binary(b"\x00", "image/png"), retention="required")])
    wide = pf.Frame(["a", "b"]).pack(
        9, token_profile=pf.profiles.openai("o200k_base"), render="text"
    )
    broken = pf.Frame(["a"]).pack(9).manifest.to_dict() | {"budget": 10}
    profile = pf.profiles.custom("mine", lambda _: -1)
    return [
        caught(lambda: pf.Item("x", score=math.nan)),
        caught(lambda: pf.Frame([pf.Item("a", id="x"), pf.Item("b", id="x")])),
        caught(lambda: pf.Frame.from_messages([{"role": "tool", "content": "x"}])),
        caught(lambda: required.pack(1)),
        caught(lambda: bad.pack(100)),
        caught(lambda: binary.pack(100)),
        caught(lambda: pf.Frame(["a"]).pack(-1)),
        caught(lambda: pf.Frame(["a"]).pack(9, token_profile=profile)),
        caught(lambda: pf.Frame(["a"]).pack(9, policies=[Refusing(_boom)])),
        caught(wide.to_openai_chat),
        caught(lambda: pf.PackManifest.from_dict(broken)),
    ]


def _attributes(error: BaseException) -> dict[str, Any]:
    names = (
        "code row rows field value suggestion problems budget reserve available required_tokens "
        "overflow_tokens section item_costs exceeded_at strategies join_tokens partial_manifest "
        "needed violations boundary which id kind renderer option differences"
    )
    return {name: getattr(error, name) for name in names.split() if hasattr(error, name)}


@pytest.mark.filterwarnings("ignore::packframe.BoundaryWarning")
def test_everything_pickles_across_processes() -> None:
    """Items, frames, packs, manifests, profiles and errors survive a spawned process."""
    items = [
        pf.Item("a", id="x", score=1.5, sources=["s"], metadata={"b": 1, "a": [None]}),
        pf.Item(pf.Json({"k": [1, "ü"]}), expires_at="2030-01-01T00:00:00Z"),
        pf.Item(pf.Binary(b"\x00\xff", "image/png")),
        pf.Item(pf.Reference("kb://1", digest="d", size=3)),
        pf.Item(pf.Message({"role": "user", "content": "hi"})),
    ]
    frame = pf.Frame(items).demote(pf.col("row") == 0)
    pack = frame.pack(100, now=datetime(2026, 1, 1, tzinfo=timezone.utc))
    profiles = [pair(name).profile for name in ("approximate", "o200k_base", "hf_bpe", "hf_framed")]
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        assert pool.submit(_echo, items).result() == items
        again = pool.submit(_echo, frame).result()
        assert again == frame
        assert again.ids == frame.ids
        made = pool.submit(_echo, pack).result()
        assert made.text == pack.text
        assert made.to_json() == pack.to_json()
        assert list(made.items) == list(pack.items)
        assert pool.submit(_echo, pack.manifest).result() == pack.manifest
        for profile in profiles:
            other = pool.submit(_echo, profile).result()
            assert (other.id, other.fingerprint) == (profile.id, profile.fingerprint)
            assert other.count("some text") == profile.count("some text")
        for error in _errors():
            copied = pool.submit(_echo, error).result()
            assert type(copied) is type(error)
            assert str(copied) == str(error)
            assert _attributes(copied) == _attributes(error)


def test_a_frame_that_was_demoted_pickles_with_its_history() -> None:
    """Demotions and merges of a frame survive pickling."""
    frame = pf.Frame(["a", "a", pf.Item("b", retention="required")]).dedupe()
    frame = frame.demote(pf.col("retention") == "required")
    again = pickle.loads(pickle.dumps(frame))
    manifest = frame.pack(100).manifest.to_dict()
    assert manifest["demotions"]
    assert manifest["merged"]
    assert again.pack(100).manifest.to_dict() == manifest


def test_a_profile_with_a_callable_pickles_or_says_why_not() -> None:
    """A callable that cannot be pickled gives a TokenizerError that names it."""
    profile = pf.profiles.custom("mine", lambda text: len(text) + 1)
    with pytest.raises(pf.TokenizerError) as caught:
        pickle.dumps(profile)
    assert caught.value.which == "mine"


# Depth and shape of JSON.


def nested(depth: int) -> Any:
    """Return a list in a list in a list."""
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


def test_a_thousand_brackets() -> None:
    """JSON of a thousand levels is kept or refused with the field, never a crash."""
    for make in (
        lambda: pf.Item(pf.Json(nested(1_000))),
        lambda: pf.Item("x", metadata={"k": nested(1_000)}),
        lambda: pf.Frame.from_messages([{"role": "user", "content": "x", "k": nested(1_000)}]),
    ):
        try:
            made = make()
        except (pf.InvalidItem, pf.InvalidMessages):
            continue
        assert made is not None
        pf.Frame([made] if isinstance(made, pf.Item) else list(made)).pack(10_000)


DEEP = """
import pickle
import packframe as pf

value = []
for _ in range(100_000):
    value = [value]
seen = []
for make in (
    lambda: pf.Json(value),
    lambda: pf.Item(pf.Json(value)),
    lambda: pf.Item("x", metadata={"k": value}),
    lambda: pf.Message({"role": "user", "content": "x", "k": value}),
    lambda: pf.Frame.from_records([{"content": value, "kind": "json"}]),
    lambda: pf.Frame.from_messages([{"role": "user", "content": "x", "k": value}]),
):
    try:
        made = make()
    except (pf.InvalidItem, pf.InvalidMessages, ValueError, RecursionError):
        seen.append("refused")
    else:
        seen.append("kept")
        del made
for text in ("[" * 100_000, "[" * 100_000 + "]" * 100_000, '{"a":' * 100_000):
    for read in (pf.profiles.huggingface, pf.PackManifest.from_json):
        try:
            read(text)
        except (pf.PackframeError, ValueError, RecursionError):
            seen.append("refused")
print(len(seen))
import os
os._exit(0)
"""


def test_a_hundred_thousand_brackets() -> None:
    """JSON of a hundred thousand levels is refused, the process lives on."""
    import subprocess  # noqa: PLC0415 - a crash would take the tests along

    done = subprocess.run([sys.executable, "-c", DEEP], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "12"), done.stderr[-2000:]


def test_deep_lines_of_a_file_are_refused(tmp_path: Path) -> None:
    """A line of a thousand brackets in a JSONL file is kept or refused with its row."""
    path = tmp_path / "deep.jsonl"
    line = json.dumps({"content": nested(500), "kind": "json"})
    path.write_text('{"content": "a"}\n' + line + "\n")
    try:
        frame = pf.Frame.read_jsonl(path)
    except pf.InvalidItem as error:
        assert error.row == 1  # noqa: PT017 - either is right
    else:
        assert len(frame) == 2


@pytest.mark.parametrize(
    "value",
    [
        object(),
        {1: "x"},
        {None: 1},
        {("a",): 1},
        {"k": {1, 2}},
        [math.nan],
        math.inf,
        b"bytes",
        datetime(2026, 1, 1, tzinfo=timezone.utc),
        timedelta(1),
        [1j],
        print,
    ],
    ids=repr,
)
def test_what_is_not_json_is_refused(value: Any) -> None:
    """A value that JSON does not have is an InvalidItem, in a message InvalidMessages."""
    with pytest.raises(pf.InvalidItem) as caught:
        pf.Item(pf.Json(value))
    assert caught.value.field == "content"
    with pytest.raises(pf.InvalidItem) as caught:
        pf.Frame.from_records([{"content": "a"}, {"content": value, "kind": "json"}])
    assert (caught.value.row, caught.value.field) == (1, "content")
    with pytest.raises(pf.InvalidMessages) as messages:
        pf.Frame.from_messages([{"role": "user", "content": "a", "extra": value}])
    problem = messages.value.problems[0]
    assert (problem["position"], problem["rule"]) == (0, "not_json")
    assert "extra" in problem["path"]


def test_a_value_that_holds_itself_is_refused() -> None:
    """A list that holds itself is an error, not a hang."""
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises((pf.InvalidItem, RecursionError)):
        pf.Item(pf.Json(loop))
    table: dict[str, Any] = {}
    table["k"] = table
    with pytest.raises((pf.InvalidItem, RecursionError)):
        pf.Item("x", metadata=table)


@pytest.mark.parametrize("number", [2**53 + 1, 2**63, 2**64, -(2**63) - 1, 10**40])
def test_large_integers_are_kept_or_refused(number: int) -> None:
    """An integer in JSON comes back as it was, or is refused."""
    try:
        item = pf.Item(pf.Json([number]))
    except pf.InvalidItem as error:
        assert error.field == "content"  # noqa: PT017 - either is right
    else:
        assert item.content.value == [number]
        assert item.text == f"[{number}]"


def test_a_tuple_is_a_list_or_refused() -> None:
    """A tuple in JSON is a list, as for the json module, or refused."""
    try:
        item = pf.Item(pf.Json({"k": (1, 2)}))
    except pf.InvalidItem:
        return
    assert item.text == '{"k":[1,2]}'

"""Every public function takes what it documents, and refuses the rest by name."""

from __future__ import annotations

import os
from collections import deque
from typing import TYPE_CHECKING, Any

import pytest

import packframe as pf

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


class Unshowable:
    """An object whose repr fails."""

    def __repr__(self) -> str:
        """Fail."""
        raise LookupError("repr")


class Boom(Exception):
    """What a generator of the caller's raises."""


def broken() -> Iterator[Any]:
    """Raise where a list is read."""
    raise Boom("read")
    yield


WRONG: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "5": lambda: 5,
    "-5": lambda: -5,
    "2**80": lambda: 2**80,
    "1.5": lambda: 1.5,
    "nan": lambda: float("nan"),
    "True": lambda: True,
    "str": lambda: "x",
    "empty": lambda: "",
    "surrogate": lambda: "\ud800",
    "bytes": lambda: b"x",
    "list": lambda: [5],
    "nones": lambda: [None],
    "tuple": lambda: (1, 2),
    "dict": lambda: {"a": 1},
    "set": lambda: {1},
    "range": lambda: range(3),
    "object": object,
    "class": lambda: int,
    "item": lambda: pf.Item("a"),
    "frame": lambda: pf.Frame(["a"]),
    "module": lambda: os,
    "error": lambda: ValueError("x"),
    "function": lambda: lambda *_: object(),
    "generator": broken,
    "unshowable": Unshowable,
}

FRAME: Any = pf.Frame(
    [
        pf.Item("a b", id="a", section="s", score=1, cut_to=1, alternatives=["q"]),
        pf.Item("c", id="b", role="assistant"),
    ]
)
WORDS = pf.profiles.custom("words", lambda text: len(text.split()), exact=True)
OPENAI: Any = pf.profiles.openai("o200k_base")
PACK: Any = FRAME.pack(9)
MANIFEST: Any = PACK.manifest
SECTION = pf.Section("s", ["a"])
# The package as a caller without type checks has it.
LOOSE: Any = pf


class Says:
    """A policy and a strategy that answer what they are made with."""

    id = "says"

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def evaluate(self, item: pf.Item, boundary: pf.Boundary) -> Any:
        """Answer."""
        del item, boundary
        return self.answer

    def apply(self, *_: Any) -> Any:
        """Answer."""
        return self.answer


def named(answer: Any) -> Says:
    """Return a policy with an id."""
    policy = Says(None)
    policy.id = answer
    return policy


def of_strategy(answer: Any) -> pf.Pack:
    """Pack by a strategy that answers something."""
    rules = pf.Section("s", drop="mine")
    made: pf.Pack = FRAME.pack(9, sections=[rules], strategies={"mine": Says(answer)})
    return made


FIELDS = [
    *("content", "id", "role", "retention", "score", "priority", "section", "group", "requires"),
    *("exclusive", "alternatives", "cut_to", "pinned", "created_at", "expires_at", "trust"),
    *("sensitivity", "sources", "metadata"),
]
OPTIONS = [
    *("reserve", "token_profile", "render", "separator", "labels", "boundary", "policies"),
    *("overflow", "sections", "strategies", "selection", "value", "effort", "layout", "previous"),
    *("margin", "now", "hash_key"),
]
OF_SECTION = [
    *("name", "items", "priority", "min_tokens", "max_tokens", "max_share", "drop", "required"),
    *("separator", "header"),
]


def of(kind: Callable[..., Any], parameter: str, /, **good: Any) -> Callable[[Any], Any]:
    """Return a call of one parameter."""
    return lambda value: kind(**{**good, parameter: value})


CALLS: dict[str, Callable[[Any], Any]] = {
    "Alternative": pf.Alternative,
    "Alternative.value": lambda value: pf.Alternative("a", value),
    "Binary": lambda value: pf.Binary(value, "image/png"),
    "Binary.mime": lambda value: pf.Binary(b"a", value),
    "Boundary.internal": pf.Boundary.internal,
    "Boundary.external": pf.Boundary.external,
    "Boundary.secrets": lambda value: pf.Boundary.external("x", secrets=value),
    "Boundary.sources": lambda value: pf.Boundary.external("x", require_provenance=value),
    "Boundary.without": lambda value: pf.Boundary.external("x", without=value),
    "Column": pf.Column,
    "Column.is_in": lambda value: pf.col("role").is_in(value),
    "Column.==": lambda value: FRAME.filter(pf.col("score") == value),
    "Column.<": lambda value: FRAME.filter(pf.col("retention") < value),
    "DropResult": pf.DropResult,
    "DropResult.decisions": lambda value: pf.DropResult([], value),
    "Frame": pf.Frame,
    "Frame.of": lambda value: pf.Frame([value]),
    "dedupe.by": lambda value: FRAME.dedupe(by=value),
    "dedupe.threshold": lambda value: FRAME.dedupe(threshold=value),
    "dedupe.near": lambda value: FRAME.dedupe(by="near", threshold=value),
    "demote": FRAME.demote,
    "demote.to": lambda value: FRAME.demote(pf.col("row") > 0, to=value),
    "extend": FRAME.extend,
    "filter": FRAME.filter,
    "filter.returns": lambda value: FRAME.filter(lambda _: value),
    "from_arrow": pf.Frame.from_arrow,
    "from_messages": pf.Frame.from_messages,
    "from_messages.of": lambda value: pf.Frame.from_messages([value]),
    "from_messages.format": lambda value: pf.Frame.from_messages([], format=value),
    "from_records": pf.Frame.from_records,
    "from_records.of": lambda value: pf.Frame.from_records([value]),
    "limit": FRAME.limit,
    "promote": FRAME.promote,
    "quarantine": FRAME.quarantine,
    "rank": FRAME.rank,
    "rank.returns": lambda value: FRAME.rank(lambda _: value),
    "redact": lambda value: FRAME.redact(value, "x"),
    "redact.replacement": lambda value: FRAME.redact("a", value),
    "sort": FRAME.sort,
    "sort.descending": lambda value: FRAME.sort("score", descending=value),
    "with_items": FRAME.with_items,
    "pack": FRAME.pack,
    "pack.policy": lambda value: FRAME.pack(9, policies=[value]),
    "pack.section": lambda value: FRAME.pack(9, sections=[value]),
    "pack.strategy": lambda value: FRAME.pack(9, strategies={"mine": value}),
    "pack.optimal.value": lambda value: FRAME.pack(9, selection="optimal", value=value),
    "pack.optimal.returns": lambda value: FRAME.pack(9, selection="optimal", value=lambda _: value),
    "pack.optimal.effort": lambda value: FRAME.pack(9, selection="optimal", effort=value),
    "pack.stable": lambda value: FRAME.pack(9, layout="stable", previous=value),
    "pack_many": lambda value: pf.pack_many(value, 9),
    "pack_many.of": lambda value: pf.pack_many([value], 9),
    "pack_many.budget": lambda value: pf.pack_many([FRAME], value),
    "pack_many.budgets": lambda value: pf.pack_many([FRAME], [value]),
    "pack_many.threads": lambda value: pf.pack_many([FRAME], 9, threads=value),
    "pack_sections": lambda value: pf.pack_sections(value, 9),
    "pack_sections.of": lambda value: pf.pack_sections([value], 9),
    "pack_sections.budget": lambda value: pf.pack_sections([SECTION], value),
    "pack_sections.joiner": lambda value: pf.pack_sections([SECTION], 9, joiner=value),
    "policy.id": lambda value: FRAME.pack(9, policies=[named(value)]),
    "policy.answers": lambda value: FRAME.pack(9, policies=[Says(value)]),
    "strategy.answers": of_strategy,
    "to_json": PACK.to_json,
    "Json": pf.Json,
    "ManifestDiff": lambda value: pf.ManifestDiff(MANIFEST, value),
    "Message": pf.Message,
    "Message.format": lambda value: pf.Message({"role": "user", "content": "a"}, value),
    "Overflow.demote": pf.Overflow.demote,
    "Overflow.keep": lambda value: pf.Overflow.truncate(keep=value),
    "Overflow.at": lambda value: pf.Overflow.truncate(at=value),
    "Overflow.marker": lambda value: pf.Overflow.truncate(marker=value),
    "PackManifest": pf.PackManifest,
    "diff": MANIFEST.diff,
    "diff.summary": lambda value: MANIFEST.diff(MANIFEST).summary(limit=value),
    "from_dict": pf.PackManifest.from_dict,
    "from_json": pf.PackManifest.from_json,
    "schema": pf.PackManifest.schema,
    "sign": MANIFEST.sign,
    "summary": lambda value: MANIFEST.summary(limit=value),
    "verify": MANIFEST.verify,
    "verify.rendered": lambda value: MANIFEST.verify(FRAME, rendered=value),
    "verify.hash_key": lambda value: MANIFEST.verify(FRAME, hash_key=value),
    "verify_signature": MANIFEST.verify_signature,
    "why": MANIFEST.why,
    "section": PACK.section,
    "Reference": pf.Reference,
    "Reference.digest": lambda value: pf.Reference("a:b", value),
    "Reference.size": lambda value: pf.Reference("a:b", None, value),
    "TokenCounter": pf.TokenCounter,
    "append": lambda value: OPENAI.counter().append(value),
    "rollback": lambda value: OPENAI.counter().rollback(value),
    "count": OPENAI.count,
    "count_arrow": OPENAI.count_arrow,
    "count_batch": OPENAI.count_batch,
    "count_batch.of": lambda value: WORDS.count_batch([value]),
    "count_batch.threads": lambda value: OPENAI.count_batch(["a"], threads=value),
    "count_messages": lambda value: OPENAI.count_messages(value, format="openai-chat"),
    "count_messages.format": lambda value: OPENAI.count_messages([], format=value),
    "count_till_limit": lambda value: OPENAI.count_till_limit(value, 3),
    "count_till_limit.limit": lambda value: WORDS.count_till_limit("a", value),
    "decode_bytes": OPENAI.decode_bytes,
    "decode_bytes.of": lambda value: OPENAI.decode_bytes([value]),
    "encode": OPENAI.encode,
    "fits": lambda value: OPENAI.fits("a", value),
    "split": lambda value: OPENAI.split("a", value),
    "split.overlap": lambda value: OPENAI.split("a", 9, overlap=value),
    "split.at": lambda value: OPENAI.split("a", 9, at=value),
    "token_offsets": OPENAI.token_offsets,
    "truncate": lambda value: OPENAI.truncate(value, 3),
    "truncate.limit": lambda value: OPENAI.truncate("a b", value),
    "truncate.keep": lambda value: OPENAI.truncate("a b", 1, keep=value),
    "col": pf.col,
    "set_language": pf.set_language,
    "approximate": lambda value: pf.profiles.approximate(conservative=value),
    "custom": lambda value: pf.profiles.custom(value, len),
    "custom.count": lambda value: pf.profiles.custom("x", value),
    "custom.exact": lambda value: pf.profiles.custom("x", len, exact=value),
    "custom.base": lambda value: pf.profiles.custom("x", len, base_tokens=value),
    "huggingface": pf.profiles.huggingface,
    "openai": pf.profiles.openai,
    "openai.special": lambda value: pf.profiles.openai("o200k_base", special=value),
    **{f"Item.{name}": of(pf.Item, name, content="a") for name in FIELDS},
    **{f"replace.{name}": of(pf.Item("a").replace, name) for name in FIELDS},
    **{f"Section.{name}": of(pf.Section, name, name="s") for name in OF_SECTION},
    **{f"pack.{name}": of(FRAME.pack, name, budget=9) for name in OPTIONS},
    **{f"pack_many.{name}": of(pf.pack_many, name, frames=[FRAME], budget=9) for name in OPTIONS},
    **{
        f"pack_sections.{name}": of(pf.pack_sections, name, sections=[SECTION], budget=9)
        for name in OPTIONS
    },
}


def raised(call: Callable[[Any], Any], value: Any) -> Exception | None:
    """Return what a call raises."""
    try:
        call(value)
    except Exception as error:  # noqa: BLE001  (what it is, is the question)
        return error
    return None


@pytest.mark.filterwarnings("ignore::packframe.PerformanceWarning")
@pytest.mark.parametrize("call", CALLS)
def test_wrong_types_are_taken_or_refused_with_a_typed_error(call: str) -> None:
    """No bare error: what is raised names the value and the remedy, or was raised by the caller."""
    before = pf.set_language("en")
    for name, make in WRONG.items():
        error = raised(CALLS[call], make())
        if isinstance(error, pf.PackframeError):
            assert str(error), name
        elif isinstance(error, KeyError):
            # As a dict: a name that nothing has.
            assert call in {"why", "section"}
            assert name in {"str", "empty", "surrogate"}
        elif error is not None:
            assert (type(error), name) == (Boom, "generator")
    pf.set_language(before)


@pytest.mark.parametrize("key", [None, 1.5, object(), b"a", [0], int], ids=repr)
def test_a_frame_is_indexed_by_rows_ids_and_slices(key: Any) -> None:
    """As a list, a frame raises TypeError for another key, and says what there is."""
    with pytest.raises(TypeError, match="rows, ids and slices"):
        FRAME[key]


@pytest.mark.parametrize(
    ("call", "names"),
    [
        (lambda: FRAME.pack(int), "budget"),
        (lambda: FRAME.pack(9, reserve=int), "reserve"),
        (lambda: MANIFEST.why(5), "id"),
        (lambda: PACK.section(5), "name"),
        (lambda: PACK.to_json(1.5), "indent"),
        (lambda: LOOSE.Frame.from_records(None), "items"),
        (lambda: LOOSE.Frame(5), "items"),
        (lambda: FRAME.extend(5), "items"),
        (lambda: FRAME.with_items(5), "items"),
        (lambda: FRAME.sort("score", descending=1), "descending"),
        (lambda: LOOSE.PackManifest(None), "core"),
        (lambda: LOOSE.PackManifest.schema([2]), "version"),
        (lambda: LOOSE.DropResult(5), "items"),
        (lambda: LOOSE.DropResult([], 5), "decisions"),
        # Nonsense that was taken for something else.
        (lambda: FRAME.pack(9, token_profile=range(3)), "token_profile"),
        (lambda: FRAME.pack(9, token_profile=deque([1])), "token_profile"),
        (lambda: LOOSE.pack_many([FRAME], b"\x09"), "budget"),
        (lambda: LOOSE.pack_many([FRAME], {9: 1}), "budget"),
        (lambda: LOOSE.pack_many([FRAME], {9}), "budget"),
        (lambda: LOOSE.pack_many([FRAME], "9"), "budget"),
        (lambda: LOOSE.pack_many({}, 9), "frames"),
        (lambda: FRAME.pack(9, policies=[named("")]), "policies"),
        (lambda: FRAME.pack(9, policies=[named(5)]), "policies"),
        (lambda: FRAME.pack(9, policies=""), "policies"),
        (lambda: FRAME.pack(9, sections={}), "sections"),
        (lambda: FRAME.dedupe(threshold=float("nan")), "threshold"),
        (lambda: FRAME.dedupe(threshold=0.5), "threshold"),
        (lambda: LOOSE.Section("s", required=True), "required"),
        (lambda: LOOSE.Section("s", drop="oldest", required=True), "required"),
        (lambda: LOOSE.Section("s", drop="mine", required=True), "required"),
        (lambda: OPENAI.decode_bytes(b"x"), "ids"),
        (lambda: LOOSE.Boundary.external("x", without={}), "without"),
    ],
)
def test_the_option_is_named_with_a_remedy(call: Callable[[], Any], names: str) -> None:
    """The error names the option, shows the value, and says what to use."""
    with pytest.raises(pf.InvalidOption) as caught:
        call()
    assert caught.value.option == names
    assert caught.value.suggestion
    assert caught.value.suggestion in str(caught.value)


@pytest.mark.parametrize("answer", [None, 0, 1, "yes", [], object(), 1.5], ids=repr)
def test_a_where_callable_returns_a_bool(answer: Any) -> None:
    """What is only true in a way is often a slip, such as a method that is not called."""
    for verb in (FRAME.filter, FRAME.demote, FRAME.quarantine):
        with pytest.raises(pf.StrategyError) as caught:
            verb(lambda _: answer)
        assert (caught.value.which, caught.value.row) == ("where", 0)
        assert "True or False" in str(caught.value)


class bool_:  # noqa: N801  (the name that numpy gives it)
    """A bool of an array library."""

    def __bool__(self) -> bool:
        """Be true."""
        return True


def test_a_where_callable_may_return_the_bool_of_an_array_library() -> None:
    """Comparing a number of numpy gives one."""
    assert len(FRAME.filter(lambda _: bool_())) == len(FRAME)


def test_a_policy_that_answers_an_empty_text_is_an_error() -> None:
    """It says neither that an item may go nor why it may not."""
    with pytest.raises(pf.PolicyError):
        FRAME.pack(9, policies=[Says("")])


def test_decisions_of_a_strategy_that_are_no_reasons_are_a_fault() -> None:
    """The default rule decides, and the manifest says why."""
    answer = pf.DropResult([])
    answer.decisions = {"a": 5}  # type: ignore[dict-item]
    (record,) = of_strategy(answer).manifest.sections
    assert "decisions" in record["strategy_fault"]


@pytest.mark.parametrize("path", [None, 5, True, "", b"x", object()], ids=repr)
def test_what_is_no_path_is_refused(path: Any, tmp_path: Path) -> None:
    """A number would be an open file, which reading it would close."""
    for call in (pf.Frame.read_jsonl, FRAME.write_jsonl):
        with pytest.raises(pf.InvalidOption) as caught:
            call(path)
        assert caught.value.option == "path"
    FRAME.write_jsonl(tmp_path / "x.jsonl")
    assert pf.Frame.read_jsonl(str(tmp_path / "x.jsonl")) == FRAME

"""Faults that were found by trying to break the library, each with what is right."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import threading
import weakref
from datetime import datetime, timedelta, timezone
from enum import Enum
from typing import TYPE_CHECKING, Any

import pytest

import packframe as pf
from support import vocabularies

if TYPE_CHECKING:
    from pathlib import Path

O200K = pf.profiles.openai("o200k_base")


class Loud(float):
    """A float that shows itself in its own way, as numpy's do."""

    def __repr__(self) -> str:
        return f"Loud({float(self)})"


class Sly(int):
    """An int whose text is not a number."""

    def __str__(self) -> str:
        return '1,"x":2'


class Colour(int, Enum):
    """An int with a name."""

    RED = 1


def test_subclasses_of_numbers_are_stored_by_their_value() -> None:
    """What a number's subclass shows is not what it is."""
    value = pf.Json({"a": Loud(0.5), "b": Sly(5), "c": Colour.RED, "d": 2**70})
    assert value.value == {"a": 0.5, "b": 5, "c": 1, "d": 2**70}
    assert pf.Item("x", metadata={"a": Loud(0.25)}).metadata == {"a": 0.25}


def test_a_counter_of_messages_alone_leaves_what_fits() -> None:
    """A counter that knows the framing alone still fills the budget."""

    def count(messages: list[dict[str, Any]]) -> int:
        return sum(len(message["content"]) + 10 for message in messages) + 7

    profile = pf.profiles.custom("m", len, count_messages=count)
    pack = pf.Frame(["aaaa"] * 10).pack(60, token_profile=profile)
    assert (len(pack.items), pack.total_tokens) == (3, 49)


def test_required_items_that_fit_as_they_are_joined_are_no_overrun() -> None:
    """The sum of parts is not the last word: what is rendered is what counts."""
    texts = ["done."] * 20
    required = pf.Frame([pf.Item(text, retention="required") for text in texts])
    whole = pf.Frame(texts).pack(None, token_profile=O200K, render="text").total_tokens
    assert whole < sum(O200K.count(text) for text in texts) + 19 * O200K.count("\n\n")
    pack = required.pack(whole, token_profile=O200K, render="text")
    assert (pack.complete, pack.total_tokens) == (True, whole)
    overflow = pf.Overflow.demote(pf.col("row") >= 0)
    kept = required.pack(whole, token_profile=O200K, render="text", overflow=overflow)
    assert kept.manifest.demotions == []
    with pytest.raises(pf.BudgetExceeded) as caught:
        required.pack(whole - 1, token_profile=O200K, render="text")
    assert caught.value.overflow_tokens == 1
    assert caught.value.join_tokens is not None
    assert caught.value.join_tokens < 0


def test_a_long_candidate_does_not_push_others_out() -> None:
    """A candidate with a long stretch changes nothing for rows that fit."""
    rows = [pf.Item("The", score=1), pf.Item("Yes.", score=1), "a" * 5000]
    pack = pf.Frame(rows).pack(3, token_profile=O200K, render="text", separator=" ")
    assert pack.text == "The Yes."
    (excluded,) = pack.manifest.excluded
    assert excluded["shortfall"] == O200K.count("The Yes. " + "a" * 5000) - 3


def test_a_long_candidate_that_fits_is_taken() -> None:
    """A long stretch is counted once, and taken if there is room."""
    rows = [pf.Item("b", score=1), "a" * 5000, pf.Item("c", score=-1)]
    whole = O200K.count("b" + "a" * 5000 + "c")
    pack = pf.Frame(rows).pack(whole, token_profile=O200K, render="text", separator="")
    assert pack.complete


def test_callables_in_strategies_and_manifests_are_collected() -> None:
    """A cycle through a strategy, or through a counter and its manifest, is garbage."""

    class Holder:
        def __init__(self) -> None:
            self.strategy = pf.Overflow.demote(self.choose) | pf.Overflow.error()
            self.manifest: pf.PackManifest | None = None
            self.pack: pf.Pack | None = None

        def choose(self, item: pf.Item) -> bool:
            return bool(item)

        def count(self, text: str) -> int:
            return len(text)

    holder = Holder()
    holder.manifest = pf.Frame(["a"]).pack(9, token_profile=holder).manifest
    holder.pack = pf.Frame(["a"]).pack(9, token_profile=holder)
    gone = weakref.ref(holder)
    del holder
    gc.collect()
    assert gone() is None


def test_a_written_file_keeps_its_mode_and_its_link(tmp_path: Path) -> None:
    """A file is replaced where it is, with the mode that it had."""
    target, link = tmp_path / "a.jsonl", tmp_path / "link.jsonl"
    pf.Frame(["a"]).write_jsonl(target)
    fresh = tmp_path / "fresh"
    fresh.touch()
    assert target.stat().st_mode == fresh.stat().st_mode
    target.chmod(0o640)
    link.symlink_to(target)
    pf.Frame(["b"]).write_jsonl(link)
    assert link.is_symlink()
    assert target.stat().st_mode & 0o777 == 0o640
    assert pf.Frame.read_jsonl(target)[0].content == "b"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl", "fresh", "link.jsonl"]


def test_a_file_may_start_with_a_byte_order_mark(tmp_path: Path) -> None:
    """What an editor puts before the first record is no part of it."""
    path = tmp_path / "bom.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"content": "a"}\r\n')
    assert pf.Frame.read_jsonl(path)[0].content == "a"


@pytest.mark.parametrize("value", ["hello", b"hello", {"content": "hello"}], ids=repr)
def test_one_value_is_no_list_of_items(value: Any) -> None:
    """A text is not split into its letters."""
    for make in (pf.Frame, pf.Frame.from_records, pf.Frame([]).extend):
        with pytest.raises(pf.InvalidOption) as caught:
            make(value)
        assert caught.value.option == "items"


@pytest.mark.parametrize("option", ["base_tokens", "envelope_tokens_per_item"])
def test_framing_beyond_reason_is_refused(option: str) -> None:
    """Numbers that sums could not hold are refused when the profile is made."""
    options: dict[str, Any] = {option: 2**64 - 1}
    with pytest.raises(pf.InvalidOption) as caught:
        pf.profiles.custom("x", len, **options)
    assert caught.value.option == option


def test_conditions_may_be_deep() -> None:
    """Conditions made in a loop are made, evaluated and dropped without recursion."""
    frame = pf.Frame([pf.Item("a", score=1), "b"])
    deep = pf.col("score") > 0
    for _ in range(100_001):
        deep = ~deep
    assert [item.content for item in frame.filter(deep)] == ["b"]
    wide = pf.col("score") > 0
    for number in range(20_000):
        wide = wide | (pf.col("id") == f"x{number}")
    assert len(frame.filter(wide)) == 1


def test_conditions_and_strategies_pickle() -> None:
    """What a service hands to a worker survives."""
    frame = pf.Frame([pf.Item("a", score=1, role="system"), pf.Item("b"), pf.Item("c", score=3)])
    when = datetime(2026, 1, 1, tzinfo=timezone.utc)
    conditions = [
        pf.col("score") > 2,
        pf.col("role").is_in(["system", "tool"]) | ~pf.col("group").is_null(),
        (pf.col("score") <= 1) & (pf.col("role") != "system"),
        pf.col("expires_at") < when,
        pf.col("content") >= "b",
    ]
    for condition in conditions:
        again = pickle.loads(pickle.dumps(condition))
        assert frame.filter(again) == frame.filter(condition)
    assert pickle.loads(pickle.dumps(pf.col("score"))).name == "score"
    strategy = pf.Overflow.demote(pf.col("row") >= 0, to="preferred") | pf.Overflow.error()
    required = pf.Frame([pf.Item("a b", retention="required")])
    pack = required.pack(1, token_profile=pf.profiles.approximate(), overflow=strategy)
    again = pickle.loads(pickle.dumps(pack))
    assert again.manifest == pack.manifest


def test_times_stay_within_the_calendar() -> None:
    """A time that UTC cannot say is refused where it comes in."""
    early = datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14)))
    for bad in (early, "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"):
        with pytest.raises(pf.InvalidItem) as caught:
            pf.Item("x", created_at=bad)
        assert caught.value.field == "created_at"


def test_hostile_names_are_escaped_where_people_read_them() -> None:
    """Control characters and direction marks of an id do not reach a terminal."""
    name = "\x1b[31mred\u202e" + "x" * 500
    pack = pf.Frame([pf.Item("a b", id=name)]).pack(1, token_profile=len)
    manifest = pack.manifest
    shown = [manifest.summary(), str(manifest.why(name)), repr(pf.Item("a", id=name))]
    for text in shown:
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert len(max(text.splitlines(), key=len)) < 400
    assert "secret" not in repr(pf.Reference("https://user:secret@host/x"))


def test_a_fork_while_another_thread_works_does_not_hang() -> None:
    """A child never waits for a thread that exists in its parent only."""
    frame = pf.Frame([f"text number {number}" for number in range(20_000)])
    manifest = frame.pack(None, token_profile=O200K).manifest
    worker = threading.Thread(target=manifest.to_json)
    worker.start()
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        same = len(manifest.to_json()) > 0 and pf.profiles.openai("cl100k_base").count("a b") == 2
        os._exit(0 if same else 1)
    worker.join()
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0


@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base"])
@pytest.mark.parametrize("zeros", range(1, 40))
def test_regression_zeros_are_counted(encoding: str, zeros: int) -> None:
    """Sixteen NUL characters had the key of a free slot, and counted nothing."""
    oracle = vocabularies.openai(encoding)
    text = "\0" * zeros
    assert pf.profiles.openai(encoding).count(text) == len(oracle.encode_ordinary(text))

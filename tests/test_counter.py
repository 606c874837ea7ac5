"""A count that follows a text as it grows, against counting the whole."""

from __future__ import annotations

import copy
import gc
import pickle
import threading
import weakref
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import packframe as pf
from support.examples import examples
from support.pairs import PAIRS, pair
from support.texts import FRAGMENTS, texts

INCREMENTAL = {
    "approximate",
    "cl100k_base",
    "conservative",
    "hf_bpe",
    "hf_framed",
    "o200k_base",
    "o200k_harmony",
    "p50k_base",
    "r50k_base",
}

pieces = st.one_of(
    texts,
    st.sampled_from(FRAGMENTS),
    st.tuples(st.sampled_from(FRAGMENTS), st.integers(100, 700)).map(
        lambda pair: pair[0] * pair[1]
    ),
    st.characters(exclude_categories=["Cs"]),
)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("append"), pieces),
        st.tuples(st.just("append"), st.sampled_from(FRAGMENTS)),
        st.tuples(st.just("mark"), st.just(0)),
        st.tuples(st.just("rollback"), st.integers(0, 5)),
        st.tuples(st.just("count"), st.just(0)),
    ),
    max_size=14,
)


@pytest.mark.parametrize("name", sorted(PAIRS))
@examples(100)
@given(steps=steps)
def test_a_count_is_that_of_the_whole(name: str, steps: list[tuple[str, Any]]) -> None:
    """After any sequence of appends, marks and rollbacks the count is that of the text."""
    profile, count = pair(name).profile, pair(name).counter.of
    counter, text = profile.counter(), ""
    marks: list[tuple[pf.TokenMark, str]] = []
    for step, value in steps:
        if step == "append":
            counter.append(value)
            text += value
        elif step == "mark":
            marks.append((counter.mark(), text))
        elif step == "rollback" and marks:
            at = value % len(marks)
            mark, text = marks[at]
            counter.rollback(mark)
            for stale, longer in marks[at + 1 :]:
                if len(longer) > len(text):
                    with pytest.raises(pf.InvalidOption):
                        counter.rollback(stale)
            marks = marks[: at + 1]
        elif step == "count":
            assert counter.count == (count(text) if text else 0)
        assert counter.text == text
    assert counter.count == (count(text) if text else 0)


@pytest.mark.parametrize("name", sorted(PAIRS))
def test_a_counter_says_whether_it_is_incremental(name: str) -> None:
    """Only where a tokenizer has places to start anew is a count incremental."""
    counter = pair(name).profile.counter()
    assert counter.incremental is (name in INCREMENTAL)
    assert counter.profile is pair(name).profile
    assert (counter.count, counter.text) == (0, "")


def test_a_mark_stays_good() -> None:
    """One can come back to a mark again and again, and mark anew in between."""
    counter = pf.profiles.openai("o200k_base").counter()
    counter.append("The lamp ")
    base = counter.mark()
    for ending in ("is blue.", "is red and green.", ""):
        counter.append(ending)
        inner = counter.mark()
        counter.append(" And so on.")
        counter.rollback(inner)
        assert counter.text == "The lamp " + ending
        assert counter.count == counter.profile.count(counter.text)
        counter.rollback(base)
        counter.rollback(base)
        assert counter.text == "The lamp "


def test_a_mark_that_was_rolled_over_is_refused() -> None:
    """A mark behind the point of a rollback is stale, even if the text is as long again."""
    counter = pf.profiles.openai("o200k_base").counter()
    start = counter.mark()
    counter.append("one two")
    stale = counter.mark()
    counter.rollback(start)
    counter.append("one two")
    with pytest.raises(pf.InvalidOption) as caught:
        counter.rollback(stale)
    assert (caught.value.option, caught.value.suggestion) == (
        "mark",
        "an earlier mark, or a new one",
    )
    assert counter.text == "one two"
    fresh = counter.mark()
    counter.rollback(fresh)
    counter.rollback(start)
    assert counter.text == ""


@pytest.mark.parametrize("bad", [None, 0, "mark", object()], ids=repr)
def test_what_is_no_mark_is_refused(bad: Any) -> None:
    """Only what mark() returned is a mark, and only of the same counter."""
    profile = pf.profiles.openai("o200k_base")
    counter, other = profile.counter(), profile.counter()
    for mark in (bad, other.mark()):
        with pytest.raises(pf.InvalidOption) as caught:
            counter.rollback(mark)
        assert caught.value.option == "mark"
    with pytest.raises(pf.InvalidOption) as caught:
        counter.rollback(other.mark())
    assert "this counter" in str(caught.value.suggestion)
    with pytest.raises(TypeError):
        pf.TokenMark()


def test_a_counter_and_its_marks_show_where_they_stand() -> None:
    """Bytes always; tokens where they are known, or take no long count and no code of a caller."""
    counter = pf.profiles.openai("o200k_base").counter()
    assert repr(counter) == "TokenCounter('openai:o200k_base', bytes=0, tokens=0)"
    counter.append("naïve text")
    assert repr(counter.mark()) == "TokenMark(bytes=11)"
    tokens = counter.count
    assert repr(counter) == f"TokenCounter('openai:o200k_base', bytes=11, tokens={tokens})"
    assert repr(counter.mark()) == f"TokenMark(bytes=11, tokens={tokens})"
    counter.append("a longer text " * 1000)
    assert repr(counter) == "TokenCounter('openai:o200k_base', bytes=14011)"
    calls: list[str] = []

    def count(text: str) -> int:
        calls.append(text)
        return 7

    counter = pf.profiles.custom("mine", count).counter()
    counter.append("abc")
    assert (repr(counter), calls) == ("TokenCounter('mine', bytes=3)", [])
    assert counter.count == 7
    assert repr(counter) == "TokenCounter('mine', bytes=3, tokens=7)"


def test_surrogates_in_halves_are_refused() -> None:
    """Half of a pair is no text, and leaves the counter as it was."""
    counter = pf.profiles.openai("o200k_base").counter()
    counter.append("a")
    for half in ("\ud83d", "\ude00"):
        with pytest.raises(pf.InvalidOption):
            counter.append(half)
    assert (counter.text, counter.count) == ("a", 1)


STREAMS = ["a", " ", "\n", "!", "'", "aA", "é", "日", "\u0301", "नम", "👩‍🚀", "~/", "\t "]


@pytest.mark.parametrize("piece", STREAMS, ids=repr)
def test_a_long_stream_is_linear(piece: str) -> None:
    """A stream without a border, counted at each of 32,000 pieces.

    It would take minutes if each count looked at all of the text.
    """
    counter = pf.profiles.openai("o200k_base").counter()
    for _ in range(32_000):
        counter.append(piece)
        last = counter.count
    assert last == counter.profile.count(piece * 32_000)


def test_appending_is_not_counting() -> None:
    """A callable is asked when the count is, once for each change."""
    asked: list[str] = []

    def count(text: str) -> int:
        asked.append(text)
        return len(text)

    counter = pf.profiles.custom("letters", count).counter()
    for letter in "abc":
        counter.append(letter)
    assert asked == []
    assert (counter.count, counter.count, asked) == (3, 3, ["abc"])
    mark = counter.mark()
    counter.append("d")
    assert counter.count == 4
    counter.rollback(mark)
    counter.append("")
    assert (counter.count, asked) == (3, ["abc", "abcd"])


def test_a_callable_that_fails_leaves_the_text() -> None:
    """What a callable raises is chained into TokenizerError, and the counter goes on."""
    fail = True

    def count(text: str) -> int:
        if fail:
            message = "not now"
            raise KeyError(message)
        return len(text)

    counter = pf.profiles.custom("moody", count).counter()
    counter.append("abc")
    with pytest.raises(pf.TokenizerError) as caught:
        counter.count  # noqa: B018 - it raises
    assert isinstance(caught.value.__cause__, KeyError)
    fail = False
    assert counter.count == 3


def test_a_callable_may_use_the_counter() -> None:
    """A callable that looks at the very counter, or changes it, neither hangs nor lies."""
    counter: pf.TokenCounter

    def count(text: str) -> int:
        if len(counter.text) < 5:
            counter.append("x")
        return len(text)

    counter = pf.profiles.custom("curious", count).counter()
    counter.append("abc")
    assert counter.count == 3
    assert counter.text == "abcx"
    assert [counter.count, counter.count] == [4, 5]


@pytest.mark.parametrize("name", ["o200k_base", "approximate", "hf_bpe", "words"])
def test_threads_may_share_a_counter(name: str) -> None:
    """Each call is done whole, whoever makes it, with the GIL or without."""
    counter = pair(name).profile.counter()
    piece = "some words of text " * 500
    failed: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(8):
                counter.append(piece)
                assert counter.count > 0
        except BaseException as error:  # noqa: BLE001 - reported below
            failed.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert counter.text == piece * 32
    assert counter.count == counter.profile.count(piece * 32)


def test_a_counter_pickles_with_its_text() -> None:
    """A copy has profile and text, and goes its own way; marks stay behind."""
    counter = pf.profiles.openai("o200k_base").counter()
    counter.append("The lamp is blue")
    mark = counter.mark()
    for twin in (pickle.loads(pickle.dumps(counter)), copy.copy(counter), copy.deepcopy(counter)):
        assert (twin.text, twin.count, twin.profile) == (counter.text, 4, counter.profile)
        twin.append(" now")
        assert counter.count == 4
        with pytest.raises(pf.InvalidOption):
            twin.rollback(mark)
    with pytest.raises(TypeError):
        pickle.dumps(mark)
    with pytest.raises(pf.TokenizerError):
        pickle.dumps(pf.profiles.custom("local", lambda _: 1).counter())


def test_a_counter_does_not_change_by_assignment() -> None:
    """Attributes are read only."""
    counter = pf.profiles.openai("o200k_base").counter()
    for name in ("count", "text", "incremental", "other"):
        with pytest.raises(AttributeError):
            setattr(counter, name, 1)


def test_counters_take_part_in_garbage_collection() -> None:
    """A cycle through a counter and the callable of its profile is collected."""

    class Holder:
        counter: Any = None

        def count(self, text: str) -> int:
            return len(text)

    holder = Holder()
    holder.counter = pf.profiles.custom("mine", holder.count).counter()
    holder.counter.append("abc")
    assert holder.counter.count == 3
    gone = weakref.ref(holder)
    del holder
    gc.collect()
    assert gone() is None

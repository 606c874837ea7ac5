"""Batches of texts, from Python lists: the same numbers for any number of threads."""

from __future__ import annotations

import gc
import pickle
import threading
import weakref
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import packframe as pf
from support.examples import examples
from support.pairs import PAIRS, pair
from support.texts import FRAGMENTS, texts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

THREADS = (None, 1, 2, 3, 10**9)


@pytest.mark.parametrize("name", sorted(PAIRS))
@examples(20)
@given(batch=st.lists(texts, max_size=20), times=st.integers(0, 400))
def test_threads_change_no_number(name: str, batch: list[str], times: int) -> None:
    """A batch of any size counts as its texts do, on any number of threads."""
    profile = pair(name).profile
    batch = [*batch, *(text * times for text in batch[:3])]
    right = [profile.count(text) for text in batch]
    for threads in THREADS:
        assert profile.count_batch(batch, threads=threads) == right


FORMS: dict[str, Callable[[list[str]], Iterable[str]]] = {
    "list": list,
    "tuple": tuple,
    "generator": iter,
    "dict keys": lambda texts: dict.fromkeys(texts).keys(),
    "subclass of list": type("Listed", (list,), {}),
    "subclass of tuple": type("Tupled", (tuple,), {}),
}


@pytest.mark.parametrize("form", FORMS)
def test_any_iterable_of_texts_is_a_batch(form: str) -> None:
    """Lists, tuples and whatever else gives texts are counted in their order."""
    profile = pf.profiles.openai("o200k_base")
    unique = list(dict.fromkeys(FRAGMENTS))
    counts = profile.count_batch(FORMS[form](unique))
    assert counts == [profile.count(text) for text in unique]
    assert type(counts) is list
    assert {type(count) for count in counts} == {int}


def test_strings_of_a_subclass_are_counted() -> None:
    """A subclass of str is the text that it is."""

    class Text(str):
        __slots__ = ()

    profile = pf.profiles.openai("o200k_base")
    assert profile.count_batch([Text("one two"), "one two"]) == [2, 2]


@pytest.mark.parametrize("bad", ["one text", b"bytes", {"a": 1}, 7, None], ids=repr)
def test_one_value_is_no_batch(bad: Any) -> None:
    """A single text, whose letters would be counted, is refused, and so is what has no items."""
    with pytest.raises(pf.InvalidOption) as caught:
        pf.profiles.openai("o200k_base").count_batch(bad)
    assert caught.value.option == "texts"
    if bad is not None and bad != 7:
        assert f"is one {type(bad).__name__}" in str(caught.value)


@pytest.mark.parametrize("bad", [None, 7, b"bytes", ["a"], "\ud800"], ids=ascii)
@pytest.mark.parametrize("threads", THREADS)
def test_what_is_no_text_is_named_by_its_place(bad: Any, threads: int | None) -> None:
    """The first item that is no text is named, before anything is counted."""
    batch: list[Any] = ["a", "b", bad, "c", 7]
    for made in (batch, tuple(batch), iter(batch)):
        with pytest.raises(pf.InvalidOption) as caught:
            pf.profiles.openai("o200k_base").count_batch(made, threads=threads)
        assert caught.value.option == "texts[2]"


@pytest.mark.parametrize("bad", [0, -1, 1.5, True, "2", 10**30, -(10**30)], ids=repr)
def test_threads_are_a_number_from_one(bad: Any) -> None:
    """Any other number of threads, and what is no number, is refused."""
    with pytest.raises(pf.InvalidOption) as caught:
        pf.profiles.openai("o200k_base").count_batch(["a"], threads=bad)
    assert caught.value.option == "threads"


def test_what_an_iterable_raises_passes_through() -> None:
    """An error of the caller's own iterator is not wrapped."""

    def broken() -> Iterator[str]:
        yield "a"
        raise LookupError

    with pytest.raises(LookupError):
        pf.profiles.openai("o200k_base").count_batch(broken())


@pytest.mark.parametrize("threads", THREADS)
def test_a_callable_counts_on_the_thread_that_asks(threads: int | None) -> None:
    """A counter of the caller's runs on the calling thread only, in order, and names its row."""
    seen: list[tuple[int, str]] = []

    def count(text: str) -> int:
        seen.append((threading.get_ident(), text[:9]))
        return int(text[:9])

    batch = [f"{number:09}" + "x" * 20_000 for number in range(64)]
    profile = pf.profiles.custom("mine", count)
    assert profile.count_batch(batch, threads=threads) == list(range(64))
    assert seen == [(threading.get_ident(), text[:9]) for text in batch]
    batch[40] = batch[50] = "no number" * 3_000
    with pytest.raises(pf.TokenizerError) as caught:
        profile.count_batch(batch, threads=threads)
    assert caught.value.row == 40


def test_two_threads_count_one_batch_at_once() -> None:
    """Python threads that share a profile, each with threads of its own, all get the numbers."""
    profile = pf.profiles.openai("cl100k_base")
    batch = [fragment * 200 for fragment in FRAGMENTS]
    right = profile.count_batch(batch, threads=1)
    found: list[list[int]] = []

    def work() -> None:
        found.extend(profile.count_batch(batch) for _ in range(5))

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert found == [right] * 20


def test_a_list_may_change_while_it_is_counted() -> None:
    """A batch is the texts that the list had when it was passed."""
    profile = pf.profiles.openai("o200k_base")
    batch = ["some text " * 2_000 for _ in range(200)]
    right = profile.count_batch(batch)
    done = threading.Event()

    def spoil() -> None:
        while not done.is_set():
            batch[:] = [f"other {number}" for number in range(100)]

    worker = threading.Thread(target=spoil)
    held = list(batch)
    worker.start()
    try:
        batch[:] = held
        counts = profile.count_batch(held)
    finally:
        done.set()
        worker.join()
    assert counts == right


# `count` is a method of the native base class, so that a call runs no Python.


def test_a_profile_keeps_what_its_class_promises() -> None:
    """A profile is immutable, documented, weakly referenced and pickled, native method or not."""
    profile = pf.profiles.openai("o200k_base")
    assert "tokens of a text" in (pf.TokenProfile.count.__doc__ or "")
    assert weakref.ref(profile)() is profile
    assert pickle.loads(pickle.dumps(profile)) == profile
    for name in ("count", "id", "anything"):
        with pytest.raises(AttributeError):
            setattr(profile, name, None)
    assert profile.count(text="one two") == 2
    count = profile.count
    del profile
    gc.collect()
    assert count("one two") == 2


def test_profiles_with_callables_are_collected_whole() -> None:
    """A callable that holds its profile goes with it, and not before it."""

    class Counter:
        profile: pf.TokenProfile | None = None

        def count(self, text: str) -> int:
            return len(text)

    counter = Counter()
    watched = weakref.ref(counter)
    counter.profile = pf.profiles.custom("mine", counter.count)
    profile = counter.profile
    del counter
    gc.collect()
    assert profile.count("four") == 4
    del profile
    gc.collect()
    assert watched() is None

"""Many frames packed in one call."""

from __future__ import annotations

import pickle
import threading
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import packframe as pf
from support.examples import examples
from support.frames import Plan, plans
from support.pairs import PAIRS, pair

PROFILE = pf.profiles.openai("o200k_base")
LONG = " ".join(f"word{number}" for number in range(3_000))


def frames(number: int, rows: int = 20, text: str = LONG[:9_000]) -> list[pf.Frame]:
    """Return frames of so much text that threads pay where they are asked for."""
    return [
        pf.Frame([pf.Item(f"{frame} {row} {text}", score=row % 7) for row in range(rows)])
        for frame in range(number)
    ]


def said(error: pf.PackframeError) -> Any:
    """Return what an error says, but for the frame that it names."""
    return (type(error), {**error.__dict__, "frame": None, "partial_manifest": None})


def outcome(frame: pf.Frame, budget: int | None, options: dict[str, Any]) -> Any:
    """Return a pack, or what the error says."""
    try:
        return frame.pack(budget, **options)
    except pf.PackframeError as error:
        return said(error)


@examples(60)
@given(
    made=st.lists(plans(), max_size=5),
    name=st.sampled_from(sorted(PAIRS)),
    data=st.data(),
)
def test_a_batch_is_what_its_frames_are_alone(
    made: list[Plan], name: str, data: st.DataObject
) -> None:
    """Packs, and the first error, are those of one frame after the other, for any threads."""
    try:
        listed = [plan.frame() for plan in made]
    except (pf.InvalidItem, pf.InvalidMessages):
        return
    ceilings = [data.draw(st.none() | st.integers(0, 300)) for _ in listed]
    options: dict[str, Any] = {
        "token_profile": pair(name).profile,
        "now": "2026-01-01T00:00:00+00:00",
        "labels": data.draw(st.booleans()),
    }
    alone = [outcome(*one, options) for one in zip(listed, ceilings, strict=True)]
    failed = next((at for at, one in enumerate(alone) if isinstance(one, tuple)), None)
    for threads in (None, 1, 2, 7):
        if failed is None:
            packs = pf.pack_many(listed, ceilings, threads=threads, **options)
            assert packs == alone
            assert [pack.manifest.to_json() for pack in packs] == [
                pack.manifest.to_json() for pack in alone
            ]
            continue
        with pytest.raises(pf.PackframeError) as caught:
            pf.pack_many(listed, ceilings, threads=threads, **options)
        assert caught.value.frame == failed
        assert said(caught.value) == alone[failed]
        assert str(caught.value).startswith(f"frame {failed}: ")


@pytest.mark.parametrize("threads", [1, 2, 3, 64])
def test_threads_change_nothing(threads: int) -> None:
    """With so much text that threads are started, packs are those of one thread."""
    packs = pf.pack_many(frames(12), 30_000, token_profile=PROFILE, threads=threads)
    alone = [frame.pack(30_000, token_profile=PROFILE) for frame in frames(12)]
    assert packs == alone
    assert [pack.text for pack in packs] == [pack.text for pack in alone]


@pytest.mark.parametrize("threads", [None, 1, 2, 8])
def test_the_first_frame_that_fails_is_named(threads: int | None) -> None:
    """Whichever thread comes first, the error is that of the lowest place."""
    listed = frames(16, rows=4)
    wide = pf.Frame([pf.Item(LONG, retention="required")])
    for first in (0, 5, 15):
        bad = [wide if at >= first else frame for at, frame in enumerate(listed)]
        for _ in range(3):
            with pytest.raises(pf.BudgetExceeded) as caught:
                pf.pack_many(bad, 500, token_profile=PROFILE, threads=threads)
            assert caught.value.frame == first
            assert str(caught.value).startswith(f"frame {first}: ")
            again = pickle.loads(pickle.dumps(caught.value))
            assert (again.frame, str(again)) == (first, str(caught.value))


def test_callables_run_on_the_calling_thread() -> None:
    """Policies, counters and where callables see one thread, and frames in order."""
    seen: list[tuple[int, str]] = []

    class Policy:
        id = "mine"

        def evaluate(self, item: pf.Item, boundary: pf.Boundary) -> str | None:
            del boundary
            seen.append((threading.get_ident(), str(item.content)[:2]))
            return None

    def count(text: str) -> int:
        seen.append((threading.get_ident(), ""))
        return len(text.split())

    def where(item: pf.Item) -> bool:
        seen.append((threading.get_ident(), str(item.content)[:2]))
        return True

    listed = [
        pf.Frame([pf.Item(f"{number} {LONG[:9_000]}", retention="required") for _ in range(9)])
        for number in range(4)
    ]
    for budget, options in (
        (10**6, {"policies": [Policy()], "token_profile": PROFILE}),
        (10**6, {"token_profile": count}),
        (10, {"overflow": pf.Overflow.demote(where), "token_profile": PROFILE}),
    ):
        seen.clear()
        packs = pf.pack_many(listed, budget, threads=4, **options)
        assert len(packs) == 4
        assert {thread for thread, _ in seen} == {threading.get_ident()}
        order = [text for _, text in seen]
        assert order == sorted(order)


def test_a_callable_that_raises_is_chained_with_its_frame() -> None:
    """The error of a policy names frame and row; KeyboardInterrupt passes through."""

    class Policy:
        id = "mine"

        def __init__(self, error: BaseException) -> None:
            self.error = error

        def evaluate(self, item: pf.Item, boundary: pf.Boundary) -> str | None:
            del boundary
            if item.content == "bad":
                raise self.error
            return None

    listed = [pf.Frame(["a"]), pf.Frame(["b", "bad"])]
    with pytest.raises(pf.PolicyError) as caught:
        pf.pack_many(listed, 9, policies=[Policy(KeyError("x"))])
    assert (caught.value.frame, caught.value.row) == (1, 1)
    assert isinstance(caught.value.__cause__, KeyError)
    with pytest.raises(KeyboardInterrupt):
        pf.pack_many(listed, 9, policies=[Policy(KeyboardInterrupt())])


def test_budgets_are_one_or_one_for_each() -> None:
    """An int or None is for all; an iterable has one for each frame, None among them."""
    listed = [pf.Frame(["a b", "c"]), pf.Frame(["d e f"])]

    def words(text: str) -> int:
        return len(text.split())

    def texts(budget: Any) -> list[str]:
        return [
            pack.text for pack in pf.pack_many(listed, budget, token_profile=words, separator=" ")
        ]

    assert texts(None) == ["a b c", "d e f"]
    assert texts(1) == ["c", ""]
    assert texts([1, None]) == texts(iter([1, None])) == texts((1, 9)) == ["c", "d e f"]
    assert pf.pack_many([], 9) == pf.pack_many(iter(()), []) == []


@pytest.mark.parametrize(
    ("listed", "budget", "options", "named"),
    [
        (7, 1, {}, "frames"),
        (pf.Frame(["a"]), 1, {}, "frames"),
        ("ab", 1, {}, "frames"),
        ([pf.Frame(), "a"], 1, {}, "frames[1]"),
        ([pf.Frame()], [1, 2], {}, "budget"),
        ([pf.Frame()], [], {}, "budget"),
        ([pf.Frame()], -1, {}, "budget"),
        ([pf.Frame()], "9", {}, "budget"),
        ([pf.Frame(), pf.Frame()], [1, 2.0], {}, "budget[1]"),
        ([pf.Frame()], 1, {"threads": 0}, "threads"),
        ([pf.Frame()], 1, {"threads": True}, "threads"),
        ([pf.Frame()], 1, {"selection": "best"}, "selection"),
        ([pf.Frame()], 1, {"reserve": 2}, "reserve"),
        ([], 1, {"labels": 1}, "labels"),
    ],
    ids=str,
)
def test_what_makes_no_sense_is_named(
    listed: Any, budget: Any, options: dict[str, Any], named: str
) -> None:
    """Unusable arguments raise InvalidOption, naming the argument and the place."""
    with pytest.raises(pf.InvalidOption) as caught:
        pf.pack_many(listed, budget, **options)
    assert caught.value.option == named


def test_unknown_options_are_no_options() -> None:
    """An option that a pack has not is a TypeError, as of any call."""
    with pytest.raises(TypeError):
        pf.pack_many([], 1, budgett=2)


def test_one_time_is_taken_for_all() -> None:
    """Where an item of any frame expires, all packs say the same now; else none does."""
    expiring = pf.Frame([pf.Item("a", expires_at="2999-01-01T00:00:00+00:00")])
    packs = pf.pack_many([pf.Frame(["b"]), expiring, expiring], 9)
    (now,) = {pack.manifest.to_dict()["now"] for pack in packs}
    assert now is not None
    assert pf.pack_many([pf.Frame(["b"])], 9)[0].manifest.to_dict()["now"] is None


def test_a_pack_of_a_batch_is_a_pack() -> None:
    """It pickles, with its own budget, and its frame is the one that was given."""
    listed = [pf.Frame(["a", "b"]), pf.Frame(["c"])]
    packs = pf.pack_many(listed, [9, 8])
    for pack in packs:
        again = pickle.loads(pickle.dumps(pack))
        assert again == pack
        assert again.manifest.to_json() == pack.manifest.to_json()


def test_other_threads_run_meanwhile() -> None:
    """The GIL is released for the whole batch."""
    listed = frames(40)
    ticks = 0
    done = threading.Event()

    def work() -> None:
        pf.pack_many(listed, 30_000, token_profile=PROFILE, threads=1)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.wait(0.0005):
        ticks += 1
    thread.join()
    assert ticks > 3


def test_shared_contents_are_counted_right_by_all_threads() -> None:
    """Frames of the same contents, packed side by side, give the packs of one thread."""
    items = [pf.Item(f"{row} {LONG[:5_000]}", score=row % 5) for row in range(60)]
    listed = [pf.Frame(items) for _ in range(8)]
    packs = pf.pack_many(listed, 40_000, token_profile=PROFILE, threads=8)
    fresh = [
        pf.Frame([pf.Item(item.content, score=item.score) for item in items]) for _ in range(8)
    ]
    assert packs == [frame.pack(40_000, token_profile=PROFILE) for frame in fresh]

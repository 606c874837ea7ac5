"""Budgets, reserves, margins, and what happens when required items do not fit."""

from __future__ import annotations

import math
from datetime import datetime, timezone

import pytest

import packframe as pf
from support.pairs import pair

WORDS = pf.profiles.custom("words", lambda text: len(text.split()), exact=True)
NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
OPENAI = pf.Boundary.external("openai")


def rows(pack: pf.Pack) -> list[int]:
    """Return the rows that are kept."""
    return [record["row"] for record in pack.manifest.to_dict()["selected"]]


def test_required_items_that_do_not_fit_raise_with_numbers() -> None:
    """BudgetExceeded says what was needed, what there was, and where it stopped."""
    frame = pf.Frame(
        [
            pf.Item("one two", retention="required", id="x"),
            pf.Item("out", score=9),
            pf.Item("three four five", retention="required"),
            pf.Item("six", pinned=True),
        ]
    )
    with pytest.raises(pf.BudgetExceeded) as caught:
        frame.pack(6, reserve=2, token_profile=WORDS)
    error = caught.value
    assert (error.budget, error.reserve, error.available) == (6, 2, 4)
    assert (error.required_tokens, error.overflow_tokens) == (6, 2)
    assert (error.exceeded_at, error.join_tokens, error.section) == (2, 0, None)
    assert [(cost["row"], cost["tokens"], cost["cumulative"]) for cost in error.item_costs] == [
        (0, 2, 2),
        (2, 3, 5),
        (3, 1, 6),
    ]
    assert {cost["accuracy"] for cost in error.item_costs} == {"exact"}
    assert all(set(found) == {"strategy", "saves"} for found in error.strategies)
    assert isinstance(error, RuntimeError)
    assert error.code == "TOKEN_BUDGET_EXCEEDED"
    partial = error.partial_manifest.to_dict()
    assert [record["row"] for record in partial["selected"]] == [0]
    assert {record["reason"] for record in partial["excluded"]} == {"not_evaluated"}


def test_a_join_can_break_required_items() -> None:
    """Required parts that fit as a sum and not as a rendering raise with the join's cost."""
    profile = pf.profiles.openai("cl100k_base")
    items = [pf.Item(text, retention="required") for text in ("a1_.", ".s-  ")]
    needed = sum(profile.count(item.content) for item in items)
    with pytest.raises(pf.BudgetExceeded) as caught:
        pf.Frame(items).pack(needed, token_profile=profile, render="text", separator="")
    assert caught.value.join_tokens == 1
    assert caught.value.required_tokens == needed
    assert caught.value.overflow_tokens == 1


def test_overflow_demotes_when_asked() -> None:
    """Required rows are demoted only if they do not fit, and that is in the manifest."""
    frame = pf.Frame(
        [
            pf.Item("one two three", retention="required"),
            pf.Item("four five", retention="required", score=1),
            pf.Item("six", pinned=True),
        ]
    )
    overflow = pf.Overflow.demote(pf.col("pinned") == False, to="preferred")  # noqa: E712
    roomy = frame.pack(100, token_profile=WORDS, overflow=overflow)
    assert roomy.manifest.to_dict()["demotions"] == []
    pack = frame.pack(3, token_profile=WORDS, overflow=overflow)
    assert rows(pack) == [1, 2]
    assert pack.manifest.to_dict()["demotions"] == [
        {"row": row, "from": "required", "to": "preferred", "by": "overflow"} for row in (0, 1)
    ]
    everything = pf.Overflow.demote(pf.col("row") >= 0)
    with pytest.raises(pf.BudgetExceeded) as caught:
        frame.pack(0, token_profile=WORDS, overflow=everything)
    assert caught.value.required_tokens == 1
    assert rows(frame.pack(1, token_profile=WORDS, overflow=everything)) == [2]
    assert frame[0].retention == "required"


def test_overflow_strategies_go_in_sequence() -> None:
    """A later strategy is tried only where the one before was not enough."""
    frame = pf.Frame([pf.Item(name, retention="required", score=1) for name in ("a", "b", "c")])
    first = pf.Overflow.demote(pf.col("row") == 0)
    second = pf.Overflow.demote(pf.col("row") == 1)
    both = first | second
    assert rows(frame.pack(2, token_profile=WORDS, overflow=both)) == [1, 2]
    assert rows(frame.pack(1, token_profile=WORDS, overflow=both)) == [2]
    one = frame.pack(2, token_profile=WORDS, overflow=both).manifest.to_dict()
    assert [record["row"] for record in one["demotions"]] == [0]
    by_callable = pf.Overflow.demote(lambda item: item.content != "c")
    assert rows(frame.pack(1, token_profile=WORDS, overflow=by_callable)) == [2]


def test_preferred_goes_before_optional() -> None:
    """A preferred item of a low score stands before an optional one of a high score."""
    frame = pf.Frame([pf.Item("one two", score=9), pf.Item("three", retention="preferred")])
    assert rows(frame.pack(2, token_profile=WORDS)) == [1]


@pytest.mark.parametrize(
    ("margin", "kept"),
    [(0, 0), (3, 3), (0.1, 9), (0.05, 5), (0.3, 27), (0.07, 7), (1e-9, 1), (0.0, 0)],
)
def test_a_margin_is_kept_off_estimates(margin: float, kept: int) -> None:
    """A margin of tokens or a fraction, rounded up, is kept where the count is no exact one."""
    frame = pf.Frame(["a"])
    pack = frame.pack(100, reserve=10, margin=margin)
    assert (pack.manifest.margin, pack.manifest.available) == (kept, 90 - kept)
    openai = pf.profiles.openai("o200k_base")
    exact = frame.pack(100, reserve=10, margin=margin, token_profile=openai, render="text")
    assert (exact.manifest.margin, exact.manifest.available) == (0, 90)
    framed = frame.pack(100, reserve=10, margin=margin, token_profile=openai)
    assert framed.manifest.margin == kept
    assert frame.pack(None, margin=margin).manifest.margin == 0


def test_a_reserve_may_take_everything() -> None:
    """A reserve of the whole budget leaves room for nothing."""
    pack = pf.Frame(["a"]).pack(10, reserve=10)
    assert (pack.text, pack.manifest.available) == ("", 0)


@pytest.mark.parametrize("name", ["approximate", "o200k_base", "hf_bpe", "growing"])
def test_every_budget_is_kept(name: str) -> None:
    """Every budget from nothing to everything is kept, with mixed line ends and no separator."""
    items = ["/*\r\n", "\r\n\t\r\n", "a1_.", ".s-  ", "Item done.\r\n\n"] * 3
    frame = pf.Frame([pf.Item(text, score=len(text) % 3) for text in items])
    profile = pair(name).profile
    for budget in range(0, 70, 3):
        pack = frame.pack(budget, token_profile=profile, render="text", separator="")
        assert pack.total_tokens <= budget
        assert pair(name).counter.count(pack.text) == pack.total_tokens


def test_fractions_are_decimal() -> None:
    """A fraction is the shortest decimal that gives the float, not its binary value."""
    assert math.ceil(0.07 * 100) == 8
    assert pf.Frame(["a"]).pack(100, margin=0.07).manifest.margin == 7

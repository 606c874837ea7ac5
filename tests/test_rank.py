"""Frames ranked by a query, by scores, by a callable."""

from __future__ import annotations

import time
from array import array
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import packframe as pf
from oracle.bm25 import bm25
from support.examples import examples

WORDS = [
    "cat",
    "Cat",
    "the",
    "can't",
    "3.5",
    "ÜBER",
    "über",
    "шум",
    "ШУМ",
    "猫",
    "猫は",
    "東京の猫",
]
WORDS += ["ภาษาไทย", "カタカナ", "_", "--", "🙂", "a_b", "x2"]

sentences = st.lists(st.sampled_from(WORDS), max_size=9).flatmap(
    lambda words: st.sampled_from([" ", "", ", ", "。", "\n"]).map(lambda join: join.join(words))
)


def scores(frame: pf.Frame) -> list[float]:
    """Return the score of each row."""
    return [item.score for item in frame]


@examples(300)
@given(rows=st.lists(st.none() | sentences, max_size=8), query=sentences)
def test_a_query_scores_as_the_formula_says(rows: list[str | None], query: str) -> None:
    """Every score is that of the naive BM25, in all scripts, and rows stay where they are."""
    contents = [pf.Binary(b"x", "a/b") if row is None else row for row in rows]
    ranked = pf.Frame(contents).rank(query)
    assert [item.content for item in ranked] == contents
    assert scores(ranked) == pytest.approx(bm25(rows, query), rel=1e-12, abs=1e-12)


def test_a_query_looks_at_what_is_shown() -> None:
    """JSON, references and messages are searched as a text rendering shows them; bytes have 0."""
    frame = pf.Frame(
        [
            pf.Json({"city": "Oslo"}),
            pf.Reference("kb://oslo/17"),
            pf.Message({"role": "user", "content": [{"type": "text", "text": "Oslo?"}]}),
            pf.Binary(b"Oslo", "text/plain"),
            "Bergen",
        ]
    )
    assert [score > 0 for score in scores(frame.rank("OSLO"))] == [True, True, True, False, False]


@pytest.mark.parametrize("query", ["", " ", "?!", "🙂", "nowhere", "\0", "a" * 100_000])
def test_a_query_that_finds_nothing_gives_zero(query: str) -> None:
    """No word, or a word that nothing has, is no error: all scores are 0."""
    frame = pf.Frame([pf.Item("one two", score=3), pf.Item("")])
    assert scores(frame.rank(query)) == [0.0, 0.0]
    assert len(pf.Frame().rank(query)) == 0


def test_ranking_changes_scores_and_nothing_else() -> None:
    """Ids, contracts and the frame that was ranked stay."""
    frame = pf.Frame([pf.Item("cat", id="a", retention="required", priority=2, score=-1), "dog"])
    ranked = frame.rank("cat")
    assert scores(frame) == [-1.0, 0.0]
    assert ranked.ids == frame.ids
    assert (ranked[0].retention, ranked[0].priority) == ("required", 2.0)
    assert ranked.rank([-1, 0]) == frame


@pytest.mark.parametrize(
    "given_scores",
    [[1, 0.5], (1, 0.5), iter([1, 0.5]), array("f", [1, 0.5]), lambda item: len(item.text) / 2],
    ids=["list", "tuple", "iterator", "array", "callable"],
)
def test_scores_are_taken_from_anything_that_has_one_a_row(given_scores: Any) -> None:
    """Sequences, iterators, arrays and callables give the scores."""
    assert scores(pf.Frame(["ab", "c"]).rank(given_scores)) == [1.0, 0.5]


@pytest.mark.parametrize(
    ("by", "option"),
    [
        ([1.0], "by"),
        ([1.0, 2.0, 3.0], "by"),
        ([], "by"),
        ([0.0, float("nan")], "by[1]"),
        ([float("inf"), 0.0], "by[0]"),
        ([10**400, 0.0], "by[0]"),
        ([True, 0.0], "by[0]"),
        (["1", "2"], "by[0]"),
        ([None, 1.0], "by[0]"),
        ({"a": 1.0}, "by"),
        (b"ab", "by"),
        (7, "by"),
        (None, "by"),
        ("\ud800", "by"),
    ],
    ids=repr,
)
def test_what_ranks_nothing_is_named(by: Any, option: str) -> None:
    """Wrong lengths, no numbers and numbers that are not finite raise, naming the place."""
    with pytest.raises(pf.InvalidOption) as caught:
        pf.Frame(["a", "b"]).rank(by)
    assert caught.value.option == option


@pytest.mark.parametrize("returned", [float("nan"), None, "1", True, KeyError("x")], ids=repr)
def test_a_callable_that_fails_is_chained(returned: Any) -> None:
    """What a callable raises, or returns that is no finite number, is chained, with its row."""

    def score(item: pf.Item) -> Any:
        if item.content == "a":
            return 1.0
        if isinstance(returned, Exception):
            raise returned
        return returned

    with pytest.raises(pf.StrategyError) as caught:
        pf.Frame(["a", "b"]).rank(score)
    assert (caught.value.row, caught.value.which) == (1, "rank")
    assert caught.value.__cause__ is not None


def test_ranking_is_near_linear() -> None:
    """Ten times the rows, or ten times the words of one row, cost ten times as much, not more."""

    def cost(texts: list[str], query: str) -> float:
        frame = pf.Frame(texts)
        start = time.process_time()
        frame.rank(query)
        return time.process_time() - start

    def rows(number: int) -> float:
        return cost([f"the cat number {row} 猫{row}" for row in range(number)], "the cat 猫 7")

    def words(number: int) -> float:
        long = " ".join(f"w{word}" for word in range(number)) + "猫は" * number
        return cost([long, long], long)

    for measure, small in ((rows, 100_000), (words, 20_000)):
        measure(1_000)
        before = min(measure(small) for _ in range(2))
        assert measure(10 * small) < 30 * before

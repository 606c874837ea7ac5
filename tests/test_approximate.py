"""The estimate and the bound: what they promise on texts of the repository and on hostile ones."""

from __future__ import annotations

import json
import statistics
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import packframe as pf

ROOT = Path(__file__).resolve().parent.parent

ESTIMATE = pf.profiles.approximate()
BOUND = pf.profiles.approximate(conservative=True)
EXACT = [pf.profiles.openai(name) for name in ("o200k_base", "cl100k_base")]
PIECE = 4096

CORPORA = {
    "Python": ["python/**/*.py", "benches/*.py", "scripts/*.py", "tests/test_*.py"],
    "Rust": ["crates/**/*.rs"],
    "Markdown": ["docs/**/*.md", "*.md"],
}
"""Texts of the repository, none of which the weights were fitted to."""

PASSAGES = ROOT / "examples/data/passages.jsonl"


def pieces(patterns: list[str]) -> list[str]:
    """Cut the files of a corpus into pieces of 4 kB."""
    paths = sorted(path for pattern in patterns for path in ROOT.glob(pattern))
    data = b"\n".join(path.read_bytes() for path in paths)
    starts = range(0, len(data) - PIECE, PIECE)
    return [data[start : start + PIECE].decode(errors="ignore") for start in starts]


def most(texts: list[str]) -> list[int]:
    """Count with the encoding that counts more."""
    return [max(pair) for pair in zip(*(one.count_batch(texts) for one in EXACT), strict=True)]


@pytest.mark.parametrize("corpus", CORPORA)
def test_the_estimate_is_near_both_encodings(corpus: str) -> None:
    """On a corpus the median error is at most 8 %, one piece in a hundred under by 25 %."""
    texts = pieces(CORPORA[corpus])
    assert len(texts) > 10
    estimates = ESTIMATE.count_batch(texts)
    for one in EXACT:
        errors = [e / n - 1 for e, n in zip(estimates, one.count_batch(texts), strict=True)]
        assert abs(statistics.median(errors)) <= 0.08, one.id
        assert sorted(errors)[len(errors) // 100] >= -0.25, one.id


@pytest.mark.parametrize("corpus", CORPORA)
def test_the_bound_is_the_greater_count_of_a_corpus(corpus: str) -> None:
    """No piece of a corpus is under, and none is over."""
    texts = pieces(CORPORA[corpus])
    assert BOUND.count_batch(texts) == most(texts)


def test_texts_of_many_languages() -> None:
    """The articles of the example, in fourteen languages."""
    lines = PASSAGES.read_text(encoding="utf-8").splitlines()
    texts = [json.loads(line)["content"] for line in lines]
    assert len(texts) > 25
    assert BOUND.count_batch(texts) == most(texts)
    exact = EXACT[0].count_batch(texts)
    errors = [e / n - 1 for e, n in zip(ESTIMATE.count_batch(texts), exact, strict=True)]
    assert abs(statistics.median(errors)) <= 0.1
    assert min(errors) >= -0.25


@given(st.lists(st.tuples(st.text(max_size=6), st.integers(1, 40)), max_size=5))
def test_no_string_is_over_the_bound(parts: list[tuple[str, int]]) -> None:
    """Units said again and again were what a formula was under on; here nothing is."""
    text = "".join(unit * times for unit, times in parts)
    assert BOUND.count(text) == most([text])[0]


@given(st.lists(st.text(max_size=40), min_size=1, max_size=8), st.integers(0, 200))
def test_a_bounded_pack_is_over_neither_encoding(texts: list[str], budget: int) -> None:
    """What was packed with the bound fits by either encoding, joins and all."""
    pack = pf.Frame(texts).pack(budget, token_profile=BOUND, render="text")
    assert most([pack.text])[0] == pack.manifest.total_tokens
    assert pack.manifest.total_tokens <= budget


def test_the_variants_are_two_profiles() -> None:
    """They differ in id, fingerprint and accuracy, and the manifest says which counted."""
    assert (ESTIMATE.id, ESTIMATE.accuracy) == ("approximate", "approximate")
    assert (BOUND.id, BOUND.accuracy) == ("approximate:conservative", "bounded")
    assert ESTIMATE.fingerprint != BOUND.fingerprint
    assert ESTIMATE != BOUND
    assert pf.profiles.approximate(conservative=False) == ESTIMATE
    manifest = pf.Frame(["one", "two"]).pack(9, token_profile=BOUND).manifest
    assert (manifest.accuracy, manifest.token_profile_id) == ("bounded", BOUND.id)
    assert manifest.to_dict()["estimated"] is True


def test_framing_is_beyond_the_bound() -> None:
    """The bound is of content; what frames a message is not counted, so the whole is no bound."""
    pack = pf.Frame(["one", "two"]).pack(9, token_profile=BOUND, render="messages")
    assert pack.manifest.accuracy == "approximate"
    counted = BOUND.count_messages([{"role": "user", "content": "one"}], format="openai-chat")
    assert {counted.accuracy, *(part.accuracy for part in counted.parts)} == {"approximate"}


@pytest.mark.parametrize("bad", [1, None, "yes"], ids=repr)
def test_conservative_is_a_bool(bad: object) -> None:
    """Anything but a bool is refused by name."""
    with pytest.raises(pf.InvalidOption) as caught:
        pf.profiles.approximate(conservative=bad)  # type: ignore[arg-type]
    assert caught.value.option == "conservative"

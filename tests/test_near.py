"""Near duplicates merged."""

from __future__ import annotations

import pickle
import random
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import packframe as pf
from oracle.near import near
from support.examples import examples

WORDS = ["a", "b", "c", "A", "b,", "猫", "東京", "x!", "?", "ไทย"]

sentences = st.lists(st.sampled_from(WORDS), max_size=7).flatmap(
    lambda words: st.sampled_from([" ", "", " - "]).map(lambda join: join.join(words))
)


def merged(frame: pf.Frame) -> list[dict[str, Any]]:
    """Return the merged rows as the manifest has them."""
    found: list[dict[str, Any]] = frame.pack(None).manifest.to_dict()["merged"]
    return found


@examples(400)
@given(
    rows=st.lists(
        st.tuples(sentences, st.sampled_from(["user", "tool"]), st.sampled_from([None, "s"])),
        max_size=9,
    ),
    threshold=st.sampled_from([0.1, 0.25, 0.5, 2 / 3, 0.9, 1.0]),
)
def test_rows_merge_as_all_pairs_say(
    rows: list[tuple[str, str, str | None]], threshold: float
) -> None:
    """The rows that merge, and into which, are those of comparing each with each."""
    items = [
        pf.Item(text, id=str(row), role=role, section=section)
        for row, (text, role, section) in enumerate(rows)
    ]
    texts = [text for text, *_ in rows]
    right = near(texts, [rest for _, *rest in rows], threshold)
    deduped = pf.Frame(items).dedupe(by="near", threshold=threshold)
    assert deduped.ids == tuple(str(row) for row, found in enumerate(right) if found is None)
    assert [
        (record["row"], record["into_id"], record["similarity"]) for record in merged(deduped)
    ] == [
        (row, str(found[0]), pytest.approx(found[1], abs=1e-6))
        for row, found in enumerate(right)
        if found is not None
    ]


def test_long_texts_with_small_changes_merge() -> None:
    """Of a hundred texts in a thousand versions each family keeps one row, as all pairs say."""
    dice = random.Random(7)
    families = [[f"w{dice.randrange(500)}" for _ in range(80)] for _ in range(40)]
    texts = []
    for _ in range(400):
        text = list(dice.choice(families))
        for _ in range(dice.randrange(4)):
            text[dice.randrange(80)] = "changed"
        texts.append(" ".join(text))
    right = near(texts, [0] * len(texts), 0.8)
    deduped = pf.Frame(texts).dedupe(by="near", threshold=0.8)
    assert [item.content for item in deduped] == [
        text for text, found in zip(texts, right, strict=True) if found is None
    ]


LONG = "Parcels to Oslo take five days and to Bergen six, weather permitting."


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"role": "user"}, {"role": "tool"}),
        ({"section": "a"}, {"section": "b"}),
        ({}, {"retention": "required"}),
        ({}, {"pinned": True}),
        ({"group": "g"}, {}),
        ({}, {"group": "g"}),
        ({"requires": ["x"]}, {}),
        ({"exclusive": "k"}, {"exclusive": "l"}),
    ],
    ids=str,
)
def test_rows_of_another_contract_stay(first: dict[str, Any], second: dict[str, Any]) -> None:
    """Roles, sections, required rows, groups and ties are never merged across."""
    frame = pf.Frame(
        [pf.Item(LONG, **first), pf.Item(LONG.upper(), **second), pf.Item("other", id="x")]
    )
    assert len(frame.dedupe(by="near")) == 3


def test_kinds_stay_apart_and_messages_stay() -> None:
    """Text is compared with text and JSON with JSON; the rest merges where it is equal."""
    frame = pf.Frame(
        [
            pf.Json({"a": LONG}),
            pf.Json({"A": LONG}),
            f"a {LONG}",
            pf.Reference("kb://a/b/c/d/e"),
            pf.Reference("kb://A/b/c/d/e"),
            pf.Reference("kb://a/b/c/d/e"),
            pf.Binary(b"x", "a/b"),
            pf.Binary(b"x", "a/b"),
            pf.Message({"role": "user", "content": LONG}),
            pf.Message({"role": "user", "content": LONG}),
        ]
    )
    kept = frame.dedupe(by="near")
    kinds = [item.kind for item in kept]
    assert kinds == ["json", "text", "reference", "reference", "binary", "message", "message"]


def test_the_row_that_stays_is_protected() -> None:
    """It takes the worst and the strongest of both, and who required the other requires it."""
    frame = pf.Frame(
        [
            pf.Item(LONG, id="a", score=0.1, sources=["1"], expires_at="2030-01-01T00:00:00Z"),
            pf.Item("other", id="c", requires=["b"]),
            pf.Item(
                LONG.lower(),
                id="b",
                score=0.9,
                sources=["2"],
                retention="preferred",
                trust="quarantined",
                sensitivity="restricted",
                expires_at="2029-01-01T00:00:00Z",
            ),
        ]
    ).dedupe(by="near")
    kept, other = frame
    assert (kept.content, kept.score, kept.sources) == (LONG, 0.9, ("1", "2"))
    assert (kept.retention, kept.trust, kept.sensitivity) == (
        "preferred",
        "quarantined",
        "restricted",
    )
    assert kept.expires_at is not None
    assert kept.expires_at.year == 2029
    assert other.requires == ("a",)


def test_the_manifest_has_the_similarity() -> None:
    """Only near merges have one, and it goes through pickle and JSON."""
    frame = pf.Frame([LONG, LONG, LONG + " Really."])
    (exact,) = merged(frame.dedupe())
    assert exact["similarity"] is None
    near_frame = frame.dedupe(by="near", threshold=0.8)
    same, close = merged(near_frame)
    assert (same["similarity"], same["reason"]) == (1.0, "duplicate")
    assert 0.8 <= close["similarity"] < 1
    assert merged(pickle.loads(pickle.dumps(near_frame))) == [same, close]
    manifest = near_frame.pack(None).manifest
    assert pf.PackManifest.from_json(manifest.to_json()) == manifest


@pytest.mark.parametrize(
    "threshold", [0, -1, 1.1, float("nan"), float("inf"), "0.9", None, True, 10**400], ids=repr
)
def test_a_threshold_that_is_no_similarity_is_refused(threshold: Any) -> None:
    """NaN, 0, more than 1 and what is no number raise, naming the option."""
    with pytest.raises(pf.InvalidOption) as caught:
        pf.Frame(["a"]).dedupe(by="near", threshold=threshold)
    assert caught.value.option == "threshold"


def test_another_word_is_refused() -> None:
    """`by` is one of two words."""
    with pytest.raises(pf.InvalidOption) as caught:
        pf.Frame(["a"]).dedupe(by="fuzzy")
    assert caught.value.option == "by"
    assert len(pf.Frame().dedupe(by="near")) == 0
    assert len(pf.Frame(["", "", "?", "!"]).dedupe(by="near")) == 3


def test_nothing_makes_it_quadratic() -> None:
    """Ten times the rows cost ten times as much, also where all are nearly alike, or meet."""

    def cost(texts: list[str], threshold: float) -> float:
        frame = pf.Frame(texts)
        start = time.process_time()
        frame.dedupe(by="near", threshold=threshold)
        return time.process_time() - start

    dice = random.Random(3)

    def unlike(rows: int) -> list[str]:
        return [" ".join(f"w{dice.randrange(rows)}" for _ in range(20)) for _ in range(rows)]

    def alike(rows: int) -> list[str]:
        return [f"one two three four five six seven eight nine ten {row}" for row in range(rows)]

    def meeting(rows: int) -> list[str]:
        # Few words: every row shares triples with very many, and few are similar.
        return [" ".join(dice.choice("abcdefgh") for _ in range(30)) for _ in range(rows)]

    for make, threshold in ((unlike, 0.9), (alike, 0.7), (meeting, 0.5)):
        cost(make(500), threshold)
        small = min(cost(make(4_000), threshold) for _ in range(2))
        assert cost(make(40_000), threshold) < 30 * small, make.__name__

"""Near duplicates by comparing each row with each."""

from __future__ import annotations

from functools import lru_cache

from .bm25 import UNSPACED, words_of


@lru_cache(maxsize=1024)
def triples(text: str) -> frozenset[tuple[str, ...]]:
    """Return the triples of words of a text; in runs without spaces, of characters."""
    parts: list[str] = []
    for part in UNSPACED.split(text):
        parts.extend(part if UNSPACED.fullmatch(part) else words_of(part))
    if 0 < len(parts) < 3:
        return frozenset({tuple(parts)})
    return frozenset(tuple(parts[at : at + 3]) for at in range(len(parts) - 2))


def similarity(a: str, b: str) -> float:
    """Return Jaccard's similarity of two texts; those without a word are like none."""
    ours, theirs = triples(a), triples(b)
    return len(ours & theirs) / len(ours | theirs) if ours & theirs else 0.0


def near(
    texts: list[str], classes: list[object], threshold: float
) -> list[tuple[int, float] | None]:
    """Return for each row the first earlier one that stays and is similar, with the similarity.

    A class of None is one of its own.
    """
    found: list[tuple[int, float] | None] = []
    for row, text in enumerate(texts):
        first = None
        for other in range(row):
            alike = classes[row] is not None and classes[row] == classes[other]
            if first is None and alike and found[other] is None:
                share = 1.0 if texts[other] == text else similarity(texts[other], text)
                if share >= threshold:
                    first = (other, share)
        found.append(first)
    return found

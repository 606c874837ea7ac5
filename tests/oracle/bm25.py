"""BM25 by its formula, text by text."""

from __future__ import annotations

import math
import re
from functools import lru_cache

from uniseg.wordbreak import words

K1, B = 1.2, 0.75

UNSPACED = re.compile("([぀-ヿ一-鿿฀-๏]+)")
"""Runs of Hiragana, Katakana, Han and Thai, as far as the tests have them."""


@lru_cache(maxsize=1024)
def words_of(text: str) -> list[str]:
    """Return the folded words of a text with spaces."""
    return [word.lower() for word in words(text) if re.search(r"[^\W_]", word)]


def terms(text: str) -> list[str]:
    """Return the terms of a text, in order: folded words, and pairs in runs without spaces."""
    found: list[str] = []
    for part in UNSPACED.split(text):
        if UNSPACED.fullmatch(part):
            pairs = [part[at : at + 2] for at in range(len(part) - 1)]
            found.extend(pairs or [f"lone {part}"])
        else:
            found.extend(words_of(part))
    return found


def frequency(term: str, text: str) -> int:
    """Return how often a text has a term; a character alone counts inside of runs too."""
    if term.startswith("lone "):
        return sum(run.count(term[5:]) for run in UNSPACED.findall(text))
    return terms(text).count(term)


def bm25(texts: list[str | None], query: str) -> list[float]:
    """Return a score for each text; a row without one has 0."""
    known = [text for text in texts if text is not None]
    average = sum(len(terms(text)) for text in known) / max(len(known), 1)

    def score(text: str | None) -> float:
        total = 0.0
        for term in terms(query) if text is not None else []:
            assert text is not None
            having = sum(frequency(term, other) > 0 for other in known)
            found = frequency(term, text)
            rarity = math.log(1 + (len(known) - having + 0.5) / (having + 0.5))
            length = len(terms(text)) / average if average else 0.0
            total += rarity * found * (K1 + 1) / (found + K1 * (1 - B + B * length))
        return total

    return [score(text) for text in texts]

"""Where a text may be cut, and the longest cut that fits, found by counting every candidate."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from uniseg.graphemecluster import grapheme_cluster_boundaries
from uniseg.sentencebreak import sentence_break
from uniseg.wordbreak import word_boundaries

if TYPE_CHECKING:
    from collections.abc import Callable

BLANK = (
    "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009"
    "\u200a\u2028\u2029\u202f\u205f\u3000"
)
"""White_Space of Unicode; what Python strips by itself is more."""

BREAKS = "\n\r\x85\u2028\u2029"

LINE = re.compile(f"[^{BREAKS}]*(?:\r\n|[{BREAKS}]|$)")


SENTENCE = {
    "Sep": "p",
    "CR": "c",
    "LF": "l",
    "Extend": "e",
    "Format": "e",
    "Sp": "s",
    "Lower": "L",
    "Upper": "U",
    "OLetter": "o",
    "Numeric": "n",
    "ATerm": "a",
    "STerm": "t",
    "SContinue": "k",
    "Close": "q",
}
"""A letter for each class of Sentence_Break."""

KEPT = [
    ("a", "n"),
    ("[UL]a", "U"),
    ("aq*s*", "[^oULclpat]*L"),
    ("[at]q*s*", "[kat]"),
    ("[at]q*", "[qsclp]"),
    ("[at]q*s*", "[sclp]"),
]
"""Before and behind a place where no sentence starts: SB6 to SB10."""


def sentence_boundaries(text: str) -> list[int]:
    """Return where sentences start and the last one ends, by the rules of UAX 29 as they stand.

    Those of uniseg leave out one class in SB8, so only its property is used.
    """
    classes = "".join(SENTENCE.get(sentence_break(character).value, "x") for character in text)

    def plain(side: str) -> str:
        return re.sub("(?<=[^clp])e+", "", side)

    def starts(place: int) -> bool:
        before, behind = classes[:place], classes[place:]
        if before.endswith("c") and behind.startswith("l"):
            return False
        if before[-1] in "clp":
            return True
        if behind.startswith("e"):
            return False
        before, behind = plain(before), plain(behind)
        if any(re.search(f"{b}$", before) and re.match(a, behind) for b, a in KEPT):
            return False
        return bool(re.search("[at]q*s*[clp]?$", before))

    return [0, *filter(starts, range(1, len(text))), len(text)]


def units(text: str, at: str) -> list[tuple[int, int]]:
    """Return where each unit starts and ends, without those that are all white space."""
    if at == "grapheme":
        return list(pairwise(grapheme_cluster_boundaries(text)))
    if at == "line":
        lines = [match for match in LINE.finditer(text) if match.group().strip(BLANK)]
        return [(line.start(), line.start() + len(line.group().rstrip(BREAKS))) for line in lines]
    borders = {"word": word_boundaries, "sentence": sentence_boundaries}[at](text)
    whole = [(start, text[start:end]) for start, end in pairwise(borders)]
    return [(start, start + len(unit.rstrip(BLANK))) for start, unit in whole if unit.strip(BLANK)]


def places(text: str, at: str, *, ends: bool) -> list[int]:
    """Return where a head may end, or else where a tail may start; never inside a grapheme."""
    graphemes = set(grapheme_cluster_boundaries(text))
    found = [unit[ends] for unit in units(text, at)]
    return [place for place in found if 0 < place < len(text) and place in graphemes]


def longest(fits: Callable[[int], bool], lengths: list[int]) -> tuple[int, int]:
    """Return the longest length that fits, and the longest all of whose shorter ones fit."""
    best, sure = 0, 0
    steady = True
    for length in lengths:
        if fits(length):
            best = length
            if steady:
                sure = length
        else:
            steady = False
    return best, sure


@lru_cache(maxsize=4096)
def word_cuts(text: str) -> list[str]:
    """Return what stands before each place at which a word cut may end, the longest first."""
    return [text[:place] for place in sorted(set(places(text, "word", ends=True)), reverse=True)]


def element_cuts(value: Any) -> list[Any]:
    """Return a JSON array or object without trailing elements, the longest first.

    One element stays at least: a cut that keeps nothing is none.
    """
    if isinstance(value, list):
        return [value[:number] for number in range(len(value) - 1, 0, -1)]
    if isinstance(value, dict):
        keys = list(value)
        return [
            {key: value[key] for key in keys[:number]} for number in range(len(keys) - 1, 0, -1)
        ]
    return []

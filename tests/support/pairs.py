"""Token profiles in pairs: packframe's and what the oracle counts with."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

import packframe as pf
from oracle import counter

from . import vocabularies

if TYPE_CHECKING:
    from collections.abc import Callable

    from oracle import Counter


@dataclass(frozen=True)
class Pair:
    """One way to count, twice."""

    name: str
    profile: pf.TokenProfile
    counter: Counter


def quarter_bytes(text: str) -> int:
    """Count a token for every four bytes begun."""
    return math.ceil(len(text.encode()) / 4)


def words(text: str) -> int:
    """Count words."""
    return len(text.split())


def growing(text: str) -> int:
    """Cost more together than apart."""
    return len(text) + len(text) ** 2 // 90


def distinct(text: str) -> int:
    """Cost less together than apart."""
    return len(set(text))


def chat(messages: list[dict[str, Any]]) -> int:
    """Count a list of messages, dearer than its parts."""
    lengths = [len(str(message.get("content"))) for message in messages]
    return 5 + sum(length // 4 + 3 for length in lengths) + len(messages) ** 2 // 5


def _approximate() -> Pair:
    profile = pf.profiles.approximate()
    return Pair("approximate", profile, counter.approximate(profile.count))


def _conservative() -> Pair:
    profile = pf.profiles.approximate(conservative=True)
    own = counter.approximate(profile.count)
    return Pair("conservative", profile, replace(own, accuracy="bounded"))


def _openai(name: str) -> Pair:
    own = counter.bpe(vocabularies.openai(name), specials=vocabularies.openai_specials(name))
    return Pair(name, pf.profiles.openai(name), own)


def _hugging_face(kind: str, base: int = 0, per_item: int = 0) -> Pair:
    return Pair(
        f"hf-{kind}-{base}-{per_item}",
        pf.profiles.huggingface(
            vocabularies.hugging_face_json(kind),
            base_tokens=base,
            envelope_tokens_per_item=per_item,
        ),
        counter.hugging_face(
            vocabularies.hugging_face(kind),
            engine=kind == "bpe",
            base=base,
            per_item=per_item,
        ),
    )


def _custom(
    count: Callable[[str], int],
    *,
    exact: bool,
    base: int = 0,
    per_item: int = 0,
    count_messages: Callable[[list[dict[str, Any]]], int] | None = None,
) -> Pair:
    name = f"{count.__name__}-{base}-{per_item}-{exact}-{count_messages is not None}"
    profile = pf.profiles.custom(
        name,
        count,
        count_messages=count_messages,
        base_tokens=base,
        envelope_tokens_per_item=per_item,
        exact=exact,
    )
    accuracy = "exact" if exact else "approximate"
    own = counter.Counter(
        name, count, accuracy=accuracy, base=base, per_item=per_item, of_messages=count_messages
    )
    return Pair(name, profile, own)


PAIRS: dict[str, Callable[[], Pair]] = {
    "approximate": _approximate,
    "conservative": _conservative,
    "o200k_base": lambda: _openai("o200k_base"),
    "cl100k_base": lambda: _openai("cl100k_base"),
    "o200k_harmony": lambda: _openai("o200k_harmony"),
    "p50k_base": lambda: _openai("p50k_base"),
    "r50k_base": lambda: _openai("r50k_base"),
    "hf_bpe": lambda: _hugging_face("bpe"),
    "hf_wordpiece": lambda: _hugging_face("wordpiece"),
    "hf_unigram": lambda: _hugging_face("unigram"),
    "hf_framed": lambda: _hugging_face("bpe", base=2, per_item=4),
    "words": lambda: _custom(words, exact=True),
    "words_framed": lambda: _custom(words, exact=False, base=3, per_item=2),
    "quarter_bytes": lambda: _custom(quarter_bytes, exact=False),
    "growing": lambda: _custom(growing, exact=True),
    "distinct": lambda: _custom(distinct, exact=False),
    "chat": lambda: _custom(quarter_bytes, exact=False, base=5, per_item=3, count_messages=chat),
}
"""Every kind of profile, by name."""


@cache
def pair(name: str) -> Pair:
    """Return a pair, made once."""
    return PAIRS[name]()

"""Generated histories of every format: valid ones, and broken ones by what was done to them.

A history comes of a ``Random``: seeded for sweeps of thousands, or Hypothesis' own, which shrinks.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from .breaking import broken
from .history_anthropic import anthropic
from .history_chat import chat
from .history_gemini import gemini
from .history_responses import responses

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MAKERS: dict[str, Callable[[Random], list[Any]]] = {
    "openai-chat": chat,
    "openai-responses": responses,
    "anthropic": anthropic,
    "gemini": gemini,
}
FORMATS = sorted(MAKERS)


def history(format: str, random: Random, *, breaks: int) -> list[Any]:
    """Return a history of a format; a valid one, broken so many times."""
    return broken(format, MAKERS[format](random), random, times=breaks)


def valid_histories(format: str) -> st.SearchStrategy[list[Any]]:
    """Return histories that a provider takes, for Hypothesis."""
    return st.randoms(use_true_random=False).map(lambda random: history(format, random, breaks=0))


def broken_histories(format: str) -> st.SearchStrategy[list[Any]]:
    """Return histories that were broken once or more often, for Hypothesis."""
    return st.builds(
        lambda random, breaks: history(format, random, breaks=breaks),
        st.randoms(use_true_random=False),
        st.integers(1, 4),
    )


def sweep(format: str, number: int, *, seed: int) -> Iterator[tuple[int, list[Any]]]:
    """Return so many histories with the seed of each: a quarter valid, others broken more and more.

    ``history(format, Random(seed), breaks=seed % 4)`` makes one of them again.
    """
    for one in range(seed, seed + number):
        yield one, history(format, Random(one), breaks=one % 4)
